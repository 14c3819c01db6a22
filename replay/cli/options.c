#include "replay/cli/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/cli/run_commands.h"
#include "replay/nearest.h"
#include "replay/view/text.h"

const struct command commands[COMMAND_COUNT] = {
	[COMMAND_OPEN] = {"open", "[FILE]", "the terminal UI; without a terminal the table of replay", cmd_open, 0, 1},
	[COMMAND_LAST] = {"last", "", "open the newest session of the known hosts", cmd_last, 0, 0},
	[COMMAND_REPLAY] = {"replay", "FILE", "replay without a screen: a table, a trace, or one position", cmd_replay,
			    1, 1},
	[COMMAND_SCREEN] = {"screen", "FILE", "the screen after some keys, as text, ANSI or SVG", cmd_screen, 1, 1},
	[COMMAND_INFO] = {"info", "FILE", "format, host, model, counts, damage, assumptions, fidelity", cmd_info, 1, 1},
	[COMMAND_CHECK] = {"check", "FILE...", "assertions over every turn; exit code 1 when one fails", cmd_check, 1,
			   255},
	[COMMAND_SUMMARY] = {"summary", "FILE...", "merge results of check", NULL, 1, 255},
	[COMMAND_DIFF] = {"diff", "FILE [FILE]", "differences between two policies or two sessions", cmd_diff, 1, 2},
	[COMMAND_SHRINK] = {"shrink", "FILE", "smallest recording that still shows a condition", NULL, 1, 1},
	[COMMAND_REDACT] = {"redact", "FILE", "the same session with its words replaced", NULL, 1, 1},
	[COMMAND_PROBE] = {"probe", "FILE EXPR...", "expressions at every turn, as columns", cmd_probe, 2, 255},
	[COMMAND_CONVERT] = {"convert", "FILE", "any readable format to a recording", cmd_convert, 1, 1},
	[COMMAND_PARSE_ARGS] = {"parse-args", "", "compress arguments from standard input, parsed and diagnosed",
				cmd_parse_args, 0, 0},
	[COMMAND_COMPACT] = {"compact", "FILE", "what /compact would do at a position", cmd_compact, 1, 1},
	[COMMAND_REPORT] = {"report", "FILE", "one self-contained HTML page", NULL, 1, 1},
	[COMMAND_KERNEL] = {"kernel", "", "serve the built-in kernel over standard input and output", NULL, 0, 0},
	[COMMAND_BENCH] = {"bench", "", "speed and memory", NULL, 0, 0},
	[COMMAND_SCHEMA] = {"schema", "", "JSON schema of the formats", NULL, 0, 0},
	[COMMAND_COMPLETION] = {"completion", "SHELL", "completion script for bash", cmd_completion, 1, 1},
	[COMMAND_MAN] = {"man", "", "manual page: acpdbg man | man -l -", cmd_man, 0, 0},
	[COMMAND_HELP] = {"help", "[COMMAND]", "this list (zh: in Chinese), or what a command takes", cmd_help, 0, 1},
	[COMMAND_VERSION] = {"version", "", "version of the program and of the formats", cmd_version, 0, 0},
};

#define ON(command) (UINT32_C(1) << COMMAND_##command)
#define SCREEN      (ON(OPEN) | ON(LAST))
#define RUN         (SCREEN | ON(SCREEN) | ON(REPLAY) | ON(INFO) | ON(COMPACT) | ON(DIFF) | ON(PROBE) | ON(CHECK))
#define SESSION     (RUN | ON(CONVERT))
#define AT(member)  offsetof(struct cli_request, member)

#define FLAG(name, help, commands, member)        name, NULL, help, AT(member), commands, OPTION_FLAG, 0
#define TEXT(name, value, help, commands, member) name, value, help, AT(member), commands, OPTION_TEXT, 0
#define LIST(name, value, help, commands, member) name, value, help, AT(member), commands, OPTION_LIST, 0
#define NAME(name, value, help, commands, member) name, value, help, AT(member), commands, OPTION_NAME, 0
#define FILE_(name, help, commands, member)       name, "FILE", help, AT(member), commands, OPTION_FILE, 0
#define DIRECTORY(name, help, commands, member)   name, "DIR", help, AT(member), commands, OPTION_FILE, 0
#define FILE_O(name, help, commands, member)      name, "FILE", help, AT(member), commands, OPTION_FILE, 'o'
#define TOKENS(name, help, commands, member)      name, "TOKENS", help, AT(member), commands, OPTION_TOKENS, 0
#define COLUMNS(name, help, commands, member)     name, "N", help, AT(member), commands, OPTION_COLUMNS, 0
#define PLANNED(name, value, help, commands)      name, value, help, 0, commands, OPTION_PLANNED, 0

const struct option options[] = {
	{FLAG("json", "trace as JSON lines; of probe and check their results", ON(REPLAY) | ON(PROBE) | ON(CHECK),
	      json)},
	{FLAG("hash", "only the hash of the chain at the end, or at --turn", ON(REPLAY), hash)},
	{TEXT("turn", "POS", "one position in full: 42, 42.prune, 42+3, $", ON(REPLAY) | ON(COMPACT), turn)},
	{TEXT("pane", "NAME", "what that pane shows at --turn (default: the last)", ON(REPLAY), pane)},
	{TEXT("grep", "PATTERN", "of --pane only the lines that match (pcre2), as & leaves them on the screen",
	      ON(REPLAY), grep)},
	{TEXT("ref", "REF", "where this ref or block lives at --turn (default: the last)", ON(REPLAY), ref)},
	{FLAG("changes", "trace with only the members that changed", ON(REPLAY), changes)},
	{COLUMNS("width", "columns of --pane, 10 to 10000", ON(REPLAY), width)},
	{FLAG("ascii", "ASCII glyphs and substitutes", RUN, ascii)},
	{TEXT("color", "WHEN", "colours of the screen: auto, always or never", SCREEN, color)},
	{TEXT("theme", "NAME", "looks of the screen: auto (by COLORFGBG), dark or light", SCREEN, theme)},
	{TEXT("output", "FORMAT", "table or json; of diff markdown, too; of screen text, ansi or svg",
	      ON(SCREEN) | ON(REPLAY) | ON(COMPACT) | ON(DIFF) | ON(PROBE) | ON(CHECK), output)},
	{TEXT("keys", "SCRIPT", "keys to press: ..42g<Tab>/word<Enter>", ON(SCREEN), keys)},
	{TEXT("size", "COLUMNSxROWS", "size of the screen (default 80x24)", ON(SCREEN), size)},
	{FLAG("end", "start at the last turn (+N: at turn N)", SCREEN, end)},
	{FLAG("each", "lines {\"input\": any, \"callId\"?}, one answer each", ON(PARSE_ARGS), each)},
	{FILE_O("out", "where to write; - is standard output", ON(CONVERT), to)},
	{TEXT("turns", "A..B", "only these turns, with what has to go before them", ON(CONVERT), turns)},
	{"drop-call", "N", "without this compress call, counted from 1", AT(drop_call), ON(CONVERT), OPTION_TOKENS, 0},
	{TEXT("profile", "NAME", "", RUN, profile)},
	{TEXT("policy", "SWITCH=VALUE,..", "[profile=NAME,]switch=value,..; also limit=N, systemTokens=N|fit", RUN,
	      policy)},
	{FILE_("config", "acp.json, or kernel configuration, on top of the session's", RUN, config)},
	{TOKENS("limit", "context window, a whole number", RUN, limit)},
	{TEXT("from", "FORMAT", "format of FILE instead of the one found by content", SESSION, from)},
	{NAME("branch", "ID", "branch of a session tree that ends with this entry", SESSION, branch)},
	{FILE_("state", "the host's stored state, to compare with (default: *.acp.json beside FILE)",
	       SCREEN | ON(REPLAY) | ON(INFO), state)},
	{"follow", NULL, "follow a file that is still being written", AT(follow), SCREEN, OPTION_FLAG, 'f'},
	{FLAG("request", "the bytes sent at --turn (default: the last), and nothing else", ON(REPLAY), request)},
	{FILE_("log", "the adapter's log (acp.log, acp-debug.log), to compare with", SCREEN | ON(REPLAY) | ON(INFO),
	       log)},
	{DIRECTORY("requests", "recorded requests (*.json, *.jsonl), to compare with", SCREEN | ON(REPLAY) | ON(INFO),
		   requests)},
	{FILE_("prices", "prices of models per million tokens, as JSON (README)", RUN, prices)},
	{PLANNED("kernel", "CMD", "an external kernel", RUN)},
	{LIST("assert", "EXPR", "holds at every turn (acpdbg help conditions); up to 16 times", ON(CHECK), asserts)},
	{PLANNED("golden", "DIR", "", ON(CHECK))},
	{PLANNED("update", NULL, "", ON(CHECK))},
	{PLANNED("bisect", NULL, "", ON(CHECK))},
	{PLANNED("jobs", "N", "", ON(CHECK))},
	{TEXT("left", "POLICY", "policy of the left side, on top of --profile and --policy", ON(DIFF), left)},
	{TEXT("right", "POLICY", "policy of the right side, likewise", ON(DIFF), right)},
	{PLANNED("where", "COND", "", ON(DIFF))},
	{PLANNED("keep", "COND", "", ON(SHRINK))},
	{PLANNED("key", "KEY", "", ON(REDACT))},
	{PLANNED("tools", NULL, "", ON(REDACT))},
	{TEXT("summarizer", "CMD", "a command that answers the prompt within 60 s", ON(COMPACT), summarizer)},
	{PLANNED("html", "FILE", "", ON(REPORT))},
	{NULL, NULL, NULL, 0, 0, OPTION_PLANNED, 0},
};

enum command_name command_find(const char *name)
{
	unsigned i = 0;
	while (i < COMMAND_COUNT && strcmp(commands[i].name, name) != 0)
		i++;
	return i;
}

static const struct option *option_find(struct str name)
{
	for (const struct option *o = options; o->name != NULL; o++)
		if (str_eq(str_of(o->name), name))
			return o;
	return NULL;
}

static const struct option *option_letter(char letter)
{
	for (const struct option *o = options; o->name != NULL; o++)
		if (o->letter != 0 && o->letter == letter)
			return o;
	return NULL;
}

static int unknown(const char *what, struct str name, const char *nearest)
{
	struct buf safe = {0};
	text_put_safe(&safe, text_clip(name, 60, true, NULL), true);
	if (nearest != NULL)
		cli_say(NULL, 0, "unknown %s '%s', nearest: %s", what, safe.p ? safe.p : "", nearest);
	else
		cli_say(NULL, 0, "unknown %s '%s' (acpdbg help lists them)", what, safe.p ? safe.p : "");
	buf_free(&safe);
	return CLI_USAGE;
}

static int unknown_option(struct str name)
{
	struct nearest near = {0};
	struct str bare = name;
	while (bare.n > 0 && bare.p[0] == '-')
		bare = str_cut(bare, 1, bare.n);
	for (const struct option *o = options; o->name != NULL; o++)
		nearest_offer(&near, bare, o->name);
	char dashed[48];
	snprintf(dashed, sizeof dashed, "--%s", near.name ? near.name : "");
	return unknown("option", name, near.name ? dashed : NULL);
}

/* A whole number above 0, in decimal, with or without an exponent: no hexadecimal, no sign. */
static bool read_tokens(const char *text, double *out)
{
	char *end;
	if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.eE+") != strlen(text))
		return false;
	errno = 0;
	*out = strtod(text, &end);
	return *end == 0 && errno == 0 && isfinite(*out) && *out > 0 && *out == floor(*out);
}

static bool read_columns(const char *text, double *out)
{
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || text[digits] != 0)
		return false;
	*out = strtod(text, NULL);
	return *out >= OPTION_COLUMNS_MIN && *out <= OPTION_COLUMNS_MAX;
}

static bool add(void *at, const char *value)
{
	struct cli_list *list = at;
	if (list->n < CLI_LIST_MAX)
		list->v[list->n++] = value;
	else
		return false;
	return true;
}

/* Puts the value where the command looks for it; what was expected instead, or NULL. */
static const char *store(struct cli_request *q, const struct option *o, const char *value)
{
	char *at = (char *)q + o->offset;
	double number = 0;
	switch (o->kind) {
	case OPTION_FLAG:
		memcpy(at, &(bool){true}, sizeof(bool));
		return NULL;
	case OPTION_FILE:
		if (value[0] == 0)
			return "the name of a file";
		memcpy(at, &value, sizeof value);
		return NULL;
	case OPTION_NAME:
		if (value[0] == 0)
			return "the id of an entry";
		memcpy(at, &value, sizeof value);
		return NULL;
	case OPTION_TEXT:
		memcpy(at, &value, sizeof value);
		return NULL;
	case OPTION_LIST:
		if (!add(at, value))
			return "no more than 16 of them";
		return NULL;
	case OPTION_TOKENS:
		if (!read_tokens(value, &number))
			return "a whole number above 0";
		break;
	case OPTION_COLUMNS:
		if (!read_columns(value, &number))
			return "a whole number from 10 to 10000";
		break;
	case OPTION_PLANNED:
		return NULL;
	}
	memcpy(at, &number, sizeof number);
	return NULL;
}

/* What has been read so far. */
struct parsing {
	struct cli *c;
	char **argv;
	int argc, i;
	bool seen[sizeof options / sizeof *options]; /* for the check against the command */
	bool help, start;                            /* --help, +N */
};

static int take_option(struct parsing *p, const struct option *o, const char *value)
{
	if (o->kind == OPTION_PLANNED) {
		cli_say(NULL, 0, "--%s is not built yet", o->name);
		return CLI_USAGE;
	}
	if (o->value == NULL && value != NULL) {
		cli_say(NULL, 0, "--%s takes no value", o->name);
		return CLI_USAGE;
	}
	if (o->value != NULL && value == NULL && p->i + 1 >= p->argc) {
		cli_say(NULL, 0, "--%s needs a value: %s", o->name, o->value);
		return CLI_USAGE;
	}
	if (o->value != NULL && value == NULL)
		value = p->argv[++p->i];
	p->seen[o - options] = true;
	const char *expected = store(&p->c->request, o, value);
	if (expected == NULL)
		return CLI_FINE;
	struct buf safe = {0};
	text_put_safe(&safe, text_clip(str_of(value), 60, true, NULL), true);
	cli_say(NULL, 0, "--%s: expected %s, not '%s'", o->name, expected, safe.p ? safe.p : "");
	buf_free(&safe);
	return CLI_USAGE;
}

/* One argument that begins with a dash. */
static int take_dashed(struct parsing *p, const char *arg)
{
	const struct option *o;
	if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
		p->help = true;
		return CLI_FINE;
	}
	if (arg[1] != '-') {
		o = option_letter(arg[1]);
		if (o == NULL || (arg[2] != 0 && o->value == NULL))
			return unknown_option(str_of(arg));
		return take_option(p, o, arg[2] != 0 ? arg + 2 : NULL);
	}
	const char *equals = strchr(arg, '=');
	struct str name = {arg + 2, equals ? (size_t)(equals - arg) - 2 : strlen(arg + 2)};
	o = option_find(name);
	return o ? take_option(p, o, equals ? equals + 1 : NULL) : unknown_option((struct str){arg, name.n + 2});
}

static int take_all(struct parsing *p)
{
	bool only_words = false;
	for (p->i = 1; p->i < p->argc; p->i++) {
		const char *arg = p->argv[p->i];
		int code = CLI_FINE;
		if (only_words || strcmp(arg, "-") == 0 || (arg[0] != '-' && arg[0] != '+'))
			p->c->words[p->c->words_n++] = arg;
		else if (strcmp(arg, "--") == 0)
			only_words = true;
		else if (strcmp(arg, "--version") == 0)
			p->c->words[p->c->words_n++] = commands[COMMAND_VERSION].name;
		else if (arg[0] == '+')
			p->start = true, p->c->request.turn = arg + 1;
		else
			code = take_dashed(p, arg);
		if (code != CLI_FINE)
			return code;
	}
	return CLI_FINE;
}

/* A first word that is no command is a file to open, unless it rather looks like a mistyped command. */
static int choose_command(struct cli *c, enum command_name *command)
{
	const char *first = c->words_n > 0 ? c->words[0] : NULL;
	*command = first ? command_find(first) : COMMAND_OPEN;
	if (first == NULL)
		return CLI_FINE;
	if (*command != COMMAND_COUNT) {
		c->words++;
		c->words_n--;
		return CLI_FINE;
	}
	*command = COMMAND_OPEN;
	if (first[0] == 0 || strcmp(first, "-") == 0 || strpbrk(first, "/.") != NULL || access(first, F_OK) == 0)
		return CLI_FINE;
	struct nearest near = {0};
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		nearest_offer(&near, str_of(first), commands[i].name);
	return unknown("command", str_of(first), near.name);
}

static int check(const struct parsing *p, enum command_name command)
{
	const struct command *k = &commands[command];
	if (k->run == NULL) {
		cli_say(NULL, 0, "%s is not built yet", k->name);
		return CLI_USAGE;
	}
	for (const struct option *o = options; o->name != NULL; o++) {
		if (!p->seen[o - options] || o->commands >> command & 1)
			continue;
		cli_say(NULL, 0, "%s takes no --%s", k->name, o->name);
		return CLI_USAGE;
	}
	if (p->start && command != COMMAND_OPEN && command != COMMAND_LAST) {
		cli_say(NULL, 0, "%s takes no +N, only open and last do", k->name);
		return CLI_USAGE;
	}
	if (p->c->words_n < k->words_min || p->c->words_n > k->words_max) {
		cli_say(NULL, 0, "usage: acpdbg %s [OPTION]...%s%s", k->name, k->arguments[0] ? " " : "", k->arguments);
		return CLI_USAGE;
	}
	return CLI_FINE;
}

int options_parse(int argc, char **argv, struct cli *c, enum command_name *command)
{
	struct parsing p = {.c = c, .argv = argv, .argc = argc};
	c->request.limit = NAN;
	int code = take_all(&p);
	if (code == CLI_FINE && p.help && c->words_n == 0) {
		*command = COMMAND_HELP;
		return CLI_FINE;
	}
	if (code == CLI_FINE)
		code = choose_command(c, command);
	if (code != CLI_FINE)
		return code;
	if (p.help) {
		/* `acpdbg replay --help`: the same as `acpdbg help replay` */
		c->words[0] = commands[*command].name; /* a word was there, so there is room */
		c->words_n = 1;
		*command = COMMAND_HELP;
		return CLI_FINE;
	}
	code = check(&p, *command);
	if (code == CLI_FINE && commands[*command].words_max == 1 && c->words_n > 0)
		c->request.file = c->words[0];
	if (c->request.file != NULL && c->request.file[0] == 0 && *command != COMMAND_HELP) {
		cli_say(NULL, 0, "'': no such file (its name is empty)");
		return CLI_NO_INPUT;
	}
	return code;
}
