/* Two runs beside each other: small sessions whose every number is worked out here, and the reports of a diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/report/diff_report.h"
#include "tests/compared.h"

static const struct diff_detail *detail_of(const struct diff *d, enum diff_kind k)
{
	for (size_t i = 0; i < d->details_n; i++)
		if (d->details[i].kind == k)
			return &d->details[i];
	fail_msg("there is no difference of kind %s", diff_kind_name(k));
	return NULL;
}

static const struct diff_line *line_of(const struct diff *d, enum diff_kind k, const char *id)
{
	const struct diff_detail *t = detail_of(d, k);
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->lines[i].id, str_of(id)))
			return &t->lines[i];
	fail_msg("%s says nothing of %s", diff_kind_name(k), id);
	return NULL;
}

/* NULL: the side does not have it. */
static void expect_line(const struct diff *d, enum diff_kind k, const char *id, const char *left, const char *right)
{
	const struct diff_line *line = line_of(d, k, id);
	const char *want[] = {left, right};
	for (int i = 0; i < 2; i++) {
		struct str got = line->value[i];
		if ((want[i] == NULL) != (got.p == NULL) || (got.p != NULL && !str_eq(got, str_of(want[i]))))
			fail_msg("%s of %s, side %d: '%.*s', want '%s'", diff_kind_name(k), id, i, (int)got.n,
				 got.p ? got.p : "", want[i] ? want[i] : "nothing");
	}
}

static void expect_kind(const struct diff *d, enum diff_kind k, uint32_t n, uint32_t first, uint32_t last)
{
	const struct diff_count *c = &d->count[k];
	if (c->n != n || (n > 0 && (c->first != first || c->last != last)))
		fail_msg("%s: %u, steps %u to %u; want %u, %u to %u", diff_kind_name(k), c->n, c->first, c->last, n,
			 first, last);
}

static void expect_effect(const struct diff *d, const char *key, const char *scale, double left, double right)
{
	for (size_t i = 0; i < d->effects_n; i++) {
		const struct diff_effect *e = &d->effects[i];
		if (strcmp(e->key, key) != 0)
			continue;
		if (e->value[0] != left || e->value[1] != right || diff_change(e) != right - left)
			fail_msg("%s: %g and %g, want %g and %g", key, e->value[0], e->value[1], left, right);
		for (int side = 0; side < 2; side++)
			assert_true(scale == NULL ? e->scale[side] == NULL
						  : e->scale[side] != NULL && strcmp(e->scale[side], scale) == 0);
		return;
	}
	fail_msg("there is no effect %s", key);
}

/* ---- sessions put together here ---- */

static const char no_protection[] = "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\","
				    "\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0,"
				    "\"compress\":{\"minCompressRange\":0,\"minSummaryLength\":1}}}\n";

static void put_row(struct buf *b, const char *id, const char *role, unsigned units)
{
	buf_printf(b, "{\"type\":\"message\",\"id\":\"%s\",\"role\":\"%s\",\"contentType\":\"text\",\"text\":\"", id,
		   role);
	for (unsigned i = 0; i < units; i++)
		buf_char(b, 'x');
	buf_text(b, "\"}\n");
}

static void put_turn(struct buf *b, const char *members)
{
	buf_printf(b, "{\"type\":\"turn\"%s%s}\n", members[0] ? "," : "", members);
}

static void open_text(struct replayed *r, struct buf *b)
{
	replayed_open(r, buf_view(b));
	buf_free(b);
}

/*
 * A user row of 400 units (100 tokens), turn 1 with 5000 tokens; a row of 6000 units (1500 tokens), turn 2 with 8000.
 * Left: window 10000, so usage 50 % and 80 %, over the limit (75 %) at turn 2, where rows can be compressed: a nudge of
 * tier 1, stamped with 8000. Right: window 20000, 25 % and 40 %, and grown by 3000 of the 22500 (0.45 G) it needs.
 */
static void test_limits(void **state)
{
	struct compared p;
	struct buf b = {0};
	(void)state;
	buf_text(&b, no_protection);
	put_row(&b, "r1", "user", 400);
	put_turn(&b, "\"tokenCount\":5000");
	put_row(&b, "r2", "assistant", 6000);
	put_turn(&b, "\"tokenCount\":8000");
	open_text(&p.file[0], &b);
	compared_begin(&p, &p.file[0].recording, "profile=K60,limit=10000", &p.file[0].recording,
		       "profile=K60,limit=20000");
	const struct diff *d = &p.d;
	assert_false(diff_same(d));
	assert_int_equal(d->steps.n, 2);
	assert_int_equal(d->paired, 2);
	assert_int_equal(d->differing, 2);
	assert_int_equal(d->shown, 1);
	assert_int_equal(d->details[0].kind, DIFF_FIGURES);
	assert_int_equal(d->details[0].turn[DIFF_LEFT], 1);
	expect_kind(d, DIFF_FIGURES, 2, 0, 1);
	expect_kind(d, DIFF_NUDGE, 1, 1, 1);
	for (int k = 0; k < DIFF_KINDS; k++)
		if (k != DIFF_FIGURES && k != DIFF_NUDGE)
			expect_kind(d, (enum diff_kind)k, 0, 0, 0);
	assert_int_equal(d->details[0].n, 1);
	expect_line(d, DIFF_FIGURES, "usage", "50 % of the window", "25 % of the window");
	expect_line(d, DIFF_NUDGE, "nudge", "injected, tier 1, pressure-t1", "not injected, idle");
	expect_effect(d, "turns", NULL, 2, 2);
	expect_effect(d, "contextSum", "host count", 13000, 13000);
	expect_effect(d, "contextPeak", "host count", 8000, 8000);
	expect_effect(d, "sentSum", "raw estimate", 1700, 1700); /* 100 + (100 + 1500) */
	expect_effect(d, "sentPeak", "raw estimate", 1600, 1600);
	expect_effect(d, "nudges", NULL, 1, 0);
	expect_effect(d, "nudges1", NULL, 1, 0);
	expect_effect(d, "applied", NULL, 0, 0);
	assert_int_equal(d->counterfactual[DIFF_LEFT], 0);
	assert_int_equal(d->counterfactual[DIFF_RIGHT], 0);
	compared_end(&p);
	replayed_close(&p.file[0]);
}

/*
 * A call folds r2 and r3 after turn 2, recorded as refused. Left decides by itself: applied, one block, and no longer
 * what happened from the call on: turn 3 is counterfactual. Right follows the recording. Each row is 3000 units, with
 * its tag of 43 units 3043: 761 tokens each, 1522 folded. Uncovered rows, untagged, without calls of compress:
 * 25; 25 + 750 + 750; and at turn 3 left 25, right 1525.
 */
static void put_refused_fold(struct buf *b)
{
	buf_text(b, no_protection);
	put_row(b, "r1", "user", 100);
	put_turn(b, "");
	put_row(b, "r2", "assistant", 3000);
	put_row(b, "r3", "assistant", 3000);
	put_turn(b, "");
	buf_text(b, "{\"type\":\"compress\",\"callId\":\"k1\",\"args\":{\"content\":[{\"startId\":\"m00002\",\"endId\":"
		    "\"m00003\",\"summary\":\"what was found\"}]},\"outcome\":{\"applied\":false}}\n");
	put_turn(b, "");
}

static void test_calls(void **state)
{
	struct compared p;
	struct buf b = {0};
	(void)state;
	put_refused_fold(&b);
	open_text(&p.file[0], &b);
	compared_begin(&p, &p.file[0].recording, "profile=K60", &p.file[0].recording, "profile=K60,follow=recorded");
	const struct diff *d = &p.d;
	assert_int_equal(d->differing, 1);
	assert_int_equal(d->details[0].kind, DIFF_CALLS);
	assert_int_equal(d->details[0].call, 1);
	assert_int_equal(d->details[0].turn[DIFF_LEFT], 2);
	assert_int_equal(d->details[0].turn[DIFF_RIGHT], 2);
	expect_kind(d, DIFF_CALLS, 1, 2, 2);
	expect_kind(d, DIFF_TOKENS, 1, 2, 2);
	expect_kind(d, DIFF_BLOCKS, 1, 2, 2);
	expect_kind(d, DIFF_ROWS, 1, 2, 2);
	expect_kind(d, DIFF_TOTALS, 1, 2, 2);
	expect_kind(d, DIFF_TURNS, 0, 0, 0);
	expect_kind(d, DIFF_REFS, 0, 0, 0);
	expect_kind(d, DIFF_TEXT, 0, 0, 0);   /* only asked where the rows are the same */
	assert_int_equal(d->details[0].n, 1); /* both say the same, but for this */
	expect_line(d, DIFF_CALLS, "applied", "yes", "no");
	expect_line(d, DIFF_TOKENS, "tokenCount", "25 tokens (raw estimate)", "1,525 tokens (raw estimate)");
	const struct diff_detail *rows = detail_of(d, DIFF_ROWS);
	assert_int_equal(rows->only[DIFF_LEFT], 1);
	assert_int_equal(rows->only[DIFF_RIGHT], 2);
	assert_int_equal(rows->both, 0);
	assert_null(line_of(d, DIFF_ROWS, "acp_summary_b1")->value[DIFF_RIGHT].p);
	assert_true(str_eq(line_of(d, DIFF_ROWS, "r2")->name, STR("m00002")));
	expect_line(d, DIFF_ROWS, "r3", NULL, "assistant text, 750 tokens (raw estimate)");
	assert_null(line_of(d, DIFF_BLOCKS, "b1")->value[DIFF_RIGHT].p);
	expect_line(d, DIFF_TOTALS, "compressionCount", "1", "0");
	expect_effect(d, "contextSum", "raw estimate", 25 + 1525 + 25, 25 + 1525 + 1525);
	expect_effect(d, "contextPeak", "raw estimate", 1525, 1525);
	expect_effect(d, "applied", NULL, 1, 0);
	expect_effect(d, "refused", NULL, 0, 1);
	expect_effect(d, "blocks", NULL, 1, 0);
	expect_effect(d, "folded", "raw estimate", 1522, 0);
	assert_int_equal(d->counterfactual[DIFF_LEFT], 3);
	assert_int_equal(d->counterfactual[DIFF_RIGHT], 0);
	assert_true(diff_counterfactual(d, rows, DIFF_LEFT));
	assert_false(diff_counterfactual(d, rows, DIFF_RIGHT));
	assert_true(diff_counterfactual(d, &d->details[0], DIFF_LEFT)); /* the call after turn 2 */
	compared_end(&p);
	replayed_close(&p.file[0]);
}

/*
 * Two files. Left: a turn after r1, r2, r3; right: after r1, r3, r4. By the row before it turn 1 stands beside turn 1,
 * turn 3 of the left beside turn 2 of the right; turn 2 of the left and turn 3 of the right stand alone.
 */
static void test_two_files(void **state)
{
	static const char *const ids[2][3] = {{"r1", "r2", "r3"}, {"r1", "r3", "r4"}};
	static const uint32_t want[][2] = {{1, 1}, {2, 0}, {3, 2}, {0, 3}};
	struct compared p;
	(void)state;
	for (int file = 0; file < 2; file++) {
		struct buf b = {0};
		buf_text(&b, no_protection);
		for (int i = 0; i < 3; i++) {
			put_row(&b, ids[file][i], "user", 40);
			put_turn(&b, "");
		}
		open_text(&p.file[file], &b);
	}
	compared_begin(&p, &p.file[0].recording, "profile=K60", &p.file[1].recording, "profile=K60");
	const struct diff *d = &p.d;
	assert_int_equal(d->steps.n, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(d->steps.v[i].turn[DIFF_LEFT], want[i][0]);
		assert_int_equal(d->steps.v[i].turn[DIFF_RIGHT], want[i][1]);
	}
	assert_int_equal(d->paired, 2);
	expect_kind(d, DIFF_TURNS, 2, 1, 3);
	expect_kind(d, DIFF_ROWS, 1, 2, 2);
	expect_kind(d, DIFF_REFS, 1, 2, 2);
	assert_int_equal(d->details[0].kind, DIFF_TURNS);
	expect_line(d, DIFF_TURNS, "left", "turn 2, after row r2", NULL);
	expect_line(d, DIFF_REFS, "r3", "m00003", "m00002");
	expect_line(d, DIFF_ROWS, "r2", "user text, 10 tokens (raw estimate)", NULL);
	compared_end(&p);
	replayed_close(&p.file[0]);
	replayed_close(&p.file[1]);
}

/* Two requests after the same row: the first of one file is the first of the other. Files without a common row. */
static void test_retries(void **state)
{
	struct compared p;
	(void)state;
	for (int file = 0; file < 2; file++) {
		struct buf b = {0};
		buf_text(&b, no_protection);
		put_row(&b, "r1", "user", 40);
		put_turn(&b, "");
		for (int i = 0; i < file; i++)
			put_turn(&b, "");
		open_text(&p.file[file], &b);
	}
	compared_begin(&p, &p.file[0].recording, "profile=K60", &p.file[1].recording, "profile=K60");
	assert_int_equal(p.d.steps.n, 2);
	assert_int_equal(p.d.steps.v[0].turn[DIFF_LEFT], 1);
	assert_int_equal(p.d.steps.v[0].turn[DIFF_RIGHT], 1);
	assert_int_equal(p.d.steps.v[0].kinds, 0);
	assert_int_equal(p.d.steps.v[1].turn[DIFF_LEFT], 0);
	assert_int_equal(p.d.steps.v[1].turn[DIFF_RIGHT], 2);
	compared_end(&p);
	replayed_close(&p.file[1]);

	struct buf b = {0};
	buf_text(&b, no_protection);
	put_row(&b, "other", "user", 40);
	put_turn(&b, "");
	open_text(&p.file[1], &b);
	compared_begin(&p, &p.file[0].recording, "profile=K60", &p.file[1].recording, "profile=K60");
	assert_int_equal(p.d.paired, 0);
	assert_int_equal(p.d.steps.n, 1); /* side by side, neither comes first */
	assert_int_equal(p.d.details[0].only[DIFF_LEFT], 1);
	assert_int_equal(p.d.details[0].only[DIFF_RIGHT], 1);
	compared_end(&p);
	replayed_close(&p.file[0]);
	replayed_close(&p.file[1]);
}

/* ---- reports ---- */

static void put_hostile(struct buf *b, const char *text)
{
	buf_text(b, "{\"type\":\"session\",\"version\":1,\"host\":\"other\",\"id\":");
	json_put_str(b, str_of(text));
	buf_text(b, ",\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0}}\n"
		    "{\"type\":\"message\",\"role\":\"user\",\"contentType\":\"text\",\"id\":");
	json_put_str(b, str_of(text));
	buf_text(b, ",\"text\":");
	json_put_str(b, str_of(text));
	buf_text(b, "}\n");
	put_turn(b, "");
}

static bool has(const struct buf *b, const char *what) { return str_find(buf_view(b), str_of(what), 0) != SIZE_MAX; }

/* Names and texts that would end code, begin HTML, a table cell, a mention, a line, or an escape sequence. */
static void test_hostile_names(void **state)
{
	static const char left[] = "a`b|c<script>@team\n# head\x1b[31m\\[x](http://x) </details> &amp; ```";
	static const char right[] = "`|`<img src=x>@everyone\r\n---\n\xe2\x80\xae"
				    "x";
	struct compared p;
	struct buf b = {0}, text = {0}, markdown = {0}, json = {0};
	(void)state;
	put_hostile(&b, left);
	open_text(&p.file[0], &b);
	put_hostile(&b, right);
	open_text(&p.file[1], &b);
	compared_begin(&p, &p.file[0].recording, "profile=K60", &p.file[1].recording, "profile=K41");
	struct diff_report report = {
		.diff = &p.d, .file = {"dir/@a`|<b>.jsonl", "x\ny.jsonl"}, .policy = {"profile=K60", NULL}};
	diff_text_put(&report, &text);
	diff_markdown_put(&report, &markdown);
	diff_json_put(&report, &json);
	const struct buf *const all[] = {&text, &markdown};
	for (size_t i = 0; i < 2; i++) {
		assert_false(has(all[i], "\x1b"));
		assert_false(has(all[i], "\r"));
		assert_false(has(all[i], "\xe2\x80\xae"));
		assert_false(has(all[i], "\n# head"));
		assert_false(has(all[i], "\n---"));
	}
	/* what Markdown and GitHub obey stands nowhere but in what is ours */
	static const char *const obeyed[] = {"@",  "<script", "<img",  "a`b", "`|`", "|c",
					     "](", "<b>",     "&amp;", "```", "dir/"};
	for (size_t i = 0; i < sizeof obeyed / sizeof *obeyed; i++)
		if (has(&markdown, obeyed[i]))
			fail_msg("%s stands in the comment", obeyed[i]);
	assert_true(has(&markdown, "&#64;team"));
	assert_true(has(&markdown, "&#60;script&#62;"));
	size_t end = str_find(buf_view(&markdown), STR("</details>"), 0);
	assert_true(end != SIZE_MAX); /* the one that closes ours, and no other */
	assert_true(str_find(buf_view(&markdown), STR("</details>"), end + 1) == SIZE_MAX);
	cJSON *tree = json_tree(&p.d.arena, text_trim(buf_view(&json)), NULL, NULL);
	assert_non_null(tree);
	assert_true(str_eq(json_str(json_get(json_get(tree, "left"), "session")), str_of(left)));
	assert_true(cJSON_IsFalse(json_get(tree, "same")));
	compared_end(&p);
	buf_free(&text);
	buf_free(&markdown);
	buf_free(&json);
	replayed_close(&p.file[0]);
	replayed_close(&p.file[1]);
}

/* Nothing differs, and why; the comment ends with the command that gives it again, as a shell takes it. */
static void test_comment_of_the_same(void **state)
{
	struct compared p;
	struct buf b = {0};
	(void)state;
	buf_text(&b, no_protection);
	put_row(&b, "r1", "user", 40);
	put_turn(&b, "");
	open_text(&p.file[0], &b);
	compared_begin(&p, &p.file[0].recording, "profile=K60,hide=full", &p.file[0].recording,
		       "profile=K60,hide=slim,compactGate=shouldInject");
	struct diff_report report = {.diff = &p.d,
				     .file = {"dir/it's one.jsonl", "dir/it's one.jsonl"},
				     .policy = {"hide=full", NULL},
				     .options = {{"profile", "K60", false},
						 {"config", "/home/x/my acp.json", true},
						 {"limit", "9000", false}},
				     .options_n = 3};
	struct buf text = {0}, comment = {0};
	diff_text_put(&report, &text);
	diff_markdown_put(&report, &comment);
	const char *why = "hide cannot matter: there is no compress call; compactGate cannot matter: there is no "
			  "/compact";
	assert_non_null(strstr(text.p, why));
	assert_non_null(strstr(comment.p, why));
	/* ' and / stand for themselves in code, a backslash does not */
	assert_non_null(strstr(comment.p, "acpdbg diff 'it'&#92;''s one&#46;jsonl' &#45;&#45;profile K60 "
					  "&#45;&#45;config 'my acp&#46;json' &#45;&#45;limit 9000 "
					  "&#45;&#45;left hide=full &#45;&#45;output markdown"));
	buf_free(&text);
	buf_free(&comment);
	compared_end(&p);
	replayed_close(&p.file[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comment_of_the_same),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_two_files),
		cmocka_unit_test(test_retries),
		cmocka_unit_test(test_hostile_names),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
