#include "replay/drift.h"

#include <math.h>

static const char *const figure_names[DRIFT_FIGURES] = {
	[DRIFT_COMPRESSED] = "stats.tokensCompressed",
	[DRIFT_COMPRESSIONS] = "stats.compressionCount",
	[DRIFT_NEXT_BLOCK] = "nextBlockId",
	[DRIFT_NEXT_RUN] = "nextRunId",
};

const char *drift_figure_name(enum drift_figure f) { return figure_names[f]; }

static struct str kept(struct drift *d, struct str s)
{
	return s.p ? (struct str){arena_copy(&d->arena, s.p, s.n), s.n} : s;
}

static struct str kept_name(struct drift *d, const struct state *s, uint32_t name)
{
	return name != 0 ? kept(d, names_get(s->names, name)) : (struct str){NULL, 0};
}

/* ---- refs ---- */

static uint32_t ref_of(const struct state *s, uint32_t name)
{
	return name < s->info.n ? s->info.v[name].ref : REF_NONE;
}

static struct str kept_ref(struct drift *d, const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	return kept(d, state_ref_text(s, ref, text));
}

/* Canonical refs and BLOCKED have the same number in every state; other spellings do not. */
static bool same_ref(const struct state *here, uint32_t a, const struct state *there, uint32_t b)
{
	char text[2][REF_TEXT_MAX];
	if (a <= REF_MAX || a == REF_BLOCKED || b <= REF_MAX || b == REF_BLOCKED)
		return a == b;
	return str_eq(state_ref_text(here, a, text[0]), state_ref_text(there, b, text[1]));
}

/* Index of a ref, or NAN for BLOCKED and what cannot be read. */
static double ref_index(const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	uint32_t index = ref_read(state_ref_text(s, ref, text));
	return index != 0 ? (double)index : (double)NAN;
}

static uint32_t line_of(const struct recording *r, uint32_t name)
{
	for (size_t i = 0; r != NULL && i < r->records.n; i++) {
		const struct record *rec = &r->records.v[i];
		if (rec->type == RECORD_MESSAGE && r->messages.v[rec->index].message.id == name)
			return rec->line;
	}
	return 0;
}

static void compare_refs(struct drift *d, const struct state *here, const struct state *there,
			 const struct recording *rows)
{
	uint32_t first = 0;
	for (size_t i = 0; i < here->raw_order.n; i++) {
		uint32_t name = here->raw_order.v[i], a = ref_of(here, name), b = ref_of(there, name);
		if (b == REF_NONE) {
			d->refs_here++;
			continue;
		}
		if (same_ref(here, a, there, b)) {
			d->refs_same++;
			continue;
		}
		double shift = ref_index(there, b) - ref_index(here, a);
		if (d->refs_different++ == 0) {
			first = name;
			d->shift = shift;
		} else if (!(shift == d->shift)) {
			d->shift = NAN;
		}
	}
	for (size_t i = 0; i < there->raw_order.n; i++)
		d->refs_there += ref_of(here, there->raw_order.v[i]) == REF_NONE;
	if (first == 0)
		return;
	d->first = kept_name(d, here, first);
	d->first_here = kept_ref(d, here, ref_of(here, first));
	d->first_there = kept_ref(d, there, ref_of(there, first));
	d->first_line = line_of(rows, first);
}

/* ---- blocks ---- */

/* A block on its way to its counterpart: sorted by key, then by place. */
struct side_block {
	const struct state *state;
	const struct block *block;
	struct side_block *mate;
};

static bool has_refs(const struct block *k) { return k->start_ref.p != NULL && k->end_ref.p != NULL; }

static int compare_texts(struct str a, struct str b)
{
	int order = memcmp(a.p ? a.p : "", b.p ? b.p : "", a.n < b.n ? a.n : b.n);
	return order != 0 ? order : a.n < b.n ? -1 : a.n > b.n;
}

/* By call, start and end; both states have the same names. */
static int compare_keys(const struct block *a, const struct block *b)
{
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	if (has_refs(a) != has_refs(b))
		return has_refs(a) ? 1 : -1;
	int order = compare_texts(a->start_ref, b->start_ref);
	return order != 0 ? order : compare_texts(a->end_ref, b->end_ref);
}

static int by_key(const void *left, const void *right)
{
	const struct side_block *a = left, *b = right;
	int order = compare_keys(a->block, b->block);
	return order != 0 ? order : a->block < b->block ? -1 : a->block > b->block;
}

static int by_place(const void *left, const void *right)
{
	const struct side_block *a = left, *b = right;
	return a->block < b->block ? -1 : a->block > b->block;
}

struct side {
	VEC(struct side_block) list;
};

static void side_begin(struct side *side, const struct state *s)
{
	for (size_t i = 0; i < s->blocks.n; i++)
		vec_push(&side->list, (struct side_block){s, &s->blocks.v[i], NULL});
	if (side->list.n > 1)
		qsort(side->list.v, side->list.n, sizeof *side->list.v, by_key);
}

static void marry(struct side_block *a, struct side_block *b)
{
	a->mate = b;
	b->mate = a;
}

static void match_keys(struct side *here, struct side *there)
{
	size_t i = 0, k = 0;
	while (i < here->list.n && k < there->list.n) {
		int order = compare_keys(here->list.v[i].block, there->list.v[k].block);
		if (order == 0)
			marry(&here->list.v[i++], &there->list.v[k++]);
		else if (order < 0)
			i++;
		else
			k++;
	}
}

/*
 * Old states have no refs on their blocks: among what is left of one call, they go with the next one in order. Both
 * lists have those without refs first, so that two with refs tell that this call is done.
 */
static void match_calls(struct side *here, struct side *there)
{
	size_t i = 0, k = 0;
	while (i < here->list.n && k < there->list.n) {
		struct side_block *a = &here->list.v[i], *b = &there->list.v[k];
		bool pass_a = a->mate != NULL || a->block->call < b->block->call;
		bool pass_b = b->mate != NULL || b->block->call < a->block->call;
		if (!pass_a && !pass_b) {
			pass_a = true;
			pass_b = !has_refs(a->block) || !has_refs(b->block);
			if (pass_b)
				marry(a, b);
		}
		i += pass_a;
		k += pass_b;
	}
}

static bool same_names(const uint32_t *a, uint32_t a_n, const uint32_t *b, uint32_t b_n)
{
	return a_n == b_n && (a_n == 0 || memcmp(a, b, a_n * sizeof *a) == 0);
}

/* A recovery counts texts without tags, a live compression those of the view: its tokens are bound to differ. */
static bool counts_alike(const struct drift *d) { return d->with != DRIFT_RECOVERY; }

static enum drift_of_block difference(const struct drift *d, const struct block *a, const struct block *b)
{
	if (a->id != b->id)
		return DRIFT_ID;
	if (a->tier != b->tier)
		return DRIFT_TIER;
	if (a->active != b->active)
		return DRIFT_ACTIVE;
	if (!same_names(a->effective, a->effective_n, b->effective, b->effective_n))
		return DRIFT_MESSAGES;
	if (!same_names(a->children, a->children_n, b->children, b->children_n))
		return DRIFT_CHILDREN;
	return counts_alike(d) && a->tokens != b->tokens ? DRIFT_TOKENS : DRIFT_SAME;
}

static void name_block(struct drift *d, struct drift_blocks *list, const struct side_block *here,
		       const struct side_block *there, enum drift_of_block what)
{
	const struct side_block *known = here != NULL ? here : there;
	const struct block *k = known->block;
	if (list->n++ >= DRIFT_BLOCKS_NAMED)
		return;
	list->named[list->n - 1] = (struct drift_block){
		.here = here ? kept_name(d, here->state, here->block->id) : (struct str){NULL, 0},
		.there = there ? kept_name(d, there->state, there->block->id) : (struct str){NULL, 0},
		.call = kept_name(d, known->state, k->call),
		.start = kept(d, k->start_ref),
		.end = kept(d, k->end_ref),
		.what = what,
	};
}

/* In the order the blocks were made. */
static void report_side(struct drift *d, const struct side *side, bool is_here)
{
	struct side order = {0};
	for (size_t i = 0; i < side->list.n; i++)
		vec_push(&order.list, side->list.v[i]);
	if (order.list.n > 1)
		qsort(order.list.v, order.list.n, sizeof *order.list.v, by_place);
	for (size_t i = 0; i < order.list.n; i++) {
		const struct side_block *one = &order.list.v[i];
		if (one->mate == NULL && is_here)
			name_block(d, &d->only_here, one, NULL, DRIFT_SAME);
		else if (one->mate == NULL)
			name_block(d, &d->only_there, NULL, one, DRIFT_SAME);
		else if (is_here && difference(d, one->block, one->mate->block) == DRIFT_SAME)
			d->blocks_same++;
		else if (is_here)
			name_block(d, &d->different, one, one->mate, difference(d, one->block, one->mate->block));
	}
	vec_free(&order.list);
}

static void compare_blocks(struct drift *d, const struct state *here, const struct state *there)
{
	struct side a = {0}, b = {0};
	side_begin(&a, here);
	side_begin(&b, there);
	match_keys(&a, &b);
	match_calls(&a, &b);
	report_side(d, &a, true);
	report_side(d, &b, false);
	vec_free(&a.list);
	vec_free(&b.list);
}

/* ---- all of it ---- */

static void take_figures(struct drift *d, const struct scalars *here, const struct scalars *there)
{
	d->figures[DRIFT_COMPRESSED].here = here->tokens_compressed;
	d->figures[DRIFT_COMPRESSED].there = there->tokens_compressed;
	d->figures[DRIFT_COMPRESSIONS].here = here->compression_count;
	d->figures[DRIFT_COMPRESSIONS].there = there->compression_count;
	d->figures[DRIFT_NEXT_BLOCK].here = here->next_block;
	d->figures[DRIFT_NEXT_BLOCK].there = there->next_block;
	d->figures[DRIFT_NEXT_RUN].here = here->next_run;
	d->figures[DRIFT_NEXT_RUN].there = there->next_run;
}

void drift_compare(struct drift *d, const struct state *here, const struct state *there, const struct recording *rows)
{
	compare_refs(d, here, there, rows);
	compare_blocks(d, here, there);
	take_figures(d, &here->now, &there->now);
}

static enum status to_the_end(struct drift *d, enum drift_with with, struct run *run, struct error *e)
{
	*d = (struct drift){.with = with, .shift = NAN};
	if (run->next < run->recording->records.n)
		return error_set(e, STATUS_USAGE, "the replay has not come to its end");
	run_seek(run, run->recording->records.n);
	return STATUS_OK;
}

enum status drift_from_sidecar(struct drift *d, struct run *run, const struct sidecar *s, struct error *e)
{
	enum status st = to_the_end(d, DRIFT_SIDECAR, run, e);
	if (st == STATUS_OK && s->file.source == SIDECAR_NONE)
		st = error_set(e, STATUS_USAGE, "there is no sidecar");
	if (st == STATUS_OK)
		drift_compare(d, &run->state, &s->file.state, run->recording);
	return st;
}

/* The list as the records leave it, whatever a host kept of it. */
static void join_history(struct state *s, const struct recording *r)
{
	for (size_t i = 0; i < r->records.n; i++) {
		const struct record *rec = &r->records.v[i];
		if (rec->type == RECORD_MESSAGE) {
			const struct message_record *m = &r->messages.v[rec->index];
			uint32_t index = state_message_add(s, m->message);
			if (!m->rowless)
				state_row_join(s, index);
		} else if (rec->type == RECORD_REWIND) {
			state_rows_rewind(s, r->others.v[rec->index].name);
		}
	}
}

enum status drift_from_recovery(struct drift *d, struct run *run, enum rebuild_form form, struct error *e)
{
	struct recording *r = run->recording;
	struct state s;
	struct rebuild rebuild;
	enum status st = to_the_end(d, DRIFT_RECOVERY, run, e);
	if (st != STATUS_OK)
		return st;
	state_init(&s, &r->names, recording_texts(r), &run->config);
	join_history(&s, r);
	d->form = form;
	d->capacity = rebuild_begin(&rebuild, &s, form, run_turn_input(run, 0, 0).counter, 0) != STATUS_OK;
	while (!d->capacity && rebuild_step(&rebuild, SIZE_MAX))
		;
	d->calls = rebuild.calls;
	d->rebuilt = rebuild.blocks;
	if (!d->capacity)
		drift_compare(d, &run->state, &s, r);
	rebuild_free(&rebuild);
	state_free(&s);
	return STATUS_OK;
}

bool drift_found(const struct drift *d)
{
	bool figures = false;
	/* the last, nextRunId, only tells how many calls failed */
	for (int i = counts_alike(d) ? DRIFT_COMPRESSED : DRIFT_COMPRESSIONS; i < DRIFT_NEXT_RUN; i++)
		figures = figures || !(d->figures[i].here == d->figures[i].there);
	return d->capacity || figures || d->refs_different > 0 || d->different.n > 0 || d->only_here.n > 0 ||
	       d->only_there.n > 0;
}

void drift_free(struct drift *d)
{
	arena_free(&d->arena);
	*d = (struct drift){0};
}
