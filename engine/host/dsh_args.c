#include "engine/host/dsh_args.h"

#include "engine/base/num.h"
#include "engine/host/dsh_resolve.h"
#include "engine/kernel/lenient.h"

static const char *const START_NAMES[] = {"startRef", "startId", "messageId", "startSeq", NULL};
static const char *const END_NAMES[] = {"endRef", "endId", "messageId", "endSeq", NULL};

/* The value of a text that holds JSON, itself or once more in a string; else the node. */
static const cJSON *opened(struct arena *a, const cJSON *node)
{
	const cJSON *value;
	if (!cJSON_IsString(node))
		return node;
	value = lenient_parse(a, lenient_unfence(text_trim(json_str(node))));
	if (cJSON_IsString(value))
		value = lenient_parse(a, lenient_unfence(json_str(value)));
	return value ? value : node;
}

/* A member of its own, with the value of `node`. */
static cJSON *copy(struct arena *a, const cJSON *node, const char *name)
{
	cJSON *c = arena_alloc(a, sizeof *c);
	*c = *node;
	c->string = arena_copy(a, name ? name : "", name ? strlen(name) : 0);
	c->next = c->prev = NULL;
	return c;
}

/* A list or object of the kind of `like` that is being filled. */
struct filling {
	struct arena *a;
	cJSON *node, *last;
};

static struct filling filling(struct arena *a, const cJSON *like)
{
	struct filling f = {a, copy(a, like, like->string), NULL};
	f.node->child = NULL;
	return f;
}

static void put(struct filling *f, cJSON *member)
{
	if (f->last) {
		f->last->next = member;
		member->prev = f->last;
	} else {
		f->node->child = member;
	}
	f->last = member;
	f->node->child->prev = member; /* as cJSON keeps its lists */
}

static cJSON *text_member(struct arena *a, const char *name, struct str text)
{
	cJSON *c = arena_zero(a, 1, sizeof *c);
	c->type = cJSON_String;
	c->string = arena_copy(a, name, strlen(name));
	c->valuestring = arena_copy(a, text.p, text.n);
	return c;
}

/* The first of the named members that is a text or a seq, as text; absent = none. */
static struct str edge(struct arena *a, const cJSON *entry, const char *const *names)
{
	char digits[NUM_TEXT_MAX];
	int64_t seq;
	for (; *names; names++) {
		const cJSON *node = json_get(entry, *names);
		if (json_str(node).n)
			return json_str(node);
		if (dsh_edge_number(node, &seq)) {
			size_t n = num_print(digits, (double)seq);
			return (struct str){arena_copy(a, digits, n), n};
		}
	}
	return (struct str){0};
}

static cJSON *entry_of(struct arena *a, const cJSON *entry)
{
	struct filling f;
	struct str start, end;
	if (!cJSON_IsObject(entry))
		return copy(a, entry, entry->string);
	start = edge(a, entry, START_NAMES);
	end = edge(a, entry, END_NAMES);
	f = filling(a, entry);
	for (const cJSON *m = entry->child; m; m = m->next) {
		bool replaced =
			(start.p && strcmp(m->string, "startRef") == 0) || (end.p && strcmp(m->string, "endRef") == 0);
		if (!replaced)
			put(&f, copy(a, m, m->string));
	}
	if (start.p)
		put(&f, text_member(a, "startRef", start));
	if (end.p)
		put(&f, text_member(a, "endRef", end));
	return f.node;
}

static cJSON *content_of(struct arena *a, const cJSON *member)
{
	const cJSON *list = opened(a, member);
	if (!cJSON_IsArray(list))
		return copy(a, member, member->string);
	struct filling f = filling(a, list);
	f.node->string = arena_copy(a, member->string, strlen(member->string));
	for (const cJSON *e = list->child; e; e = e->next)
		put(&f, entry_of(a, e));
	return f.node;
}

const cJSON *dsh_args_value(struct arena *a, const cJSON *value)
{
	const cJSON *object = opened(a, value), *inner;
	if (!cJSON_IsObject(object))
		return value;
	inner = opened(a, json_get(object, "arguments"));
	if (!json_get(object, "content") && cJSON_IsObject(inner))
		object = inner;
	if (!json_get(object, "content"))
		return entry_of(a, object);
	struct filling f = filling(a, object);
	for (const cJSON *m = object->child; m; m = m->next)
		put(&f, strcmp(m->string, "content") == 0 ? content_of(a, m) : copy(a, m, m->string));
	return f.node;
}
