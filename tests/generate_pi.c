#include "tests/generate_pi.h"

#include "engine/base/json.h"

struct making {
	struct buf *out;
	uint64_t seed;
	uint32_t entries; /* made; the last one's id */
	uint32_t rows;    /* of the branch, as the adapter numbers them */
	uint32_t calls;
	uint32_t model;
};

static uint32_t draw(struct making *g, uint32_t below)
{
	g->seed = g->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(g->seed >> 33) % below;
}

static void begin(struct making *g, const char *type)
{
	buf_printf(g->out, "{\"type\":\"%s\",\"id\":\"%08x\",\"parentId\":", type, g->entries + 1);
	if (g->entries == 0)
		buf_text(g->out, "null");
	else
		buf_printf(g->out, "\"%08x\"", g->entries);
	g->entries++;
	buf_printf(g->out, ",\"timestamp\":\"2026-10-03T08:%02u:%02u.000Z\"", g->entries / 60 % 60, g->entries % 60);
}

static void put_words(struct making *g, uint32_t n, struct buf *b)
{
	static const char *const words[] = {"alpha ", "beta\n",   "缓存", "\"q\" ", "\\ ",
					    "gamma ", "文件内容", "é ",   "{} "};
	for (uint32_t i = 0; i < n; i++)
		buf_text(b, words[draw(g, sizeof words / sizeof *words)]);
}

static void put_text(struct making *g, uint32_t n)
{
	struct buf b = {0};
	put_words(g, n, &b);
	json_put_str(g->out, buf_view(&b));
	buf_free(&b);
}

static void put_text_block(struct making *g, uint32_t words)
{
	buf_text(g->out, "{\"type\":\"text\",\"text\":");
	put_text(g, words);
	buf_char(g->out, '}');
}

static void put_user(struct making *g)
{
	begin(g, "message");
	buf_text(g->out, ",\"message\":{\"role\":\"user\",\"content\":");
	if (draw(g, 3) == 0) {
		put_text(g, 1 + draw(g, 9));
	} else {
		buf_char(g->out, '[');
		put_text_block(g, 1 + draw(g, 9));
		if (draw(g, 4) == 0)
			buf_text(g->out, ",{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}");
		buf_char(g->out, ']');
	}
	buf_text(g->out, "}}\n");
	g->rows++;
}

static void begin_answer(struct making *g)
{
	begin(g, "message");
	buf_text(g->out, ",\"message\":{\"role\":\"assistant\",\"content\":[");
	if (draw(g, 3) == 0) {
		buf_text(g->out, "{\"type\":\"thinking\",\"thinking\":");
		put_text(g, draw(g, 8) == 0 ? 600 : 5);
		buf_text(g->out, "},");
	}
}

static void end_answer(struct making *g, const char *stop)
{
	uint32_t input = 200 + draw(g, 400), read = draw(g, 3) * g->rows * 40;
	buf_printf(g->out,
		   "],\"provider\":\"p\",\"model\":\"m%u\",\"usage\":{\"input\":%u,\"output\":9,\"cacheRead\":%u,"
		   "\"cacheWrite\":0,\"totalTokens\":%u},\"stopReason\":\"%s\"}}\n",
		   g->model, input, read, input + read + 9, stop);
}

static void put_result(struct making *g, uint32_t call, const char *tool, const char *text, bool error)
{
	begin(g, "message");
	buf_printf(g->out,
		   ",\"message\":{\"role\":\"toolResult\",\"toolCallId\":\"c%u\",\"toolName\":\"%s\",\"content\":[",
		   call, tool);
	if (text != NULL) {
		buf_text(g->out, "{\"type\":\"text\",\"text\":");
		json_put_str(g->out, str_of(text));
		buf_char(g->out, '}');
	} else {
		put_text_block(g, draw(g, 12) == 0 ? 4000 : draw(g, 60));
	}
	buf_printf(g->out, "],\"isError\":%s}}\n", error ? "true" : "false");
	g->rows++;
}

static void put_tools(struct making *g)
{
	uint32_t n = 1 + (draw(g, 3) == 0) * (1 + draw(g, 2)), first = g->calls + 1;
	begin_answer(g);
	put_text_block(g, draw(g, 3));
	for (uint32_t i = 0; i < n; i++) {
		buf_printf(g->out,
			   ",{\"type\":\"toolCall\",\"id\":\"c%u\",\"name\":\"bash\",\"arguments\":{\"command\":",
			   ++g->calls);
		put_text(g, 1 + draw(g, 4));
		buf_text(g->out, "}}");
		g->rows++;
	}
	end_answer(g, "toolUse");
	for (uint32_t i = 0; i < n; i++)
		put_result(g, first + i, "bash", NULL, draw(g, 9) == 0);
}

/* A fold of rows that were there before, if only as numbers. */
static void put_ranges(struct making *g, struct buf *b)
{
	buf_text(b, "{\"topic\":\"t\",\"content\":[");
	for (uint32_t i = 0, n = 1 + draw(g, 2); i < n; i++) {
		uint32_t start = 1 + draw(g, g->rows), end = start + draw(g, 12);
		struct buf summary = {0};
		put_words(g, draw(g, 3) == 0 ? 200 : 20, &summary);
		buf_printf(b, "%s{\"startId\":\"m%05u\",\"endId\":\"m%05u\",\"summary\":", i > 0 ? "," : "", start,
			   end < g->rows ? end : g->rows);
		json_put_str(b, buf_view(&summary));
		buf_char(b, '}');
		buf_free(&summary);
	}
	buf_text(b, "]}");
}

static void put_compress(struct making *g)
{
	bool works = draw(g, 3) > 0;
	struct buf arguments = {0};
	put_ranges(g, &arguments);
	begin_answer(g);
	buf_printf(g->out, "{\"type\":\"toolCall\",\"id\":\"c%u\",\"name\":\"compress\",\"arguments\":", ++g->calls);
	if (draw(g, 3) == 0)
		json_put_str(g->out, buf_view(&arguments));
	else
		buf_str(g->out, buf_view(&arguments));
	buf_char(g->out, '}');
	g->rows++;
	end_answer(g, "toolUse");
	put_result(g, g->calls, "compress",
		   works ? "▣ ACP | 4.2K → 0.9K tokens (~3.3K reclaimed, 1 block)" : "Nothing in that range.", !works);
	buf_free(&arguments);
}

static void put_answer(struct making *g, const char *stop)
{
	begin_answer(g);
	put_text_block(g, 1 + draw(g, 9));
	g->rows++;
	end_answer(g, stop);
}

static void put_host_line(struct making *g)
{
	if (draw(g, 2) == 0) {
		begin(g, "model_change");
		g->model = draw(g, 3);
		buf_printf(g->out, ",\"provider\":\"p\",\"modelId\":\"m%u\"}\n", g->model);
		return;
	}
	begin(g, "compaction");
	buf_printf(g->out, ",\"summary\":\"S\",\"firstKeptEntryId\":\"%08x\",\"tokensBefore\":900}\n",
		   1 + draw(g, g->entries));
}

static void put_header(struct making *g, uint64_t seed)
{
	buf_printf(
		g->out,
		"{\"type\":\"session\",\"version\":3,\"id\":\"made-%llu\",\"timestamp\":\"2026-10-03T08:00:00.000Z\","
		"\"cwd\":\"/srv\"}\n",
		(unsigned long long)seed);
}

void generate_pi_growing(uint64_t seed, uint32_t requests, struct buf *b)
{
	struct making g = {.out = b, .seed = seed * 2 + 1};
	put_header(&g, seed);
	put_user(&g);
	for (uint32_t i = 0; i < requests; i++) {
		if (draw(&g, 8) > 0) {
			put_tools(&g);
		} else {
			put_answer(&g, "stop");
			put_user(&g);
		}
	}
}

void generate_pi(uint64_t seed, uint32_t requests, struct buf *b)
{
	struct making g = {.out = b, .seed = seed * 2 + 1};
	put_header(&g, seed);
	put_user(&g);
	for (uint32_t i = 0; i < requests; i++) {
		uint32_t what = draw(&g, 20);
		if (what < 9) {
			put_tools(&g);
		} else if (what < 14) {
			put_compress(&g);
		} else if (what < 16) {
			put_answer(&g, draw(&g, 2) == 0 ? "error" : "aborted");
		} else {
			put_answer(&g, "stop");
			put_user(&g);
		}
		if (draw(&g, 25) == 0)
			put_host_line(&g);
	}
}
