#include <stdint.h>

#include "engine/base/num.h"
#include "tests/fixture.h"

static struct str fixture_text(void *owner, uint32_t index, struct arena *scratch)
{
	const struct fixture *f = owner;
	(void)scratch;
	return index < f->texts.n ? f->texts.v[index] : (struct str){NULL, 0};
}

static bool ask_predicate(void *ctx, struct str tool, struct str text)
{
	const cJSON *predicate = ctx;
	return str_eq(tool, json_str(json_get(predicate, "tool"))) &&
	       str_find(text, json_str(json_get(predicate, "contains")), 0) != SIZE_MAX;
}

static void build_config(struct fixture *f, const cJSON *one)
{
	struct error e = {0};
	f->config = config_default(100000);
	f->config.min_range = f->config.max_summary = f->config.min_summary = 0;
	f->config.preserve_messages = f->config.preserve_tokens = 0;
	const cJSON *overrides = json_get(one, "config");
	if (overrides && config_merge(&f->config, overrides, &f->arena, NULL, &e) != STATUS_OK)
		case_fail(one, "config: %s", e.message);
	json_num(json_get(one, "limit"), &f->config.limit);
	if (json_get(one, "predicate") != NULL) {
		f->config.tool_protected = ask_predicate;
		f->config.tool_protected_ctx = cJSON_GetObjectItemCaseSensitive(one, "predicate");
	}
}

/* ---- blocks in shorthand ---- */

static void put_member(struct buf *b, const char *name, const cJSON *value, const char *fallback)
{
	if (!value && !fallback)
		return;
	buf_printf(b, "%s\"%s\":", b->p[b->n - 1] == '{' ? "" : ",", name);
	if (value)
		json_put(b, value);
	else
		buf_text(b, fallback);
}

static bool is_shorthand(const char *key)
{
	static const char *const keys[] = {"id", "eff", "direct", "kids", "tok"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Defaults first: where the case has the member under its stored name, the last value wins (kernel.md 2.5). */
static void put_block(struct buf *b, const cJSON *block)
{
	const cJSON *eff = json_get(block, "eff"), *direct = json_get(block, "direct");
	buf_char(b, '{');
	put_member(b, "blockId", json_get(block, "id"), NULL);
	put_member(b, "runId", NULL, "\"r1\"");
	put_member(b, "tier", NULL, "1");
	put_member(b, "summary", NULL, "\"sum\"");
	put_member(b, "directMessageIds", direct ? direct : eff, "[]");
	put_member(b, "effectiveMessageIds", eff, "[]");
	put_member(b, "directBlockIds", json_get(block, "kids"), "[]");
	put_member(b, "compressedTokens", json_get(block, "tok"), "1");
	put_member(b, "createdAt", NULL, "0");
	put_member(b, "survivedCount", NULL, "0");
	put_member(b, "generation", NULL, "\"young\"");
	put_member(b, "active", NULL, "true");
	const cJSON *member;
	cJSON_ArrayForEach (member, block) {
		if (!is_shorthand(member->string))
			put_member(b, member->string, member, NULL);
	}
	buf_char(b, '}');
}

static uint32_t block_number(const cJSON *block)
{
	struct str id = json_str(json_get(block, "id"));
	uint32_t number = 0;
	for (size_t i = 1; i < id.n && i < 8; i++)
		number = number * 10 + (uint32_t)(id.p[i] - '0');
	return number;
}

/* The stored state of the case as a tree in f->arena, or NULL. */
static const cJSON *stored_state(struct fixture *f, const cJSON *one)
{
	const cJSON *state = json_get(one, "state"), *blocks = json_get(one, "blocks"), *node;
	if (!blocks)
		return state;
	struct buf b = {0};
	uint32_t highest = 0;
	buf_text(&b, "{\"blocks\":[");
	cJSON_ArrayForEach (node, blocks) {
		if (node != blocks->child)
			buf_char(&b, ',');
		put_block(&b, node);
		highest = block_number(node) > highest ? block_number(node) : highest;
	}
	buf_printf(&b, "],\"nextBlockId\":%u", (unsigned)highest + 1);
	cJSON_ArrayForEach (node, state)
		put_member(&b, node->string, node, NULL);
	buf_char(&b, '}');
	const cJSON *tree = json_tree(&f->arena, case_expand(&f->arena, buf_view(&b)), NULL, NULL);
	buf_free(&b);
	if (!tree)
		case_fail(one, "blocks do not make a state");
	return tree;
}

/* ---- messages and refs ---- */

static uint32_t name_of(struct fixture *f, const cJSON *object, const char *member)
{
	struct str s = json_str(json_get(object, member));
	return s.n > 0 ? names_add(&f->names, s) : 0;
}

/* Absent stays absent. */
static struct str message_text(struct fixture *f, const cJSON *m)
{
	struct str text = json_str(json_get(m, "text"));
	double times = 1;
	if (!text.p)
		return text;
	text = case_expand(&f->arena, text);
	json_num(json_get(m, "repeat"), &times);
	struct buf b = {0};
	for (double i = 0; i < times; i++)
		buf_str(&b, text);
	text = (struct str){arena_copy(&f->arena, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return text;
}

static void add_message(struct fixture *f, const cJSON *one, const cJSON *m)
{
	struct str role = json_str(json_get(m, "role")), type = json_str(json_get(m, "type"));
	enum role r = ROLE_USER;
	enum content c = CONTENT_TEXT;
	if ((role.p && !role_parse(role, &r)) || (type.p && !content_parse(type, &c)))
		case_fail(one, "message with an unknown role or type");
	struct str text = message_text(f, m);
	struct message message = {.id = name_of(f, m, "id"),
				  .tool = name_of(f, m, "tool"),
				  .call = name_of(f, m, "call"),
				  .face = face_of(text),
				  .role = (uint8_t)r,
				  .content = (uint8_t)c};
	vec_push(&f->texts, text);
	state_row_join(&f->state, state_message_add(&f->state, message));
}

static void give_ref(struct fixture *f, uint32_t name, uint32_t *next)
{
	if (name != 0 && state_info(&f->state, name)->ref == REF_NONE)
		state_ref_set(&f->state, name, (*next)++);
}

static void give_refs(struct fixture *f, const cJSON *one)
{
	const cJSON *refs = json_get(one, "refs"), *id;
	uint32_t next = 1;
	if (cJSON_IsString(refs))
		for (size_t i = 0; i < f->state.messages.n; i++)
			give_ref(f, f->state.messages.v[i].id, &next);
	else
		cJSON_ArrayForEach (id, refs)
			give_ref(f, names_add(&f->names, json_str(id)), &next);
}

void fixture_build(struct fixture *f, const cJSON *one)
{
	*f = (struct fixture){0};
	names_init(&f->names);
	alternatives_init(&f->alternatives);
	build_config(f, one);
	state_init(&f->state, &f->names, (struct texts){fixture_text, f}, &f->config);
	const cJSON *stored = stored_state(f, one), *m;
	struct error e = {0};
	if (stored && state_load(&f->state, stored, &e) != STATUS_OK)
		case_fail(one, "state: %s", e.message);
	cJSON_ArrayForEach (m, json_get(one, "messages"))
		add_message(f, one, m);
	give_refs(f, one);
}

const struct surface *fixture_surface(struct fixture *f)
{
	surface_from_rows(&f->surface, &f->state);
	return &f->surface;
}

void fixture_free(struct fixture *f)
{
	surface_free(&f->surface);
	state_free(&f->state);
	alternatives_free(&f->alternatives);
	names_free(&f->names);
	vec_free(&f->texts);
	arena_free(&f->arena);
}

/* ---- what came out ---- */

uint32_t fixture_name(const struct fixture *f, const cJSON *one, const char *id)
{
	uint32_t name = names_find(&f->names, str_of(id));
	if (name == UINT32_MAX)
		case_fail(one, "nothing is called %s", id);
	return name;
}

void fixture_put_names(const struct fixture *f, const uint32_t *names, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "," : "");
		buf_str(b, names_get(&f->names, names[i]));
	}
}

static void put_list(const struct fixture *f, const char *label, const uint32_t *names, size_t n, struct buf *b)
{
	buf_printf(b, " %s=[", label);
	fixture_put_names(f, names, n, b);
	buf_char(b, ']');
}

void fixture_put_blocks(const struct fixture *f, struct buf *b)
{
	for (size_t i = 0; i < f->state.blocks.n; i++) {
		const struct block *k = &f->state.blocks.v[i];
		char tokens[NUM_TEXT_MAX];
		num_print(tokens, k->tokens);
		buf_text(b, i > 0 ? " " : "");
		buf_str(b, names_get(&f->names, k->id));
		buf_printf(b, "{T%d %s", k->tier, k->active ? "active" : "inactive");
		put_list(f, "eff", k->effective, k->effective_n, b);
		put_list(f, "direct", k->direct, k->direct_n, b);
		put_list(f, "kids", k->children, k->children_n, b);
		buf_printf(b, " tok=%s}", tokens);
	}
	if (f->state.blocks.n == 0)
		buf_text(b, "none");
}
