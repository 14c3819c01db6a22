/* num: numbers as JavaScript prints and rounds them (kernel.md 2.4, 2.5, 10.1). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/base/num.h"
#include "tests/case_file.h"

struct row {
	double x;
	const char *text;
};

static void check(size_t (*print)(char[NUM_TEXT_MAX], double), const struct row *rows, size_t n)
{
	char out[NUM_TEXT_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		size_t length = print(out, rows[i].x);

		assert_string_equal(out, rows[i].text);
		assert_int_equal(length, strlen(rows[i].text));
	}
}

#define CHECK(print, rows) check(print, rows, sizeof(rows) / sizeof *(rows))

static void printed(void **state)
{
	static const struct row rows[] = {
		/* the examples of kernel.md 2.5 */
		{1.0, "1"},
		{1e3, "1000"},
		{1e21, "1e+21"},
		{1e-7, "1e-7"},
		{0.000001, "0.000001"},
		{12345678901234567890.0, "12345678901234567000"},
		/* both ends of each layout */
		{0, "0"},
		{-0.0, "0"},
		{1e20, "100000000000000000000"},
		{999999999999999868928.0, "999999999999999900000"},
		{123456789012345680000.0, "123456789012345680000"},
		{1.5e21, "1.5e+21"},
		{1.25e-7, "1.25e-7"},
		{0.00000125, "0.00000125"},
		{0.5, "0.5"},
		{-0.5, "-0.5"},
		{123.456, "123.456"},
		{-1e-7, "-1e-7"},
		{1e100, "1e+100"},
		/* integers around 2^53: exact below, shortest digits above */
		{9007199254740991.0, "9007199254740991"},
		{9007199254740992.0, "9007199254740992"},
		{9007199254740994.0, "9007199254740994"},
		{-9007199254740991.0, "-9007199254740991"},
		{18014398509481984.0, "18014398509481984"},
		{18446744073709551616.0, "18446744073709552000"},
		/* shortest: 0.1 + 0.2 needs 17 digits, 0.3 one, 1/3 sixteen */
		{0.1, "0.1"},
		{0.3, "0.3"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1.0 / 3.0, "0.3333333333333333"},
		{2.0 / 3.0, "0.6666666666666666"},
		{100.0 / 3.0, "33.333333333333336"},
		/* ends of the range */
		{DBL_MAX, "1.7976931348623157e+308"},
		{DBL_MIN, "2.2250738585072014e-308"},
		{4.9406564584124654e-324, "5e-324"},
		{9.8813129168249309e-324, "1e-323"},
		{2.2250738585072009e-308, "2.225073858507201e-308"},
		/* 2^-44: the nearest 16-digit decimal lies below and reads back otherwise, the next one does not */
		{5.6843418860808015e-14, "5.684341886080802e-14"},
		{INFINITY, "null"},
		{-INFINITY, "null"},
		{NAN, "null"},
	};

	(void)state;
	CHECK(num_print, rows);
}

static void printed_numbers_read_back(void **state)
{
	char out[NUM_TEXT_MAX];
	uint64_t bits = UINT64_C(0x9E3779B97F4A7C15);
	int i;

	(void)state;
	for (i = 0; i < 50000; i++) {
		double x, back;

		bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		memcpy(&x, &bits, sizeof x);
		if (!isfinite(x))
			continue;
		num_print(out, x);
		back = strtod(out, NULL);
		assert_memory_equal(&back, &x, sizeof x);
	}
}

/* The same bits printed by node; without node this test says so. */
static void printed_as_node_prints(void **state)
{
	static const char command[] =
		"node -e 'const v=new DataView(new ArrayBuffer(8));let s=7n,o=[];const m=(1n<<64n)-1n;"
		"const put=b=>{v.setBigUint64(0,b);o.push(b.toString(16)+\" \"+JSON.stringify(v.getFloat64(0)))};"
		"const num=x=>{v.setFloat64(0,x);put(v.getBigUint64(0))};"
		"for(let i=0;i<20000;i++){s=(s*6364136223846793005n+1442695040888963407n)&m;const t=s;"
		"s=(s*6364136223846793005n+1442695040888963407n)&m;put((t>>32n)<<32n|s>>32n);"
		"num(Number(s>>40n)/1000);num(Number(t>>40n)/Number((s>>54n)+1n));put(t>>(12n+(s>>58n)%50n))}"
		"for(let e=0n;e<2047n;e++)for(let d=0n;d<3n;d++)put((e<<52n)+d);"
		"process.stdout.write(o.join(\"\\n\")+\"\\n\")'";
	char want[64], out[NUM_TEXT_MAX];
	unsigned long long bits;
	size_t rows = 0;
	FILE *node;

	(void)state;
	if (system("command -v node >/dev/null 2>&1") != 0) {
		print_message("skipped: no node to compare with\n");
		return;
	}
	node = popen(command, "r");
	assert_non_null(node);
	while (fscanf(node, "%llx %63s", &bits, want) == 2) {
		uint64_t b = bits;
		double x;

		memcpy(&x, &b, sizeof x);
		num_print(out, x);
		assert_string_equal(out, want);
		rows++;
	}
	assert_int_equal(pclose(node), 0);
	assert_int_equal(rows, 4 * 20000 + 3 * 2047);
}

static void rounded(void **state)
{
	(void)state;
	assert_true(num_round(2.5) == 3.0);
	assert_true(num_round(3.5) == 4.0);
	assert_true(num_round(2.49) == 2.0);
	assert_true(num_round(0) == 0.0);
	assert_true(num_round(0.5) == 1.0);
}

static void fixed1(void **state)
{
	static const struct row rows[] = {
		/* kernel.md 2.4 */
		{1150 / 1000.0, "1.1"},
		{1350 / 1000.0, "1.4"},
		{1450 / 1000.0, "1.4"},
		{1650 / 1000.0, "1.6"},
		{1950 / 1000.0, "1.9"},
		{2050 / 1000.0, "2.0"},
		/* exact ties go up, also where the even neighbour is below */
		{0.25, "0.3"},
		{0.75, "0.8"},
		{1.25, "1.3"},
		{9.25, "9.3"},
		{123.25, "123.3"},
		/* carry, small values, nearly ties */
		{0, "0.0"},
		{9.95, "9.9"},
		{9.951, "10.0"},
		{0.95, "0.9"},
		{0.96, "1.0"},
		{0.05, "0.1"},
		{0.04999999999999999, "0.0"},
		{1e-300, "0.0"},
		{0.15, "0.1"},
		{0.35, "0.3"},
		{123456.0, "123456.0"},
		{562949953421312.25, "562949953421312.3"},
	};

	(void)state;
	CHECK(num_fixed1, rows);
}

/* printf rounds exact ties to even, so it differs at fractions of exactly .25 only (kernel.md 2.4). */
static void fixed1_against_printf(void **state)
{
	char out[NUM_TEXT_MAX], want[NUM_TEXT_MAX];
	unsigned t;

	(void)state;
	for (t = 0; t < 200000; t++) {
		double x = t / 1000.0;

		snprintf(want, sizeof want, "%.1f", x);
		if (t % 1000 == 250)
			snprintf(want, sizeof want, "%u.3", t / 1000);
		num_fixed1(out, x);
		assert_string_equal(out, want);
	}
}

static void label_one(const cJSON *one, void *ctx)
{
	static const struct {
		const char *name;
		size_t (*print)(char[NUM_TEXT_MAX], double);
	} kinds[] = {{"tag", num_label_tag},
		     {"report", num_label_report},
		     {"nudge", num_label_nudge},
		     {"compact", num_label_compact}};
	struct str kind = json_str(json_get(one, "label"));
	struct buf labels = {0};
	const cJSON *x;
	char out[NUM_TEXT_MAX];
	size_t i = 0, n = sizeof kinds / sizeof *kinds;
	(void)ctx;

	while (i < n && !str_eq(kind, str_of(kinds[i].name)))
		i++;
	if (i == n)
		case_fail(one, "no such label");
	cJSON_ArrayForEach (x, json_get(one, "in")) {
		size_t length = kinds[i].print(out, x->valuedouble);
		assert_int_equal(length, strlen(out));
		buf_printf(&labels, "%s%s", labels.n > 0 ? " / " : "", out);
	}
	case_expect_text(one, "labels", buf_view(&labels), json_str(json_get(one, "want")));
	buf_free(&labels);
}

static void labels(void **state)
{
	/* what JSON cannot write */
	static const struct row report[] = {{NAN, "0"}, {INFINITY, "0"}, {-INFINITY, "0"}};

	(void)state;
	case_file_each("tests/cases/labels.jsonl", label_one, NULL);
	CHECK(num_label_report, report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed),
		cmocka_unit_test(printed_numbers_read_back),
		cmocka_unit_test(printed_as_node_prints),
		cmocka_unit_test(rounded),
		cmocka_unit_test(fixed1),
		cmocka_unit_test(fixed1_against_printf),
		cmocka_unit_test(labels),
	};

	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
