/* The reason of a nudge decision in a sentence (kernel.md 4.7.6). */
#include "replay/view/nudge.h"
#include "replay/view/words.h"

static void say_tokens(struct buf *b, const char *before, double tokens, const char *behind)
{
	buf_text(b, before);
	words_count(b, tokens);
	buf_text(b, behind);
}

static void say_tiers(struct buf *b, const char *before, uint8_t tiers)
{
	bool first = true;
	for (int t = 1; t <= 3; t++)
		if (tiers >> t & 1) {
			buf_printf(b, "%sT%d", first ? before : ", ", t);
			first = false;
		}
	buf_text(b, first ? "" : ".");
}

static void say_pressure(const struct nudge_decision *d, struct buf *b)
{
	buf_text(b, d->n.emergency ? "Emergency" : "Over the limit");
	buf_text(b, " with ");
	words_percent(b, d->n.usage);
	buf_text(b, " of the window used: ");
	if (d->reason == NUDGE_PRESSURE_SUPPRESSED) {
		buf_text(b, "but nothing can be offered, all piles are empty.");
		return;
	}
	buf_printf(b, "the largest pile is that of tier %d", d->tier);
	say_tokens(b, ", ", d->n.pending[d->tier], " tokens; growth and cadence are ignored.");
}

static void say_ready(const struct nudge_decision *d, struct buf *b)
{
	buf_printf(b, "Tier %d is due", d->tier);
	say_tokens(b, ": grown by ", d->n.growth, " tokens");
	say_tokens(b, " (F is ", d->n.floor, "), and ");
	if (d->tier == 1) {
		say_tokens(b, "ranges of ", d->n.pending[1], " tokens");
		say_tokens(b, " can be compressed (G is ", d->n.threshold, ").");
		return;
	}
	words_plural(b, (double)d->targets.n, "block", "blocks");
	say_tokens(b, " of ", d->n.pending[d->tier], " tokens");
	say_tokens(b, " can be distilled (D is ", d->n.distill, "), more than any lower tier offers.");
}

static void say_idle(const struct nudge_decision *d, struct buf *b)
{
	const struct nudge_numbers *n = &d->n;
	double max = 0;
	for (int t = 1; t <= 3; t++)
		max = n->pending[t] > max ? n->pending[t] : max;
	bool pile_short = max < n->threshold, growth_short = n->growth < n->floor;
	if (growth_short && n->growth < 0) {
		say_tokens(b, "Fallen by ", -n->growth, " tokens, where a growth");
		say_tokens(b, " of F ", n->floor, " is needed. ");
	} else if (growth_short) {
		say_tokens(b, "Grown by ", n->growth, " tokens,");
		say_tokens(b, " less than F ", n->floor, ". ");
	}
	if (pile_short) {
		say_tokens(b, "The largest pile has ", max, " tokens,");
		say_tokens(b, " less than G ", n->threshold, ". ");
	}
	if (!growth_short && !pile_short) {
		say_tokens(b, "Grown by ", n->growth, " tokens");
		say_tokens(b, " with a largest pile of ", max, ", but no tier passes all its gates. ");
	}
	say_tiers(b, "Pile of at least G: ", d->ready);
	/* the list of kernel.md 4.7.6 is by G; the gates of the higher tiers ask for D */
	if (d->ready >> 2 != 0)
		say_tokens(b, " Tiers 2 and 3 need D ", n->distill, ", though.");
	say_tiers(b, d->ready ? " Shown less than F ago: " : "Shown less than F ago: ", d->blocked);
}

struct str nudge_reason(const struct nudge_decision *d, struct arena *a)
{
	static void (*const say[])(const struct nudge_decision *, struct buf *) = {
		[NUDGE_PRESSURE_T1] = say_pressure,
		[NUDGE_PRESSURE_DISTILL] = say_pressure,
		[NUDGE_PRESSURE_SUPPRESSED] = say_pressure,
		[NUDGE_T1_READY] = say_ready,
		[NUDGE_T2_READY] = say_ready,
		[NUDGE_T3_READY] = say_ready,
		[NUDGE_IDLE] = say_idle,
	};
	struct buf b = {0};
	say[d->reason](d, &b);
	struct str text = text_trim((struct str){arena_copy(a, buf_view(&b).p, b.n), b.n});
	buf_free(&b);
	return text;
}
