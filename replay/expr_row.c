/* Members of row("m00042"): one row as it stands at a turn. */
#include "engine/host/dsh_resolve.h"
#include "engine/kernel/refs.h"
#include "replay/expr_names.h"
#include "replay/frame_dsh.h"

enum member {
	MEMBER_VISIBLE,
	MEMBER_CLASS,
	MEMBER_ROLE,
	MEMBER_KIND,
	MEMBER_TOOL,
	MEMBER_TOKENS,
	MEMBER_PROTECTED,
	MEMBER_RECENT,
	MEMBER_TRUNCATED,
	MEMBER_NEW,
	MEMBER_CHANGED,
};

static const char *class_word(unsigned i) { return i < DSH_CLASSES ? dsh_class_name((enum dsh_class)i) : NULL; }
static const char *role_word(unsigned i) { return i < ROLE_COUNT ? role_name((enum role)i).p : NULL; }
static const char *kind_word(unsigned i) { return i < CONTENT_COUNT ? content_name((enum content)i).p : NULL; }

const struct expr_member expr_members[] = {
	[MEMBER_VISIBLE] = {"visible", "it is on the surface; where it is not the others are unknown", EXPR_BOOL, NULL},
	[MEMBER_CLASS] = {"class", "real, metadata, checkpoint or instruction", EXPR_TEXT, class_word},
	[MEMBER_ROLE] = {"role", "user, assistant, system or tool", EXPR_TEXT, role_word},
	[MEMBER_KIND] = {"kind", "text, tool-call, tool-result or reasoning", EXPR_TEXT, kind_word},
	[MEMBER_TOOL] = {"tool", "name of the tool, \"\" = none", EXPR_TEXT, NULL},
	[MEMBER_TOKENS] = {"tokens", "of its text without tag, turn's counter", EXPR_NUMBER, NULL},
	[MEMBER_PROTECTED] = {"protected", "a protected tool, or its pair", EXPR_BOOL, NULL},
	[MEMBER_RECENT] = {"recent", "in the recent zone", EXPR_BOOL, NULL},
	[MEMBER_TRUNCATED] = {"truncated", "cut by emergency truncation", EXPR_BOOL, NULL},
	[MEMBER_NEW] = {"new", "not there the turn before", EXPR_BOOL, NULL},
	[MEMBER_CHANGED] = {"changed", "there, with another text", EXPR_BOOL, NULL},
	{NULL, NULL, 0, NULL},
};

const struct expr_member *expr_member_find(struct str name)
{
	for (const struct expr_member *m = expr_members; m->name != NULL; m++)
		if (str_eq(str_of(m->name), name))
			return m;
	return NULL;
}

/* The row with a ref "m00042", or the summary of a block "b7". */
static const struct frame_row *find_row(const struct frame *f, struct str ref)
{
	const struct state *s = &f->run->state;
	uint32_t number = ref_read(ref);
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct frame_row *r = &f->rows.v[i];
		if (r->mark == MARK_REMOVED)
			continue;
		if (number > 0 && r->row.source >= 0 && r->row.ref == number)
			return r;
		if (r->row.source < 0 && str_eq(names_get(s->names, s->blocks.v[(uint32_t)~r->row.source].id), ref))
			return r;
	}
	return NULL;
}

/* The row of the log with a seq or a ref, if it is on the surface. */
static uint32_t find_node(struct frame *f, struct str ref)
{
	const struct frame_dsh *d = frame_dsh(f);
	struct dsh_edge edge = dsh_edge_parse(ref);
	for (size_t i = 0; i < d->nodes.list.rows.n && edge.kind != DSH_EDGE_INVALID; i++) {
		uint32_t row = d->nodes.list.rows.v[i], message = frame_dsh_message(f, row);
		if (edge.kind == DSH_EDGE_SEQ && dsh_log_seq(d->fold->log, row) == edge.seq)
			return row;
		if (edge.kind == DSH_EDGE_REF && edge.ref > 0 && message != DSH_NONE &&
		    surface_of_message(&f->run->state, message).ref == edge.ref)
			return row;
	}
	return DSH_NONE;
}

static void set_text(struct expr_value *v, struct str text) { *v = (struct expr_value){EXPR_TEXT, true, 0, text}; }
static void set_flag(struct expr_value *v, bool x) { *v = (struct expr_value){EXPR_BOOL, true, x, {NULL, 0}}; }

/* What a DSH row is: the surface's own figures where the kernel's row has others. */
static bool set_of_node(struct frame *f, enum member m, uint32_t row, struct expr_value *v)
{
	const struct dsh_fold *fold = &f->run->dsh.fold;
	if (m == MEMBER_CLASS && row < fold->classes.of.n)
		set_text(v, str_of(dsh_class_name((enum dsh_class)dsh_fold_traits(fold, row)->class)));
	else if (m == MEMBER_TOKENS)
		*v = (struct expr_value){EXPR_NUMBER, true, dsh_row_display(dsh_log_row(fold->log, row)), {NULL, 0}};
	else
		return m == MEMBER_CLASS;
	return true;
}

static void set_of_row(const struct frame *f, enum member m, const struct frame_row *r, struct expr_value *v)
{
	static const uint16_t flags[] = {[MEMBER_PROTECTED] = ROW_PROTECTED,
					 [MEMBER_RECENT] = ROW_RECENT,
					 [MEMBER_TRUNCATED] = ROW_TRUNCATED,
					 [MEMBER_NEW] = ROW_NEW,
					 [MEMBER_CHANGED] = ROW_CHANGED};
	if (m == MEMBER_ROLE)
		set_text(v, role_name((enum role)r->row.role));
	else if (m == MEMBER_KIND)
		set_text(v, content_name((enum content)r->row.content));
	else if (m == MEMBER_TOOL)
		set_text(v, r->row.tool != 0 ? names_get(f->run->state.names, r->row.tool) : STR(""));
	else if (m == MEMBER_CLASS)
		set_text(v, str_of(dsh_class_name(frame_row_class(r))));
	else if (m == MEMBER_TOKENS)
		*v = (struct expr_value){EXPR_NUMBER, true, r->tokens, {NULL, 0}};
	else if (m >= MEMBER_PROTECTED)
		set_flag(v, (r->flags & flags[m]) != 0);
}

struct expr_value expr_member_value(const struct expr_member *m, struct str ref, const struct expr_place *p)
{
	struct expr_value v = {.type = m->type};
	enum member which = (enum member)(m - expr_members);
	struct frame *f = p->frame;
	if (f == NULL || f->capacity)
		return v;
	bool dsh = run_is_dsh(f->run);
	uint32_t node = dsh ? find_node(f, ref) : DSH_NONE;
	if (dsh && node != DSH_NONE) {
		uint32_t message = frame_dsh_message(f, node);
		if (which == MEMBER_VISIBLE)
			set_flag(&v, true);
		else if (!set_of_node(f, which, node, &v) && message != DSH_NONE)
			for (size_t i = 0; i < f->rows.n; i++)
				if (f->rows.v[i].mark != MARK_REMOVED && f->rows.v[i].row.source == (int32_t)message)
					set_of_row(f, which, &f->rows.v[i], &v);
		return v;
	}
	const struct frame_row *r = dsh ? NULL : find_row(f, ref);
	if (which == MEMBER_VISIBLE)
		set_flag(&v, r != NULL);
	else if (r != NULL)
		set_of_row(f, which, r, &v);
	return v;
}
