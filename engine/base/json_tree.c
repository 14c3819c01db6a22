#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json_string.h"

enum {
	NUMBER_BYTES_MAX = 60, /* cJSON reads a number through a buffer of 64 */
	FEW_MEMBERS = 16       /* up to here duplicates are looked for pair by pair */
};

/*
 * The closing quote of the scanned string whose inner bytes begin at p. *as_is: cJSON reads it right; it does not
 * when there are \u escapes (it cuts at U+0000 and refuses lone surrogates) or bytes that are not UTF-8.
 */
static const char *string_end(const char *p, const char *end, bool *as_is)
{
	*as_is = true;
	while (*(p = json_clean_end(p, end)) != '"') {
		bool escape = *p == '\\';

		if (!escape || p[1] == 'u')
			*as_is = false;
		p += escape ? 2 : 1;
	}
	return p;
}

/* Inner bytes of a string as cJSON reads them right: '"' and '\\' escaped, the rest raw in the form of text.h. */
static void rewrite_string(struct buf *b, const char *p, const char *end)
{
	struct json_pieces it = {p, end};
	struct json_piece piece;

	while (json_next_piece(&it, &piece)) {
		if (piece.p == piece.code && (piece.code[0] == '"' || piece.code[0] == '\\'))
			buf_char(b, '\\');
		buf_bytes(b, piece.p, piece.n);
	}
}

static void rewrite_number(struct buf *b, const char *p, size_t n)
{
	struct buf digits = {0};
	double x;

	buf_bytes(&digits, p, n);
	x = strtod(digits.p, NULL);
	buf_free(&digits);
	if (isinf(x))
		buf_text(b, x < 0 ? "-1e999" : "1e999");
	else
		buf_printf(b, "%.17g", x);
}

/* The value in s (already scanned) in a form cJSON reads without loss: s itself, or bytes in b. */
static struct str rewrite(struct buf *b, struct str s)
{
	const char *p = s.p, *all = s.p + s.n, *copied = s.p, *end;
	bool as_is;

	for (; p < all; p = end) {
		end = p + 1;
		if (*p == '"') {
			end = string_end(p + 1, all, &as_is);
			if (!as_is) {
				buf_bytes(b, copied, (size_t)(p + 1 - copied));
				rewrite_string(b, p + 1, end);
				copied = end;
			}
			end++;
		} else if (*p == '-' || (*p >= '0' && *p <= '9')) {
			while (end < all && memchr("0123456789+-.eE", *end, 15))
				end++;
			if (end - p > NUMBER_BYTES_MAX) {
				buf_bytes(b, copied, (size_t)(p - copied));
				rewrite_number(b, p, (size_t)(end - p));
				copied = end;
			}
		}
	}
	if (copied == s.p)
		return s;
	buf_bytes(b, copied, (size_t)(all - copied));
	return buf_view(b);
}

/* The number of a key that is a canonical array index (kernel.md 2.5), else -1. */
static int64_t key_index(const char *key)
{
	int64_t x = 0;
	const char *p;

	if (key[0] == '0')
		return key[1] ? -1 : 0;
	for (p = key; *p >= '0' && *p <= '9' && p - key < 10; p++)
		x = x * 10 + (*p - '0');
	return p == key || *p || x > INT64_C(4294967294) ? -1 : x;
}

/* A member while its object is put in order. */
struct slot {
	cJSON *node;
	int64_t index; /* key_index */
	size_t place;  /* where the name stood first */
};

struct slots {
	VEC(struct slot) list;
};

static int by_name(const void *va, const void *vb)
{
	const struct slot *a = va, *b = vb;
	int order = strcmp(a->node->string, b->node->string);

	return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int by_rank(const void *va, const void *vb)
{
	const struct slot *a = va, *b = vb;

	if (a->index != b->index)
		return a->index < 0 ? 1 : b->index < 0 ? -1 : a->index < b->index ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static bool same_name(const cJSON *a, const cJSON *b) { return strcmp(a->string, b->string) == 0; }

/* Is there nothing to do, as in almost every object? */
static bool in_order(const cJSON *object)
{
	const cJSON *a, *b;
	size_t n = 0;

	cJSON_ArrayForEach (a, object) {
		if (++n > FEW_MEMBERS || (a->string[0] >= '0' && a->string[0] <= '9'))
			return false;
		for (b = object->child; b != a; b = b->next)
			if (same_name(a, b))
				return false;
	}
	return true;
}

static void drop_node(cJSON *node)
{
	node->next = node->prev = NULL;
	cJSON_Delete(node);
}

/* Repeated names: the last value, in the place of the first. The list comes sorted by name, then place. */
static void merge_repeats(struct slots *s)
{
	struct slot *v = s->list.v;
	size_t from, n = 0;

	for (from = 0; from < s->list.n; from++) {
		if (n > 0 && same_name(v[n - 1].node, v[from].node)) {
			drop_node(v[n - 1].node);
			v[n - 1].node = v[from].node;
		} else {
			v[n++] = v[from];
		}
	}
	s->list.n = n;
}

static void relink(cJSON *object, const struct slots *s)
{
	size_t i, n = s->list.n;

	/* cJSON's first child points back at its last */
	for (i = 0; i < n; i++) {
		s->list.v[i].node->prev = s->list.v[i ? i - 1 : n - 1].node;
		s->list.v[i].node->next = i + 1 < n ? s->list.v[i + 1].node : NULL;
	}
	object->child = n ? s->list.v[0].node : NULL;
}

static void put_in_order(cJSON *object, struct slots *s)
{
	size_t place = 0;
	cJSON *child;

	if (in_order(object))
		return;
	s->list.n = 0;
	cJSON_ArrayForEach (child, object)
		vec_push(&s->list, (struct slot){child, key_index(child->string), place++});
	qsort(s->list.v, s->list.n, sizeof *s->list.v, by_name);
	merge_repeats(s);
	qsort(s->list.v, s->list.n, sizeof *s->list.v, by_rank);
	relink(object, s);
}

/* Recursion is bounded by JSON_DEPTH_MAX. */
static void normalise(cJSON *node, struct slots *s)
{
	cJSON *child;

	if (cJSON_IsObject(node))
		put_in_order(node, s);
	cJSON_ArrayForEach (child, node)
		if (child->child)
			normalise(child, s);
}

static void delete_tree(void *tree) { cJSON_Delete(tree); }

cJSON *json_tree(struct arena *a, struct str s, enum json_status *st, size_t *at)
{
	struct json_scan scan = {0};
	struct slots slots = {0};
	struct buf b = {0};
	cJSON *tree = NULL;
	enum json_status status = json_scan(s.p ? s.p : "", s.n, &scan);

	if (status == JSON_OK) {
		s = rewrite(&b, s);
		tree = cJSON_ParseWithLengthOpts(s.p, s.n, NULL, 0);
		if (!tree) /* not reached while cJSON takes all that the scanner takes */
			status = JSON_SYNTAX;
		normalise(tree, &slots);
		vec_free(&slots.list);
		buf_free(&b);
	}
	if (tree)
		arena_defer(a, delete_tree, tree);
	if (st)
		*st = status;
	if (at)
		*at = scan.at;
	json_scan_free(&scan);
	return tree;
}

const cJSON *json_get(const cJSON *object, const char *name)
{
	const cJSON *child;

	if (!cJSON_IsObject(object))
		return NULL;
	cJSON_ArrayForEach (child, object)
		if (strcmp(child->string, name) == 0)
			return child;
	return NULL;
}

struct str json_str(const cJSON *node) { return cJSON_IsString(node) ? str_of(node->valuestring) : (struct str){0}; }

bool json_num(const cJSON *node, double *x)
{
	if (!cJSON_IsNumber(node))
		return false;
	*x = node->valuedouble;
	return true;
}
