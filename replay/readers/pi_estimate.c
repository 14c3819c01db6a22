#include "replay/readers/pi_estimate.h"

#include "replay/readers/pick.h"

enum { IMAGE_CHARS = 4800, CHARS_PER_TOKEN = 4 };

/* What is counted of the messages of one role. */
enum part { PART_CONTENT = 1, PART_IMAGES = 2, PART_COMMAND = 4, PART_SUMMARY = 8 };

static const struct {
	struct str role; /* or the type of an entry that is a message itself */
	unsigned parts;
} roles[] = {
	{STR("user"), PART_CONTENT},
	{STR("assistant"), PART_CONTENT},
	{STR("toolResult"), PART_CONTENT | PART_IMAGES},
	{STR("custom"), PART_CONTENT | PART_IMAGES},
	{STR("hookMessage"), PART_CONTENT | PART_IMAGES},
	{STR("custom_message"), PART_CONTENT | PART_IMAGES},
	{STR("bashExecution"), PART_COMMAND},
	{STR("branchSummary"), PART_SUMMARY},
	{STR("compactionSummary"), PART_SUMMARY},
	{STR("branch_summary"), PART_SUMMARY},
};

struct estimate {
	struct json_scan message, list, block;
	struct buf canon;
	struct arena *scratch;
	unsigned parts;
	uint64_t chars;
	uint32_t images;
	struct measure thinking;
	bool thought;
};

static void add_text(struct estimate *e, const char *s, struct json_span text)
{
	if (pick_is(text, JSON_STRING))
		e->chars += json_measure(s, text).units;
}

static void add_thinking(struct estimate *e, const char *s, struct json_span text)
{
	if (!pick_is(text, JSON_STRING))
		return;
	struct measure m = json_measure(s, text);
	e->chars += m.units;
	e->thinking.units += m.units + e->thought; /* the line feed between two */
	e->thinking.cjk += m.cjk;
	e->thought = true;
}

/* Arguments as the host prints them, strings too; missing ones have no chars. */
static void add_arguments(struct estimate *e, const char *s, struct json_span v)
{
	if (v.n == 0)
		return;
	buf_cut(&e->canon, 0);
	json_put_span(&e->canon, e->scratch, (struct str){s + v.at, v.n});
	e->chars += text_measure(buf_view(&e->canon)).units;
}

static void add_block(struct estimate *e, const char *s, size_t n)
{
	static const struct str names[] = {STR("type"), STR("name"), STR("arguments"), STR("text"), STR("thinking")};
	struct json_span v[5];
	struct str type;

	if (json_scan(s, n, &e->block) != JSON_OK || e->block.value.kind != JSON_OBJECT)
		return;
	pick(s, &e->block, names, 5, v, e->scratch);
	type = pick_str(e->scratch, s, v[0]);
	if (str_eq(type, STR("text"))) {
		add_text(e, s, v[3]);
	} else if (str_eq(type, STR("thinking"))) {
		add_thinking(e, s, v[4]);
	} else if (str_eq(type, STR("toolCall"))) {
		add_text(e, s, v[1]);
		add_arguments(e, s, v[2]);
	} else if (str_eq(type, STR("image"))) {
		e->images++;
		e->chars += e->parts & PART_IMAGES ? IMAGE_CHARS : 0;
	}
}

static void add_content(struct estimate *e, const char *s, struct json_span content)
{
	size_t i;

	add_text(e, s, content);
	if (!pick_is(content, JSON_ARRAY) || json_scan(s + content.at, content.n, &e->list) != JSON_OK)
		return;
	for (i = 0; i < e->list.items.n; i++)
		add_block(e, s + content.at + e->list.items.v[i].at, e->list.items.v[i].n);
}

static unsigned parts_of(struct str role)
{
	size_t i;

	for (i = 0; i < sizeof roles / sizeof *roles; i++)
		if (str_eq(role, roles[i].role))
			return roles[i].parts;
	return 0;
}

struct pi_weight pi_weigh(struct str message, struct arena *scratch)
{
	static const struct str names[] = {STR("role"),   STR("content"), STR("command"),
					   STR("output"), STR("summary"), STR("type")};
	struct estimate e = {.scratch = scratch};
	struct json_span v[6];
	const char *s = message.p;
	struct str role = {NULL, 0};

	if (json_scan(s, message.n, &e.message) == JSON_OK && e.message.value.kind == JSON_OBJECT) {
		pick(s, &e.message, names, 6, v, scratch);
		role = pick_str(scratch, s, pick_is(v[0], JSON_STRING) ? v[0] : v[5]);
		e.parts = parts_of(role);
		if (e.parts & PART_CONTENT)
			add_content(&e, s, v[1]);
		if (e.parts & PART_COMMAND) {
			add_text(&e, s, v[2]);
			add_text(&e, s, v[3]);
		}
		if (e.parts & PART_SUMMARY)
			add_text(&e, s, v[4]);
	}
	json_scan_free(&e.message);
	json_scan_free(&e.list);
	json_scan_free(&e.block);
	buf_free(&e.canon);
	return (struct pi_weight){
		.tokens = (uint32_t)((e.chars + CHARS_PER_TOKEN - 1) / CHARS_PER_TOKEN),
		.images = e.images,
		.thinking = (uint32_t)text_tokens(e.thinking),
		.user = str_eq(role, STR("user")),
	};
}
