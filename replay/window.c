#include "replay/window.h"

#include <math.h>

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
