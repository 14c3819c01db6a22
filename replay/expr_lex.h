/* expr_lex: the words of an expression, one at a time; internal to expr. */
#ifndef REPLAY_EXPR_LEX_H
#define REPLAY_EXPR_LEX_H

#include "replay/expr.h"

enum expr_token_kind {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_TEXT,
	TOKEN_WORD, /* a name with its dots, or and, or, not, true, false */
	TOKEN_SIGN  /* one of ( ) , . + - * / ~ = != < <= > >= */
};

struct expr_token {
	enum expr_token_kind kind;
	size_t at, n;    /* in the text */
	double number;   /* NUMBER */
	struct str text; /* TEXT: what it says, in the arena; the others: as it stands, == as = */
};

struct expr_lex {
	struct str text;
	size_t next; /* byte behind the token */
	struct expr_token token;
	struct arena *arena;
	struct expr_fault *fault;
	bool failed;
};

/* Says what is wrong, unless something was before; the token becomes END. Returns NULL, for who has nothing else. */
void *expr_fail(struct expr_lex *l, size_t at, size_t n, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The next token. */
void expr_next(struct expr_lex *l);
/* Instead of the next token: /pattern/ or /pattern/i, with \/ as a slash; false after expr_fail. */
bool expr_next_pattern(struct expr_lex *l, struct str *pattern, size_t *at, bool *caseless);
/* Bytes of the user's text as a message may quote them, in the arena. */
const char *expr_quote(struct expr_lex *l, struct str s);

#endif
