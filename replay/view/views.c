#include "replay/view/view.h"

const struct view_ops *const views[] = {&rows_view,   &ranges_view,  &blocks_view,   &density_view,
					&prefix_view, &nudge_view,   &events_view,   &request_view,
					&status_view, &changes_view, &timeline_view, NULL};

const struct view_ops *view_named(struct str name)
{
	for (size_t i = 0; views[i]; i++)
		if (str_eq(name, str_of(views[i]->name)))
			return views[i];
	return NULL;
}

static void print_line(const struct line *l, struct buf *b)
{
	line_write(l, b);
	buf_char(b, '\n');
}

static void print_detail(const struct view_ops *v, const struct view_context *c, struct line *l, struct buf *b)
{
	size_t n = v->detail_count ? v->detail_count(c, c->selected) : 0;
	for (size_t i = 0; i < n; i++) {
		v->detail_line(c, c->selected, i, l);
		print_line(l, b);
	}
}

void view_print(const struct view_ops *v, const struct view_context *c, struct buf *b)
{
	struct line l = {.ascii = c->ascii};
	size_t n = v->count(c);
	if (v->caption) {
		v->caption(c, &l);
		print_line(&l, b);
	}
	for (size_t i = 0; i < n; i++) {
		v->line(c, i, &l);
		print_line(&l, b);
		if (c->unfolded && c->selected != 0 && v->key(c, i) == c->selected)
			print_detail(v, c, &l, b);
	}
	line_free(&l);
}
