/*
 * acps: our own recording format (recording.md), one record a line.
 *
 * Texts and values stay in the file. A record whose needed members are missing
 * or of a wrong kind is reported and kept as an opaque one: it is written back,
 * but takes no part in the replay.
 */
#include <math.h>
#include <stdio.h>

#include "engine/base/num.h"
#include "replay/readers/dsh_acps.h"
#include "replay/readers/pi_estimate.h"
#include "replay/readers/pick.h"
#include "replay/readers/readers.h"

/* Members that are looked at, in the order in which writers put them. */
enum member {
	M_TYPE,
	M_VERSION,
	M_ID,
	M_HOST,
	M_ROLE,
	M_CONTENT_TYPE,
	M_TOOL_NAME,
	M_TOOL_CALL_ID,
	M_TEXT,
	M_ROWS,
	M_IS_ERROR,
	M_ENTRY_ID,
	M_ENTRY,
	M_CALL_ID,
	M_ARGS,
	M_BY,
	M_TOKEN_COUNT,
	M_OUTCOME,
	M_USAGE,
	M_MODEL,
	M_STOP_REASON,
	M_USER_TURN,
	M_TIME,
	M_FROM,
	M_TO,
	M_BLOCK_ID,
	M_DEACTIVATE,
	M_STATE,
	M_CONTEXT_LIMIT,
	M_RENDER_TAGS,
	M_CONFIG,
	M_HOST_STATE,
	M_SYSTEM_TOKENS,
	M_EXPECT,
	M_SEQ,
	M_SURFACE_OP,
	M_CITES,
	M_EVENT,
	M_NAME,
	M_TIME0,
	M_DATA,
	M_SOURCE,
	M_COUNT
};

static const struct str member_names[M_COUNT] = {
	[M_TYPE] = STR("type"),
	[M_VERSION] = STR("version"),
	[M_ID] = STR("id"),
	[M_HOST] = STR("host"),
	[M_ROLE] = STR("role"),
	[M_CONTENT_TYPE] = STR("contentType"),
	[M_TOOL_NAME] = STR("toolName"),
	[M_TOOL_CALL_ID] = STR("toolCallId"),
	[M_TEXT] = STR("text"),
	[M_ROWS] = STR("rows"),
	[M_IS_ERROR] = STR("isError"),
	[M_ENTRY_ID] = STR("entryId"),
	[M_ENTRY] = STR("entry"),
	[M_CALL_ID] = STR("callId"),
	[M_ARGS] = STR("args"),
	[M_BY] = STR("by"),
	[M_TOKEN_COUNT] = STR("tokenCount"),
	[M_OUTCOME] = STR("outcome"),
	[M_USAGE] = STR("usage"),
	[M_MODEL] = STR("model"),
	[M_STOP_REASON] = STR("stopReason"),
	[M_USER_TURN] = STR("userTurn"),
	[M_TIME] = STR("time"),
	[M_FROM] = STR("from"),
	[M_TO] = STR("to"),
	[M_BLOCK_ID] = STR("blockId"),
	[M_DEACTIVATE] = STR("deactivate"),
	[M_STATE] = STR("state"),
	[M_CONTEXT_LIMIT] = STR("contextLimit"),
	[M_RENDER_TAGS] = STR("renderTags"),
	[M_CONFIG] = STR("config"),
	[M_HOST_STATE] = STR("hostState"),
	[M_SYSTEM_TOKENS] = STR("systemTokens"),
	[M_EXPECT] = STR("expect"),
	[M_SEQ] = STR("seq"),
	[M_SURFACE_OP] = STR("surfaceOp"),
	[M_CITES] = STR("cites"),
	[M_EVENT] = STR("event"),
	[M_NAME] = STR("name"),
	[M_TIME0] = STR("time0"),
	[M_DATA] = STR("data"),
	[M_SOURCE] = STR("source"),
};

/* One line being taken. */
struct taking {
	struct recording *r;
	const struct source_line *line;
	struct arena *scratch;
	struct json_span v[M_COUNT];
	struct record rec;
	struct dsh_follow *dsh; /* host dsh only */
};

static void bad_member(struct taking *t, struct json_span at, const char *member, const char *what)
{
	recording_damage(t->r, DAMAGE_BAD_MEMBER, t->line->number, t->line->at + at.at, "%s %s", member, what);
}

/* The record cannot take part in the replay. */
static void make_opaque(struct taking *t, enum member m, const char *what)
{
	char text[80];

	snprintf(text, sizeof text, "%s; the record is left out of the replay", what);
	bad_member(t, t->v[m], member_names[m].p, text);
	t->rec.type = RECORD_UNKNOWN;
}

static struct str string_of(struct taking *t, enum member m)
{
	struct json_span v = t->v[m];

	if (!pick_missing(v) && v.kind != JSON_STRING)
		bad_member(t, v, member_names[m].p, "is not a string");
	return pick_str(t->scratch, t->line->p, v);
}

static uint32_t name_of(struct taking *t, enum member m) { return names_add(&t->r->names, string_of(t, m)); }

static double number_of(struct taking *t, enum member m)
{
	struct json_span v = t->v[m];

	if (!pick_missing(v) && v.kind != JSON_NUMBER)
		bad_member(t, v, member_names[m].p, "is not a number");
	return pick_num(t->scratch, t->line->p, v);
}

static bool is_true(const struct taking *t, enum member m) { return pick_is(t->v[m], JSON_TRUE); }

/* Number members of an object inside the line; NAN where there is none. False when v is no object. */
static bool inner_numbers(struct taking *t, struct json_span v, const struct str *names, size_t count, double *out,
			  struct json_span *spans)
{
	const char *s = t->line->p + v.at;
	struct json_scan scan = {0};
	size_t i;
	bool object = pick_is(v, JSON_OBJECT) && json_scan(s, v.n, &scan) == JSON_OK;

	if (object) {
		pick(s, &scan, names, count, spans, t->scratch);
		for (i = 0; i < count; i++)
			out[i] = pick_num(t->scratch, s, spans[i]);
	}
	json_scan_free(&scan);
	return object;
}

/*
 * The host's estimate (pi): of its own message, or, where the recording does not bring that, of the text. Rows after
 * the first of an entry have none.
 */
static void weigh(struct taking *t, struct message_record *m)
{
	const struct recording *r = t->r;
	struct json_span entry = t->v[M_ENTRY];

	if (!str_eq(r->host, STR("pi")))
		return;
	if (entry.n > 0)
		recording_weigh(m, pi_weigh((struct str){t->line->p + entry.at, entry.n}, t->scratch));
	else if (!m->entry || !r->messages.n || r->messages.v[r->messages.n - 1].entry != m->entry)
		m->host_tokens = (m->message.face.size.units + 3) / 4;
}

/* What a record of host dsh has beside the members of all. */
static struct dsh_fields dsh_fields(struct taking *t)
{
	static const enum member of[DSH_FIELD_COUNT] = {
		[DSH_FIELD_SEQ] = M_SEQ,     [DSH_FIELD_OP] = M_SURFACE_OP, [DSH_FIELD_CITES] = M_CITES,
		[DSH_FIELD_ENTRY] = M_ENTRY, [DSH_FIELD_EVENT] = M_EVENT,   [DSH_FIELD_NAME] = M_NAME,
		[DSH_FIELD_DATA] = M_DATA,   [DSH_FIELD_TIME] = M_TIME,     [DSH_FIELD_TIME0] = M_TIME0,
	};
	struct dsh_fields f = {.line = t->line, .scratch = t->scratch};
	int i;

	for (i = 0; i < DSH_FIELD_COUNT; i++)
		f.v[i] = t->v[of[i]];
	return f;
}

static void take_message(struct taking *t)
{
	struct message_record m = {0};
	enum content content = CONTENT_TEXT;
	enum role role = ROLE_USER;
	double rows = number_of(t, M_ROWS);

	m.rowless = rows == 0;
	m.message.id = name_of(t, M_ID);
	if (m.message.id == 0) {
		make_opaque(t, M_ID, "is missing or empty");
		return;
	}
	if (!m.rowless && !role_parse(string_of(t, M_ROLE), &role)) {
		make_opaque(t, M_ROLE, "is none of the four roles");
		return;
	}
	if (!m.rowless && !content_parse(string_of(t, M_CONTENT_TYPE), &content)) {
		make_opaque(t, M_CONTENT_TYPE, "is none of the four types");
		return;
	}
	m.message.role = (uint8_t)role;
	m.message.content = (uint8_t)content;
	m.message.tool = name_of(t, M_TOOL_NAME);
	m.message.call = name_of(t, M_TOOL_CALL_ID);
	m.entry = name_of(t, M_ENTRY_ID);
	m.is_error = is_true(t, M_IS_ERROR);
	if (pick_is(t->v[M_ENTRY], JSON_OBJECT))
		m.host = recording_span(t->line, t->v[M_ENTRY]);
	if (pick_is(t->v[M_TEXT], JSON_STRING)) {
		m.message.face = recording_face(t->line->p, t->v[M_TEXT], t->scratch);
		m.text = recording_span(t->line, t->v[M_TEXT]);
	} else {
		string_of(t, M_TEXT);
	}
	weigh(t, &m);
	if (t->dsh)
		dsh_acps_message(t->r, t->dsh, t->rec, m, dsh_fields(t));
	else
		recording_add_row(t->r, t->rec, m);
}

static void take_compress(struct taking *t)
{
	static const struct str names[] = {STR("applied"), STR("blocksCreated"), STR("tokensCompressed")};
	struct compress_record c = {.outcome_blocks = NAN, .outcome_tokens = NAN};
	struct json_span spans[3] = {{0}};
	double numbers[3];

	c.call = name_of(t, M_CALL_ID);
	c.by_user = str_eq(string_of(t, M_BY), STR("user"));
	c.token_count = number_of(t, M_TOKEN_COUNT);
	c.time = number_of(t, M_TIME);
	c.args = recording_span(t->line, t->v[M_ARGS]);
	if (inner_numbers(t, t->v[M_OUTCOME], names, 3, numbers, spans)) {
		c.has_outcome = pick_is(spans[0], JSON_TRUE) || pick_is(spans[0], JSON_FALSE);
		c.outcome_applied = pick_is(spans[0], JSON_TRUE);
		c.outcome_blocks = numbers[1];
		c.outcome_tokens = numbers[2];
	}
	if (!pick_missing(t->v[M_OUTCOME]) && !c.has_outcome)
		bad_member(t, t->v[M_OUTCOME], "outcome", "does not say whether it was applied");
	t->rec.index = (uint32_t)t->r->compressions.n;
	if (t->dsh)
		dsh_follow_call(t->r, t->dsh, names_get(&t->r->names, c.call), t->rec.index);
	vec_push(&t->r->compressions, c);
}

static struct usage usage_of(struct taking *t)
{
	struct json_span v = t->v[M_USAGE], members[USAGE_MEMBERS];
	const char *s = t->line->p + v.at;
	struct json_scan scan = {0};
	struct usage u = {0};

	if (pick_is(v, JSON_OBJECT) && json_scan(s, v.n, &scan) == JSON_OK) {
		pick(s, &scan, recording_usage_names, USAGE_MEMBERS, members, t->scratch);
		u = recording_usage(t->r, s, members, t->line->number, t->line->at + v.at);
	} else if (!pick_missing(v)) {
		bad_member(t, v, "usage", "is not an object");
	}
	json_scan_free(&scan);
	return u;
}

static void take_turn(struct taking *t)
{
	struct turn_record turn = {0};
	double user_turn = number_of(t, M_USER_TURN);

	turn.token_count = number_of(t, M_TOKEN_COUNT);
	turn.time = number_of(t, M_TIME);
	turn.window = t->r->dsh.window;
	turn.model = name_of(t, M_MODEL);
	turn.stop_reason = name_of(t, M_STOP_REASON);
	turn.failed = recording_failed(t->r, turn.stop_reason);
	if (user_turn >= 1 && user_turn <= UINT32_MAX)
		turn.user_turn = (uint32_t)user_turn;
	turn.usage = usage_of(t);
	t->rec.index = (uint32_t)t->r->turns.n;
	vec_push(&t->r->turns, turn);
}

static void add_other(struct taking *t, struct other_record o)
{
	t->rec.index = (uint32_t)t->r->others.n;
	vec_push(&t->r->others, o);
}

/* A member that must be a string, or null where that means something. */
static void take_named(struct taking *t, enum member m, bool null_allowed)
{
	if (!pick_is(t->v[m], JSON_STRING) && !(null_allowed && pick_missing(t->v[m])))
		make_opaque(t, m, null_allowed ? "is neither a string nor null" : "is not a string");
	else
		add_other(t, (struct other_record){.name = name_of(t, m), .flag = is_true(t, M_DEACTIVATE)});
}

static void take_keep(struct taking *t) { take_named(t, M_FROM, true); }
static void take_rewind(struct taking *t) { take_named(t, M_TO, true); }
static void take_decompress(struct taking *t) { take_named(t, M_BLOCK_ID, false); }
static void take_model(struct taking *t) { take_named(t, M_MODEL, false); }

static void take_state(struct taking *t)
{
	if (!pick_is(t->v[M_STATE], JSON_OBJECT))
		make_opaque(t, M_STATE, "is not an object");
	else
		add_other(t, (struct other_record){.value = recording_span(t->line, t->v[M_STATE])});
}

static void take_note(struct taking *t)
{
	string_of(t, M_TEXT);
	add_other(t, (struct other_record){.value = pick_is(t->v[M_TEXT], JSON_STRING)
							    ? recording_span(t->line, t->v[M_TEXT])
							    : (struct span){.place = SPAN_ABSENT}});
}

static void (*const takers[RECORD_TYPE_COUNT])(struct taking *t) = {
	[RECORD_MESSAGE] = take_message, [RECORD_COMPRESS] = take_compress,     [RECORD_TURN] = take_turn,
	[RECORD_KEEP] = take_keep,       [RECORD_DECOMPRESS] = take_decompress, [RECORD_MODEL] = take_model,
	[RECORD_REWIND] = take_rewind,   [RECORD_STATE] = take_state,           [RECORD_NOTE] = take_note,
};

/* A string of the session line, kept. */
static struct str kept_string(struct taking *t, enum member m, struct str otherwise)
{
	struct str s = string_of(t, m);

	return s.p ? (struct str){arena_copy(&t->r->arena, s.p, s.n), s.n} : otherwise;
}

/* One of a few words; anything else is reported and read as the last of them. */
static struct str one_of(struct taking *t, enum member m, const struct str *words, size_t count)
{
	struct str s = string_of(t, m);
	size_t i;

	for (i = 0; i < count; i++)
		if (s.p && str_eq(s, words[i]))
			return words[i];
	if (s.p)
		bad_member(t, t->v[m], member_names[m].p, "is not a known word");
	return words[count - 1];
}

enum { VERSION_SHOWN = 40 }; /* bytes */

static void take_version(struct taking *t)
{
	struct json_span v = t->v[M_VERSION];
	double version = pick_num(t->scratch, t->line->p, v);

	if (version > RECORDING_VERSION) {
		/* as it is written: 1e999 has no other name */
		recording_fail(t->r, STATUS_DATA, t->line->number, t->line->at + v.at,
			       "recording version %.*s%s found, the highest understood is %d",
			       (int)(v.n < VERSION_SHOWN ? v.n : VERSION_SHOWN), t->line->p + v.at,
			       v.n > VERSION_SHOWN ? ".." : "", RECORDING_VERSION);
	} else if (version != RECORDING_VERSION) {
		bad_member(t, t->v[M_VERSION], "version", "is not a known version; read as version 1");
	}
}

/* A session member that must be an object: what it holds decides everything, so anything else ends the load. */
static struct span object_of(struct taking *t, enum member m)
{
	struct json_span v = t->v[m];

	if (pick_missing(v))
		return (struct span){.place = SPAN_ABSENT};
	if (v.kind != JSON_OBJECT)
		recording_fail(t->r, STATUS_DATA, t->line->number, t->line->at + v.at, "session.%s is not an object",
			       member_names[m].p);
	return recording_span(t->line, v);
}

static void take_session(struct taking *t)
{
	static const struct str hosts[] = {STR("pi"), STR("dsh"), STR("other")};
	static const struct str tags[] = {STR("none"), STR("text-only"), STR("all")};
	struct recording *r = t->r;

	r->session = t->rec;
	take_version(t);
	r->id = kept_string(t, M_ID, STR(""));
	r->host = one_of(t, M_HOST, hosts, 3);
	r->model = kept_string(t, M_MODEL, STR(""));
	r->render_tags = one_of(t, M_RENDER_TAGS, tags, 3);
	r->context_limit = number_of(t, M_CONTEXT_LIMIT);
	if (r->context_limit <= 0) {
		bad_member(t, t->v[M_CONTEXT_LIMIT], "contextLimit", "is not greater than 0; it is not used");
		r->context_limit = NAN;
	}
	r->system_tokens = number_of(t, M_SYSTEM_TOKENS);
	r->config = object_of(t, M_CONFIG);
	r->state = object_of(t, M_STATE);
	r->host_state = object_of(t, M_HOST_STATE);
	r->expect = object_of(t, M_EXPECT);
	if (str_eq(r->host, STR("dsh")))
		r->loader->own = dsh_acps_begin(r, t->line, t->v[M_SOURCE]);
	if (pick_missing(t->v[M_HOST]))
		recording_note(r, "the session names no host: read as \"other\" (kernel rules only)");
}

static enum record_type type_of(struct str type)
{
	int i;

	for (i = 0; i < RECORD_UNKNOWN; i++)
		if (str_eq(type, str_of(record_type_name((enum record_type)i))))
			return (enum record_type)i;
	return RECORD_UNKNOWN;
}

static void acps_begin(struct recording *r) { r->host = STR("other"); }

/* Records of host dsh that are no rows: their taker adds them. */
static bool take_dsh(struct taking *t, struct str type)
{
	bool beyond = str_eq(type, STR(DSH_BEYOND_TYPE));

	if (!t->dsh || (t->rec.type != RECORD_EVENT && !beyond))
		return false;
	dsh_acps_event(t->r, t->dsh, t->rec, dsh_fields(t), beyond);
	return true;
}

static void acps_line(struct recording *r, const struct source_line *line, struct json_scan *scan)
{
	struct taking t = {.r = r, .line = line, .scratch = &r->loader->scratch};
	struct str type;

	t.rec = (struct record){.at = line->at, .n = (uint32_t)line->n, .line = (uint32_t)line->number};
	pick(line->p, scan, member_names, M_COUNT, t.v, t.scratch);
	type = pick_str(t.scratch, line->p, t.v[M_TYPE]);
	if (str_eq(type, STR("session"))) {
		if (r->session.n == 0) {
			take_session(&t);
			return;
		}
		r->skipped++;
		recording_damage(r, DAMAGE_SECOND_HEADER, line->number, line->at, "a second session line");
		return;
	}
	if (r->session.n == 0) {
		recording_fail(r, STATUS_DATA, line->number, line->at, "the first record is not a session record");
		return;
	}
	t.dsh = r->loader->own;
	t.rec.type = (uint8_t)type_of(type);
	if (take_dsh(&t, type))
		return;
	if (takers[t.rec.type])
		takers[t.rec.type](&t);
	if (t.rec.type != RECORD_MESSAGE) /* rows are added by their taker */
		vec_push(&r->records, t.rec);
}

static void acps_end(struct recording *r) { dsh_acps_end(r); }

static void acps_write(struct recording *r, size_t i, struct arena *scratch, struct buf *b)
{
	recording_put_record(r, &r->records.v[i], scratch, b);
}

static void acps_write_session(struct recording *r, struct arena *scratch, struct buf *b)
{
	recording_put_record(r, &r->session, scratch, b);
}

static int acps_sniff(const struct sniff *s)
{
	const struct sniff_object *a = &s->first, *b = &s->second;

	if (!sniff_type(a, "session") || sniff_dsh_header(s))
		return 0;
	if (sniff_is(a, KEY_HOST, JSON_STRING))
		return 100;
	if (sniff_has(a, KEY_TIMESTAMP) || sniff_has(a, KEY_CWD) || sniff_has(b, KEY_MESSAGE) ||
	    sniff_has(b, KEY_PARENT_ID))
		return 0;
	if (sniff_has(a, KEY_RENDER_TAGS) || sniff_has(a, KEY_CONTEXT_LIMIT) || sniff_has(a, KEY_CONFIG) ||
	    sniff_has(b, KEY_CONTENT_TYPE))
		return 90;
	return 40;
}

const struct reader reader_acps = {
	.name = "acps",
	.title = "acpdbg recording",
	.sniff = acps_sniff,
	.begin = acps_begin,
	.line = acps_line,
	.end = acps_end,
	.write = acps_write,
	.write_session = acps_write_session,
};
