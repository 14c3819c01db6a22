#include "fnv.h"

uint64_t fnv_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *u = p;
	size_t i;

	for (i = 0; i < n; i++)
		h = fnv_byte(h, u[i]);
	return h;
}

uint64_t fnv_text(uint64_t h, struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	const unsigned char *end = p ? p + s.n : p;

	while (p < end) {
		unsigned char c = *p++;

		/* Only C0 80 and ED A0..BF xx differ from UTF-8; both tests hide behind the multiplication. */
		if (c == 0xC0 && p < end && *p == 0x80) {
			c = 0;
			p++;
		} else if (c == 0xED && end - p >= 2 && *p >= 0xA0) {
			h = fnv_byte(fnv_byte(h, 0xEF), 0xBF);
			c = 0xBD;
			p += 2;
		}
		h = fnv_byte(h, c);
	}
	return h;
}

uint64_t fnv_u64(uint64_t h, uint64_t x)
{
	int shift;

	for (shift = 56; shift >= 0; shift -= 8)
		h = fnv_byte(h, (unsigned char)(x >> shift));
	return h;
}

void fnv_hex(char out[17], uint64_t h)
{
	int i;

	for (i = 0; i < 16; i++)
		out[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
	out[16] = '\0';
}
