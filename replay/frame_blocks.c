#include "replay/frame_blocks.h"

#include <math.h>

#include "engine/host/pi_density.h"
#include "replay/frame_request.h"

const char *block_standing_name(enum block_standing s)
{
	static const char *const names[BLOCK_STANDINGS] = {[BLOCK_ACTIVE] = "active",
							   [BLOCK_CONSUMED] = "consumed",
							   [BLOCK_OFF] = "off",
							   [BLOCK_ABSENT] = "absent"};
	return names[s];
}

/* ---- the compress record behind each block ---- */

struct origin {
	uint32_t made, outcome;
};

/* Outcomes of the present epoch before the position: [*first, end of it). */
static size_t outcomes_of(const struct frame *f, size_t *first)
{
	const struct run *r = f->run;
	size_t from = r->epochs.v[r->epoch].first, to = position_record(r, f->at), n = 0;
	*first = 0;
	while (*first < r->compressions.n && r->compressions.v[*first].record < from)
		++*first;
	while (*first + n < r->compressions.n && r->compressions.v[*first + n].record < to)
		n++;
	return n;
}

/* Blocks are made in order: the newest ones are those of the newest records, what is left came with the state. */
static struct origin *origins_of(struct frame *f)
{
	const struct run *r = f->run;
	size_t first, n = outcomes_of(f, &first), blocks = r->state.blocks.n;
	struct origin *origins = arena_alloc(&f->arena, (blocks + 1) * sizeof *origins);
	for (size_t i = n; i-- > 0;) {
		const struct compress_outcome *o = &r->compressions.v[first + i];
		for (uint32_t k = 0; o->applied && k < o->blocks && blocks > 0; k++)
			origins[--blocks] = (struct origin){o->after_turn, (uint32_t)(first + i)};
	}
	while (blocks > 0)
		origins[--blocks] = (struct origin){BLOCK_MADE_UNKNOWN, 0};
	return origins;
}

/* ---- the tree ---- */

struct builder {
	struct frame *f;
	struct state *s;
	struct frame_blocks *out;
	bool *placed;                 /* by block */
	VEC(struct frame_block) todo; /* a stack */
	const struct origin *origins;
};

static enum block_standing standing_of(struct state *s, const struct block *k)
{
	if (k->active)
		return BLOCK_ACTIVE;
	if (k->consumers > 0)
		return BLOCK_CONSUMED;
	bool there = k->present > 0 || state_info(s, k->summary_id)->present > 0;
	return there ? BLOCK_OFF : BLOCK_ABSENT;
}

uint64_t frame_block_key(struct state *s, uint32_t block)
{
	const struct block *k = &s->blocks.v[block];
	bool first = state_info(s, k->id)->block == block + 1;
	return (uint64_t)1 << 40 | (first ? (uint64_t)k->summary_id : (uint64_t)1 << 39 | block);
}

/* The children, so that the first one comes off the stack first. Ids without a block are left out, and so are blocks
 * that stand in the tree already. */
static void push_children(struct builder *b, uint32_t parent, uint32_t depth)
{
	const struct block *k = &b->s->blocks.v[b->out->v[parent - 1].block];
	bool last = true;
	for (uint32_t i = k->children_n; i-- > 0;) {
		uint32_t child = state_info(b->s, k->children[i])->block;
		if (child == 0 || b->placed[child - 1])
			continue;
		b->placed[child - 1] = true;
		vec_push(&b->todo,
			 (struct frame_block){.block = child - 1, .parent = parent, .depth = depth, .last = last});
		last = false;
	}
}

static void count(struct builder *b, const struct frame_block *node)
{
	const struct block *k = &b->s->blocks.v[node->block];
	struct frame_blocks *out = b->out;
	out->of_standing[node->standing]++;
	if (node->standing != BLOCK_ACTIVE)
		return;
	int tier = k->tier < BLOCK_TIERS ? k->tier : 0;
	for (int t = 0; t <= tier; t += tier > 0 ? tier : 1) {
		out->active[t]++;
		out->in[t] += k->has_tokens ? k->tokens : 0;
		out->out[t] += frame_block_out(b->f, k);
	}
}

/* A block and everything under it. */
static void place(struct builder *b, uint32_t root)
{
	if (b->placed[root])
		return;
	b->placed[root] = true;
	vec_push(&b->todo, (struct frame_block){.block = root});
	while (b->todo.n > 0) {
		struct frame_block node = b->todo.v[--b->todo.n];
		node.standing = (uint8_t)standing_of(b->s, &b->s->blocks.v[node.block]);
		node.made = b->origins[node.block].made;
		node.outcome = b->origins[node.block].outcome;
		node.key = frame_block_key(b->s, node.block);
		b->out->v[b->out->n++] = node;
		count(b, &node);
		push_children(b, (uint32_t)b->out->n, node.depth + 1);
	}
}

/* No block is made of it. */
static bool is_root(struct state *s, uint32_t block) { return state_info(s, s->blocks.v[block].id)->parents == 0; }

struct frame_blocks *frame_blocks(struct frame *f)
{
	struct frame_blocks *out = f->kept[KEPT_BLOCKS];
	struct state *s = &f->run->state;
	if (out != NULL)
		return out;
	out = f->kept[KEPT_BLOCKS] = arena_zero(&f->arena, 1, sizeof *out);
	out->v = arena_alloc(&f->arena, (s->blocks.n + 1) * sizeof *out->v);
	struct builder b = {.f = f, .s = s, .out = out, .origins = origins_of(f)};
	b.placed = arena_zero(&f->arena, s->blocks.n + 1, sizeof *b.placed);
	for (uint32_t i = 0; i < s->blocks.n; i++)
		if (is_root(s, i))
			place(&b, i);
	/* circles, and later blocks of the same id */
	for (uint32_t i = 0; i < s->blocks.n; i++)
		place(&b, i);
	vec_free(&b.todo);
	return out;
}

double frame_block_out(const struct frame *f, const struct block *k)
{
	return counter_tokens(&f->turn.in.counter, k->summary_size);
}

uint32_t frame_block_age(const struct frame *f, const struct frame_block *b) { return f->at.turn - b->made; }

double frame_block_net(const struct frame *f, const struct frame_block *b)
{
	const struct run *r = f->run;
	const struct block *k = &r->state.blocks.v[b->block];
	if (b->made == BLOCK_MADE_UNKNOWN || !k->has_tokens)
		return (double)NAN;
	double density = run_density_at(r, r->compressions.v[b->outcome].record);
	return k->tokens - pi_density_calibrate(density, text_tokens(k->summary_size));
}

static bool carries(const struct pi_request *q, const struct pi_message *m, uint32_t call)
{
	for (uint32_t i = 0; i < m->calls; i++)
		if (q->calls.v[m->first_call + i].compress && q->calls.v[m->first_call + i].call == call)
			return true;
	return false;
}

const struct pi_request *frame_anchors(struct frame *f)
{
	if (run_is_dsh(f->run) || request_lacks(f->run) != REQUEST_THERE)
		return NULL;
	return &frame_request(f)->sender.egress.now;
}

struct frame_anchor frame_block_anchor(const struct pi_request *q, const struct block *k)
{
	for (size_t i = 0; q != NULL && k->call != 0 && i < q->anchors.n; i++) {
		const struct pi_message *m = &q->messages.v[q->anchors.v[i]];
		if (carries(q, m, k->call))
			return (struct frame_anchor){true, m->recorded_tokens, m->anchor_tokens};
	}
	return (struct frame_anchor){0};
}
