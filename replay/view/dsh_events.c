/* Events of a DSH session, in words and opened: calls range by range, re-injections, loops, what the gate left out. */
#include <inttypes.h>
#include <math.h>

#include "replay/view/dsh.h"
#include "replay/view/event.h"
#include "replay/view/words.h"

enum { INDENT = 2, INDENT_MORE = 4 };

/* ---- compress calls ---- */

static const struct compress_record *call_of(const struct frame *f, const struct event *e)
{
	const struct recording *rec = f->run->recording;
	return &rec->compressions.v[rec->records.v[e->record].index];
}

void dsh_call_words(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct run *r = f->run;
	const struct compress_outcome *o = &r->compressions.v[e->index];
	uint32_t n;
	const struct dsh_asked *asked = run_dsh_asked(r, e->index, &n);
	if (o->parse != PARSE_OK)
		buf_printf(b, "%s arguments%s", parse_kind_name((enum parse_kind)o->parse), n > 0 ? ": " : "");
	if (n == 0 && o->parse == PARSE_OK)
		buf_text(b, "no ranges in the arguments");
	if (n > 0 && !o->tried && o->ranges > 0) {
		buf_text(b, "not tried, the turn before it could not run (ref-capacity)");
		return;
	}
	if (n > 0)
		buf_text(b, o->applied ? "applied: " : "not applied: ");
	for (uint32_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "; " : "");
		dsh_asked_words(r, o, &asked[i], b);
	}
	if (o->invalid > 0) {
		buf_text(b, "; ");
		words_plural(b, o->invalid, "invalid item", "invalid items");
	}
	if (run_outcome_agrees(r, o) > 0)
		buf_text(b, "; as recorded");
}

/* Why a range is refused, as the plugin tells it, and the setting. */
static void put_note(const struct run *r, const struct dsh_asked *a, int indent, struct detail *d)
{
	struct buf b = {0};
	buf_text(&b, "the guard's answer: ");
	dsh_note_words(a, &b);
	buf_text(&b, " (dsh.md 7.4)");
	detail_words(d, STYLE_PLAIN, indent, &b);
	dsh_switch_words(r, SWITCH_BARRIER, &b);
	detail_words(d, STYLE_NUMBER, indent, &b);
	buf_free(&b);
}

/* What the plugin decided of one range, and the kernel after it. */
static void put_decision(const struct run *r, const struct compress_outcome *o, const struct dsh_asked *a,
			 struct detail *d)
{
	bool guarded = a->verdict == DSH_GUARDED, followed = a->kernel != UINT32_MAX;
	struct buf b = {0};
	dsh_asked_words(r, o, a, &b);
	detail_words(d, a->verdict == DSH_ACCEPTED ? STYLE_GOOD : STYLE_WARNING, INDENT, &b);
	if (guarded)
		put_note(r, a, INDENT_MORE, d);
	if (guarded && followed) {
		buf_text(&b, "the guard only comments: the recorded outcome is followed, ");
		dsh_switch_words(r, SWITCH_FOLLOW, &b);
		detail_words(d, STYLE_DIM, INDENT_MORE, &b);
	}
	if (a->unseen_wrapper)
		detail_puts(d, STYLE_WARNING, INDENT_MORE, "the host's gate does not see such a row");
	if (a->last_baseline)
		detail_puts(
			d, STYLE_WARNING, INDENT_MORE,
			"risk: it holds the last visible baseline row; the host then pastes everything (dsh.md 7.6)");
	if (a->checkpoints > 0) {
		words_plural(&b, a->checkpoints, "checkpoint", "checkpoints");
		buf_text(&b, " between its edges folded with it (dsh.md 6.5)");
		detail_words(d, STYLE_WARNING, INDENT_MORE, &b);
	}
	if (a->landing > 0) {
		const struct dsh_landing *landing = &r->recording->dsh.landed.v[a->landing - 1];
		buf_printf(&b, "recorded: summary at seq %" PRId64 ", checkpoint at seq %" PRId64,
			   dsh_log_seq(r->dsh.fold.log, landing->summary),
			   dsh_log_seq(r->dsh.fold.log, landing->checkpoint));
		detail_words(d, STYLE_DIM, INDENT_MORE, &b);
	}
	buf_free(&b);
}

void dsh_call_open(struct frame *f, const struct event *e, struct detail *d)
{
	const struct run *r = f->run;
	const struct compress_outcome *o = &r->compressions.v[e->index];
	struct parse_result parse;
	uint32_t n;
	const struct dsh_asked *asked = run_dsh_asked(r, e->index, &n);
	run_parse_args(r, call_of(f, e), &d->arena, &parse);
	detail_title(d, "Ranges");
	for (uint32_t i = 0; i < n; i++) {
		put_decision(r, o, &asked[i], d);
		if (i < parse.n)
			detail_put(d, STYLE_PLAIN, INDENT_MORE, parse.ranges[i].summary);
	}
	if (n == 0)
		detail_puts(d, STYLE_DIM, INDENT, "none could be read");
}

/* ---- re-injections ---- */

static void say_compaction(const struct dsh_loop *l, const struct dsh_folding *f, struct buf *b)
{
	enum { SHOWN = 8 };
	buf_text(b, "compaction ");
	buf_str(b, str_cut(names_get(&l->log->names, f->id), 0, SHOWN));
}

static void say_scopes(const struct dsh_loop *l, const struct dsh_paste *p, struct buf *b)
{
	if (p->scopes_n == 0)
		buf_text(b, "by its baseline");
	for (size_t i = 0; i < p->scopes_n; i++) {
		buf_text(b, i > 0 ? ", " : "");
		dsh_scope_words(l->log, l->overlaps.v[p->scopes_at + i], b);
	}
}

static void say_paste(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct dsh_loop *l = &f->run->dsh.loop;
	const struct dsh_paste *p = &l->pastes.v[e->index];
	double price = dsh_log_row(l->log, p->row)->price;
	buf_printf(b, "seq %" PRId64 " ", dsh_log_seq(l->log, p->row));
	say_scopes(l, p, b);
	buf_text(b, p->pure ? ": pure, " : ": changed, ");
	words_plural(b, price, "token", "tokens");
	buf_text(b, p->pure && !p->weak ? " wasted (price); " : " (price); ");
	if (p->weak)
		buf_text(b, "weak: no current copy was folded; ");
	buf_printf(b, "%" PRId64 " from the end, %" PRId64 " from the checkpoint of ", p->dist_end, p->dist_checkpoint);
	say_compaction(l, &l->foldings.v[p->folding], b);
}

static void say_chain(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct dsh_loop *l = &f->run->dsh.loop;
	const struct dsh_chain *chain = &l->chains.v[e->index];
	dsh_scope_words(l->log, chain->scope, b);
	buf_printf(b, " pasted again after %zu compactions in a row, checkpoints %" PRId64 " to %" PRId64,
		   chain->length, l->foldings.v[chain->first].checkpoint, l->foldings.v[chain->last].checkpoint);
}

static void say_gated(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct dsh_log *log = f->run->dsh.fold.log;
	uint32_t row = f->run->dsh.gated.v[e->index];
	buf_printf(b, "seq %" PRId64 " left out, ", dsh_log_seq(log, row));
	words_plural(b, dsh_log_row(log, row)->price, "token", "tokens");
	buf_text(b, " (price): all it says is on the surface");
}

static void say_made(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct dsh_ledger *l = &f->run->dsh.ledger;
	const struct dsh_block *k;
	if (e->index >= l->blocks.n) {
		const struct dsh_outside *gone = &f->run->dsh.outside.v[e->index - l->blocks.n];
		bool human = dsh_log_row(l->log, gone->summary)->compaction->command != 0;
		buf_printf(b, "by the %s, no compress call: ", dsh_maker_name(human ? DSH_BY_HUMAN : DSH_BY_PLUGIN));
		dsh_span_words(gone->asked.request[0], gone->asked.request[1], b);
		buf_char(b, ' ');
		dsh_guarded_words(&gone->asked, false, b);
		return;
	}
	k = &l->blocks.v[e->index];
	const struct dsh_compaction *made = dsh_log_row(l->log, k->summary)->compaction;
	const struct dsh_outside *guarded = run_dsh_outside(f->run, k->summary);
	uint32_t checkpoint = dsh_ledger_checkpoint(l, k, INT64_MAX);
	buf_printf(b, "by the %s, no compress call: ", dsh_maker_name((enum dsh_maker)k->maker));
	dsh_block_ref(l, k, b);
	if (made != NULL) {
		buf_text(b, " of ");
		words_plural(b, (double)made->shadowed_n, "row", "rows");
	}
	buf_text(b, ", ");
	words_count(b, k->tokens);
	buf_text(b, k->tokens_display ? " (display)" : " (price)");
	if (checkpoint != DSH_NONE)
		buf_printf(b, ", checkpoint at seq %" PRId64, dsh_log_seq(l->log, checkpoint));
	else
		buf_text(b, ", no checkpoint");
	if (guarded == NULL)
		return;
	buf_text(b, "; ");
	dsh_guarded_words(&guarded->asked, true, b);
}

/* The finding of an event; the list of events that it is from is the frame's. */
static const struct dsh_found *found_of(const struct frame *f, const struct event *e)
{
	const struct events *list = f->stays[STAYS_EVENTS].made;
	return &list->found[e->index];
}

static void say_found(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct dsh_found *found = found_of(f, e);
	buf_printf(b, "seq %" PRId64 " ", found->at);
	dsh_finding_words(f->run, found, b);
}

void dsh_event_words(const struct frame *f, const struct event *e, struct buf *b)
{
	static void (*const say[EVENT_KINDS])(const struct frame *, const struct event *, struct buf *) = {
		[EVENT_COMPACTION] = say_made, [EVENT_REINJECT] = say_paste, [EVENT_LOOP] = say_chain,
		[EVENT_GATED] = say_gated,     [EVENT_FINDING] = say_found,
	};
	if (say[e->kind] != NULL)
		say[e->kind](f, e, b);
}

uint32_t dsh_event_row(const struct run *r, const struct event *e)
{
	const struct run_dsh *d = &r->dsh;
	switch (e->kind) {
	case EVENT_COMPACTION:
		return e->index < d->ledger.blocks.n ? d->ledger.blocks.v[e->index].summary
						     : d->outside.v[e->index - d->ledger.blocks.n].summary;
	case EVENT_REINJECT:
		return d->loop.pastes.v[e->index].row;
	case EVENT_GATED:
		return d->gated.v[e->index];
	default:
		return DSH_NONE;
	}
}

/* ---- opened ---- */

static void put_row(const struct frame *f, uint32_t row, const char *title, struct detail *d)
{
	if (row >= f->run->dsh.fold.classes.of.n)
		return;
	detail_title(d, title);
	detail_row(d, row);
}

static void open_paste(struct frame *f, const struct event *e, struct detail *d)
{
	const struct dsh_loop *l = &f->run->dsh.loop;
	const struct dsh_paste *p = &l->pastes.v[e->index];
	const struct dsh_folding *by = &l->foldings.v[p->folding];
	struct buf b = {0};
	detail_title(d, "The compaction it answers");
	say_compaction(l, by, &b);
	buf_printf(&b, ", checkpoint at seq %" PRId64 ", end at seq %" PRId64, by->checkpoint, by->end);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	buf_text(&b, "files: ");
	say_scopes(l, p, &b);
	detail_words(d, STYLE_PLAIN, INDENT, &b);
	if (by->last_baseline)
		detail_puts(d, STYLE_WARNING, INDENT, "it took in the last visible baseline row (dsh.md 7.6)");
	detail_puts(d, STYLE_PLAIN, INDENT,
		    p->pure ? "pure: every digest is the one known before, nothing had changed"
			    : "changed: a digest differs from the one known before, the file was really edited");
	detail_puts(d, STYLE_PLAIN, INDENT,
		    p->within ? "within 7 events of the end: it counts in the ratio, unless it is weak (dsh.md 10.2)"
			      : "more than 7 events from the end: outside the ratio (dsh.md 10.2)");
	if (p->weak)
		detail_puts(d, STYLE_DIM, INDENT,
			    "weak: a literal match; the compaction took in no copy that was the newest");
	if (p->wrapper)
		detail_puts(d, STYLE_WARNING, INDENT, "the host's gate does not see such a row");
	buf_free(&b);
	put_row(f, p->row, "The row", d);
}

static void open_chain(struct frame *f, const struct event *e, struct detail *d)
{
	const struct dsh_loop *l = &f->run->dsh.loop;
	const struct dsh_chain *chain = &l->chains.v[e->index];
	struct buf b = {0};
	detail_title(d, "Pasted again, of this file");
	for (size_t i = 0; i < l->pastes.n; i++) {
		const struct dsh_paste *p = &l->pastes.v[i];
		if (p->folding < chain->first || p->folding > chain->last || p->weak)
			continue;
		for (size_t k = 0; k < p->scopes_n; k++) {
			if (l->overlaps.v[p->scopes_at + k] != chain->scope)
				continue;
			buf_printf(&b, "checkpoint %" PRId64 ", seq %" PRId64 ": %" PRId64 " from the end, %s",
				   l->foldings.v[p->folding].checkpoint, dsh_log_seq(l->log, p->row), p->dist_end,
				   p->pure ? "pure" : "changed");
			detail_words(d, STYLE_PLAIN, INDENT, &b);
			break;
		}
	}
	buf_free(&b);
}

static void open_gated(struct frame *f, const struct event *e, struct detail *d)
{
	struct buf b = {0};
	detail_title(d, "Why");
	detail_puts(d, STYLE_PLAIN, INDENT,
		    "For each of its files the newest visible copy says the same, and a visible baseline row has its "
		    "identity: the host's gate would not have pasted it (dsh.md 10.3).");
	dsh_switch_words(f->run, SWITCH_REINJECT, &b);
	detail_words(d, STYLE_NUMBER, INDENT, &b);
	buf_free(&b);
	put_row(f, f->run->dsh.gated.v[e->index], "The row", d);
}

static void open_made(struct frame *f, const struct event *e, struct detail *d)
{
	const struct run_dsh *dsh = &f->run->dsh;
	const struct dsh_ledger *l = &dsh->ledger;
	struct dsh_originals list = {0};
	const struct dsh_outside *guarded = e->index >= l->blocks.n
						    ? &dsh->outside.v[e->index - l->blocks.n]
						    : run_dsh_outside(f->run, l->blocks.v[e->index].summary);
	if (guarded != NULL) {
		detail_title(d, "Guard");
		put_note(f->run, &guarded->asked, INDENT, d);
	}
	if (e->index >= l->blocks.n)
		return;
	dsh_ledger_originals(l, &dsh->fold, &l->blocks.v[e->index], INT64_MAX, &list);
	detail_title(d, "Rows it stands for (dsh.md 9.3)");
	dsh_detail_rows(f, list.seqs.v, list.seqs.n, d);
	vec_free(&list.seqs);
}

void dsh_event_open(struct frame *f, const struct event *e, struct detail *d)
{
	static void (*const open[EVENT_KINDS])(struct frame *, const struct event *, struct detail *) = {
		[EVENT_COMPACTION] = open_made,
		[EVENT_REINJECT] = open_paste,
		[EVENT_LOOP] = open_chain,
		[EVENT_GATED] = open_gated,
	};
	if (open[e->kind] != NULL)
		open[e->kind](f, e, d);
}
