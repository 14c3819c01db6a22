#include "replay/report/diff_dsh.h"

#include <inttypes.h>

#include "replay/view/dsh.h"
#include "replay/view/words.h"

enum { FILES_SHOWN = 3 };

/* What became on the right of a range that landed on the left. */
enum fate { FATE_UNKNOWN, FATE_GUARDED, FATE_GONE, FATE_LANDED, FATES };

/* What both sides are asked about. */
struct told {
	const struct diff_report *r;
	const struct run *left, *right;
	VEC(uint32_t) folding_of;      /* by row of a checkpoint: folding of the left + 1 */
	VEC(uint32_t) paste_of;        /* by folding of the left: its first strong paste + 1 */
	VEC(uint32_t) paste_at;        /* by row: paste of the left + 1 */
	VEC(uint8_t) fate_of;          /* by row of a checkpoint: enum fate */
	size_t guarded, guarded_calls; /* of calls; of the human's commands: run.dsh.outside */
	size_t gone[DSH_VERDICTS]; /* ranges that land on the left and are refused on the right for another reason */
	size_t small;              /* .. and those that the kernel refuses */
	double saved;              /* price of the rows never pasted */
};

bool diff_dsh_has(const struct diff *d)
{
	const struct run *left = d->side[DIFF_LEFT]->run, *right = d->side[DIFF_RIGHT]->run;
	return d->one_recording && run_is_dsh(left) && run_is_dsh(right) && !left->dsh.fold.rules.barrier &&
	       right->dsh.fold.rules.barrier;
}

static const struct dsh_log *log_of(const struct told *t) { return &t->left->recording->dsh.log; }

/* Did the range get a block on this side? */
static bool made_block(const struct run *r, size_t call, const struct dsh_asked *a)
{
	const struct compress_outcome *o = &r->compressions.v[call];
	uint32_t second = o->follow == FOLLOW_RECORDED_YES ? o->ranges : 0;
	return o->tried && o->applied && a->kernel != UINT32_MAX &&
	       r->verdicts.v[o->verdicts + second + a->kernel].block != 0;
}

/* The row of the checkpoint that a range landed as on the left, DSH_NONE = it did not. */
static uint32_t landed_as(const struct told *t, const struct dsh_asked *left)
{
	return left != NULL && left->landing > 0 ? t->left->recording->dsh.landed.v[left->landing - 1].checkpoint
						 : DSH_NONE;
}

static void count_range(struct told *t, size_t call, const struct dsh_asked *left, const struct dsh_asked *right)
{
	uint32_t checkpoint = landed_as(t, left);
	if (checkpoint != DSH_NONE)
		t->fate_of.v[checkpoint] = right->verdict == DSH_GUARDED       ? FATE_GUARDED
					   : made_block(t->right, call, right) ? FATE_LANDED
									       : FATE_GONE;
	if (right->verdict == DSH_GUARDED)
		t->guarded++;
	else if (left != NULL && made_block(t->left, call, left) && !made_block(t->right, call, right)) {
		if (right->verdict == DSH_ACCEPTED)
			t->small++;
		else
			t->gone[right->verdict]++;
	}
}

static void count_calls(struct told *t)
{
	for (size_t i = 0; i < t->right->compressions.n && i < t->left->compressions.n; i++) {
		uint32_t n, m;
		const struct dsh_asked *right = run_dsh_asked(t->right, i, &n);
		const struct dsh_asked *left = run_dsh_asked(t->left, i, &m);
		size_t before = t->guarded;
		for (uint32_t k = 0; k < n; k++)
			count_range(t, i, k < m ? &left[k] : NULL, &right[k]);
		t->guarded_calls += t->guarded > before;
	}
}

static void begin(struct told *t, const struct diff_report *r)
{
	*t = (struct told){.r = r, .left = r->diff->side[DIFF_LEFT]->run, .right = r->diff->side[DIFF_RIGHT]->run};
	const struct dsh_loop *l = &t->left->dsh.loop;
	vec_fill(&t->folding_of, log_of(t)->rows.n);
	vec_fill(&t->paste_at, log_of(t)->rows.n);
	vec_fill(&t->fate_of, log_of(t)->rows.n);
	vec_fill(&t->paste_of, l->foldings.n);
	for (size_t i = 0; i < l->foldings.n; i++) {
		uint32_t row = dsh_log_find(log_of(t), l->foldings.v[i].checkpoint);
		if (row != DSH_NONE)
			t->folding_of.v[row] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < l->pastes.n; i++) {
		const struct dsh_paste *p = &l->pastes.v[i];
		if (t->paste_at.v[p->row] == 0)
			t->paste_at.v[p->row] = (uint32_t)i + 1;
		if (!p->weak && t->paste_of.v[p->folding] == 0)
			t->paste_of.v[p->folding] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < t->right->dsh.gated.n; i++)
		t->saved += dsh_log_row(log_of(t), t->right->dsh.gated.v[i])->price;
	count_calls(t);
}

static void end(struct told *t)
{
	vec_free(&t->folding_of);
	vec_free(&t->paste_of);
	vec_free(&t->paste_at);
	vec_free(&t->fate_of);
}

/* ---- words ---- */

static void put_price(struct buf *b, double price)
{
	words_plural(b, price, "token", "tokens");
	buf_text(b, " (price)");
}

static void put_scope(struct buf *b, const struct told *t, uint32_t scope)
{
	struct buf path = {0};
	dsh_scope_words(log_of(t), scope, &path);
	diff_put_code(b, t->r, buf_view(&path));
	buf_free(&path);
}

/* The files that an instruction row is about; the first three. */
static void put_scopes(struct buf *b, const struct told *t, uint32_t row)
{
	const struct dsh_row *one = dsh_log_row(log_of(t), row);
	for (uint32_t i = 0; i < one->changes_n && i < FILES_SHOWN; i++) {
		buf_text(b, i > 0 ? ", " : "");
		put_scope(b, t, one->changes[i].scope);
	}
	if (one->changes_n > FILES_SHOWN)
		buf_printf(b, " and %u more", one->changes_n - FILES_SHOWN);
}

static void put_slices(struct buf *b, const struct dsh_asked *a)
{
	size_t n = 0;
	for (uint32_t i = 0; i < a->slices_n; i++)
		if (a->slices[i].state == DSH_SLICE_OFFERED)
			buf_printf(b, "%s`%" PRId64 "..%" PRId64 "`", n++ > 0 ? " and " : "", a->slices[i].first,
				   a->slices[i].last);
	if (n == 0)
		buf_text(b, "nothing");
}

/* ---- the comment ---- */

static void put_side(struct buf *b, const struct told *t, enum diff_side side)
{
	const struct dsh_loop *l = side == DIFF_LEFT ? &t->left->dsh.loop : &t->right->dsh.loop;
	bool cf = t->r->diff->counterfactual[side] > 0;
	buf_printf(b, "- %s%s: ", side == DIFF_LEFT ? "Left" : "Right", cf ? " (*cf*)" : "");
	words_plural(b, (double)l->foldings.n, "compaction", "compactions");
	buf_printf(b, ", %zu of them", l->reinjected);
	if (l->foldings.n > 0 && l->reinjected > 0) {
		buf_text(b, " (");
		words_percent(b, (double)l->reinjected / (double)l->foldings.n);
		buf_char(b, ')');
	}
	buf_printf(b, " answered by a re-injection within %d events of their end", DSH_WITHIN);
	if (l->reinjected > 0)
		buf_printf(b, " (%zu within %d of the checkpoint)", l->reinjected_checkpoint, DSH_WITHIN);
	if (l->reinjected_later > 0)
		buf_printf(b, ", %zu later", l->reinjected_later);
	buf_text(b, "; ");
	put_price(b, l->wasted);
	buf_printf(b, " pasted again for nothing within %d events", DSH_WITHIN);
	if (l->wasted_later > 0) {
		buf_text(b, ", ");
		put_price(b, l->wasted_later);
		buf_text(b, " later");
	}
	for (size_t i = 0; i < l->chains.n && i < 3; i++) {
		buf_text(b, i > 0 ? ", " : ". Loop: ");
		put_scope(b, t, l->chains.v[i].scope);
		buf_printf(b, " %zu times in a row", l->chains.v[i].length);
	}
	buf_text(b, ".\n");
}

/* `checkpoint`: the row that the range landed as on the left, DSH_NONE = it did not. */
static void put_answer(struct buf *b, const struct told *t, uint32_t checkpoint)
{
	uint32_t folding = checkpoint != DSH_NONE ? t->folding_of.v[checkpoint] : 0;
	uint32_t paste = folding > 0 ? t->paste_of.v[folding - 1] : 0;
	if (checkpoint == DSH_NONE)
		buf_text(b, "it did not land");
	else if (paste == 0)
		buf_text(b, "folded, not pasted again");
	else {
		const struct dsh_paste *p = &t->left->dsh.loop.pastes.v[paste - 1];
		buf_printf(b, "folded; pasted again as row %" PRId64 ", %" PRId64 " %s on",
			   dsh_log_seq(log_of(t), p->row), p->dist_end, p->dist_end == 1 ? "event" : "events");
	}
}

#define NO_CALL SIZE_MAX /* the human's command */

static void put_refused_row(struct buf *b, const struct told *t, size_t call, uint32_t checkpoint,
			    const struct dsh_asked *a)
{
	buf_text(b, "| ");
	if (call == NO_CALL)
		buf_text(b, "none");
	else
		buf_printf(b, "%zu", call + 1);
	buf_printf(b, " | `%" PRId64 "..%" PRId64 "` | ", a->resolved[0], a->resolved[1]);
	dsh_seqs_words(a->hits, a->hits_n, b);
	buf_text(b, " | ");
	for (uint32_t i = 0; i < a->hits_n && i < FILES_SHOWN; i++) {
		uint32_t row = dsh_log_find(log_of(t), a->hits[i]);
		buf_text(b, i > 0 ? ", " : "");
		put_scopes(b, t, row);
	}
	buf_text(b, " | ");
	put_slices(b, a);
	buf_text(b, " | ");
	put_answer(b, t, checkpoint);
	buf_text(b, " |\n");
}

/* Of the compaction with this summary. */
static uint32_t checkpoint_of(const struct told *t, uint32_t summary)
{
	const struct dsh_ledger *l = &t->left->dsh.ledger;
	uint32_t id = dsh_log_row(log_of(t), summary)->compaction->id;
	return id < l->checkpoint_of.n && l->checkpoint_of.v[id] > 0 ? l->checkpoint_of.v[id] - 1 : DSH_NONE;
}

/* What the guard refuses, counted. */
static void put_refusals(struct buf *b, const struct told *t, const char *call, const char *calls)
{
	size_t outside = t->right->dsh.outside.n;
	if (t->guarded > 0) {
		words_plural(b, (double)t->guarded, "range", "ranges");
		buf_text(b, " in ");
		words_plural(b, (double)t->guarded_calls, call, calls);
		buf_text(b, outside > 0 ? " and " : "");
	}
	if (outside > 0)
		words_plural(b, (double)outside, "compaction without a call", "compactions without a call");
	if (t->guarded + outside == 0)
		buf_text(b, "nothing");
}

static void put_refused(struct buf *b, const struct told *t)
{
	bool engine = t->right->dsh.engine;
	buf_printf(b, "\n**The guard %s ", engine ? "refuses" : "would refuse");
	put_refusals(b, t, "compress call", "compress calls");
	buf_text(b, ".**");
	if (t->guarded + t->right->dsh.outside.n == 0) {
		buf_text(b, "\n");
		return;
	}
	buf_text(b, " Each holds the current copy of an instruction file; the host pastes that again at its next step,"
		    " so folding it reclaims nothing. What lies beside it can be sent as entries of their own, and "
		    "superseded copies may be folded.");
	if (!engine)
		buf_text(b, " On the right they landed all the same, as recorded (`whatif=on` asks what else would "
			    "have been).");
	buf_text(b, "\n\n| call | range | current copy, row | file | still compressible | on the left |\n"
		    "|--:|---|--:|---|---|---|\n");
	for (size_t i = 0; i < t->right->compressions.n && i < t->left->compressions.n; i++) {
		uint32_t n, m;
		const struct dsh_asked *right = run_dsh_asked(t->right, i, &n);
		const struct dsh_asked *left = run_dsh_asked(t->left, i, &m);
		for (uint32_t k = 0; k < n; k++)
			if (right[k].verdict == DSH_GUARDED)
				put_refused_row(b, t, i, landed_as(t, k < m ? &left[k] : NULL), &right[k]);
	}
	for (size_t i = 0; i < t->right->dsh.outside.n; i++)
		put_refused_row(b, t, NO_CALL, checkpoint_of(t, t->right->dsh.outside.v[i].summary),
				&t->right->dsh.outside.v[i].asked);
}

/* Ranges that the guard never saw: rows they name are not there on the right. */
static void put_others(struct buf *b, const struct told *t)
{
	size_t all = t->small, n = 0;
	for (int v = 0; v < DSH_VERDICTS; v++)
		all += t->gone[v];
	if (all == 0)
		return;
	buf_text(b, "\n");
	words_plural(b, (double)all, "more range that landed on the left does",
		     "more ranges that landed on the left do");
	buf_text(b, " not on the right (*cf*): ");
	for (int v = 0; v < DSH_VERDICTS; v++)
		if (t->gone[v] > 0)
			buf_printf(b, "%s%zu %s", n++ > 0 ? ", " : "", t->gone[v],
				   dsh_verdict_name((enum dsh_verdict)v));
	if (t->small > 0)
		buf_printf(b, "%s%zu refused by the kernel", n > 0 ? ", " : "", t->small);
	if (t->gone[DSH_NOT_ON_SURFACE] > 0)
		buf_text(b, ". What they name was never pasted or folded there");
	buf_text(b, ".\n");
}

/* More copies are never pasted than ranges are refused: what became of the folds that they answered. */
static void put_fates(struct buf *b, const struct told *t)
{
	static const char *const words[FATES] = {
		[FATE_UNKNOWN] = "what no call folded",
		[FATE_GUARDED] = "a fold refused here",
		[FATE_GONE] = "one whose rows are not there",
		[FATE_LANDED] = "one that lands without a copy, for that was never pasted",
	};
	static const enum fate order[FATES] = {FATE_GUARDED, FATE_GONE, FATE_LANDED, FATE_UNKNOWN};
	size_t of[FATES] = {0}, told = 0;
	for (size_t i = 0; i < t->right->dsh.gated.n; i++) {
		uint32_t paste = t->paste_at.v[t->right->dsh.gated.v[i]];
		const struct dsh_loop *l = &t->left->dsh.loop;
		uint32_t row =
			paste > 0 ? dsh_log_find(log_of(t), l->foldings.v[l->pastes.v[paste - 1].folding].checkpoint)
				  : DSH_NONE;
		of[row != DSH_NONE ? t->fate_of.v[row] : FATE_UNKNOWN]++;
	}
	if (of[FATE_GUARDED] == t->right->dsh.gated.n)
		return;
	for (size_t i = 0; i < FATES; i++)
		if (of[order[i]] > 0)
			buf_printf(b, "%s%zu %s %s", told++ > 0 ? ", " : " Of them ", of[order[i]],
				   of[order[i]] == 1 ? "answers" : "answer", words[order[i]]);
	buf_text(b, ".");
}

static void put_never(struct buf *b, const struct told *t)
{
	const struct dsh_loop *l = &t->left->dsh.loop;
	size_t n = t->right->dsh.gated.n;
	if (!t->right->dsh.gate)
		return;
	if (n == 0) {
		buf_text(b, "\nNo re-injection is left out.\n");
		return;
	}
	buf_text(b, "\n**");
	words_plural(b, (double)n, "re-injection never happens", "re-injections never happen");
	buf_text(b, ": ");
	put_price(b, t->saved);
	buf_text(b, " saved.** What they would have brought is still visible (*cf*).");
	put_fates(b, t);
	buf_text(
		b,
		"\n\n<details>\n<summary>The rows</summary>\n\n"
		"| row | file | tokens (price) | answers the compaction that ended at | events from its end | from its "
		"checkpoint | content |\n|--:|---|--:|--:|--:|--:|---|\n");
	for (size_t i = 0; i < n; i++) {
		uint32_t row = t->right->dsh.gated.v[i], paste = t->paste_at.v[row];
		const struct dsh_paste *p = paste > 0 ? &l->pastes.v[paste - 1] : NULL;
		buf_printf(b, "| %" PRId64 " | ", dsh_log_seq(log_of(t), row));
		put_scopes(b, t, row);
		buf_text(b, " | ");
		words_count(b, dsh_log_row(log_of(t), row)->price);
		if (p != NULL)
			buf_printf(b, " | %" PRId64 " | %" PRId64 " | %" PRId64 " | %s |\n",
				   l->foldings.v[p->folding].end, p->dist_end, p->dist_checkpoint,
				   p->pure ? "had not changed" : "had changed");
		else
			buf_text(b, " | none | | | |\n");
	}
	buf_text(b, "\n</details>\n");
}

static void put_mode(struct buf *b, const struct told *t)
{
	if (t->r->what_if)
		buf_text(b, "`whatif=on` was turned on for the right side: the guard decides, what it refuses does not "
			    "land, and the host pastes no copy that is still visible.\n\n");
	else if (t->right->dsh.engine)
		buf_text(b, "On the right the guard decides, and what it refuses does not land.\n\n");
}

void diff_dsh_markdown(const struct diff_report *r, struct buf *b)
{
	struct told t;
	begin(&t, r);
	buf_text(b, "\n#### The instruction barrier\n\n");
	put_mode(b, &t);
	put_side(b, &t, DIFF_LEFT);
	put_side(b, &t, DIFF_RIGHT);
	put_refused(b, &t);
	put_others(b, &t);
	put_never(b, &t);
	if (t.right->dsh.engine && t.guarded + t.right->dsh.outside.n > 0)
		buf_text(b,
			 "\nThe model of the recording never read the refusals, so it sends nothing in place of what "
			 "is refused: context and bytes of the right are upper bounds.\n");
	end(&t);
}

void diff_dsh_text(const struct diff_report *r, struct buf *b)
{
	struct told t;
	begin(&t, r);
	if (r->what_if)
		buf_text(b, "whatif=on was turned on for the right side\n");
	buf_printf(b, "the guard %s ", t.right->dsh.engine ? "refuses" : "would refuse");
	put_refusals(b, &t, "call", "calls");
	if (t.right->dsh.gate) {
		buf_text(b, "; ");
		words_plural(b, (double)t.right->dsh.gated.n, "re-injection never happens",
			     "re-injections never happen");
		buf_text(b, ",\n");
		put_price(b, t.saved);
		buf_text(b, " saved");
	}
	buf_text(b, " (all of it: --output markdown)\n");
	end(&t);
}

/* ---- JSON ---- */

static void json_range(struct buf *b, size_t call, const struct dsh_asked *a)
{
	size_t n = 0;
	if (call == NO_CALL)
		buf_text(b, "{\"call\":null");
	else
		buf_printf(b, "{\"call\":%zu", call + 1);
	buf_printf(b, ",\"range\":[%" PRId64 ",%" PRId64 "],\"hits\":[", a->resolved[0], a->resolved[1]);
	for (uint32_t i = 0; i < a->hits_n; i++)
		buf_printf(b, "%s%" PRId64, i > 0 ? "," : "", a->hits[i]);
	buf_text(b, "],\"slices\":[");
	for (uint32_t i = 0; i < a->slices_n; i++)
		if (a->slices[i].state == DSH_SLICE_OFFERED)
			buf_printf(b, "%s[%" PRId64 ",%" PRId64 "]", n++ > 0 ? "," : "", a->slices[i].first,
				   a->slices[i].last);
	buf_text(b, "]}");
}

void diff_dsh_json(const struct diff_report *r, struct buf *b)
{
	struct told t;
	size_t refused = 0;
	begin(&t, r);
	buf_printf(b, ",\"barrier\":{\"whatif\":%s,\"refused\":[", r->what_if ? "true" : "false");
	for (size_t i = 0; i < t.right->compressions.n; i++) {
		uint32_t n;
		const struct dsh_asked *a = run_dsh_asked(t.right, i, &n);
		for (uint32_t k = 0; k < n; k++) {
			if (a[k].verdict != DSH_GUARDED)
				continue;
			buf_text(b, refused++ > 0 ? "," : "");
			json_range(b, i, &a[k]);
		}
	}
	for (size_t i = 0; i < t.right->dsh.outside.n; i++) {
		buf_text(b, refused++ > 0 ? "," : "");
		json_range(b, NO_CALL, &t.right->dsh.outside.v[i].asked);
	}
	buf_text(b, "],\"neverPasted\":[");
	for (size_t i = 0; i < t.right->dsh.gated.n; i++)
		buf_printf(b, "%s%" PRId64, i > 0 ? "," : "", dsh_log_seq(log_of(&t), t.right->dsh.gated.v[i]));
	buf_printf(b, "],\"saved\":%.0f}", t.saved);
	end(&t);
}
