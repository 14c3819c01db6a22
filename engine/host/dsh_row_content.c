/* dsh_row: what is read of the message and the source of a surface event. */
#include "engine/host/dsh_price.h"
#include "engine/host/dsh_row.h"

static bool is_type(const cJSON *block, const char *name)
{
	return str_eq(json_str(json_get(block, "type")), str_of(name));
}

static size_t length(const cJSON *list)
{
	size_t n = 0;
	if (cJSON_IsArray(list))
		for (const cJSON *c = list->child; c; c = c->next)
			n++;
	return n;
}

static uint32_t named(struct dsh_log *log, const cJSON *node) { return names_add(&log->names, json_str(node)); }

static void read_calls(struct dsh_log *log, const cJSON *content, struct dsh_row *out)
{
	size_t n = 0;
	if (!cJSON_IsArray(content))
		return;
	for (const cJSON *b = content->child; b; b = b->next)
		n += is_type(b, "tool-call");
	struct dsh_call *calls = arena_zero(&log->arena, n, sizeof *calls);
	for (const cJSON *b = content->child; b; b = b->next) {
		if (!is_type(b, "tool-call"))
			continue;
		calls[out->calls_n++] =
			(struct dsh_call){named(log, json_get(b, "id")), named(log, json_get(b, "name"))};
	}
	out->calls = calls;
}

/* dsh.md 3.2 with dsh-rulings 7: of the first result block, else of the message (format 4), else of the source. */
static uint32_t read_result(struct dsh_log *log, const cJSON *message)
{
	const cJSON *content = json_get(message, "content"), *block = NULL;
	struct str id = {0};
	if (cJSON_IsArray(content))
		for (block = content->child; block && !is_type(block, "tool-result"); block = block->next)
			;
	id = json_str(json_get(block, "toolCallId"));
	if (!id.p)
		id = json_str(json_get(message, "toolCallId"));
	if (!id.p)
		id = json_str(json_get(json_get(message, "source"), "callId"));
	return names_add(&log->names, id);
}

/* ---- source ---- */

/* dsh.md 5.2: elements without a non-empty string as scope say nothing. */
static void read_changes(struct dsh_log *log, const cJSON *changes, struct dsh_row *out)
{
	size_t n = length(changes);
	if (n == 0)
		return;
	struct dsh_change *list = arena_zero(&log->arena, n, sizeof *list);
	for (const cJSON *c = changes->child; c; c = c->next) {
		uint32_t scope = named(log, json_get(c, "scope"));
		if (scope == 0)
			continue;
		list[out->changes_n++] = (struct dsh_change){scope, named(log, json_get(c, "digest")),
							     str_eq(json_str(json_get(c, "action")), STR("remove"))};
	}
	out->changes = list;
}

static uint32_t canonical(struct dsh_log *log, const cJSON *node)
{
	struct buf b = {0};
	if (!node)
		return 0;
	json_put(&b, node);
	uint32_t name = names_add(&log->names, buf_view(&b));
	buf_free(&b);
	return name;
}

static void read_source(struct dsh_log *log, const cJSON *source, struct dsh_row *out)
{
	const cJSON *kind = json_get(source, "kind"), *plugin = json_get(source, "plugin");
	if (!cJSON_IsObject(source))
		return;
	out->has_source = true;
	out->bare = source->child == NULL;
	out->has_kind = cJSON_IsString(kind);
	out->has_plugin = cJSON_IsString(plugin);
	if (kind && !out->has_kind)
		out->notes |= DSH_NOTE_KIND_NOT_TEXT;
	out->kind = named(log, kind);
	out->plugin = named(log, plugin);
	out->compaction_id = named(log, json_get(source, "compactionId"));
	out->baseline = cJSON_IsTrue(json_get(source, "baseline"));
	out->identity = canonical(log, json_get(source, "baselineIdentity"));
	read_changes(log, json_get(source, "changes"), out);
}

/* ---- the message ---- */

static bool is_empty(const cJSON *content)
{
	return !content || cJSON_IsNull(content) || (cJSON_IsArray(content) && !content->child) ||
	       (cJSON_IsString(content) && json_str(content).n == 0);
}

static void read_text(const cJSON *content, struct dsh_row *out)
{
	struct buf b = {0};
	dsh_content_text(&b, content);
	out->text = text_measure(buf_view(&b));
	out->blank = text_trim(buf_view(&b)).n == 0;
	buf_free(&b);
}

/* A system or developer row has no price, no text that counts and no projection (dsh-rulings 14). */
void dsh_content_parse(struct dsh_log *log, const cJSON *data, struct dsh_row *out)
{
	const cJSON *message = out->type == DSH_USER ? data : json_get(data, "message");
	const cJSON *content = json_get(message, "content");
	out->blank = true;
	read_source(log, json_get(message, "source"), out);
	if (out->type == DSH_SYSTEM || out->type == DSH_DEVELOPER)
		return;
	if (out->type == DSH_ASSISTANT)
		read_calls(log, content, out);
	if (out->type == DSH_TOOL)
		out->result = read_result(log, message);
	out->derives = cJSON_IsObject(message) && !(out->type == DSH_ASSISTANT && is_empty(content));
	if (!out->derives)
		return;
	read_text(content, out);
	out->price = dsh_content_price(content) + DSH_BLOCK_PRICE;
}
