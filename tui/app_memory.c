/*
 * What is remembered of a session (breakpoints, marks: replay/session_state) and of all of them (what was typed behind
 * `:`), in the XDG state directory.
 */
#include "engine/base/json.h"
#include "replay/xdg.h"
#include "tui/app_parts.h"

#define HISTORY "history.json"

/* ---- what was typed ---- */

void app_history_open(struct app *a)
{
	struct buf path = {0}, text = {0};
	struct arena arena = {0};
	const cJSON *tree = NULL;

	if (xdg_path(XDG_STATE, HISTORY, &path) && xdg_read(path.p, &text, NULL) == STATUS_OK)
		tree = json_tree(&arena, buf_view(&text), NULL, NULL);
	for (const cJSON *line = cJSON_IsArray(tree) ? tree->child : NULL; line; line = line->next)
		if (json_str(line).n <= PROMPT_BYTES_MAX)
			prompt_remember(&a->prompt, json_str(line));
	a->prompt.recalled = a->prompt.history.n;
	buf_free(&path);
	buf_free(&text);
	arena_free(&arena);
}

/* Nothing is lost but that when it cannot be written. */
static void save_history(struct app *a)
{
	struct buf path = {0}, b = {0};

	if (a->prompt.history.n == 0 || a->prompt.entered == 0 || !xdg_path(XDG_STATE, HISTORY, &path))
		return;
	for (size_t i = 0; i < a->prompt.history.n; i++) {
		buf_char(&b, i == 0 ? '[' : ',');
		json_put_str(&b, str_of(a->prompt.history.v[i]));
	}
	buf_text(&b, "]\n");
	if (xdg_write(path.p, buf_view(&b), NULL) == STATUS_OK)
		a->prompt.entered = 0;
	buf_free(&path);
	buf_free(&b);
}

/* ---- of a session ---- */

static void say_fault(struct app *a, const struct error *e)
{
	app_say(a, STYLE_WARNING, "%s (%s)", e->message, e->file);
}

void app_memory_open(struct app *a)
{
	struct error e = {0};
	size_t lost;

	if (!a->remembers || a->memory.path.n > 0)
		return;
	if (session_state_open(&a->memory, a->request->file, a->now->recording->id, &e) != STATUS_OK)
		say_fault(a, &e);
	app_mark_take_json(a, session_state_get(&a->memory, "marks"));
	lost = breaks_take_json(&a->breaks.set, session_state_get(&a->memory, "breaks"));
	if (lost > 0)
		app_say(a, STYLE_WARNING, "%zu of the remembered breakpoints cannot be read", lost);
}

void app_memory_save(struct app *a)
{
	struct error e = {0};
	struct buf json = {0};

	app_layout_save(a);
	if (a->remembers)
		save_history(a);
	if (!a->remembers || a->memory.path.n == 0)
		return;
	if (a->breaks.set.list.n > 0)
		breaks_put_json(&a->breaks.set, &json);
	session_state_set(&a->memory, "breaks", buf_view(&json));
	buf_cut(&json, 0);
	if (a->marks.n > 0)
		app_mark_put_json(a, &json);
	session_state_set(&a->memory, "marks", buf_view(&json));
	if (session_state_save(&a->memory, &e) != STATUS_OK) {
		say_fault(a, &e);
		/* said once */
		a->remembers = false;
	}
	buf_free(&json);
}
