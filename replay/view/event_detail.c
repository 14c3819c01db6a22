/* One opened event: where it stands, what it says, and for a compress call every range with its verdict. */
#include <math.h>

#include "replay/view/acp_log_words.h"
#include "replay/view/dsh.h"
#include "replay/view/event.h"
#include "replay/view/words.h"

enum { INDENT = 2, INDENT_MORE = 4, INDENT_MOST = 6, ARGS_SHOWN = 64 * 1024 };

/* ---- any event ---- */

static void put_head(struct frame *f, const struct event *e, struct detail *d)
{
	const struct recording *rec = f->run->recording;
	struct buf b = {0};
	buf_printf(&b, "%s  at ", event_kind_name((enum event_kind)e->kind));
	position_print(event_position(e), &b);
	detail_words(d, STYLE_BOLD, 0, &b);
	event_words(f, e, &b);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (e->kind == EVENT_SIDECAR || e->kind == EVENT_DRIFT) { /* nothing of the session's file */
		buf_free(&b);
		return;
	}
	const struct record *r = e->record < rec->records.n ? &rec->records.v[e->record] : NULL;
	uint64_t line = e->kind == EVENT_DAMAGE ? rec->damages.v[e->index].line : r ? r->line : 0;
	if (line > 0)
		buf_printf(&b, "line %llu of ", (unsigned long long)line);
	else
		buf_text(&b, "made by the reader, no line of its own; ");
	buf_text(&b, rec->source.path ? rec->source.path : "?");
	if (r != NULL && e->kind != EVENT_DAMAGE)
		buf_printf(&b, " (%s)", record_type_name((enum record_type)r->type));
	if (e->kind == EVENT_DAMAGE) {
		buf_text(&b, ", byte ");
		words_count(&b, (double)rec->damages.v[e->index].byte);
	}
	detail_words(d, STYLE_DIM, INDENT, &b);
	buf_free(&b);
}

/* ---- compress ---- */

static void put_outcome(const struct run *r, const struct compress_outcome *o, const struct range_outcome *v,
			const char *who, struct detail *d)
{
	bool applied = v->status == RANGE_APPLIED;
	struct buf b = {0};
	buf_printf(&b, "%s %s", glyph(applied ? GLYPH_PASS : GLYPH_FAIL, d->ascii), who);
	event_range_words(r, o, v, &b);
	if (v->units > 0) {
		buf_text(&b, "; ");
		words_plural(&b, v->units, "unit", "units");
		buf_text(&b, " counted by the size gate");
	}
	detail_words(d, applied ? STYLE_GOOD : STYLE_WARNING, INDENT_MORE, &b);
	buf_free(&b);
}

/* What is allowed of a summary, where that was the reason. */
static void put_summary_limits(const struct run *r, const struct range_outcome *v, struct detail *d)
{
	struct buf b = {0};
	if (v->kind == COMPRESS_SUMMARY_TOO_SHORT)
		words_config(&b, r, "compress.minSummaryLength");
	else if (v->kind == COMPRESS_SUMMARY_TOO_LONG)
		words_config(&b, r, "compress.maxSummaryLength");
	else if (v->kind == COMPRESS_BELOW_MIN_RANGE)
		words_config(&b, r, "compress.minCompressRange");
	else if (v->kind == COMPRESS_PROTECTED_ZONE)
		words_config(&b, r, "preserveRecentMessages");
	if (b.n > 0)
		detail_words(d, STYLE_NUMBER, INDENT_MOST, &b);
	buf_free(&b);
}

static void put_request(const struct range_request *q, size_t number, struct detail *d)
{
	struct buf b = {0};
	buf_printf(&b, "%zu. ", number);
	buf_str(&b, q->start);
	buf_text(&b, "..");
	buf_str(&b, q->end);
	if (q->has_topic) {
		buf_text(&b, "  ");
		buf_str(&b, q->topic);
	}
	detail_words(d, STYLE_BOLD, INDENT, &b);
	buf_free(&b);
}

static void put_summary(const struct range_request *q, struct detail *d)
{
	struct buf b = {0};
	buf_text(&b, "summary of ");
	words_plural(&b, text_measure(text_trim(q->summary)).units, "unit", "units");
	if (q->has_max) {
		buf_text(&b, ", at most ");
		words_count(&b, q->max_chars);
		buf_text(&b, " allowed by the call itself");
	}
	detail_words(d, STYLE_DIM, INDENT_MORE, &b);
	detail_put(d, STYLE_PLAIN, INDENT_MORE, q->summary);
	buf_free(&b);
}

static void put_ranges(const struct run *r, const struct compress_outcome *o, const struct parse_result *parse,
		       struct detail *d)
{
	bool twice = o->tried && (o->follow == FOLLOW_RECORDED_YES || o->follow == FOLLOW_CANNOT);
	struct buf b = {0};
	detail_title(d, "Ranges");
	event_gate_words(r, o, &b);
	if (b.n > 0)
		detail_words(d, STYLE_WARNING, INDENT, &b);
	buf_free(&b);
	for (size_t i = 0; i < parse->n; i++) {
		put_request(&parse->ranges[i], i + 1, d);
		if (o->tried && i < o->ranges) {
			const struct range_outcome *v = &r->verdicts.v[o->verdicts + i];
			put_outcome(r, o, v, twice ? "the engine: " : "", d);
			put_summary_limits(r, v, d);
			if (twice)
				put_outcome(r, o, v + o->ranges, "with the gates off: ", d);
		}
		put_summary(&parse->ranges[i], d);
	}
}

static void put_arguments(const struct parse_result *parse, const struct compress_record *c, struct arena *a,
			  const struct recording *rec, struct detail *d)
{
	struct buf b = {0};
	detail_title(d, "Arguments");
	buf_printf(&b, "read as %s, ", parse_kind_name(parse->kind));
	words_plural(&b, (double)parse->n, "range", "ranges");
	if (parse->invalid_items > 0) {
		buf_text(&b, ", ");
		words_plural(&b, (double)parse->invalid_items, "invalid item", "invalid items");
	}
	if (parse->has_text) {
		buf_text(&b, ", a text of ");
		words_plural(&b, (double)parse->length, "unit", "units");
	}
	for (size_t i = 0; parse->has_keys && i < parse->keys_n; i++) {
		buf_text(&b, i > 0 ? ", " : ", keys ");
		buf_str(&b, parse->keys[i]);
	}
	buf_text(&b, " (kernel.md 7)");
	detail_words(d, parse->kind == PARSE_OK ? STYLE_PLAIN : STYLE_WARNING, INDENT, &b);
	if (parse->kind != PARSE_OK && c->args.place != SPAN_ABSENT) {
		struct str raw =
			c->args.place == SPAN_JSON ? recording_json(rec, c->args, a) : recording_text(rec, c->args, a);
		detail_put(d, STYLE_PLAIN, INDENT_MORE, str_cut(raw, 0, ARGS_SHOWN));
	}
	buf_free(&b);
}

static void put_recorded(const struct run *r, const struct compress_record *c, const struct compress_outcome *o,
			 struct detail *d)
{
	struct buf b = {0};
	detail_title(d, "Recorded outcome");
	if (!c->has_outcome) {
		event_follow_words(r, o, &b);
		detail_words(d, STYLE_DIM, INDENT, &b);
		buf_free(&b);
		return;
	}
	buf_text(&b, c->outcome_applied ? "applied" : "refused");
	if (!isnan(c->outcome_blocks)) {
		buf_text(&b, ", ");
		words_plural(&b, c->outcome_blocks, "block", "blocks");
	}
	if (!isnan(c->outcome_tokens)) {
		buf_text(&b, ", ");
		words_plural(&b, c->outcome_tokens, "token", "tokens");
		buf_text(&b, " (host's count)");
	}
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, "replayed: ");
	buf_text(&b, o->applied ? "applied, " : "not applied, ");
	words_plural(&b, o->blocks, "block", "blocks");
	buf_text(&b, ", ");
	words_plural(&b, o->tokens, "token", "tokens");
	buf_printf(&b, " (%s)", words_scale_at(r, o->record));
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	event_follow_words(r, o, &b);
	detail_words(d, run_outcome_agrees(r, o) == 0 ? STYLE_ERROR : STYLE_PLAIN, INDENT, &b);
	buf_free(&b);
}

static void open_compress(struct frame *f, const struct event *e, struct detail *d)
{
	const struct run *r = f->run;
	const struct recording *rec = r->recording;
	const struct compress_outcome *o = &r->compressions.v[e->index];
	const struct compress_record *c = &rec->compressions.v[rec->records.v[e->record].index];
	struct parse_result parse;
	struct buf b = {0};
	run_parse_args(r, c, &d->arena, &parse);
	if (c->call != 0) {
		buf_text(&b, "call ");
		buf_str(&b, names_get(&rec->names, c->call));
		buf_text(&b, c->by_user ? ", by the user" : ", by the model");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	if (!isnan(o->token_count)) {
		buf_text(&b, "the turn before it counted ");
		words_plural(&b, o->token_count, "token", "tokens");
		buf_text(&b, !isnan(c->token_count)                                ? " (host count)"
			     : run_is_dsh(r)                                       ? " (display)"
			     : policy_is(&r->policy, SWITCH_DRIVER, "conformance") ? " (raw estimate)"
										   : " (counted as the adapter does)");
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_free(&b);
	if (run_is_dsh(r))
		dsh_call_open(f, e, d);
	else if (parse.n > 0)
		put_ranges(r, o, &parse, d);
	put_arguments(&parse, c, &d->arena, rec, d);
	put_recorded(r, c, o, d);
}

/* ---- turns ---- */

static void open_turn(struct frame *f, const struct event *e, struct detail *d)
{
	const struct moment *m = &f->run->timeline.turns.v[e->turn - 1];
	struct buf b = {0};
	detail_title(d, "The turn");
	words_plural(&b, m->tokens, "token", "tokens");
	buf_printf(&b, " (%s) of ", words_count_scale((enum count_scale)m->counted));
	words_count(&b, f->run->config.limit);
	buf_printf(&b, " (%s), ", f->run->limit_source);
	words_percent(&b, m->usage);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (e->kind != EVENT_CAPACITY) {
		buf_printf(&b, "pending (%s): ranges ", words_scale_at(f->run, m->record));
		words_count(&b, m->pending[0]);
		buf_text(&b, ", tier-1 blocks ");
		words_count(&b, m->pending[1]);
		buf_text(&b, ", tier-2 blocks ");
		words_count(&b, m->pending[2]);
		buf_text(&b, "; grown by ");
		words_count(&b, m->growth);
		detail_words(d, STYLE_PLAIN, INDENT, &b);
	}
	buf_printf(&b, "At turn %u the Nudge view shows every gate, and the Rows view what was cut.", e->turn);
	detail_words(d, STYLE_DIM, INDENT, &b);
	buf_free(&b);
}

/* ---- state records ---- */

static void open_state(struct frame *f, const struct event *e, struct detail *d)
{
	const struct run *r = f->run;
	uint32_t line = r->recording->records.v[e->record].line;
	struct buf b = {0};
	if (event_state_obeyed(r, e))
		return;
	detail_title(d, "Why");
	if (r->problem.line == line)
		buf_text(&b, r->problem.message);
	else
		buf_text(&b, "another state record before it could not be used, either; only the first is explained");
	detail_words(d, STYLE_WARNING, INDENT, &b);
	buf_free(&b);
}

/* ---- the end ---- */

/* Lines as `acpdbg info` prints them; what is indented there is so here, and where it goes on, too. */
static void put_printed(struct buf *lines, enum style style, struct detail *d)
{
	struct str all = buf_view(lines);
	for (size_t at = 0; at < all.n;) {
		size_t end = str_find(all, STR("\n"), at);
		struct str line = str_cut(all, at, end), words = text_trim(line);
		struct buf one = {0};
		buf_str(&one, words);
		detail_words(d, style, words.p > line.p ? INDENT_MORE : INDENT, &one);
		buf_free(&one);
		at = end < all.n ? end + 1 : all.n;
	}
	buf_cut(lines, 0);
}

static void open_sidecar(struct frame *f, const struct event *e, struct detail *d)
{
	struct buf b = {0};
	(void)e;
	detail_title(d, "The host's stored state");
	sidecar_print(&f->checks->sidecar, &b);
	put_printed(&b, STYLE_PLAIN, d);
	detail_puts(d, STYLE_DIM, INDENT,
		    "A sidecar is only compared with; the replay never starts from it (pi.md 8.6).");
	buf_free(&b);
}

static void open_drift(struct frame *f, const struct event *e, struct detail *d)
{
	const struct checks *c = f->checks;
	struct buf b = {0};
	open_sidecar(f, e, d);
	detail_title(d, "What differs (\"here\" is the end of this replay)");
	drift_print(&c->drift, &b);
	put_printed(&b, STYLE_WARNING, d);
	detail_title(d, "What the host's own fork recovery would make of this session (kernel.md 8.1)");
	if (c->recoveries == 0)
		detail_puts(d, STYLE_DIM, INDENT, "It has no compress call, so there is nothing to recover.");
	for (size_t i = 0; i < c->recoveries; i++) {
		drift_print(&c->recovery[i], &b);
		put_printed(&b, drift_found(&c->recovery[i]) ? STYLE_WARNING : STYLE_PLAIN, d);
	}
	buf_free(&b);
}

static void open_log(struct frame *f, const struct event *e, struct detail *d)
{
	struct buf b = {0};
	(void)e;
	detail_title(d, "The adapter's log");
	acp_log_words_lines(&f->checks->log, &b);
	put_printed(&b, STYLE_PLAIN, d);
	buf_free(&b);
}

static void open_any(struct frame *f, const struct event *e, struct detail *d)
{
	static void (*const open[EVENT_KINDS])(struct frame *, const struct event *, struct detail *) = {
		[EVENT_COMPRESS] = open_compress,
		[EVENT_DIVERGED] = open_compress,
		[EVENT_NUDGE] = open_turn,
		[EVENT_TRUNCATED] = open_turn,
		[EVENT_CAPACITY] = open_turn,
		[EVENT_STATE] = open_state,
		[EVENT_FAILED] = open_turn,
		[EVENT_REFUTED] = open_turn,
		[EVENT_SIDECAR] = open_sidecar,
		[EVENT_DRIFT] = open_drift,
		[EVENT_LOG] = open_log,
		[EVENT_COMPACTION] = dsh_event_open,
		[EVENT_REINJECT] = dsh_event_open,
		[EVENT_LOOP] = dsh_event_open,
		[EVENT_GATED] = dsh_event_open,
	};
	put_head(f, e, d);
	if (open[e->kind] != NULL)
		open[e->kind](f, e, d);
}

static void build(const struct view_context *c, uint64_t key, struct detail *d)
{
	const struct events *e = events_of(c->frame);
	size_t i = 0;
	while (i < e->n && e->v[i].key != key)
		i++;
	if (i < e->n)
		open_any(c->frame, &e->v[i], d);
}

static const struct detail_source details = {KEPT_EVENT_DETAIL, build};

size_t events_detail_count(const struct view_context *c, uint64_t key) { return detail_count(c, &details, key); }

void events_detail_line(const struct view_context *c, uint64_t key, size_t i, struct line *out)
{
	detail_paint(c, &details, key, i, out);
}
