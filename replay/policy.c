#include "replay/policy.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "engine/base/json.h"
#include "engine/base/num.h"
#include "engine/host/pi_density.h"
#include "replay/nearest.h"
#include "replay/view/text.h"

enum { VALUES_MAX = 5 };

static const struct {
	const char *name;
	const char *values[VALUES_MAX];
	uint8_t built; /* bit i: values[i] can be used */
	const char *help;
} switches[SWITCH_TOTAL] = {
	[SWITCH_DRIVER] = {"driver",
			   {"conformance", "host"},
			   3,
			   "who runs the kernel: conformance = the kernel alone, host = the rules of the host's "
			   "adapter around it"},
	[SWITCH_HIDE] =
		{"hide",
		 {"full", "slim"},
		 3,
		 "compress calls kept in the view: full = with their arguments, slim = cut to stubs (kernel.md 4.5)"},
	[SWITCH_ARGS] = {"args",
			 {"lenient", "strict"},
			 3,
			 "how compress arguments are read: lenient salvages damaged ones, strict refuses them "
			 "(kernel.md 7, 8.1)"},
	[SWITCH_DENSITY] = {"density",
			    {"off", "on"},
			    3,
			    "on: the adapter measures tokens per estimated token (pi.md 5)"},
	[SWITCH_DENSITY_CONFIRM] = {"density.confirm",
				    {"on", "off"},
				    3,
				    "on: a density is adopted when a second sample confirms it, off: at once"},
	[SWITCH_DENSITY_REANCHOR] =
		{"density.reanchor",
		 {"keep", "reanchor"},
		 3,
		 "after a fold: keep = measuring stays with the old anchor, reanchor = it begins anew"},
	[SWITCH_SNAPSHOT] =
		{"snapshot",
		 {"on", "off"},
		 3,
		 "on: the number in a ref tag stays as it was first rendered, off: it follows every count (pi.md 6.3)"},
	[SWITCH_TAGS] = {"tags",
			 {"snapshot", "raw"},
			 3,
			 "numbers in the ref tags that are sent: the kernel's, or raw estimates that no density moves "
			 "(pi.md 6.4)"},
	[SWITCH_COUNT] = {"count",
			  {"given", "usage-or-estimate", "calibrated", "max", "dsh"},
			  31,
			  "the token count told to the kernel: given by the recording, or counted as that adapter does "
			  "(pi.md 8.2)"},
	[SWITCH_SYNC] = {"sync",
			 {"off", "on", "merged"},
			 7,
			 "on: arguments of compress calls are sent as the kernel cut them, merged: by the rules of "
			 "#341 (pi.md 4)"},
	[SWITCH_SUMMARIES] =
		{"summaries",
		 {"skip", "emit"},
		 3,
		 "summaries of blocks: skip = not sent to the model, emit = sent as messages (pi.md 3.6.1)"},
	[SWITCH_COMPACT] =
		{"compact",
		 {"off", "pipeline"},
		 3,
		 "/compact: off = not replayed, pipeline = runs through the kernel and makes a block (pi.md 7)"},
	[SWITCH_BARRIER] = {"barrier",
			    {"off", "on"},
			    3,
			    "on: no compression takes in the newest copy of an instruction file (dsh.md 5, 7)"},
	[SWITCH_TAIL] =
		{"tail",
		 {"off", "on"},
		 3,
		 "on: the tail row is the last real user turn, off: the last user row, injected or not (dsh.md 5, 7)"},
	[SWITCH_FOLLOW] = {"follow",
			   {"recorded", "engine"},
			   3,
			   "compress calls: recorded = applied or refused as recorded, engine = as the kernel decides"},
	[SWITCH_REINJECT] =
		{"reinject",
		 {"recorded", "presence-gate"},
		 3,
		 "files pasted again: recorded = as in the log, presence-gate = left out while a copy is there"},
	/* the default stands first */
	[SWITCH_WHATIF] = {"whatif",
			   {"off", "on"},
			   3,
			   "on: barrier=on, follow=engine and reinject=presence-gate in one word"},
	[SWITCH_SOURCES] = {"sources",
			    {"auto", "strict", "v4"},
			    7,
			    "how the source of a row of a DSH log is read: as its format says, or one way for all"},
	[SWITCH_KEEP_ORPHANS] = {"keepOrphans",
				 {"2", "0"},
				 3,
				 "how many compress calls without a block stay in the view"},
	[SWITCH_REASONING_DROP] = {"reasoningDrop",
				   {"off", "2048"},
				   3,
				   "2048: thinking longer than that is left out of what is sent"},
	[SWITCH_COMPACT_GATE] = {"compactGate",
				 {"off", "shouldInject"},
				 3,
				 "shouldInject: /compact runs only where the kernel wants a nudge"},
	[SWITCH_RETRY] = {"retry", {"adapter", "host"}, 3, "who takes a failed answer out of the context"},
	[SWITCH_USER_IMAGES] = {"userImages",
				{"0", "4800"},
				3,
				"tokens that an image of the user counts in the host's estimate"},
	[SWITCH_THINKING_TOKENS] = {"thinkingTokens",
				    {"off", "on"},
				    3,
				    "on: thinking counts in the raw estimate of what is sent"},
	[SWITCH_MULTI_CALL_TEXT] = {"multiCallText",
				    {"lost", "first"},
				    3,
				    "text of an answer with several calls: lost, or with the first of them"},
	[SWITCH_IMAGE_TOKENS] = {"imageTokens",
				 {"0", "1600"},
				 3,
				 "tokens that any image counts: no file tells whether the model sees it"},
};

#define PROFILE_PI(name, hide, args, density, confirm, reanchor, tags, count, sync, compact)                           \
	{                                                                                                              \
		name,                                                                                                  \
		{                                                                                                      \
			"host", hide, args, density, confirm, reanchor, "on", tags, count, sync, "skip", compact, "-", \
				"-", "recorded", "-"                                                                   \
		}                                                                                                      \
	}

static const struct profile {
	const char *name;
	const char *value[SWITCH_IN_PROFILES]; /* in the order of the switches; "-" = not used */
} profiles[] = {
	{"K41",
	 {"conformance", "full", "lenient", "off", "-", "-", "on", "snapshot", "given", "-", "emit", "off", "-", "-",
	  "engine", "recorded"}},
	{"K60",
	 {"conformance", "slim", "lenient", "off", "-", "-", "on", "snapshot", "given", "-", "emit", "off", "-", "-",
	  "engine", "recorded"}},
	PROFILE_PI("P97", "full", "strict", "on", "on", "keep", "snapshot", "usage-or-estimate", "off", "off"),
	PROFILE_PI("P155", "full", "strict", "on", "on", "reanchor", "snapshot", "calibrated", "off", "off"),
	PROFILE_PI("P173", "full", "strict", "on", "on", "reanchor", "raw", "calibrated", "off", "off"),
	PROFILE_PI("P258", "full", "lenient", "off", "-", "-", "raw", "max", "off", "off"),
	PROFILE_PI("P342", "slim", "lenient", "off", "-", "-", "raw", "max", "on", "off"),
	PROFILE_PI("C143", "full", "lenient", "off", "-", "-", "raw", "max", "off", "pipeline"),
	{"B0",
	 {"host", "full", "lenient", "off", "-", "-", "on", "-", "dsh", "-", "-", "off", "off", "off", "recorded",
	  "recorded"}},
	{"F1",
	 {"host", "full", "lenient", "off", "-", "-", "on", "-", "dsh", "-", "-", "off", "on", "on", "recorded",
	  "recorded"}},
};

static const struct {
	const char *host, *profile;
} host_profiles[] = {{"pi", "P342"}, {"dsh", "F1"}, {NULL, "K60"}};

/* What the user wrote, safe to show and short. */
struct quoted {
	char text[80];
};

static struct quoted quote(struct str s)
{
	struct quoted q;
	struct buf b = {0};
	text_put_safe(&b, text_clip(s, 60, true, NULL), true);
	struct str safe = str_cut(buf_view(&b), 0, sizeof q.text - 1);
	memcpy(q.text, safe.p, safe.n);
	q.text[safe.n] = 0;
	buf_free(&b);
	return q;
}

static uint8_t value_find(enum policy_switch s, struct str name)
{
	for (uint8_t i = 0; i < VALUES_MAX && switches[s].values[i] != NULL; i++)
		if (str_eq(str_of(switches[s].values[i]), name))
			return i;
	return POLICY_UNUSED;
}

static const struct profile *profile_find(struct str name)
{
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
		if (str_eq(str_of(profiles[i].name), name))
			return &profiles[i];
	return NULL;
}

static const struct {
	const char *name;
	enum policy_switch before; /* stands before this switch (policy.md) */
	double value, least;
	const char *takes, *help;
} numbers[NUMBER_TOTAL] = {
	[NUMBER_DENSITY_MAX] = {"densityMax", SWITCH_RETRY, PI_DENSITY_MAX, PI_DENSITY_MIN, "a number from 0.5 up",
				"the highest density (pi.md 5.2)"},
	[NUMBER_MIN_DELTA] = {"minDelta", SWITCH_RETRY, PI_DENSITY_MIN_DELTA, 0, "a number of tokens above 0",
			      "the estimate must have grown by this before density is measured again"},
	[NUMBER_MAX_OUTPUT] = {"maxOutput", SWITCH_TOTAL, 0, 0, "a number of tokens above 0",
			       "the model's largest answer, of which the adapter keeps room free (pi.md 2.4)"},
};

static void take_profile(struct policy *p, const struct profile *profile)
{
	*p = (struct policy){.profile = profile->name};
	for (unsigned s = 0; s < SWITCH_IN_PROFILES; s++)
		p->value[s] = value_find(s, str_of(profile->value[s]));
	for (unsigned i = 0; i < NUMBER_TOTAL; i++)
		p->number[i] = numbers[i].value;
}

void policy_for_host(struct policy *p, struct str host)
{
	size_t i = 0;
	while (host_profiles[i].host != NULL && !str_eq(str_of(host_profiles[i].host), host))
		i++;
	take_profile(p, profile_find(str_of(host_profiles[i].profile)));
}

bool policy_has_adapter(struct str host)
{
	for (size_t i = 0; host_profiles[i].host != NULL; i++)
		if (str_eq(str_of(host_profiles[i].host), host))
			return true;
	return false;
}

const char *policy_profile_host(const struct policy *p)
{
	const struct profile *profile = profile_find(str_of(p->profile));
	if (strcmp(profile->value[SWITCH_DRIVER], "host") != 0)
		return NULL;
	return strcmp(profile->value[SWITCH_COUNT], "dsh") == 0 ? "dsh" : "pi";
}

enum status policy_profile(struct policy *p, struct str name, struct error *e)
{
	const struct profile *profile = profile_find(name);
	struct nearest near = {0};
	struct buf all = {0};
	if (profile != NULL) {
		take_profile(p, profile);
		return STATUS_OK;
	}
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		nearest_offer(&near, name, profiles[i].name);
		buf_printf(&all, "%s%s", i > 0 ? ", " : "", profiles[i].name);
	}
	enum status st = error_set(e, STATUS_USAGE, "unknown profile '%s'%s%s", quote(name).text,
				   near.name ? ", nearest: " : ", there are ", near.name ? near.name : all.p);
	buf_free(&all);
	return st;
}

/* A plain number of tokens. */
static bool read_tokens(struct str value, bool above_zero, double *out)
{
	char text[40], *end;
	if (value.n == 0 || value.n >= sizeof text || !(value.p[0] >= '0' && value.p[0] <= '9'))
		return false;
	memcpy(text, value.p, value.n);
	text[value.n] = 0;
	if (strspn(text, "0123456789.eE+-") != value.n)
		return false;
	errno = 0;
	*out = strtod(text, &end);
	return *end == 0 && errno == 0 && isfinite(*out) && (*out > 0 || !above_zero);
}

static enum status set_limit(struct policy *p, struct str value, struct error *e)
{
	if (read_tokens(value, true, &p->limit))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "policy switch limit takes a number of tokens above 0, not '%s'",
			 quote(value).text);
}

static enum status set_system(struct policy *p, struct str value, struct error *e)
{
	p->system = SYSTEM_FIT;
	if (str_eq(value, STR("fit")))
		return STATUS_OK;
	p->system = SYSTEM_NUMBER;
	if (read_tokens(value, false, &p->system_tokens))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "policy switch systemTokens takes a number of tokens or fit, not '%s'",
			 quote(value).text);
}

/* Switches that take something of their own. */
static const struct {
	const char *name;
	enum status (*set)(struct policy *p, struct str value, struct error *e);
	const char *takes, *otherwise, *help;
} words[] = {
	{"limit", set_limit, "TOKENS", "the recording's, else assumed: 150,000 for Pi, 128,000 for others",
	 "the model's window, as --limit"},
	{"systemTokens", set_system, "TOKENS|fit", "the recording's, else 0",
	 "tokens that every request has beside its rows (system prompt, tools); fit: as recorded prompts say"},
};

static enum status set_number(struct policy *p, enum policy_number n, struct str value, struct error *e)
{
	p->number_set[n] = true;
	if (read_tokens(value, true, &p->number[n]) && p->number[n] >= numbers[n].least)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "policy switch %s takes %s, not '%s'", numbers[n].name, numbers[n].takes,
			 quote(value).text);
}

static enum status unknown_switch(struct str name, struct error *e)
{
	struct nearest near = {0};
	for (unsigned s = 0; s < SWITCH_TOTAL; s++)
		nearest_offer(&near, name, switches[s].name);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		nearest_offer(&near, name, words[i].name);
	for (size_t i = 0; i < NUMBER_TOTAL; i++)
		nearest_offer(&near, name, numbers[i].name);
	return error_set(e, STATUS_USAGE, "unknown policy switch '%s'%s%s (`acpdbg help policy` lists them)",
			 quote(name).text, near.name ? ", nearest: " : "", near.name ? near.name : "");
}

static enum status unknown_value(enum policy_switch s, struct str value, struct error *e)
{
	struct buf list = {0};
	for (size_t i = 0; i < VALUES_MAX && switches[s].values[i] != NULL; i++)
		buf_printf(&list, "%s%s", i > 0 ? ", " : "", switches[s].values[i]);
	enum status st = error_set(e, STATUS_USAGE, "policy switch %s has no value '%s' (it has: %s)", switches[s].name,
				   quote(value).text, list.p);
	buf_free(&list);
	return st;
}

static void put_value(struct policy *p, enum policy_switch s, uint8_t value)
{
	p->value[s] = value;
	p->source[s] = POLICY_FROM_OPTION;
}

/* What whatif=on stands for. */
static const struct {
	enum policy_switch which;
	const char *value;
} whatif[] = {{SWITCH_BARRIER, "on"}, {SWITCH_FOLLOW, "engine"}, {SWITCH_REINJECT, "presence-gate"}};

static enum status set_switch(struct policy *p, struct str name, struct str value, struct error *e)
{
	unsigned s = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq(name, str_of(words[i].name)))
			return words[i].set(p, value, e);
	for (unsigned i = 0; i < NUMBER_TOTAL; i++)
		if (str_eq(name, str_of(numbers[i].name)))
			return set_number(p, i, value, e);
	while (s < SWITCH_TOTAL && !str_eq(str_of(switches[s].name), name))
		s++;
	if (s == SWITCH_TOTAL)
		return unknown_switch(name, e);
	uint8_t i = value_find(s, value);
	if (i == POLICY_UNUSED)
		return unknown_value(s, value, e);
	if (switches[s].built == 0)
		return error_set(e, STATUS_USAGE, "policy switch %s is not built yet", switches[s].name);
	if (!(switches[s].built >> i & 1))
		return error_set(e, STATUS_USAGE, "policy %s=%s is not built yet", switches[s].name,
				 switches[s].values[i]);
	put_value(p, s, i);
	if (s == SWITCH_WHATIF && i == 1) /* dsh-rulings 22: three in one word */
		for (size_t k = 0; k < sizeof whatif / sizeof *whatif; k++)
			put_value(p, whatif[k].which, value_find(whatif[k].which, str_of(whatif[k].value)));
	return STATUS_OK;
}

enum status policy_apply(struct policy *p, struct str text, struct error *e)
{
	struct policy next = *p;
	size_t at = 0;
	while (at <= text.n) {
		size_t comma = str_find(text, STR(","), at);
		struct str one = text_trim(str_cut(text, at, comma));
		size_t equals = str_find(one, STR("="), 0);
		if (equals == SIZE_MAX)
			return error_set(e, STATUS_USAGE, "policy: expected switch=value, found '%s'", quote(one).text);
		struct str name = text_trim(str_cut(one, 0, equals));
		struct str value = text_trim(str_cut(one, equals + 1, one.n));
		enum status st;
		if (str_eq(name, STR("profile")) && at > 0)
			st = error_set(e, STATUS_USAGE, "policy: profile= must come first");
		else if (str_eq(name, STR("profile")))
			st = policy_profile(&next, value, e);
		else
			st = set_switch(&next, name, value, e);
		if (st != STATUS_OK)
			return st;
		if (comma == SIZE_MAX)
			break;
		at = comma + 1;
	}
	*p = next;
	return STATUS_OK;
}

const char *policy_switch_name(enum policy_switch s) { return switches[s].name; }

const char *policy_value_name(const struct policy *p, enum policy_switch s)
{
	return p->value[s] == POLICY_UNUSED ? "-" : switches[s].values[p->value[s]];
}

const char *policy_value_at(enum policy_switch s, size_t i)
{
	if (i >= VALUES_MAX || !switches[s].values[i])
		return NULL;
	return switches[s].built >> i & 1 ? switches[s].values[i] : "";
}

bool policy_is(const struct policy *p, enum policy_switch s, const char *value)
{
	return strcmp(policy_value_name(p, s), value) == 0;
}

static void put_tokens(struct buf *b, double tokens)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_print(text, tokens));
}

/* Is the value one of those that whatif=on stands for? */
static bool is_of_whatif(const struct policy *p, unsigned s)
{
	for (size_t i = 0; policy_is(p, SWITCH_WHATIF, "on") && i < sizeof whatif / sizeof *whatif; i++)
		if (whatif[i].which == (enum policy_switch)s)
			return policy_is(p, whatif[i].which, whatif[i].value);
	return false;
}

void policy_put_options(const struct policy *p, struct buf *b)
{
	size_t begin = b->n;
	for (unsigned s = 0; s < SWITCH_TOTAL; s++)
		if (p->source[s] == POLICY_FROM_OPTION && !is_of_whatif(p, s))
			buf_printf(b, "%s%s=%s", b->n > begin ? "," : "", switches[s].name, policy_value_name(p, s));
	for (size_t i = 0; i < NUMBER_TOTAL; i++) {
		if (!p->number_set[i])
			continue;
		buf_printf(b, "%s%s=", b->n > begin ? "," : "", numbers[i].name);
		put_tokens(b, p->number[i]);
	}
	if (p->limit > 0) {
		buf_text(b, b->n > begin ? ",limit=" : "limit=");
		put_tokens(b, p->limit);
	}
	if (p->system != SYSTEM_FROM_FILE)
		buf_text(b, b->n > begin ? ",systemTokens=" : "systemTokens=");
	if (p->system == SYSTEM_NUMBER)
		put_tokens(b, p->system_tokens);
	else if (p->system == SYSTEM_FIT)
		buf_text(b, "fit");
}

/* Those that are set and stand before this switch. */
static void write_numbers(const struct policy *p, unsigned before, struct buf *b)
{
	for (size_t i = 0; i < NUMBER_TOTAL; i++) {
		if (!p->number_set[i] || numbers[i].before != before)
			continue;
		buf_printf(b, ",\"%s\":", numbers[i].name);
		put_tokens(b, p->number[i]);
	}
}

void policy_write(const struct policy *p, struct buf *b)
{
	buf_text(b, "{\"profile\":");
	json_put_str(b, str_of(p->profile));
	for (unsigned s = 0; s < SWITCH_TOTAL; s++) {
		write_numbers(p, s, b);
		if (s < SWITCH_IN_PROFILES ? p->value[s] != POLICY_UNUSED : p->source[s] == POLICY_FROM_OPTION)
			buf_printf(b, ",\"%s\":\"%s\"", switches[s].name, policy_value_name(p, s));
	}
	write_numbers(p, SWITCH_TOTAL, b);
	if (p->limit > 0) {
		buf_text(b, ",\"limit\":");
		put_tokens(b, p->limit);
	}
	if (p->system == SYSTEM_FIT)
		buf_text(b, ",\"systemTokens\":\"fit\"");
	if (p->system == SYSTEM_NUMBER) {
		buf_text(b, ",\"systemTokens\":");
		put_tokens(b, p->system_tokens);
	}
	buf_char(b, '}');
}

/* ---- help ---- */

/* "host: P97, P155; conformance: K41", or what every profile has. */
static void put_defaults(unsigned s, struct buf *b)
{
	size_t shown = 0;
	if (s >= SWITCH_IN_PROFILES) {
		buf_printf(b, "      default %s\n", switches[s].values[0]);
		return;
	}
	buf_text(b, "      ");
	for (size_t v = 0; v < VALUES_MAX && switches[s].values[v] != NULL; v++) {
		size_t n = 0;
		for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
			if (strcmp(profiles[i].value[s], switches[s].values[v]) != 0)
				continue;
			if (n++ == 0)
				buf_printf(b, "%s%s: ", shown++ > 0 ? "; " : "", switches[s].values[v]);
			else
				buf_text(b, ", ");
			buf_text(b, profiles[i].name);
		}
	}
	buf_char(b, '\n');
}

static void put_values(unsigned s, struct buf *b)
{
	buf_printf(b, "  %s=", switches[s].name);
	for (size_t v = 0; v < VALUES_MAX && switches[s].values[v] != NULL; v++)
		buf_printf(b, "%s%s%s", v > 0 ? "|" : "", switches[s].values[v],
			   switches[s].built >> v & 1 ? "" : " (not built yet)");
	buf_char(b, '\n');
}

void policy_put_help(struct buf *b)
{
	buf_text(b, "usage: --policy [profile=NAME,]switch=value,...\n\nprofiles (--profile NAME):");
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
		buf_printf(b, "%s %s", i > 0 ? "," : "", profiles[i].name);
	buf_text(b, "\nby default");
	for (size_t i = 0; i < sizeof host_profiles / sizeof *host_profiles; i++)
		buf_printf(b, "%s %s for %s", i > 0 ? "," : "", host_profiles[i].profile,
			   host_profiles[i].host != NULL ? host_profiles[i].host : "others");
	buf_text(b, "\n\nswitches, what they are for, and the profiles that have a value (others do not use it):\n");
	for (unsigned s = 0; s < SWITCH_TOTAL; s++) {
		put_values(s, b);
		buf_printf(b, "      %s\n", switches[s].help);
		put_defaults(s, b);
	}
	buf_text(b, "\nswitches that take a number, in every profile:\n");
	for (size_t i = 0; i < NUMBER_TOTAL; i++) {
		buf_printf(b, "  %s=%s\n      %s\n      default ", numbers[i].name, numbers[i].takes, numbers[i].help);
		if (numbers[i].value > 0)
			put_tokens(b, numbers[i].value);
		else
			buf_text(b, "none");
		buf_char(b, '\n');
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		buf_printf(b, "  %s=%s\n      %s\n      default %s\n", words[i].name, words[i].takes, words[i].help,
			   words[i].otherwise);
}

const char *policy_profile_at(size_t i) { return i < sizeof profiles / sizeof *profiles ? profiles[i].name : NULL; }
