/* What goes to a terminal holds nothing that a terminal obeys, however it is cut into writes. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/cli/out.h"

/* Both ends of a terminal that passes bytes on as they are. */
static void open_terminal(int *ours, int *theirs)
{
	struct termios t;
	*ours = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(*ours >= 0);
	assert_int_equal(grantpt(*ours), 0);
	assert_int_equal(unlockpt(*ours), 0);
	*theirs = open(ptsname(*ours), O_RDWR | O_NOCTTY);
	assert_true(*theirs >= 0);
	assert_int_equal(tcgetattr(*theirs, &t), 0);
	t.c_oflag &= ~(tcflag_t)OPOST;
	assert_int_equal(tcsetattr(*theirs, TCSANOW, &t), 0);
}

/* C1, DEL and bidi controls among characters of every length, split in two at every byte. */
static void split_anywhere(void **state)
{
	(void)state;
	static const char text[] = "a\xC2\x9B"
				   "b\x7F\xE2\x80\xAE"
				   "c\xE4\xBD\xA0\xF0\x9F\x98\x80\xC3\xA9z";
	static const char want[] = "a\\u009bb\\u007f\\u202ec\xE4\xBD\xA0\xF0\x9F\x98\x80\xC3\xA9z";
	size_t n = sizeof text - 1;
	for (size_t cut = 0; cut <= n; cut++) {
		struct out o = {0};
		int ours;
		char got[256];
		size_t have = 0;
		open_terminal(&ours, &o.fd);
		buf_bytes(&o.buf, text, cut);
		assert_true(out_flush(&o));
		buf_bytes(&o.buf, text + cut, n - cut);
		assert_int_equal(out_end(&o, "terminal", 0), 0);
		while (have < sizeof want - 1) {
			ssize_t more = read(ours, got + have, sizeof got - have);
			assert_true(more > 0);
			have += (size_t)more;
		}
		assert_int_equal(have, sizeof want - 1);
		assert_memory_equal(got, want, have);
		close(o.fd);
		close(ours);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_anywhere),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
