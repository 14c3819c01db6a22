#include <string.h>

#include "replay/cli/options.h"

/* "a set of switches: K41, K60, .." */
static void put_profiles(struct buf *b)
{
	const char *name;
	for (size_t i = 0; (name = policy_profile_at(i)) != NULL; i++)
		buf_printf(b, "%s%s", i > 0 ? ", " : "one of ", name);
}

static void put_option(struct buf *b, const struct option *o)
{
	size_t start = b->n;
	if (o->letter != 0)
		buf_printf(b, "  -%c, ", o->letter);
	else
		buf_text(b, "      ");
	buf_printf(b, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
	buf_printf(b, "%*s", b->n - start < 33 ? (int)(33 - (b->n - start)) : 1, "");
	buf_printf(b, " %s", o->help);
	if (strcmp(o->name, "profile") == 0)
		put_profiles(b);
	buf_char(b, '\n');
}

void help_program(struct buf *b)
{
	buf_text(b,
		 "usage: acpdbg COMMAND [OPTION]... | acpdbg [open] [FILE]\n\n"
		 "Replays recorded sessions of an LLM agent through the context-compression kernel.\n"
		 "Without FILE: recent sessions of Pi, OMP, DSH, Claude Code and Codex, this directory's on top.\n\n");
	for (const struct command *k = commands; k < commands + COMMAND_COUNT; k++)
		if (k->run != NULL)
			buf_printf(b, "  %-11s %-10s %s\n", k->name, k->arguments, k->help);
	buf_text(b,
		 "\n`acpdbg help COMMAND` lists the options of a command, `acpdbg help policy` profiles and\n"
		 "switches, `acpdbg help conditions` what probe and check --assert understand, `acpdbg help\n"
		 "config` what can be set for all sessions. FILE may be - for standard input.\n"
		 "Exit codes: 0 fine, 1 findings, 64 usage, 65 unreadable input, 66 no such file, 70 internal error.\n"
		 "Not built yet: ");
	const char *separator = "";
	for (const struct command *k = commands; k < commands + COMMAND_COUNT; k++)
		if (k->run == NULL) {
			buf_printf(b, "%s%s", separator, k->name);
			separator = ", ";
		}
	buf_text(b, ".\n");
}

void help_command(struct buf *b, enum command_name command)
{
	const struct command *k = &commands[command];
	buf_printf(b, "usage: acpdbg %s [OPTION]...%s%s\n\n%s%s\n", k->name, k->arguments[0] ? " " : "", k->arguments,
		   k->help, k->run ? "" : " (not built yet)");
	for (int built = 1; built >= 0; built--) {
		bool any = false;
		for (const struct option *o = options; o->name != NULL; o++) {
			if (!(o->commands >> command & 1) || (o->kind != OPTION_PLANNED) != (built != 0))
				continue;
			if (!any)
				buf_text(b, built ? "\n" : "\nnot built yet:\n");
			any = true;
			put_option(b, o);
		}
	}
}
