#include "replay/readers/pi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct str type_names[PI_TYPE_COUNT] = {
	[PI_MESSAGE] = STR("message"),
	[PI_CUSTOM_MESSAGE] = STR("custom_message"),
	[PI_MODEL_CHANGE] = STR("model_change"),
	[PI_COMPACTION] = STR("compaction"),
	[PI_BRANCH_SUMMARY] = STR("branch_summary"),
	[PI_LEVEL_CHANGE] = STR("thinking_level_change"),
	[PI_CUSTOM] = STR("custom"),
	[PI_LABEL] = STR("label"),
	[PI_SESSION_INFO] = STR("session_info"),
	[PI_CONTEXT_TRANSFORM] = STR("context_transform"),
	[PI_EPHEMERAL] = STR("ephemeral"),
	[PI_OTHER] = STR(""),
};

enum { STRANGERS_MAX = 16, VERSION_MAX = 3 };

/* Does the first object look like an entry of a tree? */
static bool is_tree_entry(const struct sniff_object *o)
{
	static const char *const types[] = {"message",    "custom_message", "model_change", "thinking_level_change",
					    "compaction", "branch_summary", "custom",       "session_info"};
	size_t i;

	if (!sniff_is(o, KEY_ID, JSON_STRING) || !sniff_has(o, KEY_PARENT_ID) || sniff_has(o, KEY_CONTENT_TYPE))
		return false;
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (sniff_type(o, types[i]))
			return true;
	return false;
}

static int pi_sniff(const struct sniff *s)
{
	const struct sniff_object *a = &s->first, *b = &s->second;

	if (is_tree_entry(a))
		return 60;
	if (sniff_type(a, "message") && !sniff_has(a, KEY_CONTENT_TYPE) &&
	    (is_tree_entry(b) || sniff_has(a, KEY_MESSAGE)))
		return 40;
	if (!sniff_type(a, "session") || sniff_dsh_header(s) || sniff_is(a, KEY_HOST, JSON_STRING))
		return 0;
	if (sniff_has(a, KEY_TIMESTAMP) || sniff_has(a, KEY_CWD))
		return 90;
	return sniff_has(b, KEY_MESSAGE) || sniff_has(b, KEY_PARENT_ID) ? 70 : 0;
}

static void pi_begin(struct recording *r)
{
	struct pi *pi = mem_alloc(sizeof *pi);

	*pi = (struct pi){.version = 1};
	r->loader->own = pi;
	r->host = STR("pi");
}

static struct str kept(struct recording *r, struct str s)
{
	return (struct str){arena_copy(&r->arena, s.p ? s.p : "", s.n), s.n};
}

static void take_header(struct recording *r, struct pi *pi, const struct source_line *line,
			const struct json_scan *scan)
{
	static const struct str names[] = {STR("version"), STR("id"), STR("modelId"), STR("parentSession"),
					   STR("branchedFrom")};
	struct arena *scratch = &r->loader->scratch;
	struct json_span v[5];
	struct str parent;
	double version;

	pick(line->p, scan, names, 5, v, scratch);
	version = pick_missing(v[0]) ? 1 : pick_num(scratch, line->p, v[0]);
	pi->version = version >= 2 ? version >= VERSION_MAX ? VERSION_MAX : 2 : 1;
	pi->version_unknown = isnan(version);
	if (version < 1 || version > VERSION_MAX)
		recording_note(r, "the header's version is not 1, 2 or 3; read as version %d", pi->version);
	r->session = (struct record){.at = line->at, .n = (uint32_t)line->n, .line = (uint32_t)line->number};
	r->id = kept(r, pick_str(scratch, line->p, v[1]));
	r->model = kept(r, pick_str(scratch, line->p, v[2]));
	pi->session = names_add(&r->names, r->id);
	parent = pick_str(scratch, line->p, pick_is(v[3], JSON_STRING) ? v[3] : v[4]);
	if (parent.n)
		recording_note(r, "forked from %s", recording_quote(scratch, parent));
}

static enum pi_type type_of(struct str type)
{
	int i;

	for (i = 0; i < PI_OTHER; i++)
		if (str_eq(type, type_names[i]))
			return (enum pi_type)i;
	return PI_OTHER;
}

static void count_stranger(struct recording *r, struct pi *pi, struct str type)
{
	uint32_t name = pi->strangers.n < STRANGERS_MAX ? names_add(&r->names, type) : names_find(&r->names, type);
	size_t i;

	r->not_understood++;
	for (i = 0; i < pi->strangers.n; i++)
		if (pi->strangers.v[i].type == name) {
			pi->strangers.v[i].count++;
			return;
		}
	if (pi->strangers.n < STRANGERS_MAX)
		vec_push(&pi->strangers, (struct pi_stranger){name, 1});
	else
		pi->strangers.v[STRANGERS_MAX - 1] =
			(struct pi_stranger){0, pi->strangers.v[STRANGERS_MAX - 1].count + 1};
}

/* The ids of version 1 (pi.md 1.4): v1-<n>, n = index among the objects of the file. */
static uint32_t linear_id(struct recording *r, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "v1-%llu", (unsigned long long)n);
	return names_add(&r->names, str_of(text));
}

static void index_entry(struct recording *r, struct pi *pi, struct pi_entry e)
{
	uint32_t number = (uint32_t)pi->entries.n;

	vec_fill(&pi->by_id, (size_t)e.id + 1);
	if (pi->by_id.v[e.id])
		recording_damage(r, DAMAGE_DUPLICATE_ID, e.line, e.at, "a second entry with the id %s; this one counts",
				 recording_quote(&r->loader->scratch, names_get(&r->names, e.id)));
	pi->by_id.v[e.id] = number + 1;
	vec_push(&pi->entries, e);
}

/* The latest label of an entry counts, an absent or empty one takes it away (pi.md 1.6, ruling 18). */
static void take_label(struct recording *r, struct pi *pi, const struct source_line *line, const struct json_scan *scan)
{
	static const struct str names[] = {STR("targetId"), STR("label")};
	struct arena *scratch = &r->loader->scratch;
	struct json_span v[2];
	uint32_t target;

	pick(line->p, scan, names, 2, v, scratch);
	target = names_add(&r->names, pick_str(scratch, line->p, v[0]));
	vec_fill(&pi->label_of, (size_t)target + 1);
	pi->label_of.v[target] = names_add(&r->names, pick_str(scratch, line->p, v[1]));
}

/* Only a number says which version a file is (pi.md 1.3): else a file is the tree that its entries make. */
static void decide_version(struct recording *r, struct pi *pi, bool is_tree)
{
	if (!pi->version_unknown)
		return;
	pi->version_unknown = false;
	pi->version = is_tree ? VERSION_MAX : 1;
	recording_note(r, "the header's version is not a number; read as %s",
		       is_tree ? "version 3, as the entries have id and parentId"
			       : "version 1, as the first entry is without id and parentId");
}

static void take_entry(struct recording *r, struct pi *pi, const struct source_line *line, const struct json_scan *scan)
{
	static const struct str names[] = {STR("type"), STR("id"), STR("parentId"), STR("name")};
	struct arena *scratch = &r->loader->scratch;
	struct pi_entry e = {.at = line->at, .n = (uint32_t)line->n, .line = (uint32_t)line->number};
	struct json_span v[4];
	struct str type, title;

	pick(line->p, scan, names, 4, v, scratch);
	type = pick_str(scratch, line->p, v[0]);
	if (str_eq(type, STR("session"))) {
		r->skipped++;
		recording_damage(r, DAMAGE_SECOND_HEADER, line->number, line->at, "a second session header");
		return;
	}
	decide_version(r, pi, pick_is(v[1], JSON_STRING) && v[2].n > 0);
	e.type = (uint8_t)type_of(type);
	pi->of_type[e.type]++;
	if (e.type == PI_OTHER)
		count_stranger(r, pi, type);
	if (e.type == PI_SESSION_INFO) {
		title = pick_str(scratch, line->p, v[3]);
		if (title.n)
			pi->title = names_add(&r->names, title);
	}
	if (e.type == PI_LABEL)
		take_label(r, pi, line, scan);
	if (pi->version == 1) {
		e.id = linear_id(r, pi->objects - 1);
		e.parent = pi->entries.n ? pi->entries.v[pi->entries.n - 1].id : 0;
	} else {
		e.id = names_add(&r->names, pick_str(scratch, line->p, v[1]));
		e.parent = names_add(&r->names, pick_str(scratch, line->p, v[2]));
	}
	if (e.id)
		index_entry(r, pi, e);
	else
		pi->without_id++;
}

/* A file without a header: Pi reads no entries from it. Those of a tree are shown all the same. */
static void start_headless(struct recording *r, struct pi *pi, const struct source_line *line,
			   const struct json_scan *scan, bool is_header)
{
	const struct json_span *id = json_member(line->p, scan, "id"), *parent = json_member(line->p, scan, "parentId");

	pi->headless = true;
	pi->version = VERSION_MAX;
	pi->no_entries = !id || id->kind != JSON_STRING || !parent;
	recording_damage(r, DAMAGE_OTHER, line->number, line->at, "no session header; Pi would read no entries here%s",
			 pi->no_entries ? "" : ", they are shown all the same");
	/* pi.md 1.2.2 */
	if (pi->no_entries)
		recording_note(r,
			       "the first line is %s: Pi reads no entries from such a file, so no line of it is shown",
			       is_header ? "a session header whose id is not a string"
					 : "neither a session header nor an entry with id and parentId");
}

static void pi_line_taken(struct recording *r, const struct source_line *line, struct json_scan *scan)
{
	struct pi *pi = r->loader->own;
	bool first = pi->objects++ == 0;

	if (first) {
		const struct json_span *type = json_member(line->p, scan, "type"),
				       *id = json_member(line->p, scan, "id");
		struct arena *scratch = &r->loader->scratch;

		bool is_header = type && str_eq(pick_str(scratch, line->p, *type), STR("session"));

		if (is_header && id && id->kind == JSON_STRING) {
			take_header(r, pi, line, scan);
			return;
		}
		start_headless(r, pi, line, scan, is_header);
	}
	if (pi->no_entries)
		r->not_understood++;
	else
		take_entry(r, pi, line, scan);
}

/* Says which types of entries left no record, and why. */
static void note_types(struct recording *r, struct pi *pi)
{
	static const struct {
		enum pi_type type;
		const char *why;
	} kinds[] = {
		{PI_BRANCH_SUMMARY, "a summary of another branch, which the adapter does not send"},
		{PI_CONTEXT_TRANSFORM, "adds nothing to the context"},
		{PI_EPHEMERAL, "adds nothing to the context"},
	};
	struct arena *scratch = &r->loader->scratch;
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (pi->of_type[kinds[i].type])
			recording_note(r, "%llu x %s without a row: %s", (unsigned long long)pi->of_type[kinds[i].type],
				       type_names[kinds[i].type].p, kinds[i].why);
	for (i = 0; i < pi->strangers.n; i++)
		recording_note(r, "not understood: %u x entry type %s", (unsigned)pi->strangers.v[i].count,
			       pi->strangers.v[i].type || i + 1 < STRANGERS_MAX
				       ? recording_quote(scratch, names_get(&r->names, pi->strangers.v[i].type))
				       : "(further ones)");
	if (pi->without_id)
		recording_note(r, "not understood: %llu %s without an id", (unsigned long long)pi->without_id,
			       pi->without_id == 1 ? "entry" : "entries");
	if (pi->retained_tails)
		recording_note(r,
			       "%llu x compaction with messages of its own (retainedTail), which the adapter does not "
			       "send: they have no rows",
			       (unsigned long long)pi->retained_tails);
	if (pi->excluded)
		recording_note(r,
			       "%llu x command marked as excluded from the context, with a row as in the adapter, "
			       "though Pi does not send it",
			       (unsigned long long)pi->excluded);
	if (pi->images)
		recording_note(r,
			       "%llu x image, counted as 0 tokens (assumed): the file does not tell whether the model "
			       "sees them; if it does, they are 1600 each",
			       (unsigned long long)pi->images);
	if (pi->title)
		recording_note(r, "named %s", recording_quote(scratch, names_get(&r->names, pi->title)));
}

static bool pi_finish(struct recording *r, size_t budget)
{
	struct loader *l = r->loader;
	struct pi *pi = l->own;
	size_t done = 0;

	if (!pi->path_known) {
		if (!pi_find_path(r, pi))
			return false;
		pi->path_known = true;
	}
	while (pi->next < pi->path.n && done < budget) {
		struct arena_mark mark = arena_mark(&l->scratch);
		uint32_t entry = pi->path.v[pi->next];

		done += pi->entries.v[entry].n;
		pi_project(r, pi, entry, &l->scratch);
		arena_release(&l->scratch, mark);
		pi->next++;
	}
	if (pi->next < pi->path.n) {
		l->finish_progress = (double)pi->next / (double)pi->path.n;
		return true;
	}
	r->not_understood += pi->without_id;
	note_types(r, pi);
	return false;
}

static void pi_end(struct recording *r)
{
	struct pi *pi = r->loader->own;

	vec_free(&pi->entries);
	vec_free(&pi->by_id);
	vec_free(&pi->strangers);
	vec_free(&pi->named_calls);
	vec_free(&pi->by_call);
	vec_free(&pi->label_of);
	vec_free(&pi->path);
	vec_free(&pi->rows);
	vec_free(&pi->first_row);
	vec_free(&pi->compress_of);
	vec_free(&pi->compress_args);
	vec_free(&pi->answered);
	vec_free(&pi->calls);
	json_scan_free(&pi->entry_scan);
	json_scan_free(&pi->message_scan);
	json_scan_free(&pi->list_scan);
	json_scan_free(&pi->block_scan);
	buf_free(&pi->joined);
	buf_free(&pi->built);
	free(pi);
	r->loader->own = NULL;
}

const struct reader reader_pi = {
	.name = "pi",
	.title = "Pi session",
	.foreign = true,
	.sniff = pi_sniff,
	.begin = pi_begin,
	.line = pi_line_taken,
	.finish = pi_finish,
	.end = pi_end,
	.write = pi_write,
	.write_session = pi_write_session,
};
