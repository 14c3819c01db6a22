/*
 * expr: conditions (interface.md, Conditions): one small typed language for
 * breakpoints, watches, probes and assertions.
 *
 *   or; and; not; = == != < <= > >= ~; + -; * /; unary -; the loosest first
 *   12 1.5 1e6 "text" true false, names (expr_names.h), x ~ /pcre2/ or /pcre2/i
 *   prev(x)     x at the turn before
 *   changed(x)  x is another than at the turn before; false at turn 1
 *   known(x)    there is a value
 *   row("m00042").class and other members: that row as it stands at the turn
 *
 * Three types: number, bool, text; every operand is checked before anything is
 * run. Not everything is known at every turn: nothing that a turn works out
 * where it could not run (ref-capacity), a prompt size that nobody reported,
 * prev() at turn 1, a division by zero, a result that is no finite number, a
 * match that was given up. Arithmetic with an unknown value is unknown, a
 * comparison with one is false (also !=), and so is an unknown value as an
 * operand of and, or, not; `changed` is true where a value becomes known or
 * ceases to be. Texts in "" know \" and \\.
 *
 * A parsed expression lives in the caller's arena and is never changed: any
 * number of scenes may evaluate it.
 */
#ifndef REPLAY_EXPR_H
#define REPLAY_EXPR_H

#include "replay/frame.h"

enum expr_type { EXPR_NUMBER, EXPR_BOOL, EXPR_TEXT };
const char *expr_type_name(enum expr_type t); /* "a number", .. */

enum {
	EXPR_BYTES_MAX = 1 << 16,   /* of an expression */
	EXPR_DEPTH_MAX = 100,       /* parentheses and calls inside each other */
	EXPR_BACK_MAX = 4,          /* prev() and changed() inside each other */
	EXPR_PATTERN_MAX = 4096,    /* bytes of a pattern */
	EXPR_MATCH_LIMIT = 200000,  /* pcre2's steps of a match .. */
	EXPR_MATCH_HEAP = 64 * 1024 /* .. and its memory, KiB */
};

/* Where the values of an expression come from, as bits. */
enum expr_needs {
	EXPR_NEEDS_REQUESTS = 1, /* run.want_requests, before the first pass */
	EXPR_NEEDS_STATE = 2,    /* the run's state at every turn: what the turn changed is undone or done again */
	EXPR_NEEDS_FRAME = 4     /* a frame at every turn: two turns' work each */
};

/* Why a text is no expression, and the bytes of it that are to blame (n may be 0: a place). */
struct expr_fault {
	char message[512];
	size_t at, n;
};

struct expr;
/* NULL: `fault` says why. `text` may go away afterwards. */
const struct expr *expr_parse(struct str text, struct arena *a, struct expr_fault *fault);
/* The same for a condition: what is no bool is a fault, too. */
const struct expr *expr_parse_condition(struct str text, struct arena *a, struct expr_fault *fault);
/* Two lines: the text, or the part of it around the place, and the caret under it. Each begins with two blanks. */
void expr_put_caret(struct buf *b, struct str text, const struct expr_fault *fault, bool ascii);
enum expr_type expr_type_of(const struct expr *e);
unsigned expr_needs(const struct expr *e); /* enum expr_needs */
struct str expr_text(const struct expr *e);

struct expr_value {
	uint8_t type; /* enum expr_type */
	bool known;
	double number;   /* a bool is 0 or 1 */
	struct str text; /* lives until the scene evaluates something else; static or the recording's otherwise */
};
static inline bool expr_true(const struct expr_value *v) { return v->known && v->type == EXPR_BOOL && v->number != 0; }
/* As people read it: text as it is ("" where it is empty), ? where it is not known. Session text is still raw. */
void expr_put_value(struct buf *b, const struct expr_value *v);
/* As JSON; null where it is not known. */
void expr_put_json(struct buf *b, const struct expr_value *v);

/* Running totals that no turn has by itself: [n] = up to and with turn n. */
struct expr_sums {
	size_t turns; /* of the timeline when they were made */
	bool requests, reinjected;
	uint32_t *rebuilds, *reinjections;
	struct arena arena;
};

/*
 * A run whose turns are evaluated; the first pass must have reached them. It borrows the run and owns the rest. Where
 * a state or a frame is needed it moves the run: other frames of it have to be opened again afterwards.
 */
struct expr_scene {
	struct run *run;
	struct frame frame;
	uint32_t at;     /* turn of the open frame, 0 = none is open */
	uint32_t stands; /* turn behind which the run stands, 0 = not known */
	struct expr_sums sums;
	struct arena scratch;
	uint64_t matches, given_up; /* matches tried, and stopped by a limit */
};
void expr_begin(struct expr_scene *s, struct run *run);
/* Turn 1.. of the timeline; any other is all unknown. */
struct expr_value expr_at(struct expr_scene *s, const struct expr *e, uint32_t turn);
/*
 * Appends "tokens.raw = 812, prefix.cause = \"tag\"": the names of the expression, each once, as they stand at a turn,
 * the first `most` of them. Session text is still raw.
 */
void expr_put_names(struct expr_scene *s, const struct expr *e, uint32_t turn, size_t most, struct buf *b);
void expr_end(struct expr_scene *s);

/* The language and every name, for `acpdbg help conditions`. */
void expr_put_help(struct buf *b);

#endif
