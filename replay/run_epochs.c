/* Epochs of a run: one kernel state each, as a state record replaces what the journal could undo. */
#include "replay/run_records.h"

enum { EPOCHS_PARKED = 4 }; /* states kept beside the present one */

/* The stored state that epoch `epoch` begins with. */
static enum status load_stored(struct run *r, struct state *s, struct span stored, struct error *e)
{
	struct recording *rec = r->recording;
	struct arena scratch = {0};
	cJSON *tree = NULL;
	if (stored.place != SPAN_ABSENT)
		tree = json_tree(&scratch, recording_json(rec, stored, &scratch), NULL, NULL);
	state_init(s, &rec->names, run_texts(r), &r->config);
	enum status st = state_load(s, tree, e);
	arena_free(&scratch);
	return st;
}

/* The host's list beside a new state: all messages so far have their numbers, some are rows. */
static void join_rows(struct run *r, struct state *s, size_t messages, const uint32_t *rows, size_t n)
{
	for (size_t m = 0; m < messages; m++)
		state_message_add(s, run_message(r, (uint32_t)m));
	for (size_t i = 0; i < n; i++)
		state_row_join(s, rows[i]);
}

/*
 * What is known of the rows' own texts holds in the next epoch, too, as long as a row gets the same ref and number: or
 * a recording of many state records would read every text again at each of them. Spellings of a stored state are
 * numbered anew in every epoch, so nothing is taken from or to one that has such.
 */
static void inherit_rows(struct alternatives *to, const struct alternatives *from, const struct state *s)
{
	if (s->foreign_refs.n > 0 || from->rows.n == 0)
		return;
	vec_fill(&to->rows, from->rows.n);
	for (size_t i = 0; i < from->rows.n; i++) {
		const struct row_cache *c = &from->rows.v[i];
		if (!c->has_hash || c->alternative != ALTERNATIVE_NONE || c->ref == REF_NONE || c->ref > REF_MAX)
			continue;
		to->rows.v[i] = *c;
		to->rows.v[i].made = 0; /* texts made of it are numbered by epoch */
	}
}

enum status run_begin_epoch(struct run *r, size_t i, struct error *e)
{
	struct state s;
	struct span stored = r->recording->others.v[r->recording->records.v[i].index].value;
	enum status st = load_stored(r, &s, stored, e);
	if (st != STATUS_OK) {
		state_free(&s);
		return st;
	}
	join_rows(r, &s, r->state.messages.n, r->state.rows.v, r->state.rows.n);
	vec_push(&r->epochs, (struct epoch){.first = i + 1, .parked = true, .state = s});
	alternatives_init(&r->epochs.v[r->epochs.n - 1].alternatives);
	inherit_rows(&r->epochs.v[r->epochs.n - 1].alternatives, &r->alternatives, &s);
	run_enter_epoch(r, r->epochs.n - 1);
	return STATUS_OK;
}

static void park(struct run *r)
{
	struct epoch *e = &r->epochs.v[r->epoch];
	state_probe_end(&r->state);
	e->state = r->state;
	e->alternatives = r->alternatives;
	e->parked = true;
}

/* Frees the parked state that is farthest from the present epoch when there are too many. */
static void drop_farthest(struct run *r)
{
	size_t parked = 0, farthest = r->epoch, most = 0;
	for (size_t i = 0; i < r->epochs.n; i++) {
		size_t distance = i < r->epoch ? r->epoch - i : i - r->epoch;
		if (!r->epochs.v[i].parked)
			continue;
		parked++;
		if (distance > most) {
			most = distance;
			farthest = i;
		}
	}
	if (parked <= EPOCHS_PARKED)
		return;
	struct epoch *e = &r->epochs.v[farthest];
	state_free(&e->state);
	alternatives_free(&e->alternatives);
	e->parked = false;
}

/* Rows up to and with the last one of this id; all when nobody knows it, none when it is no id at all. */
static size_t rows_up_to(const struct recording *rec, const uint32_t *rows, size_t n, uint32_t id)
{
	size_t keep = n;
	while (keep > 0 && rec->messages.v[rows[keep - 1]].message.id != id)
		keep--;
	return id == 0 ? 0 : keep > 0 ? keep : n;
}

/* The first row of this id; n when there is none: then no row is kept (pi.md 1.9). */
static size_t first_row(const struct recording *rec, const uint32_t *rows, size_t n, uint32_t id)
{
	size_t i = id == 0 ? n : 0;
	while (i < n && rec->messages.v[rows[i]].message.id != id)
		i++;
	return i;
}

/* A compaction of the host: where it stands on the branch, and the id of the first row it keeps. */
struct kept {
	size_t at;
	uint32_t id;
};

void run_list_rows(const struct run *r, size_t end, struct host_list *list)
{
	const struct recording *rec = r->recording;
	VEC(struct kept) keeps = {0};
	uint32_t *rows = list->rows;
	size_t n = 0;
	list->messages = 0;
	for (size_t i = 0; i < end; i++) {
		const struct record *record = &rec->records.v[i];
		if (record->type == RECORD_MESSAGE) {
			if (!rec->messages.v[record->index].rowless && !run_dsh_leaves_out(r, record->index))
				rows[n++] = record->index;
			list->messages++;
		} else if (record->type == RECORD_REWIND) {
			n = rows_up_to(rec, rows, n, rec->others.v[record->index].name);
			while (keeps.n > 0 && keeps.v[keeps.n - 1].at > n)
				keeps.n--; /* it left the branch with the rows before it */
		} else if (record->type == RECORD_KEEP && r->driver->keep != NULL) {
			vec_push(&keeps, (struct kept){n, rec->others.v[record->index].name});
		}
	}
	/* pi-rulings 6: the last one counts, taken over the whole branch, so rows can come back */
	struct kept last = keeps.n > 0 ? keeps.v[keeps.n - 1] : (struct kept){0, 0};
	size_t from = keeps.n > 0 ? first_row(rec, rows, last.at, last.id) : 0;
	list->kept = (struct kept_rows){keeps.n > 0, last.at - from};
	list->n = n - from;
	memmove(rows, rows + from, list->n * sizeof *rows);
	vec_free(&keeps);
}

void run_relist(struct run *r, size_t i)
{
	struct state *s = &r->state;
	struct host_list list = {.rows = mem_alloc((r->recording->messages.n + 1) * sizeof *list.rows)};
	size_t same = 0;
	run_list_rows(r, i + 1, &list);
	while (same < list.n && same < s->rows.n && list.rows[same] == s->rows.v[same])
		same++;
	state_rows_cut(s, same);
	for (; same < list.n; same++)
		state_row_join(s, list.rows[same]);
	r->kept_rows = list.kept;
	free(list.rows);
}

/* Inside what stands behind the last compaction, rows only go; before that, rows it had taken away can come back. */
void run_rewind(struct run *r, size_t i, uint32_t to)
{
	struct state *s = &r->state;
	const struct kept_rows *kept = &r->kept_rows;
	uint32_t last = to != 0 ? state_info(s, to)->last : 0;
	bool behind = last != 0 && (kept->n == 0 || s->rows.v[kept->n - 1] <= last - 1);
	if (!kept->compacted || behind)
		state_rows_rewind(s, to);
	else
		run_relist(r, i);
}

/* Executes the records of an epoch once more on a fresh state: same records, same journal, same marks. */
static void make_again(struct run *r, size_t epoch)
{
	const struct recording *rec = r->recording;
	size_t first = r->epochs.v[epoch].first;
	size_t end = epoch + 1 < r->epochs.n ? r->epochs.v[epoch + 1].first - 1 : r->next;
	struct span stored = rec->state;
	bool failed = r->failed;
	uint16_t events = r->events;
	struct kept_rows kept = r->kept_rows;
	struct host_list list = {.rows = mem_alloc((rec->messages.n + 1) * sizeof *list.rows)};
	if (epoch > 0)
		stored = rec->others.v[rec->records.v[first - 1].index].value;
	if (stored.place != SPAN_ABSENT)
		load_stored(r, &r->state, stored, NULL);
	else
		state_init(&r->state, &r->recording->names, run_texts(r), &r->config);
	alternatives_init(&r->alternatives);
	run_list_rows(r, first, &list);
	join_rows(r, &r->state, list.messages, list.rows, list.n);
	free(list.rows);
	r->kept_rows = list.kept;
	r->again = true;
	for (size_t i = first; i < end; i++)
		run_execute(r, i);
	r->again = false;
	r->failed = failed;
	r->events = events;
	r->kept_rows = kept;
}

void run_enter_epoch(struct run *r, size_t epoch)
{
	struct epoch *e = &r->epochs.v[epoch];
	if (epoch == r->epoch)
		return;
	park(r);
	/* what a turn keeps for the next is about one state */
	turn_free(&r->turn);
	r->turn = (struct turn){0};
	r->epoch = epoch;
	if (e->parked) {
		r->state = e->state;
		r->alternatives = e->alternatives;
		e->parked = false;
	} else {
		make_again(r, epoch);
	}
	drop_farthest(r);
}
