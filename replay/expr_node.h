/* expr_node: the tree of an expression; internal to expr. Nodes live in the arena of expr_parse. */
#ifndef REPLAY_EXPR_NODE_H
#define REPLAY_EXPR_NODE_H

#include "replay/expr_names.h"

enum expr_op {
	OP_CONSTANT,
	OP_NAME,
	OP_ROW,
	OP_NOT,
	OP_NEGATE,
	OP_AND,
	OP_OR,
	OP_SUM,
	OP_PRODUCT,
	OP_COMPARE,
	OP_MATCH,
	OP_PREV,
	OP_CHANGED,
	OP_KNOWN
};

enum expr_compare { COMPARE_EQUAL, COMPARE_UNEQUAL, COMPARE_LESS, COMPARE_AT_MOST, COMPARE_MORE, COMPARE_AT_LEAST };

/*
 * Chains of one strength (a + b - c, x and y and z) are one node with any number of operands, so the tree is never
 * deeper than the parentheses of its text allow.
 */
struct expr_node {
	uint8_t op;      /* enum expr_op */
	uint8_t type;    /* enum expr_type */
	uint8_t compare; /* enum expr_compare */
	bool inverse;    /* this operand of a sum is taken away, of a product divides */
	uint8_t back;    /* prev() and changed() inside each other, in it */
	size_t at, n;    /* in the text */
	struct expr_node *first, *next;
	struct expr_node *next_name; /* OP_NAME and OP_ROW in order */
	struct expr_value value;     /* OP_CONSTANT */
	const struct expr_name *name;
	const struct expr_member *member;
	struct str ref;
	struct expr_pattern *pattern;
};

struct expr {
	struct str text;
	struct expr_node *root, *names;
	unsigned needs;
};

/* ---- patterns ---- */

/* Lives in the arena. NULL: *message (of `room` bytes) and the byte of the pattern say why. */
struct expr_pattern *expr_pattern_make(struct arena *a, struct str text, bool caseless, char *message, size_t room,
				       size_t *at);
/* 1 matches, 0 does not, -1 given up. */
int expr_pattern_match(const struct expr_pattern *p, struct str subject);

#endif
