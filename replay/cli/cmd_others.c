/* The short commands: parse-args, help, version. */
#include "engine/kernel/parse_args.h"
#include "replay/cli/run_commands.h"
#include "replay/cli/user_config.h"
#include "replay/expr.h"

/* Bytes of any origin in the form of text.h: U+0000 and what is not UTF-8 are not left as they are. */
static struct str clean_text(struct arena *a, struct str raw)
{
	struct buf b = {0};
	char bytes[4];
	uint32_t code;
	for (size_t at = 0, n; (n = text_decode(raw, at, &code)) > 0; at += n)
		buf_bytes(&b, bytes, text_encode(bytes, code));
	struct str text = {arena_copy(a, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return text;
}

/* One line of --each: {"input": any, "callId"?}. */
static bool answer_line(struct str line, struct arena *a, struct buf *b, const char **problem)
{
	enum json_status st;
	struct parse_result parsed;
	cJSON *object = json_tree(a, line, &st, NULL);
	*problem = st == JSON_TOO_DEEP ? "nested too deep" : "not JSON";
	if (object == NULL)
		return false;
	*problem = "not a JSON object";
	if (!cJSON_IsObject(object))
		return false;
	parse_args_value(a, json_get(object, "input"), json_str(json_get(object, "callId")), &parsed);
	parse_args_write(b, &parsed);
	buf_char(b, '\n');
	return true;
}

static int answer_each(struct cli *c, const struct source *input)
{
	struct line_walker walker;
	struct source_line line;
	struct arena arena = {0};
	struct buf answer = {0};
	int code = CLI_FINE;
	bool wanted = true;
	line_walker_init(&walker, input);
	while (wanted && line_walker_next(&walker, &line)) {
		struct str text = text_trim((struct str){line.p, line.n});
		const char *problem;
		if (text.n == 0)
			continue;
		if (!answer_line(text, &arena, &answer, &problem)) {
			cli_say("-", line.number, "%s", problem);
			code = CLI_DATA;
		}
		wanted = out_take(&c->out, &answer);
		arena_free(&arena);
	}
	line_walker_free(&walker);
	buf_free(&answer);
	return code;
}

int cmd_parse_args(struct cli *c)
{
	struct source input;
	struct error e = {0};
	struct arena arena = {0};
	enum status st = source_open(&input, "-", &e);
	if (st != STATUS_OK)
		return cli_error(st, &e);
	int code = CLI_FINE;
	if (c->request.each) {
		code = answer_each(c, &input);
	} else {
		struct parse_result parsed;
		struct str text = clean_text(&arena, source_read(&input, 0, input.size, &arena));
		parse_args_text(&arena, text, (struct str){NULL, 0}, &parsed);
		parse_args_write(&c->out.buf, &parsed);
		buf_char(&c->out.buf, '\n');
		arena_free(&arena);
	}
	source_close(&input);
	return code;
}

int cmd_help(struct cli *c)
{
	if (c->words_n == 0) {
		help_program(&c->out.buf);
		return CLI_FINE;
	}
	if (strcmp(c->words[0], "policy") == 0) {
		policy_put_help(&c->out.buf);
		return CLI_FINE;
	}
	if (strcmp(c->words[0], "config") == 0) {
		user_config_put_help(&c->out.buf);
		return CLI_FINE;
	}
	if (strcmp(c->words[0], "conditions") == 0) {
		expr_put_help(&c->out.buf);
		return CLI_FINE;
	}
	if (strcmp(c->words[0], "zh") == 0) {
		help_chinese(&c->out.buf);
		return CLI_FINE;
	}
	enum command_name command = command_find(c->words[0]);
	if (command == COMMAND_COUNT) {
		cli_say(NULL, 0,
			c->words[0][0] != 0 ? "%s: there is no such command" : "'%s': there is no such command",
			c->words[0]);
		return CLI_USAGE;
	}
	help_command(&c->out.buf, command);
	return CLI_FINE;
}

int cmd_version(struct cli *c)
{
	buf_printf(&c->out.buf, "acpdbg %s\nrecording version %d, trace version 1\n", ACPDBG_VERSION,
		   RECORDING_VERSION);
	return CLI_FINE;
}
