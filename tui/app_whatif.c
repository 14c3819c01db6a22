#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/app_parts.h"
#include "tui/saving.h"

enum choice_kind { CHOICE_BRANCH, CHOICE_DROP, CHOICE_EDIT, CHOICE_SWITCH };

/* ---- the menu ---- */

static size_t count(void *ctx) { return ((const struct app *)ctx)->what_if.menu.n; }

static void put_branch(const struct app *a, uint32_t i, struct line *out)
{
	const struct app_replay *r = a->forks.list.v[i];

	line_puts(out, STYLE_MARK, r == a->now ? "* " : "  ");
	if (i == 0) {
		line_puts(out, STYLE_BOLD, "the session itself");
		return;
	}
	line_printf(out, STYLE_BOLD, "branch %u: ", (unsigned)i);
	line_put(out, STYLE_BOLD, buf_view(&r->change));
	line_printf(out, STYLE_DIM, "  made at turn %u", (unsigned)r->forked);
	if (r->differing > 0)
		line_printf(out, STYLE_CHANGED, "  %u of %zu turns differ, the first is %u", (unsigned)r->differing,
			    r->steps.n, (unsigned)r->first);
	else
		line_puts(out, STYLE_GOOD, "  no turn differs");
}

static void put_call(const struct app *a, const struct app_choice *c, struct line *out)
{
	const struct compress_outcome *o = &a->now->run.compressions.v[c->n];

	line_puts(out, STYLE_PLAIN, c->kind == CHOICE_DROP ? "  drop" : "  edit");
	line_printf(out, STYLE_PLAIN, " compress call %u", (unsigned)c->n + 1);
	line_puts(out, STYLE_PLAIN, c->kind == CHOICE_EDIT ? " in the editor" : "");
	line_printf(out, STYLE_DIM, "  after turn %u, %s", (unsigned)o->after_turn, o->applied ? "applied" : "refused");
}

static void put_choice(void *ctx, size_t i, struct line *out)
{
	const struct app *a = ctx;
	const struct app_choice *c = &a->what_if.menu.v[i];

	if (c->kind == CHOICE_BRANCH) {
		put_branch(a, c->n, out);
	} else if (c->kind == CHOICE_SWITCH) {
		line_printf(out, STYLE_PLAIN, "  %s=%s", policy_switch_name((enum policy_switch)c->n),
			    policy_value_at((enum policy_switch)c->n, c->value));
		line_printf(out, STYLE_DIM, "  now %s",
			    policy_value_name(&a->now->run.policy, (enum policy_switch)c->n));
	} else {
		put_call(a, c, out);
	}
}

static void put_about(void *ctx, size_t i, struct line *out)
{
	static const char *const words[] = {
		[CHOICE_BRANCH] = "<Enter> shows it, D compares it with the session, x deletes it",
		[CHOICE_DROP] = "replays without the call, and the engine decides on every other (follow=engine)",
		[CHOICE_EDIT] = "replays with other arguments, and the engine decides on every call (follow=engine)",
		[CHOICE_SWITCH] = "replays under this policy"};

	line_puts(out, STYLE_DIM, words[((const struct app *)ctx)->what_if.menu.v[i].kind]);
}

static void add(struct app *a, enum choice_kind kind, uint32_t n, uint32_t value)
{
	vec_push(&a->what_if.menu, (struct app_choice){(uint8_t)kind, n, value});
}

/* The calls that the answer of this turn made, and those that it saw the effect of. */
static void add_calls(struct app *a)
{
	const struct run *r = &a->now->run;
	uint32_t at = a->now->frame.at.turn;

	for (size_t i = r->compressions.n; i-- > 0;) {
		uint32_t after = r->compressions.v[i].after_turn;

		if (after != at && after + 1 != at)
			continue;
		add(a, CHOICE_DROP, (uint32_t)i, 0);
		add(a, CHOICE_EDIT, (uint32_t)i, 0);
	}
}

static void add_switches(struct app *a)
{
	const struct policy *now = &a->now->run.policy;

	for (unsigned s = 0; s < SWITCH_TOTAL; s++)
		for (uint32_t i = 0; policy_value_at((enum policy_switch)s, i); i++)
			if (now->value[s] != POLICY_UNUSED && now->value[s] != i &&
			    policy_value_at((enum policy_switch)s, i)[0] != '\0')
				add(a, CHOICE_SWITCH, s, i);
}

static void fill(struct app *a)
{
	a->what_if.menu.n = 0;
	for (size_t i = 0; i < a->forks.list.n; i++)
		add(a, CHOICE_BRANCH, (uint32_t)i, 0);
	add_calls(a);
	add_switches(a);
}

/* ---- what is chosen ---- */

/* A file of its own for the time of a what-if; its path, or NULL, and the bottom line says why. */
static char *make_file(struct app *a, struct saving *s)
{
	const char *dir = getenv("TMPDIR");
	struct buf b = {0};

	buf_printf(&b, "%s/acpdbg-XXXXXX", dir && *dir ? dir : "/tmp");
	saving_begin_temporary(s, b.p);
	if (s->code == 0)
		return b.p;
	app_say(a, STYLE_ERROR, "cannot write %s: %s", b.p, strerror(s->code));
	buf_free(&b);
	return NULL;
}

/* Writes the recording of a replay, all of it or no file. */
static enum status write_recording(struct recording *r, const struct recording_edit *edit, struct saving *s,
				   const char *path, struct error *e)
{
	enum status st = recording_write_edited(r, edit, (struct recording_writer){saving_put, s}, e);

	if (st != STATUS_OK)
		saving_fail(s, EIO);
	if (saving_end(s, path))
		return STATUS_OK;
	return st != STATUS_OK ? st : error_set(e, STATUS_IO, "%s", strerror(s->code));
}

/* A branch without the call, or (args) with others. */
static void branch(struct app *a, uint32_t call, struct str args)
{
	struct recording_edit edit = {.record = recording_call_record(a->now->recording, call), .args = args};
	struct error e = {0};
	char change[60];
	struct saving out;
	char *path = make_file(a, &out);

	if (!path)
		return;
	snprintf(change, sizeof change, "%s call %u", args.p ? "edit" : "drop", (unsigned)call + 1);
	if (write_recording(a->now->recording, &edit, &out, path, &e) == STATUS_OK)
		app_fork_begin(a,
			       &(struct app_fork_wish){.change = change, .policy = STR("follow=engine"), .file = path});
	else
		app_say(a, STYLE_ERROR, "no branch: %s", e.message);
	free(path);
}

static unsigned edit_call(struct app *a, uint32_t call)
{
	struct app_what_if *w = &a->what_if;
	struct arena scratch = {0};
	struct str args = recording_json(a->now->recording, a->now->recording->compressions.v[call].args, &scratch);
	struct saving out;

	app_what_if_free(a);
	w->path = make_file(a, &out);
	if (!w->path) {
		arena_free(&scratch);
		return APP_DRAW;
	}
	w->call = call;
	buf_str(&w->was, args);
	buf_char(&w->was, '\n');
	arena_free(&scratch);
	saving_put(&out, w->was.p, w->was.n);
	if (saving_end(&out, w->path))
		return APP_EDIT;
	app_say(a, STYLE_ERROR, "cannot write %s: %s", w->path, strerror(out.code));
	app_what_if_free(a);
	return APP_DRAW;
}

static bool read_file(const char *path, struct buf *out)
{
	char bytes[4096];
	size_t n;
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	while ((n = fread(bytes, 1, sizeof bytes, f)) > 0)
		buf_bytes(out, bytes, n);
	bool fine = !ferror(f);
	fclose(f);
	return fine;
}

/* What was typed as one JSON value; what is none is a text, as models send them. */
static void as_json(struct str text, struct buf *out)
{
	struct json_scan scan = {0};

	if (json_scan(text.p, text.n, &scan) == JSON_OK)
		buf_str(out, text);
	else
		json_put_str(out, text);
	json_scan_free(&scan);
}

unsigned app_edited(struct app *a, bool ok)
{
	struct app_what_if *w = &a->what_if;
	struct buf text = {0}, args = {0};
	bool fine;

	if (!w->path)
		return APP_DRAW;
	fine = ok && read_file(w->path, &text);
	if (!ok) {
		app_say(a, STYLE_WARNING, "the editor failed: nothing is changed");
	} else if (!fine) {
		app_say(a, STYLE_WARNING, "the edited file cannot be read: nothing is changed");
	} else if (str_eq(text_trim(buf_view(&text)), text_trim(buf_view(&w->was)))) {
		app_say(a, STYLE_DIM, "unchanged: no branch");
	} else {
		as_json(text_trim(buf_view(&text)), &args);
		branch(a, w->call, buf_view(&args));
	}
	buf_free(&text);
	buf_free(&args);
	app_what_if_free(a);
	return APP_DRAW;
}

static void change_switch(struct app *a, enum policy_switch s, uint32_t value)
{
	char words[80];

	snprintf(words, sizeof words, "%s=%s", policy_switch_name(s), policy_value_at(s, value));
	app_fork_begin(a, &(struct app_fork_wish){.change = words, .policy = str_of(words)});
}

static unsigned choose(struct app *a)
{
	struct app_choice c = a->what_if.menu.v[a->chooser.at];

	if (c.kind == CHOICE_EDIT)
		return edit_call(a, c.n);
	if (c.kind == CHOICE_DROP)
		branch(a, c.n, (struct str){NULL, 0});
	else if (c.kind == CHOICE_SWITCH)
		change_switch(a, (enum policy_switch)c.n, c.value);
	else
		app_fork_show(a, a->forks.list.v[c.n]);
	app_settle(a);
	return APP_DRAW;
}

/* Of the branch that is selected. */
static bool branch_key(struct app *a, struct key k)
{
	struct app_choice c = a->what_if.menu.v[a->chooser.at];

	if (c.kind != CHOICE_BRANCH || c.n == 0 || (k.code != 'x' && k.code != 'D'))
		return false;
	if (k.code == 'D') {
		a->list = NULL;
		app_compare_open(a, a->forks.list.v[c.n]);
	} else {
		app_fork_delete(a, c.n);
		fill(a);
	}
	app_settle(a);
	return true;
}

static const struct app_list menu = {.chosen = choose, .key = branch_key};

void app_what_if_open(struct app *a)
{
	static const char *const hints[] = {"<Enter>", "do it", "x", "delete", "D", "compare", NULL};

	if (a->now->phase != APP_READY || !a->now->has_frame) {
		app_say(a, STYLE_WARNING, "not before all turns are replayed");
		return;
	}
	app_compare_close(a);
	fill(a);
	app_list_open(a, &menu,
		      (struct chooser_list){.title = "What if: branches, compress calls of this turn, policy",
					    .count = count,
					    .line = put_choice,
					    .about = put_about,
					    .hints = hints,
					    .ctx = a});
}

void app_what_if_free(struct app *a)
{
	if (a->what_if.path)
		unlink(a->what_if.path);
	free(a->what_if.path);
	a->what_if.path = NULL;
	buf_free(&a->what_if.was);
}

/* ---- saving ---- */

static bool is_session(const struct app *a, const char *path)
{
	struct stat own, named;

	return stat(path, &named) == 0 && stat(a->request->file, &own) == 0 && own.st_dev == named.st_dev &&
	       own.st_ino == named.st_ino;
}

static unsigned save(struct app *a, struct str name)
{
	struct buf path = {0};
	struct error e = {0};
	struct saving out;

	buf_str(&path, text_trim(name));
	saving_begin(&out, path.p);
	if (out.code == EEXIST)
		app_say(a, STYLE_ERROR, "not saved: %s",
			is_session(a, path.p) ? "this is the session itself; it is never written"
					      : "there is such a file already; it is not overwritten");
	else if (out.code != 0)
		app_say(a, STYLE_ERROR, "not saved: %s", strerror(out.code));
	else if (write_recording(a->now->recording, NULL, &out, path.p, &e) != STATUS_OK)
		app_say(a, STYLE_ERROR, "not saved: %s", e.message);
	else
		app_say(a, STYLE_GOOD, "saved; the same replay of it: --policy %s", a->now->side.p);
	buf_free(&path);
	return APP_DRAW;
}

static const struct app_question where = {.lead = "save the branch as: ", .answer = save};

void app_what_if_save(struct app *a)
{
	if (a->compare.on || a->forks.list.n == 0 || a->now == a->forks.list.v[0])
		app_say(a, STYLE_WARNING, "no branch is shown (w makes them); acpdbg convert writes the session");
	else if (a->argument.n > 0)
		save(a, a->argument);
	else
		app_ask(a, &where, (struct str){NULL, 0});
}
