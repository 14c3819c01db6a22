/* A state as JSON: loading a stored one, writing the present one (kernel.md 1.3). */
#include <math.h>

#include "engine/kernel/journal.h"

static enum status wrong(struct error *e, const char *member)
{
	return error_set(e, STATUS_DATA, "state: %s has a wrong type", member);
}

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

/* What loading needs beside the state. */
struct store {
	struct state *s;
	struct names spellings; /* of refs that are not canonical */
	VEC(uint32_t) ref_of;   /* by spelling; 0 = not met yet */
	double children;        /* entries of all directBlockIds */
	struct error *e;
};

static bool take_names(struct state *s, const cJSON *object, const char *name, const uint32_t **list, uint32_t *n)
{
	const cJSON *array = json_get(object, name), *item;
	if (array != NULL && !cJSON_IsArray(array) && !cJSON_IsNull(array))
		return false;
	uint32_t count = 0;
	cJSON_ArrayForEach (item, array)
		count++;
	uint32_t *out = arena_alloc(&s->arena, (size_t)count * sizeof *out);
	*n = 0;
	*list = out;
	cJSON_ArrayForEach (item, array) {
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

/*
 * Blocks with one id make every child entry cost a look at all blocks. No kernel writes such states; where one would
 * take minutes to load it is refused.
 */
static bool too_many_twins(struct store *st, const struct block *b)
{
	enum { TWIN_WORK_MAX = 1 << 28 };
	struct state *s = st->s;
	st->children += b->children_n;
	return (s->twins || state_info(s, b->id)->block != 0) &&
	       st->children * (double)(s->blocks.n + 1) > (double)TWIN_WORK_MAX;
}

static enum status load_block(struct store *st, const cJSON *node)
{
	struct state *s = st->s;
	struct block b = {0};
	struct str id = json_str(json_get(node, "blockId"));
	double tier = 1;
	if (!cJSON_IsObject(node) || id.p == NULL)
		return wrong(st->e, "blocks[].blockId");
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
		return wrong(st->e, "blocks[]: a number");
	b.tier = (uint8_t)tier;
	if (!take_names(s, node, "directMessageIds", &b.direct, &b.direct_n) ||
	    !take_names(s, node, "effectiveMessageIds", &b.effective, &b.effective_n) ||
	    !take_names(s, node, "directBlockIds", &b.children, &b.children_n))
		return wrong(st->e, "blocks[]: a list of ids");
	if (too_many_twins(st, &b))
		return error_set(st->e, STATUS_DATA, "state: too many blocks share an id");
	state_block_add(s, b);
	return STATUS_OK;
}

static enum status load_blocks(struct store *st, const cJSON *blocks)
{
	enum status status = STATUS_OK;
	const cJSON *item;
	cJSON_ArrayForEach (item, blocks) {
		if (status == STATUS_OK)
			status = load_block(st, item);
	}
	return status;
}

/* The ref number of a stored spelling; foreign ones are added. */
static uint32_t stored_ref(struct store *st, struct str spelling)
{
	char canonical[REF_TEXT_MAX];
	if (str_eq(spelling, STR("BLOCKED")))
		return REF_BLOCKED;
	uint32_t index = ref_read(spelling);
	if (ref_format(canonical, index) && str_eq(spelling, str_of(canonical)))
		return index;
	struct state *s = st->s;
	uint32_t name = names_add(&st->spellings, spelling);
	vec_fill(&st->ref_of, (size_t)name + 1);
	if (st->ref_of.v[name] == 0) {
		vec_push(&s->foreign_refs, (struct str){arena_copy(&s->arena, spelling.p, spelling.n), spelling.n});
		st->ref_of.v[name] = (uint32_t)(REF_MAX + s->foreign_refs.n);
	}
	return st->ref_of.v[name];
}

static enum status load_raw(struct store *st, const cJSON *raw)
{
	struct state *s = st->s;
	const cJSON *item;
	cJSON_ArrayForEach (item, raw) {
		if (!cJSON_IsString(item))
			return wrong(st->e, "messageRefs.byRaw");
		struct str spelling = json_str(item);
		uint32_t ref = spelling.n ? stored_ref(st, spelling) : REF_NONE, index = ref_read(spelling);
		uint32_t name = names_add(s->names, str_of(item->string));
		if (ref == REF_NONE || name == 0 || state_info(s, name)->ref != REF_NONE)
			continue;
		state_info(s, name)->ref = ref;
		vec_push(&s->raw_order, name);
		if (index > s->ref_highest)
			s->ref_highest = index;
	}
	return STATUS_OK;
}

static enum status load_refs(struct store *st, const cJSON *refs)
{
	struct state *s = st->s;
	const cJSON *raw = json_get(refs, "byRaw"), *by_ref = json_get(refs, "byRef"), *item;
	if ((raw && !cJSON_IsObject(raw)) || (by_ref && !cJSON_IsObject(by_ref)))
		return wrong(st->e, "messageRefs");
	if (load_raw(st, raw) != STATUS_OK)
		return STATUS_DATA;
	cJSON_ArrayForEach (item, by_ref) {
		if (!cJSON_IsString(item))
			return wrong(st->e, "messageRefs.byRef");
		uint32_t ref = stored_ref(st, str_of(item->string)), name = names_add(s->names, json_str(item));
		if (ref == REF_BLOCKED || name == 0)
			continue;
		vec_fill(&s->by_ref, (size_t)ref + 1);
		s->refs_n += s->by_ref.v[ref] == 0;
		s->by_ref.v[ref] = name;
	}
	return STATUS_OK;
}

/* A number that is not finite was written as null (kernel.md 2.5): no entry. */
static enum status load_snapshot(struct store *st, const cJSON *snapshot)
{
	const cJSON *item;
	cJSON_ArrayForEach (item, snapshot) {
		double tokens;
		if (cJSON_IsNull(item))
			continue;
		uint32_t ref = stored_ref(st, str_of(item->string));
		if (!json_num(item, &tokens))
			return wrong(st->e, "tokenSnapshot");
		if (ref != REF_BLOCKED)
			state_snapshot_set(st->s, ref, tokens);
	}
	return STATUS_OK;
}

/* The members of an object as JSON text, without the braces; absent when it has none. */
static struct str members_of(struct arena *a, const cJSON *object)
{
	struct buf b = {0};
	if (!cJSON_IsObject(object) || object->child == NULL)
		return (struct str){NULL, 0};
	json_put(&b, object);
	struct str text = {arena_copy(a, b.p + 1, b.n - 2), b.n - 2};
	buf_free(&b);
	return text;
}

static enum status load_tiers(struct store *st, const cJSON *tiers, struct scalars *n)
{
	const cJSON *item;
	if (tiers && !cJSON_IsObject(tiers) && !cJSON_IsNull(tiers))
		return wrong(st->e, "nudge.lastShownByTier");
	cJSON_ArrayForEach (item, tiers) {
		double x;
		if (cJSON_IsNull(item))
			continue;
		if (!json_num(item, &x))
			return wrong(st->e, "nudge.lastShownByTier");
		if (item->string[0] >= '1' && item->string[0] <= '3' && item->string[1] == 0) {
			n->tier_shown[item->string[0] - '0'] = x;
			n->tier_set |= (uint8_t)(1 << (item->string[0] - '0'));
		}
	}
	return STATUS_OK;
}

static enum status load_scalars(struct store *st, const cJSON *stored)
{
	struct state *s = st->s;
	const cJSON *nudge = json_get(stored, "nudge"), *stats = json_get(stored, "stats");
	struct scalars n = s->now;
	if (!take_num(nudge, "lastPerMessageNudgeTokens", &n.baseline) ||
	    !take_num(nudge, "lastNudgeShownTokens", &n.shown))
		return wrong(st->e, "nudge");
	if (load_tiers(st, json_get(nudge, "lastShownByTier"), &n) != STATUS_OK)
		return STATUS_DATA;
	if (!take_num(stats, "tokensCompressed", &n.tokens_compressed) ||
	    !take_num(stats, "compressionCount", &n.compression_count))
		return wrong(st->e, "stats");
	if (!take_num(stored, "nextBlockId", &n.next_block) || !take_num(stored, "nextRunId", &n.next_run))
		return wrong(st->e, "nextBlockId or nextRunId");
	s->kept_nudge = members_of(&s->arena, nudge);
	s->kept_stats = members_of(&s->arena, stats);
	state_scalars_set(s, n);
	return STATUS_OK;
}

/* Members at the top may be absent or null, but not of another type. */
static enum status check_members(const cJSON *stored, struct error *e)
{
	static const char *const objects[] = {"messageRefs", "tokenSnapshot", "nudge", "stats"};
	const cJSON *node = json_get(stored, "blocks");
	if (!cJSON_IsObject(stored))
		return error_set(e, STATUS_DATA, "state: not an object");
	if (node && !cJSON_IsArray(node) && !cJSON_IsNull(node))
		return wrong(e, "blocks");
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
		node = json_get(stored, objects[i]);
		if (node && !cJSON_IsObject(node) && !cJSON_IsNull(node))
			return wrong(e, objects[i]);
	}
	return STATUS_OK;
}

enum status state_load(struct state *s, const cJSON *stored, struct error *e)
{
	struct store st = {.s = s, .e = e};
	enum status status = check_members(stored, e);
	if (status != STATUS_OK)
		return status;
	names_init(&st.spellings);
	status = load_refs(&st, json_get(stored, "messageRefs"));
	if (status == STATUS_OK)
		status = load_blocks(&st, json_get(stored, "blocks"));
	if (status == STATUS_OK)
		status = load_scalars(&st, stored);
	if (status == STATUS_OK)
		status = load_snapshot(&st, json_get(stored, "tokenSnapshot"));
	names_free(&st.spellings);
	vec_free(&st.ref_of);
	/* what was loaded is the beginning: nothing can be undone past it */
	s->journal.n = s->at = 0;
	return status;
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

#define NUDGE_INITIAL                                                                                                  \
	"\"lastPerMessageNudgeTokens\":0,\"lastNudgeShownTokens\":0,\"baselineTokens\":0,\"anchors\":{},"              \
	"\"lastShownByTier\":{}"
#define STATS_INITIAL "\"tokensCompressed\":0,\"compressionCount\":0"

/* An object of three lists of members: a later value takes the place of an earlier one (kernel.md 2.5). */
static void put_merged(struct buf *b, const char *initial, struct str stored, struct str present)
{
	struct arena a = {0};
	struct buf text = {0};
	buf_printf(&text, "{%s", initial);
	if (stored.n > 0)
		buf_char(&text, ',');
	buf_str(&text, stored);
	if (present.n > 0)
		buf_char(&text, ',');
	buf_str(&text, present);
	buf_char(&text, '}');
	json_put(b, json_tree(&a, buf_view(&text), NULL, NULL));
	buf_free(&text);
	arena_free(&a);
}

static void write_nudge(const struct state *s, struct buf *b)
{
	struct buf now = {0};
	put_num(&now, "lastPerMessageNudgeTokens", s->now.baseline);
	put_num(&now, "lastNudgeShownTokens", s->now.shown);
	buf_text(&now, "\"lastShownByTier\":{");
	for (int t = 1; t <= 3; t++)
		if (s->now.tier_set & (1 << t))
			put_num(&now, (const char[]){(char)('0' + t), 0}, s->now.tier_shown[t]);
	close_object(&now);
	buf_text(b, "\"nudge\":");
	put_merged(b, NUDGE_INITIAL, s->kept_nudge, buf_view(&now));
	buf_char(b, ',');
	buf_free(&now);
}

static void write_stats(const struct state *s, struct buf *b)
{
	struct buf now = {0};
	put_num(&now, "tokensCompressed", s->now.tokens_compressed);
	put_num(&now, "compressionCount", s->now.compression_count);
	buf_cut(&now, now.n - 1);
	buf_text(b, "\"stats\":");
	put_merged(b, STATS_INITIAL, s->kept_stats, buf_view(&now));
	buf_char(b, ',');
	buf_free(&now);
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
	write_nudge(s, b);
	write_stats(s, b);
	put_num(b, "nextBlockId", s->now.next_block);
	put_num(b, "nextRunId", s->now.next_run);
	close_object(b);
}

/* ---- merging ---- */

/* The stored member, or what stands for it when it is absent or null. */
static void put_or(struct buf *b, const char *key, const cJSON *stored, const char *initial)
{
	put_key(b, key);
	if (stored == NULL || cJSON_IsNull(stored))
		buf_text(b, initial);
	else
		json_put(b, stored);
	buf_char(b, ',');
}

static void put_group(struct buf *b, const char *key, const cJSON *stored, const char *initial)
{
	struct arena a = {0};
	put_key(b, key);
	put_merged(b, initial, members_of(&a, stored), (struct str){NULL, 0});
	buf_char(b, ',');
	arena_free(&a);
}

void state_merge(const cJSON *stored, struct buf *b)
{
	buf_char(b, '{');
	put_or(b, "blocks", json_get(stored, "blocks"), "[]");
	put_or(b, "messageRefs", json_get(stored, "messageRefs"), "{\"byRaw\":{},\"byRef\":{}}");
	put_group(b, "nudge", json_get(stored, "nudge"), NUDGE_INITIAL);
	put_group(b, "stats", json_get(stored, "stats"), STATS_INITIAL);
	put_or(b, "nextBlockId", json_get(stored, "nextBlockId"), "1");
	put_or(b, "nextRunId", json_get(stored, "nextRunId"), "1");
	put_or(b, "tokenSnapshot", json_get(stored, "tokenSnapshot"), "{}");
	close_object(b);
}
