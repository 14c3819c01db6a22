#include "replay/search.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "engine/base/buf.h"

enum {
	PIECES_MAX = 64, /* of a text: every piece has its UTF-8 checked to the end of the text */
	RUN_SHARE = 16,  /* characters that a step runs over for the work of one step */
};

struct search {
	struct buf pattern;
	bool caseless, refers_back;
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
	/* the call under way */
	size_t work, work_max, last;
};

/* ---- the pattern ---- */

/* Bytes of an escape at s.p[at] ('\\'), of which no letter is one of the text: \W, \pL, \p{Lu}, \x{1F600}. */
static size_t escape_bytes(struct str s, size_t at)
{
	uint32_t code;
	size_t n = 1 + text_decode(s, at + 1, &code), end;

	if (n == 2 && strchr("pPxoNgk", s.p[at + 1]) && at + 2 < s.n && s.p[at + 2] == '{') {
		end = str_find(s, STR("}"), at);
		return end == SIZE_MAX ? s.n - at : end + 1 - at;
	}
	return n == 2 && strchr("pP", s.p[at + 1]) && at + 2 < s.n ? 3 : n;
}

static bool has_capital(struct str s)
{
	for (size_t at = 0; at < s.n;) {
		uint32_t code;
		size_t n = s.p[at] == '\\' ? escape_bytes(s, at) : text_decode(s, at, &code);

		if (s.p[at] != '\\' && utf8proc_isupper((utf8proc_int32_t)code))
			return true;
		at += n;
	}
	return false;
}

static size_t letters_before(struct str s, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < at && i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return n;
}

static void set_fault(struct search_fault *fault, struct str pattern, size_t at, const char *message)
{
	snprintf(fault->message, sizeof fault->message, "%s", message);
	fault->at = at < pattern.n ? at : pattern.n;
	fault->letters = letters_before(pattern, fault->at);
}

/* ---- limits ---- */

static size_t distance(size_t a, size_t b) { return a < b ? b - a : a - b; }

/* Called before every item of the pattern: a step, and what the item before it ran over. */
static int count_work(pcre2_callout_block *block, void *data)
{
	struct search *s = data;
	size_t run = distance(block->current_position, s->last);

	/* a group that is referred to may be compared anew each time */
	if (s->refers_back)
		run += distance(block->current_position, block->start_match);
	s->last = block->current_position;
	s->work += 1 + run / RUN_SHARE;
	return s->work > s->work_max ? PCRE2_ERROR_CALLOUT : 0;
}

static bool set_limits(struct search *s)
{
	uint32_t back = 0;

	s->context = pcre2_match_context_create(NULL);
	s->data = pcre2_match_data_create(1, NULL);
	if (!s->context || !s->data)
		return false;
	pcre2_pattern_info(s->code, PCRE2_INFO_BACKREFMAX, &back);
	s->refers_back = back > 0;
	pcre2_set_match_limit(s->context, SEARCH_MATCH_LIMIT);
	pcre2_set_depth_limit(s->context, SEARCH_MATCH_LIMIT);
	pcre2_set_heap_limit(s->context, SEARCH_HEAP_KIB);
	pcre2_set_callout(s->context, count_work, s);
	return true;
}

struct search *search_make(struct str pattern, struct search_fault *fault)
{
	const uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C |
			       PCRE2_USE_OFFSET_LIMIT | PCRE2_AUTO_CALLOUT;
	PCRE2_UCHAR words[120];
	PCRE2_SIZE at = 0;
	int error = 0;

	*fault = (struct search_fault){0};
	if (pattern.n == 0 || pattern.n > SEARCH_PATTERN_MAX) {
		set_fault(fault, pattern, 0, pattern.n == 0 ? "there is no pattern" : "the pattern is too long");
		return NULL;
	}
	struct search *s = mem_alloc(sizeof *s);
	*s = (struct search){.caseless = !has_capital(pattern)};
	buf_str(&s->pattern, pattern);
	s->code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, flags | (s->caseless ? PCRE2_CASELESS : 0), &error,
				&at, NULL);
	if (s->code && set_limits(s))
		return s;
	if (s->code)
		snprintf((char *)words, sizeof words, "out of memory");
	else
		pcre2_get_error_message(error, words, sizeof words);
	set_fault(fault, pattern, at, (const char *)words);
	search_free(s);
	return NULL;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	pcre2_code_free(s->code);
	buf_free(&s->pattern);
	free(s);
}

struct str search_pattern(const struct search *s) { return buf_view(&s->pattern); }

bool search_ignores_case(const struct search *s) { return s->caseless; }

/* ---- looking ---- */

/* Byte after the piece at `at`: no further than a character's start. */
static size_t piece_end(struct str text, size_t at)
{
	size_t n = text.n / PIECES_MAX > SEARCH_PIECE_BYTES ? text.n / PIECES_MAX : SEARCH_PIECE_BYTES;
	size_t end = text.n - at > n ? at + n : text.n;

	while (end < text.n && end > at + 1 && ((unsigned char)text.p[end] & 0xC0) == 0x80)
		end--;
	return end;
}

/* Matches that start in [at, end]. */
static enum search_answer look(struct search *s, struct str text, size_t at, size_t end, size_t work_max,
			       struct search_match *match)
{
	s->work = 0;
	s->work_max = work_max;
	s->last = at;
	pcre2_set_offset_limit(s->context, end);
	int found =
		pcre2_match(s->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, at, PCRE2_NO_JIT, s->data, s->context);
	if (found == PCRE2_ERROR_NOMATCH)
		return SEARCH_NOT_THERE;
	if (found < 0)
		return SEARCH_GAVE_UP;
	const PCRE2_SIZE *place = pcre2_get_ovector_pointer(s->data);
	/* where \K is allowed inside a lookaround a match can end before its start */
	if (match)
		*match = (struct search_match){place[0], place[1] > place[0] ? place[1] : place[0]};
	return SEARCH_FOUND;
}

enum search_answer search_piece(struct search *s, struct str text, size_t *at, struct search_match *match, size_t *cost)
{
	size_t end = piece_end(text, *at);
	enum search_answer answer = look(s, text, *at, end, SEARCH_WORK_MAX, match);

	*cost += end - *at + s->work + 1;
	if (answer == SEARCH_NOT_THERE && end < text.n) {
		*at = end;
		answer = SEARCH_MORE;
	}
	return answer;
}

bool search_next(struct search *s, struct str text, size_t from, struct search_match *match, size_t *work)
{
	if (from > text.n || *work == 0)
		return false;
	bool found = look(s, text, from, text.n, *work, match) == SEARCH_FOUND;
	*work -= s->work < *work ? s->work : *work;
	return found;
}
