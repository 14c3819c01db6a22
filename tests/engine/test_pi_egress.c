/*
 * pi_egress, pi_draft, pi_text: pi.md 3.2 to 3.8, 4 and 6. The cases are data:
 * pi_egress.jsonl (rows of part 10), pi_egress_generated.jsonl (an independent
 * reading, tests/oracle/pi_egress.mjs), pi_tags.jsonl (texts, numbers, snapshots).
 *
 * A case with `messages` is a fixture (tests/fixture.h) and
 *   entries  {id: the host's message}
 *   rules    {summaries, tags, sync, reasoningDrop}; default: P342
 *   model
 *   steps    turns of the kernel (tests/pipeline.h), a request after each; a step may have `rules` of its own,
 *            `cut` (rows that stay of the list), `join` (ids that join it again), `fold` (ids that block b1 covers
 *            from here on) and `unfold` (it becomes inactive).
 *            Without steps the messages are the view, tags and all.
 * and of the case or a step
 *   want     what the turn must give (tests/pipeline_want.c)
 *   sent     the messages of the request, in order; member order counts
 *   rows     rows of the view behind each; tokens: raw estimate of each; flags: names, by message
 *   anchors  [tokens as sent, as recorded] over all
 *   prefix   {messages, append, differ}: against the request before; differ: the first message that does, and how
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/num.h"
#include "engine/host/pi_egress.h"
#include "engine/host/pi_text.h"
#include "tests/pipeline.h"

/* A case being run. */
struct sending {
	const cJSON *one, *step;
	struct fixture *f;
	struct arena arena; /* of the case */
	const cJSON *entries;
	struct pi_egress egress;
	struct pi_egress_input in;
};

static struct str written(struct arena *a, const cJSON *node)
{
	struct buf b = {0};
	json_put(&b, node);
	struct str json = case_expand(a, buf_view(&b));
	buf_free(&b);
	return json;
}

static const cJSON *option(const struct sending *s, const char *name)
{
	const cJSON *node = json_get(s->step, name);
	return node ? node : json_get(s->one, name);
}

static struct str entry_json(void *ctx, uint32_t entry, struct arena *a)
{
	struct sending *s = ctx;
	const cJSON *node;
	cJSON_ArrayForEach (node, s->entries)
		if (str_eq(str_of(node->string), names_get(&s->f->names, entry)))
			return written(a, node);
	return (struct str){0};
}

static struct pi_egress_rules rules_of(const struct sending *s)
{
	const cJSON *rules = option(s, "rules");
	struct str sync = json_str(json_get(rules, "sync"));
	struct pi_egress_rules r = {PI_SYNC_ON, false, true, false, 0};
	double drop = 0;
	if (sync.p)
		r.sync = str_eq(sync, STR("off")) ? PI_SYNC_OFF : str_eq(sync, STR("on")) ? PI_SYNC_ON : PI_SYNC_MERGED;
	r.emit_summaries = str_eq(json_str(json_get(rules, "summaries")), STR("emit"));
	r.raw_numbers = !str_eq(json_str(json_get(rules, "tags")), STR("snapshot"));
	json_num(json_get(rules, "reasoningDrop"), &drop);
	r.drop_thinking = drop > 0;
	r.thinking_units = (uint32_t)drop;
	return r;
}

/* ---- what must have come out ---- */

static void expect_sent(const struct sending *s)
{
	const cJSON *want = json_get(s->step, "sent"), *m;
	size_t i = 0;
	struct arena a = {0};
	cJSON_ArrayForEach (m, want) {
		if (i < s->egress.now.messages.n)
			case_expect_text(s->one, "message", pi_egress_bytes(&s->egress, &s->egress.now.messages.v[i]),
					 written(&a, m));
		i++;
	}
	if (want)
		case_expect_count(s->one, "messages", s->egress.now.messages.n, i);
	arena_free(&a);
}

static void expect_rows(const struct sending *s)
{
	const struct pi_request *q = &s->egress.now;
	const cJSON *of, *row;
	size_t i = 0;
	cJSON_ArrayForEach (of, json_get(s->step, "rows")) {
		uint32_t k = 0;
		cJSON_ArrayForEach (row, of)
			case_expect_count(s->one, "row", q->rows.v[q->messages.v[i].first_row + k++],
					  (size_t)row->valuedouble);
		case_expect_count(s->one, "rows", q->messages.v[i++].rows, k);
	}
}

static void expect_tokens(const struct sending *s)
{
	const struct pi_request *q = &s->egress.now;
	const cJSON *node;
	size_t i = 0;
	cJSON_ArrayForEach (node, json_get(s->step, "tokens"))
		if (q->messages.v[i++].tokens != node->valuedouble)
			case_fail(s->one, "message %zu: %g tokens, want %g", i - 1, q->messages.v[i - 1].tokens,
				  node->valuedouble);
	const cJSON *anchors = json_get(s->step, "anchors");
	double sent = 0, recorded = 0;
	for (i = 0; i < q->messages.n; i++) {
		sent += q->messages.v[i].anchor_tokens;
		recorded += q->messages.v[i].recorded_tokens;
	}
	if (anchors && (sent != anchors->child->valuedouble || recorded != anchors->child->next->valuedouble))
		case_fail(s->one, "anchors of %g tokens, recorded %g", sent, recorded);
}

static void expect_flags(const struct sending *s)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {{PI_MESSAGE_SUMMARY, "summary"},
		     {PI_MESSAGE_SPLIT, "split"},
		     {PI_MESSAGE_REBUILT, "rebuilt"},
		     {PI_MESSAGE_CALLS_GONE, "calls-gone"},
		     {PI_MESSAGE_THINKING_GONE, "thinking-gone"}};
	const cJSON *node;
	size_t i = 0;
	cJSON_ArrayForEach (node, json_get(s->step, "flags")) {
		struct buf b = {0};
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (s->egress.now.messages.v[i].flags & names[k].flag)
				buf_printf(&b, "%s%s", b.n > 0 ? " " : "", names[k].name);
		case_expect_text(s->one, "flags", buf_view(&b), json_str(node));
		buf_free(&b);
		i++;
	}
}

/* A tag is where it is said to be: a leading TAG of its own, followed by the end of the text or a blank. */
static void check_tags(const struct sending *s)
{
	for (size_t i = 0; i < s->egress.now.messages.n; i++) {
		const struct pi_message *m = &s->egress.now.messages.v[i];
		struct str bytes = pi_egress_bytes(&s->egress, m);
		struct buf quoted = {0};
		if (m->tag_n == 0)
			continue;
		buf_char(&quoted, '"');
		buf_str(&quoted, str_cut(bytes, m->tag_at, m->tag_at + m->tag_n));
		buf_char(&quoted, '"');
		struct arena a = {0};
		struct str tag = json_str(json_tree(&a, buf_view(&quoted), NULL, NULL));
		if (tag.n == 0 || pi_tag_leading(tag).tag != tag.n)
			case_fail(s->one, "message %zu: no tag at %zu", i, m->tag_at);
		arena_free(&a);
		buf_free(&quoted);
	}
}

/* The same request made from nothing has the same bytes. */
static void check_alone(const struct sending *s)
{
	struct pi_egress alone = {0};
	struct buf got = {0}, want = {0};
	pi_egress_build(&alone, &s->in);
	pi_egress_write(&alone, &alone.now, &want);
	pi_egress_write(&s->egress, &s->egress.now, &got);
	case_expect_text(s->one, "request", buf_view(&got), buf_view(&want));
	case_expect_count(s->one, "bytes", s->egress.now.bytes, want.n);
	buf_free(&got);
	buf_free(&want);
	pi_egress_free(&alone);
}

/* What is said of the first message that differs. */
static void check_difference(const struct sending *s, const struct pi_message *a, const struct pi_message *b,
			     struct str want)
{
	static const char *const names[] = {[PI_DIFFER_NOT] = "not",
					    [PI_DIFFER_CALLS_GONE] = "calls-gone",
					    [PI_DIFFER_CALLS_BACK] = "calls-back",
					    [PI_DIFFER_ARGUMENTS] = "arguments",
					    [PI_DIFFER_TRUNCATED] = "truncated",
					    [PI_DIFFER_TAG] = "tag",
					    [PI_DIFFER_THINKING] = "thinking",
					    [PI_DIFFER_UNKNOWN] = "unknown"};
	enum pi_difference d = pi_egress_difference(&s->egress, a, b);
	case_expect_text(s->one, "difference", str_of(names[d]), want);
	if (pi_egress_tag_only(&s->egress, a, b) != str_eq(want, STR("tag")))
		case_fail(s->one, "tag only is wrong");
}

static void check_prefix(const struct sending *s)
{
	const struct pi_egress *e = &s->egress;
	const cJSON *want = json_get(s->step, "prefix"), *append = json_get(want, "append");
	struct pi_prefix p = pi_egress_prefix(e);
	struct buf before = {0}, now = {0};
	size_t n = 0;
	double messages;
	pi_egress_write(e, &e->before, &before);
	pi_egress_write(e, &e->now, &now);
	while (n < before.n && n < now.n && before.p[n] == now.p[n])
		n++;
	case_expect_count(s->one, "common bytes", p.bytes, n);
	if (p.append_only != (n == before.n))
		case_fail(s->one, "append-only is wrong");
	if (append && p.append_only != cJSON_IsTrue(append))
		case_fail(s->one, "append-only: %d", p.append_only);
	if (json_num(json_get(want, "messages"), &messages))
		case_expect_count(s->one, "common messages", p.messages, (size_t)messages);
	if (json_get(want, "differ"))
		check_difference(s, &e->before.messages.v[p.messages], &e->now.messages.v[p.messages],
				 json_str(json_get(want, "differ")));
	buf_free(&before);
	buf_free(&now);
}

static void send(struct sending *s, const struct surface *surface)
{
	s->in.surface = surface;
	s->in.rules = rules_of(s);
	s->in.model = json_str(option(s, "model"));
	pi_egress_build(&s->egress, &s->in);
	expect_sent(s);
	expect_rows(s);
	expect_tokens(s);
	expect_flags(s);
	check_tags(s);
	check_prefix(s);
	check_alone(s);
}

/* Nothing changed: nothing was written anew, but where an entry stands twice in the view. */
static void check_reuse(const struct sending *s)
{
	const struct pi_request *q = &s->egress.now;
	for (size_t i = 0; i < q->messages.n; i++) {
		size_t times = 0;
		for (size_t k = 0; k < q->messages.n; k++)
			times += q->messages.v[k].entry == q->messages.v[i].entry;
		if (times == 1)
			case_expect_count(s->one, "message before", q->messages.v[i].before, i + 1);
	}
}

/* ---- running a case ---- */

static void fold(const struct sending *s, const cJSON *ids)
{
	struct state *state = &s->f->state;
	uint32_t *covered = arena_alloc(&state->arena, (size_t)cJSON_GetArraySize(ids) * sizeof *covered), n = 0;
	const cJSON *id;
	cJSON_ArrayForEach (id, ids)
		covered[n++] = fixture_name(s->f, s->one, id->valuestring);
	state_block_add(state, (struct block){.id = names_add(state->names, STR("b1")),
					      .summary_id = names_add(state->names, STR("acp_summary_b1")),
					      .summary = STR("sum"),
					      .effective = covered,
					      .effective_n = n,
					      .tier = 1,
					      .active = true});
}

static void change_list(const struct sending *s)
{
	struct state *state = &s->f->state;
	if (json_get(s->step, "fold"))
		fold(s, json_get(s->step, "fold"));
	if (json_get(s->step, "unfold")) {
		state_block_active(state, 0, false);
		state_block_retire(state, 0); /* else sync would take it up again: its rows are there */
	}
	const cJSON *id;
	double cut;
	if (json_num(json_get(s->step, "cut"), &cut))
		state_rows_cut(state, (size_t)cut);
	cJSON_ArrayForEach (id, json_get(s->step, "join")) {
		uint32_t name = fixture_name(s->f, s->one, id->valuestring), i = 0;
		while (i < state->messages.n && state->messages.v[i].id != name)
			i++;
		state_row_join(state, i);
	}
}

static void run_steps(struct sending *s, const cJSON *steps)
{
	struct pipeline p = {.one = s->one, .upto = NODE_RENDER, .f = s->f};
	const cJSON *member;
	cJSON_ArrayForEach (s->step, steps) {
		p.step = s->step;
		change_list(s);
		pipeline_turn(&p);
		cJSON_ArrayForEach (member, json_get(s->step, "want"))
			pipeline_expect(&p, member);
		send(s, &p.turn.surface);
	}
	turn_free(&p.turn);
	arena_free(&p.arena);
}

static void run_messages(const cJSON *one)
{
	struct fixture f;
	struct sending s = {.one = one, .step = one, .f = &f, .entries = json_get(one, "entries")};
	const cJSON *steps = json_get(one, "steps"), *entry;
	fixture_build(&f, one);
	cJSON_ArrayForEach (entry, s.entries)
		names_add(&f.names, str_of(entry->string));
	s.in = (struct pi_egress_input){
		.state = &f.state, .alternatives = &f.alternatives, .entries = {entry_json, &s}};
	if (steps) {
		run_steps(&s, steps);
	} else {
		send(&s, fixture_surface(&f));
		send(&s, fixture_surface(&f));
		check_reuse(&s);
	}
	pi_egress_free(&s.egress);
	arena_free(&s.arena);
	fixture_free(&f);
}

static struct str at(const cJSON *row, int i)
{
	const cJSON *node = cJSON_GetArrayItem(row, i);
	return json_str(node);
}

/* [text, what is left of it] */
static void run_strip(const cJSON *one)
{
	const cJSON *row;
	cJSON_ArrayForEach (row, json_get(one, "strip"))
		case_expect_text(one, "stripped", pi_strip(at(row, 0)), at(row, 1));
}

/* [text, raw estimate] */
static void run_estimate(const cJSON *one)
{
	const cJSON *row;
	struct arena a = {0};
	cJSON_ArrayForEach (row, json_get(one, "est"))
		if (text_tokens(text_measure(case_expand(&a, at(row, 0)))) != row->child->next->valuedouble)
			case_fail(one, "%s: not %g tokens", at(row, 0).p, row->child->next->valuedouble);
	arena_free(&a);
}

/* [tokens, label]; the label in a tag is the same. */
static void run_labels(const cJSON *one)
{
	const cJSON *row;
	cJSON_ArrayForEach (row, json_get(one, "labels")) {
		char label[NUM_TEXT_MAX];
		struct buf tag = {0}, want = {0};
		struct str text = {label, num_label_tag(label, row->child->valuedouble)};
		case_expect_text(one, "label", text, at(row, 1));
		pi_tag_renumber(&tag, STR("<acp tokens=\"7\" type=\"text\">m00001</acp>\n"), row->child->valuedouble);
		buf_printf(&want, "<acp tokens=\"%s\" type=\"text\">m00001</acp>\n", at(row, 1).p);
		case_expect_text(one, "tag", buf_view(&tag), buf_view(&want));
		buf_free(&tag);
		buf_free(&want);
	}
}

/* [tag, tokens, tag with them] */
static void run_renumber(const cJSON *one)
{
	const cJSON *row;
	cJSON_ArrayForEach (row, json_get(one, "renumber")) {
		struct buf b = {0};
		pi_tag_renumber(&b, at(row, 0), row->child->next->valuedouble);
		case_expect_text(one, "tag", buf_view(&b), at(row, 2));
		buf_free(&b);
	}
}

static void run_case(const cJSON *one, void *ctx)
{
	static const struct {
		const char *member;
		void (*run)(const cJSON *one);
	} kinds[] = {{"messages", run_messages},
		     {"strip", run_strip},
		     {"est", run_estimate},
		     {"labels", run_labels},
		     {"renumber", run_renumber}};
	(void)ctx;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (json_get(one, kinds[i].member)) {
			kinds[i].run(one);
			return;
		}
	case_fail(one, "says nothing to do");
}

static void rows_of_the_specification(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_egress.jsonl", run_case, NULL);
}

static void tags_and_snapshots(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_tags.jsonl", run_case, NULL);
}

static void generated_views(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_egress_generated.jsonl", run_case, NULL);
}

/* Requests that keep one long message and change the other: the bytes kept stay in proportion to two requests. */
static void bytes_of_old_requests_go(void **state)
{
	static const char text[] = "{\"name\":\"long texts\",\"entries\":{"
				   "\"a\":{\"role\":\"user\",\"content\":\"<a*200000>\"},"
				   "\"b\":{\"role\":\"user\",\"content\":\"<b*300000>\"},"
				   "\"c\":{\"role\":\"user\",\"content\":\"<c*100000>\"}},\"messages\":["
				   "{\"id\":\"a\",\"text\":\"<a*200000>\"},{\"id\":\"b\",\"text\":\"<b*300000>\"},"
				   "{\"id\":\"c\",\"text\":\"<c*100000>\"}]}";
	struct arena a = {0};
	const cJSON *one = json_tree(&a, str_of(text), NULL, NULL);
	struct fixture f;
	struct sending s = {.one = one, .f = &f, .entries = json_get(one, "entries")};
	(void)state;
	fixture_build(&f, one);
	s.in = (struct pi_egress_input){
		.state = &f.state, .alternatives = &f.alternatives, .entries = {entry_json, &s}};
	for (int i = 0; i < 60; i++) {
		state_rows_cut(&f.state, 1);
		state_row_join(&f.state, i % 2 ? 1 : 2);
		send(&s, fixture_surface(&f));
		assert_int_equal(s.egress.now.messages.v[0].before, i > 0);
		assert_int_equal(s.egress.now.messages.v[1].before, 0);
		assert_true(s.egress.store.n < 5000000);
	}
	pi_egress_free(&s.egress);
	fixture_free(&f);
	arena_free(&a);
}

static void models_that_want_their_thinking_back(void **state)
{
	static const struct {
		const char *model;
		bool replays;
	} models[] = {{"deepseek-chat", true}, {"DeepSeek-V3", true}, {"glm-4.6", true},
		      {"zai/GLM", true},       {"qwq-32b", true},     {"my-reasoner", true},
		      {"qwen3.8-27b", false},  {"", false},           {"gl", false}};
	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		assert_int_equal(pi_model_replays_thinking(str_of(models[i].model)), models[i].replays);
	assert_false(pi_model_replays_thinking((struct str){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_the_specification),
		cmocka_unit_test(tags_and_snapshots),
		cmocka_unit_test(generated_views),
		cmocka_unit_test(bytes_of_old_requests_go),
		cmocka_unit_test(models_that_want_their_thinking_back),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
