#include "tests/generate_parts.h"

#include <stdio.h>

static const struct gen_shape shapes[GENERATE_SHAPES] = {
	[GENERATE_PLAIN] = {"plain", 20000, 30, 150, 120, 40, 10, 0, {80, 900}, 1},
	[GENERATE_STORM] = {"storm", 1000000, 60, 220, 350, 80, 3, 0, {60, 500}, 1},
	[GENERATE_BOUNDED] = {"bounded", 200000, 30, 300, 0, 0, 3, 40, {200, 600}, 1},
	[GENERATE_CJK] = {"cjk", 128000, 700, 150, 120, 80, 10, 0, {80, 900}, 1},
	[GENERATE_TIERS] = {"tiers", 60000, 100, 150, 0, 0, 3, 4, {3000, 7000}, 1},
	[GENERATE_EVERYTHING] = {"everything", 30000, 150, 150, 250, 30, 400, 0, {40, 900}, 1},
	[GENERATE_TYPES] = {"types", 30000, 150, 150, 250, 30, 200, 0, {40, 900}, 3},
};

const char *generate_shape_name(enum generate_shape shape) { return shapes[shape].name; }

/* ---- chance ---- */

/* splitmix64 */
static uint64_t draw(struct generator *g)
{
	uint64_t z = g->random += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint32_t gen_below(struct generator *g, uint32_t n) { return (uint32_t)((draw(g) >> 32) * n >> 32); }
uint32_t gen_between(struct generator *g, uint32_t from, uint32_t to) { return from + gen_below(g, to - from + 1); }
bool gen_chance(struct generator *g, unsigned per_thousand) { return gen_below(g, 1000) < per_thousand; }
/* ---- texts ---- */

static void put_word(struct generator *g, struct buf *b)
{
	static const char *const words[] = {"alpha ",    "branch ", "cache ", "delta ",    "error ",      "field ",
					    "graph ",    "handle ", "index ", "join ",     "key ",        "layer ",
					    "merge ",    "number ", "order ", "patch ",    "query ",      "range ",
					    "state ",    "token ",  "unit ",  "value ",    "window ",     "{\"x\":1}",
					    "a/b.c:12 ", "\n",      "\t",     "--flag=0 ", "\"quoted\" ", "\\n"};
	static const char *const han[] = {"压缩", "上下文", "会话",   "缓存", "前缀", "令牌", "密度", "屏障",
					  "内核", "重放",   "テスト", "カナ", "한글", "세션", "，",   "。"};
	static const char *const odd[] = {"\xF0\x9F\x98\x80", "\xF0\xA0\xAE\xB7", "e\xCC\x81",       "\xEF\xAC\x81",
					  "\xE2\x80\x8B",     "\x1b[31m",         "```\nx = 1\n```", "\xC0\x80",
					  "\xED\xA0\xBD ",    "\xED\xB8\x80 ",    "\xC2\xA0",        "\x7F"};
	if (gen_chance(g, g->shape->cjk))
		for (uint32_t n = gen_between(g, 1, 4); n > 0; n--)
			buf_text(b, GEN_PICK(g, han));
	else
		buf_text(b, gen_chance(g, g->everything ? 40 : 8) ? GEN_PICK(g, odd) : GEN_PICK(g, words));
}

/* At least n bytes of words. */
static void put_words(struct generator *g, struct buf *b, uint32_t n)
{
	for (size_t end = b->n + n; b->n < end;)
		put_word(g, b);
}

/* What the kernel looks for at the start of a text or in it. */
static void put_lead(struct generator *g, struct buf *b)
{
	switch (gen_below(g, 6)) {
	case 0:
		buf_text(b, "[Compressed conversation section]");
		break;
	case 1: /* an own tag, if the guess is right; sometimes two */
		for (uint32_t n = gen_between(g, 1, 2); n > 0; n--)
			buf_printf(b, "<acp tokens=\"12\" type=\"text\">m%05u</acp>\n", g->refs + 1);
		break;
	case 2:
		buf_printf(b, "<acp tokens=\"1.2K\" type=\"a>b\">m%05u</acp>", g->refs + gen_between(g, 0, 3));
		break;
	case 3:
		buf_text(b, "cut here [truncated for context space] and on ");
		break;
	default:
		buf_text(b, "\n \t");
		break;
	}
}

/* Replaces g->text; some texts are empty. */
struct str gen_text(struct generator *g, uint32_t least, uint32_t most)
{
	buf_cut(&g->text, 0);
	if (g->everything && gen_chance(g, 80))
		put_lead(g, &g->text);
	put_words(g, &g->text, gen_between(g, least, most) * g->shape->larger);
	return buf_view(&g->text);
}
/* ---- records ---- */

static void put_damage(struct generator *g)
{
	static const char *const lines[] = {
		"{\"type\":\"message\",\"id\":\"broken\"",
		"not json",
		"[1,2,3]",
		"\"text\"",
		"{\"type\":\"turn\"} x",
		"{}",
		"{\"type\":\"message\",\"role\":\"user\"}",
		"{\"type\":\"session\",\"version\":1}",
		"",
		"\x01\xFF",
		"{\"type\":\"message\",\"id\":\"odd\",\"role\":\"ghost\",\"contentType\":\"text\",\"text\":\"x\"}",
		"{\"type\":\"state\",\"state\":[]}",
		"{\"type\":\"state\",\"state\":{\"blocks\":3}}"};
	if (gen_chance(g, 100))
		for (int i = 0; i < 1100; i++)
			buf_char(g->out, '[');
	else
		buf_text(g->out, GEN_PICK(g, lines));
	buf_char(g->out, '\n');
}

void gen_open(struct generator *g, const char *type)
{
	if (g->o->damaged && gen_chance(g, 15))
		put_damage(g);
	buf_printf(g->out, "{\"type\":\"%s\"", type);
	if (g->everything && gen_chance(g, 300))
		buf_printf(g->out, ",\"time\":%u000", 1700000000u + g->ids);
}

void gen_put_str(struct generator *g, const char *key, struct str value)
{
	buf_printf(g->out, ",\"%s\":", key);
	json_put_str(g->out, value);
}

void gen_put_id(struct generator *g, const char *key, const char *letter, uint32_t n)
{
	if (n == 0)
		buf_printf(g->out, ",\"%s\":null", key);
	else
		buf_printf(g->out, ",\"%s\":\"%s%u\"", key, letter, n);
}

static void put_unknown_member(struct generator *g)
{
	static const char *const members[] = {",\"x\":9007199254740993",
					      ",\"x\":{\"b\":1.0,\"a\":[null,true]}",
					      ",\"isError\":true",
					      ",\"x\":\"\\ud800\\u0000\"",
					      ",\"seq\":7",
					      ",\"entryId\":\"e1\",\"entry\":{\"role\":\"user\"}"};
	if (g->everything && gen_chance(g, 100))
		buf_text(g->out, GEN_PICK(g, members));
}

void gen_close(struct generator *g)
{
	put_unknown_member(g);
	buf_text(g->out, "}\n");
}

void gen_put_tokens(struct generator *g)
{
	if (!g->everything || gen_chance(g, 700))
		buf_printf(g->out, ",\"tokenCount\":%.0f", g->tokens);
}

static bool is_blocked(const struct generator *g, const struct gen_row *r)
{
	static const char *const protected[] = {"skill_load", "task", "compress"};
	for (size_t i = 0; g->blocking && r->tool != NULL && i < sizeof protected / sizeof *protected; i++)
		if (strcmp(r->tool, protected[i]) == 0)
			return true;
	return false;
}

void gen_put_row(struct generator *g, struct gen_row r, struct str text)
{
	bool twin = g->twins && g->rows.n > 0 && gen_chance(g, 15);
	struct gen_listed row = {0};
	if (twin)
		row = g->rows.v[gen_below(g, (uint32_t)g->rows.n)];
	else
		row = (struct gen_listed){++g->ids, is_blocked(g, &r) ? 0 : ++g->refs};
	gen_open(g, "message");
	gen_put_id(g, "id", "r", row.id);
	buf_printf(g->out, ",\"role\":\"%s\",\"contentType\":\"%s\"", r.role, r.content);
	if (r.tool != NULL)
		gen_put_str(g, "toolName", str_of(r.tool));
	if (r.call != 0)
		gen_put_id(g, "toolCallId", "c", r.call);
	gen_put_str(g, "text", text);
	gen_close(g);
	vec_push(&g->rows, row);
	g->tokens += 20 + (double)(text.n / 4);
	if (g->o->shape == GENERATE_STORM && g->tokens > 0.9 * g->shape->limit)
		g->tokens *= 0.5; /* the host made room by itself; the view stays */
}
/* ---- work ---- */

static void put_tools(struct generator *g)
{
	static const char *const tools[] = {"bash", "read",           "edit",       "grep",       "write", "bash",
					    "read", "search_context", "decompress", "skill_load", "task"};
	bool ladder = g->shape->ladder > 0;
	uint32_t n = gen_chance(g, 200) ? gen_between(g, 2, 4) : 1, first = g->calls + 1;
	const char *tool[4];
	for (uint32_t i = 0; i < n; i++) {
		tool[i] = GEN_PICK(g, tools);
		buf_cut(&g->args, 0);
		buf_text(&g->args, "{\"command\":");
		json_put_str(&g->args, gen_text(g, 5, 200));
		buf_char(&g->args, '}');
		g->calls++;
		uint32_t call = g->everything && gen_chance(g, 20) ? 0 : g->calls;
		gen_put_row(g, (struct gen_row){"assistant", "tool-call", tool[i], call}, buf_view(&g->args));
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!ladder && gen_chance(g, 20)) /* never answered */
			continue;
		bool big = gen_chance(g, g->shape->big), named = gen_chance(g, 900);
		struct str text = gen_text(g, big ? 1500 : 0, big ? 9000 : 700);
		gen_put_row(g, (struct gen_row){"tool", "tool-result", named ? tool[i] : NULL, first + i}, text);
	}
}

static void put_work(struct generator *g)
{
	if (g->turn == 1 || gen_chance(g, 250)) {
		g->user_turn++;
		gen_put_row(g, (struct gen_row){"user", "text", NULL, 0}, gen_text(g, 5, 600));
	}
	if (gen_chance(g, 300))
		gen_put_row(g, (struct gen_row){"assistant", "reasoning", NULL, 0}, gen_text(g, 20, 800));
	if (gen_chance(g, 600))
		put_tools(g);
	else
		gen_put_row(g, (struct gen_row){"assistant", "text", NULL, 0}, gen_text(g, 0, 1000));
	if (g->everything && gen_chance(g, 40)) {
		const char *content = gen_chance(g, 500) ? "tool-result" : "reasoning";
		gen_put_row(g, (struct gen_row){"user", content, "bash", g->calls}, gen_text(g, 0, 200));
	}
	if (g->everything && gen_chance(g, 40))
		gen_put_row(g, (struct gen_row){"system", "text", NULL, 0}, gen_text(g, 0, 300));
}
/* ---- sessions ---- */

static void put_config(struct generator *g)
{
	static const char *const recent[] = {"\"preserveRecentMessages\":5,\"preserveRecentTokens\":5000",
					     "\"preserveRecentMessages\":3,\"preserveRecentTokens\":800",
					     "\"preserveRecentMessages\":0,\"preserveRecentTokens\":0",
					     "\"preserveRecentMessages\":40,\"preserveRecentTokens\":20000"};
	static const char *const nudge[] = {
		"{}", "{\"growthFloor\":4000,\"growthCap\":9000,\"minGrowthFloor\":1500}",
		"{\"growthFloor\":300,\"growthCap\":700,\"minGrowthFloor\":200,\"maxContextLimitPct\":0.9}"};
	static const char *const compress[] = {"{}", "{\"minCompressRange\":0}", "{\"minCompressRange\":0}",
					       "{\"minCompressRange\":500,\"maxSummaryLength\":700}"};
	if (g->shape->ladder > 0) {
		buf_text(
			g->out,
			"\"preserveRecentMessages\":3,\"preserveRecentTokens\":0,\"compress\":{\"minCompressRange\":0},"
			"\"nudge\":{\"growthFloor\":2000,\"growthCap\":3000,\"minGrowthFloor\":200,"
			"\"maxContextLimitPct\":0.95,\"tier2GrowthMultiplier\":1.1}");
		return;
	}
	g->blocking = gen_chance(g, 500);
	if (g->blocking)
		buf_text(g->out, "\"protectedTools\":[\"skill*\",\"task\"],");
	buf_text(g->out, GEN_PICK(g, recent));
	buf_printf(g->out, ",\"nudge\":%s", GEN_PICK(g, nudge));
	buf_printf(g->out, ",\"compress\":%s", g->o->shape == GENERATE_STORM ? "{}" : GEN_PICK(g, compress));
}

static void put_session(struct generator *g)
{
	static const char *const tags[] = {"all", "all", "text-only", "none"};
	buf_printf(g->out,
		   "{\"type\":\"session\",\"version\":1,\"id\":\"%s-%llu\",\"host\":\"%s\",\"model\":\"model-1\"",
		   g->shape->name, (unsigned long long)g->o->seed,
		   g->o->shape == GENERATE_TYPES && g->o->seed % 2 == 1 ? "pi" : "other");
	buf_printf(g->out, ",\"contextLimit\":%.0f,\"renderTags\":\"%s\",\"config\":{", g->shape->limit,
		   g->shape->ladder > 0 || g->o->shape == GENERATE_STORM ? "all" : GEN_PICK(g, tags));
	put_config(g);
	buf_char(g->out, '}');
	if (g->everything && gen_chance(g, 300)) {
		buf_text(g->out, ",\"state\":");
		gen_put_state(g);
	}
	if (g->everything && gen_chance(g, 300))
		buf_text(g->out, ",\"systemTokens\":812,\"hostState\":{\"seen\":[\"b1\"]}");
	gen_close(g);
}

static void put_turn(struct generator *g)
{
	gen_open(g, "turn");
	gen_put_tokens(g);
	if (gen_chance(g, 200))
		buf_printf(g->out, ",\"usage\":{\"input\":%.0f,\"output\":%u,\"cacheRead\":%.0f,\"cacheWrite\":0}",
			   g->tokens / 4, gen_between(g, 5, 900), g->tokens / 2);
	if (gen_chance(g, 100))
		buf_printf(g->out, ",\"model\":\"model-1\",\"stopReason\":\"stop\",\"userTurn\":%u", g->user_turn);
	gen_close(g);
}

/* Whether a compress call is due in this turn. */
static bool fold_due(struct generator *g)
{
	unsigned period = g->shape->ladder;
	if (period > 0)
		return g->turn % period == 0 || (g->turn % period == period / 2 && g->rungs[0] == LADDER_RUNGS);
	return g->turn > 3 && gen_chance(g, g->shape->fold);
}

void generate_recording(const struct generate_options *o, struct buf *b)
{
	struct generator g = {.o = o,
			      .shape = &shapes[o->shape],
			      .out = b,
			      .random = o->seed * 7919 + o->shape,
			      .everything = o->shape == GENERATE_EVERYTHING || o->shape == GENERATE_TYPES,
			      .tokens = 3000};
	g.twins = g.everything && gen_chance(&g, 400);
	put_session(&g);
	for (g.turn = 1; g.turn <= o->turns; g.turn++) {
		g.safe[0] = g.safe[1];
		g.safe[1] = g.refs;
		put_work(&g);
		if (fold_due(&g))
			gen_put_fold(&g);
		if (gen_chance(&g, g.shape->rare))
			gen_put_rare(&g);
		if (o->shape == GENERATE_TYPES && g.turn % 2 == 0)
			gen_put_rare_number(&g, g.turn / 2);
		put_turn(&g);
	}
	if (o->damaged)
		buf_text(b, "{\"type\":\"message\",\"id\":\"torn\",\"text\":\"half of a li");
	buf_free(&g.text);
	buf_free(&g.args);
	vec_free(&g.rows);
}

bool generate_file(const struct generate_options *o, const char *path)
{
	struct buf b = {0};
	generate_recording(o, &b);
	FILE *f = fopen(path, "wb");
	bool written = f != NULL && fwrite(b.p, 1, b.n, f) == b.n;
	if (f != NULL && fclose(f) != 0)
		written = false;
	buf_free(&b);
	return written;
}
