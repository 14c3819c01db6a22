/* s: the screen as a file: text, ANSI or SVG, by the name. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/view/text.h"
#include "tui/app.h"
#include "tui/picture.h"

enum { PICTURE_COLOURS = 256 };

static void put_text(const struct grid *g, struct buf *out) { grid_text(g, out); }

static void put_ansi(const struct grid *g, struct buf *out)
{
	struct theme theme;

	theme_init(&theme, PICTURE_COLOURS, false);
	picture_ansi(g, &theme, out);
}

static void put_svg(const struct grid *g, struct buf *out)
{
	struct theme theme;

	theme_init(&theme, PICTURE_COLOURS, false);
	picture_svg(g, &theme, false, out);
}

static const struct {
	const char *ending, *what;
	void (*put)(const struct grid *g, struct buf *out);
} formats[] = {{".txt", "text", put_text}, {".ans", "ANSI", put_ansi}, {".svg", "SVG", put_svg}};
enum { FORMATS = sizeof formats / sizeof *formats };

static size_t format_of(struct str name)
{
	size_t i = 0;

	while (i < FORMATS && !str_ends(name, str_of(formats[i].ending)))
		i++;
	return i;
}

/* Nothing that is there is overwritten, the session least of all. */
static bool write_new(const char *path, struct str bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), code = 0;

	if (fd < 0)
		return false;
	while (bytes.n > 0 && code == 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);

		if (n > 0)
			bytes = (struct str){bytes.p + n, bytes.n - (size_t)n};
		else if (n == 0 || errno != EINTR)
			code = n == 0 ? EIO : errno;
	}
	if (close(fd) != 0 && code == 0)
		code = errno;
	if (code != 0)
		unlink(path);
	errno = code;
	return code == 0;
}

void app_save_picture(struct app *a, struct str name, struct buf *out)
{
	struct grid g = {0};
	size_t format = format_of(name);

	app_draw(a, &g);
	formats[format < FORMATS ? format : 0].put(&g, out);
	grid_free(&g);
}

static bool is_wrong(struct app *a, struct str text, struct expr_fault *fault)
{
	(void)a;
	if (format_of(text_trim(text)) < FORMATS)
		return false;
	fault->at = text.n;
	snprintf(fault->message, sizeof fault->message, "the name ends with .txt, .ans (colours) or .svg");
	return true;
}

static unsigned save(struct app *a, struct str text)
{
	struct str name = text_trim(text);
	struct buf path = {0}, bytes = {0}, safe = {0};

	buf_str(&path, name);
	app_save_picture(a, name, &bytes);
	text_put_safe(&safe, name, a->ascii);
	if (write_new(path.p, buf_view(&bytes)))
		app_say(a, STYLE_GOOD, "saved as %s: %s, %zu bytes", formats[format_of(name)].what, safe.p, bytes.n);
	else if (errno == EEXIST)
		app_say(a, STYLE_ERROR, "%s is there already: nothing is overwritten", safe.p);
	else
		app_say(a, STYLE_ERROR, "%s cannot be written: %s", safe.p, strerror(errno));
	buf_free(&path);
	buf_free(&bytes);
	buf_free(&safe);
	return APP_DRAW;
}

void app_save(struct app *a)
{
	static const struct app_question question = {.lead = "save the screen as ", .wrong = is_wrong, .answer = save};
	struct expr_fault fault = {0};

	if (a->argument.n > 0 && !is_wrong(a, a->argument, &fault))
		save(a, a->argument);
	else
		app_ask(a, &question, a->argument.n > 0 ? a->argument : STR("screen.svg"));
}
