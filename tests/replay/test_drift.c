#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "replay/drift.h"
#include "tests/generate.h"
#include "tests/replayed.h"

/* ---- two stored states ---- */

static void expect_counts(const cJSON *one, const char *name, const uint32_t got[4])
{
	const cJSON *want = json_get(one, name);
	for (int i = 0; want && i < 4; i++)
		case_expect_count(one, name, got[i], (size_t)cJSON_GetArrayItem(want, i)->valuedouble);
}

static void expect_first(const cJSON *one, const struct drift *d)
{
	struct str want = json_str(json_get(one, "first"));
	const cJSON *shift = json_get(one, "shift");
	struct buf b = {0};
	if (!want.p)
		return;
	buf_str(&b, d->first);
	buf_char(&b, ' ');
	buf_str(&b, d->first_here);
	buf_char(&b, ' ');
	buf_str(&b, d->first_there);
	case_expect_text(one, "first", buf_view(&b), want);
	if (cJSON_IsNull(shift) != isnan(d->shift) || (!isnan(d->shift) && d->shift != shift->valuedouble))
		case_fail(one, "shift is %f", d->shift);
	buf_free(&b);
}

static void put_or_dash(struct str s, struct buf *b) { buf_str(b, s.p ? s : STR("-")); }

static void put_block(const struct drift_block *k, struct buf *b)
{
	static const char *const words[] = {
		[DRIFT_SAME] = "-",
		[DRIFT_ID] = "id",
		[DRIFT_TIER] = "tier",
		[DRIFT_ACTIVE] = "active",
		[DRIFT_MESSAGES] = "messages",
		[DRIFT_CHILDREN] = "children",
		[DRIFT_TOKENS] = "tokens",
	};
	buf_str(b, k->here.p ? k->here : k->there);
	if (k->what != DRIFT_SAME) {
		buf_char(b, '/');
		buf_str(b, k->there);
	}
	buf_char(b, ' ');
	put_or_dash(k->call, b);
	buf_char(b, ' ');
	if (k->what != DRIFT_SAME) {
		buf_text(b, words[k->what]);
	} else {
		put_or_dash(k->start, b);
		if (k->end.p) {
			buf_text(b, "..");
			buf_str(b, k->end);
		}
	}
}

static void expect_named(const cJSON *one, const char *name, const struct drift_blocks *list)
{
	const cJSON *want = json_get(one, name), *item;
	struct buf b = {0};
	uint32_t i = 0;
	if (!want)
		return;
	cJSON_ArrayForEach (item, want) {
		assert_true(i < list->n && i < DRIFT_BLOCKS_NAMED);
		buf_cut(&b, 0);
		put_block(&list->named[i++], &b);
		case_expect_text(one, name, buf_view(&b), json_str(item));
	}
	case_expect_count(one, name, i, list->n < DRIFT_BLOCKS_NAMED ? list->n : DRIFT_BLOCKS_NAMED);
	buf_free(&b);
}

static void expect_texts(const cJSON *one, const struct drift *d)
{
	struct buf b = {0};
	struct str text = json_str(json_get(one, "text")), event = json_str(json_get(one, "event"));
	if (text.p) {
		drift_print(d, &b);
		case_expect_text(one, "text", buf_view(&b), text);
	}
	buf_cut(&b, 0);
	drift_event(d, &b);
	if (event.p)
		case_expect_text(one, "event", buf_view(&b), event);
	case_expect_count(one, "event exactly when something is found", b.n > 0, drift_found(d));
	buf_free(&b);
}

static void load(const cJSON *one, const char *member, struct state *s, struct names *names,
		 const struct config *config)
{
	struct error e = {0};
	state_init(s, names, (struct texts){0}, config);
	if (state_load(s, json_get(one, member), &e) != STATUS_OK)
		case_fail(one, "%s: %s", member, e.message);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct names names;
	struct state here, there;
	struct config config = config_default(100000);
	struct drift d = {.with = DRIFT_SIDECAR, .shift = NAN};
	(void)ctx;
	names_init(&names);
	load(one, "here", &here, &names, &config);
	load(one, "there", &there, &names, &config);
	drift_compare(&d, &here, &there, NULL);
	expect_counts(one, "refs", (uint32_t[]){d.refs_same, d.refs_different, d.refs_here, d.refs_there});
	expect_counts(one, "blocks", (uint32_t[]){d.blocks_same, d.different.n, d.only_here.n, d.only_there.n});
	expect_first(one, &d);
	expect_named(one, "different", &d.different);
	expect_named(one, "only_here", &d.only_here);
	expect_named(one, "only_there", &d.only_there);
	expect_texts(one, &d);
	drift_free(&d);
	state_free(&here);
	state_free(&there);
	names_free(&names);
}

static void test_cases(void **unused)
{
	(void)unused;
	case_file_each("tests/cases/drift.jsonl", check_case, NULL);
}

/* ---- a run and its sidecar ---- */

static const char session[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":100000,\"config\":"
	"{\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":0},\"preserveRecentMessages\":0,"
	"\"preserveRecentTokens\":0}}\n"
	"{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"aaaaaaaa\"}\n"
	"{\"type\":\"message\",\"id\":\"b\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":\"bbbbbbbb\"}\n"
	"{\"type\":\"turn\"}\n"
	"{\"type\":\"message\",\"id\":\"c\",\"role\":\"assistant\",\"contentType\":\"tool-call\",\"toolName\":"
	"\"compress\","
	"\"toolCallId\":\"k\",\"text\":\"%s\"}\n"
	"{\"type\":\"compress\",\"callId\":\"k\",\"args\":%s}\n"
	"{\"type\":\"message\",\"id\":\"r\",\"role\":\"tool\",\"contentType\":\"tool-result\",\"toolName\":"
	"\"compress\","
	"\"toolCallId\":\"k\",\"text\":\"done\"}\n"
	"{\"type\":\"message\",\"id\":\"x\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"off the branch\"}\n"
	"{\"type\":\"rewind\",\"to\":\"r\"}\n"
	"{\"type\":\"message\",\"id\":\"d\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"dddddddd\"}\n"
	"{\"type\":\"turn\"}\n";

#define CONTENT "[{\\\"startId\\\":\\\"m00001\\\",\\\"endId\\\":\\\"m00002\\\",\\\"summary\\\":\\\"sum\\\"}]"
#define ARGS    "{\"content\":[{\"startId\":\"m00001\",\"endId\":\"m00002\",\"summary\":\"sum\"}]}"

static void open_session(struct replayed *s, const char *text)
{
	struct buf b = {0};
	buf_printf(&b, session, text, ARGS);
	replayed_open(s, buf_view(&b));
	buf_free(&b);
	replayed_start(s, "K60");
}

/* The sidecar that a host would have stored: `edit` may change the state's text before it is read again. */
static void compare_stored(struct replayed *s, const char *from, const char *to, struct drift *d)
{
	struct buf b = {0}, edited = {0};
	struct temp_file file;
	struct sidecar sidecar;
	state_write(&s->run.state, &b);
	run_seek(&s->run, 3); /* wherever the run stands, its end is compared */
	size_t at = from ? str_find(buf_view(&b), str_of(from), 0) : b.n;
	assert_true(at != SIZE_MAX);
	buf_str(&edited, str_cut(buf_view(&b), 0, at));
	if (from) {
		buf_text(&edited, to);
		buf_str(&edited, str_cut(buf_view(&b), at + strlen(from), b.n));
	}
	temp_file_write(&file, buf_view(&edited));
	assert_int_equal(sidecar_find(&sidecar, &s->recording, file.path, NULL), STATUS_OK);
	temp_file_remove(&file);
	assert_int_equal(drift_from_sidecar(d, &s->run, &sidecar, NULL), STATUS_OK);
	sidecar_free(&sidecar);
	buf_free(&b);
	buf_free(&edited);
}

static void test_stored(void **unused)
{
	struct replayed s;
	struct drift d;
	struct error e = {0};
	struct sidecar none = {.file = {.source = SIDECAR_NONE}};
	(void)unused;
	open_session(&s, "{\\\"content\\\":" CONTENT "}");
	assert_int_equal(drift_from_sidecar(&d, &s.run, &none, &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "end"));
	replayed_finish(&s);
	assert_int_equal(drift_from_sidecar(&d, &s.run, &none, &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "no sidecar"));
	compare_stored(&s, NULL, NULL, &d);
	assert_false(drift_found(&d));
	assert_int_equal(d.refs_same, 5); /* a b c r d; x was rewound before any turn gave it a ref */
	assert_int_equal(d.blocks_same, 1);
	drift_free(&d);
	compare_stored(&s, "\"d\":\"m00005\"", "\"d\":\"m00006\"", &d);
	assert_int_equal(d.refs_same, 4);
	assert_int_equal(d.refs_different, 1);
	assert_true(str_eq(d.first, STR("d")));
	assert_int_equal(d.first_line, 10);
	assert_false(drift_refs_agree(&d));
	drift_free(&d);
	replayed_close(&s);
}

/* ---- fork recovery ---- */

static void expect_recovery(struct replayed *s, enum rebuild_form form, const char *want)
{
	struct drift d;
	struct buf b = {0};
	assert_int_equal(drift_from_recovery(&d, &s->run, form, NULL), STATUS_OK);
	drift_print(&d, &b);
	assert_string_equal(b.p, want);
	buf_free(&b);
	drift_free(&d);
}

static void test_recovery(void **unused)
{
	struct replayed s;
	struct drift d;
	(void)unused;
	open_session(&s, "{\\\"content\\\":" CONTENT "}");
	assert_int_equal(drift_from_recovery(&d, &s.run, REBUILD_STRICT, NULL), STATUS_USAGE);
	replayed_finish(&s);
	/* a live compression counts the view, where 41 units of tag stand before each text: 2 times ceil(49 / 4) */
	expect_recovery(&s, REBUILD_STRICT,
			"recovery      v0.0.41: 1 block out of 1 compress call; refs and blocks as in the replay\n"
			"  stats       stats.tokensCompressed 26 here, 4 in the recovery (of texts without tags)\n");
	expect_recovery(&s, REBUILD_LENIENT,
			"recovery      later form: 1 block out of 1 compress call; refs and blocks as in the replay\n"
			"  stats       stats.tokensCompressed 26 here, 4 in the recovery (of texts without tags)\n");
	replayed_close(&s);
	/* the text of the call is a stub without its summary: nothing can be made of it */
	open_session(&s, "cut");
	replayed_finish(&s);
	expect_recovery(&s, REBUILD_LENIENT,
			"recovery      later form: 0 blocks out of 1 compress call\n"
			"  refs        5 agree\n"
			"  blocks      1 only here\n"
			"              only here: b1 (k, m00001..m00002)\n"
			"  stats       stats.tokensCompressed 26 here, 0 in the recovery (of texts without tags); "
			"stats.compressionCount 1 here, 0 in the recovery; nextBlockId 2 here, 1 in the recovery; "
			"nextRunId 2 here, 1 in the recovery\n");
	replayed_close(&s);
}

/* A state that was written and read again is the same, whatever session it comes from. */
static void test_generated(void **unused)
{
	(void)unused;
	for (uint64_t seed = 1; seed <= 24; seed++) {
		struct generate_options o = {
			.shape = (enum generate_shape)(seed % GENERATE_SHAPES), .seed = seed, .turns = 40};
		struct buf b = {0};
		struct replayed s;
		struct drift d;
		generate_recording(&o, &b);
		replayed_open(&s, buf_view(&b));
		replayed_start(&s, "K60");
		replayed_finish(&s);
		compare_stored(&s, NULL, NULL, &d);
		assert_false(drift_found(&d));
		assert_int_equal(d.refs_here + d.refs_there, 0);
		assert_int_equal(d.refs_same, s.run.state.raw_order.n);
		assert_int_equal(d.blocks_same, s.run.state.blocks.n);
		assert_true(d.figures[DRIFT_NEXT_RUN].here == d.figures[DRIFT_NEXT_RUN].there);
		drift_free(&d);
		/* refs come from the order of the rows alone, so the recovery gives the same ones as long as no row
		 * left */
		assert_int_equal(drift_from_recovery(&d, &s.run, REBUILD_LENIENT, NULL), STATUS_OK);
		if (o.shape < GENERATE_EVERYTHING && s.run.config.protected_n == 0)
			assert_int_equal(d.refs_different, 0);
		drift_free(&d);
		replayed_close(&s);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_recovery),
		cmocka_unit_test(test_generated),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
