#include "replay/sent.h"

#include <math.h>

#include "replay/run_pi.h"

static const struct {
	const char *name, *words;
} causes[SENT_CAUSES] = {
	[SENT_NONE] = {"none", "nothing changed before its end: the whole request before is its prefix"},
	[SENT_FIRST] = {"first", "the first request"},
	[SENT_COMPRESS] = {"compress", "a block covers rows from here on (fold)"},
	[SENT_DECOMPRESS] = {"decompress", "rows that a block covered came back (unfold)"},
	[SENT_TAG] = {"tag", "the token number in a ref tag changed"},
	[SENT_ANCHOR] = {"anchor-rewrite", "the arguments of a compress call were rewritten (args)"},
	[SENT_HIDE] = {"hide", "a compress call or its result was hidden, or came back"},
	[SENT_TRUNCATE] = {"truncate", "a result was cut for lack of space, or is whole again"},
	[SENT_THINKING] = {"thinking", "thinking of an answer was left out, or came back"},
	[SENT_HOST] = {"host", "the host compacted its context by itself"},
	[SENT_REINJECT] = {"reinject", "the host pasted a file again"},
	[SENT_PRUNE] = {"prune", "the host replaced rows by a stub"},
	[SENT_MODEL] = {"model", "the request goes to another model, which has no cache of it"},
	[SENT_REWIND] = {"rewind", "the session went back to an earlier point"},
	[SENT_SYSTEM] = {"system",
			 "nothing we see changed, but the provider read nothing from its cache: another system "
			 "prompt, other tools, or the cache ran out of time"},
	[SENT_UNKNOWN] = {"unknown", "no rule explains it"},
};

const char *sent_cause_name(enum sent_cause c) { return causes[c].name; }
const char *sent_cause_words(enum sent_cause c) { return causes[c].words; }

double sent_ratio(const struct sent *s) { return s->before_bytes > 0 ? s->common_bytes / s->before_bytes : NAN; }

bool sent_cause_rebuilds(enum sent_cause c)
{
	return c != SENT_NONE && c != SENT_FIRST && c != SENT_MODEL && c != SENT_SYSTEM;
}

bool sent_rebuilds(const struct sent *s) { return s->cause != SENT_FIRST && !s->append_only; }

static int by_name(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Takes the rows of a request; of the one before it they have `same` in common. */
static void take_rows(struct sender *x, const struct surface *f, size_t same)
{
	struct sent_rows rows = x->rows_before;
	/* what is there is of the request before the one before: it has in common with that what that was told */
	size_t there = least(same, x->same_rows);
	x->rows_before = x->rows;
	x->rows = rows;
	x->rows.n = there;
	vec_reserve(&x->rows, f->rows.n);
	for (size_t i = there; i < f->rows.n; i++)
		x->rows.v[x->rows.n++] = f->rows.v[i].source;
	x->same_rows = same;
}

static void take_blocks(struct sender *x, const struct state *s)
{
	struct sent_blocks active = x->active_before;
	x->active_before = x->active;
	x->active = active;
	x->active.n = 0;
	for (size_t i = 0; i < s->live.n; i++)
		if (s->blocks.v[s->live.v[i]].active)
			vec_push(&x->active, s->blocks.v[s->live.v[i]].id);
	if (x->active.n > 1)
		qsort(x->active.v, x->active.n, sizeof *x->active.v, by_name);
}

void sender_keeps(struct sender *x, size_t rows)
{
	if (x->told == 0 || rows + 1 < x->told)
		x->told = rows + 1;
}

/* Who asks for the host's own messages. */
struct asking {
	const struct run *run;
	size_t record; /* the request is made before it */
	bool host;     /* retry=host: what the host does not send is as if it were not there */
};

static struct str entry_json(void *ctx, uint32_t entry, struct arena *a)
{
	const struct asking *asking = ctx;
	const struct recording *rec = asking->run->recording;
	uint32_t message = entry < rec->by_entry.n ? rec->by_entry.v[entry] : 0;
	if (asking->host && message > 0 && pi_host_drops(asking->run, message - 1, asking->record))
		return (struct str){NULL, 0};
	return recording_entry_named(rec, entry, a);
}

static struct pi_egress_rules rules_of(const struct run *r)
{
	const struct policy *p = &r->policy;
	return (struct pi_egress_rules){
		.sync = policy_is(p, SWITCH_SYNC, "on")       ? PI_SYNC_ON
			: policy_is(p, SWITCH_SYNC, "merged") ? PI_SYNC_MERGED
							      : PI_SYNC_OFF,
		.emit_summaries = policy_is(p, SWITCH_SUMMARIES, "emit"),
		.raw_numbers = policy_is(p, SWITCH_TAGS, "raw"),
		.drop_thinking = !policy_is(p, SWITCH_REASONING_DROP, "off"),
		.thinking_units = 2048,
	};
}

/* ---- why the first difference is there ---- */

/* Two requests at the first message that is not the same; a or b may be NULL. */
struct break_point {
	const struct sender *x;
	struct run *r;
	const struct pi_message *a, *b;
};

typedef bool row_test(const struct break_point *k, int32_t source);

/* Any row of a message, by what stands behind it: a message record, or a block (~source). */
static bool any_row(const struct break_point *k, const struct pi_message *m, bool before, row_test *test)
{
	const struct pi_request *q = before ? &k->x->egress.before : &k->x->egress.now;
	const int32_t *sources = before ? k->x->rows_before.v : k->x->rows.v;
	for (uint32_t i = 0; m != NULL && i < m->rows; i++)
		if (test(k, sources[q->rows.v[m->first_row + i]]))
			return true;
	return false;
}

static bool is_gone(const struct break_point *k, int32_t source)
{
	return source >= 0 && !k->r->state.messages.v[source].in_list;
}

static bool is_covered(const struct break_point *k, int32_t source)
{
	return source >= 0 && state_info(&k->r->state, k->r->state.messages.v[source].id)->covers > 0;
}

/* Rows of messages ascend in a view, with rows of blocks between them. */
static bool is_among(const struct sent_rows *rows, int32_t source)
{
	size_t lo = 0, hi = rows->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2, at = mid;
		while (at < hi && rows->v[at] < 0)
			at++;
		if (at == hi || rows->v[at] > source)
			hi = mid;
		else if (rows->v[at] == source)
			return true;
		else
			lo = at + 1;
	}
	return false;
}

/* It stood in the recording at the request before, but not in that request. */
static bool is_old(const struct break_point *k, int32_t source)
{
	return source >= 0 && (uint32_t)source < k->x->known && !is_among(&k->x->rows_before, source);
}

/* A block that was active at the request before and is not now covered it. */
static bool was_covered(const struct break_point *k, int32_t source)
{
	struct state *s = &k->r->state;
	if (!is_old(k, source))
		return false;
	for (uint32_t l = state_info(s, s->messages.v[source].id)->listed; l != 0; l = s->listings.v[l - 1].next) {
		const struct block *block = &s->blocks.v[s->listings.v[l - 1].block];
		if (!block->active && k->x->active_before.n > 0 &&
		    bsearch(&block->id, k->x->active_before.v, k->x->active_before.n, sizeof block->id, by_name))
			return true;
	}
	return false;
}

static bool is_compress_row(const struct break_point *k, int32_t source)
{
	const struct state *s = &k->r->state;
	if (source < 0)
		return false;
	const struct message *m = &s->messages.v[source];
	return m->tool == s->compress_tool || (m->call != 0 && s->info.v[m->call].compress_calls > 0);
}

static bool is_returned_compress(const struct break_point *k, int32_t source)
{
	return is_old(k, source) && is_compress_row(k, source);
}

/*
 * The host replaced its state, and with it the blocks that were active: a row that stood in the recording but not in
 * the request before was covered by one of them.
 */
static bool was_covered_by_lost(const struct break_point *k, int32_t source)
{
	return k->x->events & MOMENT_STATE && is_old(k, source) && !is_compress_row(k, source);
}

/* In the host's list, covered by nothing, and not in the view: hide or filter took it. */
static bool is_hidden(const struct break_point *k, int32_t source)
{
	if (source < 0 || is_gone(k, source) || is_covered(k, source))
		return false;
	return !is_among(&k->x->rows, source);
}

static enum pi_difference difference(const struct break_point *k)
{
	if (k->a == NULL || k->b == NULL || k->a->entry != k->b->entry)
		return PI_DIFFER_NOT;
	return pi_egress_difference(&k->x->egress, k->a, k->b);
}

static bool for_host(const struct break_point *k)
{
	bool moved = (k->x->events & (MOMENT_KEEP | MOMENT_REWIND)) != 0;
	return any_row(k, k->a, true, is_gone) ||
	       (moved && any_row(k, k->b, false, is_old) && !any_row(k, k->b, false, was_covered) &&
		!any_row(k, k->b, false, is_compress_row));
}

static bool for_fold(const struct break_point *k)
{
	return any_row(k, k->a, true, is_covered) || (k->b != NULL && k->b->flags & PI_MESSAGE_SUMMARY) ||
	       difference(k) == PI_DIFFER_CALLS_GONE;
}

static bool for_unfold(const struct break_point *k)
{
	return any_row(k, k->b, false, was_covered) || any_row(k, k->b, false, was_covered_by_lost) ||
	       (k->a != NULL && k->a->flags & PI_MESSAGE_SUMMARY) || difference(k) == PI_DIFFER_CALLS_BACK;
}

static bool for_hide(const struct break_point *k)
{
	return any_row(k, k->a, true, is_hidden) ||
	       (difference(k) == PI_DIFFER_NOT && any_row(k, k->b, false, is_returned_compress));
}

static bool for_arguments(const struct break_point *k) { return difference(k) == PI_DIFFER_ARGUMENTS; }
static bool for_truncation(const struct break_point *k) { return difference(k) == PI_DIFFER_TRUNCATED; }
static bool for_tag(const struct break_point *k) { return difference(k) == PI_DIFFER_TAG; }
static bool for_thinking(const struct break_point *k) { return difference(k) == PI_DIFFER_THINKING; }

static enum sent_cause cause_of(const struct break_point *k)
{
	/* pi-rulings 8, in its order */
	static const struct {
		bool (*holds)(const struct break_point *k);
		enum sent_cause cause;
	} rules[] = {
		{for_host, SENT_HOST}, {for_fold, SENT_COMPRESS},     {for_unfold, SENT_DECOMPRESS},
		{for_hide, SENT_HIDE}, {for_arguments, SENT_ANCHOR},  {for_truncation, SENT_TRUNCATE},
		{for_tag, SENT_TAG},   {for_thinking, SENT_THINKING},
	};
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].holds(k))
			return rules[i].cause == SENT_HOST && !(k->x->events & MOMENT_KEEP) &&
					       k->x->events & MOMENT_REWIND
				       ? SENT_REWIND
				       : rules[i].cause;
	return SENT_UNKNOWN;
}

static void put_break(const struct sender *x, struct run *r, struct sent *s)
{
	const struct pi_request *was = &x->egress.before, *is = &x->egress.now;
	struct break_point k = {.x = x, .r = r};
	if (s->same < was->messages.n)
		k.a = &was->messages.v[s->same];
	if (s->same < is->messages.n)
		k.b = &is->messages.v[s->same];
	s->cause = (uint8_t)cause_of(&k);
	s->break_row = k.b != NULL && k.b->rows > 0 ? is->rows.v[k.b->first_row] : (uint32_t)x->rows.n;
	/* the row is named as the request before had it; where that is a summary, as the present one has it */
	for (int before = 1; before >= 0 && s->break_message == 0; before--) {
		const struct pi_message *m = before ? k.a : k.b;
		if (m == NULL || m->rows == 0)
			continue;
		uint32_t row = (before ? was : is)->rows.v[m->first_row];
		int32_t source = (before ? x->rows_before : x->rows).v[row];
		if (source < 0)
			continue;
		s->break_message = (uint32_t)source + 1;
		s->break_ref = state_info(&r->state, r->state.messages.v[source].id)->ref;
	}
}

/* ---- figures ---- */

static bool is_live_call(const struct state *s, const struct pi_message_call *c)
{
	if (!c->compress || c->call == 0)
		return false;
	for (uint32_t l = s->info.v[c->call].call_blocks; l != 0; l = s->listings.v[l - 1].next)
		if (s->blocks.v[s->listings.v[l - 1].block].active)
			return true;
	return false;
}

static void sum_up(const struct sender *x, const struct state *s, struct sent *out)
{
	const struct pi_request *q = &x->egress.now;
	if (q->messages.n > 0)
		out->tokens = q->messages.v[q->messages.n - 1].tokens_upto;
	for (size_t i = 0; i < q->anchors.n; i++) {
		const struct pi_message *m = &q->messages.v[q->anchors.v[i]];
		uint32_t live = 0;
		for (uint32_t c = 0; c < m->calls; c++)
			live += is_live_call(s, &q->calls.v[m->first_call + c]);
		out->anchors += live;
		if (live == 0)
			continue;
		out->anchor_tokens += m->recorded_tokens;
		out->slimmed_tokens += m->anchor_tokens;
	}
	for (size_t i = out->same; i < x->egress.before.messages.n; i++)
		out->lost_tokens += x->egress.before.messages.v[i].tokens;
}

/* What the provider says, and what it could have found. */
static void put_hits(const struct run *r, const struct moment *m, struct sent *s)
{
	s->predicted = s->actual = NAN;
	if (!(m->prompt > 0))
		return;
	s->actual = m->cache_read / m->prompt;
	if (s->cause != SENT_FIRST)
		s->predicted = (r->system_tokens + s->common_tokens) / m->prompt;
}

/* Messages before record i; looks no further back than to the request before. */
static uint32_t messages_before(const struct sender *x, const struct recording *rec, size_t i)
{
	size_t stop = x->record <= i ? x->record : 0;
	while (i > stop && rec->records.v[i - 1].type != RECORD_MESSAGE)
		i--;
	return i > stop ? rec->records.v[i - 1].index + 1 : stop > 0 ? x->known : 0;
}

void sender_judge(const struct sender *x, const struct run *r, const struct moment *m, uint32_t model, struct sent *s)
{
	if (!x->started)
		s->cause = SENT_FIRST;
	else if (!s->append_only)
		s->cause = SENT_UNKNOWN;
	else if (x->model != model)
		s->cause = SENT_MODEL;
	else if (r->cache_reported && m->prompt > 0 && m->cache_read == 0 && s->before_bytes > 0)
		s->cause = SENT_SYSTEM;
	put_hits(r, m, s);
}

void sender_done(struct sender *x, const struct run *r, const struct moment *m, uint32_t model)
{
	x->started = true;
	x->known = messages_before(x, r->recording, m->record);
	x->record = m->record;
	x->told = 0;
	x->model = model;
	x->events = 0;
}

struct sent sender_turn(struct sender *x, struct run *r, struct turn *t, const struct moment *m, uint32_t model,
			struct sent_tail tail)
{
	size_t same = x->told > 0 ? x->told - 1 : 0;
	struct asking asking = {r, m->record, policy_is(&r->policy, SWITCH_RETRY, "host")};
	struct pi_egress_input in = {
		.surface = &t->surface,
		.kept = same,
		.state = &r->state,
		.alternatives = &r->alternatives,
		.entries = {entry_json, &asking},
		.rules = rules_of(r),
		.model = model != 0 ? names_get(&r->recording->names, model) : r->recording->model,
	};
	x->events |= m->events;
	take_rows(x, &t->surface, same);
	take_blocks(x, &r->state);
	pi_egress_build(&x->egress, &in);
	struct pi_prefix prefix = pi_egress_prefix(&x->egress);
	struct sent s = {
		.bytes = (double)x->egress.now.bytes,
		.before_bytes = (double)x->egress.before.bytes,
		.common_bytes = (double)prefix.bytes,
		.common_tokens = prefix.tokens,
		.tail_bytes = tail.bytes,
		.tail_tokens = text_tokens(tail.size),
		.tail_hash = tail.hash,
		.messages = (uint32_t)x->egress.now.messages.n,
		.same = (uint32_t)prefix.messages,
		.append_only = prefix.append_only,
	};
	sum_up(x, &r->state, &s);
	sender_judge(x, r, m, model, &s);
	if (s.cause == SENT_UNKNOWN)
		put_break(x, r, &s);
	sender_done(x, r, m, model);
	return s;
}

void sender_skip(struct sender *x, const struct moment *m) { x->events |= m->events; }

void sender_free(struct sender *x)
{
	pi_egress_free(&x->egress);
	vec_free(&x->sent);
	vec_free(&x->row_bytes);
	vec_free(&x->row_sums);
	vec_free(&x->rows);
	vec_free(&x->rows_before);
	vec_free(&x->active);
	vec_free(&x->active_before);
	*x = (struct sender){0};
}
