#include "replay/nearest.h"
#include "tui/app_parts.h"

static void go_to(struct app *a, struct str text)
{
	struct position p;
	struct error e = {0};

	if (!a->now->has_frame)
		app_say(a, STYLE_WARNING, "nothing is loaded yet");
	else if (position_parse(&a->now->run, text, &p, &e) != STATUS_OK)
		app_say(a, STYLE_ERROR, "%s", e.message);
	else
		app_go(a, p);
}

static void say_unknown(struct app *a, struct str text)
{
	struct nearest near = {0};
	int n = text.n < 100 ? (int)text.n : 100;

	for (enum action i = 0; i < ACTION_COUNT; i++)
		nearest_offer(&near, text, actions[i].name);
	app_say(a, STYLE_ERROR, "no such position, pane or action: %.*s%s%s", n, text.p, near.name ? ", nearest: " : "",
		near.name ? near.name : "");
}

/* Splits `name argument`. */
static struct str take_word(struct str *text)
{
	struct str word = *text;

	word.n = 0;
	while (word.n < text->n && text->p[word.n] != ' ')
		word.n++;
	*text = text_trim((struct str){text->p + word.n, text->n - word.n});
	return word;
}

unsigned app_command(struct app *a, struct str text)
{
	enum action action;
	struct str name;

	text = text_trim(text);
	if (text.n == 0)
		return 0;
	if ((text.p[0] >= '0' && text.p[0] <= '9') || text.p[0] == '$') {
		go_to(a, text);
		return 0;
	}
	/* every pane has an action of its name */
	name = take_word(&text);
	action = str_eq(name, STR("q")) ? ACTION_QUIT : action_find(name);
	if (action == ACTION_NONE || actions[action].group == ACTION_GROUP_MOUSE) {
		say_unknown(a, name);
		return 0;
	}
	if (text.n > 0 && !actions[action].argument) {
		app_say(a, STYLE_ERROR, "%s takes nothing behind its name", actions[action].name);
		return 0;
	}
	a->key = (struct key){0};
	a->argument = text;
	return app_act(a, action, 0);
}
