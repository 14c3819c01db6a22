/* The first turn of a kind of difference in full: the things of both sides by id, and those that differ. */
#include "replay/diff_parts.h"
#include "replay/view/words.h"

enum { EXCERPT_UNITS = 48 };

/* A text from byte `from` on: as many units as an excerpt has. */
static void put_excerpt(struct buf *b, struct str text, size_t from)
{
	size_t at = from, units = 0;
	uint32_t code;
	while (units < EXCERPT_UNITS && at < text.n) {
		at += text_decode(text, at, &code);
		units += code > 0xffff ? 2 : 1;
	}
	words_count(b, text_measure(text).units);
	buf_text(b, " units");
	if (from > 0)
		buf_text(b, ", from unit "), words_count(b, text_measure(str_cut(text, 0, from)).units);
	buf_printf(b, ": %s\"", from > 0 ? "..." : "");
	buf_str(b, str_cut(text, from, at));
	buf_text(b, at < text.n ? "\"..." : "\"");
}

/* Bytes that both texts begin with, to where a code point begins. */
static size_t common_bytes(struct str a, struct str b)
{
	size_t same = 0;
	while (same < a.n && same < b.n && a.p[same] == b.p[same])
		same++;
	while (same > 0 && same < a.n && ((unsigned char)a.p[same] & 0xc0) == 0x80)
		same--;
	return same;
}

/* Two texts from where they differ; what may be left out (tags) only where nothing else differs. */
static void say_texts(struct diff_looked *sides, const struct diff_item *const i[DIFF_SIDES], struct diff_line *line)
{
	struct str (*text_of)(struct diff_looked * l, const struct diff_item *item, bool whole) =
		diff_parts[sides->t->kind].text;
	struct str text[DIFF_SIDES];
	for (int side = 0; side < DIFF_SIDES; side++)
		text[side] = text_of(&sides[side], i[side], false);
	bool whole = str_eq(text[DIFF_LEFT], text[DIFF_RIGHT]);
	for (int side = 0; side < DIFF_SIDES && whole; side++)
		text[side] = text_of(&sides[side], i[side], true);
	size_t same = common_bytes(text[DIFF_LEFT], text[DIFF_RIGHT]);
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct buf b = {0};
		if (whole)
			buf_text(&b, "with its tag, ");
		put_excerpt(&b, text[side], same);
		line->value[side] = diff_said(&sides[side].d->arena, &b);
		buf_free(&b);
	}
}

static struct str keep(struct diff *d, struct str s)
{
	return s.p == NULL ? s : (struct str){arena_copy(&d->arena, s.p, s.n), s.n};
}

static void keep_line(struct diff_looked *sides, struct diff_detail *t, const struct diff_item *const i[DIFF_SIDES])
{
	const struct diff_part_of *part = &diff_parts[t->kind];
	struct diff *d = sides->d;
	struct diff_line *line = &t->lines[t->n++];
	struct str name = {NULL, 0};
	*line = (struct diff_line){0};
	for (int side = DIFF_SIDES - 1; side >= 0; side--) {
		struct buf b = {0};
		if (i[side] == NULL)
			continue;
		if (i[side]->value.p == NULL)
			part->value(&sides[side], i[side], &b);
		else
			buf_str(&b, i[side]->value);
		line->id = i[side]->id;
		line->value[side] = diff_said(&d->arena, &b);
		if (part->name != NULL)
			name = part->name(&sides[side], i[side]);
		buf_free(&b);
	}
	line->id = keep(d, line->id);
	line->name = name.p != NULL ? keep(d, name) : line->id;
	if (part->text != NULL && i[DIFF_LEFT] != NULL && i[DIFF_RIGHT] != NULL)
		say_texts(sides, i, line);
}

/* Items by id; the second one with the same id is another thing than the first. */
struct index {
	struct names ids;
	VEC(uint32_t) seen[DIFF_SIDES]; /* by id: how often */
	VEC(uint32_t) item[DIFF_SIDES]; /* by number of the thing: item + 1 */
	struct buf text;
};

static void index_side(struct index *x, const struct diff_looked *l)
{
	for (uint32_t i = 0; i < l->items.n; i++) {
		uint32_t id = names_add(&x->ids, l->items.v[i].id);
		vec_fill(&x->seen[l->side], (size_t)id + 1);
		if (x->seen[l->side].v[id]++ > 0) {
			buf_cut(&x->text, 0);
			buf_str(&x->text, l->items.v[i].id);
			buf_printf(&x->text, "\x1f%u", x->seen[l->side].v[id]);
			id = names_add(&x->ids, buf_view(&x->text));
		}
		vec_fill(&x->item[l->side], (size_t)id + 1);
		x->item[l->side].v[id] = i + 1;
	}
}

static const struct diff_item *item_of(const struct index *x, const struct diff_looked *l, size_t thing)
{
	uint32_t i = thing < x->item[l->side].n ? x->item[l->side].v[thing] : 0;
	return i > 0 ? &l->items.v[i - 1] : NULL;
}

/* Things in the order in which the left has them, then those of the right alone. */
static void compare(struct diff_looked sides[DIFF_SIDES], struct diff_detail *t)
{
	struct index x = {0};
	names_init(&x.ids);
	index_side(&x, &sides[DIFF_LEFT]);
	index_side(&x, &sides[DIFF_RIGHT]);
	t->lines = arena_alloc(&sides->d->arena, DIFF_LINES_MAX * sizeof *t->lines);
	for (size_t i = 0; i < x.ids.list.n; i++) {
		const struct diff_item *const of[DIFF_SIDES] = {item_of(&x, &sides[DIFF_LEFT], i),
								item_of(&x, &sides[DIFF_RIGHT], i)};
		const struct diff_item *left = of[DIFF_LEFT], *right = of[DIFF_RIGHT];
		if ((left == NULL && right == NULL) || (left != NULL && right != NULL && left->print == right->print))
			continue;
		*(left == NULL ? &t->only[DIFF_RIGHT] : right == NULL ? &t->only[DIFF_LEFT] : &t->both) += 1;
		if (t->n < DIFF_LINES_MAX)
			keep_line(sides, t, of);
	}
	names_free(&x.ids);
	buf_free(&x.text);
	for (int side = 0; side < DIFF_SIDES; side++) {
		vec_free(&x.seen[side]);
		vec_free(&x.item[side]);
	}
}

static void open_side(struct diff_looked *l, struct diff_looking *looking)
{
	uint32_t turn = l->t->turn[l->side];
	l->frame = &looking->frame[l->side];
	l->moment = turn > 0 ? &l->run->timeline.turns.v[turn - 1] : NULL;
	if (!diff_parts[l->t->kind].framed || looking->turn[l->side] == turn)
		return;
	frame_open(l->frame, l->run, (struct position){.turn = turn, .node = NODE_RENDER}, NULL);
	looking->turn[l->side] = turn;
}

void diff_look(struct diff *d, struct diff_looking *looking, struct diff_detail *t)
{
	struct diff_looked sides[DIFF_SIDES] = {{0}, {0}};
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct diff_looked *l = &sides[side];
		*l = (struct diff_looked){.d = d, .t = t, .side = (enum diff_side)side, .run = d->side[side]->run};
		if (!t->has[side])
			continue;
		open_side(l, looking);
		/* of a turn that could not run there is nothing but its rows */
		bool none = diff_parts[t->kind].framed && l->frame->capacity && t->kind != DIFF_ROWS;
		if (!none)
			diff_parts[t->kind].list(l);
	}
	compare(sides, t);
	for (int side = 0; side < DIFF_SIDES; side++) {
		vec_free(&sides[side].items);
		arena_free(&sides[side].arena);
	}
}

void diff_looking_end(struct diff_looking *l)
{
	frame_close(&l->frame[DIFF_LEFT]);
	frame_close(&l->frame[DIFF_RIGHT]);
}
