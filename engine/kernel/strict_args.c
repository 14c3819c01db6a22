#include "engine/kernel/strict_args.h"

#include "engine/kernel/lenient.h"

/* The member, or the one that stands for it when it is absent or null. */
static struct str text_or(const cJSON *object, const char *name, const char *instead)
{
	const cJSON *node = json_get(object, name);
	return json_str(node == NULL || cJSON_IsNull(node) ? json_get(object, instead) : node);
}

/* Empty strings are taken: applyCompression refuses them (K06). */
static bool read_entry(const cJSON *entry, struct str call, struct range_request *r)
{
	*r = (struct range_request){
		.start = text_or(entry, "startId", "messageId"),
		.end = text_or(entry, "endId", "messageId"),
		.summary = json_str(json_get(entry, "summary")),
		.topic = json_str(json_get(entry, "topic")),
		.call = call,
		.has_call = call.p != NULL,
	};
	r->has_topic = r->topic.p != NULL;
	return r->start.p != NULL && r->end.p != NULL && r->summary.p != NULL;
}

void strict_args_value(struct arena *a, const cJSON *value, struct str call, struct parse_result *out)
{
	const cJSON *content = json_get(value, "content"), *entry;
	struct range_request r;
	*out = (struct parse_result){.kind = PARSE_OK};
	if (cJSON_IsString(value)) {
		strict_args_text(a, json_str(value), call, out);
		return;
	}
	if (!cJSON_IsObject(value)) {
		out->kind = value == NULL ? PARSE_EMPTY_INPUT : PARSE_NOT_OBJECT;
		return;
	}
	if (!cJSON_IsArray(content)) {
		out->kind = content == NULL ? PARSE_MISSING_CONTENT : PARSE_CONTENT_NOT_ARRAY;
		return;
	}
	cJSON_ArrayForEach (entry, content)
		*(read_entry(entry, call, &r) ? &out->n : &out->invalid_items) += 1;
	out->ranges = arena_alloc(a, out->n * sizeof *out->ranges);
	out->n = 0;
	cJSON_ArrayForEach (entry, content)
		if (read_entry(entry, call, &r))
			out->ranges[out->n++] = r;
	if (out->n == 0)
		out->kind = PARSE_NO_VALID_RANGES;
}

void strict_args_text(struct arena *a, struct str text, struct str call, struct parse_result *out)
{
	const cJSON *value = lenient_strict(a, text);
	*out = (struct parse_result){.kind = text.n == 0 ? PARSE_EMPTY_INPUT : PARSE_MALFORMED_JSON};
	if (cJSON_IsString(value)) /* only once */
		out->kind = PARSE_NOT_OBJECT;
	else if (value != NULL)
		strict_args_value(a, value, call, out);
	out->has_text = true;
	out->length = text_measure(text).units;
}
