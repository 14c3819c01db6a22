#include "tests/explained.h"

#include <math.h>

#include "engine/kernel/status.h"
#include "replay/checks.h"
#include "replay/frame_blocks.h"
#include "replay/frame_request.h"
#include "replay/gates.h"
#include "replay/hits.h"
#include "replay/request_lines.h"
#include "tests/explained_parts.h"

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

/* The time of the row of a DSH log that an event is about; not a number where there is none. */
static double row_time(const struct run_dsh *d, const struct event *e)
{
	uint32_t row = e->kind == EVENT_REINJECT ? d->loop.pastes.v[e->index].row
		       : e->kind == EVENT_GATED  ? d->gated.v[e->index]
						 : DSH_NONE;
	if (e->kind == EVENT_COMPACTION)
		row = e->index < d->ledger.blocks.n ? d->ledger.blocks.v[e->index].summary
						    : d->outside.v[e->index - d->ledger.blocks.n].summary;
	return row != DSH_NONE ? d->fold.log->rows.v[row].time : (double)NAN;
}

/* When it happened: compress calls and rows of a DSH log have a time of their own. */
static double time_of(const struct run *r, const struct event *e)
{
	const struct recording *rec = r->recording;
	bool called = e->kind == EVENT_COMPRESS || e->kind == EVENT_DIVERGED;
	if (called && e->record < rec->records.n && rec->records.v[e->record].type == RECORD_COMPRESS)
		return rec->compressions.v[rec->records.v[e->record].index].time;
	if (!isnan(row_time(&r->dsh, e)))
		return row_time(&r->dsh, e);
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
		explained_dsh_event(r, list, e, b);
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
		explained_loop(r, b);
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

void explained_answer(const struct range_answer *a, struct buf *b)
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
		explained_answer(frame_range_answer(f, i), b);
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
	explained_dsh(f, b);
	buf_char(b, '}');
}
