#include "replay/acp_log_line.h"

#include <math.h>

#include "engine/base/json.h"
#include "replay/readers/pi.h"

/* A key only ends the value before it. */
#define ENDS LOG_FIELDS

struct key {
	const char *name;
	enum acp_log_field field;
};

enum { KEYS_MAX = 24 };

/* pi.md 2.2.3. `sid` is taken wherever it stands; the keys of nudge-* lines are not told, these are a guess. */
static const struct {
	const char *name;
	struct key keys[KEYS_MAX];
} scopes[LOG_OTHER] = {
	[LOG_CONTEXT_IN] = {"context-in",
			    {{"modelId", ENDS},
			     {"density", LOG_DENSITY},
			     {"eventMsgs", ENDS},
			     {"entries", ENDS},
			     {"coreMsgs", ENDS},
			     {"tokenCount", LOG_TOKENS},
			     {"estimatedTokens", LOG_ESTIMATED},
			     {"realTokens", LOG_REAL},
			     {"realPercent", ENDS},
			     {"sessionTokens", LOG_REAL},
			     {"limit", LOG_LIMIT},
			     {"blocksBefore", LOG_BLOCKS_BEFORE},
			     {"activeBefore", LOG_ACTIVE_BEFORE}}},
	[LOG_PROCESS_TURN] = {"processTurn",
			      {{"modelId", ENDS},
			       {"density", LOG_DENSITY},
			       {"outMsgs", ENDS},
			       {"summaryMsgs", ENDS},
			       {"prunedMsgs", ENDS},
			       {"nudgeShouldInject", LOG_INJECT},
			       {"nudgeReason", LOG_REASON},
			       {"nudgeVoice", ENDS},
			       {"nudgePct", ENDS},
			       {"nudgeTier", ENDS},
			       {"nudgeCompressibleCount", ENDS},
			       {"nudgeProtectedCount", ENDS},
			       {"nothingToCompress", ENDS},
			       {"blocksAfter", LOG_BLOCKS},
			       {"activeAfter", LOG_ACTIVE}}},
	[LOG_NUDGE_INJECTED] = {"nudge-injected", {{"reason", ENDS}}},
	[LOG_NUDGE_SUPPRESSED] = {"nudge-suppressed", {{"reason", ENDS}}},
	[LOG_COMPRESS_IN] = {"compress-in",
			     {{"modelId", ENDS},
			      {"density", LOG_DENSITY},
			      {"ranges", ENDS},
			      {"spans", ENDS},
			      {"blocksBefore", LOG_BLOCKS_BEFORE},
			      {"activeBefore", LOG_ACTIVE_BEFORE},
			      {"beforeMsgCount", ENDS},
			      {"beforeTokens", LOG_TOKENS}}},
	[LOG_COMPRESS_OUT] = {"compress-out",
			      {{"blocksCreated", LOG_CREATED},
			       {"tokensCompressed", LOG_COMPRESSED},
			       {"beforeTokens", LOG_TOKENS},
			       {"afterTokens", ENDS},
			       {"errors", LOG_ERRORS},
			       {"errorDetails", ENDS},
			       {"newBlocks", ENDS}}},
	[LOG_TURN] = {"turn",
		      {{"event", LOG_EVENT},
		       {"model", ENDS},
		       {"inMsgs", ENDS},
		       {"outMsgs", ENDS},
		       {"tokens", LOG_TOKENS},
		       {"pct", ENDS},
		       {"limit", LOG_LIMIT},
		       {"fullWindow", ENDS},
		       {"nudge", LOG_NUDGE},
		       {"nudgeReason", LOG_REASON},
		       {"blocks", LOG_BLOCKS},
		       {"activeBlocks", LOG_ACTIVE},
		       {"hostTokens", LOG_REAL},
		       {"hostPct", ENDS}}},
	[LOG_COMPRESS] = {"compress",
			  {{"event", LOG_EVENT},
			   {"ranges", ENDS},
			   {"blocksCreated", LOG_CREATED},
			   {"tokensCompressed", LOG_COMPRESSED},
			   {"beforeTokens", LOG_TOKENS},
			   {"afterTokens", ENDS},
			   {"warnings", ENDS},
			   {"errors", LOG_ERRORS},
			   {"newBlockIds", ENDS}}},
};

/* ---- values ---- */

/* End of the JSON value that begins with a bracket at `at`; SIZE_MAX when the line ends first. */
static size_t json_end(struct str s, size_t at)
{
	size_t depth = 0;
	bool quoted = false;
	for (; at < s.n; at++) {
		char c = s.p[at];
		if (quoted) {
			at += c == '\\';
			quoted = c != '"';
		} else if (c == '"') {
			quoted = true;
		} else if (c == '[' || c == '{') {
			depth++;
		} else if ((c == ']' || c == '}') && --depth == 0) {
			return at + 1;
		}
	}
	return SIZE_MAX;
}

static const struct key sid = {"sid", LOG_SID};

/* The key whose `name=` stands at `at`, or NULL. */
static const struct key *key_at(enum acp_log_scope scope, struct str s, size_t at)
{
	size_t end = at;
	while (end < s.n && s.p[end] != '=' && s.p[end] != ' ')
		end++;
	if (end >= s.n || s.p[end] != '=')
		return NULL;
	struct str name = str_cut(s, at, end);
	const struct key *keys = scopes[scope].keys;
	for (size_t i = 0; i < KEYS_MAX && keys[i].name != NULL; i++)
		if (str_eq(name, str_of(keys[i].name)))
			return &keys[i];
	return str_eq(name, str_of(sid.name)) ? &sid : NULL;
}

/*
 * Where the value at `at` ends: at the blank before the next known key, or with the line. A reason is prose with
 * figures in it: only keys that are written after it end it.
 */
static size_t value_end(enum acp_log_scope scope, struct str s, size_t at, const struct key *of)
{
	const struct key *prose = of != NULL && of->field == LOG_REASON ? of : NULL;
	if (at < s.n && (s.p[at] == '[' || s.p[at] == '{')) {
		size_t end = json_end(s, at);
		at = end == SIZE_MAX ? at : end;
	}
	for (; at < s.n; at++) {
		const struct key *next = s.p[at] == ' ' ? key_at(scope, s, at + 1) : NULL;
		if (next != NULL && (prose == NULL || (next != &sid && next > prose)))
			break;
	}
	return at;
}

/* Of a value that is one word, what keys of a later build leave of it. */
static struct str one_word(enum acp_log_field field, struct str value)
{
	bool word = field == LOG_SID || field == LOG_INJECT || field == LOG_NUDGE;
	return word ? str_cut(value, 0, str_find(value, STR(" "), 0)) : value;
}

static void read_values(struct acp_log_line *out, struct str s)
{
	size_t at = 0;
	while (at < s.n) {
		const struct key *k = key_at(out->scope, s, at);
		size_t from = k ? at + strlen(k->name) + 1 : at, to = value_end(out->scope, s, from, k);
		if (k != NULL && k->field != ENDS)
			out->v[k->field] = one_word(k->field, str_cut(s, from, to));
		at = to + 1;
	}
}

double acp_log_number(struct str value)
{
	struct arena a = {0};
	double x = NAN;
	size_t blank = str_find(value, STR(" "), 0);
	struct str word = str_cut(value, 0, blank);
	if (word.n > 0 && (word.p[0] == '-' || (word.p[0] >= '0' && word.p[0] <= '9')))
		(void)json_num(json_tree(&a, word, NULL, NULL), &x);
	arena_free(&a);
	return isfinite(x) ? x : (double)NAN;
}

double acp_log_errors(struct str value)
{
	struct json_scan scan = {0};
	double n = NAN;
	if (value.n == 0 || value.p[0] != '[')
		return acp_log_number(value);
	if (json_scan(value.p, value.n, &scan) == JSON_OK)
		n = (double)scan.items.n;
	json_scan_free(&scan);
	return n;
}

/* ---- the line ---- */

/* "[word]" at the start of s, which is cut to what follows it and a blank. */
static bool take_bracket(struct str *s, struct str *word)
{
	enum { WORD_MAX = 64 };
	size_t end = str_find(str_cut(*s, 0, WORD_MAX), STR("]"), 0);
	if (end == SIZE_MAX || s->p[0] != '[' || (end + 1 < s->n && s->p[end + 1] != ' '))
		return false;
	*word = str_cut(*s, 1, end);
	*s = str_cut(*s, end + 2, s->n);
	return true;
}

static bool is_level(struct str word)
{
	static const struct str levels[] = {STR("error"), STR("warn"), STR("info"), STR("debug")};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (str_eq(word, levels[i]))
			return true;
	return false;
}

bool acp_log_line_read(struct str line, struct acp_log_line *out)
{
	struct str word, rest;
	size_t blank = str_find(str_cut(line, 0, 40), STR(" "), 0);
	*out = (struct acp_log_line){.scope = LOG_OTHER};
	if (blank == SIZE_MAX)
		return false;
	out->time = pi_time(str_cut(line, 0, blank));
	rest = str_cut(line, blank + 1, line.n);
	if (isnan(out->time) || !take_bracket(&rest, &word))
		return false;
	if (is_level(word)) {
		out->leveled = true;
		if (!take_bracket(&rest, &word))
			return false;
	}
	for (int i = 0; i < LOG_OTHER; i++) {
		if (!str_eq(word, str_of(scopes[i].name)))
			continue;
		out->scope = (enum acp_log_scope)i;
		read_values(out, rest);
	}
	return true;
}
