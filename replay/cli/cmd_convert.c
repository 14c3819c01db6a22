/* acpdbg convert: any readable format to a recording. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/cli/job.h"
#include "replay/cli/run_commands.h"
#include "replay/slice.h"

/*
 * The unfinished file goes when the program is told to end. The handler reads one pointer, which is set only while all
 * of these signals are blocked; unlink may be called there.
 */
static char *volatile unfinished;
static const int endings[] = {SIGTERM, SIGINT, SIGHUP};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

static void on_ending(int signal_number)
{
	if (unfinished != NULL)
		unlink(unfinished);
	signal(signal_number, SIG_DFL);
	raise(signal_number); /* ends the program as if nobody had listened, once this returns */
}

static void block_endings(sigset_t *before)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < ENDINGS; i++)
		sigaddset(&set, endings[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* Tells the handler of a file, or NULL. Signals that are ignored stay so: nohup, jobs in the background. */
static void guard(char *part)
{
	struct sigaction action = {.sa_handler = part != NULL ? on_ending : SIG_DFL}, now;
	sigemptyset(&action.sa_mask);
	unfinished = part;
	for (size_t i = 0; i < ENDINGS; i++)
		if (sigaction(endings[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaction(endings[i], &action, NULL);
}

/*
 * Where the recording goes. A regular file is written beside its name and
 * takes its place when it is complete, so that a failure leaves nothing half
 * done; anything else (standard output, a device, a pipe) is written directly.
 */
struct target {
	struct out *out;
	struct out own;
	char *part; /* name of the unfinished file, NULL = direct */
	char *final;
	struct buf chunk;
	struct job job;
	double written, size; /* bytes; size: about how many there will be */
	bool interrupted;     /* the rest is dropped */
};

static void put(void *ctx, const char *bytes, size_t n)
{
	struct target *t = ctx;
	if (t->interrupted)
		return;
	buf_bytes(&t->chunk, bytes, n);
	if (t->chunk.n < OUT_CHUNK)
		return;
	t->written += (double)t->chunk.n;
	out_take(t->out, &t->chunk);
	t->interrupted = !job_step(&t->job, t->written, t->size);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int cannot_write(const char *path)
{
	cli_say(path, 0, "cannot write: %s", strerror(errno));
	return CLI_INTERNAL;
}

static int open_part(struct target *t, const char *path, const struct stat *old)
{
	static const char suffix[] = ".part-XXXXXX";
	char *real = realpath(path, NULL); /* a symbolic link stays one */
	const char *name = real ? real : path;
	size_t n = strlen(name);
	t->final = mem_alloc(n + 1);
	memcpy(t->final, name, n + 1);
	t->part = mem_alloc(n + sizeof suffix);
	memcpy(t->part, name, n);
	memcpy(t->part + n, suffix, sizeof suffix);
	free(real);
	sigset_t before;
	block_endings(&before);
	t->own.fd = mkstemp(t->part);
	if (t->own.fd >= 0)
		guard(t->part);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (t->own.fd < 0)
		return cannot_write(path);
	mode_t mask = umask(0);
	umask(mask);
	fchmod(t->own.fd, old ? old->st_mode & 0777 : 0666 & ~mask);
	return CLI_FINE;
}

static int target_open(struct target *t, struct cli *c)
{
	const char *path = c->request.to;
	struct stat st;
	t->out = &t->own;
	if (strcmp(path, "-") == 0) {
		t->out = &c->out;
		return CLI_FINE;
	}
	bool exists = stat(path, &st) == 0;
	if (exists && strcmp(c->request.file, "-") != 0 && same_file(c->request.file, path)) {
		cli_say(path, 0, "this is the input file; it is not overwritten");
		return CLI_USAGE;
	}
	if (!exists || S_ISREG(st.st_mode))
		return open_part(t, path, exists ? &st : NULL);
	t->own.fd = open(path, O_WRONLY);
	return t->own.fd < 0 ? cannot_write(path) : CLI_FINE;
}

/* Flushes, and puts the finished file in its place. */
static int target_close(struct target *t, struct cli *c, int code)
{
	if (t->out == &c->out)
		return code;
	code = out_end(&t->own, c->request.to, code);
	if (t->own.fd >= 0 && close(t->own.fd) != 0 && code == CLI_FINE)
		code = cannot_write(c->request.to);
	if (t->part != NULL && code == CLI_FINE && rename(t->part, t->final) != 0)
		code = cannot_write(c->request.to);
	if (t->part != NULL && code != CLI_FINE)
		unlink(t->part);
	sigset_t before;
	block_endings(&before);
	guard(NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

/* --drop-call: which record is left out. */
static int find_edit(const struct cli *c, const struct recording *rec, struct recording_edit *edit)
{
	double call = c->request.drop_call;
	if (call > (double)rec->compressions.n) {
		cli_say(NULL, 0, "--drop-call: there is no call %.0f, the session has %zu", call, rec->compressions.n);
		return CLI_USAGE;
	}
	edit->record = call > 0 ? recording_call_record(rec, (uint32_t)call - 1) : rec->records.n;
	if (call > 0 && (edit->record < edit->from || (edit->to > 0 && edit->record >= edit->to))) {
		cli_say(NULL, 0, "--drop-call: call %.0f is not in the turns of --turns", call);
		return CLI_USAGE;
	}
	return CLI_FINE;
}

/* --turns: what of the recording is written. */
static int find_slice(struct cli *c, struct recording *rec, struct slice *slice)
{
	struct arena arena = {0};
	struct run run;
	struct error e = {0};
	int code = cli_prepare(c, rec, &arena, &run);
	if (code != CLI_FINE)
		return code;
	code = cli_run(c, &run, true, NULL, NULL);
	if (code == CLI_FINE && slice_parse(&run, str_of(c->request.turns), slice, &e) != STATUS_OK) {
		cli_say(NULL, 0, "--turns: %s", e.message);
		code = CLI_USAGE;
	} else if (code == CLI_FINE) {
		slice_make(&run, slice);
		if (slice->first > 1 && slice->keeps_before)
			cli_say(NULL, 0, "turns 1 to %u stay: the host's own memory of them cannot be stored",
				(unsigned)slice->first - 1);
	}
	run_free(&run);
	arena_free(&arena);
	return code;
}

/* What is left out or replaced. */
static int find_part(struct cli *c, struct recording *rec, struct slice *slice)
{
	int code = c->request.turns ? find_slice(c, rec, slice) : CLI_FINE;
	return code == CLI_FINE ? find_edit(c, rec, &slice->edit) : code;
}

int cmd_convert(struct cli *c)
{
	struct slice slice = {0};
	struct recording rec;
	struct target t = {.own = {.fd = -1}};
	struct error e = {0};
	if (c->request.to == NULL) {
		cli_say(NULL, 0, "convert needs -o FILE (- is standard output)");
		return CLI_USAGE;
	}
	int code = cli_load(c, &rec);
	if (code != CLI_FINE)
		return code;
	code = find_part(c, &rec, &slice);
	if (code == CLI_FINE)
		code = target_open(&t, c);
	if (code == CLI_FINE) {
		job_begin(&t.job, "writing", NULL, false);
		t.size = (double)rec.source.size;
		enum status st = recording_write_edited(&rec, &slice.edit, (struct recording_writer){put, &t}, &e);
		job_end(&t.job);
		out_take(t.out, &t.chunk);
		if (t.interrupted)
			code = CLI_INTERRUPTED;
		else if (st != STATUS_OK)
			code = cli_error(st, &e);
		code = target_close(&t, c, code);
	}
	slice_free(&slice);
	buf_free(&t.chunk);
	free(t.part);
	free(t.final);
	recording_free(&rec);
	return code;
}
