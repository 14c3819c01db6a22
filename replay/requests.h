/*
 * requests: recorded provider requests (--requests DIR) beside the requests of
 * a run, turn by turn, byte by byte.
 *
 * Dumps are the regular files of the directory (not of those in it) named *.json
 * or *.jsonl, in the byte order of their names; what a file may hold says
 * request_dump.h. Which turn a dump is of: when every name has a number (its
 * last run of digits), all are different, and each is the number of a turn, it
 * is that; else the first dump is of the first turn, the second of the second,
 * and so on. A request of ours has its nudge as the last message.
 *
 * `struct requests` owns what it hands out, until requests_free.
 */
#ifndef REPLAY_REQUESTS_H
#define REPLAY_REQUESTS_H

#include "replay/frame_request.h"

enum dump_outcome {
	DUMP_WAITING, /* not compared yet */
	DUMP_EQUAL,
	DUMP_DIFFERS,
	DUMP_UNREADABLE, /* request_dump.problem */
	DUMP_NO_TURN,    /* there are more dumps than turns */
	DUMP_NO_REQUEST, /* the run makes none there: request_dump.lack */
	DUMP_OUTCOMES
};
/* "equal", "differs", .. */
const char *dump_outcome_name(enum dump_outcome o);

struct request_dump {
	struct str name; /* of the file, as it stands (hostile) */
	double number;   /* in its name; NAN = none */
	uint32_t turn;   /* 1-based; 0 = none */
	uint8_t outcome; /* enum dump_outcome */
	uint8_t lack;    /* enum request_lack */
	bool flat;       /* compared as texts, calls and images (request_dump.h) */
	uint32_t system; /* system messages of the dump that were left out */
	const char *problem;
	/* of DUMP_EQUAL and DUMP_DIFFERS; a message stands for one line of request_dump.h */
	uint32_t theirs, ours;           /* messages */
	uint32_t message;                /* the first that differs, 1-based; 0 = none */
	uint64_t byte;                   /* in it; those before it are the same */
	struct str their_part, our_part; /* from a little before it on (hostile); absent = no such message */
};

struct requests {
	const char *path;
	VEC(struct request_dump) dumps;
	VEC(uint32_t) of_turn; /* by turn - 1: dump + 1; after the first requests_step */
	bool by_number;        /* turns are those in the names */
	bool matched;
	size_t next; /* dump compared next */
	size_t of_outcome[DUMP_OUTCOMES];
	uint32_t turns; /* of the run, without a dump: turns - compared */
	struct arena arena;
};

/* Looks what there is. q is overwritten. STATUS_NO_INPUT, STATUS_IO, STATUS_DATA: no directory, or no dump in it; then
 * requests_free is allowed, not needed. */
enum status requests_find(struct requests *q, const char *path, struct error *e);
/* Compares the next dump with a run whose first pass is done; false when all are. Moves the run's state: an open frame
 * must be opened again. */
bool requests_step(struct requests *q, struct run *r);
/* What was found of the dump of turn n (1-based); NULL = there is none. */
const struct request_dump *requests_of_turn(const struct requests *q, uint32_t n);
/* Is there anything that is not equal? */
bool requests_differ(const struct requests *q);
void requests_free(struct requests *q);

#endif
