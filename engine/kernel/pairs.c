#include "engine/kernel/pairs.h"

/*
 * Call ids of the rows near an interval, with what is known of them. There are
 * at most 2 * PAIR_REACH, so a small open table on the stack holds them and the
 * interval is read once.
 */
enum { NEAR_SLOTS = 128 };

struct near_calls {
	uint32_t call[NEAR_SLOTS]; /* 0 = free */
	bool inside[NEAR_SLOTS];   /* an eligible row of the interval carries it */
	size_t missing;            /* calls not yet seen inside */
};

static size_t near_slot(const struct near_calls *t, uint32_t call)
{
	size_t i = (call * 2654435761u) >> 25;
	while (t->call[i] != 0 && t->call[i] != call)
		i = (i + 1) % NEAR_SLOTS;
	return i;
}

static void near_add(struct near_calls *t, const struct surface *f, int64_t from, int64_t to)
{
	for (int64_t i = from; i <= to; i++) {
		uint32_t call = f->rows.v[i].call;
		size_t slot = near_slot(t, call);
		if (call == 0 || t->call[slot] != 0)
			continue;
		t->call[slot] = call;
		t->missing++;
	}
}

static bool near_has(const struct near_calls *t, uint32_t call) { return call != 0 && t->inside[near_slot(t, call)]; }

/* A compress result without tool name does contribute (kernel.md 11, 42): only the row's own tool name counts. */
static void near_mark(struct near_calls *t, const struct surface *f, struct state *s, struct interval in)
{
	for (int64_t i = in.start; i <= in.end && t->missing > 0; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (r->call == 0 || (r->tool != 0 && state_tool(s, r->tool) & TOOL_COMPRESS))
			continue;
		size_t slot = near_slot(t, r->call);
		if (t->call[slot] == 0 || t->inside[slot])
			continue;
		t->inside[slot] = true;
		t->missing--;
	}
}

/* Rows of a surface that exist, or nothing at all. */
static bool is_interval(const struct surface *f, struct interval in)
{
	return in.start >= 0 && in.start <= in.end && in.end < (int64_t)f->rows.n;
}

struct interval pairs_tools(const struct surface *f, struct state *s, struct interval in)
{
	if (!is_interval(f, in))
		return in;
	int64_t rows = (int64_t)f->rows.n;
	int64_t low = in.start > PAIR_REACH ? in.start - PAIR_REACH : 0;
	int64_t high = in.end + PAIR_REACH < rows ? in.end + PAIR_REACH : rows - 1;
	struct near_calls near = {0};
	near_add(&near, f, low, in.start - 1);
	near_add(&near, f, in.end + 1, high);
	near_mark(&near, f, s, in);

	struct interval out = in;
	/* rows before the first partner are skipped over; the first gap after one ends the walk */
	for (int64_t i = in.end + 1; i <= high; i++) {
		if (near_has(&near, f->rows.v[i].call))
			out.end = i;
		else if (out.end != in.end)
			break;
	}
	for (int64_t i = in.start - 1; i >= low; i--) {
		if (near_has(&near, f->rows.v[i].call))
			out.start = i;
		else if (out.start != in.start)
			break;
	}
	return out;
}

static bool is_reasoning(const struct surface *f, int64_t i) { return f->rows.v[i].content == CONTENT_REASONING; }

/* What reasoning can belong to: the assistant's text or call. */
static bool is_answer(const struct surface *f, int64_t i)
{
	const struct surface_row *r = &f->rows.v[i];
	return r->role == ROLE_ASSISTANT && (r->content == CONTENT_TEXT || r->content == CONTENT_CALL);
}

/*
 * Of all rows in the interval only two can widen it: a reasoning row at its end
 * (runs inside end inside, or with this one), and the first row that is no
 * reasoning, when the run before it starts outside.
 */
struct interval pairs_reasoning(const struct surface *f, struct interval in)
{
	if (!is_interval(f, in))
		return in;
	int64_t rows = (int64_t)f->rows.n;
	struct interval out = in;
	if (is_reasoning(f, in.end)) {
		int64_t next = in.end + 1;
		while (next < rows && is_reasoning(f, next))
			next++;
		if (next < rows && is_answer(f, next))
			out.end = next;
	}
	int64_t first = in.start;
	while (first <= in.end && is_reasoning(f, first))
		first++;
	if (first <= in.end && is_answer(f, first))
		while (out.start > 0 && is_reasoning(f, out.start - 1))
			out.start--;
	return out;
}
