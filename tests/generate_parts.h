/*
 * generate_parts: what the generate_*.c files share. Nobody else includes it.
 *
 * A generator writes one recording into a buf of its caller; it owns its
 * scratch buffers and lists.
 */
#ifndef TESTS_GENERATE_PARTS_H
#define TESTS_GENERATE_PARTS_H

#include "engine/base/json.h"
#include "tests/generate.h"

/* What a shape consists of; rates are per thousand. */
struct gen_shape {
	const char *name;
	double limit;
	unsigned cjk;        /* words that are Chinese */
	unsigned big;        /* tool results of some thousand bytes */
	unsigned fold;       /* turns with a compress call */
	unsigned bad;        /* compress calls with something wrong, for each of several things */
	unsigned rare;       /* turns with a record of a rare type */
	unsigned ladder;     /* > 0: a fold every so many turns instead of `fold`, and blocks are folded in turn */
	unsigned summary[2]; /* bytes of a summary */
	unsigned larger;     /* so many times as much text as the places that ask for one say */
};

/* A row of the list; its ref is what the kernel will give it, 0 = none. */
struct gen_listed {
	uint32_t id, ref;
};

enum { LADDER_TIERS = 3, LADDER_RUNGS = 6 }; /* so many blocks of a tier are folded into one of the next */

struct generator {
	const struct generate_options *o;
	const struct gen_shape *shape;
	struct buf *out;
	struct buf text, args;
	uint64_t random;
	uint32_t ids, calls, blocks; /* given so far; blocks are a guess but for ladders */
	uint32_t refs;               /* refs in use, as the kernel will give them */
	uint32_t turn, user_turn;
	bool blocking; /* the session protects tools: their rows get no refs */
	bool everything;
	bool twins; /* ids repeat now and then */
	double tokens;
	VEC(struct gen_listed) rows; /* the list */
	uint32_t folded;             /* ladder: refs up to here are folded */
	uint32_t safe[2];            /* ladder: refs before the turn before this one, and before this one */
	uint32_t rung[LADDER_TIERS][LADDER_RUNGS];
	unsigned rungs[LADDER_TIERS];
};

/* Chance. At most one draw in a list of arguments: C leaves their order open. */
uint32_t gen_below(struct generator *g, uint32_t n);
uint32_t gen_between(struct generator *g, uint32_t from, uint32_t to);
bool gen_chance(struct generator *g, unsigned per_thousand);
#define GEN_PICK(g, list) ((list)[gen_below(g, sizeof(list) / sizeof *(list))])

/* At least so many bytes of words; valid until the next text. */
struct str gen_text(struct generator *g, uint32_t least, uint32_t most);

/* A record: open, members, close. Ids are a letter and a number, 0 = null. */
void gen_open(struct generator *g, const char *type);
void gen_put_str(struct generator *g, const char *key, struct str value);
void gen_put_id(struct generator *g, const char *key, const char *letter, uint32_t n);
/* tokenCount; left out now and then where everything is wanted. */
void gen_put_tokens(struct generator *g);
void gen_close(struct generator *g);

struct gen_row {
	const char *role, *content, *tool; /* tool NULL = absent */
	uint32_t call;                     /* 0 = absent */
};
void gen_put_row(struct generator *g, struct gen_row r, struct str text);

/* A compress call: its row, its record, the row of its result. Nothing when a ladder has nothing to fold. */
void gen_put_fold(struct generator *g);
/* One record of a rare type. */
void gen_put_rare(struct generator *g);
/* One whose type the number says: with 0, 1, .. GENERATE_TYPES_TURNS / 2 - 1 every type comes. Compress is among them.
 */
void gen_put_rare_number(struct generator *g, uint32_t number);
/* A stored kernel state, as a value. */
void gen_put_state(struct generator *g);

#endif
