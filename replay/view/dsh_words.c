/* What the views of a DSH session say in the same words. */
#include <inttypes.h>

#include "replay/view/dsh.h"
#include "replay/view/event.h"
#include "replay/view/words.h"

enum { SEQS_SHOWN = 4 }; /* as many as the plugin's own note lists (dsh.md 7.4) */

enum style dsh_role_style(uint8_t type)
{
	static const enum style styles[] = {STYLE_USER, STYLE_ASSISTANT, STYLE_TOOL, STYLE_SYSTEM, STYLE_SYSTEM};
	return type < sizeof styles / sizeof styles[0] ? styles[type] : STYLE_PLAIN;
}

const char *dsh_role_word(uint8_t type, bool brief)
{
	static const char *const words[][2] = {
		{"user", "user"}, {"assistant", "asst"}, {"tool", "tool"}, {"system", "sys"}, {"developer", "dev"}};
	return type < sizeof words / sizeof words[0] ? words[type][brief] : "?";
}

void dsh_ref_words(struct frame *f, uint32_t row, struct buf *b)
{
	uint32_t message = frame_dsh_message(f, row);
	uint32_t ref = message != DSH_NONE ? surface_of_message(&f->run->state, message).ref : REF_NONE;
	if (ref != REF_NONE)
		words_ref(b, &f->run->state, ref);
	else
		buf_char(b, '-');
}

void dsh_letter_words(const struct dsh_fold *f, uint32_t scope, struct buf *b)
{
	uint32_t n = scope < f->scopes.numbers.n ? f->scopes.numbers.v[scope] : 0;
	char letters[8];
	size_t at = sizeof letters;
	if (n == 0) {
		buf_char(b, '?');
		return;
	}
	for (; n > 0; n = (n - 1) / 26)
		letters[--at] = (char)('a' + (n - 1) % 26);
	buf_bytes(b, letters + at, sizeof letters - at);
}

void dsh_scope_words(const struct dsh_log *log, uint32_t scope, struct buf *b)
{
	struct str name = names_get(&log->names, scope);
	struct str nul = {"\xC0\x80", 2}; /* U+0000 stands between directory and file */
	size_t end = str_find(name, nul, 0);
	buf_str(b, str_cut(name, 0, end == SIZE_MAX ? name.n : end));
	if (end == SIZE_MAX)
		return;
	buf_char(b, '/');
	buf_str(b, str_cut(name, end + nul.n, name.n));
}

/* Does an earlier change of the row name the same scope? */
static bool named_before(const struct dsh_row *r, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (r->changes[k].scope == r->changes[i].scope)
			return true;
	return false;
}

void dsh_copies_words(const struct dsh_fold *f, uint32_t row, struct buf *b)
{
	const struct dsh_row *r = dsh_log_row(f->log, row);
	size_t before = b->n;
	if (!dsh_fold_traits(f, row)->agent)
		return;
	for (uint32_t i = 0; i < r->changes_n; i++) {
		uint32_t scope = r->changes[i].scope;
		if (named_before(r, i))
			continue;
		buf_text(b, b->n > before ? ", " : "");
		dsh_letter_words(f, scope, b);
		buf_char(b, ' ');
		dsh_scope_words(f->log, scope, b);
		buf_text(b, dsh_scopes_newest(&f->scopes, scope) == row ? " newest" : " stale");
	}
	if (b->n == before)
		buf_text(b, "no scope");
}

void dsh_span_words(int64_t start, int64_t end, struct buf *b) { buf_printf(b, "%" PRId64 "..%" PRId64, start, end); }

void dsh_seqs_words(const int64_t *seqs, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n && i < SEQS_SHOWN; i++)
		buf_printf(b, i > 0 ? ", %" PRId64 : "%" PRId64, seqs[i]);
	if (n > SEQS_SHOWN)
		buf_printf(b, " +%zu more", n - SEQS_SHOWN);
}

void dsh_slices_words(const struct dsh_slice *slices, size_t n, struct buf *b)
{
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (slices[i].state == DSH_SLICE_REFUSED)
			continue;
		buf_text(b, any ? " and " : "");
		dsh_span_words(slices[i].first, slices[i].last, b);
		if (slices[i].state == DSH_SLICE_BACKWARDS)
			buf_text(b, " (backwards: not offered)");
		any = true;
	}
	if (!any)
		buf_text(b, "no part of it");
}

void dsh_switch_words(const struct run *r, enum policy_switch which, struct buf *b)
{
	const struct policy *p = &r->policy;
	buf_printf(b, "policy %s = %s (%s)", policy_switch_name(which), policy_value_name(p, which),
		   p->source[which] == POLICY_FROM_OPTION ? "--policy" : p->profile);
}

void dsh_stops_words(const struct dsh_fold *f, unsigned stops, struct buf *b)
{
	static const struct {
		uint8_t stop;
		const char *words;
	} words[] = {{DSH_STOP_SYSTEM, "system row"},
		     {DSH_STOP_BARRIER, "barrier"},
		     {DSH_STOP_CHECKPOINT, "checkpoint"},
		     {DSH_STOP_PIN, "pinned: newest copy"},
		     {DSH_STOP_TAIL, NULL},
		     {DSH_STOP_PRESERVE, "too recent"}};
	size_t before = b->n;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const char *word = words[i].words;
		if (!(stops & words[i].stop))
			continue;
		if (word == NULL)
			word = f->rules.tail ? "tail: last real user turn" : "tail: last user row";
		buf_printf(b, b->n > before ? ", %s" : "%s", word);
	}
}

int64_t dsh_seq_at(const struct run *r)
{
	const struct run_dsh *d = &r->dsh;
	return d->told > 0 ? dsh_log_seq(d->fold.log, d->told - 1) : -1;
}

void dsh_loop_words(const struct run *r, struct buf *b)
{
	const struct dsh_loop *l = &r->dsh.loop;
	words_plural(b, (double)l->foldings.n, "compaction", "compactions");
	buf_printf(b, ", %zu re-injected within %d", l->reinjected, DSH_WITHIN);
	if (l->reinjected_checkpoint != l->reinjected)
		buf_printf(b, " of the end (%zu within %d of the checkpoint)", l->reinjected_checkpoint, DSH_WITHIN);
	if (l->reinjected_later > 0)
		buf_printf(b, ", %zu later", l->reinjected_later);
	if (l->wasted > 0) {
		buf_text(b, ", ");
		words_plural(b, l->wasted, "token", "tokens");
		buf_text(b, " wasted (price)");
	}
	if (l->wasted_later > 0) {
		buf_text(b, ", ");
		words_plural(b, l->wasted_later, "token", "tokens");
		buf_text(b, " wasted later (price)");
	}
}

void dsh_note_words(const struct dsh_asked *a, struct buf *b)
{
	struct dsh_guard g = {.at = {.start = a->resolved[0], .end = a->resolved[1]},
			      .slices_n = a->slices_n,
			      .unseen_wrapper = a->unseen_wrapper};
	for (uint32_t i = 0; i < a->hits_n; i++)
		vec_push(&g.hits.seqs, a->hits[i]);
	for (uint32_t i = 0; i < a->slices_n; i++)
		g.slices[i] = a->slices[i];
	dsh_guard_note(b, &g);
	dsh_guard_free(&g);
}

/* ---- ranges of a call ---- */

static void say_edges(const struct dsh_asked *a, struct buf *b)
{
	bool known = a->request[0] >= 0 && a->request[1] >= 0;
	if (known)
		dsh_span_words(a->request[0], a->request[1], b);
	else
		buf_text(b, "?");
	if (a->resolved[0] >= 0 && known && (a->resolved[0] != a->request[0] || a->resolved[1] != a->request[1])) {
		buf_text(b, a->recovered ? " (recovered " : " (adjusted ");
		dsh_span_words(a->resolved[0], a->resolved[1], b);
		buf_char(b, ')');
	}
}

/* A range that did not land where this resolver puts it. */
static void say_landed(const struct run *r, const struct dsh_asked *a, struct buf *b)
{
	const struct dsh_compaction *made = run_dsh_recorded(r, a);
	if (made == NULL || (made->start == a->resolved[0] && made->end == a->resolved[1]))
		return;
	buf_text(b, " (recorded landed ");
	dsh_span_words(made->start, made->end, b);
	if (a->resolved[0] >= 0) {
		buf_text(b, ", resolved ");
		dsh_span_words(a->resolved[0], a->resolved[1], b);
	}
	buf_char(b, ')');
}

static void say_answer(const struct run *r, const struct compress_outcome *o, const struct dsh_asked *a, struct buf *b)
{
	uint32_t second = o->follow == FOLLOW_RECORDED_YES ? o->ranges : 0;
	if (a->kernel == UINT32_MAX || !o->tried) {
		buf_text(b, dsh_verdict_name((enum dsh_verdict)a->verdict));
		if (a->verdict == DSH_ACCEPTED && a->kernel == UINT32_MAX)
			buf_text(b, ", but the kernel has no ref of any row in it");
	} else {
		const struct range_outcome *v = &r->verdicts.v[o->verdicts + second + a->kernel];
		bool left_out = v->status == RANGE_SKIPPED && v->kind == COMPRESS_KIND_COUNT;
		buf_text(b, left_out ? "accepted" : v->status == RANGE_APPLIED ? "as " : "refused: ");
		if (!left_out)
			event_range_words(r, o, v, b);
		if (a->landing == 0 && (left_out || v->status == RANGE_APPLIED))
			buf_text(b, ", but no transaction of it was recorded: it lands nothing");
	}
	if (a->last_baseline)
		buf_text(b, "; risk: last visible baseline row in it");
}

void dsh_guarded_words(const struct dsh_asked *a, bool followed, struct buf *b)
{
	const char *copies = a->hits_n == 1 ? "copy" : "copies";
	/* what a narrow list cuts off is to be the least */
	if (followed)
		buf_printf(b, "with current %s seq ", copies);
	else
		buf_printf(b, "refused: %s, current %s in it: seq ", dsh_verdict_name(DSH_GUARDED), copies);
	dsh_seqs_words(a->hits, a->hits_n, b);
	if (followed)
		buf_printf(b, ": the guard would have refused, %s", dsh_verdict_name(DSH_GUARDED));
	buf_text(b, "; still compressible: ");
	dsh_slices_words(a->slices, a->slices_n, b);
	if (followed)
		buf_text(b, "; applied as recorded");
}

void dsh_asked_words(const struct run *r, const struct compress_outcome *o, const struct dsh_asked *a, struct buf *b)
{
	say_edges(a, b);
	buf_char(b, ' ');
	if (a->verdict == DSH_GUARDED)
		dsh_guarded_words(a, a->kernel != UINT32_MAX, b);
	else
		say_answer(r, o, a, b);
	say_landed(r, a, b);
}
