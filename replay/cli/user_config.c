#include "replay/cli/user_config.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/base/json.h"
#include "replay/nearest.h"
#include "replay/policy.h"
#include "replay/view/text.h"
#include "replay/xdg.h"

/* ---- problems ---- */

void user_config_tell(struct user_config *c, size_t at, const char *format, ...)
{
	char words[400];
	struct buf b = {0};
	size_t line = 1;
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	for (size_t i = 0; i < at && i < c->text.n; i++)
		line += c->text.p[i] == '\n';
	buf_printf(&b, "line %zu, byte %zu: ", line, at);
	text_put_safe(&b, str_of(words), true);
	buf_char(&b, '\0');
	vec_push(&c->problems, arena_copy(&c->arena, b.p, b.n));
	buf_free(&b);
}

static void tell_nearest(struct user_config *c, size_t at, const char *what, struct str name,
			 const struct nearest *near)
{
	struct str shown = text_clip(name, 60, true, NULL);

	user_config_tell(c, at, "no such %s: %.*s%s%s", what, (int)shown.n, shown.p, near->name ? ", nearest: " : "",
			 near->name ? near->name : "");
}

/* ---- values ---- */

struct place {
	struct user_config *c;
	const char *name; /* of the member */
	struct json_span value;
};

static struct str string_of(const struct place *p) { return json_decode(&p->c->arena, p->c->text.p, p->value); }

static const char *keep(struct user_config *c, struct str s) { return arena_copy(&c->arena, s.p ? s.p : "", s.n); }

static bool is_kind(const struct place *p, enum json_kind kind, const char *words)
{
	if (p->value.kind == kind)
		return true;
	user_config_tell(p->c, p->value.at, "%s: expected %s", p->name, words);
	return false;
}

/* Here and not with the run, so that a file that cannot be used is told of as every other setting is. */
static void read_prices(const struct place *p, const char *path)
{
	struct prices *prices = arena_zero(&p->c->arena, 1, sizeof *prices);
	struct error e = {0};

	if (prices_read(path, &p->c->arena, prices, &e) == STATUS_OK)
		p->c->prices = prices;
	else
		user_config_tell(p->c, p->value.at, "%s: %s: %s", p->name, path, e.message);
}

static void take_prices(const struct place *p)
{
	struct str s;
	const char *slash = strrchr(p->c->path, '/');
	struct buf b = {0};

	if (!is_kind(p, JSON_STRING, "the name of a file"))
		return;
	s = string_of(p);
	/* beside the configuration, unless the name says where */
	if (s.n > 0 && s.p[0] != '/' && slash)
		buf_bytes(&b, p->c->path, (size_t)(slash - p->c->path) + 1);
	buf_str(&b, s);
	if (s.n == 0)
		user_config_tell(p->c, p->value.at, "%s: expected the name of a file", p->name);
	else
		read_prices(p, keep(p->c, buf_view(&b)));
	buf_free(&b);
}

static void take_theme(const struct place *p)
{
	static const char *const names[] = {"auto", "dark", "light"};
	struct str s;

	if (!is_kind(p, JSON_STRING, "auto, dark or light"))
		return;
	s = string_of(p);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_eq(s, str_of(names[i])))
			p->c->theme = names[i];
	if (!p->c->theme)
		user_config_tell(p->c, p->value.at, "%s: expected auto, dark or light", p->name);
}

static bool take_bool(const struct place *p, bool *out)
{
	if (p->value.kind != JSON_TRUE && p->value.kind != JSON_FALSE) {
		user_config_tell(p->c, p->value.at, "%s: expected true or false", p->name);
		return false;
	}
	*out = p->value.kind == JSON_TRUE;
	return true;
}

static void take_ascii(const struct place *p) { take_bool(p, &p->c->ascii); }

static void take_mouse(const struct place *p)
{
	bool mouse = true;

	if (take_bool(p, &mouse))
		p->c->no_mouse = !mouse;
}

/* ---- objects ---- */

/* Calls for every member of the object, its places those of the file. */
static void each_member(const struct place *p, void (*take)(const struct place *p, struct str name))
{
	struct json_scan scan = {0};
	const char *from = p->c->text.p + p->value.at;

	json_scan(from, p->value.n, &scan);
	for (size_t i = 0; i < scan.members.n; i++) {
		struct place inner = *p;

		inner.value = scan.members.v[i].value;
		inner.value.at += p->value.at;
		take(&inner, json_decode(&p->c->arena, from, scan.members.v[i].key));
	}
	json_scan_free(&scan);
}

static void take_profile_of(const struct place *p, struct str host)
{
	static const char *const hosts[] = {
		[USER_CONFIG_PI] = "pi", [USER_CONFIG_DSH] = "dsh", [USER_CONFIG_OTHER] = "other"};
	struct nearest near = {0};
	struct policy policy;
	struct error e = {0};
	struct buf text = {0};

	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		nearest_offer(&near, host, hosts[i]);
		if (!str_eq(host, str_of(hosts[i])))
			continue;
		if (!is_kind(p, JSON_STRING, "the name of a profile, and switches"))
			return;
		buf_text(&text, "profile=");
		buf_str(&text, string_of(p));
		policy_for_host(&policy, host);
		if (policy_apply(&policy, buf_view(&text), &e) == STATUS_OK)
			p->c->policy[i] = keep(p->c, buf_view(&text));
		else
			user_config_tell(p->c, p->value.at, "%s: %s", p->name, e.message);
		buf_free(&text);
		return;
	}
	tell_nearest(p->c, p->value.at, "host", host, &near);
}

static void take_profiles(const struct place *p)
{
	if (is_kind(p, JSON_OBJECT, "an object of hosts, {\"pi\": \"P155\"}"))
		each_member(p, take_profile_of);
}

static void take_key(const struct place *p, struct str action)
{
	struct json_scan scan = {0};
	const char *from = p->c->text.p + p->value.at;

	if (p->value.kind == JSON_STRING) {
		vec_push(&p->c->keys.list, (struct user_config_entry){action, string_of(p), p->value.at});
		return;
	}
	if (!is_kind(p, JSON_ARRAY, "a key, or a list of them"))
		return;
	json_scan(from, p->value.n, &scan);
	/* none: the action has no key any more */
	if (scan.items.n == 0)
		vec_push(&p->c->keys.list, (struct user_config_entry){action, STR(""), p->value.at});
	for (size_t i = 0; i < scan.items.n; i++) {
		struct place item = *p;

		item.value = scan.items.v[i];
		item.value.at += p->value.at;
		if (is_kind(&item, JSON_STRING, "the name of a key"))
			vec_push(&p->c->keys.list, (struct user_config_entry){action, string_of(&item), item.value.at});
	}
	json_scan_free(&scan);
}

static void take_keys(const struct place *p)
{
	if (is_kind(p, JSON_OBJECT, "an object of actions, {\"next-turn\": [\".\", \"<Right>\"]}"))
		each_member(p, take_key);
}

static void take_colour(const struct place *p, struct str style)
{
	if (is_kind(p, JSON_STRING, "a look, as \"bold bright-red on 236\""))
		vec_push(&p->c->colours.list, (struct user_config_entry){style, string_of(p), p->value.at});
}

static void take_colours(const struct place *p)
{
	if (is_kind(p, JSON_OBJECT, "an object of styles, {\"barrier\": \"bold red\"}"))
		each_member(p, take_colour);
}

/* ---- the file ---- */

static const struct {
	const char *name;
	void (*take)(const struct place *p);
	const char *example, *help;
} members[] = {
	{"profile", take_profiles, "{\"pi\": \"P155,count=max\", \"dsh\": \"B0\"}",
	 "profile of the sessions of a host (pi, dsh, other), and switches; --profile and --policy go before it"},
	{"prices", take_prices, "\"prices.json\"",
	 "prices of models, as --prices; the name begins at this file's directory"},
	{"ascii", take_ascii, "true", "ASCII glyphs and substitutes, as --ascii"},
	{"mouse", take_mouse, "false", "leaves the mouse to the terminal"},
	{"theme", take_theme, "\"light\"", "auto, dark or light: the colours fit that background"},
	{"colours", take_colours, "{\"barrier\": \"bold bright-red\"}",
	 "looks of styles: bold reverse underline dim, a colour (red, bright-red, default, 0-255), on and another"},
	{"keys", take_keys, "{\"next-turn\": [\".\", \"<Right>\"], \"quit\": []}",
	 "keys of actions, in place of their own (? and acpdbg man have the names); [] takes the key away"},
};
enum { MEMBERS = sizeof members / sizeof *members };

static void take_member(const struct place *file, struct str name)
{
	struct nearest near = {0};

	for (size_t i = 0; i < MEMBERS; i++) {
		struct place p = *file;

		nearest_offer(&near, name, members[i].name);
		if (!str_eq(name, str_of(members[i].name)))
			continue;
		p.name = members[i].name;
		members[i].take(&p);
		return;
	}
	tell_nearest(file->c, file->value.at, "setting", name, &near);
}

void user_config_read_file(struct user_config *c, const char *path)
{
	struct buf text = {0};
	struct error e = {0};
	struct json_scan scan = {0};
	enum status st = xdg_read(path, &text, &e);

	*c = (struct user_config){0};
	if (st != STATUS_NO_INPUT)
		c->path = keep(c, str_of(path));
	c->text = (struct str){arena_copy(&c->arena, text.p ? text.p : "", text.n), text.n};
	buf_free(&text);
	if (st != STATUS_OK) {
		if (st != STATUS_NO_INPUT)
			user_config_tell(c, 0, "the file %s", e.message);
		return;
	}
	if (json_scan(c->text.p, c->text.n, &scan) != JSON_OK)
		user_config_tell(c, scan.at, "%s: nothing of it is used", scan.problem ? scan.problem : "not JSON");
	else if (scan.value.kind != JSON_OBJECT)
		user_config_tell(c, scan.value.at, "expected an object: nothing of it is used");
	else
		each_member(&(struct place){.c = c, .value = scan.value}, take_member);
	json_scan_free(&scan);
}

void user_config_read(struct user_config *c)
{
	struct buf path = {0};

	*c = (struct user_config){0};
	if (xdg_path(XDG_CONFIG, "config.json", &path))
		user_config_read_file(c, path.p);
	buf_free(&path);
}

const char *user_config_policy(const struct user_config *c, struct str host)
{
	return c->policy[str_eq(host, STR("pi"))    ? USER_CONFIG_PI
			 : str_eq(host, STR("dsh")) ? USER_CONFIG_DSH
						    : USER_CONFIG_OTHER];
}

void user_config_free(struct user_config *c)
{
	vec_free(&c->keys.list);
	vec_free(&c->colours.list);
	vec_free(&c->problems);
	arena_free(&c->arena);
	*c = (struct user_config){0};
}

void user_config_put_help(struct buf *b)
{
	buf_text(b,
		 "Settings: $XDG_CONFIG_HOME/acpdbg/config.json (else ~/.config/acpdbg/config.json), a JSON object.\n"
		 "What cannot be used is told and left out; options of the command line go before it.\n\n");
	for (size_t i = 0; i < MEMBERS; i++)
		buf_printf(b, "  \"%s\": %s\n      %s\n", members[i].name, members[i].example, members[i].help);
}
