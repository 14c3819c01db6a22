/* The Request view: what the model is sent, beside the request before it (interface.md, pane 8). */
#include "replay/view/request.h"

#include <math.h>

#include "replay/checks.h"
#include "replay/view/columns.h"
#include "replay/view/dsh.h"
#include "replay/view/requests_words.h"
#include "replay/view/words.h"

/* Bytes of a message read for the text of one line: more than any window shows. */
enum { PREVIEW_BYTES = 4096 };

const char request_host_words[] = "the host itself does not send this";
const char request_counterfactual_words[] =
	"No turn ran here: this is what one would send (counterfactual, not in the session).";

/* ---- what is shown ---- */

bool request_lost_whole(const struct sent *s) { return s->cause == SENT_MODEL || s->cause == SENT_SYSTEM; }

static void lay_out(const struct frame *f, struct request_shown *s, struct arena *a)
{
	const struct frame_request *q = s->request;
	s->n = 1;
	s->rule = SIZE_MAX;
	if (q->lack != REQUEST_THERE)
		return;
	s->lines = request_lines_of(f, q, a);
	if (f->checks != NULL && f->checks->has_requests && !q->counterfactual)
		s->dump = requests_of_turn(&f->checks->requests, f->at.turn);
	s->before = 1 + (s->dump != NULL);
	if (s->lines.first_difference != SIZE_MAX)
		s->rule = s->before + s->lines.first_difference;
	else if (request_lost_whole(&q->sent))
		s->rule = s->before;
	s->n = s->before + s->lines.n + (s->rule != SIZE_MAX) + 1;
}

const struct request_shown *request_shown(const struct view_context *c)
{
	struct frame *f = c->frame;
	if (f == NULL || f->run == NULL)
		return NULL;
	struct request_shown *s = f->kept[KEPT_REQUEST];
	if (s != NULL)
		return s;
	s = f->kept[KEPT_REQUEST] = arena_zero(&f->arena, 1, sizeof *s);
	s->request = frame_request(f);
	lay_out(f, s, &f->arena);
	return s;
}

/* The message's line that line i of the view is, or NULL. */
static const struct request_line *line_at(const struct request_shown *s, size_t i)
{
	if (i < s->before || i == s->rule || i + 1 >= s->n)
		return NULL;
	return &s->lines.v[i - s->before - (i > s->rule)];
}

/* ---- one message ---- */

struct str request_role(struct str message)
{
	static const char start[] = "{\"role\":\"";
	size_t n = sizeof start - 1;
	if (!str_starts(message, (struct str){start, n}))
		return STR("");
	return str_cut(message, n, str_find(message, STR("\""), n));
}

const char *request_kind(const struct request_shown *s, const struct frame *f, const struct request_line *l)
{
	static const char *const kinds[CONTENT_COUNT] = {[CONTENT_TEXT] = "text",
							 [CONTENT_CALL] = "call",
							 [CONTENT_RESULT] = "result",
							 [CONTENT_REASONING] = "text"};
	uint32_t source = request_line_source(s->request, l);
	return source == UINT32_MAX ? "summary" : kinds[f->run->recording->messages.v[source].message.content];
}

/* The beginning of a JSON string (with its quotes), decoded. */
static struct str decode_start(struct arena *a, struct str literal)
{
	struct buf b = {0};
	size_t at = 1;
	while (at < literal.n - 1 && at < PREVIEW_BYTES)
		at += literal.p[at] != '\\' ? 1 : literal.p[at + 1] == 'u' ? 6 : 2;
	while (at < literal.n - 1 && ((unsigned char)literal.p[at] & 0xC0) == 0x80)
		at++;
	buf_bytes(&b, literal.p, at < literal.n ? at : literal.n - 1);
	buf_char(&b, '"');
	const char *copy = arena_copy(a, b.p, b.n);
	struct json_span span = {.at = 0, .n = b.n, .kind = JSON_STRING, .hex = true};
	buf_free(&b);
	return json_decode(a, copy, span);
}

static struct str span_of(struct str s, const struct json_span *span)
{
	return span != NULL ? str_cut(s, span->at, span->at + span->n) : (struct str){0};
}

static struct str string_member(struct arena *a, struct str object, const struct json_scan *scan, const char *name)
{
	const struct json_span *span = json_member(object.p, scan, name);
	if (span == NULL || span->kind != JSON_STRING)
		return (struct str){0};
	return decode_start(a, span_of(object, span));
}

/* "bash {"command":"ls"}" */
static struct str call_words(struct arena *a, struct str block, const struct json_scan *scan)
{
	struct buf b = {0};
	buf_str(&b, string_member(a, block, scan, "name"));
	buf_char(&b, ' ');
	buf_str(&b, str_cut(span_of(block, json_member(block.p, scan, "arguments")), 0, PREVIEW_BYTES));
	struct str words = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&b);
	return words;
}

/* What a block has to say: a text before all, else a call, else what kind of a block it is. */
static int block_words(struct arena *a, struct str block, struct json_scan *scan, struct str *out)
{
	if (json_scan(block.p, block.n, scan) != JSON_OK || scan->value.kind != JSON_OBJECT)
		return 0;
	struct str type = string_member(a, block, scan, "type");
	if (str_eq(type, STR("text"))) {
		*out = string_member(a, block, scan, "text");
		return out->n > 0 ? 3 : 0;
	}
	if (str_eq(type, STR("toolCall"))) {
		*out = call_words(a, block, scan);
		return 2;
	}
	*out = type;
	return 1;
}

static struct str list_words(struct arena *a, struct str list)
{
	struct json_scan scan = {0}, inner = {0};
	struct str best = {0}, words;
	int rank = 0;
	if (json_scan(list.p, list.n, &scan) == JSON_OK)
		for (size_t i = 0; i < scan.items.n && rank < 3; i++) {
			int own = block_words(a, span_of(list, &scan.items.v[i]), &inner, &words);
			if (own > rank)
				best = words, rank = own;
		}
	json_scan_free(&scan);
	json_scan_free(&inner);
	return best;
}

/* The beginning of what a message says. */
static struct str start_of(struct arena *a, struct str message)
{
	struct json_scan scan = {0};
	struct str out = {0};
	if (json_scan(message.p, message.n, &scan) == JSON_OK) {
		const struct json_span *content = json_member(message.p, &scan, "content");
		if (content != NULL && content->kind == JSON_STRING)
			out = decode_start(a, span_of(message, content));
		else if (content != NULL && content->kind == JSON_ARRAY)
			out = list_words(a, span_of(message, content));
	}
	json_scan_free(&scan);
	return out;
}

/* ---- columns ---- */

enum {
	COLUMN_INDEX,
	COLUMN_ROLE,
	COLUMN_KIND,
	COLUMN_REF,
	COLUMN_BYTES,
	COLUMN_TOKENS,
	COLUMN_STATE,
	COLUMN_FLAGS,
	COLUMN_COUNT
};

/* Columns by width of the window, the widest first; mark, index and text always stay. */
static const struct column_widths widths[] = {
	{120,
	 {[COLUMN_INDEX] = 6,
	  [COLUMN_ROLE] = 10,
	  [COLUMN_KIND] = 7,
	  [COLUMN_REF] = 7,
	  [COLUMN_BYTES] = 9,
	  [COLUMN_TOKENS] = 8,
	  [COLUMN_STATE] = 7,
	  [COLUMN_FLAGS] = 6}},
	{80,
	 {[COLUMN_INDEX] = 5,
	  [COLUMN_ROLE] = 4,
	  [COLUMN_KIND] = 7,
	  [COLUMN_REF] = 7,
	  [COLUMN_BYTES] = 7,
	  [COLUMN_TOKENS] = 7,
	  [COLUMN_FLAGS] = 5}},
	{60, {[COLUMN_INDEX] = 5, [COLUMN_KIND] = 7, [COLUMN_REF] = 7, [COLUMN_BYTES] = 6, [COLUMN_FLAGS] = 5}},
	{40, {[COLUMN_INDEX] = 5, [COLUMN_KIND] = 7, [COLUMN_BYTES] = 6}},
	{20, {[COLUMN_INDEX] = 5, [COLUMN_KIND] = 7}},
	{0, {[COLUMN_INDEX] = 5}},
};

static const struct {
	enum style style;
	const char *sign;
} looks[REQUEST_STATES] = {[REQUEST_SAME] = {STYLE_PLAIN, " "},
			   [REQUEST_CHANGED] = {STYLE_CHANGED, "~"},
			   [REQUEST_NEW] = {STYLE_ADDED, "+"},
			   [REQUEST_REMOVED] = {STYLE_REMOVED, "-"}};

/* A message being painted, or the nudge at the tail. */
struct painter {
	const struct view_context *c;
	const struct request_shown *s;
	const struct request_line *l; /* NULL: the nudge */
	const struct pi_message *m;
	struct str bytes;
	struct line *out;
};

static void put(const struct painter *p, enum style own, struct str s, int width, enum align align)
{
	bool gone = p->l != NULL && p->l->state == REQUEST_REMOVED;
	line_put_clipped(p->out, gone ? STYLE_REMOVED : own, s, width, align);
}

static void put_number(const struct painter *p, enum style own, double x, int width)
{
	struct buf b = {0};
	words_count_in(&b, x, width);
	put(p, own, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static void put_index(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->l == NULL)
		buf_text(&b, "end");
	else
		buf_printf(&b, "%u", p->l->now != 0 ? p->l->now : p->l->before);
	put(p, STYLE_DIM, buf_view(&b), width, ALIGN_RIGHT);
	buf_free(&b);
}

static void put_role(const struct painter *p, int width)
{
	static const struct {
		const char *name, *brief;
		enum style style;
	} roles[] = {{"user", "user", STYLE_USER},
		     {"assistant", "asst", STYLE_ASSISTANT},
		     {"toolResult", "tool", STYLE_TOOL}};
	struct str role = p->l != NULL ? request_role(p->bytes) : STR("user");
	enum style style = STYLE_PLAIN;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (str_eq(role, str_of(roles[i].name))) {
			style = roles[i].style;
			role = str_of(width < 10 ? roles[i].brief : roles[i].name);
		}
	put(p, style, width < 10 ? str_cut(role, 0, (size_t)width) : role, width, ALIGN_LEFT);
}

static void put_kind(const struct painter *p, int width)
{
	const char *kind = p->l != NULL ? request_kind(p->s, p->c->frame, p->l) : "nudge";
	put(p, STYLE_PLAIN, str_of(kind), width, ALIGN_LEFT);
}

static void put_ref(const struct painter *p, int width)
{
	struct buf b = {0};
	if (p->l != NULL && p->m->tag_n > 0)
		words_ref(&b, &p->c->frame->run->state, p->m->ref);
	put(p, STYLE_REF, buf_view(&b), width, ALIGN_LEFT);
	buf_free(&b);
}

static void put_bytes(const struct painter *p, int width)
{
	put_number(p, STYLE_NUMBER, p->l != NULL ? (double)p->m->n : p->s->request->sent.tail_bytes, width);
}

static void put_tokens(const struct painter *p, int width)
{
	put_number(p, STYLE_NUMBER, p->l != NULL ? p->m->tokens : p->s->request->sent.tail_tokens, width);
}

static void put_state(const struct painter *p, int width)
{
	const char *name = p->l != NULL ? request_state_name((enum request_state)p->l->state) : "";
	put(p, p->l != NULL ? looks[p->l->state].style : STYLE_PLAIN, str_of(name), width, ALIGN_LEFT);
}

static void put_flags(const struct painter *p, int width)
{
	static const struct {
		uint32_t flag;
		char letter;
	} letters[] = {{PI_MESSAGE_SPLIT, '#'},
		       {PI_MESSAGE_REBUILT, 'R'},
		       {PI_MESSAGE_CALLS_GONE, 'C'},
		       {PI_MESSAGE_THINKING_GONE, 'K'}};
	struct buf b = {0};
	if (p->l != NULL && p->l->host_drops)
		buf_char(&b, 'H');
	if (p->l != NULL && p->m->synced != 0)
		buf_char(&b, 'A');
	for (size_t i = 0; p->l != NULL && i < sizeof letters / sizeof *letters; i++)
		if (p->m->flags & letters[i].flag)
			buf_char(&b, letters[i].letter);
	put(p, STYLE_PROTECTED, buf_view(&b), width, ALIGN_LEFT);
	buf_free(&b);
}

static const struct column columns[COLUMN_COUNT] = {
	[COLUMN_INDEX] = {"#", NULL, ALIGN_RIGHT, put_index},
	[COLUMN_ROLE] = {"role", NULL, ALIGN_LEFT, put_role},
	[COLUMN_KIND] = {"kind", NULL, ALIGN_LEFT, put_kind},
	[COLUMN_REF] = {"tag", NULL, ALIGN_LEFT, put_ref},
	[COLUMN_BYTES] = {"bytes", NULL, ALIGN_RIGHT, put_bytes},
	[COLUMN_TOKENS] = {"raw est", NULL, ALIGN_RIGHT, put_tokens},
	[COLUMN_STATE] = {"state", NULL, ALIGN_LEFT, put_state},
	[COLUMN_FLAGS] = {"flags", NULL, ALIGN_LEFT, put_flags},
};

static const struct columns table = {columns, COLUMN_COUNT, widths};

/* ---- lines ---- */

/* A part of a line, set off from what follows it by a dot. */
static void put_note(const struct painter *p, enum style style, struct buf *words)
{
	if (line_left(p->out) > 0)
		words_put(p->out, style, buf_view(words));
	if (line_left(p->out) > 3)
		line_puts(p->out, STYLE_DIM, " "), line_glyph(p->out, STYLE_DIM, GLYPH_DOT),
			line_puts(p->out, STYLE_DIM, " ");
	buf_cut(words, 0);
}

static void put_text(const struct painter *p)
{
	struct arena a = {0};
	struct buf b = {0};
	enum style style = p->l->state == REQUEST_REMOVED ? STYLE_REMOVED : STYLE_PLAIN;
	if (p->l->host_drops) {
		buf_text(&b, request_host_words);
		put_note(p, STYLE_WARNING, &b);
	}
	if (p->m->synced != 0) {
		buf_text(&b, "args ");
		words_count(&b, p->m->recorded_tokens);
		buf_printf(&b, " %s ", glyph(GLYPH_ARROW_RIGHT, p->c->ascii));
		words_count(&b, p->m->anchor_tokens);
		put_note(p, STYLE_CHANGED, &b);
	}
	if (line_left(p->out) > 0)
		words_put(p->out, style, start_of(&a, p->bytes));
	buf_free(&b);
	arena_free(&a);
}

static void put_message(const struct view_context *c, const struct request_shown *s, const struct request_line *l,
			struct line *out)
{
	struct painter p = {.c = c, .s = s, .l = l, .m = request_line_message(s->request, l), .out = out};
	p.bytes = pi_egress_bytes(&s->request->sender.egress, p.m);
	line_puts(out, looks[l->state].style, looks[l->state].sign);
	line_puts(out, STYLE_PLAIN, " ");
	columns_put(&table, c->width, &p, out);
	put_text(&p);
}

void request_verdict_words(const struct frame_request *q, struct buf *b)
{
	switch (q->nudge) {
	case PI_NUDGE_NOT_INJECTED:
		buf_text(b, "no nudge: the kernel does not inject");
		break;
	case PI_NUDGE_SUPPRESSED_SHOWN:
		buf_text(b, "nudge suppressed: shown already");
		break;
	case PI_NUDGE_SUPPRESSED_RETRIES:
		buf_text(b, "nudge suppressed: too many attempts failed");
		break;
	default:
		buf_text(b, "nudge sent");
		break;
	}
	buf_printf(b, " (%s)", pi_nudge_verdict_name(q->nudge));
}

static void put_tail(const struct view_context *c, const struct request_shown *s, struct line *out)
{
	const struct frame_request *q = s->request;
	struct painter p = {.c = c, .s = s, .out = out};
	struct buf b = {0};
	line_puts(out, STYLE_PLAIN, "  ");
	if (q->tail.n > 0)
		columns_put(&table, c->width, &p, out);
	request_verdict_words(q, &b);
	if (q->tail.n > 0) {
		put_note(&p, STYLE_WARNING, &b);
		words_put(out, STYLE_PLAIN, text_trim(buf_view(&q->tail)));
	} else {
		words_put(out, q->nudge == PI_NUDGE_NOT_INJECTED ? STYLE_DIM : STYLE_WARNING, buf_view(&b));
	}
	buf_free(&b);
}

void request_put_rule(const struct view_context *c, const struct sent *s, struct line *out)
{
	struct buf b = {0};
	line_repeat(out, STYLE_BREAK, GLYPH_BREAK, c->width < 30 ? 1 : 2);
	buf_char(&b, ' ');
	if (!request_lost_whole(s)) {
		buf_text(&b, "byte ");
		words_count(&b, s->common_bytes);
		buf_text(&b, ": ");
	}
	buf_printf(&b, "%s, %s ", sent_cause_name((enum sent_cause)s->cause),
		   sent_cause_words((enum sent_cause)s->cause));
	words_put(out, STYLE_BREAK, buf_view(&b));
	line_repeat(out, STYLE_BREAK, GLYPH_BREAK, line_left(out) < c->width ? line_left(out) : 0);
	buf_free(&b);
}

void request_head_words(const struct run *r, const struct frame_request *q, struct buf *b)
{
	if (q->lack != REQUEST_THERE) {
		buf_text(b, request_lack_words(q->lack));
		return;
	}
	if (q->counterfactual)
		buf_text(b, "counterfactual: ");
	words_plural(b, q->sent.messages, "message", "messages");
	buf_text(b, ", ");
	words_count(b, q->sent.bytes);
	buf_text(b, " bytes, ");
	words_count(b, q->sent.tokens);
	buf_printf(b, " tokens (%s)", request_scale(r));
	if (q->before == 0) {
		buf_text(b, ", the first request");
	} else {
		buf_text(b, ", prefix ");
		words_percent(b, sent_ratio(&q->sent));
	}
}

static void put_head(const struct run *r, const struct request_shown *s, struct line *out)
{
	const struct frame_request *q = s != NULL ? s->request : NULL;
	struct buf b = {0};
	if (q == NULL) {
		words_put(out, STYLE_DIM, STR("nothing to show yet"));
		return;
	}
	request_head_words(r, q, &b);
	if (s->lines.host_drops > 0) {
		buf_text(&b, "; the host itself: ");
		words_count(&b, s->lines.host_bytes);
		buf_text(&b, " bytes");
	}
	words_put(out,
		  q->lack != REQUEST_THERE ? STYLE_DIM
		  : q->counterfactual      ? STYLE_WARNING
					   : STYLE_PLAIN,
		  buf_view(&b));
	buf_free(&b);
}

static void put_dump(const struct request_dump *d, struct line *out)
{
	struct buf b = {0};
	buf_text(&b, "dump ");
	buf_str(&b, d->name);
	buf_text(&b, ": ");
	requests_words_dump(d, &b);
	words_put(out, d->outcome == DUMP_EQUAL ? STYLE_GOOD : STYLE_ERROR, buf_view(&b));
	buf_free(&b);
}

/* ---- the view ---- */

static size_t count(const struct view_context *c)
{
	if (dsh_view_is(c))
		return dsh_request_view.count(c);
	const struct request_shown *s = request_shown(c);
	return s != NULL ? s->n : 1;
}

static uint64_t key(const struct view_context *c, size_t i)
{
	if (dsh_view_is(c))
		return dsh_request_view.key(c, i);
	const struct request_shown *s = request_shown(c);
	if (s == NULL || s->request->lack != REQUEST_THERE || i >= s->n || i == s->rule)
		return 0;
	if (i < s->before)
		return i == 0 ? REQUEST_KEY(HEAD, 0) : REQUEST_KEY(DUMP, 0);
	if (i + 1 == s->n)
		return REQUEST_KEY(TAIL, 0);
	return REQUEST_KEY(ENTRY, request_line_message(s->request, line_at(s, i))->entry);
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_request_view.line(c, i, out);
		return;
	}
	const struct request_shown *s = request_shown(c);
	line_reset(out, c->width);
	if (i == 0) {
		put_head(c->run, s, out);
		return;
	}
	if (s == NULL || i >= s->n)
		return;
	const struct request_line *l = line_at(s, i);
	if (i == s->rule)
		request_put_rule(c, &s->request->sent, out);
	else if (l != NULL)
		put_message(c, s, l, out);
	else if (i < s->before)
		put_dump(s->dump, out);
	else
		put_tail(c, s, out);
}

/* Where the prefix breaks is what one looks for first. */
static bool changed(const struct view_context *c, size_t i)
{
	if (dsh_view_is(c))
		return dsh_request_view.changed(c, i);
	const struct request_shown *s = request_shown(c);
	return s != NULL && i == s->rule;
}

static void caption(const struct view_context *c, struct line *out)
{
	if (dsh_view_is(c)) {
		dsh_request_view.caption(c, out);
		return;
	}
	line_reset(out, c->width);
	line_puts(out, STYLE_HEADING, "  ");
	columns_caption(&table, c, out);
	line_puts(out, STYLE_HEADING, "text");
}

const struct view_ops request_view = {
	.name = "request",
	.title = "Request",
	.count = count,
	.line = line,
	.key = key,
	.detail_count = request_detail_count,
	.detail_line = request_detail_line,
	.changed = changed,
	.caption = caption,
};
