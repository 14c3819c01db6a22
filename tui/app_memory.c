#include "tui/app.h"

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
