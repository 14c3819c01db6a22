#include "engine/host/dsh_text.h"

#include "engine/host/dsh_price.h"
#include "engine/kernel/message.h"

static bool has_type(const cJSON *block, struct str type) { return str_eq(json_str(json_get(block, "type")), type); }

static struct str or_empty(struct str s) { return s.p ? s : STR(""); }

static struct str kept(struct arena *a, struct buf *b)
{
	struct str s = {arena_copy(a, b->p ? b->p : "", b->n), b->n};
	buf_free(b);
	return s;
}

static struct str content_text(struct arena *a, const cJSON *content)
{
	struct buf b = {0};
	if (cJSON_IsString(content))
		return json_str(content);
	dsh_content_text(&b, content);
	return kept(a, &b);
}

/* Arguments as text; null counts as missing. */
static struct str arguments_text(struct arena *a, const cJSON *arguments)
{
	struct buf b = {0};
	if (cJSON_IsString(arguments))
		return json_str(arguments);
	if (arguments == NULL || cJSON_IsNull(arguments))
		return STR("");
	json_put(&b, arguments);
	return kept(a, &b);
}

struct dsh_message dsh_message_of(enum dsh_type type, const cJSON *data)
{
	const cJSON *message = type == DSH_USER ? data : json_get(data, "message");
	return (struct dsh_message){
		.content = json_get(message, "content"),
		.tool_call_id = json_str(json_get(message, "toolCallId")),
		.source_call_id = json_str(json_get(json_get(message, "source"), "callId")),
		.is_error = cJSON_IsTrue(json_get(message, "isError")),
	};
}

static struct dsh_core *add_core(struct dsh_projection *out, enum role role, enum content content, struct str text)
{
	struct dsh_core core = {.role = (uint8_t)role, .content = (uint8_t)content, .text = text};
	core.tool = core.call = STR("");
	vec_push(&out->cores, core);
	return &out->cores.v[out->cores.n - 1];
}

/* Text and arguments of a row's only call: what is there of both. */
static struct str call_text(struct arena *a, struct str text, struct str args)
{
	struct buf b = {0};
	if (text.n == 0)
		return args;
	if (args.n == 0)
		return text;
	buf_str(&b, text);
	buf_char(&b, '\n');
	buf_str(&b, args);
	return kept(a, &b);
}

static void project_assistant(struct arena *a, const cJSON *content, struct dsh_projection *out)
{
	struct str text = content_text(a, content);
	const cJSON *block;
	size_t calls = 0;
	if (cJSON_IsArray(content)) {
		cJSON_ArrayForEach (block, content)
			calls += has_type(block, STR("tool-call"));
	}
	out->several = calls > 1;
	if (calls == 0) {
		if (text_trim(text).n > 0)
			add_core(out, ROLE_ASSISTANT, CONTENT_TEXT, text);
		return;
	}
	cJSON_ArrayForEach (block, content) {
		struct str args;
		struct dsh_core *core;
		if (!has_type(block, STR("tool-call")))
			continue;
		args = arguments_text(a, json_get(block, "arguments"));
		core = add_core(out, ROLE_ASSISTANT, CONTENT_CALL,
				calls == 1   ? call_text(a, text, args)
				: args.n > 0 ? args
					     : text);
		core->tool = or_empty(json_str(json_get(block, "name")));
		core->call = or_empty(json_str(json_get(block, "id")));
	}
}

static void project_result(struct arena *a, const struct dsh_message *m, struct dsh_projection *out)
{
	struct str text = content_text(a, m->content);
	const cJSON *block = cJSON_IsArray(m->content) ? m->content->child : NULL;
	while (block && !has_type(block, STR("tool-result")))
		block = block->next;
	/* a toolCallId that is no string falls through (dsh-rulings 7) */
	out->key = json_str(json_get(block, "toolCallId"));
	if (!out->key.p)
		out->key = m->source_call_id;
	out->is_error = m->is_error || cJSON_IsTrue(json_get(block, "isError"));
	if (text.n > 0)
		add_core(out, ROLE_TOOL, CONTENT_RESULT, text)->call =
			or_empty(m->tool_call_id.p ? m->tool_call_id : out->key);
}

void dsh_project(struct arena *a, enum dsh_type type, const struct dsh_message *m, struct dsh_projection *out)
{
	struct str text;
	out->cores.n = 0;
	out->several = out->is_error = false;
	out->key = (struct str){0};
	if (type == DSH_ASSISTANT) {
		project_assistant(a, m->content, out);
	} else if (type == DSH_TOOL) {
		project_result(a, m, out);
	} else if (type == DSH_USER) {
		text = content_text(a, m->content);
		if (text.n > 0)
			add_core(out, ROLE_USER, CONTENT_TEXT, text);
	}
}

void dsh_projection_free(struct dsh_projection *p) { vec_free(&p->cores); }
