#include "replay/readers/dsh_acps.h"

#include <math.h>
#include <stdlib.h>

#include "replay/readers/pick.h"

static const cJSON *tree(const struct source_line *line, struct json_span v, struct arena *scratch)
{
	return v.n ? json_tree(scratch, (struct str){line->p + v.at, v.n}, NULL, NULL) : NULL;
}

static const cJSON *field(const struct dsh_fields *f, enum dsh_field i) { return tree(f->line, f->v[i], f->scratch); }

struct dsh_follow *dsh_acps_begin(struct recording *r, const struct source_line *line, struct json_span source)
{
	const cJSON *header = json_get(tree(line, source, &r->loader->scratch), "header");
	struct dsh_follow *f = mem_alloc(sizeof *f);
	int64_t version;

	if (!dsh_seq_of(json_get(header, "version"), &version) || version > DSH_VERSION_MAX)
		version = -1;
	*f = (struct dsh_follow){.oldest = 0};
	dsh_parts_begin(r, (int)version);
	return f;
}

void dsh_acps_end(struct recording *r)
{
	struct dsh_follow *f = r->loader->own;

	if (f)
		dsh_follow_free(f);
	free(f);
	r->loader->own = NULL;
}

/* The row's type: as written, else what its data looks like, else what its role says. */
static struct str type_of(const struct dsh_fields *f, const cJSON *data, const struct message_record *m)
{
	static const enum dsh_type of_role[ROLE_COUNT] = {[ROLE_USER] = DSH_USER,
							  [ROLE_ASSISTANT] = DSH_ASSISTANT,
							  [ROLE_SYSTEM] = DSH_SYSTEM,
							  [ROLE_TOOL] = DSH_TOOL};
	struct str written = json_str(field(f, DSH_FIELD_EVENT));

	if (dsh_type_is_surface((uint8_t)dsh_type_of(written)))
		return written;
	return str_of(dsh_type_name(cJSON_IsObject(data) ? dsh_type_by_data(data) : of_role[m->message.role]));
}

/* Messages of one entry are one row. */
static bool goes_on(const struct recording *r, const struct message_record *m, int64_t seq)
{
	uint32_t row = r->messages.n ? r->dsh.row_of.v[r->messages.n - 1] : DSH_NONE;

	return row != DSH_NONE && r->dsh.log.rows.v[row].seq == seq && m->host.place == SPAN_ABSENT;
}

void dsh_acps_message(struct recording *r, struct dsh_follow *f, struct record rec, struct message_record m,
		      struct dsh_fields v)
{
	uint32_t message = (uint32_t)r->messages.n, row = DSH_NONE;
	struct dsh_event e = {.time = pick_num(v.scratch, v.line->p, v.v[DSH_FIELD_TIME])};

	if (!dsh_seq_of(field(&v, DSH_FIELD_SEQ), &e.seq)) {
		dsh_parts_message(r, rec, m, DSH_NONE);
		return;
	}
	if (goes_on(r, &m, e.seq)) {
		dsh_parts_message(r, rec, m, r->dsh.row_of.v[message - 1]);
		return;
	}
	e.data = field(&v, DSH_FIELD_ENTRY);
	e.type = type_of(&v, e.data, &m);
	e.op = field(&v, DSH_FIELD_OP);
	if (!e.op)
		e.op = json_tree(v.scratch, STR("\"append\""), NULL, NULL);
	else if (cJSON_IsNull(e.op))
		e.op = NULL;
	e.cites = field(&v, DSH_FIELD_CITES);
	row = dsh_parts_row(r, &e);
	if (row == DSH_NONE)
		recording_damage(r, DAMAGE_BAD_MEMBER, v.line->number, v.line->at + v.v[DSH_FIELD_SEQ].at,
				 "seq is not greater than the one before; the row is none of the surface");
	dsh_parts_message(r, rec, m, row);
	dsh_follow_row(r, f, row, message);
}

void dsh_acps_event(struct recording *r, struct dsh_follow *f, struct record rec, struct dsh_fields v, bool beyond)
{
	struct str name = pick_str(v.scratch, v.line->p, v.v[DSH_FIELD_NAME]);
	struct dsh_event e = {.type = name.p ? name : STR(""), .seq = -1};
	bool packed = dsh_is_packed(e.type);
	uint32_t count, row = DSH_NONE;

	e.time = pick_num(v.scratch, v.line->p, v.v[packed ? DSH_FIELD_TIME0 : DSH_FIELD_TIME]);
	if (!dsh_seq_of(field(&v, DSH_FIELD_SEQ), &e.seq))
		e.seq = -1;
	if (dsh_parts_reads(e.type))
		e.data = field(&v, DSH_FIELD_DATA);
	count = packed ? dsh_packed(e.type, e.data) : 1;
	if (beyond) {
		dsh_parts_beyond(r, rec, &e, count ? count : 1);
		return;
	}
	/* a row that stands here as an event is none */
	if (e.seq >= 0 && !dsh_type_is_surface((uint8_t)dsh_type_of(e.type)))
		row = dsh_parts_row(r, &e);
	dsh_parts_event(r, rec, &e, count ? count : 1, row);
	dsh_follow_event(r, f, row);
}
