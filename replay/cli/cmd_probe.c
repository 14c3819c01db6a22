/* acpdbg probe: expressions at every turn, as columns or JSON lines. */
#include <unistd.h>

#include "replay/cli/conditions.h"
#include "replay/cli/job.h"
#include "replay/view/text.h"

enum { COLUMN_MAX = 40, TURN_COLUMNS = 5 };

struct probing {
	struct cli *c;
	struct cli_scene *session;
	const struct expr **e;
	size_t n;
	bool ascii;
	struct buf cells; /* of a table: every one safe to print, each ended by a NUL */
	int *widths;
};

static void put_clipped(struct buf *b, struct str s, bool ascii)
{
	struct str shown = text_clip(s, COLUMN_MAX, ascii, NULL);
	if (shown.n < s.n)
		shown = text_clip(s, COLUMN_MAX - 2, ascii, NULL);
	text_put_safe(b, shown, ascii);
	if (shown.n < s.n)
		buf_text(b, "..");
}

/* The whole table has to be known before its first line: columns are as wide as they must be. */
static void take_cell(struct probing *p, size_t column, struct str s)
{
	size_t at = p->cells.n;
	put_clipped(&p->cells, s, p->ascii);
	int width = text_width(str_cut(buf_view(&p->cells), at, p->cells.n), p->ascii);
	p->widths[column] = width > p->widths[column] ? width : p->widths[column];
	buf_char(&p->cells, 0);
}

static void json_turn(struct probing *p, uint32_t turn)
{
	struct buf line = {0};
	buf_printf(&line, "{\"type\":\"turn\",\"n\":%u,\"values\":[", turn);
	for (size_t i = 0; i < p->n; i++) {
		struct expr_value v = expr_at(&p->session->scene, p->e[i], turn);
		buf_text(&line, i > 0 ? "," : "");
		expr_put_json(&line, &v);
	}
	buf_text(&line, "]}\n");
	out_take(&p->c->out, &line);
	buf_free(&line);
}

static void table_turn(struct probing *p, uint32_t turn)
{
	struct buf text = {0};
	for (size_t i = 0; i < p->n; i++) {
		struct expr_value v = expr_at(&p->session->scene, p->e[i], turn);
		buf_cut(&text, 0);
		expr_put_value(&text, &v);
		take_cell(p, i, buf_view(&text));
	}
	buf_free(&text);
}

/* Words to the left, figures to the right; no blanks at the end of a line. */
static void put_cell(struct buf *b, const struct probing *p, size_t column, struct str s)
{
	int blanks = p->widths[column] - text_width(s, p->ascii);
	bool left = expr_type_of(p->e[column]) == EXPR_TEXT;
	buf_text(b, "  ");
	if (!left)
		buf_printf(b, "%*s", blanks, "");
	buf_str(b, s);
	if (left && column + 1 < p->n)
		buf_printf(b, "%*s", blanks, "");
}

static void print_table(struct probing *p, uint32_t turns)
{
	struct buf line = {0};
	size_t at = 0;
	bool wanted = true;
	for (uint32_t turn = 0; turn <= turns && wanted; turn++) {
		if (turn == 0)
			buf_text(&line, " turn");
		else
			buf_printf(&line, "%*u", TURN_COLUMNS, turn);
		for (size_t i = 0; i < p->n; i++) {
			struct str cell = str_of(p->cells.p + at);
			put_cell(&line, p, i, cell);
			at += cell.n + 1;
		}
		buf_char(&line, '\n');
		wanted = out_take(&p->c->out, &line);
	}
	buf_free(&line);
}

static void put_head(struct probing *p, bool json)
{
	struct buf *b = &p->c->out.buf;
	if (!json)
		for (size_t i = 0; i < p->n; i++)
			take_cell(p, i, expr_text(p->e[i]));
	if (!json)
		return;
	buf_text(b, "{\"type\":\"probe\",\"id\":");
	json_put_str(b, p->session->recording.id);
	buf_text(b, ",\"expressions\":[");
	for (size_t i = 0; i < p->n; i++) {
		buf_text(b, i > 0 ? "," : "");
		json_put_str(b, expr_text(p->e[i]));
	}
	buf_text(b, "]}\n");
}

static int print_all(struct probing *p, bool json)
{
	struct job job;
	bool going = true;
	uint32_t turns = (uint32_t)p->session->run.timeline.turns.n;
	put_head(p, json);
	job_begin(&job, "probing", "turns", json && isatty(STDOUT_FILENO));
	for (uint32_t turn = 1; turn <= turns && going && !p->c->out.closed; turn++) {
		(json ? json_turn : table_turn)(p, turn);
		going = job_step(&job, turn, turns);
	}
	job_end(&job);
	if (!json && going)
		print_table(p, turns);
	return going ? CLI_FINE : CLI_INTERRUPTED;
}

int cmd_probe(struct cli *c)
{
	struct arena arena = {0};
	struct cli_scene session;
	struct probing p = {.c = c, .session = &session, .ascii = cli_ascii(&c->request)};
	bool json;
	int code = cli_table_or_json(&c->request, "probe", &json);
	c->request.file = c->words[0];
	p.n = (size_t)c->words_n - 1;
	p.e = arena_zero(&arena, p.n, sizeof *p.e);
	p.widths = arena_zero(&arena, p.n, sizeof *p.widths);
	for (size_t i = 0; i < p.n && code == CLI_FINE; i++)
		if ((p.e[i] = cli_expr(&arena, c->words[i + 1], false)) == NULL)
			code = CLI_USAGE;
	if (code == CLI_FINE)
		code = cli_scene_open(c, p.e, p.n, &session);
	else {
		arena_free(&arena);
		return code;
	}
	if (code == CLI_FINE) {
		code = print_all(&p, json);
		cli_scene_close(&session);
	}
	buf_free(&p.cells);
	arena_free(&arena);
	return code;
}
