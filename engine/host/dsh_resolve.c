#include "engine/host/dsh_resolve.h"

#include <math.h>

const char *dsh_verdict_name(enum dsh_verdict v)
{
	static const char *const names[] = {
		[DSH_ACCEPTED] = "accepted",
		[DSH_INVALID_REF] = "invalid-ref",
		[DSH_UNKNOWN_REF] = "unknown-ref",
		[DSH_REVERSED] = "reversed-range",
		[DSH_NOT_ON_SURFACE] = "not-on-surface",
		[DSH_ALREADY_COMPRESSED] = "already-compressed",
		[DSH_CORRUPT] = "corrupt-surface",
		[DSH_UNBALANCED] = "unbalanced-range",
		[DSH_GUARDED] = "guarded-instruction",
	};
	return names[v];
}

/* ---- the index ---- */

/* dsh.md 6.3 */
static bool is_anchor(const struct dsh_nodes *n, uint32_t at)
{
	const struct dsh_row *r = dsh_nodes_row(n, at);
	if (dsh_nodes_hidden(n, at) || dsh_row_is_system(r))
		return false;
	return r->type == DSH_ASSISTANT && r->calls_n ? r->calls_n == 1 : !r->blank;
}

/* What a node adds to the number of open calls (6.2); only counts matter. */
static int64_t weight(const struct dsh_nodes *n, uint32_t at)
{
	const struct dsh_row *r = dsh_nodes_row(n, at);
	if (dsh_nodes_hidden(n, at))
		return 0;
	return r->type == DSH_ASSISTANT ? (int64_t)r->calls_n : r->type == DSH_TOOL ? -1 : 0;
}

static void index_forward(struct dsh_nodes *n)
{
	int64_t open = 0;
	uint32_t before = DSH_NONE, after = DSH_NONE;
	for (uint32_t i = 0; i < n->list.rows.n; i++) {
		bool anchor = is_anchor(n, i);
		if (anchor && open == 0)
			before = i;
		open += weight(n, i);
		if (open < 0 && n->corrupt < 0)
			n->corrupt = dsh_nodes_row(n, i)->seq;
		if (anchor && open == 0)
			after = i;
		vec_push(&n->clean, (struct dsh_clean){before, DSH_NONE, after, DSH_NONE});
	}
}

static void index_backward(struct dsh_nodes *n)
{
	uint32_t before = DSH_NONE, after = DSH_NONE;
	for (uint32_t i = (uint32_t)n->list.rows.n; i-- > 0;) {
		struct dsh_clean *c = &n->clean.v[i];
		if (c->before_prev == i)
			before = i;
		if (c->after_prev == i)
			after = i;
		c->before_next = before;
		c->after_next = after;
	}
}

void dsh_nodes_build(struct dsh_nodes *n, const struct dsh_fold *f, bool stripped)
{
	n->f = f;
	n->stripped = stripped;
	n->corrupt = -1;
	n->clean.n = 0;
	dsh_surface_list(&f->surface, &n->list);
	vec_reserve(&n->clean, n->list.rows.n);
	if (stripped)
		dsh_strip_find(&n->strip, f->log, &n->list, NULL, 0);
	index_forward(n);
	index_backward(n);
}

void dsh_nodes_free(struct dsh_nodes *n)
{
	vec_free(&n->list.rows);
	vec_free(&n->clean);
	dsh_strip_free(&n->strip);
}

uint32_t dsh_nodes_find(const struct dsh_nodes *n, int64_t seq)
{
	const struct dsh_surface *s = &n->f->surface;
	uint32_t row = dsh_surface_find(s, seq), from = 0, to = (uint32_t)n->list.rows.n;
	if (row == DSH_NONE)
		return DSH_NONE;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (dsh_surface_before(s, n->list.rows.v[middle], row))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* ---- ranges ---- */

/* dsh.md 6.5: the edges of what is live in the numeric interval, checkpoints and system rows left out. */
static bool recover(const struct dsh_nodes *n, int64_t start, int64_t end, struct dsh_resolution *out)
{
	out->recovered = true;
	out->left = out->right = DSH_NONE;
	for (uint32_t i = 0; i < n->list.rows.n; i++) {
		const struct dsh_row *r = dsh_nodes_row(n, i);
		if (r->seq < start || r->seq > end || dsh_row_is_system(r) ||
		    dsh_fold_is(n->f, n->list.rows.v[i], DSH_CHECKPOINT))
			continue;
		if (out->left == DSH_NONE || r->seq < dsh_nodes_row(n, out->left)->seq)
			out->left = i;
		if (out->right == DSH_NONE || r->seq > dsh_nodes_row(n, out->right)->seq)
			out->right = i;
	}
	return out->left != DSH_NONE;
}

/* The edges as positions; anything but DSH_ACCEPTED ends it. */
static enum dsh_verdict place(const struct dsh_nodes *n, int64_t start, int64_t end, struct dsh_resolution *out)
{
	const struct dsh_surface *s = &n->f->surface;
	if (start > end)
		return DSH_REVERSED;
	out->left = dsh_nodes_find(n, start);
	out->right = dsh_nodes_find(n, end);
	if (out->left == DSH_NONE || out->right == DSH_NONE) {
		out->at_end = dsh_surface_knows(s, start);
		if (!dsh_surface_knows(s, start) || !dsh_surface_knows(s, end))
			return DSH_NOT_ON_SURFACE;
		out->at_end = false;
		if (!recover(n, start, end, out))
			return DSH_ALREADY_COMPRESSED;
	}
	return out->left > out->right ? DSH_REVERSED : DSH_ACCEPTED;
}

/* left and right are positions, or DSH_NONE; ordered by seq, too. */
static bool fits(const struct dsh_nodes *n, uint32_t left, uint32_t right)
{
	return left != DSH_NONE && right != DSH_NONE && left <= right &&
	       dsh_nodes_row(n, left)->seq <= dsh_nodes_row(n, right)->seq;
}

static enum dsh_verdict balance(const struct dsh_nodes *n, struct dsh_resolution *out)
{
	const struct dsh_clean *l = &n->clean.v[out->left], *r = &n->clean.v[out->right];
	if (n->corrupt >= 0) {
		out->corrupt = n->corrupt;
		return DSH_CORRUPT;
	}
	if (fits(n, l->before_next, r->after_prev)) {
		out->left = l->before_next;
		out->right = r->after_prev;
		return DSH_ACCEPTED;
	}
	if (out->recovered || !fits(n, l->before_prev, r->after_next))
		return DSH_UNBALANCED;
	out->left = l->before_prev;
	out->right = r->after_next;
	out->grown = true;
	return DSH_ACCEPTED;
}

void dsh_resolve(const struct dsh_nodes *n, int64_t start, int64_t end, struct dsh_resolution *out)
{
	*out = (struct dsh_resolution){.corrupt = -1, .start = -1, .end = -1};
	out->verdict = place(n, start, end, out);
	if (out->verdict == DSH_ACCEPTED)
		out->verdict = balance(n, out);
	if (out->verdict != DSH_ACCEPTED)
		return;
	out->start = dsh_nodes_row(n, out->left)->seq;
	out->end = dsh_nodes_row(n, out->right)->seq;
	out->adjusted = !out->recovered && (out->start != start || out->end != end);
}

/* ---- edges as written ---- */

enum { EDGE_REF_DIGITS = 5 };

/* Digits only, leading zeros or not; false when there are none or too many that count. It stops at DSH_EDGE_MAX. */
static bool read_digits(struct str s, size_t most, int64_t *value)
{
	size_t zeros = 0;
	if (s.n == 0)
		return false;
	while (zeros < s.n && s.p[zeros] == '0')
		zeros++;
	if (s.n - zeros > most)
		return false;
	*value = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		*value = *value * 10 + (s.p[i] - '0');
		if (*value > DSH_EDGE_MAX)
			*value = DSH_EDGE_MAX;
	}
	return true;
}

struct dsh_edge dsh_edge_parse(struct str text)
{
	size_t hash = str_find(text, STR("#"), 0);
	struct str s = text_trim(str_cut(text, 0, hash == SIZE_MAX ? text.n : hash));
	struct dsh_edge e = {.kind = DSH_EDGE_INVALID};
	int64_t value;
	if (s.n > 1 && (s.p[0] == 'm' || s.p[0] == 'M') && read_digits(str_cut(s, 1, s.n), EDGE_REF_DIGITS, &value)) {
		e.kind = DSH_EDGE_REF;
		e.ref = (uint32_t)value;
	} else if (read_digits(s, SIZE_MAX, &value)) {
		e.kind = DSH_EDGE_SEQ;
		e.seq = value;
	}
	return e;
}

bool dsh_edge_number(const cJSON *node, int64_t *seq)
{
	double x;
	if (!json_num(node, &x) || !isfinite(x) || !(x >= 0) || x != floor(x))
		return false;
	*seq = x < (double)DSH_EDGE_MAX ? (int64_t)x : DSH_EDGE_MAX;
	return true;
}

struct dsh_edge dsh_edge_value(const cJSON *node)
{
	struct dsh_edge e = {.kind = DSH_EDGE_INVALID};
	if (cJSON_IsString(node))
		return dsh_edge_parse(json_str(node));
	if (dsh_edge_number(node, &e.seq))
		e.kind = DSH_EDGE_SEQ;
	return e;
}
