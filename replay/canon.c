#include "replay/canon.h"

enum { RANGE_TEXT_MAX = 256 }; /* bytes of a range with canonical refs: six labels and six numbers */

/* Digits of a whole number below 2^53 at p; returns the end. */
static char *put_digits(char *p, uint64_t n)
{
	char back[24];
	size_t i = 0;
	do
		back[i++] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	while (i > 0)
		*p++ = back[--i];
	return p;
}

static bool is_whole(double x) { return x >= 0 && x < 9007199254740992.0 && (double)(uint64_t)x == x; }

void canon_number(struct buf *b, double x)
{
	char text[24];
	if (is_whole(x))
		buf_bytes(b, text, (size_t)(put_digits(text, (uint64_t)x) - text));
	else
		json_put_num(b, x);
}

void canon_name(struct buf *b, const struct names *names, uint32_t name) { json_put_str(b, names_get(names, name)); }

void canon_ref(struct buf *b, const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	if (ref == REF_NONE)
		buf_text(b, "null");
	else
		json_put_str(b, state_ref_text(s, ref, text));
}

void canon_last_ref(struct buf *b, struct state *s)
{
	uint32_t ref = REF_NONE;
	if (s->rows.n > 0)
		ref = state_info(s, s->messages.v[s->rows.v[s->rows.n - 1]].id)->ref;
	canon_ref(b, s, ref);
}

void canon_tier(struct buf *b, int tier)
{
	if (tier == 0)
		buf_text(b, "null");
	else
		canon_number(b, tier);
}

void canon_blocks(struct buf *b, const struct state *s, const uint32_t *blocks, size_t n)
{
	buf_char(b, '[');
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_char(b, ',');
		canon_name(b, s->names, s->blocks.v[blocks[i]].id);
	}
	buf_char(b, ']');
}

void canon_nudge_state(struct buf *b, const struct scalars *now)
{
	bool first = true;
	buf_text(b, "{\"baseline\":");
	canon_number(b, now->baseline);
	buf_text(b, ",\"lastShown\":");
	canon_number(b, now->shown);
	buf_text(b, ",\"byTier\":{");
	for (int t = 1; t <= 3; t++) {
		if (!(now->tier_set >> t & 1))
			continue;
		const char key[] = {',', '"', (char)('0' + t), '"', ':'};
		buf_bytes(b, first ? key + 1 : key, first ? sizeof key - 1 : sizeof key);
		canon_number(b, now->tier_shown[t]);
		first = false;
	}
	buf_text(b, "}}");
}

void canon_stats(struct buf *b, const struct scalars *now)
{
	buf_text(b, "{\"tokensCompressed\":");
	canon_number(b, now->tokens_compressed);
	buf_text(b, ",\"compressionCount\":");
	canon_number(b, now->compression_count);
	buf_char(b, '}');
}

void canon_kinds(struct buf *b, const struct compress_note *notes, size_t n)
{
	buf_char(b, '[');
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? ",\"" : "\"");
		buf_text(b, compress_kind_name(notes[i].kind));
		buf_char(b, '"');
	}
	buf_char(b, ']');
}

/* ---- ranges ---- */

static char *put_text(char *p, const char *text, size_t n)
{
	memcpy(p, text, n);
	return p + n;
}
#define PUT(p, literal) put_text(p, literal, sizeof(literal) - 1)

static char *put_ref(char *p, uint32_t ref)
{
	*p++ = 'm';
	for (uint32_t unit = 10000; unit > 0; unit /= 10)
		*p++ = (char)('0' + ref / unit % 10);
	return p;
}

static bool canonical(uint32_t ref) { return ref >= 1 && ref <= REF_MAX; }

/* {"startRef":..,"endRef":..,"count":..,"tokens":.. of either kind of range. */
static void put_range_head(struct buf *b, const struct state *s, uint32_t start, uint32_t end, uint32_t count,
			   double tokens)
{
	char text[RANGE_TEXT_MAX], *p = text;
	if (canonical(start) && canonical(end) && is_whole(tokens)) {
		p = PUT(p, "{\"startRef\":\"");
		p = put_ref(p, start);
		p = PUT(p, "\",\"endRef\":\"");
		p = put_ref(p, end);
		p = PUT(p, "\",\"count\":");
		p = put_digits(p, count);
		p = PUT(p, ",\"tokens\":");
		p = put_digits(p, (uint64_t)tokens);
		buf_bytes(b, text, (size_t)(p - text));
		return;
	}
	buf_text(b, "{\"startRef\":");
	canon_ref(b, s, start);
	buf_text(b, ",\"endRef\":");
	canon_ref(b, s, end);
	buf_text(b, ",\"count\":");
	canon_number(b, count);
	buf_text(b, ",\"tokens\":");
	canon_number(b, tokens);
}

static void put_range(struct buf *b, const struct state *s, const struct range *r)
{
	put_range_head(b, s, r->start, r->end, r->count, r->tokens);
	if (r->has_chars) {
		buf_text(b, ",\"chars\":");
		canon_number(b, r->chars);
	}
	buf_text(b, ",\"toolPct\":");
	canon_number(b, r->tool_pct);
	buf_char(b, '}');
}

static bool same_range(const struct range *a, const struct range *b)
{
	return a->start == b->start && a->end == b->end && a->count == b->count && a->tokens == b->tokens &&
	       a->chars == b->chars && a->tool_pct == b->tool_pct && a->has_chars == b->has_chars;
}

static void update_recommended(struct canon_ranges *c, const struct state *s, const struct recommendation *rec)
{
	size_t n = rec->recommended.n, same = 0;
	while (same < n && same < c->ranges.n && same_range(&c->ranges.v[same], &rec->recommended.v[same]))
		same++;
	buf_cut(&c->recommended, same > 0 ? c->range_ends.v[same - 1] : 0);
	if (same == 0)
		buf_char(&c->recommended, '[');
	c->ranges.n = c->range_ends.n = same;
	for (size_t i = same; i < n; i++) {
		if (i > 0)
			buf_char(&c->recommended, ',');
		put_range(&c->recommended, s, &rec->recommended.v[i]);
		vec_push(&c->ranges, rec->recommended.v[i]);
		vec_push(&c->range_ends, c->recommended.n);
	}
}

static bool same_protected(const struct canon_ranges *c, const struct recommendation *rec, size_t i)
{
	const struct protected_range *a = &c->protected_ranges.v[i], *b = &rec->protected_ranges.v[i];
	return a->start == b->start && a->end == b->end && a->count == b->count && a->tokens == b->tokens &&
	       a->tools_at == b->tools_at && a->tools_n == b->tools_n &&
	       (a->tools_n == 0 ||
		memcmp(&c->tools.v[a->tools_at], &rec->tools.v[b->tools_at], a->tools_n * sizeof *c->tools.v) == 0);
}

static void put_protected(struct buf *b, const struct state *s, const struct recommendation *rec,
			  const struct protected_range *r)
{
	put_range_head(b, s, r->start, r->end, r->count, r->tokens);
	buf_text(b, ",\"tools\":[");
	for (uint32_t i = 0; i < r->tools_n; i++) {
		if (i > 0)
			buf_char(b, ',');
		canon_name(b, s->names, rec->tools.v[r->tools_at + i]);
	}
	buf_text(b, "]}");
}

static void update_protected(struct canon_ranges *c, const struct state *s, const struct recommendation *rec)
{
	size_t n = rec->protected_ranges.n, same = 0;
	while (same < n && same < c->protected_ranges.n && same_protected(c, rec, same))
		same++;
	buf_cut(&c->protected_text, same > 0 ? c->protected_ends.v[same - 1] : 0);
	if (same == 0)
		buf_char(&c->protected_text, '[');
	c->protected_ranges.n = c->protected_ends.n = same;
	for (size_t i = same; i < n; i++) {
		const struct protected_range *r = &rec->protected_ranges.v[i];
		if (i > 0)
			buf_char(&c->protected_text, ',');
		put_protected(&c->protected_text, s, rec, r);
		vec_push(&c->protected_ranges, *r);
		vec_push(&c->protected_ends, c->protected_text.n);
	}
	c->tools.n = 0;
	for (size_t i = 0; i < rec->tools.n; i++)
		vec_push(&c->tools, rec->tools.v[i]);
}

void canon_ranges_update(struct canon_ranges *c, const struct state *s, const struct recommendation *rec)
{
	update_recommended(c, s, rec);
	update_protected(c, s, rec);
}

static void put_closed(struct buf *b, const struct buf *list)
{
	if (list->n == 0)
		buf_char(b, '[');
	buf_bytes(b, list->p ? list->p : "", list->n);
	buf_char(b, ']');
}

void canon_recommended(struct buf *b, const struct canon_ranges *c) { put_closed(b, &c->recommended); }
void canon_protected(struct buf *b, const struct canon_ranges *c) { put_closed(b, &c->protected_text); }

void canon_ranges_reset(struct canon_ranges *c)
{
	c->ranges.n = c->range_ends.n = c->protected_ranges.n = c->protected_ends.n = c->tools.n = 0;
	buf_cut(&c->recommended, 0);
	buf_cut(&c->protected_text, 0);
}

void canon_ranges_free(struct canon_ranges *c)
{
	vec_free(&c->ranges);
	vec_free(&c->range_ends);
	vec_free(&c->protected_ranges);
	vec_free(&c->protected_ends);
	vec_free(&c->tools);
	buf_free(&c->recommended);
	buf_free(&c->protected_text);
}
