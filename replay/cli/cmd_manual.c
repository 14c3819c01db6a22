/* acpdbg man: a manual page, made of the tables that the program itself works with. */
#include "replay/cli/run_commands.h"
#include "replay/cli/user_config.h"
#include "replay/expr.h"

/* Text of ours for troff: what would be a request, an escape or a hyphen is none. */
static void put(struct buf *b, const char *text)
{
	bool start = true;
	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			buf_text(b, "\\&");
		start = *text == '\n';
		if (*text == '\\')
			buf_text(b, "\\e");
		else if (*text == '-')
			buf_text(b, "\\-");
		else
			buf_char(b, *text);
	}
}

static void put_heading(struct buf *b, const char *title) { buf_printf(b, ".SH %s\n", title); }

/* A tagged paragraph. */
static void put_item(struct buf *b, const char *term, const char *text)
{
	buf_text(b, ".TP\n.B ");
	put(b, term);
	buf_char(b, '\n');
	put(b, text);
	buf_char(b, '\n');
}

static void put_as_it_is(struct buf *b, void (*write)(struct buf *b))
{
	struct buf text = {0};
	write(&text);
	buf_text(b, ".nf\n");
	put(b, text.p);
	buf_text(b, ".fi\n");
	buf_free(&text);
}

static void put_head(struct buf *b)
{
	buf_text(b, ".TH ACPDBG 1 \"\" \"acpdbg " ACPDBG_VERSION "\" \"User Commands\"\n");
	put_heading(b, "NAME");
	put(b, "acpdbg - terminal inspector and replay debugger for LLM context-compression sessions\n");
	put_heading(b, "SYNOPSIS");
	buf_text(b, ".B acpdbg\n.RI [ COMMAND ]\n.RI [ OPTION ]...\n.RI [ FILE ]\n");
	put_heading(b, "DESCRIPTION");
	put(b, "Loads a recorded session of an LLM agent and steps it turn by turn, forward and back, through the "
	       "context-compression kernel: what the model saw, which rows were safe from compression and by which "
	       "rule, which ranges were offered, and why. Without FILE: recent sessions of the known hosts to choose "
	       "from. Session files are never written.\n");
}

static void put_commands(struct buf *b)
{
	struct buf term = {0};
	put_heading(b, "COMMANDS");
	for (const struct command *k = commands; k < commands + COMMAND_COUNT; k++) {
		if (k->run == NULL)
			continue;
		buf_cut(&term, 0);
		buf_printf(&term, "%s%s%s", k->name, k->arguments[0] ? " " : "", k->arguments);
		put_item(b, term.p, k->help);
	}
	buf_free(&term);
}

/* "Of replay, probe." */
static void put_users(struct buf *b, const struct option *o)
{
	const char *separator = " Of ";
	for (unsigned i = 0; i < COMMAND_COUNT; i++) {
		if (!(o->commands >> i & 1) || commands[i].run == NULL)
			continue;
		buf_text(b, separator);
		buf_text(b, commands[i].name);
		separator = ", ";
	}
	buf_char(b, '.');
}

static void put_options(struct buf *b)
{
	struct buf term = {0}, text = {0};
	put_heading(b, "OPTIONS");
	for (const struct option *o = options; o->name != NULL; o++) {
		if (o->kind == OPTION_PLANNED)
			continue;
		buf_cut(&term, 0);
		buf_cut(&text, 0);
		if (o->letter)
			buf_printf(&term, "-%c, ", o->letter);
		buf_printf(&term, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
		buf_text(&text, o->help[0] ? o->help : "a set of switches, see POLICY");
		buf_char(&text, '.');
		put_users(&text, o);
		put_item(b, term.p, text.p);
	}
	buf_free(&term);
	buf_free(&text);
}

static void put_keys(struct buf *b, const struct cli_hooks *hooks)
{
	struct cli_key key;
	struct buf term = {0}, text = {0};
	const char *group = "";
	put_heading(b, "KEYS");
	for (size_t i = 0; hooks && hooks->key && hooks->key(i, &key); i++) {
		if (strcmp(group, key.group) != 0)
			buf_printf(b, ".SS %s\n", key.group);
		group = key.group;
		buf_cut(&term, 0);
		buf_cut(&text, 0);
		buf_printf(&term, "%s  :%s%s%s", key.keys, key.name, key.argument ? " " : "",
			   key.argument ? key.argument : "");
		buf_printf(&text, "%s. Without a screen: %s.", key.help,
			   strncmp(key.headless, "screen only: ", 13) == 0 ? "no, " : "acpdbg ");
		buf_cut(&text, text.n - 1);
		buf_text(&text, strncmp(key.headless, "screen only: ", 13) == 0 ? key.headless + 13 : key.headless);
		buf_char(&text, '.');
		put_item(b, term.p, text.p);
	}
	buf_free(&term);
	buf_free(&text);
}

static const struct {
	const char *heading, *term, *text;
} tail[] = {
	{"EXIT STATUS", "0", "Fine."},
	{NULL, "1", "Findings or differences."},
	{NULL, "64", "Usage."},
	{NULL, "65", "The input cannot be read as any known format."},
	{NULL, "66", "No such file."},
	{NULL, "70", "Internal error, or the output could not be written."},
	{NULL, "130", "Interrupted."},
	{"ENVIRONMENT", "NO_COLOR", "Not empty: no colours, unless --color always."},
	{NULL, "COLORFGBG", "Tells a light background."},
	{NULL, "VISUAL, EDITOR", "Edits a compress call for a what-if."},
	{NULL, "ACPDBG_CLIPBOARD",
	 "A command that takes what is copied on its standard input; else the terminal is asked (OSC 52)."},
	{NULL, "ACPDBG_MODEL", "Tells a summarizer the model."},
	{"FILES", "$XDG_CONFIG_HOME/acpdbg/config.json", "What the user sets; acpdbg help config."},
	{NULL, "$XDG_STATE_HOME/acpdbg/",
	 "What the program remembers: breakpoints and marks of a session, the layout, what was typed behind `:`."},
};

int cmd_man(struct cli *c)
{
	struct buf *b = &c->out.buf;
	put_head(b);
	put_commands(b);
	put_options(b);
	put_keys(b, c->hooks);
	put_heading(b, "POLICY");
	put_as_it_is(b, policy_put_help);
	put_heading(b, "CONDITIONS");
	put_as_it_is(b, expr_put_help);
	put_heading(b, "CONFIGURATION");
	put_as_it_is(b, user_config_put_help);
	for (size_t i = 0; i < sizeof tail / sizeof *tail; i++) {
		if (tail[i].heading)
			put_heading(b, tail[i].heading);
		put_item(b, tail[i].term, tail[i].text);
	}
	return CLI_FINE;
}
