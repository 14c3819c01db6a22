/* tui/app and what it paints, whatever is pressed at whatever size: properties that always hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "tests/random_keys.h"
#include "tui/app_parts.h"

#define STEPS "tests/screens/steps.acps.jsonl"

static struct cli_request request_for(const char *file)
{
	return (struct cli_request){.file = file, .limit = (double)NAN};
}

static void open_with(struct screen_script *s, const struct cli_request *request)
{
	struct error e = {0};

	if (screen_open(s, request, 24, 80, false, &e) != STATUS_OK)
		fail_msg("%s", e.message);
}

static void press(struct screen_script *s, const char *keys)
{
	struct error e = {0};

	if (screen_keys(s, str_of(keys), &e) != STATUS_OK)
		fail_msg("%s: %s", keys, e.message);
}

static void check_grid(const struct grid *g)
{
	const char *fault = random_keys_fault(g);

	if (fault)
		fail_msg("%s", fault);
}

/* Something that the node of the position did is in the window. */
static bool shows_change(const struct app *a, const struct pane *p)
{
	struct view_context c = app_context(a, p->id);
	size_t n = pane_count(p, &c);

	for (size_t i = p->top; i < n && i < p->top + p->height; i++)
		if (p->view->changed && p->view->changed(&c, pane_view_line(p, i)))
			return true;
	return false;
}

/* The selected line of every pane that is shown is in its window; or, after a step, what the node did. */
static void check_panes(const struct app *a)
{
	for (enum pane_id id = 0; id < PANE_COUNT; id++) {
		const struct pane *p = &a->panes[id];

		if (app_place(a, id).body.rows <= 0 || !p->view || p->open || p->height == 0 || p->key == 0)
			continue;
		if (p->at < p->top || p->at >= p->top + p->height)
			assert_true(p->follow && shows_change(a, p));
	}
	assert_true(app_place(a, a->focus).body.rows > 0 || a->rows < 3 || a->cols < 1);
}

static struct key random_key(uint64_t *x, int rows, int cols)
{
	static const uint32_t codes[] = {'.',
					 ',',
					 '>',
					 '<',
					 '(',
					 ')',
					 '[',
					 ']',
					 '{',
					 '}',
					 '$',
					 '0',
					 '3',
					 '7',
					 'g',
					 'j',
					 'k',
					 'G',
					 '+',
					 '_',
					 ':',
					 '/',
					 'n',
					 'N',
					 '\\',
					 '&',
					 '?',
					 KEYS_CTRL('d'),
					 KEYS_CTRL('u'),
					 KEYS_CTRL('l'),
					 KEYS_TAB,
					 KEYS_SHIFT_TAB,
					 KEYS_ENTER,
					 KEYS_ESCAPE,
					 KEYS_SPACE,
					 KEYS_BACKSPACE,
					 KEYS_UP,
					 KEYS_DOWN,
					 KEYS_LEFT,
					 KEYS_HOME,
					 KEYS_END,
					 KEYS_PAGE_UP,
					 KEYS_PAGE_DOWN,
					 KEYS_DELETE,
					 KEYS_F1,
					 KEYS_F1 + 5,
					 KEYS_F1 + 2,
					 KEYS_CLICK,
					 KEYS_WHEEL_UP,
					 KEYS_WHEEL_DOWN,
					 'z',
					 0x4f60,
					 0x301,
					 0x1f600,
					 0x202e};
	struct key k = {.code = codes[random_next(x) % (sizeof codes / sizeof codes[0])]};

	if (k.code >= KEYS_CLICK) {
		k.row = (int)(random_next(x) % (uint64_t)(rows + 2));
		k.col = (int)(random_next(x) % (uint64_t)(cols + 2));
	}
	return k;
}

static void any_keys_at_any_size(void **state)
{
	static const char *const files[] = {STEPS, "tests/screens/hostile.acps.jsonl",
					    "sample-sessions/tiers.acps.jsonl", "sample-sessions/mixed-zh.acps.jsonl",
					    "sample-sessions/damaged-arguments.acps.jsonl"};
	enum { FILES = sizeof files / sizeof files[0], KEYS_EACH = 10000 / FILES };
	uint64_t x = 88172645463325252u;

	(void)state;
	for (size_t f = 0; f < FILES; f++) {
		struct cli_request request = request_for(files[f]);
		struct screen_script s;

		open_with(&s, &request);
		s.app.ascii = f % 2;
		for (int i = 0; i < KEYS_EACH; i++) {
			if (random_next(&x) % 16 == 0) {
				/* small ones more often */
				int most = random_next(&x) % 4 ? 30 : 100;

				screen_resize(&s, 1 + (int)(random_next(&x) % (uint64_t)most),
					      1 + (int)(random_next(&x) % (uint64_t)(most * 3)));
			}
			screen_key(&s, random_key(&x, s.app.rows, s.app.cols));
			if (s.quit)
				fail_msg("quit without q");
			if (random_next(&x) % 4 == 0) {
				app_draw(&s.app, &s.grid);
				check_grid(&s.grid);
				check_panes(&s.app);
			}
		}
		screen_close(&s);
	}
}

/* Two-column characters and combining marks do not shift what stands right of them: the line between the panes is
 * straight. */
static void wide_text_keeps_columns(void **state)
{
	static const char *const files[] = {"sample-sessions/mixed-zh.acps.jsonl", "tests/screens/hostile.acps.jsonl"};

	(void)state;
	for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
		struct cli_request request = request_for(files[f]);
		struct screen_script s;
		const char *line = glyph(GLYPH_VLINE, false);
		size_t wide = 0;

		request.end = true;
		open_with(&s, &request);
		screen_resize(&s, 60, 200);
		app_draw(&s.app, &s.grid);
		struct rect divider = s.app.layout.divider;
		assert_true(divider.rows > 0);
		for (int row = divider.row; row < divider.row + divider.rows; row++) {
			const struct cell *c = grid_cell(&s.grid, row, divider.col);

			assert_int_equal(c->n, strlen(line));
			assert_memory_equal(c->bytes, line, c->n);
			for (int col = 0; col < divider.col; col++)
				wide += grid_cell(&s.grid, row, col)->columns == 2;
		}
		/* there was something to shift it */
		assert_true(wide > 20);
		screen_close(&s);
	}
}

/* Every size up to 20x60, and some beyond, in every state of the screen. */
static void every_small_size(void **state)
{
	static const char *const keys[] = {"", "<Tab>", "<F1><Enter>", "?", "q:abc", "<Esc>q++", "?q_z"};
	static const int large[][2] = {{24, 80}, {60, 200}, {100, 300}, {5, 300}, {100, 1}, {0, 0}};
	struct cli_request request = request_for(STEPS);
	struct screen_script s;

	(void)state;
	open_with(&s, &request);
	press(&s, "4g");
	for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
		screen_resize(&s, 24, 80);
		press(&s, keys[k]);
		for (int rows = 0; rows <= 20; rows++)
			for (int cols = 0; cols <= 60; cols++) {
				screen_resize(&s, rows, cols);
				app_draw(&s.app, &s.grid);
				check_grid(&s.grid);
				check_panes(&s.app);
			}
		for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
			screen_resize(&s, large[i][0], large[i][1]);
			app_draw(&s.app, &s.grid);
			check_grid(&s.grid);
		}
	}
	assert_false(s.quit);
	screen_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_keys_at_any_size),
		cmocka_unit_test(wide_text_keeps_columns),
		cmocka_unit_test(every_small_size),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
