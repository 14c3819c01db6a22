#include "replay/readers/dsh.h"

#include <math.h>
#include <stdio.h>

static void bad(struct dsh_line *l, const char *what)
{
	recording_damage(l->r, DAMAGE_BAD_MEMBER, l->line->number, l->line->at, "seq %lld: %s", (long long)l->event.seq,
			 what);
}

/* --- what a host checks when it appends an event (dsh.md 1.1, 2.1) --- */

static void check_spelling(struct dsh_line *l, const struct dsh_row *row)
{
	unsigned both = DSH_NOTE_OLD_KEYS | DSH_NOTE_NEW_KEYS;

	l->d->keys_seen |= row->notes & both;
	if (l->d->keys_seen == both && !l->d->told_mix) {
		l->d->told_mix = true;
		bad(l, "the replaces of this log are spelt in two ways, start/end and startSeq/endSeq");
	}
}

/* Folds the row after it was looked at; what cannot be folded leaves the surface as it is (dsh-rulings 7). */
static void check_row(struct dsh_line *l, uint32_t number)
{
	const struct dsh_row *row = &l->r->dsh.log.rows.v[number];
	struct dsh_op_report report;
	int p;

	dsh_surface_check(&l->d->surface, number, &report);
	dsh_surface_tell(&l->d->surface, number);
	for (p = 0; p < DSH_OP_PROBLEMS; p++)
		if (report.problems & 1u << p)
			bad(l, dsh_op_problem_name((enum dsh_op_problem)p));
	check_spelling(l, row);
}

void dsh_check_plain(struct dsh_line *l)
{
	if (l->event.op || l->event.cites)
		bad(l, dsh_op_problem_name(DSH_OP_ON_EVENT));
	/* what is no row must not look like one */
	l->event.op = l->event.cites = NULL;
}

/* --- where a text lies in the line --- */

static struct json_span inside(struct json_span v, size_t at)
{
	v.at += at;
	return v;
}

static void note_literal(struct dsh_line *l, struct json_span v)
{
	if (pick_is(v, JSON_STRING) || pick_is(v, JSON_OBJECT) || pick_is(v, JSON_ARRAY))
		vec_push(&l->d->literals, v);
}

/* Values of a content that may be a whole text of a row: of its blocks, and of lists one level down. */
static void find_literals(struct dsh_line *l, struct json_span content, bool deeper)
{
	static const struct str names[] = {STR("type"), STR("text"), STR("arguments"), STR("content")};
	const char *s = l->line->p;
	struct json_scan *list = deeper ? &l->d->scan : &l->d->inner, block = {0};
	struct json_span v[4];
	size_t i;

	if (pick_is(content, JSON_STRING))
		note_literal(l, content);
	if (!pick_is(content, JSON_ARRAY) || json_scan(s + content.at, content.n, list) != JSON_OK)
		return;
	for (i = 0; i < list->items.n; i++) {
		struct json_span one = inside(list->items.v[i], content.at);

		if (one.kind != JSON_OBJECT || json_scan(s + one.at, one.n, &block) != JSON_OK)
			continue;
		pick(s + one.at, &block, names, 4, v, l->scratch);
		note_literal(l, inside(v[1], one.at));
		note_literal(l, inside(v[2], one.at));
		if (deeper && pick_is(v[3], JSON_ARRAY))
			find_literals(l, inside(v[3], one.at), false);
	}
	json_scan_free(&block);
}

static void find_content(struct dsh_line *l, enum dsh_type type)
{
	static const struct str names[] = {STR("message"), STR("content")};
	struct json_span at = l->v[DM_DATA], v[2];

	l->d->literals.n = l->d->literal = 0;
	l->d->placed.text.p = NULL;
	if (!pick_is(at, JSON_OBJECT) || json_scan(l->line->p + at.at, at.n, &l->d->scan) != JSON_OK)
		return;
	pick(l->line->p + at.at, &l->d->scan, names, 2, v, l->scratch);
	if (type != DSH_USER) {
		at = inside(v[0], at.at);
		if (!pick_is(at, JSON_OBJECT) || json_scan(l->line->p + at.at, at.n, &l->d->scan) != JSON_OK)
			return;
		pick(l->line->p + at.at, &l->d->scan, names, 2, v, l->scratch);
	}
	if (v[1].n)
		find_literals(l, inside(v[1], at.at), true);
}

/* How many literals are compared with a text; the texts of a row come in the order of its literals. */
enum { LITERALS_TRIED = 8 };

static bool is_literal(struct dsh_line *l, struct json_span v, struct str text)
{
	struct str raw = {l->line->p + v.at, v.n};

	if (v.n < text.n)
		return false;
	return str_eq(v.kind == JSON_STRING ? json_decode(l->scratch, l->line->p, v) : raw, text);
}

/* A text is kept where it lies, or, where it was put together, in the arena: once, though many messages have it. */
static struct span place_text(struct dsh_line *l, struct str text)
{
	struct dsh *d = l->d;
	size_t tried;

	if (text.n == 0)
		return (struct span){.place = SPAN_ABSENT};
	if (d->placed.text.p == text.p && d->placed.text.n == text.n)
		return d->placed.span;
	d->placed.text = text;
	for (tried = 0; tried < LITERALS_TRIED && tried < d->literals.n; tried++) {
		size_t i = (d->literal + tried) % d->literals.n;

		if (!is_literal(l, d->literals.v[i], text))
			continue;
		d->literal = i + 1;
		return d->placed.span = recording_span(l->line, d->literals.v[i]);
	}
	d->placed.span = (struct span){.n = (uint32_t)text.n, .place = SPAN_MEMORY};
	d->placed.span.p = arena_copy(&l->r->arena, text.p, text.n);
	return d->placed.span;
}

/* --- records --- */

static uint32_t seq_name(struct dsh_line *l, struct str call, bool several)
{
	struct buf id = {0};
	uint32_t name;

	buf_printf(&id, "%lld", (long long)l->event.seq);
	if (several) {
		buf_char(&id, '#');
		buf_str(&id, call);
	}
	name = names_add(&l->r->names, buf_view(&id));
	buf_free(&id);
	return name;
}

static void add_core(struct dsh_line *l, const struct dsh_core *core, uint32_t row, struct message_record m)
{
	struct names *names = &l->r->names;

	m.message.id = seq_name(l, core->call, l->d->projection.several);
	m.message.role = core->role;
	m.message.content = core->content;
	m.message.tool = names_add(names, core->tool);
	m.message.call = names_add(names, core->call);
	m.message.face = face_of(core->text);
	m.text = place_text(l, core->text);
	if (core->content == CONTENT_RESULT && l->d->projection.key.p)
		vec_push(&l->d->unnamed,
			 (struct dsh_unnamed){(uint32_t)l->r->messages.n, names_add(names, l->d->projection.key)});
	dsh_parts_message(l->r, l->rec, m, row);
}

/* The records of a row; the first carries the event's data. */
static void add_messages(struct dsh_line *l, uint32_t row)
{
	struct message_record m = {.entry = seq_name(l, STR(""), false), .is_error = l->d->projection.is_error};
	size_t i;

	l->rec.part = 1;
	if (pick_is(l->v[DM_DATA], JSON_OBJECT))
		m.host = recording_span(l->line, l->v[DM_DATA]);
	for (i = 0; i < l->d->projection.cores.n; i++) {
		add_core(l, &l->d->projection.cores.v[i], row, m);
		l->rec.part = 0;
		m.host = (struct span){.place = SPAN_ABSENT};
	}
	if (i == 0) {
		m.message.id = m.entry;
		m.rowless = true;
		dsh_parts_message(l->r, l->rec, m, row);
	}
}

/* One answer that was appended is one request (dsh-rulings 1); its messages come behind. */
static void add_turn(struct dsh_line *l)
{
	const cJSON *usage = json_get(l->event.data, "usage"), *message = json_get(l->event.data, "message");
	struct turn_record turn = {.token_count = NAN, .window = l->r->dsh.window, .time = l->event.time};
	struct str model = json_str(json_get(json_get(message, "source"), "model"));
	struct record rec = l->rec;
	int64_t number;

	turn.usage = dsh_usage(usage);
	l->d->odd_usage += cJSON_IsObject(usage) && !turn.usage.present;
	turn.model = names_add(&l->r->names, model);
	dsh_note_model(l->r, l->d, model);
	if (dsh_seq_of(json_get(l->event.data, "turn"), &number) && number >= 1 && number <= UINT32_MAX)
		turn.user_turn = (uint32_t)number;
	rec.type = RECORD_TURN;
	rec.index = (uint32_t)l->r->turns.n;
	vec_push(&l->r->turns, turn);
	vec_push(&l->r->records, rec);
}

/* A later call with the same id takes its place, shadowed ones count (dsh.md 3.2). */
static void note_calls(struct dsh_line *l, const struct dsh_row *row)
{
	const struct names *log = &l->r->dsh.log.names;
	uint32_t i;

	for (i = 0; i < row->calls_n; i++) {
		uint32_t id = names_add(&l->r->names, names_get(log, row->calls[i].id));

		if (id == 0)
			continue;
		vec_fill(&l->d->name_of_call, (size_t)id + 1);
		l->d->name_of_call.v[id] = names_add(&l->r->names, names_get(log, row->calls[i].name));
	}
}

void dsh_take_row(struct dsh_line *l, enum dsh_type type)
{
	uint32_t row = dsh_parts_row(l->r, &l->event), message;
	struct dsh_message m = dsh_message_of(type, l->event.data);
	const struct dsh_row *d;

	if (row == DSH_NONE) { /* seqs ascend here: only when there are too many rows */
		recording_fail(l->r, STATUS_DATA, l->line->number, l->line->at, "more events than can be counted");
		return;
	}
	d = &l->r->dsh.log.rows.v[row];
	check_row(l, row);
	if (!cJSON_IsObject(type == DSH_USER ? l->event.data : json_get(l->event.data, "message")))
		bad(l, "a row without a message");
	if (type == DSH_ASSISTANT && d->op == DSH_APPEND)
		add_turn(l);
	note_calls(l, d);
	dsh_project(l->scratch, type, &m, &l->d->projection);
	find_content(l, type);
	message = (uint32_t)l->r->messages.n;
	add_messages(l, row);
	dsh_take_outcome(l->r, dsh_follow_row(l->r, &l->d->follow, row, message));
}

void dsh_name_results(struct recording *r, struct dsh *d)
{
	size_t i;

	for (i = 0; i < d->unnamed.n; i++) {
		uint32_t key = d->unnamed.v[i].key;

		if (key < d->name_of_call.n)
			r->messages.v[d->unnamed.v[i].message].message.tool = d->name_of_call.v[key];
	}
}
