#include "tui/pick.h"

#include <signal.h>
#include <time.h>

#include "replay/view/picker.h"
#include "tui/chooser.h"
#include "tui/loop.h"

static size_t line_count(void *ctx) { return picker_count(ctx); }
static void put_line(void *ctx, size_t i, struct line *out) { picker_line(ctx, i, out->limit, out); }
static bool is_choosable(void *ctx, size_t i) { return picker_path(ctx, i) != NULL; }
static void put_caption(void *ctx, struct line *out) { picker_caption(ctx, out->limit, out); }
static void put_about(void *ctx, size_t i, struct line *out) { picker_about(ctx, i, out->limit, out); }

struct picking {
	struct term term;
	struct theme theme;
	struct grid grid;
	struct chooser chooser;
	bool ascii, over, chosen;
	int code;
};

static void paint(struct picking *p)
{
	grid_resize(&p->grid, p->term.rows, p->term.cols);
	p->grid.ascii = p->ascii;
	grid_clear(&p->grid);
	chooser_draw(&p->chooser, &p->grid, grid_all(&p->grid));
	term_show(&p->term, &p->grid, &p->theme);
}

static void take_key(struct picking *p, struct key k)
{
	enum chooser_answer answer;

	if (k.code == KEYS_CTRL('z')) {
		term_suspend(&p->term);
		return;
	}
	if (k.code == KEYS_CTRL('l'))
		term_repaint(&p->term);
	answer = chooser_key(&p->chooser, k);
	p->chosen = answer == CHOOSER_CHOSEN;
	p->over = answer != CHOOSER_STAY;
}

static void run(struct picking *p)
{
	struct key key = {0};

	while (!p->over) {
		paint(p);
		switch (term_wait(&p->term, -1, &key)) {
		case TERM_KEY:
			take_key(p, key);
			break;
		case TERM_INTERRUPT:
			p->code = CLI_INTERRUPTED;
			p->over = true;
			break;
		case TERM_QUIT:
		case TERM_LOST:
			p->code = CLI_INTERNAL;
			p->over = true;
			break;
		case TERM_TIMEOUT:
		case TERM_RESIZED:
		case TERM_RESUMED:
			break;
		}
	}
}

/* The list on the screen; *path is what was chosen, or NULL. */
static int choose(const struct cli_request *request, struct picker *picker, const char **path)
{
	struct picking p = {.ascii = cli_ascii(request)};
	int code = loop_start(request, &p.term, &p.theme);

	*path = NULL;
	if (code != CLI_FINE)
		return code;
	chooser_init(&p.chooser, (struct chooser_list){"Sessions, this directory's first", line_count, put_line,
						       is_choosable, put_caption, put_about, NULL, picker});
	run(&p);
	term_stop(&p.term);
	grid_free(&p.grid);
	if (p.term.signal != 0) {
		signal(p.term.signal, SIG_DFL);
		raise(p.term.signal);
	}
	if (p.chosen)
		*path = picker_path(picker, p.chooser.at);
	return p.code;
}

int pick_open(const struct cli_request *request)
{
	struct arena arena = {0};
	struct sessions sessions;
	struct picker picker;
	struct cli_request chosen = *request;
	struct sessions_places places = sessions_places_here(&arena);
	int code;

	sessions_scan(&sessions, &places);
	sessions_sort(&sessions);
	picker_init(&picker, &sessions, (int64_t)time(NULL), 0);
	code = choose(request, &picker, &chosen.file);
	if (code == CLI_FINE && chosen.file != NULL)
		code = loop_open(&chosen);
	picker_free(&picker);
	sessions_free(&sessions);
	arena_free(&arena);
	return code;
}
