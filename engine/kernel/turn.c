#include "engine/kernel/turn.h"

#include "engine/base/fnv.h"
#include "engine/kernel/assign.h"
#include "engine/kernel/nodes.h"
#include "engine/kernel/render.h"
#include "engine/kernel/sync.h"

static enum status run_assign(struct turn *t, struct state *s, struct alternatives *alt)
{
	(void)t, (void)alt;
	return assign_refs(s);
}

static enum status run_sync(struct turn *t, struct state *s, struct alternatives *alt)
{
	(void)alt;
	sync_blocks(s, &t->deactivated);
	return STATUS_OK;
}

static enum status run_prune(struct turn *t, struct state *s, struct alternatives *alt)
{
	(void)alt;
	prune_run(t, s);
	return STATUS_OK;
}

/* The node keeps its place; no filters are registered (kernel.md 4.4). */
static enum status run_filter(struct turn *t, struct state *s, struct alternatives *alt)
{
	(void)t, (void)s, (void)alt;
	return STATUS_OK;
}

static enum status run_hide(struct turn *t, struct state *s, struct alternatives *alt)
{
	hide_run(t, s, alt);
	return STATUS_OK;
}

static enum status run_recommend(struct turn *t, struct state *s, struct alternatives *alt)
{
	(void)alt;
	recommend_run(&t->surface, s, &t->in.counter, t->kept, &t->rec);
	return STATUS_OK;
}

static enum status run_nudge(struct turn *t, struct state *s, struct alternatives *alt)
{
	(void)alt;
	nudge_run(&t->surface, s, &t->in.counter, &t->rec, t->kept, t->in.tokens, &t->nudge);
	return STATUS_OK;
}

static enum status run_truncate(struct turn *t, struct state *s, struct alternatives *alt)
{
	truncate_run(t, s, alt);
	return STATUS_OK;
}

static enum status run_render(struct turn *t, struct state *s, struct alternatives *alt)
{
	if (t->in.tags != TAGS_NONE)
		render_run(t, s, alt);
	return STATUS_OK;
}

static const struct {
	const char *name;
	enum status (*run)(struct turn *, struct state *, struct alternatives *);
} nodes[NODE_COUNT] = {
	[NODE_START] = {"start", NULL},
	[NODE_ASSIGN_REFS] = {"assign-refs", run_assign},
	[NODE_SYNC_BLOCKS] = {"sync-blocks", run_sync},
	[NODE_PRUNE] = {"prune", run_prune},
	[NODE_FILTER] = {"filter", run_filter},
	[NODE_HIDE] = {"hide-compress-calls", run_hide},
	[NODE_RECOMMEND] = {"recommend", run_recommend},
	[NODE_NUDGE] = {"nudge-inject", run_nudge},
	[NODE_TRUNCATE] = {"emergency-truncate", run_truncate},
	[NODE_RENDER] = {"render-refs", run_render},
};

const char *turn_node_name(enum turn_node n) { return nodes[n].name; }

bool turn_node_parse(struct str s, enum turn_node *out)
{
	for (int i = NODE_ASSIGN_REFS; i < NODE_COUNT; i++)
		if (str_eq(s, str_of(nodes[i].name)) || (s.n == 1 && s.p[0] == '0' + i)) {
			*out = (enum turn_node)i;
			return true;
		}
	return false;
}

static void empty_products(struct turn *t)
{
	t->nudge.inject = false;
	t->nudge.tier = 0;
	t->nudge.targets.n = 0;
	t->hidden = t->truncated = t->peeled = 0;
	t->saved = 0;
	t->deactivated.blocks.n = 0;
	arena_free(&t->arena);
}

void turn_begin(struct turn *t, const struct turn_input *in)
{
	empty_products(t);
	t->in = *in;
	t->complete = false;
	t->surface.rows.n = t->chain.n = t->kept = 0;
	t->rec.compressible.n = t->rec.recommended.n = t->rec.protected_ranges.n = 0;
}

enum status turn_step(struct turn *t, struct state *s, struct alternatives *alt, enum turn_node node)
{
	return nodes[node].run(t, s, alt);
}

static bool same_view(const struct turn_input *a, const struct turn_input *b)
{
	return a->tags == b->tags && a->hide == b->hide && a->no_summaries == b->no_summaries &&
	       a->no_snapshot == b->no_snapshot && a->no_orphans == b->no_orphans &&
	       a->counter.density == b->counter.density;
}

enum status turn_run(struct turn *t, struct state *s, struct alternatives *alt, const struct turn_input *in)
{
	size_t mark = state_mark(s);
	t->complete = t->complete && same_view(&t->in, in);
	t->in = *in;
	empty_products(t); /* surface and ranges stay: prune says how much of them */
	for (int node = NODE_ASSIGN_REFS; node < NODE_COUNT; node++) {
		enum status st = turn_step(t, s, alt, (enum turn_node)node);
		if (st != STATUS_OK) {
			turn_begin(t, in);
			state_rollback(s, mark);
			return st;
		}
		if (node == NODE_HIDE && in->count != NULL)
			t->in.tokens = in->count(in->count_ctx, &t->surface, s);
	}
	t->complete = t->truncated == 0 && t->peeled == 0;
	return STATUS_OK;
}

uint64_t turn_digest(struct turn *t, struct state *s, struct alternatives *alt)
{
	uint64_t h = t->chain.n > 0 ? t->chain.v[t->chain.n - 1] : FNV_START;
	for (size_t i = t->chain.n; i < t->surface.rows.n; i++) {
		h = fnv_u64(h, surface_row_hash(&t->surface.rows.v[i], s, alt, &t->arena));
		vec_push(&t->chain, h);
	}
	return h;
}

void turn_free(struct turn *t)
{
	surface_free(&t->surface);
	recommend_free(&t->rec);
	vec_free(&t->nudge.targets);
	vec_free(&t->nudge.sums);
	vec_free(&t->deactivated.blocks);
	vec_free(&t->order);
	vec_free(&t->chain);
	buf_free(&t->text);
	arena_free(&t->arena);
}
