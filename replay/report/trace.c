#include "replay/report/trace.h"

#include <math.h>

#include "engine/base/fnv.h"
#include "replay/frame_request.h"
#include "replay/report/trace_dsh.h"

/* What the members of a turn are read from. */
struct turn_view {
	struct run *run;
	struct state *state;
	struct turn *turn;
	double tokens;
	size_t surface_rows;
	uint64_t digest;
	const struct canon_ranges *ranges;
	const struct moment *moment; /* with a hash; NULL = there is none */
	const struct sent *sent;     /* NULL = it was not asked for, or cannot be made */
	uint32_t n;                  /* turn */
};

static void put_rows(const struct turn_view *v, struct buf *b) { canon_number(b, (double)v->state->rows.n); }
static void put_refs(const struct turn_view *v, struct buf *b) { canon_number(b, v->state->refs_n); }
static void put_last_ref(const struct turn_view *v, struct buf *b) { canon_last_ref(b, v->state); }
static void put_tokens(const struct turn_view *v, struct buf *b) { canon_number(b, v->tokens); }
static void put_recommended(const struct turn_view *v, struct buf *b) { canon_recommended(b, v->ranges); }
static void put_protected(const struct turn_view *v, struct buf *b) { canon_protected(b, v->ranges); }
static void put_stats(const struct turn_view *v, struct buf *b) { canon_stats(b, &v->state->now); }
static void put_nudge_state(const struct turn_view *v, struct buf *b) { canon_nudge_state(b, &v->state->now); }
static void put_snapshot(const struct turn_view *v, struct buf *b) { canon_number(b, v->state->snapshot_n); }

static void put_view(const struct turn_view *v, struct buf *b)
{
	char hex[17];
	fnv_hex(hex, v->digest);
	buf_text(b, "{\"count\":");
	canon_number(b, (double)v->surface_rows);
	buf_printf(b, ",\"digest\":\"%s\"}", hex);
}

struct figure {
	const char *name;
	double value;
};

static void put_figures(struct buf *b, const struct figure *figures, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? ",\"" : "{\"");
		buf_text(b, figures[i].name);
		buf_text(b, "\":");
		canon_number(b, figures[i].value);
	}
	buf_char(b, '}');
}

static void put_nudge(const struct turn_view *v, struct buf *b)
{
	const struct nudge_decision *d = &v->turn->nudge;
	const struct nudge_numbers *n = &d->n;
	const struct nudge_context *c = &d->context;
	const struct figure breakdown[] = {
		{"usage", n->usage},
		{"growth", n->growth},
		{"growthReference", n->reference},
		{"effectiveThreshold", n->effective_threshold},
		{"nudgeGrowthTokens", n->threshold},
		{"growthFloor", n->floor},
		{"hasPendingNudge", n->has_pending},
		{"overLimit", n->over_limit},
		{"emergencyOverride", n->emergency},
		{"pendingT1", n->pending[1]},
		{"pendingT2", n->pending[2]},
		{"pendingT3", n->pending[3]},
	};
	const struct figure context[] = {
		{"system", c->system}, {"tool", c->tool},   {"summaries", c->summaries}, {"code", c->code},
		{"text", c->text},     {"total", c->total}, {"growth", c->growth},
	};
	buf_text(b, d->inject ? "{\"shouldInject\":true,\"tier\":" : "{\"shouldInject\":false,\"tier\":");
	canon_tier(b, d->tier);
	buf_text(b, ",\"targets\":");
	canon_blocks(b, v->state, d->targets.v, d->targets.n);
	buf_text(b, ",\"breakdown\":");
	put_figures(b, breakdown, sizeof breakdown / sizeof *breakdown);
	buf_text(b, ",\"context\":");
	put_figures(b, context, sizeof context / sizeof *context);
	buf_char(b, '}');
}

static void put_block(const struct state *s, const struct block *k, struct buf *b)
{
	buf_text(b, "{\"blockId\":");
	canon_name(b, s->names, k->id);
	buf_text(b, ",\"tier\":");
	canon_number(b, k->tier);
	buf_text(b, k->active ? ",\"active\":true" : ",\"active\":false");
	buf_text(b, k->old ? ",\"generation\":\"old\"" : ",\"generation\":\"young\"");
	buf_text(b, ",\"survivedCount\":");
	canon_number(b, k->survived);
	buf_text(b, ",\"compressedTokens\":");
	canon_number(b, k->tokens);
	buf_text(b, ",\"direct\":");
	canon_number(b, k->direct_n);
	buf_text(b, ",\"effective\":");
	canon_number(b, k->effective_n);
	buf_text(b, ",\"children\":[");
	for (uint32_t i = 0; i < k->children_n; i++) {
		if (i > 0)
			buf_char(b, ',');
		canon_name(b, s->names, k->children[i]);
	}
	buf_text(b, "]}");
}

static void put_blocks(const struct turn_view *v, struct buf *b)
{
	buf_char(b, '[');
	for (size_t i = 0; i < v->state->blocks.n; i++) {
		if (i > 0)
			buf_char(b, ',');
		put_block(v->state, &v->state->blocks.v[i], b);
	}
	buf_char(b, ']');
}

/* A member of an object: null where the number is not known. */
static void put_known(struct buf *b, const char *name, double x)
{
	buf_printf(b, "%s\"%s\":", b->n > 0 && b->p[b->n - 1] == '{' ? "" : ",", name);
	if (isnan(x))
		buf_text(b, "null");
	else
		canon_number(b, x);
}

static void put_flag(struct buf *b, const char *name, bool x)
{
	buf_printf(b, ",\"%s\":%s", name, x ? "true" : "false");
}

static const struct pi_density_sample *sample_of(const struct turn_view *v)
{
	const struct run_pi *p = &v->run->pi;
	return v->moment != NULL && v->n <= p->samples.n ? &p->samples.v[v->n - 1] : NULL;
}

/* pi-rulings 13; a sample is a step that came to an instant value (pi.md 5.3.7), in other turns a candidate
 * may stand but is not told */
static void put_density(const struct turn_view *v, struct buf *b)
{
	const struct pi_density_sample *s = sample_of(v);
	buf_char(b, '{');
	put_known(b, "value", s->value);
	put_known(b, "used", s->used);
	put_known(b, "instant", s->instant);
	put_known(b, "pending", isnan(s->instant) ? NAN : s->pending);
	put_flag(b, "confirmed", s->effect == PI_DENSITY_ADOPTED);
	put_known(b, "anchorReal", s->anchor_real);
	put_known(b, "anchorEst", s->anchor_est);
	put_flag(b, "skipped", pi_density_skipped((enum pi_density_effect)s->effect));
	buf_char(b, '}');
}

static void put_scales(const struct turn_view *v, struct buf *b)
{
	const struct moment *m = v->moment;
	const struct pi_density_sample *s = sample_of(v);
	double raw = m->raw + v->run->system_tokens;
	buf_char(b, '{');
	put_known(b, "raw", raw);
	put_known(b, "calibrated", s != NULL ? pi_density_calibrate(s->used, raw) : NAN);
	put_known(b, "host", m->host);
	put_known(b, "actualPrompt", m->prompt);
	put_known(b, "unexplained", m->prompt - raw);
	buf_char(b, '}');
}

static void put_break(const struct turn_view *v, struct buf *b)
{
	const struct sent *s = v->sent;
	const struct recording *rec = v->run->recording;
	if (s->cause == SENT_NONE) {
		buf_text(b, ",\"break\":null}");
		return;
	}
	buf_text(b, ",\"break\":{\"row\":");
	if (s->break_message > 0)
		canon_name(b, &rec->names, rec->messages.v[s->break_message - 1].message.id);
	else
		buf_text(b, "null");
	buf_text(b, ",\"ref\":");
	canon_ref(b, v->state, s->break_message > 0 ? s->break_ref : REF_NONE);
	buf_printf(b, ",\"cause\":\"%s\"}}", sent_cause_name((enum sent_cause)s->cause));
}

static void put_prefix(const struct turn_view *v, struct buf *b)
{
	const struct sent *s = v->sent;
	buf_char(b, '{');
	put_known(b, "commonBytes", s->common_bytes);
	put_known(b, "prevBytes", s->before_bytes);
	put_known(b, "bytes", s->bytes);
	put_known(b, "ratio", sent_ratio(s));
	put_known(b, "tail", s->tail_tokens);
	put_known(b, "predictedHit", s->predicted);
	put_known(b, "actualHit", s->actual);
	put_break(v, b);
}

static void put_anchors(const struct turn_view *v, struct buf *b)
{
	buf_char(b, '{');
	put_known(b, "live", v->sent->anchors);
	put_known(b, "argTokens", v->sent->anchor_tokens);
	put_known(b, "slimmedTokens", v->sent->slimmed_tokens);
	buf_char(b, '}');
}

/* In which way a recorded outcome is not ours; NULL = it is, or nothing is recorded. */
static const char *outcome_differs(const struct run *r, const struct compress_outcome *o)
{
	if (run_outcome_agrees(r, o) != 0)
		return NULL;
	if (o->follow == FOLLOW_AGREES)
		return "blocks"; /* another number of them */
	return o->follow == FOLLOW_NONE ? "not-followed" : follow_name((enum follow)o->follow);
}

/*
 * The first record since the turn before whose recorded outcome is not ours, else the record from which on the run is
 * no longer what was recorded, if that is since then. Records count from 1.
 */
static void put_divergence(const struct turn_view *v, struct buf *b)
{
	const struct run *r = v->run;
	size_t since = v->n > 1 ? (size_t)r->timeline.turns.v[v->n - 2].record + 1 : 0, found = SIZE_MAX;
	const char *kind = NULL;
	if (r->counterfactual >= since && r->counterfactual <= v->moment->record) {
		kind = "counterfactual";
		found = r->counterfactual;
	}
	for (size_t i = r->compressions.n; i-- > 0 && r->compressions.v[i].after_turn + 1 >= v->n;) {
		const struct compress_outcome *o = &r->compressions.v[i];
		const char *differs = o->after_turn + 1 == v->n ? outcome_differs(r, o) : NULL;
		if (differs != NULL)
			kind = differs, found = o->record;
	}
	if (kind == NULL)
		buf_text(b, "null");
	else
		buf_printf(b, "{\"record\":%zu,\"kind\":\"%s\"}", found + 1, kind);
}

static void put_events(const struct turn_view *v, struct buf *b)
{
	uint16_t event;
	const char *name;
	size_t n = 0;
	buf_char(b, '[');
	for (unsigned i = 0; i < MOMENT_TRACED && (name = moment_event_at(i, &event)) != NULL; i++)
		if (v->moment->events & event)
			buf_printf(b, "%s\"%s\"", n++ > 0 ? "," : "", name);
	buf_char(b, ']');
}

static void put_table(const struct turn_view *v, struct buf *b) { trace_dsh_table(v->run, b); }
static void put_classes(const struct turn_view *v, struct buf *b) { trace_dsh_classes(v->run, b); }
static void put_barriers(const struct turn_view *v, struct buf *b) { trace_dsh_barriers(v->run, b); }
static void put_guarded(const struct turn_view *v, struct buf *b) { trace_dsh_guarded(v->run, b); }

static bool of_dsh(const struct turn_view *v) { return run_is_dsh(v->run); }
static bool has_moment(const struct turn_view *v) { return v->moment != NULL; }
static bool has_sample(const struct turn_view *v) { return sample_of(v) != NULL; }
static bool has_sent(const struct turn_view *v) { return v->sent != NULL && v->moment != NULL; }
static bool always(const struct turn_view *v) { return v->state != NULL; }

static void put_hash(const struct turn_view *v, struct buf *b)
{
	char hex[17];
	fnv_hex(hex, v->moment->hash);
	buf_printf(b, "\"%s\"", hex);
}

/* The order of trace.md. `from`: the node after which the member is known. */
static const struct {
	const char *name;
	void (*put)(const struct turn_view *v, struct buf *b);
	enum turn_node from;
	bool (*known)(const struct turn_view *v);
} members[] = {
	{"rows", put_rows, NODE_START, always},
	{"refs", put_refs, NODE_START, always},
	{"lastRef", put_last_ref, NODE_START, always},
	{"tokenCount", put_tokens, NODE_START, always},
	{"view", put_view, NODE_START, always},
	{"recommended", put_recommended, NODE_RECOMMEND, always},
	{"protected", put_protected, NODE_RECOMMEND, always},
	{"nudge", put_nudge, NODE_NUDGE, always},
	{"blocks", put_blocks, NODE_START, always},
	{"stats", put_stats, NODE_START, always},
	{"nudgeState", put_nudge_state, NODE_START, always},
	{"snapshot", put_snapshot, NODE_START, always},
	{"table", put_table, NODE_START, of_dsh},
	{"density", put_density, NODE_RENDER, has_sample},
	{"tokens", put_scales, NODE_RENDER, has_moment},
	{"prefix", put_prefix, NODE_RENDER, has_sent},
	{"anchors", put_anchors, NODE_RENDER, has_sent},
	{"classes", put_classes, NODE_START, of_dsh},
	{"barriers", put_barriers, NODE_START, of_dsh},
	{"guarded", put_guarded, NODE_START, of_dsh},
	{"divergence", put_divergence, NODE_RENDER, has_moment},
	{"events", put_events, NODE_RENDER, has_moment},
	{"hash", put_hash, NODE_RENDER, has_moment},
};
enum { MEMBERS = sizeof members / sizeof *members };
_Static_assert((int)MEMBERS <= (int)TRACE_MEMBERS_MAX, "room for every member");

static void put_members(struct trace *t, const struct turn_view *v, enum turn_node node, bool changes)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		struct buf *last = &t->last[i];
		if (node < members[i].from || !members[i].known(v))
			continue;
		buf_cut(&t->member, 0);
		members[i].put(v, &t->member);
		if (changes && last->n > 0 && str_eq(buf_view(last), buf_view(&t->member)))
			continue;
		buf_text(&t->out, ",\"");
		buf_text(&t->out, members[i].name);
		buf_text(&t->out, "\":");
		buf_str(&t->out, buf_view(&t->member));
		if (!changes)
			continue;
		struct buf swap = *last;
		*last = t->member;
		t->member = swap;
	}
}

void trace_header(struct trace *t, const struct run *r)
{
	buf_text(&t->out, "{\"type\":\"trace\",\"version\":1,\"id\":");
	json_put_str(&t->out, r->recording->id);
	buf_text(&t->out, ",\"host\":");
	json_put_str(&t->out, r->recording->host);
	buf_text(&t->out, ",\"policy\":");
	policy_write(&r->policy, &t->out);
	buf_text(&t->out, "}\n");
}

void trace_turn(struct trace *t, struct run *r, uint32_t n, const struct moment *m)
{
	struct turn_view v = {.run = r,
			      .state = &r->state,
			      .turn = &r->turn,
			      .tokens = m->tokens,
			      .surface_rows = r->turn.surface.rows.n,
			      .digest = m->digest,
			      .ranges = &r->chain.ranges,
			      .moment = m,
			      .sent = n <= r->sender.sent.n ? &r->sender.sent.v[n - 1] : NULL,
			      .n = n};
	buf_printf(&t->out, "{\"type\":\"turn\",\"n\":%u", n);
	if (m->events & MOMENT_CAPACITY)
		buf_printf(&t->out, ",\"rows\":%u,\"error\":\"ref-capacity\"", m->rows);
	else
		put_members(t, &v, NODE_RENDER, t->changes);
	buf_text(&t->out, "}\n");
}

/* One per range: what the engine said, also where the recorded outcome was followed instead. */
static void put_verdicts(const struct run *r, const struct compress_event *e, const struct compress_outcome *o,
			 struct buf *b)
{
	for (size_t i = 0; o->tried && i < o->ranges; i++) {
		const struct range_outcome *v = &r->verdicts.v[o->verdicts + i];
		buf_text(b, i > 0 ? ",{\"startRef\":" : "{\"startRef\":");
		json_put_str(b, e->asked->ranges[i].start);
		buf_text(b, ",\"endRef\":");
		json_put_str(b, e->asked->ranges[i].end);
		buf_printf(b, ",\"status\":\"%s\",\"kind\":", range_status_name((enum range_status)v->status));
		if (v->kind < COMPRESS_KIND_COUNT)
			buf_printf(b, "\"%s\"", compress_kind_name((enum compress_kind)v->kind));
		else
			buf_text(b, "null");
		buf_text(b, ",\"chars\":");
		canon_number(b, v->units);
		buf_printf(b, ",\"direct\":%u,\"consumed\":%u,\"excluded\":%u}", v->direct, v->consumed, v->excluded);
	}
}

/* The recorded outcome as far as it is known, or null. */
static void put_recorded(const struct compress_record *c, struct buf *b)
{
	if (!c->has_outcome) {
		buf_text(b, "null");
		return;
	}
	buf_printf(b, "{\"applied\":%s", c->outcome_applied ? "true" : "false");
	if (!isnan(c->outcome_blocks)) {
		buf_text(b, ",\"blocksCreated\":");
		canon_number(b, c->outcome_blocks);
	}
	if (!isnan(c->outcome_tokens)) {
		buf_text(b, ",\"tokensCompressed\":");
		canon_number(b, c->outcome_tokens);
	}
	buf_char(b, '}');
}

/*
 * Tokens removed minus tokens added, both by the counter of the turn: the summaries' raw estimates are calibrated like
 * what they stand for.
 */
static double net_of(const struct run *r, const struct compress_outcome *o)
{
	return o->applied ? o->tokens - pi_density_calibrate(run_density_at(r, o->record), o->summary_tokens) : 0;
}

/* trace.md, further members. */
static void put_further(const struct run *r, const struct compress_event *e, struct buf *b)
{
	const struct compress_outcome *o = &r->compressions.v[e->n - 1];
	int agrees = run_outcome_agrees(r, o);
	buf_text(b, ",\"verdicts\":[");
	put_verdicts(r, e, o, b);
	buf_char(b, ']');
	if (run_is_dsh(r)) {
		buf_text(b, ",\"guard\":");
		trace_dsh_guard(r, e->n - 1, b);
	}
	buf_text(b, ",\"recorded\":");
	put_recorded(e->source, b);
	buf_printf(b, ",\"agrees\":%s,\"net\":", agrees < 0 ? "null" : agrees > 0 ? "true" : "false");
	canon_number(b, net_of(r, o));
}

void trace_compress(struct trace *t, struct run *r, const struct compress_event *e)
{
	struct buf *b = &t->out;
	const struct apply_result *a = e->result;
	buf_printf(b, "{\"type\":\"compress\",\"n\":%u,\"afterTurn\":%u,\"callId\":", e->n, e->after_turn);
	canon_name(b, &r->recording->names, e->source->call);
	buf_printf(b, ",\"parse\":\"%s\",\"invalidItems\":%zu,\"ranges\":%zu,\"applied\":%s,\"blocksCreated\":",
		   parse_kind_name(e->parse->kind), e->parse->invalid_items, e->parse->n,
		   e->applied ? "true" : "false");
	canon_number(b, a ? (double)a->blocks_created : 0);
	buf_text(b, ",\"tokensCompressed\":");
	canon_number(b, a ? a->tokens_compressed : 0);
	buf_text(b, ",\"errors\":");
	canon_kinds(b, a ? a->errors.v : NULL, a ? a->errors.n : 0);
	if (run_is_dsh(r)) {
		buf_cut(b, b->n - 1);
		trace_dsh_errors(r, e->n - 1, a != NULL && a->errors.n > 0, b);
		buf_char(b, ']');
	}
	buf_text(b, ",\"warnings\":");
	canon_kinds(b, a ? a->warnings.v : NULL, a ? a->warnings.n : 0);
	put_further(r, e, b);
	buf_text(b, "}\n");
}

void trace_end(struct trace *t, const struct run *r)
{
	char hex[17];
	chain_hex(&r->chain, hex);
	buf_printf(&t->out, "{\"type\":\"end\",\"turns\":%zu,\"compressions\":%zu,\"hash\":\"%s\"", r->timeline.turns.n,
		   r->compressions.n, hex);
	if (run_is_dsh(r))
		trace_dsh_end(r, &t->out);
	buf_text(&t->out, "}\n");
}

/* The digest of the rows a frame shows, which need not be the surface of its turn. */
static uint64_t frame_digest(struct frame *f)
{
	struct arena scratch = {0};
	uint64_t h = FNV_START;
	for (size_t i = 0; i < f->rows.n; i++)
		if (f->rows.v[i].mark != MARK_REMOVED)
			h = fnv_u64(h, surface_row_hash(&f->rows.v[i].row, &f->run->state, &f->run->alternatives,
							&scratch));
	arena_free(&scratch);
	return h;
}

void trace_position(struct trace *t, struct frame *f)
{
	struct run *r = f->run;
	bool whole = f->at.node == NODE_RENDER && f->at.records == 0 && f->at.turn > 0;
	struct turn_view v = {.run = r,
			      .state = &r->state,
			      .turn = &f->turn,
			      .tokens = f->turn.in.tokens,
			      .surface_rows = f->surface_rows,
			      .digest = frame_digest(f),
			      .ranges = &t->ranges,
			      .moment = whole ? f->moment : NULL,
			      .n = f->at.turn};
	if (whole && request_lacks(r) == REQUEST_THERE && frame_request(f)->lack == REQUEST_THERE)
		v.sent = &frame_request(f)->sent;
	buf_printf(&t->out, "{\"type\":\"turn\",\"n\":%u", f->at.turn);
	if (!whole) {
		buf_text(&t->out, ",\"position\":\"");
		position_print(f->at, &t->out);
		buf_char(&t->out, '"');
	}
	if (f->capacity) {
		buf_printf(&t->out, ",\"rows\":%zu,\"error\":\"ref-capacity\"}", r->state.rows.n);
		return;
	}
	canon_ranges_reset(&t->ranges);
	canon_ranges_update(&t->ranges, &r->state, &f->turn.rec);
	put_members(t, &v, f->at.node, false);
	buf_char(&t->out, '}');
}

void trace_free(struct trace *t)
{
	buf_free(&t->out);
	buf_free(&t->member);
	for (size_t i = 0; i < TRACE_MEMBERS_MAX; i++)
		buf_free(&t->last[i]);
	canon_ranges_free(&t->ranges);
	*t = (struct trace){0};
}
