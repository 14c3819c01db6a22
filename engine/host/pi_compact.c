#include "engine/host/pi_compact.h"

#include <math.h>

static const struct {
	const char *name, *words;
} stops[PI_COMPACT_STOPS] = {
	[PI_COMPACT_GOING] = {"going", ""},
	[PI_COMPACT_TURN_FAILED] = {"turn-failed", "the turn before it could not run: there is no ref left to give"},
	[PI_COMPACT_NO_NUDGE] = {"no-nudge", "the kernel does not ask for a compression, and compactGate wants that"},
	[PI_COMPACT_NO_RANGES] = {"no-ranges", "nothing can be compressed"},
	[PI_COMPACT_ONLY_DANGEROUS] = {"only-dangerous", "every range that could be compressed is dangerous"},
	[PI_COMPACT_BELOW_MINIMUM] = {"below-minimum", "all ranges together stay below minCompressRange"},
	[PI_COMPACT_MODEL_UNKNOWN] = {"model-unknown", "the host does not know the configured model"},
	[PI_COMPACT_NO_MODEL] = {"no-model", "no model is configured, and the session names none"},
	[PI_COMPACT_EMPTY_SLICE] = {"empty-slice", "no message lies in the range"},
	[PI_COMPACT_NO_CREDENTIALS] = {"auth-missing", "there are no credentials for the model"},
	[PI_COMPACT_NO_ANSWER] = {"no-answer", "the model gave no answer"},
	[PI_COMPACT_UNPARSEABLE] = {"unparseable-summary", "the answer is not the JSON object that was asked for"},
	[PI_COMPACT_REFUSED] = {"kernel-refused", "the kernel refused the summary or its range"},
};

const char *pi_compact_stop_name(enum pi_compact_stop s) { return stops[s].name; }
const char *pi_compact_stop_words(enum pi_compact_stop s) { return stops[s].words; }

double pi_compact_tokens(struct state *s)
{
	double sum = 0;
	state_uncovered(s);
	for (size_t i = 0; i < s->uncovered.n; i++) {
		const struct message *m = &s->messages.v[s->uncovered.v[i]];
		if (state_info(s, m->id)->covers == 0 && m->tool != s->compress_tool)
			sum += text_tokens(m->face.size);
	}
	return sum;
}

/* ---- the model (7.4.1) ---- */

struct str pi_compact_configured(const cJSON *acp) { return json_str(json_get(acp, "compressModel")); }

struct pi_model pi_compact_model(const struct pi_compact_host *h)
{
	struct str whole = h->configured;
	if (whole.n == 0)
		return (struct pi_model){.provider = h->provider, .id = h->model};
	size_t colon = str_find(whole, STR(":"), 0);
	if (colon == SIZE_MAX || colon == 0)
		return (struct pi_model){.provider = STR("openai"), .id = whole, .configured = true};
	return (struct pi_model){
		.provider = str_cut(whole, 0, colon), .id = str_cut(whole, colon + 1, whole.n), .configured = true};
}

static enum pi_compact_stop check_model(const struct pi_model *m, const struct pi_compact_host *h)
{
	if (!m->configured)
		return m->id.n > 0 ? PI_COMPACT_GOING : PI_COMPACT_NO_MODEL;
	bool known = m->id.n > 0 && (h->known == NULL || h->known(h->ctx, m));
	return known ? PI_COMPACT_GOING : PI_COMPACT_MODEL_UNKNOWN;
}

/* ---- the span (7.3) ---- */

struct numbered {
	double number; /* of the row's ref */
	double units;  /* of all rows up to and with this one, by number */
};

static int compare_numbered(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

/* Rows that count, by number, with running sums: the units of any window are one difference. */
struct measured {
	struct numbered *v;
	size_t n;
};

static struct measured measure_rows(const struct surface *f, const struct state *s, struct arena *a)
{
	struct measured m = {.v = arena_alloc(a, (f->rows.n + 1) * sizeof *m.v)};
	double sum = 0;
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (pi_span_counts(r))
			m.v[m.n++] = (struct numbered){pi_ref_number(s, r->ref), surface_measure(r).units};
	}
	if (m.n > 1)
		qsort(m.v, m.n, sizeof *m.v, compare_numbered);
	for (size_t i = 0; i < m.n; i++)
		sum = m.v[i].units += sum;
	return m;
}

/* Units of the rows whose number is below x, or with x among them. */
static double units_to(const struct measured *m, double x, bool with)
{
	size_t lo = 0, hi = m->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (m->v[mid].number < x || (with && m->v[mid].number == x))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 ? m->v[lo - 1].units : 0;
}

struct candidate {
	const struct range *range;
	double start, end; /* numbers */
	size_t index;      /* place in the request: the sort is stable */
};

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static size_t take_candidates(const struct range *ranges, size_t n, const struct state *s, struct candidate *out)
{
	size_t usable = 0;
	for (size_t i = 0; i < n; i++)
		if (!ranges[i].dangerous)
			out[usable++] = (struct candidate){&ranges[i], pi_ref_number(s, ranges[i].start),
							   pi_ref_number(s, ranges[i].end), i};
	if (usable > 1)
		qsort(out, usable, sizeof *out, compare_candidates);
	return usable;
}

static double window_units(const struct measured *rows, const struct candidate *lo, const struct candidate *hi)
{
	double units = units_to(rows, hi->end, true) - units_to(rows, lo->start, false);
	return units > 0 ? units : 0; /* a foreign range may end before it starts: no row lies in it */
}

bool pi_span_choose(const struct range *ranges, size_t n, const struct surface *f, const struct state *s,
		    double minimum, struct arena *scratch, struct pi_span *out)
{
	struct candidate *c = arena_alloc(scratch, (n + 1) * sizeof *c);
	size_t usable = take_candidates(ranges, n, s, c), lo = 0;
	if (usable == 0)
		return false;
	struct measured rows = measure_rows(f, s, scratch);
	for (size_t i = 1; i < usable; i++)
		if (c[i].range->tokens > c[lo].range->tokens)
			lo = i;
	size_t hi = lo, last = usable - 1;
	double units = window_units(&rows, &c[lo], &c[hi]);
	while (units < minimum && (lo > 0 || hi < last)) {
		double left = lo > 0 ? c[lo].start - c[lo - 1].end : INFINITY;
		double right = hi < last ? c[hi + 1].start - c[hi].end : INFINITY;
		if (left <= right)
			lo--;
		else
			hi++;
		units = window_units(&rows, &c[lo], &c[hi]);
	}
	*out = (struct pi_span){.start = c[lo].range->start,
				.end = c[hi].range->end,
				.first = c[lo].start,
				.last = c[hi].end,
				.units = units,
				.tokens = ceil(units / 4)};
	return !(units < minimum);
}

/* ---- prepare ---- */

static enum pi_compact_stop choose_span(struct pi_compact *c, const struct range *ranges, size_t n,
					const struct surface *f, const struct state *s)
{
	for (size_t i = 0; i < n; i++)
		*(ranges[i].dangerous ? &c->dangerous : &c->offered) += 1;
	if (c->offered == 0)
		return c->dangerous > 0 ? PI_COMPACT_ONLY_DANGEROUS : PI_COMPACT_NO_RANGES;
	struct arena_mark mark = arena_mark(&c->arena);
	bool enough = pi_span_choose(ranges, n, f, s, c->minimum, &c->arena, &c->span);
	arena_release(&c->arena, mark);
	c->has_span = true;
	return enough ? PI_COMPACT_GOING : PI_COMPACT_BELOW_MINIMUM;
}

void pi_compact_ask(struct pi_compact *c, const struct range *ranges, size_t n, const struct surface *f,
		    struct state *s, const struct alternatives *alt, const struct pi_compact_host *h)
{
	c->minimum = s->config->min_range;
	c->model = pi_compact_model(h);
	c->stop = choose_span(c, ranges, n, f, s);
	if (c->stop == PI_COMPACT_GOING)
		c->stop = check_model(&c->model, h);
	if (c->stop != PI_COMPACT_GOING)
		return;
	pi_compact_put_prompt(&c->prompt, &h->prompts, &c->span, f, s, alt, &c->arena);
	if (c->span.messages == 0)
		c->stop = PI_COMPACT_EMPTY_SLICE;
	else if (h->credentials != NULL && !h->credentials(h->ctx, &c->model))
		c->stop = PI_COMPACT_NO_CREDENTIALS;
}

void pi_compact_prepare(struct pi_compact *c, struct turn *t, struct state *s, struct alternatives *alt,
			const struct turn_input *in, const struct pi_compact_host *h)
{
	struct turn_input turn = *in;
	pi_compact_free(c);
	c->block = -1;
	c->tokens = turn.tokens = pi_compact_tokens(s);
	turn.count = NULL;
	bool ran = turn_run(t, s, alt, &turn) == STATUS_OK;
	c->mark = state_mark(s);
	if (!ran)
		c->stop = PI_COMPACT_TURN_FAILED;
	else if (h->gate && !t->nudge.inject)
		c->stop = PI_COMPACT_NO_NUDGE;
	else /* compressibleRanges of the decision are the merged ones (kernel.md 1.5) */
		pi_compact_ask(c, t->rec.recommended.v, t->rec.recommended.n, &t->surface, s, alt, h);
}

/* ---- finish ---- */

static void apply(struct pi_compact *c, const struct surface *f, struct state *s, const struct counter *counter,
		  double time, struct compress_scratch *scratch)
{
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
	struct range_request request = {.start = state_ref_text(s, c->span.start, start),
					.end = state_ref_text(s, c->span.end, end),
					.summary = c->summary};
	struct apply_options o = {.created_at = time, .counter = *counter};
	compress_apply(&request, 1, f, s, &o, scratch, &c->applied);
	if (c->applied.errors.n == 0 && c->applied.blocks_created > 0) {
		c->block = c->applied.verdicts.v[0].block;
		return;
	}
	state_rollback(s, c->mark);
	c->stop = PI_COMPACT_REFUSED;
}

void pi_compact_finish(struct pi_compact *c, const struct surface *f, struct state *s, const struct counter *counter,
		       const struct pi_answer *answer, struct compress_scratch *scratch)
{
	if (c->stop != PI_COMPACT_GOING)
		return;
	if (answer->failed) {
		c->stop = PI_COMPACT_NO_ANSWER;
		return;
	}
	c->reply = pi_reply_read(&c->arena, answer->reply, &c->summary);
	if (c->reply != PI_REPLY_USABLE)
		c->stop = PI_COMPACT_UNPARSEABLE;
	else
		apply(c, f, s, counter, answer->time, scratch);
}

void pi_compact_put_result(struct buf *b, const struct pi_compact *c, const struct pi_preparation *p)
{
	buf_text(b, "{\"summary\":");
	json_put_str(b, c->summary);
	buf_text(b, ",\"firstKeptEntryId\":");
	if (p->first_kept.p != NULL)
		json_put_str(b, p->first_kept);
	else
		buf_text(b, "null");
	buf_text(b, ",\"tokensBefore\":");
	json_put_num(b, p->tokens_before);
	buf_char(b, '}');
}

/* ---- what the host's cut does beside it ---- */

size_t pi_compact_cut_away(const struct state *s, uint32_t first_kept, uint32_t *out)
{
	size_t n = 0;
	for (size_t i = 0; i < s->live.n; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		bool kept = !k->active;
		for (uint32_t e = 0; e < k->effective_n && !kept; e++) {
			uint32_t last = k->effective[e] < s->info.n ? s->info.v[k->effective[e]].last : 0;
			kept = last > first_kept; /* message index + 1 */
		}
		if (!kept)
			out[n++] = s->live.v[i];
	}
	return n;
}

static size_t first_valid(const struct pi_cut_entry *entries, size_t n, size_t from)
{
	while (from < n && !entries[from].valid)
		from++;
	return from;
}

size_t pi_native_cut(const struct pi_cut_entry *entries, size_t n, double keep_tokens)
{
	double sum = 0;
	size_t at = n;
	while (at > 0 && sum < keep_tokens)
		sum += entries[--at].tokens;
	if (sum < keep_tokens)
		at = 0;
	size_t cut = first_valid(entries, n, at);
	return cut < n ? cut : first_valid(entries, n, 0); /* nothing but results behind it: as if never reached */
}

void pi_compact_free(struct pi_compact *c)
{
	buf_free(&c->prompt);
	apply_result_free(&c->applied);
	arena_free(&c->arena);
	*c = (struct pi_compact){0};
}
