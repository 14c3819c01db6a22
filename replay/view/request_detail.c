/* One opened line of the Request view: the message, what changed in it, and what the host itself has in its place. */
#include "engine/host/pi_draft.h"
#include "replay/view/dsh.h"
#include "replay/view/pretty.h"
#include "replay/view/request.h"
#include "replay/view/requests_words.h"
#include "replay/view/rows.h"
#include "replay/view/words.h"

/* Bytes of a message that are shown; beyond them a line says how much is left. */
enum { SHOWN_BYTES = 256 * 1024 };
enum { INDENT = 2 };

/* ---- pieces ---- */

/* A message over several lines, in the detail's arena. */
static struct str laid_out(struct detail *d, struct str json, size_t *taken)
{
	struct buf b = {0};
	*taken = pretty_json(&b, json, SHOWN_BYTES);
	struct str out = {arena_copy(&d->arena, buf_view(&b).p, b.n), b.n};
	buf_free(&b);
	return out;
}

static void put_more(struct detail *d, struct str json, size_t taken)
{
	struct buf b = {0};
	if (taken < json.n) {
		words_plural(&b, (double)(json.n - taken), "more byte", "more bytes");
		buf_text(&b, ", not shown: replay --request prints the whole request");
		detail_words(d, STYLE_WARNING, INDENT, &b);
	}
	buf_free(&b);
}

void request_put_json(struct detail *d, struct str json)
{
	size_t taken;
	struct str text = laid_out(d, json, &taken);
	detail_put(d, STYLE_PLAIN, INDENT, text);
	put_more(d, json, taken);
}

static void put_difference(struct detail *d, struct str before, struct str now, const char *same)
{
	size_t first, second;
	struct str a = laid_out(d, before, &first), b = laid_out(d, now, &second);
	if (!pretty_difference(d, INDENT, a, b))
		detail_puts(d, STYLE_DIM, INDENT, str_eq(before, now) ? same : "the same as far as it is shown");
	put_more(d, before.n > now.n ? before : now, first < second ? first : second);
}

void request_size_words(const struct run *r, double bytes, double tokens, struct buf *b)
{
	words_plural(b, bytes, "byte", "bytes");
	buf_text(b, ", ");
	words_plural(b, tokens, "token", "tokens");
	buf_printf(b, " (%s)", request_scale(r));
}

/* ---- a message ---- */

static void put_flags(const struct request_line *l, const struct pi_message *m, struct str role, struct detail *d)
{
	static const struct {
		uint32_t flag;
		const char *words;
	} flags[] = {
		{PI_MESSAGE_SUMMARY, "a block's summary (policy summaries=emit)"},
		{PI_MESSAGE_SPLIT, "of an answer with several calls, put together again (pi.md 3.6.3)"},
		{PI_MESSAGE_REBUILT,
		 "R rebuilt: its text is the kernel's, which truncated it, or the host's message has no "
		 "content (pi.md 3.7.5)"},
		{PI_MESSAGE_CALLS_GONE, "C calls that are in the view no more are left out (pi.md 3.6.3)"},
		{PI_MESSAGE_THINKING_GONE, "K its thinking is left out (pi.md 3.8, reasoningDrop)"},
	};
	struct buf b = {0};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (m->flags & flags[i].flag)
			detail_puts(d, STYLE_PLAIN, INDENT, flags[i].words);
	if (m->recorded_tokens > 0) {
		buf_printf(&b, "%sarguments of compress calls: ", m->synced != 0 ? "A " : "");
		words_count(&b, m->recorded_tokens);
		buf_text(&b, " tokens as recorded, ");
		words_count(&b, m->anchor_tokens);
		buf_text(&b, " as sent (raw estimates; pi.md 4)");
		detail_words(d, m->synced != 0 ? STYLE_CHANGED : STYLE_PLAIN, INDENT, &b);
	}
	if (str_eq(role, STR("bashExecution")))
		detail_puts(d, STYLE_PLAIN, INDENT,
			    "the host makes a user's text of its command and output, without this content (pi.md 3.7)");
	if (l->host_drops) {
		buf_printf(&b,
			   "H %s: the answer ended in an error, and the host took it out of its memory before "
			   "the next request (pi.md 8.3)",
			   request_host_words);
		detail_words(d, STYLE_WARNING, INDENT, &b);
	}
	buf_free(&b);
}

static void put_name(const struct view_context *c, const struct request_shown *s, const struct request_line *l,
		     struct detail *d)
{
	const struct pi_message *m = request_line_message(s->request, l);
	struct str role = request_role(pi_egress_bytes(&s->request->sender.egress, m));
	struct buf b = {0};
	buf_printf(&b, "message %u of %s  ", l->now != 0 ? l->now : l->before,
		   l->now != 0 ? "the request" : "the request before");
	buf_str(&b, role);
	buf_printf(&b, " %s ", request_kind(s, c->frame, l));
	if (m->tag_n > 0)
		words_ref(&b, &c->frame->run->state, m->ref);
	detail_words(d, STYLE_BOLD, 0, &b);
	request_size_words(c->run, (double)m->n, m->tokens, &b);
	buf_printf(&b, "; %s", request_state_name((enum request_state)l->state));
	if (s->request->before != 0)
		buf_printf(&b, ", against the request of turn %u", s->request->before);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	put_flags(l, m, role, d);
	buf_free(&b);
}

static void put_change(const struct request_shown *s, const struct request_line *l, struct detail *d)
{
	const struct pi_egress *e = &s->request->sender.egress;
	static const char *const why[] = {
		[PI_DIFFER_NOT] = "",
		[PI_DIFFER_CALLS_GONE] = "fewer of its calls are in the view",
		[PI_DIFFER_CALLS_BACK] = "calls of it came back into the view",
		[PI_DIFFER_ARGUMENTS] = "the arguments of a compress call were rewritten",
		[PI_DIFFER_TRUNCATED] = "truncation began, ended or cut it elsewhere",
		[PI_DIFFER_TAG] = "the token number in its tag changed",
		[PI_DIFFER_THINKING] = "its thinking was left out, or came back",
		[PI_DIFFER_UNKNOWN] = "no rule explains it",
	};
	if (l->state != REQUEST_CHANGED)
		return;
	const struct pi_message *before = &e->before.messages.v[l->before - 1], *now = &e->now.messages.v[l->now - 1];
	detail_title(d, "Difference to the request before");
	detail_puts(d, STYLE_CHANGED, INDENT, why[pi_egress_difference(e, before, now)]);
	put_difference(d, pi_egress_bytes(e, before), pi_egress_bytes(e, now), "none");
}

/* The host's own message in the form of what is sent, nothing done to it; absent: it has none. */
static struct str as_host_has_it(const struct frame *f, uint32_t entry, struct arena *a)
{
	const struct recording *rec = f->run->recording;
	struct str json = recording_entry_named(rec, entry, a), out = {0};
	const cJSON *tree = json.p != NULL ? json_tree(a, json, NULL, NULL) : NULL;
	struct pi_draft draft;
	struct buf b = {0};
	if (tree != NULL && pi_draft_begin(&draft, a, tree)) {
		pi_draft_write(&draft, &b);
		out = (struct str){arena_copy(a, b.p, b.n), b.n};
	}
	buf_free(&b);
	return out;
}

static void put_source(const struct view_context *c, const struct request_shown *s, const struct request_line *l,
		       struct detail *d)
{
	const struct recording *rec = c->frame->run->recording;
	const struct pi_message *m = request_line_message(s->request, l);
	uint32_t source = request_line_source(s->request, l);
	struct buf b = {0};
	detail_title(d, "Source");
	if (source == UINT32_MAX) {
		detail_puts(d, STYLE_PLAIN, INDENT, "made by the adapter of a block's summary");
		return;
	}
	buf_printf(&b, "entry ");
	buf_str(&b, names_get(&rec->names, m->entry));
	if (recording_record(rec, source)->line > 0) {
		buf_text(&b, ", line ");
		words_count(&b, recording_record(rec, source)->line);
		buf_text(&b, " of ");
		buf_text(&b, rec->source.path ? rec->source.path : "?");
	}
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	detail_title(d, "- as the host has it  + as it is sent");
	struct str host = as_host_has_it(c->frame, m->entry, &d->arena);
	if (host.p != NULL)
		put_difference(d, host, pi_egress_bytes(&s->request->sender.egress, m),
			       "it is sent as the host has it");
	buf_free(&b);
}

static void build_message(const struct view_context *c, const struct request_shown *s, const struct request_line *l,
			  struct detail *d)
{
	put_name(c, s, l, d);
	put_change(s, l, d);
	put_source(c, s, l, d);
	detail_title(d, l->now != 0 ? "As it is sent" : "As it was sent");
	request_put_json(d, pi_egress_bytes(&s->request->sender.egress, request_line_message(s->request, l)));
}

/* ---- the lines beside the messages ---- */

void request_put_prefix(const struct run *r, const struct frame_request *q, struct detail *d)
{
	const struct sent *s = &q->sent;
	struct buf b = {0};
	if (q->before == 0) {
		detail_puts(d, STYLE_PLAIN, INDENT, "there is no request before it");
		return;
	}
	buf_printf(&b, "the request of turn %u before it: ", q->before);
	words_count(&b, s->before_bytes);
	buf_text(&b, " bytes; ");
	words_count(&b, s->common_bytes);
	buf_text(&b, " of them are a prefix of this one (");
	words_percent(&b, sent_ratio(s));
	buf_text(&b, "), ");
	words_plural(&b, s->same, "whole message", "whole messages");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_printf(&b, "%s: %s", sent_cause_name((enum sent_cause)s->cause),
		   sent_cause_words((enum sent_cause)s->cause));
	detail_words(d, sent_rebuilds(s) ? STYLE_BREAK : STYLE_PLAIN, INDENT, &b);
	if (s->lost_tokens > 0) {
		words_plural(&b, s->lost_tokens, "token", "tokens");
		buf_printf(&b, " (%s) of the request before are no prefix any more", request_scale(r));
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

/* Two shares of one prompt: what the prefix lets expect, and what the provider reported. */
static void put_hits(const struct sent *s, struct detail *d)
{
	struct buf b = {0};
	if (s->actual == s->actual) {
		buf_text(&b, "cache hit: predicted ");
		words_percent(&b, s->predicted);
		buf_text(&b, ", reported ");
		words_percent(&b, s->actual);
		buf_text(&b, " of the prompt (provider usage)");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_views(const struct request_shown *s, struct detail *d)
{
	struct buf b = {0};
	buf_text(&b, "as the adapter sends it: ");
	words_count(&b, s->request->sent.bytes);
	buf_text(&b,
		 " bytes; as the host itself has it, without failed answers it took out of its memory (pi.md 8.3): ");
	words_count(&b, s->lines.host_bytes);
	buf_text(&b, " bytes, ");
	if (s->lines.host_drops == 0)
		buf_text(&b, "the same messages");
	else
		words_plural(&b, s->lines.host_drops, "message less", "messages less");
	detail_words(d, s->lines.host_drops > 0 ? STYLE_WARNING : STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void build_head(const struct run *r, const struct request_shown *s, struct detail *d)
{
	const struct frame_request *q = s->request;
	struct buf b = {0};
	if (q->counterfactual)
		detail_puts(d, STYLE_WARNING, 0, request_counterfactual_words);
	words_plural(&b, q->sent.messages, "message", "messages");
	buf_text(&b, ", ");
	request_size_words(r, q->sent.bytes, q->sent.tokens, &b);
	if (q->tail.n > 0) {
		buf_text(&b, "; the nudge at its tail has ");
		request_size_words(r, q->sent.tail_bytes, q->sent.tail_tokens, &b);
		buf_text(&b, " more");
	}
	detail_words(d, STYLE_BOLD, 0, &b);
	put_views(s, d);
	request_put_prefix(r, q, d);
	for (int k = 0; k < REQUEST_STATES; k++)
		buf_printf(&b, "%s%zu %s", k > 0 ? ", " : "messages: ", s->lines.of_state[k],
			   request_state_name((enum request_state)k));
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (q->sent.anchors > 0) {
		words_plural(&b, q->sent.anchors, "compress call", "compress calls");
		buf_text(&b, " of active blocks: arguments of ");
		words_count(&b, q->sent.anchor_tokens);
		buf_text(&b, " tokens as recorded, ");
		words_count(&b, q->sent.slimmed_tokens);
		buf_text(&b, " as sent (raw estimates)");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	put_hits(&q->sent, d);
	buf_free(&b);
}

static void build_dump(const struct request_shown *s, struct detail *d)
{
	struct buf b = {0};
	if (s->dump == NULL)
		return;
	buf_text(&b, "dump ");
	buf_str(&b, s->dump->name);
	detail_words(d, STYLE_BOLD, 0, &b);
	if (s->dump->outcome != DUMP_DIFFERS) {
		requests_words_dump(s->dump, &b);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
		buf_free(&b);
		return;
	}
	words_plural(&b, s->dump->theirs, s->dump->flat ? "part" : "message", s->dump->flat ? "parts" : "messages");
	buf_printf(&b, " in the dump, %u here; the first difference is in number %u, from byte %llu on", s->dump->ours,
		   s->dump->message, (unsigned long long)s->dump->byte);
	detail_words(d, STYLE_ERROR, INDENT, &b);
	if (s->dump->flat)
		detail_puts(d, STYLE_DIM, INDENT,
			    "another API's form: texts, calls and images are compared, each a part");
	buf_text(&b, "dump: ");
	buf_str(&b, s->dump->their_part.p != NULL ? s->dump->their_part : STR("(at its end)"));
	detail_words(d, STYLE_REMOVED, INDENT, &b);
	buf_text(&b, "ours: ");
	buf_str(&b, s->dump->our_part.p != NULL ? s->dump->our_part : STR("(at its end)"));
	detail_words(d, STYLE_ADDED, INDENT, &b);
	buf_free(&b);
}

static void build_tail(const struct run *r, const struct request_shown *s, struct detail *d)
{
	struct buf b = {0};
	request_verdict_words(s->request, &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	if (s->request->tail.n > 0) {
		buf_text(&b, "a user message at the end, ");
		request_size_words(r, s->request->sent.tail_bytes, s->request->sent.tail_tokens, &b);
		buf_text(&b, "; made anew for each request, so no part of a prefix");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
		detail_title(d, "Text");
		buf_str(&b, buf_view(&s->request->tail));
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	if (dsh_view_is(c)) {
		dsh_request_open(c, key, d);
		return;
	}
	const struct request_shown *s = request_shown(c);
	if (s == NULL || s->request->lack != REQUEST_THERE)
		return;
	if (key == REQUEST_KEY(HEAD, 0))
		build_head(c->run, s, d);
	else if (key == REQUEST_KEY(DUMP, 0))
		build_dump(s, d);
	else if (key == REQUEST_KEY(TAIL, 0))
		build_tail(c->run, s, d);
	for (size_t i = 0; i < s->lines.n; i++) {
		const struct request_line *l = &s->lines.v[i];
		if (key != REQUEST_KEY(ENTRY, request_line_message(s->request, l)->entry))
			continue;
		build_message(c, s, l, d);
		return;
	}
}

static const struct detail_source details = {KEPT_REQUEST_DETAIL, build};

size_t request_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void request_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
