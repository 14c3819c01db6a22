/* Commands that answer, and commands that do everything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay/summarizer.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The lowest descriptor that is free. */
static int free_fd(void)
{
	int fd = dup(STDERR_FILENO);
	close(fd);
	return fd;
}

static void expect_bytes(const char *what, const struct buf *got, struct str want)
{
	if (str_eq(buf_view(got), want))
		return;
	print_error("%s: %zu bytes, want %zu: '%.200s'\n", what, got->n, want.n, got->p ? got->p : "");
	fail();
}

/*
 * Runs it with a pipe that it and all its children inherit: once everybody is
 * gone, reading it ends. Checks what must hold for any command at all.
 */
static void run(const struct summarizer *s, struct summarizer_result *out)
{
	int held[2], before = free_fd();
	struct sigaction pipe_was, pipe_is, child_was, child_is;
	sigaction(SIGPIPE, NULL, &pipe_was);
	sigaction(SIGCHLD, NULL, &child_was);
	assert_int_equal(pipe(held), 0);
	double begun = now();
	summarizer_run(s, out);
	close(held[1]);
	if (now() - begun > 10) {
		print_error("'%.60s' took %.1f seconds\n", s->command, now() - begun);
		fail();
	}
	struct pollfd end = {.fd = held[0], .events = POLLIN};
	if (poll(&end, 1, 2000) != 1) {
		print_error("'%.60s' left something running\n", s->command);
		fail();
	}
	close(held[0]);
	assert_int_equal(free_fd(), before);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	sigaction(SIGPIPE, NULL, &pipe_is);
	sigaction(SIGCHLD, NULL, &child_is);
	assert_ptr_equal(pipe_is.sa_handler, pipe_was.sa_handler);
	assert_ptr_equal(child_is.sa_handler, child_was.sa_handler);
	if (out->end != SUMMARIZER_ANSWERED)
		assert_int_equal(out->answer.n, 0);
}

#define BIG 300000 /* bytes: more than any pipe holds */

static const struct {
	const char *command;
	enum summarizer_end end;
	int code;
	const char *answer; /* NULL = not looked at */
} cases[] = {
	/* answers */
	{"cat >/dev/null; echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"cat >/dev/null", SUMMARIZER_ANSWERED, 0, ""},
	{"cat >/dev/null; printf '```json\\n{\"summary\":\"s\"}\\n```'", SUMMARIZER_ANSWERED, 0,
	 "```json\n{\"summary\":\"s\"}\n```"},
	{"cat >/dev/null; echo noise >&2; echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"wc -c", SUMMARIZER_ANSWERED, 0, "300000\n"},
	/* does not care about its input */
	{"echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"exec <&-; sleep 0.2; echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"head -c 1 >/dev/null; sleep 0.2; echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	/* an answer does not count when it ends badly */
	{"echo ok; exit 3", SUMMARIZER_EXITED, 3, ""},
	{"exit 255", SUMMARIZER_EXITED, 255, ""},
	{"this-command-does-not-exist", SUMMARIZER_EXITED, 127, ""},
	{"-x", SUMMARIZER_EXITED, 127, ""},
	{"if then", SUMMARIZER_EXITED, 2, ""},
	{"echo ok; kill -KILL $$; sleep 100", SUMMARIZER_KILLED, SIGKILL, ""},
	{"kill -SEGV $$; sleep 100", SUMMARIZER_KILLED, SIGSEGV, ""},
	/* only its own group is reached by what it does to its group */
	{"kill -TERM 0; sleep 100", SUMMARIZER_KILLED, SIGTERM, ""},
	/* hangs */
	{"sleep 1000", SUMMARIZER_TIMED_OUT, 0, ""},
	{"cat; sleep 1000", SUMMARIZER_TIMED_OUT, 0, ""},
	{"cat | sleep 1000 | cat", SUMMARIZER_TIMED_OUT, 0, ""},
	{"trap '' TERM INT HUP; while :; do sleep 1; done", SUMMARIZER_TIMED_OUT, 0, ""},
	{"sleep 1000 & sleep 1000 & wait", SUMMARIZER_TIMED_OUT, 0, ""},
	{"echo ok; exec >&- 2>&-; sleep 1000", SUMMARIZER_TIMED_OUT, 0, ""},
	{"kill -STOP $$; echo ok", SUMMARIZER_TIMED_OUT, 0, ""},
	{"(sh -c 'sleep 1000 & exec sleep 1000' & sleep 1000) & cat; sleep 1000", SUMMARIZER_TIMED_OUT, 0, ""},
	/* closes its output and ends */
	{"printf ok; exec >&-; sleep 0.1", SUMMARIZER_ANSWERED, 0, "ok"},
	/* children that hold its output are not waited for */
	{"sleep 1000 & echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"(sleep 1; echo late) & echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"sleep 1000 & exit 4", SUMMARIZER_EXITED, 4, ""},
	{"(trap '' TERM HUP; sleep 1000) & printf ok", SUMMARIZER_ANSWERED, 0, "ok"},
#ifdef __linux__
	/* what leaves its group is killed with it, children and all */
	{"setsid sleep 1000 & echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"setsid sleep 1000 & sleep 0.2; echo ok", SUMMARIZER_ANSWERED, 0, "ok\n"},
	{"setsid sh -c 'setsid sleep 1000 & sleep 1000' & sleep 0.2; exit 3", SUMMARIZER_EXITED, 3, ""},
	{"setsid sh -c 'trap \"\" TERM HUP; sleep 1000 & wait' & sleep 1000", SUMMARIZER_TIMED_OUT, 0, ""},
	{"(setsid sh -c '(setsid sleep 1000 &) & exit' &) ; sleep 1000", SUMMARIZER_TIMED_OUT, 0, ""},
	{"exec setsid sleep 1000", SUMMARIZER_ANSWERED, 0, ""},
	{"setsid yes & sleep 1000", SUMMARIZER_TOO_LONG, 0, ""},
#endif
	/* too much */
	{"head -c 100000000 /dev/zero", SUMMARIZER_TOO_LONG, 0, ""},
	{"yes", SUMMARIZER_TOO_LONG, 0, ""},
	{"yes & yes & sleep 1000", SUMMARIZER_TOO_LONG, 0, ""},
	{"head -c 1048577 /dev/zero", SUMMARIZER_TOO_LONG, 0, ""},
	{"head -c 1048576 /dev/zero", SUMMARIZER_ANSWERED, 0, NULL},
	{"yes >&2", SUMMARIZER_TIMED_OUT, 0, ""},
	/* the world as a shell expects it: SIGPIPE ends a writer without a word */
	{"yes | head -n 1", SUMMARIZER_ANSWERED, 0, "y\n"},
};

static void test_commands(void **state)
{
	char *prompt = mem_alloc(BIG);
	(void)state;
	memset(prompt, 'p', BIG);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct summarizer s = {.command = cases[i].command, .prompt = {prompt, BIG}};
		struct summarizer_result r;
		s.seconds = cases[i].end == SUMMARIZER_TIMED_OUT ? 0.4 : 8;
		run(&s, &r);
		if (r.end != cases[i].end || r.code != cases[i].code) {
			print_error("'%s': %s %d\n", cases[i].command, summarizer_end_name(r.end), r.code);
			fail();
		}
		if (cases[i].answer != NULL)
			expect_bytes(cases[i].command, &r.answer, str_of(cases[i].answer));
		assert_in_range(r.errors.n, 0, SUMMARIZER_ERROR_BYTES * 3); /* a byte that is no UTF-8 becomes three */
		summarizer_result_free(&r);
	}
	free(prompt);
}

/* What is asked and what comes back, byte for byte. */
static void test_texts(void **state)
{
	static const struct {
		const char *command;
		struct str prompt, answer;
	} texts[] = {
		{"cat", STR("中文 😀\n"), STR("中文 😀\n")},
		{"cat", STR(""), STR("")},
		/* U+0000 is one byte on the way out, half a pair is U+FFFD */
		{"od -An -tx1", STR("a\xC0\x80z\xED\xA0\xBD"), STR(" 61 00 7a ef bf bd\n")},
		{"cat", STR("a\xC0\x80z"), STR("a\xC0\x80z")},
		/* what only looks like the forms of text.h is not UTF-8 */
		{"printf '\\377a\\355\\240\\200b\\300\\200c\\000'", STR(""),
		 STR("\xEF\xBF\xBD"
		     "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
		     "b\xEF\xBF\xBD\xEF\xBF\xBD"
		     "c\xC0\x80")},
		{"printf '\\360\\237\\230'", STR(""), STR("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD")},
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct summarizer s = {.command = texts[i].command, .prompt = texts[i].prompt, .seconds = 5};
		struct summarizer_result r;
		run(&s, &r);
		assert_int_equal(r.end, SUMMARIZER_ANSWERED);
		expect_bytes(texts[i].command, &r.answer, texts[i].answer);
		summarizer_result_free(&r);
	}
}

/* Both directions are full at once. */
static void test_large(void **state)
{
	enum { LARGE = 8 << 20 };
	char *prompt = mem_alloc(LARGE);
	struct summarizer_result r;
	(void)state;
	for (size_t i = 0; i < LARGE; i++)
		prompt[i] = (char)('a' + i % 23);
	struct summarizer s = {.command = "cat", .prompt = {prompt, LARGE}, .answer_bytes = LARGE};
	run(&s, &r);
	assert_int_equal(r.end, SUMMARIZER_ANSWERED);
	expect_bytes("8 MB", &r.answer, s.prompt);
	summarizer_result_free(&r);
	s.answer_bytes = LARGE - 1;
	run(&s, &r);
	assert_int_equal(r.end, SUMMARIZER_TOO_LONG);
	summarizer_result_free(&r);
	free(prompt);
}

/* The id is a text from a session: no part of a command. An inherited one is replaced. */
static void test_model(void **state)
{
	static const char *const models[] = {"gpt-4o", "", "a b'\"$(exit 9)`exit 8`;\nexit 7 %s=\\", "模型:x"};
	(void)state;
	assert_int_equal(setenv("ACPDBG_MODEL", "inherited", 1), 0);
	assert_int_equal(setenv("ACPDBG_MODELS", "another", 1), 0);
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct summarizer s = {.command = "printf '%s|%s' \"$ACPDBG_MODEL\" \"$ACPDBG_MODELS\"",
				       .model = str_of(models[i]),
				       .seconds = 5};
		struct summarizer_result r;
		struct buf want = {0};
		run(&s, &r);
		buf_printf(&want, "%s|another", models[i]);
		expect_bytes("ACPDBG_MODEL", &r.answer, buf_view(&want));
		buf_free(&want);
		summarizer_result_free(&r);
	}
	struct summarizer count = {.command = "env | grep -c '^ACPDBG_MODEL='", .seconds = 5};
	struct summarizer_result r;
	run(&count, &r);
	expect_bytes("how often it is there", &r.answer, STR("1\n"));
	summarizer_result_free(&r);
	assert_string_equal(getenv("ACPDBG_MODEL"), "inherited");
	unsetenv("ACPDBG_MODEL");
	unsetenv("ACPDBG_MODELS");
}

/* Of what it says on standard error, the end. */
static void test_errors(void **state)
{
	struct summarizer_result r;
	struct summarizer s = {.command = "yes no | head -n 5000 >&2; echo last >&2; exit 1", .seconds = 5};
	(void)state;
	run(&s, &r);
	assert_int_equal(r.end, SUMMARIZER_EXITED);
	assert_int_equal(r.errors.n, SUMMARIZER_ERROR_BYTES);
	assert_string_equal(r.errors.p + r.errors.n - 8, "no\nlast\n");
	summarizer_result_free(&r);
	s.command = "yes | head -n 1 >/dev/null";
	run(&s, &r); /* with SIGPIPE ignored, yes complains */
	expect_bytes("errors", &r.errors, STR(""));
	summarizer_result_free(&r);
}

/* ---- interrupts and signals of this process ---- */

static bool few_times(void *left, double spent)
{
	assert_true(spent >= 0 && spent < 10);
	return --*(int *)left > 0;
}

static void test_interrupted(void **state)
{
	int left = 5;
	struct summarizer_result r;
	struct summarizer s = {.command = "sleep 1000 & echo ok; sleep 1000", .going = few_times, .ctx = &left};
	(void)state;
	double begun = now();
	run(&s, &r);
	assert_int_equal(r.end, SUMMARIZER_INTERRUPTED);
	assert_int_equal(left, 0);
	assert_true(now() - begun < 5);
	summarizer_result_free(&r);
}

static volatile sig_atomic_t alarms;
static void on_alarm(int signal_number)
{
	(void)signal_number;
	alarms++;
}

/* Signals that only interrupt system calls change nothing. */
static void test_signals_meanwhile(void **state)
{
	struct sigaction action = {.sa_handler = on_alarm}, before;
	struct summarizer_result r;
	struct summarizer s = {.command = "sleep 0.5; head -c 100000; echo end", .prompt = {NULL, 0}, .seconds = 5};
	(void)state;
	char *prompt = mem_alloc(BIG);
	memset(prompt, 'p', BIG);
	s.prompt = (struct str){prompt, BIG};
	sigaction(SIGALRM, &action, &before);
	timer_t timer;
	struct itimerspec often = {.it_interval.tv_nsec = 1000000, .it_value.tv_nsec = 1000000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
	run(&s, &r);
	timer_delete(timer);
	sigaction(SIGALRM, &before, NULL);
	assert_true(alarms > 10);
	assert_int_equal(r.end, SUMMARIZER_ANSWERED);
	assert_int_equal(r.answer.n, 100004);
	summarizer_result_free(&r);
	free(prompt);
}

/* Whatever this process blocks or ignores, the command does not. */
static void test_signal_mask(void **state)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before[3];
	static const int ignored[3] = {SIGPIPE, SIGCHLD, SIGINT};
	sigset_t all, was;
	struct summarizer_result r;
	(void)state;
	for (int i = 0; i < 3; i++)
		sigaction(ignored[i], &ignore, &before[i]);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &was);
	struct summarizer s = {.command = "kill -TERM $$; echo alive", .seconds = 5};
	run(&s, &r);
	assert_int_equal(r.end, SUMMARIZER_KILLED);
	assert_int_equal(r.code, SIGTERM);
	summarizer_result_free(&r);
	s.command = "kill -INT $$; echo alive";
	run(&s, &r);
	assert_int_equal(r.end, SUMMARIZER_KILLED);
	assert_int_equal(r.code, SIGINT);
	summarizer_result_free(&r);
	s.command = "exit 3";
	run(&s, &r); /* with SIGCHLD ignored, nobody would know */
	assert_int_equal(r.end, SUMMARIZER_EXITED);
	assert_int_equal(r.code, 3);
	summarizer_result_free(&r);
	sigset_t is;
	sigprocmask(SIG_SETMASK, &was, &is);
	assert_int_equal(sigismember(&is, SIGTERM), 1);
	for (int i = 0; i < 3; i++)
		sigaction(ignored[i], &before[i], NULL);
}

/* What ends this process by default: the command ends first, then the caller knows which one came. */
static void test_deadly_signals(void **state)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		char command[80];
		struct summarizer_result r;
		struct sigaction was, is, normal = {.sa_handler = SIG_DFL}, ours = {.sa_handler = on_alarm};
		snprintf(command, sizeof command, "sleep 1000 & sleep 0.2; kill -%d %ld; sleep 1000", numbers[i],
			 (long)getpid());
		struct summarizer s = {.command = command, .seconds = 5};
		sigaction(numbers[i], &normal, &was);
		run(&s, &r);
		assert_int_equal(r.end, SUMMARIZER_INTERRUPTED);
		assert_int_equal(r.code, numbers[i]);
		summarizer_result_free(&r);
		sigaction(numbers[i], &ours, &is);
		assert_ptr_equal(is.sa_handler, SIG_DFL);
		/* somebody handles it: what it means is for them to say */
		sig_atomic_t before = alarms;
		s.seconds = 1;
		run(&s, &r);
		assert_int_equal(r.end, SUMMARIZER_TIMED_OUT);
		assert_int_equal(r.code, 0);
		assert_int_equal(alarms, before + 1);
		summarizer_result_free(&r);
		sigaction(numbers[i], &was, NULL);
	}
}

#ifdef __linux__
/* Children from before are left alone, and orphans fall where they fell before. */
static void test_other_children(void **state)
{
	int is_subreaper = -1, status;
	struct summarizer_result r;
	struct summarizer s = {.command = "setsid sleep 1000 & sleep 0.2; echo ok", .seconds = 5};
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		pause();
		_exit(0);
	}
	for (int before = 0; before < 2; before++) {
		assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, before, 0, 0, 0), 0);
		summarizer_run(&s, &r);
		assert_int_equal(r.end, SUMMARIZER_ANSWERED);
		summarizer_result_free(&r);
		assert_int_equal(waitpid(-1, &status, WNOHANG), 0); /* there, and alive */
		assert_int_equal(prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper, 0, 0, 0), 0);
		assert_int_equal(is_subreaper, before);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(-1, &status, 0), pid); /* nobody else is a child of ours */
	assert_int_equal(waitpid(-1, &status, 0), -1);
}
#endif

/* In a process of its own without any standard descriptor. */
static void test_nothing_open(void **state)
{
	int status;
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct summarizer_result r;
		struct summarizer s = {.command = "cat; echo oops >&2", .prompt = STR("prompt"), .seconds = 5};
		for (int fd = 0; fd < 3; fd++)
			close(fd);
		summarizer_run(&s, &r);
		bool good = r.end == SUMMARIZER_ANSWERED && str_eq(buf_view(&r.answer), s.prompt) &&
			    str_eq(buf_view(&r.errors), STR("oops\n"));
		summarizer_result_free(&r);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* No descriptors left: it says so, and what was opened is closed again. */
static void test_no_descriptors(void **state)
{
	int status;
	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct summarizer_result r;
		struct summarizer s = {.command = "echo ok", .seconds = 5};
		struct rlimit few = {64, 64};
		int fds[64], n = 0;
		bool good = setrlimit(RLIMIT_NOFILE, &few) == 0;
		while (good && n < 64 && (fds[n] = dup(STDERR_FILENO)) >= 0)
			n++;
		good = good && n > 6;
		for (int spare = 0; spare < 6 && good; spare++) { /* three pipes have six ends */
			summarizer_run(&s, &r);
			good = r.end == SUMMARIZER_NOT_STARTED && r.code == EMFILE;
			summarizer_result_free(&r);
			close(fds[--n]);
		}
		close(fds[--n]); /* and one more while an end is moved */
		summarizer_run(&s, &r);
		good = good && r.end == SUMMARIZER_ANSWERED;
		summarizer_result_free(&r);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_words(void **state)
{
	static const struct {
		struct summarizer s;
		struct summarizer_result r;
		const char *want;
	} words[] = {
		{.r = {.end = SUMMARIZER_EXITED, .code = 3}, .want = "exited with code 3"},
		{.r = {.end = SUMMARIZER_KILLED, .code = 9}, .want = "was killed by signal 9"},
		{.r = {.end = SUMMARIZER_TIMED_OUT}, .want = "gave no answer within 60 seconds"},
		{.s = {.seconds = 0.5},
		 .r = {.end = SUMMARIZER_TIMED_OUT},
		 .want = "gave no answer within 0.5 seconds"},
		{.r = {.end = SUMMARIZER_TOO_LONG}, .want = "wrote more than 1048576 bytes"},
		{.r = {.end = SUMMARIZER_INTERRUPTED}, .want = "was interrupted"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct buf b = {0};
		summarizer_put_end(&b, &words[i].s, &words[i].r);
		expect_bytes("words", &b, str_of(words[i].want));
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_signals_meanwhile),
		cmocka_unit_test(test_signal_mask),
		cmocka_unit_test(test_deadly_signals),
#ifdef __linux__
		cmocka_unit_test(test_other_children),
#endif
		cmocka_unit_test(test_nothing_open),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_words),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
