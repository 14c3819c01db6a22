#include "tui/complete.h"

#include "replay/expr_names.h"
#include "replay/policy.h"
#include "tui/actions.h"

static void offer(struct completion *c, struct str begun, struct str word)
{
	if (str_starts(word, begun))
		vec_push(&c->words, word);
}

static void offer_text(struct completion *c, struct str begun, const char *word) { offer(c, begun, str_of(word)); }

/* Where the last word begins: behind the last character that `belongs` says no to. */
static size_t word_start(struct str text, bool (*belongs)(char c))
{
	size_t at = text.n;

	while (at > 0 && belongs(text.p[at - 1]))
		at--;
	return at;
}

/* ---- conditions ---- */

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

static void find_condition(struct str text, struct completion *c)
{
	static const char *const words[] = {"changed(", "known(", "prev(", "row(\"", "and",
					    "or",       "not",    "true",  "false"};
	struct str begun;

	c->from = word_start(text, is_of_name);
	begun = str_cut(text, c->from, text.n);
	for (const struct expr_name *name = expr_names; name->name; name++)
		offer_text(c, begun, name->name);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		offer_text(c, begun, words[i]);
}

/* ---- policies ---- */

static bool is_of_policy(char c) { return c != ',' && c != ' '; }

static void offer_pair(struct completion *c, struct str begun, const char *name, const char *value)
{
	struct buf b = {0};

	buf_printf(&b, "%s=%s", name, value);
	if (str_starts(buf_view(&b), begun))
		vec_push(&c->words, (struct str){arena_copy(&c->arena, b.p, b.n), b.n});
	buf_free(&b);
}

static void find_policy(struct str text, struct completion *c)
{
	const char *value;
	struct str begun;

	c->from = word_start(text, is_of_policy);
	begun = str_cut(text, c->from, text.n);
	for (size_t i = 0; policy_profile_at(i); i++)
		offer_pair(c, begun, "profile", policy_profile_at(i));
	for (unsigned s = 0; s < SWITCH_TOTAL; s++)
		for (size_t i = 0; (value = policy_value_at((enum policy_switch)s, i)); i++)
			if (*value)
				offer_pair(c, begun, policy_switch_name((enum policy_switch)s), value);
}

/* ---- commands ---- */

static void find_what(struct str text, size_t from, struct completion *c)
{
	static const char *const words[] = {"ref", "text", "JSON", "request", "line"};

	c->from = from;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		offer_text(c, str_cut(text, from, text.n), words[i]);
}

/* The argument begins at `from`; what it is says the table of actions. */
static void find_argument(const char *argument, struct str text, size_t from, struct completion *c)
{
	struct str rest = str_cut(text, from, text.n);

	if (strcmp(argument, "WHAT") == 0) {
		find_what(text, from, c);
	} else if (strcmp(argument, "POLICY") == 0) {
		find_policy(rest, c);
		c->from += from;
	} else if (strcmp(argument, "CONDITION") == 0 || strcmp(argument, "EXPRESSION") == 0) {
		find_condition(rest, c);
		c->from += from;
	}
}

static void find_command(struct str text, struct completion *c)
{
	size_t blank = str_find(text, STR(" "), 0);
	enum action action = blank == SIZE_MAX ? ACTION_NONE : action_find(str_cut(text, 0, blank));

	if (blank != SIZE_MAX) {
		if (action != ACTION_NONE && actions[action].argument)
			find_argument(actions[action].argument, text, blank + 1, c);
		return;
	}
	for (enum action a = 0; a < ACTION_COUNT; a++)
		if (actions[a].group != ACTION_GROUP_MOUSE)
			offer_text(c, text, actions[a].name);
}

void complete_find(enum complete_kind kind, struct str text, struct completion *c)
{
	static void (*const find[])(struct str text, struct completion * c) = {
		[COMPLETE_COMMAND] = find_command,
		[COMPLETE_CONDITION] = find_condition,
		[COMPLETE_POLICY] = find_policy,
	};

	if (kind != COMPLETE_NOTHING)
		find[kind](text, c);
}

void complete_free(struct completion *c)
{
	vec_free(&c->words);
	arena_free(&c->arena);
	*c = (struct completion){0};
}
