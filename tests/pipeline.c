#include "tests/pipeline.h"

#include "engine/kernel/compress.h"

/* A member of the step, or of its case. */
static const cJSON *option(const struct pipeline *p, const char *name)
{
	const cJSON *node = json_get(p->step, name);
	return node ? node : json_get(p->one, name);
}

static struct turn_input input_of(const struct pipeline *p)
{
	struct turn_input in = {.tokens = 0, .tags = TAGS_ALL, .hide = ANCHOR_SLIM, .counter = {1}};
	struct str tags = json_str(option(p, "tags")), hide = json_str(option(p, "hide"));
	json_num(option(p, "tokens"), &in.tokens);
	json_num(option(p, "density"), &in.counter.density);
	in.no_summaries = cJSON_IsTrue(option(p, "noSummaries"));
	if (str_eq(tags, STR("text-only")))
		in.tags = TAGS_TEXT_ONLY;
	if (str_eq(tags, STR("none")))
		in.tags = TAGS_NONE;
	if (str_eq(hide, STR("full")))
		in.hide = ANCHOR_FULL;
	return in;
}

struct span {
	enum turn_node upto, skip;
};

static struct span span_of(const struct pipeline *p)
{
	struct span span = {p->upto, NODE_COUNT};
	struct str last = json_str(option(p, "upto")), left_out = json_str(option(p, "skip"));
	if (str_eq(last, STR("start")))
		span.upto = NODE_START;
	else if (last.p && !turn_node_parse(last, &span.upto))
		case_fail(p->one, "unknown node");
	if (left_out.p && !turn_node_parse(left_out, &span.skip))
		case_fail(p->one, "unknown node");
	return span;
}

static enum status run_nodes(struct pipeline *p, struct turn *t, struct span span)
{
	struct turn_input in = input_of(p);
	struct state *s = &p->f->state;
	enum status st = STATUS_OK;
	if (span.upto == NODE_RENDER && span.skip == NODE_COUNT)
		return turn_run(t, s, &p->f->alternatives, &in);
	turn_begin(t, &in);
	for (int node = NODE_START + 1; node <= (int)span.upto && st == STATUS_OK; node++)
		if (node != (int)span.skip)
			st = turn_step(t, s, &p->f->alternatives, (enum turn_node)node);
	return st;
}

/* The state as it would be stored. */
static struct str print_state(struct pipeline *p)
{
	struct buf b = {0};
	state_write(&p->f->state, &b);
	struct str text = {arena_copy(&p->arena, b.p, b.n), b.n};
	buf_free(&b);
	return text;
}

/* A turn that was undone, looked at again on the side, and done again leaves what it left at first. */
static void check_travel(struct pipeline *p, struct span span, size_t mark, struct str before)
{
	struct state *s = &p->f->state;
	struct turn again = {0};
	struct str after = print_state(p);
	size_t end = state_mark(s);
	uint64_t digest = turn_digest(&p->turn, s, &p->f->alternatives);
	state_seek(s, mark);
	case_expect_text(p->one, "state undone", print_state(p), before);
	state_probe_begin(s);
	if (run_nodes(p, &again, span) != p->status)
		case_fail(p->one, "the turn ends otherwise on the side");
	case_expect_text(p->one, "state of a probe", print_state(p), after);
	if (turn_digest(&again, s, &p->f->alternatives) != digest)
		case_fail(p->one, "the view of a probe differs");
	turn_free(&again);
	state_probe_end(s);
	case_expect_text(p->one, "state after a probe", print_state(p), before);
	state_seek(s, end);
	case_expect_text(p->one, "state redone", print_state(p), after);
}

void pipeline_turn(struct pipeline *p)
{
	struct span span = span_of(p);
	size_t mark = state_mark(&p->f->state);
	struct str before = print_state(p);
	p->refs_before = p->f->state.refs_n;
	p->status = run_nodes(p, &p->turn, span);
	check_travel(p, span, mark, before);
}

/* ---- between turns ---- */

static void put_member(struct buf *b, const char *name, const cJSON *value)
{
	if (!value)
		return;
	buf_printf(b, "%s\"%s\":", b->p[b->n - 1] == '{' ? "" : ",", name);
	json_put(b, value);
}

static void put_name(struct pipeline *p, struct buf *b, const char *member, uint32_t name)
{
	if (name == 0)
		return;
	buf_printf(b, ",\"%s\":", member);
	json_put_str(b, names_get(&p->f->names, name));
}

/* The view as messages of a case. */
static void put_view(struct pipeline *p, struct buf *b)
{
	buf_char(b, '[');
	for (size_t i = 0; i < p->turn.surface.rows.n; i++) {
		const struct surface_row *row = &p->turn.surface.rows.v[i];
		buf_text(b, i > 0 ? ",{\"text\":" : "{\"text\":");
		json_put_str(b, pipeline_row_text(p, row));
		put_name(p, b, "id", row->id);
		put_name(p, b, "tool", row->tool);
		put_name(p, b, "call", row->call);
		buf_text(b, ",\"role\":");
		json_put_str(b, role_name((enum role)row->role));
		buf_text(b, ",\"type\":");
		json_put_str(b, content_name((enum content)row->content));
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

/* The stored state, without what the step sets or resets. */
static void put_state(struct pipeline *p, struct buf *b)
{
	const cJSON *blocks = json_get(p->step, "blocks"), *nudge = json_get(p->step, "nudge"), *member;
	struct str reset = json_str(json_get(p->step, "reset"));
	struct buf text = {0};
	state_write(&p->f->state, &text);
	const cJSON *state = json_tree(&p->arena, buf_view(&text), NULL, NULL);
	buf_free(&text);
	buf_char(b, '{');
	cJSON_ArrayForEach (member, state) {
		struct str name = str_of(member->string);
		bool counter = str_eq(name, STR("nextBlockId")), list = str_eq(name, STR("blocks"));
		if ((blocks && (counter || list)) || (nudge && str_eq(name, STR("nudge"))) || str_eq(name, reset))
			continue;
		put_member(b, member->string, member);
	}
	put_member(b, "nudge", nudge);
	buf_char(b, '}');
}

/* A new fixture that goes on where the old one stands. */
static void go_on(struct pipeline *p)
{
	struct buf b = {0};
	buf_char(&b, '{');
	put_member(&b, "name", json_get(p->one, "name"));
	put_member(&b, "config", json_get(p->one, "config"));
	put_member(&b, "limit", json_get(p->one, "limit"));
	put_member(&b, "blocks", json_get(p->step, "blocks"));
	buf_text(&b, ",\"state\":");
	put_state(p, &b);
	if (cJSON_IsTrue(json_get(p->step, "feed"))) {
		buf_text(&b, ",\"messages\":");
		put_view(p, &b);
	} else {
		put_member(&b, "messages", json_get(p->one, "messages"));
	}
	buf_char(&b, '}');
	const cJSON *next = json_tree(&p->arena, buf_view(&b), NULL, NULL);
	buf_free(&b);
	if (!next)
		case_fail(p->one, "the state written is no JSON");
	turn_free(&p->turn);
	p->turn = (struct turn){0};
	fixture_free(p->f);
	fixture_build(p->f, next);
}

static void change_list(struct pipeline *p)
{
	double cut;
	const cJSON *id;
	if (json_num(json_get(p->step, "cut"), &cut))
		state_rows_cut(&p->f->state, (size_t)cut);
	cJSON_ArrayForEach (id, json_get(p->step, "join")) {
		uint32_t name = fixture_name(p->f, p->one, id->valuestring), i = 0;
		while (i < p->f->state.messages.n && p->f->state.messages.v[i].id != name)
			i++;
		state_row_join(&p->f->state, i);
	}
}

static void compress_range(struct pipeline *p, const cJSON *asked)
{
	struct compress_scratch scratch = {0};
	struct apply_result result = {0};
	struct range_request range = {.start = json_str(json_get(asked, "start")),
				      .end = json_str(json_get(asked, "end")),
				      .summary = json_str(json_get(asked, "summary"))};
	struct apply_options options = {.counter = {1}};
	compress_apply(&range, 1, &p->turn.surface, &p->f->state, &options, &scratch, &result);
	case_expect_count(p->one, "blocks made", result.blocks_created, 1);
	apply_result_free(&result);
	compress_scratch_free(&scratch);
}

static void run_step(struct pipeline *p, const cJSON *step)
{
	const cJSON *want;
	p->step = step;
	if (step && (json_get(step, "feed") || json_get(step, "blocks") || json_get(step, "nudge")))
		go_on(p);
	change_list(p);
	pipeline_turn(p);
	if (json_get(step, "compress"))
		compress_range(p, json_get(step, "compress"));
	const cJSON *list = step ? json_get(step, "want") : json_get(p->one, "want");
	if (!list)
		case_fail(p->one, "nothing is wanted");
	cJSON_ArrayForEach (want, list)
		pipeline_expect(p, want);
	arena_free(&p->arena);
}

static void run_case(const cJSON *one, void *upto)
{
	struct fixture f;
	struct pipeline p = {.one = one, .f = &f, .upto = *(const enum turn_node *)upto};
	const cJSON *steps = json_get(one, "steps"), *step;
	fixture_build(&f, one);
	if (!steps)
		run_step(&p, NULL);
	cJSON_ArrayForEach (step, steps)
		run_step(&p, step);
	turn_free(&p.turn);
	fixture_free(&f);
}

void pipeline_file(const char *path, enum turn_node upto) { case_file_each(path, run_case, &upto); }
