#include "tests/explained.h"

#include <math.h>

#include "engine/base/json.h"
#include "engine/kernel/status.h"
#include "replay/checks.h"
#include "replay/events.h"
#include "replay/frame_blocks.h"
#include "replay/frame_dsh.h"
#include "replay/frame_ranges.h"
#include "replay/frame_request.h"
#include "replay/gates.h"
#include "replay/hits.h"
#include "replay/request_lines.h"
#include "replay/view/dsh.h"

/* ---- JSON ---- */

static void comma(struct buf *b)
{
	if (b->n > 0 && b->p[b->n - 1] != '[' && b->p[b->n - 1] != '{')
		buf_char(b, ',');
}

static void open_member(struct buf *b, const char *name, char bracket)
{
	comma(b);
	buf_printf(b, "\"%s\":%c", name, bracket);
}

static void open_item(struct buf *b, char bracket)
{
	comma(b);
	buf_char(b, bracket);
}

/* No number is null. */
static void put(struct buf *b, const char *name, double x)
{
	comma(b);
	buf_printf(b, "\"%s\":", name);
	json_put_num(b, x);
}

static void put_item(struct buf *b, double x)
{
	comma(b);
	json_put_num(b, x);
}

static void put_text(struct buf *b, const char *name, struct str s)
{
	comma(b);
	buf_printf(b, "\"%s\":", name);
	json_put_str(b, s);
}

static void put_ref(struct buf *b, const char *name, const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	put_text(b, name, ref == REF_NONE ? STR("") : state_ref_text(s, ref, text));
}

static void put_name(struct buf *b, const char *name, const struct run *r, uint32_t number)
{
	put_text(b, name, names_get(&r->recording->names, number));
}

/* ---- a run ---- */

static void put_config(const struct run *r, struct buf *b)
{
	open_member(b, "config", '{');
	for (int i = 0; config_members[i].path != NULL; i++) {
		struct buf text = {0};
		config_member_print(&r->config, i, &text);
		put_text(b, config_members[i].path, buf_view(&text));
		buf_free(&text);
	}
	buf_char(b, '}');
}

static void put_moments(const struct run *r, struct buf *b)
{
	open_member(b, "moments", '[');
	for (size_t i = 0; i < r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		const struct turn_record *t = &r->recording->turns.v[r->recording->records.v[m->record].index];
		open_item(b, '{');
		put(b, "prompt", m->prompt);
		put(b, "cacheRead", m->cache_read);
		put(b, "time", t->time);
		put(b, "userTurn", m->user_turn);
		put(b, "events", m->events);
		put(b, "usage", m->usage);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_sent(struct run *r, struct buf *b)
{
	open_member(b, "sent", '[');
	for (uint32_t i = 0; i < r->sender.sent.n; i++) {
		const struct sent *s = &r->sender.sent.v[i];
		struct hit h = hit_of(r, i + 1, hits_system(r));
		open_item(b, '{');
		put(b, "tokens", s->tokens);
		put(b, "common", s->common_tokens);
		put(b, "lost", s->lost_tokens);
		put(b, "missed", h.missed);
		put(b, "verdict", h.verdict);
		put(b, "anchors", s->anchors);
		put(b, "anchorTokens", s->anchor_tokens);
		put(b, "slimmed", s->slimmed_tokens);
		put(b, "tailBytes", s->tail_bytes);
		put(b, "tailTokens", s->tail_tokens);
		put(b, "messages", s->messages);
		put_ref(b, "ref", &r->state, s->break_ref);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_samples(const struct run *r, struct buf *b)
{
	open_member(b, "samples", '[');
	for (size_t i = 0; i < r->pi.samples.n && r->pi.measures; i++) {
		const struct pi_density_sample *s = &r->pi.samples.v[i];
		open_item(b, '{');
		put_name(b, "model", r, s->model);
		put(b, "fresh", s->fresh);
		put_text(b, "effect", str_of(pi_density_effect_name((enum pi_density_effect)s->effect)));
		put(b, "used", s->used);
		put(b, "value", s->value);
		put(b, "real", s->real);
		put(b, "est", s->est);
		put(b, "instant", s->instant);
		put(b, "pending", s->pending);
		put(b, "anchorReal", s->anchor_real);
		put(b, "anchorEst", s->anchor_est);
		buf_char(b, '}');
	}
	buf_char(b, ']');
	put(b, "minDelta", r->pi.density.rules.min_delta);
	put(b, "densityMax", r->pi.density.rules.max);
}

static void put_fidelity(const struct checks *c, struct buf *b)
{
	open_member(b, "fidelity", '[');
	if (c != NULL && c->done) {
		const struct fidelity *f = &c->fidelity;
		const size_t v[] = {f->outcomes_agree, f->outcomes, f->refs_agree, f->refs, f->counts_agree, f->counts,
				    f->prompts_agree,  f->prompts,  f->hits_agree, f->hits, f->logged_agree, f->logged};
		for (size_t i = 0; i < sizeof v / sizeof *v; i++)
			put_item(b, (double)v[i]);
	}
	buf_char(b, ']');
}

/* What one compress record came to: its figures, in no order. */
static void put_outcome(const struct run *r, const struct compress_outcome *o, struct buf *b)
{
	double units = 0;
	put(b, "tokens", o->tokens);
	put(b, "ranges", o->ranges);
	put(b, "invalid", o->invalid);
	put(b, "blocks", o->blocks);
	open_member(b, "verdicts", '[');
	/* with the gates off as many again stand behind them */
	for (uint32_t i = 0; o->tried && i < o->ranges * (o->follow == FOLLOW_RECORDED_YES ? 2 : 1); i++) {
		const struct range_outcome *v = &r->verdicts.v[o->verdicts + i];
		units += i < o->ranges ? v->units : 0;
		open_item(b, '{');
		put(b, "units", v->units);
		put(b, "direct", v->direct);
		put(b, "consumed", v->consumed);
		put(b, "excluded", v->excluded);
		put_name(b, "block", r, v->block);
		buf_char(b, '}');
	}
	buf_char(b, ']');
	put(b, "units", units);
}

/* All numbers of one finding. */
static void put_finding(const struct run *r, const struct dsh_found *found, struct buf *b)
{
	const struct dsh_meter *m = &r->dsh.meter;
	put_item(b, (double)found->at);
	if (found->by == DSH_FOUND_LEDGER) {
		put_item(b, (double)r->dsh.ledger.findings.v[found->index].other);
	} else if (found->by == DSH_FOUND_NEGATIVE) {
		put_item(b, (double)m->negative.v[0]);
		put_item(b, (double)m->negative.v[m->negative.n - 1]);
		put_item(b, (double)m->negative.n);
		put_item(b, m->minimum);
	} else {
		const struct dsh_claim *c = &m->claims.v[found->index];
		put_item(b, (double)c->by);
		put_item(b, (double)c->start);
		put_item(b, (double)c->end);
		put_item(b, c->tokens);
		put_item(b, c->mirror);
	}
}

/* All numbers of the plugin's answer to one range. */
static void put_asked(const struct run *r, const struct dsh_asked *a, struct buf *b)
{
	const struct dsh_compaction *made = run_dsh_recorded(r, a);
	put_item(b, (double)a->request[0]);
	put_item(b, (double)a->request[1]);
	put_item(b, made != NULL ? (double)made->start : (double)a->resolved[0]);
	put_item(b, made != NULL ? (double)made->end : (double)a->resolved[1]);
	put_item(b, a->checkpoints);
	for (uint32_t i = 0; i < a->hits_n; i++)
		put_item(b, (double)a->hits[i]);
	for (uint32_t i = 0; i < a->slices_n; i++) {
		put_item(b, (double)a->slices[i].first);
		put_item(b, (double)a->slices[i].last);
	}
}

static void put_made(const struct run *r, const struct event *e, struct buf *b)
{
	const struct dsh_ledger *l = &r->dsh.ledger;
	if (e->index >= l->blocks.n) {
		put_asked(r, &r->dsh.outside.v[e->index - l->blocks.n].asked, b);
		return;
	}
	const struct dsh_block *k = &l->blocks.v[e->index];
	const struct dsh_compaction *made = dsh_log_row(l->log, k->summary)->compaction;
	const struct dsh_outside *outside = run_dsh_outside(r, k->summary);
	uint32_t checkpoint = dsh_ledger_checkpoint(l, k, INT64_MAX);
	put_item(b, made != NULL ? (double)made->shadowed_n : 0);
	put_item(b, k->tokens);
	put_item(b, checkpoint != DSH_NONE ? (double)dsh_log_seq(l->log, checkpoint) : 0);
	put_item(b, (double)k->number);
	if (outside != NULL)
		put_asked(r, &outside->asked, b);
}

/* All numbers of an event that only the DSH host knows. */
static void put_dsh_event(const struct run *r, const struct events *list, const struct event *e, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	if (e->kind == EVENT_COMPRESS && run_is_dsh(r)) {
		uint32_t n;
		const struct dsh_asked *asked = run_dsh_asked(r, e->index, &n);
		for (uint32_t i = 0; i < n; i++)
			put_asked(r, &asked[i], b);
	} else if (e->kind == EVENT_LOOP) {
		const struct dsh_chain *c = &l->chains.v[e->index];
		put_item(b, (double)c->length);
		put_item(b, (double)l->foldings.v[c->first].checkpoint);
		put_item(b, (double)l->foldings.v[c->last].checkpoint);
	} else if (e->kind == EVENT_GATED) {
		put_item(b, (double)dsh_log_seq(l->log, r->dsh.gated.v[e->index]));
		put_item(b, dsh_log_row(l->log, r->dsh.gated.v[e->index])->price);
	} else if (e->kind == EVENT_FINDING) {
		put_finding(r, &list->found[e->index], b);
	} else if (e->kind == EVENT_COMPACTION) {
		put_made(r, e, b);
	}
}

static void put_loop(const struct run *r, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	open_member(b, "loop", '{');
	put(b, "reinjected", (double)l->reinjected);
	put(b, "reinjectedCheckpoint", (double)l->reinjected_checkpoint);
	put(b, "later", (double)l->reinjected_later);
	put(b, "wasted", l->wasted);
	put(b, "wastedLater", l->wasted_later);
	buf_char(b, '}');
}

/* When it happened: a compress call has a time of its own. */
static double time_of(const struct run *r, const struct event *e)
{
	const struct recording *rec = r->recording;
	bool called = e->kind == EVENT_COMPRESS || e->kind == EVENT_DIVERGED;
	if (called && e->record < rec->records.n && rec->records.v[e->record].type == RECORD_COMPRESS)
		return rec->compressions.v[rec->records.v[e->record].index].time;
	return e->turn > 0 ? rec->turns.v[rec->records.v[r->timeline.turns.v[e->turn - 1].record].index].time
			   : (double)NAN;
}

static void put_events(struct frame *f, struct buf *b)
{
	const struct run *r = f->run;
	const struct events *list = events_of(f);
	open_member(b, "events", '[');
	for (size_t i = 0; i < list->n; i++) {
		const struct event *e = &list->v[i];
		open_item(b, '{');
		put_text(b, "kind", str_of(event_kind_name((enum event_kind)e->kind)));
		put(b, "turn", e->turn);
		put(b, "after", e->after);
		put(b, "time", time_of(r, e));
		if (e->kind == EVENT_DAMAGE)
			put(b, "line", (double)r->recording->damages.v[e->index].line);
		if (e->kind == EVENT_COMPRESS || e->kind == EVENT_DIVERGED) {
			put_outcome(r, &r->compressions.v[e->index], b);
			put(b, "compression", e->index);
		}
		if (e->kind == EVENT_REINJECT)
			put(b, "paste", e->index);
		open_member(b, "figures", '[');
		put_dsh_event(r, list, e, b);
		buf_text(b, "]}");
	}
	buf_char(b, ']');
}

void explained_run(struct run *r, struct frame *f, struct buf *b)
{
	buf_char(b, '{');
	put(b, "limit", r->config.limit);
	put(b, "minRange", r->config.min_range);
	put(b, "system", r->system_tokens);
	put_text(b, "host", r->recording->host);
	put_text(b, "id", r->recording->id);
	put_text(b, "profile", str_of(r->policy.profile));
	put_text(b, "path", str_of(r->recording->source.path));
	put_config(r, b);
	put_moments(r, b);
	put_sent(r, b);
	put_samples(r, b);
	put_events(f, b);
	put_fidelity(f->checks, b);
	if (run_is_dsh(r))
		put_loop(r, b);
	buf_char(b, '}');
}

/* ---- a turn ---- */

static void put_rows(struct frame *f, struct buf *b)
{
	open_member(b, "rows", '[');
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct frame_row *row = &f->rows.v[i];
		const struct surface_row *s = &row->row;
		open_item(b, '{');
		put_ref(b, "ref", &f->run->state, s->ref);
		put(b, "block", s->source < 0 ? (double)~s->source : (double)NAN);
		put(b, "line", s->source < 0 ? 0 : recording_record(f->run->recording, (uint32_t)s->source)->line);
		put(b, "tokens", row->tokens);
		put(b, "tag", s->tagged ? s->tag_tokens : NAN);
		put(b, "fresh", (row->flags & ROW_NEW) != 0);
		put(b, "changed", (row->flags & ROW_CHANGED) != 0);
		put(b, "covered", row->covered_by > 0 ? (double)row->covered_by - 1 : (double)NAN);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_answer(const struct range_answer *a, struct buf *b)
{
	open_member(b, "answer", '{');
	put(b, "accepted", a->accepted);
	put_text(b, "kind", str_of(a->accepted ? "" : compress_kind_name(a->kind)));
	put(b, "units", a->units);
	put(b, "direct", a->direct);
	put(b, "excluded", a->excluded);
	put(b, "consumed", a->consumed);
	put(b, "tier", a->tier);
	put(b, "tokens", a->tokens);
	buf_char(b, '}');
}

static void put_ranges(struct frame *f, struct buf *b)
{
	const struct frame_ranges *r = frame_ranges(f);
	if (r == NULL)
		return;
	put(b, "summary", (double)r->summary.n);
	put(b, "groups", r->groups);
	open_member(b, "ranges", '[');
	for (size_t i = 0; i < r->n; i++) {
		const struct frame_range *x = &r->v[i];
		open_item(b, '{');
		put_text(b, "kind", str_of(frame_range_kind_name((enum frame_range_kind)x->kind)));
		put_ref(b, "start", &f->run->state, x->start);
		put_ref(b, "end", &f->run->state, x->end);
		put(b, "count", x->count);
		put(b, "tokens", x->tokens);
		put(b, "chars", x->chars);
		put(b, "toolPct", x->tool_pct);
		put_answer(frame_range_answer(f, i), b);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_blocks(struct frame *f, struct buf *b)
{
	const struct pi_request *anchors = frame_anchors(f);
	const struct frame_blocks *tree = frame_blocks(f);
	const struct state *s = &f->run->state;
	open_member(b, "blocks", '[');
	for (size_t i = 0; i < tree->n; i++) {
		const struct frame_block *x = &tree->v[i];
		const struct block *k = &s->blocks.v[x->block];
		struct frame_anchor a = frame_block_anchor(anchors, k);
		open_item(b, '{');
		put(b, "block", x->block);
		put_text(b, "id", names_get(s->names, k->id));
		put_text(b, "state", str_of(block_standing_name((enum block_standing)x->standing)));
		put(b, "tier", k->tier);
		put(b, "in", k->has_tokens ? k->tokens : NAN);
		put(b, "out", frame_block_out(f, k));
		put(b, "net", frame_block_net(f, x));
		put(b, "record", x->made == BLOCK_MADE_UNKNOWN ? (double)NAN : (double)x->outcome);
		put(b, "arguments", a.sent ? a.recorded : (double)NAN);
		put(b, "slimmed", a.sent ? a.slimmed : (double)NAN);
		put(b, "summary", text_tokens(k->summary_size));
		put(b, "present", k->present);
		put(b, "effective", k->effective_n);
		put(b, "age", x->made == BLOCK_MADE_UNKNOWN ? (double)NAN : (double)frame_block_age(f, x));
		put(b, "survived", k->survived);
		put(b, "created", k->created_at);
		put_text(b, "start", k->start_ref);
		put_text(b, "end", k->end_ref);
		put_text(b, "call", names_get(s->names, k->call));
		put_text(b, "topic", k->topic);
		put_text(b, "text", k->summary);
		open_member(b, "children", '[');
		for (uint32_t c = 0; c < k->children_n; c++) {
			comma(b);
			json_put_str(b, names_get(s->names, k->children[c]));
		}
		buf_text(b, "]}");
	}
	buf_char(b, ']');
}

static void put_gates(struct frame *f, struct buf *b)
{
	struct gate gates[NUDGE_GATE_COUNT];
	const struct scalars *s = &f->turn.nudge.before;
	if (!gates_decided(f))
		return;
	gates_of(f, gates);
	open_member(b, "gates", '[');
	for (int i = 0; i < NUDGE_GATE_COUNT; i++) {
		open_item(b, '{');
		put_text(b, "name", str_of(gates[i].name));
		put(b, "has", gates[i].has);
		put(b, "needs", gates[i].needs);
		buf_char(b, '}');
	}
	buf_char(b, ']');
	open_member(b, "before", '{');
	put(b, "baseline", s->baseline);
	put(b, "shown", s->shown);
	for (int t = 1; t <= 3; t++) {
		char name[] = {'t', (char)('0' + t), 0};
		put(b, name, s->tier_set >> t & 1 ? s->tier_shown[t] : 0);
	}
	buf_char(b, '}');
}

/* The host's list as its status report sees it: counted here, by message. */
static void put_list(struct frame *f, struct buf *b)
{
	struct state *s = &f->run->state;
	open_member(b, "list", '[');
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct message *m = &s->messages.v[s->rows.v[i]];
		const struct name_info *id = state_info(s, m->id);
		if (id->covers > 0 || id->ref == REF_NONE)
			continue;
		open_item(b, '{');
		put_ref(b, "ref", s, id->ref);
		put(b, "tokens", text_tokens(m->face.size));
		put_text(b, "tool", names_get(s->names, m->tool));
		buf_char(b, '}');
	}
	buf_char(b, ']');
	put(b, "compressed", s->now.tokens_compressed);
}

static void put_request(struct frame *f, struct buf *b)
{
	const struct frame_request *q = frame_request(f);
	struct arena a = {0};
	if (q->lack != REQUEST_THERE || run_is_dsh(f->run))
		return;
	struct request_lines lines = request_lines_of(f, q, &a);
	open_member(b, "request", '[');
	for (size_t i = 0; i < lines.n; i++) {
		const struct request_line *l = &lines.v[i];
		const struct pi_message *m = request_line_message(q, l);
		open_item(b, '{');
		put(b, "number", l->now != 0 ? l->now : l->before);
		put_ref(b, "ref", &f->run->state, m->tag_n > 0 ? m->ref : REF_NONE);
		put(b, "bytes", (double)m->n);
		put(b, "tokens", m->tokens);
		put(b, "recorded", m->synced != 0 ? m->recorded_tokens : NAN);
		put(b, "anchor", m->anchor_tokens);
		put_text(b, "state", str_of(request_state_name((enum request_state)l->state)));
		buf_char(b, '}');
	}
	buf_char(b, ']');
	put(b, "hostBytes", lines.host_drops > 0 ? lines.host_bytes : NAN);
	arena_free(&a);
}

static uint32_t dsh_ref(struct frame *f, uint32_t row)
{
	uint32_t message = frame_dsh_message(f, row);
	return message != DSH_NONE ? state_info(&f->run->state, f->run->state.messages.v[message].id)->ref : REF_NONE;
}

static void put_dsh_ranges(struct frame *f, struct buf *b)
{
	const struct frame_dsh *d = frame_dsh(f);
	open_member(b, "probes", '[');
	for (size_t i = 0; i < d->table.ranges.n; i++) {
		const struct dsh_range *r = &d->table.ranges.v[i];
		uint32_t start = dsh_ref(f, d->nodes.list.rows.v[r->first]);
		uint32_t end = dsh_ref(f, d->nodes.list.rows.v[r->last]);
		struct range_answer kernel = {0};
		struct dsh_guard g = {0};
		frame_dsh_probe(f, r->start, r->end, &g);
		if (start != REF_NONE && end != REF_NONE && frame_ranges(f) != NULL)
			frame_range_ask(f, start, end, &kernel);
		open_item(b, '{');
		put(b, "start", (double)r->start);
		put(b, "first", r->first);
		put(b, "last", r->last);
		put(b, "over", r->over >= 0 ? (double)r->over : (double)NAN);
		open_member(b, "figures", '[');
		for (size_t k = 0; k < g.hits.seqs.n; k++)
			put_item(b, (double)g.hits.seqs.v[k]);
		for (size_t k = 0; k < g.slices_n; k++) {
			put_item(b, (double)g.slices[k].first);
			put_item(b, (double)g.slices[k].last);
		}
		buf_char(b, ']');
		put_answer(&kernel, b);
		buf_char(b, '}');
		dsh_guard_free(&g);
	}
	buf_char(b, ']');
}

static void put_ledger(struct frame *f, struct buf *b)
{
	const struct run *r = f->run;
	const struct dsh_ledger *l = &r->dsh.ledger;
	int64_t at = dsh_seq_at(r);
	struct dsh_found_list found = {0};
	open_member(b, "ledger", '[');
	for (size_t i = 0; i < dsh_ledger_count(l, at); i++) {
		const struct dsh_block *k = &l->blocks.v[i];
		const struct dsh_compaction *made = dsh_log_row(l->log, k->summary)->compaction;
		uint32_t checkpoint = dsh_ledger_checkpoint(l, k, at);
		struct buf ref = {0};
		dsh_block_ref(l, k, &ref);
		open_item(b, '{');
		put_text(b, "ref", buf_view(&ref));
		put_text(b, "id", names_get(&l->log->names, k->id));
		put(b, "tier", k->tier);
		put(b, "active", dsh_block_active(l, k, at));
		put(b, "checkpoint", checkpoint != DSH_NONE ? (double)dsh_log_seq(l->log, checkpoint) : (double)NAN);
		put(b, "rows", made != NULL ? (double)made->shadowed_n : (double)NAN);
		put(b, "tokens", k->tokens);
		buf_char(b, '}');
		buf_free(&ref);
	}
	buf_char(b, ']');
	dsh_findings(r, at, &found);
	open_member(b, "findings", '[');
	for (size_t i = 0; i < found.list.n; i++) {
		open_item(b, '[');
		put_finding(r, &found.list.v[i], b);
		buf_char(b, ']');
	}
	buf_char(b, ']');
	put(b, "total", dsh_meter_at(&r->dsh.meter, at));
	vec_free(&found.list);
}

static void put_dsh(struct frame *f, struct buf *b)
{
	const struct frame_dsh *d = frame_dsh(f);
	if (d == NULL)
		return;
	put_dsh_ranges(f, b);
	put_ledger(f, b);
	open_member(b, "surface", '[');
	for (size_t i = 0; i < d->nodes.list.rows.n; i++) {
		uint32_t row = d->nodes.list.rows.v[i];
		const struct dsh_row *r = dsh_log_row(d->fold->log, row);
		open_item(b, '{');
		put(b, "seq", (double)dsh_log_seq(d->fold->log, row));
		put(b, "tokens", dsh_row_display(r));
		put_ref(b, "ref", &f->run->state, dsh_ref(f, row));
		put(b, "start", (double)r->start);
		put(b, "end", (double)r->end);
		buf_char(b, '}');
	}
	buf_char(b, ']');
	put(b, "preserve", (double)d->preserve);
	put(b, "display", d->tokens);
}

void explained_turn(struct frame *f, struct buf *b)
{
	buf_char(b, '{');
	put(b, "tokens", f->turn.in.tokens);
	put_rows(f, b);
	put_ranges(f, b);
	put_blocks(f, b);
	put_gates(f, b);
	put_list(f, b);
	put_request(f, b);
	put_dsh(f, b);
	buf_char(b, '}');
}
