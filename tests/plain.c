#include <string.h>

#include "tests/plain.h"

struct str plain_name(const struct plain *p, uint32_t name) { return names_get(p->s->names, name); }
double plain_tokens(struct str text) { return text_tokens(text_measure(text)); }
double plain_units(struct str text) { return text_measure(text).units; }
bool plain_has_header(struct str text) { return str_starts(text, STR("[Compressed conversation section]")); }
bool plain_skip(const struct plain_row *r) { return plain_has_header(r->text) || r->covered; }

static bool lists(const struct block *k, uint32_t id)
{
	for (uint32_t i = 0; i < k->effective_n; i++)
		if (k->effective[i] == id)
			return true;
	return false;
}

size_t plain_covering(const struct plain *p, uint32_t id, uint32_t *out)
{
	size_t n = 0;
	for (size_t i = 0; i < p->s->blocks.n; i++) {
		if (!p->s->blocks.v[i].active || !lists(&p->s->blocks.v[i], id))
			continue;
		if (out != NULL)
			out[n] = (uint32_t)i;
		n++;
	}
	return n;
}

static bool is_covered(const struct plain *p, uint32_t id) { return plain_covering(p, id, NULL) > 0; }

static bool is_tool(uint8_t content) { return content == CONTENT_CALL || content == CONTENT_RESULT; }

static bool is_compress(const struct plain *p, uint32_t tool) { return str_eq(plain_name(p, tool), STR("compress")); }

bool plain_is_summary(const struct plain *p, uint32_t id, uint8_t role, uint8_t content)
{
	return role == ROLE_SYSTEM && content == CONTENT_TEXT && str_starts(plain_name(p, id), STR("acp_summary_"));
}

/* ---- protection ---- */

struct str plain_entry(const struct plain *p, uint32_t tool)
{
	struct str name = plain_name(p, tool);
	for (size_t i = 0; i < p->c->protected_n; i++) {
		struct str entry = p->c->protected_tools[i];
		bool star = entry.n > 0 && entry.p[entry.n - 1] == '*';
		if (star ? str_starts(name, (struct str){entry.p, entry.n - 1}) : str_eq(name, entry))
			return entry;
	}
	return (struct str){0};
}

bool plain_protected(const struct plain *p, const struct plain_row *r)
{
	if (!is_tool(r->content) || plain_name(p, r->tool).n == 0)
		return false;
	return is_compress(p, r->tool) || plain_entry(p, r->tool).p != NULL;
}

bool plain_paired(const struct plain *p, const struct plain_row *rows, size_t n, const struct plain_row *r,
		  bool with_results)
{
	if (plain_protected(p, r))
		return true;
	if (r->content != CONTENT_RESULT || r->call == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool counts = rows[i].content == CONTENT_CALL || (with_results && rows[i].content == CONTENT_RESULT);
		if (counts && rows[i].call == r->call && plain_protected(p, &rows[i]))
			return true;
	}
	return false;
}

bool plain_never_recent(const struct plain *p, const struct plain_row *r)
{
	static const char *const tools[] = {"decompress", "search_context", "read", "bash"};
	for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
		if (is_tool(r->content) && str_eq(plain_name(p, r->tool), str_of(tools[i])))
			return true;
	return false;
}

/* ---- prune (4.3) ---- */

static const struct message *message_at(const struct plain *p, size_t row)
{
	return &p->s->messages.v[p->s->rows.v[row]];
}

size_t plain_index(const struct plain *p, uint32_t id)
{
	for (size_t i = p->s->rows.n; i-- > 0;)
		if (message_at(p, i)->id == id)
			return i;
	return SIZE_MAX;
}

size_t plain_anchor(const struct plain *p, const struct block *k)
{
	size_t best = SIZE_MAX;
	for (size_t i = p->s->rows.n; i-- > 0;) {
		const struct message *m = message_at(p, i);
		if (m->id == k->summary_id && plain_is_summary(p, m->id, m->role, m->content))
			return i;
	}
	for (uint32_t i = 0; i < k->effective_n; i++) {
		size_t at = plain_index(p, k->effective[i]);
		best = at < best ? at : best;
	}
	return best == SIZE_MAX ? 0 : best;
}

static bool has_active_summary(const struct plain *p, uint32_t id)
{
	for (size_t i = 0; i < p->s->blocks.n; i++)
		if (p->s->blocks.v[i].active && p->s->blocks.v[i].summary_id == id)
			return true;
	return false;
}

static void add_summary(struct plain *p, uint32_t block)
{
	const struct block *k = &p->s->blocks.v[block];
	struct buf b = {0};
	buf_text(&b, "[Compressed conversation section]");
	if (k->topic.n > 0) {
		buf_text(&b, " \xE2\x80\x94 ");
		buf_str(&b, k->topic);
	}
	if (text_trim(k->summary).n > 0) {
		buf_char(&b, '\n');
		buf_str(&b, text_trim(k->summary));
	}
	vec_push(&p->view, (struct plain_row){.source = ~(int32_t)block,
					      .id = k->summary_id,
					      .role = ROLE_SYSTEM,
					      .content = CONTENT_TEXT,
					      .covered = is_covered(p, k->summary_id),
					      .text = {arena_copy(&p->arena, b.p, b.n), b.n}});
	buf_free(&b);
}

static void add_message(struct plain *p, size_t row)
{
	const struct message *m = message_at(p, row);
	vec_push(&p->view, (struct plain_row){.source = (int32_t)p->s->rows.v[row],
					      .id = m->id,
					      .tool = m->tool,
					      .call = m->call,
					      .role = m->role,
					      .content = m->content,
					      .covered = is_covered(p, m->id)});
}

/* Summaries anchored at a row, in list order of their blocks. */
static void add_anchored(struct plain *p, size_t row)
{
	for (size_t i = 0; i < p->s->blocks.n; i++)
		if (p->s->blocks.v[i].active && plain_anchor(p, &p->s->blocks.v[i]) == row)
			add_summary(p, (uint32_t)i);
}

/* Drops row i of the view; its place in the host's list gets the fate. */
static void drop(struct plain *p, size_t i, enum plain_fate fate)
{
	int32_t source = p->view.v[i].source;
	for (size_t k = 0; source >= 0 && k < p->s->rows.n; k++)
		if (p->s->rows.v[k] == (uint32_t)source)
			p->fates.v[k] = (uint8_t)fate;
	memmove(p->view.v + i, p->view.v + i + 1, (p->view.n - i - 1) * sizeof *p->view.v);
	p->view.n--;
}

static bool has_partner(const struct plain_row *rows, size_t n, const struct plain_row *r, uint8_t content)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].content == content && rows[i].call == r->call)
			return true;
	return false;
}

/* One pass: all of a kind whose other half is not in the list as the pass found it. */
static void drop_lonely(struct plain *p, uint8_t content, uint8_t partner)
{
	size_t n = p->view.n;
	struct plain_row *before = arena_alloc(&p->arena, (n + 1) * sizeof *before);
	if (n > 0)
		memcpy(before, p->view.v, n * sizeof *before);
	for (size_t i = 0; i < p->view.n;) {
		const struct plain_row *r = &p->view.v[i];
		bool lonely = r->content == content && r->call != 0 && !has_partner(before, n, r, partner) &&
			      !(content == CONTENT_CALL && is_compress(p, r->tool));
		if (lonely)
			drop(p, i, PLAIN_ORPHAN);
		else
			i++;
	}
}

static void drop_reasoning(struct plain *p)
{
	for (size_t i = 0; i < p->view.n;) {
		size_t end = i;
		while (end < p->view.n && p->view.v[end].content == CONTENT_REASONING)
			end++;
		const struct plain_row *next = end < p->view.n ? &p->view.v[end] : NULL;
		bool answered = next && next->role == ROLE_ASSISTANT &&
				(next->content == CONTENT_TEXT || next->content == CONTENT_CALL);
		size_t run = end - i;
		if (run > 0 && !answered)
			for (; run > 0; run--)
				drop(p, i, PLAIN_ORPHAN);
		else
			i = end + 1;
	}
}

static void prune(struct plain *p)
{
	size_t n = p->s->rows.n, first_user = 0, covered = 0;
	for (size_t i = 0; i < p->s->blocks.n; i++)
		covered += p->s->blocks.v[i].active && p->s->blocks.v[i].effective_n > 0;
	while (first_user < n && message_at(p, first_user)->role != ROLE_USER)
		first_user++;
	for (size_t i = 0; i < n; i++) {
		const struct message *m = message_at(p, i);
		if (covered > 0)
			add_anchored(p, i);
		if (covered == 0 || i == first_user)
			add_message(p, i);
		else if (is_covered(p, m->id))
			p->fates.v[i] = PLAIN_COVERED;
		else if (plain_is_summary(p, m->id, m->role, m->content) && has_active_summary(p, m->id))
			p->fates.v[i] = PLAIN_SHOWN_AGAIN;
		else
			add_message(p, i);
	}
	if (covered == 0)
		return;
	if (n == 0)
		add_anchored(p, 0);
	drop_lonely(p, CONTENT_CALL, CONTENT_RESULT);
	drop_lonely(p, CONTENT_RESULT, CONTENT_CALL);
	drop_reasoning(p);
}

/* ---- hide (4.5.1) ---- */

static bool call_known(const struct plain *p, uint32_t call, bool active)
{
	for (size_t i = 0; i < p->s->blocks.n; i++)
		if (p->s->blocks.v[i].call == call && (!active || p->s->blocks.v[i].active))
			return true;
	return false;
}

static void hide(struct plain *p)
{
	uint32_t orphans[2], orphans_n = 0;
	VEC(uint32_t) gone = {0};
	for (size_t i = p->view.n; i-- > 0 && orphans_n < 2;) {
		const struct plain_row *r = &p->view.v[i];
		if (r->content == CONTENT_CALL && is_compress(p, r->tool) && r->call != 0 &&
		    !call_known(p, r->call, false))
			orphans[orphans_n++] = r->call;
	}
	for (size_t i = 0; i < p->view.n;) {
		const struct plain_row *r = &p->view.v[i];
		bool call = r->content == CONTENT_CALL && is_compress(p, r->tool);
		bool keep = call && r->call != 0 && call_known(p, r->call, true);
		for (uint32_t k = 0; call && k < orphans_n; k++)
			keep = keep || (r->call != 0 && orphans[k] == r->call);
		if (!call || keep) {
			i++;
			continue;
		}
		if (r->call != 0)
			vec_push(&gone, r->call);
		drop(p, i, PLAIN_HIDDEN);
	}
	for (size_t i = 0; i < p->view.n;) {
		bool lost = false;
		for (size_t k = 0; k < gone.n; k++)
			lost = lost || (p->view.v[i].content == CONTENT_RESULT && p->view.v[i].call == gone.v[k]);
		if (lost)
			drop(p, i, PLAIN_HIDDEN);
		else
			i++;
	}
	vec_free(&gone);
}

/* ---- recommend (4.6) ---- */

static bool numbered(const struct plain_row *r) { return r->ref != REF_NONE && r->ref != REF_BLOCKED; }

/* Row i puts its ref into the zone by a rule. */
static void zone_add(struct plain *p, const struct plain_row *rows, size_t n, size_t i, unsigned rule, double newer,
		     double newer_tokens)
{
	for (size_t k = 0; k < n; k++) {
		if (rows[k].ref != rows[i].ref)
			continue;
		if (p->zone.v[k] == 0) {
			p->newer.v[k] = newer;
			p->newer_tokens.v[k] = newer_tokens;
		}
		p->zone.v[k] |= (uint8_t)rule;
	}
}

void plain_zone(struct plain *p, const struct plain_row *rows, size_t n)
{
	double messages = p->c->preserve_messages, tokens = p->c->preserve_tokens, count = 0, sum = 0;
	bool user = messages > 0;
	p->zone.n = p->newer.n = p->newer_tokens.n = 0;
	vec_fill(&p->zone, n);
	vec_fill(&p->newer, n);
	vec_fill(&p->newer_tokens, n);
	for (size_t i = n; i-- > 0;) {
		const struct plain_row *r = &rows[i];
		if (user && r->role == ROLE_USER && !plain_skip(r)) {
			user = false;
			if (numbered(r))
				zone_add(p, rows, n, i, ZONE_LAST_USER, count, sum);
		}
		if (!numbered(r) || plain_skip(r) || plain_never_recent(p, r))
			continue;
		if (count < __builtin_floor(messages))
			zone_add(p, rows, n, i, ZONE_MESSAGES, count, sum);
		if (tokens > 0 && sum < tokens)
			zone_add(p, rows, n, i, ZONE_TOKENS, count, sum);
		count++;
		sum += plain_tokens(r->text);
	}
}

static void group_rows(struct plain *p)
{
	double before = -2;
	vec_fill(&p->group, p->view.n);
	for (size_t i = 0; i < p->view.n; i++) {
		const struct plain_row *r = &p->view.v[i];
		p->group.v[i] = -1;
		if (!numbered(r) || plain_skip(r) || plain_paired(p, p->view.v, p->view.n, r, false) || p->zone.v[i])
			continue;
		double number = state_ref_number(p->s, r->ref);
		struct plain_range *g = p->groups.n > 0 ? &p->groups.v[p->groups.n - 1] : NULL;
		bool fresh = g == NULL || (r->role == ROLE_USER && g->count >= 3) || number > before + 1;
		if (fresh)
			vec_push(&p->groups, (struct plain_range){.first = (uint32_t)i});
		g = &p->groups.v[p->groups.n - 1];
		g->last = (uint32_t)i;
		g->count++;
		g->tokens += plain_tokens(r->text);
		g->chars += plain_units(r->text);
		p->group.v[i] = (int32_t)p->groups.n - 1;
		before = number;
	}
	for (size_t i = 0; i < p->groups.n; i++) {
		bool kept = p->groups.v[i].tokens != 0;
		vec_push(&p->kept_group, kept ? (uint32_t)p->kept.n : UINT32_MAX);
		if (kept)
			vec_push(&p->kept, p->groups.v[i]);
	}
}

static void merge_groups(struct plain *p)
{
	double min = p->c->min_range;
	bool open = false;
	for (size_t i = 0; i < p->kept.n; i++) {
		const struct plain_range *g = &p->kept.v[i];
		if (!open)
			vec_push(&p->merged, (struct plain_range){.first = g->first});
		struct plain_range *m = &p->merged.v[p->merged.n - 1];
		m->last = g->last;
		m->count += g->count;
		m->tokens += g->tokens;
		m->chars += g->chars;
		vec_push(&p->merged_of, (uint32_t)p->merged.n - 1);
		open = min > 0 && m->chars < min;
	}
}

void plain_build(struct plain *p, struct frame *f)
{
	*p = (struct plain){.s = &f->run->state, .c = &f->run->config};
	vec_fill(&p->fates, p->s->rows.n);
	prune(p);
	hide(p);
	/* texts of rewritten calls are the engine's; everybody else's are the recording's */
	for (size_t i = 0, k = 0; i < p->view.n; i++) {
		struct plain_row *r = &p->view.v[i];
		while (k < f->rows.n && (f->rows.v[k].mark == MARK_REMOVED || f->rows.v[k].row.source != r->source))
			k++;
		r->ref = state_info(p->s, r->id)->ref;
		if (k == f->rows.n)
			break;
		if (r->source >= 0)
			r->text = frame_row_text(f, &f->rows.v[k], &p->arena);
	}
	plain_zone(p, p->view.v, p->view.n);
	group_rows(p);
	merge_groups(p);
}

void plain_free(struct plain *p)
{
	vec_free(&p->fates);
	vec_free(&p->view);
	vec_free(&p->zone);
	vec_free(&p->newer);
	vec_free(&p->newer_tokens);
	vec_free(&p->group);
	vec_free(&p->groups);
	vec_free(&p->kept);
	vec_free(&p->merged);
	vec_free(&p->kept_group);
	vec_free(&p->merged_of);
	arena_free(&p->arena);
}
