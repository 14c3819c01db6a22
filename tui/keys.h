/*
 * keys: keys as numbers and as names, independent of any terminal.
 *
 * A key is a code: a Unicode code point for what can be typed (U+0001..U+001A
 * for Ctrl with a letter), or one of enum keys_code. Names are `j`, `^L`,
 * `<Tab>`, `<S-Tab>`, `<F1>`, `<Click 3,10>` (row, column from 0). A `<` or `^`
 * that does not start a name stands for itself. Names ignore case inside <>.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/vec.h"

enum keys_code {
	KEYS_NONE = 0,
	KEYS_TAB = 0x09,
	KEYS_ENTER = 0x0d, /* a line feed from the terminal is this, too */
	KEYS_ESCAPE = 0x1b,
	KEYS_SPACE = 0x20,
	KEYS_BACKSPACE = 0x7f,
	KEYS_SPECIAL = 0x110000, /* first code that is no character */
	KEYS_SHIFT_TAB = KEYS_SPECIAL,
	KEYS_UP,
	KEYS_DOWN,
	KEYS_LEFT,
	KEYS_RIGHT,
	KEYS_SHIFT_UP,
	KEYS_SHIFT_DOWN,
	KEYS_SHIFT_LEFT,
	KEYS_SHIFT_RIGHT,
	KEYS_HOME,
	KEYS_END,
	KEYS_PAGE_UP,
	KEYS_PAGE_DOWN,
	KEYS_INSERT,
	KEYS_DELETE,
	KEYS_F1, /* ... KEYS_F1 + 11 */
	KEYS_F12 = KEYS_F1 + 11,
	KEYS_CLICK,      /* row and col are set */
	KEYS_WHEEL_UP,   /* row and col are set */
	KEYS_WHEEL_DOWN, /* row and col are set */
	KEYS_END_OF_CODES
};

#define KEYS_CTRL(letter) ((uint32_t)((letter)&0x1f))

struct key {
	uint32_t code;
	int row, col; /* of the mouse; 0 for keys */
};

static inline bool key_same(struct key a, struct key b) { return a.code == b.code; }
/* Something that can be typed into a prompt: its UTF-8 goes to out; returns the bytes, 0 for other keys. */
size_t key_text(char out[4], struct key k);
/* Appends the name that key_parse reads back. */
void key_put_name(struct buf *out, struct key k);

/* The key at the start of s (white space is a key here); returns the bytes of its name, 0 when s is empty. */
size_t key_read(struct str s, struct key *out);
/* Exactly one key, as in a configuration file. */
bool key_parse(struct str name, struct key *out);

/* A character of which not all bytes have come; zero-initialised = none. */
struct key_bytes {
	char bytes[4];
	int n;
};
/* The bytes of a character, one by one, whatever the locale; KEYS_NONE until it is complete or when it is none. */
uint32_t key_take_byte(struct key_bytes *k, int byte);

struct key_list {
	VEC(struct key) keys;
};

/*
 * A key script: keys one after the other (`..42g<Tab>/word<Enter>`); blanks and
 * line feeds separate and are no keys; a line that starts with "# " is a
 * comment. Fails on bytes that are no key (STATUS_DATA, line and byte set).
 * Appends; the caller owns the list.
 */
enum status key_script(struct str s, struct key_list *out, struct error *e);
void key_list_free(struct key_list *list);

#endif
