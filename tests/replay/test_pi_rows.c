/*
 * Rows of pi.md part 10 on whole session files, from the lines to the request.
 *
 * A case is a file (`lines`, as they are), its leaf (`branch`, default the
 * reader's choice) and a `profile`; each member that is there must be so:
 *   tip       [id, entries] of the active branch
 *   note      what one of the reader's notes says
 *   skipped   lines that could not be used; objects: the others
 *   damage    a kind of damage that was found
 *   list      ids of the rows in the host's list at the end, in order; roles: theirs
 *   refs      {id: ref} at the end
 *   requests  how many
 *   prompts, hits (to four places), contexts  provider usage of each
 *   request   messages of the last one; bytes are those of their canonical form, a line each
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/replayed.h"

static void load(const cJSON *one, struct replayed *s)
{
	struct buf text = {0};
	struct error e = {0};
	enum status st;
	const cJSON *line;
	*s = (struct replayed){0};
	cJSON_ArrayForEach (line, json_get(one, "lines")) {
		if (text.n > 0)
			buf_char(&text, '\n');
		buf_str(&text, json_str(line));
	}
	temp_file_write(&s->file, buf_view(&text));
	st = recording_open_branch(&s->recording, s->file.path, "pi", json_str(json_get(one, "branch")).p, &e);
	while (st == STATUS_OK && recording_load_step(&s->recording, SIZE_MAX, &st, &e))
		;
	temp_file_remove(&s->file);
	buf_free(&text);
	if (st != STATUS_OK)
		case_fail(one, "does not load: %s", e.message);
}

static void expect_count(const cJSON *one, const char *member, size_t got)
{
	double want;
	if (json_num(json_get(one, member), &want))
		case_expect_count(one, member, got, (size_t)want);
}

static bool is_noted(const struct recording *r, struct str what)
{
	for (size_t i = 0; i < r->notes.n; i++)
		for (size_t k = 0; k + what.n <= r->notes.v[i].n; k++)
			if (memcmp(r->notes.v[i].p + k, what.p, what.n) == 0)
				return true;
	return false;
}

static void check_file(const cJSON *one, const struct recording *r)
{
	const cJSON *tip = json_get(one, "tip");
	struct str note = json_str(json_get(one, "note")), damage = json_str(json_get(one, "damage"));
	double entries;
	bool found = tip == NULL;
	for (size_t i = 0; i < r->branches.n && tip != NULL; i++) {
		const struct branch_tip *b = &r->branches.v[i];
		if (!b->active)
			continue;
		found = json_num(cJSON_GetArrayItem(tip, 1), &entries);
		case_expect_text(one, "leaf", names_get(&r->names, b->id), json_str(cJSON_GetArrayItem(tip, 0)));
		case_expect_count(one, "entries of the branch", b->entries, (size_t)entries);
	}
	if (!found)
		case_fail(one, "no active branch");
	if (note.p != NULL && !is_noted(r, note))
		case_fail(one, "nothing is noted of %s", note.p);
	expect_count(one, "skipped", r->skipped);
	expect_count(one, "objects", r->lines - r->skipped);
	for (size_t i = 0; i < r->damages.n; i++)
		if (damage.p != NULL && str_eq(str_of(damage_kind_name(r->damages.v[i].kind)), damage))
			damage.p = NULL;
	if (damage.p != NULL)
		case_fail(one, "damage was not found");
}

static void check_list(const cJSON *one, struct run *r)
{
	const cJSON *list = json_get(one, "list"), *roles = json_get(one, "roles"), *ref;
	int n = 0;
	for (size_t i = 0; list != NULL && i < r->recording->messages.n; i++) {
		const struct message_record *m = &r->recording->messages.v[i];
		if (m->rowless || !r->state.messages.v[i].in_list)
			continue;
		case_expect_text(one, "row", names_get(&r->recording->names, m->message.id),
				 json_str(cJSON_GetArrayItem(list, n)));
		if (roles != NULL)
			case_expect_text(one, "role", role_name((enum role)m->message.role),
					 json_str(cJSON_GetArrayItem(roles, n)));
		n++;
	}
	if (list != NULL)
		case_expect_count(one, "rows", (size_t)n, (size_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach (ref, json_get(one, "refs")) {
		char text[REF_TEXT_MAX];
		uint32_t name = names_find(&r->recording->names, str_of(ref->string));
		case_expect_text(one, ref->string, state_ref_text(&r->state, state_info(&r->state, name)->ref, text),
				 json_str(ref));
	}
}

static void check_usage(const cJSON *one, const struct run *r)
{
	const cJSON *prompts = json_get(one, "prompts"), *hits = json_get(one, "hits"),
		    *contexts = json_get(one, "contexts");
	double want;
	expect_count(one, "requests", r->timeline.turns.n);
	for (int i = 0; prompts != NULL && i < (int)r->timeline.turns.n; i++) {
		const struct moment *m = &r->timeline.turns.v[i];
		const struct sent *s = &r->sender.sent.v[i];
		if (!json_num(cJSON_GetArrayItem(prompts, i), &want) || m->prompt != want)
			case_fail(one, "prompt %d is %g", i + 1, m->prompt);
		if (!json_num(cJSON_GetArrayItem(hits, i), &want) || !(fabs(s->actual - want) < 0.00005))
			case_fail(one, "hit rate %d is %g", i + 1, s->actual);
		if (!json_num(cJSON_GetArrayItem(contexts, i), &want) || r->recording->turns.v[i].usage.total != want)
			case_fail(one, "context %d is %g", i + 1, r->recording->turns.v[i].usage.total);
	}
}

static void check_request(const cJSON *one, const struct run *r)
{
	const cJSON *list = json_get(one, "request"), *message;
	struct buf want = {0}, got = {0};
	if (list == NULL)
		return;
	cJSON_ArrayForEach (message, list) {
		if (want.n > 0)
			buf_char(&want, '\n');
		json_put(&want, message);
	}
	pi_egress_write(&r->sender.egress, &r->sender.egress.now, &got);
	case_expect_text(one, "request", buf_view(&got), buf_view(&want));
	buf_free(&want);
	buf_free(&got);
}

static void check_case(const cJSON *one, void *ctx)
{
	struct replayed s;
	(void)ctx;
	load(one, &s);
	check_file(one, &s.recording);
	replayed_start_with(&s, json_str(json_get(one, "profile")).p, (struct str){0});
	s.run.want_requests = true;
	replayed_finish(&s);
	check_list(one, &s.run);
	check_usage(one, &s.run);
	check_request(one, &s.run);
	replayed_close(&s);
}

static void test_rows(void **state)
{
	(void)state;
	case_file_each("tests/cases/pi_rows.jsonl", check_case, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
