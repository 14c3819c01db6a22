#include "replay/view/acp_log_words.h"

#include "engine/base/num.h"
#include "replay/view/text.h"

static void put_number(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_print(text, x));
}

static void put_value(struct buf *b, struct str text, double x)
{
	if (text.p != NULL)
		text_put_safe(b, text, false);
	else
		put_number(b, x);
}

void acp_log_words_difference(const struct acp_log_difference *d, struct buf *b)
{
	buf_printf(b, "%s: the log has ", acp_log_what_name((enum acp_log_what)d->what));
	put_value(b, d->log_text, d->log);
	buf_text(b, ", the replay ");
	put_value(b, d->ours_text, d->ours);
}

/* "turn 4 (line 7 of the log), nudge: the log has .." */
static void put_placed(const struct acp_log_difference *d, struct buf *b)
{
	if (d->compression > 0)
		buf_printf(b, "compress call %u", (unsigned)d->compression);
	else
		buf_printf(b, "turn %u", (unsigned)d->turn);
	buf_printf(b, " (line %llu of the log), ", (unsigned long long)d->line);
	acp_log_words_difference(d, b);
}

static void put_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_printf(b, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static uint64_t unusable(const struct acp_log *log)
{
	uint64_t all = 0;
	for (int i = 0; i < ACP_LOG_PROBLEMS; i++)
		all += log->problems[i];
	return all;
}

static void put_problems(const struct acp_log *log, struct buf *b)
{
	static const char *const words[ACP_LOG_PROBLEMS] = {
		[ACP_LOG_FOREIGN] = "is no line of the log",
		[ACP_LOG_TORN] = "is torn, not used",
		[ACP_LOG_TOO_LONG] = "is too long, not used",
	};
	uint64_t all = unusable(log);
	for (size_t i = 0; i < log->notes.n; i++)
		buf_printf(b, "  line %llu %s\n", (unsigned long long)log->notes.v[i].line,
			   words[log->notes.v[i].problem]);
	if (all > log->notes.n) {
		buf_text(b, "  and ");
		put_count(b, all - log->notes.n, "more line", "more lines");
		buf_text(b, " that cannot be used\n");
	}
}

static void put_lines(const struct acp_log *log, struct buf *b)
{
	buf_text(b, "  ");
	put_count(b, log->lines, "line", "lines");
	const struct {
		uint64_t n;
		const char *what;
	} parts[] = {{log->ours, " of this session"},
		     {log->others, " of other sessions"},
		     {log->unowned, " before any session is named"},
		     {log->loose, " of turns or calls that the file does not have"}};
	const char *comma = ": ";
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (parts[i].n == 0)
			continue;
		buf_printf(b, "%s%llu%s", comma, (unsigned long long)parts[i].n, parts[i].what);
		comma = ", ";
	}
	buf_text(b, "\n  tells of ");
	put_count(b, log->turns_told, "turn", "turns");
	buf_printf(b, " of %zu and ", log->turns.n);
	put_count(b, log->compressions_told, "compress call", "compress calls");
	buf_printf(b, " of %zu\n", log->compressions.n);
}

static void put_agreement(const struct acp_log *log, struct buf *b)
{
	const char *comma = "  agrees: ";
	for (int i = 0; i < ACP_LOG_WHATS; i++) {
		if (log->compared[i] == 0)
			continue;
		buf_printf(b, "%s%s %zu of %zu", comma, acp_log_what_name((enum acp_log_what)i), log->agree[i],
			   log->compared[i]);
		comma = ", ";
	}
	buf_text(b, comma[0] == ',' ? "\n" : "");
	for (size_t i = 0; i < log->differences.n && i < ACP_LOG_NOTES_MAX; i++) {
		const struct acp_log_difference *d = &log->differences.v[i];
		buf_text(b, "  ");
		put_placed(d, b);
		buf_char(b, '\n');
	}
	if (log->differences.n > ACP_LOG_NOTES_MAX)
		buf_printf(b, "  and %zu more\n", log->differences.n - ACP_LOG_NOTES_MAX);
}

void acp_log_words_summary(const struct acp_log *log, struct buf *b)
{
	size_t agree, compared;
	acp_log_counts(log, &agree, &compared);
	if (log->ours == 0) {
		buf_text(b, "no line of this session");
	} else {
		put_count(b, log->turns_told, "turn", "turns");
		buf_text(b, " and ");
		put_count(b, log->compressions_told, "compress call", "compress calls");
		buf_printf(b, " told of, %zu of %zu figures agree", agree, compared);
	}
	if (unusable(log) > 0) {
		buf_text(b, "; ");
		put_count(b, unusable(log), "line that is none of a log", "lines that are none of a log");
	}
	if (log->differences.n > 0) {
		buf_text(b, "; first difference: ");
		put_placed(&log->differences.v[0], b);
	}
}

void acp_log_words_lines(const struct acp_log *log, struct buf *b)
{
	static const char *const eras[] = {"none", "debug log", "log with levels", "both forms"};
	buf_printf(b, "%-14s", "log");
	text_put_safe(b, str_of(log->path), false);
	buf_printf(b, " (%s)\n", eras[(int)log->old_era + 2 * (int)log->new_era]);
	put_lines(log, b);
	put_problems(log, b);
	put_agreement(log, b);
}
