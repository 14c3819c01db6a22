/*
 * config: the kernel's configuration (kernel.md 1.4): defaults, overrides, advice.
 *
 * Which member came from where is kept beside the value, so that every screen
 * can name the source of a number. Lists live in the arena given to config_merge.
 */
#ifndef ENGINE_KERNEL_CONFIG_H
#define ENGINE_KERNEL_CONFIG_H

#include "engine/base/error.h"
#include "engine/base/json.h"

/* An entry of protectedTools in the order of its bytes, without the star. */
struct tool_entry {
	struct str text;
	size_t index;   /* the first entry that says it */
	size_t shorter; /* prefixes: the longest other one that this one begins with, as place + 1; 0 = none */
	size_t best;    /* prefixes: the smallest index of it and of all those it begins with */
};

struct config {
	double limit; /* modelContextLimit, tokens */
	bool tiers_enabled;
	double tier2_trigger, tier3_trigger; /* only range-checked */
	double nudge_max_pct, nudge_min_pct, nudge_frequency, nudge_iterations;
	double growth_ratio, growth_floor, growth_cap;
	double min_growth_floor, min_growth_ratio;
	double emergency_pct;
	double tier2_multiplier;
	double promotion_threshold;
	double truncate_threshold;
	double min_range, max_summary, min_summary; /* UTF-16 units; 0 disables */
	double preserve_messages, preserve_tokens;
	struct str *protected_tools; /* exact names or `prefix*` */
	size_t protected_n;
	const struct tool_entry *tool_order; /* the same, sorted for config_tool_entry: exact names, then prefixes */
	size_t exact_n;                      /* of tool_order */
	/* The host's isToolProtected, or NULL: asked once for each call and result with a tool name, when it is loaded.
	 */
	bool (*tool_protected)(void *ctx, struct str tool, struct str text);
	void *tool_protected_ctx;
};

enum config_kind {
	CONFIG_NUMBER, /* double */
	CONFIG_SWITCH, /* bool */
	CONFIG_TOOLS,  /* list of tool names: protected_tools, protected_n */
	CONFIG_TEXT,   /* without a place: only the type is checked */
	CONFIG_OBJECT  /* the same */
};

/* One row a member: the path as JSON writes it, its place, and its kind. config_members ends with path NULL. */
struct config_member {
	const char *path; /* "nudge.growthFloor" */
	size_t offset;    /* into struct config */
	enum config_kind kind;
};
extern const struct config_member config_members[];
enum { CONFIG_MEMBERS_MAX = 40 };

/* The defaults for a window of `limit` tokens (kernel.md 1.4). */
struct config config_default(double limit);

/*
 * Merges an overrides object (kernel.md 1.4: scalars replaced, groups key by
 * key). A member of a wrong type is STATUS_DATA naming it; modelContextLimit is
 * refused (recording.md, session). Unknown members are ignored. `touched` (may
 * be NULL) gets true at the index of each member that was set.
 */
enum status config_merge(struct config *c, const cJSON *overrides, struct arena *a, bool touched[CONFIG_MEMBERS_MAX],
			 struct error *e);

/* The advisory range checks of kernel.md 1.4 in its order, then numbers that make no sense below 0; returns how many
 * problems were written. */
enum { CONFIG_PROBLEMS_MAX = 20 };
size_t config_problems(const struct config *c, const char *problems[CONFIG_PROBLEMS_MAX]);

/* The first entry of protectedTools that names a tool (kernel.md 4.1.1): its index, or SIZE_MAX. */
size_t config_tool_entry(const struct config *c, struct str tool);

/* Index of the member with this path, or -1. */
int config_member_find(const char *path);
/* The value as text ("0.75", "true", "skill*, task"), into b. */
void config_member_print(const struct config *c, int member, struct buf *b);

#endif
