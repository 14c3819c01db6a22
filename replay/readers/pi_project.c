#include <math.h>
#include <stdio.h>

#include "replay/readers/pi.h"
#include "replay/readers/pi_estimate.h"

/* Members of an entry. */
enum {
	E_MESSAGE,
	E_TIMESTAMP,
	E_CUSTOM_TYPE,
	E_CONTENT,
	E_MODEL_ID,
	E_KEPT_ID,
	E_KEPT_INDEX,
	E_TAIL,
	E_SUMMARY,
	E_COUNT
};

static const struct str entry_names[E_COUNT] = {
	[E_MESSAGE] = STR("message"),
	[E_TIMESTAMP] = STR("timestamp"),
	[E_CUSTOM_TYPE] = STR("customType"),
	[E_CONTENT] = STR("content"),
	[E_MODEL_ID] = STR("modelId"),
	[E_KEPT_ID] = STR("firstKeptEntryId"),
	[E_KEPT_INDEX] = STR("firstKeptEntryIndex"),
	[E_TAIL] = STR("retainedTail"),
	[E_SUMMARY] = STR("summary"),
};

/* Members of a message. */
enum {
	M_ROLE,
	M_TOOL_CALL_ID,
	M_TOOL_NAME,
	M_CONTENT,
	M_IS_ERROR,
	M_MODEL,
	M_USAGE,
	M_STOP_REASON,
	M_TIMESTAMP,
	M_COMMAND,
	M_OUTPUT,
	M_SUMMARY,
	M_EXCLUDED,
	M_COUNT
};

static const struct str message_names[M_COUNT] = {
	[M_ROLE] = STR("role"),
	[M_TOOL_CALL_ID] = STR("toolCallId"),
	[M_TOOL_NAME] = STR("toolName"),
	[M_CONTENT] = STR("content"),
	[M_IS_ERROR] = STR("isError"),
	[M_MODEL] = STR("model"),
	[M_USAGE] = STR("usage"),
	[M_STOP_REASON] = STR("stopReason"),
	[M_TIMESTAMP] = STR("timestamp"),
	[M_COMMAND] = STR("command"),
	[M_OUTPUT] = STR("output"),
	[M_SUMMARY] = STR("summary"),
	[M_EXCLUDED] = STR("excludeFromContext"),
};

static struct str string_at(struct pi_line *l, struct json_span v) { return pick_str(l->scratch, l->s, v); }
static uint32_t name_at(struct pi_line *l, struct json_span v) { return names_add(&l->r->names, string_at(l, v)); }

static void add_record(struct pi_line *l, enum record_type type, size_t index)
{
	struct record rec = l->rec;

	rec.type = (uint8_t)type;
	rec.index = (uint32_t)index;
	vec_push(&l->r->records, rec);
}

/* A row of the entry; its first record of a message carries the host's own message. */
static void add_message(struct pi_line *l, struct message_record m)
{
	struct record rec = l->rec;

	rec.part = !l->carried;
	if (!l->carried) {
		recording_weigh(&m, pi_weigh(l->host_message, l->scratch));
		m.host.at = l->entry->at + (uint64_t)(l->host_message.p - l->s);
		m.host.n = (uint32_t)l->host_message.n;
		m.host.place = SPAN_JSON;
	}
	l->carried = true;
	m.entry = l->entry->id;
	if (!m.rowless)
		vec_push(&l->pi->rows, (uint32_t)l->r->messages.n);
	recording_add_row(l->r, rec, m);
}

static void add_row(struct pi_line *l, uint32_t id, enum role role, enum content content, struct pi_text t,
		    struct message_record m)
{
	m.message.id = id;
	m.message.role = (uint8_t)role;
	m.message.content = (uint8_t)content;
	m.message.face = face_of(t.text);
	m.text = t.span;
	if (t.span.place == SPAN_ABSENT && t.text.n > 0) {
		m.text.p = arena_copy(&l->r->arena, t.text.p, t.text.n);
		m.text.n = (uint32_t)t.text.n;
		m.text.place = SPAN_MEMORY;
	}
	add_message(l, m);
}

/* A message of the host without rows, kept for what host rules ask of it. */
static void add_rowless(struct pi_line *l)
{
	add_message(l, (struct message_record){.message.id = l->entry->id, .rowless = true});
}

static struct pi_text plain_text(const struct buf *b) { return (struct pi_text){buf_view(b), {.place = SPAN_ABSENT}}; }

static void put_part(struct buf *b, struct str part)
{
	if (part.n == 0)
		return;
	if (b->n)
		buf_char(b, '\n');
	buf_str(b, part);
}

/* X and A of a single call: what is there of both. */
static struct pi_text call_text(struct pi_line *l, struct pi_text x, struct pi_text a)
{
	if (x.text.n == 0)
		return a;
	if (a.text.n == 0)
		return x;
	buf_cut(&l->pi->built, 0);
	put_part(&l->pi->built, x.text);
	put_part(&l->pi->built, a.text);
	return plain_text(&l->pi->built);
}

/* The text of a message without content (pi.md 3.4, fallback). */
static struct pi_text fallback(struct pi_line *l, const struct json_span *v)
{
	struct buf *b = &l->pi->built;
	struct str command = string_at(l, v[M_COMMAND]);
	struct pi_text t;

	buf_cut(b, 0);
	if (command.n) {
		buf_text(b, "$ ");
		buf_str(b, command);
	}
	put_part(b, pi_text_of(l, v[M_OUTPUT]).text);
	put_part(b, string_at(l, v[M_SUMMARY]));
	t = plain_text(b);
	t.text = text_trim(t.text);
	return t;
}

static double time_of(struct pi_line *l, struct json_span in_message, struct json_span in_entry)
{
	double ms = pick_num(l->scratch, l->s, in_message);

	return isnan(ms) ? pi_time(string_at(l, in_entry)) : ms;
}

/* Usage as a prompt can be measured by (ruling 3): an object whose context size is not 0. */
static struct usage usage_of(struct pi_line *l, struct json_span usage)
{
	struct json_span v[USAGE_MEMBERS];
	struct usage u;

	pi_members(l, usage, &l->pi->block_scan, recording_usage_names, USAGE_MEMBERS, v);
	u = recording_usage(l->r, l->s, v, l->entry->line, l->entry->at);
	return u.total != 0 ? u : (struct usage){0};
}

static void note_model(struct recording *r, struct str model)
{
	if (r->model.n == 0 && model.n > 0)
		r->model = (struct str){arena_copy(&r->arena, model.p, model.n), model.n};
}

static void add_turn(struct pi_line *l, const struct json_span *v, const struct json_span *entry)
{
	struct turn_record turn = {.token_count = NAN};

	turn.time = time_of(l, v[M_TIMESTAMP], entry[E_TIMESTAMP]);
	turn.usage = usage_of(l, v[M_USAGE]);
	turn.model = name_at(l, v[M_MODEL]);
	turn.stop_reason = name_at(l, v[M_STOP_REASON]);
	turn.failed = recording_failed(l->r, turn.stop_reason);
	turn.user_turn = l->pi->user_turns;
	note_model(l->r, string_at(l, v[M_MODEL]));
	add_record(l, RECORD_TURN, l->r->turns.n);
	vec_push(&l->r->turns, turn);
}

/* Remembers the last call of every id, as far as compress steps need it (ruling 16). */
static void remember_calls(struct pi_line *l)
{
	struct source_line line = {.at = l->entry->at};
	struct pi *pi = l->pi;
	size_t i;

	for (i = 0; i < pi->calls.n; i++) {
		const struct pi_call *c = &pi->calls.v[i];
		bool compress = str_eq(names_get(&l->r->names, c->name), STR("compress"));

		if (compress) {
			vec_push(&pi->compress_args, recording_span(&line, c->arguments));
			vec_fill(&pi->compress_of, (size_t)c->id + 1);
		}
		if (c->id < pi->compress_of.n)
			pi->compress_of.v[c->id] = compress ? (uint32_t)pi->compress_args.n : 0;
	}
}

/* The id of a call's row: the entry's own, or E#<call id> when there are several. */
static uint32_t row_id(struct pi_line *l, const struct pi_call *c)
{
	struct names *names = &l->r->names;
	struct buf id = {0};
	uint32_t number;

	if (l->pi->calls.n == 1)
		return l->entry->id;
	buf_str(&id, names_get(names, l->entry->id));
	buf_char(&id, '#');
	buf_str(&id, names_get(names, c->id));
	number = names_add(names, buf_view(&id));
	buf_free(&id);
	return number;
}

static void project_assistant(struct pi_line *l, const struct json_span *v, const struct json_span *entry)
{
	struct pi_text x, a, t;
	size_t i;

	add_turn(l, v, entry);
	x = pi_text_of(l, v[M_CONTENT]);
	remember_calls(l);
	if (l->pi->calls.n == 0) {
		if (text_trim(x.text).n > 0)
			add_row(l, l->entry->id, ROLE_ASSISTANT, CONTENT_TEXT, x, (struct message_record){0});
		return;
	}
	for (i = 0; i < l->pi->calls.n; i++) {
		const struct pi_call *c = &l->pi->calls.v[i];

		a = pi_arguments(l, c->arguments);
		t = l->pi->calls.n == 1 ? call_text(l, x, a) : a.text.n ? a : x;
		add_row(l, row_id(l, c), ROLE_ASSISTANT, CONTENT_CALL, t,
			(struct message_record){.message = {.tool = c->name, .call = c->id}});
	}
}

/* The compress step of a compress result, if it makes one (ruling 16; outcome: pi.md 2.3). */
static void add_compress(struct pi_line *l, const struct json_span *v, const struct json_span *entry, struct str text)
{
	struct compress_record c = {.outcome_blocks = NAN, .outcome_tokens = NAN, .token_count = NAN};
	struct pi *pi = l->pi;
	uint32_t id = name_at(l, v[M_TOOL_CALL_ID]), call = id < pi->compress_of.n ? pi->compress_of.v[id] : 0;
	double blocks = pi_panel_blocks(text);
	bool named = pick_is(v[M_TOOL_NAME], JSON_STRING);

	if (named ? !str_eq(string_at(l, v[M_TOOL_NAME]), STR("compress")) : call == 0)
		return;
	vec_fill(&pi->answered, (size_t)id + 1);
	if (call == 0 || pi->answered.v[id]) {
		recording_damage(l->r, DAMAGE_OTHER, l->entry->line, l->entry->at, "%s; it makes no compress step",
				 call ? "a second result of one compress call" : "a compress result without its call");
		return;
	}
	pi->answered.v[id] = true;
	c.call = id;
	c.time = time_of(l, v[M_TIMESTAMP], entry[E_TIMESTAMP]);
	c.args = pi->compress_args.v[call - 1];
	if (pick_is(v[M_IS_ERROR], JSON_TRUE)) {
		c.has_outcome = true;
	} else if (blocks >= 0) {
		c.has_outcome = true;
		c.outcome_applied = blocks >= 1;
		c.outcome_blocks = blocks;
	}
	add_record(l, RECORD_COMPRESS, l->r->compressions.n);
	vec_push(&l->r->compressions, c);
}

static void project_result(struct pi_line *l, const struct json_span *v, const struct json_span *entry)
{
	struct pi_text t = pi_text_of(l, v[M_CONTENT]);

	add_compress(l, v, entry, t.text);
	add_row(l, l->entry->id, ROLE_TOOL, CONTENT_RESULT, t,
		(struct message_record){
			.message = {.tool = name_at(l, v[M_TOOL_NAME]), .call = name_at(l, v[M_TOOL_CALL_ID])},
			.is_error = pick_is(v[M_IS_ERROR], JSON_TRUE)});
}

static void project_message(struct pi_line *l, const struct json_span *entry)
{
	struct json_span v[M_COUNT];
	struct pi_text t;
	struct str role;

	if (!pi_members(l, entry[E_MESSAGE], &l->pi->message_scan, message_names, M_COUNT, v)) {
		recording_damage(l->r, DAMAGE_BAD_MEMBER, l->entry->line, l->entry->at + entry[E_MESSAGE].at,
				 "message is not an object; the entry has no row");
		return;
	}
	l->host_message = (struct str){l->s + entry[E_MESSAGE].at, entry[E_MESSAGE].n};
	role = string_at(l, v[M_ROLE]);
	if (str_eq(role, STR("assistant"))) {
		project_assistant(l, v, entry);
	} else if (str_eq(role, STR("toolResult"))) {
		project_result(l, v, entry);
	} else if (str_eq(role, STR("user"))) {
		l->pi->user_turns++;
		add_row(l, l->entry->id, ROLE_USER, CONTENT_TEXT, pi_text_of(l, v[M_CONTENT]),
			(struct message_record){0});
	} else {
		t = pi_text_of(l, v[M_CONTENT]);
		if (t.text.n == 0)
			t = fallback(l, v);
		if (t.text.n > 0)
			add_row(l, l->entry->id, ROLE_USER, CONTENT_TEXT, t, (struct message_record){0});
		l->pi->excluded += pick_is(v[M_EXCLUDED], JSON_TRUE) && t.text.n > 0;
	}
	if (!l->carried)
		add_rowless(l);
}

static void project_custom_message(struct pi_line *l, const struct json_span *entry)
{
	static const struct str silent[] = {STR("acp-status"), STR("acp-export"), STR("acp-rule")};
	struct str type = string_at(l, entry[E_CUSTOM_TYPE]);
	struct pi_text t = pi_text_of(l, entry[E_CONTENT]);
	size_t i;

	for (i = 0; i < sizeof silent / sizeof *silent; i++)
		if (str_eq(type, silent[i]))
			t.text = STR("");
	if (t.text.n > 0)
		add_row(l, l->entry->id, ROLE_USER, CONTENT_TEXT, t, (struct message_record){0});
	else
		add_rowless(l);
}

/* A message for Pi, which the adapter does not send (pi.md 3.8): no row. */
static void project_branch_summary(struct pi_line *l, const struct json_span *entry)
{
	if (string_at(l, entry[E_SUMMARY]).n > 0)
		add_rowless(l);
}

/* The entry a compaction keeps from: its position on the path, or path.n when there is none before it. */
static size_t kept_position(struct pi_line *l, const struct json_span *entry)
{
	struct pi *pi = l->pi;
	uint32_t id = UINT32_MAX;
	const struct pi_entry *kept;
	double index;

	if (pi->version > 1) {
		id = names_find(&l->r->names, string_at(l, entry[E_KEPT_ID]));
	} else {
		index = pick_num(l->scratch, l->s, entry[E_KEPT_INDEX]);
		if (index >= 1 && index < (double)pi->objects && index == floor(index)) {
			char text[32];

			snprintf(text, sizeof text, "v1-%.0f", index);
			id = names_find(&l->r->names, str_of(text));
		}
	}
	if (id >= pi->by_id.n || pi->by_id.v[id] == 0)
		return pi->path.n;
	kept = &pi->entries.v[pi->by_id.v[id] - 1];
	return kept->on_path && kept->position < l->entry->position ? kept->position : pi->path.n;
}

/* Native compaction (rulings 6): rows before `from` leave the context. */
static void project_compaction(struct pi_line *l, const struct json_span *entry)
{
	struct recording *r = l->r;
	struct other_record keep = {0};
	size_t position = kept_position(l, entry), row;
	bool tail = false;

	if (pick_is(entry[E_TAIL], JSON_ARRAY) &&
	    json_scan(l->s + entry[E_TAIL].at, entry[E_TAIL].n, &l->pi->list_scan) == JSON_OK)
		tail = l->pi->list_scan.items.n > 0;
	l->pi->retained_tails += tail;
	row = tail || position == l->pi->path.n ? l->pi->rows.n : l->pi->first_row.v[position];
	if (row < l->pi->rows.n)
		keep.name = r->messages.v[l->pi->rows.v[row]].message.id;
	add_record(l, RECORD_KEEP, r->others.n);
	vec_push(&r->others, keep);
}

static void project_model_change(struct pi_line *l, const struct json_span *entry)
{
	uint32_t model = name_at(l, entry[E_MODEL_ID]);

	if (model == 0)
		return;
	note_model(l->r, names_get(&l->r->names, model));
	add_record(l, RECORD_MODEL, l->r->others.n);
	vec_push(&l->r->others, (struct other_record){.name = model});
}

static void (*const projections[PI_TYPE_COUNT])(struct pi_line *l, const struct json_span *entry) = {
	[PI_MESSAGE] = project_message,
	[PI_CUSTOM_MESSAGE] = project_custom_message,
	[PI_BRANCH_SUMMARY] = project_branch_summary,
	[PI_MODEL_CHANGE] = project_model_change,
	[PI_COMPACTION] = project_compaction,
};

void pi_project(struct recording *r, struct pi *pi, uint32_t entry, struct arena *scratch)
{
	const struct pi_entry *e = &pi->entries.v[entry];
	struct pi_line l = {
		.r = r, .pi = pi, .scratch = scratch, .entry = e, .rec = {.at = e->at, .n = e->n, .line = e->line}};
	struct json_span v[E_COUNT], line = {.n = e->n, .kind = JSON_OBJECT};
	struct str bytes;

	vec_push(&pi->first_row, (uint32_t)pi->rows.n);
	if (!projections[e->type])
		return;
	bytes = source_read(&r->source, e->at, e->n, scratch);
	l.s = bytes.p;
	l.host_message = bytes;
	if (bytes.n == e->n && pi_members(&l, line, &pi->entry_scan, entry_names, E_COUNT, v))
		projections[e->type](&l, v);
	else
		recording_damage(r, DAMAGE_OTHER, e->line, e->at, "the line changed while the file was read");
}
