#include "replay/frame_request.h"

#include <math.h>

#include "engine/host/pi_draft.h"
#include "replay/run_pi.h"
#include "replay/run_records.h"
#include "replay/sent_dsh.h"

const char *request_lack_words(enum request_lack lack)
{
	static const char *const words[] = {
		[REQUEST_NO_ADAPTER] = "no request: the session's host has no adapter, the kernel alone is replayed",
		[REQUEST_NO_HOST] = "no request: the profile has no host's rules (P342 has Pi's, F1 has DSH's)",
		[REQUEST_NO_ENTRIES] = "no request: the recording does not bring the host's own messages (entry)",
		[REQUEST_UNLIKE] = "not compared: a DSH log does not tell the form in which its host calls a provider",
		[REQUEST_NO_TURN] = "no request: there is no turn here yet",
		[REQUEST_CAPACITY] = "no request: the turn could not run, refs ran out",
	};
	return words[lack];
}

bool request_figures(const struct run *r) { return request_lacks(r) == REQUEST_THERE; }

const char *request_scale(const struct run *r) { return run_is_dsh(r) ? "display" : "raw estimate"; }

enum request_lack request_lacks(const struct run *r)
{
	if (run_is_dsh(r))
		return REQUEST_THERE;
	if (!policy_has_adapter(r->recording->host))
		return REQUEST_NO_ADAPTER;
	return r->driver != &driver_pi         ? REQUEST_NO_HOST
	       : r->recording->by_entry.n == 0 ? REQUEST_NO_ENTRIES
					       : REQUEST_THERE;
}

/* What happens between turn n and record i that a request before i must know of. */
static uint16_t events_between(const struct run *r, size_t from, size_t i)
{
	uint16_t events = 0;
	for (size_t k = from; k < i; k++)
		events |= run_event_of(r->recording->records.v[k].type);
	return events;
}

/* The model a request of the DSH host goes to: its turn's, else that of the turn before it. */
static uint32_t dsh_model(const struct run *r, const struct moment *m, uint32_t n)
{
	const struct recording *rec = r->recording;
	size_t i = m->record;
	if (i >= rec->records.n || rec->records.v[i].type != RECORD_TURN) {
		if (n == 0)
			return 0;
		i = r->timeline.turns.v[n - 1].record;
	}
	return rec->turns.v[rec->records.v[i].index].model;
}

/* Runs the turn before a record and makes its request; false when it cannot run. The probe is left again. */
static bool make(struct frame_request *q, struct run *r, const struct moment *m, bool recorded, uint32_t n)
{
	if (run_is_dsh(r)) { /* no turn changes its surface, and the plugin's nudge is a row of the log */
		run_seek(r, m->record);
		q->sent = sender_dsh_turn(&q->sender, r, m, dsh_model(r, m, n));
		return true;
	}
	struct turn turn = {0};
	struct turn_input in = run_turn_input(r, m->record, m->tokens);
	run_seek(r, m->record);
	state_probe_begin(&r->state);
	bool ran = turn_run(&turn, &r->state, &r->alternatives, &in) == STATUS_OK;
	if (ran) {
		struct pi_nudge_memory memory = pi_nudge_before(r, m->record);
		q->nudge = recorded ? (enum pi_nudge_verdict)r->pi.nudges.v[n - 1]
				    : pi_nudge_decide(&memory, &turn.nudge, turn.nudge.n.usage, m->tokens, &r->config);
		buf_cut(&q->tail, 0);
		struct sent_tail tail = run_tail(r, &turn, q->nudge, &q->tail);
		q->sent = sender_turn(&q->sender, r, &turn, m, pi_model_at(r, m->record), tail);
	}
	state_probe_end(&r->state);
	turn_free(&turn);
	return ran;
}

/* The request before the one of the moment `m`, and what happened since. */
static void make_before(struct frame_request *q, struct run *r, uint32_t n, struct moment *m)
{
	while (n > 0 && r->timeline.turns.v[n - 1].events & MOMENT_CAPACITY)
		m->events |= r->timeline.turns.v[--n].events;
	if (n > 0 && make(q, r, &r->timeline.turns.v[n - 1], true, n))
		q->before = n;
}

static void make_both(struct frame_request *q, struct frame *f)
{
	struct run *r = f->run;
	struct position at = f->at;
	struct moment m = {.prompt = NAN, .cache_read = NAN};
	q->counterfactual = f->counterfactual_tokens;
	if (!q->counterfactual) {
		m = *f->moment;
	} else {
		m.record = (uint32_t)position_record(r, at);
		m.tokens = f->turn.in.tokens;
		if (at.turn > 0)
			m.events = events_between(r, f->moment->record, m.record);
	}
	make_before(q, r, q->counterfactual ? at.turn : at.turn - 1, &m);
	if (!make(q, r, &m, !q->counterfactual, at.turn))
		q->lack = REQUEST_CAPACITY;
}

struct frame_request *frame_request(struct frame *f)
{
	if (f->request != NULL)
		return f->request;
	struct frame_request *q = f->request = mem_alloc(sizeof *q);
	*q = (struct frame_request){.run = f->run, .lack = request_lacks(f->run)};
	if (q->lack == REQUEST_THERE && f->at.turn == 0)
		q->lack = REQUEST_NO_TURN;
	if (q->lack == REQUEST_THERE && f->capacity)
		q->lack = REQUEST_CAPACITY;
	if (q->lack != REQUEST_THERE)
		return q;
	state_probe_end(&f->run->state);
	make_both(q, f);
	frame_return(f);
	return q;
}

struct frame_request *frame_request_at(struct frame *f, uint32_t turn)
{
	struct run *r = f->run;
	struct frame_request *q = mem_alloc(sizeof *q);
	*q = (struct frame_request){.run = r, .lack = request_lacks(r)};
	if (q->lack == REQUEST_THERE && (turn == 0 || turn > r->timeline.turns.n))
		q->lack = REQUEST_NO_TURN;
	if (q->lack != REQUEST_THERE)
		return q;
	struct moment m = r->timeline.turns.v[turn - 1];
	state_probe_end(&r->state);
	make_before(q, r, turn - 1, &m);
	if (!make(q, r, &m, true, turn))
		q->lack = REQUEST_CAPACITY;
	frame_return(f);
	return q;
}

static void write_dsh(const struct run *r, const struct sent_rows *rows, struct buf *b)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (i > 0)
			buf_char(b, '\n');
		sent_dsh_row(r, (uint32_t)rows->v[i], b);
	}
}

void frame_request_write(const struct frame_request *q, struct buf *b)
{
	size_t before = b->n;
	if (run_is_dsh(q->run)) {
		write_dsh(q->run, &q->sender.rows, b);
		return;
	}
	pi_egress_write(&q->sender.egress, &q->sender.egress.now, b);
	if (q->tail.n == 0)
		return;
	if (b->n > before)
		buf_char(b, '\n');
	pi_draft_write_user(b, buf_view(&q->tail));
}

void frame_request_free(struct frame_request *q)
{
	sender_free(&q->sender);
	buf_free(&q->tail);
	free(q);
}
