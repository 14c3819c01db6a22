#include "engine/host/pi_compact_prompt.h"

#include <math.h>

#include "engine/base/num.h"
#include "engine/kernel/lenient.h"

double pi_ref_number(const struct state *s, uint32_t ref)
{
	char out[REF_TEXT_MAX];
	double number = 0;
	if (ref == REF_NONE || ref == REF_BLOCKED)
		return -1;
	if (ref <= REF_MAX)
		return ref;
	struct str text = state_ref_text(s, ref, out);
	if (text.n < 2 || text.p[0] != 'm')
		return -1;
	for (size_t i = 1; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return -1;
		number = number * 10 + (text.p[i] - '0');
	}
	return isfinite(number) ? number : -1; /* a gap between infinities is no number */
}

/* ---- the slice (7.4.4) ---- */

static bool in_span(const struct surface_row *r, const struct state *s, const struct pi_span *span)
{
	if (!pi_span_counts(r))
		return false;
	double number = pi_ref_number(s, r->ref);
	return number >= span->first && number <= span->last;
}

static void put_line(struct buf *b, const struct surface_row *r, struct state *s, const struct alternatives *alt,
		     struct arena *scratch)
{
	char ref[REF_TEXT_MAX];
	struct buf text = {0};
	buf_char(b, '[');
	buf_str(b, state_ref_text(s, r->ref, ref));
	buf_text(b, "] ");
	buf_str(b, r->role == ROLE_TOOL ? STR("tool result") : role_name((enum role)r->role));
	if (r->tool != 0) {
		buf_text(b, " (");
		buf_str(b, names_get(s->names, r->tool));
		buf_char(b, ')');
	}
	buf_text(b, ": ");
	surface_text(r, s, alt, scratch, &text);
	buf_str(b, text_slice(scratch, buf_view(&text), 0, PI_SLICE_MESSAGE_UNITS));
	if (surface_measure(r).units > PI_SLICE_MESSAGE_UNITS)
		buf_text(b, " …[truncated]");
	buf_char(b, '\n');
	buf_free(&text);
}

static void put_slice(struct buf *b, struct pi_span *span, const struct surface *f, struct state *s,
		      const struct alternatives *alt, struct arena *scratch)
{
	double units = 0;
	bool full = false;
	struct buf line = {0};
	for (size_t i = 0; i < f->rows.n; i++) {
		const struct surface_row *r = &f->rows.v[i];
		if (!in_span(r, s, span))
			continue;
		span->messages++;
		if (full)
			continue;
		struct arena_mark mark = arena_mark(scratch);
		buf_cut(&line, 0);
		put_line(&line, r, s, alt, scratch);
		arena_release(scratch, mark);
		double more = text_measure(buf_view(&line)).units;
		full = units + more > PI_SLICE_UNITS;
		if (full)
			continue;
		units += more;
		span->shown++;
		buf_str(b, buf_view(&line));
	}
	buf_free(&line);
	if (span->messages > span->shown)
		buf_printf(b, "[%zu more messages of this range are not shown]\n", span->messages - span->shown);
}

/* ---- the prompt (7.4.3) ---- */

static void put_rules(struct buf *b, const struct pi_prompts *prompts)
{
	for (unsigned i = 0; i < PI_PROMPT_COUNT; i++) {
		buf_str(b, text_trim(prompts->text[i]));
		buf_text(b, "\n\n");
	}
	buf_text(b, "Write one dense summary that stands on its own. Answer with a JSON object and nothing else;\n"
		    "it has exactly one member, \"summary\", a string: {\"summary\": \"...\"}\n\n");
}

static void put_request(struct buf *b, const struct pi_span *span, const struct state *s)
{
	char start[REF_TEXT_MAX], end[REF_TEXT_MAX], tokens[NUM_TEXT_MAX];
	num_print(tokens, span->tokens);
	buf_text(b, "Compress the range [");
	buf_str(b, state_ref_text(s, span->start, start));
	buf_text(b, "..");
	buf_str(b, state_ref_text(s, span->end, end));
	buf_printf(b, "] (about %s tokens in %zu messages):\n\n", tokens, span->messages);
}

void pi_compact_put_prompt(struct buf *b, const struct pi_prompts *prompts, struct pi_span *span,
			   const struct surface *f, struct state *s, const struct alternatives *alt,
			   struct arena *scratch)
{
	struct buf slice = {0};
	span->messages = span->shown = 0;
	put_slice(&slice, span, f, s, alt, scratch);
	if (span->messages > 0) {
		put_rules(b, prompts);
		put_request(b, span, s);
		buf_str(b, buf_view(&slice));
	}
	buf_free(&slice);
}

/* ---- the answer (7.4.6) ---- */

static const char *const reply_names[] = {
	[PI_REPLY_USABLE] = "usable",
	[PI_REPLY_NOT_JSON] = "not-json",
	[PI_REPLY_NOT_OBJECT] = "not-object",
	[PI_REPLY_NO_SUMMARY] = "no-summary",
	[PI_REPLY_EMPTY_SUMMARY] = "empty-summary",
};

const char *pi_reply_name(enum pi_reply r) { return reply_names[r]; }

#define FENCE "```"
enum { FENCE_BYTES = 3, JSON_BYTES = 4 };

/* Nothing is trimmed first: a fence is one only at the very start, and at the very end. */
static struct str without_fences(struct arena *a, struct str s)
{
	if (str_starts(s, STR(FENCE))) {
		size_t at = FENCE_BYTES;
		if (str_eq(text_lower_ascii(a, str_cut(s, at, at + JSON_BYTES)), STR("json")))
			at += JSON_BYTES;
		s = str_cut(s, at, s.n);
	}
	if (s.n >= FENCE_BYTES && memcmp(s.p + s.n - FENCE_BYTES, FENCE, FENCE_BYTES) == 0)
		s = str_cut(s, 0, s.n - FENCE_BYTES);
	return text_trim(s); /* the blanks beside the fences, too */
}

enum pi_reply pi_reply_read(struct arena *a, struct str reply, struct str *summary)
{
	*summary = (struct str){NULL, 0};
	const cJSON *tree = lenient_strict(a, without_fences(a, reply));
	if (tree == NULL)
		return PI_REPLY_NOT_JSON;
	if (!cJSON_IsObject(tree))
		return PI_REPLY_NOT_OBJECT;
	*summary = json_str(json_get(tree, "summary"));
	if (summary->p == NULL)
		return PI_REPLY_NO_SUMMARY;
	return summary->n > 0 ? PI_REPLY_USABLE : PI_REPLY_EMPTY_SUMMARY;
}
