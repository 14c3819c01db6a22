#include "replay/frame.h"

#include <math.h>

#include "engine/base/fnv.h"
#include "replay/frame_dsh.h"
#include "replay/frame_request.h"

/*
 * What a row's text is, without reading it: the text of a message never
 * changes, so tag, peeled bytes and an alternative text decide.
 */
static uint64_t row_print(const struct surface_row *row, const struct alternatives *alt)
{
	uint64_t tag, h = fnv_u64(FNV_START, row->peel);
	if (row->tagged) {
		memcpy(&tag, &row->tag_tokens, sizeof tag);
		h = fnv_u64(fnv_u64(h, tag), row->ref);
	}
	if (row->alternative != ALTERNATIVE_NONE)
		h = fnv_bytes(h, alt->list.v[row->alternative].p, alt->list.v[row->alternative].n);
	return h == 0 ? 1 : h;
}

static void places_clear(struct frame_places *p)
{
	if (++p->round != 0)
		return;
	p->message.n = p->name.n = 0; /* what grows again is zeroed */
	p->round = 1;
}

static void places_free(struct frame_places *p)
{
	vec_free(&p->message);
	vec_free(&p->name);
}

/* The number of a row, 0 = none. */
static uint64_t place_get(const struct frame_places *p, const struct surface_row *row)
{
	const struct frame_place *v = row->source >= 0 ? p->message.v : p->name.v;
	size_t n = row->source >= 0 ? p->message.n : p->name.n;
	size_t at = row->source >= 0 ? (size_t)row->source : row->id;
	return at < n && v[at].round == p->round ? v[at].value : 0;
}

static void place_set(struct frame_places *p, const struct surface_row *row, uint64_t value)
{
	struct frame_place place = {value, p->round};
	if (row->source >= 0) {
		vec_fill(&p->message, (size_t)row->source + 1);
		p->message.v[row->source] = place;
	} else {
		vec_fill(&p->name, (size_t)row->id + 1);
		p->name.v[row->id] = place;
	}
}

/* The rows as the turn sees them now: the host's list as long as prune has not run. */
static void take_surface(struct surface *out, const struct turn *t, struct state *s, unsigned done)
{
	if (done < NODE_PRUNE) {
		surface_from_rows(out, s);
		return;
	}
	out->rows.n = 0;
	vec_reserve(&out->rows, t->surface.rows.n);
	if (t->surface.rows.n > 0)
		memcpy(out->rows.v, t->surface.rows.v, t->surface.rows.n * sizeof *out->rows.v);
	out->rows.n = t->surface.rows.n;
}

/* Zone, protected pairs and last user row of a surface: what the flags P, R, U are taken from. */
static void take_zone(struct frame *f, const struct surface *surface)
{
	struct state *s = &f->run->state;
	const struct counter *counter = &f->turn.in.counter;
	protect_zone(surface, s, counter, &f->zone);
	protect_call_ids(surface, s, false, &f->calls);
	f->last_user_rules = 0;
	for (size_t i = surface->rows.n; i-- > 0;) {
		const struct surface_row *row = &surface->rows.v[i];
		if (row->role != ROLE_USER || surface_skip(row))
			continue;
		f->last_user = row->ref;
		f->last_user_rules = protect_zone_rules(surface, s, counter, i);
		return;
	}
}

/*
 * Runs the nodes up to `node` in the present probe, as a turn before `record`. `before` (may be NULL) gets
 * the rows before the last of them; the zone is taken when `f` is given.
 */
static enum status run_nodes(struct run *r, struct turn *t, size_t record, double tokens, unsigned node,
			     struct frame *f, struct surface *before)
{
	struct turn_input in = run_turn_input(r, record, tokens);
	turn_begin(t, &in);
	for (unsigned n = NODE_ASSIGN_REFS; n <= node; n++) {
		if (n == node && before != NULL)
			take_surface(before, t, &r->state, n - 1);
		enum status st = turn_step(t, &r->state, &r->alternatives, n);
		if (st != STATUS_OK)
			return st;
		if (n == NODE_RECOMMEND && f != NULL)
			take_zone(f, &t->surface);
	}
	return STATUS_OK;
}

/* The prints of the rows after the same node of the turn before. */
static void take_previous(struct frame *f, uint32_t turn)
{
	struct run *r = f->run;
	const struct moment *m = &r->timeline.turns.v[turn - 1];
	struct surface rows = {0};
	run_seek(r, m->record);
	state_probe_begin(&r->state);
	unsigned done = f->at.node;
	if (run_nodes(r, &f->turn, m->record, m->tokens, f->at.node, NULL, NULL) != STATUS_OK) {
		state_probe_end(&r->state);
		done = NODE_START;
	}
	take_surface(&rows, &f->turn, &r->state, done);
	for (size_t i = 0; i < rows.rows.n; i++)
		place_set(&f->prints, &rows.rows.v[i], row_print(&rows.rows.v[i], &r->alternatives));
	state_probe_end(&r->state);
	surface_free(&rows);
}

static uint32_t covering_block(struct state *s, uint32_t id)
{
	for (uint32_t l = state_info(s, id)->listed; l != 0; l = s->listings.v[l - 1].next)
		if (s->blocks.v[s->listings.v[l - 1].block].active)
			return s->listings.v[l - 1].block + 1;
	return 0;
}

static uint16_t zone_flags(const struct frame *f, const struct surface_row *row)
{
	if (row->ref == REF_NONE || row->ref == REF_BLOCKED || !mark_set_has(&f->zone, row->ref))
		return 0;
	if (f->last_user_rules == 0 || row->ref != f->last_user)
		return ROW_RECENT;
	return (uint16_t)((f->last_user_rules & ZONE_LAST_USER ? ROW_LAST_USER : 0) |
			  (f->last_user_rules & (ZONE_MESSAGES | ZONE_TOKENS) ? ROW_RECENT : 0));
}

static bool is_summary(const struct state *s, const struct surface_row *row)
{
	return row->source < 0 || message_is_summary(&s->messages.v[row->source]);
}

static void put_row(struct frame *f, const struct surface_row *row, enum row_mark mark)
{
	struct run *r = f->run;
	struct state *s = &r->state;
	uint64_t print = row_print(row, &r->alternatives), last = place_get(&f->prints, row);
	uint16_t flags = zone_flags(f, row);
	if (protect_paired(row, s, &f->calls))
		flags |= ROW_PROTECTED;
	if (row->covered)
		flags |= ROW_COVERED;
	if (row->ref == REF_BLOCKED)
		flags |= ROW_BLOCKED;
	if (mark == MARK_REMOVED && f->at.node == NODE_HIDE)
		flags |= ROW_HIDDEN;
	if (row->alternative != ALTERNATIVE_NONE && row->content == CONTENT_RESULT) /* of calls it is hide's */
		flags |= ROW_TRUNCATED;
	if (is_summary(s, row))
		flags |= ROW_SUMMARY;
	if (mark != MARK_REMOVED && last != print)
		flags |= last == 0 ? ROW_NEW : ROW_CHANGED;
	vec_push(&f->rows, (struct frame_row){.row = *row,
					      .mark = mark,
					      .flags = flags,
					      .covered_by = row->covered ? covering_block(s, row->id) : 0,
					      .tokens = counter_tokens(&f->turn.in.counter, row->face.size)});
}

static enum row_mark kept_mark(const struct surface_row *was, const struct surface_row *is)
{
	bool same = was->ref == is->ref && was->tagged == is->tagged && was->alternative == is->alternative &&
		    was->peel == is->peel;
	return same ? MARK_NONE : MARK_REWRITTEN;
}

/* Group and edges of row i of the surface, for the gutter; `group` walks along. */
static void put_range(struct frame *f, uint32_t i, size_t *group)
{
	const struct range *groups = f->turn.rec.compressible.v;
	size_t n = f->at.node >= NODE_RECOMMEND && !f->capacity ? f->turn.rec.compressible.n : 0;
	while (*group < n && groups[*group].last < i)
		++*group;
	if (*group == n || groups[*group].first > i)
		return;
	struct frame_row *row = &f->rows.v[f->rows.n - 1];
	row->range = (uint32_t)*group + 1;
	row->range_edge = (uint8_t)((groups[*group].first == i ? 1 : 0) | (groups[*group].last == i ? 2 : 0));
}

/* A merge of the surfaces before and after a node. */
struct merge {
	const struct surface *before, *after;
	VEC(uint32_t) was; /* by row of `after`: row of `before` + 1, 0 = added */
	size_t done;       /* rows of `after` that stand in the frame */
	size_t added_to;   /* from `done` up to here, rows of `after` are added ones */
	size_t group;
};

/* Rows of `after` up to `to`. */
static void put_after(struct frame *f, struct merge *m, size_t to)
{
	for (; m->done < to; m->done++) {
		const struct surface_row *row = &m->after->rows.v[m->done];
		uint32_t was = m->was.v[m->done];
		put_row(f, row, was > 0 ? kept_mark(&m->before->rows.v[was - 1], row) : MARK_ADDED);
		put_range(f, (uint32_t)m->done, &m->group);
	}
}

/* A row that is gone; where a block's summary took its place, the summary stands first. */
static void put_removed(struct frame *f, struct merge *m, const struct surface_row *row)
{
	uint32_t block = row->covered ? covering_block(&f->run->state, row->id) : 0;
	struct surface_row summary = {.source = -1};
	size_t to = 0;
	if (m->added_to < m->done)
		m->added_to = m->done;
	while (m->added_to < m->after->rows.n && m->was.v[m->added_to] == 0)
		m->added_to++;
	if (block > 0) {
		summary.id = f->run->state.blocks.v[block - 1].summary_id;
		to = (size_t)place_get(&f->now, &summary);
	}
	if (to > m->done && to <= m->added_to)
		put_after(f, m, to);
	put_row(f, row, MARK_REMOVED);
}

/* Both lists in one: rows of `after`, and between them those only `before` has. */
static void merge_rows(struct frame *f, const struct surface *before, const struct surface *after)
{
	struct merge m = {.before = before, .after = after};
	f->surface_rows = (uint32_t)after->rows.n;
	vec_fill(&m.was, after->rows.n + 1);
	for (size_t i = 0; i < after->rows.n; i++)
		place_set(&f->now, &after->rows.v[i], i + 1);
	for (size_t b = 0; b < before->rows.n; b++) {
		uint64_t at = place_get(&f->now, &before->rows.v[b]);
		if (at > 0)
			m.was.v[at - 1] = (uint32_t)b + 1;
	}
	for (size_t b = 0; b < before->rows.n; b++) {
		uint64_t at = place_get(&f->now, &before->rows.v[b]);
		if (at > 0)
			put_after(f, &m, at);
		else
			put_removed(f, &m, &before->rows.v[b]);
	}
	put_after(f, &m, after->rows.n);
	vec_free(&m.was);
}

/* The state stands before the turn: works it out in a probe that stays open. */
static void work_out(struct frame *f, double tokens)
{
	struct run *r = f->run;
	struct surface before = {0}, after = {0};
	unsigned done = f->at.node;
	state_probe_begin(&r->state);
	if (run_nodes(r, &f->turn, position_record(r, f->at), tokens, f->at.node, f, &before) != STATUS_OK) {
		state_probe_end(&r->state);
		state_probe_begin(&r->state);
		f->capacity = true;
		done = NODE_START;
	}
	take_surface(&after, &f->turn, &r->state, done);
	if (done < NODE_RECOMMEND)
		take_zone(f, &after);
	merge_rows(f, done == NODE_START ? &after : &before, &after);
	surface_free(&before);
	surface_free(&after);
}

/* Gives back what is about the position. */
static void leave(struct frame *f)
{
	if (f->run != NULL)
		state_probe_end(&f->run->state);
	if (f->request != NULL)
		frame_request_free(f->request);
	f->request = NULL;
	if (f->dsh != NULL)
		frame_dsh_free(f->dsh);
	f->dsh = NULL;
	turn_free(&f->turn);
	f->turn = (struct turn){0};
	arena_free(&f->arena);
	memset(f->kept, 0, sizeof f->kept);
	f->rows.n = 0;
	f->capacity = false;
	places_clear(&f->prints);
	places_clear(&f->now);
}

static enum status check(const struct run *r, struct position p, struct error *e)
{
	if (p.turn > r->timeline.turns.n)
		return error_set(e, STATUS_USAGE, "position: there is no turn %u, the last one is %zu", p.turn,
				 r->timeline.turns.n);
	if (p.records > position_records_after(r, p.turn))
		return error_set(e, STATUS_USAGE, "position: there are %u records between turn %u and the next",
				 position_records_after(r, p.turn), p.turn);
	return STATUS_OK;
}

enum status frame_open(struct frame *f, struct run *r, struct position p, struct error *e)
{
	enum status st = check(r, p, e);
	if (st != STATUS_OK)
		return st;
	if (f->run != r)
		frame_close(f);
	leave(f);
	f->run = r;
	f->at = p;
	f->moment = p.turn > 0 ? &r->timeline.turns.v[p.turn - 1] : NULL;
	f->counterfactual_tokens = p.turn == 0 || p.records > 0;
	uint32_t previous = p.records > 0 ? p.turn : p.turn > 0 ? p.turn - 1 : 0;
	if (previous > 0)
		take_previous(f, previous);
	turn_free(&f->turn); /* what it kept for the next turn may be about another state */
	f->turn = (struct turn){0};
	run_seek(r, position_record(r, p));
	double tokens;
	enum count_scale scale;
	if (f->counterfactual_tokens) {
		struct turn scratch = {0};
		tokens = run_count_here(r, position_record(r, p), &scratch, &scale);
		f->counted = (uint8_t)scale;
		turn_free(&scratch);
	} else {
		tokens = f->moment->tokens;
		f->counted = f->moment->counted;
	}
	work_out(f, tokens);
	return STATUS_OK;
}

void frame_return(struct frame *f)
{
	struct turn scratch = {0};
	run_seek(f->run, position_record(f->run, f->at));
	state_probe_begin(&f->run->state);
	if (!f->capacity)
		run_nodes(f->run, &scratch, position_record(f->run, f->at), f->turn.in.tokens, f->at.node, NULL, NULL);
	turn_free(&scratch);
}

void frame_close(struct frame *f)
{
	leave(f);
	vec_free(&f->rows);
	mark_set_free(&f->zone);
	mark_set_free(&f->calls);
	places_free(&f->prints);
	places_free(&f->now);
	for (int i = 0; i < STAYS_COUNT; i++)
		arena_free(&f->stays[i].arena);
	*f = (struct frame){0};
}

enum dsh_class frame_row_class(const struct frame_row *r) { return r->flags & ROW_SUMMARY ? DSH_CHECKPOINT : DSH_REAL; }

struct str frame_row_text(struct frame *f, const struct frame_row *r, struct arena *a)
{
	return surface_plain(&r->row, &f->run->state, &f->run->alternatives, a);
}

struct str frame_row_tagged_text(struct frame *f, const struct frame_row *r, struct arena *a)
{
	struct buf b = {0};
	surface_text(&r->row, &f->run->state, &f->run->alternatives, a, &b);
	struct str text = {arena_copy(a, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return text;
}
