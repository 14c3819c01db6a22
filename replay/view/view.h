/*
 * view: a virtual list of styled lines, what panes and `replay --pane` show.
 *
 * 100,000 rows cost what the window shows: a view says how many lines there are
 * and makes one line when it is asked for it. A view reads Timeline and Frame
 * and puts them into words; what the rules of the kernel come to it asks the
 * frame, its ranges, blocks and explanations. To add a pane's content: write a file with a `const struct
 * view_ops` and name it in views.c.
 */
#ifndef REPLAY_VIEW_VIEW_H
#define REPLAY_VIEW_VIEW_H

#include "replay/frame.h"
#include "replay/view/line.h"

/* A turn that the strip marks. */
struct view_mark {
	uint32_t turn;
	char letter; /* a user's mark; 0 = a breakpoint holds there */
};

struct view_context {
	struct run *run;
	struct frame *frame;
	bool ascii;        /* ASCII glyphs, non-ASCII text substituted */
	int width;         /* columns of the window */
	uint64_t selected; /* key of the selected line, for views that unfold it */
	bool unfolded;     /* the selected line is opened (Enter) */
	/* of the strip: where breakpoints hold, and the user's marks, which go before them */
	const struct view_mark *marks, *letters;
	size_t marks_n, letters_n;
};

struct view_ops {
	const char *name;  /* "rows": `--pane rows`, `:rows` */
	const char *title; /* "Rows" */
	size_t (*count)(const struct view_context *c);
	/* Line i (0-based), at most c->width columns. */
	void (*line)(const struct view_context *c, size_t i, struct line *out);
	/* Stable across positions: a row, gate or block keeps its key. 0 = nothing to select (rule, caption). */
	uint64_t (*key)(const struct view_context *c, size_t i);
	/* Detail of the line with this key (full text, source, why), wrapped; NULL = none. */
	size_t (*detail_count)(const struct view_context *c, uint64_t key);
	void (*detail_line)(const struct view_context *c, uint64_t key, size_t i, struct line *out);
	/* The line that stands for the position, SIZE_MAX = none; a pane selects it when it becomes another one. Or
	 * NULL. */
	size_t (*here)(const struct view_context *c);
	/* The line shows something the node of the position did; a pane scrolls to it. Or NULL. */
	bool (*changed)(const struct view_context *c, size_t i);
	/*
	 * The texts behind line i of which it shows the start only, for searching; part 0, 1, .. until false. About the
	 * first `max` bytes of one, *all tells that it is the whole; it lives in the arena or longer. Or NULL.
	 */
	bool (*text)(const struct view_context *c, size_t i, size_t part, size_t max, struct arena *a, struct str *out,
		     bool *all);
	/* Its words are wrapped: another width makes other lines. */
	bool wraps;
	/* Column captions, or NULL. */
	void (*caption)(const struct view_context *c, struct line *out);
};

extern const struct view_ops *const views[]; /* ends with NULL */
extern const struct view_ops rows_view, ranges_view, blocks_view, density_view, prefix_view, nudge_view, events_view,
	request_view, status_view, changes_view, timeline_view;
const struct view_ops *view_named(struct str name);

/*
 * Prints a whole view as plain text, one line each, trailing blanks cut: caption, lines, and below the selected line,
 * when it is unfolded, its detail.
 */
void view_print(const struct view_ops *v, const struct view_context *c, struct buf *b);

/* The strip under the panes: usage sparkline over all turns, event glyphs, user-turn marks, cursor. 3 lines. */
enum { STRIP_LINES = 3 };
void strip_line(const struct view_context *c, int i, struct line *out);
/* One line of what the signs of the strip mean: the sign into *sign (NULL = none), the words; NULL after the last. */
const char *strip_legend(size_t i, bool ascii, const char **sign);
/* Turn under column x of the strip, 1-based; 0 where there is none, on its labels. */
uint32_t strip_turn_at(const struct view_context *c, int x);
/* Top line: session, host, model, policy, position, tokens of limit, density, hit, nudge, blocks, fidelity. */
void status_line(const struct view_context *c, struct line *out);

#endif
