/*
 * policy: one value per switch (policy.md); a profile is a named set of them.
 *
 * Policy is data: the same binary replays "before" and "after". One table lists
 * every switch with its values, another the default of each profile; what is
 * not built yet is refused by name (exit 64).
 */
#ifndef REPLAY_POLICY_H
#define REPLAY_POLICY_H

#include "engine/base/buf.h"
#include "engine/base/error.h"

/* In the order of policy.md. */
enum policy_switch {
	SWITCH_DRIVER,
	SWITCH_HIDE,
	SWITCH_ARGS,
	SWITCH_DENSITY,
	SWITCH_DENSITY_CONFIRM,
	SWITCH_DENSITY_REANCHOR,
	SWITCH_SNAPSHOT,
	SWITCH_TAGS,
	SWITCH_COUNT,
	SWITCH_SYNC,
	SWITCH_SUMMARIES,
	SWITCH_COMPACT,
	SWITCH_BARRIER,
	SWITCH_TAIL,
	SWITCH_FOLLOW,
	SWITCH_REINJECT,
	SWITCH_IN_PROFILES,
	/* further ones, alike in every profile; written down only where they are set */
	SWITCH_WHATIF = SWITCH_IN_PROFILES,
	SWITCH_SOURCES,
	SWITCH_KEEP_ORPHANS,
	SWITCH_REASONING_DROP,
	SWITCH_COMPACT_GATE,
	SWITCH_RETRY,
	SWITCH_USER_IMAGES,
	SWITCH_THINKING_TOKENS,
	SWITCH_MULTI_CALL_TEXT,
	SWITCH_IMAGE_TOKENS, /* not in policy.md: what an image counts, as no file tells whether the model sees it */
	SWITCH_TOTAL
};
/* Switches that take a number and have one by default; where they stand among the others says a table. */
enum policy_number {
	NUMBER_DENSITY_MAX, /* pi.md 5.2 */
	NUMBER_MIN_DELTA,
	NUMBER_MAX_OUTPUT, /* not in policy.md: the model's largest answer, tokens; what of it the adapter keeps free
			      (pi.md 2.4). 0 = unknown, nothing is kept free */
	NUMBER_TOTAL
};
enum policy_source { POLICY_FROM_PROFILE, POLICY_FROM_OPTION };
enum { POLICY_UNUSED = 255 };

/* systemTokens: the tokens of system prompt and tools, which no session file brings. */
enum policy_system {
	SYSTEM_FROM_FILE, /* what the recording says, else 0, shown as assumed */
	SYSTEM_NUMBER,
	SYSTEM_FIT /* the constant that best explains the recorded prompt sizes (replay/fit.h) */
};

struct policy {
	const char *profile; /* "K60" */
	/* switches that take numbers */
	double number[NUMBER_TOTAL];
	double limit;                  /* limit=N, tokens; 0 = from the file, else assumed */
	double system_tokens;          /* of SYSTEM_NUMBER */
	uint8_t value[SWITCH_TOTAL];   /* index into the switch's value names; POLICY_UNUSED = "-" */
	uint8_t source[SWITCH_TOTAL];  /* enum policy_source */
	bool number_set[NUMBER_TOTAL]; /* by an option */
	uint8_t system;                /* enum policy_system */
};

/* Default profile of a host ("pi", "dsh", other). */
void policy_for_host(struct policy *p, struct str host);
/* Is there an adapter of this host to replay? Every other host is the kernel alone, whatever the policy. */
bool policy_has_adapter(struct str host);
/* The host whose adapter the profile describes: "pi", "dsh"; NULL = the kernel alone. */
const char *policy_profile_host(const struct policy *p);
/* Profile by name. STATUS_USAGE names an unknown one. */
enum status policy_profile(struct policy *p, struct str name, struct error *e);
/* "[profile=NAME,]switch=value,..." on top of what p holds. */
enum status policy_apply(struct policy *p, struct str text, struct error *e);
const char *policy_switch_name(enum policy_switch s);
/* "-" when the profile does not use the switch. */
const char *policy_value_name(const struct policy *p, enum policy_switch s);
/* Value number i of a switch that can be used; NULL after the last, "" one that is not built. */
const char *policy_value_at(enum policy_switch s, size_t i);
/* True when the switch has this value. */
bool policy_is(const struct policy *p, enum policy_switch s, const char *value);
/* Appends the switches that were set by --policy: "hide=full,limit=5000"; nothing when there are none. */
void policy_put_options(const struct policy *p, struct buf *b);
/* {"profile":NAME, switches in the order of policy.md, "-" left out} (trace.md header); limit and systemTokens where
 * set. */
void policy_write(const struct policy *p, struct buf *b);
/* Names of the profiles one after the other: "K41", .., NULL at the end. */
const char *policy_profile_at(size_t i);
/* Appends every profile and every switch: values, what it is for, default of each profile; out of the same tables. */
void policy_put_help(struct buf *b);

#endif
