/* sessions: where hosts keep their sessions, and how they name directories after working directories. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/sessions.h"
#include "replay/xdg.h"

#define DSH_FILES "session.jsonl session.v*.jsonl session.jsonl.zstd session.v*.jsonl.zstd"

/* formats.md 1, 4, 5, 7, 8. The first place that leads to a directory names the host. */
const struct sessions_place sessions_known[] = {
	{.host = "Pi",
	 .format = "pi",
	 .env = "PI_CODING_AGENT_DIR",
	 .base = "~/.pi/agent",
	 .below = "sessions",
	 .files = "*.jsonl",
	 .least = 1,
	 .most = 2,
	 .match = sessions_match_pi},
	{.host = "OMP",
	 .format = "pi",
	 .base = "~/.omp/agent",
	 .below = "sessions",
	 .files = "*.jsonl",
	 .least = 1,
	 .most = 2,
	 .match = sessions_match_omp},
	{.host = "OMP",
	 .format = "pi",
	 .env = "XDG_DATA_HOME",
	 .base = "~/.local/share",
	 .below = "omp/sessions",
	 .files = "*.jsonl",
	 .least = 1,
	 .most = 2,
	 .match = sessions_match_omp},
	{.host = "DSH",
	 .format = "dsh",
	 .env = "DSH_HOME",
	 .base = "~/.dsh",
	 .below = "sessions",
	 .files = DSH_FILES,
	 .least = 3,
	 .most = 3,
	 .generations = true,
	 .match = sessions_match_dsh},
	/* agent-*: what subagents said; their sessions have a file of their own */
	{.host = "Claude Code",
	 .format = "claude",
	 .env = "CLAUDE_CONFIG_DIR",
	 .base = "~/.claude",
	 .below = "projects",
	 .files = "*.jsonl",
	 .except = "agent-*",
	 .least = 2,
	 .most = 2,
	 .match = sessions_match_claude},
	{.host = "Claude Code",
	 .format = "claude",
	 .env = "XDG_CONFIG_HOME",
	 .unless = "CLAUDE_CONFIG_DIR",
	 .base = "~/.config",
	 .below = "claude/projects",
	 .files = "*.jsonl",
	 .except = "agent-*",
	 .least = 2,
	 .most = 2,
	 .match = sessions_match_claude},
	{.host = "Codex",
	 .format = "codex",
	 .env = "CODEX_HOME",
	 .base = "~/.codex",
	 .below = "sessions",
	 .files = "rollout-*.jsonl",
	 .least = 1,
	 .most = 4},
};
const size_t sessions_known_count = sizeof sessions_known / sizeof *sessions_known;

/* ---- this process' world ---- */

static const char *from_environment(void *ctx, const char *name)
{
	(void)ctx;
	return getenv(name);
}

static const char *home_directory(struct arena *a)
{
	const char *home = xdg_user_home();

	return home ? arena_copy(a, home, strlen(home)) : NULL;
}

static const char *working_directory(struct arena *a)
{
	for (size_t size = 1024; size <= (size_t)1 << 20; size *= 2) {
		char *path = arena_alloc(a, size);

		if (getcwd(path, size) != NULL)
			return path[0] == '/' ? path : NULL; /* "(unreachable)/.." */
		if (errno != ERANGE)
			break;
	}
	return NULL;
}

struct sessions_places sessions_places_here(struct arena *a)
{
	return (struct sessions_places){.v = sessions_known,
					.n = sessions_known_count,
					.home = home_directory(a),
					.cwd = working_directory(a),
					.get = from_environment};
}

/* ---- where a place lies ---- */

/* A variable that is set and not empty, else NULL. */
static const char *variable(const struct sessions_places *places, const char *name)
{
	const char *value = name != NULL && places->get != NULL ? places->get(places->ctx, name) : NULL;

	if (value == NULL || *value == '\0')
		return NULL;
	/* the XDG Base Directory Specification: "All paths must be absolute", others are to be ignored */
	return strncmp(name, "XDG_", 4) == 0 && *value != '/' ? NULL : value;
}

const char *sessions_root_path(const struct sessions_places *places, const struct sessions_place *place,
			       struct arena *a, enum sessions_root_state *state)
{
	const char *base = variable(places, place->env);
	struct buf b = {0};
	char *path;

	*state = SESSIONS_ROOT_UNUSED;
	if (variable(places, place->unless) != NULL)
		return NULL;
	if (base == NULL)
		base = place->base;
	if (base[0] == '~' && (base[1] == '/' || base[1] == '\0')) {
		*state = SESSIONS_ROOT_NO_HOME;
		if (places->home == NULL || *places->home == '\0')
			return NULL;
		buf_text(&b, places->home);
		base++;
	}
	buf_text(&b, base);
	while (b.n > 0 && b.p[b.n - 1] == '/')
		buf_cut(&b, b.n - 1);
	buf_char(&b, '/');
	buf_text(&b, place->below);
	path = arena_copy(a, b.p, b.n);
	buf_free(&b);
	*state = SESSIONS_ROOT_MISSING;
	return path;
}

/* ---- file names ---- */

/* One pattern against a whole name, going back to the last `*` only: linear in practice, n * m at worst. */
static bool matches(struct str pattern, struct str name)
{
	size_t p = 0, s = 0, star = SIZE_MAX, from = 0;

	while (s < name.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			from = s;
		} else if (p < pattern.n && pattern.p[p] == name.p[s]) {
			p++;
			s++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			s = ++from;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool sessions_pattern(const char *patterns, const char *name)
{
	while (patterns != NULL && *patterns != '\0') {
		size_t n = strcspn(patterns, " ");

		if (n > 0 && matches((struct str){patterns, n}, str_of(name)))
			return true;
		patterns += n;
		patterns += strspn(patterns, " ");
	}
	return false;
}

/* ---- directory names ---- */

static enum sessions_match match_of(struct buf *made, struct str directory, enum sessions_match otherwise)
{
	bool same = str_eq(buf_view(made), directory);

	buf_free(made);
	return same ? SESSIONS_HERE : otherwise;
}

/* ASCII only, whatever the locale. */
static bool is_letter_or_digit(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_separator(char c) { return c == '/' || c == '\\' || c == ':'; }

/* pi.md 1.1.2 */
static void put_pi(struct buf *b, struct str cwd)
{
	size_t i = cwd.n > 0 && (cwd.p[0] == '/' || cwd.p[0] == '\\');

	buf_text(b, "--");
	for (; i < cwd.n; i++)
		buf_char(b, is_separator(cwd.p[i]) ? '-' : cwd.p[i]);
	buf_text(b, "--");
}

enum sessions_match sessions_match_pi(struct str directory, struct str cwd)
{
	struct buf made = {0};

	put_pi(&made, cwd);
	return match_of(&made, directory, SESSIONS_ELSEWHERE);
}

/* The fork names directories below home and below the temporary directory in its own ways, too. */
enum sessions_match sessions_match_omp(struct str directory, struct str cwd)
{
	return sessions_match_pi(directory, cwd) == SESSIONS_HERE ? SESSIONS_HERE : SESSIONS_UNSURE;
}

/*
 * dsh.md 1.7. Which characters are safe beside these it does not say, so a directory that has others is not decided by
 * its name; nor is one that may have been cut.
 */
enum sessions_match sessions_match_dsh(struct str directory, struct str cwd)
{
	enum { SLUG_MAX = 251 };
	struct buf slug = {0}, made = {0};
	size_t skip = 0;
	bool safe = true;

	for (size_t i = 0; i < cwd.n; i++) {
		bool separator = is_separator(cwd.p[i]);

		safe = safe &&
		       (separator || is_letter_or_digit((unsigned char)cwd.p[i]) || strchr("-_.", cwd.p[i]) != NULL);
		if (!separator || i == 0 || !is_separator(cwd.p[i - 1]))
			buf_char(&slug, separator ? '-' : cwd.p[i]);
	}
	while (skip < slug.n && slug.p[skip] == '-')
		skip++;
	safe = safe && slug.n - skip <= SLUG_MAX;
	buf_text(&made, "--");
	buf_str(&made, slug.n > skip ? str_cut(buf_view(&slug), skip, slug.n) : STR("root"));
	buf_text(&made, "--");
	buf_free(&slug);
	return match_of(&made, directory, safe ? SESSIONS_ELSEWHERE : SESSIONS_UNSURE);
}

/* Every UTF-16 unit that is no ASCII letter or digit becomes `-`; long names end in a hash. */
enum sessions_match sessions_match_claude(struct str directory, struct str cwd)
{
	enum { PLAIN_MAX = 200 };
	struct buf made = {0};
	uint32_t code;

	for (size_t at = 0, n; (n = text_decode(cwd, at, &code)) > 0; at += n) {
		buf_char(&made, is_letter_or_digit(code) ? (char)code : '-');
		if (code > 0xFFFF)
			buf_char(&made, '-');
	}
	return match_of(&made, directory, made.n > PLAIN_MAX ? SESSIONS_UNSURE : SESSIONS_ELSEWHERE);
}
