#include "tui/mouse.h"

enum { NUMBER_MAX = 100000 };

/* Digits at *at, at least one; false when there are none or too many. */
static bool number(struct str s, size_t *at, int *out)
{
	size_t begin = *at;

	for (*out = 0; *at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9'; ++*at) {
		*out = *out * 10 + (s.p[*at] - '0');
		if (*out > NUMBER_MAX)
			return false;
	}
	return *at > begin;
}

struct key mouse_read(struct str text)
{
	static const struct {
		int button;
		uint32_t code;
	} buttons[] = {{0, KEYS_CLICK}, {64, KEYS_WHEEL_UP}, {65, KEYS_WHEEL_DOWN}};
	struct key key = {0};
	size_t at = 2;
	int value[3];

	if (!str_starts(text, STR("[<")) || text.p[text.n - 1] != 'M')
		return key;
	for (int i = 0; i < 3; i++) {
		if (!number(text, &at, &value[i]) || at >= text.n || text.p[at] != (i < 2 ? ';' : 'M'))
			return key;
		at++;
	}
	if (at != text.n || value[1] < 1 || value[2] < 1)
		return key;
	for (size_t i = 0; i < sizeof buttons / sizeof *buttons; i++)
		if (buttons[i].button == value[0])
			key = (struct key){.code = buttons[i].code, .row = value[2] - 1, .col = value[1] - 1};
	return key;
}
