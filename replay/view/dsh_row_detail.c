/* One opened row of a DSH session: what it is, every rule that has a say about it, what it took in, its text. */
#include <inttypes.h>

#include "replay/view/dsh.h"
#include "replay/view/rows.h"
#include "replay/view/words.h"

enum { INDENT = 2, INDENT_MORE = 4, ROWS_SHOWN = 500 };

/* What is opened. */
struct opened {
	struct frame *f;
	struct frame_dsh *dsh;
	const struct dsh_fold *fold;
	uint32_t row, at; /* position, DSH_NONE = no node */
	const struct dsh_row *r;
	const struct dsh_traits *traits;
	struct detail *d;
};

static void say(const struct opened *o, enum style style, struct buf *b) { detail_words(o->d, style, INDENT, b); }

/* The setting a rule was decided by, below it. */
static void put_switch(const struct opened *o, enum policy_switch which)
{
	struct buf b = {0};
	dsh_switch_words(o->f->run, which, &b);
	detail_words(o->d, STYLE_NUMBER, INDENT_MORE, &b);
	buf_free(&b);
}

/* ---- head ---- */

static void put_head(const struct opened *o)
{
	uint32_t message = frame_dsh_message(o->f, o->row);
	struct buf b = {0};
	buf_printf(&b, "seq %" PRId64 "  ", o->r->seq);
	if (message != DSH_NONE) {
		words_ref(&b, &o->f->run->state, surface_of_message(&o->f->run->state, message).ref);
		buf_text(&b, "  ");
	}
	buf_printf(&b, "%s, %s", dsh_type_name((enum dsh_type)o->r->type),
		   dsh_class_name((enum dsh_class)o->traits->class));
	detail_words(o->d, STYLE_BOLD, 0, &b);
	words_count(&b, o->r->text.units);
	buf_text(&b, " units, ");
	words_count(&b, o->r->text.cjk);
	buf_text(&b, " of them CJK: ");
	words_plural(&b, dsh_row_display(o->r), "token", "tokens");
	buf_text(&b, " (display), ");
	words_count(&b, o->r->price);
	buf_text(&b, " (price)");
	say(o, STYLE_PLAIN, &b);
	if (o->at != DSH_NONE && o->row >= o->dsh->fresh)
		detail_puts(o->d, STYLE_CHANGED, INDENT,
			    o->r->op == DSH_REPLACE ? "it took its place since the turn before"
						    : "new: it came since the turn before");
	buf_free(&b);
}

/* ---- why ---- */

static void why_class(const struct opened *o)
{
	const struct dsh_log *log = o->fold->log;
	struct buf b = {0};
	buf_printf(&b, "class %s: ", dsh_class_name((enum dsh_class)o->traits->class));
	if (o->r->type != DSH_USER) {
		buf_text(&b, "no user row");
	} else if (!o->r->has_source) {
		buf_text(&b, "a user row without a source");
	} else {
		buf_text(&b, "source.kind ");
		buf_str(&b, o->r->has_kind ? names_get(&log->names, o->r->kind) : STR("missing"));
		if (o->r->has_plugin) {
			buf_text(&b, ", plugin ");
			buf_str(&b, names_get(&log->names, o->r->plugin));
		}
	}
	if (o->traits->user_turn)
		buf_text(&b, "; it may stand for the user speaking");
	buf_text(&b, " (dsh.md 4)");
	say(o, STYLE_PLAIN, &b);
	dsh_switch_words(o->f->run, SWITCH_SOURCES, &b);
	buf_printf(&b, ", log version %d", log->version);
	detail_words(o->d, STYLE_NUMBER, INDENT_MORE, &b);
	buf_free(&b);
}

static void why_preserve(const struct opened *o)
{
	struct buf b = {0};
	buf_text(&b, "too recent: among the last ");
	words_plural(&b, (double)o->dsh->preserve, "node", "nodes");
	buf_text(&b, " (dsh.md 5.1)");
	say(o, STYLE_PROTECTED, &b);
	words_config(&b, o->f->run, "preserveRecentMessages");
	detail_words(o->d, STYLE_NUMBER, INDENT_MORE, &b);
	buf_free(&b);
}

static void why_stops(const struct opened *o)
{
	static const struct {
		uint8_t stop;
		enum policy_switch which; /* SWITCH_TOTAL = none decides */
		const char *words;
	} rules[] = {
		{DSH_STOP_PIN, SWITCH_BARRIER, "pinned: the newest copy of one of its files (dsh.md 5.2)"},
		{DSH_STOP_BARRIER, SWITCH_BARRIER,
		 "barrier: an injected row closes the range before it, stale copies too (dsh.md 5.1)"},
		{DSH_STOP_SYSTEM, SWITCH_TOTAL, "barrier: a system row is in no range"},
		{DSH_STOP_CHECKPOINT, SWITCH_TOTAL, "checkpoint: a block's summary closes the range before it"},
	};
	unsigned stops = o->at != DSH_NONE ? o->dsh->table.stops.v[o->at] : 0;
	if (stops & DSH_STOP_PRESERVE)
		why_preserve(o);
	if (stops & DSH_STOP_TAIL) {
		detail_puts(o->d, STYLE_PROTECTED, INDENT,
			    o->fold->rules.tail ? "tail: the last real user turn (dsh.md 4.3)"
						: "tail: the last user row that is no checkpoint (dsh.md 5.1)");
		put_switch(o, SWITCH_TAIL);
	}
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		if (!(stops & rules[i].stop))
			continue;
		detail_puts(o->d, STYLE_PROTECTED, INDENT, rules[i].words);
		if (rules[i].which != SWITCH_TOTAL)
			put_switch(o, rules[i].which);
	}
	if (o->at != DSH_NONE && o->traits->class == DSH_INSTRUCTION && !o->fold->rules.barrier) {
		detail_puts(o->d, STYLE_DIM, INDENT, "no barrier under this policy: it can be folded as any row");
		put_switch(o, SWITCH_BARRIER);
	}
}

static void why_guard(const struct opened *o)
{
	bool guarded = false;
	for (size_t i = 0; i < o->dsh->guarded.seqs.n; i++)
		guarded = guarded || o->dsh->guarded.seqs.v[i] == o->r->seq;
	if (guarded)
		detail_puts(o->d, STYLE_PROTECTED, INDENT,
			    "guarded: a range that holds it is refused before the kernel hears of it (dsh.md 7)");
	else if (o->at != DSH_NONE && o->traits->agent && o->fold->rules.barrier)
		detail_puts(
			o->d, STYLE_PLAIN, INDENT,
			o->r->changes_n == 0
				? "not guarded: it names no scope, the host never pastes it again (dsh.md 5.2)"
				: "not guarded: a newer copy was told, folding this one is a clean-up (dsh.md 7.2)");
	if (guarded && !o->traits->exact)
		detail_puts(o->d, STYLE_WARNING, INDENT_MORE, "the host's gate does not see this row");
}

static void why_range(const struct opened *o)
{
	struct buf b = {0};
	for (size_t i = 0; o->at != DSH_NONE && i < o->dsh->table.ranges.n; i++) {
		const struct dsh_range *range = &o->dsh->table.ranges.v[i];
		if (o->at < range->first || o->at > range->last)
			continue;
		buf_text(&b, "in the range ");
		dsh_span_words(range->start, range->end, &b);
		buf_text(&b, " of the table");
		if (o->dsh->table.stops.v[o->at] != 0)
			buf_text(&b, ", which grew over it");
		say(o, STYLE_RANGE, &b);
	}
	buf_free(&b);
}

static void why_gone(const struct opened *o)
{
	const struct dsh_surface *s = &o->fold->surface;
	enum dsh_presence presence = dsh_surface_presence(s, o->row);
	struct buf b = {0};
	if (presence == DSH_SHADOWED)
		buf_printf(&b, "shadowed by seq %" PRId64, dsh_log_seq(o->fold->log, s->places.v[o->row].by));
	else if (presence == DSH_UNTOLD)
		buf_text(&b, "not in the log here: yet to come, or left out by the policy");
	else if (presence == DSH_NEVER)
		buf_text(&b, "it never stood on the surface: its surfaceOp could not be folded");
	if (b.n > 0)
		say(o, STYLE_COVERED, &b);
	buf_free(&b);
}

/* ---- scopes ---- */

static void put_scope(const struct opened *o, const struct dsh_change *change)
{
	const struct dsh_log *log = o->fold->log;
	uint32_t newest = dsh_scopes_newest(&o->fold->scopes, change->scope);
	struct buf b = {0};
	dsh_letter_words(o->fold, change->scope, &b);
	buf_text(&b, "  ");
	dsh_scope_words(log, change->scope, &b);
	buf_text(&b, change->remove ? ", removed" : ", digest ");
	if (!change->remove)
		buf_str(&b, change->digest != 0 ? names_get(&log->names, change->digest) : STR("missing"));
	if (newest == o->row) {
		buf_text(&b, ": this is the newest copy");
	} else if (newest != DSH_NONE) {
		buf_printf(&b, ": stale, seq %" PRId64 " holds the newest", dsh_log_seq(log, newest));
		if (!dsh_surface_is_node(&o->fold->surface, newest))
			buf_printf(&b, ", shadowed by seq %" PRId64,
				   dsh_log_seq(log, o->fold->surface.places.v[newest].by));
	}
	say(o, STYLE_PLAIN, &b);
	buf_free(&b);
}

/* What the host would answer if the row were folded. */
static void put_gate(const struct opened *o)
{
	struct dsh_wants now = {0}, then = {0};
	enum dsh_want want = frame_dsh_wants(o->f, o->row, &then);
	enum dsh_want before = frame_dsh_wants(o->f, DSH_NONE, &now);
	struct buf b = {0};
	buf_text(&b, "if it were folded, the host's gate would ");
	if (want == DSH_WANT_NOTHING)
		buf_text(&b, "paste nothing");
	else if (want == DSH_WANT_ALL && before != DSH_WANT_ALL)
		buf_text(&b, "paste everything: it is the last visible baseline row (dsh.md 7.6)");
	else
		buf_text(&b, want == DSH_WANT_ALL ? "paste everything" : "paste a delta");
	for (size_t i = 0; i < then.scopes.n; i++) {
		buf_text(&b, i > 0 ? ", " : ": ");
		dsh_scope_words(o->fold->log, then.scopes.v[i], &b);
	}
	if (want != DSH_WANT_NOTHING && want == before && now.scopes.n == then.scopes.n)
		buf_text(&b, "; it would do that as things are, too");
	buf_text(&b, " (dsh.md 10.3)");
	say(o, want == DSH_WANT_NOTHING ? STYLE_PLAIN : STYLE_WARNING, &b);
	dsh_wants_free(&now);
	dsh_wants_free(&then);
	buf_free(&b);
}

static void put_scopes(const struct opened *o)
{
	if (!o->traits->agent)
		return;
	detail_title(o->d, "Scopes");
	for (uint32_t i = 0; i < o->r->changes_n; i++)
		put_scope(o, &o->r->changes[i]);
	if (o->r->changes_n == 0)
		detail_puts(o->d, STYLE_DIM, INDENT, "it names none");
	if (o->r->baseline)
		detail_puts(o->d, STYLE_PLAIN, INDENT, "a baseline row: it has all files");
	if (o->at != DSH_NONE)
		put_gate(o);
}

/* ---- calls that hit it ---- */

static void put_hit(const struct opened *o, const struct compress_outcome *c, const struct dsh_asked *a, bool *any)
{
	struct buf b = {0};
	bool hit = false;
	for (uint32_t i = 0; i < a->hits_n; i++)
		hit = hit || a->hits[i] == o->r->seq;
	if (!hit)
		return;
	if (!*any)
		detail_title(o->d, "Compress calls that held it");
	*any = true;
	buf_printf(&b, "after turn %u: ", c->after_turn);
	dsh_asked_words(o->f->run, c, a, &b);
	say(o, STYLE_WARNING, &b);
	buf_free(&b);
}

static void put_hits(const struct opened *o)
{
	const struct run *r = o->f->run;
	bool any = false;
	for (size_t i = 0; i < r->compressions.n; i++) {
		uint32_t n;
		const struct dsh_asked *asked = run_dsh_asked(r, i, &n);
		for (uint32_t k = 0; k < n; k++)
			put_hit(o, &r->compressions.v[i], &asked[k], &any);
	}
}

/* ---- what it took in ---- */

void dsh_detail_rows(struct frame *f, const int64_t *seqs, size_t n, struct detail *d)
{
	const struct dsh_log *log = f->run->dsh.fold.log;
	struct buf b = {0};
	for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
		uint32_t row = dsh_log_find(log, seqs[i]);
		if (row != DSH_NONE && row < f->run->dsh.fold.classes.of.n) {
			detail_row(d, row);
			continue;
		}
		buf_printf(&b, "%" PRId64 " is not in the log", seqs[i]);
		detail_words(d, STYLE_WARNING, INDENT, &b);
	}
	if (n > ROWS_SHOWN) {
		words_count(&b, (double)(n - ROWS_SHOWN));
		buf_text(&b, " more");
		detail_words(d, STYLE_DIM, INDENT, &b);
	}
	buf_free(&b);
}

static void put_shadowed(const struct opened *o)
{
	const struct run_dsh *d = &o->f->run->dsh;
	int64_t at = dsh_seq_at(o->f->run);
	const struct dsh_block *k = dsh_ledger_by_row(&d->ledger, o->fold, o->row, at);
	struct dsh_originals list = {0};
	struct buf b = {0};
	if (o->r->op != DSH_REPLACE)
		return;
	if (k != NULL) {
		buf_text(&b, "Rows it stands for: originals of block ");
		dsh_block_ref(&d->ledger, k, &b);
		dsh_ledger_originals(&d->ledger, o->fold, k, at, &list);
	} else {
		const struct dsh_surface *s = &o->fold->surface;
		buf_text(&b, "Rows it replaced");
		for (uint32_t row = 0; row < o->row && row < s->places.n; row++)
			if (s->places.v[row].presence == DSH_SHADOWED && s->places.v[row].by == o->row)
				vec_push(&list.seqs, dsh_log_seq(o->fold->log, row));
	}
	detail_blank(o->d);
	detail_words(o->d, STYLE_HEADING, 0, &b);
	dsh_detail_rows(o->f, list.seqs.v, list.seqs.n, o->d);
	vec_free(&list.seqs);
	buf_free(&b);
}

/* ---- which it is ---- */

static void open_row(const struct view_context *c, uint32_t row, struct detail *d)
{
	struct opened o = {.f = c->frame, .dsh = frame_dsh(c->frame), .row = row, .d = d};
	uint32_t message = frame_dsh_message(c->frame, row);
	o.fold = o.dsh->fold;
	o.r = dsh_log_row(o.fold->log, row);
	o.traits = dsh_fold_traits(o.fold, row);
	o.at = dsh_nodes_find(&o.dsh->nodes, o.r->seq);
	put_head(&o);
	detail_title(d, "Why");
	why_class(&o);
	why_gone(&o);
	why_stops(&o);
	why_guard(&o);
	why_range(&o);
	put_scopes(&o);
	put_hits(&o);
	put_shadowed(&o);
	if (message == DSH_NONE) {
		detail_title(d, "Text");
		detail_puts(d, STYLE_DIM, INDENT, "(empty: the kernel gets no message of it)");
		return;
	}
	struct frame_row one = rows_of_message(c->frame, message);
	row_put_source(c->frame, message, d);
	row_put_text(c->frame, &one, d);
}

static void open_beyond(const struct view_context *c, uint32_t index, struct detail *d)
{
	const struct recording *rec = c->frame->run->recording;
	const struct dsh_event_record *e = &rec->dsh.beyond.v[index];
	struct buf b = {0};
	buf_printf(&b, "seq %" PRId64 "  ", e->seq);
	buf_str(&b, names_get(&rec->names, e->name));
	detail_words(d, STYLE_BOLD, 0, &b);
	buf_free(&b);
	detail_puts(d, STYLE_WARNING, INDENT,
		    "It stands behind a gap in the seqs: a host reads the log up to there only.");
	detail_title(d, "Data");
	detail_put(d, STYLE_COVERED, 0, recording_event_data(rec, e, &d->arena));
}

bool dsh_row_open(const struct view_context *c, uint64_t key, struct detail *d)
{
	const struct dsh_recording *rec = &c->frame->run->recording->dsh;
	uint64_t low = key & DSH_KEY_MASK, kind = key & ~DSH_KEY_MASK;
	uint32_t row = DSH_NONE;
	frame_dsh(c->frame);
	if (kind == DSH_KEY_BEYOND && low < rec->beyond.n) {
		open_beyond(c, (uint32_t)low, d);
		return true;
	}
	if (kind == DSH_KEY_ROW)
		row = (uint32_t)low;
	else if (kind == 0 && low > 0 && low <= rec->row_of.n)
		row = rec->row_of.v[low - 1];
	if (row >= c->frame->run->dsh.fold.classes.of.n)
		return false;
	open_row(c, row, d);
	return true;
}
