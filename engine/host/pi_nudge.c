#include "engine/host/pi_nudge.h"

#include "engine/base/num.h"

const char *pi_nudge_verdict_name(enum pi_nudge_verdict v)
{
	static const char *const names[PI_NUDGE_VERDICTS] = {
		[PI_NUDGE_NOT_INJECTED] = "not-injected",         [PI_NUDGE_SENT_FIRST] = "sent-first-of-turn",
		[PI_NUDGE_SENT_EMERGENCY] = "sent-emergency",     [PI_NUDGE_SENT_GROWTH] = "sent-growth-repeat",
		[PI_NUDGE_SUPPRESSED_SHOWN] = "suppressed-shown", [PI_NUDGE_SUPPRESSED_RETRIES] = "suppressed-retries",
	};
	return names[v];
}

/* ---- memory ---- */

void pi_nudge_user(struct pi_nudge_memory *n, uint32_t entry)
{
	n->key = entry;
	n->failed = 0;
}

void pi_nudge_attempt(struct pi_nudge_memory *n, enum pi_nudge_attempt what)
{
	/* a success takes none of them back: only a user entry does */
	if (what != PI_NUDGE_APPLIED && n->failed < UINT32_MAX)
		n->failed++;
}

void pi_nudge_forget(struct pi_nudge_memory *n) { *n = (struct pi_nudge_memory){.key = n->key}; }

double pi_nudge_repeat(const struct config *c)
{
	double share = c->min_growth_ratio * c->growth_cap;
	return share > c->min_growth_floor ? share : c->min_growth_floor;
}

static enum pi_nudge_verdict judge(const struct pi_nudge_memory *n, const struct nudge_decision *d, double usage,
				   double tokens, const struct config *c)
{
	if (!d->inject)
		return PI_NUDGE_NOT_INJECTED;
	if (n->failed >= PI_NUDGE_ATTEMPTS)
		return PI_NUDGE_SUPPRESSED_RETRIES;
	if (!n->any || n->shown != n->key)
		return PI_NUDGE_SENT_FIRST;
	if (usage >= c->emergency_pct)
		return PI_NUDGE_SENT_EMERGENCY;
	return tokens - n->tokens >= pi_nudge_repeat(c) ? PI_NUDGE_SENT_GROWTH : PI_NUDGE_SUPPRESSED_SHOWN;
}

enum pi_nudge_verdict pi_nudge_decide(struct pi_nudge_memory *n, const struct nudge_decision *d, double usage,
				      double tokens, const struct config *c)
{
	enum pi_nudge_verdict v = judge(n, d, usage, tokens, c);
	if (pi_nudge_sent(v)) {
		n->any = true;
		n->shown = n->key;
		n->tokens = tokens;
	} else if (tokens < n->tokens) {
		n->tokens = tokens;
	}
	return v;
}

/* ---- text: figures ---- */

static void put_label(struct buf *b, double tokens)
{
	char text[NUM_TEXT_MAX];
	buf_bytes(b, text, num_label_nudge(text, tokens));
}

static void put_tools(struct buf *b, const struct state *s, const struct nudge_rows *rows, const struct nudge_row *row)
{
	for (uint32_t i = 0; i < row->tools_n; i++) {
		buf_text(b, i == 0 ? ": " : ", ");
		buf_str(b, names_get(s->names, rows->tools.v[row->tools_at + i]));
	}
}

static void put_row(struct buf *b, const struct state *s, const struct nudge_rows *rows, const struct nudge_row *row)
{
	char ref[REF_TEXT_MAX];
	buf_text(b, "\n- ");
	buf_str(b, state_ref_text(s, row->start, ref));
	buf_text(b, "\xE2\x80\x93");
	buf_str(b, state_ref_text(s, row->end, ref));
	buf_text(b, ": ");
	json_put_num(b, row->count);
	buf_text(b, row->count == 1 ? " message, " : " messages, ");
	put_label(b, row->tokens);
	buf_text(b, " tokens (");
	if (row->kind == NUDGE_ROW_PLAIN) {
		buf_printf(b, "%d%% tool, %d%% text", row->tool_pct, 100 - row->tool_pct);
	} else if (row->kind == NUDGE_ROW_MIXED) {
		put_label(b, row->open);
		buf_text(b, " compressible, ");
		put_label(b, row->guarded);
	}
	if (row->kind != NUDGE_ROW_PLAIN) {
		buf_text(b, row->kind == NUDGE_ROW_MIXED ? " protected" : "protected");
		put_tools(b, s, rows, row);
	}
	buf_text(b, row->dangerous ? "), risky" : ")");
}

static void put_ranges(const struct pi_nudge_source *from, struct buf *b)
{
	struct nudge_rows rows = {0};
	size_t listed = 0;
	nudge_text_ranges(from->recommendation, from->state, &rows);
	for (size_t i = 0; i < rows.list.n; i++) {
		if (rows.list.v[i].tokens < PI_NUDGE_LISTED_TOKENS)
			continue;
		buf_text(b, listed++ == 0 ? "Ranges that can be compressed:" : "");
		put_row(b, from->state, &rows, &rows.list.v[i]);
	}
	if (listed == 0)
		buf_text(b, "No range of the conversation can be compressed at the moment.");
	nudge_rows_free(&rows);
}

static void put_targets(const struct pi_nudge_source *from, struct buf *b)
{
	const struct nudge_decision *d = from->decision;
	buf_printf(b, "Blocks of tier %d:", nudge_text_heading_tier(d, from->state));
	for (size_t i = 0; i < d->targets.n; i++) {
		struct nudge_target t = nudge_text_target(from->state, d->targets.v[i]);
		buf_text(b, "\n- ");
		buf_str(b, t.id);
		buf_printf(b, ": %u %s, ", (unsigned)t.effective, t.effective == 1 ? "message" : "messages");
		put_label(b, t.compressed);
		buf_text(b, " tokens, summary ");
		put_label(b, t.summary);
		buf_text(b, t.topic.n > 0 ? ", " : "");
		buf_str(b, t.topic);
	}
}

static void put_example(const struct pi_nudge_source *from, struct buf *b)
{
	struct str start, end;
	nudge_text_example(from->decision, from->state, &start, &end);
	buf_text(b, "Call: compress({\"content\":[{\"startId\":");
	json_put_str(b, start);
	buf_text(b, ",\"endId\":");
	json_put_str(b, end);
	buf_text(b, ",\"summary\":\"...\"}]})");
}

void pi_nudge_put_blocks(const struct state *s, struct buf *b)
{
	size_t active = 0, of_tier[4] = {0};
	double summaries = 0, originals = 0;
	for (size_t i = 0; i < s->live.n; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		active += k->active;
		of_tier[k->tier <= 3 ? k->tier : 0] += k->active;
		summaries += k->active ? text_fast_tokens(k->summary_size) : 0;
		originals += k->active && k->has_tokens ? k->tokens : 0;
	}
	if (active == 0)
		return;
	buf_printf(b, "Compressed blocks: %zu active (", active);
	for (int t = 1, any = 0; t <= 3; t++)
		if (of_tier[t] > 0)
			buf_printf(b, "%sT%d %zu", any++ ? ", " : "", t, of_tier[t]);
	buf_text(b, "), summaries ");
	put_label(b, summaries);
	buf_text(b, " tokens, originals ");
	put_label(b, originals);
	buf_text(b, " tokens: ");
	for (size_t i = 0, named = 0; i < s->live.n && named < PI_NUDGE_IDS; i++) {
		const struct block *k = &s->blocks.v[s->live.v[i]];
		if (!k->active)
			continue;
		buf_text(b, named++ == 0 ? "" : ", ");
		buf_str(b, names_get(s->names, k->id));
	}
	if (active > PI_NUDGE_IDS)
		buf_printf(b, " +%zu more", active - PI_NUDGE_IDS);
}

/* ---- text: layout (kernel.md 4.7.8) ---- */

static const char intro_calm[] = "The context has grown, and part of it can be compressed now.";
static const char intro_loud[] = "THE CONTEXT WINDOW IS NEARLY FULL. Call compress now, before you do anything else.";
static const char shape[] =
	"Arguments of compress: {\"content\":[{\"startId\":\"<ref>\",\"endId\":\"<ref>\",\"summary\":\""
	"...\"}]}";
static const char hint[] = "Take refs from the list below, as they stand there.";
static const char batch_hint[] =
	"Ranges that have nothing to do with each other go into one call, as items of their own.";
static const struct {
	const char *trigger, *loud_trigger, *instruction, *rules;
} of_tier[] = {
	[0] = {"Many summaries of tier 1 have piled up: distil them.",
	       "THE CONTEXT WINDOW IS NEARLY FULL, and most of it is summaries of tier 1: distil them now.",
	       "Replace the blocks below by one block of tier 2.",
	       "A summary of tier 2 is made from summaries: keep decisions, results and what is open; drop how they "
	       "came "
	       "about."},
	[1] = {"Many summaries of tier 2 have piled up: condense them.",
	       "THE CONTEXT WINDOW IS NEARLY FULL, and most of it is summaries of tier 2: condense them now.",
	       "Replace the blocks below by one block of tier 3.",
	       "A summary of tier 3 keeps only what later work cannot do without: goals, decisions in force, names and "
	       "places."},
};

static void put_lines(struct buf *b, struct str text, const char *after)
{
	buf_str(b, text);
	buf_text(b, after);
}

static void put_distill(const struct pi_nudge_source *from, bool loud, struct buf *b)
{
	int i = from->decision->tier - 2;
	put_lines(b, str_of(loud ? of_tier[i].loud_trigger : of_tier[i].trigger), "\n");
	put_lines(b, str_of(of_tier[i].instruction), "\n");
	put_targets(from, b);
	buf_char(b, '\n');
	put_example(from, b);
	buf_text(b, "\n\n");
	put_lines(b, from->prompts->text[PI_PROMPT_HOW_TO], "\n\n");
	buf_text(b, of_tier[i].rules);
}

static void put_fold(const struct pi_nudge_source *from, bool loud, struct buf *b)
{
	put_lines(b, from->prompts->text[PI_PROMPT_HOW_TO], "\n\n");
	if (loud) {
		put_lines(b, str_of(shape), "\n");
		put_lines(b, str_of(hint), "\n\n");
	}
	put_ranges(from, b);
	if (!loud)
		buf_printf(b, "\n\n%s", batch_hint);
}

void pi_nudge_put(const struct pi_nudge_source *s, struct buf *b)
{
	const struct nudge_decision *d = s->decision;
	bool loud = nudge_text_voice(d) == NUDGE_EMERGENCY, distill = d->tier == 2 || d->tier == 3;
	/* the intro of a distillation stays calm (kernel.md 4.7.8) */
	buf_text(b, loud && !distill ? intro_loud : intro_calm);
	buf_char(b, '\n');
	put_lines(b, s->prompts->text[PI_PROMPT_PHILOSOPHY], "\n\n");
	nudge_text_categories(&d->context, b);
	buf_text(b, "\n\n");
	if (distill)
		put_distill(s, loud, b);
	else
		put_fold(s, loud, b);
	if (!s->blocks)
		return;
	size_t before = b->n;
	buf_text(b, "\n\n");
	pi_nudge_put_blocks(s->state, b);
	if (b->n == before + 2)
		buf_cut(b, before);
}
