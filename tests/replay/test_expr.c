/* Conditions: cases by hand, every name against the trace at every turn of the samples, what is hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>

#include "replay/events.h"
#include "replay/expr_names.h"
#include "replay/frame_request.h"
#include "replay/report/trace.h"
#include "tests/generate.h"
#include "tests/replayed.h"
#include "tests/session_check.h"

/* ---- cases ---- */

static const char session[] =
	"{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":1000,"
	"\"renderTags\":\"none\",\"config\":{\"preserveRecentMessages\":0,\"preserveRecentTokens\":0},\"systemTokens\":"
	"7}\n"
	"{\"type\":\"message\",\"id\":\"u1\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"aaaa\"}\n"
	"{\"type\":\"turn\",\"tokenCount\":250}\n"
	"{\"type\":\"message\",\"id\":\"a1\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":"
	"\"xxxxxxxxxxxxxxxx\"}\n"
	"{\"type\":\"turn\",\"tokenCount\":500}\n"
	"{\"type\":\"message\",\"id\":\"a2\",\"role\":\"assistant\",\"contentType\":\"text\",\"text\":"
	"\"yyyyyyyyyyyyyyyy\"}\n"
	"{\"type\":\"turn\",\"tokenCount\":500}\n"
	"{\"type\":\"turn\",\"tokenCount\":0}\n";

struct stage {
	struct replayed s;
	struct expr_scene scene;
	size_t values, faults;
};

static void stage_open(struct stage *g)
{
	*g = (struct stage){.values = 0};
	replayed_open(&g->s, str_of(session));
	replayed_start(&g->s, "K60");
	replayed_finish(&g->s);
	assert_int_equal(g->s.run.timeline.turns.n, 4);
	expr_begin(&g->scene, &g->s.run);
}

static void stage_close(struct stage *g)
{
	expr_end(&g->scene);
	replayed_close(&g->s);
}

static void compare_value(const cJSON *one, uint32_t turn, const struct expr_value *v, const cJSON *want)
{
	struct buf got = {0}, text = {0};
	expr_put_json(&got, v);
	json_put(&text, want);
	if (!str_eq(buf_view(&got), buf_view(&text)))
		case_fail(one, "turn %u: %s, want %s", turn, got.p, text.p);
	buf_free(&got);
	buf_free(&text);
}

static void expect_fault(const cJSON *one, struct str text, const struct expr_fault *fault)
{
	const cJSON *caret = json_get(one, "caret");
	struct buf b = {0};
	if (str_find(str_of(fault->message), json_str(json_get(one, "error")), 0) == SIZE_MAX)
		case_fail(one, "it says: %s", fault->message);
	case_expect_count(one, "at", fault->at, (size_t)json_get(one, "at")->valuedouble);
	case_expect_text(one, "under", str_cut(text, fault->at, fault->at + fault->n),
			 json_str(json_get(one, "under")));
	expr_put_caret(&b, text, fault, false);
	if (caret != NULL)
		case_expect_text(one, "caret", buf_view(&b), json_str(caret));
	buf_free(&b);
}

static void run_case(const cJSON *one, void *ctx)
{
	struct stage *g = ctx;
	struct arena a = {0};
	struct expr_fault fault;
	struct str text = json_str(json_get(one, "expr"));
	const cJSON *turns = json_get(one, "turns");
	bool condition = json_get(one, "condition") != NULL;
	const struct expr *e = (condition ? expr_parse_condition : expr_parse)(text, &a, &fault);
	if (turns == NULL) {
		if (e != NULL)
			case_fail(one, "there is no fault in it");
		expect_fault(one, text, &fault);
		g->faults++;
	} else {
		if (e == NULL)
			case_fail(one, "%s", fault.message);
		int n = cJSON_GetArraySize(turns);
		/* forward, as probe goes, and backward, as a screen may */
		for (uint32_t i = 1; i <= 8; i++) {
			uint32_t turn = i <= 4 ? i : 9 - i;
			struct expr_value v = expr_at(&g->scene, e, turn);
			compare_value(one, turn, &v, cJSON_GetArrayItem(turns, n == 1 ? 0 : (int)turn - 1));
			assert_int_equal(v.type, expr_type_of(e));
		}
		g->values++;
	}
	arena_free(&a);
}

static void cases(void **state)
{
	struct stage g;
	(void)state;
	stage_open(&g);
	case_file_each("tests/cases/expr.jsonl", run_case, &g);
	assert_true(g.values > 70 && g.faults > 60);
	stage_close(&g);
}

/* ---- every name against the trace ---- */

/* A trace, by turn. */
struct traced {
	struct arena arena;
	struct trace trace;
	VEC(const cJSON *) turns, calls;
};

/* The number of a name as the trace has it: what it says that needs more than a member. */
struct asked {
	const struct traced *t;
	const struct run *r;
	const struct events *events;
	uint32_t n;
	const cJSON *turn;
};

static const cJSON *dotted(const cJSON *o, const char *path)
{
	char name[64];
	for (size_t n; o != NULL && *path != 0; path += n + (path[n] == '.')) {
		n = strcspn(path, ".");
		assert_true(n < sizeof name);
		memcpy(name, path, n);
		name[n] = 0;
		o = cJSON_IsObject(o) ? json_get(o, name) : NULL;
	}
	return o;
}

static double sum(const cJSON *list, const char *member)
{
	const cJSON *one;
	double x = 0;
	cJSON_ArrayForEach (one, list)
		x += json_get(one, member)->valuedouble;
	return x;
}

static double active(const struct asked *q, unsigned tier)
{
	const cJSON *one;
	double n = 0;
	cJSON_ArrayForEach (one, json_get(q->turn, "blocks"))
		n += cJSON_IsTrue(json_get(one, "active")) &&
		     (tier == 0 || json_get(one, "tier")->valuedouble == (double)tier);
	return n;
}

static bool happened(const struct asked *q, const char *event)
{
	const cJSON *one;
	cJSON_ArrayForEach (one, json_get(q->turn, "events"))
		if (str_eq(json_str(one), str_of(event)))
			return true;
	return false;
}

static double calls(const struct asked *q, bool applied)
{
	double n = 0;
	for (size_t i = 0; i < q->t->calls.n; i++)
		n += json_get(q->t->calls.v[i], "afterTurn")->valuedouble + 1 == q->n &&
		     cJSON_IsTrue(json_get(q->t->calls.v[i], "applied")) == applied;
	return n;
}

static double divergence(const struct asked *q)
{
	bool any = false;
	for (size_t i = 0; i < q->t->calls.n; i++)
		any |= json_get(q->t->calls.v[i], "afterTurn")->valuedouble + 1 == q->n &&
		       cJSON_IsFalse(json_get(q->t->calls.v[i], "agrees"));
	return any;
}

static struct str error(const struct asked *q)
{
	struct str newest = STR("");
	for (size_t i = 0; i < q->t->calls.n; i++) {
		const cJSON *errors = json_get(q->t->calls.v[i], "errors");
		if (json_get(q->t->calls.v[i], "afterTurn")->valuedouble + 1 == q->n && cJSON_GetArraySize(errors) > 0)
			newest = json_str(cJSON_GetArrayItem(errors, 0));
	}
	return newest;
}

/* Requests so far that lost bytes of the one before them. */
static double rebuilds(const struct asked *q)
{
	double n = 0;
	for (uint32_t i = 0; i < q->n; i++) {
		const cJSON *p = json_get(q->t->turns.v[i], "prefix");
		const cJSON *common = p ? json_get(p, "commonBytes") : NULL,
			    *before = p ? json_get(p, "prevBytes") : NULL;
		n += cJSON_IsNumber(before) && common->valuedouble < before->valuedouble &&
		     !str_eq(json_str(dotted(p, "break.cause")), STR("first"));
	}
	return json_get(q->t->turns.v[0], "prefix") != NULL ? n : NAN;
}

static double reinjections(const struct asked *q)
{
	double n = 0;
	for (size_t i = 0; i < q->events->n; i++) {
		const struct event *e = &q->events->v[i];
		n += e->kind == EVENT_REINJECT && (e->turn < q->n || (e->turn == q->n && e->after == 0));
	}
	return run_is_dsh(q->r) ? n : NAN;
}

/* Names whose value is no single member of the trace; false: this is none of them. */
static bool worked_out(const struct asked *q, const char *name, double *x)
{
	const struct moment *m = &q->r->timeline.turns.v[q->n - 1];
	const struct {
		const char *name;
		double x;
	} all[] = {
		{"user.turn", m->user_turn}, /* this and the next two are in no trace */
		{"tokens.cached", m->cache_read},
		{"ranges.compressible", m->compressible},
		{"nudge.tier",
		 cJSON_IsTrue(dotted(q->turn, "nudge.shouldInject")) ? dotted(q->turn, "nudge.tier")->valuedouble : 0},
		{"blocks", cJSON_GetArraySize(json_get(q->turn, "blocks"))},
		{"blocks.active", active(q, 0)},
		{"blocks.tier1", active(q, 1)},
		{"blocks.tier2", active(q, 2)},
		{"blocks.tier3", active(q, 3)},
		{"compress.applied", calls(q, true)},
		{"compress.refused", calls(q, false)},
		{"divergence", divergence(q)},
		{"ranges.count", cJSON_GetArraySize(json_get(q->turn, "recommended"))},
		{"ranges.tokens", sum(json_get(q->turn, "recommended"), "tokens")},
		{"ranges.protected", cJSON_GetArraySize(json_get(q->turn, "protected"))},
		{"rebuilds", rebuilds(q)},
		{"reinjections", reinjections(q)},
		{"event.failed", (m->events & MOMENT_FAILED) != 0}, /* .. and these two */
		{"event.refuted", (m->events & MOMENT_REFUTED) != 0},
		{"event.capacity", json_get(q->turn, "error") != NULL},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].name, name) == 0) {
			*x = all[i].x;
			return true;
		}
	if (strncmp(name, "event.", 6) == 0)
		*x = happened(q, name + 6);
	return strncmp(name, "event.", 6) == 0;
}

static bool agrees(const struct asked *q, const struct expr_name *name, const struct expr_value *v)
{
	const cJSON *member = name->trace != NULL ? dotted(q->turn, name->trace) : NULL;
	double x;
	if (strcmp(name->name, "compress.error") == 0)
		return v->known && str_eq(v->text, error(q));
	if (strcmp(name->name, "prefix.cause") == 0 && json_get(q->turn, "prefix") != NULL)
		return v->known && str_eq(v->text, member ? json_str(member) : STR("none"));
	if (name->type != EXPR_TEXT && worked_out(q, name->name, &x))
		return isnan(x) ? !v->known : v->known && v->number == x;
	assert_true(name->trace != NULL); /* a new name has to be compared with something */
	if (member == NULL || cJSON_IsNull(member))
		return !v->known;
	if (name->type == EXPR_TEXT)
		return v->known && str_eq(v->text, json_str(member));
	return v->known && v->number == (name->type == EXPR_BOOL ? cJSON_IsTrue(member) : member->valuedouble);
}

static void on_turn(void *ctx, struct run *r, uint32_t n, const struct moment *m) { trace_turn(ctx, r, n, m); }
static void on_compress(void *ctx, struct run *r, const struct compress_event *e) { trace_compress(ctx, r, e); }

static void read_trace(struct traced *t)
{
	struct str all = buf_view(&t->trace.out);
	for (size_t at = 0, end; at < all.n; at = end + 1) {
		end = str_find(all, STR("\n"), at);
		const cJSON *o = json_tree(&t->arena, str_cut(all, at, end), NULL, NULL);
		assert_non_null(o);
		if (str_eq(json_str(json_get(o, "type")), STR("turn")))
			vec_push(&t->turns, o);
		else if (str_eq(json_str(json_get(o, "type")), STR("compress")))
			vec_push(&t->calls, o);
	}
}

/* How often each name was compared where it was known, over all files. */
struct counts {
	size_t compared, known[128];
};

static void compare_names(struct replayed *s, struct traced *t, struct expr_scene *scene, const char *what,
			  struct counts *c)
{
	struct arena a = {0};
	struct expr_fault fault;
	struct asked q = {.t = t, .r = &s->run};
	struct frame frame = {0};
	frame.run = &s->run;
	q.events = events_of(&frame);
	for (size_t i = 0; expr_names[i].name != NULL; i++) {
		const struct expr *e = expr_parse(str_of(expr_names[i].name), &a, &fault);
		assert_non_null(e);
		assert_true(i < sizeof c->known / sizeof *c->known);
		for (q.n = 1; q.n <= s->run.timeline.turns.n; q.n++) {
			struct expr_value v = expr_at(scene, e, q.n);
			q.turn = t->turns.v[q.n - 1];
			bool ran = json_get(q.turn, "error") == NULL;
			if (!ran && !expr_names[i].always ? v.known : !agrees(&q, &expr_names[i], &v)) {
				struct buf b = {0};
				expr_put_json(&b, &v);
				print_error("%s: turn %u: %s is %s\n", what, q.n, expr_names[i].name, b.p);
				fail();
			}
			c->compared++;
			c->known[i] += v.known;
		}
	}
	frame_close(&frame);
	arena_free(&a);
}

/* The recording is loaded; it is closed here. */
static void check_replayed(struct replayed *s, const char *profile, const char *what, struct counts *c)
{
	struct traced t = {.trace = {.changes = false}};
	struct expr_scene scene;
	replayed_start(s, profile);
	s->run.observer = (struct run_observer){on_turn, on_compress, &t.trace};
	s->run.want_requests = request_figures(&s->run);
	replayed_finish(s);
	read_trace(&t);
	assert_int_equal(t.turns.n, s->run.timeline.turns.n);
	expr_begin(&scene, &s->run);
	compare_names(s, &t, &scene, what, c);
	expr_end(&scene);
	trace_free(&t.trace);
	vec_free(&t.turns);
	vec_free(&t.calls);
	arena_free(&t.arena);
	replayed_close(s);
}

static void check_file(const char *path, const char *profile, struct counts *c)
{
	struct replayed s = {.has_run = false};
	session_load(&s.recording, path, path);
	check_replayed(&s, profile, path, c);
}

static void names_are_the_trace(void **state)
{
	struct counts c = {0};
	size_t files = 0;
	DIR *d = opendir("sample-sessions");
	(void)state;
	assert_non_null(d);
	for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
		char path[512];
		size_t n = strlen(entry->d_name);
		if (n < 6 || strcmp(entry->d_name + n - 6, ".jsonl") != 0)
			continue;
		snprintf(path, sizeof path, "sample-sessions/%s", entry->d_name);
		check_file(path, NULL, &c);
		if (strncmp(entry->d_name, "pi-", 3) == 0)
			check_file(path, "P97", &c);
		files++;
	}
	closedir(d);
	assert_true(files >= 15 && c.compared > 10000);
	/* a name that is known nowhere was compared with nothing */
	for (size_t i = 0; expr_names[i].name != NULL; i++)
		if (c.known[i] == 0) {
			print_error("%s is known nowhere\n", expr_names[i].name);
			fail();
		}
}

/* Sessions with every type of record: states that replace each other, rewinds, restarts. */
static void names_of_generated(void **state)
{
	struct counts c = {0};
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct replayed s;
		struct buf text = {0};
		generate_recording(&(struct generate_options){.shape = seed % 2 ? GENERATE_TYPES : GENERATE_EVERYTHING,
							      .seed = seed,
							      .turns = 60},
				   &text);
		replayed_open(&s, buf_view(&text));
		check_replayed(&s, NULL, "generated", &c);
		buf_free(&text);
	}
	assert_true(c.compared > 10000);
}

/* Values do not depend on where the run stands: turns in any order, names of states and frames mixed. */
static void any_order(void **state)
{
	static const char *const texts[] = {"blocks.tier1 + blocks.tier2 * 10", "row(\"b2\").visible",
					    "changed(row(\"b1\").visible) or blocks.tier2 > prev(blocks.tier2)",
					    "tokens.folded"};
	enum { TEXTS = sizeof texts / sizeof *texts, TURNS = 60 };
	struct replayed s = {.has_run = false};
	struct arena a = {0};
	struct expr_fault fault;
	struct expr_scene scene;
	struct expr_value want[TEXTS][TURNS + 1];
	const struct expr *e[TEXTS];
	uint64_t seed = 7;
	double most[TEXTS] = {0};
	(void)state;
	session_load(&s.recording, "sample-sessions/tiers.acps.jsonl", "tiers");
	replayed_start(&s, NULL);
	replayed_finish(&s);
	expr_begin(&scene, &s.run);
	uint32_t turns = (uint32_t)s.run.timeline.turns.n;
	assert_true(turns > 10 && turns <= TURNS);
	for (size_t i = 0; i < TEXTS; i++) {
		e[i] = expr_parse(str_of(texts[i]), &a, &fault);
		assert_non_null(e[i]);
		for (uint32_t n = 1; n <= turns; n++) {
			want[i][n] = expr_at(&scene, e[i], n);
			most[i] = want[i][n].number > most[i] ? want[i][n].number : most[i];
		}
		assert_true(most[i] > 0); /* else it says nothing */
	}
	for (int round = 0; round < 1000; round++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		size_t i = (seed >> 33) % TEXTS;
		uint32_t n = 1 + (uint32_t)((seed >> 40) % turns);
		struct expr_value v = expr_at(&scene, e[i], n);
		assert_true(v.known == want[i][n].known && v.number == want[i][n].number);
	}
	expr_end(&scene);
	arena_free(&a);
	replayed_close(&s);
}

/* ---- rows of a DSH session ---- */

static void expect_text(struct expr_scene *s, const char *text, uint32_t turn, const char *want)
{
	struct arena a = {0};
	struct expr_fault fault;
	struct buf b = {0};
	const struct expr *e = expr_parse(str_of(text), &a, &fault);
	assert_non_null(e);
	struct expr_value v = expr_at(s, e, turn);
	expr_put_value(&b, &v);
	buf_char(&b, 0);
	assert_string_equal(b.p, want);
	buf_free(&b);
	arena_free(&a);
}

/* README: row 8 of the storm is folded and comes back as row 53191. */
static void rows_of_dsh(void **state)
{
	struct replayed s = {.has_run = false};
	struct expr_scene scene;
	(void)state;
	session_load(&s.recording, "sample-sessions/dsh-storm.jsonl", "storm");
	replayed_start(&s, "F1");
	replayed_finish(&s);
	expr_begin(&scene, &s.run);
	uint32_t last = (uint32_t)s.run.timeline.turns.n;
	expect_text(&scene, "row(\"8\").class", 1, "instruction");
	expect_text(&scene, "row(\"8\").visible", last, "false");
	expect_text(&scene, "row(\"8\").class", last, "?");
	expect_text(&scene, "row(\"53191\").visible", 1, "false");
	expect_text(&scene, "reinjections", last, "20");
	expr_end(&scene);
	replayed_close(&s);
}

/* ---- names at a failing turn ---- */

static void names_are_told(void **state)
{
	struct stage g;
	struct arena a = {0};
	struct expr_fault fault;
	struct buf b = {0};
	(void)state;
	stage_open(&g);
	const struct expr *e =
		expr_parse(STR("usage < 0.4 and rows = prev(rows) or row(\"m00001\").role = \"tool\""), &a, &fault);
	assert_non_null(e);
	expr_put_names(&g.scene, e, 2, 8, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p, "usage = 0.5, rows = 2, row(\"m00001\").role = \"user\"");
	buf_cut(&b, 0);
	expr_put_names(&g.scene, e, 2, 1, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p, "usage = 0.5");
	buf_free(&b);
	arena_free(&a);
	stage_close(&g);
}

/* ---- hostile ---- */

/* Whatever it is: a fault lies in the text, and the caret's lines are two, as wide as a terminal at most. */
static bool parses(struct stage *g, struct str text, struct expr_value *v)
{
	struct arena a = {0};
	struct expr_fault fault;
	struct buf b = {0};
	const struct expr *e = expr_parse(text, &a, &fault);
	bool good = e != NULL;
	if (good && v != NULL) {
		*v = expr_at(&g->scene, e, 4);
	} else if (!good) {
		assert_true(fault.message[0] != 0);
		assert_true(fault.at <= text.n && fault.n <= text.n - fault.at);
		expr_put_caret(&b, text, &fault, true);
		size_t first = str_find(buf_view(&b), STR("\n"), 0);
		assert_true(first <= 80 && b.n - first - 2 <= 80);
		assert_int_equal(b.p[b.n - 1], '\n');
		struct str second = str_cut(buf_view(&b), first + 1, b.n - 1);
		assert_int_equal(second.p[second.n - 1], '^');
		for (size_t i = 0; i < second.n; i++)
			assert_true(second.p[i] == ' ' || second.p[i] == '^');
	}
	buf_free(&b);
	arena_free(&a);
	return good;
}

static void put_times(struct buf *b, const char *text, size_t times)
{
	for (size_t i = 0; i < times; i++)
		buf_text(b, text);
}

/* `open` times, `middle`, `close` times. */
static bool nested(struct stage *g, const char *open, const char *middle, const char *close, size_t times,
		   struct expr_value *v)
{
	struct buf b = {0};
	put_times(&b, open, times);
	buf_text(&b, middle);
	put_times(&b, close, times);
	bool good = parses(g, buf_view(&b), v);
	buf_free(&b);
	return good;
}

static void long_and_deep(void **state)
{
	struct stage g;
	struct expr_value v;
	(void)state;
	stage_open(&g);
	assert_true(nested(&g, "(", "turn", ")", EXPR_DEPTH_MAX, &v));
	assert_true(v.number == 4);
	assert_false(nested(&g, "(", "turn", ")", EXPR_DEPTH_MAX + 1, NULL));
	assert_false(nested(&g, "(", "1", ")", 30000, NULL));
	assert_false(nested(&g, "(", "1", ")", 100000, NULL));
	assert_false(nested(&g, "(", "", "", 60000, NULL));
	assert_false(nested(&g, "known(", "1", ")", 5000, NULL));
	assert_false(nested(&g, "prev(", "1", ")", 5000, NULL));
	assert_false(nested(&g, "1+", "1", "", 500000, NULL)); /* 1 MB */
	assert_false(nested(&g, "a", "", "", 1 << 20, NULL));
	assert_false(nested(&g, "\"", "", "", 1 << 20, NULL));
	/* chains and signs are no depth: 16000 times */
	assert_true(nested(&g, "1+", "1", "", 16000, &v));
	assert_true(v.number == 16001);
	assert_true(nested(&g, "2*1/2*", "1", "", 10000, &v));
	assert_true(v.number == 1);
	assert_true(nested(&g, "-", "1", "", 60000, &v));
	assert_true(v.number == 1);
	assert_true(nested(&g, "not ", "true", "", 16001, &v));
	assert_true(v.known && v.number == 0);
	assert_true(nested(&g, "false or ", "true", "", 7000, &v));
	assert_true(v.number == 1);
	/* every level with all that can stand in it */
	assert_true(nested(&g, "not(-1*(-1+2*(1 = 1 and ", "true", "= 2*1 ))=1)", 0, &v));
	assert_true(nested(&g, "true and not known(true or ", "true", ")", EXPR_DEPTH_MAX, &v));
	stage_close(&g);
}

/* (a+)+ of 40 letters would take 2^40 steps. */
static void patterns_that_blow_up(void **state)
{
	static const char *const patterns[] = {"^(a+)+$", "^(a|aa)+$", "(*LIMIT_MATCH=4000000000)^(a+)+$",
					       "(*NO_JIT)^(a|a|a|a)*$", "^(([a-z])+.)+[A-Z]([a-z])+$"};
	struct stage g;
	(void)state;
	stage_open(&g);
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct expr_value v = {.known = true};
		struct buf b = {0};
		g.scene.given_up = g.scene.matches = 0;
		buf_printf(&b, "known(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\" ~ /%s/)",
			   patterns[i]);
		assert_true(parses(&g, buf_view(&b), &v));
		assert_true(v.known && v.number == 0);
		assert_int_equal(g.scene.given_up, 1);
		assert_int_equal(g.scene.matches, 1);
		buf_free(&b);
	}
	/* patterns that are too much by themselves */
	assert_false(nested(&g, "\"a\" ~ /", "((((a{1,1000}){1,1000}){1,1000}){1,1000})/", "", 1, NULL));
	struct buf b = {0};
	buf_text(&b, "\"a\" ~ /");
	put_times(&b, "a", EXPR_PATTERN_MAX + 1);
	buf_char(&b, '/');
	assert_false(parses(&g, buf_view(&b), NULL));
	buf_cut(&b, 0);
	buf_text(&b, "\"a\" ~ /");
	put_times(&b, "(", 300);
	put_times(&b, ")", 300);
	buf_char(&b, '/');
	assert_false(parses(&g, buf_view(&b), NULL));
	/* bytes that are no text */
	assert_false(parses(&g, STR("\"a\" ~ /\xff/"), NULL));
	assert_false(parses(&g, STR("\"\xc0\x80\" ~ /./"), NULL));
	assert_false(parses(&g, STR("\"\xed\xa0\x80\" ~ /./"), NULL));
	assert_true(parses(&g, STR("\"\xe4\xb8\xad\" ~ /./"), NULL));
	buf_free(&b);
	stage_close(&g);
}

/* Pieces of the language in any order: never a crash, and a place for every fault. */
static void anything(void **state)
{
	static const char *const pieces[] = {"turn",
					     "usage",
					     "prefix.cause",
					     "blocks.tier2",
					     "1",
					     "0",
					     "1e3",
					     "\"a\"",
					     "\"",
					     "true",
					     "(",
					     ")",
					     "(",
					     ")",
					     "+",
					     "-",
					     "*",
					     "/",
					     "=",
					     "!=",
					     "<",
					     ">=",
					     "and",
					     "or",
					     "not",
					     "~",
					     "/a+/",
					     "/(/",
					     "row",
					     ".role",
					     ".",
					     ",",
					     "\\",
					     "\xff",
					     "中",
					     "\x1b",
					     "prev",
					     "known",
					     "changed",
					     "storm",
					     "\n",
					     " ",
					     "x",
					     "\"m00001\"",
					     "row(\"m00002\").tokens"};
	struct stage g;
	uint64_t seed = 1;
	size_t good = 0;
	(void)state;
	stage_open(&g);
	for (int round = 0; round < 30000; round++) {
		struct buf b = {0};
		struct expr_value v;
		for (int i = 0; i < 1 + round % 12; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			buf_text(&b, pieces[(seed >> 33) % (sizeof pieces / sizeof *pieces)]);
			buf_text(&b, seed >> 60 > 3 ? " " : "");
		}
		good += parses(&g, buf_view(&b), &v);
		buf_free(&b);
	}
	assert_true(good > 500);
	stage_close(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),
		cmocka_unit_test(names_are_the_trace),
		cmocka_unit_test(names_of_generated),
		cmocka_unit_test(any_order),
		cmocka_unit_test(rows_of_dsh),
		cmocka_unit_test(names_are_told),
		cmocka_unit_test(long_and_deep),
		cmocka_unit_test(patterns_that_blow_up),
		cmocka_unit_test(anything),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
