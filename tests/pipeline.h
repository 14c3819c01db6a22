/*
 * pipeline: turns of the kernel on a fixture, as test cases describe them.
 *
 * Every case is a fixture (tests/fixture.h) and one or more turns on it. Members
 * of a case, or of one entry of its `steps`:
 *   upto    last node that runs ("start" = none); default: the caller's node
 *   skip    a node that is left out
 *   tokens  the host's count, default 0
 *   density of the token counter, default 1
 *   tags    "all" (default), "text-only", "none"
 *   hide    "full", "slim" (default)
 *   compress  {start, end, summary}: a range of the view, compressed after the turn of a step; it must be accepted
 *   want    what must have come out: `wanted` of pipeline_want.c names the members
 * and of a step, before its turn:
 *   feed    the view of the step before becomes the host's list of a new fixture
 *   blocks, nudge   are set in the stored state, in a new fixture
 *   reset   a member dropped from the stored state (with feed)
 *   cut     only so many rows of the host's list stay
 *   join    ids of messages that join it again
 */
#ifndef TESTS_PIPELINE_H
#define TESTS_PIPELINE_H

#include "engine/kernel/turn.h"
#include "tests/fixture.h"

/* A case being run. The fixture is the caller's. */
struct pipeline {
	const cJSON *one, *step;
	enum turn_node upto;
	struct fixture *f;
	struct turn turn;
	enum status status;
	uint32_t refs_before; /* entries of byRef before the turn */
	struct arena arena;   /* of a step: texts and trees */
};

/* Runs every case of a file. */
void pipeline_file(const char *path, enum turn_node upto);
/* One turn of the case p->one with the options of p->step (may be NULL). */
void pipeline_turn(struct pipeline *p);
/* Fails unless the member `want` is what came out. */
void pipeline_expect(struct pipeline *p, const cJSON *want);
/* A row's text as it stands, in p->arena. */
struct str pipeline_row_text(struct pipeline *p, const struct surface_row *row);

#endif
