/* tui/actions: the table is complete, and its keys are those that were promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "replay/cli/options.h"
#include "tui/actions.h"
#include "tui/panes.h"
#include "tui/screen_script.h"

static enum action action_of(const struct keymap *m, const char *key_name)
{
	struct key k;

	if (!key_parse(str_of(key_name), &k))
		fail_msg("%s is no key", key_name);
	return keymap_find(m, k);
}

static bool is_of_command(enum command_name command, struct str name)
{
	for (const struct option *o = options; o->name; o++)
		if (str_eq(str_of(o->name), name) && (o->commands >> command & 1) && o->kind != OPTION_PLANNED)
			return true;
	return false;
}

static enum command_name named_command(struct str word)
{
	char name[40] = "";

	if (word.n >= sizeof name)
		return COMMAND_COUNT;
	memcpy(name, word.p, word.n);
	return command_find(name);
}

/* "replay --turn N, --pane prefix; convert --turns A..B": commands that are built, and options that they have. */
static bool is_real(struct str headless)
{
	enum command_name command = COMMAND_COUNT;
	bool starts = true;

	for (size_t at = 0, end; at < headless.n; at = end + 1) {
		struct str word;
		bool last;

		end = str_find(headless, STR(" "), at);
		end = end < headless.n ? end : headless.n;
		word = str_cut(headless, at, end);
		last = word.n > 0 && (word.p[word.n - 1] == ',' || word.p[word.n - 1] == ';');
		word.n -= last;
		if (starts && named_command(word) != COMMAND_COUNT)
			command = named_command(word);
		if (command == COMMAND_COUNT || !commands[command].run)
			return false;
		if (str_starts(word, STR("--")) && !is_of_command(command, str_cut(word, 2, word.n)))
			return false;
		starts = last;
	}
	return command != COMMAND_COUNT;
}

/* The check sees what is wrong. */
static void headless_forms_are_checked(void **state)
{
	(void)state;
	assert_true(is_real(STR("replay --turn N")));
	assert_true(is_real(STR("screen --keys SCRIPT --output svg; convert --turns A..B")));
	assert_false(is_real(STR("replay --no-such-option")));
	assert_false(is_real(STR("replay --turns A..B")));
	assert_false(is_real(STR("nonsense")));
	assert_false(is_real(STR("--turn N")));
	assert_false(is_real(STR("shrink --keep COND")));
	assert_false(is_real(STR("")));
}

static void every_action_is_described(void **state)
{
	static const char reason[] = "screen only: ";

	(void)state;
	for (enum action a = 0; a < ACTION_COUNT; a++) {
		struct str headless = str_of(actions[a].headless);

		assert_true(actions[a].name[0] != '\0');
		assert_int_equal(action_find(str_of(actions[a].name)), a);
		assert_true(actions[a].help[0] != '\0');
		assert_true(actions[a].keys[0] != '\0');
		/* either another way to get it, by command, or why there is none */
		if (str_starts(headless, str_of(reason)))
			assert_true(headless.n > strlen(reason));
		else if (!is_real(headless))
			fail_msg("%s: '%s' is no command", actions[a].name, actions[a].headless);
		assert_true(action_group_title(actions[a].group)[0] != '\0');
	}
	assert_int_equal(action_find(STR("no-such-action")), ACTION_NONE);
	assert_int_equal(action_find(STR("")), ACTION_NONE);
}

static void default_keys_are_keys_and_collide_nowhere(void **state)
{
	struct keymap m = {0};
	size_t words = 0;

	(void)state;
	keymap_defaults(&m);
	/* every blank-separated word of the table is one binding ("<Click 0,0>" has a blank of its own) */
	for (enum action a = 0; a < ACTION_COUNT; a++) {
		const char *keys = actions[a].keys;

		for (const char *at = keys; *at; at++)
			words += at == keys || (at[-1] == ' ' && at[0] != '0');
	}
	assert_int_equal(m.bindings.n, words);
	for (size_t i = 0; i < m.bindings.n; i++) {
		uint32_t code = m.bindings.v[i].key.code;

		assert_false(code >= '1' && code <= '9');
		for (size_t k = 0; k < i; k++)
			if (key_same(m.bindings.v[i].key, m.bindings.v[k].key))
				fail_msg("%s and %s share a key", actions[m.bindings.v[i].action].name,
					 actions[m.bindings.v[k].action].name);
	}
	keymap_free(&m);
}

/* Keys of interface.md, The screen. */
static void keys_are_the_promised_ones(void **state)
{
	static const struct {
		const char *key;
		enum action action;
	} rows[] = {
		{".", ACTION_NEXT_TURN},
		{",", ACTION_PREVIOUS_TURN},
		{">", ACTION_NEXT_NODE},
		{"<", ACTION_PREVIOUS_NODE},
		{")", ACTION_NEXT_USER},
		{"(", ACTION_PREVIOUS_USER},
		{"]", ACTION_NEXT_EVENT},
		{"[", ACTION_PREVIOUS_EVENT},
		{"}", ACTION_NEXT_COMPRESSION},
		{"{", ACTION_PREVIOUS_COMPRESSION},
		{"0", ACTION_FIRST_TURN},
		{"$", ACTION_LAST_TURN},
		{"g", ACTION_GO},
		{"j", ACTION_DOWN},
		{"k", ACTION_UP},
		{"^D", ACTION_HALF_DOWN},
		{"^U", ACTION_HALF_UP},
		{"<PgDn>", ACTION_PAGE_DOWN},
		{"<PgUp>", ACTION_PAGE_UP},
		{"G", ACTION_LAST_LINE},
		{"<Enter>", ACTION_OPEN},
		{"/", ACTION_SEARCH},
		{"\\", ACTION_SEARCH_ALL},
		{"n", ACTION_SEARCH_NEXT},
		{"N", ACTION_SEARCH_PREVIOUS},
		{"&", ACTION_FILTER},
		{"<Tab>", ACTION_NEXT_PANE},
		{"<S-Tab>", ACTION_PREVIOUS_PANE},
		{"<F1>", ACTION_FOCUS_ROWS},
		{"<F6>", ACTION_FOCUS_NUDGE},
		{"<F8>", ACTION_FOCUS_REQUEST},
		{"<F9>", ACTION_FOCUS_STATUS},
		{"+", ACTION_ZOOM_IN},
		{"_", ACTION_ZOOM_OUT},
		{":", ACTION_PROMPT},
		{"?", ACTION_HELP},
		{"q", ACTION_CLOSE},
		{"Q", ACTION_QUIT},
		{"^L", ACTION_REPAINT},
		{"^Z", ACTION_SUSPEND},
		{"<Click 3,4>", ACTION_CLICK},
		{"<WheelUp 9,9>", ACTION_WHEEL_UP},
		{"x", ACTION_NONE},
		{"5", ACTION_NONE},
	};
	struct keymap m = {0};

	(void)state;
	keymap_defaults(&m);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (action_of(&m, rows[i].key) != rows[i].action)
			fail_msg("%s does something else", rows[i].key);
	keymap_free(&m);
}

/* F1..F9 are the panes of interface.md in its order, and every pane has an action of its name. */
static void panes_have_their_actions(void **state)
{
	static const char *const names[PANE_COUNT] = {"rows",  "ranges", "blocks",  "density", "prefix",
						      "nudge", "events", "request", "status",  "changes"};

	(void)state;
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		char key[8];

		assert_string_equal(pane_kinds[id].name, names[id]);
		assert_int_equal(action_find(str_of(names[id])), ACTION_FOCUS_ROWS + id);
		snprintf(key, sizeof key, "<F%d>", (int)id + 1);
		/* the function key first */
		assert_true(str_starts(str_of(actions[ACTION_FOCUS_ROWS + id].keys), str_of(key)));
	}
}

static void binding_reports_conflicts_with_both_actions(void **state)
{
	struct keymap m = {0};
	struct error e = {0};
	struct buf keys = {0};

	(void)state;
	keymap_defaults(&m);
	assert_int_equal(keymap_bind(&m, STR("j"), ACTION_QUIT, &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "j is bound to both down and quit"));
	assert_int_equal(action_of(&m, "j"), ACTION_DOWN);
	assert_int_equal(keymap_bind(&m, STR("7"), ACTION_QUIT, &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "count"));
	assert_int_equal(keymap_bind(&m, STR("nonsense"), ACTION_QUIT, &e), STATUS_USAGE);
	assert_non_null(strstr(e.message, "quit"));

	assert_int_equal(keymap_bind(&m, STR("x"), ACTION_QUIT, &e), STATUS_OK);
	assert_int_equal(action_of(&m, "x"), ACTION_QUIT);
	/* the same once more is no conflict, and no second binding */
	assert_int_equal(keymap_bind(&m, STR("x"), ACTION_QUIT, &e), STATUS_OK);
	keymap_put_keys(&m, ACTION_QUIT, &keys);
	assert_string_equal(keys.p, "Q x");

	keymap_unbind(&m, ACTION_QUIT);
	assert_int_equal(action_of(&m, "Q"), ACTION_NONE);
	assert_int_equal(action_of(&m, "x"), ACTION_NONE);
	assert_int_equal(action_of(&m, "j"), ACTION_DOWN);
	buf_free(&keys);
	keymap_free(&m);
}

/* Every default key is one that the screen knows, whatever it does there. */
static void keys_are_heard(void **state)
{
	struct cli_request request = {.file = "sample-sessions/plain.acps.jsonl", .limit = (double)NAN};
	struct keymap m = {0};
	struct error e = {0};

	(void)state;
	keymap_defaults(&m);
	for (size_t i = 0; i < m.bindings.n; i++) {
		struct screen_script s;

		assert_int_equal(screen_open(&s, &request, 24, 80, false, &e), STATUS_OK);
		screen_key(&s, m.bindings.v[i].key);
		if (s.app.message.n > 0 && strstr(s.app.message.p, "no such key"))
			fail_msg("a key of %s is not heard", actions[m.bindings.v[i].action].name);
		screen_close(&s);
	}
	assert_true(m.bindings.n > 60);
	keymap_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_action_is_described),
		cmocka_unit_test(headless_forms_are_checked),
		cmocka_unit_test(keys_are_heard),
		cmocka_unit_test(default_keys_are_keys_and_collide_nowhere),
		cmocka_unit_test(keys_are_the_promised_ones),
		cmocka_unit_test(panes_have_their_actions),
		cmocka_unit_test(binding_reports_conflicts_with_both_actions),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
