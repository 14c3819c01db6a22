#include "replay/acp_log.h"

#include <math.h>

#include "replay/acp_log_line.h"

/* ---- finding the record of a time ---- */

struct moment_of {
	double time;
	double after; /* the record is not of lines before this; -INFINITY = of any */
	uint32_t index;
};

enum open_scope { OPEN_NOTHING, OPEN_TURN, OPEN_COMPRESS };

struct reading {
	struct acp_log *log;
	VEC(struct moment_of) turns, compressions; /* by time */
	bool owned, ours;                          /* a line with a sid came; the last of them was ours */
	enum open_scope open;                      /* what a line belongs to that only goes on with something */
	size_t turn;                               /* the latest one told of; SIZE_MAX = the recording has it not */
};

static int by_time(const void *a, const void *b)
{
	const struct moment_of *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void index_records(struct reading *r, const struct recording *rec)
{
	double turn = -INFINITY;
	for (size_t i = 0; i < rec->records.n; i++) {
		const struct record *record = &rec->records.v[i];
		if (record->type == RECORD_TURN) {
			double time = rec->turns.v[record->index].time;
			turn = isnan(time) ? turn : time;
			if (!isnan(time))
				vec_push(&r->turns, (struct moment_of){time, -INFINITY, record->index});
		} else if (record->type == RECORD_COMPRESS) {
			double time = rec->compressions.v[record->index].time;
			if (!isnan(time))
				vec_push(&r->compressions, (struct moment_of){time, turn, record->index});
		}
	}
	if (r->turns.n > 1)
		qsort(r->turns.v, r->turns.n, sizeof *r->turns.v, by_time);
	if (r->compressions.n > 1)
		qsort(r->compressions.v, r->compressions.n, sizeof *r->compressions.v, by_time);
}

/* Index of the first record that was written at `time` or later, if lines of that time can be its; else SIZE_MAX. */
static size_t find(const struct moment_of *v, size_t n, double time)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (v[mid].time < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && v[lo].after <= time ? v[lo].index : SIZE_MAX;
}

/* ---- what the lines say ---- */

static void begin_turn(struct acp_log_turn *t, uint32_t superseded)
{
	*t = (struct acp_log_turn){.time = NAN,
				   .tokens = NAN,
				   .estimated = NAN,
				   .host = NAN,
				   .density = NAN,
				   .limit = NAN,
				   .blocks = NAN,
				   .active = NAN,
				   .sent = -1,
				   .superseded = superseded};
}

static void begin_compression(struct acp_log_compression *c, uint32_t superseded)
{
	*c = (struct acp_log_compression){.time = NAN,
					  .created = NAN,
					  .compressed = NAN,
					  .errors = NAN,
					  .density = NAN,
					  .superseded = superseded};
}

static void take(double *to, struct str value)
{
	double x = acp_log_number(value);
	if (!isnan(x))
		*to = x;
}

static uint8_t nudge_of(const struct acp_log_line *l)
{
	static const uint8_t words[] = {ACP_LOG_NUDGE_IDLE, ACP_LOG_NUDGE_ACTIVE, ACP_LOG_NUDGE_EMERGENCY};
	for (size_t i = 0; i < sizeof words; i++)
		if (str_eq(l->v[LOG_NUDGE], str_of(acp_log_nudge_name((enum acp_log_nudge)words[i]))))
			return words[i];
	if (str_eq(l->v[LOG_INJECT], STR("true")))
		return ACP_LOG_NUDGE_DUE;
	return str_eq(l->v[LOG_INJECT], STR("false")) ? ACP_LOG_NUDGE_IDLE : ACP_LOG_NUDGE_UNKNOWN;
}

static void fill_turn(struct acp_log *log, struct acp_log_turn *t, const struct acp_log_line *l)
{
	const struct str *v = l->v;
	uint8_t nudge = nudge_of(l);
	take(&t->tokens, v[LOG_TOKENS]);
	take(&t->estimated, v[LOG_ESTIMATED]);
	take(&t->host, v[LOG_REAL]);
	take(&t->limit, v[LOG_LIMIT]);
	if (isnan(t->density))
		take(&t->density, v[LOG_DENSITY]);
	take(&t->blocks, v[LOG_BLOCKS_BEFORE]);
	take(&t->active, v[LOG_ACTIVE_BEFORE]);
	take(&t->blocks, v[LOG_BLOCKS]);
	take(&t->active, v[LOG_ACTIVE]);
	if (nudge != ACP_LOG_NUDGE_UNKNOWN)
		t->nudge = nudge;
	if (v[LOG_REASON].p != NULL) {
		struct str reason = str_cut(v[LOG_REASON], 0, ACP_LOG_REASON_MAX);
		t->reason = (struct str){arena_copy(&log->arena, reason.p, reason.n), reason.n};
	}
}

/* A line that may begin the account of a turn: a second one of its kind, or context-in, begins it anew. */
static void turn_line(struct reading *r, const struct acp_log_line *l, uint64_t line)
{
	uint8_t bit = (uint8_t)(1u << l->scope);
	size_t n = find(r->turns.v, r->turns.n, l->time);
	r->turn = n;
	r->open = OPEN_TURN;
	if (n == SIZE_MAX) {
		r->log->loose++;
		return;
	}
	struct acp_log_turn *t = &r->log->turns.v[n];
	if ((t->scopes & bit) || (l->scope == LOG_CONTEXT_IN && t->scopes != 0))
		begin_turn(t, t->superseded + 1);
	if (t->scopes == 0) {
		t->time = l->time;
		t->line = line;
	}
	t->scopes |= bit;
	fill_turn(r->log, t, l);
}

/* A line of the turn that is open; processTurn runs elsewhere, too, and only its first line is that of the turn. */
static void inner_line(struct reading *r, const struct acp_log_line *l)
{
	uint8_t bit = (uint8_t)(1u << l->scope);
	if (r->open != OPEN_TURN)
		return;
	if (r->turn == SIZE_MAX) {
		r->log->loose++;
		return;
	}
	struct acp_log_turn *t = &r->log->turns.v[r->turn];
	if (t->scopes & bit)
		return;
	t->scopes |= bit;
	if (l->scope == LOG_PROCESS_TURN)
		fill_turn(r->log, t, l);
	else
		t->sent = l->scope == LOG_NUDGE_INJECTED;
}

static void compress_line(struct reading *r, const struct acp_log_line *l, uint64_t line)
{
	uint8_t bit = (uint8_t)(1u << l->scope);
	size_t n = find(r->compressions.v, r->compressions.n, l->time);
	r->open = l->scope == LOG_COMPRESS_IN ? OPEN_COMPRESS : OPEN_NOTHING;
	if (n == SIZE_MAX) {
		r->log->loose++;
		return;
	}
	struct acp_log_compression *c = &r->log->compressions.v[n];
	if ((c->scopes & bit) || (l->scope == LOG_COMPRESS_IN && c->scopes != 0))
		begin_compression(c, c->superseded + 1);
	if (c->scopes == 0) {
		c->time = l->time;
		c->line = line;
	}
	c->scopes |= bit;
	take(&c->created, l->v[LOG_CREATED]);
	take(&c->compressed, l->v[LOG_COMPRESSED]);
	take(&c->density, l->v[LOG_DENSITY]);
	double errors = acp_log_errors(l->v[LOG_ERRORS]);
	if (!isnan(errors))
		c->errors = errors;
}

static void take_line(struct reading *r, const struct acp_log_line *l, uint64_t line)
{
	struct acp_log *log = r->log;
	bool any = log->session.n == 0;
	if (l->v[LOG_SID].p != NULL) {
		r->owned = true;
		r->ours = any || str_eq(l->v[LOG_SID], log->session);
		r->open = r->ours ? r->open : OPEN_NOTHING;
	}
	if (!r->owned && !any) {
		log->unowned++;
		return;
	}
	if (!r->ours && !any) {
		log->others++;
		return;
	}
	log->ours++;
	switch (l->scope) {
	case LOG_TURN:
		if (l->v[LOG_EVENT].p == NULL) /* else it tells of something that happened on the way */
			turn_line(r, l, line);
		break;
	case LOG_CONTEXT_IN:
		turn_line(r, l, line);
		break;
	case LOG_PROCESS_TURN:
	case LOG_NUDGE_INJECTED:
	case LOG_NUDGE_SUPPRESSED:
		inner_line(r, l);
		break;
	case LOG_COMPRESS_IN:
	case LOG_COMPRESS_OUT:
	case LOG_COMPRESS:
		compress_line(r, l, line);
		break;
	case LOG_OTHER:
		break;
	}
}

/* ---- the file ---- */

static void note(struct acp_log *log, uint64_t line, enum acp_log_problem problem)
{
	log->problems[problem]++;
	if (log->notes.n < ACP_LOG_NOTES_MAX)
		vec_push(&log->notes, (struct acp_log_note){line, problem});
}

static void read_lines(struct reading *r, const struct source *source)
{
	struct line_walker w;
	struct source_line line;
	struct acp_log *log = r->log;
	line_walker_init(&w, source);
	w.max = ACP_LOG_LINE_MAX;
	while (line_walker_next(&w, &line)) {
		struct acp_log_line l;
		struct str text = {line.p, line.n};
		log->lines++;
		if (text.n > 0 && text.p[text.n - 1] == '\r')
			text.n--;
		if (text.n == 0)
			continue;
		if (line.torn) {
			note(log, line.number, ACP_LOG_TORN);
		} else if (line.cut) {
			note(log, line.number, ACP_LOG_TOO_LONG);
		} else if (!acp_log_line_read(text, &l)) {
			note(log, line.number, ACP_LOG_FOREIGN);
		} else {
			log->new_era = log->new_era || l.leveled;
			log->old_era = log->old_era || !l.leveled;
			take_line(r, &l, line.number);
		}
	}
	line_walker_free(&w);
}

static void count_told(struct acp_log *log)
{
	for (size_t i = 0; i < log->turns.n; i++)
		log->turns_told += log->turns.v[i].scopes != 0;
	for (size_t i = 0; i < log->compressions.n; i++)
		log->compressions_told += log->compressions.v[i].scopes != 0;
}

enum status acp_log_load(struct acp_log *log, const char *path, const struct recording *rec, struct error *e)
{
	struct source source;
	struct reading r = {.log = log, .turn = SIZE_MAX};
	*log = (struct acp_log){.path = NULL};
	enum status st = source_open_as(&source, path, "a log of the adapter", e);
	if (st != STATUS_OK)
		return st;
	log->path = arena_copy(&log->arena, path, strlen(path));
	log->session = (struct str){arena_copy(&log->arena, rec->id.p ? rec->id.p : "", rec->id.n), rec->id.n};
	vec_fill(&log->turns, rec->turns.n);
	vec_fill(&log->compressions, rec->compressions.n);
	for (size_t i = 0; i < log->turns.n; i++)
		begin_turn(&log->turns.v[i], 0);
	for (size_t i = 0; i < log->compressions.n; i++)
		begin_compression(&log->compressions.v[i], 0);
	index_records(&r, rec);
	read_lines(&r, &source);
	source_close(&source);
	vec_free(&r.turns);
	vec_free(&r.compressions);
	count_told(log);
	if (!log->old_era && !log->new_era) {
		acp_log_free(log);
		return error_set(e, STATUS_DATA, "holds no line of the adapter's log");
	}
	return STATUS_OK;
}

const struct acp_log_turn *acp_log_turn(const struct acp_log *log, uint32_t n)
{
	bool there = n >= 1 && n <= log->turns.n && log->turns.v[n - 1].scopes != 0;
	return there ? &log->turns.v[n - 1] : NULL;
}

const struct acp_log_compression *acp_log_compression(const struct acp_log *log, size_t i)
{
	return i < log->compressions.n && log->compressions.v[i].scopes != 0 ? &log->compressions.v[i] : NULL;
}

void acp_log_free(struct acp_log *log)
{
	vec_free(&log->notes);
	vec_free(&log->turns);
	vec_free(&log->compressions);
	vec_free(&log->differences);
	arena_free(&log->arena);
	*log = (struct acp_log){.path = NULL};
}
