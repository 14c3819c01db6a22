#include "engine/kernel/rebuild.h"

#include "engine/kernel/assign.h"
#include "engine/kernel/lenient.h"

/* No protection test here: nothing becomes BLOCKED, what is BLOCKED already stays so. */
static enum status assign_unprotected(struct state *s)
{
	const struct config *config = s->config;
	struct config open = *config;
	open.protected_n = 0;
	open.tool_protected = NULL;
	s->config = &open;
	enum status st = assign_refs(s);
	s->config = config;
	return st;
}

enum status rebuild_begin(struct rebuild *b, struct state *s, enum rebuild_form form, struct counter counter,
			  double created_at)
{
	*b = (struct rebuild){.state = s, .form = form, .options = {.created_at = created_at, .counter = counter}};
	return assign_unprotected(s);
}

/* ---- the v0.0.41 form of reading arguments ---- */

/* The member, or the one that stands for it when it is absent or null. */
static struct str text_or(const cJSON *object, const char *name, const char *instead)
{
	const cJSON *node = json_get(object, name);
	return json_str(node == NULL || cJSON_IsNull(node) ? json_get(object, instead) : node);
}

/* Empty strings are taken: applyCompression refuses them (K06). */
static bool strict_entry(const cJSON *entry, struct str call, struct range_request *r)
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

static size_t strict_ranges(struct arena *a, struct str text, struct str call, struct range_request **ranges)
{
	const cJSON *content = json_get(lenient_strict(a, text), "content"), *entry;
	struct range_request r;
	size_t n = 0, valid = 0;
	if (!cJSON_IsArray(content))
		return 0;
	cJSON_ArrayForEach (entry, content)
		valid += strict_entry(entry, call, &r);
	*ranges = arena_alloc(a, valid * sizeof **ranges);
	cJSON_ArrayForEach (entry, content)
		if (strict_entry(entry, call, &r))
			(*ranges)[n++] = r;
	return n;
}

static size_t lenient_ranges(struct arena *a, struct str text, struct str call, struct range_request **ranges)
{
	struct parse_result parsed;
	parse_args_text(a, text.p ? text : STR(""), call, &parsed);
	*ranges = parsed.ranges;
	return parsed.n;
}

/* ---- calls ---- */

/* Errors and warnings are nobody's concern here, but the run id a failing call uses up is gone, as in a live session.
 */
static void apply_call(struct rebuild *b, uint32_t message)
{
	struct state *s = b->state;
	uint32_t name = s->messages.v[message].call;
	struct str text = s->texts.get(s->texts.owner, message, &b->arena);
	struct str call = name != 0 ? names_get(s->names, name) : (struct str){NULL, 0};
	struct range_request *ranges = NULL;
	size_t n = b->form == REBUILD_STRICT ? strict_ranges(&b->arena, text, call, &ranges)
					     : lenient_ranges(&b->arena, text, call, &ranges);
	b->calls++;
	if (n > 0) {
		surface_from_rows(&b->surface, s);
		compress_apply(ranges, n, &b->surface, s, &b->options, &b->scratch, &b->result);
		b->blocks += b->result.blocks_created;
	}
	arena_free(&b->arena);
}

bool rebuild_step(struct rebuild *b, size_t budget)
{
	struct state *s = b->state;
	size_t done = 0;
	while (b->next < s->rows.n && done < budget) {
		uint32_t message = s->rows.v[b->next++];
		const struct message *m = &s->messages.v[message];
		done++;
		if (m->content != CONTENT_CALL || m->tool != s->compress_tool)
			continue;
		apply_call(b, message);
		done += s->rows.n;
	}
	return b->next < s->rows.n;
}

void rebuild_free(struct rebuild *b)
{
	surface_free(&b->surface);
	compress_scratch_free(&b->scratch);
	apply_result_free(&b->result);
	arena_free(&b->arena);
	*b = (struct rebuild){0};
}
