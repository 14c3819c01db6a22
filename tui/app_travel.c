#include "tui/app_parts.h"

#include <math.h>

static uint32_t turns(const struct app *a) { return a->now->has_run ? (uint32_t)a->now->run.timeline.turns.n : 0; }

/* Nothing can be shown yet; says so. */
static bool not_yet(struct app *a)
{
	if (a->now->has_frame)
		return false;
	app_say(a, STYLE_WARNING, "nothing is loaded yet");
	return true;
}

bool app_go(struct app *a, struct position p)
{
	struct error e = {0};
	struct position before = a->now->frame.at;

	a->opening++;
	if (app_replay_go(a->now, p, &e) == STATUS_OK) {
		if (a->now->has_frame)
			app_jump_remember(a, before, p);
		a->now->has_frame = true;
		a->now->stale = false;
		for (enum pane_id id = 0; id < PANE_COUNT; id++)
			a->panes[id].follow = true;
		return true;
	}
	app_say(a, STYLE_ERROR, "%s", e.message);
	/* whatever was shown stays */
	a->now->frame.at = before;
	a->now->stale = a->now->has_frame;
	return false;
}

/* Why a wish beyond the end stops there. */
static void say_end(struct app *a, bool forward)
{
	if (!forward)
		app_say(a, STYLE_DIM, "at the first turn");
	else if (app_has_all_turns(a))
		app_say(a, STYLE_DIM, "at the last turn");
	else
		app_say(a, STYLE_WARNING, "turn %u is the last one executed so far", (unsigned)turns(a));
}

void app_go_turn(struct app *a, uint64_t turn)
{
	uint32_t n = turns(a);

	if (not_yet(a))
		return;
	if (turn > n)
		app_say(a, STYLE_WARNING,
			app_has_all_turns(a) ? "there is no turn %llu, the last one is %u"
					     : "turn %llu is not executed yet, the last one is %u",
			(unsigned long long)turn, (unsigned)n);
	app_go(a, (struct position){.turn = turn < n ? (uint32_t)turn : n, .node = NODE_RENDER});
}

void app_go_turns(struct app *a, uint32_t count, bool forward)
{
	uint32_t n = turns(a), at, steps = count > 0 ? count : 1;
	int64_t wish;

	if (not_yet(a))
		return;
	at = a->now->frame.at.turn;
	/* n+k lies behind turn n: back is turn n itself */
	if (!forward && a->now->frame.at.records > 0)
		at++;
	wish = forward ? (int64_t)at + steps : (int64_t)at - steps;
	if (wish > n || wish < 1)
		say_end(a, forward);
	wish = wish > n ? n : wish < 1 ? (n > 0) : wish;
	app_go(a, (struct position){.turn = (uint32_t)wish, .node = NODE_RENDER});
}

/* Places of the steps, in their order: 0 = before the first turn, then NODE_RENDER places a turn. */
static int64_t step_of(struct position p)
{
	return p.turn == 0 ? 0 : ((int64_t)p.turn - 1) * NODE_RENDER + (int64_t)p.node;
}

void app_go_nodes(struct app *a, uint32_t count, bool forward)
{
	int64_t last = (int64_t)turns(a) * NODE_RENDER, steps = count > 0 ? count : 1, wish, first = last > 0;
	struct position p = {0};

	if (not_yet(a))
		return;
	/* n+k lies behind the last step of turn n */
	wish = step_of(a->now->frame.at) + (forward ? steps : a->now->frame.at.records > 0 ? 1 - steps : -steps);
	if (wish > last || wish < first)
		say_end(a, forward);
	wish = wish > last ? last : wish < first ? first : wish;
	if (wish > 0) {
		p.turn = (uint32_t)((wish - 1) / NODE_RENDER) + 1;
		p.node = (enum turn_node)((wish - 1) % NODE_RENDER + 1);
	} else {
		p.node = NODE_RENDER;
	}
	app_go(a, p);
}

/* What `]` and `[` are for where Prefix is focused: turns whose cause is neither none nor first. */
static bool breaks_cache(const struct sent *s)
{
	return !isnan(s->bytes) && s->cause != SENT_NONE && s->cause != SENT_FIRST;
}

static bool stops_at(const struct app *a, enum app_stop stop, uint32_t turn)
{
	const struct moment *m = &a->now->run.timeline.turns.v[turn - 1];

	switch (stop) {
	case APP_STOP_USER:
		return turn == 1 || m->user_turn != m[-1].user_turn;
	case APP_STOP_EVENT:
		if (a->focus == PANE_PREFIX && turn <= a->now->run.sender.sent.n)
			return breaks_cache(&a->now->run.sender.sent.v[turn - 1]);
		return (m->events & ~(unsigned)MOMENT_USER) != 0;
	case APP_STOP_COMPRESSION:
		return (m->events & (MOMENT_APPLIED | MOMENT_REFUSED)) != 0;
	}
	return false;
}

/* Behind the last turn: where the events stand that the comparison at the end made; false when there are none. */
static bool go_checked_end(struct app *a)
{
	uint32_t n = turns(a);
	struct position end = {.turn = n, .node = NODE_RENDER, .records = position_records_after(&a->now->run, n)};
	bool beyond = a->now->frame.at.turn < n || a->now->frame.at.records < end.records;

	if (!beyond || !a->now->checks.done ||
	    !(checks_drift_found(&a->now->checks) || a->now->checks.sidecar.notes.n > 0))
		return false;
	return app_go(a, end);
}

void app_go_stop(struct app *a, enum app_stop stop, uint32_t count, bool forward)
{
	static const char *const names[] = {"user turn", "event", "compression"};
	bool of_prefix = stop == APP_STOP_EVENT && a->focus == PANE_PREFIX && a->now->run.sender.sent.n > 0;
	uint32_t n = turns(a), steps = count > 0 ? count : 1, found = 0;
	int64_t turn;

	if (not_yet(a))
		return;
	turn = a->now->frame.at.turn;
	/* n+k lies behind turn n: back may be turn n itself */
	if (!forward && a->now->frame.at.records > 0)
		turn++;
	while (steps > 0 && (forward ? turn < n : turn > 1)) {
		turn += forward ? 1 : -1;
		if (!stops_at(a, stop, (uint32_t)turn))
			continue;
		found = (uint32_t)turn;
		steps--;
	}
	if (found > 0)
		app_go(a, (struct position){.turn = found, .node = NODE_RENDER});
	if (steps > 0 && stop == APP_STOP_EVENT && !of_prefix && forward && go_checked_end(a))
		steps--;
	if (steps > 0)
		app_say(a, STYLE_DIM, "no %s%s %s%s", found ? "further " : "",
			of_prefix ? "rebuild or cold cache" : names[stop],
			forward ? "after this turn" : "before this turn",
			app_has_all_turns(a) || !forward ? "" : " so far");
}

bool app_go_first(struct app *a, bool last)
{
	struct position p = {.node = NODE_RENDER};
	struct error e = {0};
	enum status st = STATUS_OK;

	/* the end is known at the end */
	if (!last && (a->request->end || (a->request->turn && a->request->turn[0] == '$')))
		return false;
	if (a->request->turn && !a->request->end)
		st = position_parse(&a->now->run, str_of(a->request->turn), &p, &e);
	else
		p.turn = a->request->end ? turns(a) : 1;
	if (!last && (st != STATUS_OK || p.turn > turns(a)))
		return false;
	if (p.turn > turns(a) || st != STATUS_OK)
		p = (struct position){.turn = turns(a), .node = NODE_RENDER};
	if (!app_go(a, p))
		return false;
	if (st != STATUS_OK)
		app_say(a, STYLE_WARNING, "%s", e.message);
	return true;
}
