/* acpdbg completion bash: a completion script, made of the same tables as the program. */
#include "replay/cli/run_commands.h"
#include "replay/readers/reader.h"
#include "replay/view/view.h"

static void put_commands(struct buf *b)
{
	for (const struct command *k = commands; k < commands + COMMAND_COUNT; k++)
		if (k->run != NULL)
			buf_printf(b, "%s ", k->name);
}

static void put_options(struct buf *b, unsigned command)
{
	for (const struct option *o = options; o->name != NULL; o++)
		if ((o->commands >> command & 1) && o->kind != OPTION_PLANNED)
			buf_printf(b, "--%s ", o->name);
}

static void put_profiles(struct buf *b)
{
	for (size_t i = 0; policy_profile_at(i) != NULL; i++)
		buf_printf(b, "%s ", policy_profile_at(i));
}

static void put_panes(struct buf *b)
{
	for (size_t i = 0; views[i] != NULL; i++)
		buf_printf(b, "%s ", views[i]->name);
}

static void put_formats(struct buf *b)
{
	for (size_t i = 0; readers[i] != NULL; i++)
		buf_printf(b, "%s ", readers[i]->name);
}

static void put_switches(struct buf *b)
{
	for (unsigned s = 0; s < SWITCH_TOTAL; s++)
		buf_printf(b, "%s= ", policy_switch_name((enum policy_switch)s));
	buf_text(b, "profile= limit= systemTokens= ");
}

/* Values by the option that takes them; options of files and numbers are left to bash. */
static const struct {
	const char *option;
	void (*put)(struct buf *b);
	const char *words;
} values[] = {
	{"--profile", put_profiles, NULL},      {"--pane", put_panes, NULL},
	{"--color", NULL, "auto always never"}, {"--output", NULL, "table json markdown text ansi svg"},
	{"--from", put_formats, NULL},
};

static void put_values(struct buf *b)
{
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		buf_printf(b, "\t%s)\n\t\twords='", values[i].option);
		if (values[i].put)
			values[i].put(b);
		else
			buf_text(b, values[i].words);
		buf_text(b, "' ;;\n");
	}
}

/* What stands behind `switch=`: bash takes the sign for a word of its own. */
static void put_switch_values(struct buf *b)
{
	for (unsigned s = 0; s < SWITCH_TOTAL; s++) {
		const char *value;
		buf_printf(b, "\t%s)\n\t\twords='", policy_switch_name((enum policy_switch)s));
		for (size_t i = 0; (value = policy_value_at((enum policy_switch)s, i)) != NULL; i++)
			if (value[0])
				buf_printf(b, "%s ", value);
		buf_text(b, "' ;;\n");
	}
	buf_text(b, "\tprofile)\n\t\twords='");
	put_profiles(b);
	buf_text(b, "' ;;\n");
}

static void put_command_options(struct buf *b)
{
	for (unsigned i = 0; i < COMMAND_COUNT; i++) {
		if (commands[i].run == NULL)
			continue;
		buf_printf(b, "\t%s)\n\t\twords='", commands[i].name);
		put_options(b, i);
		buf_text(b, "' ;;\n");
	}
	buf_text(b, "\t*)\n\t\twords='");
	put_options(b, COMMAND_OPEN);
	buf_text(b, "' ;;\n");
}

int cmd_completion(struct cli *c)
{
	struct buf *b = &c->out.buf;
	if (strcmp(c->words[0], "bash") != 0) {
		cli_say(NULL, 0, "completion: only bash is built");
		return CLI_USAGE;
	}
	buf_text(b, "# completion of acpdbg for bash:  source <(acpdbg completion bash)\n"
		    "_acpdbg()\n{\n"
		    "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= before= key=\n"
		    "\tlocal command=${COMP_WORDS[1]}\n"
		    "\tif [ \"$cur\" = '=' ]; then\n\t\tkey=$prev cur=\n"
		    "\telif [ \"$prev\" = '=' ]; then\n\t\tkey=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
		    "\t# --policy a=b,c=d: what is behind the last comma\n"
		    "\tif [[ $cur == *,* ]]; then\n\t\tbefore=${cur%,*}, cur=${cur##*,} key= prev=--policy\n"
		    "\telse\n\t\tkey=${key##*,}\n\tfi\n"
		    "\tcase $key in\n\t'') ;;\n");
	put_switch_values(b);
	buf_text(b, "\tesac\n\tif [ -z \"$key\" ]; then\n\tcase $prev in\n");
	put_values(b);
	buf_text(b, "\t--policy | --left | --right)\n\t\twords='");
	put_switches(b);
	buf_text(b, "' ;;\n\tesac\n\tfi\n"
		    "\tif [ -z \"$words\" ] && [ -z \"$key\" ] && [[ $cur == -* ]]; then\n\tcase $command in\n");
	put_command_options(b);
	buf_text(b, "\tesac\n\telif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords='");
	put_commands(b);
	buf_text(b, "'\n\tfi\n"
		    "\tCOMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"$cur\"))\n"
		    "\t[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
		    "\t[ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
		    "}\ncomplete -o filenames -o bashdefault -F _acpdbg acpdbg\n");
	return CLI_FINE;
}
