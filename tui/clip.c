#include "tui/clip.h"

bool clip_put(struct buf *out, struct str s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	if (s.n > CLIP_MAX)
		return false;
	buf_text(out, "\033]52;c;");
	for (size_t i = 0; i < s.n; i += 3) {
		uint32_t three = 0;

		for (size_t k = 0; k < 3; k++)
			three = three << 8 | (i + k < s.n ? (unsigned char)s.p[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			buf_char(out, i + k <= s.n ? digits[three >> (18 - 6 * k) & 63] : '=');
	}
	buf_char(out, '\a');
	return true;
}
