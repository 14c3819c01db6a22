/* Patterns of conditions: pcre2 with limits, without its compiler to machine code. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include "replay/expr_node.h"

struct expr_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	pcre2_match_data *data;
};

static void pattern_free(void *ptr)
{
	struct expr_pattern *p = ptr;
	pcre2_match_data_free(p->data);
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
}

struct expr_pattern *expr_pattern_make(struct arena *a, struct str text, bool caseless, char *message, size_t room,
				       size_t *at)
{
	const uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOLLAR_ENDONLY;
	int error;
	struct expr_pattern *p = arena_zero(a, 1, sizeof *p);
	*at = 0;
	if (text.n > EXPR_PATTERN_MAX) {
		snprintf(message, room, "longer than %d bytes", EXPR_PATTERN_MAX);
		return NULL;
	}
	p->code = pcre2_compile((PCRE2_SPTR)text.p, text.n, flags | (caseless ? PCRE2_CASELESS : 0), &error, at, NULL);
	if (p->code == NULL) {
		PCRE2_UCHAR words[200];
		pcre2_get_error_message(error, words, sizeof words);
		snprintf(message, room, "%s", (const char *)words);
		*at = *at < text.n ? *at : text.n;
		return NULL;
	}
	p->limits = pcre2_match_context_create(NULL);
	p->data = pcre2_match_data_create(1, NULL);
	arena_defer(a, pattern_free, p);
	if (p->limits == NULL || p->data == NULL) {
		snprintf(message, room, "out of memory");
		return NULL;
	}
	pcre2_set_match_limit(p->limits, EXPR_MATCH_LIMIT);
	pcre2_set_depth_limit(p->limits, EXPR_MATCH_LIMIT);
	pcre2_set_heap_limit(p->limits, EXPR_MATCH_HEAP);
	return p;
}

int expr_pattern_match(const struct expr_pattern *p, struct str subject)
{
	int found = pcre2_match(p->code, (PCRE2_SPTR)(subject.p ? subject.p : ""), subject.n, 0, PCRE2_NO_JIT, p->data,
				p->limits);
	return found >= 0 ? 1 : found == PCRE2_ERROR_NOMATCH ? 0 : -1;
}
