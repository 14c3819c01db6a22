/* y: ref, text, JSON or request bytes, for the clipboard. What is copied is raw: it only goes there. */
#include <stdio.h>

#include "engine/base/json.h"
#include "replay/frame_blocks.h"
#include "replay/frame_request.h"
#include "replay/readers/reader.h"
#include "replay/summarizer.h"
#include "replay/view/rows.h"
#include "tui/app_parts.h"

enum { TEXT_MAX = 64 << 20 };

/* The message of the selected line; false: it is of none. */
static bool message_of(const struct app *a, uint32_t *out)
{
	uint64_t key = a->panes[a->focus].key;

	*out = (uint32_t)(key - 1);
	return key > 0 && key <= a->now->recording->messages.n;
}

/* The block of the selected line + 1; 0 = it is of none. */
static uint32_t block_of(struct app *a)
{
	uint64_t key = a->panes[a->focus].key;
	struct frame_blocks *blocks = frame_blocks(&a->now->frame);

	for (size_t i = 0; i < blocks->n; i++)
		if (blocks->v[i].key == (a->focus == PANE_ROWS && key >= ROWS_KEY_BLOCK ? key - ROWS_KEY_BLOCK : key))
			return blocks->v[i].block + 1;
	return 0;
}

static const char *copy_ref(struct app *a, struct buf *out)
{
	struct state *s = &a->now->run.state;
	char text[REF_TEXT_MAX];
	uint32_t message, block;

	if (message_of(a, &message) && a->focus != PANE_BLOCKS) {
		uint32_t ref = state_info(s, a->now->recording->messages.v[message].message.id)->ref;

		if (ref != REF_NONE)
			buf_str(out, state_ref_text(s, ref, text));
		return ref != REF_NONE ? NULL : "this row has no ref yet";
	}
	block = block_of(a);
	if (block > 0)
		buf_str(out, names_get(&a->now->recording->names, s->blocks.v[block - 1].id));
	return block > 0 ? NULL : "this line has no ref";
}

/* The line as it is shown, or the lines of what is opened. */
static void put_lines(struct app *a, struct buf *out)
{
	const struct pane *p = &a->panes[a->focus];
	struct view_context c = app_context(a, a->focus);
	struct line l = {.ascii = a->ascii};
	size_t n = p->open && p->view->detail_count ? p->view->detail_count(&c, p->key) : 0;

	for (size_t i = 0; i < n; i++) {
		p->view->detail_line(&c, p->key, i, &l);
		line_write(&l, out);
		buf_char(out, '\n');
	}
	if (n == 0 && p->at < pane_count(p, &c)) {
		p->view->line(&c, pane_view_line(p, p->at), &l);
		line_write(&l, out);
	}
	line_free(&l);
}

static const char *copy_line(struct app *a, struct buf *out)
{
	put_lines(a, out);
	return out->n > 0 ? NULL : "there is no line";
}

/* The whole text behind the line; what has none is copied as it is shown. */
static const char *copy_text(struct app *a, struct buf *out)
{
	const struct pane *p = &a->panes[a->focus];
	struct view_context c = app_context(a, a->focus);
	struct arena arena = {0};
	struct str text;
	bool all;

	if (p->view->text && p->key != 0 &&
	    p->view->text(&c, pane_view_line(p, p->at), 0, TEXT_MAX, &arena, &text, &all))
		summarizer_put_utf8(out, text);
	arena_free(&arena);
	return out->n > 0 ? NULL : copy_line(a, out);
}

static const char *copy_json(struct app *a, struct buf *out)
{
	struct recording *r = a->now->recording;
	struct arena arena = {0};
	uint32_t message;

	if (!message_of(a, &message))
		return "this line stands for no record";
	buf_str(out, recording_bytes(r, &r->records.v[r->messages.v[message].record], &arena));
	arena_free(&arena);
	return out->n > 0 ? NULL : "the file was cut or rewritten";
}

static const char *copy_request(struct app *a, struct buf *out)
{
	const struct frame_request *q = frame_request(&a->now->frame);

	if (q->lack == REQUEST_THERE)
		frame_request_write(q, out);
	return request_lack_words(q->lack);
}

static const struct {
	char key;
	const char *what;
	const char *(*copy)(struct app *a, struct buf *out); /* NULL, or why there is nothing to copy */
} kinds[] = {
	{'r', "ref", copy_ref},         {'t', "text", copy_text}, {'j', "JSON", copy_json},
	{'b', "request", copy_request}, {'l', "line", copy_line},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static unsigned copy(struct app *a, size_t i)
{
	const char *lack;

	buf_cut(&a->copied, 0);
	lack = kinds[i].copy(a, &a->copied);
	if (lack) {
		app_say(a, STYLE_WARNING, "nothing copied: %s", lack);
		return APP_DRAW;
	}
	app_say(a, STYLE_GOOD, "copied: %s, %zu byte%s", kinds[i].what, a->copied.n, a->copied.n == 1 ? "" : "s");
	return APP_DRAW | APP_COPY;
}

unsigned app_copy_key(struct app *a, struct key k)
{
	a->awaiting = false;
	if (!a->now->has_frame) {
		app_say(a, STYLE_WARNING, "nothing is loaded yet");
		return APP_DRAW;
	}
	for (size_t i = 0; i < KINDS; i++)
		if (k.code == (unsigned char)kinds[i].key)
			return copy(a, i);
	if (k.code != KEYS_ESCAPE)
		app_say(a, STYLE_WARNING, "copy: r ref, t text, j JSON, b request bytes, l the line");
	return APP_DRAW;
}

unsigned app_copy(struct app *a)
{
	if (a->argument.n > 0) {
		for (size_t i = 0; i < KINDS; i++)
			if (str_eq(a->argument, str_of(kinds[i].what)))
				return app_copy_key(a, (struct key){.code = (unsigned char)kinds[i].key});
		app_say(a, STYLE_ERROR, "copy takes ref, text, JSON, request or line");
		return APP_DRAW;
	}
	a->awaiting = true;
	a->awaited = ACTION_COPY;
	app_say(a, STYLE_PLAIN, "copy: r ref  t text  j JSON  b request bytes  l the line");
	return APP_DRAW;
}
