/*
 * app: the terminal UI without a terminal.
 *
 * A state machine: keys in (app_key), flags of what must be redrawn out, and
 * app_draw paints the present state onto a grid of any size. The event loop of
 * tui/loop and the headless driver of tui/screen_script run this same core; it
 * reads no clock and knows no curses. Long work (loading, the first pass) is
 * done a little at a time by app_job_step, between keys: every key works
 * meanwhile, and turns are shown as soon as the pass has executed them.
 *
 * The app owns its replays, keymap and panes; it borrows the request.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include "replay/breaks.h"
#include "replay/checks.h"
#include "replay/cli/cli.h"
#include "replay/diff.h"
#include "replay/search_line.h"
#include "replay/session_state.h"
#include "tui/actions.h"
#include "tui/chooser.h"
#include "tui/complete.h"
#include "tui/help.h"
#include "tui/panes.h"
#include "tui/prompt.h"

/* What a key or a job step asks of the loop; or-ed. */
enum app_flag {
	APP_DRAW_BARS = 1, /* the lines around the panes: app_draw_bars */
	APP_DRAW = 2,      /* everything: app_draw */
	APP_REPAINT = 4,   /* and every cell is to be sent to the terminal again */
	APP_SUSPEND = 8,
	APP_QUIT = 16,
	APP_EDIT = 32, /* the user's editor is to be run on app.what_if.path; then app_edited */
	APP_COPY = 64  /* a->copied is for the clipboard */
};

enum app_phase {
	APP_LOADING,  /* the file is being read */
	APP_PASSING,  /* the first pass runs */
	APP_CHECKING, /* all turns are there; the end is compared with what the host stored */
	APP_READY,
	APP_FAILED /* app.status and app.error say why; the loop ends */
};

/* The filter of a pane: which lines have its pattern, found by a job after every change of what the pane lists. */
struct app_filter {
	struct search *pattern; /* NULL = no filter */
	struct pane_lines found;
	struct search_line line; /* under way */
	struct search_tally tally;
	size_t next;      /* line of the view to look at */
	bool running;     /* not all are looked at */
	uint64_t opening; /* app.opening they are of; 0 = of nothing */
	int width;
	struct buf words; /* for the title */
};

/* Search in the pane with the focus, and the filters (app_search.c). */
struct app_search {
	struct prompt prompt; /* of / and & */
	bool filtering;       /* it is that of & */
	bool typing_all;      /* it is for the rows of all turns */
	bool all;             /* the pattern is, too */
	struct buf typed;     /* what was there at the key before */
	struct search_fault fault;
	bool faulty;
	struct search *trial, *pattern; /* while / is typed; what n looks for. NULL = none */
	bool marking;                   /* matches are marked */
	enum pane_id pane;              /* searched */
	struct pane before;             /* as / found it */

	/* the job */
	bool running, backward, found, around; /* around: an end was passed */
	uint32_t wanted;                       /* matches to go to yet */
	size_t at, visited;
	struct search_line line;
	struct search_tally tally;

	/* where the last match was; the next is looked for from there while the pane stands where it stood then */
	size_t hit, stood;
	bool hit_open;
	enum pane_id hit_pane;
	struct app_filter filters[PANE_COUNT];
};

/* A recording, shared by the replays that differ in their policy only. */
struct app_file {
	struct recording recording;
	unsigned users;
};

/*
 * One replay: a recording under a policy, from its loading to the end of the first pass. It must not be moved in
 * memory: its run points into it.
 */
struct app_replay {
	enum app_phase phase;
	struct app_file *file;
	struct recording *recording; /* of the file */
	struct run run;
	struct checks checks; /* found with the run; the frame has them when they are done */
	struct frame frame;
	bool has_run;
	bool has_frame;   /* a position is shown */
	bool stale;       /* the run moved on: the frame must be opened again before it is read */
	bool told_change; /* that the file is another one now */

	/* of a branch (app_fork.c) */
	struct buf change;           /* what it was made by, in words; empty = it is none */
	struct buf side;             /* its policy, on top of that of the request */
	uint32_t forked;             /* the turn at which it was made */
	VEC(struct diff_step) steps; /* its turns beside those of the base */
	uint32_t differing, first;   /* of them; the first one's number, 0 = none */
};

/*
 * Branches: replays that are not what happened (app_fork.c). One at a time is made, a job: the base and the branch are
 * run side by side, so that it is known where they differ.
 */
struct app_forks {
	VEC(struct app_replay *) list; /* [0] is the base; empty while there is no branch */
	enum app_fork_stage { FORK_IDLE, FORK_LOADING, FORK_BASE, FORK_BRANCH, FORK_CHECKS } stage;
	struct app_replay *making, *pass; /* the branch; the base once more, watched. NULL = none */
	struct diff_watch left, right;
	bool watching;
	bool compares; /* it is for a comparison */
};

/* Two replays beside each other (app_compare.c): `now` on the left, a branch on the right. */
struct app_compare {
	bool on;
	bool right_only; /* where there is room for one, it is this */
	bool both;
	struct app_replay *other; /* in app.forks */
	struct app_replay *back;  /* shown before, and again afterwards */
	struct pane panes[PANE_COUNT];
	struct rect status[2], gutter[2], divider, words;
	struct layout_pane place[2];
	struct app_marks *marks; /* lines by key; NULL = not made yet */
};

/* The menu of what-if, and what it is about (app_whatif.c). */
struct app_choice {
	uint8_t kind;
	uint32_t n, value;
};
struct app_what_if {
	VEC(struct app_choice) menu;
	char *path;     /* of what is being edited; NULL = nothing is */
	uint32_t call;  /* index of the compress call it is of */
	struct buf was; /* its bytes before */
};

struct app;

/* A list over the panes, to choose from or to work on (app_list.c). */
struct app_list {
	/* A line was chosen, a->chooser.at; the list is closed already. NULL: it stays open. */
	unsigned (*chosen)(struct app *a);
	/* Keys of its own, before the chooser has them: false = not taken. Or NULL. */
	bool (*key)(struct app *a, struct key k);
};

/* A question that is answered on the bottom line (app_ask.c). */
struct app_question {
	const char *lead;
	/* What is wrong with an answer; false: nothing. Asked at every key. Or NULL. */
	bool (*wrong)(struct app *a, struct str text, struct expr_fault *fault);
	/* It was entered, and nothing is wrong with it. */
	unsigned (*answer)(struct app *a, struct str text);
	enum complete_kind completes; /* what Tab completes */
};

/* Tab was pressed in a prompt (app_complete.c). */
struct app_complete {
	bool on;
	struct buf typed; /* before the first Tab */
	struct completion found;
	size_t at; /* word that is shown; the number of them = what was typed */
};

struct app_ask {
	struct prompt prompt;
	const struct app_question *question;
	struct expr_fault fault;
	bool faulty;
};

/* Breakpoints, and the run to one of them, a job (app_break.c). */
struct app_breaks {
	struct breaks set;
	size_t edited; /* the one a question is about; the number of them all = a new one */
	uint8_t kind;  /* of a new one */
	bool running, forward;
	uint32_t at, wanted; /* turn looked at; times to stop yet */
	size_t next;         /* the one to look at there */
	uint32_t found;      /* the last turn where one held; 0 = none */
	uint32_t filled;     /* of the values that are shown: turns looked at */
	uint32_t marked;     /* .. and told the strip of */
	VEC(struct view_mark) marks;
};

/* Which panes stand beside Rows, and how large they are (app_layout.c). */
struct app_panes {
	enum pane_id side, third; /* third: where there is room for one more */
	int zoom, shift;          /* layout.h */
	bool hidden;              /* the side panes, while they have no focus */
};

/* A position that the user gave a letter (app_mark.c). */
struct app_mark {
	char letter;
	char at[40]; /* as position_print writes it */
};

/* Positions that were left by a jump, the oldest first; `at` counts those before the one that is shown. */
struct app_jumps {
	VEC(struct position) list;
	size_t at;
	bool travelling; /* along the list: no new jumps */
};

struct app {
	const struct cli_request *request;
	struct app_replay *now;  /* what the panes show; never NULL */
	struct app_replay *next; /* another branch of the session, being loaded: shown once it is there. NULL = none */
	enum status status;      /* of APP_FAILED */
	bool has_options;
	struct error error;
	double elapsed;   /* seconds the jobs have taken, told by the loop for rate and time left; 0 = not shown */
	uint64_t opening; /* counts what changes the content of views; never 0 */

	struct arena arena;         /* of the runs' options */
	struct run_options options; /* read once; asked for again by another branch */

	struct keymap keys;
	struct key key;      /* being handled */
	struct str argument; /* of the `:` command that is being handled; empty when there is none */
	uint32_t count;      /* typed so far */
	bool counting;
	bool ascii, helping;
	int rows, cols;
	bool awaiting; /* the next key is the letter that an action wants: */
	enum action awaited;
	bool remembers;              /* between two openings; set before the first job, off in tests */
	const struct app_list *list; /* over the panes; NULL = none */
	struct chooser chooser;      /* of the list */
	struct buf branch;           /* chosen on the screen; empty = the request's */
	struct app_ask ask;
	struct app_complete completing;
	struct app_breaks breaks;
	VEC(struct app_mark) marks;    /* by letter */
	VEC(struct view_mark) letters; /* the same for the strip, made when it is drawn */
	struct app_jumps jumps;
	struct app_forks forks;
	struct app_compare compare;
	struct app_what_if what_if;
	struct buf copied; /* for the clipboard */
	struct session_state memory;
	struct pane panes[PANE_COUNT];
	enum pane_id focus;
	struct app_panes shown;       /* which panes, and how large */
	struct app_panes shown_in[2]; /* kept for the other class of screens: narrow, wide */
	bool is_wide;                 /* the class of this screen */
	struct layout layout;
	struct prompt prompt;
	struct app_search search;
	struct help help;
	struct buf message; /* empty = none */
	enum style message_style;
};

/*
 * Opens request->file. STATUS_NO_INPUT, STATUS_DATA as recording_open. On
 * failure nothing has to be freed. The size is 0 x 0 until app_resize.
 */
enum status app_open(struct app *a, const struct cli_request *request, bool ascii, struct error *e);
void app_free(struct app *a);

unsigned app_resize(struct app *a, int rows, int cols);
unsigned app_key(struct app *a, struct key k);

bool app_busy(const struct app *a);
/* The first pass is done: there will be no more turns. */
bool app_has_all_turns(const struct app *a);
/* A piece of work of about this many bytes or visible rows. */
unsigned app_job_step(struct app *a, size_t budget);

/* The grid is given the app's size when it has another one. */
void app_draw(struct app *a, struct grid *g);
/*
 * Only what jobs and short keys change; the rest of the grid stays. While the
 * first pass runs that is the bottom line: whatever shows the position would
 * have to take the run there and back.
 */
void app_draw_bars(struct app *a, struct grid *g);

/* ---- between the app_*.c files ---- */

/* app_replay.c: *out is NULL when it fails, as recording_open; branch NULL = the one that is active. */
enum status app_replay_open(const struct app *a, const char *branch, struct app_replay **out, struct error *e);
/* An edited recording. */
enum status app_replay_open_edited(const char *path, struct app_replay **out, struct error *e);
/* NULL is none. */
void app_replay_free(struct app_replay *r);
/* Opens its frame there: frame_open, with what the checks found once they are done. */
enum status app_replay_go(struct app_replay *r, struct position p, struct error *e);
/* Another replay of its recording. */
struct app_replay *app_replay_share(const struct app_replay *r);
/* app.c */
void app_say(struct app *a, enum style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
struct view_context app_context(const struct app *a, enum pane_id pane);
/* The rectangle a pane is shown in; empty when it is not. */
struct layout_pane app_place(const struct app *a, enum pane_id pane);
/* Opens the frame again when the run has moved on; before anything reads it. */
void app_freshen(struct app *a);
/* Lays out anew and brings every shown pane's selection into its window. Freshens. */
void app_settle(struct app *a);
void app_focus(struct app *a, enum pane_id pane);

/* app_travel.c: positions. They say on the bottom line why a wish cannot be met. */
bool app_go(struct app *a, struct position p);
void app_go_turn(struct app *a, uint64_t turn);
void app_go_turns(struct app *a, uint32_t count, bool forward);
void app_go_nodes(struct app *a, uint32_t count, bool forward);
enum app_stop { APP_STOP_USER, APP_STOP_EVENT, APP_STOP_COMPRESSION };
void app_go_stop(struct app *a, enum app_stop stop, uint32_t count, bool forward);
/* Shows the position of the request as soon as it can be; `last`: there will be no more turns. */
bool app_go_first(struct app *a, bool last);

/* app_act.c; count 0 = none was typed. */
unsigned app_act(struct app *a, enum action action, uint32_t count);
/* app_job.c: says, once, that the file is not the one any more that was loaded. */
void app_tell_change(struct app *a);
/* app_branch.c: the ends of a session tree to choose from; choosing one loads it instead. */
void app_choose_branch(struct app *a);
/* A piece of the load of the branch that was chosen, which is shown at its end; the phase stays till then. */
unsigned app_load_branch(struct app *a, size_t budget);
/* app_job.c: the recording is there: runs it. */
unsigned app_start_pass(struct app *a);
/* Also app_job.c: what a replay is compared with; `again`: what cannot be read is told of, and left out. */
enum status app_find_checks(struct app *a, struct app_replay *r, bool again);
/* app_list.c */
void app_list_open(struct app *a, const struct app_list *kind, struct chooser_list list);
unsigned app_list_key(struct app *a, struct key k);
/* app_ask.c; `text` stands there to begin with */
void app_ask(struct app *a, const struct app_question *question, struct str text);
unsigned app_ask_key(struct app *a, struct key k);
/* The answer is another one: what is wrong with it. */
void app_ask_look(struct app *a);
/* The question in r, which is the bottom line; what is wrong with the answer in the row above it. */
void app_ask_draw(const struct app *a, struct grid *g, struct rect r);
/* app_complete.c: Tab and Shift-Tab in a prompt; false: another key, which ends completing */
bool app_complete_key(struct app *a, struct key k);
void app_complete_end(struct app *a);
/* The words, in the row above r. */
void app_complete_draw(const struct app *a, struct grid *g, struct rect r);
/* app_break.c: the replay is there, or another one; what is remembered of the session is read with the first. */
void app_break_begin(struct app *a);
void app_break_list(struct app *a);
/* Adds a->argument, or asks for one. */
void app_break_add(struct app *a, enum break_kind kind);
/* To the count-th next turn where one holds: a job. */
void app_break_run(struct app *a, bool forward, uint32_t count);
bool app_break_busy(const struct app *a);
unsigned app_break_step(struct app *a, size_t budget);
void app_break_stop(struct app *a);
void app_break_put_progress(const struct app *a, struct line *l);
/* The turns that the strip marks: as long as the list and what is known of it stay. */
const struct view_mark *app_break_marks(struct app *a, size_t *n);
/* The values that are watched and probed, as the bottom line shows them. */
void app_break_put_values(struct app *a, struct line *l);
/* app_mark.c: marks this position, or goes to a mark: with the letter in a->argument, or the next key */
void app_mark(struct app *a, enum action action);
void app_mark_key(struct app *a, struct key k);
void app_mark_list(struct app *a);
void app_mark_put_json(const struct app *a, struct buf *out);
void app_mark_take_json(struct app *a, struct str json);
/* Brings a->letters up to date. */
void app_mark_letters(struct app *a);
/* A travel that is a jump is remembered. */
void app_jump_remember(struct app *a, struct position from, struct position to);
/* count steps through the list of jumps. */
void app_jump(struct app *a, bool back, uint32_t count);
/* app_where.c: says where the ref in a->argument lives, and shows it; asks for one where there is none. */
void app_where(struct app *a);
/* app_fork.c: begins a branch of the replay that is shown, or says why not. `file`, which it removes: an edited
 * recording, else NULL. Policy: on top of that of the parent, or (compares) of the base. */
struct app_fork_wish {
	const char *change;
	struct str policy;
	char *file;
	bool compares;
};
void app_fork_begin(struct app *a, const struct app_fork_wish *wish);
bool app_fork_busy(const struct app *a);
unsigned app_fork_step(struct app *a, size_t budget);
void app_fork_stop(struct app *a);
void app_fork_put_progress(const struct app *a, struct line *l);
/* Shows another replay of app.forks, at the turn that stands beside the present one. */
void app_fork_show(struct app *a, struct app_replay *r);
/* The turn of `to` beside a turn of `from`, both of app.forks; that before it where there is none. */
uint32_t app_fork_turn(const struct app *a, const struct app_replay *from, const struct app_replay *to, uint32_t turn);
void app_fork_delete(struct app *a, size_t i);
/* Which branch is shown; nothing for the base. */
void app_fork_put_name(const struct app *a, struct line *l);
/* All but the one that is shown are no more. */
void app_fork_forget(struct app *a);
/* app_compare.c */
void app_compare_open(struct app *a, struct app_replay *other);
void app_compare_close(struct app *a);
/* D, with a->argument a policy. */
void app_compare_ask(struct app *a);
void app_compare_go(struct app *a, uint32_t count, bool forward);
/* Where both stand, before the panes are settled; and the other side, after that. */
void app_compare_place(struct app *a);
void app_compare_settle(struct app *a);
/* A click on the other side is one on the same row of this one, which moves with it. */
void app_compare_mouse(struct app *a);
void app_compare_draw(struct app *a, struct grid *g);
/* app_compare_mark.c: how line i of a side (0 left, 1 right) of the focused pane stands to the other side. */
enum app_standing { APP_STANDS_SAME, APP_STANDS_OTHER, APP_STANDS_ALONE };
enum app_standing app_compare_standing(struct app *a, int side, size_t i);
struct view_context app_compare_context(const struct app *a, int side);
void app_marks_free(struct app_marks *m);
/* app_whatif.c */
void app_what_if_open(struct app *a);
/* The editor is done; ok: it said so. */
unsigned app_edited(struct app *a, bool ok);
void app_what_if_save(struct app *a);
void app_what_if_free(struct app *a);
/* app_copy.c: what the next key, or the argument, says */
unsigned app_copy(struct app *a);
unsigned app_copy_key(struct app *a, struct key k);
/* app_save.c: the screen as a file of the name in a->argument, or one that is asked for */
void app_save(struct app *a);
/* Appends the screen as it is now, in the format that the name asks for (text for an unknown one). */
void app_save_picture(struct app *a, struct str name, struct buf *out);
/* app_config.c: what the user set for all sessions; problems are added to it, and told with the keys. */
struct user_config;
struct theme;
void app_config_theme(struct user_config *c, struct theme *t);
void app_config_keys(struct app *a, struct user_config *c);
/* app_layout.c: the panes as they are when nothing is remembered */
void app_layout_init(struct app *a);
/* A screen of this many columns: what was kept for its class. */
void app_layout_resized(struct app *a);
/* The pane is to be seen, and has the focus. */
void app_layout_focus(struct app *a, enum pane_id pane);
/* Moves the line between the panes; hides the side panes, or shows them again. */
void app_layout_shift(struct app *a, int percent);
void app_layout_hide(struct app *a);
/* layout.json in the state directory; faults are said. */
void app_layout_open(struct app *a);
void app_layout_save(struct app *a);
/* app_memory.c: what was typed behind `:` in other sessions, too */
void app_history_open(struct app *a);
/* app_memory.c: what is remembered is read, or written where it changed; a fault is said once. */
void app_memory_open(struct app *a);
void app_memory_save(struct app *a);
/* app_search.c */
void app_search_open(struct app *a, bool filtering);
void app_search_open_all(struct app *a);
void app_search_again(struct app *a, bool backward, uint32_t count);
unsigned app_search_key(struct app *a, struct key k);
/* There is something to look for; a piece of it, about this much (search_piece). */
bool app_search_busy(const struct app *a);
unsigned app_search_step(struct app *a, size_t budget);
/* Before panes are settled: their filters and marks, of the present frame. */
void app_search_refresh(struct app *a);
/* A search that is under way ends, and says where. */
void app_search_stop(struct app *a);
/* What was found is of a frame that is no more. */
void app_search_forget(struct app *a);
void app_search_draw_prompt(const struct app *a, struct grid *g, struct rect r);
void app_search_put_progress(const struct app *a, struct line *l);
void app_search_free(struct app_search *s);
/* app_search_all.c: the messages of all turns as a list of texts. */
extern const struct view_ops app_search_all_view;
/* The one that is selected in Rows, or (again) was found there, though it may be gone; else the first. */
size_t app_search_all_from(const struct app *a, bool again);
/* Shows a message in Rows, at the turn that is shown or at the first that has it. */
void app_search_all_go(struct app *a, size_t message);
/* app_prompt.c: what was entered after ":". */
unsigned app_command(struct app *a, struct str text);

#endif
