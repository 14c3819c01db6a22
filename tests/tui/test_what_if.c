/*
 * Compare (D) and what-if (w) on the screen.
 *
 * What a branch must come to is made without it: a dropped or edited call by changing the line of a converted
 * recording, and a comparison by the core that `acpdbg diff` prints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <glob.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/json.h"
#include "tests/random_keys.h"
#include "tests/screened.h"
#include "tests/temp_file.h"
#include "tui/app_parts.h"

static void open_file(struct screen_script *s, struct cli_request *request, const char *file)
{
	struct error e = {0};

	*request = (struct cli_request){.file = file, .limit = (double)NAN};
	if (screen_open(s, request, 24, 80, false, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

/* `:` and the words, and Enter. */
static void command(struct screen_script *s, const char *words)
{
	screen_key(s, (struct key){.code = ':'});
	for (const char *p = words; *p; p++)
		screen_key(s, (struct key){.code = (unsigned char)*p});
	screen_key(s, (struct key){.code = KEYS_ENTER});
}

static void assert_said(const struct app *a, const char *want)
{
	if (!a->message.n || !strstr(a->message.p, want))
		fail_msg("said '%s', wanted '%s'", a->message.n ? a->message.p : "", want);
}

static void assert_shows(struct screen_script *s, const char *want)
{
	struct buf b = {0};

	screen_text(s, &b);
	if (!strstr(b.p, want))
		fail_msg("no '%s' on\n%s", want, b.p);
	buf_free(&b);
}

static void each_sample(void (*test)(const char *file))
{
	glob_t found = {0};
	size_t n = 0;

	assert_int_equal(glob("sample-sessions/*.jsonl", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++, n++)
		test(found.gl_pathv[i]);
	globfree(&found);
	assert_true(n > 15);
}

/* ---- what the screens are judged by ---- */

struct reference {
	struct recording recording;
	struct arena arena;
	struct run run;
};

/* The file replayed with this policy on top of the host's. */
static void replay(struct reference *r, const char *file, const char *policy)
{
	struct cli_request q = {.file = file, .limit = (double)NAN, .side = policy};
	struct policy p;
	struct run_options o;
	struct error e = {0};

	*r = (struct reference){.arena = {0}};
	if (recording_load(&r->recording, file, NULL, &e) != STATUS_OK ||
	    cli_policy(&q, &r->recording, &p, &e) != STATUS_OK || cli_run_options(&q, &r->arena, &o, &e) != STATUS_OK ||
	    run_init(&r->run, &r->recording, &p, &o, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
}

static void finish(struct reference *r, char hash[17])
{
	while (run_step(&r->run, 1 << 20))
		;
	chain_hex(&r->run.chain, hash);
}

static void forget(struct reference *r)
{
	run_free(&r->run);
	arena_free(&r->arena);
	recording_free(&r->recording);
}

static void hash_of(const char *file, const char *policy, char hash[17])
{
	struct reference r;

	replay(&r, file, policy);
	finish(&r, hash);
	forget(&r);
}

static void put_bytes(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

/* The session as a recording, one compress line of which is taken out, or (find) changed in its arguments. */
static void write_changed(const char *file, unsigned call, const char *find, const char *change, struct temp_file *out)
{
	struct recording r;
	struct error e = {0};
	struct buf all = {0}, changed = {0};
	struct arena scratch = {0};
	unsigned calls = 0;

	assert_int_equal(recording_load(&r, file, NULL, &e), STATUS_OK);
	assert_int_equal(recording_write(&r, (struct recording_writer){put_bytes, &all}, &e), STATUS_OK);
	recording_free(&r);
	for (char *line = all.p, *end; line < all.p + all.n; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		struct str type = json_str(json_get(json_tree(&scratch, str_of(line), NULL, NULL), "type"));
		bool mine = str_eq(type, STR("compress")) && ++calls == call;

		if (mine && !find)
			continue;
		char *at = mine ? strstr(line, find) : NULL;
		assert_true(!mine || at);
		if (at) {
			buf_bytes(&changed, line, (size_t)(at - line));
			buf_text(&changed, change);
			line = at + strlen(find);
		}
		buf_text(&changed, line);
		buf_char(&changed, '\n');
	}
	assert_true(calls >= call);
	temp_file_write(out, buf_view(&changed));
	arena_free(&scratch);
	buf_free(&all);
	buf_free(&changed);
}

/* ---- compare ---- */

/* Lines of a side that are marked in its gutter. */
static size_t marked(struct screen_script *s, int side)
{
	struct rect r = s->app.compare.gutter[side];
	size_t n = 0;

	assert_int_equal(r.cols, 1);
	for (int i = 0; i < r.rows; i++)
		n += grid_cell(&s->grid, r.row + i, r.col)->bytes[0] != ' ';
	return n;
}

/* A policy that is the one in force says nothing new. */
static void same_policy(const char *file)
{
	struct cli_request request;
	struct screen_script s;
	char words[120];
	struct buf b = {0};

	open_file(&s, &request, file);
	const struct policy *p = &s.app.now->run.policy;
	snprintf(words, sizeof words, "compare hide=%s,args=%s", policy_value_name(p, SWITCH_HIDE),
		 policy_value_name(p, SWITCH_ARGS));
	command(&s, words);
	assert_true(s.app.compare.on);
	assert_int_equal(s.app.compare.other->differing, 0);
	assert_shows(&s, "0/");
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		s.app.focus = id;
		screen_text(&s, &b);
		if (marked(&s, 0) + marked(&s, 1) > 0)
			fail_msg("%s: marked as different:\n%s", file, b.p);
		buf_cut(&b, 0);
	}
	press(&s, "]");
	assert_said(&s.app, "no turn that differs after");
	press(&s, "q");
	assert_false(s.app.compare.on);
	assert_false(s.quit);
	buf_free(&b);
	screen_close(&s);
}

static void the_same_policy_differs_nowhere(void **state)
{
	(void)state;
	each_sample(same_policy);
}

/* `]` stops at the turns that the core of `diff` calls different, at no other and at all of them. */
static void differing_turns(const char *file)
{
	static const char policy[] = "hide=full,args=strict,snapshot=off,follow=engine";
	struct cli_request request;
	struct screen_script s;
	struct reference left, right;
	struct diff_watch watch[2];
	struct diff d;
	char hash[17], words[120];
	uint32_t at = 1;

	replay(&left, file, NULL);
	replay(&right, file, policy);
	diff_watch_begin(&watch[0], &left.run);
	diff_watch_begin(&watch[1], &right.run);
	finish(&left, hash);
	finish(&right, hash);
	diff_make(&d, &watch[0], &watch[1]);
	open_file(&s, &request, file);
	snprintf(words, sizeof words, "compare %s", policy);
	command(&s, words);
	assert_true(s.app.compare.on);
	assert_int_equal(s.app.compare.other->differing, d.differing);
	press(&s, "0");
	for (size_t i = 0; i < d.steps.n; i++) {
		if (d.steps.v[i].kinds == 0 || d.steps.v[i].turn[0] < 2)
			continue;
		at = d.steps.v[i].turn[0];
		press(&s, "]");
		assert_int_equal(s.app.now->frame.at.turn, at);
		assert_int_equal(s.app.compare.other->frame.at.turn, d.steps.v[i].turn[1]);
		assert_shows(&s, "≠ here");
	}
	press(&s, "]");
	assert_said(&s.app, "that differs after");
	assert_int_equal(s.app.now->frame.at.turn, at);
	diff_free(&d);
	screen_close(&s);
	diff_watch_free(&watch[0]);
	diff_watch_free(&watch[1]);
	forget(&left);
	forget(&right);
}

static void the_differing_turns_are_those_of_diff(void **state)
{
	(void)state;
	each_sample(differing_turns);
}

/* hide=slim cuts the arguments of a call that full sends: that row and no other is another one, on both sides. */
static void a_row_that_differs_is_marked(void **state)
{
	struct cli_request request;
	struct screen_script s;
	struct buf b = {0};

	(void)state;
	open_file(&s, &request, "sample-sessions/tiers.acps.jsonl");
	screen_resize(&s, 50, 200);
	command(&s, "compare hide=full");
	press(&s, "4g");
	screen_text(&s, &b);
	size_t n = 0;
	struct rect left = s.app.compare.gutter[0], right = s.app.compare.gutter[1];
	for (int i = 0; i < left.rows; i++) {
		const struct cell *x = grid_cell(&s.grid, left.row + i, left.col);
		const struct cell *y = grid_cell(&s.grid, right.row + i, right.col);

		assert_int_equal(x->bytes[0], y->bytes[0]);
		n += x->bytes[0] != ' ';
	}
	assert_int_equal(n, 1);
	buf_free(&b);
	screen_close(&s);
}

static void both_stand_at_one_turn(void **state)
{
	struct cli_request request;
	struct screen_script s;

	(void)state;
	open_file(&s, &request, "sample-sessions/tiers.acps.jsonl");
	command(&s, "compare hide=full");
	for (const char *k = "....>>,G,kk."; *k; k++) {
		screen_key(&s, (struct key){.code = (unsigned char)*k});
		assert_true(position_equal(s.app.now->frame.at, s.app.compare.other->frame.at));
		assert_true(s.app.panes[PANE_ROWS].key == s.app.compare.panes[PANE_ROWS].key);
	}
	/* side by side, one below the other, one alone */
	screen_resize(&s, 40, 120);
	assert_true(s.app.compare.both && s.app.compare.divider.rows > 0);
	screen_resize(&s, 24, 80);
	assert_true(s.app.compare.both && s.app.compare.divider.rows == 0);
	screen_resize(&s, 5, 20);
	assert_false(s.app.compare.both);
	assert_shows(&s, "L ");
	press(&s, "=");
	assert_shows(&s, "R ");
	press(&s, "D");
	assert_false(s.app.compare.on);
	command(&s, "compare hide=nothing");
	assert_said(&s.app, "nothing");
	assert_false(s.app.compare.on);
	screen_close(&s);
}

/* ---- what-if ---- */

enum { KIND_BRANCH, KIND_DROP, KIND_EDIT, KIND_SWITCH };

/* Opens the menu and chooses a line of it. */
static void choose(struct screen_script *s, uint8_t kind, uint32_t n)
{
	press(s, "w");
	for (size_t i = 0; i < s->app.what_if.menu.n; i++) {
		struct app_choice c = s->app.what_if.menu.v[i];

		if (c.kind == kind && c.n == n) {
			press(s, "<Enter>");
			return;
		}
		press(s, "j");
	}
	fail_msg("not in the menu");
}

static void assert_hash(const struct app *a, const char *file, const char *policy)
{
	char ours[17], theirs[17];

	chain_hex(&a->now->run.chain, ours);
	hash_of(file, policy, theirs);
	assert_string_equal(ours, theirs);
}

static void go_to_call(struct screen_script *s, uint32_t call)
{
	uint32_t after = s->app.now->run.compressions.v[call].after_turn;
	char keys[20];

	snprintf(keys, sizeof keys, "%ug", after > 0 ? (unsigned)after : 1u);
	press(s, keys);
}

/* The branch is shown: it can be saved once, elsewhere, and replays alike. */
static void save(struct screen_script *s, const char *file)
{
	struct temp_file name;
	char words[400];
	struct buf before = {0}, after = {0};
	struct stat st;

	temp_file_write(&name, STR(""));
	snprintf(words, sizeof words, "save-branch %s", name.path);
	command(s, words);
	assert_said(&s->app, "not overwritten");
	assert_int_equal(stat(name.path, &st), 0);
	assert_int_equal(st.st_size, 0);
	temp_file_remove(&name);
	assert_int_equal(link(file, name.path), 0);
	command(s, words);
	assert_said(&s->app, "never written");
	temp_file_remove(&name);
	command(s, words);
	assert_said(&s->app, "saved");
	assert_hash(&s->app, name.path, s->app.now->side.p);
	screened_read_file(name.path, &before);
	command(s, words);
	assert_said(&s->app, "not overwritten");
	screened_read_file(name.path, &after);
	assert_true(str_eq(buf_view(&before), buf_view(&after)));
	temp_file_remove(&name);
	buf_free(&before);
	buf_free(&after);
}

static void dropped(const char *file)
{
	struct cli_request request;
	struct screen_script s;
	struct temp_file expected, linked;
	struct buf before = {0}, after = {0};

	/* a copy, which can be linked to */
	screened_read_file(file, &before);
	temp_file_write(&linked, buf_view(&before));
	open_file(&s, &request, linked.path);
	uint32_t calls = (uint32_t)s.app.now->run.compressions.n;
	for (uint32_t call = 0; call<calls; call += calls> 3 ? calls - 1 : 1) {
		go_to_call(&s, call);
		choose(&s, KIND_DROP, call);
		assert_said(&s.app, "branch");
		assert_true(s.app.now == s.app.forks.list.v[s.app.forks.list.n - 1]);
		write_changed(linked.path, call + 1, NULL, NULL, &expected);
		assert_hash(&s.app, expected.path, "follow=engine");
		temp_file_remove(&expected);
		save(&s, linked.path);
		choose(&s, KIND_BRANCH, 0);
		assert_int_equal(s.app.now->run.compressions.n, calls);
	}
	screen_close(&s);
	screened_read_file(linked.path, &after);
	assert_true(str_eq(buf_view(&before), buf_view(&after)));
	temp_file_remove(&linked);
	buf_free(&before);
	buf_free(&after);
}

static void a_dropped_call_is_a_line_less(void **state)
{
	(void)state;
	each_sample(dropped);
}

/* Everything an editor has to do with; in a directory where nothing may be left. */
static void a_call_is_edited_in_the_editor(void **state)
{
	static const char file[] = "sample-sessions/plain.acps.jsonl";
	char directory[] = "/tmp/acpdbg-edit-XXXXXX", log[80], editor[200];
	struct cli_request request;
	struct screen_script s;
	struct temp_file expected;
	struct buf mode = {0};

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(log, sizeof log, "%s-mode", directory);
	open_file(&s, &request, file);
	unsetenv("VISUAL");
	setenv("TMPDIR", directory, 1);
	go_to_call(&s, 0);

	setenv("EDITOR", "true", 1);
	choose(&s, KIND_EDIT, 0);
	assert_said(&s.app, "unchanged");
	snprintf(editor, sizeof editor, "sh -c 'stat -c %%a \"$0\" > %s; echo 1 > \"$0\"; exit 3'", log);
	setenv("EDITOR", editor, 1);
	choose(&s, KIND_EDIT, 0);
	assert_said(&s.app, "editor failed");
	screened_read_file(log, &mode);
	assert_string_equal(mode.p, "600\n");
	setenv("EDITOR", "no-such-editor-here 2>/dev/null", 1);
	choose(&s, KIND_EDIT, 0);
	assert_said(&s.app, "editor failed");
	assert_int_equal(s.app.forks.list.n, 0);

	setenv("EDITOR", "false", 1);
	setenv("VISUAL", "sed -i 's/\"summary\":\"/\"summary\":\"Edited. /'", 1);
	choose(&s, KIND_EDIT, 0);
	assert_int_equal(s.app.forks.list.n, 2);
	assert_true(s.app.now->first > 0);
	unsetenv("VISUAL");
	unsetenv("TMPDIR");
	/* nothing of it is left */
	assert_int_equal(rmdir(directory), 0);
	write_changed(file, 1, "\"summary\":\"", "\"summary\":\"Edited. ", &expected);
	assert_hash(&s.app, expected.path, "follow=engine");
	temp_file_remove(&expected);

	setenv("VISUAL", "echo '{damaged' >", 1);
	choose(&s, KIND_EDIT, 0);
	assert_int_equal(s.app.forks.list.n, 3);
	assert_false(s.app.now->run.compressions.v[0].applied);
	unsetenv("VISUAL");
	unlink(log);
	buf_free(&mode);
	screen_close(&s);
}

/* Policies share the recording; branches are listed, compared, shown and deleted. */
static void branches_are_kept(void **state)
{
	struct cli_request request;
	struct screen_script s;
	char hash[17], own[17];

	(void)state;
	open_file(&s, &request, "sample-sessions/tiers.acps.jsonl");
	press(&s, "9g");
	choose(&s, KIND_SWITCH, SWITCH_HIDE);
	assert_string_equal(s.app.now->side.p, "hide=full");
	assert_int_equal(s.app.now->forked, 9);
	chain_hex(&s.app.now->run.chain, own);
	hash_of(request.file, "hide=full", hash);
	assert_string_equal(own, hash);
	assert_shows(&s, "branch 1");
	/* counterfactual from the first difference on */
	uint32_t first = s.app.now->first;
	char keys[20];
	assert_true(first > 1);
	snprintf(keys, sizeof keys, "%ug", (unsigned)first - 1);
	press(&s, keys);
	assert_true(s.app.now->run.counterfactual >= position_record(&s.app.now->run, s.app.now->frame.at));
	press(&s, ".");
	assert_true(s.app.now->run.counterfactual < position_record(&s.app.now->run, s.app.now->frame.at));
	/* on top of the first */
	choose(&s, KIND_SWITCH, SWITCH_SNAPSHOT);
	assert_string_equal(s.app.now->side.p, "hide=full,snapshot=off");
	assert_int_equal(s.app.forks.list.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_true(s.app.forks.list.v[i]->recording == s.app.forks.list.v[0]->recording);
	assert_int_equal(s.app.forks.list.v[0]->file->users, 3);
	press(&s, "D");
	assert_true(s.app.compare.on && s.app.compare.other == s.app.forks.list.v[2]);
	assert_true(s.app.now == s.app.forks.list.v[0]);
	press(&s, "D");
	assert_true(s.app.now == s.app.forks.list.v[2]);
	press(&s, "wjD");
	assert_true(s.app.compare.on && s.app.compare.other == s.app.forks.list.v[1]);
	press(&s, "qwjxx");
	assert_int_equal(s.app.forks.list.n, 1);
	assert_true(s.app.now == s.app.forks.list.v[0]);
	assert_int_equal(s.app.now->file->users, 1);
	press(&s, "q");
	command(&s, "save-branch nowhere");
	assert_said(&s.app, "no branch is shown");
	screen_close(&s);
}

/* ---- whatever is pressed ---- */

static void any_keys(void **state)
{
	static const char *const pieces[] = {"D",
					     "Dhide=full<Enter>",
					     "Dcount=given<Enter>",
					     "Dx=<Enter><Esc>",
					     "w",
					     "w<Enter>",
					     "wjj<Enter>",
					     "wjx",
					     "wjD",
					     "=",
					     "]",
					     "[",
					     ".",
					     ",",
					     "j",
					     "k",
					     "G",
					     "<Tab>",
					     "F2",
					     "<Enter>",
					     "q",
					     "$",
					     "0",
					     ">",
					     "<Esc>",
					     "wjjj<Enter>",
					     "/e<Enter>",
					     "&a<Enter>",
					     "&<Enter>",
					     "+",
					     "_",
					     "?"};
	struct cli_request request;
	struct screen_script s;
	uint64_t x = 88172645463325252u;

	(void)state;
	setenv("EDITOR", "sed -i s/a/e/", 1);
	open_file(&s, &request, "sample-sessions/plain.acps.jsonl");
	for (int i = 0; i < 1500; i++) {
		if (random_next(&x) % 8 == 0)
			screen_resize(&s, 1 + (int)(random_next(&x) % 40), 1 + (int)(random_next(&x) % 160));
		if (s.app.forks.list.n > 6)
			app_fork_delete(&s.app, 1);
		press(&s, pieces[random_next(&x) % (sizeof pieces / sizeof *pieces)]);
		s.quit = false;
		s.flags = 0;
		app_draw(&s.app, &s.grid);
		const char *fault = random_keys_fault(&s.grid);
		if (fault)
			fail_msg("%s", fault);
	}
	screen_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_policy_differs_nowhere),
		cmocka_unit_test(the_differing_turns_are_those_of_diff),
		cmocka_unit_test(a_row_that_differs_is_marked),
		cmocka_unit_test(both_stand_at_one_turn),
		cmocka_unit_test(a_dropped_call_is_a_line_less),
		cmocka_unit_test(a_call_is_edited_in_the_editor),
		cmocka_unit_test(branches_are_kept),
		cmocka_unit_test(any_keys),
	};

	unsetenv("VISUAL");
	setenv("EDITOR", "true", 1);
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
