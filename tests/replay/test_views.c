/* Views: screens worked out by hand, and what must hold for every line of every view. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <math.h>

#include "engine/base/json.h"
#include "replay/explain.h"
#include "replay/prices.h"
#include "replay/view/nudge.h"
#include "replay/view/text.h"
#include "replay/view/view.h"
#include "replay/view/words.h"
#include "tests/generate.h"
#include "tests/generate_pi.h"
#include "tests/replayed.h"
#include "tests/view_screens.h"

static void screens(void **state)
{
	(void)state;
	view_screens_file("tests/cases/views.jsonl");
}

/* ---- what holds for every line ---- */

/* Printable in any terminal: no control character, and not wider than the window. */
static void check_line(const struct line *l, const struct view_context *c, const char *what)
{
	int width = 0;
	for (size_t i = 0; i < l->segments.n; i++) {
		struct str text = line_text(l, &l->segments.v[i]);
		for (size_t k = 0; k < text.n; k++)
			assert_true((unsigned char)text.p[k] >= 0x20 && text.p[k] != 0x7F);
		for (size_t k = 0; k < text.n && c->ascii; k++)
			assert_true((unsigned char)text.p[k] < 0x80);
		width += text_width(text, c->ascii);
	}
	if (width > c->width) {
		print_error("%s: %d columns in a window of %d: %.*s\n", what, width, c->width, (int)l->bytes.n,
			    l->bytes.p);
		fail();
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Keys are unique; all lines of the Rows view have one unless there are no rows. */
static void check_keys(const struct view_ops *v, const struct view_context *c)
{
	size_t n = v->count(c);
	VEC(uint64_t) keys = {0};
	for (size_t i = 0; i < n; i++)
		if (v->key(c, i) != 0)
			vec_push(&keys, v->key(c, i));
	/* but for the rule where the prefix breaks */
	if (v == &rows_view && c->frame->rows.n > 0)
		assert_in_range(keys.n, n - 1, n);
	if (keys.n > 0)
		qsort(keys.v, keys.n, sizeof *keys.v, by_value);
	for (size_t i = 1; i < keys.n; i++)
		assert_true(keys.v[i - 1] != keys.v[i]);
	vec_free(&keys);
}

static void check_view(const struct view_ops *v, struct view_context *c, struct line *l, bool details)
{
	size_t n = v->count(c);
	if (v->caption) {
		v->caption(c, l);
		check_line(l, c, v->name);
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t key = v->key(c, i);
		v->line(c, i, l);
		check_line(l, c, v->name);
		size_t lines = details && key != 0 ? v->detail_count(c, key) : 0;
		for (size_t k = 0; k < lines; k++) {
			v->detail_line(c, key, k, l);
			check_line(l, c, "detail");
		}
		if (details && key != 0)
			assert_true(lines > 0);
	}
}

static void check_position(struct run *r, struct frame *f, struct position p, int width, bool details)
{
	struct error e = {0};
	assert_int_equal(frame_open(f, r, p, &e), STATUS_OK);
	for (int ascii = 0; ascii < 2; ascii++) {
		struct view_context c = {.run = r, .frame = f, .ascii = ascii, .width = width};
		struct line l = {.ascii = ascii};
		for (size_t i = 0; views[i]; i++) {
			check_view(views[i], &c, &l, details);
			check_keys(views[i], &c);
		}
		for (int i = 0; i < STRIP_LINES; i++) {
			strip_line(&c, i, &l);
			check_line(&l, &c, "strip");
		}
		status_line(&c, &l);
		check_line(&l, &c, "status");
		assert_true(l.width > 0);
		line_free(&l);
	}
}

static void open_generated(struct replayed *s, enum generate_shape shape, uint64_t seed, uint32_t turns)
{
	struct buf b = {0};
	generate_recording(&(struct generate_options){.shape = shape, .seed = seed, .turns = turns}, &b);
	replayed_open(s, buf_view(&b));
	buf_free(&b);
	replayed_start(s, "K60");
	replayed_finish(s);
}

static void lines_fit_at_every_width(void **state)
{
	(void)state;
	struct replayed s;
	struct frame f = {0};
	open_generated(&s, GENERATE_EVERYTHING, 7, 40);
	enum { TURNS = 30 };
	assert_true(s.run.timeline.turns.n >= TURNS);
	for (int width = 1; width <= 200; width++) {
		/* every turn and node comes up, at different widths */
		struct position p = {.turn = 1 + (uint32_t)width % TURNS, .node = (enum turn_node)(width % NODE_COUNT)};
		check_position(&s.run, &f, p, width, width % 8 == 0);
	}
	check_position(&s.run, &f, (struct position){.node = NODE_RENDER}, 80, true);
	frame_close(&f);
	replayed_close(&s);
}

/* The same of what the Pi adapter adds: Density under a profile that measures, Prefix and Request with prices. */
static void pi_lines_fit_at_every_width(void **state)
{
	static struct model_price models[] = {{STR("*"), {3e-6, 3e-7, 4e-6, 15e-6}}};
	static const struct prices prices = {STR("\x1b[2J"), models, 1};
	static const char *const profiles[] = {"P155", "P97", "P173"};
	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct buf b = {0};
		struct replayed s;
		struct frame f = {0};
		generate_pi(seed, 40, &b);
		replayed_open(&s, buf_view(&b));
		buf_free(&b);
		replayed_start_with(&s, profiles[seed], STR("limit=9000"));
		s.run.want_requests = true;
		s.run.prices = &prices;
		replayed_finish(&s);
		uint32_t turns = (uint32_t)s.run.timeline.turns.n;
		assert_true(turns >= 40 && s.run.pi.samples.n == turns);
		for (int width = 1 + (int)seed; width <= 200; width += 3) {
			struct position p = {.turn = 1 + (uint32_t)width % turns, .node = NODE_RENDER};
			check_position(&s.run, &f, p, width, width % 8 == 0);
		}
		check_position(&s.run, &f, (struct position){.node = NODE_RENDER}, 80, true);
		frame_close(&f);
		replayed_close(&s);
	}
}

/* Sessions of every kind: no two lines of a view share a key, at any node of some turns. */
static void keys_are_unique(void **state)
{
	(void)state;
	for (int shape = 0; shape < GENERATE_SHAPES; shape++)
		for (uint64_t seed = 1; seed <= 12; seed++) {
			struct replayed s;
			struct frame f = {0};
			open_generated(&s, (enum generate_shape)shape, seed, 90);
			for (uint32_t turn = 1 + (uint32_t)seed; turn <= s.run.timeline.turns.n; turn += 13) {
				struct position p = {.turn = turn, .node = (enum turn_node)(turn % NODE_COUNT)};
				check_position(&s.run, &f, p, 80, false);
				p.node = NODE_RENDER;
				check_position(&s.run, &f, p, 60, false);
			}
			frame_close(&f);
			replayed_close(&s);
		}
}

/* A stored state can hold two blocks of one id; both can be active, and targets of the nudge. */
static void blocks_of_one_id(void **state)
{
	(void)state;
	static const char block[] = "{\"blockId\":\"b1\",\"runId\":\"r1\",\"tier\":1,\"summary\":\"%s\","
				    "\"directMessageIds\":[\"%s\"],\"effectiveMessageIds\":[\"%s\"],"
				    "\"directBlockIds\":[],\"compressedTokens\":1,\"createdAt\":0,"
				    "\"survivedCount\":0,\"generation\":\"young\",\"active\":true}";
	struct buf b = {0};
	struct replayed s;
	struct frame f = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\",\"contextLimit\":100,"
		     "\"state\":{\"nextBlockId\":2,\"blocks\":[");
	buf_printf(&b, block, "one of two", "x", "x");
	buf_char(&b, ',');
	buf_printf(&b, block, "and the other", "y", "y");
	buf_text(&b, "]}}\n");
	for (const char *id = "xyz"; *id; id++)
		buf_printf(&b,
			   "{\"type\":\"message\",\"id\":\"%c\",\"role\":\"%s\",\"contentType\":\"text\","
			   "\"text\":\"words\"}\n",
			   *id, *id == 'z' ? "user" : "assistant");
	buf_text(&b, "{\"type\":\"turn\",\"tokenCount\":99}\n");
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, "K60");
	replayed_finish(&s);
	check_position(&s.run, &f, (struct position){.turn = 1, .node = NODE_RENDER}, 100, true);
	assert_int_equal(f.surface_rows, 3);
	assert_int_equal(f.turn.nudge.targets.n, 2);
	struct view_context c = {.run = &s.run, .frame = &f, .width = 100};
	for (size_t i = 0; i < 2; i++) { /* and each opens its own block */
		struct line l = {0};
		bool own = false, other = false;
		uint64_t key = rows_view.key(&c, i);
		for (size_t k = 0; k < rows_view.detail_count(&c, key); k++) {
			rows_view.detail_line(&c, key, k, &l);
			struct str text = {l.bytes.p, l.bytes.n};
			own = own || str_find(text, i == 0 ? STR("one of two") : STR("and the other"), 0) != SIZE_MAX;
			other = other ||
				str_find(text, i == 1 ? STR("one of two") : STR("and the other"), 0) != SIZE_MAX;
		}
		assert_true(own && !other);
		line_free(&l);
	}
	frame_close(&f);
	replayed_close(&s);
	buf_free(&b);
}

/* Texts chosen to hurt, at every width. */
static void hostile_texts_fit(void **state)
{
	(void)state;
	static const char lines[] =
		"{\"type\":\"session\",\"version\":1,\"id\":\"\\u001b[2J\\u202e\",\"host\":\"other\",\"model\":"
		"\"\\u0007\\u4f60\\u597d\"}\n"
		"{\"type\":\"message\",\"id\":\"\\u0000\",\"role\":\"user\",\"contentType\":\"text\",\"text\":"
		"\"\\u001b[31mred\\u001b[0m \\ud800 "
		"e\\u0301\\u0302\\u0303\\u0304\\u0305\\u0306 \\ud83d\\ude00\\u200d\\ud83d\\ude00 "
		"\\u4f60\\r\\n\\t\\u2028x\"}\n"
		"{\"type\":\"message\",\"id\":\"c\",\"role\":\"assistant\",\"contentType\":\"tool-call\",\"text\":\"\","
		"\"toolName\":\"\\u001b]0;t\\u0007\\u4f60\\u4f60\\u4f60\\u4f60\\u4f60\\u4f60\\u4f60\",\"toolCallId\":"
		"\"\\u009b1m\"}\n"
		"{\"type\":\"message\",\"id\":\"r\",\"role\":\"tool\",\"contentType\":\"tool-result\",\"text\":"
		"\"\\uffff\\u0300\","
		"\"toolName\":\"\\u001b]0;t\\u0007\\u4f60\\u4f60\\u4f60\\u4f60\\u4f60\\u4f60\\u4f60\",\"toolCallId\":"
		"\"\\u009b1m\"}\n"
		"{\"type\":\"turn\",\"tokenCount\":1e300}\n{\"type\":\"turn\",\"tokenCount\":-5}\n{\"type\":\"turn\"}"
		"\n";
	struct replayed s;
	struct frame f = {0};
	replayed_open(&s, str_of(lines));
	replayed_start(&s, NULL);
	replayed_finish(&s);
	for (int width = 1; width <= 200; width++)
		for (uint32_t turn = 1; turn <= 3; turn++)
			check_position(&s.run, &f, (struct position){.turn = turn, .node = NODE_RENDER}, width, true);
	frame_close(&f);
	replayed_close(&s);
}

/* The same row has the same key at every position. */
static void keys_are_stable(void **state)
{
	(void)state;
	struct replayed s;
	struct frame f = {0};
	struct arena a = {0};
	open_generated(&s, GENERATE_TIERS, 3, 40);
	size_t messages = s.recording.messages.n, seen = 0;
	uint64_t *keys = arena_zero(&a, messages, sizeof *keys);
	for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn++) {
		struct view_context c = {.run = &s.run, .frame = &f, .width = 80};
		assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = turn, .node = NODE_RENDER}, NULL),
				 STATUS_OK);
		assert_int_equal(rows_view.count(&c), f.rows.n); /* nothing is folded after prune */
		for (size_t i = 0; i < f.rows.n; i++) {
			int32_t source = f.rows.v[i].row.source;
			uint64_t key = rows_view.key(&c, i);
			if (source < 0)
				continue;
			assert_true(keys[source] == 0 || keys[source] == key);
			seen += keys[source] != 0;
			keys[source] = key;
		}
	}
	assert_true(seen > 0);
	arena_free(&a);
	frame_close(&f);
	replayed_close(&s);
}

/* ---- gates and whys against the engine ---- */

/* The tier the gates lead to (kernel.md 4.7.2, 4.7.3). */
static int tier_of_gates(const struct gate *g, const double pending[4])
{
	if (g[NUDGE_GATE_OVER_LIMIT].pass || g[NUDGE_GATE_EMERGENCY].pass) {
		int best = 1;
		for (int t = 2; t <= 3 && g[NUDGE_GATE_TIERS].pass; t++)
			best = pending[t] > pending[best] ? t : best;
		return g[NUDGE_GATE_PILE].pass ? best : 0;
	}
	/* the last gate asked decides */
	if (g[NUDGE_GATE_T1_PILE].asked && g[NUDGE_GATE_T1_PILE].pass)
		return 1;
	if (g[NUDGE_GATE_T2_CADENCE].asked)
		return g[NUDGE_GATE_T2_CADENCE].pass ? 2 : 0;
	return g[NUDGE_GATE_T3_CADENCE].asked && g[NUDGE_GATE_T3_CADENCE].pass ? 3 : 0;
}

static void check_gates(const struct frame *f, size_t tiers[4])
{
	struct gate g[NUDGE_GATE_COUNT];
	assert_true(gates_decided(f));
	gates_of(f, g);
	assert_int_equal(tier_of_gates(g, f->turn.nudge.n.pending), f->turn.nudge.tier);
	tiers[f->turn.nudge.tier]++;
}

static bool has_rule(const struct explanation *l, enum rule rule)
{
	for (size_t i = 0; i < l->reasons.n; i++)
		if (l->reasons.v[i].rule == rule)
			return true;
	return false;
}

/* Every flag of a row has its rule and every rule its flag; numbers of a rule keep to its limit. */
static void check_whys(struct frame *f, size_t count[RULE_COUNT])
{
	for (size_t i = 0; i < f->rows.n; i++) {
		struct arena a = {0};
		struct explanation l = {.arena = &a};
		const struct frame_row *row = &f->rows.v[i];
		bool there = row->mark != MARK_REMOVED;
		explain_row(f, row, &l);
		bool recent = has_rule(&l, RULE_ROW_RECENT_MESSAGES) || has_rule(&l, RULE_ROW_RECENT_TOKENS);
		if (there) {
			assert_int_equal(recent, (row->flags & ROW_RECENT) != 0);
			assert_int_equal(has_rule(&l, RULE_ROW_LAST_USER), (row->flags & ROW_LAST_USER) != 0);
		}
		assert_int_equal(has_rule(&l, RULE_ROW_PROTECTED_TOOL) || has_rule(&l, RULE_ROW_PROTECTED_PAIR),
				 (row->flags & ROW_PROTECTED) != 0);
		assert_int_equal(has_rule(&l, RULE_ROW_COVERED), (row->flags & ROW_COVERED) != 0);
		assert_int_equal(has_rule(&l, RULE_ROW_BLOCKED), (row->flags & ROW_BLOCKED) != 0);
		assert_int_equal(has_rule(&l, RULE_ROW_NO_REF), row->row.ref == REF_NONE);
		assert_int_equal(has_rule(&l, RULE_ROW_HIDDEN_CALL) || has_rule(&l, RULE_ROW_HIDDEN_RESULT),
				 (row->flags & ROW_HIDDEN) != 0);
		assert_int_equal(has_rule(&l, RULE_ROW_TRUNCATED), (row->flags & ROW_TRUNCATED) != 0);
		if (!there && f->at.node == NODE_PRUNE)
			assert_int_equal((has_rule(&l, RULE_ROW_COVERED) && !has_rule(&l, RULE_ROW_FIRST_USER)) +
						 has_rule(&l, RULE_ROW_ORPHAN) + has_rule(&l, RULE_ROW_SHOWN_AGAIN),
					 1);
		/* from recommend on a row is in a group, or something says why it is not */
		bool numbered = row->row.ref != REF_NONE && row->row.ref != REF_BLOCKED;
		if (there && numbered && f->at.node >= NODE_RECOMMEND)
			assert_int_equal(has_rule(&l, RULE_ROW_GROUP), has_rule(&l, RULE_ROW_RANGE));
		if (there && numbered && row->range == 0 && f->at.node >= NODE_RECOMMEND)
			assert_true(recent || has_rule(&l, RULE_ROW_LAST_USER) ||
				    has_rule(&l, RULE_ROW_PROTECTED_TOOL) || has_rule(&l, RULE_ROW_PROTECTED_PAIR) ||
				    has_rule(&l, RULE_ROW_COVERED) || has_rule(&l, RULE_ROW_HEADER) ||
				    has_rule(&l, RULE_ROW_EMPTY_GROUP));
		for (size_t k = 0; k < l.reasons.n; k++)
			count[l.reasons.v[k].rule]++;
		explanation_free(&l);
		arena_free(&a);
	}
}

static void check_session(enum generate_shape shape, uint64_t seed, size_t tiers[4], size_t count[RULE_COUNT])
{
	struct replayed s;
	struct frame f = {0};
	open_generated(&s, shape, seed, 60);
	for (uint32_t turn = 1; turn <= s.run.timeline.turns.n; turn++) {
		struct position p = {.turn = turn, .node = NODE_RENDER};
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		if (f.capacity)
			continue;
		check_gates(&f, tiers);
		check_whys(&f, count);
		p.node = (enum turn_node)(turn % NODE_COUNT);
		assert_int_equal(frame_open(&f, &s.run, p, NULL), STATUS_OK);
		check_whys(&f, count);
	}
	frame_close(&f);
	replayed_close(&s);
}

static void gates_and_whys_agree_with_the_engine(void **state)
{
	(void)state;
	size_t tiers[4] = {0}, count[RULE_COUNT] = {0};
	static const enum rule must[] = {RULE_ROW_BLOCKED,       RULE_ROW_PROTECTED_TOOL, RULE_ROW_RECENT_MESSAGES,
					 RULE_ROW_RECENT_TOKENS, RULE_ROW_LAST_USER,      RULE_ROW_COVERED,
					 RULE_ROW_FIRST_USER,    RULE_ROW_HIDDEN_CALL,    RULE_ROW_HIDDEN_RESULT,
					 RULE_ROW_KEPT_CALL,     RULE_ROW_GROUP,          RULE_ROW_RANGE};
	for (int shape = 0; shape < GENERATE_SHAPES; shape++)
		check_session((enum generate_shape)shape, 11, tiers, count);
	for (uint64_t seed = 1; seed <= 12; seed++)
		check_session(GENERATE_TIERS, seed, tiers, count);
	for (int t = 0; t < 4; t++)
		assert_true(tiers[t] > 0);
	for (size_t i = 0; i < sizeof must / sizeof must[0]; i++)
		assert_true(count[must[i]] > 0);
}

/* A long text is shown in part, and the last line says exactly how much is missing. */
static void long_texts_are_counted(void **state)
{
	(void)state;
	enum { UNITS = 300000, WIDTH = 100 };
	struct replayed s;
	struct frame f = {0};
	struct buf b = {0};
	buf_text(&b, "{\"type\":\"session\",\"version\":1,\"id\":\"s\",\"host\":\"other\"}\n"
		     "{\"type\":\"message\",\"id\":\"a\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"");
	for (int i = 0; i < UNITS; i++)
		buf_char(&b, 'x');
	buf_text(&b, "\"}\n{\"type\":\"turn\"}\n");
	replayed_open(&s, buf_view(&b));
	replayed_start(&s, NULL);
	replayed_finish(&s);
	assert_int_equal(frame_open(&f, &s.run, (struct position){.turn = 1, .node = NODE_RENDER}, NULL), STATUS_OK);
	struct view_context c = {.run = &s.run, .frame = &f, .width = WIDTH};
	struct line l = {0};
	uint64_t key = rows_view.key(&c, 0);
	size_t n = rows_view.detail_count(&c, key), shown = 0, missing = 0;
	for (size_t i = 0; i < n; i++) {
		rows_view.detail_line(&c, key, i, &l);
		struct str text = {l.bytes.p, l.bytes.n};
		if (text.n > 0 && text.p[0] == 'x')
			shown += text.n;
		if (str_find(text, STR("more units"), 0) == SIZE_MAX)
			continue;
		for (size_t k = 0; text.p[k] != ' '; k++)
			missing = text.p[k] == ',' ? missing : missing * 10 + (size_t)(text.p[k] - '0');
		assert_true(str_find(text, STR("line 2 of"), 0) != SIZE_MAX);
	}
	assert_true(missing > 0 && shown > 200000);
	assert_int_equal(shown + missing, UNITS);
	line_free(&l);
	buf_free(&b);
	frame_close(&f);
	replayed_close(&s);
}

/* ---- strip ---- */

static void fill_turns(struct run *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(&r->timeline.turns,
			 (struct moment){.usage = (double)(i + 1) / (double)n, .events = MOMENT_USER});
}

/* The first turn under a column, and only from there to the next column's, is shown in that column. */
static void strip_columns_and_turns_agree(void **state)
{
	(void)state;
	static const size_t counts[] = {0, 1, 2, 39, 40, 41, 79, 80, 81, 500, 20000};
	static const int widths[] = {1, 2, 20, 49, 50, 80, 200};
	for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
		struct run r = {.config = config_default(100000)};
		fill_turns(&r, counts[k]);
		for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
			struct frame f = {.run = &r};
			struct view_context c = {.run = &r, .frame = &f, .width = widths[w]};
			struct line l = {0};
			uint32_t last = 0;
			for (int x = 0; x < c.width; x++) {
				uint32_t turn = strip_turn_at(&c, x);
				assert_true(turn <= counts[k] && turn >= last);
				last = turn;
				if (turn == 0 || (size_t)x >= counts[k] + 8)
					continue;
				f.at.turn = turn;
				strip_line(&c, 2, &l);
				int cursor = 0; /* the column of the segment in the cursor's style */
				for (size_t i = 0; i < l.segments.n && l.segments.v[i].style != STYLE_CURSOR; i++)
					cursor += l.segments.v[i].columns;
				if (turn < counts[k] || x == 0)
					assert_int_equal(cursor, x);
			}
			if (counts[k] > 0)
				assert_true(last > 0);
			line_free(&l);
			arena_free(&f.arena);
			for (int i = 0; i < STAYS_COUNT; i++)
				arena_free(&f.stays[i].arena);
		}
		vec_free(&r.timeline.turns);
	}
}

/* ---- words ---- */

static void numbers_as_words(void **state)
{
	(void)state;
	static const struct {
		double x;
		const char *count, *brief, *percent;
	} rows[] = {
		{0, "0", "0", "0.0 %"},
		{999, "999", "999", "99900.0 %"},
		{1000, "1,000", "1K", "100000.0 %"},
		{81234, "81,234", "81.2K", "8123400.0 %"},
		{1250, "1,250", "1.3K", "125000.0 %"}, /* an exact tie goes up (kernel.md 2.4) */
		{1234567, "1,234,567", "1,234.6K", "123456700.0 %"},
		{-1234.5, "-1,234.5", "-1.2K", "-123450.0 %"},
		{22500.5, "22,500.5", "22.5K", "2250050.0 %"},
		{0.542, "0.542", "0.542", "54.2 %"},
		{1e21, "1e+21", "1e+21", "? %"},
		{INFINITY, "null", "null", "? %"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buf b = {0};
		words_count(&b, rows[i].x);
		assert_string_equal(b.p, rows[i].count);
		buf_cut(&b, 0);
		words_short(&b, rows[i].x);
		assert_string_equal(b.p, rows[i].brief);
		buf_cut(&b, 0);
		words_percent(&b, rows[i].x);
		assert_string_equal(b.p, rows[i].percent);
		buf_free(&b);
	}
}

/* The list of kernel.md 4.7.6 holds piles of at least G, also of tiers whose gate asks for D. */
static void idle_names_piles_by_g_and_gates_by_d(void **state)
{
	struct nudge_decision d = {
		.reason = NUDGE_IDLE,
		.n = {.growth = 500, .threshold = 600, .floor = 270, .distill = 900, .pending = {0, 0, 0, 700}}};
	struct arena a = {0};
	struct str text;
	(void)state;
	d.ready = 1 << 3;
	text = nudge_reason(&d, &a);
	assert_true(str_find(text, STR("Pile of at least G: T3."), 0) != SIZE_MAX);
	assert_true(str_find(text, STR("Tiers 2 and 3 need D 900, though."), 0) != SIZE_MAX);
	/* tier 1 asks for G itself */
	d.ready = 1 << 1;
	d.n.pending[3] = 0;
	d.n.pending[1] = 700;
	text = nudge_reason(&d, &a);
	assert_true(str_find(text, STR("Pile of at least G: T1."), 0) != SIZE_MAX);
	assert_true(str_find(text, STR("need D"), 0) == SIZE_MAX);
	arena_free(&a);
}

static void a_sign_tells_who_counted(void **state)
{
	(void)state;
	assert_int_equal(words_count_mark(COUNT_HOST), ' ');
	assert_int_equal(words_count_mark(COUNT_RAW), '~');
	assert_int_equal(words_count_mark(COUNT_SENT), '~');
	assert_int_equal(words_count_mark(COUNT_USAGE), '+');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens),
		cmocka_unit_test(lines_fit_at_every_width),
		cmocka_unit_test(pi_lines_fit_at_every_width),
		cmocka_unit_test(hostile_texts_fit),
		cmocka_unit_test(keys_are_stable),
		cmocka_unit_test(keys_are_unique),
		cmocka_unit_test(blocks_of_one_id),
		cmocka_unit_test(gates_and_whys_agree_with_the_engine),
		cmocka_unit_test(long_texts_are_counted),
		cmocka_unit_test(strip_columns_and_turns_agree),
		cmocka_unit_test(numbers_as_words),
		cmocka_unit_test(idle_names_piles_by_g_and_gates_by_d),
		cmocka_unit_test(a_sign_tells_who_counted),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
