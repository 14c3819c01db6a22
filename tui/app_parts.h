/*
 * app_parts: what the app_*.c files have for each other.
 *
 * Each of them is a part of the one state machine of tui/app.h, named for what
 * the user does with it; the parts know each other by these functions alone.
 * Flags returned are enum app_flag. Nothing outside of tui/app_*.c needs this,
 * but for the loop, the headless screen and tests.
 */
#ifndef TUI_APP_PARTS_H
#define TUI_APP_PARTS_H

#include "tui/app.h"

/* app_replay.c: *out is NULL when it fails, as recording_open; branch NULL = the one that is active. */
enum status app_replay_open(const struct app *a, const char *branch, struct app_replay **out, struct error *e);
/* An edited recording. */
enum status app_replay_open_edited(const char *path, struct app_replay **out, struct error *e);
/* Its recording is there: a run of it under the policy of the request, which has executed nothing yet. */
enum status app_replay_start(struct app *a, struct app_replay *r, struct error *e);
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
/* app_follow.c: now and then, while nothing else is to be done: has the file grown? */
unsigned app_follow_look(struct app *a);
bool app_follow_busy(const struct app *a);
unsigned app_follow_step(struct app *a, size_t budget);
void app_follow_stop(struct app *a);
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
