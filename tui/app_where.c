/* `:ref m00105`: where a ref or a block lives. */
#include "replay/frame_blocks.h"
#include "replay/view/rows.h"
#include "replay/view/text.h"
#include "replay/where.h"
#include "tui/app_parts.h"

/* The row in Rows, or the block in Blocks; the pane scrolls there when it is settled. */
static void show(struct app *a, const struct where *w)
{
	struct frame *f = &a->now->frame;
	enum pane_id id = w->kind == WHERE_VISIBLE ? PANE_ROWS : PANE_BLOCKS;

	if (w->kind != WHERE_VISIBLE && w->kind != WHERE_COVERED && w->kind != WHERE_BLOCK)
		return;
	a->panes[id].wanted = w->kind == WHERE_VISIBLE ? rows_key_of(&f->run->state, &f->rows.v[w->row].row)
						       : frame_block_key(&f->run->state, w->block);
	a->panes[id].tail = a->panes[id].open = a->panes[id].follow = false;
	app_focus(a, id);
}

static unsigned answer(struct app *a, struct str text)
{
	struct buf b = {0}, safe = {0};
	struct where w;

	if (!a->now->has_frame) {
		app_say(a, STYLE_WARNING, "nothing is loaded yet");
		return APP_DRAW;
	}
	w = where_is(&a->now->frame, text_trim(text), &b);
	text_put_safe(&safe, buf_view(&b), a->ascii);
	app_say(a, w.kind <= WHERE_NEVER || w.kind == WHERE_DANGLING ? STYLE_WARNING : STYLE_PLAIN, "%s", safe.p);
	show(a, &w);
	buf_free(&b);
	buf_free(&safe);
	return APP_DRAW;
}

void app_where(struct app *a)
{
	static const struct app_question question = {.lead = "ref or block: ", .answer = answer};

	if (a->argument.n > 0)
		answer(a, a->argument);
	else
		app_ask(a, &question, STR(""));
}
