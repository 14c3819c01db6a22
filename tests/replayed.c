#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tests/replayed.h"

void replayed_open(struct replayed *s, struct str text)
{
	struct error e = {0};
	*s = (struct replayed){0};
	temp_file_write(&s->file, text);
	enum status st = recording_load(&s->recording, s->file.path, NULL, &e);
	temp_file_remove(&s->file);
	if (st != STATUS_OK) {
		print_error("recording: %s\n", e.message);
		fail();
	}
}

void replayed_open_case(struct replayed *s, const cJSON *one)
{
	struct buf text = {0};
	const cJSON *record;
	cJSON_ArrayForEach (record, json_get(one, "records")) {
		json_put(&text, record);
		buf_char(&text, '\n');
	}
	if (text.n == 0)
		case_fail(one, "no records");
	replayed_open(s, buf_view(&text));
	buf_free(&text);
}

void replayed_start(struct replayed *s, const char *profile) { replayed_start_with(s, profile, (struct str){0}); }

void replayed_start_with(struct replayed *s, const char *profile, struct str options)
{
	struct policy policy;
	struct error e = {0};
	policy_for_host(&policy, s->recording.host);
	enum status st = profile ? policy_profile(&policy, str_of(profile), &e) : STATUS_OK;
	if (st == STATUS_OK && options.n > 0)
		st = policy_apply(&policy, options, &e);
	if (st == STATUS_OK)
		st = run_init(&s->run, &s->recording, &policy, &(struct run_options){.limit = NAN}, &e);
	if (st != STATUS_OK) {
		print_error("run: %s\n", e.message);
		fail();
	}
	s->has_run = true;
}

void replayed_finish(struct replayed *s)
{
	while (run_step(&s->run, 1000))
		;
}

void replayed_close(struct replayed *s)
{
	if (s->has_run)
		run_free(&s->run);
	recording_free(&s->recording);
}
