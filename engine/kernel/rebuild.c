#include "engine/kernel/rebuild.h"

#include "engine/kernel/assign.h"
#include "engine/kernel/strict_args.h"

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

/* Errors and warnings are nobody's concern here, but the run id a failing call uses up is gone, as in a live session.
 */
static void apply_call(struct rebuild *b, uint32_t message)
{
	struct state *s = b->state;
	uint32_t name = s->messages.v[message].call;
	struct str text = s->texts.get(s->texts.owner, message, &b->arena);
	struct str call = name != 0 ? names_get(s->names, name) : (struct str){NULL, 0};
	struct parse_result parsed;
	if (b->form == REBUILD_STRICT)
		strict_args_text(&b->arena, text, call, &parsed);
	else
		parse_args_text(&b->arena, text.p ? text : STR(""), call, &parsed);
	b->calls++;
	if (parsed.n > 0) {
		surface_from_rows(&b->surface, s);
		compress_apply(parsed.ranges, parsed.n, &b->surface, s, &b->options, &b->scratch, &b->result);
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
