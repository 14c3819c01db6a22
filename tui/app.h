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

/* A file that grows (app_follow.c). */
struct app_follow {
	struct app_replay *fresh; /* of the file as it is now, not yet shown; NULL = none */
	enum app_phase stage;
	uint64_t size; /* bytes of the file that was loaded last; 0 = not looked yet */
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
	struct position from; /* where the last jump began, along the list or not */
	bool has_from;
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
	struct app_follow follow;
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

#endif
