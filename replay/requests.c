#include "replay/requests.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "engine/host/pi_draft.h"
#include "replay/request_dump.h"

enum {
	EXCERPT_BEFORE = 24, /* bytes of a line shown in front of a difference */
	EXCERPT = 160,       /* in all */
};

const char *dump_outcome_name(enum dump_outcome o)
{
	static const char *const names[DUMP_OUTCOMES] = {
		[DUMP_WAITING] = "waiting",       [DUMP_EQUAL] = "equal",     [DUMP_DIFFERS] = "differs",
		[DUMP_UNREADABLE] = "unreadable", [DUMP_NO_TURN] = "no turn", [DUMP_NO_REQUEST] = "no request",
	};
	return names[o];
}

/* ---- finding them ---- */

static bool ends_with(struct str s, const char *end)
{
	size_t n = strlen(end);
	return s.n > n && memcmp(s.p + s.n - n, end, n) == 0;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The last run of digits of a name; NAN without one. */
static double number_in(struct str name)
{
	size_t end = str_find_last(name, STR(".")), at;
	double x = 0;
	if (end == SIZE_MAX)
		end = name.n;
	while (end > 0 && !is_digit(name.p[end - 1]))
		end--;
	for (at = end; at > 0 && is_digit(name.p[at - 1]);)
		at--;
	if (at == end)
		return NAN;
	for (; at < end; at++)
		x = x * 10 + (name.p[at] - '0');
	return x;
}

static int by_name(const void *a, const void *b)
{
	const struct request_dump *x = a, *y = b;
	size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
	int order = memcmp(x->name.p, y->name.p, n);
	return order != 0 ? order : x->name.n < y->name.n ? -1 : x->name.n > y->name.n;
}

static enum status list_names(struct requests *q, DIR *open, struct error *e)
{
	const struct dirent *entry;
	struct stat about;
	errno = 0;
	while ((entry = readdir(open)) != NULL) {
		struct str name = str_of(entry->d_name);
		bool wanted = name.p[0] != '.' && (ends_with(name, ".json") || ends_with(name, ".jsonl"));
		if (wanted && fstatat(dirfd(open), entry->d_name, &about, 0) == 0 && S_ISREG(about.st_mode)) {
			name.p = arena_copy(&q->arena, name.p, name.n);
			vec_push(&q->dumps, (struct request_dump){.name = name, .number = number_in(name)});
		}
		errno = 0;
	}
	return errno == 0 ? STATUS_OK : error_set(e, STATUS_IO, "cannot be listed: %s", strerror(errno));
}

enum status requests_find(struct requests *q, const char *path, struct error *e)
{
	*q = (struct requests){.path = path};
	DIR *open = opendir(path);
	if (e != NULL)
		snprintf(e->file, sizeof e->file, "%s", path);
	if (open == NULL)
		return error_set(e, errno == ENOTDIR ? STATUS_DATA : STATUS_NO_INPUT, "%s", strerror(errno));
	enum status st = list_names(q, open, e);
	closedir(open);
	if (st == STATUS_OK && q->dumps.n == 0)
		st = error_set(e, STATUS_DATA, "no request in it (files *.json and *.jsonl)");
	if (st != STATUS_OK)
		requests_free(q);
	else
		qsort(q->dumps.v, q->dumps.n, sizeof *q->dumps.v, by_name);
	return st;
}

void requests_free(struct requests *q)
{
	vec_free(&q->dumps);
	vec_free(&q->of_turn);
	arena_free(&q->arena);
	*q = (struct requests){0};
}

/* ---- which turn ---- */

/* Puts dumps to the turns their names tell; false when they do not tell it. */
static bool match_numbers(struct requests *q, size_t turns)
{
	for (size_t i = 0; i < q->dumps.n; i++) {
		double x = q->dumps.v[i].number;
		if (!(x >= 1 && x <= (double)turns) || q->of_turn.v[(size_t)x - 1] != 0)
			return false;
		q->of_turn.v[(size_t)x - 1] = (uint32_t)i + 1;
	}
	return true;
}

static void match(struct requests *q, const struct run *r)
{
	size_t turns = r->timeline.turns.n;
	vec_fill(&q->of_turn, turns);
	q->matched = true;
	q->turns = (uint32_t)turns;
	q->by_number = match_numbers(q, turns);
	for (size_t i = 0; !q->by_number && i < turns; i++)
		q->of_turn.v[i] = i < q->dumps.n ? (uint32_t)i + 1 : 0;
	for (size_t i = 0; i < turns; i++)
		if (q->of_turn.v[i] != 0)
			q->dumps.v[q->of_turn.v[i] - 1].turn = (uint32_t)i + 1;
}

const struct request_dump *requests_of_turn(const struct requests *q, uint32_t n)
{
	uint32_t dump = n > 0 && n <= q->of_turn.n ? q->of_turn.v[n - 1] : 0;
	return dump != 0 ? &q->dumps.v[dump - 1] : NULL;
}

/* ---- comparing ---- */

/* Where an excerpt may begin or end: not inside a character. */
static size_t whole(struct str s, size_t at)
{
	while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80)
		at--;
	return at < s.n ? at : s.n;
}

static struct str excerpt(struct requests *q, const struct dump_lines *l, size_t line, size_t at)
{
	if (line >= l->list.n)
		return (struct str){0};
	struct str s = l->list.v[line];
	size_t from = whole(s, at > EXCERPT_BEFORE ? at - EXCERPT_BEFORE : 0);
	s = str_cut(s, from, whole(s, from + EXCERPT));
	return (struct str){arena_copy(&q->arena, s.p, s.n), s.n};
}

static void compare(struct requests *q, struct request_dump *d, const struct dump_lines *theirs,
		    const struct dump_lines *ours)
{
	size_t n = theirs->list.n < ours->list.n ? theirs->list.n : ours->list.n, i = 0, at = 0;
	d->theirs = (uint32_t)theirs->list.n;
	d->ours = (uint32_t)ours->list.n;
	while (i < n && str_eq(theirs->list.v[i], ours->list.v[i]))
		i++;
	d->outcome = i == theirs->list.n && i == ours->list.n ? DUMP_EQUAL : DUMP_DIFFERS;
	if (d->outcome == DUMP_EQUAL)
		return;
	if (i < n)
		while (at < theirs->list.v[i].n && at < ours->list.v[i].n &&
		       theirs->list.v[i].p[at] == ours->list.v[i].p[at])
			at++;
	d->message = (uint32_t)i + 1;
	d->byte = at;
	d->their_part = excerpt(q, theirs, i, at);
	d->our_part = excerpt(q, ours, i, at);
}

static void add_ours(const struct frame_request *r, struct arena *a, struct dump_lines *out)
{
	const struct pi_egress *e = &r->sender.egress;
	struct buf tail = {0};
	for (size_t i = 0; i < e->now.messages.n; i++)
		request_dump_add(pi_egress_bytes(e, &e->now.messages.v[i]), a, out);
	if (r->tail.n > 0) {
		pi_draft_write_user(&tail, buf_view(&r->tail));
		request_dump_add((struct str){arena_copy(a, tail.p, tail.n), tail.n}, a, out);
	}
	buf_free(&tail);
}

static void compare_with_turn(struct requests *q, struct request_dump *d, const struct dump_lines *theirs,
			      struct run *r)
{
	struct frame f = {0};
	struct arena a = {0};
	struct dump_lines ours = {.flat = theirs->flat};
	struct position p = {.turn = d->turn, .node = NODE_RENDER};
	d->outcome = DUMP_NO_REQUEST;
	d->lack = (uint8_t)(run_is_dsh(r) ? REQUEST_UNLIKE : request_lacks(r));
	if (d->lack == REQUEST_THERE && frame_open(&f, r, p, NULL) == STATUS_OK) {
		const struct frame_request *request = frame_request(&f);
		d->lack = (uint8_t)request->lack;
		if (d->lack == REQUEST_THERE) {
			add_ours(request, &a, &ours);
			compare(q, d, theirs, &ours);
		}
		frame_close(&f);
	}
	dump_lines_free(&ours);
	arena_free(&a);
}

/* The file's bytes, or why there are none. */
static const char *read_file(const struct requests *q, const struct request_dump *d, struct arena *a, struct str *out)
{
	struct buf path = {0};
	struct source source;
	const char *problem = NULL;
	struct stat about;
	buf_text(&path, q->path);
	buf_char(&path, '/');
	buf_str(&path, d->name);
	if (stat(path.p, &about) != 0 || !S_ISREG(about.st_mode) || source_open(&source, path.p, NULL) != STATUS_OK) {
		buf_free(&path);
		return "it cannot be opened";
	}
	if (source.size > REQUEST_DUMP_MAX)
		problem = "it is larger than 64 MiB";
	else
		*out = source_read(&source, 0, source.size, a);
	source_close(&source);
	buf_free(&path);
	return problem;
}

bool requests_step(struct requests *q, struct run *r)
{
	struct arena a = {0};
	struct dump_lines theirs = {0};
	struct str file = {0};
	if (!q->matched)
		match(q, r);
	if (q->next == q->dumps.n)
		return false;
	struct request_dump *d = &q->dumps.v[q->next++];
	d->problem = read_file(q, d, &a, &file);
	if (d->problem == NULL)
		d->problem = request_dump_read(file, &a, &theirs);
	d->flat = theirs.flat;
	d->system = theirs.system;
	if (d->problem != NULL)
		d->outcome = DUMP_UNREADABLE;
	else if (d->turn == 0)
		d->outcome = DUMP_NO_TURN;
	else
		compare_with_turn(q, d, &theirs, r);
	q->of_outcome[d->outcome]++;
	q->turns -= d->turn != 0;
	dump_lines_free(&theirs);
	arena_free(&a);
	return q->next < q->dumps.n;
}

bool requests_differ(const struct requests *q) { return q->of_outcome[DUMP_EQUAL] < q->next; }
