#include "tui/actions.h"

const struct action_info actions[ACTION_COUNT] = {
#define ACTION_INFO(number, function, name, argument, keys, group, help, headless)                                     \
	[ACTION_##number] = {name, argument, keys, ACTION_GROUP_##group, help, headless},
	ACTION_LIST(ACTION_INFO)
#undef ACTION_INFO
};

const char *action_group_title(enum action_group g)
{
	static const char *const titles[ACTION_GROUPS] = {
		[ACTION_GROUP_TRAVEL] = "Through the session",
		[ACTION_GROUP_MOVE] = "In the pane",
		[ACTION_GROUP_PANE] = "Panes",
		[ACTION_GROUP_OTHER] = "Other",
		[ACTION_GROUP_MOUSE] = "Mouse",
	};

	return g < ACTION_GROUPS ? titles[g] : "";
}

enum action action_find(struct str name)
{
	enum action a = 0;

	while (a < ACTION_COUNT && !str_eq(str_of(actions[a].name), name))
		a++;
	return a;
}

bool action_key(size_t i, struct cli_key *out)
{
	for (enum action_group g = 0; g < ACTION_GROUP_MOUSE; g++)
		for (enum action k = 0; k < ACTION_COUNT; k++) {
			const struct action_info *a = &actions[k];

			if (a->group != g || i-- > 0)
				continue;
			*out = (struct cli_key){action_group_title(g), a->keys, a->name,
						a->argument,           a->help, a->headless};
			return true;
		}
	return false;
}

void keymap_defaults(struct keymap *m)
{
	for (enum action a = 0; a < ACTION_COUNT; a++) {
		struct str keys = str_of(actions[a].keys);
		struct key_list list = {0};

		/* the blank between two names is no key in a script, either */
		if (key_script(keys, &list, NULL) == STATUS_OK)
			for (size_t i = 0; i < list.keys.n; i++)
				vec_push(&m->bindings, (struct binding){list.keys.v[i], a});
		key_list_free(&list);
	}
}

enum status keymap_bind(struct keymap *m, struct str key_name, enum action action, struct error *e)
{
	struct key key;
	struct buf name = {0};
	enum status st = STATUS_OK;

	if (!key_parse(key_name, &key))
		return error_set(e, STATUS_USAGE, "a key for %s has a name that is not known", actions[action].name);
	key_put_name(&name, key);
	enum action other = keymap_find(m, key);
	if (key.code >= '1' && key.code <= '9')
		st = error_set(e, STATUS_USAGE, "%s cannot be bound to %s: digits are counts", name.p,
			       actions[action].name);
	else if (other != ACTION_NONE && other != action)
		st = error_set(e, STATUS_USAGE, "%s is bound to both %s and %s", name.p, actions[other].name,
			       actions[action].name);
	else if (other == ACTION_NONE)
		vec_push(&m->bindings, (struct binding){key, action});
	buf_free(&name);
	return st;
}

void keymap_unbind(struct keymap *m, enum action action)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->bindings.n; i++)
		if (m->bindings.v[i].action != action)
			m->bindings.v[kept++] = m->bindings.v[i];
	m->bindings.n = kept;
}

enum action keymap_find(const struct keymap *m, struct key k)
{
	for (size_t i = 0; i < m->bindings.n; i++)
		if (key_same(m->bindings.v[i].key, k))
			return m->bindings.v[i].action;
	return ACTION_NONE;
}

/* The name of a key; of the mouse without a place. */
static void put_name(struct buf *out, struct key k)
{
	if (k.code == KEYS_CLICK)
		buf_text(out, "click");
	else if (k.code == KEYS_WHEEL_UP || k.code == KEYS_WHEEL_DOWN)
		buf_text(out, "wheel");
	else
		key_put_name(out, k);
}

void keymap_put_keys(const struct keymap *m, enum action action, struct buf *out)
{
	bool first = true;

	for (size_t i = 0; i < m->bindings.n; i++) {
		if (m->bindings.v[i].action != action)
			continue;
		if (!first)
			buf_char(out, ' ');
		put_name(out, m->bindings.v[i].key);
		first = false;
	}
}

void keymap_free(struct keymap *m) { vec_free(&m->bindings); }
