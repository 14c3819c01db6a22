/* The grammar of conditions. Its recursion is that of parentheses and calls, which are counted. */
#include <stdio.h>

#include "engine/kernel/refs.h"
#include "replay/expr_lex.h"
#include "replay/expr_node.h"
#include "replay/nearest.h"

struct parser {
	struct expr_lex lex;
	struct expr *e;
	struct expr_node **last_name;
	int depth;
	size_t end; /* byte behind the last token taken */
};

static struct expr_node *parse_or(struct parser *p);

static void take(struct parser *p)
{
	p->end = p->lex.token.at + p->lex.token.n;
	expr_next(&p->lex);
}

static bool is(const struct parser *p, enum expr_token_kind kind, const char *text)
{
	return p->lex.token.kind == kind && str_eq(p->lex.token.text, str_of(text));
}

static struct expr_node *node(struct parser *p, enum expr_op op, enum expr_type type, size_t at)
{
	struct expr_node *n = arena_zero(p->lex.arena, 1, sizeof *n);
	n->op = (uint8_t)op;
	n->type = (uint8_t)type;
	n->at = at;
	n->n = p->end - at;
	return n;
}

/* A node over one operand that is there already. */
static struct expr_node *over(struct parser *p, enum expr_op op, enum expr_type type, size_t at,
			      struct expr_node *operand)
{
	struct expr_node *n = node(p, op, type, at);
	n->first = operand;
	n->back = operand->back;
	return n;
}

static bool wants(struct parser *p, const struct expr_node *n, enum expr_type type, const char *who)
{
	if (n->type == type)
		return true;
	expr_fail(&p->lex, n->at, n->n, "%s wants %s, this is %s", who, expr_type_name(type),
		  expr_type_name((enum expr_type)n->type));
	return false;
}

/* One more level of parentheses. */
static bool enter(struct parser *p)
{
	if (++p->depth <= EXPR_DEPTH_MAX)
		return true;
	expr_fail(&p->lex, p->lex.token.at, 1, "more than %d parentheses inside each other", EXPR_DEPTH_MAX);
	return false;
}

static bool expect(struct parser *p, const char *sign, const char *what)
{
	const struct expr_token *t = &p->lex.token;
	if (is(p, TOKEN_SIGN, sign)) {
		take(p);
		return true;
	}
	if (t->kind == TOKEN_END)
		expr_fail(&p->lex, t->at, 0, "the expression ends where %s should stand", what);
	else
		expr_fail(&p->lex, t->at, t->n, "expected %s, not '%s'", what,
			  expr_quote(&p->lex, str_cut(p->lex.text, t->at, t->at + t->n)));
	return false;
}

/* ---- names ---- */

enum { NEAREST = 3 };
struct nearest_names {
	struct nearest best[NEAREST];
	size_t n;
};

/* The nearest of all offers but those already chosen: called once for each that is wanted. */
static void offer(struct nearest_names *near, size_t round, struct str wanted, const char *name)
{
	for (size_t i = 0; i < round; i++)
		if (near->best[i].name == name)
			return;
	nearest_offer(&near->best[round], wanted, name);
}

static const char *const calls[] = {"prev", "changed", "known", "row", "storm", NULL};

static void *unknown_name(struct parser *p, struct str name, size_t at, bool called)
{
	struct nearest_names near = {0};
	struct buf b = {0};
	for (; near.n < NEAREST; near.n++) {
		for (const struct expr_name *x = expr_names; !called && x->name != NULL; x++)
			offer(&near, near.n, name, x->name);
		for (size_t i = 0; called && calls[i] != NULL; i++)
			offer(&near, near.n, name, calls[i]);
		if (near.best[near.n].name == NULL)
			break;
		buf_printf(&b, "%s%s", near.n > 0 ? ", " : ", nearest: ", near.best[near.n].name);
	}
	expr_fail(&p->lex, at, name.n, "unknown %s '%s'%s", called ? "function" : "name", expr_quote(&p->lex, name),
		  near.n > 0 ? b.p : " (acpdbg help conditions lists them)");
	buf_free(&b);
	return NULL;
}

/* Names and rows, for who shows what they are. */
static void keep_name(struct parser *p, struct expr_node *n, unsigned needs)
{
	*p->last_name = n;
	p->last_name = &n->next_name;
	p->e->needs |= needs;
}

static bool is_number(struct str s)
{
	size_t i = 0;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return s.n > 0 && i == s.n;
}

static struct expr_node *parse_member(struct parser *p, size_t at, struct str ref)
{
	struct nearest near = {0};
	if (!expect(p, ".", ".class or another member of the row"))
		return NULL;
	struct expr_token t = p->lex.token;
	const struct expr_member *m = t.kind == TOKEN_WORD ? expr_member_find(t.text) : NULL;
	if (m == NULL && t.kind == TOKEN_WORD)
		for (const struct expr_member *x = expr_members; x->name != NULL; x++)
			nearest_offer(&near, t.text, x->name);
	if (m == NULL)
		return expr_fail(&p->lex, t.at, t.n, "a row has no such member%s%s",
				 near.name ? ", nearest: " : ": class, role, kind, tool, tokens, visible, ..",
				 near.name ? near.name : "");
	take(p);
	struct expr_node *n = node(p, OP_ROW, (enum expr_type)m->type, at);
	n->member = m;
	n->ref = ref;
	keep_name(p, n, EXPR_NEEDS_FRAME);
	return n;
}

/* Behind `row`: ("m00042").class */
static struct expr_node *parse_row(struct parser *p, size_t at)
{
	if (!expect(p, "(", "(\"m00042\")"))
		return NULL;
	struct expr_token t = p->lex.token;
	struct str ref = t.text;
	if (t.kind != TOKEN_TEXT)
		return expr_fail(&p->lex, t.at, t.n, "row() wants a ref in quotes, \"m00042\"");
	if (ref_read(ref) == 0 && !is_number(ref) &&
	    !(ref.n > 1 && ref.p[0] == 'b' && is_number(str_cut(ref, 1, ref.n))))
		return expr_fail(&p->lex, t.at, t.n, "this is no ref: \"m00042\", a block \"b7\" or a seq \"153\"");
	take(p);
	return expect(p, ")", ")") ? parse_member(p, at, ref) : NULL;
}

/* Behind prev, changed or known: (x) */
static struct expr_node *parse_call(struct parser *p, size_t at, enum expr_op op)
{
	if (!enter(p) || !expect(p, "(", "(x)"))
		return NULL;
	struct expr_node *x = parse_or(p);
	if (x == NULL || !expect(p, ")", ")"))
		return NULL;
	p->depth--;
	struct expr_node *n = over(p, op, op == OP_PREV ? (enum expr_type)x->type : EXPR_BOOL, at, x);
	n->back = (uint8_t)(n->back + (op != OP_KNOWN));
	if (n->back > EXPR_BACK_MAX)
		return expr_fail(&p->lex, n->at, n->n, "more than %d prev() or changed() inside each other",
				 EXPR_BACK_MAX);
	return n;
}

static struct expr_node *parse_word(struct parser *p)
{
	static const enum expr_op ops[] = {OP_PREV, OP_CHANGED, OP_KNOWN};
	struct expr_token t = p->lex.token;
	size_t i = 0;
	take(p);
	if (str_eq(t.text, STR("true")) || str_eq(t.text, STR("false"))) {
		struct expr_node *n = node(p, OP_CONSTANT, EXPR_BOOL, t.at);
		n->value = (struct expr_value){EXPR_BOOL, true, t.text.n == 4, {NULL, 0}};
		return n;
	}
	if (str_eq(t.text, STR("and")) || str_eq(t.text, STR("or")) || str_eq(t.text, STR("not")))
		return expr_fail(&p->lex, t.at, t.n, "a value should stand here, not '%s'",
				 expr_quote(&p->lex, t.text));
	while (calls[i] != NULL && !str_eq(str_of(calls[i]), t.text))
		i++;
	if (i < sizeof ops / sizeof *ops)
		return parse_call(p, t.at, ops[i]);
	if (calls[i] != NULL && str_eq(t.text, STR("row")))
		return parse_row(p, t.at);
	if (calls[i] != NULL)
		return expr_fail(&p->lex, t.at, t.n, "storm() is not built yet");
	const struct expr_name *name = expr_name_find(t.text);
	if (name == NULL)
		return unknown_name(p, t.text, t.at, is(p, TOKEN_SIGN, "("));
	if (is(p, TOKEN_SIGN, "("))
		return expr_fail(&p->lex, t.at, t.n, "%s is a name, not a function", name->name);
	struct expr_node *n = node(p, OP_NAME, (enum expr_type)name->type, t.at);
	n->name = name;
	keep_name(p, n, name->needs);
	return n;
}

/* ---- values and operators, the tightest first ---- */

static struct expr_node *parse_value(struct parser *p)
{
	struct expr_token t = p->lex.token;
	struct expr_node *n;
	if (t.kind == TOKEN_WORD)
		return parse_word(p);
	if (is(p, TOKEN_SIGN, "(")) {
		if (!enter(p))
			return NULL;
		take(p);
		n = parse_or(p);
		p->depth--;
		return n != NULL && expect(p, ")", ")") ? n : NULL;
	}
	if (t.kind == TOKEN_END)
		return expr_fail(&p->lex, t.at, 0, "the expression ends where a value should stand");
	if (t.kind == TOKEN_SIGN)
		return expr_fail(&p->lex, t.at, t.n, "a value should stand here, not '%s'",
				 expr_quote(&p->lex, str_cut(p->lex.text, t.at, t.at + t.n)));
	take(p);
	n = node(p, OP_CONSTANT, t.kind == TOKEN_TEXT ? EXPR_TEXT : EXPR_NUMBER, t.at);
	n->value = (struct expr_value){n->type, true, t.number, t.kind == TOKEN_TEXT ? t.text : (struct str){NULL, 0}};
	return n;
}

static struct expr_node *parse_negated(struct parser *p)
{
	size_t at = p->lex.token.at, signs = 0;
	for (; is(p, TOKEN_SIGN, "-"); signs++)
		take(p);
	struct expr_node *n = parse_value(p);
	if (n == NULL || signs == 0)
		return n;
	if (!wants(p, n, EXPR_NUMBER, "-"))
		return NULL;
	return signs % 2 > 0 ? over(p, OP_NEGATE, EXPR_NUMBER, at, n) : n;
}

/* What joins operands of a chain. */
struct joint {
	enum expr_token_kind kind;
	const char *plain, *inverse;
	enum expr_op op;
	enum expr_type type; /* of the operands and of the whole */
	struct expr_node *(*operand)(struct parser *p);
};

static struct expr_node *parse_chain(struct parser *p, const struct joint *j)
{
	size_t at = p->lex.token.at;
	struct expr_node *chain = NULL, *last = j->operand(p);
	while (last != NULL && (is(p, j->kind, j->plain) || (j->inverse != NULL && is(p, j->kind, j->inverse)))) {
		const char *sign = is(p, j->kind, j->plain) ? j->plain : j->inverse;
		if (!wants(p, last, j->type, sign))
			return NULL;
		take(p);
		struct expr_node *next = j->operand(p);
		if (next == NULL || !wants(p, next, j->type, sign))
			return NULL;
		if (chain == NULL)
			chain = over(p, j->op, j->type, at, last);
		next->inverse = sign == j->inverse;
		chain->back = chain->back > next->back ? chain->back : next->back;
		chain->n = p->end - at;
		last = last->next = next;
	}
	return last == NULL ? NULL : chain != NULL ? chain : last;
}

static struct expr_node *parse_product(struct parser *p)
{
	return parse_chain(p, &(struct joint){TOKEN_SIGN, "*", "/", OP_PRODUCT, EXPR_NUMBER, parse_negated});
}

static struct expr_node *parse_sum(struct parser *p)
{
	return parse_chain(p, &(struct joint){TOKEN_SIGN, "+", "-", OP_SUM, EXPR_NUMBER, parse_product});
}

/* A name that is one of some words, compared with a text that is none of them. */
static bool check_word(struct parser *p, const struct expr_node *a, const struct expr_node *b)
{
	const char *(*word)(unsigned) = a->op == OP_NAME ? a->name->word : a->op == OP_ROW ? a->member->word : NULL;
	const char *one;
	struct nearest near = {0};
	if (word == NULL || b->op != OP_CONSTANT)
		return true;
	for (unsigned i = 0; (one = word(i)) != NULL; i++) {
		if (str_eq(str_of(one), b->value.text))
			return true;
		nearest_offer(&near, b->value.text, one);
	}
	expr_fail(&p->lex, b->at, b->n, "it is never \"%s\"%s%s", expr_quote(&p->lex, b->value.text),
		  near.name ? ", nearest: " : "", near.name ? near.name : "");
	return false;
}

static struct expr_node *parse_match(struct parser *p, struct expr_node *left)
{
	char message[256];
	struct str pattern;
	size_t at, wrong;
	bool caseless;
	if (!wants(p, left, EXPR_TEXT, "~") || !expr_next_pattern(&p->lex, &pattern, &at, &caseless))
		return NULL;
	p->end = p->lex.next;
	struct expr_node *n = over(p, OP_MATCH, EXPR_BOOL, left->at, left);
	n->pattern = expr_pattern_make(p->lex.arena, pattern, caseless, message, sizeof message, &wrong);
	if (n->pattern == NULL)
		return expr_fail(&p->lex, at + wrong, 1, "in the pattern: %s", message);
	expr_next(&p->lex);
	return n;
}

static bool find_compare(const struct parser *p, enum expr_compare *out)
{
	static const char *const signs[] = {
		[COMPARE_EQUAL] = "=",    [COMPARE_UNEQUAL] = "!=", [COMPARE_LESS] = "<",
		[COMPARE_AT_MOST] = "<=", [COMPARE_MORE] = ">",     [COMPARE_AT_LEAST] = ">="};
	for (unsigned i = 0; i < sizeof signs / sizeof *signs; i++)
		if (is(p, TOKEN_SIGN, signs[i])) {
			*out = (enum expr_compare)i;
			return true;
		}
	return false;
}

static struct expr_node *parse_two(struct parser *p, struct expr_node *left, enum expr_compare compare)
{
	struct str sign = p->lex.token.text;
	take(p);
	struct expr_node *right = parse_sum(p);
	if (right == NULL)
		return NULL;
	if (compare != COMPARE_EQUAL && compare != COMPARE_UNEQUAL &&
	    (!wants(p, left, EXPR_NUMBER, sign.p) || !wants(p, right, EXPR_NUMBER, sign.p)))
		return NULL;
	if (left->type != right->type)
		return expr_fail(&p->lex, right->at, right->n, "this is %s, and what it is compared with is %s",
				 expr_type_name((enum expr_type)right->type),
				 expr_type_name((enum expr_type)left->type));
	if (left->type == EXPR_TEXT && (!check_word(p, left, right) || !check_word(p, right, left)))
		return NULL;
	struct expr_node *n = over(p, OP_COMPARE, EXPR_BOOL, left->at, left);
	n->compare = (uint8_t)compare;
	n->back = left->back > right->back ? left->back : right->back;
	left->next = right;
	return n;
}

static struct expr_node *parse_compare(struct parser *p)
{
	enum expr_compare compare;
	struct expr_node *n = parse_sum(p);
	if (n == NULL)
		return NULL;
	if (is(p, TOKEN_SIGN, "~"))
		n = parse_match(p, n);
	else if (find_compare(p, &compare))
		n = parse_two(p, n, compare);
	else
		return n;
	if (n != NULL && (is(p, TOKEN_SIGN, "~") || find_compare(p, &compare)))
		return expr_fail(&p->lex, p->lex.token.at, p->lex.token.n,
				 "comparisons do not chain: join them with and, or use parentheses");
	return n;
}

static struct expr_node *parse_not(struct parser *p)
{
	size_t at = p->lex.token.at, words = 0;
	for (; is(p, TOKEN_WORD, "not"); words++)
		take(p);
	struct expr_node *n = parse_compare(p);
	if (n == NULL || words == 0)
		return n;
	if (!wants(p, n, EXPR_BOOL, "not"))
		return NULL;
	if (words % 2 == 0)
		n = over(p, OP_NOT, EXPR_BOOL, at, n);
	return over(p, OP_NOT, EXPR_BOOL, at, n);
}

static struct expr_node *parse_and(struct parser *p)
{
	return parse_chain(p, &(struct joint){TOKEN_WORD, "and", NULL, OP_AND, EXPR_BOOL, parse_not});
}

static struct expr_node *parse_or(struct parser *p)
{
	return parse_chain(p, &(struct joint){TOKEN_WORD, "or", NULL, OP_OR, EXPR_BOOL, parse_and});
}

/* ---- the whole ---- */

static void refuse_rest(struct parser *p)
{
	const struct expr_token *t = &p->lex.token;
	if (is(p, TOKEN_SIGN, ")"))
		expr_fail(&p->lex, t->at, t->n, "this ) closes nothing");
	else if (t->kind != TOKEN_SIGN || is(p, TOKEN_SIGN, "("))
		expr_fail(&p->lex, t->at, t->n, "an operator is missing before this");
	else
		expr_fail(&p->lex, t->at, t->n, "'%s' means nothing here", expr_quote(&p->lex, t->text));
}

const struct expr *expr_parse(struct str text, struct arena *a, struct expr_fault *fault)
{
	struct expr *e = arena_zero(a, 1, sizeof *e);
	struct parser p = {.lex = {.arena = a, .fault = fault}, .e = e, .last_name = &e->names};
	*fault = (struct expr_fault){.at = 0};
	if (text.n > EXPR_BYTES_MAX)
		return expr_fail(&p.lex, EXPR_BYTES_MAX, 0, "longer than %d bytes", EXPR_BYTES_MAX);
	e->text = (struct str){arena_copy(a, text.p ? text.p : "", text.n), text.n};
	p.lex.text = e->text;
	size_t good = text_utf8(e->text);
	if (good < text.n)
		return expr_fail(&p.lex, good, 1, "this byte is no UTF-8");
	expr_next(&p.lex);
	if (p.lex.token.kind == TOKEN_END && !p.lex.failed)
		return expr_fail(&p.lex, 0, 0, "the expression is empty");
	e->root = parse_or(&p);
	if (!p.lex.failed && p.lex.token.kind != TOKEN_END)
		refuse_rest(&p);
	return p.lex.failed ? NULL : e;
}

const struct expr *expr_parse_condition(struct str text, struct arena *a, struct expr_fault *fault)
{
	const struct expr *e = expr_parse(text, a, fault);
	if (e == NULL || e->root->type == EXPR_BOOL)
		return e;
	snprintf(fault->message, sizeof fault->message, "a condition is true or false, this is %s",
		 expr_type_name((enum expr_type)e->root->type));
	fault->at = e->root->at;
	fault->n = e->root->n;
	return NULL;
}
