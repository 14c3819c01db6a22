#include "engine/kernel/decompress.h"

static struct block *first_named(struct state *s, uint32_t id)
{
	uint32_t block = state_info(s, id)->block;
	return block != 0 ? &s->blocks.v[block - 1] : NULL;
}

/* ---- look-ups (8.3) ---- */

struct by_number {
	uint32_t number, block;
};

static int compare_numbers(const void *left, const void *right)
{
	const struct by_number *a = left, *b = right;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

size_t decompress_overlapping(struct state *s, const uint32_t *ids, size_t n, struct arena *a, uint32_t **blocks)
{
	VEC(struct by_number) found = {0};
	struct mark_set seen = {0};
	mark_set_clear(&seen);
	for (size_t i = 0; i < n; i++) {
		for (uint32_t l = state_info(s, ids[i])->listed; l != 0; l = s->listings.v[l - 1].next) {
			uint32_t block = s->listings.v[l - 1].block;
			if (!s->blocks.v[block].active || mark_set_has(&seen, block))
				continue;
			mark_set_add(&seen, block);
			vec_push(&found, (struct by_number){s->blocks.v[block].number, block});
		}
	}
	if (found.n > 1)
		qsort(found.v, found.n, sizeof *found.v, compare_numbers);
	*blocks = arena_alloc(a, found.n * sizeof **blocks);
	for (size_t i = 0; i < found.n; i++)
		(*blocks)[i] = found.v[i].block;
	size_t count = found.n;
	vec_free(&found);
	mark_set_free(&seen);
	return count;
}

/* Ids of blocks, each once, in the order a breadth-first walk over directBlockIds meets them. */
struct walk {
	struct state *s;
	VEC(uint32_t) queue;
	struct mark_set met;
};

static void walk_meet(struct walk *w, uint32_t id)
{
	if (mark_set_has(&w->met, id))
		return;
	mark_set_add(&w->met, id);
	vec_push(&w->queue, id);
}

static void walk_children(struct walk *w, uint32_t id)
{
	const struct block *k = first_named(w->s, id);
	for (uint32_t i = 0; k != NULL && i < k->children_n; i++)
		walk_meet(w, k->children[i]);
}

static struct walk walk_begin(struct state *s, const uint32_t *ids, size_t n)
{
	struct walk w = {.s = s};
	mark_set_clear(&w.met);
	for (size_t i = 0; i < n; i++)
		walk_meet(&w, ids[i]);
	return w;
}

static void walk_end(struct walk *w)
{
	vec_free(&w->queue);
	mark_set_free(&w->met);
}

int64_t decompress_active_below(struct state *s, struct str id)
{
	uint32_t name = names_find(s->names, id);
	int64_t found = -1;
	if (name == UINT32_MAX)
		return found;
	struct walk w = walk_begin(s, &name, 1);
	walk_children(&w, name);
	for (size_t i = 1; i < w.queue.n && found < 0; i++) {
		const struct block *k = first_named(s, w.queue.v[i]);
		if (k != NULL && k->active)
			found = k - s->blocks.v;
		walk_children(&w, w.queue.v[i]);
	}
	walk_end(&w);
	return found;
}

/* ---- deactivation (8.4) ---- */

size_t decompress_deactivate(struct state *s, const uint32_t *ids, size_t n, bool deep)
{
	size_t off = 0;
	struct walk w = walk_begin(s, ids, n);
	for (size_t i = 0; deep && i < w.queue.n; i++)
		walk_children(&w, w.queue.v[i]);
	/* blocks that share an id (foreign states) go off together */
	for (uint32_t i = 0; i < s->blocks.n; i++) {
		if (!s->blocks.v[i].active || !mark_set_has(&w.met, s->blocks.v[i].id))
			continue;
		state_block_active(s, i, false);
		off++;
	}
	walk_end(&w);
	return off;
}

/* ---- content (8.5) ---- */

static void part_begin(struct buf *out, size_t *count)
{
	if ((*count)++ > 0)
		buf_text(out, "\n\n");
}

static void put_child(const struct state *s, const struct block *k, struct buf *out)
{
	buf_text(out, SUMMARY_HEADER " \xE2\x80\x94 ");
	buf_str(out, names_get(s->names, k->id));
	if (k->topic.n > 0) {
		buf_text(out, ": ");
		buf_str(out, k->topic);
	}
	buf_char(out, '\n');
	buf_str(out, k->summary);
}

/* Is the tool's name shown in front of the text? */
static bool names_tool(const struct message *m) { return m->tool != 0 && m->content != CONTENT_TEXT; }

static void put_message(const struct state *s, uint32_t index, struct arena *scratch, struct buf *out)
{
	const struct message *m = &s->messages.v[index];
	buf_char(out, '[');
	buf_str(out, role_name((enum role)m->role));
	if (names_tool(m)) {
		buf_text(out, " \xE2\x80\xA2 ");
		buf_str(out, names_get(s->names, m->tool));
	}
	buf_text(out, "]\n");
	buf_str(out, s->texts.get(s->texts.owner, index, scratch));
	arena_free(scratch);
}

size_t decompress_content(struct state *s, uint32_t block, bool full, struct buf *out)
{
	const struct block *k = &s->blocks.v[block];
	struct mark_set wanted = {0};
	struct arena scratch = {0};
	size_t count = 0;
	mark_set_clear(&wanted);
	for (uint32_t i = 0; i < k->effective_n; i++)
		mark_set_add(&wanted, k->effective[i]);
	for (uint32_t i = 0; !full && i < k->children_n; i++) {
		const struct block *child = first_named(s, k->children[i]);
		if (child == NULL || !child->active)
			continue;
		part_begin(out, &count);
		put_child(s, child, out);
		for (uint32_t e = 0; e < child->effective_n; e++)
			if (mark_set_has(&wanted, child->effective[e]))
				wanted.mark.v[child->effective[e]] = 0;
	}
	for (size_t i = 0; i < s->rows.n; i++) {
		if (!mark_set_has(&wanted, s->messages.v[s->rows.v[i]].id))
			continue;
		part_begin(out, &count);
		put_message(s, s->rows.v[i], &scratch, out);
	}
	mark_set_free(&wanted);
	return count;
}

/* ---- preview (8.5) ---- */

/* Appends a row; returns its length in units. */
static size_t put_preview_row(const struct state *s, uint32_t index, struct arena *scratch, struct buf *out)
{
	const struct message *m = &s->messages.v[index];
	struct str text = s->texts.get(s->texts.owner, index, scratch);
	bool cut = m->face.size.units > PREVIEW_ROW_UNITS;
	size_t from = out->n;
	if (names_tool(m)) {
		buf_str(out, names_get(s->names, m->tool));
		buf_text(out, ": ");
	} else {
		buf_char(out, '[');
		buf_str(out, role_name((enum role)m->role));
		buf_text(out, "] ");
	}
	buf_str(out, cut ? text_slice(scratch, text, 0, PREVIEW_ROW_UNITS) : text);
	buf_text(out, cut ? "..." : "");
	arena_free(scratch);
	return text_measure(str_cut(buf_view(out), from, out->n)).units;
}

size_t decompress_preview(struct state *s, const uint32_t *ids, size_t n, struct buf *out)
{
	struct mark_set wanted = {0};
	struct arena scratch = {0};
	size_t count = 0, length = 0;
	mark_set_clear(&wanted);
	for (size_t i = 0; i < n; i++)
		mark_set_add(&wanted, ids[i]);
	for (size_t i = 0; i < s->rows.n; i++) {
		uint32_t id = s->messages.v[s->rows.v[i]].id;
		if (!mark_set_has(&wanted, id) || state_info(s, id)->covers > 0)
			continue;
		count++;
		if (length >= PREVIEW_UNITS)
			continue;
		if (count > 1)
			buf_char(out, '\n');
		length += put_preview_row(s, s->rows.v[i], &scratch, out) + 1;
	}
	mark_set_free(&wanted);
	return count;
}

/* ---- viable ranges (8.7) ---- */

size_t ranges_viable(const struct range *in, size_t n, struct range *out)
{
	size_t viable = 0;
	for (size_t i = 0; i < n; i++)
		if (in[i].tokens >= VIABLE_TOKENS)
			out[viable++] = in[i];
	return viable;
}
