#include "tui/term.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "tui/clipboard.h"
#include "tui/guard.h"
#include "tui/mouse.h"

enum {
	PAIRS_MAX = 63,        /* what an 8-colour terminal has; the theme needs fewer */
	DEFAULT_ESCDELAY = 25, /* ms to tell the Esc key from a sequence */
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The one terminal. */
static struct {
	bool active;
	SCREEN *screen;
	FILE *opened; /* /dev/tty, when it had to be opened */
	int in, out;
	WINDOW *input;        /* a pad: reading keys from it never refreshes anything */
	struct termios modes; /* as found */
	cchar_t *row;         /* one row on its way to curses */
	int row_size;
	bool repaint, cursor_shown;
	bool mouse; /* it reports the mouse */
	struct {
		int16_t fg, bg;
	} pairs[PAIRS_MAX];
	int pair_count, pair_limit;
	struct key_bytes partial;
} tty;

static bool has_capability(const char *name)
{
	const char *bytes = tigetstr(name);

	return bytes && bytes != (char *)-1;
}

/* A capability without its padding, `$<5/>`. */
static void add_capability(struct buf *out, const char *name)
{
	const char *bytes = has_capability(name) ? tigetstr(name) : "", *end;

	while (*bytes) {
		end = bytes[0] == '$' && bytes[1] == '<' ? strchr(bytes, '>') : NULL;
		if (end)
			bytes = end + 1;
		else
			buf_char(out, *bytes++);
	}
}

/* For the crash handler: everything that leaves the screen as it was. */
static void prepare_restore(bool mouse)
{
	struct buf out = {0};

	if (mouse)
		buf_text(&out, MOUSE_OFF);
	add_capability(&out, "sgr0");
	add_capability(&out, "op");
	add_capability(&out, "cnorm");
	add_capability(&out, "rmkx");
	add_capability(&out, "rmcup");
	guard_set_restore(out.p ? out.p : "", out.n);
	buf_free(&out);
}

/* *in and *out are the standard streams; one that is no terminal is replaced by /dev/tty. */
static enum status open_tty(FILE **in, FILE **out, struct error *e)
{
	const char *name = getenv("TERM");

	if (!name || !*name || strcmp(name, "dumb") == 0 || strcmp(name, "unknown") == 0)
		return error_set(e, STATUS_USAGE, "the terminal (TERM is %s) cannot show the screen",
				 name && *name ? name : "not set");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		tty.opened = fopen("/dev/tty", "r+");
		if (!tty.opened)
			return error_set(e, STATUS_USAGE, "there is no terminal to show the screen on");
		if (!isatty(STDIN_FILENO))
			*in = tty.opened;
		if (!isatty(STDOUT_FILENO))
			*out = tty.opened;
	}
	fflush(*out);
	tty.in = fileno(*in);
	tty.out = fileno(*out);
	if (tty.in >= FD_SETSIZE || tcgetattr(tty.in, &tty.modes) != 0)
		return error_set(e, STATUS_USAGE, "the terminal cannot be set up");
	return STATUS_OK;
}

/* ^Z, ^V, ^O, ^S and ^Q are keys; ^C and ^\ stay signals, so that a busy program can be told to stop. */
static void set_modes(void)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	if (tcgetattr(tty.in, &modes) != 0)
		return;
	modes.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
	modes.c_cc[VSUSP] = modes.c_cc[VLNEXT] = _POSIX_VDISABLE;
#ifdef VDISCARD
	modes.c_cc[VDISCARD] = _POSIX_VDISABLE;
#endif
	tcsetattr(tty.in, TCSADRAIN, &modes);
	def_prog_mode();
}

/* Sequences that terminals send although their terminfo entry, or the one in use, does not have them. */
static void define_keys(void)
{
	static const struct {
		const char *sequence;
		int code;
	} keys[] = {
		{"\033[A", KEY_UP},        {"\033[B", KEY_DOWN},   {"\033[C", KEY_RIGHT},  {"\033[D", KEY_LEFT},
		{"\033OA", KEY_UP},        {"\033OB", KEY_DOWN},   {"\033OC", KEY_RIGHT},  {"\033OD", KEY_LEFT},
		{"\033[H", KEY_HOME},      {"\033[F", KEY_END},    {"\033OH", KEY_HOME},   {"\033OF", KEY_END},
		{"\033[1~", KEY_HOME},     {"\033[4~", KEY_END},   {"\033[7~", KEY_HOME},  {"\033[8~", KEY_END},
		{"\033[5~", KEY_PPAGE},    {"\033[6~", KEY_NPAGE}, {"\033[2~", KEY_IC},    {"\033[3~", KEY_DC},
		{"\033[Z", KEY_BTAB},      {"\033OP", KEY_F(1)},   {"\033OQ", KEY_F(2)},   {"\033OR", KEY_F(3)},
		{"\033OS", KEY_F(4)},      {"\033[11~", KEY_F(1)}, {"\033[12~", KEY_F(2)}, {"\033[13~", KEY_F(3)},
		{"\033[14~", KEY_F(4)},    {"\033[1;2A", KEY_SR},  {"\033[1;2B", KEY_SF},  {"\033[1;2D", KEY_SLEFT},
		{"\033[1;2C", KEY_SRIGHT},
	};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (key_defined(keys[i].sequence) <= 0)
			define_key(keys[i].sequence, keys[i].code);
}

static void start_colours(struct term *t, enum term_colour wish)
{
	const char *no_color = getenv("NO_COLOR");

	t->colours = 0;
	tty.pair_count = 0;
	if (wish == TERM_COLOUR_NEVER || (wish == TERM_COLOUR_AUTO && no_color && *no_color))
		return;
	if (!has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return;
	/* a direct-colour terminal takes numbers above 7 for RGB values */
	t->colours = COLORS == 256 ? 256 : COLORS >= 8 ? 8 : 0;
	tty.pair_limit = COLOR_PAIRS - 1 < PAIRS_MAX ? COLOR_PAIRS - 1 : PAIRS_MAX;
}

/* A terminal that does not take the bytes is lost, which the next read tells. */
static void switch_mouse(bool on)
{
	if (tty.mouse && write(tty.out, on ? MOUSE_ON : MOUSE_OFF, sizeof MOUSE_ON - 1) < 0)
		tty.mouse = false;
}

static void stop_at_exit(void)
{
	struct term t = {.ascii = true};

	term_stop(&t);
}

static void close_tty(void)
{
	if (tty.opened)
		fclose(tty.opened);
	tty.opened = NULL;
}

/* Starts curses on the terminal; false when it cannot show a screen. */
static bool start_curses(FILE *in, FILE *out)
{
	/* curses would believe them even after the window has changed */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	if (!getenv("ESCDELAY"))
		set_escdelay(DEFAULT_ESCDELAY);
	tty.screen = newterm(NULL, out, in);
	if (tty.screen && tigetstr("cup"))
		return true;
	if (tty.screen) {
		endwin();
		delscreen(tty.screen);
	}
	return false;
}

enum status term_start(struct term *t, const struct term_options *options, struct error *e)
{
	static bool at_exit;
	FILE *in = stdin, *out = stdout;
	enum status s;

	*t = (struct term){.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0};
	s = open_tty(&in, &out, e);
	if (s != STATUS_OK) {
		close_tty();
		return s;
	}
	guard_on(tty.in, tty.out, &tty.modes);
	if (!start_curses(in, out)) {
		guard_off();
		close_tty();
		return error_set(e, STATUS_USAGE, "the terminal (TERM is %s) cannot show the screen", getenv("TERM"));
	}
	prepare_restore(options->mouse);
	set_modes();
	tty.input = newpad(1, 1);
	keypad(tty.input, TRUE);
	nodelay(tty.input, TRUE);
	define_keys();
	start_colours(t, options->colour);
	keyok(KEY_MOUSE, FALSE); /* tui/mouse reads them */
	tty.mouse = options->mouse && has_capability("kmous");
	switch_mouse(true);
	curs_set(0);
	getmaxyx(stdscr, t->rows, t->cols);
	tty.cursor_shown = tty.repaint = false;
	tty.partial.n = 0;
	guard_stderr_aside();
	tty.active = true;
	if (!at_exit)
		at_exit = atexit(stop_at_exit) == 0;
	return STATUS_OK;
}

void term_stop(struct term *t)
{
	if (!tty.active)
		return;
	tty.active = false;
	switch_mouse(false);
	curs_set(1);
	delwin(tty.input);
	endwin();
	delscreen(tty.screen);
	tcsetattr(tty.in, TCSADRAIN, &tty.modes);
	guard_stderr_back();
	guard_stderr_print(t->ascii);
	guard_off();
	close_tty();
	free(tty.row);
	tty.row = NULL;
	tty.row_size = 0;
}

static short pair_of(struct look look)
{
	if (look.fg < 0 && look.bg < 0)
		return 0;
	for (int i = 0; i < tty.pair_count; i++)
		if (tty.pairs[i].fg == look.fg && tty.pairs[i].bg == look.bg)
			return (short)(i + 1);
	if (tty.pair_count >= tty.pair_limit || init_pair((short)(tty.pair_count + 1), look.fg, look.bg) == ERR)
		return 0;
	tty.pairs[tty.pair_count].fg = look.fg;
	tty.pairs[tty.pair_count].bg = look.bg;
	return (short)++tty.pair_count;
}

static attr_t attrs_of(struct look look)
{
	attr_t attrs = WA_NORMAL;

	if (look.attrs & THEME_BOLD)
		attrs |= WA_BOLD;
	if (look.attrs & THEME_REVERSE)
		attrs |= WA_REVERSE;
	if (look.attrs & THEME_UNDERLINE)
		attrs |= WA_UNDERLINE;
	if (look.attrs & THEME_DIM)
		attrs |= WA_DIM;
	return attrs;
}

/* A cell for curses. Curses takes the C library's word for widths: where that differs from ours, `?` is shown. */
static int put_cell(cchar_t *out, const struct cell *cell, struct look look)
{
	wchar_t chars[TEXT_CELL_MARKS + 2];
	struct str bytes = {cell->bytes, cell->n};
	attr_t attrs = attrs_of(look);
	short pair = pair_of(look);
	size_t at = 0, length;
	uint32_t code;
	int n = 0;

	while (n <= TEXT_CELL_MARKS && (length = text_decode(bytes, at, &code)) > 0) {
		if (wcwidth((wchar_t)code) == (n == 0 ? cell->columns : 0))
			chars[n++] = (wchar_t)code;
		else if (n == 0)
			break;
		at += length;
	}
	chars[n] = L'\0';
	if (n > 0 && setcchar(out, chars, attrs, pair, NULL) == OK)
		return 1;
	setcchar(out, L"?", attrs, pair, NULL);
	if (cell->columns == 2)
		setcchar(out + 1, L" ", attrs, pair, NULL);
	return cell->columns;
}

static void put_row(const struct grid *g, int row, const struct theme *theme)
{
	struct look look = {-1, -1, 0};
	int n = 0;

	for (int col = 0; col < g->cols; col++) {
		const struct cell *cell = grid_cell(g, row, col);

		if (cell->columns == 0)
			continue;
		look = theme_cell_look(theme, g, row, col, look);
		n += put_cell(&tty.row[n], cell, look);
	}
	mvadd_wchnstr(row, 0, tty.row, n);
}

void term_show(struct term *t, const struct grid *g, const struct theme *theme)
{
	bool shown = g->cursor_shown && g->cursor_row < t->rows && g->cursor_col < t->cols;

	if (!tty.active)
		return;
	if (tty.row_size < g->cols + 1) {
		tty.row_size = g->cols + 1;
		tty.row = mem_resize(tty.row, (size_t)tty.row_size, sizeof *tty.row);
	}
	erase();
	for (int row = 0; row < g->rows && row < t->rows; row++)
		put_row(g, row, theme);
	if (tty.repaint)
		clearok(curscr, TRUE);
	tty.repaint = false;
	if (shown != tty.cursor_shown)
		curs_set(shown);
	tty.cursor_shown = shown;
	if (shown)
		move(g->cursor_row, g->cursor_col);
	wnoutrefresh(stdscr);
	doupdate();
}

void term_copy(struct term *t, struct str bytes)
{
	struct buf b = {0};
	size_t done = 0;
	ssize_t n;

	(void)t;
	clipboard_put_osc(&b, bytes);
	/* one that does not take the bytes is lost, which the next read tells */
	while (tty.active && done < b.n && ((n = write(tty.out, b.p + done, b.n - done)) > 0 || errno == EINTR))
		done += n > 0 ? (size_t)n : 0;
	buf_free(&b);
}

void term_repaint(struct term *t)
{
	(void)t;
	tty.repaint = true;
}

/* True when the size has changed. */
static bool take_size(struct term *t)
{
	struct winsize size;

	if (ioctl(tty.out, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0 ||
	    (size.ws_row == t->rows && size.ws_col == t->cols))
		return false;
	/* not resizeterm, which would put KEY_RESIZE into the input */
	resize_term(size.ws_row, size.ws_col);
	getmaxyx(stdscr, t->rows, t->cols);
	tty.repaint = true; /* nobody knows what the terminal made of the old contents */
	return true;
}

void term_leave(struct term *t)
{
	(void)t;
	if (!tty.active)
		return;
	switch_mouse(false);
	curs_set(1);
	endwin();
	guard_stderr_back();
	guard_lend();
}

void term_return(struct term *t)
{
	if (!tty.active)
		return;
	guard_unlend();
	guard_stderr_aside();
	reset_prog_mode();
	switch_mouse(true);
	take_size(t);
	/* the screen is taken back by the next term_show */
	curs_set(tty.cursor_shown);
	tty.repaint = true;
}

void term_suspend(struct term *t)
{
	if (!tty.active)
		return;
	term_leave(t);
	kill(0, SIGTSTP); /* the whole group, as the terminal itself would */
	term_return(t);
}

static const struct {
	int curses;
	uint32_t code;
} key_map[] = {{KEY_UP, KEYS_UP},
	       {KEY_DOWN, KEYS_DOWN},
	       {KEY_LEFT, KEYS_LEFT},
	       {KEY_RIGHT, KEYS_RIGHT},
	       {KEY_SR, KEYS_SHIFT_UP},
	       {KEY_SF, KEYS_SHIFT_DOWN},
	       {KEY_SLEFT, KEYS_SHIFT_LEFT},
	       {KEY_SRIGHT, KEYS_SHIFT_RIGHT},
	       {KEY_HOME, KEYS_HOME},
	       {KEY_END, KEYS_END},
	       {KEY_PPAGE, KEYS_PAGE_UP},
	       {KEY_NPAGE, KEYS_PAGE_DOWN},
	       {KEY_IC, KEYS_INSERT},
	       {KEY_DC, KEYS_DELETE},
	       {KEY_BTAB, KEYS_SHIFT_TAB},
	       {KEY_BACKSPACE, KEYS_BACKSPACE},
	       {KEY_ENTER, KEYS_ENTER},
	       {'\n', KEYS_ENTER},
	       {'\b', KEYS_BACKSPACE}};

/* What a sequence may hold after Esc: "[", then parameters, then its end. */
static bool goes_on(int n, int code) { return n == 0 ? code == '[' : code >= ' ' && code <= '?'; }

/*
 * After Esc: a report of the mouse, or a sequence with parameters that nobody
 * knows, which is dropped, lest its bytes act as keys. Nothing is waited for.
 */
static struct key take_escape(void)
{
	char seen[32];
	int n = 0, code = wgetch(tty.input);
	bool fits = true;

	while (code > 0 && code < 0x80 && goes_on(n, code)) {
		fits = n < (int)COUNT(seen) - 1;
		if (fits)
			seen[n++] = (char)code;
		code = wgetch(tty.input);
	}
	if (n > 1 && (code == ERR || !fits || (code >= '@' && code <= '~'))) {
		seen[n] = (char)code;
		return fits && code != ERR ? mouse_read((struct str){seen, (size_t)n + 1}) : (struct key){0};
	}
	if (code != ERR)
		ungetch(code);
	while (n > 0)
		ungetch(seen[--n]);
	return (struct key){.code = KEYS_ESCAPE};
}

/* True when there was a key; keys that mean nothing are passed over. */
static bool read_key(struct key *key)
{
	int code;

	while ((code = wgetch(tty.input)) != ERR) {
		*key = (struct key){0};
		for (size_t i = 0; i < COUNT(key_map); i++)
			if (key_map[i].curses == code)
				key->code = key_map[i].code;
		if (key->code)
			return true;
		if (code >= KEY_F(1) && code <= KEY_F(12))
			key->code = KEYS_F1 + (uint32_t)(code - KEY_F(1));
		else if (code == KEYS_ESCAPE)
			*key = take_escape();
		else if (code > 0 && code < 0x100)
			key->code = key_take_byte(&tty.partial, code);
		if (key->code)
			return true;
	}
	return false;
}

/* An event that a signal brought, or TERM_TIMEOUT. */
static enum term_event signal_event(struct term *t)
{
	guard_let_in();
	t->signal = guard_take(GUARD_QUIT);
	if (t->signal)
		return TERM_QUIT;
	if (guard_take(GUARD_STOP)) {
		term_suspend(t);
		return TERM_RESUMED;
	}
	if (guard_take(GUARD_CONTINUE)) {
		/* stopped by SIGSTOP: the shell had the terminal meanwhile */
		reset_prog_mode();
		guard_take(GUARD_RESIZE);
		take_size(t);
		tty.repaint = true;
		return TERM_RESUMED;
	}
	if (guard_take(GUARD_RESIZE) && take_size(t))
		return TERM_RESIZED;
	return guard_take(GUARD_INTERRUPT) ? TERM_INTERRUPT : TERM_TIMEOUT;
}

/* Readable, but curses got nothing: has the terminal gone? */
static bool is_lost(void)
{
	struct pollfd p = {.fd = tty.in, .events = POLLIN};
	int waiting = 0;

	if (poll(&p, 1, 0) <= 0)
		return false;
	if (p.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	return (p.revents & POLLIN) && (ioctl(tty.in, FIONREAD, &waiting) != 0 || waiting == 0);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Sleeps until there is input, a signal, or the time is up; false when the terminal is gone. */
static bool sleep_until(bool for_ever, int64_t left)
{
	struct timespec wait = {.tv_sec = (time_t)(left / 1000), .tv_nsec = (long)(left % 1000) * 1000000};
	fd_set readable;

	FD_ZERO(&readable);
	FD_SET(tty.in, &readable);
	return pselect(tty.in + 1, &readable, NULL, NULL, for_ever ? NULL : &wait, guard_wait_mask()) >= 0 ||
	       errno == EINTR;
}

enum term_event term_wait(struct term *t, int timeout_ms, struct key *key)
{
	int64_t end = timeout_ms > 0 ? now_ms() + timeout_ms : 0;

	if (!tty.active)
		return TERM_LOST;
	for (bool late = timeout_ms == 0;;) {
		int64_t left = 0;
		enum term_event event = signal_event(t);

		if (event != TERM_TIMEOUT)
			return event;
		if (read_key(key))
			return TERM_KEY;
		if (is_lost())
			return TERM_LOST;
		if (late)
			return TERM_TIMEOUT;
		if (timeout_ms > 0) {
			left = end - now_ms();
			late = left <= 0;
			left = late ? 0 : left;
		}
		if (!sleep_until(timeout_ms < 0, left))
			return TERM_LOST;
	}
}
