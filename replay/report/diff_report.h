/*
 * diff_report: a diff as a table for the terminal, as a comment for a pull
 * request, and as JSON.
 *
 * The table keeps to 80 columns. The comment says in its first sentence whether
 * the sides differ; all session text in it stands in code, where Markdown means
 * nothing, and cannot leave it. All three append to a buffer of the caller.
 */
#ifndef REPLAY_REPORT_DIFF_REPORT_H
#define REPLAY_REPORT_DIFF_REPORT_H

#include "replay/diff.h"

/* An option of the command besides --left and --right, as given. */
struct diff_option {
	const char *name, *value;
	bool is_file; /* named without its directories */
};
enum { DIFF_OPTIONS_MAX = 8 };

struct diff_report {
	const struct diff *diff;
	const char *file[DIFF_SIDES];   /* as the user named them; of one file twice the same */
	const char *policy[DIFF_SIDES]; /* --left, --right as given; NULL = not given */
	bool what_if;                   /* whatif=on was added to the right (dsh-rulings 22) */
	struct diff_option options[DIFF_OPTIONS_MAX];
	size_t options_n;
	bool ascii;
};

void diff_text_put(const struct diff_report *r, struct buf *b);
void diff_markdown_put(const struct diff_report *r, struct buf *b);
void diff_json_put(const struct diff_report *r, struct buf *b);

#endif
