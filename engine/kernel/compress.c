#include "engine/base/num.h"
#include "engine/kernel/compress_batch.h"

static const char *const kind_names[COMPRESS_KIND_COUNT] = {
	[COMPRESS_NONE_RESOLVED] = "none-resolved",
	[COMPRESS_ALL_CONSUMED] = "all-consumed",
	[COMPRESS_BELOW_MIN_RANGE] = "below-min-range",
	[COMPRESS_INVALID_REF] = "invalid-ref",
	[COMPRESS_UNKNOWN_REF] = "unknown-ref",
	[COMPRESS_CONSUMED_REF] = "consumed-ref",
	[COMPRESS_SUMMARY_EMPTY] = "summary-empty",
	[COMPRESS_SUMMARY_TOO_SHORT] = "summary-too-short",
	[COMPRESS_SUMMARY_TOO_LONG] = "summary-too-long",
	[COMPRESS_PROTECTED_ZONE] = "protected-zone",
	[COMPRESS_NO_NEW_CONTENT] = "no-new-content",
	[COMPRESS_NOTHING_COMPRESSIBLE] = "nothing-compressible",
	[COMPRESS_OVERLAP_SKIPPED] = "overlap-skipped",
	[COMPRESS_CONSUMED_SKIPPED] = "consumed-skipped",
	[COMPRESS_SNAPPED] = "snapped",
	[COMPRESS_PROTECTED_EXCLUDED] = "protected-excluded",
};

const char *range_status_name(enum range_status s)
{
	static const char *const names[] = {[RANGE_APPLIED] = "applied",
					    [RANGE_SKIPPED] = "skipped",
					    [RANGE_REFUSED] = "refused",
					    [RANGE_GATED] = "gated"};
	return names[s];
}

const char *compress_kind_name(enum compress_kind k) { return (size_t)k < COMPRESS_KIND_COUNT ? kind_names[k] : ""; }

void apply_result_free(struct apply_result *r)
{
	vec_free(&r->errors);
	vec_free(&r->warnings);
	vec_free(&r->verdicts);
	arena_free(&r->arena);
}

void compress_scratch_free(struct compress_scratch *c)
{
	positions_free(&c->positions);
	mark_set_free(&c->calls);
	mark_set_free(&c->zone);
	mark_set_free(&c->names);
	mark_set_free(&c->known);
	mark_set_free(&c->covered);
}

/* ---- notes and verdicts ---- */

static struct str keep(struct arena *a, struct str s) { return s.p ? (struct str){arena_copy(a, s.p, s.n), s.n} : s; }

struct compress_note batch_note(struct batch *b, enum compress_kind kind, size_t index)
{
	return (struct compress_note){.kind = kind,
				      .range = index,
				      .start = keep(&b->out->arena, b->ranges[index].start),
				      .end = keep(&b->out->arena, b->ranges[index].end),
				      .first = -1,
				      .last = -1};
}

static void judge(struct batch *b, size_t index, enum range_status status, enum compress_kind kind)
{
	b->out->verdicts.v[index].status = status;
	b->out->verdicts.v[index].kind = kind;
}

void batch_refuse(struct batch *b, struct compress_note note)
{
	vec_push(&b->out->errors, note);
	judge(b, note.range, RANGE_REFUSED, note.kind);
}

static void skip_range(struct batch *b, size_t index, enum compress_kind kind)
{
	vec_push(&b->out->warnings, batch_note(b, kind, index));
	judge(b, index, RANGE_SKIPPED, kind);
}

struct compress_note batch_resolve_note(struct batch *b, const struct resolution *at, size_t index)
{
	static const enum compress_kind kinds[] = {[RESOLVE_INVALID] = COMPRESS_INVALID_REF,
						   [RESOLVE_UNKNOWN] = COMPRESS_UNKNOWN_REF,
						   [RESOLVE_CONSUMED] = COMPRESS_CONSUMED_REF};
	struct compress_note note = batch_note(b, kinds[at->status], index);
	note.at_end = at->at_end;
	note.consumed = at->consumed;
	note.ref = at->ref;
	return note;
}

static bool is_unreadable(const struct resolution *at)
{
	return at->status == RESOLVE_INVALID || at->status == RESOLVE_UNKNOWN;
}

/* ---- classification (5.3) and overlaps (5.4) ---- */

static void classify(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		boundary_locate(&b->out->arena, b->ranges[i].start, b->ranges[i].end, b->f, &b->c->positions, b->s,
				&b->asked[i].at);
}

struct by_start {
	uint32_t start;
	size_t index;
};

/* By start, then by place in the request: a stable order. */
static int compare_starts(const void *left, const void *right)
{
	const struct by_start *a = left, *c = right;
	if (a->start != c->start)
		return a->start < c->start ? -1 : 1;
	return a->index < c->index ? -1 : a->index > c->index;
}

/* Judged on the intervals before any widening: kernel.md 11, 35. */
static void find_overlaps(struct batch *b)
{
	struct by_start *order = arena_alloc(&b->out->arena, b->n * sizeof *order);
	size_t ok = 0;
	for (size_t i = 0; i < b->n; i++)
		if (b->asked[i].at.status == RESOLVE_OK)
			order[ok++] = (struct by_start){b->asked[i].at.start, i};
	if (ok > 1)
		qsort(order, ok, sizeof *order, compare_starts);
	int64_t highest = -1;
	for (size_t i = 0; i < ok; i++) {
		struct asked *one = &b->asked[order[i].index];
		one->overlaps = (int64_t)one->at.start <= highest;
		if (one->overlaps)
			skip_range(b, order[i].index, COMPRESS_OVERLAP_SKIPPED);
		else if ((int64_t)one->at.end > highest)
			highest = one->at.end;
	}
}

/* ---- gate (5.5) ---- */

/* Units of the resolved ids; a repeated id is measured by its first text each time. */
static double interval_units(const struct batch *b, const struct resolution *at)
{
	double units = 0;
	for (uint32_t i = at->start; i <= at->end; i++) {
		const struct surface_row *r = &b->f->rows.v[i];
		if (boundary_in_ids(r, b->s))
			units += surface_measure(&b->f->rows.v[position_first(&b->c->positions, r->id) - 1]).units;
	}
	return units;
}

struct gate {
	double chars;
	size_t counted, ok, consumed, unknown;
	size_t first_consumed;
	bool block_kind;
};

static struct gate measure_gate(struct batch *b)
{
	struct gate g = {0};
	for (size_t i = 0; i < b->n; i++) {
		const struct asked *one = &b->asked[i];
		if (one->at.status == RESOLVE_CONSUMED && g.consumed++ == 0)
			g.first_consumed = i;
		g.unknown += one->at.status == RESOLVE_UNKNOWN;
		g.ok += one->at.status == RESOLVE_OK;
		if (one->at.status != RESOLVE_OK || one->overlaps)
			continue;
		double units = interval_units(b, &one->at);
		b->out->verdicts.v[i].chars = units;
		if (one->at.block_kind) {
			g.block_kind = true;
			continue;
		}
		g.counted++;
		g.chars += units;
	}
	return g;
}

/* First and last of the active blocks by the number in their ids; -1 when there is none. */
static void live_ends(const struct state *s, struct compress_note *note)
{
	for (size_t i = 0; i < s->live.n; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		if (!k->active)
			continue;
		if (note->first < 0 || k->number < s->blocks.v[note->first].number)
			note->first = s->live.v[i];
		if (note->last < 0 || k->number >= s->blocks.v[note->last].number)
			note->last = s->live.v[i];
	}
}

static struct compress_note gate_note(struct batch *b, const struct gate *g)
{
	struct compress_note note = {.kind = COMPRESS_BELOW_MIN_RANGE,
				     .range = SIZE_MAX,
				     .length = g->chars,
				     .minimum = b->s->config->min_range,
				     .count = g->counted,
				     .first = -1,
				     .last = -1};
	if (g->ok == 0 && g->consumed == 0 && g->unknown > 0) {
		note.kind = COMPRESS_NONE_RESOLVED;
		note.count = b->n;
	} else if (g->consumed > 0) {
		note = batch_note(b, COMPRESS_ALL_CONSUMED, g->first_consumed);
		note.range = SIZE_MAX;
		note.length = g->chars;
		note.minimum = b->s->config->min_range;
		live_ends(b->s, &note);
	}
	return note;
}

/* True when the batch is turned away as a whole; the state is untouched and warnings are lost (kernel.md 11, 33). */
static bool refuse_batch(struct batch *b)
{
	struct gate g = measure_gate(b);
	if (b->o->no_gates || !(b->s->config->min_range > 0) || b->n == 0 || g.block_kind ||
	    !(g.chars < b->s->config->min_range))
		return false;
	struct compress_note gate = gate_note(b, &g);
	b->out->warnings.n = 0;
	vec_push(&b->out->errors, gate);
	for (size_t i = 0; i < b->n; i++) {
		const struct asked *one = &b->asked[i];
		if (is_unreadable(&one->at))
			batch_refuse(b, batch_resolve_note(b, &one->at, i));
		else if (one->at.status == RESOLVE_CONSUMED)
			judge(b, i, RANGE_SKIPPED, COMPRESS_CONSUMED_SKIPPED);
		else if (!one->overlaps)
			judge(b, i, RANGE_GATED, gate.kind);
	}
	return true;
}

/* ---- the batch ---- */

static void warn_snaps(struct batch *b, size_t index)
{
	const struct resolution *at = &b->asked[index].at;
	for (int i = 0; i < at->snaps_n; i++) {
		struct compress_note note = batch_note(b, COMPRESS_SNAPPED, index);
		note.at_end = at->snaps[i].end;
		note.snapped_block = at->snaps[i].block;
		note.ref = at->snaps[i].ref;
		vec_push(&b->out->warnings, note);
	}
}

/* Sets that hold for the whole batch: they depend on the surface, which does not change (kernel.md 9.10). */
static void prepare(struct batch *b)
{
	struct compress_scratch *c = b->c;
	mark_set_clear(&c->known);
	mark_set_clear(&c->covered);
	protect_call_ids(b->f, b->s, true, &c->calls);
	if (b->o->no_gates)
		return;
	b->zone = b->o->zone;
	if (!b->zone) {
		protect_zone(b->f, b->s, &b->o->counter, &c->zone);
		b->zone = &c->zone;
	}
}

static void run_ranges(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct asked *one = &b->asked[i];
		if (is_unreadable(&one->at)) {
			batch_refuse(b, batch_resolve_note(b, &one->at, i));
		} else if (one->at.status == RESOLVE_CONSUMED) {
			skip_range(b, i, COMPRESS_CONSUMED_SKIPPED);
		} else if (!one->overlaps) {
			warn_snaps(b, i);
			batch_apply_range(b, i);
		}
	}
}

static void take_run_id(struct batch *b)
{
	char text[NUM_TEXT_MAX + 1] = "r";
	size_t n = 1 + num_print(text + 1, b->now.next_run);
	b->run_id = keep(&b->out->arena, (struct str){text, n});
	b->now.next_run = (b->now.next_run > 1 ? b->now.next_run : 1) + 1;
}

/* 5.8. The run id is used up even when nothing was made. */
static void close_batch(struct batch *b)
{
	if (b->out->blocks_created > 0) {
		b->now.compression_count += (double)b->out->blocks_created;
		b->now.tokens_compressed += b->out->tokens_compressed;
		b->now.baseline = b->now.shown = 0;
		b->now.tier_set = 0;
		memset(b->now.tier_shown, 0, sizeof b->now.tier_shown);
	}
	state_scalars_set(b->s, b->now);
}

static void empty_result(struct apply_result *out, size_t n)
{
	arena_free(&out->arena);
	out->blocks_created = 0;
	out->tokens_compressed = 0;
	out->errors.n = out->warnings.n = out->verdicts.n = 0;
	for (size_t i = 0; i < n; i++)
		vec_push(&out->verdicts, (struct range_verdict){.kind = COMPRESS_KIND_COUNT, .block = -1});
}

void compress_apply(const struct range_request *ranges, size_t n, const struct surface *f, struct state *s,
		    const struct apply_options *o, struct compress_scratch *scratch, struct apply_result *out)
{
	struct batch b = {.ranges = ranges, .n = n, .f = f, .s = s, .o = o, .c = scratch, .out = out, .now = s->now};
	empty_result(out, n);
	positions_build(&scratch->positions, f);
	b.asked = arena_zero(&out->arena, n, sizeof *b.asked);
	classify(&b);
	find_overlaps(&b);
	if (refuse_batch(&b))
		return;
	prepare(&b);
	take_run_id(&b);
	run_ranges(&b);
	close_batch(&b);
}
