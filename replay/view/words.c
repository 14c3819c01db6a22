#include "replay/view/words.h"

#include <math.h>

#include "engine/base/num.h"
#include "replay/explain.h"
#include "replay/view/text.h"

/* From here on labels would not fit: num_fixed1 is good below 1e15. */
static const double LABEL_MAX = 1e14;

void words_count(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	size_t n = num_print(text, x), at = text[0] == '-', digits = 0;
	while (at + digits < n && text[at + digits] >= '0' && text[at + digits] <= '9')
		digits++;
	if (memchr(text, 'e', n) || !isfinite(x))
		digits = 0;
	for (size_t i = 0; i < n; i++) {
		if (i > at && i < at + digits && (at + digits - i) % 3 == 0)
			buf_char(b, ',');
		buf_char(b, text[i]);
	}
}

void words_short(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	if (x < 0 && -x < LABEL_MAX) {
		buf_char(b, '-');
		x = -x;
	}
	if (!(x < LABEL_MAX)) {
		words_count(b, x);
		return;
	}
	if (x < 1000) {
		buf_bytes(b, text, num_print(text, x));
		return;
	}
	size_t n = num_label_nudge(text, x), digits = 0;
	if (memcmp(text + n - 3, ".0K", 3) == 0) {
		text[n - 3] = 'K';
		n -= 2;
	}
	while (digits < n && text[digits] >= '0' && text[digits] <= '9')
		digits++;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && i < digits && (digits - i) % 3 == 0)
			buf_char(b, ',');
		buf_char(b, text[i]);
	}
}

static void put_percent(struct buf *b, double share, bool round)
{
	char text[NUM_TEXT_MAX];
	double x = share * 100;
	if (!(fabs(x) < LABEL_MAX)) {
		buf_text(b, "? %");
		return;
	}
	if (x < 0)
		buf_char(b, '-');
	buf_bytes(b, text, round ? num_print(text, num_round(fabs(x))) : num_fixed1(text, fabs(x)));
	buf_text(b, " %");
}

void words_count_in(struct buf *b, double x, int columns)
{
	size_t before = b->n;
	words_count(b, x);
	if (b->n - before <= (size_t)columns)
		return;
	buf_cut(b, before);
	words_short(b, x);
}

void words_percent(struct buf *b, double share) { put_percent(b, share, false); }
void words_percent_round(struct buf *b, double share) { put_percent(b, share, true); }

void words_ref(struct buf *b, const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	if (ref == REF_NONE)
		buf_text(b, "no ref");
	else
		buf_str(b, state_ref_text(s, ref, text));
}

void words_plural(struct buf *b, double n, const char *one, const char *many)
{
	words_count(b, n);
	buf_char(b, ' ');
	buf_text(b, n == 1 ? one : many);
}

void words_put(struct line *out, enum style style, struct str s)
{
	int left = line_left(out);
	if (text_width_up_to(s, out->ascii, left) > left)
		line_put_clipped(out, style, s, left, ALIGN_LEFT);
	else
		line_put(out, style, s);
}

const char *words_refusal(enum compress_kind k)
{
	static const char *const words[COMPRESS_KIND_COUNT] = {
		[COMPRESS_INVALID_REF] = ": a ref cannot be read",
		[COMPRESS_PROTECTED_ZONE] = ": all in the recent zone",
		[COMPRESS_NO_NEW_CONTENT] = ": only what blocks cover already",
		[COMPRESS_NOTHING_COMPRESSIBLE] = ": nothing in it may be compressed",
		[COMPRESS_CONSUMED_SKIPPED] = ": already compressed",
		[COMPRESS_OVERLAP_SKIPPED] = ": it overlaps a range of the same call",
	};
	return k < COMPRESS_KIND_COUNT && words[k] != NULL ? words[k] : "";
}

bool words_counterfactual(const struct frame *f) { return f->run->counterfactual < position_record(f->run, f->at); }

const char *words_why_counterfactual(const struct frame *f)
{
	return f->run->branched ? "Counterfactual: this branch is no longer what happened."
				: "Counterfactual: a compression before this turn could not be followed as recorded.";
}

void words_config(struct buf *b, const struct run *r, const char *path)
{
	int member = config_member_find(path);
	buf_text(b, path);
	buf_text(b, " = ");
	size_t before = b->n;
	config_member_print(&r->config, member, b);
	if (b->n == before)
		buf_text(b, "none");
	buf_printf(b, " (%s)", explain_source(r, member));
}

const char *words_counter_scale(const struct frame *f)
{
	return f->turn.in.counter.density == 1 ? "raw estimate" : "calibrated";
}

const char *words_scale_at(const struct run *r, size_t i)
{
	return run_density_at(r, i) == 1 ? "raw estimate" : "calibrated";
}

const char *words_block_scale(const struct run *r)
{
	return r->pi.changes.n == 0 ? "raw estimate" : "calibrated when made";
}

const char *words_count_scale(enum count_scale scale)
{
	static const char *const names[] = {
		[COUNT_HOST] = "host count",   [COUNT_RAW] = "raw estimate",      [COUNT_SENT] = "raw estimate",
		[COUNT_USAGE] = "usage + est", [COUNT_CALIBRATED] = "calibrated", [COUNT_DISPLAY] = "display"};
	return names[scale];
}

char words_count_mark(enum count_scale scale)
{
	static const char marks[] = {[COUNT_HOST] = ' ',  [COUNT_RAW] = '~',        [COUNT_SENT] = '~',
				     [COUNT_USAGE] = '+', [COUNT_CALIBRATED] = '*', [COUNT_DISPLAY] = '~'};
	return marks[scale];
}

const char *words_host_scale(const struct frame *f) { return words_count_scale((enum count_scale)f->counted); }
