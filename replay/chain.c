#include "replay/chain.h"

#include "engine/base/fnv.h"

void chain_new_state(struct chain *c, const struct state *s)
{
	VEC(uint32_t) first = {0}; /* by name: first known block with it, index + 1 */
	for (size_t i = c->known.n; i-- > 0;) {
		vec_fill(&first, (size_t)c->known.v[i].id + 1);
		first.v[c->known.v[i].id] = (uint32_t)i + 1;
	}
	struct chain_block *old = c->known.v;
	c->known.v = NULL;
	c->known.n = c->known.cap = 0;
	for (size_t i = 0; i < s->blocks.n; i++) {
		uint32_t id = s->blocks.v[i].id, at = id < first.n ? first.v[id] : 0;
		vec_push(&c->known, at > 0 ? old[at - 1] : (struct chain_block){0});
	}
	free(old);
	vec_free(&first);
	c->fresh = true;
	c->mark = state_mark(s);
	canon_ranges_reset(&c->ranges);
}

void chain_compress(struct chain *c, struct str call, const struct parse_result *parse,
		    const struct apply_result *result, bool applied)
{
	struct buf *b = &c->compressions;
	buf_char(b, '[');
	json_put_str(b, call);
	buf_printf(b, ",\"%s\",%s,", parse_kind_name(parse->kind), applied ? "true" : "false");
	canon_number(b, result ? (double)result->blocks_created : 0);
	buf_char(b, ',');
	canon_number(b, result ? result->tokens_compressed : 0);
	buf_char(b, ',');
	canon_kinds(b, result ? result->errors.v : NULL, result ? result->errors.n : 0);
	buf_char(b, ',');
	canon_kinds(b, result ? result->warnings.v : NULL, result ? result->warnings.n : 0);
	buf_char(b, ']');
}

/* `blockId:tier:active:generation;` when it differs from what is known of the block. */
static void put_block(struct chain *c, const struct state *s, uint32_t block, struct buf *b)
{
	const struct block *k = &s->blocks.v[block];
	vec_fill(&c->known, (size_t)block + 1);
	struct chain_block *known = &c->known.v[block];
	if (known->id == k->id && known->active == k->active && known->old == k->old)
		return;
	*known = (struct chain_block){k->id, k->active, k->old};
	buf_str(b, names_get(s->names, k->id));
	buf_char(b, ':');
	canon_number(b, k->tier);
	buf_text(b, k->active ? ":true:" : ":false:");
	buf_text(b, k->old ? "old;" : "young;");
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void put_changed_blocks(struct chain *c, const struct state *s, struct buf *b)
{
	bool sorted = true;
	c->touched.n = 0;
	if (c->fresh)
		for (uint32_t i = 0; i < s->blocks.n; i++)
			vec_push(&c->touched, i);
	for (size_t i = c->mark; i < s->at; i++) {
		const struct change *change = &s->journal.v[i];
		if (change->kind != CHANGE_BLOCK && change->kind != CHANGE_ACTIVE && change->kind != CHANGE_OLD)
			continue;
		if (c->touched.n > 0 && c->touched.v[c->touched.n - 1] > change->a)
			sorted = false;
		vec_push(&c->touched, change->a);
	}
	if (!sorted)
		qsort(c->touched.v, c->touched.n, sizeof *c->touched.v, by_number);
	for (size_t i = 0; i < c->touched.n; i++)
		put_block(c, s, c->touched.v[i], b);
	c->fresh = false;
	c->mark = s->at;
}

uint64_t chain_turn(struct chain *c, struct state *s, const struct turn *t, uint64_t digest)
{
	struct buf *b = &c->text;
	char hex[17];
	buf_cut(b, 0);
	chain_hex(c, hex);
	buf_text(b, hex);
	fnv_hex(hex, digest);
	buf_bytes(b, hex, 16);
	canon_ranges_update(&c->ranges, s, &t->rec);
	buf_char(b, '[');
	canon_last_ref(b, s);
	buf_char(b, ',');
	canon_number(b, t->in.tokens);
	buf_char(b, ',');
	canon_recommended(b, &c->ranges);
	buf_char(b, ',');
	canon_protected(b, &c->ranges);
	buf_text(b, t->nudge.inject ? ",true," : ",false,");
	canon_tier(b, t->nudge.tier);
	buf_char(b, ',');
	canon_blocks(b, s, t->nudge.targets.v, t->nudge.targets.n);
	buf_char(b, ',');
	canon_nudge_state(b, &s->now);
	buf_char(b, ',');
	canon_stats(b, &s->now);
	buf_char(b, ']');
	buf_bytes(b, c->compressions.p ? c->compressions.p : "", c->compressions.n);
	buf_cut(&c->compressions, 0);
	put_changed_blocks(c, s, b);
	c->hash = fnv_text(FNV_START, buf_view(b));
	c->started = true;
	return c->hash;
}

void chain_hex(const struct chain *c, char out[17])
{
	out[0] = 0;
	if (c->started)
		fnv_hex(out, c->hash);
}

void chain_free(struct chain *c)
{
	vec_free(&c->known);
	vec_free(&c->touched);
	canon_ranges_free(&c->ranges);
	buf_free(&c->compressions);
	buf_free(&c->text);
}
