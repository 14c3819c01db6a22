/*
 * generate: recordings made up for property tests and measurements.
 *
 * The same options give the same bytes on every machine. A shape says what kind
 * of session it is; within it everything is drawn from the seed: lengths,
 * configuration, tools, which compress calls are refused and why. The lines
 * follow recording.md; what they lead to is for the tests to find out.
 */
#ifndef TESTS_GENERATE_H
#define TESTS_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/buf.h"

enum generate_shape {
	GENERATE_PLAIN,      /* work with a fold now and then */
	GENERATE_STORM,      /* a compress call every third turn, nearly all refused: most rows stay visible */
	GENERATE_BOUNDED,    /* folds that succeed: the view stays some hundred rows however long the session */
	GENERATE_CJK,        /* as plain, mostly Chinese text */
	GENERATE_TIERS,      /* short ladder of tiers 1 to 3, nudges of every tier */
	GENERATE_EVERYTHING, /* every form of compress arguments, awkward ids and texts, now and then a record of any
				type */
	GENERATE_TYPES, /* as everything, and each session holds a record of every type; odd seeds are of host pi */
	GENERATE_SHAPES
};

struct generate_options {
	enum generate_shape shape;
	uint64_t seed;
	uint32_t turns;
	bool damaged; /* lines that cannot be read stand between the others, the last one is torn */
};

const char *generate_shape_name(enum generate_shape shape);
/* Turns that a session of GENERATE_TYPES must have at least. */
enum { GENERATE_TYPES_TURNS = 40 };
/* Appends a whole recording to b. */
void generate_recording(const struct generate_options *o, struct buf *b);
/* Writes one to a file, made or replaced; false when that fails. */
bool generate_file(const struct generate_options *o, const char *path);

#endif
