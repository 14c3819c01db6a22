/*
 * search_line: does a line of a view have the pattern?
 *
 * What is searched is the line as it stands in a wide window, and, where the
 * view has them (Rows), the whole texts of which it shows the start. One step
 * looks at one piece of one text (replay/search), so that whoever searches
 * thousands of lines can be interrupted between any two steps. Owns the text
 * under way; zero-initialise, search_line_free at the end.
 */
#ifndef REPLAY_SEARCH_LINE_H
#define REPLAY_SEARCH_LINE_H

#include "replay/search.h"
#include "replay/view/view.h"

enum {
	SEARCH_COLUMNS = 400,                /* of the window that lines are searched in */
	SEARCH_TEXT_BYTES = 8 * 1024 * 1024, /* of one text; what is longer counts as cut */
};

/* Lines looked at with one pattern. */
struct search_tally {
	size_t lines;
	size_t gave_up; /* a limit was hit in one of their texts, and it was not found in the others */
	size_t cut;     /* have a text that was not searched to its end */
};

struct search_line {
	struct line line;
	struct buf shown;
	struct arena arena;
	struct str text;
	size_t at, part; /* part 0 = the line, then the texts behind it */
	bool begun, gave_up, cut;
};

/* Where the lines are. */
struct search_place {
	const struct view_ops *view;
	struct view_context context;
	uint64_t detail; /* key of the opened line whose detail is searched; 0 = the list */
};

/* A context in which lines of this view are searched: wide, when that does not make other lines of them. */
struct view_context search_context(struct view_context c, const struct view_ops *v);

/* One step on line i. SEARCH_MORE: again, with the same i. SEARCH_GAVE_UP, too, is counted in the tally. */
enum search_answer search_line_step(struct search_line *l, struct search *s, const struct search_place *in, size_t i,
				    struct search_tally *tally, size_t *cost);
/* Drops the line under way. */
void search_line_drop(struct search_line *l);
void search_line_free(struct search_line *l);
/* Prints the lines of a view that have the pattern, as its filter leaves them on the screen: caption, no rules. */
void search_line_print(struct search *s, const struct view_ops *v, const struct view_context *c,
		       struct search_tally *tally, struct buf *b);
/* "gave up on 3 rows: the pattern needs too many steps; .."; nothing when the tally has nothing of the kind. */
void search_tally_words(const struct search_tally *t, struct buf *b);

#endif
