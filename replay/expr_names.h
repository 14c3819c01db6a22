/*
 * expr_names: every name of a condition, in one table: type, what it is read
 * from, the member of a trace it equals, help. The parser, help and tests read
 * the table; values are read at an expr_place. Internal to expr, but for tests.
 */
#ifndef REPLAY_EXPR_NAMES_H
#define REPLAY_EXPR_NAMES_H

#include "replay/expr.h"

/* One turn, as the names are read from it. */
struct expr_place {
	struct expr_scene *scene;
	uint32_t n;
	const struct moment *moment;
	const struct sent *sent;                /* NULL = there is none */
	const struct pi_density_sample *sample; /* NULL = no density is measured */
	const struct state *state;              /* as the turn left it; NULL unless it was asked for */
	struct frame *frame;                    /* likewise */
};

struct expr_name {
	const char *name;
	const char *trace; /* member of the turn's trace, dotted; NULL = it has none by that value */
	const char *help;
	double (*number)(const struct expr_place *p, unsigned which); /* NAN = unknown; of bools 0 or 1 */
	struct str (*text)(const struct expr_place *p);               /* p NULL = unknown */
	const char *(*word)(unsigned i); /* of texts: the words it can be, NULL behind the last */
	uint8_t type;                    /* enum expr_type */
	uint8_t needs;                   /* enum expr_needs; 0 = the timeline */
	bool always;                     /* known where the turn could not run */
	uint16_t which;                  /* handed to `number`: a bit of moment_event, a tier */
};
extern const struct expr_name expr_names[]; /* ends with name NULL */
const struct expr_name *expr_name_find(struct str name);
struct expr_value expr_name_value(const struct expr_name *name, const struct expr_place *p);

/* Members of row("m00042"). */
struct expr_member {
	const char *name;
	const char *help;
	uint8_t type; /* enum expr_type */
	const char *(*word)(unsigned i);
};
extern const struct expr_member expr_members[]; /* ends with name NULL */
const struct expr_member *expr_member_find(struct str name);
/* Of a ref (or, of a DSH session, a seq) in the frame of the place. */
struct expr_value expr_member_value(const struct expr_member *m, struct str ref, const struct expr_place *p);

#endif
