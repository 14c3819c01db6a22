#include "tests/screened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <unistd.h>

char screened_home[64];

static void begin(struct screened *s, const char *file)
{
	*s = (struct screened){.request = {.file = file, .limit = (double)NAN}};
}

void screened_open(struct screened *s, const char *file, int rows, int cols)
{
	struct error e = {0};

	begin(s, file);
	if (screen_open(&s->script, &s->request, rows, cols, false, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
}

void screened_open_remembering(struct screened *s, const char *file, int rows, int cols)
{
	struct app *a = &s->script.app;
	struct error e = {0};

	begin(s, file);
	if (app_open(a, &s->request, false, &e) != STATUS_OK)
		fail_msg("%s: %s", file, e.message);
	a->remembers = true;
	app_layout_open(a);
	app_history_open(a);
	app_resize(a, rows, cols);
	while (app_busy(a))
		app_job_step(a, 1 << 20);
}

void screened_close(struct screened *s) { screen_close(&s->script); }

void screened_press(struct screened *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(&s->script, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

void screened_type(struct screened *s, struct str text)
{
	for (size_t i = 0; i < text.n;) {
		struct key k = {0};

		i += text_decode(text, i, &k.code);
		screen_key(&s->script, k);
	}
}

bool screened_has(struct screened *s, const char *text)
{
	struct buf b = {0};
	bool has;

	screen_text(&s->script, &b);
	has = str_find(buf_view(&b), str_of(text), 0) != SIZE_MAX;
	buf_free(&b);
	return has;
}

void screened_expect(struct screened *s, const char *text)
{
	struct buf b = {0};

	if (screened_has(s, text))
		return;
	screen_text(&s->script, &b);
	/* the whole of it: cmocka cuts long messages */
	fprintf(stderr, "%s", b.p);
	fail_msg("not on the screen: %s", text);
}

void screened_read_file(const char *path, struct buf *b)
{
	char chunk[4096];
	size_t n;
	FILE *f = fopen(path, "rb");

	if (!f)
		fail_msg("%s cannot be read", path);
	while (f && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
		buf_bytes(b, chunk, n);
	if (f)
		fclose(f);
}

int screened_set_up_home(void **state)
{
	(void)state;
	snprintf(screened_home, sizeof screened_home, "/tmp/acpdbg-test-XXXXXX");
	return !mkdtemp(screened_home) || setenv("XDG_STATE_HOME", screened_home, 1) ||
	       setenv("XDG_CONFIG_HOME", screened_home, 1);
}

int screened_tear_down_home(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", screened_home);
	return system(command);
}
