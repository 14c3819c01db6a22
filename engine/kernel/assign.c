#include "engine/kernel/assign.h"

enum status assign_refs(struct state *s)
{
	/* with no protected tool nothing is ever BLOCKED, not even compress calls (kernel.md 4.1.2) */
	bool blocking = s->config->protected_n > 0 || s->config->tool_protected != NULL;
	uint32_t cursor = s->ref_highest + 1;
	for (size_t i = s->named; i < s->rows.n; i++) {
		const struct message *m = &s->messages.v[s->rows.v[i]];
		if (m->id == 0 || state_info(s, m->id)->ref != REF_NONE)
			continue;
		if (blocking && (m->guarded || state_tool_protected(s, m->content, m->tool))) {
			state_ref_set(s, m->id, REF_BLOCKED);
			continue;
		}
		while (cursor <= REF_MAX && cursor < s->by_ref.n && s->by_ref.v[cursor] != 0)
			cursor++;
		if (cursor > REF_MAX)
			return STATUS_LIMIT;
		state_ref_set(s, m->id, cursor++);
	}
	state_named_set(s, (uint32_t)s->rows.n);
	return STATUS_OK;
}
