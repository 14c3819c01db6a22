#include "engine/kernel/state.h"

#include "engine/kernel/journal.h"

void state_init(struct state *s, struct names *names, struct texts texts, const struct config *config)
{
	*s = (struct state){.names = names, .texts = texts, .config = config};
	s->now.next_block = s->now.next_run = 1;
	vec_push(&s->scalars_log, s->now);
	s->compress_tool = names_add(names, STR("compress"));
}

void state_free(struct state *s)
{
	arena_free(&s->arena);
	vec_free(&s->messages);
	vec_free(&s->rows);
	vec_free(&s->cut);
	vec_free(&s->info);
	vec_free(&s->blocks);
	vec_free(&s->live);
	vec_free(&s->listings);
	vec_free(&s->by_ref);
	vec_free(&s->foreign_refs);
	vec_free(&s->raw_order);
	vec_free(&s->ref_present);
	vec_free(&s->snapshot);
	vec_free(&s->snapshot_of);
	vec_free(&s->scalars_log);
	vec_free(&s->journal);
	vec_free(&s->side);
	vec_free(&s->kept_blocks);
	vec_free(&s->uncovered);
	vec_free(&s->touched);
	vec_free(&s->entering);
}

/* ---- the host's list ---- */

static void ask_host(struct state *s, uint32_t index)
{
	struct message *m = &s->messages.v[index];
	if (m->tool == 0 || (m->content != CONTENT_CALL && m->content != CONTENT_RESULT))
		return;
	struct arena scratch = {0};
	m->guarded = s->config->tool_protected(s->config->tool_protected_ctx, names_get(s->names, m->tool),
					       s->texts.get(s->texts.owner, index, &scratch));
	arena_free(&scratch);
}

uint32_t state_message_add(struct state *s, struct message m)
{
	struct str id = names_get(s->names, m.id);
	m.summary_id = str_starts(id, STR(SUMMARY_ID_PREFIX));
	m.in_list = m.uncovered = m.guarded = false;
	m.before = 0;
	uint32_t index = (uint32_t)s->messages.n;
	vec_push(&s->messages, m);
	if (s->config->tool_protected != NULL)
		ask_host(s, index);
	struct name_info *call = state_info(s, m.call);
	if (call->first_call == 0)
		call->first_call = index + 1;
	return index;
}

/* An id that carries `ref` entered (+1) or left (-1) the list. */
static void ref_presence(struct state *s, uint32_t ref, int step)
{
	if (ref == REF_NONE)
		return;
	if (ref == REF_BLOCKED) {
		s->blocked_present += (uint32_t)step;
		return;
	}
	vec_fill(&s->ref_present, (size_t)ref + 1);
	uint32_t before = s->ref_present.v[ref];
	s->ref_present.v[ref] += (uint32_t)step;
	if (before != 0 && s->ref_present.v[ref] != 0) {
		s->irregular = true;
		return;
	}
	s->refs_present += (uint32_t)step;
	if (ref < s->snapshot_of.n && s->snapshot_of.v[ref] != 0)
		s->snapshot_stale -= (uint32_t)step;
}

static void touch(struct state *s, uint32_t message)
{
	vec_push(&s->touched, message);
	state_changed(s, message);
}

/* The places of summaries may be other ones now. */
static void next_epoch(struct state *s)
{
	s->epoch++;
	state_changed(s, 0);
}

void state_do_join(struct state *s, uint32_t index)
{
	struct message *m = &s->messages.v[index];
	state_info(s, m->call); /* makes room: both names are used below */
	struct name_info *id = state_info(s, m->id);
	if (id->present++ == 0) {
		for (uint32_t l = id->listed; l != 0; l = s->listings.v[l - 1].next)
			s->blocks.v[s->listings.v[l - 1].block].present++;
		ref_presence(s, id->ref, 1);
	} else {
		s->irregular = true;
	}
	if (id->listed != 0 || m->summary_id)
		next_epoch(s);
	m->before = id->last;
	id->last = index + 1;
	m->in_list = true;
	vec_push(&s->rows, index);
	if (s->first_user == 0 && m->role == ROLE_USER)
		s->first_user = index + 1;
	touch(s, index);
}

void state_do_leave(struct state *s)
{
	uint32_t index = s->rows.v[--s->rows.n];
	struct message *m = &s->messages.v[index];
	struct name_info *id = state_info(s, m->id);
	id->last = m->before;
	m->in_list = false;
	if (s->named > s->rows.n)
		s->named = (uint32_t)s->rows.n;
	if (--id->present == 0) {
		for (uint32_t l = id->listed; l != 0; l = s->listings.v[l - 1].next)
			s->blocks.v[s->listings.v[l - 1].block].present--;
		ref_presence(s, id->ref, -1);
	}
	if (id->listed != 0 || m->summary_id)
		next_epoch(s);
	if (s->first_user == index + 1)
		s->first_user = 0;
	touch(s, index);
}

void state_do_cut(struct state *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = to; i < from; i++)
		vec_push(&s->cut, s->rows.v[i]);
	while (s->rows.n > to)
		state_do_leave(s);
}

void state_row_join(struct state *s, uint32_t index)
{
	state_do_join(s, index);
	journal_push(s, (struct change){.kind = CHANGE_ROW, .a = index});
}

void state_rows_cut(struct state *s, size_t n)
{
	if (n >= s->rows.n)
		return;
	struct change c = {.kind = CHANGE_CUT, .a = (uint32_t)s->rows.n, .b = (uint32_t)n};
	state_do_cut(s, c.a, c.b);
	journal_push(s, c);
}

void state_rows_rewind(struct state *s, uint32_t to)
{
	uint32_t last = to != 0 ? state_info(s, to)->last : 0;
	size_t n = to != 0 ? s->rows.n : 0;
	while (last != 0 && s->rows.v[n - 1] != last - 1)
		n--;
	state_rows_cut(s, n);
}

static bool wanted(const struct state *s, uint32_t index)
{
	const struct message *m = &s->messages.v[index];
	return m->in_list && (s->first_user == index + 1 || s->info.v[m->id].covers == 0);
}

/*
 * A row entered (+1) or left (-1) `uncovered`: how many calls and results of its call id are there. Whether the others
 * of that id are shown, and protected, depends on it.
 */
static void count_pair(struct state *s, uint32_t index, int step)
{
	struct message *m = &s->messages.v[index];
	m->uncovered = step > 0;
	if (m->tool != s->compress_tool)
		s->uncovered_tokens += step * text_tokens(m->face.size);
	if (m->call == 0)
		return;
	bool protected = m->guarded || state_tool_protected(s, m->content, m->tool);
	struct name_info *call = &s->info.v[m->call];
	state_changed(s, call->first_call - 1);
	if (m->content == CONTENT_CALL) {
		call->calls += (uint32_t)step;
		call->compress_calls += m->tool == s->compress_tool ? (uint32_t)step : 0;
		call->protected_calls += protected ? (uint32_t)step : 0;
	} else if (m->content == CONTENT_RESULT) {
		call->results += (uint32_t)step;
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Merges the sorted `entering` into `uncovered`, from the back. */
static void merge_entering(struct state *s)
{
	size_t old = s->uncovered.n, add = s->entering.n, to = old + add;
	vec_reserve(&s->uncovered, to);
	uint32_t *v = s->uncovered.v;
	s->uncovered.n = to;
	while (add > 0)
		if (old > 0 && v[old - 1] > s->entering.v[add - 1])
			v[--to] = v[--old];
		else
			v[--to] = s->entering.v[--add];
}

void state_uncovered(struct state *s)
{
	size_t leaving = 0;
	s->entering.n = 0;
	for (size_t i = 0; i < s->touched.n; i++) {
		uint32_t index = s->touched.v[i];
		bool in = s->messages.v[index].uncovered, want = wanted(s, index);
		if (in == want)
			continue;
		count_pair(s, index, want ? 1 : -1);
		if (want)
			vec_push(&s->entering, index);
		else
			leaving++;
	}
	s->touched.n = 0;
	if (leaving > 0) {
		size_t n = 0;
		for (size_t i = 0; i < s->uncovered.n; i++)
			if (s->messages.v[s->uncovered.v[i]].uncovered)
				s->uncovered.v[n++] = s->uncovered.v[i];
		s->uncovered.n = n;
	}
	if (s->entering.n == 0)
		return;
	if (s->entering.n > 1)
		qsort(s->entering.v, s->entering.n, sizeof *s->entering.v, by_number);
	merge_entering(s);
}

/* ---- refs and snapshot ---- */

/* The row of the id shows another ref, or another number with it; that of a summary may stand anywhere. */
static void ref_changed(struct state *s, uint32_t name)
{
	uint32_t last = s->info.v[name].last;
	if (str_starts(names_get(s->names, name), STR(SUMMARY_ID_PREFIX)))
		state_changed(s, 0);
	else if (last != 0)
		state_changed(s, last - 1);
}

void state_do_ref(struct state *s, uint32_t name, uint32_t ref)
{
	struct name_info *id = state_info(s, name);
	id->ref = ref;
	ref_changed(s, name);
	vec_push(&s->raw_order, name);
	if (id->present > 0)
		ref_presence(s, ref, 1);
	if (ref == REF_BLOCKED || ref == REF_NONE)
		return;
	vec_fill(&s->by_ref, (size_t)ref + 1);
	if (s->by_ref.v[ref] == 0)
		s->refs_n++;
	s->by_ref.v[ref] = name;
	if (ref <= REF_MAX && ref > s->ref_highest)
		s->ref_highest = ref;
}

void state_undo_ref(struct state *s, uint32_t name, uint32_t highest)
{
	struct name_info *id = state_info(s, name);
	uint32_t ref = id->ref;
	ref_changed(s, name);
	if (id->present > 0)
		ref_presence(s, ref, -1);
	id->ref = REF_NONE;
	s->raw_order.n--;
	s->ref_highest = highest;
	if (ref == REF_BLOCKED)
		return;
	s->by_ref.v[ref] = 0;
	s->refs_n--;
}

void state_ref_set(struct state *s, uint32_t name, uint32_t ref)
{
	struct change c = {.kind = CHANGE_REF, .extra = s->ref_highest & 0xffffffu, .a = name, .b = ref};
	state_do_ref(s, name, ref);
	journal_push(s, c);
}

void state_named_set(struct state *s, uint32_t named)
{
	if (named == s->named)
		return;
	struct change c = {.kind = CHANGE_NAMED, .a = s->named, .b = named};
	s->named = named;
	journal_push(s, c);
}

void state_do_snapshot(struct state *s, uint32_t entry, bool alive)
{
	struct snapshot_entry *e = &s->snapshot.v[entry];
	vec_fill(&s->snapshot_of, (size_t)e->ref + 1);
	bool stale = e->ref >= s->ref_present.n || s->ref_present.v[e->ref] == 0;
	e->alive = alive;
	s->snapshot_of.v[e->ref] = alive ? entry + 1 : 0;
	s->snapshot_n += alive ? 1 : (uint32_t)-1;
	if (stale)
		s->snapshot_stale += alive ? 1 : (uint32_t)-1;
	uint32_t name = e->ref < s->by_ref.n ? s->by_ref.v[e->ref] : 0;
	if (name != 0 && state_info(s, name)->ref == e->ref)
		ref_changed(s, name);
	else
		state_changed(s, 0); /* byRef of a stored state names another row than the one that carries the ref */
}

void state_snapshot_set(struct state *s, uint32_t ref, double tokens)
{
	vec_push(&s->snapshot, (struct snapshot_entry){.tokens = tokens, .ref = ref});
	struct change c = {.kind = CHANGE_SNAPSHOT, .a = (uint32_t)s->snapshot.n - 1};
	state_do_snapshot(s, c.a, true);
	journal_push(s, c);
}

void state_snapshot_forget(struct state *s, uint32_t entry)
{
	state_do_snapshot(s, entry, false);
	journal_push(s, (struct change){.kind = CHANGE_FORGET, .a = entry});
}

static bool same_scalars(const struct scalars *a, const struct scalars *b)
{
	for (int t = 1; t <= 3; t++)
		if (a->tier_shown[t] != b->tier_shown[t])
			return false;
	return a->baseline == b->baseline && a->shown == b->shown && a->tier_set == b->tier_set &&
	       a->tokens_compressed == b->tokens_compressed && a->compression_count == b->compression_count &&
	       a->next_block == b->next_block && a->next_run == b->next_run;
}

void state_scalars_set(struct state *s, struct scalars now)
{
	struct change c = {.kind = CHANGE_SCALARS, .b = (uint32_t)s->scalars_log.n};
	/* the log keeps the values before, too, unless they end it: a probe or a rewritten past may have left others
	 * there */
	if (!same_scalars(&s->scalars_log.v[c.b - 1], &s->now)) {
		vec_push(&s->scalars_log, s->now);
		c.b++;
	}
	vec_push(&s->scalars_log, now);
	c.a = c.b - 1;
	s->now = now;
	journal_push(s, c);
}

struct str state_ref_text(const struct state *s, uint32_t ref, char out[REF_TEXT_MAX])
{
	if (ref == REF_NONE)
		return (struct str){NULL, 0};
	if (ref == REF_BLOCKED)
		return STR("BLOCKED");
	if (ref > REF_MAX)
		return s->foreign_refs.v[ref - REF_MAX - 1];
	ref_format(out, ref);
	return (struct str){out, 6};
}

uint32_t state_ref_find(const struct state *s, struct str spelling)
{
	uint32_t n = spelling.n == 6 && spelling.p[0] == 'm' ? ref_read(spelling) : 0;
	if (n != 0)
		return n;
	for (size_t i = 0; i < s->foreign_refs.n; i++)
		if (str_eq(s->foreign_refs.v[i], spelling))
			return (uint32_t)(REF_MAX + 1 + i);
	return REF_NONE;
}

double state_ref_number(const struct state *s, uint32_t ref)
{
	return ref <= REF_MAX       ? (double)ref
	       : ref == REF_BLOCKED ? -1
				    : ref_number(s->foreign_refs.v[ref - REF_MAX - 1]);
}

double state_ref_digits(const struct state *s, uint32_t ref)
{
	if (ref >= 1 && ref <= REF_MAX)
		return ref;
	char out[REF_TEXT_MAX];
	struct str text = state_ref_text(s, ref, out);
	size_t i = 0;
	while (i < text.n && (text.p[i] < '0' || text.p[i] > '9'))
		i++;
	double x = 0;
	for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
		x = x * 10 + (text.p[i] - '0');
	return x;
}

/* ---- tools ---- */

uint8_t state_tool(struct state *s, uint32_t tool)
{
	static const struct str never_recent[] = {STR("decompress"), STR("search_context"), STR("read"), STR("bash")};
	if (tool == 0)
		return TOOL_KNOWN;
	struct name_info *info = state_info(s, tool);
	if (info->tool != 0)
		return info->tool;
	struct str name = names_get(s->names, tool);
	uint8_t bits = TOOL_KNOWN;
	if (tool == s->compress_tool)
		bits |= TOOL_COMPRESS | TOOL_PROTECTED;
	if (config_tool_entry(s->config, name) != SIZE_MAX)
		bits |= TOOL_PROTECTED;
	for (size_t i = 0; i < sizeof never_recent / sizeof *never_recent; i++)
		if (str_eq(name, never_recent[i]))
			bits |= TOOL_NEVER_RECENT;
	info->tool = bits;
	return bits;
}

bool state_tool_protected(struct state *s, uint8_t content, uint32_t tool)
{
	return content_is_tool(content) && (state_tool(s, tool) & TOOL_PROTECTED) != 0;
}

bool message_is_summary(const struct message *m)
{
	return m->summary_id && m->role == ROLE_SYSTEM && m->content == CONTENT_TEXT;
}
