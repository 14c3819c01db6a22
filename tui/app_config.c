/* What the user set (config.json): keys and the looks of styles. What cannot be used is told once, on the bottom line.
 */
#include "replay/cli/user_config.h"
#include "replay/nearest.h"
#include "tui/app_parts.h"
#include "tui/theme.h"

static void tell_unknown(struct user_config *c, const struct user_config_entry *e, const char *what,
			 const struct nearest *near)
{
	struct str name = text_clip(e->name, 60, true, NULL);

	user_config_tell(c, e->at, "no such %s: %.*s%s%s", what, (int)name.n, name.p, near->name ? ", nearest: " : "",
			 near->name ? near->name : "");
}

/* ---- keys ---- */

static enum action action_of(struct user_config *c, const struct user_config_entry *e, bool tells)
{
	struct nearest near = {0};
	enum action action = action_find(e->name);

	for (enum action a = 0; action == ACTION_NONE && a < ACTION_COUNT; a++)
		nearest_offer(&near, e->name, actions[a].name);
	if (action == ACTION_NONE && tells)
		tell_unknown(c, e, "action", &near);
	return action;
}

static bool has_key(const struct keymap *m, enum action action)
{
	for (size_t i = 0; i < m->bindings.n; i++)
		if (m->bindings.v[i].action == action)
			return true;
	return false;
}

/* The keys an action has by itself, as far as they are free. */
static void bind_defaults(struct keymap *m, enum action action)
{
	struct keymap own = {0};

	keymap_defaults(&own);
	for (size_t i = 0; i < own.bindings.n; i++)
		if (own.bindings.v[i].action == action && keymap_find(m, own.bindings.v[i].key) == ACTION_NONE)
			vec_push(&m->bindings, own.bindings.v[i]);
	keymap_free(&own);
}

static void take_keys(struct keymap *m, struct user_config *c)
{
	struct error e = {0};
	enum action action;

	/* all are taken away first, so that two actions can change places */
	for (size_t i = 0; i < c->keys.list.n; i++)
		if ((action = action_of(c, &c->keys.list.v[i], true)) != ACTION_NONE)
			keymap_unbind(m, action);
	for (size_t i = 0; i < c->keys.list.n; i++) {
		const struct user_config_entry *k = &c->keys.list.v[i];

		action = action_of(c, k, false);
		if (action != ACTION_NONE && k->value.n > 0 && keymap_bind(m, k->value, action, &e) != STATUS_OK)
			user_config_tell(c, k->at, "%s", e.message);
	}
	/* a mistake must not leave an action without any */
	for (size_t i = 0; i < c->keys.list.n; i++) {
		action = action_of(c, &c->keys.list.v[i], false);
		if (action != ACTION_NONE && c->keys.list.v[i].value.n > 0 && !has_key(m, action))
			bind_defaults(m, action);
	}
}

/* ---- colours ---- */

void app_config_theme(struct user_config *c, struct theme *t)
{
	for (size_t i = 0; i < c->colours.list.n; i++) {
		const struct user_config_entry *e = &c->colours.list.v[i];
		enum style style = style_find(e->name);
		struct nearest near = {0};
		struct look look;

		for (enum style s = 0; style == STYLE_COUNT && s < STYLE_COUNT; s++)
			nearest_offer(&near, e->name, style_name(s));
		if (style == STYLE_COUNT)
			tell_unknown(c, e, "style", &near);
		else if (!theme_parse_look(t, e->value, &look))
			user_config_tell(c, e->at, "no such look for %s (acpdbg help config)", style_name(style));
		else
			t->looks[style] = look;
	}
}

void app_config_keys(struct app *a, struct user_config *c)
{
	take_keys(&a->keys, c);
	if (c->problems.n == 1)
		app_say(a, STYLE_WARNING, "config.json: %s", c->problems.v[0]);
	else if (c->problems.n > 1)
		app_say(a, STYLE_WARNING, "config.json: %s (and %zu more)", c->problems.v[0], c->problems.n - 1);
}
