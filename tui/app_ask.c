#include "tui/app_parts.h"

void app_ask_look(struct app *a)
{
	struct app_ask *q = &a->ask;
	struct str text = buf_view(&q->prompt.text);

	q->fault = (struct expr_fault){0};
	/* nothing is wrong with what is not there yet */
	q->faulty = text.n > 0 && q->question->wrong && q->question->wrong(a, text, &q->fault);
}

void app_ask(struct app *a, const struct app_question *question, struct str text)
{
	a->ask.question = question;
	prompt_open(&a->ask.prompt, question->lead);
	prompt_set(&a->ask.prompt, text, text.n);
	app_ask_look(a);
}

unsigned app_ask_key(struct app *a, struct key k)
{
	struct app_ask *q = &a->ask;
	enum prompt_answer answer = prompt_key(&q->prompt, k);

	if (answer == PROMPT_CANCELLED)
		return APP_DRAW;
	if (answer == PROMPT_GOES_ON) {
		app_ask_look(a);
		return APP_DRAW;
	}
	if (text_trim(buf_view(&q->prompt.text)).n == 0)
		return APP_DRAW;
	if (!q->faulty)
		return q->question->answer(a, buf_view(&q->prompt.text)) | APP_DRAW;
	q->prompt.active = true;
	/* behind what is to blame, so that Backspace takes it off */
	q->prompt.cursor = q->fault.at + q->fault.n;
	if (q->prompt.cursor > q->prompt.text.n)
		q->prompt.cursor = q->prompt.text.n;
	return APP_DRAW;
}

/* The caret stands in the row above, for there is none below: v. The words go where there is room. */
static void draw_fault(const struct app *a, struct grid *g, struct rect r)
{
	const struct app_ask *q = &a->ask;
	struct str text = buf_view(&q->prompt.text);
	int column = text_width(str_of(q->prompt.lead), g->ascii) +
		     text_width_up_to(str_cut(text, 0, q->fault.at), g->ascii, r.cols);
	int words = text_width(str_of(q->fault.message), g->ascii);
	struct line l = {.ascii = g->ascii};

	line_reset(&l, r.cols);
	if (column + 2 + words <= r.cols) {
		line_pad_to(&l, column);
		line_puts(&l, STYLE_ERROR, "v ");
		line_puts(&l, STYLE_ERROR, q->fault.message);
	} else if (words + 1 <= column && column < r.cols) {
		line_pad_to(&l, column - words - 1);
		line_puts(&l, STYLE_ERROR, q->fault.message);
		line_puts(&l, STYLE_ERROR, " v");
	} else {
		line_puts(&l, STYLE_ERROR, q->fault.message);
	}
	grid_put_line(g, r, &l);
	line_free(&l);
}

void app_ask_draw(const struct app *a, struct grid *g, struct rect r)
{
	prompt_draw(&a->ask.prompt, g, r);
	app_complete_draw(a, g, r);
	if (a->ask.faulty && r.row > 0 && !a->completing.on)
		draw_fault(a, g, (struct rect){r.row - 1, r.col, 1, r.cols});
}
