/*
 * rebuild: a state worked out again from the history alone (kernel.md 8.1).
 *
 * What a host does when a fork or a move lost the stored state: every message
 * gets a ref, then every compress call that the history holds is applied to the
 * whole of it, whatever became of it at the time. The caller gives a state with
 * the messages in its list: an initial one, or one whose byRaw is known. Work
 * goes in steps, a call at a time. The rebuild borrows the state and owns its
 * scratch.
 */
#ifndef ENGINE_KERNEL_REBUILD_H
#define ENGINE_KERNEL_REBUILD_H

#include "engine/kernel/compress.h"

enum rebuild_form {
	REBUILD_STRICT, /* v0.0.41: only strict JSON with a list of startId, endId, messageId */
	REBUILD_LENIENT /* later: the arguments as kernel.md 7 reads them */
};

struct rebuild {
	struct state *state;
	enum rebuild_form form;
	struct apply_options options;
	size_t next;   /* row to be looked at */
	size_t calls;  /* compress calls met */
	size_t blocks; /* made so far */
	struct surface surface;
	struct compress_scratch scratch;
	struct apply_result result;
	struct arena arena; /* emptied after every call */
};

/*
 * Gives refs to all messages. created_at: of the blocks, ms. STATUS_LIMIT: more than REF_MAX refs (ref-capacity); then
 * nothing can be rebuilt. rebuild_free is due in any case. The state must not change from elsewhere until then.
 */
enum status rebuild_begin(struct rebuild *b, struct state *s, enum rebuild_form form, struct counter counter,
			  double created_at);
/* Works on about `budget` rows; false when the last call is done. */
bool rebuild_step(struct rebuild *b, size_t budget);
void rebuild_free(struct rebuild *b);

#endif
