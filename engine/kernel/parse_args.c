#include "engine/kernel/parse_args.h"

#include <math.h>

#include "engine/base/json.h"
#include "engine/kernel/lenient.h"

/* What one call of the parser works on. */
struct parser {
	struct arena *a;
	bool foreign; /* trees are the caller's: strings that stay are copied */
	struct str call;
	struct parse_result *out;
};

static const char *const KIND_NAMES[] = {
	[PARSE_OK] = "ok",
	[PARSE_EMPTY_INPUT] = "empty-input",
	[PARSE_NOT_OBJECT] = "not-object",
	[PARSE_MISSING_CONTENT] = "missing-content",
	[PARSE_CONTENT_NOT_ARRAY] = "content-not-array",
	[PARSE_NO_VALID_RANGES] = "no-valid-ranges",
	[PARSE_TRUNCATED] = "truncated",
	[PARSE_MALFORMED_JSON] = "malformed-json",
};

const char *parse_kind_name(enum parse_kind kind) { return KIND_NAMES[kind]; }

/* The names a ref may go by, the first non-empty string counts (kernel.md 7.5). */
static const char *const START_NAMES[] = {"startRef", "startId", "messageId", NULL};
static const char *const END_NAMES[] = {"endRef", "endId", "messageId", NULL};
static const char *const SUMMARY_NAMES[] = {"summary", NULL};
static const char *const TOPIC_NAMES[] = {"topic", NULL};

static struct str copied(struct arena *a, struct str s) { return s.p ? (struct str){arena_copy(a, s.p, s.n), s.n} : s; }

static struct str kept(const struct parser *p, struct str s) { return p->foreign ? copied(p->a, s) : s; }

/* The first non-empty string among the named members, else absent. */
static struct str first_text(const cJSON *object, const char *const *names)
{
	for (; *names; names++) {
		struct str s = json_str(json_get(object, *names));
		if (s.n > 0)
			return s;
	}
	return (struct str){0};
}

static bool finite_max(const cJSON *object, double *max)
{
	return json_num(json_get(object, "summaryMaxChars"), max) && isfinite(*max);
}

/* kernel.md 7.5; strings still point into the entry. */
static bool read_entry(const struct parser *p, const cJSON *entry, struct range_request *r)
{
	*r = (struct range_request){0};
	if (!cJSON_IsObject(entry))
		return false;
	r->start = first_text(entry, START_NAMES);
	r->end = first_text(entry, END_NAMES);
	r->summary = first_text(entry, SUMMARY_NAMES);
	if (r->start.n == 0 || r->end.n == 0 || r->summary.n == 0)
		return false;
	r->topic = first_text(entry, TOPIC_NAMES);
	r->has_topic = r->topic.n > 0;
	r->has_max = finite_max(entry, &r->max_chars);
	if (!r->has_max)
		r->max_chars = 0;
	r->call = p->call;
	r->has_call = p->call.p != NULL;
	return true;
}

/* Fills the ranges and the count of refused entries. */
static void read_entries(const struct parser *p, const struct lenient_list *entries)
{
	struct parse_result *out = p->out;
	struct range_request r;
	size_t valid = 0;
	for (size_t i = 0; i < entries->n; i++)
		valid += read_entry(p, entries->v[i], &r);
	out->ranges = arena_zero(p->a, valid, sizeof *out->ranges);
	for (size_t i = 0; i < entries->n; i++) {
		if (!read_entry(p, entries->v[i], &r))
			continue;
		r.start = kept(p, r.start);
		r.end = kept(p, r.end);
		r.summary = kept(p, r.summary);
		r.topic = kept(p, r.topic);
		out->ranges[out->n++] = r;
	}
	out->invalid_items = entries->n - valid;
}

/* Top-level topic and summaryMaxChars go to every range without one (kernel.md 7.4 step 6). */
static void inherit(const struct parser *p, const cJSON *object)
{
	struct str topic = kept(p, first_text(object, TOPIC_NAMES));
	double max;
	bool has_max = finite_max(object, &max);
	for (size_t i = 0; i < p->out->n; i++) {
		struct range_request *r = &p->out->ranges[i];
		if (!r->has_topic && topic.n > 0) {
			r->topic = topic;
			r->has_topic = true;
		}
		if (!r->has_max && has_max) {
			r->max_chars = max;
			r->has_max = true;
		}
	}
}

static void read_keys(const struct parser *p, const cJSON *object)
{
	struct parse_result *out = p->out;
	size_t n = 0;
	for (const cJSON *m = object->child; m; m = m->next)
		n++;
	out->has_keys = true;
	out->keys = arena_zero(p->a, n, sizeof *out->keys);
	for (const cJSON *m = object->child; m; m = m->next)
		out->keys[out->keys_n++] = kept(p, str_of(m->string));
}

static struct lenient_list array_items(struct arena *a, const cJSON *array)
{
	size_t n = 0;
	for (const cJSON *item = array->child; item; item = item->next)
		n++;
	struct lenient_list list = {arena_alloc(a, n * sizeof *list.v), 0};
	for (const cJSON *item = array->child; item; item = item->next)
		list.v[list.n++] = item;
	return list;
}

/*
 * The entries of a `content` string (kernel.md 7.4 step 4); false when it holds
 * something that is not an array.
 */
static bool string_entries(struct arena *a, struct str text, struct lenient_list *entries, bool *salvaged)
{
	struct str bare = lenient_unfence(text_trim(text));
	cJSON *value = lenient_parse(a, bare);
	if (cJSON_IsString(value))
		value = lenient_parse(a, lenient_unfence(json_str(value)));
	if (value) {
		if (cJSON_IsArray(value))
			*entries = array_items(a, value);
		return cJSON_IsArray(value);
	}
	*entries = lenient_salvage(a, text_join(a, STR("{\"content\": "), bare));
	*salvaged = entries->n > 0;
	return true;
}

/* An object without `content` may itself be the only entry. */
static enum parse_kind parse_single(const struct parser *p, const cJSON *object)
{
	struct lenient_list self = {&object, 1};
	read_entries(p, &self);
	p->out->invalid_items = 0;
	return p->out->n > 0 ? PARSE_OK : PARSE_MISSING_CONTENT;
}

/* kernel.md 7.4 */
static enum parse_kind parse_object(const struct parser *p, const cJSON *object)
{
	struct lenient_list entries = {0};
	bool salvaged = false;
	const cJSON *content = json_get(object, "content");

	read_keys(p, object);
	if (!content)
		return parse_single(p, object);
	if (cJSON_IsArray(content))
		entries = array_items(p->a, content);
	else if (!cJSON_IsString(content) || !string_entries(p->a, json_str(content), &entries, &salvaged))
		return PARSE_CONTENT_NOT_ARRAY;

	read_entries(p, &entries);
	inherit(p, object);
	if (salvaged)
		return PARSE_TRUNCATED;
	return p->out->n > 0 ? PARSE_OK : PARSE_NO_VALID_RANGES;
}

/* Text that does not parse: what can be read of it, without keys and without inheritance (kernel.md 7.3 step 4). */
static enum parse_kind parse_remains(const struct parser *p, struct str text)
{
	struct lenient_list entries = lenient_salvage(p->a, text);
	read_entries(p, &entries);
	return entries.n > 0 || lenient_looks_truncated(text) ? PARSE_TRUNCATED : PARSE_MALFORMED_JSON;
}

/* kernel.md 7.3 */
static enum parse_kind parse_text(const struct parser *p, struct str text)
{
	struct str bare = lenient_unfence(text_trim(text));
	if (bare.n == 0)
		return PARSE_EMPTY_INPUT;
	cJSON *value = lenient_parse(p->a, bare);
	if (cJSON_IsString(value)) {
		/* one level only, and a cut document inside a whole literal is not salvaged: P45, P47 */
		cJSON *inner = lenient_parse(p->a, lenient_unfence(json_str(value)));
		value = inner ? inner : value;
	}
	if (!value)
		return parse_remains(p, bare);
	return cJSON_IsObject(value) ? parse_object(p, value) : PARSE_NOT_OBJECT;
}

void parse_args_text(struct arena *a, struct str text, struct str call, struct parse_result *out)
{
	struct parser p = {a, false, copied(a, call), out};
	*out = (struct parse_result){.kind = PARSE_EMPTY_INPUT};
	if (!text.p)
		return;
	out->has_text = true;
	out->length = text_measure(text).units;
	out->raw_prefix = copied(a, text_slice(a, text, 0, RAW_PREFIX_UNITS));
	out->kind = parse_text(&p, text);
}

void parse_args_value(struct arena *a, const cJSON *value, struct str call, struct parse_result *out)
{
	if (cJSON_IsString(value)) {
		parse_args_text(a, json_str(value), call, out);
		return;
	}
	struct parser p = {a, true, copied(a, call), out};
	*out = (struct parse_result){.kind = PARSE_EMPTY_INPUT};
	if (cJSON_IsObject(value))
		out->kind = parse_object(&p, value);
	else if (value && !cJSON_IsNull(value))
		out->kind = PARSE_NOT_OBJECT;
}

static void write_range(struct buf *b, const struct range_request *r)
{
	buf_text(b, "{\"startRef\":");
	json_put_str(b, r->start);
	buf_text(b, ",\"endRef\":");
	json_put_str(b, r->end);
	buf_text(b, ",\"summary\":");
	json_put_str(b, r->summary);
	if (r->has_topic) {
		buf_text(b, ",\"topic\":");
		json_put_str(b, r->topic);
	}
	if (r->has_max) {
		buf_text(b, ",\"summaryMaxChars\":");
		json_put_num(b, r->max_chars);
	}
	if (r->has_call) {
		buf_text(b, ",\"compressCallId\":");
		json_put_str(b, r->call);
	}
	buf_char(b, '}');
}

void parse_args_write(struct buf *b, const struct parse_result *r)
{
	buf_text(b, "{\"ranges\":[");
	for (size_t i = 0; i < r->n; i++) {
		if (i > 0)
			buf_char(b, ',');
		write_range(b, &r->ranges[i]);
	}
	buf_printf(b, "],\"kind\":\"%s\",\"invalidItems\":%zu", parse_kind_name(r->kind), r->invalid_items);
	if (r->has_text) {
		buf_printf(b, ",\"length\":%zu,\"rawPrefix\":", r->length);
		json_put_str(b, r->raw_prefix);
	}
	for (size_t i = 0; i < r->keys_n; i++) {
		buf_text(b, i > 0 ? "," : ",\"keys\":[");
		json_put_str(b, r->keys[i]);
	}
	if (r->has_keys)
		buf_text(b, r->keys_n > 0 ? "]" : ",\"keys\":[]");
	buf_char(b, '}');
}
