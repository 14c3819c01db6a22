/* The Request view of a DSH session: the derived messages of the surface in node order, beside the request before
 * (interface.md, pane 8; recording.md, turn). */
#include <inttypes.h>

#include "replay/checks.h"
#include "replay/sent_dsh.h"
#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/request.h"
#include "replay/view/requests_words.h"
#include "replay/view/words.h"

enum { INDENT = 2, PREVIEW_BYTES = 4096 };

/* ---- what is shown ---- */

/* A row of one of the two requests, or of both; places from 1 on, 0 = not in that one. A row's bytes never change. */
struct item {
	uint32_t row, now, before;
};

struct kept {
	struct frame_request *request;
	struct item *v;
	size_t n;
	size_t rule; /* the item it stands before, SIZE_MAX = there is none */
	size_t of_state[REQUEST_STATES];
};

static enum request_state state_of(const struct item *i)
{
	return i->now == 0 ? REQUEST_REMOVED : i->before == 0 ? REQUEST_NEW : REQUEST_SAME;
}

static void add(struct kept *k, struct item item)
{
	enum request_state state = state_of(&item);
	if (state != REQUEST_SAME && k->rule == SIZE_MAX && sent_rebuilds(&k->request->sent))
		k->rule = k->n;
	k->of_state[state]++;
	k->v[k->n++] = item;
}

/* Slots of the surface never move: both lists ascend in them, what was removed stands before what took its place. */
static void lay_out(const struct frame *f, struct kept *k, struct arena *a)
{
	const struct sender *x = &k->request->sender;
	const struct dsh_surface *s = &f->run->dsh.fold.surface;
	size_t keep = x->same_rows, gone = 0;
	uint32_t *before = arena_zero(a, s->log->rows.n + 1, sizeof *before);
	bool *stays = arena_zero(a, s->log->rows.n + 1, sizeof *stays);
	k->v = arena_alloc(a, (x->rows.n + x->rows_before.n + 1) * sizeof *k->v);
	for (size_t i = 0; i < x->rows_before.n; i++)
		before[x->rows_before.v[i]] = (uint32_t)(keep + i) + 1;
	for (size_t i = 0; i < x->rows.n; i++)
		stays[x->rows.v[i]] = true;
	for (size_t i = 0; i < x->rows.n; i++) {
		uint32_t row = (uint32_t)x->rows.v[i], slot = s->places.v[row].slot;
		for (; gone < x->rows_before.n && s->places.v[x->rows_before.v[gone]].slot <= slot; gone++)
			if (!stays[x->rows_before.v[gone]])
				add(k, (struct item){(uint32_t)x->rows_before.v[gone], 0, (uint32_t)(keep + gone) + 1});
		add(k, (struct item){row, (uint32_t)i + 1, i < keep ? (uint32_t)i + 1 : before[row]});
	}
	for (; gone < x->rows_before.n; gone++)
		if (!stays[x->rows_before.v[gone]])
			add(k, (struct item){(uint32_t)x->rows_before.v[gone], 0, (uint32_t)(keep + gone) + 1});
	if (k->rule == SIZE_MAX && request_lost_whole(&k->request->sent))
		k->rule = 0;
}

static const struct kept *kept_of(const struct view_context *c)
{
	struct frame *f = c->frame;
	struct kept *k = f->kept[KEPT_DSH_REQUEST];
	if (k != NULL)
		return k;
	k = f->kept[KEPT_DSH_REQUEST] = arena_zero(&f->arena, 1, sizeof *k);
	k->request = frame_request(f);
	k->rule = SIZE_MAX;
	if (k->request->lack == REQUEST_THERE)
		lay_out(f, k, &f->arena);
	return k;
}

/* The item that line i is, or NULL: head and rule are none. */
static const struct item *item_at(const struct kept *k, size_t i)
{
	if (i == 0 || i == k->rule + 1)
		return NULL;
	i -= k->rule != SIZE_MAX && i > k->rule + 1 ? 2 : 1;
	return i < k->n ? &k->v[i] : NULL;
}

/* ---- columns ---- */

enum { COLUMN_INDEX, COLUMN_SEQ, COLUMN_WHO, COLUMN_REF, COLUMN_BYTES, COLUMN_TOKENS, COLUMN_STATE, COLUMN_COUNT };

/* Columns by width of the window, the widest first; mark, index and text always stay. */
static const struct column_widths widths[] = {
	{110,
	 {[COLUMN_INDEX] = 6,
	  [COLUMN_SEQ] = 8,
	  [COLUMN_WHO] = 9,
	  [COLUMN_REF] = 7,
	  [COLUMN_BYTES] = 9,
	  [COLUMN_TOKENS] = 8,
	  [COLUMN_STATE] = 7}},
	{70,
	 {[COLUMN_INDEX] = 5,
	  [COLUMN_SEQ] = 7,
	  [COLUMN_WHO] = 4,
	  [COLUMN_REF] = 6,
	  [COLUMN_BYTES] = 7,
	  [COLUMN_TOKENS] = 7}},
	{40, {[COLUMN_INDEX] = 5, [COLUMN_SEQ] = 7, [COLUMN_WHO] = 4, [COLUMN_BYTES] = 7}},
	{0, {[COLUMN_INDEX] = 5}},
};

struct painter {
	struct frame *f;
	const struct item *item;
	const struct dsh_row *r;
	struct line *out;
};

static void put(const struct painter *p, enum style own, struct buf *b, int width, enum align align)
{
	line_put_clipped(p->out, p->item->now == 0 ? STYLE_REMOVED : own, buf_view(b), width, align);
	buf_free(b);
}

static void put_index(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_printf(&b, "%u", p->item->now != 0 ? p->item->now : p->item->before);
	put(p, STYLE_DIM, &b, width, ALIGN_RIGHT);
}

static void put_seq(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_printf(&b, "%" PRId64, p->r->seq);
	put(p, STYLE_REF, &b, width, ALIGN_RIGHT);
}

static void put_who(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_text(&b, dsh_role_word(p->r->type, width < 9));
	put(p, dsh_role_style(p->r->type), &b, width, ALIGN_LEFT);
}

static void put_ref(const struct painter *p, int width)
{
	struct buf b = {0};
	dsh_ref_words(p->f, p->item->row, &b);
	put(p, STYLE_REF, &b, width, ALIGN_LEFT);
}

static size_t bytes_of(const struct painter *p)
{
	struct buf b = {0};
	sent_dsh_row(p->f->run, p->item->row, &b);
	size_t n = b.n;
	buf_free(&b);
	return n;
}

static void put_bytes(const struct painter *p, int width)
{
	struct buf b = {0};
	words_count_in(&b, (double)bytes_of(p), width);
	put(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_tokens(const struct painter *p, int width)
{
	struct buf b = {0};
	words_count_in(&b, dsh_row_display(p->r), width);
	put(p, STYLE_NUMBER, &b, width, ALIGN_RIGHT);
}

static void put_state(const struct painter *p, int width)
{
	struct buf b = {0};
	buf_text(&b, request_state_name(state_of(p->item)));
	put(p, p->item->before == 0 ? STYLE_ADDED : STYLE_PLAIN, &b, width, ALIGN_LEFT);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_INDEX] = {"#", NULL, ALIGN_RIGHT, put_index},
	[COLUMN_SEQ] = {"seq", NULL, ALIGN_RIGHT, put_seq},
	[COLUMN_WHO] = {"who", NULL, ALIGN_LEFT, put_who},
	[COLUMN_REF] = {"ref", NULL, ALIGN_LEFT, put_ref},
	[COLUMN_BYTES] = {"bytes", NULL, ALIGN_RIGHT, put_bytes},
	[COLUMN_TOKENS] = {"display", NULL, ALIGN_RIGHT, put_tokens},
	[COLUMN_STATE] = {"state", NULL, ALIGN_LEFT, put_state},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

/* ---- lines ---- */

static void put_item(const struct view_context *c, const struct item *item, struct line *out)
{
	static const char *const signs[REQUEST_STATES] = {" ", "~", "+", "-"};
	static const enum style styles[REQUEST_STATES] = {STYLE_PLAIN, STYLE_CHANGED, STYLE_ADDED, STYLE_REMOVED};
	enum request_state state = state_of(item);
	struct painter p = {.f = c->frame, .item = item, .out = out};
	struct arena a = {0};
	bool all;
	p.r = dsh_log_row(c->frame->run->dsh.fold.log, item->row);
	line_puts(out, styles[state], signs[state]);
	line_puts(out, STYLE_PLAIN, " ");
	columns_put(&table, c->width, &p, out);
	if (line_left(out) > 0)
		words_put(out, state == REQUEST_REMOVED ? STYLE_REMOVED : STYLE_PLAIN,
			  dsh_row_text(c->frame, item->row, PREVIEW_BYTES, &a, &all));
	arena_free(&a);
}

/* What was recorded as the request of this turn (--requests). */
static void put_dump(const struct view_context *c, const struct kept *k, struct buf *b)
{
	const struct frame *f = c->frame;
	if (f->checks == NULL || !f->checks->has_requests || k->request->counterfactual)
		return;
	const struct request_dump *dump = requests_of_turn(&f->checks->requests, f->at.turn);
	if (dump == NULL)
		return;
	buf_text(b, "; dump ");
	buf_str(b, dump->name);
	buf_text(b, ": ");
	requests_words_dump(dump, b);
}

static size_t count(const struct view_context *c)
{
	const struct kept *k = kept_of(c);
	return 1 + k->n + (k->rule != SIZE_MAX);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	const struct kept *k = kept_of(c);
	const struct item *item = item_at(k, i);
	if (item != NULL)
		return REQUEST_KEY(ENTRY, item->row);
	return i == 0 && k->request->lack == REQUEST_THERE ? REQUEST_KEY(HEAD, 0) : 0;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	const struct kept *k = kept_of(c);
	const struct item *item = item_at(k, i);
	struct buf b = {0};
	line_reset(out, c->width);
	if (i == 0) {
		request_head_words(c->run, k->request, &b);
		put_dump(c, k, &b);
		words_put(out,
			  k->request->lack != REQUEST_THERE ? STYLE_DIM
			  : k->request->counterfactual      ? STYLE_WARNING
							    : STYLE_PLAIN,
			  buf_view(&b));
		buf_free(&b);
	} else if (item != NULL) {
		put_item(c, item, out);
	} else if (k->rule != SIZE_MAX && i == k->rule + 1) {
		request_put_rule(c, &k->request->sent, out);
	}
}

/* Where the prefix breaks is what one looks for first. */
static bool changed(const struct view_context *c, size_t i)
{
	const struct kept *k = kept_of(c);
	return k->rule != SIZE_MAX && i == k->rule + 1;
}

static void caption(const struct view_context *c, struct line *out)
{
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "text");
}

const struct view_ops dsh_request_view = {.name = "request",
					  .title = "Request",
					  .count = count,
					  .line = line,
					  .key = key,
					  .changed = changed,
					  .caption = caption};

/* ---- one opened ---- */

static void open_head(const struct view_context *c, const struct kept *k, struct detail *d)
{
	struct buf b = {0};
	if (k->request->counterfactual)
		detail_puts(d, STYLE_WARNING, 0, request_counterfactual_words);
	request_head_words(c->run, k->request, &b);
	put_dump(c, k, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	detail_puts(d, STYLE_PLAIN, INDENT,
		    "The derived messages of the surface in node order, each as canonical JSON, joined by line feeds: "
		    "how the host hands them to a provider is not told by the log. The plugin's nudge is a row of the "
		    "log like any other.");
	request_put_prefix(c->run, k->request, d);
	buf_printf(&b, "messages: %zu same, %zu new, %zu removed", k->of_state[REQUEST_SAME], k->of_state[REQUEST_NEW],
		   k->of_state[REQUEST_REMOVED]);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

/* What took the place of a row that is in the request no more. */
static void put_shadow(const struct view_context *c, uint32_t row, struct detail *d)
{
	const struct dsh_surface *s = &c->run->dsh.fold.surface;
	struct buf b = {0};
	if (dsh_surface_presence(s, row) != DSH_SHADOWED)
		return;
	buf_printf(&b, "shadowed by seq %" PRId64 ":", dsh_log_seq(s->log, s->places.v[row].by));
	detail_words(d, STYLE_COVERED, INDENT, &b);
	detail_row(d, s->places.v[row].by);
	buf_free(&b);
}

static void open_item(const struct view_context *c, const struct kept *k, const struct item *item, struct detail *d)
{
	const struct dsh_row *r = dsh_log_row(c->run->dsh.fold.log, item->row);
	struct buf b = {0}, bytes = {0};
	sent_dsh_row(c->run, item->row, &bytes);
	buf_printf(&b, "message %u of %s  seq %" PRId64 "  %s", item->now != 0 ? item->now : item->before,
		   item->now != 0 ? "the request" : "the request before", r->seq,
		   dsh_type_name((enum dsh_type)r->type));
	detail_words(d, STYLE_BOLD, 0, &b);
	request_size_words(c->run, (double)bytes.n, dsh_row_display(r), &b);
	buf_printf(&b, "; %s", request_state_name(state_of(item)));
	if (k->request->before != 0)
		buf_printf(&b, ", against the request of turn %u", k->request->before);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	put_shadow(c, item->row, d);
	detail_title(d, item->now != 0 ? "As it is sent" : "As it was sent");
	request_put_json(d, (struct str){arena_copy(&d->arena, bytes.p, bytes.n), bytes.n});
	buf_free(&bytes);
	buf_free(&b);
}

void dsh_request_open(const struct view_context *c, uint64_t key_wanted, struct detail *d)
{
	const struct kept *k = kept_of(c);
	if (k->request->lack != REQUEST_THERE)
		return;
	if (key_wanted == REQUEST_KEY(HEAD, 0))
		open_head(c, k, d);
	for (size_t i = 0; i < k->n; i++) {
		if (key_wanted != REQUEST_KEY(ENTRY, k->v[i].row))
			continue;
		open_item(c, k, &k->v[i], d);
		return;
	}
}
