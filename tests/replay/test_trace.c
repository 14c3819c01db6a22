/* trace.md: header, trailer, --changes, and the hash chain worked out again from what the trace says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/fnv.h"
#include "replay/report/readable.h"
#include "replay/report/table.h"
#include "replay/report/trace.h"
#include "tests/generate.h"
#include "tests/replayed.h"

static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m) { trace_turn(ctx, r, n, m); }
static void on_compress(void *ctx, struct run *r, const struct compress_event *e) { trace_compress(ctx, r, e); }

static void open_generated(struct replayed *s, enum generate_shape shape, uint64_t seed)
{
	struct buf text = {0};
	generate_recording(&(struct generate_options){.shape = shape, .seed = seed, .turns = 50}, &text);
	replayed_open(s, buf_view(&text));
	buf_free(&text);
}

/* A whole trace of a session under a profile. */
static void take_trace(struct replayed *s, struct trace *t, const char *profile)
{
	replayed_start(s, profile);
	s->run.observer = (struct run_observer){on_turn, on_compress, t};
	trace_header(t, &s->run);
	replayed_finish(s);
	trace_end(t, &s->run);
}

/* The lines of a text one after the other as trees; false at the end. */
struct lines {
	struct str all;
	size_t at;
	struct arena arena;
};

static bool next_line(struct lines *l, struct str *line, cJSON **tree)
{
	if (l->at >= l->all.n)
		return false;
	size_t end = str_find(l->all, STR("\n"), l->at);
	assert_true(end != SIZE_MAX);
	*line = str_cut(l->all, l->at, end);
	*tree = json_tree(&l->arena, *line, NULL, NULL);
	assert_non_null(*tree);
	l->at = end + 1;
	return true;
}

/* ---- the chain, a second time ---- */

/* What trace.md hashes, from the trace's own members, all blocks looked at every turn. */
struct again {
	struct buf compressions, text;
	VEC(struct str) known; /* "b1:1:true:young;" by order of first sight */
	char hash[17];
};

static const cJSON *member(const cJSON *o, const char *name)
{
	const cJSON *m = json_get(o, name);
	assert_non_null(m);
	return m;
}

static void put_list(struct buf *b, const cJSON *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_char(b, i > 0 ? ',' : '[');
		json_put(b, items[i]);
	}
	buf_char(b, ']');
}

static void put_changed_block(struct again *a, struct arena *arena, const cJSON *block)
{
	struct buf one = {0};
	buf_str(&one, json_str(member(block, "blockId")));
	buf_char(&one, ':');
	size_t id = one.n;
	json_put(&one, member(block, "tier"));
	buf_printf(&one, ":%s:%s;", cJSON_IsTrue(member(block, "active")) ? "true" : "false",
		   json_str(member(block, "generation")).p);
	struct str text = {arena_copy(arena, one.p, one.n), one.n};
	buf_free(&one);
	size_t i = 0;
	while (i < a->known.n && !str_starts(a->known.v[i], str_cut(text, 0, id)))
		i++;
	if (i < a->known.n && str_eq(a->known.v[i], text))
		return;
	if (i == a->known.n)
		vec_push(&a->known, text);
	a->known.v[i] = text;
	buf_str(&a->text, text);
}

static void hash_turn(struct again *a, struct arena *arena, const cJSON *turn)
{
	const cJSON *nudge = member(turn, "nudge"), *block;
	const cJSON *const items[] = {
		member(turn, "lastRef"),   member(turn, "tokenCount"),    member(turn, "recommended"),
		member(turn, "protected"), member(nudge, "shouldInject"), member(nudge, "tier"),
		member(nudge, "targets"),  member(turn, "nudgeState"),    member(turn, "stats")};
	buf_cut(&a->text, 0);
	buf_text(&a->text, a->hash);
	buf_str(&a->text, json_str(member(member(turn, "view"), "digest")));
	put_list(&a->text, items, sizeof items / sizeof *items);
	buf_str(&a->text, buf_view(&a->compressions));
	buf_cut(&a->compressions, 0);
	cJSON_ArrayForEach (block, member(turn, "blocks"))
		put_changed_block(a, arena, block);
	fnv_hex(a->hash, fnv_text(FNV_START, buf_view(&a->text)));
}

static void hash_compress(struct again *a, const cJSON *e)
{
	const cJSON *const items[] = {
		member(e, "callId"),           member(e, "parse"),  member(e, "applied"), member(e, "blocksCreated"),
		member(e, "tokensCompressed"), member(e, "errors"), member(e, "warnings")};
	put_list(&a->compressions, items, sizeof items / sizeof *items);
}

static void check_chain(enum generate_shape shape, uint64_t seed)
{
	struct replayed s;
	struct trace t = {0};
	struct again a = {.hash = ""};
	struct str line;
	cJSON *o;
	size_t turns = 0, compressions = 0;
	open_generated(&s, shape, seed);
	take_trace(&s, &t, "K60");
	struct lines l = {.all = buf_view(&t.out)};
	while (next_line(&l, &line, &o)) {
		struct str type = json_str(member(o, "type"));
		if (str_eq(type, STR("compress"))) {
			compressions++;
			hash_compress(&a, o);
		} else if (str_eq(type, STR("turn"))) {
			turns++;
			hash_turn(&a, &l.arena, o);
			assert_string_equal(a.hash, json_str(member(o, "hash")).p);
		} else if (str_eq(type, STR("end"))) {
			assert_string_equal(a.hash, json_str(member(o, "hash")).p);
			assert_int_equal((size_t)member(o, "turns")->valuedouble, turns);
			assert_int_equal((size_t)member(o, "compressions")->valuedouble, compressions);
			assert_int_equal(l.at, l.all.n);
		}
	}
	assert_true(turns >= 50 && compressions > 0);
	vec_free(&a.known);
	buf_free(&a.compressions);
	buf_free(&a.text);
	arena_free(&l.arena);
	trace_free(&t);
	replayed_close(&s);
}

static void test_chain(void **state)
{
	(void)state;
	/* not "everything": a stored state may bring block ids twice */
	for (unsigned shape = 0; shape < GENERATE_EVERYTHING; shape++)
		for (uint64_t seed = 21; seed <= 23; seed++)
			check_chain(shape, seed);
}

/* ---- header and trailer ---- */

static void test_header(void **state)
{
	(void)state;
	struct replayed s;
	struct trace t = {0};
	replayed_open(&s, STR("{\"type\":\"session\",\"version\":1,\"id\":\"a\\u0000\\ud800\\\"\",\"host\":\"pi\"}\n"
			      "{\"type\":\"note\",\"text\":\"no turn\"}\n"));
	take_trace(&s, &t, NULL);
	struct str want =
		STR("{\"type\":\"trace\",\"version\":1,\"id\":\"a\\u0000\\ud800\\\"\",\"host\":\"pi\",\"policy\":{"
		    "\"profile\":\"P342\",\"driver\":\"host\",\"hide\":\"slim\",\"args\":\"lenient\","
		    "\"density\":\"off\",\"snapshot\":\"on\",\"tags\":\"raw\",\"count\":\"max\",\"sync\":\"on\","
		    "\"summaries\":\"skip\",\"compact\":\"off\",\"follow\":\"recorded\"}}\n"
		    "{\"type\":\"end\",\"turns\":0,\"compressions\":0,\"hash\":\"\"}\n");
	assert_int_equal(t.out.n, want.n);
	assert_memory_equal(t.out.p, want.p, want.n);
	trace_free(&t);
	replayed_close(&s);
}

/* Members of a turn in the order of trace.md; the hash behind the core. */
static void test_order(void **state)
{
	(void)state;
	static const char *const order[] = {"type",       "n",      "rows",        "refs",      "lastRef",
					    "tokenCount", "view",   "recommended", "protected", "nudge",
					    "blocks",     "stats",  "nudgeState",  "snapshot",  "tokens",
					    "divergence", "events", "hash"};
	struct replayed s;
	struct trace t = {0};
	struct str line;
	cJSON *o;
	open_generated(&s, GENERATE_TIERS, 1);
	take_trace(&s, &t, "K60");
	struct lines l = {.all = buf_view(&t.out)};
	while (next_line(&l, &line, &o)) {
		if (!str_eq(json_str(member(o, "type")), STR("turn")))
			continue;
		const cJSON *m = o->child;
		for (size_t i = 0; i < sizeof order / sizeof *order; i++, m = m->next) {
			assert_non_null(m);
			assert_string_equal(m->string, order[i]);
		}
		assert_null(m);
	}
	arena_free(&l.arena);
	trace_free(&t);
	replayed_close(&s);
}

/* ---- changes ---- */

/* A trace with changes, filled up from the turn before, is the trace without. */
static void check_changes(enum generate_shape shape)
{
	struct replayed s, u;
	struct trace all = {0}, some = {.changes = true};
	struct str line, other;
	cJSON *full, *part, *last = NULL;
	size_t left_out = 0;
	open_generated(&s, shape, 31);
	open_generated(&u, shape, 31);
	take_trace(&s, &all, "K60");
	take_trace(&u, &some, "K60");
	struct lines a = {.all = buf_view(&all.out)}, b = {.all = buf_view(&some.out)};
	while (next_line(&a, &line, &full)) {
		assert_true(next_line(&b, &other, &part));
		if (!str_eq(json_str(member(full, "type")), STR("turn"))) {
			assert_true(str_eq(line, other));
			continue;
		}
		for (const cJSON *m = full->child; m != NULL; m = m->next) {
			const cJSON *now = json_get(part, m->string), *before = json_get(last, m->string);
			struct buf x = {0}, y = {0};
			json_put(&x, m);
			json_put(&y, now ? now : before);
			assert_true(str_eq(buf_view(&x), buf_view(&y)));
			left_out += now == NULL;
			if (now != NULL && before != NULL && strcmp(m->string, "type") != 0) {
				buf_cut(&y, 0);
				json_put(&y, before);
				assert_false(str_eq(buf_view(&x), buf_view(&y)));
			}
			buf_free(&x);
			buf_free(&y);
		}
		last = full;
	}
	assert_false(next_line(&b, &other, &part));
	assert_true(left_out > 50);
	assert_true(some.out.n < all.out.n);
	arena_free(&a.arena);
	arena_free(&b.arena);
	trace_free(&all);
	trace_free(&some);
	replayed_close(&s);
	replayed_close(&u);
}

static void test_changes(void **state)
{
	(void)state;
	check_changes(GENERATE_PLAIN);
	check_changes(GENERATE_TIERS);
}

/* ---- for people ---- */

static void test_readable(void **state)
{
	(void)state;
	struct arena a = {0};
	struct buf b = {0};
	cJSON *o =
		json_tree(&a,
			  STR("{\"n\":1,\"lastRef\":null,\"view\":{\"count\":2,\"digest\":\"x\\u001b[2J\"},\"none\":[],"
			      "\"ids\":[\"b1\",\"b2\"],\"list\":[{\"a\":1,\"b\":[\"t\"]},{\"a\":2}],"
			      "\"deep\":{\"a\":1,\"b\":2,\"c\":3,\"d\":{\"e\":true}}}"),
			  NULL, NULL);
	readable_put(&b, o, true);
	assert_string_equal(b.p, "n           1\n"
				 "lastRef     null\n"
				 "view        count 2, digest x^[[2J\n"
				 "none        none\n"
				 "ids         b1, b2\n"
				 "list        \n"
				 "  a 1, b [\"t\"]\n"
				 "  a 2\n"
				 "deep        \n"
				 "  a         1\n"
				 "  b         2\n"
				 "  c         3\n"
				 "  d         e true\n");
	buf_free(&b);
	arena_free(&a);
}

static void table_on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m)
{
	(void)r;
	table_turn(ctx, n, m);
}
static void table_on_compress(void *ctx, struct run *r, const struct compress_event *e) { table_compress(ctx, r, e); }

/* The table of a small session: figures worked out by hand, session text made safe. */
static void test_table(void **state)
{
	(void)state;
	struct replayed s;
	struct table t = {.ascii = true};
	replayed_open(
		&s, STR("{\"type\":\"session\",\"version\":1,\"id\":\"evil\\u001b[2J\",\"host\":\"pi\",\"model\":\"m\","
			"\"renderTags\":\"none\",\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,"
			"\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":3}}}\n"
			"{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
			"\"12345678\"}\n"
			"{\"type\":\"message\",\"id\":\"b\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":"
			"\"1234\"}\n"
			"{\"type\":\"turn\"}\n"
			"{\"type\":\"compress\",\"callId\":\"c\\u0007\",\"args\":\"no\"}\n"
			/* cut inside its second entry: the first is salvaged (kernel.md 7) */
			"{\"type\":\"compress\",\"callId\":\"d\",\"args\":\"{\\\"content\\\":[{\\\"startId\\\":"
			"\\\"m00002\\\","
			"\\\"endId\\\":\\\"m00002\\\",\\\"summary\\\":\\\"s\\\"},{\\\"st\"}\n"
			"{\"type\":\"compress\",\"callId\":\"e\",\"args\":{\"content\":[{\"startId\":\"m00002\","
			"\"endId\":\"m00002\",\"summary\":\"sum\"}]}}\n"
			"{\"type\":\"model\",\"model\":\"n\"}\n"
			"{\"type\":\"turn\",\"tokenCount\":1500}\n"));
	replayed_start(&s, NULL);
	s.run.observer = (struct run_observer){table_on_turn, table_on_compress, &t};
	table_begin(&t, &s.run);
	replayed_finish(&s);
	table_end(&t, &s.run);
	char *hash = strstr(t.out.p, "hash ");
	assert_non_null(hash);
	hash[5] = 0;
	assert_string_equal(t.out.p, "evil^[[2J  host pi  model m\n"
				     "profile P342  window 150000 (assumed) tokens\n"
				     "context: tokens as the host counted them, ~ raw estimate, + provider usage and\n"
				     "host estimates since; raw estimates: offered without tags, folded with tags\n"
				     "\n"
				     " turn   context     use   rows   view ranges  offered blocks nudge events\n"
				     "    1 ~       3    0.0%      2      2      1        3    0/0 -     user\n"
				     "      compress 1 c^G: malformed-json, no ranges\n"
				     "      compress 2 d: truncated, refused, summary-too-short\n"
				     "      compress 3 e: applied, 1 block, 1 raw tokens folded\n"
				     "    2      1500    1.0%      2      2      1        2    1/1 -     model\n"
				     "\n"
				     "2 turns, 3 compress calls, 1 applied, hash ");
	table_free(&t);
	replayed_close(&s);
}

/* Where the recorded outcome is not the engine's, the line of the call says what is made of it. */
static void test_table_recorded(void **state)
{
	static const struct {
		const char *profile, *ref, *outcome, *says;
	} calls[] = {
		{NULL, "m00002", "true,\"blocksCreated\":1", ": applied, 1 block, 1 raw tokens folded\n"},
		{NULL, "m00002", "true,\"blocksCreated\":2", "raw tokens folded; recorded with 2 blocks\n"},
		{NULL, "m00002", "false",
		 ": refused; recorded as refused, and so followed: the engine would apply it\n"},
		{NULL, "m00009", "false", ": refused, unknown-ref\n"},
		{NULL, "m00009", "true",
		 "recorded as applied, which cannot be followed: all below is counterfactual\n"},
		{NULL, "m00003", "true",
		 ": applied, 1 block, 1 raw tokens folded; recorded as applied, and so followed: the engine would "
		 "refuse it, "
		 "protected-zone\n"},
		{"K60", "m00003", "true",
		 ": refused, protected-zone; recorded as applied: all below is counterfactual\n"},
		{"K60", "m00002", "false", "; recorded as refused: all below is counterfactual\n"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct buf text = {0};
		struct replayed s;
		struct table t = {.ascii = true};
		buf_printf(&text,
			   "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"pi\",\"renderTags\":\"none\","
			   "\"config\":{\"preserveRecentMessages\":1,\"preserveRecentTokens\":0,"
			   "\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":0}}}\n"
			   "{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
			   "\"1\"}\n"
			   "{\"type\":\"message\",\"id\":\"b\",\"role\":\"assistant\",\"contentType\":\"text\","
			   "\"text\":\"1\"}\n"
			   "{\"type\":\"message\",\"id\":\"c\",\"role\":\"assistant\",\"contentType\":\"text\","
			   "\"text\":\"1\"}\n"
			   "{\"type\":\"compress\",\"callId\":\"k\",\"args\":{\"content\":[{\"startId\":\"%s\","
			   "\"endId\":\"%s\","
			   "\"summary\":\"s\"}]},\"outcome\":{\"applied\":%s}}\n",
			   calls[i].ref, calls[i].ref, calls[i].outcome);
		replayed_open(&s, buf_view(&text));
		replayed_start(&s, calls[i].profile);
		s.run.observer = (struct run_observer){table_on_turn, table_on_compress, &t};
		replayed_finish(&s);
		buf_char(&t.out, 0);
		if (strstr(t.out.p, calls[i].says) == NULL) {
			print_error("call %zu: %s", i, t.out.p);
			fail();
		}
		table_free(&t);
		replayed_close(&s);
		buf_free(&text);
	}
}

/* ---- further members ---- */

/* "density.pending" of an object. */
static const cJSON *member_at(const cJSON *o, struct str path)
{
	char name[32];
	for (size_t at = 0; o != NULL && at <= path.n;) {
		size_t end = str_find(path, STR("."), at);
		struct str part = str_cut(path, at, end < path.n ? end : path.n);
		assert_true(part.n < sizeof name);
		memcpy(name, part.p, part.n);
		name[part.n] = 0;
		o = json_get(o, name);
		at += part.n + 1;
	}
	return o;
}

/* The members under "turn" or "compress" of a case have one value for each line of that type. */
static void check_members(const cJSON *one, const struct trace *t, const char *type)
{
	const cJSON *list, *want;
	cJSON_ArrayForEach (list, json_get(one, type)) {
		struct lines l = {.all = buf_view(&t->out)};
		struct str line;
		cJSON *o;
		want = list->child;
		while (next_line(&l, &line, &o)) {
			struct buf got = {0}, text = {0};
			if (!str_eq(json_str(json_get(o, "type")), str_of(type)))
				continue;
			const cJSON *m = member_at(o, str_of(list->string));
			if (m == NULL || want == NULL)
				case_fail(one, "%s is missing, or there are more lines", list->string);
			json_put(&got, m);
			json_put(&text, want);
			case_expect_text(one, list->string, buf_view(&got), buf_view(&text));
			buf_free(&got);
			buf_free(&text);
			want = want->next;
		}
		if (want != NULL)
			case_fail(one, "%s: too few lines", list->string);
		arena_free(&l.arena);
	}
}

static void check_further(const cJSON *one, void *ctx)
{
	struct replayed s;
	struct trace t = {0};
	const char *file = json_str(json_get(one, "file")).p;
	(void)ctx;
	if (file == NULL) {
		replayed_open_case(&s, one);
	} else {
		s = (struct replayed){0};
		assert_int_equal(recording_load(&s.recording, file, NULL, NULL), STATUS_OK);
	}
	replayed_start_with(&s, json_str(json_get(one, "profile")).p, json_str(json_get(one, "policy")));
	s.run.observer = (struct run_observer){on_turn, on_compress, &t};
	replayed_finish(&s);
	check_members(one, &t, "turn");
	check_members(one, &t, "compress");
	trace_free(&t);
	replayed_close(&s);
}

static void test_further(void **state)
{
	(void)state;
	case_file_each("tests/cases/trace.jsonl", check_further, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_further), cmocka_unit_test(test_chain),          cmocka_unit_test(test_header),
		cmocka_unit_test(test_order),   cmocka_unit_test(test_changes),        cmocka_unit_test(test_readable),
		cmocka_unit_test(test_table),   cmocka_unit_test(test_table_recorded),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
