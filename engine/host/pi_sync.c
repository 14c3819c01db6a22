#include "engine/host/pi_sync.h"

#include "engine/kernel/lenient.h"

const char *pi_sync_outcome_name(enum pi_sync_outcome o)
{
	static const char *const names[PI_SYNC_OUTCOMES] = {
		[PI_SYNC_CHANGED] = "changed",           [PI_SYNC_NOT_ASKED] = "not-asked",
		[PI_SYNC_NO_TEXT] = "no-text",           [PI_SYNC_NO_JSON] = "no-json",
		[PI_SYNC_NO_ARGUMENTS] = "no-arguments", [PI_SYNC_EQUAL] = "equal",
		[PI_SYNC_UNREADABLE] = "unreadable",     [PI_SYNC_SHAPE] = "shape",
	};
	return names[o];
}

bool pi_sync_maps(enum pi_sync mode, enum content content)
{
	return mode == PI_SYNC_MERGED || (mode == PI_SYNC_ON && content == CONTENT_CALL);
}

static bool says(const cJSON *block, const char *member, struct str what)
{
	return str_eq(json_str(json_get(block, member)), what);
}

struct str pi_sync_asks(enum pi_sync mode, const cJSON *block)
{
	struct str id = json_str(json_get(block, "id"));
	if (mode == PI_SYNC_OFF || !says(block, "type", STR("toolCall")) || id.n == 0)
		return (struct str){0};
	return mode == PI_SYNC_MERGED || says(block, "name", STR("compress")) ? id : (struct str){0};
}

/* The same value, as far as the bytes sent can tell. */
static bool same_bytes(const cJSON *node, struct str json)
{
	struct buf b = {0};
	json_put(&b, node);
	bool same = str_eq(buf_view(&b), json);
	buf_free(&b);
	return same;
}

static bool same_canon(const cJSON *one, const cJSON *other)
{
	struct buf b = {0};
	json_put(&b, one);
	bool same = same_bytes(other, buf_view(&b));
	buf_free(&b);
	return same;
}

static bool has_shape(enum pi_sync mode, const cJSON *parsed)
{
	const cJSON *content = json_get(parsed, "content");
	return cJSON_IsObject(parsed) && (mode == PI_SYNC_MERGED || cJSON_IsArray(content) || cJSON_IsString(content));
}

/* 4.3.3 and later: `json` is the text from its first { on. */
static struct pi_synced follow(struct arena *a, enum pi_sync mode, const cJSON *arguments, struct str json)
{
	bool string = cJSON_IsString(arguments);
	if (!string && !cJSON_IsObject(arguments) && !cJSON_IsArray(arguments))
		return (struct pi_synced){.outcome = PI_SYNC_NO_ARGUMENTS};
	if (string ? str_eq(json_str(arguments), json) : same_bytes(arguments, json))
		return (struct pi_synced){.outcome = PI_SYNC_EQUAL};
	const cJSON *parsed = lenient_strict(a, json);
	if (parsed == NULL)
		return (struct pi_synced){.outcome = PI_SYNC_UNREADABLE};
	if (!has_shape(mode, parsed))
		return (struct pi_synced){.outcome = PI_SYNC_SHAPE};
	if (mode == PI_SYNC_MERGED && !string && same_canon(arguments, parsed))
		return (struct pi_synced){.outcome = PI_SYNC_EQUAL};
	if (string)
		return (struct pi_synced){.outcome = PI_SYNC_CHANGED, .text = json};
	return (struct pi_synced){.outcome = PI_SYNC_CHANGED, .object = parsed};
}

struct pi_synced pi_sync_block(struct arena *a, enum pi_sync mode, const cJSON *block, struct str text)
{
	if (pi_sync_asks(mode, block).n == 0)
		return (struct pi_synced){.outcome = PI_SYNC_NOT_ASKED};
	if (text.n == 0)
		return (struct pi_synced){.outcome = PI_SYNC_NO_TEXT};
	size_t brace = str_find(text, STR("{"), 0);
	if (brace == SIZE_MAX)
		return (struct pi_synced){.outcome = PI_SYNC_NO_JSON};
	return follow(a, mode, json_get(block, "arguments"), str_cut(text, brace, text.n));
}
