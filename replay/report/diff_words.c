#include "replay/report/diff_words.h"

#include <math.h>
#include <string.h>

#include "engine/base/num.h"
#include "replay/report/settings.h"
#include "replay/view/words.h"

const char *diff_side_name(enum diff_side side) { return side == DIFF_LEFT ? "left" : "right"; }

struct str diff_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return str_of(slash != NULL && slash[1] != 0 ? slash + 1 : path);
}

static bool same_policy(const struct diff *d)
{
	struct buf left = {0}, right = {0};
	settings_put_profile(&left, &d->side[DIFF_LEFT]->run->policy);
	settings_put_profile(&right, &d->side[DIFF_RIGHT]->run->policy);
	bool same = str_eq(buf_view(&left), buf_view(&right));
	buf_free(&left);
	buf_free(&right);
	return same;
}

void diff_put_label(struct buf *b, const struct diff_report *r, enum diff_side side)
{
	const struct diff *d = r->diff;
	if (!d->one_recording)
		buf_str(b, diff_file_name(r->file[side]));
	if (!d->one_recording && same_policy(d))
		return;
	if (!d->one_recording)
		buf_text(b, " under ");
	settings_put_profile(b, &d->side[side]->run->policy);
}

/* ---- places ---- */

void diff_put_place(struct buf *b, const struct diff *d, const struct diff_detail *t)
{
	uint32_t left = t->turn[DIFF_LEFT], right = t->turn[DIFF_RIGHT];
	(void)d;
	if (t->kind == DIFF_CALLS)
		buf_printf(b, "compress call %u after ", t->call);
	if (t->has[DIFF_LEFT] && t->has[DIFF_RIGHT] && left != right)
		buf_printf(b, "turn %u left, %u right", left, right);
	else if (t->has[DIFF_LEFT] && t->has[DIFF_RIGHT])
		buf_printf(b, "turn %u", left);
	else if (t->has[DIFF_LEFT])
		buf_printf(b, "turn %u of the left", left);
	else
		buf_printf(b, "turn %u of the right", right);
}

static void put_turn(struct buf *b, uint32_t turn)
{
	if (turn > 0)
		buf_printf(b, "%u", turn);
	else
		buf_char(b, '-');
}

void diff_put_step(struct buf *b, const struct diff *d, uint32_t step)
{
	if (step == d->steps.n) {
		buf_text(b, "end");
		return;
	}
	const struct diff_step *s = &d->steps.v[step];
	put_turn(b, s->turn[DIFF_LEFT]);
	if (s->turn[DIFF_RIGHT] == s->turn[DIFF_LEFT])
		return;
	buf_char(b, '/');
	put_turn(b, s->turn[DIFF_RIGHT]);
}

/* ---- differences ---- */

/* One, many; what it is on one side only, what it is on both. */
static const struct {
	const char *one, *many, *only, *both;
} nouns[DIFF_KINDS] = {
	[DIFF_TURNS] = {"turn", "turns", "there", "different"},
	[DIFF_CALLS] = {"figure of the outcome", "figures of the outcome", "there", "different"},
	[DIFF_EVENTS] = {"event", "events", "there", "different"},
	[DIFF_TOKENS] = {"token count", "token counts", "there", "different"},
	[DIFF_REFS] = {"ref", "refs", "given", "different"},
	[DIFF_BLOCKS] = {"block", "blocks", "there", "different"},
	[DIFF_ROWS] = {"row", "rows", "visible", "different"},
	[DIFF_TEXT] = {"row", "rows", "visible", "sent with another text"},
	[DIFF_RECOMMENDED] = {"range", "ranges", "recommended", "recommended with another end or other figures"},
	[DIFF_PROTECTED] = {"range", "ranges", "protected", "protected with another end or other figures"},
	[DIFF_NUDGE] = {"nudge decision", "nudge decisions", "there", "different"},
	[DIFF_FIGURES] = {"figure", "figures", "there", "different"},
	[DIFF_TOTALS] = {"total", "totals", "there", "different"},
	[DIFF_REQUEST] = {"message", "messages", "sent", "sent with other bytes"},
	[DIFF_PREFIX] = {"figure of the prefix", "figures of the prefix", "there", "different"},
};

static void put_clause(struct buf *b, size_t begin, const struct diff_detail *t, size_t n, const char *is,
		       const char *where)
{
	if (n == 0)
		return;
	buf_text(b, b->n > begin ? ", " : "");
	words_plural(b, (double)n, nouns[t->kind].one, nouns[t->kind].many);
	buf_printf(b, " %s %s%s", n == 1 ? "is" : "are", is, where);
}

void diff_put_sentence(struct buf *b, const struct diff_detail *t)
{
	size_t begin = b->n;
	if (t->kind == DIFF_CALLS && !(t->has[DIFF_LEFT] && t->has[DIFF_RIGHT])) {
		buf_printf(b, "only the %s has this call", t->has[DIFF_LEFT] ? "left" : "right");
		return;
	}
	put_clause(b, begin, t, t->kind != DIFF_ROWS ? t->both : 0, nouns[t->kind].both, "");
	put_clause(b, begin, t, t->only[DIFF_LEFT], nouns[t->kind].only, " on the left only");
	put_clause(b, begin, t, t->only[DIFF_RIGHT], nouns[t->kind].only, " on the right only");
	if (t->kind == DIFF_ROWS && t->both > 0)
		buf_printf(b, "%sthe host's list has another length", b->n > begin ? ", " : "");
	if (b->n == begin)
		buf_text(b, "the same ones in another order");
}

static void put_first(struct buf *b, const struct diff *d)
{
	const struct diff_detail *t = &d->details[0];
	buf_text(b, "first at ");
	diff_put_place(b, d, t);
	if (t->kind != DIFF_CALLS)
		buf_printf(b, ": %s", diff_kind_name(t->kind));
}

void diff_put_verdict(struct buf *b, const struct diff *d)
{
	if (diff_same(d)) {
		buf_text(b, "No difference: the same in ");
		words_plural(b, (double)d->steps.n, "turn", "turns");
		return;
	}
	if (d->paired == 0 && d->steps.n > 0) {
		buf_text(b, "No turn has a counterpart: the sessions have no rows in common");
		return;
	}
	bool behind = d->count[DIFF_CALLS].n > 0 && d->count[DIFF_CALLS].last == d->steps.n;
	uint32_t turns = d->differing - behind;
	buf_printf(b, "%u of ", turns);
	words_plural(b, (double)d->steps.n, "turn", "turns");
	buf_printf(b, " %s%s, ", turns == 1 ? "differs" : "differ", behind ? ", and what follows the last" : "");
	put_first(b, d);
}

/* ---- why nothing differs ---- */

static bool has_calls(const struct run *r) { return r->compressions.n > 0; }

static bool has_compact(const struct run *r)
{
	for (size_t i = 0; i < r->recording->records.n; i++) {
		uint8_t type = r->recording->records.v[i].type;
		if (type == RECORD_COMPACT || type == RECORD_KEEP)
			return true; /* a `keep` may be that of an extension */
	}
	return false;
}

static bool has_blocks(const struct run *r) { return r->state.blocks.n > 0 || r->epochs.n > 1; }

static bool has_images(const struct run *r)
{
	for (size_t i = 0; i < r->recording->messages.n; i++)
		if (r->recording->messages.v[i].images > 0)
			return true;
	return false;
}

static bool has_thinking(const struct run *r)
{
	for (size_t i = 0; i < r->recording->messages.n; i++)
		if (r->recording->messages.v[i].thinking > 0)
			return true;
	return false;
}

void diff_put_why(struct buf *b, const struct diff *d)
{
	static const struct {
		enum policy_switch s;
		bool (*has)(const struct run *r); /* what the switch is about */
		const char *lacks;
	} needs[] = {
		{SWITCH_HIDE, has_calls, "there is no compress call"},
		{SWITCH_ARGS, has_calls, "there is no compress call"},
		{SWITCH_SYNC, has_calls, "there is no compress call"},
		{SWITCH_FOLLOW, has_calls, "there is no compress call"},
		{SWITCH_KEEP_ORPHANS, has_calls, "there is no compress call"},
		{SWITCH_COMPACT, has_compact, "there is no /compact"},
		{SWITCH_COMPACT_GATE, has_compact, "there is no /compact"},
		{SWITCH_SUMMARIES, has_blocks, "no block is made"},
		{SWITCH_USER_IMAGES, has_images, "there is no image"},
		{SWITCH_IMAGE_TOKENS, has_images, "there is no image"},
		{SWITCH_REASONING_DROP, has_thinking, "there is no thinking"},
		{SWITCH_THINKING_TOKENS, has_thinking, "there is no thinking"},
	};
	const struct run *left = d->side[DIFF_LEFT]->run, *right = d->side[DIFF_RIGHT]->run;
	size_t begin = b->n;
	for (size_t i = 0; diff_same(d) && i < sizeof needs / sizeof *needs; i++) {
		const char *value = policy_value_name(&left->policy, needs[i].s);
		if (strcmp(value, policy_value_name(&right->policy, needs[i].s)) == 0)
			continue;
		if (needs[i].has(left) || needs[i].has(right))
			continue;
		buf_printf(b, "%s%s cannot matter: %s", b->n > begin ? "; " : "", policy_switch_name(needs[i].s),
			   needs[i].lacks);
	}
}

void diff_put_shown(struct buf *b, const struct diff *d)
{
	if (d->shown == 0) {
		buf_text(b, "The model is sent the same in all of them");
		return;
	}
	buf_text(b, "The model is sent something else in ");
	words_plural(b, (double)d->shown, "turn", "turns");
	buf_text(b, d->shown > 1 ? ", first at turn " : ", turn ");
	diff_put_step(b, d, d->first_shown);
}

/* ---- effects ---- */

/* Whole numbers are as they are; of prices four decimals are enough. */
static double rounded(double x) { return x == floor(x) ? x : num_round(x * 1e4) / 1e4; }

void diff_put_value(struct buf *b, const struct diff_effect *e, double x)
{
	if (isnan(x))
		buf_char(b, '?');
	else if (e->percent)
		words_percent(b, x / 100);
	else
		words_count(b, rounded(x));
}

void diff_put_effect_name(struct buf *b, const struct diff_effect *e)
{
	const char *left = e->scale[DIFF_LEFT], *right = e->scale[DIFF_RIGHT];
	buf_text(b, e->name);
	if (left == NULL)
		left = right;
	if (right == NULL)
		right = left;
	if (left != NULL && strcmp(left, right) == 0)
		buf_printf(b, " (%s)", left);
	else if (left != NULL)
		buf_printf(b, " (%s | %s)", left, right);
}

void diff_put_change(struct buf *b, const struct diff_effect *e)
{
	double change = diff_change(e);
	if (isnan(change)) {
		bool known = !isnan(e->value[DIFF_LEFT]) && !isnan(e->value[DIFF_RIGHT]);
		buf_text(b, known ? "other scales" : "?");
		return;
	}
	if (e->percent)
		change = num_round(change * 10) / 10;
	if (change > 0)
		buf_char(b, '+');
	words_count(b, rounded(change));
	if (e->percent)
		buf_text(b, " points");
}

void diff_put_relative(struct buf *b, const struct diff_effect *e)
{
	double share = diff_change(e) / e->value[DIFF_LEFT];
	if (!isfinite(share) || e->percent || fabs(share) < 0.0005)
		return;
	buf_char(b, share > 0 ? '+' : '-');
	words_percent(b, fabs(share));
}

void diff_put_consequence(struct buf *b, const struct diff *d)
{
	static const char *const matter[] = {"nudges", "applied", "refused", "folded", "rebuilds", "rebilled"};
	size_t begin = b->n;
	for (size_t i = 0; i < d->effects_n; i++) {
		const struct diff_effect *e = &d->effects[i];
		bool named = false;
		for (size_t k = 0; k < sizeof matter / sizeof *matter; k++)
			named = named || strcmp(matter[k], e->key) == 0;
		if (!named || e->value[DIFF_LEFT] == e->value[DIFF_RIGHT])
			continue;
		buf_text(b, b->n > begin ? ", " : "");
		diff_put_effect_name(b, e);
		buf_char(b, ' ');
		diff_put_value(b, e, e->value[DIFF_LEFT]);
		buf_text(b, " -> ");
		diff_put_value(b, e, e->value[DIFF_RIGHT]);
	}
}
