#include "replay/report/table.h"

#include <stdio.h>

#include "engine/base/num.h"
#include "replay/report/settings.h"
#include "replay/view/dsh.h"
#include "replay/view/text.h"
#include "replay/view/words.h"

enum { CALL_COLUMNS = 30 };

/* Everything of a turn that has no column of its own. */
enum { IN_COLUMNS = MOMENT_APPLIED | MOMENT_REFUSED | MOMENT_NUDGE };

/* A number at the right end of a column. */
static void put_right(struct buf *b, double x, int columns)
{
	char text[NUM_TEXT_MAX];
	num_print(text, x);
	buf_printf(b, "%*s", columns, text);
}

static void put_safe(struct table *t, struct str s) { text_put_safe(&t->out, s, t->ascii); }

void table_begin(struct table *t, const struct run *r)
{
	const struct recording *rec = r->recording;
	put_safe(t, rec->id.n > 0 ? rec->id : STR("session without id"));
	buf_text(&t->out, "  host ");
	put_safe(t, rec->host);
	if (rec->model.n > 0) {
		buf_text(&t->out, "  model ");
		put_safe(t, rec->model);
	}
	buf_text(&t->out, "\nprofile ");
	settings_put_profile(&t->out, &r->policy);
	settings_put_host(&t->out, r, t->ascii);
	buf_text(&t->out, "  window ");
	settings_put_limit(&t->out, r);
	buf_printf(&t->out,
		   " tokens\n%s"
		   "context: tokens as the host counted them, ~ %s, + provider usage and\n"
		   "host estimates since%s; %s: offered without tags, folded with tags\n\n"
		   " turn   context     use   rows   view ranges  offered blocks nudge events\n",
		   run_is_dsh(r) ? "rows, view, ranges: the kernel's, of all rows; the surface: --pane rows, ranges\n"
				 : "",
		   run_is_dsh(r) ? "display" : "raw estimate", r->pi.measures ? ", * calibrated" : "",
		   r->pi.measures ? "calibrated" : "raw estimates");
}

static void put_events(struct buf *b, uint16_t bits)
{
	size_t n = 0;
	uint16_t event;
	const char *name;
	for (unsigned i = 0; (name = moment_event_at(i, &event)) != NULL; i++)
		if (bits & event & ~IN_COLUMNS)
			buf_printf(b, "%s%s", n++ > 0 ? ", " : "", name);
}

/* Takes back the blanks at the end of a line, and ends it. */
static void end_line(struct buf *b)
{
	while (b->n > 0 && b->p[b->n - 1] == ' ')
		buf_cut(b, b->n - 1);
	buf_char(b, '\n');
}

/* A share of the window, as every pane has it. */
static void put_use(struct buf *b, double share)
{
	struct buf text = {0};
	words_percent(&text, share);
	struct str digits = str_cut(buf_view(&text), 0, str_find(buf_view(&text), STR(" %"), 0));
	buf_printf(b, " %6.*s%%", (int)digits.n, digits.p);
	buf_free(&text);
}

void table_turn(struct table *t, uint32_t n, const struct moment *m)
{
	struct buf *b = &t->out;
	char blocks[32];
	snprintf(blocks, sizeof blocks, "%u/%u", m->active, m->blocks);
	buf_printf(b, "%5u", n);
	buf_char(b, ' ');
	buf_char(b, words_count_mark((enum count_scale)m->counted));
	put_right(b, m->tokens, 8);
	put_use(b, m->usage);
	buf_printf(b, " %6u %6u %6u ", m->rows, m->surface, m->recommended);
	put_right(b, m->recommended_tokens, 8);
	buf_printf(b, " %6s ", blocks);
	if (m->events & MOMENT_NUDGE)
		buf_printf(b, "T%u    ", m->nudge_tier);
	else if (m->nudge_tier > 0) /* the kernel wants one, the adapter keeps it to itself */
		buf_printf(b, "(T%u)  ", m->nudge_tier);
	else
		buf_text(b, "-     ");
	put_events(b, m->events);
	end_line(b);
}

/* How the recorded outcome differs from the engine's, and what is made of it; nothing where they agree. */
static void put_recorded(struct buf *b, const struct run *r, const struct compress_event *e)
{
	const struct compress_outcome *o = &r->compressions.v[e->n - 1];
	const struct range_outcome *own = o->tried ? &r->verdicts.v[o->verdicts] : NULL;
	if (run_outcome_agrees(r, o) != 0)
		return;
	switch ((enum follow)o->follow) {
	case FOLLOW_RECORDED_NO:
		buf_text(b, "; recorded as refused, and so followed: the engine would apply it");
		break;
	case FOLLOW_RECORDED_YES:
		if (run_took_other(r, o)) {
			buf_text(b, "; recorded with other ranges than the engine takes, and so followed");
			break;
		}
		buf_text(b, "; recorded as applied, and so followed: the engine would refuse it");
		if (own != NULL && own->kind < COMPRESS_KIND_COUNT)
			buf_printf(b, ", %s", compress_kind_name((enum compress_kind)own->kind));
		break;
	case FOLLOW_CANNOT:
		buf_text(b, "; recorded as applied, which cannot be followed: all below is counterfactual");
		break;
	case FOLLOW_NONE:
	case FOLLOW_AGREES:
		if (e->applied != e->source->outcome_applied) {
			buf_printf(b, "; recorded as %s: all below is counterfactual",
				   e->source->outcome_applied ? "applied" : "refused");
			break;
		}
		buf_text(b, "; recorded with ");
		put_right(b, e->source->outcome_blocks, 0);
		buf_text(b, " blocks");
	}
}

/* The plugin had a say about the ranges before the kernel (dsh.md 8.7). */
static bool dsh_answered(const struct run *r, const struct compress_event *e)
{
	uint32_t n;
	return run_dsh_asked(r, e->n - 1, &n) != NULL && n > 0;
}

/* What the plugin said of ranges that the kernel never got. */
static void put_dsh_verdicts(struct buf *b, const struct run *r, const struct compress_event *e)
{
	uint32_t n;
	const struct dsh_asked *asked = run_dsh_asked(r, e->n - 1, &n);
	for (uint32_t i = 0; i < n; i++)
		if (asked[i].kernel == UINT32_MAX && asked[i].verdict != DSH_ACCEPTED)
			buf_printf(b, ", %s", dsh_verdict_name((enum dsh_verdict)asked[i].verdict));
}

/* Ranges that were applied as recorded, and that the guard would have refused: their current copies. */
static void put_dsh_comments(struct buf *b, const struct run *r, const struct compress_event *e)
{
	uint32_t n;
	const struct dsh_asked *asked = run_dsh_asked(r, e->n - 1, &n);
	for (uint32_t i = 0; i < n; i++)
		if (asked[i].kernel != UINT32_MAX && asked[i].verdict == DSH_GUARDED) {
			buf_text(b, "; the guard would have refused: copy seq ");
			dsh_seqs_words(asked[i].hits, asked[i].hits_n, b);
		}
}

void table_compress(struct table *t, const struct run *r, const struct compress_event *e)
{
	struct buf *b = &t->out;
	const struct apply_result *a = e->result;
	struct str call = names_get(&r->recording->names, e->source->call);
	buf_printf(b, "      compress %u ", e->n);
	put_safe(t, text_clip(call, CALL_COLUMNS, t->ascii, NULL));
	buf_text(b, ": ");
	/* a call that had to be salvaged is not to look like one that was whole */
	if (e->parse->kind != PARSE_OK)
		buf_printf(b, "%s, ", parse_kind_name(e->parse->kind));
	if (e->applied) {
		buf_printf(b, "applied, %zu %s, ", a->blocks_created, a->blocks_created == 1 ? "block" : "blocks");
		put_right(b, a->tokens_compressed, 0);
		buf_text(b, " raw tokens folded");
		put_dsh_comments(b, r, e);
	} else if (e->parse->n == 0) {
		buf_text(b, "no ranges");
	} else if (a == NULL && !dsh_answered(r, e)) {
		buf_text(b, "refused, the turn could not run (ref-capacity)");
	} else {
		buf_text(b, "refused");
		put_dsh_verdicts(b, r, e);
		for (size_t i = 0; a != NULL && i < a->errors.n; i++)
			buf_printf(b, ", %s", compress_kind_name(a->errors.v[i].kind));
	}
	for (size_t i = 0; a != NULL && i < a->warnings.n; i++)
		buf_printf(b, "%s%s", i > 0 ? ", " : "; ", compress_kind_name(a->warnings.v[i].kind));
	put_recorded(b, r, e);
	buf_char(b, '\n');
}

void table_end(struct table *t, const struct run *r)
{
	char hex[17];
	size_t applied = 0;
	for (size_t i = 0; i < r->compressions.n; i++)
		applied += r->compressions.v[i].applied;
	chain_hex(&r->chain, hex);
	buf_printf(&t->out, "\n%zu %s, %zu compress %s, %zu applied%s%s\n", r->timeline.turns.n,
		   r->timeline.turns.n == 1 ? "turn" : "turns", r->compressions.n,
		   r->compressions.n == 1 ? "call" : "calls", applied, hex[0] ? ", hash " : "", hex);
}

void table_free(struct table *t)
{
	buf_free(&t->out);
	*t = (struct table){0};
}
