#include "engine/host/dsh_ledger.h"

#include <inttypes.h>
#include <stdio.h>

static const struct str COMPRESS = {"compress", 8};

const char *dsh_maker_name(enum dsh_maker m)
{
	static const char *const names[] = {"host", "call", "human", "plugin"};
	return names[m];
}

const char *dsh_finding_name(enum dsh_finding_kind k)
{
	static const char *const names[] = {
		[DSH_OPEN_TRANSACTION] = "open-transaction",
		[DSH_END_WITHOUT_START] = "end-without-start",
		[DSH_NO_END] = "no-end",
		[DSH_NO_CHECKPOINT] = "summary-without-checkpoint",
		[DSH_SECOND_SUMMARY] = "second-summary",
		[DSH_SUMMARY_OUTSIDE] = "summary-outside",
		[DSH_SLICE_DIFFERS] = "slice-differs",
		[DSH_TURN_DIFFERS] = "turn-differs",
		[DSH_TURN_END_INSIDE] = "turn-end-inside",
		[DSH_VOID] = "void-at-end-seed",
		[DSH_DUPLICATE_KERNEL_ID] = "duplicate-kernel-id",
		[DSH_PARENT_FOR_NOTHING] = "parent-of-nothing",
	};
	return names[k];
}

void dsh_ledger_init(struct dsh_ledger *l, const struct dsh_log *log)
{
	*l = (struct dsh_ledger){.log = log, .next = 1, .open = DSH_NONE, .turn = -1};
}

void dsh_ledger_free(struct dsh_ledger *l)
{
	vec_free(&l->blocks);
	vec_free(&l->findings);
	vec_free(&l->checkpoint_of);
	vec_free(&l->block_of);
	vec_free(&l->kernel_of);
	vec_free(&l->parent_of);
	vec_free(&l->open_calls);
	vec_free(&l->scratch.rows);
}

static void find(struct dsh_ledger *l, enum dsh_finding_kind kind, int64_t seq, int64_t other)
{
	vec_push(&l->findings, (struct dsh_finding){(uint8_t)kind, seq, other});
}

static int64_t seq_of(const struct dsh_ledger *l, uint32_t row)
{
	return row == DSH_NONE ? -1 : dsh_log_seq(l->log, row);
}

static const struct dsh_compaction *data_of(const struct dsh_ledger *l, uint32_t row)
{
	return dsh_log_row(l->log, row)->compaction;
}

/* An entry of a list by name, + 1; 0 = none. */
#define get_entry(list, name) ((name) < (list).n ? (list).v[name] : 0)
#define put_first(list, name, value)                                                                                   \
	do {                                                                                                           \
		vec_fill(&(list), (size_t)(name) + 1);                                                                 \
		if ((list).v[name] == 0)                                                                               \
			(list).v[name] = (value);                                                                      \
	} while (0)

/* ---- kernel ids (9.2) ---- */

enum { KERNEL_DIGITS = 15 }; /* a longer number is text only */

static bool kernel_number(struct str id, int64_t *number)
{
	if (id.n < 2 || id.p[0] != 'b')
		return false;
	*number = 0;
	for (size_t i = 1; i < id.n; i++) {
		if (id.p[i] < '0' || id.p[i] > '9')
			return false;
		if (id.n - 1 <= KERNEL_DIGITS)
			*number = *number * 10 + (id.p[i] - '0');
	}
	return true;
}

/* The first of the first n blocks whose id was given by order and has this number, SIZE_MAX = none. */
static size_t given_number(const struct dsh_ledger *l, int64_t number, size_t n)
{
	size_t from = 0, to = n;
	for (; from < to; from++)
		if (l->blocks.v[from].kernel == 0 && l->blocks.v[from].number == number)
			return from;
	return SIZE_MAX;
}

/* A number as a kernel id is written when it is given by order. */
static bool is_plain_ref(struct str ref, int64_t number)
{
	char text[32];
	int n = snprintf(text, sizeof text, "b%" PRId64, number);
	return str_eq(ref, (struct str){text, (size_t)n});
}

static void number_block(struct dsh_ledger *l, struct dsh_block *b, uint32_t recorded)
{
	struct str id = names_get(&l->log->names, recorded);
	size_t taken = SIZE_MAX;
	uint32_t place = (uint32_t)l->blocks.n + 1;
	if (recorded && kernel_number(id, &b->number)) {
		b->kernel = recorded;
		if (get_entry(l->kernel_of, recorded))
			taken = get_entry(l->kernel_of, recorded) - 1;
		else if (is_plain_ref(id, b->number) && b->number < l->next)
			taken = given_number(l, b->number, l->blocks.n);
		put_first(l->kernel_of, recorded, place);
		if (b->number >= l->next)
			l->next = b->number + 1;
	} else {
		b->number = l->next++;
	}
	if (taken != SIZE_MAX)
		find(l, DSH_DUPLICATE_KERNEL_ID, seq_of(l, b->summary), seq_of(l, l->blocks.v[taken].summary));
}

/* ---- events ---- */

/* Old data recorded nothing (9.1). */
static void count_tokens(struct dsh_ledger *l, struct dsh_block *b, const struct dsh_compaction *c)
{
	b->tokens = c->tokens;
	if (c->tokens != 0)
		return;
	b->tokens_display = true;
	for (size_t i = 0; i < c->shadowed_n; i++) {
		uint32_t row = dsh_log_find(l->log, c->shadowed[i]);
		if (row != DSH_NONE)
			b->tokens += dsh_row_display(dsh_log_row(l->log, row));
	}
}

/* shadowedSeqs equal the slice as it is now, in its order (2.2). */
static bool is_live_slice(struct dsh_ledger *l, const struct dsh_fold *f, const struct dsh_compaction *c)
{
	if (!c->has_range || dsh_surface_span(&f->surface, c->start, c->end, &l->scratch) != DSH_FOLDED ||
	    l->scratch.rows.n != c->shadowed_n)
		return false;
	for (size_t i = 0; i < c->shadowed_n; i++)
		if (dsh_log_seq(l->log, l->scratch.rows.v[i]) != c->shadowed[i])
			return false;
	return true;
}

static enum dsh_maker maker_of(const struct dsh_block *b, const struct dsh_compaction *c)
{
	if (b->call != DSH_NONE)
		return DSH_BY_CALL;
	if (c->command)
		return DSH_BY_HUMAN;
	return c->plugin_made ? DSH_BY_PLUGIN : DSH_BY_HOST;
}

static void tell_summary(struct dsh_ledger *l, const struct dsh_fold *f, uint32_t row)
{
	const struct dsh_compaction *c = data_of(l, row);
	bool inside = l->open != DSH_NONE && data_of(l, l->open)->id == c->id;
	struct dsh_block b = {.summary = row,
			      .start = inside ? l->open : DSH_NONE,
			      .end = DSH_NONE,
			      .call = l->open_calls.n ? l->open_calls.v[0] : DSH_NONE,
			      .tier = c->tier,
			      .id = c->id};
	uint32_t other = get_entry(l->block_of, c->id);
	b.maker = (uint8_t)maker_of(&b, c);
	b.differs = !is_live_slice(l, f, c);
	count_tokens(l, &b, c);
	if (!inside)
		find(l, DSH_SUMMARY_OUTSIDE, seq_of(l, row), -1);
	if (b.differs)
		find(l, DSH_SLICE_DIFFERS, seq_of(l, row), -1);
	if (other)
		find(l, DSH_SECOND_SUMMARY, seq_of(l, row), seq_of(l, l->blocks.v[other - 1].summary));
	number_block(l, &b, c->kernel);
	vec_push(&l->blocks, b);
	put_first(l->block_of, c->id, (uint32_t)l->blocks.n);
	for (size_t i = 0; i < c->parents_n; i++)
		put_first(l->parent_of, c->parents[i], row + 1);
}

static void tell_start(struct dsh_ledger *l, uint32_t row)
{
	if (l->open != DSH_NONE)
		find(l, DSH_OPEN_TRANSACTION, seq_of(l, row), seq_of(l, l->open));
	if (data_of(l, row)->turn != l->turn)
		find(l, DSH_TURN_DIFFERS, seq_of(l, row), -1);
	l->open = row;
}

static void tell_end(struct dsh_ledger *l, uint32_t row)
{
	uint32_t id = data_of(l, row)->id;
	if (l->open == DSH_NONE || data_of(l, l->open)->id != id)
		find(l, DSH_END_WITHOUT_START, seq_of(l, row), -1);
	l->open = DSH_NONE;
	for (size_t i = l->blocks.n; i > 0; i--) {
		struct dsh_block *b = &l->blocks.v[i - 1];
		if (b->id != id || b->end != DSH_NONE)
			break;
		b->end = row;
	}
}

static void tell_call(struct dsh_ledger *l, uint32_t row)
{
	if (str_eq(names_get(&l->log->names, dsh_log_row(l->log, row)->calls[0].name), COMPRESS))
		vec_push(&l->open_calls, row);
}

static void tell_result(struct dsh_ledger *l, uint32_t id)
{
	size_t kept = 0;
	for (size_t i = 0; i < l->open_calls.n; i++)
		if (dsh_log_row(l->log, l->open_calls.v[i])->calls[0].id != id)
			l->open_calls.v[kept++] = l->open_calls.v[i];
	l->open_calls.n = kept;
}

static void tell_turn(struct dsh_ledger *l, const struct dsh_row *r)
{
	/* a call that got no result (a crash) does not take what others make later */
	if (l->open == DSH_NONE)
		l->open_calls.n = 0;
	if (r->type == DSH_TURN_START) {
		l->turn = r->turn;
		return;
	}
	if (l->open != DSH_NONE)
		find(l, DSH_TURN_END_INSIDE, r->seq, seq_of(l, l->open));
	if (r->turn == l->turn)
		l->turn = -1;
}

void dsh_ledger_tell(struct dsh_ledger *l, const struct dsh_fold *f, uint32_t row)
{
	const struct dsh_row *r = dsh_log_row(l->log, row);
	if (r->type == DSH_SUMMARY) {
		tell_summary(l, f, row);
	} else if (r->type == DSH_START) {
		tell_start(l, row);
	} else if (r->type == DSH_END) {
		tell_end(l, row);
	} else if (r->type == DSH_PRUNE) {
		if (!is_live_slice(l, f, r->compaction))
			find(l, DSH_SLICE_DIFFERS, r->seq, -1);
	} else if (r->type == DSH_TURN_START || r->type == DSH_TURN_END) {
		tell_turn(l, r);
	} else if (r->type == DSH_TOOL_CALL) {
		tell_call(l, row);
	} else if (r->type == DSH_TOOL) {
		tell_result(l, r->result);
	} else if (r->type == DSH_END_SEED && l->open != DSH_NONE) {
		find(l, DSH_VOID, r->seq, seq_of(l, l->open));
		l->open = DSH_NONE;
	} else if (r->compaction_id && dsh_classify(l->log, r, f->rules.sources).class == DSH_CHECKPOINT) {
		put_first(l->checkpoint_of, r->compaction_id, row + 1);
	}
}

void dsh_ledger_finish(struct dsh_ledger *l)
{
	if (l->open != DSH_NONE)
		find(l, DSH_NO_END, seq_of(l, l->open), -1);
	for (size_t i = 0; i < l->blocks.n; i++) {
		const struct dsh_block *b = &l->blocks.v[i];
		const struct dsh_compaction *c = data_of(l, b->summary);
		if (get_entry(l->checkpoint_of, b->id))
			continue;
		find(l, DSH_NO_CHECKPOINT, seq_of(l, b->summary), -1);
		for (size_t k = 0; k < c->parents_n; k++) {
			uint32_t parent = get_entry(l->block_of, c->parents[k]);
			if (parent)
				find(l, DSH_PARENT_FOR_NOTHING, seq_of(l, l->blocks.v[parent - 1].summary),
				     seq_of(l, b->summary));
		}
	}
}

/* ---- look-ups ---- */

size_t dsh_ledger_count(const struct dsh_ledger *l, int64_t at)
{
	size_t from = 0, to = l->blocks.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (seq_of(l, l->blocks.v[middle].summary) <= at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool dsh_block_active(const struct dsh_ledger *l, const struct dsh_block *b, int64_t at)
{
	uint32_t row = get_entry(l->parent_of, b->id);
	return row == 0 || seq_of(l, row - 1) > at;
}

uint32_t dsh_ledger_checkpoint(const struct dsh_ledger *l, const struct dsh_block *b, int64_t at)
{
	uint32_t row = get_entry(l->checkpoint_of, b->id);
	return row && seq_of(l, row - 1) <= at ? row - 1 : DSH_NONE;
}

void dsh_block_ref(const struct dsh_ledger *l, const struct dsh_block *b, struct buf *out)
{
	if (b->kernel)
		buf_str(out, names_get(&l->log->names, b->kernel));
	else
		buf_printf(out, "b%" PRId64, b->number);
}

const struct dsh_block *dsh_ledger_by_ref(const struct dsh_ledger *l, struct str ref, int64_t at)
{
	size_t n = dsh_ledger_count(l, at), best = SIZE_MAX;
	uint32_t name = names_find(&l->log->names, ref);
	int64_t number;
	if (!kernel_number(ref, &number))
		return NULL;
	if (name != UINT32_MAX && get_entry(l->kernel_of, name))
		best = get_entry(l->kernel_of, name) - 1;
	if (is_plain_ref(ref, number)) {
		size_t given = given_number(l, number, n);
		best = given < best ? given : best;
	}
	return best < n ? &l->blocks.v[best] : NULL;
}

const struct dsh_block *dsh_ledger_by_argument(const struct dsh_ledger *l, struct str text, int64_t at)
{
	const struct dsh_block *b = dsh_ledger_by_ref(l, text, at);
	size_t n = dsh_ledger_count(l, at);
	for (size_t i = 0; i < n && !b && text.n; i++)
		if (str_starts(names_get(&l->log->names, l->blocks.v[i].id), text))
			b = &l->blocks.v[i];
	return b;
}

const struct dsh_block *dsh_ledger_by_row(const struct dsh_ledger *l, const struct dsh_fold *f, uint32_t row,
					  int64_t at)
{
	uint32_t id = dsh_log_row(l->log, row)->compaction_id, place = get_entry(l->block_of, id);
	if (!id || row >= f->classes.of.n || !dsh_fold_is(f, row, DSH_CHECKPOINT))
		return NULL;
	return place && place <= dsh_ledger_count(l, at) ? &l->blocks.v[place - 1] : NULL;
}

void dsh_ledger_touching(const struct dsh_ledger *l, int64_t start, int64_t end, int64_t at, struct dsh_rows *blocks)
{
	size_t n = dsh_ledger_count(l, at);
	blocks->rows.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct dsh_compaction *c = data_of(l, l->blocks.v[i].summary);
		bool touches = false;
		for (size_t k = 0; k < c->shadowed_n && !touches; k++)
			touches = c->shadowed[k] >= start && c->shadowed[k] <= end;
		if (touches)
			vec_push(&blocks->rows, (uint32_t)i);
	}
}

/* A block on the way down to its rows. */
struct descent {
	uint32_t block;
	size_t at;
};

void dsh_ledger_originals(const struct dsh_ledger *l, const struct dsh_fold *f, const struct dsh_block *b, int64_t at,
			  struct dsh_originals *out)
{
	VEC(struct descent) stack = {0};
	VEC(uint8_t) seen = {0};
	out->seqs.n = 0;
	vec_fill(&seen, l->blocks.n);
	vec_push(&stack, (struct descent){(uint32_t)(b - l->blocks.v), 0});
	seen.v[stack.v[0].block] = 1;
	while (stack.n) {
		struct descent *d = &stack.v[stack.n - 1];
		const struct dsh_compaction *c = data_of(l, l->blocks.v[d->block].summary);
		if (d->at == c->shadowed_n) {
			stack.n--;
			continue;
		}
		int64_t seq = c->shadowed[d->at++];
		uint32_t row = dsh_log_find(l->log, seq);
		const struct dsh_block *inner = row == DSH_NONE ? NULL : dsh_ledger_by_row(l, f, row, at);
		if (!inner) {
			vec_push(&out->seqs, seq);
		} else if (!seen.v[inner - l->blocks.v]) {
			seen.v[inner - l->blocks.v] = 1;
			vec_push(&stack, (struct descent){(uint32_t)(inner - l->blocks.v), 0});
		}
	}
	vec_free(&stack);
	vec_free(&seen);
}

/* ---- the pair of a compress call (8.4) ---- */

bool dsh_pair_hides(const struct dsh_fold *f, uint32_t result, uint32_t *call)
{
	const struct dsh_surface *s = &f->surface;
	uint32_t id = dsh_log_row(f->log, result)->result;
	if (!id || !dsh_surface_is_node(s, result))
		return false;
	for (uint32_t row = 0; row < result; row++) {
		const struct dsh_row *r = dsh_log_row(f->log, row);
		if (r->type != DSH_ASSISTANT || dsh_surface_presence(s, row) == DSH_UNTOLD || !dsh_row_has_call(r, id))
			continue;
		*call = row;
		return r->calls_n == 1 && dsh_surface_is_node(s, row) && dsh_surface_next(s, row) == result;
	}
	return false;
}
