/*
 * screen_script: the app without a terminal: a size, keys, and the screen they give.
 *
 * Runs the same core as the event loop on a grid of its own. Jobs are run to
 * their end before every key, so a script gives the same screens every
 * time. Owns its app and grid; must not be moved once opened.
 */
#ifndef TUI_SCREEN_SCRIPT_H
#define TUI_SCREEN_SCRIPT_H

#include "tui/app.h"

struct screen_script {
	struct app app;
	struct grid grid;
	bool quit;      /* a key quit; later ones are ignored */
	unsigned flags; /* enum app_flag, all that came so far */
};

/* Statuses of app_open, or of the jobs. On failure nothing has to be closed. */
enum status screen_open(struct screen_script *s, const struct cli_request *request, int rows, int cols, bool ascii,
			struct error *e);
void screen_resize(struct screen_script *s, int rows, int cols);
void screen_key(struct screen_script *s, struct key k);
/* Keys as key_script reads them. STATUS_DATA: bytes that are no keys; none is pressed then. */
enum status screen_keys(struct screen_script *s, struct str script, struct error *e);
/* Appends the present screen, a line a row without trailing blanks. */
void screen_text(struct screen_script *s, struct buf *out);
/* The same with styles, as grid_dump. */
void screen_dump(struct screen_script *s, struct buf *out);
/* The hook of `acpdbg screen`. */
int screen_print(const struct cli_request *request, const struct cli_screen *wish, struct buf *out);
void screen_close(struct screen_script *s);

#endif
