#include "tui/keys.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t code;
	bool mouse; /* followed by row and column */
} names[] = {
	/* the first name of a code is the one that is written */
	{"Tab", KEYS_TAB, false},
	{"S-Tab", KEYS_SHIFT_TAB, false},
	{"Enter", KEYS_ENTER, false},
	{"Esc", KEYS_ESCAPE, false},
	{"Space", KEYS_SPACE, false},
	{"BS", KEYS_BACKSPACE, false},
	{"Up", KEYS_UP, false},
	{"Down", KEYS_DOWN, false},
	{"Left", KEYS_LEFT, false},
	{"Right", KEYS_RIGHT, false},
	{"S-Up", KEYS_SHIFT_UP, false},
	{"S-Down", KEYS_SHIFT_DOWN, false},
	{"S-Left", KEYS_SHIFT_LEFT, false},
	{"S-Right", KEYS_SHIFT_RIGHT, false},
	{"Home", KEYS_HOME, false},
	{"End", KEYS_END, false},
	{"PgUp", KEYS_PAGE_UP, false},
	{"PgDn", KEYS_PAGE_DOWN, false},
	{"Ins", KEYS_INSERT, false},
	{"Del", KEYS_DELETE, false},
	{"Click", KEYS_CLICK, true},
	{"WheelUp", KEYS_WHEEL_UP, true},
	{"WheelDown", KEYS_WHEEL_DOWN, true},
	/* other spellings, and what would be read as something else */
	{"lt", '<', false},
	{"caret", '^', false},
	{"Shift-Tab", KEYS_SHIFT_TAB, false},
	{"Return", KEYS_ENTER, false},
	{"CR", KEYS_ENTER, false},
	{"Escape", KEYS_ESCAPE, false},
	{"Backspace", KEYS_BACKSPACE, false},
	{"PageUp", KEYS_PAGE_UP, false},
	{"PageDown", KEYS_PAGE_DOWN, false},
	{"Insert", KEYS_INSERT, false},
	{"Delete", KEYS_DELETE, false},
};

enum { NAME_MAX_BYTES = 32, MOUSE_MAX = 9999 };

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_word(struct str s, const char *word)
{
	if (s.n != strlen(word))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (lower(s.p[i]) != lower(word[i]))
			return false;
	return true;
}

static bool is_control(uint32_t code) { return code >= 1 && code < 0x20; }

size_t key_text(char out[4], struct key k)
{
	if (k.code < 0x20 || k.code == KEYS_BACKSPACE || k.code >= KEYS_SPECIAL)
		return 0;
	return text_encode(out, k.code);
}

void key_put_name(struct buf *out, struct key k)
{
	char bytes[4];
	size_t n;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (names[i].code != k.code)
			continue;
		/* alone, these two stand for themselves */
		if (k.code == '<' || k.code == '^')
			buf_char(out, (char)k.code);
		else if (names[i].mouse)
			buf_printf(out, "<%s %d,%d>", names[i].name, k.row, k.col);
		else
			buf_printf(out, "<%s>", names[i].name);
		return;
	}
	if (k.code >= KEYS_F1 && k.code <= KEYS_F12)
		buf_printf(out, "<F%d>", (int)(k.code - KEYS_F1) + 1);
	else if (is_control(k.code))
		buf_printf(out, "^%c", (char)(k.code + '@'));
	else if ((n = key_text(bytes, k)))
		buf_bytes(out, bytes, n);
}

/* Decimal digits at *at; -1 when there are none or the number is too large. */
static int read_number(struct str s, size_t *at)
{
	size_t start = *at;
	int n = 0;

	while (*at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9') {
		n = n * 10 + (s.p[(*at)++] - '0');
		if (n > MOUSE_MAX)
			return -1;
	}
	return *at > start ? n : -1;
}

/* ` 3,10` */
static bool read_place(struct str s, struct key *out)
{
	size_t at = 1;

	if (s.n == 0 || s.p[0] != ' ')
		return false;
	out->row = read_number(s, &at);
	if (out->row < 0 || at >= s.n || s.p[at++] != ',')
		return false;
	out->col = read_number(s, &at);
	return out->col >= 0 && at == s.n;
}

/* What stands between < and >. */
static bool read_name(struct str inner, struct key *out)
{
	struct str word = str_cut(inner, 0, str_find(inner, STR(" "), 0)), rest = str_cut(inner, word.n, inner.n);
	size_t at = 1;
	int number;

	*out = (struct key){0};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!same_word(word, names[i].name))
			continue;
		out->code = names[i].code;
		return names[i].mouse ? read_place(rest, out) : rest.n == 0;
	}
	if (rest.n > 0 || inner.n < 2 || lower(inner.p[0]) != 'f')
		return false;
	number = read_number(inner, &at);
	out->code = KEYS_F1 + (uint32_t)number - 1;
	return number >= 1 && number <= 12 && at == inner.n;
}

size_t key_read(struct str s, struct key *out)
{
	struct key key;
	size_t end;
	uint32_t code;

	if (s.n == 0)
		return 0;
	if (s.p[0] == '<') {
		end = str_find(str_cut(s, 0, NAME_MAX_BYTES), STR(">"), 1);
		if (end != SIZE_MAX && read_name(str_cut(s, 1, end), &key)) {
			*out = key;
			return end + 1;
		}
	}
	/* ^A .. ^Z, either case, and ^[ ^\ ^] ^^ ^_ */
	if (s.p[0] == '^' && s.n > 1) {
		char c = lower(s.p[1]);

		if ((c >= 'a' && c <= 'z') || (c >= '[' && c <= '_')) {
			code = KEYS_CTRL(c);
			*out = (struct key){.code = code == '\n' ? KEYS_ENTER : code};
			return 2;
		}
	}
	end = text_decode(s, 0, &code);
	*out = (struct key){.code = code == '\n' ? KEYS_ENTER : code};
	return end;
}

bool key_parse(struct str name, struct key *out)
{
	struct key key;

	if (name.n == 0 || key_read(name, &key) != name.n)
		return false;
	*out = key;
	return true;
}

static bool is_separator(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

enum status key_script(struct str s, struct key_list *out, struct error *e)
{
	size_t at = 0, line = 1;
	bool line_start = true;

	while (at < s.n) {
		struct key key;
		size_t n;

		if (line_start && str_starts(str_cut(s, at, s.n), STR("# "))) {
			n = str_find(s, STR("\n"), at);
			at = n < s.n ? n : s.n;
			continue;
		}
		if (is_separator(s.p[at])) {
			line_start = s.p[at++] == '\n';
			line += line_start;
			continue;
		}
		line_start = false;
		n = key_read(str_cut(s, at, s.n), &key);
		/* an invalid byte is read as U+FFFD of one byte; other control characters have names */
		if ((key.code == 0xfffd && n == 1) || key.code == 0 || (unsigned char)s.p[at] < 0x20) {
			if (e) {
				e->line = line;
				e->byte = at;
			}
			return error_set(e, STATUS_DATA, "byte %zu of the key script is no key", at);
		}
		vec_push(&out->keys, key);
		at += n;
	}
	return STATUS_OK;
}

void key_list_free(struct key_list *list) { vec_free(&list->keys); }

uint32_t key_take_byte(struct key_bytes *k, int byte)
{
	int first, need;
	uint32_t code;

	if ((byte & 0xc0) != 0x80)
		k->n = 0; /* a new one starts */
	else if (k->n == 0)
		return KEYS_NONE;
	k->bytes[k->n++] = (char)byte;
	first = (unsigned char)k->bytes[0];
	need = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	if (k->n < need)
		return KEYS_NONE;
	k->n = 0;
	if (text_decode((struct str){k->bytes, (size_t)need}, 0, &code) != (size_t)need)
		return KEYS_NONE;
	return code >= 0xd800 && code < 0xe000 ? (uint32_t)KEYS_NONE : code;
}
