#include "replay/readers/dsh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SEQ_MAX 9007199254740992.0 /* 2^53 */

const struct str dsh_members[DM_COUNT] = {
	[DM_TYPE] = STR("type"),
	[DM_SEQ] = STR("seq"),
	[DM_TIME] = STR("time"),
	[DM_DATA] = STR("data"),
	[DM_SURFACE_OP] = STR("surfaceOp"),
	[DM_CITES] = STR("sourceEventSeqs"),
	[DM_IGNORABLE] = STR("ignorable"),
	[DM_SEQ0] = STR("seq0"),
	[DM_TIME0] = STR("time0"),
};

/* Types that do not make a host refuse a log, rows and packed chunks apart (dsh.md 1.2). Blanks around each. */
static const char known_types[] =
	" agent-preset/selected agent/inbox/spliced approval/asked approval/decided approval/policy assistant/chunk"
	" command/done command/run compaction/end compaction/prune compaction/start compaction/summary feedback/record"
	" goal/change hook/invoked hook/result llm/retry llm/retry-started permission/preset plan/mode request/context"
	" request/header sandbox/mode schedule/change session/end-seed session/title session/title-llm-request step/end"
	" step/start subagent/descriptor team/member team/message/delivered team/message/queued team/task todo/write"
	" tool-workflow/agent-end tool-workflow/agent-start tool-workflow/run-end tool-workflow/run-start tool/call"
	" tool/code-dispatch tool/code-dispatch-start turn/end turn/start web/deepseek-search-llm-request"
	" assistant/attempt tool/ptc-dispatch-start tool/ptc-dispatch ";

static bool is_known(struct str type)
{
	struct str all = {known_types, sizeof known_types - 1};
	size_t at = 0;

	if (dsh_is_packed(type))
		return true;
	while (type.n > 0 && (at = str_find(all, type, at)) != SIZE_MAX) {
		if (all.p[at - 1] == ' ' && all.p[at + type.n] == ' ' && !memchr(type.p, ' ', type.n))
			return true;
		at++;
	}
	return false;
}

static int dsh_sniff(const struct sniff *s)
{
	const struct sniff_object *a = &s->first;

	if (sniff_dsh_header(s))
		return 95;
	if (strchr(a->type, '/') && sniff_is(a, KEY_SEQ, JSON_NUMBER) && sniff_is(a, KEY_DATA, JSON_OBJECT))
		return 60;
	return 0;
}

static void dsh_begin(struct recording *r)
{
	struct dsh *d = mem_alloc(sizeof *d);

	*d = (struct dsh){.begun = false};
	r->loader->own = d;
	r->host = STR("dsh");
}

static struct str kept(struct recording *r, struct str s)
{
	return (struct str){arena_copy(&r->arena, s.p ? s.p : "", s.n), s.n};
}

/* The header is known, or that there is none. */
static void begin_log(struct recording *r, struct dsh *d, int version)
{
	d->begun = true;
	dsh_parts_begin(r, version);
	dsh_surface_init(&d->surface, &r->dsh.log);
}

static void take_header(struct recording *r, struct dsh *d, const struct source_line *line,
			const struct json_scan *scan)
{
	static const struct str names[] = {STR("version"), STR("id"), STR("parentSession"), STR("origin")};
	struct arena *scratch = &r->loader->scratch;
	struct json_span v[4];
	struct str parent;
	double version;

	pick(line->p, scan, names, 4, v, scratch);
	version = pick_num(scratch, line->p, v[0]);
	r->session = (struct record){.at = line->at, .n = (uint32_t)line->n, .line = (uint32_t)line->number};
	r->id = kept(r, pick_str(scratch, line->p, v[1]));
	if (version >= 0 && version <= DSH_VERSION_MAX && version == floor(version)) {
		begin_log(r, d, (int)version);
	} else {
		begin_log(r, d, -1);
		recording_damage(r, DAMAGE_BAD_MEMBER, line->number, line->at,
				 "the header's version is none of 0 to %d; read by the rules of %d", DSH_VERSION_MAX,
				 DSH_VERSION_MAX);
	}
	parent = pick_str(scratch, line->p, v[2]);
	if (parent.n)
		recording_note(r, "began from session %s", recording_quote(scratch, parent));
	if (str_eq(pick_str(scratch, line->p, v[3]), STR("subagent")))
		recording_note(r, "the session of a subagent");
}

/* The reader's view of a type; strange ones are counted, the first of each is reported (dsh.md 1.1). */
static void check_type(struct dsh_line *l)
{
	uint32_t name = names_add(&l->r->names, l->event.type);
	struct dsh_type_seen *seen;

	vec_fill(&l->d->types, (size_t)name + 1);
	seen = &l->d->types.v[name];
	if (seen->known == DSH_NOT_SEEN)
		seen->known = is_known(l->event.type) ? DSH_KNOWN : DSH_STRANGE;
	if (seen->known == DSH_KNOWN || pick_is(l->v[DM_IGNORABLE], JSON_TRUE))
		return;
	if (seen->strange++ == 0)
		recording_damage(l->r, DAMAGE_UNKNOWN_EVENT, l->line->number, l->line->at,
				 "events of type %s are not known; without \"ignorable\" a host refuses the log",
				 recording_quote(l->scratch, l->event.type));
}

static int64_t seq_at(const struct dsh_line *l, struct json_span v)
{
	double x = pick_num(l->scratch, l->line->p, v);

	return x >= 0 && x <= SEQ_MAX && x == floor(x) ? (int64_t)x : -1;
}

static const cJSON *tree(const struct dsh_line *l, struct json_span v)
{
	return v.n ? json_tree(l->scratch, (struct str){l->line->p + v.at, v.n}, NULL, NULL) : NULL;
}

/* The type of row it is in a log of this version, or DSH_OTHER (dsh.md 1.1). */
static enum dsh_type row_type(const struct dsh_line *l)
{
	enum dsh_type type = dsh_type_of(l->event.type);
	int version = l->r->dsh.log.version;

	if (!dsh_type_is_surface((uint8_t)type) || (type == DSH_SYSTEM && version < 3) ||
	    (type == DSH_DEVELOPER && version < 4))
		return DSH_OTHER;
	return type;
}

static void open_gap(struct dsh_line *l)
{
	l->d->gap.there = true;
	l->d->gap.line = l->line->number;
	l->d->gap.byte = l->line->at;
	l->d->gap.found = l->event.seq;
}

/* Chunks: the events they stand for; what does not fit together is reported. */
static uint32_t packed_count(struct dsh_line *l)
{
	uint32_t n = dsh_packed(l->event.type, l->event.data);
	const cJSON *dt = json_get(l->event.data, "dt");

	if (n == 0)
		recording_damage(l->r, DAMAGE_BAD_MEMBER, l->line->number, l->line->at,
				 "packed chunks without a list of them; counted as one event");
	else if (!cJSON_IsArray(dt) || (uint32_t)cJSON_GetArraySize(dt) + 1 != n)
		recording_damage(l->r, DAMAGE_BAD_MEMBER, l->line->number, l->line->at,
				 "packed chunks whose times (dt) do not fit their number");
	return n ? n : 1;
}

static void take_event(struct dsh_line *l)
{
	bool packed = dsh_is_packed(l->event.type);
	enum dsh_type row;
	uint32_t count = 1;

	l->event.seq = seq_at(l, l->v[packed ? DM_SEQ0 : DM_SEQ]);
	if (l->event.seq < 0) {
		l->r->skipped++;
		recording_damage(l->r, DAMAGE_BAD_MEMBER, l->line->number, l->line->at,
				 "%s is no whole number from 0 on; the line is no event", packed ? "seq0" : "seq");
		return;
	}
	l->event.time = pick_num(l->scratch, l->line->p, l->v[packed ? DM_TIME0 : DM_TIME]);
	if (dsh_parts_reads(l->event.type))
		l->event.data = tree(l, l->v[DM_DATA]);
	if (packed)
		count = packed_count(l);
	if (!l->d->gap.there && l->event.seq != l->d->next)
		open_gap(l);
	if (l->d->gap.there) {
		l->d->gap.later_end |= str_eq(l->event.type, STR("turn/end"));
		dsh_parts_beyond(l->r, l->rec, &l->event, count);
		return;
	}
	l->d->next += count;
	l->event.op = pick_missing(l->v[DM_SURFACE_OP]) ? NULL : tree(l, l->v[DM_SURFACE_OP]);
	l->event.cites = tree(l, l->v[DM_CITES]);
	row = row_type(l);
	if (row != DSH_OTHER) {
		dsh_take_row(l, row);
		return;
	}
	check_type(l);
	dsh_check_plain(l);
	dsh_take_event(l, count);
}

static void dsh_line_taken(struct recording *r, const struct source_line *line, struct json_scan *scan)
{
	struct dsh *d = r->loader->own;
	struct dsh_line l = {.r = r, .d = d, .scratch = &r->loader->scratch, .line = line};

	pick(line->p, scan, dsh_members, DM_COUNT, l.v, l.scratch);
	l.event.type = pick_str(l.scratch, line->p, l.v[DM_TYPE]);
	if (!l.event.type.p)
		l.event.type = STR("");
	if (str_eq(l.event.type, STR("session"))) {
		if (!d->begun) {
			take_header(r, d, line, scan);
			return;
		}
		r->skipped++;
		recording_damage(r, DAMAGE_SECOND_HEADER, line->number, line->at, "a second session header");
		return;
	}
	if (!d->begun) {
		begin_log(r, d, -1);
		recording_damage(r, DAMAGE_OTHER, line->number, line->at,
				 "no header before the first event; read by the rules of version %d", DSH_VERSION_MAX);
	}
	l.rec = (struct record){.at = line->at, .n = (uint32_t)line->n, .line = (uint32_t)line->number};
	take_event(&l);
}

static void note_types(struct recording *r, struct dsh *d)
{
	size_t i;

	for (i = 0; i < d->types.n; i++)
		if (d->types.v[i].strange)
			recording_note(r, "not understood: %u x event type %s", (unsigned)d->types.v[i].strange,
				       recording_quote(&r->loader->scratch, names_get(&r->names, (uint32_t)i)));
}

static void report_gap(struct recording *r, struct dsh *d)
{
	const char *corrupt = d->gap.later_end
				      ? "; as a turn/end comes later (gap before a later turn/end), the host calls the "
					"file corrupt"
				      : "";

	if (d->gap.there)
		recording_damage(r, DAMAGE_GAP, d->gap.line, d->gap.byte,
				 "seq %lld where %lld was expected: the usable log ends before it, %zu later lines are "
				 "kept apart%s",
				 (long long)d->gap.found, (long long)d->next, r->dsh.beyond.n, corrupt);
}

/* How a host packs a log: the header line in a frame of its own, then a frame for each batch (dsh.md 1.7). */
static void note_frames(struct recording *r)
{
	const struct unpack *u = &r->loader->unpack;

	if (!r->source.is_unpacked || u->frames == 0)
		return;
	if (u->frames == 1 && u->first_frame == r->source.size && u->first_line < r->source.size)
		recording_note(r, "packed into one single zstd frame: the DSH host fails at start on such a file");
	else if (u->first_frame != u->first_line)
		recording_note(r, "the first zstd frame is not the header line alone, as the DSH host wants it");
}

static bool dsh_finish(struct recording *r, size_t budget)
{
	struct dsh *d = r->loader->own;

	(void)budget;
	if (!d->begun) /* no line was an event */
		begin_log(r, d, -1);
	dsh_name_results(r, d);
	dsh_open_outcomes(r, d);
	report_gap(r, d);
	note_types(r, d);
	note_frames(r);
	if (d->odd_usage)
		recording_note(r, "%llu answers with a usage in a form that is not known: read as none",
			       (unsigned long long)d->odd_usage);
	r->loader->finish_progress = 1;
	return false;
}

static void dsh_end(struct recording *r)
{
	struct dsh *d = r->loader->own;

	dsh_follow_free(&d->follow);
	dsh_surface_free(&d->surface);
	vec_free(&d->types);
	vec_free(&d->unnamed);
	vec_free(&d->name_of_call);
	vec_free(&d->literals);
	json_scan_free(&d->scan);
	json_scan_free(&d->inner);
	dsh_projection_free(&d->projection);
	free(d);
	r->loader->own = NULL;
}

const struct reader reader_dsh = {
	.name = "dsh",
	.title = "DSH log",
	.foreign = true,
	.sniff = dsh_sniff,
	.begin = dsh_begin,
	.line = dsh_line_taken,
	.finish = dsh_finish,
	.end = dsh_end,
	.write = dsh_write,
	.write_session = dsh_write_session,
};
