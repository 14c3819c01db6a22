/* A state as JSON: loading a stored one, writing the present one (kernel.md 1.3). */
#include <math.h>

#include "engine/kernel/journal.h"

static enum status wrong(struct error *e, const char *member) { return error_set(e, STATUS_DATA, "state: %s has a wrong type", member); }

/* A number member; absent or null keeps *x. */
static bool take_num(const cJSON *object, const char *name, double *x)
{
	const cJSON *node = json_get(object, name);
	return node == NULL || cJSON_IsNull(node) || json_num(node, x);
}

static struct str take_str(struct state *s, const cJSON *object, const char *name)
{
	struct str t = json_str(json_get(object, name));
	return t.p ? (struct str){arena_copy(&s->arena, t.p, t.n), t.n} : t;
}

static bool take_names(struct state *s, const cJSON *object, const char *name, const uint32_t **list, uint32_t *n)
{
	const cJSON *array = json_get(object, name), *item;
	if (array != NULL && !cJSON_IsArray(array) && !cJSON_IsNull(array))
		return false;
	uint32_t count = 0;
	cJSON_ArrayForEach(item, array) count++;
	uint32_t *out = arena_alloc(&s->arena, (size_t)count * sizeof *out);
	*n = 0;
	*list = out;
	cJSON_ArrayForEach(item, array)
	{
		if (!cJSON_IsString(item))
			return false;
		out[(*n)++] = names_add(s->names, json_str(item));
	}
	return true;
}

/* The number of "b" + digits, else 0 (kernel.md 2.7). */
static uint32_t block_number(struct str id)
{
	uint64_t n = 0;
	if (id.n < 2 || id.n > 10 || id.p[0] != 'b')
		return 0;
	for (size_t i = 1; i < id.n; i++) {
		if (id.p[i] < '0' || id.p[i] > '9')
			return 0;
		n = n * 10 + (uint64_t)(id.p[i] - '0');
	}
	return (uint32_t)n;
}

static enum status load_block(struct state *s, const cJSON *node, struct error *e)
{
	struct block b = {0};
	struct str id = json_str(json_get(node, "blockId"));
	double tier = 1;
	if (!cJSON_IsObject(node) || id.p == NULL)
		return wrong(e, "blocks[].blockId");
	struct buf summary_id = {0};
	buf_text(&summary_id, SUMMARY_ID_PREFIX);
	buf_str(&summary_id, id);
	b.id = names_add(s->names, id);
	b.summary_id = names_add(s->names, buf_view(&summary_id));
	buf_free(&summary_id);
	b.number = block_number(id);
	b.run_id = take_str(s, node, "runId");
	b.topic = take_str(s, node, "topic");
	b.has_topic = b.topic.p != NULL;
	b.summary = take_str(s, node, "summary");
	b.start_ref = take_str(s, node, "startRef");
	b.end_ref = take_str(s, node, "endRef");
	b.call = names_add(s->names, json_str(json_get(node, "compressCallId")));
	b.has_tokens = json_num(json_get(node, "compressedTokens"), &b.tokens);
	b.has_duration = json_num(json_get(node, "durationMs"), &b.duration);
	b.active = cJSON_IsTrue(json_get(node, "active"));
	b.old = str_eq(json_str(json_get(node, "generation")), STR("old"));
	if (!take_num(node, "tier", &tier) || !take_num(node, "createdAt", &b.created_at) ||
	    !take_num(node, "survivedCount", &b.survived) || !(tier >= 1 && tier <= 3))
		return wrong(e, "blocks[]: a number");
	b.tier = (uint8_t)tier;
	if (!take_names(s, node, "directMessageIds", &b.direct, &b.direct_n) ||
	    !take_names(s, node, "effectiveMessageIds", &b.effective, &b.effective_n) ||
	    !take_names(s, node, "directBlockIds", &b.children, &b.children_n))
		return wrong(e, "blocks[]: a list of ids");
	state_block_add(s, b);
	return STATUS_OK;
}

/* The ref number of a stored spelling; foreign ones are added. */
static uint32_t stored_ref(struct state *s, struct str spelling)
{
	if (str_eq(spelling, STR("BLOCKED")))
		return REF_BLOCKED;
	uint32_t ref = state_ref_find(s, spelling);
	if (ref != REF_NONE)
		return ref;
	vec_push(&s->foreign_refs, (struct str){arena_copy(&s->arena, spelling.p, spelling.n), spelling.n});
	return (uint32_t)(REF_MAX + s->foreign_refs.n);
}

static enum status load_refs(struct state *s, const cJSON *refs, struct error *e)
{
	const cJSON *raw = json_get(refs, "byRaw"), *by_ref = json_get(refs, "byRef"), *item;
	if ((raw && !cJSON_IsObject(raw)) || (by_ref && !cJSON_IsObject(by_ref)))
		return wrong(e, "messageRefs");
	cJSON_ArrayForEach(item, raw)
	{
		if (!cJSON_IsString(item))
			return wrong(e, "messageRefs.byRaw");
		struct str spelling = json_str(item);
		uint32_t ref = spelling.n ? stored_ref(s, spelling) : REF_NONE, index = ref_read(spelling);
		uint32_t name = names_add(s->names, str_of(item->string));
		if (ref == REF_NONE || name == 0 || state_info(s, name)->ref != REF_NONE)
			continue;
		state_info(s, name)->ref = ref;
		vec_push(&s->raw_order, name);
		if (index > s->ref_highest)
			s->ref_highest = index;
	}
	cJSON_ArrayForEach(item, by_ref)
	{
		if (!cJSON_IsString(item))
			return wrong(e, "messageRefs.byRef");
		uint32_t ref = stored_ref(s, str_of(item->string)), name = names_add(s->names, json_str(item));
		if (ref == REF_BLOCKED || name == 0)
			continue;
		vec_fill(&s->by_ref, (size_t)ref + 1);
		s->refs_n += s->by_ref.v[ref] == 0;
		s->by_ref.v[ref] = name;
	}
	return STATUS_OK;
}

static enum status load_scalars(struct state *s, const cJSON *stored, struct error *e)
{
	const cJSON *nudge = json_get(stored, "nudge"), *stats = json_get(stored, "stats"), *item;
	struct scalars n = s->now;
	if (!take_num(nudge, "lastPerMessageNudgeTokens", &n.baseline) ||
	    !take_num(nudge, "lastNudgeShownTokens", &n.shown))
		return wrong(e, "nudge");
	cJSON_ArrayForEach(item, json_get(nudge, "lastShownByTier"))
	{
		double x;
		if (!json_num(item, &x))
			return wrong(e, "nudge.lastShownByTier");
		if (item->string[0] >= '1' && item->string[0] <= '3' && item->string[1] == 0) {
			n.tier_shown[item->string[0] - '0'] = x;
			n.tier_set |= (uint8_t)(1 << (item->string[0] - '0'));
		}
	}
	if (!take_num(stats, "tokensCompressed", &n.tokens_compressed) ||
	    !take_num(stats, "compressionCount", &n.compression_count))
		return wrong(e, "stats");
	if (!take_num(stored, "nextBlockId", &n.next_block) || !take_num(stored, "nextRunId", &n.next_run))
		return wrong(e, "nextBlockId or nextRunId");
	state_scalars_set(s, n);
	return STATUS_OK;
}

enum status state_load(struct state *s, const cJSON *stored, struct error *e)
{
	const cJSON *blocks = json_get(stored, "blocks"), *snapshot = json_get(stored, "tokenSnapshot"), *item;
	if (!cJSON_IsObject(stored))
		return error_set(e, STATUS_DATA, "state: not an object");
	if (blocks && !cJSON_IsArray(blocks) && !cJSON_IsNull(blocks))
		return wrong(e, "blocks");
	enum status st = load_refs(s, json_get(stored, "messageRefs"), e);
	cJSON_ArrayForEach(item, blocks)
	{
		if (st == STATUS_OK)
			st = load_block(s, item, e);
	}
	if (st == STATUS_OK)
		st = load_scalars(s, stored, e);
	cJSON_ArrayForEach(item, snapshot)
	{
		double tokens;
		uint32_t ref = stored_ref(s, str_of(item->string));
		if (st == STATUS_OK && !json_num(item, &tokens))
			st = wrong(e, "tokenSnapshot");
		else if (st == STATUS_OK && ref != REF_BLOCKED && ref != REF_NONE)
			state_snapshot_set(s, ref, tokens);
	}
	/* what was loaded is the beginning: nothing can be undone past it */
	s->journal.n = s->at = 0;
	return st;
}

/* ---- writing ---- */

static void put_key(struct buf *b, const char *key)
{
	json_put_str(b, str_of(key));
	buf_char(b, ':');
}

static void put_num(struct buf *b, const char *key, double x)
{
	put_key(b, key);
	json_put_num(b, x);
	buf_char(b, ',');
}

static void put_str(struct buf *b, const char *key, struct str t)
{
	if (t.p == NULL)
		return;
	put_key(b, key);
	json_put_str(b, t);
	buf_char(b, ',');
}

static void put_names(const struct state *s, struct buf *b, const char *key, const uint32_t *list, uint32_t n)
{
	put_key(b, key);
	buf_char(b, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(b, ',');
		json_put_str(b, names_get(s->names, list[i]));
	}
	buf_text(b, "],");
}

/* Takes back the comma after the last member. */
static void close_object(struct buf *b)
{
	if (b->p[b->n - 1] == ',')
		buf_cut(b, b->n - 1);
	buf_char(b, '}');
}

static void write_block(const struct state *s, const struct block *k, struct buf *b)
{
	buf_char(b, '{');
	put_str(b, "blockId", names_get(s->names, k->id));
	put_str(b, "runId", k->run_id);
	put_num(b, "tier", k->tier);
	if (k->has_topic)
		put_str(b, "topic", k->topic);
	put_str(b, "summary", k->summary.p ? k->summary : STR(""));
	put_names(s, b, "directMessageIds", k->direct, k->direct_n);
	put_names(s, b, "effectiveMessageIds", k->effective, k->effective_n);
	put_names(s, b, "directBlockIds", k->children, k->children_n);
	if (k->has_tokens)
		put_num(b, "compressedTokens", k->tokens);
	put_num(b, "createdAt", k->created_at);
	put_num(b, "survivedCount", k->survived);
	put_str(b, "generation", k->old ? STR("old") : STR("young"));
	buf_text(b, k->active ? "\"active\":true," : "\"active\":false,");
	if (k->has_duration)
		put_num(b, "durationMs", k->duration);
	if (k->call != 0)
		put_str(b, "compressCallId", names_get(s->names, k->call));
	put_str(b, "startRef", k->start_ref);
	put_str(b, "endRef", k->end_ref);
	close_object(b);
}

/* A canonical array index comes before other keys (kernel.md 2.5): its value, or -1. */
static double array_index(struct str key)
{
	double n = 0;
	if (key.n == 0 || key.n > 10 || (key.n > 1 && key.p[0] == '0'))
		return -1;
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] < '0' || key.p[i] > '9')
			return -1;
		n = n * 10 + (key.p[i] - '0');
	}
	return n <= 4294967294.0 ? n : -1;
}

struct raw_key {
	double index;
	uint32_t name;
	uint32_t place;
};

static int by_key_order(const void *a, const void *b)
{
	const struct raw_key *x = a, *y = b;
	if (x->index >= 0 && y->index >= 0)
		return x->index < y->index ? -1 : x->index > y->index;
	if ((x->index >= 0) != (y->index >= 0))
		return x->index >= 0 ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

static void write_refs(const struct state *s, struct buf *b)
{
	VEC(struct raw_key) keys = {0};
	char text[REF_TEXT_MAX];
	for (size_t i = 0; i < s->raw_order.n; i++) {
		uint32_t name = s->raw_order.v[i];
		vec_push(&keys, (struct raw_key){array_index(names_get(s->names, name)), name, (uint32_t)i});
	}
	if (keys.n > 1)
		qsort(keys.v, keys.n, sizeof *keys.v, by_key_order);
	buf_text(b, "\"messageRefs\":{\"byRaw\":{");
	for (size_t i = 0; i < keys.n; i++) {
		if (i > 0)
			buf_char(b, ',');
		json_put_str(b, names_get(s->names, keys.v[i].name));
		buf_char(b, ':');
		json_put_str(b, state_ref_text(s, s->info.v[keys.v[i].name].ref, text));
	}
	vec_free(&keys);
	buf_text(b, "},\"byRef\":{");
	bool first = true;
	for (uint32_t ref = 1; ref < s->by_ref.n; ref++) {
		if (s->by_ref.v[ref] == 0)
			continue;
		if (!first)
			buf_char(b, ',');
		first = false;
		json_put_str(b, state_ref_text(s, ref, text));
		buf_char(b, ':');
		json_put_str(b, names_get(s->names, s->by_ref.v[ref]));
	}
	buf_text(b, "}},");
}

static void write_snapshot(const struct state *s, struct buf *b)
{
	char text[REF_TEXT_MAX];
	buf_text(b, "\"tokenSnapshot\":{");
	for (size_t i = 0; i < s->snapshot.n; i++) {
		if (!s->snapshot.v[i].alive)
			continue;
		json_put_str(b, state_ref_text(s, s->snapshot.v[i].ref, text));
		buf_char(b, ':');
		json_put_num(b, s->snapshot.v[i].tokens);
		buf_char(b, ',');
	}
	close_object(b);
	buf_char(b, ',');
}

void state_write(const struct state *s, struct buf *b)
{
	buf_text(b, "{\"blocks\":[");
	for (size_t i = 0; i < s->blocks.n; i++) {
		if (i > 0)
			buf_char(b, ',');
		write_block(s, &s->blocks.v[i], b);
	}
	buf_text(b, "],");
	write_refs(s, b);
	write_snapshot(s, b);
	buf_text(b, "\"nudge\":{");
	put_num(b, "lastPerMessageNudgeTokens", s->now.baseline);
	put_num(b, "lastNudgeShownTokens", s->now.shown);
	buf_text(b, "\"baselineTokens\":0,\"anchors\":{},\"lastShownByTier\":{");
	for (int t = 1; t <= 3; t++)
		if (s->now.tier_set & (1 << t))
			put_num(b, (const char[]){(char)('0' + t), 0}, s->now.tier_shown[t]);
	close_object(b);
	buf_text(b, "},\"stats\":{");
	put_num(b, "tokensCompressed", s->now.tokens_compressed);
	put_num(b, "compressionCount", s->now.compression_count);
	close_object(b);
	buf_char(b, ',');
	put_num(b, "nextBlockId", s->now.next_block);
	put_num(b, "nextRunId", s->now.next_run);
	close_object(b);
}
