/*
 * search: one pattern looked for in texts of any size, a bounded piece at a time.
 *
 * pcre2 with UTF, `^` and `$` at every line, and without case where the pattern
 * has no capital letter of its own. Texts are hostile and so may patterns be:
 * bytes that are no UTF-8 match nothing, and what costs too much is given up,
 * by pcre2's limits on steps and memory, and by our own on the work of one
 * piece, which also counts what pcre2 does not (the characters that a step runs
 * over, and starts that fail late). Both count work, not time: the same search
 * gives up at the same place everywhere.
 *
 * Who makes a search frees it. It keeps no text.
 */
#ifndef REPLAY_SEARCH_H
#define REPLAY_SEARCH_H

#include <stdbool.h>

#include "engine/base/text.h"

enum {
	SEARCH_PATTERN_MAX = 4000,      /* bytes */
	SEARCH_MATCH_LIMIT = 200000,    /* pcre2's steps from one start */
	SEARCH_HEAP_KIB = 64 * 1024,    /* and its memory */
	SEARCH_WORK_MAX = 400000,       /* of one piece; about 20 ms */
	SEARCH_PIECE_BYTES = 64 * 1024, /* starts in one piece; more in texts of which 64 such are not the whole */
};

/* Why a pattern is none. */
struct search_fault {
	char message[160];
	size_t at;      /* byte of the pattern */
	size_t letters; /* characters before it */
};

enum search_answer {
	SEARCH_NOT_THERE,
	SEARCH_FOUND,
	SEARCH_GAVE_UP, /* a limit was hit: it may be there or not */
	SEARCH_MORE     /* not yet: go on at *at */
};

struct search_match {
	size_t from, to; /* bytes of the text */
};

struct search;

/* NULL with *fault: the pattern is bad, empty or too long. */
struct search *search_make(struct str pattern, struct search_fault *fault);
void search_free(struct search *s);
/* The pattern, as long as s lives. */
struct str search_pattern(const struct search *s);
bool search_ignores_case(const struct search *s);

/*
 * Looks at the piece of the text that begins at byte *at (0 at first). SEARCH_MORE: *at is where the next piece begins.
 * SEARCH_FOUND: the first match, which may be empty, in *match (may be NULL). *cost is raised by what it took, in
 * bytes, steps counted as one each.
 */
enum search_answer search_piece(struct search *s, struct str text, size_t *at, struct search_match *match,
				size_t *cost);
/* The first match at or after `from`, for at most *work, which is lowered; false: none, or it took more. */
bool search_next(struct search *s, struct str text, size_t from, struct search_match *match, size_t *work);

#endif
