#include "replay/view/picker.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "engine/base/fnv.h"
#include "engine/base/num.h"
#include "replay/view/text.h"

enum item_kind {
	ITEM_HERE, /* headings */
	ITEM_ELSEWHERE,
	ITEM_ALL,
	ITEM_NONE,
	ITEM_NOTES,
	ITEM_BLANK,
	ITEM_SESSION,
	ITEM_PLACE, /* where was looked, when nothing was found */
	ITEM_NOTE,
	ITEM_MORE, /* counts */
	ITEM_MORE_NOTES,
	ITEM_FULL,
	ITEM_KIND_COUNT
};

struct picker_item {
	uint8_t kind;
	uint32_t index; /* of the session, place, note; or the count */
};

/* ---- words ---- */

/* Days from 1970-01-01 to a day of the calendar (Gregorian). */
static int64_t day_number(const struct tm *t)
{
	/* years that begin in March, so that the leap day is the last */
	int64_t year = (int64_t)t->tm_year + 1900 - (t->tm_mon < 2);
	int64_t month = (t->tm_mon + 10) % 12;
	int64_t era = (year >= 0 ? year : year - 399) / 400;
	int64_t of_era = year - era * 400;
	int64_t of_year = (153 * month + 2) / 5 + t->tm_mday - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Local time; false when the calendar does not reach so far. */
static bool local(int64_t seconds, struct tm *t)
{
	time_t time = (time_t)seconds;

	return localtime_r(&time, t) != NULL;
}

/* Calendar days between two times. */
static int64_t days_between(int64_t time, int64_t now)
{
	struct tm then, today;

	if (!local(time, &then) || !local(now, &today))
		return (now - time) / 86400;
	return day_number(&today) - day_number(&then);
}

/* Whole ones only. */
static void put_some(struct buf *b, double n, const char *one, const char *many)
{
	n = floor(n);
	buf_printf(b, "%.0f %s", n, n == 1 ? one : many);
}

void picker_put_age(struct buf *b, int64_t time, int64_t now)
{
	enum { MINUTE = 60, HOUR = 3600, DAYS_MAX = 60, MONTHS_MAX = 24 };
	const double month = 365.2425 / 12;
	double ago = (double)now - (double)time;
	double days;

	if (ago < HOUR) {
		if (ago >= MINUTE)
			put_some(b, ago / MINUTE, "min", "min");
		else
			buf_text(b, ago > -MINUTE ? "now" : "future");
		return;
	}
	days = ago > 1e14 ? ago / 86400 : (double)days_between(time, now);
	if (days < 1)
		put_some(b, ago / HOUR, "h", "h");
	else if (days < 2)
		buf_text(b, "yesterday");
	else if (days <= DAYS_MAX)
		put_some(b, days, "day", "days");
	else if (days < MONTHS_MAX * month)
		put_some(b, days / month, "month", "months");
	else
		put_some(b, fmin(days / (12 * month), 1e6), "year", "years");
}

void picker_put_size(struct buf *b, uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	char number[NUM_TEXT_MAX];
	double x = (double)bytes;
	size_t unit = 0;

	while (x >= 999.5) {
		x /= 1000;
		unit++;
	}
	if (unit == 0 || x >= 9.95)
		buf_printf(b, "%.0f", num_round(x));
	else
		buf_bytes(b, number, num_fixed1(number, x));
	buf_printf(b, " %s", units[unit]);
}

static void put_count(struct buf *b, uint64_t n)
{
	char digits[24];
	int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);

	for (int i = 0; i < count; i++) {
		if (i > 0 && (count - i) % 3 == 0)
			buf_char(b, ',');
		buf_char(b, digits[i]);
	}
}

static void put_when(struct buf *b, int64_t seconds)
{
	struct tm t;

	if (local(seconds, &t))
		buf_printf(b, "%04d-%02d-%02d %02d:%02d", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour,
			   t.tm_min);
	else
		buf_text(b, "time unknown");
}

/* A path with ~ for the home directory. */
static void put_path(struct buf *b, const struct picker *p, struct str path)
{
	struct str home = str_of(p->sessions->places.home);
	bool below;

	while (home.n > 0 && home.p[home.n - 1] == '/')
		home.n--;
	below = home.n > 0 && str_starts(path, home) && (path.n == home.n || path.p[home.n] == '/');
	if (below)
		buf_char(b, '~');
	buf_str(b, below ? str_cut(path, home.n, path.n) : path);
}

/* ---- items ---- */

#define PUSH(p, ...) vec_push(&(p)->items, (struct picker_item){__VA_ARGS__})

static void add_sessions(struct picker *p, size_t from, size_t to)
{
	for (; from < to; from++)
		PUSH(p, .kind = ITEM_SESSION, .index = (uint32_t)from);
}

static void add_places(struct picker *p)
{
	const struct sessions *s = p->sessions;

	PUSH(p, .kind = ITEM_NONE);
	for (size_t i = 0; i < s->places.n; i++)
		if (s->roots[i].state != SESSIONS_ROOT_UNUSED)
			PUSH(p, .kind = ITEM_PLACE, .index = (uint32_t)i);
}

static void add_notes(struct picker *p)
{
	const struct sessions *s = p->sessions;

	if (s->notes.n > 0 || s->full) {
		PUSH(p, .kind = ITEM_BLANK);
		PUSH(p, .kind = ITEM_NOTES);
	}
	for (size_t i = 0; i < s->notes.n; i++)
		PUSH(p, .kind = ITEM_NOTE, .index = (uint32_t)i);
	if (s->more_notes > 0)
		PUSH(p, .kind = ITEM_MORE_NOTES);
	if (s->full)
		PUSH(p, .kind = ITEM_FULL);
}

void picker_init(struct picker *p, struct sessions *sessions, int64_t now, size_t max)
{
	size_t all = sessions->list.n, shown = max > 0 && max < all ? max : all;
	size_t own = sessions->own < shown ? sessions->own : shown;

	tzset();
	*p = (struct picker){.sessions = sessions, .now = now};
	if (all == 0)
		add_places(p);
	if (own > 0) {
		PUSH(p, .kind = ITEM_HERE);
		add_sessions(p, 0, own);
	}
	if (own < shown) {
		if (own > 0)
			PUSH(p, .kind = ITEM_BLANK);
		PUSH(p, .kind = own > 0 ? ITEM_ELSEWHERE : ITEM_ALL);
		add_sessions(p, own, shown);
	}
	if (shown < all)
		PUSH(p, .kind = ITEM_MORE, .index = (uint32_t)(all - shown));
	add_notes(p);
}

void picker_free(struct picker *p)
{
	vec_free(&p->items);
	*p = (struct picker){0};
}

size_t picker_count(const struct picker *p) { return p->items.n; }

/* ---- lines ---- */

enum { PATH_NAME_COLUMNS = 60 }; /* the name, where the path follows */

/* Columns by width of the window, the widest first. What is left is the name's. */
static const struct layout {
	int from;
	uint8_t age, size, host, directory;
} layouts[] = {
	{100, 9, 6, 11, 30}, {60, 9, 6, 11, 0}, {40, 9, 0, 6, 0}, {24, 9, 0, 0, 0}, {0, 0, 0, 0, 0},
};

static const struct layout *layout_for(int width)
{
	size_t i = 0;

	while (width > 0 && width < layouts[i].from)
		i++;
	return &layouts[i];
}

/* One column and the blank after it; nothing when it has no width. */
static void put_column(struct line *out, enum style style, struct str s, int columns, enum align align)
{
	if (columns == 0)
		return;
	line_put_clipped(out, style, s, columns, align);
	line_pad_to(out, out->width + 1);
}

/* The end of a text: of directories that tells more than the beginning. */
static void put_end(struct line *out, enum style style, struct str s, int columns)
{
	struct text_cursor c = text_start(s, out->ascii);
	struct text_cell cell;
	int over = text_width(s, out->ascii) - columns;

	if (over <= 0) {
		line_put(out, style, s);
		return;
	}
	for (over++; over > 0 && text_next(&c, &cell);) {
		over -= cell.columns;
		while (cell.more && text_next(&c, &cell))
			over -= cell.columns;
	}
	line_glyph(out, style, GLYPH_ELLIPSIS);
	line_put(out, style, str_cut(s, c.at, s.n));
}

/* What is wrong with a session that cannot be opened. */
static const char *const marks[SESSION_STATE_COUNT] = {
	[SESSION_NO_READER] = "no reader",
	[SESSION_UNKNOWN] = "not recognized",
	[SESSION_EMPTY] = "empty",
	[SESSION_CANNOT_OPEN] = "cannot be opened",
};

static void put_name(const struct session *one, int columns, struct line *out)
{
	int end = columns > 0 ? out->width + columns : 0;
	enum style style = marks[one->state] != NULL ? STYLE_DIM : STYLE_PLAIN;

	if (marks[one->state] != NULL && (columns == 0 || columns > (int)strlen(marks[one->state]) + 3)) {
		line_printf(out, STYLE_WARNING, "[%s]", marks[one->state]);
		line_puts(out, style, " ");
	}
	if (end > 0)
		line_put_clipped(out, style, one->name, end - out->width, ALIGN_LEFT);
	else
		line_put(out, style, one->name);
}

static void session_line(const struct picker *p, uint32_t index, int width, struct line *out)
{
	const struct layout *l = layout_for(width);
	const struct session *one = session_at(p->sessions, index);
	int directory = one->own || width == 0 ? 0 : l->directory;
	struct buf age = {0}, size = {0}, path = {0};

	picker_put_age(&age, one->time, p->now);
	picker_put_size(&size, one->size);
	put_column(out, STYLE_NUMBER, buf_view(&age), l->age, ALIGN_RIGHT);
	put_column(out, STYLE_DIM, buf_view(&size), l->size, ALIGN_RIGHT);
	put_column(out, STYLE_BOLD, str_of(session_place(p->sessions, one)->host), l->host, ALIGN_LEFT);
	if (width == 0) {
		put_name(one, PATH_NAME_COLUMNS, out);
		line_puts(out, STYLE_PLAIN, "  ");
		line_puts(out, STYLE_DIM, one->path);
	} else {
		put_name(one, line_left(out) - (directory > 0 ? directory + 2 : 0), out);
	}
	if (directory > 0) {
		put_path(&path, p, one->cwd);
		line_pad_to(out, out->width + 2);
		put_end(out, STYLE_DIM, buf_view(&path), directory);
	}
	buf_free(&age);
	buf_free(&size);
	buf_free(&path);
}

static void place_line(const struct picker *p, uint32_t index, struct line *out)
{
	static const char *const states[] = {
		[SESSIONS_ROOT_LISTED] = "no session in it",
		[SESSIONS_ROOT_MISSING] = "does not exist",
		[SESSIONS_ROOT_REFUSED] = "cannot be listed",
		[SESSIONS_ROOT_SAME] = "the same directory as one above",
		[SESSIONS_ROOT_NO_HOME] = "no home directory is known",
		[SESSIONS_ROOT_UNUSED] = "",
	};
	const struct sessions *s = p->sessions;
	const struct sessions_root *root = &s->roots[index];
	struct buf path = {0};

	line_puts(out, STYLE_PLAIN, "  ");
	put_column(out, STYLE_BOLD, str_of(s->places.v[index].host), 11, ALIGN_LEFT);
	if (root->path != NULL)
		put_path(&path, p, str_of(root->path));
	else
		buf_printf(&path, "%s/%s", s->places.v[index].base, s->places.v[index].below);
	line_put(out, STYLE_PLAIN, buf_view(&path));
	line_printf(out, STYLE_DIM, ": %s", states[root->state]);
	buf_free(&path);
}

static void note_line(const struct picker *p, uint32_t index, struct line *out)
{
	const struct sessions_note *note = &p->sessions->notes.v[index];
	struct buf path = {0};

	put_path(&path, p, str_of(note->path));
	line_puts(out, STYLE_PLAIN, "  ");
	line_put(out, STYLE_PLAIN, buf_view(&path));
	line_printf(out, STYLE_WARNING, ": %s", note->why);
	buf_free(&path);
}

static void here_line(const struct picker *p, struct line *out)
{
	struct buf path = {0};

	put_path(&path, p, str_of(p->sessions->places.cwd));
	line_puts(out, STYLE_HEADING, "This directory, ");
	line_put(out, STYLE_HEADING, buf_view(&path));
	buf_free(&path);
}

static void count_line(uint64_t n, const char *one, const char *many, struct line *out)
{
	struct buf b = {0};

	put_count(&b, n);
	buf_printf(&b, " %s", n == 1 ? one : many);
	line_put(out, STYLE_DIM, buf_view(&b));
	buf_free(&b);
}

void picker_line(const struct picker *p, size_t i, int width, struct line *out)
{
	static const char *const headings[ITEM_KIND_COUNT] = {
		[ITEM_ELSEWHERE] = "Other directories",
		[ITEM_ALL] = "Sessions of all directories, newest first",
		[ITEM_NONE] = "No session found. Looked in:",
		[ITEM_NOTES] = "Not everything could be looked at:",
	};
	const struct picker_item *item = &p->items.v[i];

	line_reset(out, width);
	if (headings[item->kind] != NULL)
		line_puts(out, STYLE_HEADING, headings[item->kind]);
	else if (item->kind == ITEM_HERE)
		here_line(p, out);
	else if (item->kind == ITEM_SESSION)
		session_line(p, item->index, width, out);
	else if (item->kind == ITEM_PLACE)
		place_line(p, item->index, out);
	else if (item->kind == ITEM_NOTE)
		note_line(p, item->index, out);
	else if (item->kind == ITEM_MORE)
		count_line(item->index, "more session", "more sessions", out);
	else if (item->kind == ITEM_MORE_NOTES)
		count_line(p->sessions->more_notes, "more of this kind", "more of this kind", out);
	else if (item->kind == ITEM_FULL)
		count_line(SESSIONS_SEEN_MAX, "", "names were looked at; there are more", out);
}

void picker_caption(const struct picker *p, int width, struct line *out)
{
	const struct layout *l = layout_for(width);

	line_reset(out, width);
	if (p->sessions->list.n == 0)
		return;
	put_column(out, STYLE_HEADING, STR("changed"), l->age, ALIGN_RIGHT);
	put_column(out, STYLE_HEADING, STR("size"), l->size, ALIGN_RIGHT);
	put_column(out, STYLE_HEADING, STR("host"), l->host, ALIGN_LEFT);
	if (width == 0) {
		line_put_clipped(out, STYLE_HEADING, STR("session"), PATH_NAME_COLUMNS, ALIGN_LEFT);
		line_puts(out, STYLE_HEADING, "  file");
		return;
	}
	line_puts(out, STYLE_HEADING, "session");
	if (l->directory > 0) {
		line_pad_to(out, width - l->directory);
		line_puts(out, STYLE_HEADING, "directory");
	}
}

/* ---- selection ---- */

static const struct session *session_of(const struct picker *p, size_t i)
{
	const struct picker_item *item = i < p->items.n ? &p->items.v[i] : NULL;

	return item != NULL && item->kind == ITEM_SESSION ? &p->sessions->list.v[item->index] : NULL;
}

const char *picker_path(const struct picker *p, size_t i)
{
	const struct session *one = session_of(p, i);

	return one != NULL ? one->path : NULL;
}

uint64_t picker_key(const struct picker *p, size_t i)
{
	const char *path = picker_path(p, i);

	return path != NULL ? fnv_bytes(FNV_START, path, strlen(path)) | 1 : 0;
}

size_t picker_find(const struct picker *p, uint64_t key)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < p->items.n; i++) {
		uint64_t own = picker_key(p, i);

		if (own == key && own != 0)
			return i;
		if (own != 0 && first == SIZE_MAX)
			first = i;
	}
	return first;
}

size_t picker_move(const struct picker *p, size_t i, long by)
{
	size_t at = i;

	while (by != 0 && (by > 0 ? at + 1 < p->items.n : at > 0)) {
		at = by > 0 ? at + 1 : at - 1;
		if (session_of(p, at) == NULL)
			continue;
		i = at;
		by += by > 0 ? -1 : 1;
	}
	return i;
}

void picker_about(const struct picker *p, size_t i, int width, struct line *out)
{
	const struct session *one = session_of(p, i);
	struct buf b = {0};

	line_reset(out, width);
	if (one == NULL)
		return;
	one = session_at(p->sessions, p->items.v[i].index);
	put_when(&b, one->time);
	buf_text(&b, ", ");
	put_count(&b, one->size);
	buf_text(&b, one->size == 1 ? " byte" : " bytes");
	if (marks[one->state] != NULL)
		buf_printf(&b, ", %s", marks[one->state]);
	if (one->what != NULL)
		buf_printf(&b, " (%s)", one->what);
	line_put(out, STYLE_NUMBER, buf_view(&b));
	buf_cut(&b, 0);
	if (one->cwd.n > 0) {
		put_path(&b, p, one->cwd);
		line_puts(out, STYLE_DIM, ", in ");
		line_put(out, STYLE_PLAIN, buf_view(&b));
	}
	buf_cut(&b, 0);
	put_path(&b, p, str_of(one->path));
	line_puts(out, STYLE_DIM, ": ");
	line_put(out, STYLE_PLAIN, buf_view(&b));
	buf_free(&b);
}

void picker_print(const struct picker *p, int width, bool ascii, struct buf *b)
{
	struct line line = {.ascii = ascii};

	picker_caption(p, width, &line);
	if (line.width > 0) {
		line_write(&line, b);
		buf_char(b, '\n');
	}
	for (size_t i = 0; i < picker_count(p); i++) {
		picker_line(p, i, width, &line);
		line_write(&line, b);
		buf_char(b, '\n');
	}
	line_free(&line);
}
