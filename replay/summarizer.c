#include "replay/summarizer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/vec.h"
#include "replay/orphans.h"

#define DEFAULT_SECONDS 60
enum {
	SLICE_MS = 10, /* how often is looked whether the command has ended */
	CHUNK = 1 << 16
};

extern char **environ;

static const char *const end_names[SUMMARIZER_ENDS] = {
	[SUMMARIZER_ANSWERED] = "answered",       [SUMMARIZER_EXITED] = "exited",
	[SUMMARIZER_KILLED] = "killed",           [SUMMARIZER_TIMED_OUT] = "timed-out",
	[SUMMARIZER_TOO_LONG] = "too-long",       [SUMMARIZER_INTERRUPTED] = "interrupted",
	[SUMMARIZER_NOT_STARTED] = "not-started",
};

const char *summarizer_end_name(enum summarizer_end e) { return end_names[e]; }

/* ---- signals that would end this process ---- */

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { DEADLY = sizeof deadly / sizeof *deadly };

static volatile sig_atomic_t deadly_came;

static void on_deadly(int number) { deadly_came = number; }

/* Of those that nobody handles or ignores; the command is to go first. */
static void deadly_hold(struct sigaction before[DEADLY])
{
	struct sigaction hold = {.sa_handler = on_deadly};
	sigemptyset(&hold.sa_mask);
	deadly_came = 0;
	for (size_t i = 0; i < DEADLY; i++) {
		sigaction(deadly[i], NULL, &before[i]);
		if (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL)
			sigaction(deadly[i], &hold, NULL);
	}
}

/* The signal that came, or 0. */
static int deadly_let_go(const struct sigaction before[DEADLY])
{
	for (size_t i = 0; i < DEADLY; i++)
		sigaction(deadly[i], &before[i], NULL);
	return (int)deadly_came;
}

/* ---- texts ---- */

void summarizer_put_utf8(struct buf *b, struct str text)
{
	uint32_t code;
	for (size_t at = 0, n; (n = text_decode(text, at, &code)) > 0; at += n) {
		if (code == 0)
			buf_char(b, 0);
		else if (code >= 0xD800 && code <= 0xDFFF)
			buf_text(b, "\xEF\xBF\xBD");
		else
			buf_bytes(b, text.p + at, n);
	}
}

/* Bytes of any origin as a text. What only looks like the extended form of text.h is not UTF-8 either. */
static struct buf text_of(struct str raw)
{
	struct buf b = {0};
	char bytes[4];
	uint32_t code;
	for (size_t at = 0, n; (n = text_decode(raw, at, &code)) > 0; at += n) {
		bool extended = (code >= 0xD800 && code <= 0xDFFF) || (code == 0 && n > 1);
		if (extended)
			code = 0xFFFD, n = 1;
		buf_bytes(&b, bytes, text_encode(bytes, code));
	}
	return b;
}

/* ---- the process ---- */

/* One end of a pipe of ours. */
struct end {
	int fd; /* -1 = closed */
};

struct work {
	const struct summarizer *s;
	struct summarizer_result *out;
	pid_t pid;
	struct end in, answer, errors;
	struct buf prompt;
	size_t written;
	struct buf raw_answer, raw_errors;
	double begun, seconds;
	size_t most;
	int status; /* of waitpid */
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void end_close(struct end *e)
{
	if (e->fd >= 0)
		close(e->fd);
	e->fd = -1;
}

/* Above the standard ones, whatever of them is closed in this process: what is dup2ed in the child must differ. */
static int move_up(int fd)
{
	int up = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	int error = errno;
	close(fd);
	errno = error;
	return up;
}

/* Both ends closed on exec; ours does not block. */
static bool make_pipe(struct end *ours, struct end *theirs, bool we_write)
{
	int fds[2];
	if (pipe(fds) != 0)
		return false;
	ours->fd = move_up(fds[we_write]);
	theirs->fd = move_up(fds[!we_write]);
	return ours->fd >= 0 && theirs->fd >= 0 && fcntl(ours->fd, F_SETFL, O_NONBLOCK) == 0;
}

/* The environment with ACPDBG_MODEL set; free the list and its first entry. */
static char **make_environment(struct str model)
{
	static const char name[] = "ACPDBG_MODEL=";
	VEC(char *) list = {0};
	struct buf own = {0};
	buf_text(&own, name);
	buf_str(&own, model);
	vec_push(&list, own.p);
	for (char **e = environ; e != NULL && *e != NULL; e++)
		if (strncmp(*e, name, sizeof name - 1) != 0)
			vec_push(&list, *e);
	vec_push(&list, NULL);
	return list.v;
}

/* A group of its own, nothing blocked, nothing ignored, three pipes: what a shell expects. */
static int spawn(struct work *w, const int child[3])
{
	static const int reset[] = {SIGPIPE, SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGCHLD, SIGALRM,
				    SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGWINCH};
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t actions;
	sigset_t none, defaults;
	char *arguments[] = {"sh", "-c", "--", (char *)w->s->command, NULL};
	sigemptyset(&none);
	sigemptyset(&defaults);
	for (size_t i = 0; i < sizeof reset / sizeof *reset; i++)
		sigaddset(&defaults, reset[i]);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_adddup2(&actions, child[fd], fd);
	char **environment = make_environment(w->s->model);
	int error = posix_spawn(&w->pid, "/bin/sh", &actions, &attributes, arguments, environment);
	free(environment[0]);
	free(environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static int start(struct work *w)
{
	struct end in = {-1}, answer = {-1}, errors = {-1};
	int error = 0;
	if (!make_pipe(&w->in, &in, true) || !make_pipe(&w->answer, &answer, false) ||
	    !make_pipe(&w->errors, &errors, false))
		error = errno;
	if (error == 0)
		error = spawn(w, (int[]){in.fd, answer.fd, errors.fd});
	end_close(&in);
	end_close(&answer);
	end_close(&errors);
	return error;
}

/* ---- talking to it ---- */

static void write_some(struct work *w)
{
	ssize_t n = write(w->in.fd, w->prompt.p + w->written, w->prompt.n - w->written);
	if (n > 0)
		w->written += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		w->written = w->prompt.n; /* EPIPE: it does not want the rest */
	if (w->written == w->prompt.n)
		end_close(&w->in);
}

/* What is there now; false when nothing came. */
static bool read_some(struct end *e, struct buf *b)
{
	char chunk[CHUNK];
	ssize_t n = e->fd >= 0 ? read(e->fd, chunk, sizeof chunk) : -1;
	if (n > 0)
		buf_bytes(b, chunk, (size_t)n);
	else if (e->fd >= 0 && (n == 0 || (errno != EAGAIN && errno != EINTR)))
		end_close(e);
	return n > 0;
}

static bool read_errors(struct work *w)
{
	bool any = read_some(&w->errors, &w->raw_errors);
	size_t n = w->raw_errors.n;
	if (n <= SUMMARIZER_ERROR_BYTES)
		return any;
	memmove(w->raw_errors.p, w->raw_errors.p + n - SUMMARIZER_ERROR_BYTES, SUMMARIZER_ERROR_BYTES);
	buf_cut(&w->raw_errors, SUMMARIZER_ERROR_BYTES);
	return any;
}

static bool has_ended(const struct work *w)
{
	siginfo_t info = {.si_pid = 0};
	/* not reaped yet: as long as it is there, nobody else can have its number, nor that of its group */
	return waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == w->pid;
}

/* Takes what lies in the pipes; a child that goes on writing is not followed beyond the limit. */
static void drain(struct work *w)
{
	while (w->raw_answer.n <= w->most && read_some(&w->answer, &w->raw_answer))
		;
	for (int i = 0; i < 4 && read_errors(w); i++)
		;
}

static void wait_for_pipes(struct work *w)
{
	struct pollfd fds[] = {{.fd = w->in.fd, .events = POLLOUT},
			       {.fd = w->answer.fd, .events = POLLIN},
			       {.fd = w->errors.fd, .events = POLLIN}}; /* -1 is passed over */
	if (poll(fds, 3, SLICE_MS) <= 0)
		return;
	if (fds[0].revents != 0)
		write_some(w);
	if (fds[1].revents != 0)
		read_some(&w->answer, &w->raw_answer);
	if (fds[2].revents != 0)
		read_errors(w);
}

/* Until it ended by itself, or must be ended. */
static enum summarizer_end talk(struct work *w)
{
	for (;;) {
		bool ended = has_ended(w);
		if (ended)
			drain(w);
		if (w->raw_answer.n > w->most)
			return SUMMARIZER_TOO_LONG;
		if (ended)
			return SUMMARIZER_ANSWERED;
		if (deadly_came != 0)
			return SUMMARIZER_INTERRUPTED;
		double spent = now() - w->begun;
		if (w->s->going != NULL && !w->s->going(w->s->ctx, spent))
			return SUMMARIZER_INTERRUPTED;
		if (spent >= w->seconds)
			return SUMMARIZER_TIMED_OUT;
		wait_for_pipes(w);
	}
}

/* What the status makes of an end that the command chose itself. */
static void judge(struct work *w)
{
	struct summarizer_result *r = w->out;
	if (r->end != SUMMARIZER_ANSWERED)
		return;
	if (WIFSIGNALED(w->status)) {
		r->end = SUMMARIZER_KILLED;
		r->code = WTERMSIG(w->status);
	} else if (WEXITSTATUS(w->status) != 0) {
		r->end = SUMMARIZER_EXITED;
		r->code = WEXITSTATUS(w->status);
	}
}

static void run(struct work *w)
{
	int error = start(w);
	if (error != 0) {
		w->out->end = SUMMARIZER_NOT_STARTED;
		w->out->code = error;
		return;
	}
	w->out->end = talk(w);
	kill(-w->pid, SIGKILL);
	kill(w->pid, SIGKILL); /* it may have joined another group */
	while (waitpid(w->pid, &w->status, 0) < 0 && errno == EINTR)
		;
	judge(w);
}

void summarizer_run(const struct summarizer *s, struct summarizer_result *out)
{
	struct sigaction pipe_before, child_before, ignore = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
	struct sigaction deadly_before[DEADLY];
	struct orphans orphans;
	struct work w = {.s = s,
			 .out = out,
			 .in = {-1},
			 .answer = {-1},
			 .errors = {-1},
			 .begun = now(),
			 .seconds = s->seconds > 0 ? s->seconds : DEFAULT_SECONDS,
			 .most = s->answer_bytes > 0 ? s->answer_bytes : SUMMARIZER_ANSWER_BYTES};
	*out = (struct summarizer_result){.end = SUMMARIZER_ANSWERED};
	summarizer_put_utf8(&w.prompt, s->prompt);
	sigemptyset(&ignore.sa_mask);
	sigemptyset(&normal.sa_mask);
	sigaction(SIGPIPE, &ignore, &pipe_before);
	sigaction(SIGCHLD, &normal, &child_before); /* ignored, its exit code would be lost */
	deadly_hold(deadly_before);
	orphans_adopt(&orphans);
	run(&w);
	orphans_kill(&orphans);
	int came = deadly_let_go(deadly_before);
	if (came != 0) {
		out->end = SUMMARIZER_INTERRUPTED;
		out->code = came;
	}
	sigaction(SIGPIPE, &pipe_before, NULL);
	sigaction(SIGCHLD, &child_before, NULL);
	end_close(&w.in);
	end_close(&w.answer);
	end_close(&w.errors);
	if (out->end == SUMMARIZER_ANSWERED)
		out->answer = text_of(buf_view(&w.raw_answer));
	out->errors = text_of(buf_view(&w.raw_errors));
	buf_free(&w.prompt);
	buf_free(&w.raw_answer);
	buf_free(&w.raw_errors);
}

void summarizer_put_end(struct buf *b, const struct summarizer *s, const struct summarizer_result *r)
{
	static const struct {
		const char *before, *after;
	} words[SUMMARIZER_ENDS] = {
		[SUMMARIZER_ANSWERED] = {"answered", NULL},
		[SUMMARIZER_EXITED] = {"exited with code ", ""},
		[SUMMARIZER_KILLED] = {"was killed by signal ", ""},
		[SUMMARIZER_TIMED_OUT] = {"gave no answer within ", " seconds"},
		[SUMMARIZER_TOO_LONG] = {"wrote more than ", " bytes"},
		[SUMMARIZER_INTERRUPTED] = {"was interrupted", NULL},
		[SUMMARIZER_NOT_STARTED] = {"could not be started: error ", ""},
	};
	double number = r->code;
	if (r->end == SUMMARIZER_TIMED_OUT)
		number = s->seconds > 0 ? s->seconds : DEFAULT_SECONDS;
	if (r->end == SUMMARIZER_TOO_LONG)
		number = (double)(s->answer_bytes > 0 ? s->answer_bytes : SUMMARIZER_ANSWER_BYTES);
	buf_text(b, words[r->end].before);
	if (words[r->end].after != NULL)
		buf_printf(b, "%.15g%s", number, words[r->end].after);
	if (r->end == SUMMARIZER_NOT_STARTED)
		buf_printf(b, " (%s)", strerror(r->code));
}

void summarizer_result_free(struct summarizer_result *r)
{
	buf_free(&r->answer);
	buf_free(&r->errors);
}
