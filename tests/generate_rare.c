/* Records of rare types in generated sessions, and stored states. */
#include <assert.h>

#include "tests/generate_parts.h"

/* ---- records of other types ---- */

enum { STORED_REFS_MAX = 12 };

static uint32_t some_row(struct generator *g)
{
	return g->rows.n > 0 ? g->rows.v[gen_below(g, (uint32_t)g->rows.n)].id : 0;
}

static void put_restart(struct generator *g) { gen_open(g, "restart"), gen_close(g); }

static void put_model(struct generator *g)
{
	gen_open(g, "model");
	gen_put_id(g, "model", "model-", gen_between(g, 1, 3));
	gen_close(g);
}

static void put_note(struct generator *g)
{
	gen_open(g, "note");
	gen_put_str(g, "text", gen_text(g, 5, 60));
	gen_close(g);
}

static void put_event(struct generator *g)
{
	gen_open(g, "event");
	buf_printf(g->out, ",\"seq\":%u,\"name\":\"frame\",\"data\":{\"n\":[1,{\"x\":null}]}", g->ids);
	gen_close(g);
}

static void put_prune(struct generator *g)
{
	gen_open(g, "prune");
	buf_printf(g->out, ",\"seqs\":[%u],\"seq\":%u", g->ids, g->ids + 1);
	gen_close(g);
}

static void put_keep(struct generator *g)
{
	gen_open(g, "keep");
	gen_put_id(g, "from", "r", gen_chance(g, 800) ? some_row(g) : 0);
	gen_close(g);
}

static void put_compact(struct generator *g)
{
	gen_open(g, "compact");
	gen_put_str(g, "reply", gen_text(g, 20, 300));
	gen_close(g);
}

static void put_decompress(struct generator *g)
{
	gen_open(g, "decompress");
	gen_put_id(g, "callId", "c", ++g->calls);
	gen_put_id(g, "blockId", "b", gen_between(g, 1, g->blocks + 2));
	buf_text(g->out, gen_chance(g, 800) ? ",\"deactivate\":true" : ",\"full\":true,\"deactivate\":false");
	gen_close(g);
}

static void put_rewind(struct generator *g)
{
	/* mostly a few rows back, sometimes far, to nothing, or to a row that is not there */
	size_t n = g->rows.n, back = gen_chance(g, 900) ? gen_between(g, 1, 8) : gen_below(g, 200);
	size_t to = n > back ? n - back : n;
	uint32_t id = gen_chance(g, 30) || to == 0 ? 0 : g->rows.v[to - 1].id;
	gen_open(g, "rewind");
	gen_put_id(g, "to", "r", gen_chance(g, 30) ? g->ids + 1000 : id);
	gen_close(g);
	if (id == 0)
		g->rows.n = 0;
	else
		while (g->rows.n > 0 && g->rows.v[g->rows.n - 1].id != id)
			g->rows.n--;
}

static void put_unknown(struct generator *g)
{
	gen_open(g, gen_chance(g, 500) ? "telemetry" : "");
	buf_text(g->out, ",\"value\":1.0");
	gen_close(g);
}

static void put_rowless(struct generator *g)
{
	gen_open(g, "message");
	gen_put_id(g, "id", "q", g->ids);
	buf_text(g->out, ",\"rows\":0,\"entry\":{\"role\":\"assistant\",\"content\":[]}");
	gen_close(g);
}

/* The host feeds a summary back, or uses the reserved prefix for something else. */
static void put_fed_summary(struct generator *g)
{
	gen_open(g, "message");
	gen_put_id(g, "id", "acp_summary_b", gen_between(g, 1, g->blocks + 1));
	buf_printf(g->out, ",\"role\":\"%s\",\"contentType\":\"text\"", gen_chance(g, 800) ? "system" : "user");
	gen_put_str(g, "text", gen_text(g, 0, 100));
	gen_close(g);
}

static void put_id_list(struct generator *g, const char *key, const char *letter, uint32_t from, uint32_t n)
{
	buf_printf(g->out, ",\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++)
		buf_printf(g->out, "%s\"%s%u\"", i > 0 ? "," : "", letter, from + i);
	buf_char(g->out, ']');
}

/* Ids of a block: rows, and where anything goes now and then a summary the host may feed back. */
static void put_effective(struct generator *g, uint32_t from, uint32_t number)
{
	uint32_t n = gen_below(g, 9);
	put_id_list(g, "effectiveMessageIds", "r", from, n);
	if (g->o->shape != GENERATE_TYPES || !gen_chance(g, 400))
		return;
	buf_cut(g->out, g->out->n - 1);
	buf_printf(g->out, "%s\"acp_summary_b%u\"]", n > 0 ? "," : "", gen_between(g, 1, number + 1));
}

static void put_stored_block(struct generator *g, uint32_t number)
{
	uint32_t from = gen_between(g, 1, g->ids + 1), child = gen_between(g, 1, number + 1);
	bool parent = gen_chance(g, 300);
	buf_printf(g->out, "{\"blockId\":\"b%u\",\"runId\":\"r1\"", gen_chance(g, 100) ? 1 : number);
	buf_printf(g->out, ",\"tier\":%u", gen_between(g, 1, 3));
	gen_put_str(g, "summary", gen_text(g, 0, 200));
	put_id_list(g, "directMessageIds", "r", from, 2);
	put_effective(g, from, number);
	put_id_list(g, "directBlockIds", "b", child, parent ? 1 : 0);
	buf_printf(g->out, ",\"compressedTokens\":%u,\"createdAt\":0", gen_below(g, 900));
	buf_printf(g->out, ",\"survivedCount\":%u", gen_below(g, 7));
	buf_printf(g->out, ",\"generation\":\"%s\"", gen_chance(g, 300) ? "old" : "young");
	buf_printf(g->out, ",\"active\":%s", gen_chance(g, 700) ? "true" : "false");
	gen_put_id(g, "compressCallId", "c", gen_between(g, 1, g->calls + 1));
	buf_char(g->out, '}');
}

/* A stored state: refs of every spelling, blocks of every kind, a snapshot, counters. */
void gen_put_state(struct generator *g)
{
	static const char *const spellings[] = {"m7", "BLOCKED", "M00009", "zeta", "m0000012", "b1"};
	uint32_t n = gen_chance(g, 100) ? 0 : STORED_REFS_MAX, blocks = gen_between(g, 0, 4);
	buf_text(g->out, "{\"blocks\":[");
	for (uint32_t i = 1; i <= blocks; i++) {
		if (i > 1)
			buf_char(g->out, ',');
		put_stored_block(g, i);
	}
	buf_text(g->out, "],\"messageRefs\":{\"byRaw\":{");
	for (uint32_t i = 1; i <= n; i++) {
		buf_printf(g->out, "%s\"r%u\":", i > 1 ? "," : "", i * 2);
		if (gen_chance(g, 200))
			json_put_str(g->out, str_of(GEN_PICK(g, spellings)));
		else
			buf_printf(g->out, "\"m%05u\"", i);
	}
	buf_text(g->out, "},\"byRef\":{");
	for (uint32_t i = 1; i <= n; i++) {
		/* the two maps of a state that was stored by somebody need not agree */
		bool other = g->o->shape == GENERATE_TYPES && gen_chance(g, 200);
		uint32_t id = other ? gen_between(g, 1, g->ids + 3) : i * 2;
		buf_printf(g->out, "%s\"m%05u\":\"r%u\"", i > 1 ? "," : "", i, id);
	}
	buf_text(g->out, "}},\"tokenSnapshot\":{\"m00001\":5,\"m00077\":0,\"zeta\":12},");
	buf_printf(g->out, "\"nudge\":{\"lastPerMessageNudgeTokens\":%u", gen_below(g, 9000));
	buf_printf(g->out, ",\"lastShownByTier\":{\"2\":%u}},", gen_below(g, 9000));
	buf_printf(g->out,
		   "\"stats\":{\"tokensCompressed\":9,\"compressionCount\":1},\"nextBlockId\":%u,\"nextRunId\":2}",
		   g->blocks + blocks + 1);
	g->blocks += blocks;
}

static void put_state(struct generator *g)
{
	gen_open(g, "state");
	buf_text(g->out, ",\"state\":");
	gen_put_state(g);
	gen_close(g);
	/* rows it does not know get new refs */
	g->refs = STORED_REFS_MAX;
	for (size_t i = 0; i < g->rows.n; i++) {
		uint32_t id = g->rows.v[i].id;
		g->rows.v[i].ref = id % 2 == 0 && id <= 2 * STORED_REFS_MAX ? id / 2 : ++g->refs;
	}
}

void gen_put_rare(struct generator *g)
{
	static void (*const common[])(struct generator *) = {put_restart, put_model, put_note};
	static void (*const rare[])(struct generator *) = {
		put_restart, put_model,  put_note,    put_event,   put_prune,      put_keep,       put_compact,
		put_rewind,  put_rewind, put_unknown, put_rowless, put_decompress, put_fed_summary};
	if (!g->everything)
		GEN_PICK(g, common)(g);
	else if (gen_chance(g, 20))
		put_state(g);
	else
		GEN_PICK(g, rare)(g);
}

void gen_put_rare_number(struct generator *g, uint32_t number)
{
	static void (*const all[])(struct generator *) = {
		put_keep,  put_compact, gen_put_fold, put_decompress, put_model,   put_restart, put_rewind,
		put_prune, put_state,   put_event,    put_note,       put_unknown, put_rowless};
	static_assert(sizeof all / sizeof *all <= GENERATE_TYPES_TURNS / 2, "all come in the shortest session");
	all[number % (sizeof all / sizeof *all)](g);
}
