/*
 * line: one styled line, what a view produces and what panes and text reports print.
 *
 * A line owns its bytes and segments and reuses them: reset it, put pieces into
 * it from left to right, read it, reset it again; line_free at the end. Whatever
 * is put passes through view/text, so a line never holds anything unsafe, be it
 * session text or our own words. Nothing is put beyond `limit` columns.
 */
#ifndef REPLAY_VIEW_LINE_H
#define REPLAY_VIEW_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/text.h"
#include "engine/base/vec.h"

/* Style and its name in the configuration. Meaning only; tui/theme gives the looks. */
#define STYLE_LIST(X)                                                                                                  \
	X(PLAIN, "plain")                                                                                              \
	X(DIM, "dim")                                                                                                  \
	X(BOLD, "bold")                                                                                                \
	X(HEADING, "heading") /* column heads, section titles */                                                       \
	X(REF, "ref")         /* m00042, b7, sequence numbers */                                                       \
	X(NUMBER, "number")   /* tokens and other figures */                                                           \
	X(USER, "user")       /* roles */                                                                              \
	X(ASSISTANT, "assistant")                                                                                      \
	X(TOOL, "tool")                                                                                                \
	X(SYSTEM, "system")                                                                                            \
	X(METADATA, "metadata") /* row classes beside real */                                                          \
	X(CHECKPOINT, "checkpoint")                                                                                    \
	X(INSTRUCTION, "instruction")                                                                                  \
	X(ADDED, "added") /* changes */                                                                                \
	X(CHANGED, "changed")                                                                                          \
	X(REMOVED, "removed")                                                                                          \
	X(PROTECTED, "protected")                                                                                      \
	X(RANGE, "range")     /* brackets of compressible ranges */                                                    \
	X(BARRIER, "barrier") /* full-width rules */                                                                   \
	X(BREAK, "break")     /* where the cache prefix breaks */                                                      \
	X(COVERED, "covered")                                                                                          \
	X(GOOD, "good")                                                                                                \
	X(WARNING, "warning")                                                                                          \
	X(ERROR, "error")                                                                                              \
	X(CHART, "chart")             /* sparklines and bars */                                                        \
	X(CHART_ALT, "chart-alt")     /* a second series, limits and bands */                                          \
	X(MATCH, "match")             /* found by a search */                                                          \
	X(SUBSTITUTE, "substitute")   /* stands for something that cannot be shown; line_put chooses it */             \
	X(RULE, "rule")               /* frame lines between panes */                                                  \
	X(TITLE, "title")             /* title of a pane */                                                            \
	X(TITLE_FOCUS, "title-focus") /* title of the focused pane */                                                  \
	X(BAR, "bar")                 /* top and bottom line */                                                        \
	X(BAR_DIM, "bar-dim")                                                                                          \
	X(BAR_ALERT, "bar-alert")                                                                                      \
	X(KEY, "key")       /* key names in hints and help */                                                          \
	X(CURSOR, "cursor") /* the position on the timeline */                                                         \
	X(MARK, "mark")     /* the user's marks */

enum style {
#define STYLE_ENUM(name, text) STYLE_##name,
	STYLE_LIST(STYLE_ENUM)
#undef STYLE_ENUM
		STYLE_COUNT
};

/* The name in the configuration ("covered"). */
const char *style_name(enum style s);
/* The style of that name, or STYLE_COUNT. */
enum style style_find(struct str name);

enum glyph {
	GLYPH_ELLIPSIS,
	GLYPH_HLINE,
	GLYPH_VLINE,
	GLYPH_CORNER_TOP_LEFT,
	GLYPH_CORNER_TOP_RIGHT,
	GLYPH_CORNER_BOTTOM_LEFT,
	GLYPH_CORNER_BOTTOM_RIGHT,
	GLYPH_TEE_LEFT,  /* ├ */
	GLYPH_TEE_RIGHT, /* ┤ */
	GLYPH_TEE_DOWN,  /* ┬ */
	GLYPH_TEE_UP,    /* ┴ */
	GLYPH_CROSS,
	GLYPH_RANGE_TOP, /* bracket of a compressible range, in the gutter */
	GLYPH_RANGE_MID,
	GLYPH_RANGE_BOTTOM,
	GLYPH_RANGE_SINGLE,
	GLYPH_BARRIER, /* repeated over the width */
	GLYPH_BREAK,   /* cache-prefix break, repeated over the width */
	GLYPH_FOLDED,  /* a block whose rows are hidden */
	GLYPH_OPEN,    /* a block whose rows are shown */
	GLYPH_TREE_BRANCH,
	GLYPH_TREE_LAST,
	GLYPH_TREE_LINE,
	GLYPH_SPARK_0, /* blank */
	GLYPH_SPARK_1,
	GLYPH_SPARK_2,
	GLYPH_SPARK_3,
	GLYPH_SPARK_4,
	GLYPH_SPARK_5,
	GLYPH_SPARK_6,
	GLYPH_SPARK_7,
	GLYPH_SPARK_8,  /* full */
	GLYPH_BAR_FULL, /* horizontal bars */
	GLYPH_BAR_HALF,
	GLYPH_BAR_EMPTY,
	GLYPH_POINT,    /* chart sample */
	GLYPH_CURSOR,   /* timeline: position */
	GLYPH_SELECTED, /* list: selected line */
	GLYPH_USER,     /* timeline: user turn */
	GLYPH_COMPRESS, /* events */
	GLYPH_REJECTED,
	GLYPH_DECOMPRESS,
	GLYPH_NUDGE,
	GLYPH_TRUNCATE,
	GLYPH_RESTART,
	GLYPH_MODEL,
	GLYPH_STORM,
	GLYPH_DIVERGED,
	GLYPH_MARK,
	GLYPH_PASS,
	GLYPH_FAIL,
	GLYPH_UNKNOWN,
	GLYPH_ARROW_RIGHT,
	GLYPH_ARROW_LEFT,
	GLYPH_UP, /* more above */
	GLYPH_DOWN,
	GLYPH_DOT, /* separator between words */
	GLYPH_COUNT
};

/* One column wide in both sets. */
const char *glyph(enum glyph g, bool ascii);
/* GLYPH_SPARK_0..8 for `value` of `full`: 0 only for 0, 8 only for full and above. */
enum glyph glyph_spark(double value, double full);

struct segment {
	uint32_t at, n; /* bytes in the line */
	int columns;
	uint8_t style; /* enum style */
};

/* Zero-initialised = an empty line without limit, UTF-8. */
struct line {
	VEC(struct segment) segments;
	struct buf bytes;
	int width;    /* columns used */
	int limit;    /* columns there are; 0 = no limit. Set by line_reset */
	bool ascii;   /* ASCII glyphs and substitutes; stays over line_reset */
	bool cut;     /* something did not fit */
	uint8_t fill; /* enum style of the rest of the row, right of the text */
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

/* Empties the line; keeps its memory and `ascii`. */
void line_reset(struct line *l, int limit);
void line_free(struct line *l);

/*
 * Text of any origin, escaped; what is beyond the limit is left out.
 * Substitutes get STYLE_SUBSTITUTE where style is PLAIN or a role.
 */
void line_put(struct line *l, enum style style, struct str s);
static inline void line_puts(struct line *l, enum style style, const char *words) { line_put(l, style, str_of(words)); }
void line_printf(struct line *l, enum style style, const char *format, ...) __attribute__((format(printf, 3, 4)));
void line_glyph(struct line *l, enum style style, enum glyph g);
/* `columns` times a glyph. */
void line_repeat(struct line *l, enum style style, enum glyph g, int columns);
/* Exactly `columns`: clipped at the end with an ellipsis, or padded with blanks on the right (ALIGN_LEFT) or left. */
void line_put_clipped(struct line *l, enum style style, struct str s, int columns, enum align align);
/* Blanks up to a column; nothing when already there. */
void line_pad_to(struct line *l, int column);
/* Text at the right end of the limit, at least one blank after what is there; left out when it does not fit. */
void line_put_right(struct line *l, enum style style, struct str s);
/* Columns left up to the limit; INT_MAX / 2 without a limit. */
int line_left(const struct line *l);
/* Gives columns [from, to) another style, keeping the text: search matches, changed words. */
void line_restyle(struct line *l, int from, int to, enum style style);

static inline struct str line_text(const struct line *l, const struct segment *s)
{
	return (struct str){l->bytes.p + s->at, s->n};
}
/* Appends the text of the line without trailing blanks and without a line feed. */
void line_write(const struct line *l, struct buf *out);

#endif
