#include "replay/readers/sniff.h"

#include "replay/readers/pick.h"
#include "replay/unpack.h"

enum { HEAD_BYTES = 1 << 16, PRETTY_MAX = 1 << 24 };

static const struct str key_names[KEY_COUNT] = {
	[KEY_TYPE] = STR("type"),
	[KEY_VERSION] = STR("version"),
	[KEY_ID] = STR("id"),
	[KEY_HOST] = STR("host"),
	[KEY_TIMESTAMP] = STR("timestamp"),
	[KEY_CREATED_AT] = STR("createdAt"),
	[KEY_CWD] = STR("cwd"),
	[KEY_PARENT_ID] = STR("parentId"),
	[KEY_MESSAGE] = STR("message"),
	[KEY_ROLE] = STR("role"),
	[KEY_CONTENT_TYPE] = STR("contentType"),
	[KEY_RENDER_TAGS] = STR("renderTags"),
	[KEY_CONTEXT_LIMIT] = STR("contextLimit"),
	[KEY_CONFIG] = STR("config"),
	[KEY_SEQ] = STR("seq"),
	[KEY_DATA] = STR("data"),
	[KEY_SEEDED] = STR("isSeeded"),
	[KEY_DELEGATION] = STR("delegationDepth"),
	[KEY_PRESET] = STR("agentPreset"),
	[KEY_UUID] = STR("uuid"),
	[KEY_PARENT_UUID] = STR("parentUuid"),
	[KEY_SESSION_ID] = STR("sessionId"),
	[KEY_PROJECT_HASH] = STR("projectHash"),
	[KEY_PAYLOAD] = STR("payload"),
	[KEY_BLOCKS] = STR("blocks"),
	[KEY_MESSAGE_REFS] = STR("messageRefs"),
	[KEY_SAVED_AT] = STR("savedAt"),
	[KEY_STATS] = STR("stats"),
	[KEY_PRUNE] = STR("prune"),
	[KEY_NUDGES] = STR("nudges"),
	[KEY_MODEL] = STR("model"),
	[KEY_MESSAGES] = STR("messages"),
	[KEY_INPUT] = STR("input"),
};

/* Formats without a reader: one of these types (NULL = any), and all of these members. The first that fits counts. */
static const struct known {
	const char *title;
	const char *types; /* separated and surrounded by blanks */
	enum sniff_key keys[3];
	size_t keys_n;
} known[] = {
	{"a trace, as replay --json writes it", " trace ", {KEY_VERSION}, 1},
	{"a Codex rollout",
	 " session_meta turn_context response_item event_msg compacted world_state ",
	 {KEY_PAYLOAD},
	 1},
	{"a Gemini CLI session", NULL, {KEY_SESSION_ID, KEY_PROJECT_HASH}, 2},
	{"a Claude Code session", NULL, {KEY_UUID, KEY_SESSION_ID}, 2},
	{"a Claude Code session", NULL, {KEY_PARENT_UUID}, 1},
	{"a Claude Code session", " file-history-snapshot progress permission-mode summary queue-operation ", {0}, 0},
	{"a kernel state (sidecar of a session), not a session", NULL, {KEY_BLOCKS, KEY_MESSAGE_REFS}, 2},
	{"a session saved by the billion-context proxy", NULL, {KEY_SAVED_AT, KEY_STATS}, 2},
	{"a saved kernel state in its envelope", NULL, {KEY_SAVED_AT, KEY_PAYLOAD}, 2},
	{"a state of opencode-acp or DCP", NULL, {KEY_PRUNE, KEY_NUDGES}, 2},
	{"a dump of one request", NULL, {KEY_MODEL, KEY_MESSAGES}, 2},
	{"a dump of one request", NULL, {KEY_MODEL, KEY_INPUT}, 2},
};

static bool is_among(const char *type, const char *types)
{
	size_t n = strlen(type);
	const char *p;

	for (p = types; n > 0 && (p = strstr(p, type)); p++)
		if (p > types && p[-1] == ' ' && p[n] == ' ')
			return true;
	return false;
}

const char *sniff_known(const struct sniff *s)
{
	size_t i, k;

	for (i = 0; s->first.there && i < sizeof known / sizeof *known; i++) {
		if (known[i].types && !is_among(s->first.type, known[i].types))
			continue;
		for (k = 0; k < known[i].keys_n && sniff_has(&s->first, known[i].keys[k]); k++)
			;
		if (k == known[i].keys_n)
			return known[i].title;
	}
	return s->binary;
}

bool sniff_dsh_header(const struct sniff *s)
{
	const struct sniff_object *a = &s->first, *b = &s->second;

	if (!a->there || !sniff_type(a, "session") || sniff_has(a, KEY_HOST))
		return false;
	return sniff_is(a, KEY_CREATED_AT, JSON_NUMBER) || sniff_has(a, KEY_SEEDED) || sniff_has(a, KEY_DELEGATION) ||
	       sniff_has(a, KEY_PRESET) || (sniff_is(b, KEY_SEQ, JSON_NUMBER) && sniff_has(b, KEY_DATA));
}

static void look_at(struct sniff_object *o, const char *s, const struct json_scan *scan, struct arena *scratch)
{
	struct json_span v[KEY_COUNT];
	struct str type;
	size_t i;

	pick(s, scan, key_names, KEY_COUNT, v, scratch);
	*o = (struct sniff_object){.there = true};
	for (i = 0; i < KEY_COUNT; i++)
		o->kind[i] = v[i].n ? (uint8_t)(v[i].kind + 1) : 0;
	type = pick_str(scratch, s, v[KEY_TYPE]);
	if (type.n < sizeof o->type && type.n > 0)
		memcpy(o->type, type.p, type.n);
}

/* Why the bytes are no text, or NULL. */
static const char *binary_kind(struct str head)
{
	static const struct {
		struct str magic;
		const char *what;
	} kinds[] = {
		{STR("\x1F\x8B"), "a file compressed with gzip"},
		{STR("PK\x03\x04"), "a zip archive"},
		{STR("SQLite format 3"), "an SQLite database"},
		{STR("\xFF\xFE"), "text in UTF-16; UTF-8 is needed"},
		{STR("\xFE\xFF"), "text in UTF-16; UTF-8 is needed"},
	};
	size_t i;

	if (unpack_is_zstd(head))
		return "a file compressed with zstd, as DSH keeps its logs";
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_starts(head, kinds[i].magic))
			return kinds[i].what;
	return head.n > 0 && memchr(head.p, '\0', head.n) ? "a binary file" : NULL;
}

/* The first byte that is not white space; 0 = there is none. */
static char first_byte(struct str s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (!pick_is_space(s.p[i]))
			return s.p[i];
	return 0;
}

/* The first two objects among the first lines. */
static void look_at_lines(struct sniff *s, const struct source *source, struct json_scan *scan, struct arena *scratch)
{
	struct line_walker walker;
	struct source_line line;
	size_t looked = 0;

	line_walker_init(&walker, source);
	while (!s->second.there && looked < SNIFF_LINES_MAX && line_walker_next(&walker, &line)) {
		size_t skip = s->bom && line.number == 1 ? 3 : 0;
		struct str text = {line.p + skip, line.n - skip};

		if (first_byte(text) == 0)
			continue;
		looked++;
		if (first_byte(text) != '{' || json_scan(text.p, text.n, scan) != JSON_OK)
			continue;
		look_at(s->first.there ? &s->second : &s->first, text.p, scan, scratch);
	}
	line_walker_free(&walker);
}

void sniff_source(struct sniff *s, const struct source *source, struct arena *scratch)
{
	struct str head = source_read(source, 0, HEAD_BYTES, scratch);
	struct json_scan scan = {0};
	bool endless = head.n == HEAD_BYTES && !memchr(head.p, '\n', head.n);

	*s = (struct sniff){.bom = str_starts(head, STR("\xEF\xBB\xBF"))};
	if (s->bom)
		head = str_cut(head, 3, head.n);
	if (!endless || first_byte(head) == '{')
		look_at_lines(s, source, &scan, scratch);
	if (!s->first.there) {
		s->binary = binary_kind(head);
		if (!s->binary && first_byte(head) == '{' && source->size <= PRETTY_MAX) {
			struct str all = source_read(source, 0, source->size, scratch);

			all = str_cut(all, s->bom ? 3 : 0, all.n);
			if (json_scan(all.p, all.n, &scan) == JSON_OK) {
				look_at(&s->first, all.p, &scan, scratch);
				s->pretty = true;
			}
		}
	}
	json_scan_free(&scan);
}
