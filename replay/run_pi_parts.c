/* Parts of the Pi driver: what the host knows at a record, the tail of a request, /compact on the way. */
#include "engine/base/fnv.h"
#include "engine/host/pi_draft.h"
#include "replay/compact.h"
#include "replay/run_pi.h"
#include "replay/run_records.h"

enum { USER_IMAGE_TOKENS = 1200 /* 4800 chars (pi.md 1.10.1) */ };

bool pi_answer_counts(const struct turn_record *t) { return t->usage.present && t->usage.total > 0 && !t->failed; }

double pi_host_tokens(const struct run *r, const struct message_record *m)
{
	bool counts = m->from_user && policy_is(&r->policy, SWITCH_USER_IMAGES, "4800");
	return m->host_tokens + (counts ? (double)m->images * USER_IMAGE_TOKENS : 0);
}

bool pi_is_user_entry(const struct message_record *m)
{
	return m->from_user || (m->host.place == SPAN_ABSENT && m->message.role == ROLE_USER && !m->rowless);
}

/* The turn whose answer message record `message` belongs to, or NULL: turns stand before the rows of their entry. */
static const struct turn_record *turn_of(const struct recording *rec, uint32_t message, size_t *record)
{
	uint32_t entry = rec->messages.v[message].entry;
	size_t i = rec->messages.v[message].record;
	*record = i;
	while (i > 0 && rec->records.v[i - 1].type == RECORD_MESSAGE &&
	       rec->messages.v[rec->records.v[i - 1].index].entry == entry)
		i--;
	return i > 0 && rec->records.v[i - 1].type == RECORD_TURN ? &rec->turns.v[rec->records.v[i - 1].index] : NULL;
}

bool pi_host_drops(const struct run *r, uint32_t message, size_t here)
{
	const struct recording *rec = r->recording;
	size_t i;
	if (rec->messages.v[message].message.role != ROLE_ASSISTANT)
		return false;
	const struct turn_record *t = turn_of(rec, message, &i);
	if (t == NULL || !str_eq(names_get(&rec->names, t->stop_reason), STR("error")))
		return false;
	for (i++; i < here && rec->records.v[i].type != RECORD_TURN; i++)
		if (rec->records.v[i].type == RECORD_MESSAGE &&
		    pi_is_user_entry(&rec->messages.v[rec->records.v[i].index]))
			return false;
	return true;
}

bool pi_rewound(const struct run *r, size_t i, struct pi_after *at)
{
	const struct run_pi *p = &r->pi;
	uint32_t to = r->recording->others.v[r->recording->records.v[i].index].name;
	uint32_t row = to != 0 && to < p->newest.n ? p->newest.v[to] : 0;
	if (to != 0 && row == 0)
		return false; /* nobody knows it */
	*at = row > 0 ? p->after.v[row - 1] : (struct pi_after){0};
	if (at->compacted != 0 && at->compacted - 1 < i)
		pi_usage_compaction(&at->usage);
	return true;
}

/* Of a compress record that the first pass has executed. */
static bool succeeded(const struct run *r, size_t i)
{
	size_t k = run_compression_at(r, i);
	return k < r->compressions.n && (r->compressions.v[k].applied || r->compressions.v[k].follow == FOLLOW_CANNOT);
}

void pi_usage_step(const struct run *r, size_t i, struct pi_usage *u)
{
	const struct record *record = &r->recording->records.v[i];
	struct pi_after at;
	if (record->type == RECORD_TURN && pi_answer_counts(&r->recording->turns.v[record->index]))
		pi_usage_answer(u, r->recording->turns.v[record->index].usage.total);
	else if (record->type == RECORD_COMPRESS && succeeded(r, i))
		pi_usage_compressed(u);
	else if (record->type == RECORD_KEEP)
		pi_usage_compaction(u);
	else if (record->type == RECORD_REWIND && pi_rewound(r, i, &at))
		*u = at.usage;
}

/* The user entry that is the last one after record i; *user stays where the record changes nothing of it. */
static void step_user(const struct run *r, size_t i, uint32_t *user)
{
	const struct record *record = &r->recording->records.v[i];
	struct pi_after at;
	if (record->type == RECORD_MESSAGE)
		*user = r->pi.after.v[record->index].user;
	else if (record->type == RECORD_REWIND && pi_rewound(r, i, &at))
		*user = at.user;
}

struct pi_nudge_memory pi_nudge_before(const struct run *r, size_t i)
{
	const struct recording *rec = r->recording;
	struct pi_nudge_memory memory = {0};
	size_t from = i;
	while (from > 0 && rec->records.v[from - 1].type != RECORD_TURN)
		from--;
	if (from > 0)
		memory = r->pi.memories.v[rec->records.v[from - 1].index];
	for (; from < i; from++) {
		uint32_t user = memory.key;
		uint8_t type = rec->records.v[from].type;
		step_user(r, from, &user);
		if (user != memory.key)
			pi_nudge_user(&memory, user);
		if (type == RECORD_COMPRESS)
			pi_nudge_attempt(&memory, succeeded(r, from) ? PI_NUDGE_APPLIED : PI_NUDGE_FAILED);
		else if (type == RECORD_RESTART)
			pi_nudge_forget(&memory);
	}
	return memory;
}

const char *run_nudge_withheld(const struct run *r, uint32_t n)
{
	static const char *const words[PI_NUDGE_VERDICTS] = {
		[PI_NUDGE_SUPPRESSED_SHOWN] = "shown already",
		[PI_NUDGE_SUPPRESSED_RETRIES] = "too many attempts failed",
	};
	return n > 0 && n <= r->pi.nudges.n ? words[r->pi.nudges.v[n - 1]] : NULL;
}

uint32_t pi_model_said(const struct recording *rec, size_t i)
{
	const struct record *record = &rec->records.v[i];
	return record->type == RECORD_TURN    ? rec->turns.v[record->index].model
	       : record->type == RECORD_MODEL ? rec->others.v[record->index].name
					      : 0;
}

uint32_t pi_model_at(const struct run *r, size_t i)
{
	const struct recording *rec = r->recording;
	bool is_turn = i < rec->records.n && rec->records.v[i].type == RECORD_TURN;
	uint32_t name = is_turn ? pi_model_said(rec, i) : 0;
	while (name == 0 && i-- > 0)
		name = pi_model_said(rec, i);
	return name;
}

struct sent_tail run_tail(struct run *r, const struct turn *t, enum pi_nudge_verdict verdict, struct buf *out)
{
	struct buf text = {0}, message = {0};
	struct pi_prompts prompts = pi_prompts_in_force(NULL);
	struct pi_nudge_source source = {.decision = &t->nudge,
					 .recommendation = &t->rec,
					 .state = &r->state,
					 .prompts = &prompts,
					 .blocks = true};
	if (!pi_nudge_sent(verdict))
		return (struct sent_tail){0};
	pi_nudge_put(&source, &text);
	pi_draft_write_user(&message, buf_view(&text));
	struct sent_tail tail = {.bytes = (double)message.n,
				 .size = text_measure(buf_view(&text)),
				 .hash = fnv_text(FNV_START, buf_view(&text))};
	if (out != NULL)
		buf_str(out, buf_view(&text));
	buf_free(&text);
	buf_free(&message);
	return tail;
}

/* ---- /compact ---- */

static void compact_with(struct run *r, size_t i, const struct compact_recorded *recorded, struct pi_compact *c)
{
	struct pi_compact_host host = {.prompts = pi_prompts_in_force(NULL),
				       .gate = policy_is(&r->policy, SWITCH_COMPACT_GATE, "shouldInject")};
	struct turn_input in = run_turn_input(r, i, 0);
	struct pi_answer answer = {
		.failed = recorded->reply.p == NULL, .reply = recorded->reply, .time = recorded->time};
	compact_session_model(r, i, &r->scratch, &host.provider, &host.model);
	pi_compact_prepare(c, &r->pi.compact_turn, &r->state, &r->alternatives, &in, &host);
	pi_compact_finish(c, &r->pi.compact_turn.surface, &r->state, &in.counter, &answer, &r->compress_scratch);
}

void run_compact(struct run *r, size_t i)
{
	struct compact_recorded recorded;
	struct pi_compact c = {.block = -1};
	if (!policy_is(&r->policy, SWITCH_COMPACT, "pipeline") || !compact_read(r, i, &r->scratch, &recorded))
		return;
	compact_with(r, i, &recorded, &c);
	struct pi_compacted out = {.record = (uint32_t)i, .stop = (uint8_t)c.stop};
	if (c.block >= 0) {
		const struct block *made = &r->state.blocks.v[c.block];
		out.block = made->id;
		out.tokens = made->tokens;
		out.summary_tokens = text_tokens(made->summary_size);
	}
	if (!r->again)
		vec_push(&r->pi.compacted, out);
	pi_compact_free(&c);
}
