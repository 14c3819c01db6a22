/*
 * The top line: session, host, model, policy, position, tokens of the window, density, hit, nudge, blocks, fidelity.
 *
 * Every piece has several forms, from the long one to none. Pieces are shortened
 * one step at a time, in the order of `shrink`, until the line fits; the turn
 * never goes.
 */
#include <math.h>

#include "replay/view/view.h"

#include "replay/checks.h"
#include "replay/view/text.h"
#include "replay/view/words.h"
#include "replay/window.h"

enum piece {
	PIECE_ID,
	PIECE_HOST,
	PIECE_MODEL,
	PIECE_POLICY,
	PIECE_TURN,
	PIECE_TOKENS,
	PIECE_DENSITY,
	PIECE_HIT,
	PIECE_NUDGE,
	PIECE_BLOCKS,
	PIECE_FIDELITY,
	PIECE_COUNT
};
enum { FORMS = 4 }; /* form 0 is the long one; a piece without words is left out */

/* Which piece gets shorter next; each at most FORMS - 1 times. */
static const uint8_t shrink[] = {
	PIECE_TOKENS,   PIECE_ID,     PIECE_HIT,      PIECE_NUDGE,    PIECE_POLICY,  PIECE_TURN,
	PIECE_FIDELITY, PIECE_MODEL,  PIECE_ID,       PIECE_ID,       PIECE_HIT,     PIECE_DENSITY,
	PIECE_MODEL,    PIECE_HOST,   PIECE_FIDELITY, PIECE_HIT,      PIECE_BLOCKS,  PIECE_MODEL,
	PIECE_POLICY,   PIECE_TURN,   PIECE_BLOCKS,   PIECE_FIDELITY, PIECE_DENSITY, PIECE_DENSITY,
	PIECE_POLICY,   PIECE_TOKENS, PIECE_NUDGE,    PIECE_TURN,     PIECE_TOKENS,  PIECE_NUDGE,
};

/* Pieces that begin a group, set off by a rule from the one before. */
static const bool begins_group[PIECE_COUNT] = {
	[PIECE_TURN] = true,  [PIECE_TOKENS] = true, [PIECE_DENSITY] = true, [PIECE_HIT] = true,
	[PIECE_NUDGE] = true, [PIECE_BLOCKS] = true, [PIECE_FIDELITY] = true};

struct form {
	struct buf words;
	enum style style;
	int columns;
};

struct top {
	const struct view_context *c;
	const struct frame *f; /* NULL: no position yet */
	const struct run *r;
	struct form forms[PIECE_COUNT][FORMS];
};

/* The first characters of a name of the session. */
static void put_start(struct buf *b, struct str name, int columns, bool ascii)
{
	int used;
	struct str start = text_clip(name, columns, ascii, &used);
	buf_str(b, start);
	if (start.n < name.n)
		buf_text(b, glyph(GLYPH_ELLIPSIS, ascii));
}

/* The model in use at the position: what the newest turn or model record up to there says, else the session. */
static struct str model_at(const struct top *s)
{
	const struct recording *rec = s->r->recording;
	size_t n = s->f ? position_record(s->r, s->f->at) + (s->f->at.turn > 0 && s->f->at.records == 0) : 0;
	for (size_t i = n < rec->records.n ? n : rec->records.n; i-- > 0;) {
		const struct record *r = &rec->records.v[i];
		uint32_t model = r->type == RECORD_TURN    ? rec->turns.v[r->index].model
				 : r->type == RECORD_MODEL ? rec->others.v[r->index].name
							   : 0;
		if (model != 0)
			return names_get(&rec->names, model);
	}
	return rec->model;
}

static void make_session(struct top *s)
{
	const struct recording *rec = s->r->recording;
	struct str model = model_at(s);
	bool ascii = s->c->ascii;
	buf_str(&s->forms[PIECE_ID][0].words, rec->id);
	put_start(&s->forms[PIECE_ID][1].words, rec->id, 18, ascii);
	put_start(&s->forms[PIECE_ID][2].words, rec->id, 8, ascii);
	buf_str(&s->forms[PIECE_HOST][0].words, rec->host);
	buf_str(&s->forms[PIECE_MODEL][0].words, model);
	put_start(&s->forms[PIECE_MODEL][1].words, model, 20, ascii);
	put_start(&s->forms[PIECE_MODEL][2].words, model, 10, ascii);
}

static void make_policy(struct top *s)
{
	const struct policy *p = &s->r->policy;
	struct form *forms = s->forms[PIECE_POLICY];
	buf_text(&forms[0].words, p->profile);
	buf_text(&forms[1].words, p->profile);
	buf_text(&forms[2].words, p->profile);
	for (int i = 0; i < FORMS; i++)
		forms[i].style = STYLE_BAR;
}

/* ".hide-compress-calls" or "+3", what stands behind the turn; of a node's name only the first word when `brief`. */
static void put_place(const struct frame *f, bool brief, struct buf *b)
{
	struct buf whole = {0};
	size_t digits = 0;
	position_print(f->at, &whole);
	while (digits < whole.n && whole.p[digits] >= '0' && whole.p[digits] <= '9')
		digits++;
	struct str place = str_cut(buf_view(&whole), digits, whole.n);
	size_t word = brief ? str_find(place, STR("-"), 0) : SIZE_MAX;
	buf_str(b, str_cut(place, 0, word < place.n ? word : place.n));
	buf_free(&whole);
}

static void make_turn(struct top *s)
{
	struct form *forms = s->forms[PIECE_TURN];
	unsigned turn = s->f ? s->f->at.turn : 0;
	for (int i = 0; i < FORMS; i++) {
		bool bare = i == FORMS - 1;
		const char *alert = !s->f                        ? NULL
				    : s->f->capacity             ? " ref-capacity"
				    : words_counterfactual(s->f) ? " counterfactual"
								 : NULL;
		buf_printf(&forms[i].words, i < 2 ? "turn %u" : "%u", turn);
		if (!bare)
			buf_printf(&forms[i].words, "/%zu", s->r->timeline.turns.n);
		if (!bare && s->f)
			put_place(s->f, i > 0, &forms[i].words);
		if (alert)
			buf_text(&forms[i].words, i > 1 ? "!" : alert);
		forms[i].style = alert ? STYLE_BAR_ALERT : STYLE_BAR;
	}
}

static void make_tokens(struct top *s)
{
	struct form *forms = s->forms[PIECE_TOKENS];
	if (!s->f)
		return;
	double tokens = s->f->turn.in.tokens, limit = s->r->config.limit;
	bool assumed = s->r->limit_assumed, refuted = window_refuted(s->r);
	char mark = words_count_mark((enum count_scale)s->f->counted);
	/* the scale: in words, else as a sign */
	for (int i = 1; i < 3 && mark != ' '; i++)
		buf_char(&forms[i].words, mark);
	for (int i = 0; i < 2; i++) {
		words_short(&forms[i].words, tokens);
		if (i == 0)
			buf_printf(&forms[i].words, " (%s)", words_host_scale(s->f));
		buf_text(&forms[i].words, " of ");
		words_short(&forms[i].words, limit);
		buf_text(&forms[i].words, refuted ? " (assumed, refuted) " : assumed ? " (assumed) " : " ");
	}
	for (int i = 0; i < 3; i++) {
		words_percent_round(&forms[i].words, limit > 0 ? tokens / limit : 0);
		forms[i].style = STYLE_BAR;
	}
	if (assumed)
		buf_text(&forms[2].words, refuted ? " (a!)" : " (a)");
	if (s->f->counterfactual_tokens)
		buf_text(&forms[0].words, " no turn here");
	if (s->f->turn.nudge.n.over_limit || s->f->turn.nudge.n.emergency || refuted)
		for (int i = 0; i < 3; i++)
			forms[i].style = STYLE_BAR_ALERT;
}

/* Density after the turn, where one is measured. */
static void make_density(struct top *s)
{
	struct form *forms = s->forms[PIECE_DENSITY];
	uint32_t turn = s->f && s->r->pi.measures ? s->f->at.turn : 0;
	if (turn == 0 || turn > s->r->pi.samples.n)
		return;
	double value = s->r->pi.samples.v[turn - 1].value;
	buf_printf(&forms[0].words, "density %.4g", value);
	buf_printf(&forms[1].words, "d%.4g", value);
}

/* Cache hit of the turn's request: the provider's where it tells of a cache at all, and what the prefix predicts. */
static void make_hit(struct top *s)
{
	struct form *forms = s->forms[PIECE_HIT];
	uint32_t turn = s->f ? s->f->at.turn : 0;
	if (turn == 0)
		return;
	const struct moment *m = &s->r->timeline.turns.v[turn - 1];
	bool known = m->prompt > 0 && (s->r->cache_reported || m->cache_read > 0);
	double predicted = turn <= s->r->sender.sent.n ? s->r->sender.sent.v[turn - 1].predicted : NAN;
	for (int i = 0; i < 3; i++) {
		if (known) {
			buf_text(&forms[i].words, i < 2 ? "hit " : "h");
			words_percent_round(&forms[i].words, m->cache_read / m->prompt);
		}
		if (isnan(predicted) || (known && i > 0))
			continue;
		buf_text(&forms[i].words, known ? " (predicted " : i < 1 ? "predicted hit " : i < 2 ? "hit ~" : "h~");
		words_percent_round(&forms[i].words, predicted);
		buf_text(&forms[i].words, known ? ")" : "");
	}
}

static void make_nudge(struct top *s)
{
	struct form *forms = s->forms[PIECE_NUDGE];
	const struct nudge_decision *d = s->f ? &s->f->turn.nudge : NULL;
	if (!d || s->f->capacity || s->f->at.node < NODE_NUDGE)
		return;
	if (!d->inject) {
		buf_printf(&forms[0].words, "no nudge (%s)", nudge_reason_name(d->reason));
		buf_text(&forms[1].words, "no nudge");
		return;
	}
	const char *withheld = s->f->counterfactual_tokens ? NULL : run_nudge_withheld(s->r, s->f->at.turn);
	if (withheld != NULL) {
		buf_printf(&forms[0].words, "nudge T%d not sent (%s)", d->tier, withheld);
		buf_printf(&forms[1].words, "T%d not sent", d->tier);
		buf_printf(&forms[2].words, "(T%d)", d->tier);
		return;
	}
	buf_printf(&forms[0].words, "nudge T%d (%s)", d->tier, nudge_reason_name(d->reason));
	buf_printf(&forms[1].words, "nudge T%d", d->tier);
	buf_printf(&forms[2].words, "T%d", d->tier);
	for (int i = 0; i < FORMS; i++)
		forms[i].style = STYLE_BAR_ALERT;
}

static void make_blocks(struct top *s)
{
	struct form *forms = s->forms[PIECE_BLOCKS];
	const struct state *state = &s->r->state;
	size_t active = 0;
	if (!s->f)
		return;
	for (size_t i = 0; i < state->live.n; i++)
		active += state->blocks.v[state->live.v[i]].active;
	buf_printf(&forms[0].words, "%zu/%zu blocks", active, state->blocks.n);
	buf_printf(&forms[1].words, "%zu/%zub", active, state->blocks.n);
}

/* "o3/4 r5/9 c1/1 p5/5"; `bad`: only what does not agree everywhere. */
static void put_fidelity(const struct fidelity *f, bool bad, struct buf *b)
{
	const struct {
		char letter;
		size_t agree, all;
	} parts[] = {{'o', f->outcomes_agree, f->outcomes}, {'r', f->refs_agree, f->refs},
		     {'c', f->counts_agree, f->counts},     {'p', f->prompts_agree, f->prompts},
		     {'k', f->hits_agree, f->hits},         {'l', f->logged_agree, f->logged}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].all > 0 && !(bad && parts[i].agree == parts[i].all))
			buf_printf(b, "%s%c%zu/%zu", b->n > 0 ? " " : "", parts[i].letter, parts[i].agree,
				   parts[i].all);
}

/* How far the replay is what really happened; nothing as long as that is not known, or where nothing is recorded. */
static void make_fidelity(struct top *s)
{
	struct form *forms = s->forms[PIECE_FIDELITY];
	if (!s->f || !s->f->checks || !s->f->checks->done)
		return;
	const struct fidelity *f = &s->f->checks->fidelity;
	bool differs = f->outcomes_agree < f->outcomes || f->refs_agree < f->refs;
	fidelity_put_short(f, &forms[0].words);
	put_fidelity(f, false, &forms[1].words);
	put_fidelity(f, true, &forms[2].words);
	if (forms[1].words.n > 0 && forms[2].words.n == 0)
		buf_text(&forms[2].words, glyph(GLYPH_PASS, s->c->ascii));
	for (int i = 0; i < FORMS; i++)
		forms[i].style = differs ? STYLE_BAR_ALERT : STYLE_BAR;
}

static int total(const struct top *s, const int level[PIECE_COUNT])
{
	int columns = 0;
	for (int i = 0; i < PIECE_COUNT; i++) {
		int own = s->forms[i][level[i]].columns;
		columns += own > 0 ? own + (columns > 0 ? (begins_group[i] ? 3 : 1) : 0) : 0;
	}
	return columns;
}

static void put_pieces(const struct top *s, const int level[PIECE_COUNT], struct line *out)
{
	out->fill = STYLE_BAR;
	for (int i = 0; i < PIECE_COUNT; i++) {
		const struct form *form = &s->forms[i][level[i]];
		if (form->columns == 0)
			continue;
		if (out->width > 0 && begins_group[i]) {
			line_puts(out, STYLE_BAR_DIM, " ");
			line_glyph(out, STYLE_BAR_DIM, GLYPH_VLINE);
		}
		if (out->width > 0)
			line_puts(out, STYLE_BAR_DIM, " ");
		words_put(out, form->style, buf_view(&form->words));
	}
}

void status_line(const struct view_context *c, struct line *out)
{
	struct top s = {.c = c, .r = c->run, .f = c->frame && c->frame->run ? c->frame : NULL};
	int level[PIECE_COUNT] = {0};
	line_reset(out, c->width);
	out->fill = STYLE_BAR;
	if (c->run == NULL)
		return;
	for (int i = 0; i < PIECE_COUNT; i++)
		for (int k = 0; k < FORMS; k++)
			s.forms[i][k].style = i <= PIECE_MODEL ? STYLE_BAR_DIM : STYLE_BAR;
	make_session(&s);
	make_policy(&s);
	make_turn(&s);
	make_tokens(&s);
	make_density(&s);
	make_hit(&s);
	make_nudge(&s);
	make_blocks(&s);
	make_fidelity(&s);
	for (int i = 0; i < PIECE_COUNT; i++)
		for (int k = 0; k < FORMS; k++)
			s.forms[i][k].columns = text_width_up_to(buf_view(&s.forms[i][k].words), c->ascii, c->width);
	size_t steps = 0;
	for (; steps < sizeof shrink && total(&s, level) > c->width; steps++)
		level[shrink[steps]]++;
	/* the last steps may have made room for earlier ones */
	while (steps-- > 0) {
		level[shrink[steps]]--;
		if (total(&s, level) > c->width)
			level[shrink[steps]]++;
	}
	put_pieces(&s, level, out);
	for (int i = 0; i < PIECE_COUNT; i++)
		for (int k = 0; k < FORMS; k++)
			buf_free(&s.forms[i][k].words);
}

/* ---- `--pane timeline`: what stands above and below the panes ---- */

static size_t count(const struct view_context *c)
{
	(void)c;
	return 1 + STRIP_LINES;
}

static void line(const struct view_context *c, size_t i, struct line *out)
{
	if (i == 0)
		status_line(c, out);
	else
		strip_line(c, (int)i - 1, out);
}

static uint64_t key(const struct view_context *c, size_t i)
{
	(void)c, (void)i;
	return 0;
}

const struct view_ops timeline_view = {
	.name = "timeline", .title = "Top line and timeline", .count = count, .line = line, .key = key};
