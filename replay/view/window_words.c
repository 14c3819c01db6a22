#include "replay/view/window_words.h"

#include "replay/view/words.h"

void window_put_proof(const struct run *r, struct buf *b)
{
	buf_printf(b, "refuted by turn %u: prompt ", (unsigned)r->refuted_turn);
	words_count(b, r->refuted_first);
	if (r->refuted_most_turn != r->refuted_turn) {
		buf_text(b, ", at most ");
		words_count(b, r->refuted_most);
		buf_printf(b, " at turn %u", (unsigned)r->refuted_most_turn);
	}
	buf_text(b, " (provider usage)");
}

void window_put_refuted(const struct run *r, struct buf *b)
{
	buf_text(b, "the assumed window of ");
	words_count(b, r->config.limit + r->reserved);
	buf_text(b, " tokens is ");
	window_put_proof(r, b);
	buf_text(b, "; usage, nudges and truncation here are not what happened: give the window with --limit");
}
