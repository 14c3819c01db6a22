#include "replay/breaks.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/json.h"

/* Costs beside bytes that are read: of a name, of a state, of a frame without its rows. */
enum { COST_NAME = 16, COST_STATE = 256, COST_FRAME = 4096 };

static const char *const kind_names[BREAK_KINDS] = {
	[BREAK_POINT] = "break", [BREAK_WATCH] = "watch", [BREAK_PROBE] = "probe"};

const char *break_kind_name(enum break_kind k) { return kind_names[k]; }

/* ---- the list ---- */

static bool too_long(struct str text, struct expr_fault *fault)
{
	if (text.n <= BREAKS_BYTES_MAX)
		return false;
	*fault = (struct expr_fault){.at = BREAKS_BYTES_MAX};
	snprintf(fault->message, sizeof fault->message, "longer than %d bytes", (int)BREAKS_BYTES_MAX);
	return true;
}

/* changed(TEXT): what a watch stops at. */
static const struct expr *parse_change(struct str text, struct arena *a, struct expr_fault *fault)
{
	static const char lead[] = "changed(";
	struct buf b = {0};
	const struct expr *e;

	buf_text(&b, lead);
	buf_str(&b, text);
	buf_char(&b, ')');
	e = expr_parse_condition(buf_view(&b), a, fault);
	buf_free(&b);
	if (!e)
		fault->at -= fault->at >= sizeof lead - 1 ? sizeof lead - 1 : fault->at;
	return e;
}

static bool parse(struct break_point *p, enum break_kind kind, struct str text, struct expr_fault *fault)
{
	*p = (struct break_point){.kind = (uint8_t)kind, .enabled = true};
	if (too_long(text, fault))
		return false;
	p->text = (struct str){arena_copy(&p->arena, text.p, text.n), text.n};
	p->value = kind == BREAK_POINT ? expr_parse_condition(p->text, &p->arena, fault)
				       : expr_parse(p->text, &p->arena, fault);
	if (p->value && kind != BREAK_PROBE)
		p->stop = kind == BREAK_POINT ? p->value : parse_change(p->text, &p->arena, fault);
	if (p->value && (p->stop || kind == BREAK_PROBE))
		return true;
	arena_free(&p->arena);
	return false;
}

bool breaks_check(enum break_kind kind, struct str text, struct expr_fault *fault)
{
	struct break_point p;
	bool good = parse(&p, kind, text, fault);

	if (good)
		arena_free(&p.arena);
	return good;
}

static void free_point(struct break_point *p)
{
	vec_free(&p->known);
	vec_free(&p->numbers);
	arena_free(&p->arena);
}

bool breaks_add(struct breaks *b, enum break_kind kind, struct str text, struct expr_fault *fault)
{
	struct break_point p;

	if (b->list.n >= BREAKS_MAX) {
		*fault = (struct expr_fault){0};
		snprintf(fault->message, sizeof fault->message, "there are %d already", (int)BREAKS_MAX);
		return false;
	}
	if (!parse(&p, kind, text, fault))
		return false;
	vec_push(&b->list, p);
	return true;
}

bool breaks_edit(struct breaks *b, size_t i, struct str text, struct expr_fault *fault)
{
	struct break_point p;

	if (!parse(&p, (enum break_kind)b->list.v[i].kind, text, fault))
		return false;
	p.enabled = b->list.v[i].enabled;
	free_point(&b->list.v[i]);
	b->list.v[i] = p;
	return true;
}

void breaks_remove(struct breaks *b, size_t i)
{
	free_point(&b->list.v[i]);
	memmove(b->list.v + i, b->list.v + i + 1, (--b->list.n - i) * sizeof *b->list.v);
}

void breaks_free(struct breaks *b)
{
	breaks_begin(b, NULL);
	while (b->list.n > 0)
		breaks_remove(b, b->list.n - 1);
	vec_free(&b->list);
}

/* ---- values ---- */

void breaks_begin(struct breaks *b, struct run *run)
{
	if (b->run)
		expr_end(&b->scene);
	b->run = run;
	if (run)
		expr_begin(&b->scene, run);
	for (size_t i = 0; i < b->list.n; i++)
		b->list.v[i].known.n = b->list.v[i].numbers.n = 0;
}

static bool moves(const struct break_point *p)
{
	unsigned needs = expr_needs(p->value) | (p->stop ? expr_needs(p->stop) : 0);

	return (needs & (EXPR_NEEDS_STATE | EXPR_NEEDS_FRAME)) != 0;
}

static size_t cost_of(const struct breaks *b, const struct break_point *p, uint32_t turn)
{
	unsigned needs = expr_needs(p->stop ? p->stop : p->value);

	size_t cost = COST_NAME;

	if (needs & EXPR_NEEDS_STATE)
		cost += COST_STATE;
	if (needs & EXPR_NEEDS_FRAME)
		cost += COST_FRAME + b->run->timeline.turns.v[turn - 1].rows;
	return cost;
}

enum break_state breaks_state(const struct breaks *b, size_t i, uint32_t turn)
{
	const struct break_point *p = &b->list.v[i];

	return turn > 0 && turn <= p->known.n ? (enum break_state)p->known.v[turn - 1] : BREAK_NOT_YET;
}

bool breaks_evaluate(struct breaks *b, size_t i, uint32_t turn, size_t *cost)
{
	struct break_point *p = &b->list.v[i];
	struct expr_value v;

	*cost += 1;
	if (breaks_state(b, i, turn) != BREAK_NOT_YET)
		return false;
	*cost += cost_of(b, p, turn);
	vec_fill(&p->known, b->run->timeline.turns.n);
	vec_fill(&p->numbers, b->run->timeline.turns.n);
	v = expr_at(&b->scene, p->value, turn);
	p->numbers.v[turn - 1] = v.known && v.type != EXPR_TEXT ? (float)v.number : NAN;
	if (p->stop && p->stop != p->value)
		v = expr_at(&b->scene, p->stop, turn);
	p->known.v[turn - 1] = p->stop && expr_true(&v) ? BREAK_HOLDS : BREAK_HOLDS_NOT;
	return moves(p);
}

bool breaks_put_value(struct breaks *b, size_t i, uint32_t turn, struct buf *out)
{
	struct break_point *p = &b->list.v[i];
	struct expr_value v = expr_at(&b->scene, p->value, turn);

	expr_put_value(out, &v);
	return moves(p);
}

/* ---- stored ---- */

void breaks_put_json(const struct breaks *b, struct buf *out)
{
	buf_char(out, '[');
	for (size_t i = 0; i < b->list.n; i++) {
		const struct break_point *p = &b->list.v[i];

		buf_printf(out, "%s{\"kind\":\"%s\",\"text\":", i > 0 ? "," : "", kind_names[p->kind]);
		json_put_str(out, p->text);
		buf_printf(out, ",\"enabled\":%s,\"hits\":%u}", p->enabled ? "true" : "false", (unsigned)p->hits);
	}
	buf_char(out, ']');
}

static enum break_kind kind_named(struct str name)
{
	enum break_kind k = 0;

	while (k < BREAK_KINDS && !str_eq(name, str_of(kind_names[k])))
		k++;
	return k;
}

static bool take_one(struct breaks *b, const cJSON *node)
{
	enum break_kind kind = kind_named(json_str(json_get(node, "kind")));
	struct str text = json_str(json_get(node, "text"));
	struct expr_fault fault;
	struct break_point *p;
	double hits = 0;

	if (kind == BREAK_KINDS || text.n == 0 || !breaks_add(b, kind, text, &fault))
		return false;
	p = &b->list.v[b->list.n - 1];
	p->enabled = !cJSON_IsFalse(json_get(node, "enabled"));
	if (json_num(json_get(node, "hits"), &hits) && hits >= 0 && hits <= BREAKS_HITS_MAX)
		p->hits = (uint32_t)hits;
	return true;
}

size_t breaks_take_json(struct breaks *b, struct str json)
{
	struct arena arena = {0};
	const cJSON *tree = json.n > 0 ? json_tree(&arena, json, NULL, NULL) : NULL;
	size_t bad = json.n > 0 && !cJSON_IsArray(tree);

	for (const cJSON *node = cJSON_IsArray(tree) ? tree->child : NULL; node; node = node->next)
		bad += !take_one(b, node);
	arena_free(&arena);
	return bad;
}
