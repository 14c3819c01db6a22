#include "replay/request_dump.h"

void dump_lines_free(struct dump_lines *l)
{
	vec_free(&l->list);
	*l = (struct dump_lines){0};
}

static void keep(struct buf *b, struct arena *a, struct dump_lines *out)
{
	struct str line = {arena_copy(a, buf_view(b).p, b->n), b->n};
	vec_push(&out->list, line);
	buf_cut(b, 0);
}

static bool is_text(const cJSON *node, const char *text) { return str_eq(json_str(node), str_of(text)); }

/* ---- messages as they are ---- */

static void put_message(const cJSON *message, struct buf *b)
{
	static const char *const members[] = {"role", "content", "toolCallId", "toolName", "isError"};
	bool first = true;
	buf_char(b, '{');
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const cJSON *value = json_get(message, members[i]);
		if (value == NULL)
			continue;
		if (!first)
			buf_char(b, ',');
		first = false;
		json_put_str(b, str_of(members[i]));
		buf_char(b, ':');
		json_put(b, value);
	}
	buf_char(b, '}');
}

/* ---- messages flattened ---- */

struct flat {
	struct arena *a;
	struct dump_lines *out;
	struct buf b;
	const char *role;
	struct str call; /* of a result; absent = none */
};

/* The beginning of a line that all kinds have. */
static void begin_part(struct flat *f)
{
	buf_text(&f->b, "{\"role\":");
	json_put_str(&f->b, str_of(f->role));
	if (f->call.p != NULL) {
		buf_text(&f->b, ",\"toolCallId\":");
		json_put_str(&f->b, f->call);
	}
}

static void end_part(struct flat *f)
{
	buf_char(&f->b, '}');
	keep(&f->b, f->a, f->out);
}

static void put_text_part(struct flat *f, struct str text)
{
	if (text.n == 0)
		return;
	begin_part(f);
	buf_text(&f->b, ",\"text\":");
	json_put_str(&f->b, text);
	end_part(f);
}

/* Arguments that are a text are JSON to some makers: its value counts, where it has one. */
static void put_arguments(struct flat *f, const cJSON *arguments)
{
	struct str text = json_str(arguments);
	const cJSON *parsed = text.p != NULL ? json_tree(f->a, text, NULL, NULL) : NULL;
	buf_text(&f->b, ",\"arguments\":");
	if (parsed != NULL)
		json_put(&f->b, parsed);
	else if (arguments != NULL)
		json_put(&f->b, arguments);
	else
		buf_text(&f->b, "null");
}

static void put_call_part(struct flat *f, const cJSON *id, const cJSON *name, const cJSON *arguments)
{
	begin_part(f);
	buf_text(&f->b, ",\"id\":");
	json_put_str(&f->b, json_str(id));
	buf_text(&f->b, ",\"name\":");
	json_put_str(&f->b, json_str(name));
	put_arguments(f, arguments);
	end_part(f);
}

/* Texts and images: all that a result can have. */
static bool put_plain_block(struct flat *f, const cJSON *block)
{
	const cJSON *type = json_get(block, "type");
	if (is_text(type, "text")) {
		put_text_part(f, json_str(json_get(block, "text")));
	} else if (is_text(type, "image") || is_text(type, "image_url")) {
		begin_part(f);
		buf_text(&f->b, ",\"image\":true");
		end_part(f);
	} else {
		return false;
	}
	return true;
}

static void put_result(struct flat *f, const cJSON *result)
{
	const cJSON *block, *content = json_get(result, "content");
	struct flat inner = *f;
	inner.role = "toolResult";
	inner.call = json_str(json_get(result, "tool_use_id"));
	put_text_part(&inner, json_str(content));
	if (cJSON_IsArray(content))
		cJSON_ArrayForEach (block, content)
			put_plain_block(&inner, block);
	f->b = inner.b;
}

static void put_block(struct flat *f, const cJSON *block)
{
	const cJSON *type = json_get(block, "type");
	if (put_plain_block(f, block))
		return;
	if (is_text(type, "toolCall"))
		put_call_part(f, json_get(block, "id"), json_get(block, "name"), json_get(block, "arguments"));
	else if (is_text(type, "tool_use"))
		put_call_part(f, json_get(block, "id"), json_get(block, "name"), json_get(block, "input"));
	else if (is_text(type, "tool_result"))
		put_result(f, block);
}

static void put_content(struct flat *f, const cJSON *content)
{
	const cJSON *block;
	put_text_part(f, json_str(content));
	if (cJSON_IsArray(content))
		cJSON_ArrayForEach (block, content)
			put_block(f, block);
}

static void flatten(const cJSON *message, struct arena *a, struct dump_lines *out)
{
	const cJSON *role = json_get(message, "role"), *call = json_get(message, "toolCallId"), *one;
	struct flat f = {.a = a, .out = out, .role = "user"};
	if (call == NULL)
		call = json_get(message, "tool_call_id");
	if (is_text(role, "assistant"))
		f.role = "assistant";
	else if (is_text(role, "toolResult") || is_text(role, "tool"))
		f.role = "toolResult", f.call = json_str(call);
	put_content(&f, json_get(message, "content"));
	cJSON_ArrayForEach (one, json_get(message, "tool_calls")) {
		const cJSON *function = json_get(one, "function");
		put_call_part(&f, json_get(one, "id"), json_get(function, "name"), json_get(function, "arguments"));
	}
	buf_free(&f.b);
}

static bool is_system(const cJSON *message)
{
	const cJSON *role = json_get(message, "role");
	return is_text(role, "system") || is_text(role, "developer");
}

/* Has it the shape of another maker's API? */
static bool is_foreign(const cJSON *message)
{
	const cJSON *block, *content = json_get(message, "content");
	if (is_system(message) || is_text(json_get(message, "role"), "tool") || json_get(message, "tool_calls") ||
	    json_get(message, "tool_call_id") || cJSON_IsNull(content))
		return true;
	if (cJSON_IsArray(content))
		cJSON_ArrayForEach (block, content) {
			const cJSON *type = json_get(block, "type");
			if (is_text(type, "tool_use") || is_text(type, "tool_result") || is_text(type, "image_url"))
				return true;
		}
	return false;
}

static void add(const cJSON *message, struct arena *a, struct dump_lines *out)
{
	struct buf b = {0};
	if (is_system(message)) {
		out->system++;
	} else if (out->flat) {
		flatten(message, a, out);
	} else {
		put_message(message, &b);
		keep(&b, a, out);
	}
	buf_free(&b);
}

void request_dump_add(struct str message, struct arena *a, struct dump_lines *out)
{
	const cJSON *tree = out->flat ? json_tree(a, message, NULL, NULL) : NULL;
	if (tree != NULL)
		add(tree, a, out);
	else
		vec_push(&out->list, message);
}

/* ---- the file ---- */

/* The list of messages in a value, or NULL; *api: it says what only the requests of other makers say. */
static const cJSON *messages_in(const cJSON *value, bool *api)
{
	static const char *const holders[] = {"request", "body", "payload", "context"};
	const cJSON *holder = value, *messages;
	if (cJSON_IsArray(value))
		return value;
	messages = json_get(value, "messages");
	for (size_t i = 0; messages == NULL && i < sizeof holders / sizeof *holders; i++) {
		holder = json_get(value, holders[i]);
		messages = json_get(holder, "messages");
	}
	*api = json_get(holder, "systemPrompt") == NULL && (json_get(holder, "model") || json_get(holder, "system"));
	return cJSON_IsArray(messages) ? messages : NULL;
}

struct messages {
	VEC(const cJSON *) list;
};

static const char *not_a_message(const cJSON *m)
{
	return !cJSON_IsObject(m) || json_str(json_get(m, "role")).p == NULL
		       ? "something in it is no message with a role"
		       : NULL;
}

/* JSON lines. */
static const char *collect_lines(struct str file, struct arena *a, struct messages *out)
{
	for (size_t at = 0; at < file.n;) {
		size_t end = str_find(file, STR("\n"), at);
		if (end == SIZE_MAX)
			end = file.n;
		struct str line = text_trim(str_cut(file, at, end));
		at = end + 1;
		if (line.n == 0)
			continue;
		const cJSON *m = json_tree(a, line, NULL, NULL);
		if (m == NULL)
			return "neither JSON nor lines of JSON";
		if (json_get(m, "role") == NULL && json_get(m, "messages") != NULL)
			return "several requests in one file";
		vec_push(&out->list, m);
	}
	return NULL;
}

static const char *collect(struct str file, struct arena *a, struct messages *out, bool *api)
{
	const cJSON *m, *value = json_tree(a, file, NULL, NULL), *list;
	if (value == NULL)
		return collect_lines(file, a, out);
	if (json_get(value, "role") != NULL) {
		vec_push(&out->list, value);
		return NULL;
	}
	list = messages_in(value, api);
	if (list == NULL)
		return "no list of messages in it";
	cJSON_ArrayForEach (m, list)
		vec_push(&out->list, m);
	return NULL;
}

const char *request_dump_read(struct str file, struct arena *a, struct dump_lines *out)
{
	struct messages all = {0};
	const char *problem = file.n > REQUEST_DUMP_MAX ? "larger than 64 MiB" : NULL;
	*out = (struct dump_lines){0};
	if (problem == NULL)
		problem = collect(file, a, &all, &out->flat);
	for (size_t i = 0; problem == NULL && i < all.list.n; i++) {
		problem = not_a_message(all.list.v[i]);
		out->flat = out->flat || is_foreign(all.list.v[i]);
	}
	for (size_t i = 0; problem == NULL && i < all.list.n; i++)
		add(all.list.v[i], a, out);
	vec_free(&all.list);
	return problem;
}
