/*
 * pi_egress_parts: what the requests of pi_egress know of the names of a view,
 * and how that follows the view row by row. Internal to pi_egress*.c.
 *
 * Names and rows of a struct pi_egress hold for its last build. When rows go,
 * what each of them said is taken back; rows that come are noted; either tells
 * which messages may be other ones now.
 */
#ifndef ENGINE_HOST_PI_EGRESS_PARTS_H
#define ENGINE_HOST_PI_EGRESS_PARTS_H

#include "engine/host/pi_egress.h"

enum pi_id_kind { PI_ID_UNKNOWN, PI_ID_SUMMARY, PI_ID_PLAIN, PI_ID_SPLIT };

/* What is known of a name: as a row's id, as an entry, as a call id. Row and message numbers are + 1, 0 = none. */
struct pi_egress_name {
	uint32_t entry;       /* a row's id: name of its entry; 0 = nobody has that */
	uint32_t first, last; /* an entry: its rows with # */
	uint32_t mapped;      /* a call id: the row whose text its arguments follow */
	uint32_t result;      /* a call id: last row with a result of it */
	uint32_t marked;      /* a call id: newest of `marks` in which it had a row */
	uint32_t asker;       /* a call id: first message of the request it is a noted call of */
	uint32_t written;     /* an entry or summary: its newest message in the request */
	uint32_t before;      /* .. and in the request before, where build `before_of` has come by */
	uint32_t before_of;
	uint8_t kind;          /* enum pi_id_kind */
	bool missing, present; /* an entry: the host has no message of it, has one; neither = not asked yet */
};

/* What a row of the view changed in what is known of its names, so that it can be taken back: + 1, 0 = none. */
struct pi_egress_row {
	uint32_t entry;        /* an id with #: name of its entry, whose rows are chained */
	uint32_t next, before; /* in that chain */
	uint32_t call;         /* it says something about this call */
	uint32_t mapped, result;
	bool is_mapped, is_result; /* it took the place of that one */
	uint32_t messages;         /* of the request, before this row's */
};

struct pi_egress_building {
	struct pi_egress *e;
	const struct pi_egress_input *in;
	uint64_t rules; /* hash of the rules in force */
	bool drop_thinking;
	uint32_t from; /* first row whose message may be another one than in the request before */
};

static inline const struct surface_row *pi_egress_row_at(const struct pi_egress_building *g, size_t i)
{
	return &g->in->surface->rows.v[i];
}
/* What is known of a name; valid until the next call. */
struct pi_egress_name *pi_egress_look(struct pi_egress_building *g, uint32_t name);
/* .. which is a row's id: its kind and entry are known then (pi.md 3.6). */
struct pi_egress_name *pi_egress_look_id(struct pi_egress_building *g, uint32_t id);
/* Brings what is known to the present view, and g->from to its row; returns the messages before that row. */
size_t pi_egress_survey(struct pi_egress_building *g);

#endif
