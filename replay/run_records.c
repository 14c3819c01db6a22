#include "replay/run_records.h"

#include <math.h>

#include "engine/kernel/decompress.h"
#include "engine/kernel/strict_args.h"
#include "replay/window.h"

static const struct record *record_at(const struct run *r, size_t i) { return &r->recording->records.v[i]; }

static const struct other_record *other_at(const struct run *r, size_t i)
{
	return &r->recording->others.v[record_at(r, i)->index];
}

static size_t do_message(struct run *r, size_t i)
{
	const struct message_record *m = &r->recording->messages.v[record_at(r, i)->index];
	/* messages of the state and of the recording have the same numbers: those without rows are added, too */
	uint32_t index = state_message_add(&r->state, run_message(r, record_at(r, i)->index));
	bool joins = r->driver->joins == NULL || r->driver->joins(r, i);
	if (!m->rowless && joins)
		state_row_join(&r->state, index);
	if (!r->again && r->driver->message != NULL)
		r->driver->message(r, m);
	if (!r->again && !m->rowless && m->message.role == ROLE_USER && m->message.content == CONTENT_TEXT) {
		r->events |= MOMENT_USER;
		r->user_turn++;
	}
	return WORK_SMALL;
}

/* ---- compress ---- */

/* The same rows and summaries; a topic at the top level, which only the lenient reading has, makes no other range. */
static bool same_ranges(const struct parse_result *a, const struct parse_result *b)
{
	bool same = a->n == b->n;
	for (size_t i = 0; same && i < a->n; i++) {
		const struct range_request *x = &a->ranges[i], *y = &b->ranges[i];
		same = str_eq(x->start, y->start) && str_eq(x->end, y->end) && str_eq(x->summary, y->summary);
	}
	return same;
}

static void parse_with(struct arena *a, bool strict, struct str text, const cJSON *tree, struct str call,
		       struct parse_result *out)
{
	if (text.p != NULL)
		(strict ? strict_args_text : parse_args_text)(a, text, call, out);
	else
		(strict ? strict_args_value : parse_args_value)(a, tree, call, out);
}

bool run_parse_args(const struct run *r, const struct compress_record *c, struct arena *a, struct parse_result *out)
{
	const struct recording *rec = r->recording;
	struct str call = c->call != 0 ? names_get(&rec->names, c->call) : (struct str){NULL, 0};
	bool success = c->has_outcome && c->outcome_applied && policy_is(&r->policy, SWITCH_FOLLOW, "recorded");
	const cJSON *tree = NULL;
	struct str text = {NULL, 0};
	if (c->args.place != SPAN_ABSENT && r->driver->arguments != NULL)
		tree = r->driver->arguments(a, json_tree(a, recording_json(rec, c->args, a), NULL, NULL));
	else if (c->args.place == SPAN_JSON)
		tree = json_tree(a, recording_json(rec, c->args, a), NULL, NULL);
	else if (c->args.place != SPAN_ABSENT)
		text = recording_text(rec, c->args, a);
	bool strict = policy_is(&r->policy, SWITCH_ARGS, "strict");
	parse_with(a, strict, text, tree, call, out);
	if (!strict || !success)
		return false;
	/* pi-rulings 1: the lenient ranges of a recorded success count; where they are the strict ones nothing is to
	 * be noted */
	struct parse_result lenient;
	parse_with(a, false, text, tree, call, &lenient);
	if (lenient.n == 0 || same_ranges(out, &lenient))
		return false;
	*out = lenient;
	return true;
}

/* What the engine said to each range, for who asks later. */
void run_keep_verdicts(struct run *r)
{
	const struct apply_result *a = &r->apply;
	size_t first = r->verdicts.n;
	if (r->again)
		return;
	for (size_t i = 0; i < a->verdicts.n; i++) {
		const struct range_verdict *v = &a->verdicts.v[i];
		vec_push(&r->verdicts, (struct range_outcome){
					       .units = v->chars,
					       .direct = v->direct,
					       .consumed = v->consumed,
					       .excluded = v->excluded,
					       .block = v->block >= 0 ? r->state.blocks.v[v->block].id : 0,
					       .status = (uint8_t)v->status,
					       .kind = (uint8_t)v->kind,
				       });
	}
	for (size_t i = 0; i < a->errors.n; i++)
		if (a->errors.v[i].range < a->verdicts.n)
			r->verdicts.v[first + a->errors.v[i].range].at_end = a->errors.v[i].at_end;
}

/* The engine's answer; the state goes back to `mark` when it is no. */
static bool try_apply(struct run *r, const struct compress_record *c, const struct parse_result *parse, size_t mark,
		      bool (*accepts)(const struct apply_result *), bool no_gates)
{
	run_try(r, c, parse, NULL, no_gates);
	run_keep_verdicts(r);
	if (accepts(&r->apply))
		return true;
	state_rollback(&r->state, mark);
	return false;
}

void run_leave_recording(struct run *r, size_t i)
{
	if (r->counterfactual > i)
		r->counterfactual = i;
}

enum follow run_compare_outcome(struct run *r, size_t i, bool applied)
{
	const struct compress_record *c = &r->recording->compressions.v[record_at(r, i)->index];
	if (!c->has_outcome)
		return FOLLOW_NONE;
	if (!policy_is(&r->policy, SWITCH_FOLLOW, "recorded")) {
		if (applied != c->outcome_applied)
			run_leave_recording(r, i);
		return FOLLOW_NONE;
	}
	return applied == c->outcome_applied ? FOLLOW_AGREES : applied ? FOLLOW_RECORDED_NO : FOLLOW_RECORDED_YES;
}

bool run_apply(struct run *r, size_t i, const struct parse_result *parse, size_t mark,
	       bool (*accepts)(const struct apply_result *), enum follow *follow)
{
	const struct compress_record *c = &r->recording->compressions.v[record_at(r, i)->index];
	size_t turned = state_mark(&r->state); /* every try is made on the state as the turn before left it */
	bool applied = try_apply(r, c, parse, turned, accepts, false);
	*follow = run_compare_outcome(r, i, applied);
	if (*follow == FOLLOW_RECORDED_YES) {
		applied = try_apply(r, c, parse, turned, accepts, true);
		if (!applied) {
			*follow = FOLLOW_CANNOT;
			run_leave_recording(r, i);
		}
	} else if (*follow == FOLLOW_RECORDED_NO) {
		applied = false;
	}
	if (!applied)
		state_rollback(&r->state, mark);
	return applied;
}

/* A call that brought no ranges, or whose turn could not run: nothing can be tried. */
static enum follow follow_untried(struct run *r, size_t i)
{
	enum follow follow = run_compare_outcome(r, i, false);
	if (follow != FOLLOW_RECORDED_YES)
		return follow;
	run_leave_recording(r, i);
	return FOLLOW_CANNOT;
}

int run_outcome_agrees(const struct run *r, const struct compress_outcome *o)
{
	const struct compress_record *c = &r->recording->compressions.v[record_at(r, o->record)->index];
	if (!c->has_outcome)
		return -1;
	if (o->follow == FOLLOW_NONE ? o->applied != c->outcome_applied : o->follow != FOLLOW_AGREES)
		return 0;
	return !o->applied || isnan(c->outcome_blocks) || c->outcome_blocks == (double)o->blocks;
}

bool run_took_other(const struct run *r, const struct compress_outcome *o)
{
	bool any = false;
	for (uint32_t i = 0; i < o->ranges && o->tried; i++)
		any |= r->verdicts.v[o->verdicts + i].status == RANGE_APPLIED;
	return any && run_is_dsh(r) && o->follow == FOLLOW_RECORDED_YES;
}

const char *follow_name(enum follow f)
{
	static const char *const names[] = {[FOLLOW_NONE] = "none",
					    [FOLLOW_AGREES] = "agrees",
					    [FOLLOW_RECORDED_NO] = "recorded-refused",
					    [FOLLOW_RECORDED_YES] = "recorded-applied",
					    [FOLLOW_CANNOT] = "cannot-follow"};
	return names[f];
}

size_t run_compression_at(const struct run *r, size_t i)
{
	const struct compress_outcome *c = r->compressions.v;
	size_t lo = 0, hi = r->compressions.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c[mid].record < i)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The count a record was executed with in the first pass, when its epoch is made again. */
static double known_count(const struct run *r, size_t i)
{
	if (record_at(r, i)->type == RECORD_TURN)
		return r->timeline.turns.v[record_at(r, i)->index].tokens;
	return r->compressions.v[run_compression_at(r, i)].token_count;
}

/* r->turn is about to run without its count and what is sent going on from it: they begin anew. */
static void turn_unseen(struct run *r)
{
	sender_keeps(&r->sender, 0);
	r->pi.sums.upto.n = 0;
}

/* One turn of the kernel for record i; false when it could not run (ref-capacity). */
static bool run_turn(struct run *r, size_t i, double given)
{
	struct turn_input in = run_turn_input(r, i, 0);
	if (r->again) {
		in.tokens = known_count(r, i);
		turn_unseen(r);
	} else {
		r->driver->count(r, i, given, &in);
	}
	bool ran = turn_run(&r->turn, &r->state, &r->alternatives, &in) == STATUS_OK;
	r->failed = r->failed || !ran;
	sender_keeps(&r->sender, ran ? r->turn.kept : 0);
	return ran;
}

/*
 * One turn, then the ranges on its surface; true when the compression stands. *ran: the turn did. *tried: there is a
 * result. *asked: the ranges that the kernel was given.
 */
static bool apply_ranges(struct run *r, size_t i, struct parse_result *asked, bool *ran, bool *tried,
			 enum follow *follow)
{
	size_t mark = state_mark(&r->state);
	*ran = run_turn(r, i, r->recording->compressions.v[record_at(r, i)->index].token_count);
	if (*ran && r->driver->ranges != NULL)
		r->driver->ranges(r, i, asked);
	*tried = *ran && asked->n > 0;
	return *tried && r->driver->apply(r, i, asked, mark, follow);
}

/* Tokens of the summaries of the newest n blocks. */
static double new_summaries(const struct run *r, size_t n)
{
	const struct state *s = &r->state;
	double sum = 0;
	for (size_t i = s->blocks.n - (n < s->blocks.n ? n : s->blocks.n); i < s->blocks.n; i++)
		sum += text_tokens(s->blocks.v[i].summary_size);
	return sum;
}

static size_t do_compress(struct run *r, size_t i)
{
	const struct compress_record *c = &r->recording->compressions.v[record_at(r, i)->index];
	struct parse_result parse;
	bool ran = false, tried = false, applied = false;
	uint32_t verdicts = (uint32_t)r->verdicts.n;
	enum follow follow = FOLLOW_NONE;
	bool lenient = run_parse_args(r, c, &r->scratch, &parse);
	struct parse_result asked = parse;
	if (parse.n > 0)
		applied = apply_ranges(r, i, &asked, &ran, &tried, &follow);
	if (!tried)
		follow = follow_untried(r, i);
	if (r->again)
		return WORK_SMALL;
	const struct apply_result *result = tried ? &r->apply : NULL;
	r->events |= applied ? MOMENT_APPLIED : MOMENT_REFUSED;
	*(applied ? &r->applied : &r->refused) += 1;
	vec_push(&r->compressions,
		 (struct compress_outcome){
			 .record = (uint32_t)i,
			 .after_turn = (uint32_t)r->timeline.turns.n,
			 .verdicts = verdicts,
			 .blocks = result ? (uint32_t)result->blocks_created : 0,
			 .ranges = (uint32_t)asked.n,
			 .invalid = (uint32_t)parse.invalid_items,
			 .tokens = result ? result->tokens_compressed : 0,
			 .summary_tokens = applied && result ? new_summaries(r, result->blocks_created) : 0,
			 .token_count = ran ? r->turn.in.tokens : NAN,
			 .parse = (uint8_t)parse.kind,
			 .follow = (uint8_t)follow,
			 .first_error = result && result->errors.n > 0 ? (uint8_t)result->errors.v[0].kind
								       : (uint8_t)COMPRESS_KIND_COUNT,
			 .tried = tried,
			 .applied = applied,
			 .lenient = lenient,
		 });
	if (r->driver->compressed != NULL)
		r->driver->compressed(r, applied, follow);
	chain_compress(&r->chain, names_get(&r->recording->names, c->call), &parse, result, applied);
	if (r->observer.compress) {
		struct compress_event e = {(uint32_t)r->compressions.n,
					   (uint32_t)r->timeline.turns.n,
					   (uint32_t)i,
					   c,
					   &parse,
					   &asked,
					   result,
					   applied};
		r->observer.compress(r->observer.ctx, r, &e);
	}
	return WORK_SMALL + (tried ? r->turn.surface.rows.n : 0);
}

/* ---- turn ---- */

static uint32_t count_active(const struct state *s)
{
	uint32_t n = 0;
	for (size_t i = 0; i < s->live.n; i++)
		n += s->blocks.v[s->live.v[i]].active;
	return n;
}

/* What is known of a turn whether it ran or not. */
static struct moment moment_begin(struct run *r, size_t i, const struct turn_record *t, double tokens)
{
	const struct state *s = &r->state;
	const struct usage *u = &t->usage;
	struct moment m = {
		.hash = r->chain.hash,
		.tokens = tokens,
		.usage = r->config.limit > 0 ? tokens / r->config.limit : 0,
		.raw = NAN,
		.own = NAN,
		.host = NAN,
		.prompt = u->present ? u->input + u->cache_read + u->cache_write : NAN,
		.cache_read = u->present ? u->cache_read : NAN,
		.record = (uint32_t)i,
		.rows = (uint32_t)s->rows.n,
		.surface = (uint32_t)s->rows.n,
		.blocks = (uint32_t)s->blocks.n,
		.active = count_active(s),
		.applied = r->applied,
		.refused = r->refused,
		.user_turn = t->user_turn != 0 ? t->user_turn : r->user_turn,
		.events = (uint16_t)(r->events | (t->failed ? MOMENT_FAILED : 0)),
		.counted = (uint8_t)r->counted,
	};
	r->applied = r->refused = 0;
	r->events = 0;
	return m;
}

/* What the turn found. */
static void moment_finish(struct run *r, struct moment *m)
{
	const struct turn *t = &r->turn;
	for (size_t i = 0; i < t->rec.recommended.n; i++)
		m->recommended_tokens += t->rec.recommended.v[i].tokens;
	m->raw = r->raw;
	m->own = r->own;
	m->host = r->host;
	m->growth = t->nudge.n.growth;
	for (int tier = 1; tier <= 3; tier++)
		m->pending[tier - 1] = t->nudge.n.pending[tier];
	m->surface = (uint32_t)t->surface.rows.n;
	m->active = count_active(&r->state);
	m->compressible = (uint32_t)t->rec.compressible.n;
	m->recommended = (uint32_t)t->rec.recommended.n;
	m->protected_ranges = (uint32_t)t->rec.protected_ranges.n;
	m->nudge_tier = t->nudge.inject ? (uint8_t)t->nudge.tier : 0;
	m->events |= (uint16_t)((t->nudge.inject ? MOMENT_NUDGE : 0) | (t->truncated > 0 ? MOMENT_TRUNCATED : 0));
	if (!r->want_digest)
		return;
	m->digest = turn_digest(&r->turn, &r->state, &r->alternatives);
	m->hash = chain_turn(&r->chain, &r->state, t, m->digest);
}

static size_t do_turn(struct run *r, size_t i)
{
	const struct turn_record *t = &r->recording->turns.v[record_at(r, i)->index];
	if (!r->again && r->driver->before != NULL)
		r->driver->before(r, i, t);
	bool ran = run_turn(r, i, t->token_count);
	if (r->again)
		return WORK_SMALL;
	if (!ran)
		r->events |= MOMENT_CAPACITY;
	struct moment m = moment_begin(r, i, t, r->turn.in.tokens);
	if (ran)
		moment_finish(r, &m);
	if (r->driver->turn != NULL)
		r->driver->turn(r, i, t, &m);
	window_judge(r, &m);
	vec_push(&r->timeline.turns, m);
	if (r->observer.turn)
		r->observer.turn(r->observer.ctx, r, (uint32_t)r->timeline.turns.n, &m);
	return WORK_SMALL + m.surface;
}

/* ---- the others ---- */

static size_t do_rewind(struct run *r, size_t i)
{
	r->driver->rewind(r, i);
	return WORK_SMALL;
}

static size_t do_decompress(struct run *r, size_t i)
{
	const struct other_record *d = other_at(r, i);
	if (!d->flag)
		return WORK_SMALL;
	struct str id = block_id_argument(&r->scratch, names_get(&r->recording->names, d->name));
	uint32_t name = id.p ? names_find(&r->recording->names, id) : UINT32_MAX;
	if (name != UINT32_MAX)
		decompress_deactivate(&r->state, &name, 1, false);
	return WORK_SMALL;
}

static void problem(struct run *r, size_t i, const struct error *e)
{
	if (r->again || r->problems++ > 0)
		return;
	r->problem = *e;
	r->problem.line = record_at(r, i)->line;
	r->problem.byte = record_at(r, i)->at;
	struct str path = str_cut(str_of(r->recording->source.path), 0, sizeof r->problem.file - 1);
	memcpy(r->problem.file, path.n > 0 ? path.p : "", path.n);
	r->problem.file[path.n] = 0;
}

static size_t do_state(struct run *r, size_t i)
{
	struct error e = {0};
	if (run_begin_epoch(r, i, &e) != STATUS_OK) {
		problem(r, i, &e);
		return WORK_SMALL;
	}
	chain_new_state(&r->chain, &r->state);
	return WORK_SMALL + r->state.rows.n;
}

static size_t do_event(struct run *r, size_t i)
{
	if (r->driver->event != NULL)
		r->driver->event(r, i);
	return WORK_SMALL;
}
static size_t do_compact(struct run *r, size_t i)
{
	if (r->driver->compact != NULL)
		r->driver->compact(r, i);
	return WORK_SMALL;
}
static size_t do_keep(struct run *r, size_t i)
{
	do_compact(r, i);
	if (r->driver->keep != NULL)
		r->driver->keep(r, i);
	return WORK_SMALL;
}
static size_t do_model(struct run *r, size_t i)
{
	if (!r->again && r->driver->model != NULL)
		r->driver->model(r, i);
	return WORK_SMALL;
}
static size_t do_restart(struct run *r, size_t i)
{
	if (!r->again && r->driver->restart != NULL)
		r->driver->restart(r, i);
	return WORK_SMALL;
}

/* NULL: nothing happens (recording.md, the conformance driver, 4). */
static size_t (*const execute[RECORD_TYPE_COUNT])(struct run *r, size_t i) = {
	[RECORD_MESSAGE] = do_message, [RECORD_COMPRESS] = do_compress,     [RECORD_TURN] = do_turn,
	[RECORD_KEEP] = do_keep,       [RECORD_DECOMPRESS] = do_decompress, [RECORD_MODEL] = do_model,
	[RECORD_RESTART] = do_restart, [RECORD_REWIND] = do_rewind,         [RECORD_STATE] = do_state,
	[RECORD_COMPACT] = do_compact, [RECORD_EVENT] = do_event,
};

/* ---- the conformance driver ---- */

void run_count(struct run *r, size_t i, double given, struct turn_input *in)
{
	(void)i;
	r->host = NAN;
	r->own = run_token_count(r, NAN, NULL);
	r->raw = r->own - r->system_tokens;
	in->tokens = run_token_count(r, given, &r->counted);
}

static bool is_whole(const struct apply_result *a) { return a->errors.n == 0 && a->blocks_created > 0; }

static bool apply_all_or_nothing(struct run *r, size_t i, const struct parse_result *parse, size_t mark,
				 enum follow *follow)
{
	return run_apply(r, i, parse, mark, is_whole, follow);
}

void run_rewind_rows(struct run *r, size_t i) { state_rows_rewind(&r->state, other_at(r, i)->name); }

static void count_rows(struct run *r, size_t i, struct turn_input *in) { run_count(r, i, NAN, in); }

const struct run_driver driver_conformance = {
	.count = run_count,
	.count_here = count_rows,
	.apply = apply_all_or_nothing,
	.rewind = run_rewind_rows,
};

uint16_t run_event_of(uint8_t type)
{
	static const uint16_t events[RECORD_TYPE_COUNT] = {
		[RECORD_KEEP] = MOMENT_KEEP,     [RECORD_DECOMPRESS] = MOMENT_DECOMPRESS,
		[RECORD_MODEL] = MOMENT_MODEL,   [RECORD_RESTART] = MOMENT_RESTART,
		[RECORD_REWIND] = MOMENT_REWIND, [RECORD_STATE] = MOMENT_STATE,
	};
	return events[type];
}

size_t run_execute(struct run *r, size_t i)
{
	uint8_t type = record_at(r, i)->type;
	r->events |= run_event_of(type);
	size_t work = execute[type] != NULL ? execute[type](r, i) : WORK_SMALL;
	if (r->scratch.used > 0)
		arena_free(&r->scratch);
	return work;
}

size_t run_record(struct run *r)
{
	vec_push(&r->marks, (uint32_t)state_mark(&r->state));
	return run_execute(r, r->next++);
}
