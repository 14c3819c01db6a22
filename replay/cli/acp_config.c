#include "replay/cli/acp_config.h"

#include <stdlib.h>

#include "engine/base/buf.h"
#include "engine/kernel/config.h"

enum { GROUPS = 2, TARGETS = 2, NAMED_MAX = 20 };

/* Groups of the kernel's configuration that the adapter's members go to. */
static const char *const groups[GROUPS] = {"nudge", "truncate"};

static const struct {
	const char *name; /* of group compress in acp.json */
	bool percent;     /* 0.75, or "75%" */
	struct {
		unsigned group;
		const char *name; /* NULL = no further one */
	} targets[TARGETS];
} members[] = {
	{"maxContextLimit", true, {{0, "maxContextLimitPct"}}},
	{"emergencyThresholdPercent", true, {{0, "emergencyThresholdPct"}, {1, "threshold"}}},
	/* the kernel clamps its threshold between these two */
	{"nudgeGrowthTokens", false, {{0, "growthFloor"}, {0, "growthCap"}}},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* A number, or (percent) a text like "75%"; pi.md 2.4. */
static bool read_value(const cJSON *node, bool percent, double *out)
{
	struct str s = json_str(node);
	char *end;
	if (json_num(node, out))
		return true;
	if (!percent || s.p == NULL || s.n == 0 || !(s.p[0] >= '0' && s.p[0] <= '9'))
		return false;
	*out = strtod(s.p, &end) / 100;
	return end[0] == '%' && end[1] == 0 && (size_t)(end + 1 - s.p) == s.n;
}

static bool is_mapped(const char *name)
{
	for (size_t i = 0; i < MEMBERS; i++)
		if (strcmp(members[i].name, name) == 0)
			return true;
	return false;
}

/* Does the kernel's table have this member, or, of a group, one that begins so? */
static bool is_kernel_member(const char *group, const char *name)
{
	struct buf path = {0};
	bool found = false;
	buf_printf(&path, "%s%s%s", group ? group : "", group ? "." : "", name);
	for (int i = 0; !found && config_members[i].path != NULL; i++)
		found = strcmp(config_members[i].path, path.p) == 0;
	found = found || strcmp(path.p, "nudge.force") == 0 || strcmp(path.p, "messageFilters") == 0;
	buf_free(&path);
	return found;
}

static bool is_kernel_group(const char *name)
{
	size_t n = strlen(name);
	for (int i = 0; config_members[i].path != NULL; i++)
		if (strncmp(config_members[i].path, name, n) == 0 && config_members[i].path[n] == '.')
			return true;
	return false;
}

/* Appends `"name":value` behind a comma where one is due. */
static void put_member(struct buf *b, const char *name, const cJSON *value)
{
	if (b->n > 0 && b->p[b->n - 1] != '{')
		buf_char(b, ',');
	json_put_str(b, str_of(name));
	buf_char(b, ':');
	if (value != NULL)
		json_put(b, value);
}

struct naming {
	struct buf names;
	size_t n;
};

static void name_ignored(struct naming *i, const char *group, const char *name)
{
	if (i->n++ < NAMED_MAX)
		buf_printf(&i->names, "%s%s%s%s", i->n > 1 ? ", " : "", group ? group : "", group ? "." : "", name);
	else if (i->n == NAMED_MAX + 1)
		buf_text(&i->names, ", ..");
}

/* What /compact reads (pi.md 7.4), and what is read beside the kernel's members. */
static bool is_known_apart(const char *name)
{
	static const char *const names[] = {"compressModel", "prompts", "acknowledgePromptsRisk",
					    "outputHeadroomMaxPct"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* What nothing knows, in the order of the file. */
static void find_ignored(struct naming *ignored, const cJSON *file)
{
	const cJSON *member, *inner;
	cJSON_ArrayForEach (member, file) {
		bool group = is_kernel_group(member->string);
		if (!group && !is_kernel_member(NULL, member->string) && !is_known_apart(member->string))
			name_ignored(ignored, NULL, member->string);
		if (!group || !cJSON_IsObject(member))
			continue;
		cJSON_ArrayForEach (inner, member) {
			bool mapped = strcmp(member->string, "compress") == 0 && is_mapped(inner->string);
			if (!mapped && !is_kernel_member(member->string, inner->string))
				name_ignored(ignored, member->string, inner->string);
		}
	}
}

/* One of `groups`: the adapter's members under the kernel's names, then the kernel's own, which so count. */
static enum status put_group(struct buf *b, const cJSON *file, unsigned group, struct error *e)
{
	const cJSON *own = json_get(file, groups[group]), *compress = json_get(file, "compress"), *inner;
	if (own != NULL && !cJSON_IsObject(own)) { /* config_merge refuses it by name */
		put_member(b, groups[group], own);
		return STATUS_OK;
	}
	put_member(b, groups[group], NULL);
	buf_char(b, '{');
	for (size_t i = 0; i < MEMBERS; i++) {
		const cJSON *node = json_get(compress, members[i].name);
		double value;
		if (node != NULL && !read_value(node, members[i].percent, &value))
			return error_set(e, STATUS_DATA, "config member compress.%s must be a number%s",
					 members[i].name, members[i].percent ? ", or a text like \"75%\"" : "");
		for (size_t t = 0; node != NULL && t < TARGETS; t++) {
			if (members[i].targets[t].name == NULL || members[i].targets[t].group != group)
				continue;
			put_member(b, members[i].targets[t].name, NULL);
			json_put_num(b, value);
		}
	}
	cJSON_ArrayForEach (inner, own)
		put_member(b, inner->string, inner);
	buf_char(b, '}');
	return STATUS_OK;
}

static enum status read_limit(const cJSON *file, double *out, struct error *e)
{
	const cJSON *node = json_get(file, "modelContextLimit");
	*out = 0;
	if (node == NULL || cJSON_IsNull(node))
		return STATUS_OK;
	if (!json_num(node, out) || !(*out > 0))
		return error_set(e, STATUS_DATA, "config member modelContextLimit must be a number above 0");
	return STATUS_OK;
}

/* Up to the whole window (pi.md 2.4). */
static enum status read_headroom(const cJSON *file, double *out, struct error *e)
{
	const cJSON *node = json_get(file, "outputHeadroomMaxPct");
	*out = 0;
	if (node == NULL || cJSON_IsNull(node))
		return STATUS_OK;
	if (!read_value(node, true, out) || !(*out > 0 && *out <= 1))
		return error_set(e, STATUS_DATA, "config member outputHeadroomMaxPct must be a share above 0 up to 1");
	return STATUS_OK;
}

enum status acp_config_read(struct acp_config *out, const cJSON *file, struct arena *a, struct error *e)
{
	struct buf b = {0};
	struct naming ignored = {0};
	const cJSON *member;
	enum status st = read_limit(file, &out->limit, e);
	if (st == STATUS_OK)
		st = read_headroom(file, &out->headroom, e);
	buf_char(&b, '{');
	cJSON_ArrayForEach (member, file) {
		bool apart = strcmp(member->string, "modelContextLimit") == 0 ||
			     strcmp(member->string, "outputHeadroomMaxPct") == 0;
		for (unsigned i = 0; i < GROUPS; i++)
			apart = apart || strcmp(member->string, groups[i]) == 0;
		if (!apart)
			put_member(&b, member->string, member);
	}
	for (unsigned i = 0; st == STATUS_OK && i < GROUPS; i++)
		st = put_group(&b, file, i, e);
	buf_char(&b, '}');
	find_ignored(&ignored, file);
	out->ignored = ignored.n > 0 ? arena_copy(a, ignored.names.p, ignored.names.n) : NULL;
	out->overrides = st == STATUS_OK ? json_tree(a, buf_view(&b), NULL, NULL) : NULL;
	buf_free(&b);
	buf_free(&ignored.names);
	return st;
}
