#include "engine/host/dsh_loop.h"

void dsh_loop_init(struct dsh_loop *l, const struct dsh_log *log)
{
	*l = (struct dsh_loop){.log = log, .copies.log = log};
}

void dsh_loop_free(struct dsh_loop *l)
{
	vec_free(&l->foldings);
	vec_free(&l->scopes);
	vec_free(&l->rows);
	vec_free(&l->folding_of);
	vec_free(&l->scratch.rows);
	dsh_scopes_free(&l->copies);
	vec_free(&l->pastes);
	vec_free(&l->overlaps);
	vec_free(&l->chains);
}

/* ---- foldings ---- */

static int scope_order(const void *a, const void *b)
{
	const struct dsh_loop_scope *x = a, *y = b;
	return x->name != y->name ? (x->name > y->name) - (x->name < y->name) : y->newest - x->newest;
}

/* Each scope once, as newest when any of its copies was. */
static void tidy_scopes(struct dsh_loop *l, struct dsh_folding *g)
{
	struct dsh_loop_scope *list = l->scopes.v + g->scopes_at;
	size_t n = l->scopes.n - g->scopes_at, kept = 0;
	if (n > 1)
		qsort(list, n, sizeof *list, scope_order);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || list[i].name != list[kept - 1].name)
			list[kept++] = list[i];
	l->scopes.n = g->scopes_at + kept;
	g->scopes_n = kept;
}

/* Baseline rows on the surface that the host's gate sees. */
static size_t visible_baselines(const struct dsh_fold *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->scopes.baselines.n; i++)
		n += dsh_surface_is_node(&f->surface, f->scopes.baselines.v[i]);
	return n;
}

static void fold_rows(struct dsh_loop *l, const struct dsh_fold *f, struct dsh_folding *g)
{
	size_t baselines = 0;
	for (size_t i = 0; i < l->scratch.rows.n; i++) {
		uint32_t row = l->scratch.rows.v[i];
		const struct dsh_row *r = dsh_log_row(l->log, row);
		const struct dsh_traits *t = dsh_fold_traits(f, row);
		if (!t->agent)
			continue;
		g->instructions = true;
		g->baseline |= r->baseline;
		baselines += t->exact && r->baseline;
		for (uint32_t c = 0; c < r->changes_n; c++) {
			uint32_t scope = r->changes[c].scope;
			bool newest = dsh_scopes_newest(&f->scopes, scope) == row;
			vec_push(&l->scopes, (struct dsh_loop_scope){scope, newest});
		}
	}
	g->last_baseline = baselines && baselines == visible_baselines(f);
}

static void tell_folding(struct dsh_loop *l, const struct dsh_fold *f, const struct dsh_row *r, int64_t start,
			 int64_t end)
{
	struct dsh_folding g = {.checkpoint = r->seq, .end = r->seq, .id = r->compaction_id, .scopes_at = l->scopes.n};
	if (dsh_surface_span(&f->surface, start, end, &l->scratch) != DSH_FOLDED)
		return;
	fold_rows(l, f, &g);
	tidy_scopes(l, &g);
	vec_push(&l->foldings, g);
	if (g.id) {
		vec_fill(&l->folding_of, (size_t)g.id + 1);
		l->folding_of.v[g.id] = (uint32_t)l->foldings.n;
	}
}

static void tell_end(struct dsh_loop *l, const struct dsh_row *r)
{
	uint32_t id = r->compaction->id, place = id < l->folding_of.n ? l->folding_of.v[id] : 0;
	if (id && place) {
		l->foldings.v[place - 1].end = r->seq;
		l->folding_of.v[id] = 0; /* the first end counts */
	}
}

void dsh_loop_tell_at(struct dsh_loop *l, const struct dsh_fold *f, uint32_t row, int64_t start, int64_t end)
{
	const struct dsh_row *r = dsh_log_row(l->log, row);
	if (r->type == DSH_END)
		tell_end(l, r);
	if (r->type != DSH_USER)
		return;
	struct dsh_traits t = dsh_classify(l->log, r, f->rules.sources);
	if (t.class == DSH_CHECKPOINT && r->op == DSH_REPLACE)
		tell_folding(l, f, r, start, end);
	dsh_scopes_tell(&l->copies, row, &t);
	if (t.agent && r->op == DSH_APPEND)
		vec_push(&l->rows, row);
}

void dsh_loop_tell(struct dsh_loop *l, const struct dsh_fold *f, uint32_t row)
{
	const struct dsh_row *r = dsh_log_row(l->log, row);
	dsh_loop_tell_at(l, f, row, r->start, r->end);
}

/* ---- matching ---- */

/* What judging keeps while it goes through the rows. */
struct judge {
	struct dsh_loop *l;
	int64_t k;
	size_t begun; /* foldings whose end has come */
	VEC(uint32_t)
	newest_of;         /* by scope name: folding + 1 that took its newest copy in, and has not been answered */
	uint32_t baseline; /* the same for the last visible baseline row */
};

static int end_order(const void *a, const void *b)
{
	const struct dsh_folding *x = a, *y = b;
	if (x->end != y->end)
		return x->end > y->end ? 1 : -1;
	return (x->checkpoint > y->checkpoint) - (x->checkpoint < y->checkpoint);
}

static const struct dsh_loop_scope *scope_in(const struct dsh_loop *l, const struct dsh_folding *g, uint32_t name)
{
	struct dsh_loop_scope key = {name, true};
	size_t from = g->scopes_at, to = g->scopes_at + g->scopes_n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (l->scopes.v[middle].name < key.name)
			from = middle + 1;
		else
			to = middle;
	}
	return from < g->scopes_at + g->scopes_n && l->scopes.v[from].name == name ? &l->scopes.v[from] : NULL;
}

enum match { NO_MATCH, WEAK_MATCH, STRONG_MATCH };

static enum match match(const struct dsh_loop *l, const struct dsh_folding *g, const struct dsh_row *r)
{
	enum match m = g->instructions && r->baseline && g->baseline ? WEAK_MATCH : NO_MATCH;
	if (r->baseline && g->last_baseline)
		return STRONG_MATCH;
	for (uint32_t i = 0; i < r->changes_n; i++) {
		const struct dsh_loop_scope *s = scope_in(l, g, r->changes[i].scope);
		if (s && s->newest)
			return STRONG_MATCH;
		if (s)
			m = WEAK_MATCH;
	}
	return m;
}

/* Foldings whose end came before this row become answerable. */
static void begin_foldings(struct judge *j, int64_t before)
{
	struct dsh_loop *l = j->l;
	for (; j->begun < l->foldings.n && l->foldings.v[j->begun].end < before; j->begun++) {
		const struct dsh_folding *g = &l->foldings.v[j->begun];
		for (size_t i = 0; i < g->scopes_n; i++) {
			const struct dsh_loop_scope *s = &l->scopes.v[g->scopes_at + i];
			if (!s->newest)
				continue;
			vec_fill(&j->newest_of, (size_t)s->name + 1);
			j->newest_of.v[s->name] = (uint32_t)j->begun + 1;
		}
		if (g->last_baseline)
			j->baseline = (uint32_t)j->begun + 1;
	}
}

/* Strong within K, the later first, else remembers the weak one. SIZE_MAX = none. */
static size_t near_folding(const struct judge *j, const struct dsh_row *r, size_t *weak)
{
	const struct dsh_loop *l = j->l;
	*weak = SIZE_MAX;
	for (size_t i = j->begun; i-- > 0 && r->seq - l->foldings.v[i].end <= j->k;) {
		enum match m = match(l, &l->foldings.v[i], r);
		if (m == STRONG_MATCH)
			return i;
		if (m == WEAK_MATCH && *weak == SIZE_MAX)
			*weak = i;
	}
	return SIZE_MAX;
}

/* The latest folding that still waits for an answer about a scope of the row; answered now. */
static size_t waiting_folding(struct judge *j, const struct dsh_row *r)
{
	uint32_t best = r->baseline ? j->baseline : 0;
	for (uint32_t i = 0; i < r->changes_n; i++) {
		uint32_t scope = r->changes[i].scope, waits = scope < j->newest_of.n ? j->newest_of.v[scope] : 0;
		if (waits > best)
			best = waits;
		if (waits)
			j->newest_of.v[scope] = 0;
	}
	if (r->baseline)
		j->baseline = 0;
	return best ? best - 1 : SIZE_MAX;
}

/* The copy of a scope before this row, or NULL. */
static const struct dsh_change *change_before(const struct dsh_loop *l, uint32_t scope, uint32_t row)
{
	const struct dsh_scope *s = dsh_scopes_find(&l->copies, scope);
	size_t from = 0, to = s ? s->copies.n : 0;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (s->copies.v[middle] < row)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? dsh_row_change(dsh_log_row(l->log, s->copies.v[from - 1]), scope) : NULL;
}

static bool is_unchanged(const struct dsh_loop *l, uint32_t row, uint32_t scope)
{
	const struct dsh_change *now = dsh_row_change(dsh_log_row(l->log, row), scope),
				*before = change_before(l, scope, row);
	return now && before && now->digest && now->digest == before->digest;
}

static bool is_pure(const struct dsh_loop *l, const struct dsh_paste *p)
{
	const struct dsh_row *r = dsh_log_row(l->log, p->row);
	for (size_t i = 0; i < p->scopes_n; i++)
		if (!is_unchanged(l, p->row, l->overlaps.v[p->scopes_at + i]))
			return false;
	for (uint32_t i = 0; i < r->changes_n && p->scopes_n == 0; i++)
		if (!is_unchanged(l, p->row, r->changes[i].scope))
			return false;
	return true;
}

/* A scope named twice overlaps once. */
static void find_overlaps(struct dsh_loop *l, struct dsh_paste *p)
{
	const struct dsh_row *r = dsh_log_row(l->log, p->row);
	const struct dsh_folding *g = &l->foldings.v[p->folding];
	p->scopes_at = l->overlaps.n;
	for (uint32_t i = 0; i < r->changes_n; i++) {
		uint32_t scope = r->changes[i].scope;
		if (scope_in(l, g, scope) && dsh_row_change(r, scope) == &r->changes[i])
			vec_push(&l->overlaps, scope);
	}
	p->scopes_n = l->overlaps.n - p->scopes_at;
}

static void add_paste(struct judge *j, uint32_t row, size_t folding, bool weak, bool within)
{
	struct dsh_loop *l = j->l;
	struct dsh_folding *g = &l->foldings.v[folding];
	const struct dsh_row *r = dsh_log_row(l->log, row);
	struct dsh_paste p = {.row = row,
			      .folding = folding,
			      .dist_end = r->seq - g->end,
			      .dist_checkpoint = r->seq - g->checkpoint,
			      .weak = weak,
			      .within = within};
	p.wrapper = !str_eq(names_get(&l->log->names, r->kind), STR("agent-instructions"));
	find_overlaps(l, &p);
	p.pure = is_pure(l, &p);
	vec_push(&l->pastes, p);
	if (weak)
		return;
	if (within)
		g->pastes++;
	else
		g->later++;
	if (p.pure && within)
		l->wasted += r->price;
	else if (p.pure)
		l->wasted_later += r->price;
}

static void judge_row(struct judge *j, uint32_t row)
{
	const struct dsh_row *r = dsh_log_row(j->l->log, row);
	size_t weak, near, waiting;
	begin_foldings(j, r->seq);
	near = near_folding(j, r, &weak);
	waiting = waiting_folding(j, r);
	if (near != SIZE_MAX)
		add_paste(j, row, near, false, true);
	else if (waiting != SIZE_MAX)
		add_paste(j, row, waiting, false, false);
	else if (weak != SIZE_MAX)
		add_paste(j, row, weak, true, true);
}

/* ---- figures and chains ---- */

static void count_foldings(struct dsh_loop *l, int64_t k)
{
	VEC(uint8_t) near = {0};
	vec_fill(&near, l->foldings.n);
	for (size_t i = 0; i < l->pastes.n; i++)
		if (!l->pastes.v[i].weak && l->pastes.v[i].dist_checkpoint <= k)
			near.v[l->pastes.v[i].folding] = 1;
	for (size_t i = 0; i < l->foldings.n; i++) {
		l->reinjected += l->foldings.v[i].pastes > 0;
		l->reinjected_later += l->foldings.v[i].pastes == 0 && l->foldings.v[i].later > 0;
		l->reinjected_checkpoint += near.v[i];
	}
	vec_free(&near);
}

/* A scope that a folding took the newest copy of; was it pasted again, K being near? */
struct link {
	uint32_t scope;
	size_t folding;
	bool again;
};

static int link_order(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	if (x->scope != y->scope)
		return x->scope > y->scope ? 1 : -1;
	if (x->folding != y->folding)
		return x->folding > y->folding ? 1 : -1;
	return y->again - x->again;
}

static void close_chain(struct dsh_loop *l, struct dsh_chain *c)
{
	if (c->length > 1)
		vec_push(&l->chains, *c);
	c->length = 0;
}

static void find_chains(struct dsh_loop *l)
{
	VEC(struct link) links = {0};
	struct dsh_chain c = {0};
	for (size_t i = 0; i < l->foldings.n; i++)
		for (size_t k = 0; k < l->foldings.v[i].scopes_n; k++) {
			const struct dsh_loop_scope *s = &l->scopes.v[l->foldings.v[i].scopes_at + k];
			if (s->newest)
				vec_push(&links, (struct link){s->name, i, false});
		}
	for (size_t i = 0; i < l->pastes.n; i++) {
		const struct dsh_paste *p = &l->pastes.v[i];
		for (size_t k = 0; k < p->scopes_n && p->within && !p->weak; k++) {
			uint32_t scope = l->overlaps.v[p->scopes_at + k];
			if (scope_in(l, &l->foldings.v[p->folding], scope)->newest)
				vec_push(&links, (struct link){scope, p->folding, true});
		}
	}
	if (links.n > 1)
		qsort(links.v, links.n, sizeof *links.v, link_order);
	for (size_t i = 0; i < links.n; i++) {
		const struct link *one = &links.v[i];
		if (i && one->scope == links.v[i - 1].scope && one->folding == links.v[i - 1].folding)
			continue; /* a paste comes before the folding it answers */
		if (c.scope != one->scope || !one->again)
			close_chain(l, &c);
		if (!one->again)
			continue;
		if (c.length++ == 0)
			c.first = one->folding;
		c.scope = one->scope;
		c.last = one->folding;
	}
	close_chain(l, &c);
	vec_free(&links);
}

void dsh_loop_judge(struct dsh_loop *l, int64_t k)
{
	struct judge j = {.l = l, .k = k};
	l->pastes.n = l->overlaps.n = l->chains.n = 0;
	l->reinjected = l->reinjected_checkpoint = l->reinjected_later = 0;
	l->wasted = l->wasted_later = 0;
	for (size_t i = 0; i < l->foldings.n; i++)
		l->foldings.v[i].pastes = l->foldings.v[i].later = 0;
	l->folding_of.n = 0; /* the order changes */
	if (l->foldings.n > 1)
		qsort(l->foldings.v, l->foldings.n, sizeof *l->foldings.v, end_order);
	for (size_t i = 0; i < l->rows.n; i++)
		judge_row(&j, l->rows.v[i]);
	count_foldings(l, k);
	find_chains(l);
	vec_free(&j.newest_of);
}
