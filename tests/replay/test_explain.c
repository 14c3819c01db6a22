/* The whys of rows and gates against the rules worked out anew, in the plainest way, on generated states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/explain.h"
#include "tests/generate.h"
#include "tests/plain.h"
#include "tests/reasons.h"
#include "tests/replayed.h"

/* ---- rows ---- */

struct checked {
	size_t states, rows, count[RULE_COUNT];
	cJSON *config;
	struct arena arena;
};

static const struct plain_row *view_row(const struct plain *p, const struct frame_row *row, size_t *at)
{
	for (*at = 0; *at < p->view.n; ++*at)
		if (p->view.v[*at].source == row->row.source)
			return &p->view.v[*at];
	return NULL;
}

static void want_coverage(struct wanted *w, const struct plain *p, const struct plain_row *r, bool shown)
{
	uint32_t blocks[512];
	size_t n = plain_covering(p, r->id, blocks);
	for (size_t i = 0; i < n; i++) {
		struct reason *x = reasons_want(w, RULE_ROW_COVERED);
		x->variant = shown ? ROW_DROPPED_NOT : ROW_DROPPED_HERE;
		reasons_want_list(w, x, &blocks[i], 1);
	}
	/* covered and in the view: of the host's rows only the first user row is (kernel.md 4.3.4); a rendered summary
	 * can be, too, when a block lists its id */
	if (n > 0 && shown && r->source >= 0)
		reasons_want(w, RULE_ROW_FIRST_USER);
}

static void want_protection(struct wanted *w, const struct plain *p, const struct plain_row *r)
{
	bool own = plain_protected(p, r), compress = str_eq(plain_name(p, r->tool), STR("compress"));
	for (int k = 0; k < 2; k++) {
		if (k == 0 ? r->ref != REF_BLOCKED : !own)
			continue;
		struct reason *x = reasons_want(w, k == 0 ? RULE_ROW_BLOCKED : RULE_ROW_PROTECTED_TOOL);
		x->variant = !own ? GUARD_BEFORE : compress ? GUARD_COMPRESS : GUARD_ENTRY;
		if (!own)
			continue;
		x->name = r->tool;
		x->text = plain_entry(p, r->tool);
	}
	if (!own && plain_paired(p, p->view.v, p->view.n, r, false))
		reasons_want(w, RULE_ROW_PROTECTED_PAIR)->name = r->call;
	if (plain_has_header(r->text))
		reasons_want(w, RULE_ROW_HEADER);
}

static void want_call(struct wanted *w, const struct plain *p, struct frame *f, const struct plain_row *r)
{
	uint32_t blocks[512];
	size_t n = 0;
	struct arena a = {0};
	if (r->content != CONTENT_CALL || !str_eq(plain_name(p, r->tool), STR("compress")) || r->call == 0)
		return;
	for (size_t i = 0; i < p->s->blocks.n; i++)
		if (p->s->blocks.v[i].active && p->s->blocks.v[i].call == r->call)
			blocks[n++] = (uint32_t)i;
	reasons_want_list(w, reasons_want(w, RULE_ROW_KEPT_CALL), blocks, n);
	struct str own = p->s->texts.get(p->s->texts.owner, (uint32_t)r->source, &a);
	if (!str_eq(own, r->text)) {
		struct reason *x = reasons_want(w, RULE_ROW_REWRITTEN);
		x->number[0] = plain_units(own);
		x->number[1] = plain_units(r->text);
	}
	(void)f;
	arena_free(&a);
}

static void want_zone(struct wanted *w, const struct plain *p, const struct plain_row *r, size_t at)
{
	uint8_t rules = p->zone.v[at];
	if (r->ref == REF_NONE || r->ref == REF_BLOCKED)
		rules = 0;
	if (rules & ZONE_MESSAGES)
		reasons_want(w, RULE_ROW_RECENT_MESSAGES)->number[0] = p->newer.v[at];
	if (rules & ZONE_TOKENS)
		reasons_want(w, RULE_ROW_RECENT_TOKENS)->number[0] = p->newer_tokens.v[at];
	if (rules & ZONE_LAST_USER)
		reasons_want(w, RULE_ROW_LAST_USER);
	if (r->ref != REF_NONE && plain_never_recent(p, r))
		reasons_want(w, RULE_ROW_NEVER_RECENT)->name = r->tool;
}

static void want_ranges(struct wanted *w, const struct plain *p, size_t at)
{
	double min = p->c->min_range;
	if (p->group.v[at] < 0)
		return;
	uint32_t kept = p->kept_group.v[p->group.v[at]];
	if (kept == UINT32_MAX) {
		reasons_want(w, RULE_ROW_EMPTY_GROUP);
		return;
	}
	reasons_want(w, RULE_ROW_GROUP)->number[0] = kept;
	struct reason *x = reasons_want(w, RULE_ROW_RANGE);
	x->number[0] = p->merged_of.v[kept];
	x->number[1] = p->merged.v[p->merged_of.v[kept]].chars;
	x->number[2] = min;
	x->holds = min <= 0 || x->number[1] >= min;
}

/* kernel.md 4.8 over the view; the tokens of each row that is cut, NAN elsewhere. */
static void plain_cuts(struct plain *p, double tokens, double limit, double *before, double *after)
{
	double theta = p->c->truncate_threshold * limit, saved = 0;
	bool *seen = arena_zero(&p->arena, p->view.n + 1, sizeof *seen);
	for (size_t i = 0; i < p->view.n; i++)
		before[i] = after[i] = NAN;
	if (!(limit > 0) || tokens / limit < p->c->truncate_threshold || tokens < theta)
		return;
	for (;;) {
		double most = -1;
		size_t best = 0;
		for (size_t i = 0; (double)i < (double)p->view.n - p->c->preserve_messages; i++) {
			const struct plain_row *r = &p->view.v[i];
			double t = plain_tokens(r->text);
			bool candidate = r->content == CONTENT_RESULT && r->source >= 0 && t >= 1000 &&
					 str_find(r->text, STR("[truncated for context space]"), 0) == SIZE_MAX;
			if (candidate && !seen[i] && t > most) {
				most = t;
				best = i;
			}
		}
		if (most < 0 || tokens - saved <= theta * 0.9)
			break;
		seen[best] = true;
		if (plain_units(p->view.v[best].text) <= 4000)
			continue;
		struct arena a = {0};
		struct buf b = {0};
		struct str text = p->view.v[best].text;
		size_t units = (size_t)plain_units(text);
		buf_str(&b, text_slice(&a, text, 0, 2000));
		buf_printf(&b, "\n\n...[truncated for context space] \xE2\x80\x94 original ~%.0f tokens]...\n\n", most);
		buf_str(&b, text_slice(&a, text, units - 2000, units));
		before[best] = most;
		after[best] = plain_tokens(buf_view(&b)); /* can be as many, or more */
		saved += most - after[best];
		buf_free(&b);
		arena_free(&a);
	}
}

static void check_row(struct frame *f, const struct plain *p, const struct frame_row *row, const double *cut,
		      const double *cut_to, struct checked *c)
{
	struct wanted w = {0};
	struct explanation x = {.arena = &c->arena};
	size_t at;
	const struct plain_row *r = view_row(p, row, &at);
	assert_non_null(r);
	want_coverage(&w, p, r, true);
	want_call(&w, p, f, r);
	if (r->ref == REF_NONE)
		reasons_want(&w, RULE_ROW_NO_REF)->variant = r->source < 0 ? NO_REF_SUMMARY : NO_REF_EMPTY_ID;
	want_protection(&w, p, r);
	want_zone(&w, p, r, at);
	want_ranges(&w, p, at);
	if (f->at.node == NODE_RENDER && !isnan(cut[at])) {
		struct reason *t = reasons_want(&w, RULE_ROW_TRUNCATED);
		t->number[0] = cut[at];
		t->number[1] = cut_to[at];
		t->number[2] = f->turn.in.tokens;
		t->number[3] = f->turn.in.tokens / f->run->config.limit;
	}
	explain_row(f, row, &x);
	reasons_compare(&w, &x, NULL, "row");
	for (size_t i = 0; i < x.reasons.n; i++) {
		reasons_check_values(&x.reasons.v[i], c->config);
		c->count[x.reasons.v[i].rule]++;
	}
	c->rows++;
	explanation_free(&x);
	vec_free(&w.list);
}

/* ---- rows that prune and hide take away ---- */

static bool about_removal(enum rule rule)
{
	switch (rule) {
	case RULE_ROW_COVERED:
	case RULE_ROW_FIRST_USER:
	case RULE_ROW_SHOWN_AGAIN:
	case RULE_ROW_ORPHAN:
	case RULE_ROW_HIDDEN_CALL:
	case RULE_ROW_HIDDEN_RESULT:
		return true;
	default:
		return false;
	}
}

static void want_removal(struct wanted *w, const struct plain *p, const struct plain_row *r, enum plain_fate fate)
{
	uint32_t blocks[512];
	size_t n = 0;
	struct reason *x;
	switch (fate) {
	case PLAIN_COVERED:
		want_coverage(w, p, r, false);
		break;
	case PLAIN_SHOWN_AGAIN:
		reasons_want(w, RULE_ROW_SHOWN_AGAIN)->variant = r->content;
		break;
	case PLAIN_ORPHAN:
		want_coverage(w, p, r, true); /* the first user row: coverage did not drop it */
		reasons_want(w, RULE_ROW_ORPHAN)->variant = r->content;
		break;
	case PLAIN_HIDDEN:
		want_coverage(w, p, r, true);
		if (r->content != CONTENT_CALL) {
			reasons_want(w, RULE_ROW_HIDDEN_RESULT)->name = r->call;
			break;
		}
		for (size_t i = 0; r->call != 0 && i < p->s->blocks.n; i++)
			if (p->s->blocks.v[i].call == r->call)
				blocks[n++] = (uint32_t)i;
		x = reasons_want(w, RULE_ROW_HIDDEN_CALL);
		x->variant = r->call == 0 ? HIDDEN_NO_ID : n == 0 ? HIDDEN_ORPHAN : HIDDEN_INACTIVE;
		reasons_want_list(w, x, blocks, n);
		break;
	default:
		break;
	}
}

/* Rows removed at prune or at hide, each with its reason, and no others. */
static void check_removed(struct frame *f, const struct plain *p, struct checked *c)
{
	size_t expected = 0, found = 0;
	for (size_t i = 0; i < p->fates.n; i++) {
		enum plain_fate fate = (enum plain_fate)p->fates.v[i];
		expected += fate != PLAIN_STAYS && (fate == PLAIN_HIDDEN) == (f->at.node == NODE_HIDE);
	}
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct frame_row *row = &f->rows.v[i];
		struct wanted w = {0};
		struct explanation x = {.arena = &c->arena};
		size_t at = 0;
		if (row->mark != MARK_REMOVED)
			continue;
		while (p->s->rows.v[at] != (uint32_t)row->row.source)
			at++;
		const struct message *m = &p->s->messages.v[row->row.source];
		struct plain_row r = {row->row.source, m->id,      row->row.ref, m->tool, m->call,
				      m->role,         m->content, {0},          0};
		assert_int_equal(p->fates.v[at] == PLAIN_HIDDEN, f->at.node == NODE_HIDE);
		want_removal(&w, p, &r, (enum plain_fate)p->fates.v[at]);
		explain_row(f, row, &x);
		reasons_compare(&w, &x, about_removal, "removed row");
		for (size_t k = 0; k < x.reasons.n; k++)
			c->count[x.reasons.v[k].rule] += about_removal((enum rule)x.reasons.v[k].rule);
		found++;
		explanation_free(&x);
		vec_free(&w.list);
	}
	assert_int_equal(found, expected);
}

/* ---- gates (kernel.md 4.7.1 to 4.7.3) ---- */

struct plain_nudge {
	double usage, g, f, d, p[4], growth, reference;
	const struct scalars *stamps;
};

static double round_half_up(double x) { return floor(x + 0.5); }

static struct plain_nudge plain_nudge_of(const struct plain *p, const struct frame *f)
{
	const struct config *c = p->c;
	struct plain_nudge n = {.stamps = &f->turn.nudge.before};
	double tokens = f->turn.in.tokens, adaptive = round_half_up(c->limit * c->growth_ratio);
	n.usage = c->limit > 0 ? tokens / c->limit : 0;
	n.g = adaptive > c->growth_floor ? adaptive : c->growth_floor;
	n.g = n.g < c->growth_cap ? n.g : c->growth_cap;
	if (!(c->limit > 0))
		n.g = c->growth_floor;
	n.f = c->min_growth_ratio * n.g > c->min_growth_floor ? c->min_growth_ratio * n.g : c->min_growth_floor;
	n.d = round_half_up(n.g * c->tier2_multiplier);
	for (size_t i = 0; i < p->merged.n; i++)
		if (!(c->min_range > 0) || p->merged.v[i].chars >= c->min_range)
			n.p[1] += p->merged.v[i].tokens;
	for (size_t i = 0; i < p->s->blocks.n; i++) {
		const struct block *k = &p->s->blocks.v[i];
		if (k->active && k->tier < 3)
			n.p[k->tier + 1] += plain_tokens(k->summary);
	}
	n.reference = n.stamps->shown > 0 ? n.stamps->shown : n.stamps->baseline > 0 ? n.stamps->baseline : tokens;
	n.growth = tokens - n.reference;
	return n;
}

static double since_shown(const struct plain_nudge *n, double tokens, int tier)
{
	bool set = (n->stamps->tier_set >> tier & 1) && n->stamps->tier_shown[tier] != 0;
	return set ? tokens - n->stamps->tier_shown[tier] : (double)NAN;
}

static bool cadence(const struct plain_nudge *n, double tokens, int tier)
{
	double since = since_shown(n, tokens, tier);
	return isnan(since) || since >= n->f;
}

/* The tier that is injected, and the gates on the way to it. */
static int walk(const struct plain_nudge *n, const struct config *c, double tokens, bool asked[NUDGE_GATE_COUNT])
{
	asked[NUDGE_GATE_OVER_LIMIT] = asked[NUDGE_GATE_EMERGENCY] = true;
	if (n->usage >= c->nudge_max_pct || n->usage >= c->emergency_pct) {
		int best = 1;
		asked[NUDGE_GATE_PILE] = true;
		for (int t = 2; c->tiers_enabled && t <= 3; t++)
			best = n->p[t] > n->p[best] ? t : best;
		return n->p[best] > 0 ? best : 0;
	}
	asked[NUDGE_GATE_GROWTH] = true;
	if (n->growth < n->f)
		return 0;
	asked[NUDGE_GATE_T1_PILE] = true;
	if (n->p[1] >= n->g)
		return 1;
	asked[NUDGE_GATE_TIERS] = true;
	if (!c->tiers_enabled)
		return 0;
	asked[NUDGE_GATE_T2_PILE] = asked[NUDGE_GATE_T2_T1] = true;
	if (n->p[2] >= n->d && n->p[2] > n->p[1]) {
		asked[NUDGE_GATE_T2_CADENCE] = true;
		return cadence(n, tokens, 2) ? 2 : 0;
	}
	asked[NUDGE_GATE_T3_PILE] = asked[NUDGE_GATE_T3_T2] = asked[NUDGE_GATE_T3_T1] = true;
	if (n->p[3] >= n->d && n->p[3] > n->p[2] && n->p[3] > n->p[1]) {
		asked[NUDGE_GATE_T3_CADENCE] = true;
		return cadence(n, tokens, 3) ? 3 : 0;
	}
	return 0;
}

static double largest(const struct plain_nudge *n, const struct config *c)
{
	double most = n->p[1];
	for (int t = 2; c->tiers_enabled && t <= 3; t++)
		most = n->p[t] > most ? n->p[t] : most;
	return most;
}

static void want_gate(struct wanted *w, const struct plain_nudge *n, const struct config *c, double tokens,
		      enum nudge_gate id, bool asked)
{
	struct reason *r = reasons_want(w, RULE_GATE);
	const struct {
		double has, needs;
		bool strict;
	} sides[NUDGE_GATE_COUNT] = {
		[NUDGE_GATE_OVER_LIMIT] = {n->usage, c->nudge_max_pct, false},
		[NUDGE_GATE_EMERGENCY] = {n->usage, c->emergency_pct, false},
		[NUDGE_GATE_PILE] = {largest(n, c), 0, true},
		[NUDGE_GATE_GROWTH] = {n->growth, n->f, false},
		[NUDGE_GATE_T1_PILE] = {n->p[1], n->g, false},
		[NUDGE_GATE_TIERS] = {c->tiers_enabled, 1, false},
		[NUDGE_GATE_T2_PILE] = {n->p[2], n->d, false},
		[NUDGE_GATE_T2_T1] = {n->p[2], n->p[1], true},
		[NUDGE_GATE_T2_CADENCE] = {since_shown(n, tokens, 2), n->f, false},
		[NUDGE_GATE_T3_PILE] = {n->p[3], n->d, false},
		[NUDGE_GATE_T3_T2] = {n->p[3], n->p[2], true},
		[NUDGE_GATE_T3_T1] = {n->p[3], n->p[1], true},
		[NUDGE_GATE_T3_CADENCE] = {since_shown(n, tokens, 3), n->f, false},
	};
	r->variant = (uint8_t)id;
	r->number[0] = sides[id].has;
	r->number[1] = sides[id].needs;
	r->number[2] = asked;
	r->holds =
		isnan(r->number[0]) || (sides[id].strict ? r->number[0] > r->number[1] : r->number[0] >= r->number[1]);
}

static void want_formula(struct wanted *w, const struct plain_nudge *n, const struct frame *f, enum rule rule)
{
	struct reason *r = reasons_want(w, rule);
	double tokens = f->turn.in.tokens, limit = f->run->config.limit;
	const double numbers[][4] = {{tokens, limit, n->usage, NAN},
				     {f->counted == COUNT_USAGE ? NAN : f->run->system_tokens, NAN, NAN, NAN},
				     {n->p[1], n->p[2], n->p[3], NAN},
				     {n->g, NAN, NAN, NAN},
				     {n->f, n->g, NAN, NAN},
				     {n->d, n->g, NAN, NAN},
				     {n->growth, tokens, n->reference, NAN},
				     {floor(n->g / 2), NAN, NAN, NAN}};
	for (int i = 0; i < 4; i++)
		r->number[i] = numbers[rule - RULE_NUDGE_USAGE][i];
	if (rule == RULE_NUDGE_GROWTH)
		r->variant = n->stamps->shown > 0      ? GROWTH_SINCE_SHOWN
			     : n->stamps->baseline > 0 ? GROWTH_SINCE_BASELINE
						       : GROWTH_SINCE_NOTHING;
	if (rule == RULE_NUDGE_COUNTED)
		r->variant = f->counted;
	if (rule == RULE_NUDGE_G)
		r->variant = !(limit > 0);
}

static void want_formulas(struct wanted *w, const struct plain_nudge *n, const struct frame *f, enum nudge_gate id)
{
	static const enum rule none = RULE_COUNT;
	static const struct {
		enum nudge_gate id;
		enum rule rules[4];
	} table[] = {{NUDGE_GATE_OVER_LIMIT, {RULE_NUDGE_USAGE, none}},
		     {NUDGE_GATE_EMERGENCY, {RULE_NUDGE_USAGE, none}},
		     {NUDGE_GATE_PILE, {RULE_NUDGE_PILES, none}},
		     {NUDGE_GATE_GROWTH, {RULE_NUDGE_GROWTH, RULE_NUDGE_F, RULE_NUDGE_G, none}},
		     {NUDGE_GATE_T1_PILE, {RULE_NUDGE_PILES, RULE_NUDGE_G, none}},
		     {NUDGE_GATE_TIERS, {none}},
		     {NUDGE_GATE_T2_PILE, {RULE_NUDGE_PILES, RULE_NUDGE_D, RULE_NUDGE_G, none}},
		     {NUDGE_GATE_T2_T1, {RULE_NUDGE_PILES, none}},
		     {NUDGE_GATE_T2_CADENCE, {RULE_NUDGE_F, RULE_NUDGE_G, none}},
		     {NUDGE_GATE_T3_PILE, {RULE_NUDGE_PILES, RULE_NUDGE_D, RULE_NUDGE_G, none}},
		     {NUDGE_GATE_T3_T2, {RULE_NUDGE_PILES, none}},
		     {NUDGE_GATE_T3_T1, {RULE_NUDGE_PILES, none}},
		     {NUDGE_GATE_T3_CADENCE, {RULE_NUDGE_F, RULE_NUDGE_G, none}}};
	for (size_t i = 0; table[id].rules[i] != none; i++)
		want_formula(w, n, f, table[id].rules[i]);
	if (id <= NUDGE_GATE_EMERGENCY && f->counted != COUNT_HOST)
		want_formula(w, n, f, RULE_NUDGE_COUNTED);
	if (id == NUDGE_GATE_T1_PILE && n->stamps->shown > 0)
		want_formula(w, n, f, RULE_NUDGE_HALF);
}

static void check_gates(struct frame *f, const struct plain *p, struct checked *c)
{
	struct plain_nudge n = plain_nudge_of(p, f);
	bool asked[NUDGE_GATE_COUNT] = {false};
	assert_int_equal(walk(&n, p->c, f->turn.in.tokens, asked), f->turn.nudge.tier);
	for (int id = 0; id < NUDGE_GATE_COUNT; id++) {
		struct wanted w = {0};
		struct explanation x = {.arena = &c->arena};
		want_gate(&w, &n, p->c, f->turn.in.tokens, (enum nudge_gate)id, asked[id]);
		want_formulas(&w, &n, f, (enum nudge_gate)id);
		explain_gate(f, (enum nudge_gate)id, &x);
		reasons_compare(&w, &x, NULL, "gate");
		for (size_t i = 0; i < x.reasons.n; i++) {
			reasons_check_values(&x.reasons.v[i], c->config);
			c->count[x.reasons.v[i].rule]++;
		}
		explanation_free(&x);
		vec_free(&w.list);
	}
}

/* ---- states ---- */

static void check_nodes(struct frame *f, struct run *r, struct position at, struct checked *c)
{
	struct plain p;
	at.node = NODE_RECOMMEND;
	assert_int_equal(frame_open(f, r, at, NULL), STATUS_OK);
	if (f->capacity)
		return;
	plain_build(&p, f);
	assert_int_equal(p.view.n, f->surface_rows);
	double *cut = arena_alloc(&p.arena, (p.view.n + 1) * sizeof *cut);
	double *cut_to = arena_alloc(&p.arena, (p.view.n + 1) * sizeof *cut_to);
	plain_cuts(&p, f->turn.in.tokens, r->config.limit, cut, cut_to);
	for (size_t i = 0; i < f->rows.n; i++)
		check_row(f, &p, &f->rows.v[i], cut, cut_to, c);
	at.node = NODE_RENDER;
	assert_int_equal(frame_open(f, r, at, NULL), STATUS_OK);
	for (size_t i = 0; i < f->rows.n; i++)
		check_row(f, &p, &f->rows.v[i], cut, cut_to, c);
	check_gates(f, &p, c);
	for (at.node = NODE_PRUNE; at.node <= NODE_HIDE; at.node += NODE_HIDE - NODE_PRUNE) {
		assert_int_equal(frame_open(f, r, at, NULL), STATUS_OK);
		check_removed(f, &p, c);
	}
	plain_free(&p);
	arena_free(&c->arena);
	c->states++;
}

/* The session line as the generator wrote it. */
static cJSON *session_config(struct str text, struct arena *a)
{
	size_t end = str_find(text, STR("\n"), 0);
	return (cJSON *)json_get(json_tree(a, str_cut(text, 0, end), NULL, NULL), "config");
}

/* A generated session, in a window of its own where one is given. */
static void generate_in(const struct generate_options *o, const char *window, struct buf *b)
{
	struct buf all = {0};
	generate_recording(o, &all);
	size_t at = str_find(buf_view(&all), STR("\"contextLimit\":"), 0) + strlen("\"contextLimit\":");
	size_t end = str_find(buf_view(&all), STR(","), at);
	buf_bytes(b, all.p, window ? at : all.n);
	if (window) {
		buf_text(b, window);
		buf_bytes(b, all.p + end, all.n - end);
	}
	buf_free(&all);
}

static void check_text(struct str text, uint32_t step, struct checked *c)
{
	struct replayed s;
	struct frame f = {0};
	struct arena a = {0};
	c->config = session_config(text, &a);
	replayed_open(&s, text);
	replayed_start(&s, "K60");
	replayed_finish(&s);
	for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn += step)
		check_nodes(&f, &s.run, (struct position){.turn = turn}, c);
	frame_close(&f);
	replayed_close(&s);
	arena_free(&a);
}

static void check_session(const struct generate_options *o, const char *window, uint32_t step, struct checked *c)
{
	struct buf b = {0};
	generate_in(o, window, &b);
	check_text(buf_view(&b), step, c);
	buf_free(&b);
}

/* A row without tokens between rows that are not offered: its group is dropped. */
static const char empty_group[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":1000,\"config\":{"
	"\"preserveRecentMessages\":0,\"preserveRecentTokens\":0}}\n"
	"{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"hi\"}\n"
	"{\"type\":\"message\",\"id\":\"b\",\"role\":\"assistant\",\"contentType\":\"tool-call\",\"text\":\"{}\","
	"\"toolName\":\"compress\",\"toolCallId\":\"k\"}\n"
	"{\"type\":\"message\",\"id\":\"c\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":\"\"}\n"
	"{\"type\":\"message\",\"id\":\"d\",\"role\":\"tool\",\"contentType\":\"tool-result\",\"text\":\"no\","
	"\"toolName\":\"compress\",\"toolCallId\":\"k\"}\n"
	"{\"type\":\"message\",\"id\":\"e\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":\"so\"}\n"
	"{\"type\":\"turn\"}\n";

static void rows_and_gates(void **state)
{
	(void)state;
	struct checked c = {0};
	static const enum rule must[] = {RULE_ROW_COVERED,      RULE_ROW_FIRST_USER,     RULE_ROW_ORPHAN,
					 RULE_ROW_HIDDEN_CALL,  RULE_ROW_HIDDEN_RESULT,  RULE_ROW_KEPT_CALL,
					 RULE_ROW_REWRITTEN,    RULE_ROW_NO_REF,         RULE_ROW_BLOCKED,
					 RULE_ROW_HEADER,       RULE_ROW_PROTECTED_TOOL, RULE_ROW_PROTECTED_PAIR,
					 RULE_ROW_LAST_USER,    RULE_ROW_RECENT_TOKENS,  RULE_ROW_RECENT_MESSAGES,
					 RULE_ROW_NEVER_RECENT, RULE_ROW_TRUNCATED,      RULE_ROW_GROUP,
					 RULE_ROW_RANGE,        RULE_ROW_EMPTY_GROUP,    RULE_GATE,
					 RULE_NUDGE_GROWTH,     RULE_NUDGE_HALF,         RULE_NUDGE_COUNTED};
	for (uint64_t seed = 1; seed <= 36; seed++)
		for (int shape = 0; shape < GENERATE_SHAPES; shape++) {
			struct generate_options o = {
				.shape = (enum generate_shape)shape, .seed = seed * 17, .turns = 100};
			/* a full window, too: pressure, and results that are cut */
			check_session(&o, seed % 5 == 0 ? "6000" : NULL, 14, &c);
		}
	check_text(str_of(empty_group), 1, &c);
	print_message("%zu states, %zu rows\n", c.states, c.rows);
	assert_true(c.states >= 1000);
	for (size_t i = 0; i < sizeof must / sizeof must[0]; i++) {
		if (c.count[must[i]] == 0)
			print_error("never seen: %s\n", rule_name(must[i]));
		assert_true(c.count[must[i]] > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_gates),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
