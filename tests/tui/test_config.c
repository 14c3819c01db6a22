/* What the user sets for all sessions: what is taken, what is told of, with its place; keys that change places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "replay/cli/user_config.h"
#include "tests/temp_file.h"
#include "tui/app_parts.h"
#include "tui/screen_script.h"
#include "tui/theme.h"

struct opened {
	struct temp_file file;
	struct user_config config;
	struct cli_request request;
	struct app app;
};

static void open_config(struct opened *o, const char *json)
{
	struct error e = {0};

	temp_file_write(&o->file, str_of(json));
	user_config_read_file(&o->config, o->file.path);
	o->request = (struct cli_request){
		.file = "sample-sessions/plain.acps.jsonl", .limit = (double)NAN, .user = &o->config};
	assert_int_equal(app_open(&o->app, &o->request, false, &e), STATUS_OK);
	app_config_keys(&o->app, &o->config);
}

static void close_config(struct opened *o)
{
	app_free(&o->app);
	user_config_free(&o->config);
	temp_file_remove(&o->file);
}

static enum action action_of(const struct opened *o, const char *name)
{
	struct key k;

	assert_true(key_parse(str_of(name), &k));
	return keymap_find(&o->app.keys, k);
}

static void test_taken(void **state)
{
	struct opened o;
	struct policy p;
	struct theme t;
	struct error e = {0};
	struct recording rec = {.host = STR("pi")};

	(void)state;
	open_config(&o,
		    "{\"profile\": {\"pi\": \"P155,count=max\"}, \"ascii\": true,"
		    "\"mouse\": false, \"theme\": \"light\", \"colours\": {\"barrier\": \"bold red on 17\"},"
		    "\"keys\": {\"next-turn\": [\"x\", \"<Right>\"], \"down\": \"k\", \"up\": \"j\", \"quit\": []}}");
	assert_int_equal(o.config.problems.n, 0);
	assert_int_equal(action_of(&o, "x"), ACTION_NEXT_TURN);
	assert_int_equal(action_of(&o, "<Right>"), ACTION_NEXT_TURN);
	assert_int_equal(action_of(&o, "."), ACTION_NONE);
	/* two that change places, and one without any */
	assert_int_equal(action_of(&o, "k"), ACTION_DOWN);
	assert_int_equal(action_of(&o, "j"), ACTION_UP);
	assert_int_equal(action_of(&o, "Q"), ACTION_NONE);
	theme_init(&t, 256, false);
	app_config_theme(&o.config, &t);
	assert_int_equal(t.looks[STYLE_BARRIER].fg, 1);
	assert_int_equal(t.looks[STYLE_BARRIER].bg, 17);
	assert_true(o.config.no_mouse && cli_ascii(&o.request));
	assert_string_equal(o.config.theme, "light");
	assert_int_equal(cli_policy(&o.request, &rec, &p, &e), STATUS_OK);
	assert_string_equal(p.profile, "P155");
	assert_true(policy_is(&p, SWITCH_COUNT, "max"));
	/* the command line goes before it, and another host has nothing of it */
	o.request.profile = "P97";
	assert_int_equal(cli_policy(&o.request, &rec, &p, &e), STATUS_OK);
	assert_string_equal(p.profile, "P97");
	o.request.profile = NULL;
	rec.host = STR("dsh");
	assert_int_equal(cli_policy(&o.request, &rec, &p, &e), STATUS_OK);
	assert_string_equal(p.profile, "F1");
	close_config(&o);
}

/* Prices are read with the settings; a file that cannot be used costs nothing but the prices. */
static void test_prices(void **state)
{
	static const struct {
		const char *file, *told; /* what lies in the file */
	} cases[] = {
		{"{\"models\":{\"m\":{\"input\":2e6,\"output\":5e6}}}", NULL},
		{"{}", "models is missing"},
		{"{", "not JSON at byte 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct temp_file prices;
		struct opened o;
		char json[300];
		const char *slash;

		temp_file_write(&prices, str_of(cases[i].file));
		slash = strrchr(prices.path, '/');
		/* both lie in one directory: the name begins where the configuration lies */
		snprintf(json, sizeof json, "{\"prices\": \"%s\"}", slash + 1);
		open_config(&o, json);
		assert_int_equal(o.config.problems.n, cases[i].told != NULL);
		if (cases[i].told) {
			assert_null(o.config.prices);
			assert_true(str_starts(str_of(o.config.problems.v[0]), STR("line 1, byte 11: prices: ")));
			assert_non_null(strstr(o.config.problems.v[0], cases[i].told));
			assert_non_null(strstr(o.config.problems.v[0], prices.path));
		} else {
			/* 2e6 a million tokens is 2 a token */
			assert_true(prices_of(o.config.prices, STR("m"))->input == 2);
		}
		close_config(&o);
		temp_file_remove(&prices);
	}
}

/* The place is that of the value: line, and byte from 0. */
static void test_told(void **state)
{
	static const struct {
		const char *json, *told;
	} cases[] = {
		{"{", "line 1, byte 1: "},
		{"[]", "line 1, byte 0: expected an object"},
		{"", "line 1, byte 0: "},
		{"{\n \"prics\": 1}", "line 2, byte 12: no such setting: prics, nearest: prices"},
		{"{\"prices\": 1}", "line 1, byte 11: prices: expected the name of a file"},
		{"{\"prices\": \"\"}", "line 1, byte 11: prices: expected the name of a file"},
		{"{\"prices\": \"/no/such/file\"}", "line 1, byte 11: prices: /no/such/file: cannot be opened"},
		{"{\"ascii\": \"yes\"}", "line 1, byte 10: ascii: expected true or false"},
		{"{\"theme\": \"blue\"}", "line 1, byte 10: theme: expected auto, dark or light"},
		{"{\"profile\": {\"pi\": \"P155,nonsense=1\"}}", "line 1, byte 19: profile: "},
		{"{\"profile\": \"P155\"}", "line 1, byte 12: profile: expected an object of hosts"},
		{"{\"profile\": {\"py\": \"P155\"}}", "line 1, byte 19: no such host: py, nearest: pi"},
		{"{\"profile\": {\"pi\": \"P999\"}}", "line 1, byte 19: profile: unknown profile 'P999'"},
		{"{\"keys\": {\"next-tern\": \"x\"}}",
		 "line 1, byte 23: no such action: next-tern, nearest: next-turn"},
		{"{\"keys\": {\"next-turn\": \"j\"}}", "line 1, byte 23: j is bound to both down and next-turn"},
		{"{\"keys\": {\"next-turn\": [\"x\", \"7\"]}}", "line 1, byte 29: 7 cannot be bound to next-turn"},
		{"{\"keys\": {\"next-turn\": [\"xyz\"]}}",
		 "line 1, byte 24: a key for next-turn has a name that is not known"},
		{"{\"keys\": {\"next-turn\": 3}}", "line 1, byte 23: keys: expected a key, or a list of them"},
		{"{\"colours\": {\"ref\": 3}}", "line 1, byte 20: colours: expected a look"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct opened o;

		open_config(&o, cases[i].json);
		if (o.config.problems.n != 1 || !str_starts(str_of(o.config.problems.v[0]), str_of(cases[i].told)))
			fail_msg("%s: %zu, %s", cases[i].json, o.config.problems.n,
				 o.config.problems.n > 0 ? o.config.problems.v[0] : "");
		/* it is on the bottom line, and next-turn has a key whatever was wrong */
		assert_non_null(strstr(o.app.message.p, cases[i].told));
		assert_int_not_equal(action_of(&o, ".") == ACTION_NEXT_TURN || action_of(&o, "x") == ACTION_NEXT_TURN,
				     0);
		close_config(&o);
	}
}

static void test_styles(void **state)
{
	struct opened o;
	struct theme t, plain;

	(void)state;
	open_config(&o, "{\"colours\": {\"barier\": \"red\", \"ref\": \"reddish\"}}");
	theme_init(&t, 256, false);
	theme_init(&plain, 256, false);
	app_config_theme(&o.config, &t);
	assert_int_equal(o.config.problems.n, 2);
	assert_non_null(strstr(o.config.problems.v[0], "no such style: barier, nearest: barrier"));
	assert_non_null(strstr(o.config.problems.v[1], "no such look for ref"));
	assert_int_equal(t.looks[STYLE_REF].fg, plain.looks[STYLE_REF].fg);
	close_config(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_prices),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_styles),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
