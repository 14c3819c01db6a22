#include "replay/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/json.h"
#include "engine/base/num.h"
#include "replay/expr_node.h"
#include "replay/view/text.h"

enum expr_type expr_type_of(const struct expr *e) { return (enum expr_type)e->root->type; }
unsigned expr_needs(const struct expr *e) { return e->needs; }
struct str expr_text(const struct expr *e) { return e->text; }

const char *expr_type_name(enum expr_type t)
{
	static const char *const names[] = {
		[EXPR_NUMBER] = "a number", [EXPR_BOOL] = "true or false", [EXPR_TEXT] = "a text"};
	return names[t];
}

/* ---- values ---- */

static struct expr_value number_of(double x)
{
	return (struct expr_value){EXPR_NUMBER, isfinite(x) != 0, x, {NULL, 0}};
}
static struct expr_value bool_of(bool x) { return (struct expr_value){EXPR_BOOL, true, x, {NULL, 0}}; }

static bool same(const struct expr_value *a, const struct expr_value *b)
{
	return a->type == EXPR_TEXT ? str_eq(a->text, b->text) : a->number == b->number;
}

void expr_put_value(struct buf *b, const struct expr_value *v)
{
	char number[NUM_TEXT_MAX];
	if (!v->known) {
		buf_char(b, '?');
	} else if (v->type == EXPR_BOOL) {
		buf_text(b, v->number != 0 ? "true" : "false");
	} else if (v->type == EXPR_TEXT) {
		buf_str(b, v->text.n > 0 ? v->text : STR("\"\""));
	} else {
		num_print(number, v->number);
		buf_text(b, number);
	}
}

void expr_put_json(struct buf *b, const struct expr_value *v)
{
	if (!v->known)
		buf_text(b, "null");
	else if (v->type == EXPR_TEXT)
		json_put_str(b, v->text);
	else
		expr_put_value(b, v);
}

/* ---- evaluation: as deep as the tree, which the parser bounds ---- */

static struct expr_value eval(struct expr_scene *s, const struct expr_node *e, uint32_t turn);

/* Moves the run behind the turn, unless it is there. */
static void stand_behind(struct expr_scene *s, uint32_t turn)
{
	if (s->at == turn || s->stands == turn)
		return;
	run_seek(s->run, (size_t)s->run->timeline.turns.v[turn - 1].record + 1);
	s->at = 0; /* stale */
	s->stands = turn;
}

static void open_frame(struct expr_scene *s, uint32_t turn)
{
	struct position at = {.turn = turn, .node = NODE_RENDER};
	if (s->at == turn)
		return;
	s->at = frame_open(&s->frame, s->run, at, NULL) == STATUS_OK ? turn : 0;
	s->stands = 0;
}

/* The place of a turn, with what the node needs of it. */
static struct expr_place place_of(struct expr_scene *s, uint32_t turn, unsigned needs)
{
	const struct run *r = s->run;
	struct expr_place p = {.scene = s, .n = turn};
	if (turn < 1 || turn > s->sums.turns)
		return p;
	p.moment = &r->timeline.turns.v[turn - 1];
	p.sent = turn <= r->sender.sent.n ? &r->sender.sent.v[turn - 1] : NULL;
	p.sample = turn <= r->pi.samples.n ? &r->pi.samples.v[turn - 1] : NULL;
	if (needs & EXPR_NEEDS_FRAME) {
		open_frame(s, turn);
		p.frame = s->at == turn ? &s->frame : NULL;
	} else if (needs & EXPR_NEEDS_STATE) {
		stand_behind(s, turn);
		p.state = &s->run->state;
	}
	return p;
}

static struct expr_value eval_name(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	struct expr_place p = place_of(s, turn, e->op == OP_ROW ? EXPR_NEEDS_FRAME : e->name->needs);
	return e->op == OP_ROW ? expr_member_value(e->member, e->ref, &p) : expr_name_value(e->name, &p);
}

/* a + b - c, a * b / c: from the left. */
static struct expr_value eval_chain(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	struct expr_value first = eval(s, e->first, turn);
	double x = first.number;
	if (!first.known)
		return first;
	for (const struct expr_node *o = e->first->next; o != NULL; o = o->next) {
		struct expr_value v = eval(s, o, turn);
		if (!v.known)
			return v;
		if (e->op == OP_SUM)
			x = o->inverse ? x - v.number : x + v.number;
		else
			x = o->inverse ? x / v.number : x * v.number;
		if (!isfinite(x)) /* also a division by zero: nothing makes it known again */
			break;
	}
	return number_of(x);
}

static struct expr_value eval_logic(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	for (const struct expr_node *o = e->first; o != NULL; o = o->next) {
		struct expr_value v = eval(s, o, turn);
		if (expr_true(&v) == (e->op == OP_OR))
			return bool_of(e->op == OP_OR);
	}
	return bool_of(e->op == OP_AND);
}

static struct expr_value eval_compare(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	struct expr_value a = eval(s, e->first, turn), b = eval(s, e->first->next, turn);
	if (!a.known || !b.known)
		return bool_of(false);
	switch ((enum expr_compare)e->compare) {
	case COMPARE_EQUAL:
		return bool_of(same(&a, &b));
	case COMPARE_UNEQUAL:
		return bool_of(!same(&a, &b));
	case COMPARE_LESS:
		return bool_of(a.number < b.number);
	case COMPARE_AT_MOST:
		return bool_of(a.number <= b.number);
	case COMPARE_MORE:
		return bool_of(a.number > b.number);
	case COMPARE_AT_LEAST:
		break;
	}
	return bool_of(a.number >= b.number);
}

static struct expr_value eval_match(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	struct expr_value v = eval(s, e->first, turn);
	if (!v.known)
		return bool_of(false);
	int found = expr_pattern_match(e->pattern, v.text);
	s->matches++;
	s->given_up += found < 0;
	return (struct expr_value){EXPR_BOOL, found >= 0, found > 0, {NULL, 0}};
}

static struct expr_value eval_changed(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	if (turn <= 1)
		return bool_of(false);
	/* the turn before first: a frame of it is open when turns are gone through in order */
	struct expr_value before = eval(s, e->first, turn - 1), now = eval(s, e->first, turn);
	if (before.known != now.known)
		return bool_of(true);
	return bool_of(now.known && !same(&before, &now));
}

static struct expr_value eval_not(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	struct expr_value v = eval(s, e->first, turn);
	return bool_of(!expr_true(&v));
}

static struct expr_value eval_negate(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	struct expr_value v = eval(s, e->first, turn);
	v.number = -v.number;
	return v;
}

static struct expr_value eval_known(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	return bool_of(eval(s, e->first, turn).known);
}

static struct expr_value eval_constant(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	(void)s, (void)turn;
	return e->value;
}

static struct expr_value eval_prev(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	if (turn <= 1)
		return (struct expr_value){.type = e->type};
	return eval(s, e->first, turn - 1);
}

static struct expr_value eval(struct expr_scene *s, const struct expr_node *e, uint32_t turn)
{
	static struct expr_value (*const ops[])(struct expr_scene *, const struct expr_node *, uint32_t) = {
		[OP_CONSTANT] = eval_constant, [OP_NAME] = eval_name,     [OP_ROW] = eval_name,
		[OP_NOT] = eval_not,           [OP_NEGATE] = eval_negate, [OP_AND] = eval_logic,
		[OP_OR] = eval_logic,          [OP_SUM] = eval_chain,     [OP_PRODUCT] = eval_chain,
		[OP_COMPARE] = eval_compare,   [OP_MATCH] = eval_match,   [OP_PREV] = eval_prev,
		[OP_CHANGED] = eval_changed,   [OP_KNOWN] = eval_known,
	};
	return ops[e->op](s, e, turn);
}

/* ---- scenes ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Pastes up to each turn: a paste belongs to the record of its row, or the next one that has a row. */
static void sum_pastes(struct expr_sums *k, const struct run *r)
{
	const struct dsh_loop *l = &r->dsh.loop;
	uint32_t *rows = arena_alloc(&k->arena, (l->pastes.n + 1) * sizeof *rows);
	size_t seen = 0, n = l->pastes.n;
	uint32_t turn = 0;
	for (size_t i = 0; i < n; i++)
		rows[i] = l->pastes.v[i].row;
	qsort(rows, n, sizeof *rows, by_number);
	k->reinjections = arena_zero(&k->arena, k->turns + 1, sizeof *k->reinjections);
	for (size_t i = 0; i < r->next && turn < k->turns; i++) {
		uint32_t row = dsh_row_at(r->recording, i);
		while (row != DSH_NONE && seen < n && rows[seen] <= row)
			seen++;
		if (i == r->timeline.turns.v[turn].record)
			k->reinjections[++turn] = (uint32_t)seen;
	}
	k->reinjected = true;
}

/* Made again when the run has come further. */
static void sum_up(struct expr_scene *s)
{
	struct expr_sums *k = &s->sums;
	const struct run *r = s->run;
	arena_free(&k->arena);
	*k = (struct expr_sums){.turns = r->timeline.turns.n};
	k->requests = r->sender.sent.n >= k->turns && k->turns > 0;
	k->rebuilds = arena_zero(&k->arena, k->turns + 1, sizeof *k->rebuilds);
	for (size_t i = 0; k->requests && i < k->turns; i++) {
		const struct sent *sent = &r->sender.sent.v[i];
		k->rebuilds[i + 1] = k->rebuilds[i] + (!isnan(sent->bytes) && sent_rebuilds(sent));
	}
	if (run_is_dsh(r) && k->turns > 0)
		sum_pastes(k, r);
}

void expr_begin(struct expr_scene *s, struct run *run)
{
	*s = (struct expr_scene){.run = run};
	sum_up(s);
}

struct expr_value expr_at(struct expr_scene *s, const struct expr *e, uint32_t turn)
{
	if (s->sums.turns != s->run->timeline.turns.n) {
		s->at = s->stands = 0;
		sum_up(s);
	}
	arena_free(&s->scratch);
	if (turn < 1 || turn > s->sums.turns)
		return (struct expr_value){.type = e->root->type};
	return eval(s, e->root, turn);
}

static bool same_name(const struct expr_node *a, const struct expr_node *b)
{
	return a->op == b->op && a->name == b->name && a->member == b->member && str_eq(a->ref, b->ref);
}

void expr_put_names(struct expr_scene *s, const struct expr *e, uint32_t turn, size_t most, struct buf *b)
{
	size_t told = 0;
	arena_free(&s->scratch);
	for (const struct expr_node *x = e->names; x != NULL && told < most; x = x->next_name) {
		const struct expr_node *y = e->names;
		while (y != x && !same_name(y, x))
			y = y->next_name;
		if (y != x)
			continue;
		struct expr_value v = eval(s, x, turn);
		buf_text(b, told++ > 0 ? ", " : "");
		buf_str(b, str_cut(e->text, x->at, x->at + x->n));
		buf_text(b, " = ");
		if (v.known && v.type == EXPR_TEXT)
			json_put_str(b, v.text);
		else
			expr_put_value(b, &v);
	}
}

void expr_end(struct expr_scene *s)
{
	frame_close(&s->frame);
	arena_free(&s->sums.arena);
	arena_free(&s->scratch);
}

/* ---- for people ---- */

void expr_put_caret(struct buf *b, struct str text, const struct expr_fault *fault, bool ascii)
{
	enum { BEFORE = 32, COLUMNS = 72 };
	struct text_cursor cursor = text_start(text, ascii);
	struct text_cell cell;
	int place = text_column(text, fault->at, ascii), column = 0, used;
	size_t from = 0;
	if (text_width_up_to(text, ascii, COLUMNS) > COLUMNS && place > BEFORE)
		while (column < place - BEFORE && text_next(&cursor, &cell)) {
			column += cell.columns;
			from = cell.more ? from : cell.to;
		}
	column = text_column(text, from, ascii);
	struct str rest = str_cut(text, from, text.n), shown = text_clip(rest, COLUMNS, ascii, &used);
	size_t end = from + shown.n < fault->at + fault->n ? from + shown.n : fault->at + fault->n;
	int blanks = place - column + (from > 0 ? 3 : 0),
	    carets = end > fault->at ? text_column(text, end, ascii) - place : 1;
	buf_text(b, from > 0 ? "  ..." : "  ");
	text_put_safe(b, shown, ascii);
	buf_text(b, shown.n < rest.n ? "...\n  " : "\n  ");
	buf_printf(b, "%*s", blanks, "");
	for (int i = 0; i < carets || i < 1; i++)
		buf_char(b, '^');
	buf_char(b, '\n');
}

static void put_entry(struct buf *b, const char *name, enum expr_type type, const char *help)
{
	static const char *const brief[] = {[EXPR_NUMBER] = "number", [EXPR_BOOL] = "bool", [EXPR_TEXT] = "text"};
	buf_printf(b, "  %-20s %-6s  %s\n", name, brief[type], help);
}

void expr_put_help(struct buf *b)
{
	buf_text(b,
		 "Conditions: expressions over every turn of a session (probe, check --assert).\n\n"
		 "  or | and | not | = == != < <= > >= ~ | + - | * / | unary -      the loosest first\n"
		 "  12 1.5 1e6, \"text\" (with \\\" and \\\\), true, false\n"
		 "  x ~ /regex/   a Perl pattern (/regex/i: without case)\n"
		 "  prev(x)       x at the turn before\n"
		 "  changed(x)    x is another than at the turn before (false at turn 1)\n"
		 "  known(x)      there is a value\n"
		 "  row(\"m00042\").class   a row as it stands at the turn; also row(\"b7\"), of DSH row(\"153\")\n\n"
		 "What is not known (?): prev() at turn 1, a division by zero, a prompt size that nobody\n"
		 "reported, most of a turn that could not run. Arithmetic with it is not known; a\n"
		 "comparison with it is false, != too; and, or, not take it for false.\n\n"
		 "names (+ needs the requests of the session, * goes to every turn)\n");
	for (const struct expr_name *n = expr_names; n->name != NULL; n++) {
		char name[32];
		snprintf(name, sizeof name, "%s%s", n->name,
			 n->needs & EXPR_NEEDS_STATE      ? " *"
			 : n->needs & EXPR_NEEDS_REQUESTS ? " +"
							  : "");
		put_entry(b, name, (enum expr_type)n->type, n->help);
	}
	buf_text(b, "\nmembers of row(\"..\"), which opens every turn: slower\n");
	for (const struct expr_member *m = expr_members; m->name != NULL; m++)
		put_entry(b, m->name, (enum expr_type)m->type, m->help);
	buf_printf(b,
		   "\nLimits: %d bytes, %d parentheses and %d prev() or changed() inside each other; a pattern\n"
		   "has %d bytes and gives up after %d steps (then nothing is known, and it is told).\n",
		   EXPR_BYTES_MAX, EXPR_DEPTH_MAX, EXPR_BACK_MAX, EXPR_PATTERN_MAX, EXPR_MATCH_LIMIT);
}
