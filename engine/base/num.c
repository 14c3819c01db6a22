#include "num.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

/* Decimal digits of x, most significant first; returns how many. */
static size_t print_u64(char *out, uint64_t x)
{
	char digits[20];
	size_t n = 0, i;

	do
		digits[n++] = (char)('0' + x % 10);
	while (x /= 10);
	for (i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

/* A positive finite number as 0.d1..dk x 10^point; the last digit is not 0. */
struct decimal {
	char digits[20];
	int count, point;
};

/* Digits of %.<precision>e; false when they read back as another double. */
static bool try_precision(struct decimal *d, double x, int precision)
{
	char text[40];
	int i;

	snprintf(text, sizeof text, "%.*e", precision - 1, x);
	d->digits[0] = text[0];
	for (i = 1; i < precision; i++)
		d->digits[i] = text[i + 1];
	d->count = precision;
	d->point = atoi(strchr(text, 'e') + 1) + 1;
	return strtod(text, NULL) == x;
}

/* The next decimal above d with as many digits, if it reads back as x. */
static bool try_above(struct decimal *d, double x)
{
	char text[40];
	int i = d->count;

	while (i > 0 && d->digits[i - 1] == '9')
		d->digits[--i] = '0';
	if (i > 0) {
		d->digits[i - 1]++;
	} else {
		d->digits[0] = '1';
		d->point++;
	}
	snprintf(text, sizeof text, "0.%.*se%d", d->count, d->digits, d->point);
	return strtod(text, NULL) == x;
}

/*
 * Shortest digits. A normal double that 15 digits or fewer can name is named by its nearest 15-digit decimal
 * (DBL_DIG), so only 15, 16 and 17 need trying. Below the normal range that does not hold. At a power of two the
 * gap below is half the gap above: the nearest 16-digit decimal may lie below and miss while the next one hits.
 */
static void shortest(struct decimal *d, double x)
{
	int exponent;
	bool power = frexp(x, &exponent) == 0.5;
	int precision = x < DBL_MIN ? 1 : DBL_DIG;

	while (!try_precision(d, x, precision)) {
		if (power && precision == 16 && try_above(d, x))
			break;
		precision++;
	}
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->count--;
}

/* kernel.md 2.5: the ECMAScript layout. */
static size_t lay_out(char *out, const struct decimal *d)
{
	size_t count = (size_t)d->count, n = 0;
	int i;

	if (d->point > 0 && d->point <= 21) {
		size_t whole = (size_t)d->point < count ? (size_t)d->point : count;

		memcpy(out, d->digits, whole);
		for (n = whole; n < (size_t)d->point;)
			out[n++] = '0';
		if (count > whole) {
			out[n++] = '.';
			memcpy(out + n, d->digits + whole, count - whole);
			n += count - whole;
		}
		return n;
	}
	if (d->point > -6 && d->point <= 0) {
		out[n++] = '0';
		out[n++] = '.';
		for (i = d->point; i < 0; i++)
			out[n++] = '0';
		memcpy(out + n, d->digits, count);
		return n + count;
	}
	out[n++] = d->digits[0];
	if (count > 1) {
		out[n++] = '.';
		memcpy(out + n, d->digits + 1, count - 1);
		n += count - 1;
	}
	out[n++] = 'e';
	out[n++] = d->point > 0 ? '+' : '-';
	return n + print_u64(out + n, (uint64_t)(d->point > 0 ? d->point - 1 : 1 - d->point));
}

/*
 * k / 10^places == x in double division means that the decimal k * 10^-places reads back as x, because both are
 * the correctly rounded quotient; with at most 15 digits it is the shortest. Ratios and densities end here.
 */
static bool few_places(struct decimal *d, double x)
{
	static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
	size_t places;

	if (x < 1e-6)
		return false;
	for (places = 1; places < sizeof power / sizeof *power; places++) {
		double k = floor(x * power[places] + 0.5);

		if (k >= 1e15)
			return false;
		if (k / power[places] == x) {
			d->count = (int)print_u64(d->digits, (uint64_t)k);
			d->point = d->count - (int)places;
			return true;
		}
	}
	return false;
}

size_t num_print(char out[NUM_TEXT_MAX], double x)
{
	struct decimal d;
	size_t n = 0;

	if (!isfinite(x)) {
		memcpy(out, "null", 5);
		return 4;
	}
	if (x < 0) {
		out[n++] = '-';
		x = -x;
	}
	if (x < EXACT_MAX && x == (double)(uint64_t)x) {
		n += print_u64(out + n, (uint64_t)x);
	} else {
		if (!few_places(&d, x))
			shortest(&d, x);
		n += lay_out(out + n, &d);
	}
	out[n] = '\0';
	return n;
}

double num_round(double x) { return floor(x + 0.5); }

size_t num_fixed1(char out[NUM_TEXT_MAX], double x)
{
	const uint64_t one = UINT64_C(1) << 59;
	uint64_t whole, tenths;
	size_t n;

	if (!(x >= 0 && x < 1e15))
		return num_print(out, x);
	whole = (uint64_t)x;
	/* The fraction scaled by 2^59 is exact from 2^-7 on, and what is smaller is far from any tie. */
	tenths = (uint64_t)((x - (double)whole) * (double)one);
	tenths = (tenths * 20 + one) / (one * 2);
	whole += tenths / 10;
	n = print_u64(out, whole);
	out[n++] = '.';
	out[n++] = (char)('0' + tenths % 10);
	out[n] = '\0';
	return n;
}

static size_t with_suffix(char out[NUM_TEXT_MAX], size_t n, char suffix)
{
	out[n++] = suffix;
	out[n] = '\0';
	return n;
}

size_t num_label_tag(char out[NUM_TEXT_MAX], double tokens)
{
	if (tokens < 1000)
		return num_print(out, tokens);
	if (tokens < 10000)
		return with_suffix(out, num_fixed1(out, tokens / 1000), 'K');
	return with_suffix(out, num_print(out, num_round(tokens / 1000)), 'K');
}

size_t num_label_nudge(char out[NUM_TEXT_MAX], double tokens)
{
	if (tokens >= 1000)
		return with_suffix(out, num_fixed1(out, tokens / 1000), 'K');
	return num_print(out, tokens);
}

size_t num_label_report(char out[NUM_TEXT_MAX], double tokens)
{
	if (!isfinite(tokens) || tokens <= 0)
		tokens = 0;
	return num_label_nudge(out, tokens);
}

size_t num_label_compact(char out[NUM_TEXT_MAX], double tokens)
{
	if (tokens < 1000)
		return num_print(out, tokens);
	if (tokens < 10000)
		return with_suffix(out, num_fixed1(out, tokens / 1000), 'k');
	if (tokens < 1000000)
		return with_suffix(out, num_print(out, num_round(tokens / 1000)), 'k');
	if (tokens < 10000000)
		return with_suffix(out, num_fixed1(out, tokens / 1e6), 'M');
	return with_suffix(out, num_print(out, num_round(tokens / 1e6)), 'M');
}
