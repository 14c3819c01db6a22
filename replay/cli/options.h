/*
 * options: every command and every option of the program, in two tables; parsing,
 * help and messages about unknown names are made from them.
 */
#ifndef REPLAY_CLI_OPTIONS_H
#define REPLAY_CLI_OPTIONS_H

#include "replay/cli/cli.h"
#include "replay/cli/out.h"

enum command_name {
	COMMAND_OPEN,
	COMMAND_LAST,
	COMMAND_REPLAY,
	COMMAND_SCREEN,
	COMMAND_INFO,
	COMMAND_CHECK,
	COMMAND_SUMMARY,
	COMMAND_DIFF,
	COMMAND_SHRINK,
	COMMAND_REDACT,
	COMMAND_PROBE,
	COMMAND_CONVERT,
	COMMAND_PARSE_ARGS,
	COMMAND_COMPACT,
	COMMAND_REPORT,
	COMMAND_KERNEL,
	COMMAND_BENCH,
	COMMAND_SCHEMA,
	COMMAND_COMPLETION,
	COMMAND_MAN,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMAND_COUNT
};

/* What a command works with. */
struct cli {
	struct cli_request request;
	const struct cli_hooks *hooks;
	struct out out;
	const char **words; /* positional arguments after the command */
	int words_n;
	bool quiet; /* no report of damage and oddities on standard error */
	bool told;  /* of what --config has and nothing uses; the same for every run of a command */
};

struct command {
	const char *name;
	const char *arguments; /* "FILE", "" */
	const char *help;
	int (*run)(struct cli *c); /* NULL: not built yet */
	uint8_t words_min, words_max;
};
extern const struct command commands[COMMAND_COUNT];

enum option_kind {
	OPTION_PLANNED,
	OPTION_FLAG,
	OPTION_TEXT,
	OPTION_NAME,   /* as TEXT, but not empty */
	OPTION_LIST,   /* a text, up to CLI_LIST_MAX times */
	OPTION_FILE,   /* a text that is not empty */
	OPTION_TOKENS, /* a whole number above 0, in decimal; 1e5 is one */
	OPTION_COLUMNS /* decimal digits, OPTION_COLUMNS_MIN to OPTION_COLUMNS_MAX */
};
enum { OPTION_COLUMNS_MIN = 10, OPTION_COLUMNS_MAX = 10000 };

struct option {
	const char *name;  /* without the dashes */
	const char *value; /* what follows ("NAME"), NULL = nothing */
	const char *help;
	size_t offset;     /* into struct cli_request */
	uint32_t commands; /* bit per enum command_name */
	enum option_kind kind;
	char letter; /* short form, 0 = none */
};
extern const struct option options[]; /* ends with name NULL */

/* Reads the arguments. On a fault prints it and returns CLI_USAGE; else CLI_FINE and the command in *command. */
int options_parse(int argc, char **argv, struct cli *c, enum command_name *command);

/* Standard input and output are a terminal. */
bool cli_has_screen(void);

/* Usage of the program, or of one command. */
void help_program(struct buf *b);
/* The commands in Chinese, shortly. */
void help_chinese(struct buf *b);
void help_command(struct buf *b, enum command_name command);
/* The command of this name, or COMMAND_COUNT. */
enum command_name command_find(const char *name);

#endif
