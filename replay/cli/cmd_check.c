/*
 * acpdbg check: assertions over every turn of some sessions. The smallest form: storms, invariants and the rest of
 * interface.md are not built yet.
 */
#include "engine/base/json.h"
#include "replay/cli/conditions.h"
#include "replay/cli/job.h"
#include "replay/view/text.h"

enum { NAMES_SHOWN = 6 };

/* How one assertion went in one session. */
struct verdict {
	uint32_t first; /* turn at which it fails first, 0 = none */
	uint32_t failed;
	struct buf names; /* what its names were there */
};

struct checking {
	struct cli *c;
	const struct expr *e[CLI_LIST_MAX];
	size_t n;
	bool json, ascii;
	struct verdict verdicts[CLI_LIST_MAX];
	size_t files, broken; /* files whose assertions all hold are neither broken nor .. */
	size_t unread;
};

/* False: interrupted. */
static bool judge(struct checking *k, struct cli_scene *s)
{
	struct job job;
	bool going = true;
	uint32_t turns = (uint32_t)s->run.timeline.turns.n;
	for (size_t i = 0; i < k->n; i++) {
		buf_free(&k->verdicts[i].names);
		k->verdicts[i] = (struct verdict){0};
	}
	job_begin(&job, "checking", "turns", false);
	for (uint32_t turn = 1; turn <= turns && going; turn++) {
		for (size_t i = 0; i < k->n; i++) {
			struct verdict *v = &k->verdicts[i];
			struct expr_value x = expr_at(&s->scene, k->e[i], turn);
			if (expr_true(&x))
				continue;
			if (v->failed++ > 0)
				continue;
			v->first = turn;
			expr_put_names(&s->scene, k->e[i], turn, NAMES_SHOWN, &v->names);
		}
		going = job_step(&job, turn, turns);
	}
	job_end(&job);
	return going;
}

static void put_safe(struct checking *k, struct buf *b, struct str s) { text_put_safe(b, s, k->ascii); }

static void put_table(struct checking *k, const char *file, uint32_t turns)
{
	struct buf *b = &k->c->out.buf;
	put_safe(k, b, str_of(file));
	buf_printf(b, ": %u %s\n", turns, turns == 1 ? "turn" : "turns");
	for (size_t i = 0; i < k->n; i++) {
		const struct verdict *v = &k->verdicts[i];
		buf_text(b, v->failed > 0 ? "  FAILED  " : "  fine    ");
		put_safe(k, b, expr_text(k->e[i]));
		if (v->failed > 0)
			buf_printf(b, "\n          first at turn %u, in %u of %u %s", v->first, v->failed, turns,
				   turns == 1 ? "turn" : "turns");
		if (v->names.n > 0) {
			buf_text(b, ": ");
			put_safe(k, b, buf_view(&v->names));
		}
		buf_char(b, '\n');
	}
}

static void put_json(struct checking *k, uint32_t turns)
{
	struct buf *b = &k->c->out.buf;
	buf_printf(b, ",\"turns\":%u,\"asserts\":[", turns);
	for (size_t i = 0; i < k->n; i++) {
		const struct verdict *v = &k->verdicts[i];
		buf_text(b, i > 0 ? ",{\"assert\":" : "{\"assert\":");
		json_put_str(b, expr_text(k->e[i]));
		if (v->failed == 0) {
			buf_text(b, ",\"ok\":true}");
			continue;
		}
		buf_printf(b, ",\"ok\":false,\"turn\":%u,\"failed\":%u,\"names\":", v->first, v->failed);
		json_put_str(b, buf_view(&v->names));
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static int check_file(struct checking *k, const char *file)
{
	struct cli_scene *s = mem_alloc(sizeof *s);
	struct buf *b = &k->c->out.buf;
	k->c->request.file = file;
	int code = cli_scene_open(k->c, k->e, k->n, s);
	if (k->json) {
		buf_text(b, k->files > 0 ? ",{\"file\":" : "{\"file\":");
		json_put_str(b, str_of(file));
	}
	k->files++;
	if (code == CLI_FINE) {
		uint32_t turns = (uint32_t)s->run.timeline.turns.n;
		if (!judge(k, s))
			code = CLI_INTERRUPTED;
		for (size_t i = 0; i < k->n && code == CLI_FINE; i++)
			if (k->verdicts[i].failed > 0)
				code = CLI_FOUND;
		if (code == CLI_INTERRUPTED)
			;
		else if (k->json)
			put_json(k, turns);
		else
			put_table(k, file, turns);
		cli_scene_close(s);
	}
	if (k->json)
		buf_printf(b, ",\"exit\":%d}", code);
	k->broken += code == CLI_FOUND;
	k->unread += code != CLI_FOUND && code != CLI_FINE;
	free(s);
	return code;
}

static int check_all(struct checking *k)
{
	struct cli *c = k->c;
	int worst = CLI_FINE;
	if (k->json)
		buf_text(&c->out.buf, "{\"type\":\"check\",\"files\":[");
	for (int i = 0; i < c->words_n && worst != CLI_INTERRUPTED; i++) {
		int code = check_file(k, c->words[i]);
		/* what could not be looked at weighs more than what was found: a check must not pass for one that ran
		 */
		if (code == CLI_INTERRUPTED || (worst <= CLI_FOUND && code > worst))
			worst = code;
	}
	if (k->json)
		buf_printf(&c->out.buf, "],\"ok\":%s}\n", worst == CLI_FINE ? "true" : "false");
	else if (c->words_n > 1)
		buf_printf(&c->out.buf, "%zu files: %zu fine, %zu failed, %zu not read\n", k->files,
			   k->files - k->broken - k->unread, k->broken, k->unread);
	return worst;
}

/* What can be refused before a file is read. */
static int check_request(struct checking *k, struct arena *a)
{
	const struct cli_request *q = &k->c->request;
	int inputs = 0;
	int code = cli_table_or_json(q, "check", &k->json);
	if (code != CLI_FINE)
		return code;
	for (int i = 0; i < k->c->words_n; i++)
		inputs += strcmp(k->c->words[i], "-") == 0;
	if (inputs > 1) {
		cli_say(NULL, 0, "check: only one of the files can be standard input");
		return CLI_USAGE;
	}
	if (q->asserts.n == 0) {
		cli_say(NULL, 0, "check without --assert EXPR is not built yet (storms, invariants, expect)");
		return CLI_USAGE;
	}
	for (; k->n < q->asserts.n; k->n++)
		if ((k->e[k->n] = cli_expr(a, q->asserts.v[k->n], true)) == NULL)
			return CLI_USAGE;
	return CLI_FINE;
}

int cmd_check(struct cli *c)
{
	struct arena arena = {0};
	struct checking k = {.c = c, .ascii = cli_ascii(&c->request)};
	int code = check_request(&k, &arena);
	if (code == CLI_FINE)
		code = check_all(&k);
	for (size_t i = 0; i < k.n; i++)
		buf_free(&k.verdicts[i].names);
	arena_free(&arena);
	return code;
}
