/* A compress call, or some ranges of it, put to the engine (run_records.h). */
#include <math.h>

#include "replay/run_records.h"

/* The verdicts of the ranges that were given, at their places among all; those of the others between them. */
static void spread_verdicts(struct apply_result *a, const struct parse_result *parse, const uint8_t *left_out)
{
	size_t from = a->verdicts.n;
	vec_fill(&a->verdicts, parse->n);
	for (size_t k = parse->n; k-- > 0;)
		if (left_out[k] == 0)
			a->verdicts.v[k] = a->verdicts.v[--from];
		else
			a->verdicts.v[k] = (struct range_verdict){
				.status = RANGE_SKIPPED, .kind = (enum compress_kind)(left_out[k] - 1), .block = -1};
}

/* Notes name ranges by their place among those that were given. */
static void spread_notes(struct compress_note *notes, size_t n, const size_t *place, size_t given)
{
	for (size_t i = 0; i < n; i++)
		if (notes[i].range < given)
			notes[i].range = place[notes[i].range];
}

static void put_warnings(struct apply_result *a, const struct parse_result *parse, const uint8_t *left_out)
{
	for (size_t k = 0; k < parse->n; k++)
		if (left_out[k] != 0 && left_out[k] - 1 != COMPRESS_KIND_COUNT)
			vec_push(&a->warnings, (struct compress_note){.kind = (enum compress_kind)(left_out[k] - 1),
								      .range = k,
								      .start = parse->ranges[k].start,
								      .end = parse->ranges[k].end});
}

void run_try(struct run *r, const struct compress_record *c, const struct parse_result *parse, const uint8_t *left_out,
	     bool no_gates)
{
	struct apply_options o = {
		.no_gates = no_gates, .created_at = isnan(c->time) ? 0 : c->time, .counter = r->turn.in.counter};
	struct range_request *ranges = parse->ranges;
	size_t n = parse->n, *place = NULL;
	if (left_out != NULL) {
		ranges = arena_alloc(&r->scratch, parse->n * sizeof *ranges);
		place = arena_alloc(&r->scratch, parse->n * sizeof *place);
		n = 0;
		for (size_t k = 0; k < parse->n; k++) {
			if (left_out[k] != 0)
				continue;
			place[n] = k;
			ranges[n++] = parse->ranges[k];
		}
	}
	compress_apply(ranges, n, &r->turn.surface, &r->state, &o, &r->compress_scratch, &r->apply);
	if (left_out == NULL)
		return;
	spread_notes(r->apply.errors.v, r->apply.errors.n, place, n);
	spread_notes(r->apply.warnings.v, r->apply.warnings.n, place, n);
	spread_verdicts(&r->apply, parse, left_out);
	put_warnings(&r->apply, parse, left_out);
}
