#include "engine/host/dsh_class.h"

const char *dsh_class_name(enum dsh_class c)
{
	static const char *const names[] = {"real", "metadata", "checkpoint", "instruction"};
	return names[c];
}

/* In which spelling a name counts. */
enum {
	WRAPPED = 1,    /* {kind: "plugin", plugin: name} */
	DIRECT = 2,     /* {kind: name} */
	V4_WRAPPED = 4, /* the same by the order of version 4, where kind "plugin:name" is wrapped, too */
	V4_DIRECT = 8,
	V4 = V4_WRAPPED | V4_DIRECT
};

/*
 * dsh.md 4.1 and dsh-rulings 2 in one: name, where it counts, class, may it be
 * a user turn. What is not listed: a wrapped name is an instruction (4.1.7), a
 * direct one is real (4.1.9), or an instruction, too, by the order of version 4.
 */
static const struct entry {
	const char *name;
	uint8_t where;
	uint8_t class;
	bool user_turn;
} table[] = {
	{"user", DIRECT | V4_DIRECT, DSH_REAL, true},
	{"compact", WRAPPED | V4, DSH_CHECKPOINT, false},
	{"compact-checkpoint", V4, DSH_CHECKPOINT, false},
	{"agent-instructions", DIRECT | V4, DSH_INSTRUCTION, false},
	{"skill-catalog", DIRECT | V4, DSH_INSTRUCTION, false},
	{"compact-basic", V4, DSH_INSTRUCTION, false},
	{"acp-nudge", WRAPPED | V4, DSH_METADATA, false},
	{"billion-context-dsh", WRAPPED | V4, DSH_METADATA, false},
	{"@deepseek-ai/dsh-system-prompt", WRAPPED | V4, DSH_REAL, false},
	{"user-approval", WRAPPED | V4, DSH_REAL, false},
	{"tools-ptc", WRAPPED | V4, DSH_REAL, false},
	{"subagent-report", DIRECT | V4, DSH_REAL, false},
	{"subagent-settled", DIRECT | V4, DSH_REAL, false},
	{"runtime-context", V4, DSH_REAL, false},
	{"ptc-mode", V4, DSH_REAL, false},
	{"coordinator", V4, DSH_REAL, false},
	{"goal", V4, DSH_REAL, false},
	{"session-reference", V4, DSH_REAL, false},
};

static const struct entry *look_up(struct str name, uint8_t where)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if ((table[i].where & where) && str_eq(name, str_of(table[i].name)))
			return &table[i];
	return NULL;
}

#define PREFIX "plugin:"

static struct str kind_of(const struct dsh_log *log, const struct dsh_row *r)
{
	return names_get(&log->names, r->kind);
}
static struct str plugin_of(const struct dsh_log *log, const struct dsh_row *r)
{
	return names_get(&log->names, r->plugin);
}

/* The bare name, and whether it was wrapped; `v4`: "plugin:name" is a wrapper. */
static struct str unwrap(const struct dsh_log *log, const struct dsh_row *r, bool v4, bool *wrapped)
{
	struct str kind = kind_of(log, r);
	*wrapped = true;
	if (str_eq(kind, STR("plugin")))
		return plugin_of(log, r);
	if (v4 && str_starts(kind, STR(PREFIX)))
		return str_cut(kind, sizeof PREFIX - 1, kind.n);
	*wrapped = false;
	return kind;
}

struct str dsh_source_name(const struct dsh_log *log, const struct dsh_row *r)
{
	bool wrapped;
	return r->has_source && r->has_kind ? unwrap(log, r, true, &wrapped) : (struct str){0};
}

static bool by_v4(const struct dsh_log *log, enum dsh_sources sources)
{
	return sources == DSH_SOURCES_V4 || (sources == DSH_SOURCES_AUTO && log->version >= 4);
}

/* No kind that is a text: dsh.md 4.4 takes any for the user; version 4 only what has no member at all. */
static struct dsh_traits unkind(const struct dsh_row *r, bool v4)
{
	return (struct dsh_traits){.class = DSH_REAL, .user_turn = v4 ? r->bare : true};
}

static struct dsh_traits named(const struct dsh_log *log, const struct dsh_row *r, bool v4)
{
	bool wrapped;
	struct str name = unwrap(log, r, v4, &wrapped);
	uint8_t where = v4 ? (wrapped ? V4_WRAPPED : V4_DIRECT) : (wrapped ? WRAPPED : DIRECT);
	const struct entry *e = look_up(name, where);
	struct dsh_traits t = {
		.agent = str_eq(name, STR("agent-instructions")),
		.exact = str_eq(kind_of(log, r), STR("agent-instructions")),
		.catalog = str_eq(name, STR("skill-catalog")),
	};
	t.class = e ? e->class : wrapped || v4 ? DSH_INSTRUCTION : DSH_REAL;
	t.user_turn = e ? e->user_turn : t.class == DSH_REAL;
	return t;
}

struct dsh_traits dsh_classify(const struct dsh_log *log, const struct dsh_row *r, enum dsh_sources sources)
{
	bool v4 = by_v4(log, sources), plain = !r->has_source || !r->has_kind;
	struct dsh_traits checkpoint = {.class = DSH_CHECKPOINT};
	if (r->type != DSH_USER)
		return (struct dsh_traits){.class = DSH_REAL};
	/* the name decides whatever the kind; for version 4 only where no kind says more */
	if (str_eq(plugin_of(log, r), STR("compact")) && (!v4 || plain))
		return checkpoint;
	if (sources == DSH_SOURCES_AUTO && str_eq(kind_of(log, r), STR("compact-checkpoint")))
		return checkpoint;
	if (!r->has_source)
		return (struct dsh_traits){.class = DSH_REAL, .user_turn = true};
	struct dsh_traits t = plain ? unkind(r, v4) : named(log, r, v4);
	/* 4.3 asks the name by itself, whatever the kind */
	const struct entry *content = look_up(plugin_of(log, r), WRAPPED);
	if (!v4 && content && content->class == DSH_REAL)
		t.user_turn = false;
	return t;
}

void dsh_classes_fill(struct dsh_classes *c)
{
	for (size_t i = c->of.n; i < c->log->rows.n; i++)
		vec_push(&c->of, dsh_classify(c->log, dsh_log_row(c->log, (uint32_t)i), c->sources));
}

void dsh_classes_free(struct dsh_classes *c) { vec_free(&c->of); }
