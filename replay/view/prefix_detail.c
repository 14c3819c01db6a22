/* One opened turn of the Prefix view: both messages where the prefix breaks, the rule that named the cause, the figures
 * with their formulas, the money. */
#include <math.h>

#include "replay/frame_request.h"
#include "replay/run_pi.h"
#include "replay/sent_dsh.h"
#include "replay/view/prefix.h"
#include "replay/view/words.h"

enum { INDENT = 2, SAME_BYTES = 80, OTHER_BYTES = 240 };

/* The rules of pi-rulings 8 in their order, as far as they name a cause. */
static const char *const rules[SENT_CAUSES] = {
	[SENT_COMPRESS] = ("fold: the row there is newly covered by a block, or a summary stands there, or calls of a "
			   "message with several went"),
	[SENT_DECOMPRESS] = "unfold: the row there was covered and is not any more, or calls came back",
	[SENT_HIDE] = "hide: the row there is a compress call or result that was hidden, or came back",
	[SENT_ANCHOR] = "args: the same entry, the arguments of its compress call were rewritten",
	[SENT_TRUNCATE] =
		("truncate: the same entry, the kernel's text took the place of the host's, or no longer does "
		 "(pi.md 3.7.5)"),
	[SENT_TAG] = "tag: the same entry, equal but for the token number in its ref tag (pi.md 6.4)",
	[SENT_THINKING] = "thinking: the same entry, its thinking blocks went or came back",
	[SENT_HOST] = "host: the entry there left the context (a compaction of the host), or others came back",
	[SENT_REWIND] = "host: the session went back, the entry there is not on the branch any more",
	[SENT_UNKNOWN] = "none of host, fold, unfold, hide, args, truncate, tag, thinking holds",
};

/* Of the DSH host: what took the place of the first row that is not there any more (sent_dsh.h). */
static const char *const dsh_rules[SENT_CAUSES] = {
	[SENT_COMPRESS] = "fold: a checkpoint took the place of the row there (dsh.md 2.1)",
	[SENT_PRUNE] =
		"prune: a stub of the plugin, or a shortened result of the host, took the place of the row there",
	[SENT_UNKNOWN] = "neither a checkpoint nor a stub or a shortened result took the place of the row there",
};

/* ---- the break ---- */

static bool continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

/* Bytes [from, to) of s, widened or cut so that no character is split. */
static struct str excerpt(struct str s, size_t from, size_t to)
{
	to = to < s.n ? to : s.n;
	from = from < to ? from : to;
	while (from > 0 && from < s.n && continues(s.p[from]))
		from--;
	while (to > from && to < s.n && continues(s.p[to]))
		to--;
	return str_cut(s, from, to);
}

/* One of two requests, and its message where they differ. */
struct side {
	uint32_t turn;
	size_t messages;
	struct str bytes; /* absent: it ended before */
	int64_t seq;      /* of the row, DSH; -1 = none */
};

/* "before (turn 3), message 12 of 30, 1,200 bytes:" */
static void put_message(const struct side *s, bool before, size_t at, size_t differ, struct detail *d)
{
	struct buf b = {0};
	buf_printf(&b, before ? "before (turn %u)" : "now (turn %u)", s->turn);
	if (s->bytes.p == NULL) {
		buf_printf(&b, ": ended here, with %zu messages", s->messages);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
		buf_free(&b);
		return;
	}
	buf_printf(&b, ", message %zu of %zu", at + 1, s->messages);
	if (s->seq >= 0)
		buf_printf(&b, ", seq %lld", (long long)s->seq);
	buf_printf(&b, ", from byte %zu of %zu:", differ, s->bytes.n);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_str(&b, excerpt(s->bytes, differ, differ + OTHER_BYTES));
	if (differ + OTHER_BYTES < s->bytes.n)
		buf_text(&b, " ..");
	detail_words(d, before ? STYLE_REMOVED : STYLE_ADDED, 2 * INDENT, &b);
	buf_free(&b);
}

static struct side pi_side(const struct sender *x, const struct pi_request *q, uint32_t turn, size_t at)
{
	struct side s = {.turn = turn, .messages = q->messages.n, .seq = -1};
	if (at < q->messages.n)
		s.bytes = pi_egress_bytes(&x->egress, &q->messages.v[at]);
	return s;
}

/* `skipped`: messages of the request that are not in `rows`. */
static struct side dsh_side(const struct run *r, const struct sent_rows *rows, size_t skipped, uint32_t turn, size_t at,
			    struct arena *a)
{
	struct side s = {.turn = turn, .messages = skipped + rows->n, .seq = -1};
	struct buf b = {0};
	if (at >= s.messages)
		return s;
	uint32_t row = (uint32_t)rows->v[at - skipped];
	sent_dsh_row(r, row, &b);
	s.bytes = (struct str){arena_copy(a, b.p, b.n), b.n};
	s.seq = dsh_log_seq(r->dsh.fold.log, row);
	buf_free(&b);
	return s;
}

static void put_break(const struct view_context *c, uint32_t turn, struct detail *d)
{
	struct frame_request *q = frame_request_at(c->frame, turn);
	if (q->lack != REQUEST_THERE || q->before == 0) {
		frame_request_free(q);
		return;
	}
	const struct sender *x = &q->sender;
	const struct run *r = c->frame->run;
	size_t at = q->sent.same, differ = 0;
	bool dsh = run_is_dsh(r);
	struct side was = dsh ? dsh_side(r, &x->rows_before, x->same_rows, q->before, at, &d->arena)
			      : pi_side(x, &x->egress.before, q->before, at);
	struct side is = dsh ? dsh_side(r, &x->rows, 0, turn, at, &d->arena) : pi_side(x, &x->egress.now, turn, at);
	struct buf b = {0};
	detail_title(d, "Where the prefix breaks");
	if (was.bytes.p != NULL && is.bytes.p != NULL) {
		while (differ < was.bytes.n && differ < is.bytes.n && was.bytes.p[differ] == is.bytes.p[differ])
			differ++;
		buf_str(&b, excerpt(was.bytes, differ > SAME_BYTES ? differ - SAME_BYTES : 0, differ));
		detail_puts(d, STYLE_PLAIN, INDENT, "in common up to:");
		detail_words(d, STYLE_DIM, 2 * INDENT, &b);
	}
	put_message(&was, true, at, differ, d);
	put_message(&is, false, at, differ, d);
	buf_free(&b);
	frame_request_free(q);
}

/* ---- figures ---- */

static void put_pair(const struct run *r, struct detail *d, const char *what, double tokens, double bytes)
{
	struct buf b = {0};
	buf_printf(&b, "%s: ", what);
	words_count(&b, tokens);
	buf_printf(&b, " tokens (%s), ", request_scale(r));
	words_count(&b, bytes);
	buf_text(&b, " bytes");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void put_prefix(const struct run *r, const struct sent *s, struct detail *d)
{
	struct buf b = {0};
	detail_title(d, "Prefix");
	put_pair(r, d, "request", s->tokens, s->bytes);
	if (s->cause != SENT_FIRST) {
		put_pair(r, d, "of the request before kept", s->common_tokens, s->common_bytes);
		put_pair(r, d, "of the request before lost", s->lost_tokens, s->before_bytes - s->common_bytes);
		buf_text(&b, "share kept = ");
		words_count(&b, s->common_bytes);
		buf_text(&b, " / ");
		words_count(&b, s->before_bytes);
		buf_text(&b, " bytes = ");
		words_percent(&b, sent_ratio(s));
		buf_printf(&b, "; %u of %u messages whole", s->same, s->messages);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (s->tail_bytes > 0)
		put_pair(r, d, "nudge at the tail, apart", s->tail_tokens, s->tail_bytes);
	if (s->anchors > 0) {
		words_plural(&b, s->anchors, "live compress call", "live compress calls");
		buf_text(&b, ": arguments of ");
		words_count(&b, s->anchor_tokens);
		buf_text(&b, " tokens (raw estimate), sent as ");
		words_count(&b, s->slimmed_tokens);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static const struct usage *usage_of(const struct run *r, const struct moment *m)
{
	return &r->recording->turns.v[r->recording->records.v[m->record].index].usage;
}

static void put_predicted(const struct run *r, const struct sent *s, const struct moment *m, struct buf *b)
{
	buf_text(b, "predicted = (system prompt + whole messages before the break) / prompt = (");
	words_count(b, r->system_tokens);
	buf_printf(b, " %s + ", r->system_source);
	words_count(b, s->common_tokens);
	buf_printf(b, " %s) / ", request_scale(r));
	words_count(b, m->prompt);
	buf_text(b, " provider usage = ");
	words_percent(b, s->predicted);
}

static void put_hits(const struct run *r, const struct prefix_totals *t, const struct sent *s, const struct moment *m,
		     struct detail *d)
{
	const struct usage *u = usage_of(r, m);
	struct buf b = {0};
	detail_title(d, "Hit");
	if (!(m->prompt > 0)) {
		detail_puts(d, STYLE_DIM, INDENT, "no usage is recorded: neither a hit nor a prediction can be told");
		return;
	}
	if (s != NULL && !isnan(s->predicted)) {
		put_predicted(r, s, m, &b);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_text(&b, "recorded = read / (input + read + write) = ");
	words_count(&b, u->cache_read);
	buf_text(&b, " / (");
	words_count(&b, u->input);
	buf_text(&b, " + ");
	words_count(&b, u->cache_read);
	buf_text(&b, " + ");
	words_count(&b, u->cache_write);
	buf_text(&b, ") = ");
	words_percent(&b, m->cache_read / m->prompt);
	if (!prefix_evidence(t))
		buf_text(&b, ", which is no evidence: no turn of the session read from a cache");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

/* ---- money ---- */

static void put_request_cost(const struct run *r, const struct price *p, const struct sent *s, const struct moment *m,
			     struct detail *d)
{
	const struct usage *u = usage_of(r, m);
	struct buf b = {0};
	if (u->present) {
		buf_text(&b, "the request as recorded: ");
		prefix_put_money(&b, r, prefix_cost_of(p, u).total);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (s != NULL && !isnan(s->bytes) && sent_rebuilds(s)) {
		double again = prefix_again(s);
		buf_text(&b, "billed again at most ");
		words_count(&b, again);
		buf_printf(&b, " tokens (%s) x (write - read) = ", request_scale(r));
		prefix_put_money(&b, r, price_again(p, again));
		if (p->cache_read > p->cache_write)
			buf_text(&b, ": reading costs more than writing, so nothing is lost");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_economics(const struct run *r, const struct prefix_totals *t, const struct prefix_fold *f,
			  struct detail *d)
{
	struct buf b = {0};
	buf_text(&b, "extra, once: (w - r)(1 - h)(V - S) + q b S - r S = ");
	prefix_put_money(&b, r, f->extra);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, "saved by every later request: (1 - b) S r = ");
	prefix_put_money(&b, r, f->saving);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, "paid for after ");
	if (isnan(f->even))
		buf_text(&b, "never: nothing is saved");
	else
		buf_printf(&b, f->even < 1e12 ? "%.1f requests" : "%.6g requests", f->even);
	detail_words(d, STYLE_BOLD, INDENT, &b);
	if (!isnan(f->best_size)) {
		buf_text(&b, "size with the least cost: sqrt(2 g (w - r)(1 - h) Vmin / r) = ");
		words_count(&b, floor(f->best_size + 0.5));
		buf_text(&b, " tokens, with g = ");
		words_count(&b, floor(t->growth + 0.5));
		buf_text(&b, " a request, Vmin = V - S");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void put_fold(const struct run *r, const struct prefix_totals *t, const struct prefix_fold *f, struct detail *d)
{
	struct buf b = {0};
	detail_title(d, "The fold before this request (pi.md 9)");
	buf_text(&b, "V = ");
	words_count(&b, f->fold.context);
	buf_text(&b, ", S = ");
	words_count(&b, f->fold.folded);
	buf_printf(&b, " tokens (%s), b = ", run_is_dsh(r) ? "display" : "raw estimates");
	words_percent(&b, f->fold.ratio);
	buf_text(&b, " summary, h = ");
	words_percent(&b, f->fold.kept);
	buf_text(&b, " of V - S kept");
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
	if (r->prices == NULL || isnan(f->extra))
		detail_puts(d, STYLE_DIM, INDENT, "what it costs and saves needs prices (--prices)");
	else
		put_economics(r, t, f, d);
}

static void put_money(const struct view_context *c, const struct prefix_totals *t, uint32_t turn, struct detail *d)
{
	const struct run *r = c->run;
	const struct moment *m = &r->timeline.turns.v[turn - 1];
	const struct prefix_fold *fold = prefix_fold_of(t, turn);
	uint32_t model = pi_model_at(r, m->record);
	const struct price *p =
		prices_of(r->prices, model != 0 ? names_get(&r->recording->names, model) : r->recording->model);
	if (p != NULL) {
		detail_title(d, "Cost");
		put_request_cost(r, p, prefix_sent(r, turn), m, d);
	}
	if (fold != NULL)
		put_fold(r, t, fold, d);
}

/* ---- a turn ---- */

static void put_cause(const struct run *r, const struct sent *s, uint32_t turn, struct detail *d)
{
	struct buf b = {0};
	buf_printf(&b, "Turn %u: %s", turn, sent_cause_name((enum sent_cause)s->cause));
	if (s->break_message > 0) {
		buf_text(&b, " at ");
		words_ref(&b, &r->state, s->break_ref);
		buf_text(&b, ", ");
		buf_str(&b, names_get(&r->recording->names, r->recording->messages.v[s->break_message - 1].message.id));
	}
	detail_words(d, STYLE_BOLD, 0, &b);
	buf_text(&b, sent_cause_words((enum sent_cause)s->cause));
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	const char *rule = (run_is_dsh(r) ? dsh_rules : rules)[s->cause];
	if (rule != NULL) {
		buf_printf(&b, "The first rule that holds: %s.", rule);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	const struct prefix_page *p = prefix_page(c);
	if (p != NULL && key & PREFIX_KEY_TOTAL) {
		struct buf b = {0};
		prefix_put_total(c->run, &p->totals, (size_t)(key & UINT32_MAX), &b);
		detail_words(d, STYLE_PLAIN, 0, &b);
		prefix_put_lists(c->run, &p->totals, (enum prefix_total)(key & UINT32_MAX), d);
		buf_free(&b);
		return;
	}
	if (p == NULL || key == 0 || key > p->turns)
		return;
	uint32_t turn = (uint32_t)key;
	const struct run *r = c->run;
	const struct sent *s = prefix_sent(r, turn);
	const struct moment *m = &r->timeline.turns.v[turn - 1];
	if (s != NULL && isnan(s->bytes)) {
		detail_puts(d, STYLE_WARNING, 0, "The turn could not run, refs ran out: there was no request.");
	} else if (s != NULL) {
		put_cause(r, s, turn, d);
		put_prefix(r, s, d);
		if (sent_rebuilds(s))
			put_break(c, turn, d);
	}
	put_hits(r, &p->totals, s, m, d);
	prefix_put_hit_detail(r, turn, p->totals.hits.system, d);
	prefix_put_time_detail(r, turn, d);
	put_money(c, &p->totals, turn, d);
}

static const struct detail_source details = {KEPT_PREFIX_DETAIL, build};

size_t prefix_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void prefix_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
