/*
 * actions: everything a key can do, as one table.
 *
 * The table gives each action its number, its name (configuration, `:` prompt),
 * its default keys, its help and how to get the same without a screen. Help,
 * bindings and tests are made from it; tui/app_act.c makes its table of
 * functions from the same list, so an action without one does not compile.
 * To add an action: a line here and a function act_<function> there; actions
 * that differ only in direction share one.
 *
 * The table is constant. A keymap is owned by who zero-initialised it.
 */
#ifndef TUI_ACTIONS_H
#define TUI_ACTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/vec.h"
#include "replay/cli/cli.h"
#include "tui/keys.h"

/*
 * X(number, function, "name", argument, "default keys, separated by blanks", group, "help", "without a screen")
 * The argument is what `:name ARGUMENT` takes, as the help shows it; NULL = nothing.
 */
#define ACTION_LIST(X)                                                                                                 \
	X(NEXT_TURN, turns, "next-turn", NULL, ". <S-Right>", TRAVEL, "next turn", "replay --turn N")                  \
	X(PREVIOUS_TURN, turns, "previous-turn", NULL, ", <S-Left>", TRAVEL, "previous turn", "replay --turn N")       \
	X(NEXT_NODE, nodes, "next-node", NULL, ">", TRAVEL, "next step inside the turn", "replay --turn N.NODE")       \
	X(PREVIOUS_NODE, nodes, "previous-node", NULL, "<", TRAVEL, "previous step inside the turn",                   \
	  "replay --turn N.NODE")                                                                                      \
	X(NEXT_USER, stop, "next-user-turn", NULL, ")", TRAVEL, "next user turn", "replay (user column)")              \
	X(PREVIOUS_USER, stop, "previous-user-turn", NULL, "(", TRAVEL, "previous user turn", "replay (user column)")  \
	X(NEXT_EVENT, stop, "next-event", NULL, "]", TRAVEL, "next event; in Prefix next rebuild or cold cache",       \
	  "replay (events column), --pane prefix")                                                                     \
	X(PREVIOUS_EVENT, stop, "previous-event", NULL, "[", TRAVEL,                                                   \
	  "previous event; in Prefix rebuild or cold cache", "replay (events column), --pane prefix")                  \
	X(NEXT_COMPRESSION, stop, "next-compression", NULL, "}", TRAVEL, "next compress call",                         \
	  "replay --json (compress events)")                                                                           \
	X(PREVIOUS_COMPRESSION, stop, "previous-compression", NULL, "{", TRAVEL, "previous compress call",             \
	  "replay --json (compress events)")                                                                           \
	X(FIRST_TURN, end, "first-turn", NULL, "0", TRAVEL, "first turn (no count pending)", "replay --turn 1")        \
	X(LAST_TURN, end, "last-turn", NULL, "$", TRAVEL, "last turn", "replay --turn $")                              \
	X(GO, go, "go", NULL, "g", TRAVEL, "turn of the count (42g); alone: first line", "replay --turn N")            \
	X(RUN, run, "continue", NULL, "c", TRAVEL, "run to the next breakpoint", "check --assert, probe")              \
	X(RUN_BACK, run, "reverse-continue", NULL, "C", TRAVEL, "run back to a breakpoint", "check --assert, probe")   \
	X(JUMP_BACK, jump, "jump-back", NULL, "^O", TRAVEL, "back to where the last jump began", "replay --turn POS")  \
	X(JUMP_FORWARD, jump, "jump-forward", NULL, "^N", TRAVEL, "forward again along the jumps",                     \
	  "replay --turn POS")                                                                                         \
	X(MARK, mark, "mark", "LETTER", "m", TRAVEL, "mark this position: m and a letter", "replay --turn POS")        \
	X(GO_MARK, mark, "go-mark", "LETTER", "'", TRAVEL,                                                             \
	  "go to a mark: ' and its letter ('' where you jumped from)", "replay --turn POS")                            \
	X(MARKS, marks, "marks", NULL, "M", TRAVEL, "list the marks", "screen only: marks are kept for the screen")    \
	X(WHERE, where, "ref", "REF", "r", TRAVEL, "where a ref or block lives", "replay --ref REF")                   \
	X(DOWN, lines, "down", NULL, "j <Down>", MOVE, "down", "screen only: replay --pane prints every line")         \
	X(UP, lines, "up", NULL, "k <Up>", MOVE, "up", "screen only: replay --pane prints every line")                 \
	X(HALF_DOWN, half, "half-page-down", NULL, "^D", MOVE, "half a page down",                                     \
	  "screen only: replay --pane prints every line")                                                              \
	X(HALF_UP, half, "half-page-up", NULL, "^U", MOVE, "half a page up",                                           \
	  "screen only: replay --pane prints every line")                                                              \
	X(PAGE_DOWN, page, "page-down", NULL, "<PgDn> <Space>", MOVE, "page down",                                     \
	  "screen only: replay --pane prints every line")                                                              \
	X(PAGE_UP, page, "page-up", NULL, "<PgUp>", MOVE, "page up", "screen only: replay --pane prints every line")   \
	X(FIRST_LINE, line, "first-line", NULL, "<Home>", MOVE, "first line",                                          \
	  "screen only: replay --pane prints every line")                                                              \
	X(LAST_LINE, line, "last-line", NULL, "G <End>", MOVE, "last line; with a count that line",                    \
	  "screen only: replay --pane prints every line")                                                              \
	X(OPEN, open, "open", NULL, "<Enter>", MOVE, "open or close the selected line", "replay --json")               \
	X(SEARCH, search, "search", NULL, "/", MOVE, "search the pane: a regular expression (pcre2)",                  \
	  "replay --pane NAME --grep PATTERN")                                                                         \
	X(SEARCH_ALL, search, "search-all", NULL, "\\", MOVE, "search the rows of all turns", "replay --json")         \
	X(SEARCH_NEXT, again, "search-next", NULL, "n", MOVE, "next match", "screen only: --grep prints every match")  \
	X(SEARCH_PREVIOUS, again, "search-previous", NULL, "N", MOVE, "previous match",                                \
	  "screen only: --grep prints every match")                                                                    \
	X(FILTER, search, "filter", NULL, "&", MOVE, "only lines that match; with nothing typed all again",            \
	  "replay --pane NAME --grep PATTERN")                                                                         \
	X(NEXT_PANE, cycle, "next-pane", NULL, "<Tab>", PANE, "next pane", "replay --pane NAME")                       \
	X(PREVIOUS_PANE, cycle, "previous-pane", NULL, "<S-Tab>", PANE, "previous pane", "replay --pane NAME")         \
	X(FOCUS_ROWS, focus, "rows", NULL, "<F1>", PANE, "Rows", "replay --pane rows")                                 \
	X(FOCUS_RANGES, focus, "ranges", NULL, "<F2>", PANE, "Ranges", "replay --pane ranges")                         \
	X(FOCUS_BLOCKS, focus, "blocks", NULL, "<F3>", PANE, "Blocks", "replay --pane blocks")                         \
	X(FOCUS_DENSITY, focus, "density", NULL, "<F4>", PANE, "Density", "replay --pane density")                     \
	X(FOCUS_PREFIX, focus, "prefix", NULL, "<F5>", PANE, "Prefix", "replay --pane prefix")                         \
	X(FOCUS_NUDGE, focus, "nudge", NULL, "<F6>", PANE, "Nudge", "replay --pane nudge")                             \
	X(FOCUS_EVENTS, focus, "events", NULL, "<F7>", PANE, "Events", "replay --pane events")                         \
	X(FOCUS_REQUEST, focus, "request", NULL, "<F8>", PANE, "Request", "replay --pane request")                     \
	X(FOCUS_STATUS, focus, "status", NULL, "<F9>", PANE, "Status", "replay --pane status")                         \
	X(FOCUS_CHANGES, focus, "changes", NULL, "<F10> d", PANE, "Changes since the turn before",                     \
	  "replay --pane changes")                                                                                     \
	X(ZOOM_IN, zoom, "zoom-in", NULL, "+", PANE, "more room for the focused pane",                                 \
	  "screen only: --width gives the columns of replay --pane")                                                   \
	X(ZOOM_OUT, zoom, "zoom-out", NULL, "_", PANE, "less room for it",                                             \
	  "screen only: --width gives the columns of replay --pane")                                                   \
	X(MORE_ROWS, shift, "divider-forward", NULL, "L", PANE,                                                        \
	  "more room for Rows: moves the line between the panes",                                                      \
	  "screen only: --width gives the columns of replay --pane")                                                   \
	X(LESS_ROWS, shift, "divider-back", NULL, "H", PANE, "less room for Rows",                                     \
	  "screen only: --width gives the columns of replay --pane")                                                   \
	X(HIDE, hide, "hide", NULL, "o", PANE, "only Rows, or the panes beside it again",                              \
	  "screen only: replay --pane prints one pane")                                                                \
	X(PROMPT, prompt, "prompt", NULL, ":", OTHER, "type a position, a pane or the name of an action",              \
	  "screen only: every command line option is one")                                                             \
	X(BRANCH, branch, "branch", NULL, "B", OTHER, "choose another branch of the session", "replay --branch ID")    \
	X(BREAK, add_break, "break", "CONDITION", "b", OTHER, "breakpoints, watches and probes",                       \
	  "check --assert, probe")                                                                                     \
	X(WATCH, add_break, "watch", "EXPRESSION", "W", OTHER, "stop where a value changes; show it", "probe")         \
	X(PROBE, add_break, "probe", "EXPRESSION", "P", OTHER, "show a value at every turn", "probe")                  \
	X(COMPARE, compare, "compare", "POLICY", "D", OTHER,                                                           \
	  "compare with another policy, or a branch with the session", "diff FILE --left POLICY --right POLICY")       \
	X(OTHER_SIDE, other_side, "other-side", NULL, "=", OTHER,                                                      \
	  "of a comparison the other side, where one has room", "screen only: diff prints both sides")                 \
	X(WHAT_IF, what_if, "what-if", NULL, "w", OTHER,                                                               \
	  "what if: another policy, a call dropped or edited; branches", "replay --policy; convert --drop-call N")     \
	X(SAVE_BRANCH, save_branch, "save-branch", "FILE", "O", OTHER, "save the branch as a recording",               \
	  "convert --drop-call N -o FILE")                                                                             \
	X(COPY, copy, "copy", "WHAT", "y", OTHER, "copy: y and r ref, t text, j JSON, b request bytes, l line",        \
	  "replay --request, --pane NAME")                                                                             \
	X(SAVE, save, "save", "FILE", "s", OTHER, "save the screen (.txt, .ans, .svg) or turns (A..B x.acps.jsonl)",   \
	  "screen --keys SCRIPT --output svg; convert --turns A..B")                                                   \
	X(HELP, help, "help", NULL, "?", OTHER, "help of the focused pane", "help")                                    \
	X(CLOSE, close, "close", NULL, "q <Esc>", OTHER, "close help or the opened line; then quit",                   \
	  "screen only: replay ends by itself")                                                                        \
	X(QUIT, quit, "quit", NULL, "Q", OTHER, "quit", "screen only: replay ends by itself")                          \
	X(REPAINT, repaint, "repaint", NULL, "^L", OTHER, "paint the screen anew",                                     \
	  "screen only: it is about the screen")                                                                       \
	X(SUSPEND, suspend, "suspend", NULL, "^Z", OTHER, "suspend; fg comes back", "screen only: the shell's own ^Z") \
	X(CLICK, click, "click", NULL, "<Click 0,0>", MOUSE, "focus and select; on the strip: go there",               \
	  "screen only: it is about the screen")                                                                       \
	X(WHEEL_DOWN, wheel, "wheel-down", NULL, "<WheelDown 0,0>", MOUSE, "scroll down",                              \
	  "screen only: it is about the screen")                                                                       \
	X(WHEEL_UP, wheel, "wheel-up", NULL, "<WheelUp 0,0>", MOUSE, "scroll up", "screen only: it is about the screen")

enum action {
#define ACTION_ENUM(number, function, name, argument, keys, group, help, headless) ACTION_##number,
	ACTION_LIST(ACTION_ENUM)
#undef ACTION_ENUM
		ACTION_COUNT,
	ACTION_NONE = ACTION_COUNT
};

enum action_group {
	ACTION_GROUP_TRAVEL,
	ACTION_GROUP_MOVE,
	ACTION_GROUP_PANE,
	ACTION_GROUP_OTHER,
	ACTION_GROUP_MOUSE,
	ACTION_GROUPS
};

struct action_info {
	const char *name;
	const char *argument; /* NULL = none */
	const char *keys;     /* key names, separated by blanks */
	enum action_group group;
	const char *help;
	const char *headless; /* what gives the same without a screen, or "screen only: " and the reason */
};

extern const struct action_info actions[ACTION_COUNT];
/* Heading of a group in the help. */
const char *action_group_title(enum action_group g);
/* Action number i, group by group, as the manual wants it; false behind the last of those that are keys. */
bool action_key(size_t i, struct cli_key *out);
/* The action of that name, or ACTION_NONE. */
enum action action_find(struct str name);

struct binding {
	struct key key;
	enum action action;
};

/* Which key does what. A key has one action, an action any number of keys. */
struct keymap {
	VEC(struct binding) bindings;
};

/* The default keys of all actions. */
void keymap_defaults(struct keymap *m);
/*
 * Gives a key to an action. STATUS_USAGE when the name is no key, when the key
 * is a digit other than 0 (counts), or when the key is bound already: then the
 * message names both actions.
 */
enum status keymap_bind(struct keymap *m, struct str key_name, enum action action, struct error *e);
/* Takes all keys from an action. */
void keymap_unbind(struct keymap *m, enum action action);
/* ACTION_NONE for a key without an action. */
enum action keymap_find(const struct keymap *m, struct key k);
/* Appends the keys of an action as the help shows them: `j <Down>`. */
void keymap_put_keys(const struct keymap *m, enum action action, struct buf *out);
void keymap_free(struct keymap *m);

#endif
