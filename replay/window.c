#include "replay/window.h"

#include <math.h>

#include "replay/view/words.h"

void window_judge(struct run *r, struct moment *m)
{
	uint32_t turn = (uint32_t)r->timeline.turns.n + 1;
	/* what is kept free for the answer is not taken off the window that the provider has */
	if (!r->limit_assumed || !isfinite(m->prompt) || !(m->prompt > r->config.limit + r->reserved))
		return;
	if (r->refuted_turn == 0) {
		r->refuted_turn = turn;
		r->refuted_first = m->prompt;
		m->events |= MOMENT_REFUTED;
		r->limit_source = "assumed, refuted";
	}
	if (r->refuted_most_turn == 0 || m->prompt > r->refuted_most) {
		r->refuted_most_turn = turn;
		r->refuted_most = m->prompt;
	}
}

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
