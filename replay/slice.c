#include "replay/slice.h"

#include <stdio.h>

/* Digits at *at; `otherwise` where there are none. False: they are too many. */
static bool read_turn(struct str s, size_t *at, uint64_t otherwise, uint64_t *out)
{
	size_t from = *at;

	for (*out = 0; *at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9' && *out <= UINT32_MAX; ++*at)
		*out = *out * 10 + (uint64_t)(s.p[*at] - '0');
	if (*at == from)
		*out = otherwise;
	return *out <= UINT32_MAX;
}

enum status slice_parse(const struct run *r, struct str text, struct slice *s, struct error *e)
{
	uint64_t turns = r->timeline.turns.n, first, last;
	size_t at = 0;

	text = text_trim(text);
	if (text.n == 0 || !read_turn(text, &at, 1, &first))
		return error_set(e, STATUS_USAGE, "expected turns, like 3..9, 3.. or 7");
	last = first;
	if (at + 2 <= text.n && text.p[at] == '.' && text.p[at + 1] == '.') {
		at += 2;
		if (!read_turn(text, &at, turns, &last))
			return error_set(e, STATUS_USAGE, "there is no such turn, the last one is %u", (unsigned)turns);
	}
	if (at != text.n)
		return error_set(e, STATUS_USAGE, "expected turns, like 3..9, 3.. or 7");
	if (turns == 0)
		return error_set(e, STATUS_USAGE, "the session has no turns");
	if (first < 1 || first > turns || last > turns)
		return error_set(e, STATUS_USAGE, "turns %llu..%llu: there are turns 1 to %u",
				 (unsigned long long)first, (unsigned long long)last, (unsigned)turns);
	if (first > last)
		return error_set(e, STATUS_USAGE, "turns %llu..%llu: the last one is before the first one",
				 (unsigned long long)first, (unsigned long long)last);
	*s = (struct slice){.first = (uint32_t)first, .last = (uint32_t)last};
	return STATUS_OK;
}

void slice_make(struct run *r, struct slice *s)
{
	uint32_t first = r->timeline.turns.v[s->first - 1].record;

	s->edit = (struct recording_edit){.record = r->recording->records.n,
					  .to = (size_t)r->timeline.turns.v[s->last - 1].record + 1};
	s->keeps_before = s->first == 1 || !policy_is(&r->policy, SWITCH_DRIVER, "conformance");
	if (s->keeps_before)
		return;
	run_seek(r, first);
	state_write(&r->state, &s->state);
	s->edit.from = first;
	s->edit.state = buf_view(&s->state);
}

void slice_free(struct slice *s) { buf_free(&s->state); }
