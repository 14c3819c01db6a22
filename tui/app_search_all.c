/* Search through the rows of all turns: every message of the recording once, at the turn that sends it first. */
#include "tui/app_parts.h"

/* The first turn after the message; turns + 1 = none. */
static uint32_t turn_of(const struct run *r, size_t message)
{
	uint32_t record = r->recording->messages.v[message].record;
	size_t lo = 0, hi = r->timeline.turns.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->timeline.turns.v[mid].record < record)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (uint32_t)lo + 1;
}

/* Messages before the last turn. */
static size_t count(const struct view_context *c)
{
	size_t lo = 0, hi = c->run->recording->messages.n, turns = c->run->timeline.turns.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (turn_of(c->run, mid) <= turns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* There is nothing but the text. */
static void line(const struct view_context *c, size_t i, struct line *out)
{
	(void)i;
	line_reset(out, c->width);
}

/* As Rows has it, for panes that keep the selection by it. */
static uint64_t key(const struct view_context *c, size_t i)
{
	(void)c;
	return (uint64_t)i + 1;
}

static bool text(const struct view_context *c, size_t i, size_t part, size_t max, struct arena *a, struct str *out,
		 bool *all)
{
	struct span span = c->run->recording->messages.v[i].text;

	if (part > 0)
		return false;
	*all = span.place != SPAN_LITERAL || span.n <= max;
	if (!*all)
		span.n = (uint32_t)max;
	*out = recording_text(c->run->recording, span, a);
	return true;
}

const struct view_ops app_search_all_view = {
	.name = "all rows", .title = "all rows", .count = count, .line = line, .key = key, .text = text};

size_t app_search_all_from(const struct app *a, bool again)
{
	const struct pane *p = &a->panes[PANE_ROWS];
	uint64_t wanted = again ? p->wanted : p->key;

	return wanted > 0 && wanted <= a->now->run.recording->messages.n ? (size_t)wanted - 1 : 0;
}

void app_search_all_go(struct app *a, size_t message)
{
	struct pane *p = &a->panes[PANE_ROWS];
	uint32_t turn = turn_of(&a->now->run, message);

	/* a turn that has the row already is as good: the one that is shown */
	if (a->now->frame.at.turn < turn || a->now->frame.at.node != NODE_RENDER)
		app_go_turn(a, turn);
	p->wanted = (uint64_t)message + 1;
	p->tail = p->open = p->follow = false;
	app_settle(a);
	if (p->key == p->wanted || a->now->frame.at.turn == turn)
		return;
	/* it is gone here */
	app_go_turn(a, turn);
	p->wanted = (uint64_t)message + 1;
	p->follow = false;
	app_settle(a);
}
