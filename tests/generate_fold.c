/* Compress calls of generated sessions. */
#include "tests/generate_parts.h"

#include <stdio.h>

/* ---- compress calls ---- */

static void put_summary(struct generator *g, struct buf *b)
{
	uint32_t n = gen_between(g, g->shape->summary[0], g->shape->summary[1]);
	if (gen_chance(g, g->shape->bad))
		n = gen_below(g, 40);
	json_put_str(b, gen_text(g, n, n + 20));
}

static void put_range(struct generator *g, struct buf *b, const char *start, const char *end)
{
	static const char *const keys[][2] = {{"startId", "endId"}, {"startRef", "endRef"}, {"messageId", "endId"}};
	size_t spelling = g->everything && gen_chance(g, 200) ? gen_below(g, 3) : 0;
	buf_printf(b, "{\"%s\":\"%s\",\"%s\":\"%s\",\"summary\":", keys[spelling][0], start, keys[spelling][1], end);
	put_summary(g, b);
	if (gen_chance(g, 500)) {
		buf_text(b, ",\"topic\":");
		json_put_str(b, gen_text(g, 6, 20));
	}
	if (g->everything && gen_chance(g, 80))
		buf_printf(b, ",\"summaryMaxChars\":%d", (int)gen_between(g, 0, 400) - 100);
	buf_char(b, '}');
}

/* Two rows of the list that have refs, some rows apart. */
static void draw_rows(struct generator *g, uint32_t *from, uint32_t *to)
{
	uint32_t n = (uint32_t)g->rows.n, few = g->o->shape == GENERATE_STORM ? 4 : 40;
	bool near = gen_chance(g, 600), wide = gen_chance(g, 60);
	uint32_t i = near && n > 60 ? gen_between(g, n - 60, n - 1) : gen_below(g, n);
	uint32_t k = i + gen_below(g, wide ? 40 : few);
	k = k < n ? k : n - 1;
	while (i > 0 && g->rows.v[i].ref == 0)
		i--;
	while (k > i && g->rows.v[k].ref == 0)
		k--;
	*from = g->rows.v[i].ref;
	*to = g->rows.v[k].ref;
}

static void put_random_range(struct generator *g, struct buf *b)
{
	static const char *const wrong[] = {"m99999", "foo", "b77", "", "m1x", "b0", "m0"};
	char start[16], end[16];
	uint32_t x, y;
	if (g->blocks > 1 && g->o->shape != GENERATE_STORM && gen_chance(g, 150)) {
		x = gen_between(g, 1, g->blocks);
		snprintf(start, sizeof start, gen_chance(g, 100) ? "b%03u" : "b%u", x);
		snprintf(end, sizeof end, "b%u", x + gen_below(g, 3));
	} else {
		bool descending = gen_chance(g, 30);
		draw_rows(g, &x, &y);
		snprintf(start, sizeof start, g->everything && gen_chance(g, 50) ? " M%05u " : "m%05u",
			 descending ? y : x);
		snprintf(end, sizeof end, "m%05u", descending ? x : y);
	}
	if (gen_chance(g, g->shape->bad))
		snprintf(start, sizeof start, "%s", GEN_PICK(g, wrong));
	put_range(g, b, start, end);
	if (gen_chance(g, 300)) /* most are refused */
		g->blocks++;
}

/* The ladder's next range; false when there is nothing to fold yet. */
static bool put_ladder_range(struct generator *g, struct buf *b)
{
	char start[16], end[16];
	unsigned tier = LADDER_TIERS;
	while (tier > 0 && g->rungs[tier - 1] < LADDER_RUNGS)
		tier--;
	if (tier > 0) {
		unsigned up = tier < LADDER_TIERS ? tier : LADDER_TIERS - 1;
		snprintf(start, sizeof start, "b%u", g->rung[tier - 1][0]);
		snprintf(end, sizeof end, "b%u", g->rung[tier - 1][LADDER_RUNGS - 1]);
		g->rungs[tier - 1] = 0;
		g->rung[up][g->rungs[up]++] = ++g->blocks;
	} else {
		if (g->safe[0] < g->folded + 4)
			return false;
		snprintf(start, sizeof start, "m%05u", g->folded + 1);
		snprintf(end, sizeof end, "m%05u", g->safe[0]);
		g->folded = g->safe[0];
		g->rung[0][g->rungs[0]++] = ++g->blocks;
	}
	put_range(g, b, start, end);
	return true;
}

/* The list of ranges in g->args; false when there is none. */
static bool make_ranges(struct generator *g)
{
	buf_cut(&g->args, 0);
	buf_char(&g->args, '[');
	if (g->shape->ladder > 0) {
		if (!put_ladder_range(g, &g->args))
			return false;
	} else {
		for (uint32_t n = gen_chance(g, 250) ? gen_between(g, 2, 3) : 1; n > 0; n--) {
			put_random_range(g, &g->args);
			if (n > 1)
				buf_char(&g->args, ',');
		}
	}
	buf_char(&g->args, ']');
	return true;
}

enum wrap { WRAP_NONE, WRAP_FENCE, WRAP_CUT, WRAP_COMMA, WRAP_QUOTED, WRAP_BARE, WRAP_GARBAGE, WRAPS };

/* The text of the call: an object around the ranges, and what models make of it. */
static void make_args(struct generator *g)
{
	struct buf *b = &g->args, list = *b;
	enum wrap wrap = gen_chance(g, g->shape->bad * 3) ? (enum wrap)gen_below(g, WRAPS) : WRAP_NONE;
	*b = (struct buf){0};
	if (wrap == WRAP_FENCE)
		buf_text(b, "```json\n");
	if (wrap != WRAP_BARE)
		buf_text(b, gen_chance(g, 300) ? "{\"topic\":\"whole\",\"content\":" : "{\"content\":");
	if (wrap == WRAP_COMMA)
		list.p[list.n - 1] = ',';
	if (gen_chance(g, 200))
		json_put_str(b, buf_view(&list));
	else
		buf_str(b, buf_view(&list));
	if (wrap == WRAP_COMMA)
		buf_char(b, ']');
	if (wrap != WRAP_BARE)
		buf_char(b, '}');
	if (wrap == WRAP_FENCE)
		buf_text(b, "\n```");
	if (wrap == WRAP_GARBAGE)
		buf_text(b, " and so on }");
	if (wrap == WRAP_CUT) { /* gen_between two ASCII bytes, so that the text stays well-formed */
		size_t n = gen_between(g, 1, (uint32_t)b->n);
		while (n > 1 && n < b->n && ((b->p[n - 1] | b->p[n]) & 0x80))
			n--;
		buf_cut(b, n);
	}
	if (wrap == WRAP_QUOTED) {
		struct buf quoted = {0};
		json_put_str(&quoted, buf_view(b));
		buf_free(b);
		*b = quoted;
	}
	buf_free(&list);
}

static void put_args(struct generator *g)
{
	static const char *const strange[] = {"null", "7", "[]", "{}", "\"\"", "{\"content\":[1,null,{}]}", "true"};
	struct json_scan scan = {0};
	struct str args = buf_view(&g->args);
	if (g->everything && gen_chance(g, 60)) {
		if (gen_chance(g, 800))
			buf_printf(g->out, ",\"args\":%s", GEN_PICK(g, strange));
	} else if (gen_chance(g, 500) && json_scan(args.p, args.n, &scan) == JSON_OK) {
		buf_text(g->out, ",\"args\":");
		buf_str(g->out, args);
	} else {
		gen_put_str(g, "args", args);
	}
	json_scan_free(&scan);
}

void gen_put_fold(struct generator *g)
{
	if (g->rows.n == 0 || !make_ranges(g))
		return;
	make_args(g);
	uint32_t call = ++g->calls;
	gen_put_row(g, (struct gen_row){"assistant", "tool-call", "compress", call}, buf_view(&g->args));
	gen_open(g, "compress");
	gen_put_id(g, "callId", "c", call);
	put_args(g);
	gen_put_tokens(g);
	if (g->everything && gen_chance(g, 300))
		buf_text(g->out, ",\"by\":\"user\",\"outcome\":{\"applied\":true,\"blocksCreated\":1}");
	gen_close(g);
	gen_put_row(g, (struct gen_row){"tool", "tool-result", "compress", call}, gen_text(g, 20, 200));
	if (g->o->shape != GENERATE_STORM)
		g->tokens = 3000 + (g->tokens - 3000) * (0.3 + 0.1 * gen_between(g, 0, 6));
}
