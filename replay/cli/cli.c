#include "replay/cli/cli.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "replay/cli/acp_config.h"
#include "replay/cli/options.h"
#include "replay/cli/user_config.h"
#include "replay/prices.h"
#include "replay/view/text.h"

static const struct {
	enum status status;
	enum cli_exit code;
} exits[] = {
	{STATUS_USAGE, CLI_USAGE}, {STATUS_DATA, CLI_DATA},   {STATUS_NO_INPUT, CLI_NO_INPUT},
	{STATUS_LIMIT, CLI_DATA},  {STATUS_IO, CLI_INTERNAL},
};

static void say(const char *file, uint64_t line, struct str message)
{
	struct buf b = {0};
	buf_text(&b, "acpdbg: ");
	if (file != NULL && file[0] != 0) {
		text_put_safe(&b, str_of(file), true);
		if (line > 0)
			buf_printf(&b, ":%llu", (unsigned long long)line);
		buf_text(&b, ": ");
	}
	text_put_safe(&b, message, true);
	buf_char(&b, '\n');
	fwrite(b.p, 1, b.n, stderr);
	buf_free(&b);
}

void cli_say(const char *file, uint64_t line, const char *format, ...)
{
	char message[512];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	say(file, line, str_of(message));
}

int cli_error(enum status st, const struct error *e)
{
	say(e->file, e->line, str_of(e->message));
	for (size_t i = 0; i < sizeof exits / sizeof *exits; i++)
		if (exits[i].status == st)
			return (int)exits[i].code;
	return CLI_INTERNAL;
}

bool cli_has_screen(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

bool cli_ascii(const struct cli_request *q)
{
	return q->ascii || (q->user && q->user->ascii) || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

enum status cli_policy(const struct cli_request *q, const struct recording *rec, struct policy *p, struct error *e)
{
	enum status st = STATUS_OK;
	struct str host = rec ? rec->host : STR("other");
	policy_for_host(p, host);
	if (q->user && user_config_policy(q->user, host))
		st = policy_apply(p, str_of(user_config_policy(q->user, host)), e);
	if (st == STATUS_OK && q->profile != NULL)
		st = policy_profile(p, str_of(q->profile), e);
	if (st == STATUS_OK && q->policy != NULL)
		st = policy_apply(p, str_of(q->policy), e);
	if (st == STATUS_OK && q->side != NULL)
		st = policy_apply(p, str_of(q->side), e);
	return st;
}

static enum status read_config(const char *path, struct arena *a, struct run_options *o, struct error *e)
{
	struct source source;
	struct acp_config config = {0};
	const cJSON *tree;
	enum json_status json;
	size_t at;
	enum status st = source_open_as(&source, path, "a configuration file", e);
	if (st != STATUS_OK)
		return st;
	struct str text = source_read(&source, 0, source.size, a);
	tree = json_tree(a, text, &json, &at);
	if (tree == NULL)
		st = error_set(e, STATUS_DATA, "not JSON at byte %zu", at);
	else if (!cJSON_IsObject(tree))
		st = error_set(e, STATUS_DATA, "expected a JSON object");
	else
		st = acp_config_read(&config, tree, a, e);
	o->config = config.overrides;
	o->config_limit = config.limit;
	o->headroom = config.headroom;
	o->config_ignored = config.ignored;
	if (st != STATUS_OK && e != NULL) {
		snprintf(e->file, sizeof e->file, "%s", path);
		e->line = 0;
	}
	/* a memory source owns the bytes; the tree has copies of its own */
	source_close(&source);
	return st;
}

enum status cli_run_options(const struct cli_request *q, struct arena *a, struct run_options *o, struct error *e)
{
	*o = (struct run_options){.limit = q->limit, .config_name = q->config};
	enum status st = q->config != NULL ? read_config(q->config, a, o, e) : STATUS_OK;
	if (q->user != NULL)
		o->prices = q->user->prices;
	if (st == STATUS_OK && q->prices != NULL) {
		struct prices *prices = arena_zero(a, 1, sizeof *prices);
		st = prices_read(q->prices, a, prices, e);
		o->prices = prices;
	}
	return st;
}

/* The screen tells of them itself, with what it finds in the lists of keys and colours. */
static void report_user_config(const struct user_config *config, const struct command *k)
{
	if (k->words_min > 0)
		for (size_t i = 0; i < config->problems.n; i++)
			cli_say(config->path, 0, "%s", config->problems.v[i]);
}

int cli_main(int argc, char **argv, const struct cli_hooks *hooks)
{
	struct cli c = {.hooks = hooks, .out = {.fd = STDOUT_FILENO}};
	const char **words = mem_alloc(((size_t)argc + 1) * sizeof *words);
	enum command_name command;
	c.words = words;
	setlocale(LC_CTYPE, "");
	sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL); /* writes fail with EPIPE: out.h */
	int code = options_parse(argc, argv, &c, &command);
	struct user_config config = {0};
	if (code == CLI_FINE) {
		user_config_read(&config);
		c.request.user = &config;
		report_user_config(&config, &commands[command]);
		code = commands[command].run(&c);
	}
	user_config_free(&config);
	code = out_end(&c.out, "standard output", code);
	free(words);
	return code;
}
