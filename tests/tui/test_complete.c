/* Tab in prompts: what is offered, forward and back, and what was typed stays within reach; history over openings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

#include "tui/app_parts.h"
#include "tui/screen_script.h"

static struct cli_request request;

static void open_plain(struct screen_script *s)
{
	struct error e = {0};

	request = (struct cli_request){.file = "sample-sessions/plain.acps.jsonl", .limit = (double)NAN};
	assert_int_equal(screen_open(s, &request, 24, 80, false, &e), STATUS_OK);
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	assert_int_equal(screen_keys(s, str_of(keys), &e), STATUS_OK);
}

static void assert_text(struct prompt *p, const char *want)
{
	if (!str_eq(buf_view(&p->text), str_of(want)))
		fail_msg("'%.*s', wanted '%s'", (int)p->text.n, p->text.p ? p->text.p : "", want);
}

static bool shows(struct screen_script *s, const char *text)
{
	struct buf b = {0};

	screen_text(s, &b);
	bool has = str_find(buf_view(&b), str_of(text), 0) != SIZE_MAX;
	buf_free(&b);
	return has;
}

/* In the order of the table: branch stands behind break. */
static void test_commands(void **state)
{
	struct screen_script s;

	(void)state;
	open_plain(&s);
	press(&s, ":comp<Tab>");
	assert_text(&s.app.prompt, "compare");
	press(&s, "<Space>profile=P34<Tab>");
	assert_text(&s.app.prompt, "compare profile=P342");
	press(&s, ",cou<Tab>");
	assert_text(&s.app.prompt, "compare profile=P342,count=given");
	press(&s, "<Tab><S-Tab><S-Tab>");
	assert_text(&s.app.prompt, "compare profile=P342,cou");
	press(&s, "^U:break<Space>tokens.ra<Tab>");
	press(&s, "^Ubreak<Space>usage<Space>><Space>0<Space>and<Space>tokens.ra<Tab>");
	assert_text(&s.app.prompt, "break usage > 0 and tokens.raw");
	press(&s, "^Ucopy<Space>t<Tab>");
	assert_text(&s.app.prompt, "copy text");
	/* nothing to offer, and not at the end: nothing happens */
	press(&s, "^Unonsense<Tab>");
	assert_text(&s.app.prompt, "nonsense");
	press(&s, "^Unext<Home><Tab>");
	assert_text(&s.app.prompt, "next");
	press(&s, "<Esc>:next<Tab>");
	assert_true(shows(&s, "next-turn  next-node  next-user-turn"));
	press(&s, "<BS>");
	assert_false(shows(&s, "next-turn  next-node  next-user-turn"));
	screen_close(&s);
}

static void test_conditions(void **state)
{
	struct screen_script s;

	(void)state;
	open_plain(&s);
	press(&s, "bbcomp<Tab>");
	assert_text(&s.app.ask.prompt, "compress.applied");
	press(&s, "<Space>><Space>chan<Tab>usa<Tab>");
	assert_text(&s.app.ask.prompt, "compress.applied > changed(usage");
	/* what is completed is looked at, too */
	assert_true(s.app.ask.faulty);
	press(&s, "^Unudge.inj<Tab><Enter>");
	assert_int_equal(s.app.breaks.set.list.n, 1);
	screen_close(&s);
}

static void test_history(void **state)
{
	struct screen_script s;
	char home[] = "/tmp/acpdbg-test-XXXXXX", command[100];

	(void)state;
	assert_true(mkdtemp(home) && setenv("XDG_STATE_HOME", home, 1) == 0);
	for (int pass = 0; pass < 2; pass++) {
		open_plain(&s);
		s.app.remembers = true;
		app_history_open(&s.app);
		assert_int_equal(s.app.prompt.history.n, pass == 0 ? 0 : 2);
		if (pass == 0) {
			press(&s, ":3<Enter>:nudge<Enter>");
		} else {
			press(&s, ":<Up><Up><Enter>");
			assert_int_equal(s.app.now->frame.at.turn, 3);
		}
		app_memory_save(&s.app);
		screen_close(&s);
	}
	snprintf(command, sizeof command, "rm -rf '%s'", home);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_history),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
