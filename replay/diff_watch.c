#include "replay/diff_watch.h"

#include "engine/base/fnv.h"
#include "replay/canon.h"
#include "replay/frame_request.h"

/* Eight bytes at a time: these hashes are compared with each other only, and a turn can have thousands of ranges. */
static inline uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t put_number(uint64_t h, double x)
{
	uint64_t bits = 0;
	if (x != x)
		bits = UINT64_MAX;
	else if (x != 0) /* -0 is 0 */
		memcpy(&bits, &x, sizeof bits);
	return mix(h, bits);
}

/* Of a name's spelling. */
static uint64_t hash_of(struct diff_watch *w, uint32_t name)
{
	const struct names *names = &w->run->recording->names;
	vec_fill(&w->names, (size_t)name + 1);
	if (w->names.v[name] == 0)
		w->names.v[name] = fnv_text(FNV_START, names_get(names, name)) | 1;
	return w->names.v[name];
}

static uint64_t put_ref(uint64_t h, const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	if (ref <= REF_MAX || ref == REF_BLOCKED)
		return mix(h, ref);
	return fnv_text(h, state_ref_text(s, ref, text));
}

/* ---- rows ---- */

static uint64_t rows_part(struct diff_watch *w)
{
	const struct turn *t = &w->run->turn;
	size_t kept = t->kept < w->kept ? t->kept : w->kept;
	if (w->rows.n > kept)
		w->rows.n = kept;
	uint64_t h = w->rows.n > 0 ? w->rows.v[w->rows.n - 1] : FNV_START;
	for (size_t i = w->rows.n; i < t->surface.rows.n; i++) {
		h = mix(h, hash_of(w, t->surface.rows.v[i].id));
		vec_push(&w->rows, h);
	}
	w->kept = SIZE_MAX;
	return h;
}

/* ---- refs and blocks: sums over all of them, of which only the shares that changed are made again ---- */

static void update_ref(struct diff_watch *w, uint32_t name)
{
	struct state *s = &w->run->state;
	uint32_t ref = state_info(s, name)->ref;
	vec_fill(&w->refs, (size_t)name + 1);
	w->refs_sum -= w->refs.v[name];
	w->refs.v[name] = ref == REF_NONE ? 0 : put_ref(mix(FNV_START, hash_of(w, name)), s, ref);
	w->refs_sum += w->refs.v[name];
}

static uint64_t hash_block(struct diff_watch *w, uint32_t block)
{
	const struct block *k = &w->run->state.blocks.v[block];
	uint64_t h = mix(FNV_START, block);
	h = mix(h, hash_of(w, k->id));
	h = mix(h, (uint64_t)k->tier << 2 | (uint64_t)k->active << 1 | (uint64_t)k->old);
	h = put_number(h, k->survived);
	h = put_number(h, k->tokens);
	h = mix(h, (uint64_t)k->direct_n << 32 | k->effective_n);
	for (uint32_t i = 0; i < k->children_n; i++)
		h = mix(h, hash_of(w, k->children[i]));
	return h;
}

static void update_block(struct diff_watch *w, uint32_t block)
{
	vec_fill(&w->blocks, (size_t)block + 1);
	w->blocks_sum -= w->blocks.v[block];
	w->blocks.v[block] = hash_block(w, block);
	w->blocks_sum += w->blocks.v[block];
}

/* Another state took over: nothing of it is in the journal. */
static void take_all(struct diff_watch *w)
{
	const struct state *s = &w->run->state;
	w->refs.n = w->blocks.n = w->rows.n = 0;
	w->refs_sum = w->blocks_sum = 0;
	for (size_t i = 0; i < s->raw_order.n; i++)
		update_ref(w, s->raw_order.v[i]);
	for (uint32_t i = 0; i < s->blocks.n; i++)
		update_block(w, i);
	w->begun = true;
	w->epoch = w->run->epoch;
}

static void take_changes(struct diff_watch *w)
{
	const struct state *s = &w->run->state;
	for (size_t i = w->mark; i < s->at; i++) {
		const struct change *c = &s->journal.v[i];
		if (c->kind == CHANGE_REF)
			update_ref(w, c->a);
		else if (c->kind == CHANGE_BLOCK || c->kind == CHANGE_ACTIVE || c->kind == CHANGE_OLD)
			update_block(w, c->a);
	}
	for (size_t i = 0; i < s->live.n; i++) /* their age is counted without a word of each in the journal */
		update_block(w, s->live.v[i]);
}

static void catch_up(struct diff_watch *w)
{
	const struct state *s = &w->run->state;
	if (w->begun && w->epoch == w->run->epoch && w->mark <= s->at && w->blocks.n <= s->blocks.n)
		take_changes(w);
	else
		take_all(w);
	w->mark = s->at;
}

static uint64_t refs_part(struct diff_watch *w)
{
	const struct state *s = &w->run->state;
	uint64_t h = mix(mix(FNV_START, w->refs_sum), s->refs_n);
	if (s->rows.n == 0)
		return h;
	uint32_t last = s->messages.v[s->rows.v[s->rows.n - 1]].id;
	return put_ref(h, s, state_info(&w->run->state, last)->ref);
}

static uint64_t blocks_part(struct diff_watch *w) { return mix(mix(FNV_START, w->blocks_sum), w->run->state.blocks.n); }

/* ---- what the turn decided ---- */

static uint64_t recommended_part(struct diff_watch *w)
{
	const struct recommendation *rec = &w->run->turn.rec;
	uint64_t h = mix(FNV_START, rec->recommended.n);
	for (size_t i = 0; i < rec->recommended.n; i++) {
		const struct range *r = &rec->recommended.v[i];
		h = put_ref(put_ref(h, &w->run->state, r->start), &w->run->state, r->end);
		h = mix(h, (uint64_t)r->count << 32 | (uint32_t)r->tool_pct);
		h = put_number(h, r->tokens);
		h = r->has_chars ? put_number(h, r->chars) : fnv_byte(h, 0);
	}
	return h;
}

static uint64_t protected_part(struct diff_watch *w)
{
	const struct recommendation *rec = &w->run->turn.rec;
	uint64_t h = mix(FNV_START, rec->protected_ranges.n);
	for (size_t i = 0; i < rec->protected_ranges.n; i++) {
		const struct protected_range *r = &rec->protected_ranges.v[i];
		h = put_ref(put_ref(h, &w->run->state, r->start), &w->run->state, r->end);
		h = put_number(mix(h, r->count), r->tokens);
		for (uint32_t k = 0; k < r->tools_n; k++)
			h = mix(h, hash_of(w, rec->tools.v[r->tools_at + k]));
	}
	return h;
}

static uint64_t nudge_part(struct diff_watch *w)
{
	const struct nudge_decision *d = &w->run->turn.nudge;
	uint64_t h = mix(FNV_START, (uint64_t)d->tier << 1 | (uint64_t)d->inject);
	for (size_t i = 0; i < d->targets.n; i++)
		h = mix(h, hash_of(w, w->run->state.blocks.v[d->targets.v[i]].id));
	return h;
}

static uint64_t figures_part(struct diff_watch *w)
{
	const struct nudge_numbers *n = &w->run->turn.nudge.n;
	const struct nudge_context *c = &w->run->turn.nudge.context;
	const struct scalars *now = &w->run->state.now;
	const double figures[] = {n->usage,      n->growth, n->reference,  n->effective_threshold,
				  n->threshold,  n->floor,  n->pending[1], n->pending[2],
				  n->pending[3], c->system, c->tool,       c->summaries,
				  c->code,       c->text,   c->total,      c->growth,
				  now->baseline, now->shown};
	uint64_t h = mix(FNV_START, (uint64_t)now->tier_set << 3 | (uint64_t)n->has_pending << 2 |
					    (uint64_t)n->over_limit << 1 | (uint64_t)n->emergency);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		h = put_number(h, figures[i]);
	for (int tier = 1; tier <= 3; tier++)
		if (now->tier_set >> tier & 1)
			h = put_number(h, now->tier_shown[tier]);
	return h;
}

static uint64_t totals_part(struct diff_watch *w)
{
	const struct state *s = &w->run->state;
	uint64_t h = put_number(FNV_START, s->now.tokens_compressed);
	return mix(put_number(h, s->now.compression_count), s->snapshot_n);
}

/* A row's bytes never change: which rows, and in which order, is all there is. */
static uint64_t dsh_request_part(const struct diff_watch *w)
{
	const struct dsh_surface *s = &w->run->dsh.fold.surface;
	uint64_t h = FNV_START;
	for (uint32_t row = dsh_surface_first(s); row != DSH_NONE; row = dsh_surface_next(s, row)) {
		const struct dsh_row *r = dsh_log_row(s->log, row);
		h = put_number(put_number(mix(h, (uint64_t)r->seq), r->price), r->text.units);
	}
	return h;
}

static uint64_t request_part(struct diff_watch *w)
{
	const struct sender *sender = &w->run->sender;
	if (!w->run->want_requests)
		return FNV_START;
	if (run_is_dsh(w->run))
		return dsh_request_part(w);
	return mix(pi_egress_hash(&sender->egress), sender->sent.v[sender->sent.n - 1].tail_hash);
}

static uint64_t (*const parts[PART_COUNT])(struct diff_watch *w) = {
	[PART_ROWS] = rows_part,           [PART_REFS] = refs_part,
	[PART_BLOCKS] = blocks_part,       [PART_RECOMMENDED] = recommended_part,
	[PART_PROTECTED] = protected_part, [PART_NUDGE] = nudge_part,
	[PART_FIGURES] = figures_part,     [PART_TOTALS] = totals_part,
	[PART_REQUEST] = request_part,
};

static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m)
{
	struct diff_watch *w = ctx;
	struct diff_mark mark = {{0}};
	(void)r;
	(void)n;
	if (m->events & MOMENT_CAPACITY) {
		w->kept = 0; /* what the turn was at is gone */
	} else {
		catch_up(w);
		for (int i = 0; i < PART_COUNT; i++)
			mark.part[i] = parts[i](w);
	}
	vec_push(&w->turns, mark);
}

/* ---- compress calls ---- */

static struct str kinds_text(struct diff_watch *w, const struct compress_note *notes, size_t n)
{
	struct buf b = {0};
	canon_kinds(&b, notes, n);
	struct str text = {arena_copy(&w->arena, b.p, b.n), b.n};
	buf_free(&b);
	return text;
}

static void on_compress(void *ctx, struct run *r, const struct compress_event *e)
{
	struct diff_watch *w = ctx;
	const struct apply_result *a = e->result;
	struct diff_call_mark mark = {.errors = STR("[]"), .warnings = STR("[]")};
	if (a != NULL && r->turn.kept < w->kept)
		w->kept = r->turn.kept;
	else if (a == NULL && e->parse->n > 0)
		w->kept = 0;
	if (a != NULL && a->errors.n > 0)
		mark.errors = kinds_text(w, a->errors.v, a->errors.n);
	if (a != NULL && a->warnings.n > 0)
		mark.warnings = kinds_text(w, a->warnings.v, a->warnings.n);
	uint64_t h = mix(FNV_START, hash_of(w, e->source->call));
	h = mix(h, (uint64_t)e->parse->kind << 1 | (uint64_t)e->applied);
	h = mix(mix(h, e->parse->n), e->parse->invalid_items);
	h = put_number(mix(h, a != NULL ? a->blocks_created : 0), a != NULL ? a->tokens_compressed : 0);
	mark.hash = fnv_text(fnv_text(h, mark.errors), mark.warnings);
	vec_push(&w->calls, mark);
}

void diff_watch_begin(struct diff_watch *w, struct run *r)
{
	*w = (struct diff_watch){.run = r};
	r->want_requests = request_figures(r);
	r->observer = (struct run_observer){on_turn, on_compress, w};
}

void diff_watch_free(struct diff_watch *w)
{
	arena_free(&w->arena);
	vec_free(&w->turns);
	vec_free(&w->calls);
	vec_free(&w->names);
	vec_free(&w->rows);
	vec_free(&w->refs);
	vec_free(&w->blocks);
	*w = (struct diff_watch){0};
}
