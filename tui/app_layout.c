/* Which panes are shown and how large, for narrow and for wide screens, and kept from one opening to the next. */
#include "engine/base/json.h"
#include "replay/xdg.h"
#include "tui/app_parts.h"

#define FILE_NAME "layout.json"

static const char *const classes[2] = {"narrow", "wide"};

void app_layout_init(struct app *a)
{
	for (size_t i = 0; i < 2; i++)
		a->shown_in[i] = (struct app_panes){.side = PANE_NUDGE, .third = PANE_EVENTS};
	a->shown = a->shown_in[0];
}

void app_layout_resized(struct app *a)
{
	bool wide = a->cols >= LAYOUT_WIDE;

	if (wide == a->is_wide)
		return;
	a->shown_in[a->is_wide] = a->shown;
	a->is_wide = wide;
	a->shown = a->shown_in[wide];
	app_layout_focus(a, a->focus);
}

void app_layout_focus(struct app *a, enum pane_id pane)
{
	struct app_panes *s = &a->shown;

	a->focus = pane;
	if (pane == PANE_ROWS || pane == s->side || pane == s->third)
		return;
	/* the one that was shown last stays as the third */
	s->third = s->side;
	s->side = pane;
}

void app_layout_shift(struct app *a, int percent)
{
	int shift = a->shown.shift + percent;

	a->shown.shift = shift > LAYOUT_SHIFT_MAX    ? LAYOUT_SHIFT_MAX
			 : shift < -LAYOUT_SHIFT_MAX ? -LAYOUT_SHIFT_MAX
						     : shift;
	if (a->shown.shift != shift)
		app_say(a, STYLE_DIM, "the line between the panes goes no further");
	else if (a->layout.side.body.rows == 0 || a->shown.zoom > 0)
		app_say(a, STYLE_DIM, "there is one pane, or one is zoomed: moved for when there are two");
}

void app_layout_hide(struct app *a)
{
	a->shown.hidden = !a->shown.hidden;
	if (a->shown.hidden)
		a->focus = PANE_ROWS;
	app_say(a, STYLE_DIM, a->shown.hidden ? "only Rows: o, or the key of a pane, shows another one" : "all panes");
}

/* ---- stored ---- */

static void put_class(const struct app_panes *s, struct buf *b)
{
	buf_printf(b, "{\"side\":\"%s\",\"third\":\"%s\",\"zoom\":%d,\"shift\":%d,\"hidden\":%s}",
		   pane_kinds[s->side].name, pane_kinds[s->third].name, s->zoom, s->shift,
		   s->hidden ? "true" : "false");
}

static bool take_pane(const cJSON *from, const char *name, enum pane_id *out)
{
	enum pane_id pane = pane_find(json_str(json_get(from, name)));

	if (pane == PANE_COUNT || pane == PANE_ROWS)
		return false;
	*out = pane;
	return true;
}

static bool take_number(const cJSON *from, const char *name, int least, int most, int *out)
{
	double x;

	if (!json_num(json_get(from, name), &x) || x < least || x > most)
		return false;
	*out = (int)x;
	return true;
}

static bool take_class(const cJSON *from, struct app_panes *out)
{
	struct app_panes s = *out;
	bool good = take_pane(from, "side", &s.side) && take_pane(from, "third", &s.third) && s.side != s.third &&
		    take_number(from, "zoom", 0, LAYOUT_ZOOM_STEPS, &s.zoom) &&
		    take_number(from, "shift", -LAYOUT_SHIFT_MAX, LAYOUT_SHIFT_MAX, &s.shift);

	s.hidden = cJSON_IsTrue(json_get(from, "hidden"));
	if (good)
		*out = s;
	return good;
}

void app_layout_open(struct app *a)
{
	struct buf path = {0}, text = {0};
	struct arena arena = {0};
	struct error e = {0};
	enum status st = xdg_path(XDG_STATE, FILE_NAME, &path) ? xdg_read(path.p, &text, &e) : STATUS_NO_INPUT;
	const cJSON *tree = st == STATUS_OK ? json_tree(&arena, buf_view(&text), NULL, NULL) : NULL;
	bool good = st == STATUS_NO_INPUT || tree;

	for (size_t i = 0; tree && i < 2; i++)
		good = take_class(json_get(tree, classes[i]), &a->shown_in[i]) && good;
	if (!good)
		app_say(a, STYLE_WARNING, "the remembered layout cannot be used (%s)", path.p);
	a->shown = a->shown_in[a->is_wide];
	buf_free(&path);
	buf_free(&text);
	arena_free(&arena);
}

void app_layout_save(struct app *a)
{
	struct buf path = {0}, b = {0}, old = {0};

	if (!a->remembers || !xdg_path(XDG_STATE, FILE_NAME, &path))
		return;
	a->shown_in[a->is_wide] = a->shown;
	for (size_t i = 0; i < 2; i++) {
		buf_printf(&b, "%s\"%s\":", i == 0 ? "{" : ",", classes[i]);
		put_class(&a->shown_in[i], &b);
	}
	buf_text(&b, "}\n");
	xdg_read(path.p, &old, NULL);
	/* where nothing may be written the layout is that of today */
	if (!str_eq(buf_view(&old), buf_view(&b)))
		xdg_write(path.p, buf_view(&b), NULL);
	buf_free(&path);
	buf_free(&b);
	buf_free(&old);
}
