/*
 * panes: the windows of the screen, each a view with scrolling and a selection.
 *
 * A pane keeps what the user looks at by the key of the line, never by its
 * number: when the position changes, the same row, gate or block stays selected,
 * and one that is gone for a while is selected again when it comes back. Only a
 * user who stands on the last line stays on the last line (new rows come into
 * sight). Lines with key 0 are never selected.
 *
 * All functions want a view_context of the present position; panes own nothing
 * and keep no pointer to it. To add a pane: its view in replay/view, a line in
 * pane_kinds (pane_kinds.c).
 */
#ifndef TUI_PANES_H
#define TUI_PANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/search.h"
#include "replay/view/view.h"
#include "tui/grid.h"
#include "tui/layout.h"

/* In the order of F1..F9. */
enum pane_id {
	PANE_ROWS,
	PANE_RANGES,
	PANE_BLOCKS,
	PANE_DENSITY,
	PANE_PREFIX,
	PANE_NUDGE,
	PANE_EVENTS,
	PANE_REQUEST,
	PANE_STATUS,
	PANE_CHANGES,
	PANE_COUNT
};

struct pane_kind {
	const char *name; /* of its view: `:rows`, `--pane rows` */
	const char *title;
	const char *about; /* help: lines separated by line feeds */
	bool tail;         /* opens at its last line */
	const char *dsh;   /* `about` in a session of the DSH host, where it is another list; or NULL */
};

extern const struct pane_kind pane_kinds[PANE_COUNT];
/* PANE_COUNT when there is no such pane. */
enum pane_id pane_find(struct str name);

/* Lines of a view that a filter leaves, by number, rising. */
struct pane_lines {
	VEC(uint32_t) lines;
};

struct pane {
	enum pane_id id;
	const struct view_ops *view; /* NULL: not built */
	uint64_t wanted;             /* what the user selected; stays while it is gone */
	uint64_t key;                /* of the selected line; 0 when no line can be selected */
	uint64_t here;               /* of the line that stood for the position last */
	size_t at, top;              /* selected line, first line in the window */
	bool tail;                   /* stays on the last line */
	bool follow; /* the position is new: what its node did is to be in sight, until the user moves */
	bool open;   /* shows the detail of the selected line */
	size_t detail_top;
	size_t height; /* lines of the window (of the list or of the detail) as settled last */

	/* borrowed */
	const struct pane_lines *only; /* NULL = every line; `at`, `top` and whatever counts lines count these */
	const char *filter;            /* what the title says of them */
	struct search *marks;          /* matches of it are marked; NULL = none */
};

void pane_init(struct pane *p, enum pane_id id);

/* Finds the selected line again and brings it into a window of this many lines; after every change of position, view or
 * size. */
void pane_settle(struct pane *p, const struct view_context *c, size_t height);
/* Moves by lines (selectable ones where there are any), or scrolls an opened line; settles. False: already at the end.
 */
bool pane_move(struct pane *p, const struct view_context *c, long by);
/* Lines of the list. */
size_t pane_count(const struct pane *p, const struct view_context *c);
/* Lines of the list or, while a line is opened, of its detail. */
size_t pane_lines(const struct pane *p, const struct view_context *c);
/* The number that line i of the list has in the view. */
size_t pane_view_line(const struct pane *p, size_t i);
/* Brings line i (of pane_lines) into sight, and selects it or the nearest one that can be. */
void pane_show(struct pane *p, const struct view_context *c, size_t i);
/* Lines a page has. */
size_t pane_page(const struct pane *p);
/* Line i from 0, or the last one before its end. */
void pane_to_line(struct pane *p, const struct view_context *c, size_t i);
void pane_to_last(struct pane *p, const struct view_context *c);
/* Scrolls the window; the selection stays unless it would leave it. */
void pane_scroll(struct pane *p, const struct view_context *c, long by);
/* Opens or closes the selected line; false when it has no detail. */
bool pane_toggle(struct pane *p, const struct view_context *c);
/* Selects what lies in this row of the body (0 = first); false when nothing does. */
bool pane_select_at(struct pane *p, const struct view_context *c, struct rect body, int row);

/* Lines of a body left for list or detail below the pane's own lines (caption, opened line). */
size_t pane_view_height(const struct pane *p, struct rect body);
/* Paints title and body. The pane must be settled for pane_view_height of this body. */
void pane_draw(const struct pane *p, const struct view_context *c, struct grid *g, struct layout_pane where,
	       bool focused);

#endif
