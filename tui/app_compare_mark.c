#include <stdlib.h>

#include "tui/app_parts.h"

/* The first line of every key, by open addressing; 0 = free. */
struct app_marks {
	uint64_t opening;
	enum pane_id pane;
	const struct app_replay *other;
	int width;
	struct key_lines {
		size_t n, size; /* lines of the view; slots, a power of 2, or 0: no line has a key */
		uint64_t *keys;
		size_t *lines;
	} side[2];
};

/* What both sides are asked for: no line selected, none opened. */
static struct view_context plain(const struct app *a, int side)
{
	struct view_context c = app_compare_context(a, side);

	c.selected = 0;
	c.unfolded = false;
	/* of the same columns, or nothing could be compared */
	c.width = a->compare.place[0].body.cols;
	return c;
}

static size_t slot_of(const struct key_lines *k, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (k->size - 1);

	while (k->keys[at] != 0 && k->keys[at] != key)
		at = (at + 1) & (k->size - 1);
	return at;
}

static void free_lines(struct key_lines *k)
{
	free(k->keys);
	free(k->lines);
	*k = (struct key_lines){0};
}

static void index_lines(struct key_lines *k, const struct view_ops *v, const struct view_context *c)
{
	size_t keyed = 0;

	free_lines(k);
	k->n = v->count(c);
	for (k->size = 16; k->size < k->n * 2; k->size *= 2)
		;
	k->keys = mem_resize(NULL, k->size, sizeof *k->keys);
	k->lines = mem_resize(NULL, k->size, sizeof *k->lines);
	memset(k->keys, 0, k->size * sizeof *k->keys);
	for (size_t i = 0; i < k->n; i++) {
		uint64_t key = v->key(c, i);
		size_t at = key != 0 ? slot_of(k, key) : 0;

		if (key == 0 || k->keys[at] == key)
			continue;
		k->keys[at] = key;
		k->lines[at] = i;
		keyed++;
	}
	if (keyed == 0)
		k->size = 0;
}

static struct app_marks *marks_of(struct app *a)
{
	struct app_marks *m = a->compare.marks;
	int width = a->compare.place[0].body.cols;

	if (!m) {
		m = mem_alloc(sizeof *m);
		*m = (struct app_marks){.opening = 0};
		a->compare.marks = m;
	}
	if (m->opening == a->opening && m->pane == a->focus && m->width == width && m->other == a->compare.other)
		return m;
	m->opening = a->opening;
	m->pane = a->focus;
	m->width = width;
	m->other = a->compare.other;
	for (int side = 0; side < 2; side++) {
		struct view_context c = plain(a, side);

		index_lines(&m->side[side], a->panes[a->focus].view, &c);
	}
	return m;
}

void app_marks_free(struct app_marks *m)
{
	if (!m)
		return;
	free_lines(&m->side[0]);
	free_lines(&m->side[1]);
	free(m);
}

/* The line of the other side that stands for line i; SIZE_MAX: none does, and (*told) that is a difference. */
static size_t partner(const struct app_marks *m, const struct view_ops *v, const struct view_context c[2], int side,
		      size_t i, bool *told)
{
	const struct key_lines *own = &m->side[side], *other = &m->side[!side];
	uint64_t key = v->key(&c[side], i);
	size_t j, at;

	*told = own->size == 0 || key != 0;
	if (key == 0)
		return own->size == 0 && i < other->n ? i : SIZE_MAX;
	if (other->size == 0)
		return SIZE_MAX;
	at = slot_of(other, key);
	if (other->keys[at] == 0)
		return SIZE_MAX;
	/* a key may have several lines, one after the other */
	j = other->lines[at] + (i - own->lines[slot_of(own, key)]);
	return j < other->n && v->key(&c[!side], j) == key ? j : SIZE_MAX;
}

enum app_standing app_compare_standing(struct app *a, int side, size_t i)
{
	const struct view_ops *v = a->panes[a->focus].view;
	const struct app_marks *m = marks_of(a);
	struct view_context c[2] = {plain(a, 0), plain(a, 1)};
	struct line x = {.ascii = a->ascii}, y = {.ascii = a->ascii};
	bool told, same;
	size_t j = partner(m, v, c, side, i, &told);

	if (j == SIZE_MAX)
		return told ? APP_STANDS_ALONE : APP_STANDS_SAME;
	line_reset(&x, c[0].width);
	line_reset(&y, c[0].width);
	v->line(&c[side], i, &x);
	v->line(&c[!side], j, &y);
	same = str_eq(buf_view(&x.bytes), buf_view(&y.bytes));
	line_free(&x);
	line_free(&y);
	return same ? APP_STANDS_SAME : APP_STANDS_OTHER;
}
