#include <math.h>

#include "replay/readers/pi.h"

static bool is_digit(struct str s, size_t at) { return at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; }

bool pi_members(struct pi_line *l, struct json_span at, struct json_scan *scan, const struct str *names, size_t count,
		struct json_span *out)
{
	size_t i;

	if (!pick_is(at, JSON_OBJECT) || json_scan(l->s + at.at, at.n, scan) != JSON_OK) {
		memset(out, 0, count * sizeof *out);
		return false;
	}
	pick(l->s + at.at, scan, names, count, out, l->scratch);
	for (i = 0; i < count; i++)
		out[i].at += at.at;
	return true;
}

/* A string of the line: where it lies, unless its tags are taken off. */
static struct pi_text stripped(struct pi_line *l, struct json_span string)
{
	struct str whole = json_decode(l->scratch, l->s, string);
	struct pi_text t = {pi_strip(whole), {.place = SPAN_ABSENT}};
	struct source_line line = {.at = l->entry->at};

	if (t.text.n == whole.n) {
		t.span = recording_span(&line, string);
	} else if (string.plain) {
		t.span.at = l->entry->at + (uint64_t)(t.text.p - l->s);
		t.span.n = (uint32_t)t.text.n;
		t.span.place = SPAN_JSON;
	}
	return t;
}

static void take_call(struct pi_line *l, const struct json_span *v)
{
	struct names *names = &l->r->names;
	uint32_t name = names_add(names, pick_str(l->scratch, l->s, v[2]));

	if (name == 0)
		return;
	vec_push(&l->pi->calls, (struct pi_call){names_add(names, pick_str(l->scratch, l->s, v[1])), name, v[3]});
}

struct pi_text pi_text_of(struct pi_line *l, struct json_span content)
{
	static const struct str names[] = {STR("type"), STR("id"), STR("name"), STR("arguments"), STR("text")};
	struct pi *pi = l->pi;
	struct pi_text all = {STR(""), {.place = SPAN_ABSENT}};
	size_t i, texts = 0;

	pi->calls.n = 0;
	if (pick_is(content, JSON_STRING))
		return stripped(l, content);
	if (!pick_is(content, JSON_ARRAY) || json_scan(l->s + content.at, content.n, &pi->list_scan) != JSON_OK)
		return all;
	buf_cut(&pi->joined, 0);
	for (i = 0; i < pi->list_scan.items.n; i++) {
		struct json_span v[5], block = pi->list_scan.items.v[i];
		struct pi_text one;
		struct str type;

		block.at += content.at;
		if (!pi_members(l, block, &pi->block_scan, names, 5, v))
			continue;
		type = pick_str(l->scratch, l->s, v[0]);
		if (str_eq(type, STR("toolCall")))
			take_call(l, v);
		pi->images += pi->path_known && str_eq(type, STR("image"));
		if (!str_eq(type, STR("text")) || !pick_is(v[4], JSON_STRING))
			continue;
		one = stripped(l, v[4]);
		if (texts++ == 0) {
			all = one;
			continue;
		}
		if (texts == 2)
			buf_str(&pi->joined, all.text);
		buf_char(&pi->joined, '\n');
		buf_str(&pi->joined, one.text);
	}
	return texts > 1 ? (struct pi_text){buf_view(&pi->joined), {.place = SPAN_ABSENT}} : all;
}

struct pi_text pi_arguments(struct pi_line *l, struct json_span v)
{
	struct pi_text t = {STR(""), {.place = SPAN_ABSENT}};
	struct source_line line = {.at = l->entry->at};
	struct str raw = {l->s + v.at, v.n};
	struct buf canon = {0};

	if (pick_missing(v) || v.kind == JSON_FALSE || (v.kind == JSON_NUMBER && pick_num(l->scratch, l->s, v) == 0))
		return t;
	if (v.kind == JSON_STRING)
		return (struct pi_text){json_decode(l->scratch, l->s, v), recording_span(&line, v)};
	json_put_span(&canon, l->scratch, raw);
	t.text = raw;
	if (str_eq(buf_view(&canon), raw))
		t.span = recording_span(&line, v);
	else
		t.text = (struct str){arena_copy(l->scratch, buf_view(&canon).p, canon.n), canon.n};
	buf_free(&canon);
	return t;
}

/* Decimal digits s.p[at .. at + n); -1 when they are not all digits. */
static int number_at(struct str s, size_t at, size_t n)
{
	int x = 0;
	size_t i;

	for (i = at; i < at + n; i++) {
		if (!is_digit(s, i))
			return -1;
		x = x * 10 + (s.p[i] - '0');
	}
	return x;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static int days(int year, int month, int day)
{
	int y = month <= 2 ? year - 1 : year, m = month <= 2 ? month + 9 : month - 3;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

double pi_time(struct str s)
{
	int year = number_at(s, 0, 4), month = number_at(s, 5, 2), day = number_at(s, 8, 2);
	int hour = number_at(s, 11, 2), minute = number_at(s, 14, 2), second = number_at(s, 17, 2), milli = 0;
	size_t at = 19;

	if (year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || minute < 0 || second < 0)
		return NAN;
	if (at < s.n && s.p[at] == '.') {
		milli = number_at(s, 20, 3);
		at = 23;
	}
	if (milli < 0 || at + 1 != s.n || s.p[at] != 'Z' || s.p[4] != '-' || s.p[7] != '-' || s.p[10] != 'T')
		return NAN;
	return ((((double)days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli;
}

double pi_panel_blocks(struct str text)
{
	size_t at = 0;

	while ((at = str_find(text, STR(", "), at)) != SIZE_MAX) {
		size_t digits = at + 2;
		double blocks = 0;

		for (; is_digit(text, digits); digits++)
			blocks = blocks * 10 + (text.p[digits] - '0');
		if (digits > at + 2 && (str_starts(str_cut(text, digits, text.n), STR(" block)")) ||
					str_starts(str_cut(text, digits, text.n), STR(" blocks)"))))
			return blocks;
		at += 2;
	}
	return -1;
}
