/* dsh_row: the data of the compaction events, with the plugin's extras (dsh.md 1.5). */
#include <math.h>

#include "engine/host/dsh_price.h"
#include "engine/host/dsh_row.h"

#define LEDGER_MARKER "$dshAcpBlockLedger"

static uint32_t named(struct dsh_log *log, const cJSON *node) { return names_add(&log->names, json_str(node)); }

static size_t length(const cJSON *list)
{
	size_t n = 0;
	for (const cJSON *c = list ? list->child : NULL; c; c = c->next)
		n++;
	return n;
}

/* The texts of a list as names; NULL when it is no list. What is no text is left out. */
static const uint32_t *read_names(struct dsh_log *log, const cJSON *list, size_t *n)
{
	if (!cJSON_IsArray(list))
		return NULL;
	uint32_t *out = arena_zero(&log->arena, length(list), sizeof *out);
	*n = 0;
	for (const cJSON *c = list->child; c; c = c->next)
		if (cJSON_IsString(c))
			out[(*n)++] = named(log, c);
	return out;
}

static void read_range(struct dsh_log *log, const cJSON *data, struct dsh_compaction *c)
{
	const cJSON *range = json_get(data, "shadowedRange"), *shadowed = json_get(data, "shadowedSeqs");
	c->has_range = dsh_seq_of(json_get(range, "start"), &c->start) && dsh_seq_of(json_get(range, "end"), &c->end);
	if (!json_num(json_get(data, "shadowedTokenCount"), &c->tokens) || !isfinite(c->tokens))
		c->tokens = 0;
	if (!cJSON_IsArray(shadowed))
		return;
	int64_t *seqs = arena_zero(&log->arena, length(shadowed), sizeof *seqs);
	for (const cJSON *s = shadowed->child; s; s = s->next)
		if (dsh_seq_of(s, &seqs[c->shadowed_n]))
			c->shadowed_n++;
	c->shadowed = seqs;
}

/* Each member is checked by itself: a bad one is left as it was. */
static bool read_extras(struct dsh_log *log, const cJSON *object, struct dsh_compaction *c)
{
	const cJSON *tier = json_get(object, "tier"), *kernel = json_get(object, "kernelBlockId"),
		    *topic = json_get(object, "topic");
	double x;
	size_t n;
	if (json_num(tier, &x))
		c->tier = x == 2 ? 2 : x == 3 ? 3 : 1;
	if (cJSON_IsString(kernel))
		c->kernel = named(log, kernel);
	if (cJSON_IsString(topic))
		c->topic = named(log, topic);
	struct {
		const char *name;
		const uint32_t **list;
		size_t *n;
	} lists[] = {{"parentBlockIds", &c->parents, &c->parents_n},
		     {"directMessageIds", &c->direct, &c->direct_n},
		     {"effectiveMessageIds", &c->effective, &c->effective_n}};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const uint32_t *list = read_names(log, json_get(object, lists[i].name), &n);
		if (list) {
			*lists[i].list = list;
			*lists[i].n = n;
		}
	}
	return tier != NULL || kernel != NULL;
}

/* The ledger in a text block of rawOutput: an object whose marker is 1 (#141). */
static bool read_raw(struct dsh_log *log, const cJSON *raw, struct dsh_compaction *c)
{
	bool found = false;
	struct arena scratch = {0};
	if (!cJSON_IsArray(raw))
		return false;
	for (const cJSON *b = raw->child; b && !found; b = b->next) {
		double marker;
		struct str text = json_str(json_get(b, "text"));
		if (!str_eq(json_str(json_get(b, "type")), STR("text")) || !text.p)
			continue;
		const cJSON *tree = json_tree(&scratch, text, NULL, NULL);
		found = json_num(json_get(tree, LEDGER_MARKER), &marker) && marker == 1;
		if (found)
			read_extras(log, tree, c);
	}
	arena_free(&scratch);
	return found;
}

static void read_summary(struct dsh_log *log, const cJSON *data, struct dsh_compaction *c)
{
	struct buf b = {0};
	dsh_content_text(&b, json_get(data, "summary"));
	c->summary = text_measure(buf_view(&b));
	buf_free(&b);
	c->tier = 1;
	c->extra_members = read_extras(log, data, c);
	c->plugin_made = read_raw(log, json_get(data, "rawOutput"), c) || c->extra_members;
}

void dsh_compaction_parse(struct dsh_log *log, const cJSON *data, uint8_t type, struct dsh_row *out)
{
	const cJSON *error = json_get(data, "error");
	struct dsh_compaction *c = arena_zero(&log->arena, 1, sizeof *c);
	c->id = named(log, json_get(data, "compactionId"));
	c->command = named(log, json_get(data, "sourceCommandId"));
	c->has_error = error && !cJSON_IsNull(error);
	if (!dsh_seq_of(json_get(data, "turn"), &c->turn))
		c->turn = -1;
	if (type == DSH_SUMMARY || type == DSH_PRUNE)
		read_range(log, data, c);
	if (type == DSH_SUMMARY)
		read_summary(log, data, c);
	out->compaction = c;
}
