#include "replay/where.h"

#include <stdio.h>

#include "replay/frame_blocks.h"

static struct str name_of(const struct state *s, uint32_t name) { return names_get(s->names, name); }

static void put_id(const struct state *s, uint32_t name, struct buf *out) { buf_str(out, name_of(s, name)); }

/* ", part of b9, part of b12": what a block went into, one after the other. */
static void put_parents(struct state *s, uint32_t block, struct buf *out)
{
	uint32_t link = state_info(s, s->blocks.v[block].id)->parents;

	/* a broken stored state may name blocks in a circle */
	for (size_t steps = 0; link != 0 && steps < s->blocks.n; steps++) {
		uint32_t parent = s->listings.v[link - 1].block;

		buf_text(out, ", which is part of ");
		put_id(s, s->blocks.v[parent].id, out);
		link = state_info(s, s->blocks.v[parent].id)->parents;
	}
}

static const struct frame_block *in_tree(struct frame *f, uint32_t block)
{
	const struct frame_blocks *all = frame_blocks(f);

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].block == block)
			return &all->v[i];
	return NULL;
}

static struct where put_block(struct frame *f, uint32_t block, struct buf *out)
{
	struct state *s = &f->run->state;
	const struct block *k = &s->blocks.v[block];
	const struct frame_block *b = in_tree(f, block);

	put_id(s, k->id, out);
	buf_printf(out, ": tier %d, %s", (int)k->tier,
		   block_standing_name(b ? (enum block_standing)b->standing : BLOCK_OFF));
	buf_printf(out, ", %u of %u rows in the host's list", (unsigned)k->present, (unsigned)k->effective_n);
	if (b && b->made != BLOCK_MADE_UNKNOWN)
		buf_printf(out, ", made after turn %u", (unsigned)b->made);
	else
		buf_text(out, ", from a stored state");
	put_parents(s, block, out);
	return (struct where){.kind = WHERE_BLOCK, .block = block};
}

/* The message, as people find it again. */
static void put_message(const struct run *r, const struct state *s, uint32_t name, struct buf *out)
{
	uint32_t last = s->info.v[name].last;

	buf_text(out, "message ");
	put_id(s, name, out);
	if (last > 0)
		buf_printf(out, ", line %u",
			   (unsigned)r->recording->records.v[r->recording->messages.v[last - 1].record].line);
}

/* The newest active block that lists the name, + 1; 0 = none. */
static uint32_t cover_of(struct state *s, uint32_t name)
{
	uint32_t newest = 0;

	for (uint32_t l = state_info(s, name)->listed; l != 0; l = s->listings.v[l - 1].next) {
		uint32_t block = s->listings.v[l - 1].block;

		if (s->blocks.v[block].active && block + 1 > newest)
			newest = block + 1;
	}
	return newest;
}

static struct where put_ref(struct frame *f, uint32_t ref, struct buf *out)
{
	struct state *s = &f->run->state;
	char text[REF_TEXT_MAX];
	uint32_t name = ref < s->by_ref.n ? s->by_ref.v[ref] : 0, cover, place = 0;

	buf_str(out, state_ref_text(s, ref, text));
	if (name == 0) {
		if (s->ref_highest > 0 && ref_format(text, s->ref_highest))
			buf_printf(out, " was never issued so far; the highest is %s", text);
		else
			buf_text(out, " was never issued so far: no ref was");
		return (struct where){.kind = WHERE_NEVER};
	}
	for (size_t i = 0; i < f->rows.n; i++) {
		place += f->rows.v[i].mark != MARK_REMOVED;
		if (f->rows.v[i].row.ref != ref || f->rows.v[i].mark == MARK_REMOVED || f->rows.v[i].row.covered)
			continue;
		buf_printf(out, " is visible: row %u of %u, ", (unsigned)place, (unsigned)f->surface_rows);
		put_message(f->run, s, name, out);
		return (struct where){.kind = WHERE_VISIBLE, .row = (uint32_t)i};
	}
	if (state_info(s, name)->present == 0) {
		buf_text(out, " dangles: ");
		put_message(f->run, s, name, out);
		buf_text(out, " is not in the host's list");
		return (struct where){.kind = WHERE_DANGLING};
	}
	cover = cover_of(s, name);
	if (cover == 0) {
		buf_text(out, " is in the host's list, covered by nothing, and not sent here: ");
		put_message(f->run, s, name, out);
		return (struct where){.kind = WHERE_LEFT_OUT};
	}
	buf_text(out, " is covered by ");
	put_id(s, s->blocks.v[cover - 1].id, out);
	buf_printf(out, " (tier %d): ", (int)s->blocks.v[cover - 1].tier);
	put_message(f->run, s, name, out);
	return (struct where){.kind = WHERE_COVERED, .block = cover - 1};
}

struct where where_is(struct frame *f, struct str text, struct buf *out)
{
	struct arena arena = {0};
	struct boundary_ref b = boundary_read(&arena, text);
	struct state *s = &f->run->state;
	struct where w = {.kind = WHERE_NOTHING};
	const struct block *k;

	if (b.kind == BOUNDARY_MESSAGE) {
		w = put_ref(f, b.number, out);
	} else if (b.kind == BOUNDARY_BLOCK) {
		char id[16];

		snprintf(id, sizeof id, "b%u", (unsigned)b.number);
		k = state_block_named(s, str_of(id));
		if (k) {
			w = put_block(f, (uint32_t)(k - s->blocks.v), out);
		} else {
			buf_printf(out, "%s was never made so far; blocks made: %zu", id, s->blocks.n);
			w.kind = WHERE_NEVER;
		}
	} else {
		buf_text(out, "no ref and no block id (m00042, b7)");
	}
	arena_free(&arena);
	return w;
}
