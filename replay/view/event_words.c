/* Events in words. */
#include "replay/view/event.h"

#include "engine/host/pi_compact.h"
#include "engine/kernel/refs.h"
#include "replay/view/acp_log_words.h"
#include "replay/view/dsh.h"
#include "replay/view/window_words.h"
#include "replay/view/words.h"

static const struct compress_outcome *outcome_of(const struct frame *f, const struct event *e)
{
	return &f->run->compressions.v[e->index];
}

static const struct compress_record *call_of(const struct frame *f, const struct event *e)
{
	const struct recording *rec = f->run->recording;
	return &rec->compressions.v[rec->records.v[e->record].index];
}

static const struct other_record *other_of(const struct frame *f, const struct event *e)
{
	const struct recording *rec = f->run->recording;
	return &rec->others.v[rec->records.v[e->record].index];
}

static const struct moment *moment_of(const struct frame *f, const struct event *e)
{
	return &f->run->timeline.turns.v[e->turn - 1];
}

/* The verdicts that count: of the second try, where the recorded outcome was followed with the gates off. */
static const struct range_outcome *standing_verdicts(const struct run *r, const struct compress_outcome *o)
{
	return o->tried ? &r->verdicts.v[o->verdicts + (o->follow == FOLLOW_RECORDED_YES ? o->ranges : 0)] : NULL;
}

/* ---- ranges ---- */

/* The units that the size gate counted: of all ranges of the call together. */
static double gate_units(const struct run *r, const struct compress_outcome *o)
{
	double units = 0;
	for (uint32_t i = 0; i < o->ranges; i++)
		units += r->verdicts.v[o->verdicts + i].units;
	return units;
}

static void say_refused(const struct run *r, const struct compress_outcome *o, const struct range_outcome *v,
			struct buf *b)
{
	double min = r->config.min_range, units = gate_units(r, o);
	buf_text(b, compress_kind_name((enum compress_kind)v->kind));
	switch (v->kind) {
	case COMPRESS_BELOW_MIN_RANGE:
		buf_text(b, ": ");
		words_count(b, min - units);
		buf_text(b, " units short of ");
		words_count(b, min);
		buf_text(b, o->ranges > 1 ? ", all ranges together" : "");
		break;
	case COMPRESS_UNKNOWN_REF:
	case COMPRESS_CONSUMED_REF:
		buf_text(b, v->at_end ? ": the end ref" : ": the start ref");
		break;
	default:
		buf_text(b, words_refusal((enum compress_kind)v->kind));
		break;
	}
}

void event_range_words(const struct run *r, const struct compress_outcome *o, const struct range_outcome *v,
		       struct buf *b)
{
	if (v->status != RANGE_APPLIED) {
		say_refused(r, o, v, b);
		return;
	}
	if (v->block != 0)
		buf_str(b, names_get(&r->recording->names, v->block));
	buf_text(b, ": ");
	words_plural(b, v->direct, "row", "rows");
	if (v->consumed > 0) {
		buf_text(b, ", ");
		words_plural(b, v->consumed, "block", "blocks");
		buf_text(b, " consumed");
	}
	if (v->excluded > 0) {
		buf_text(b, ", ");
		words_count(b, v->excluded);
		buf_text(b, " left out");
	}
}

/* Without a policy that follows: what was recorded, and that the engine's decision stands. */
static void say_unfollowed(const struct run *r, const struct compress_outcome *o, struct buf *b)
{
	const struct recording *rec = r->recording;
	const struct compress_record *c = &rec->compressions.v[rec->records.v[o->record].index];
	buf_printf(b, "recorded as %s, ", c->outcome_applied ? "applied" : "refused");
	if (c->outcome_applied != o->applied) {
		buf_printf(b, "the engine %s it: all behind it is counterfactual", o->applied ? "accepts" : "refuses");
		return;
	}
	buf_text(b, "with ");
	words_plural(b, c->outcome_blocks, "block", "blocks");
	buf_text(b, "; replayed with ");
	words_count(b, o->blocks);
}

void event_follow_words(const struct run *r, const struct compress_outcome *o, struct buf *b)
{
	static const char *const words[] = {
		[FOLLOW_RECORDED_NO] = "recorded as refused, the engine accepts: not applied, as recorded",
		[FOLLOW_RECORDED_YES] = "recorded as applied, the engine refuses: applied with the gates off",
		[FOLLOW_CANNOT] = "recorded as applied, but it cannot be followed: all behind it is counterfactual"};
	int agrees = run_outcome_agrees(r, o);
	if (agrees < 0)
		buf_text(b, "none was recorded: the engine decides");
	else if (agrees > 0)
		buf_text(b, "recorded and replayed outcome agree");
	else if (run_took_other(r, o))
		buf_text(b,
			 "recorded with other ranges than the engine takes: applied as recorded, with the gates off");
	else if (o->follow > FOLLOW_AGREES)
		buf_text(b, words[o->follow]);
	else
		say_unfollowed(r, o, b);
}

/* ---- compress ---- */

static bool is_gate(uint8_t kind)
{
	return kind == COMPRESS_NONE_RESOLVED || kind == COMPRESS_ALL_CONSUMED || kind == COMPRESS_BELOW_MIN_RANGE;
}

void event_gate_words(const struct run *r, const struct compress_outcome *o, struct buf *b)
{
	/* where the outcome was followed with the gates off, the first answer is known by its ranges only */
	if (!o->tried || !is_gate(o->first_error) || o->follow > FOLLOW_RECORDED_NO)
		return;
	buf_text(b, compress_kind_name((enum compress_kind)o->first_error));
	if (o->first_error == COMPRESS_NONE_RESOLVED) {
		buf_text(b, ": no ref of it is known");
		return;
	}
	buf_text(b, ": ");
	if (o->first_error == COMPRESS_ALL_CONSUMED) {
		buf_text(b, "compressed already; what is left counts ");
		words_count(b, gate_units(r, o));
		buf_text(b, " of ");
	} else {
		words_count(b, r->config.min_range - gate_units(r, o));
		buf_text(b, " units short of ");
	}
	words_count(b, r->config.min_range);
	if (o->first_error == COMPRESS_ALL_CONSUMED)
		buf_text(b, " units");
	else
		buf_text(b, o->ranges > 1 ? ", all ranges together" : "");
}

static void say_kinds(const struct run *r, const struct compress_outcome *o, struct buf *b)
{
	enum { SHOWN = 3 };
	const struct range_outcome *v = o->tried ? &r->verdicts.v[o->verdicts] : NULL;
	uint32_t shown = 0;
	size_t before = b->n;
	buf_text(b, ": ");
	event_gate_words(r, o, b);
	if (b->n > before + 2)
		return;
	buf_cut(b, before);
	for (uint32_t i = 0; i < o->ranges && shown < SHOWN; i++) {
		if (v[i].status == RANGE_APPLIED)
			continue;
		buf_text(b, shown++ > 0 ? "; " : ": ");
		say_refused(r, o, &v[i], b);
	}
}

static void say_tokens(const struct run *r, uint32_t record, double tokens, struct buf *b)
{
	words_plural(b, tokens, "token", "tokens");
	buf_printf(b, " (%s)", words_scale_at(r, record));
}

static void say_applied(const struct run *r, const struct compress_outcome *o, struct buf *b)
{
	const struct range_outcome *v = standing_verdicts(r, o);
	uint32_t applied = 0;
	buf_text(b, "applied");
	for (uint32_t i = 0; i < o->ranges; i++) {
		if (v[i].status != RANGE_APPLIED)
			continue;
		buf_text(b, applied++ > 0 ? ", " : " as ");
		buf_str(b, names_get(&r->recording->names, v[i].block));
	}
	buf_text(b, ": ");
	words_plural(b, o->tokens, "token", "tokens");
	buf_printf(b, " (%s, with tags)", words_scale_at(r, o->record));
	if (applied == o->ranges)
		return;
	buf_text(b, "; ");
	words_plural(b, o->ranges - applied, "range", "ranges");
	buf_text(b, " not");
	say_kinds(r, o, b);
}

static void say_compress(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct run *r = f->run;
	const struct compress_outcome *o = outcome_of(f, e);
	const char *parse = parse_kind_name((enum parse_kind)o->parse);
	if (run_is_dsh(r)) {
		dsh_call_words(f, e, b);
		return;
	}
	/* first: the end of a long line is cut, and a call that had to be salvaged is not to look like a whole one */
	if (o->ranges > 0 && o->parse != PARSE_OK)
		buf_printf(b, "%s arguments: ", parse);
	if (o->ranges == 0) {
		buf_printf(b, "no ranges in the arguments: %s", parse);
	} else if (!o->tried) {
		buf_text(b, "not tried, the turn before it could not run (ref-capacity)");
	} else if (o->applied) {
		say_applied(r, o, b);
	} else {
		words_plural(b, o->ranges, "range", "ranges");
		buf_text(b, o->follow == FOLLOW_RECORDED_NO ? " not applied, as recorded" : " refused");
		say_kinds(r, o, b);
	}
	if (o->invalid > 0) {
		buf_text(b, "; ");
		words_plural(b, o->invalid, "invalid item", "invalid items");
	}
	if (run_outcome_agrees(f->run, o) > 0)
		buf_text(b, "; as recorded");
	if (o->lenient)
		buf_text(b, "; arguments read leniently, as it is recorded as applied (args=strict finds other ranges, "
			    "or none)");
	if (call_of(f, e)->by_user)
		buf_text(b, "; by the user");
}

static void say_diverged(const struct frame *f, const struct event *e, struct buf *b)
{
	event_follow_words(f->run, outcome_of(f, e), b);
}

/* ---- turns ---- */

static void say_usage(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct moment *m = moment_of(f, e);
	words_percent(b, m->usage);
	buf_text(b, window_refuted(f->run)  ? " (assumed window, refuted)"
		    : f->run->limit_assumed ? " (assumed window)"
					    : "");
}

static void say_nudge(const struct frame *f, const struct event *e, struct buf *b)
{
	static const char *const piles[] = {"", "ranges", "tier-1 blocks", "tier-2 blocks"};
	const struct moment *m = moment_of(f, e);
	int tier = m->nudge_tier <= 3 ? m->nudge_tier : 0;
	buf_printf(b, "T%d at ", tier);
	say_usage(f, e, b);
	if (tier > 0) {
		buf_text(b, ": ");
		say_tokens(f->run, m->record, m->pending[tier - 1], b);
		buf_printf(b, " of %s", piles[tier]);
	}
}

static void say_truncated(const struct frame *f, const struct event *e, struct buf *b)
{
	buf_text(b, "large tool results cut, at ");
	say_usage(f, e, b);
}

static void say_capacity(const struct frame *f, const struct event *e, struct buf *b)
{
	(void)f, (void)e;
	buf_text(b, "the turn could not run: all 99,999 refs are used up");
}

static void say_refuted(const struct frame *f, const struct event *e, struct buf *b)
{
	(void)e;
	buf_text(b, "prompt ");
	words_count(b, f->run->refuted_first);
	buf_text(b, " > assumed window ");
	words_count(b, f->run->config.limit + f->run->reserved);
	buf_text(b, ": give --limit; ");
	window_put_refuted(f->run, b);
}

/* The turn that asked again: the next one, with nothing of the user's in between; 0 = there is none. */
static uint32_t retry_of(const struct run *r, uint32_t turn)
{
	const struct moment *next = turn < r->timeline.turns.n ? &r->timeline.turns.v[turn] : NULL;
	return next != NULL && !(next->events & MOMENT_USER) ? turn + 1 : 0;
}

/* How many failed answers in a row end with this one, each a retry of the one before. */
static uint32_t attempt_of(const struct run *r, uint32_t turn)
{
	uint32_t n = 1;
	while (turn > 1 && !(r->timeline.turns.v[turn - 1].events & MOMENT_USER) &&
	       r->timeline.turns.v[turn - 2].events & MOMENT_FAILED) {
		turn--;
		n++;
	}
	return n;
}

static void say_failed(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct recording *rec = f->run->recording;
	struct str why = names_get(&rec->names, rec->turns.v[rec->records.v[e->record].index].stop_reason);
	uint32_t retry = retry_of(f->run, e->turn), attempt = attempt_of(f->run, e->turn);
	buf_text(b, str_eq(why, STR("aborted")) ? "answer aborted" : "answer errored: ");
	if (!str_eq(why, STR("aborted")))
		buf_str(b, why);
	if (attempt > 1)
		buf_printf(b, ", attempt %u", (unsigned)attempt);
	if (retry > 0)
		buf_printf(b, "; asked again at turn %u (a retry, nothing of the user's in between)", (unsigned)retry);
}

/* ---- others ---- */

static struct str name_of(const struct frame *f, const struct event *e)
{
	return names_get(&f->run->recording->names, other_of(f, e)->name);
}

/* Can blocks come from elsewhere than the run: a state that was loaded, or the table of another host? */
static bool has_foreign_blocks(const struct recording *rec, uint32_t record)
{
	bool foreign = rec->state.place != SPAN_ABSENT || str_eq(rec->host, STR("dsh"));
	for (uint32_t i = 0; i < record && !foreign; i++)
		foreign = rec->records.v[i].type == RECORD_STATE;
	return foreign;
}

/* Blocks the run made before a record: they are b1, b2, .. */
static double blocks_before(const struct run *r, uint32_t record)
{
	double n = 0;
	for (size_t i = 0; i < r->compressions.n && r->compressions.v[i].record < record; i++)
		n += r->compressions.v[i].blocks;
	for (size_t i = 0; i < r->pi.compacted.n && r->pi.compacted.v[i].record < record; i++)
		n += r->pi.compacted.v[i].block != 0;
	return n;
}

/* Was there no block of this name when the host asked for it (kernel.md 8.2)? */
static bool lacks_block(const struct frame *f, const struct event *e)
{
	struct arena scratch = {0};
	struct str id = block_id_argument(&scratch, name_of(f, e));
	struct boundary_ref block = id.p ? boundary_read(&scratch, id) : (struct boundary_ref){BOUNDARY_NONE, 0, {0}};
	bool lacks = !has_foreign_blocks(f->run->recording, e->record) &&
		     (block.kind != BOUNDARY_BLOCK || block.number > blocks_before(f->run, e->record));
	arena_free(&scratch);
	return lacks;
}

static void say_decompress(const struct frame *f, const struct event *e, struct buf *b)
{
	buf_str(b, name_of(f, e));
	buf_text(b, lacks_block(f, e)      ? ": there is no such block"
		    : other_of(f, e)->flag ? " switched off"
					   : ": content only, the state stays");
}

/* What the pipeline made of a /compact, where the policy runs it. */
static const struct pi_compacted *compacted_at(const struct run *r, uint32_t record)
{
	for (size_t i = 0; i < r->pi.compacted.n; i++)
		if (r->pi.compacted.v[i].record == record)
			return &r->pi.compacted.v[i];
	return NULL;
}

static void say_pipeline(const struct frame *f, const struct pi_compacted *c, struct buf *b)
{
	if (c->block != 0) {
		buf_text(b, "the pipeline made block ");
		buf_str(b, names_get(&f->run->recording->names, c->block));
	} else {
		buf_printf(b, "the pipeline gave up: %s", pi_compact_stop_words((enum pi_compact_stop)c->stop));
	}
}

static void say_compact(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct pi_compacted *c = compacted_at(f->run, e->record);
	buf_text(b, "the user ran /compact; ");
	if (c != NULL)
		say_pipeline(f, c, b);
	else
		buf_text(b, "not replayed: compact=off");
}

static void say_keep(const struct frame *f, const struct event *e, struct buf *b)
{
	struct str from = name_of(f, e);
	if (from.n == 0) {
		buf_text(b, "the host compacted by itself: no row stayed");
	} else {
		buf_text(b, "the host compacted by itself: rows before ");
		buf_str(b, from);
		buf_text(b, " left");
	}
	if (policy_is(&f->run->policy, SWITCH_DRIVER, "conformance"))
		buf_text(b, "; nothing happens under this driver");
	const struct pi_compacted *c = compacted_at(f->run, e->record);
	if (c != NULL) {
		buf_text(b, "; an extension supplied it: ");
		say_pipeline(f, c, b);
	}
}

static void say_restart(const struct frame *f, const struct event *e, struct buf *b)
{
	(void)f, (void)e;
	buf_text(b, "the host process restarted");
}

static void say_name(const struct frame *f, const struct event *e, struct buf *b) { buf_str(b, name_of(f, e)); }

static void say_rewind(const struct frame *f, const struct event *e, struct buf *b)
{
	struct str to = name_of(f, e);
	buf_text(b, to.n > 0 ? "rows left the branch behind " : "all rows left the branch");
	buf_str(b, to);
}

static void say_state(const struct frame *f, const struct event *e, struct buf *b)
{
	buf_text(b, event_state_obeyed(f->run, e) ? "the host replaced the kernel state"
						  : "a kernel state that cannot be used: passed over");
}

static void say_prune(const struct frame *f, const struct event *e, struct buf *b)
{
	(void)f, (void)e;
	buf_text(b, "rows were replaced by a stub; not replayed under this policy");
}

static void say_note(const struct frame *f, const struct event *e, struct buf *b)
{
	struct arena a = {0};
	buf_str(b, recording_text(f->run->recording, other_of(f, e)->value, &a));
	arena_free(&a);
}

static void say_damage(const struct frame *f, const struct event *e, struct buf *b)
{
	const struct damage *d = &f->run->recording->damages.v[e->index];
	buf_printf(b, "line %llu, %s: ", (unsigned long long)d->line, damage_kind_name(d->kind));
	buf_text(b, d->what ? d->what : "");
}

/* ---- the end ---- */

static void say_sidecar(const struct frame *f, const struct event *e, struct buf *b)
{
	buf_str(b, f->checks->sidecar.notes.v[e->index]);
}

static void say_drift(const struct frame *f, const struct event *e, struct buf *b)
{
	(void)e;
	drift_event(&f->checks->drift, b);
}

static void say_log(const struct frame *f, const struct event *e, struct buf *b)
{
	acp_log_words_difference(&f->checks->log.differences.v[e->index], b);
}

void event_words(const struct frame *f, const struct event *e, struct buf *b)
{
	static void (*const say[EVENT_KINDS])(const struct frame *, const struct event *, struct buf *) = {
		[EVENT_COMPRESS] = say_compress,
		[EVENT_DIVERGED] = say_diverged,
		[EVENT_NUDGE] = say_nudge,
		[EVENT_TRUNCATED] = say_truncated,
		[EVENT_CAPACITY] = say_capacity,
		[EVENT_FAILED] = say_failed,
		[EVENT_REFUTED] = say_refuted,
		[EVENT_DECOMPRESS] = say_decompress,
		[EVENT_COMPACT] = say_compact,
		[EVENT_KEEP] = say_keep,
		[EVENT_RESTART] = say_restart,
		[EVENT_MODEL] = say_name,
		[EVENT_REWIND] = say_rewind,
		[EVENT_STATE] = say_state,
		[EVENT_PRUNE] = say_prune,
		[EVENT_NOTE] = say_note,
		[EVENT_DAMAGE] = say_damage,
		[EVENT_SIDECAR] = say_sidecar,
		[EVENT_DRIFT] = say_drift,
		[EVENT_LOG] = say_log,
		[EVENT_COMPACTION] = dsh_event_words,
		[EVENT_REINJECT] = dsh_event_words,
		[EVENT_LOOP] = dsh_event_words,
		[EVENT_GATED] = dsh_event_words,
		[EVENT_FINDING] = dsh_event_words,
	};
	say[e->kind](f, e, b);
}

/* ---- looks ---- */

static const struct {
	uint8_t glyph, style;
} looks[EVENT_KINDS] = {
	[EVENT_COMPRESS] = {GLYPH_COMPRESS, STYLE_GOOD},
	[EVENT_DIVERGED] = {GLYPH_DIVERGED, STYLE_ERROR},
	[EVENT_NUDGE] = {GLYPH_NUDGE, STYLE_WARNING},
	[EVENT_TRUNCATED] = {GLYPH_TRUNCATE, STYLE_ERROR},
	[EVENT_CAPACITY] = {GLYPH_BAR_FULL, STYLE_ERROR},
	[EVENT_FAILED] = {GLYPH_FAIL, STYLE_ERROR},
	[EVENT_REFUTED] = {GLYPH_UNKNOWN, STYLE_ERROR},
	[EVENT_DECOMPRESS] = {GLYPH_DECOMPRESS, STYLE_CHANGED},
	[EVENT_COMPACT] = {GLYPH_COMPRESS, STYLE_CHANGED},
	[EVENT_KEEP] = {GLYPH_BARRIER, STYLE_CHANGED},
	[EVENT_RESTART] = {GLYPH_RESTART, STYLE_CHANGED},
	[EVENT_MODEL] = {GLYPH_MODEL, STYLE_CHANGED},
	[EVENT_REWIND] = {GLYPH_ARROW_LEFT, STYLE_CHANGED},
	[EVENT_STATE] = {GLYPH_DOT, STYLE_CHANGED},
	[EVENT_PRUNE] = {GLYPH_DOT, STYLE_CHANGED},
	[EVENT_NOTE] = {GLYPH_DOT, STYLE_DIM},
	[EVENT_DAMAGE] = {GLYPH_UNKNOWN, STYLE_ERROR},
	[EVENT_SIDECAR] = {GLYPH_UNKNOWN, STYLE_WARNING},
	[EVENT_COMPACTION] = {GLYPH_COMPRESS, STYLE_CHANGED},
	[EVENT_REINJECT] = {GLYPH_RESTART, STYLE_WARNING},
	[EVENT_LOOP] = {GLYPH_STORM, STYLE_ERROR},
	[EVENT_GATED] = {GLYPH_REJECTED, STYLE_CHANGED},
	[EVENT_FINDING] = {GLYPH_FAIL, STYLE_ERROR},
	[EVENT_DRIFT] = {GLYPH_DIVERGED, STYLE_ERROR},
	[EVENT_LOG] = {GLYPH_DIVERGED, STYLE_WARNING},
};

static bool is_refused(const struct frame *f, const struct event *e)
{
	return e->kind == EVENT_COMPRESS && !outcome_of(f, e)->applied;
}

enum glyph event_glyph(const struct frame *f, const struct event *e)
{
	return is_refused(f, e) ? GLYPH_REJECTED : (enum glyph)looks[e->kind].glyph;
}

enum style event_style(const struct frame *f, const struct event *e)
{
	return is_refused(f, e) ? STYLE_ERROR : (enum style)looks[e->kind].style;
}
