/*
 * Whole Pi sessions under the adapter's profiles and switches: token counts,
 * densities, causes of a broken prefix, anchors, /compact, and what the samples
 * say of themselves (pi.md 4 to 8).
 *
 * A case is a session (`file`; `pi`: entries behind a header that is put before
 * them; `records`: a recording; <x*N> in the latter two is written out), a
 * `profile` and a `policy` on top of it, and lists with one value a turn:
 *   causes    why the prefix breaks (trace.md)
 *   refs      where it does; null = not at a row
 *   counts, scales, host, raw   token count, who counted it, what the host
 *             knows (null = unknown), raw estimate of what is sent
 *   density   in force after the turn; [a, b] is a / b
 *   predicted hit rate, [a, b] is a / b, null = not asked
 * and of the whole run:
 *   breaks    {cause: turns}, all causes but none and first
 *   anchors   of the last turn: [live, tokens of their arguments, and as sent]
 *   compress  [applied, blocks made, agrees (1, 0, -1), read leniently], a call each
 *   blocks    [all, active] at the end
 *   compacted what became of each compaction that was run (pi_compact.h)
 *   limit     [window, who says so]
 *   lost      turns whose fold nobody has seen (density=on)
 *   cuts      [turn, density_cut] of each sample whose delta spans a cut
 * In no turn of any case is a cause unknown; and a rewind to the last row in front of every turn changes no cause.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/host/pi_compact.h"
#include "replay/density.h"
#include "tests/replayed.h"

static struct str session_text(const cJSON *one, struct buf *b)
{
	const cJSON *lines = json_get(one, "pi"), *line;
	struct arena a = {0};
	if (lines != NULL)
		buf_text(b, "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":"
			    "\"2026-09-20T08:00:00.000Z\",\"cwd\":\"/home/dev\"}\n");
	else
		lines = json_get(one, "records");
	cJSON_ArrayForEach (line, lines) {
		struct buf json = {0};
		json_put(&json, line);
		buf_str(b, case_expand(&a, buf_view(&json)));
		buf_char(b, '\n');
		buf_free(&json);
	}
	arena_free(&a);
	return buf_view(b);
}

static void load(const cJSON *one, struct replayed *s)
{
	const char *file = json_str(json_get(one, "file")).p;
	struct buf text = {0};
	struct error e = {0};
	if (file == NULL) {
		replayed_open(s, session_text(one, &text));
	} else {
		*s = (struct replayed){0};
		if (recording_load(&s->recording, file, NULL, &e) != STATUS_OK)
			case_fail(one, "%s", e.message);
	}
	buf_free(&text);
}

/* A number, [a, b] for a / b, or null for NAN. */
static double wanted(const cJSON *one, const cJSON *v)
{
	double a, b;
	if (cJSON_IsNull(v))
		return (double)NAN;
	if (json_num(v, &a))
		return a;
	if (cJSON_GetArraySize(v) != 2 || !json_num(cJSON_GetArrayItem(v, 0), &a) ||
	    !json_num(cJSON_GetArrayItem(v, 1), &b))
		case_fail(one, "a value of the case is no number");
	return a / b;
}

static bool is_same(double a, double b) { return isnan(a) ? isnan(b) : a == b; }

typedef double turn_value(const struct run *r, size_t i);

static double count_of(const struct run *r, size_t i) { return r->timeline.turns.v[i].tokens; }
static double host_of(const struct run *r, size_t i) { return r->timeline.turns.v[i].host; }
static double raw_of(const struct run *r, size_t i) { return r->timeline.turns.v[i].raw; }
static double density_of(const struct run *r, size_t i)
{
	return i < r->pi.samples.n ? r->pi.samples.v[i].value : (double)NAN;
}

static void check_numbers(const cJSON *one, const struct run *r, const char *name, turn_value *value)
{
	const cJSON *list = json_get(one, name), *want;
	size_t i = 0;
	if (list == NULL)
		return;
	case_expect_count(one, name, (size_t)cJSON_GetArraySize(list), r->timeline.turns.n);
	cJSON_ArrayForEach (want, list) {
		if (!is_same(value(r, i), wanted(one, want)))
			case_fail(one, "%s of turn %zu is %.17g", name, i + 1, value(r, i));
		i++;
	}
}

static struct str scale_text(const struct run *r, size_t i)
{
	static const char *const names[] = {
		[COUNT_HOST] = "host",
		[COUNT_RAW] = "raw",
		[COUNT_SENT] = "sent",
		[COUNT_USAGE] = "usage",
		[COUNT_CALIBRATED] = "calibrated",
	};
	return str_of(names[r->timeline.turns.v[i].counted]);
}

static struct str cause_text(const struct run *r, size_t i)
{
	return str_of(sent_cause_name((enum sent_cause)r->sender.sent.v[i].cause));
}

static void check_words(const cJSON *one, const struct run *r, const char *name,
			struct str (*word)(const struct run *r, size_t i))
{
	const cJSON *list = json_get(one, name), *want;
	size_t i = 0;
	if (list == NULL)
		return;
	case_expect_count(one, name, (size_t)cJSON_GetArraySize(list), r->timeline.turns.n);
	cJSON_ArrayForEach (want, list) {
		if (!str_eq(word(r, i), json_str(want)))
			case_fail(one, "%s of turn %zu: %s", name, i + 1, word(r, i).p);
		i++;
	}
}

static void check_refs(const cJSON *one, struct run *r)
{
	const cJSON *list = json_get(one, "refs"), *want;
	size_t i = 0;
	if (list != NULL)
		case_expect_count(one, "refs", (size_t)cJSON_GetArraySize(list), r->sender.sent.n);
	cJSON_ArrayForEach (want, list) {
		char text[REF_TEXT_MAX];
		const struct sent *s = &r->sender.sent.v[i++];
		struct str got = s->break_message > 0 ? state_ref_text(&r->state, s->break_ref, text) : STR("");
		case_expect_text(one, "row of the difference", got, cJSON_IsNull(want) ? STR("") : json_str(want));
	}
}

static void check_breaks(const cJSON *one, const struct run *r)
{
	const cJSON *list = json_get(one, "breaks");
	for (int c = SENT_FIRST + 1; c < SENT_CAUSES; c++) {
		size_t n = 0;
		double want = 0;
		for (size_t i = 0; i < r->sender.sent.n; i++)
			n += r->sender.sent.v[i].cause == c;
		json_num(json_get(list, sent_cause_name((enum sent_cause)c)), &want);
		if (list != NULL)
			case_expect_count(one, sent_cause_name((enum sent_cause)c), n, (size_t)want);
		else if (c == SENT_UNKNOWN)
			case_expect_count(one, "unknown causes", n, 0);
	}
}

static void check_predictions(const cJSON *one, const struct run *r)
{
	const cJSON *list = json_get(one, "predicted"), *want;
	size_t i = 0;
	if (list != NULL)
		case_expect_count(one, "predictions", (size_t)cJSON_GetArraySize(list), r->sender.sent.n);
	cJSON_ArrayForEach (want, list) {
		double got = r->sender.sent.v[i++].predicted;
		if (!cJSON_IsNull(want) && got != wanted(one, want))
			case_fail(one, "predicted hit of turn %zu is %.17g", i, got);
	}
}

static void check_anchors(const cJSON *one, const struct run *r)
{
	const cJSON *want = json_get(one, "anchors");
	const struct sent *last = &r->sender.sent.v[r->sender.sent.n - 1];
	if (want == NULL)
		return;
	case_expect_count(one, "live anchors", last->anchors, (size_t)wanted(one, cJSON_GetArrayItem(want, 0)));
	case_expect_count(one, "tokens of their arguments", (size_t)last->anchor_tokens,
			  (size_t)wanted(one, cJSON_GetArrayItem(want, 1)));
	case_expect_count(one, "tokens of their arguments as sent", (size_t)last->slimmed_tokens,
			  (size_t)wanted(one, cJSON_GetArrayItem(want, 2)));
}

static void check_compressions(const cJSON *one, const struct run *r)
{
	const cJSON *list = json_get(one, "compress"), *want;
	size_t i = 0;
	if (list == NULL)
		return;
	case_expect_count(one, "compress calls", r->compressions.n, (size_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach (want, list) {
		const struct compress_outcome *o = &r->compressions.v[i++];
		if (o->applied != (cJSON_IsTrue(cJSON_GetArrayItem(want, 0)) != 0))
			case_fail(one, "call %zu: applied is %d", i, o->applied);
		case_expect_count(one, "blocks made", o->blocks, (size_t)wanted(one, cJSON_GetArrayItem(want, 1)));
		if (run_outcome_agrees(r, o) != (int)wanted(one, cJSON_GetArrayItem(want, 2)))
			case_fail(one, "call %zu: agrees is %d", i, run_outcome_agrees(r, o));
		if (o->lenient != (cJSON_IsTrue(cJSON_GetArrayItem(want, 3)) != 0))
			case_fail(one, "call %zu: lenient is %d", i, o->lenient);
	}
}

static void check_end(const cJSON *one, const struct run *r)
{
	const cJSON *blocks = json_get(one, "blocks"), *compacted = json_get(one, "compacted"),
		    *limit = json_get(one, "limit"), *want;
	size_t active = 0, i = 0;
	for (size_t b = 0; b < r->state.blocks.n; b++)
		active += r->state.blocks.v[b].active;
	if (blocks != NULL) {
		case_expect_count(one, "blocks", r->state.blocks.n, (size_t)wanted(one, cJSON_GetArrayItem(blocks, 0)));
		case_expect_count(one, "active ones", active, (size_t)wanted(one, cJSON_GetArrayItem(blocks, 1)));
	}
	if (compacted != NULL)
		case_expect_count(one, "compactions run", r->pi.compacted.n, (size_t)cJSON_GetArraySize(compacted));
	cJSON_ArrayForEach (want, compacted) {
		const char *stop = pi_compact_stop_name((enum pi_compact_stop)r->pi.compacted.v[i++].stop);
		case_expect_text(one, "what became of a compaction", str_of(stop), json_str(want));
	}
	if (limit != NULL) {
		if (r->config.limit != wanted(one, cJSON_GetArrayItem(limit, 0)))
			case_fail(one, "another window");
		case_expect_text(one, "who says so", str_of(r->limit_source), json_str(cJSON_GetArrayItem(limit, 1)));
	}
}

/* Turns, counted from 1. */
static void check_lost(const cJSON *one, const struct run *r)
{
	const cJSON *list = json_get(one, "lost"), *want = list != NULL ? list->child : NULL;
	for (size_t i = 0; list != NULL && i < r->pi.samples.n; i++) {
		bool wants = want != NULL && wanted(one, want) == (double)i + 1;
		if (r->pi.samples.v[i].fold_lost != wants)
			case_fail(one, "turn %zu: a fold is%s lost", i + 1, wants ? " not" : "");
		want = wants ? want->next : want;
	}
	if (want != NULL)
		case_fail(one, "there are fewer turns");
}

static void check_cuts(const cJSON *one, const struct run *r)
{
	static const char *const words[] = {
		[DENSITY_CUT_HOST] = "host", [DENSITY_CUT_LOST] = "lost", [DENSITY_CUT_KEPT] = "kept"};
	const cJSON *list = json_get(one, "cuts"), *want = list != NULL ? list->child : NULL;
	struct density_links links;
	struct arena a = {0};
	if (list == NULL)
		return;
	density_link(r, &a, &links);
	case_expect_count(one, "samples that span a cut", links.cuts, (size_t)cJSON_GetArraySize(list));
	if (want != NULL)
		case_expect_count(one, "the first of them", links.first,
				  (size_t)wanted(one, cJSON_GetArrayItem(want, 0)));
	for (; want != NULL; want = want->next) {
		size_t turn = (size_t)wanted(one, cJSON_GetArrayItem(want, 0));
		if (turn == 0 || turn > r->pi.samples.n || links.v[turn - 1].cut == DENSITY_NO_CUT)
			case_fail(one, "turn %zu spans no cut", turn);
		case_expect_text(one, "the cut", str_of(words[links.v[turn - 1].cut]),
				 json_str(cJSON_GetArrayItem(want, 1)));
	}
	arena_free(&a);
}

/* ---- rewinds that change nothing ---- */

static void put_line(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

/* The recording in our own form, with a rewind to the last row between a message and a turn that follows it. */
static void put_rewound(struct recording *rec, struct buf *out)
{
	struct buf text = {0};
	struct arena a = {0};
	struct str line, last = {NULL, 0};
	assert_int_equal(recording_write(rec, (struct recording_writer){put_line, &text}, NULL), STATUS_OK);
	for (size_t at = 0; at < text.n; at += line.n + 1) {
		line = str_cut(buf_view(&text), at, str_find(buf_view(&text), STR("\n"), at));
		const cJSON *tree = json_tree(&a, line, NULL, NULL);
		if (last.p != NULL && str_eq(json_str(json_get(tree, "type")), STR("turn"))) {
			buf_text(out, "{\"type\":\"rewind\",\"to\":");
			json_put_str(out, last);
			buf_text(out, "}\n");
		}
		last = (struct str){NULL, 0};
		if (str_eq(json_str(json_get(tree, "type")), STR("message")) && json_get(tree, "role") != NULL)
			last = json_str(json_get(tree, "id"));
		buf_str(out, line);
		buf_char(out, '\n');
	}
	buf_free(&text);
	arena_free(&a);
}

static void check_rewound(const cJSON *one, struct replayed *s)
{
	struct replayed again;
	struct buf text = {0};
	put_rewound(&s->recording, &text);
	replayed_open(&again, buf_view(&text));
	buf_free(&text);
	replayed_start_with(&again, json_str(json_get(one, "profile")).p, json_str(json_get(one, "policy")));
	again.run.want_requests = true;
	replayed_finish(&again);
	case_expect_count(one, "requests with rewinds", again.run.sender.sent.n, s->run.sender.sent.n);
	for (size_t i = 0; i < s->run.sender.sent.n; i++)
		case_expect_text(one, "cause with rewinds to the last row", cause_text(&again.run, i),
				 cause_text(&s->run, i));
	replayed_close(&again);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	(void)ctx;
	load(one, &s);
	replayed_start_with(&s, json_str(json_get(one, "profile")).p, json_str(json_get(one, "policy")));
	s.run.want_requests = true;
	replayed_finish(&s);
	case_expect_count(one, "requests", s.run.sender.sent.n, s.run.timeline.turns.n);
	check_numbers(one, &s.run, "counts", count_of);
	check_numbers(one, &s.run, "host", host_of);
	check_numbers(one, &s.run, "raw", raw_of);
	check_numbers(one, &s.run, "density", density_of);
	check_words(one, &s.run, "scales", scale_text);
	check_words(one, &s.run, "causes", cause_text);
	check_refs(one, &s.run);
	check_breaks(one, &s.run);
	check_predictions(one, &s.run);
	check_anchors(one, &s.run);
	check_compressions(one, &s.run);
	check_lost(one, &s.run);
	check_cuts(one, &s.run);
	check_end(one, &s.run);
	check_rewound(one, &s);
	replayed_close(&s);
}

static void test_cases(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_profiles.jsonl", check_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
