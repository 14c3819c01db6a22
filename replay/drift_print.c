/* A drift as text: lines of `acpdbg info`, and one line for an event. */
#include <math.h>

#include "engine/base/num.h"
#include "replay/drift.h"
#include "replay/view/text.h"

static const char *const there[] = {[DRIFT_SIDECAR] = "in the sidecar", [DRIFT_RECOVERY] = "in the recovery"};

static void put_label(struct buf *b, const char *name) { buf_printf(b, "  %-12s", name); }

static void put_number(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_print(text, x));
}

/* "3 blocks", "1 block". */
static void put_count(struct buf *b, size_t n, const char *one)
{
	buf_printf(b, "%zu %s%s", n, one, n == 1 ? "" : "s");
}

/* ---- refs ---- */

/* "first a1 (line 7): m00003 here, m00004 in the sidecar" */
static void put_first(const struct drift *d, struct buf *b)
{
	buf_text(b, "first ");
	text_put_safe(b, d->first, false);
	if (d->first_line > 0)
		buf_printf(b, " (line %u)", (unsigned)d->first_line);
	buf_text(b, ": ");
	text_put_safe(b, d->first_here, false);
	buf_text(b, " here, ");
	text_put_safe(b, d->first_there, false);
	buf_printf(b, " %s", there[d->with]);
}

static void put_shift(const struct drift *d, struct buf *b)
{
	if (isnan(d->shift) || d->refs_different < 2)
		return;
	if (d->shift == 0)
		buf_text(b, "; the numbers agree, the spelling does not");
	else
		buf_printf(b, "; all of them %.0f %s there", fabs(d->shift), d->shift > 0 ? "higher" : "lower");
}

static void put_refs(const struct drift *d, struct buf *b)
{
	uint32_t both = d->refs_same + d->refs_different;
	put_label(b, "refs");
	if (both == 0) {
		buf_text(b, "no id is in both");
	} else if (d->refs_different == 0) {
		buf_printf(b, "%u agree%s", (unsigned)both, both == 1 ? "s" : "");
	} else {
		buf_printf(b, "drift: %u of %u differ%s, ", (unsigned)d->refs_different, (unsigned)both,
			   d->refs_different == 1 ? "s" : "");
		put_first(d, b);
		put_shift(d, b);
	}
	if (d->refs_here > 0) {
		buf_text(b, "; ");
		put_count(b, d->refs_here, "id");
		buf_text(b, " only here");
	}
	if (d->refs_there > 0) {
		buf_text(b, "; ");
		put_count(b, d->refs_there, "id");
		buf_printf(b, " only %s", there[d->with]);
	}
	buf_char(b, '\n');
}

/* ---- blocks ---- */

/* "b3 (call_7, m00010..m00020)" */
static void put_block(const struct drift_block *k, struct str id, struct buf *b)
{
	text_put_safe(b, id, false);
	if (k->call.p == NULL && k->start.p == NULL)
		return;
	buf_text(b, " (");
	text_put_safe(b, k->call, false);
	if (k->start.p != NULL && k->end.p != NULL) {
		buf_text(b, k->call.p ? ", " : "");
		text_put_safe(b, k->start, false);
		buf_text(b, "..");
		text_put_safe(b, k->end, false);
	}
	buf_char(b, ')');
}

static void put_more(const struct drift_blocks *list, struct buf *b)
{
	if (list->n > DRIFT_BLOCKS_NAMED)
		buf_printf(b, " and %u more", (unsigned)(list->n - DRIFT_BLOCKS_NAMED));
	buf_char(b, '\n');
}

static uint32_t named(const struct drift_blocks *list)
{
	return list->n < DRIFT_BLOCKS_NAMED ? list->n : (uint32_t)DRIFT_BLOCKS_NAMED;
}

static void put_different(const struct drift *d, struct buf *b)
{
	static const char *const words[DRIFT_OF_BLOCK_COUNT] = {
		[DRIFT_SAME] = "nothing",
		[DRIFT_ID] = "the id",
		[DRIFT_TIER] = "the tier",
		[DRIFT_ACTIVE] = "active or not",
		[DRIFT_MESSAGES] = "the messages covered",
		[DRIFT_CHILDREN] = "the blocks consumed",
		[DRIFT_TOKENS] = "compressedTokens",
	};
	if (d->different.n == 0)
		return;
	put_label(b, "");
	buf_text(b, "different: ");
	for (uint32_t i = 0; i < named(&d->different); i++) {
		const struct drift_block *k = &d->different.named[i];
		buf_text(b, i > 0 ? "; " : "");
		put_block(k, k->here, b);
		if (k->what == DRIFT_ID) {
			buf_text(b, " is ");
			text_put_safe(b, k->there, false);
			buf_text(b, " there");
		} else {
			buf_printf(b, " in %s", words[k->what]);
		}
	}
	put_more(&d->different, b);
}

static void put_only(const struct drift_blocks *list, const char *where, struct buf *b)
{
	if (list->n == 0)
		return;
	put_label(b, "");
	buf_printf(b, "only %s: ", where);
	for (uint32_t i = 0; i < named(list); i++) {
		const struct drift_block *k = &list->named[i];
		buf_text(b, i > 0 ? "; " : "");
		put_block(k, k->here.p ? k->here : k->there, b);
	}
	put_more(list, b);
}

/* "3 agree, 1 differs, 2 only here" */
static void put_block_counts(const struct drift *d, struct buf *b)
{
	const char *comma = "";
	if (d->blocks_same > 0) {
		buf_printf(b, "%u agree%s", (unsigned)d->blocks_same, d->blocks_same == 1 ? "s" : "");
		comma = ", ";
	}
	if (d->different.n > 0) {
		buf_printf(b, "%s%u differ%s", comma, (unsigned)d->different.n, d->different.n == 1 ? "s" : "");
		comma = ", ";
	}
	if (d->only_here.n > 0) {
		buf_printf(b, "%s%u only here", comma, (unsigned)d->only_here.n);
		comma = ", ";
	}
	if (d->only_there.n > 0)
		buf_printf(b, "%s%u only %s", comma, (unsigned)d->only_there.n, there[d->with]);
}

static void put_blocks(const struct drift *d, struct buf *b)
{
	put_label(b, "blocks");
	if (d->blocks_same + d->different.n + d->only_here.n + d->only_there.n == 0)
		buf_text(b, "none in either");
	put_block_counts(d, b);
	buf_char(b, '\n');
	put_different(d, b);
	put_only(&d->only_here, "here", b);
	put_only(&d->only_there, there[d->with], b);
}

/* ---- figures ---- */

/* "stats.tokensCompressed 10 here, 12 in the sidecar; .." of those that differ; how many they are. */
static size_t put_differing(const struct drift *d, struct buf *b)
{
	size_t shown = 0;
	for (int i = 0; i < DRIFT_FIGURES; i++) {
		if (d->figures[i].here == d->figures[i].there)
			continue;
		buf_printf(b, "%s%s ", shown++ > 0 ? "; " : "", drift_figure_name((enum drift_figure)i));
		put_number(b, d->figures[i].here);
		buf_text(b, " here, ");
		put_number(b, d->figures[i].there);
		buf_printf(b, " %s%s", there[d->with],
			   i == DRIFT_COMPRESSED && d->with == DRIFT_RECOVERY ? " (of texts without tags)" : "");
	}
	return shown;
}

static void put_figures(const struct drift *d, struct buf *b)
{
	put_label(b, "stats");
	if (put_differing(d, b) == 0)
		buf_text(b, "agree");
	buf_char(b, '\n');
}

/* ---- all of it ---- */

static const char *form_name(const struct drift *d) { return d->form == REBUILD_STRICT ? "v0.0.41" : "later form"; }

static bool agrees(const struct drift *d) { return !drift_found(d) && d->refs_here == 0 && d->refs_there == 0; }

static void put_recovery(const struct drift *d, struct buf *b)
{
	buf_printf(b, "%-14s%s: ", "recovery", form_name(d));
	put_count(b, d->rebuilt, "block");
	buf_text(b, " out of ");
	put_count(b, d->calls, "compress call");
	if (d->capacity)
		buf_text(b, "; not possible, as there are more than 99999 refs");
	else if (agrees(d))
		buf_text(b, "; refs and blocks as in the replay");
	buf_char(b, '\n');
}

void drift_print(const struct drift *d, struct buf *b)
{
	if (d->with == DRIFT_RECOVERY)
		put_recovery(d, b);
	if (d->capacity)
		return;
	if (d->with == DRIFT_SIDECAR || !agrees(d)) {
		put_refs(d, b);
		put_blocks(d, b);
	}
	put_figures(d, b);
}

void drift_event(const struct drift *d, struct buf *b)
{
	if (!drift_found(d))
		return;
	if (d->with == DRIFT_RECOVERY)
		buf_printf(b, "recovery (%s): ", form_name(d));
	if (d->capacity) {
		buf_text(b, "more than 99999 refs");
	} else if (d->refs_different > 0) {
		buf_printf(b, "ref drift: %u of %u differ%s, ", (unsigned)d->refs_different,
			   (unsigned)(d->refs_same + d->refs_different), d->refs_different == 1 ? "s" : "");
		put_first(d, b);
	} else if (d->different.n + d->only_here.n + d->only_there.n > 0) {
		buf_text(b, "blocks: ");
		put_block_counts(d, b);
	} else {
		buf_printf(b, "counters differ from those %s", there[d->with]);
	}
}
