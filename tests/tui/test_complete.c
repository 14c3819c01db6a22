/* Tab in prompts: what is offered, forward and back, and what was typed stays within reach; history over openings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/screened.h"

#define PLAIN "sample-sessions/plain.acps.jsonl"

static void assert_text(struct prompt *p, const char *want)
{
	if (!str_eq(buf_view(&p->text), str_of(want)))
		fail_msg("'%.*s', wanted '%s'", (int)p->text.n, p->text.p ? p->text.p : "", want);
}

/* In the order of the table: branch stands behind break. */
static void test_commands(void **state)
{
	struct screened s;

	(void)state;
	screened_open(&s, PLAIN, 24, 80);
	screened_press(&s, ":comp<Tab>");
	assert_text(&s.script.app.prompt, "compare");
	screened_press(&s, "<Space>profile=P34<Tab>");
	assert_text(&s.script.app.prompt, "compare profile=P342");
	screened_press(&s, ",cou<Tab>");
	assert_text(&s.script.app.prompt, "compare profile=P342,count=given");
	screened_press(&s, "<Tab><S-Tab><S-Tab>");
	assert_text(&s.script.app.prompt, "compare profile=P342,cou");
	screened_press(&s, "^U:break<Space>tokens.ra<Tab>");
	screened_press(&s, "^Ubreak<Space>usage<Space>><Space>0<Space>and<Space>tokens.ra<Tab>");
	assert_text(&s.script.app.prompt, "break usage > 0 and tokens.raw");
	screened_press(&s, "^Ucopy<Space>t<Tab>");
	assert_text(&s.script.app.prompt, "copy text");
	/* nothing to offer, and not at the end: nothing happens */
	screened_press(&s, "^Unonsense<Tab>");
	assert_text(&s.script.app.prompt, "nonsense");
	screened_press(&s, "^Unext<Home><Tab>");
	assert_text(&s.script.app.prompt, "next");
	screened_press(&s, "<Esc>:next<Tab>");
	assert_true(screened_has(&s, "next-turn  next-node  next-user-turn"));
	screened_press(&s, "<BS>");
	assert_false(screened_has(&s, "next-turn  next-node  next-user-turn"));
	screened_close(&s);
}

static void test_conditions(void **state)
{
	struct screened s;

	(void)state;
	screened_open(&s, PLAIN, 24, 80);
	screened_press(&s, "bbcomp<Tab>");
	assert_text(&s.script.app.ask.prompt, "compress.applied");
	screened_press(&s, "<Space>><Space>chan<Tab>usa<Tab>");
	assert_text(&s.script.app.ask.prompt, "compress.applied > changed(usage");
	/* what is completed is looked at, too */
	assert_true(s.script.app.ask.faulty);
	screened_press(&s, "^Unudge.inj<Tab><Enter>");
	assert_int_equal(s.script.app.breaks.set.list.n, 1);
	screened_close(&s);
}

static void test_history(void **state)
{
	struct screened s;

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		screened_open_remembering(&s, PLAIN, 24, 80);
		assert_int_equal(s.script.app.prompt.history.n, pass == 0 ? 0 : 2);
		screened_press(&s, pass == 0 ? ":3<Enter>:nudge<Enter>" : ":<Up><Up><Enter>");
		assert_int_equal(screened_turn(&s), 3);
		app_memory_save(&s.script.app);
		screened_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_history),
	};

	return !!cmocka_run_group_tests(tests, screened_set_up_home, screened_tear_down_home);
}
