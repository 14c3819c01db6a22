#include "replay/diff.h"

#include <math.h>

#include "replay/diff_parts.h"

static const struct {
	const char *name, *what;
} kinds[DIFF_KINDS] = {
#define DIFF_WORDS(name, text, what) [DIFF_##name] = {text, what},
	DIFF_LIST(DIFF_WORDS)
#undef DIFF_WORDS
};
const char *diff_kind_name(enum diff_kind k) { return kinds[k].name; }
const char *diff_kind_what(enum diff_kind k) { return kinds[k].what; }

static uint32_t bit(enum diff_kind k) { return UINT32_C(1) << k; }
static const struct run *run_of(const struct diff *d, int side) { return d->side[side]->run; }
static size_t turns_of(const struct diff *d, int side) { return run_of(d, side)->timeline.turns.n; }

/* ---- two lists beside each other ---- */

/* The keys of turns or calls, in order: names of a recording. */
struct keys {
	VEC(uint32_t) list;
	const struct names *names;
};

/* The key of a right item as a name of the left; UINT32_MAX: the left has no such name. */
static uint32_t left_name(const struct keys *left, const struct keys *right, uint32_t name)
{
	return left->names == right->names ? name : names_find(left->names, names_get(right->names, name));
}

/* For each item of the right the item of the left it stands beside, + 1; 0 = none (the rule: diff.h). */
static uint32_t *match(const struct keys *left, const struct keys *right)
{
	VEC(uint32_t) head = {0}; /* by name: first item not passed yet, + 1 */
	VEC(uint32_t) next = {0}; /* by item: the next one with the same key, + 1 */
	uint32_t *other = mem_resize(NULL, right->list.n + 1, sizeof *other);
	uint32_t taken = 0; /* items of the left up to the last one taken */
	vec_fill(&next, left->list.n);
	for (size_t i = left->list.n; i-- > 0;) {
		uint32_t name = left->list.v[i];
		vec_fill(&head, (size_t)name + 1);
		next.v[i] = head.v[name];
		head.v[name] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < right->list.n; i++) {
		uint32_t name = left_name(left, right, right->list.v[i]);
		uint32_t item = name < head.n ? head.v[name] : 0;
		while (item > 0 && item <= taken)
			item = next.v[item - 1];
		if (name < head.n)
			head.v[name] = item;
		other[i] = item;
		if (item > 0)
			taken = item;
	}
	vec_free(&head);
	vec_free(&next);
	return other;
}

static struct keys turn_keys(const struct run *r)
{
	const struct recording *rec = r->recording;
	struct keys keys = {.names = &rec->names};
	uint32_t last = 0;
	for (size_t i = 0; i < rec->records.n; i++) {
		const struct record *record = &rec->records.v[i];
		const struct message_record *m =
			record->type == RECORD_MESSAGE ? &rec->messages.v[record->index] : NULL;
		if (m != NULL && !m->rowless)
			last = m->message.id;
		if (record->type == RECORD_TURN)
			vec_push(&keys.list, last);
	}
	return keys;
}

static struct keys call_keys(const struct run *r)
{
	struct keys keys = {.names = &r->recording->names};
	for (size_t i = 0; i < r->recording->compressions.n; i++)
		vec_push(&keys.list, r->recording->compressions.v[i].call);
	return keys;
}

static uint32_t *match_runs(const struct diff *d, struct keys (*keys_of)(const struct run *r))
{
	struct keys left = keys_of(run_of(d, DIFF_LEFT)), right = keys_of(run_of(d, DIFF_RIGHT));
	uint32_t *other = match(&left, &right);
	for (size_t i = 0; d->one_recording && i < right.list.n; i++)
		other[i] = (uint32_t)i + 1;
	vec_free(&left.list);
	vec_free(&right.list);
	return other;
}

/* ---- turns ---- */

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static uint32_t compare_requests(const struct diff *d, uint32_t left, uint32_t right)
{
	const struct sent *a = &run_of(d, DIFF_LEFT)->sender.sent.v[left - 1];
	const struct sent *b = &run_of(d, DIFF_RIGHT)->sender.sent.v[right - 1];
	uint64_t x = d->side[DIFF_LEFT]->turns.v[left - 1].part[PART_REQUEST];
	uint64_t y = d->side[DIFF_RIGHT]->turns.v[right - 1].part[PART_REQUEST];
	uint32_t differ = x != y ? bit(DIFF_REQUEST) : 0;
	bool same = a->cause == b->cause && a->append_only == b->append_only &&
		    same_number(a->common_bytes, b->common_bytes) && same_number(a->before_bytes, b->before_bytes);
	return same ? differ : differ | bit(DIFF_PREFIX);
}

static uint32_t compare_turns(const struct diff *d, uint32_t left, uint32_t right)
{
	static const struct {
		enum diff_part part;
		enum diff_kind kind;
	} parts[] = {{PART_REFS, DIFF_REFS},           {PART_BLOCKS, DIFF_BLOCKS},
		     {PART_ROWS, DIFF_ROWS},           {PART_RECOMMENDED, DIFF_RECOMMENDED},
		     {PART_PROTECTED, DIFF_PROTECTED}, {PART_NUDGE, DIFF_NUDGE},
		     {PART_FIGURES, DIFF_FIGURES},     {PART_TOTALS, DIFF_TOTALS}};
	const struct moment *a = &run_of(d, DIFF_LEFT)->timeline.turns.v[left - 1];
	const struct moment *b = &run_of(d, DIFF_RIGHT)->timeline.turns.v[right - 1];
	const uint64_t *x = d->side[DIFF_LEFT]->turns.v[left - 1].part;
	const uint64_t *y = d->side[DIFF_RIGHT]->turns.v[right - 1].part;
	uint32_t differ = ((a->events ^ b->events) & DIFF_EVENT_BITS) != 0 ? bit(DIFF_EVENTS) : 0;
	if (a->rows != b->rows)
		differ |= bit(DIFF_ROWS);
	if (a->events & b->events & MOMENT_CAPACITY)
		return differ; /* neither could run: there is nothing else */
	if (!same_number(a->tokens, b->tokens))
		differ |= bit(DIFF_TOKENS);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (x[parts[i].part] != y[parts[i].part])
			differ |= bit(parts[i].kind);
	if (d->requests)
		differ |= compare_requests(d, left, right);
	if (x[PART_ROWS] == y[PART_ROWS] && a->digest != b->digest)
		differ |= bit(DIFF_TEXT);
	return differ;
}

/* Turns up to these have no partner: side by side, as neither comes before the other. */
static void add_single(struct diff *d, uint32_t *left, uint32_t left_to, uint32_t *right, uint32_t right_to)
{
	while (*left < left_to || *right < right_to) {
		struct diff_step step = {.kinds = bit(DIFF_TURNS)};
		if (*left < left_to)
			step.turn[DIFF_LEFT] = ++*left;
		if (*right < right_to)
			step.turn[DIFF_RIGHT] = ++*right;
		vec_push(&d->steps, step);
	}
}

static void make_steps(struct diff *d)
{
	uint32_t *other = match_runs(d, turn_keys);
	uint32_t left = 0, right = 0; /* turns that stand in the steps */
	uint32_t n = (uint32_t)turns_of(d, DIFF_RIGHT);
	for (uint32_t i = 0; i < n; i++) {
		if (other[i] == 0)
			continue;
		add_single(d, &left, other[i] - 1, &right, i);
		left = other[i];
		right = i + 1;
		vec_push(&d->steps, (struct diff_step){{left, right}, compare_turns(d, left, right)});
		d->paired++;
	}
	add_single(d, &left, (uint32_t)turns_of(d, DIFF_LEFT), &right, n);
	free(other);
}

/* ---- compress calls ---- */

/* By turn the step it stands in. */
static uint32_t *steps_by_turn(const struct diff *d, int side)
{
	uint32_t *steps = mem_resize(NULL, turns_of(d, side) + 2, sizeof *steps);
	steps[turns_of(d, side) + 1] = (uint32_t)d->steps.n;
	for (size_t i = 0; i < d->steps.n; i++)
		steps[d->steps.v[i].turn[side]] = (uint32_t)i;
	return steps;
}

struct calls {
	struct diff *d;
	uint32_t *steps[DIFF_SIDES];
};

/* The step of the turn that comes after a call. */
static uint32_t step_after(const struct calls *c, int side, uint32_t call)
{
	return c->steps[side][run_of(c->d, side)->compressions.v[call - 1].after_turn + 1];
}

static void add_call(struct calls *c, uint32_t left, uint32_t right)
{
	uint32_t call[DIFF_SIDES] = {left, right}, step = UINT32_MAX;
	for (int side = 0; side < DIFF_SIDES; side++)
		if (call[side] > 0 && step_after(c, side, call[side]) < step)
			step = step_after(c, side, call[side]);
	vec_push(&c->d->calls, (struct diff_call){{left, right}, step});
}

static bool same_call(const struct diff *d, uint32_t left, uint32_t right)
{
	return d->side[DIFF_LEFT]->calls.v[left - 1].hash == d->side[DIFF_RIGHT]->calls.v[right - 1].hash;
}

static int by_step(const void *a, const void *b)
{
	const struct diff_call *x = a, *y = b;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	uint32_t m = x->call[0] > 0 ? x->call[0] : x->call[1], n = y->call[0] > 0 ? y->call[0] : y->call[1];
	return m < n ? -1 : m > n;
}

static void make_calls(struct diff *d)
{
	struct calls c = {d, {steps_by_turn(d, DIFF_LEFT), steps_by_turn(d, DIFF_RIGHT)}};
	uint32_t *other = match_runs(d, call_keys);
	uint32_t left = 0, n = (uint32_t)run_of(d, DIFF_LEFT)->compressions.n;
	for (uint32_t i = 0; i < run_of(d, DIFF_RIGHT)->compressions.n; i++) {
		if (other[i] == 0) {
			add_call(&c, 0, i + 1);
			continue;
		}
		while (left + 1 < other[i])
			add_call(&c, ++left, 0);
		left = other[i];
		if (!same_call(d, left, i + 1))
			add_call(&c, left, i + 1);
	}
	while (left < n)
		add_call(&c, ++left, 0);
	if (d->calls.n > 1)
		qsort(d->calls.v, d->calls.n, sizeof *d->calls.v, by_step);
	free(other);
	free(c.steps[DIFF_LEFT]);
	free(c.steps[DIFF_RIGHT]);
}

/* ---- what it comes to ---- */

static void count_one(struct diff *d, enum diff_kind k, uint32_t step)
{
	struct diff_count *c = &d->count[k];
	if (c->n++ == 0)
		c->first = step;
	c->last = step;
}

static void count_all(struct diff *d)
{
	uint32_t sent = bit(DIFF_TURNS);
	sent |= d->requests ? bit(DIFF_REQUEST) : bit(DIFF_ROWS) | bit(DIFF_TEXT) | bit(DIFF_NUDGE);
	bool behind = false; /* a call after the last turn differs */
	for (size_t i = 0; i < d->calls.n; i++) {
		uint32_t step = d->calls.v[i].step;
		count_one(d, DIFF_CALLS, step);
		if (step < d->steps.n)
			d->steps.v[step].kinds |= bit(DIFF_CALLS);
		behind = behind || step == d->steps.n;
	}
	for (uint32_t i = 0; i < d->steps.n; i++) {
		d->differing += d->steps.v[i].kinds != 0;
		if ((d->steps.v[i].kinds & sent) != 0 && d->shown++ == 0)
			d->first_shown = i;
		for (int k = 0; k < DIFF_KINDS; k++)
			if (k != DIFF_CALLS && d->steps.v[i].kinds >> k & 1)
				count_one(d, (enum diff_kind)k, i);
	}
	d->differing += behind;
}

static struct diff_detail call_detail(const struct diff *d)
{
	const struct diff_call *c = &d->calls.v[0];
	struct diff_detail t = {.kind = DIFF_CALLS, .step = c->step};
	for (int side = 0; side < DIFF_SIDES; side++) {
		t.has[side] = c->call[side] > 0;
		if (t.has[side])
			t.turn[side] = run_of(d, side)->compressions.v[c->call[side] - 1].after_turn;
	}
	t.call = t.has[DIFF_LEFT] ? c->call[DIFF_LEFT] : c->call[DIFF_RIGHT];
	return t;
}

static struct diff_detail turn_detail(const struct diff *d, enum diff_kind k)
{
	const struct diff_step *s = &d->steps.v[d->count[k].first];
	struct diff_detail t = {.kind = k, .step = d->count[k].first};
	for (int side = 0; side < DIFF_SIDES; side++) {
		t.turn[side] = s->turn[side];
		t.has[side] = s->turn[side] > 0;
	}
	return t;
}

static int by_place(const void *a, const void *b)
{
	const struct diff_detail *x = a, *y = b;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* The first of each kind, in the order of the session, so that the runs go forward. */
static void make_details(struct diff *d)
{
	struct diff_looking looking = {0};
	for (int k = 0; k < DIFF_KINDS; k++)
		if (d->count[k].n > 0)
			d->details[d->details_n++] =
				k == DIFF_CALLS ? call_detail(d) : turn_detail(d, (enum diff_kind)k);
	qsort(d->details, d->details_n, sizeof *d->details, by_place);
	for (size_t i = 0; i < d->details_n; i++)
		diff_look(d, &looking, &d->details[i]);
	diff_looking_end(&looking);
}

static uint32_t first_counterfactual(const struct run *r)
{
	size_t lo = 0, hi = r->timeline.turns.n;
	if (r->counterfactual == SIZE_MAX)
		return 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->timeline.turns.v[mid].record < r->counterfactual)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (uint32_t)lo + 1;
}

bool diff_counterfactual(const struct diff *d, const struct diff_detail *t, enum diff_side side)
{
	uint32_t from = d->counterfactual[side];
	/* a call stands after its turn */
	return from > 0 && t->has[side] && t->turn[side] + (t->kind == DIFF_CALLS) >= from;
}

void diff_make(struct diff *d, struct diff_watch *left, struct diff_watch *right)
{
	*d = (struct diff){.side = {left, right}, .one_recording = left->run->recording == right->run->recording};
	d->requests = left->run->want_requests && right->run->want_requests;
	make_steps(d);
	make_calls(d);
	count_all(d);
	d->counterfactual[DIFF_LEFT] = first_counterfactual(left->run);
	d->counterfactual[DIFF_RIGHT] = first_counterfactual(right->run);
	diff_add_effects(d);
	make_details(d);
}

void diff_free(struct diff *d)
{
	vec_free(&d->steps);
	vec_free(&d->calls);
	arena_free(&d->arena);
	*d = (struct diff){0};
}
