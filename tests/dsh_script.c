#include "tests/dsh_script.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/case_file.h"

/* Where a script is being read. */
struct script {
	struct dsh_log *log; /* NULL: the events go to `out` as a file has them */
	struct buf *out;
	const cJSON *one;
	struct arena arena;
	int64_t seq; /* of the event before */
	size_t round;
	struct str rest; /* of the line */
	struct str line;
};

static void fail(const struct script *s, const char *what)
{
	case_fail(s->one, "%s in \"%.*s\"", what, (int)s->line.n, s->line.p);
}

/* The next word of the line, `#` written out; empty at the end. */
static struct str word(struct script *s)
{
	struct buf b = {0};
	struct str w;
	size_t n = 0;
	while (s->rest.n && s->rest.p[0] == ' ')
		s->rest = str_cut(s->rest, 1, s->rest.n);
	while (n < s->rest.n && s->rest.p[n] != ' ')
		n++;
	for (size_t i = 0; i < n; i++) {
		if (s->rest.p[i] == '#')
			buf_printf(&b, "%zu", s->round);
		else
			buf_char(&b, s->rest.p[i]);
	}
	s->rest = str_cut(s->rest, n, s->rest.n);
	w = (struct str){arena_copy(&s->arena, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return w;
}

/* What stands behind `= `, or the text given. */
static struct str text_of(struct script *s, const char *usual)
{
	size_t at = str_find(s->rest, STR("= "), 0);
	if (at == SIZE_MAX)
		return str_of(usual);
	struct str t = str_cut(s->rest, at + 2, s->rest.n);
	s->rest = str_cut(s->rest, 0, at);
	return t;
}

static int64_t number(struct script *s, struct str w)
{
	char *end;
	int64_t x = strtoll(arena_copy(&s->arena, w.p, w.n), &end, 10);
	if (w.n == 0 || *end)
		fail(s, "no number");
	return x;
}

static void edges(struct script *s, int64_t *a, int64_t *b)
{
	struct str w = word(s);
	size_t dots = str_find(w, STR(".."), 0);
	if (dots == SIZE_MAX)
		fail(s, "no range");
	*a = number(s, str_cut(w, 0, dots));
	*b = number(s, str_cut(w, dots + 2, w.n));
	*a = *a < 0 ? s->seq + *a : *a;
	*b = *b < 0 ? s->seq + *b : *b;
}

/* The piece before the first `by`, which is taken off *list. */
static struct str piece(struct str *list, char by)
{
	size_t n = 0;
	while (n < list->n && list->p[n] != by)
		n++;
	struct str p = str_cut(*list, 0, n);
	*list = str_cut(*list, n < list->n ? n + 1 : n, list->n);
	return p;
}

/* ---- events ---- */

static void put_text_block(struct buf *b, struct str text)
{
	buf_text(b, "{\"type\":\"text\",\"text\":");
	json_put_str(b, text);
	buf_char(b, '}');
}

static void write_event(struct script *s, struct str type, struct str data, struct str op)
{
	buf_text(s->out, "{\"type\":");
	json_put_str(s->out, type);
	buf_printf(s->out, ",\"seq\":%" PRId64 ",\"time\":%" PRId64, s->seq, s->seq);
	if (op.n > 0) {
		buf_text(s->out, ",\"surfaceOp\":");
		buf_str(s->out, op);
	}
	buf_text(s->out, ",\"data\":");
	buf_str(s->out, data);
	buf_text(s->out, "}\n");
}

static void add(struct script *s, struct str type, struct buf *data, struct buf *op)
{
	if (s->out != NULL) {
		write_event(s, type, buf_view(data), buf_view(op));
		buf_free(data);
		buf_free(op);
		return;
	}
	struct arena a = {0};
	struct dsh_event e = {.type = type, .seq = s->seq};
	e.data = json_tree(&a, buf_view(data), NULL, NULL);
	e.op = op->n ? json_tree(&a, buf_view(op), NULL, NULL) : NULL;
	if (!e.data || dsh_log_add(s->log, &e) == DSH_NONE)
		fail(s, "no event");
	arena_free(&a);
	buf_free(data);
	buf_free(op);
}

static void put_replace(struct buf *op, int64_t a, int64_t b)
{
	buf_printf(op, "{\"op\":\"replace\",\"start\":%" PRId64 ",\"end\":%" PRId64 "}", a, b);
}

/* A user row; `source` is JSON. Replaces when the line goes on with a range. */
static void add_user(struct script *s, struct str text, const char *source, bool replaces)
{
	struct buf data = {0}, op = {0};
	int64_t a, b;
	buf_text(&data, "{\"role\":\"user\",\"content\":[");
	put_text_block(&data, text);
	if (replaces) {
		edges(s, &a, &b);
		put_replace(&op, a, b);
	} else {
		buf_text(&op, "\"append\"");
	}
	buf_printf(&data, "],\"source\":%s}", source);
	add(s, STR("user/message"), &data, &op);
}

static void add_assistant(struct script *s, struct str text, struct str calls)
{
	struct buf data = {0}, op = {0};
	buf_text(&data, "{\"turn\":1,\"step\":1,\"message\":{\"role\":\"assistant\",\"content\":[");
	if (text.n)
		put_text_block(&data, text);
	while (calls.n) {
		struct str call = piece(&calls, ','), id = piece(&call, ':');
		buf_text(&data, text.n ? ",{\"type\":\"tool-call\",\"id\":" : "{\"type\":\"tool-call\",\"id\":");
		text.n = 1;
		json_put_str(&data, id);
		buf_text(&data, ",\"name\":");
		json_put_str(&data, call.n ? call : STR("bash"));
		buf_text(&data, ",\"arguments\":\"{\\\"command\\\":\\\"ls\\\"}\"}");
	}
	buf_text(&data, "]}}");
	buf_text(&op, "\"append\"");
	add(s, STR("assistant/message"), &data, &op);
}

static void add_result(struct script *s, struct str text, struct str id)
{
	struct buf data = {0}, op = {0};
	buf_text(&data, "{\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool-result\",\"toolCallId\":");
	json_put_str(&data, id);
	buf_text(&data, ",\"content\":[");
	put_text_block(&data, text);
	buf_text(&data, "]}],\"source\":{\"kind\":\"tool\"}}}");
	buf_text(&op, "\"append\"");
	add(s, STR("tool/result"), &data, &op);
}

static struct str scope_text(struct str name)
{
	if (str_eq(name, STR("ROOT")))
		return (struct str){".\xC0\x80"
				    "AGENTS.md",
				    12};
	if (str_eq(name, STR("WT")))
		return (struct str){"worktrees/feat-x\xC0\x80"
				    "AGENTS.md",
				    27};
	return name;
}

static void add_instruction(struct script *s, const char *kind)
{
	struct buf source = {0};
	struct str text = text_of(s, "rules"), w;
	bool first = true;
	buf_printf(&source, "{%s,\"form\":\"instructions\",\"changes\":[", kind);
	struct buf tail = {0};
	while ((w = word(s)).n) {
		struct str name = piece(&w, ':'), digest;
		if (str_eq(name, STR("baseline"))) {
			buf_text(&tail, ",\"baseline\":true");
			if (w.n) {
				buf_text(&tail, ",\"baselineIdentity\":");
				json_put_str(&tail, w);
			}
			continue;
		}
		digest = word(s);
		buf_text(&source, first ? "{\"scope\":" : ",{\"scope\":");
		first = false;
		json_put_str(&source, scope_text(name));
		if (str_eq(digest, STR("-"))) {
			buf_text(&source, ",\"action\":\"remove\"}");
		} else {
			buf_text(&source, ",\"action\":\"set\",\"digest\":");
			json_put_str(&source, digest);
			buf_char(&source, '}');
		}
	}
	buf_printf(&source, "]%s}", tail.p ? tail.p : "");
	add_user(s, text, source.p, false);
	buf_free(&source);
	buf_free(&tail);
}

/* User rows with a fixed source. */
static const struct {
	const char *word, *text, *source;
} fixed[] = {
	{"U", "user text", "{\"kind\":\"user\"}"},
	{"legacy", "rules", "{\"kind\":\"plugin\",\"plugin\":\"agent-instructions\"}"},
	{"catalog", "skills", "{\"kind\":\"skill-catalog\",\"form\":\"catalog\",\"entries\":[]}"},
	{"nudge", "nudge", "{\"kind\":\"plugin\",\"plugin\":\"acp-nudge\"}"},
	{"snapshot", "snap", "{\"kind\":\"plugin\",\"plugin\":\"@deepseek-ai/dsh-system-prompt\"}"},
	{"approval", "approved", "{\"kind\":\"plugin\",\"plugin\":\"user-approval\"}"},
	{"ptc", "tools", "{\"kind\":\"plugin\",\"plugin\":\"tools-ptc\"}"},
	{"future", "future", "{\"kind\":\"plugin\",\"plugin\":\"future-unknown\"}"},
	{"stub", "stub", "{\"kind\":\"plugin\",\"plugin\":\"billion-context-dsh\"}"},
};

static bool add_fixed(struct script *s, struct str w)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (!str_eq(w, str_of(fixed[i].word)))
			continue;
		struct str text = text_of(s, fixed[i].text);
		add_user(s, text, fixed[i].source, text_trim(s->rest).n > 0);
		return true;
	}
	return false;
}

static void add_checkpoint(struct script *s)
{
	struct buf source = {0};
	struct str text = text_of(s, "summary text"), rest = s->rest, id;
	word(s); /* the range, read below */
	id = word(s);
	buf_text(&source, "{\"kind\":\"plugin\",\"plugin\":\"compact\"");
	if (id.n) {
		buf_text(&source, ",\"compactionId\":");
		json_put_str(&source, id);
	}
	buf_char(&source, '}');
	s->rest = rest;
	add_user(s, text, source.p, true);
	buf_free(&source);
}

static void add_empty(struct script *s)
{
	struct buf data = {0}, op = {0};
	int64_t a, b;
	edges(s, &a, &b);
	put_replace(&op, a, b);
	buf_text(&data, "{\"message\":{\"role\":\"assistant\",\"content\":[]}}");
	add(s, STR("assistant/message"), &data, &op);
}

static void add_system(struct script *s)
{
	struct buf data = {0}, op = {0};
	buf_text(&data, "{\"message\":{\"role\":\"system\",\"content\":[{\"type\":\"text\",\"text\":\"system\"}]}}");
	buf_text(&op, "\"append\"");
	add(s, STR("system/message"), &data, &op);
}

/* ---- compaction and frame ---- */

static void put_list(struct buf *b, struct str list, bool numbers)
{
	buf_char(b, '[');
	for (bool first = true; list.n; first = false) {
		struct str p = piece(&list, ',');
		if (!first)
			buf_char(b, ',');
		if (numbers)
			buf_str(b, p);
		else
			json_put_str(b, p);
	}
	buf_char(b, ']');
}

static void add_summary(struct script *s)
{
	static const struct {
		const char *name, *member;
		char form; /* n: number, t: text, s: list of seqs, l: list of texts */
	} members[] = {
		{"shadowed", "shadowedSeqs", 's'},
		{"tokens", "shadowedTokenCount", 'n'},
		{"tier", "tier", 'n'},
		{"kernel", "kernelBlockId", 't'},
		{"topic", "topic", 't'},
		{"parents", "parentBlockIds", 'l'},
	};
	struct buf data = {0}, op = {0};
	struct str w;
	int64_t a, b;
	edges(s, &a, &b);
	buf_text(&data, "{\"compactionId\":");
	json_put_str(&data, word(s));
	buf_printf(&data, ",\"summary\":[],\"shadowedRange\":{\"start\":%" PRId64 ",\"end\":%" PRId64 "}", a, b);
	while ((w = word(s)).n) {
		struct str name = piece(&w, '=');
		size_t i = 0, n = sizeof members / sizeof *members;
		while (i < n && !str_eq(name, str_of(members[i].name)))
			i++;
		if (i == n)
			fail(s, "unknown member");
		buf_printf(&data, ",\"%s\":", members[i].member);
		if (members[i].form == 'n')
			buf_str(&data, w);
		else if (members[i].form == 't')
			json_put_str(&data, w);
		else
			put_list(&data, w, members[i].form == 's');
	}
	buf_char(&data, '}');
	add(s, STR("compaction/summary"), &data, &op);
}

static void add_prune(struct script *s)
{
	struct buf data = {0}, op = {0};
	int64_t a, b;
	edges(s, &a, &b);
	buf_printf(&data, "{\"shadowedRange\":{\"start\":%" PRId64 ",\"end\":%" PRId64 "},\"shadowedSeqs\":[%" PRId64,
		   a, b, a);
	if (a != b)
		buf_printf(&data, ",%" PRId64, b);
	buf_printf(&data, "],\"shadowedTokenCount\":%" PRId64 "}", number(s, word(s)));
	add(s, STR("compaction/prune"), &data, &op);
}

static bool add_frame(struct script *s, struct str w)
{
	static const struct {
		const char *word, *type;
	} frames[] = {{"start", "compaction/start"}, {"end", "compaction/end"}, {"turn+", "turn/start"},
		      {"turn-", "turn/end"},         {"call", "tool/call"},     {"seed", "session/end-seed"}};
	struct buf data = {0}, op = {0};
	size_t i = 0, n = sizeof frames / sizeof *frames;
	struct str arguments = text_of(s, ""), first = {0}, second = {0};
	while (i < n && !str_eq(w, str_of(frames[i].word)))
		i++;
	if (i == n)
		return false;
	first = word(s);
	second = word(s);
	if (i == 4) {
		buf_text(&data, "{\"callId\":");
		json_put_str(&data, first);
		buf_text(&data, ",\"name\":");
		json_put_str(&data, second);
		if (arguments.n > 0) {
			buf_text(&data, ",\"arguments\":");
			json_put_str(&data, arguments);
		}
		buf_char(&data, '}');
	} else if (i < 2) {
		buf_text(&data, "{\"compactionId\":");
		json_put_str(&data, first);
		buf_printf(&data, ",\"turn\":%s}", second.n ? second.p : "null");
	} else {
		buf_printf(&data, "{\"turn\":%s}", first.n ? first.p : "null");
	}
	add(s, str_of(frames[i].type), &data, &op);
	return true;
}

/* What no rule reads: a step, the window. */
static bool add_other(struct script *s, struct str w)
{
	struct buf data = {0}, op = {0};
	bool window = str_eq(w, STR("window"));
	if (!window && !str_eq(w, STR("step")))
		return false;
	if (window)
		buf_printf(&data, "{\"provider\":\"p\",\"model\":\"m\",\"contextWindow\":%" PRId64 "}",
			   number(s, word(s)));
	else
		buf_text(&data, "{\"turn\":1,\"step\":1}");
	add(s, window ? STR("request/context") : STR("step/start"), &data, &op);
	return true;
}

/* ---- lines ---- */

static void read_line(struct script *s, struct str line)
{
	s->line = s->rest = line;
	struct str seq = word(s), w = word(s);
	s->seq = str_eq(seq, STR("+")) ? s->seq + 1 : number(s, seq);
	if (str_eq(w, STR("A")))
		add_assistant(s, text_of(s, "assistant text"), (struct str){0});
	else if (str_eq(w, STR("C"))) {
		struct str text = text_of(s, "plan");
		add_assistant(s, text, word(s));
	} else if (str_eq(w, STR("R"))) {
		struct str text = text_of(s, "output");
		add_result(s, text, word(s));
	} else if (str_eq(w, STR("I")))
		add_instruction(s, "\"kind\":\"agent-instructions\"");
	else if (str_eq(w, STR("W")))
		add_instruction(s, "\"kind\":\"plugin\",\"plugin\":\"agent-instructions\"");
	else if (str_eq(w, STR("cp")))
		add_checkpoint(s);
	else if (str_eq(w, STR("empty")))
		add_empty(s);
	else if (str_eq(w, STR("sys")))
		add_system(s);
	else if (str_eq(w, STR("summary")))
		add_summary(s);
	else if (str_eq(w, STR("prune")))
		add_prune(s);
	else if (!add_fixed(s, w) && !add_other(s, w) && !add_frame(s, w))
		fail(s, "unknown word");
}

static void read_event(struct script *s, const cJSON *item)
{
	struct dsh_event e = {.type = json_str(json_get(item, "type")),
			      .data = json_get(item, "data"),
			      .op = json_get(item, "surfaceOp"),
			      .cites = json_get(item, "sourceEventSeqs")};
	s->line = e.type;
	e.seq = ++s->seq;
	dsh_seq_of(json_get(item, "seq"), &e.seq);
	s->seq = e.seq;
	if (s->out != NULL) {
		json_put(s->out, item);
		buf_char(s->out, '\n');
		return;
	}
	if (dsh_log_add(s->log, &e) == DSH_NONE)
		fail(s, "no event");
}

static void read_all(struct script s, const cJSON *script)
{
	const cJSON *item, *line;
	cJSON_ArrayForEach (item, script) {
		const cJSON *items = json_get(item, "items");
		if (cJSON_IsString(item))
			read_line(&s, json_str(item));
		else if (!items)
			read_event(&s, item);
		for (s.round = 0; items && (double)s.round < json_get(item, "repeat")->valuedouble; s.round++)
			cJSON_ArrayForEach (line, items)
				read_line(&s, json_str(line));
	}
	arena_free(&s.arena);
}

void dsh_script_read(struct dsh_log *log, const cJSON *one, const cJSON *script)
{
	read_all((struct script){.log = log, .one = one, .seq = -1}, script);
}

void dsh_script_write(struct buf *out, const cJSON *one, const cJSON *script)
{
	const cJSON *version = json_get(one, "version");
	buf_printf(out,
		   "{\"type\":\"session\",\"version\":%d,\"id\":\"s\",\"createdAt\":1,\"cwd\":\"/"
		   "w\",\"delegationDepth\":0}\n",
		   version ? (int)version->valuedouble : 0);
	read_all((struct script){.out = out, .one = one, .seq = -1}, script);
}

/* ---- cases ---- */

struct dsh_rules dsh_case_rules(const cJSON *one, struct str profile)
{
	struct dsh_rules rules = str_eq(profile, STR("B0")) ? dsh_rules_b0() : dsh_rules_f1();
	struct str sources = json_str(json_get(one, "sources"));
	if (str_eq(sources, STR("strict")))
		rules.sources = DSH_SOURCES_STRICT;
	if (str_eq(sources, STR("v4")))
		rules.sources = DSH_SOURCES_V4;
	return rules;
}

void dsh_case_open(struct dsh_case *c, const cJSON *one, const struct dsh_rules *rules)
{
	const cJSON *version = json_get(one, "version"), *at = json_get(one, "at");
	*c = (struct dsh_case){.one = one};
	dsh_log_init(&c->log, version ? (int)version->valuedouble : 0);
	dsh_script_read(&c->log, one, json_get(one, "log"));
	dsh_fold_init(&c->fold, &c->log, rules);
	dsh_case_go(c, at ? (int64_t)at->valuedouble : INT64_MAX);
}

void dsh_case_go(struct dsh_case *c, int64_t seq)
{
	while (c->fold.surface.last > seq)
		dsh_fold_untell(&c->fold);
	for (size_t i = c->fold.surface.told.n; i < c->log.rows.n && c->log.rows.v[i].seq <= seq; i++)
		dsh_fold_tell(&c->fold, (uint32_t)i);
}

void dsh_case_close(struct dsh_case *c)
{
	dsh_fold_free(&c->fold);
	dsh_log_free(&c->log);
	vec_free(&c->rows.rows);
}

void dsh_put_seqs(struct buf *out, const int64_t *seqs, size_t n)
{
	buf_char(out, '[');
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%" PRId64, i ? "," : "", seqs[i]);
	buf_char(out, ']');
}

void dsh_case_nodes(struct dsh_case *c, struct buf *out)
{
	dsh_surface_list(&c->fold.surface, &c->rows);
	buf_char(out, '[');
	for (size_t i = 0; i < c->rows.rows.n; i++)
		buf_printf(out, "%s%" PRId64, i ? "," : "", dsh_log_seq(&c->log, c->rows.rows.v[i]));
	buf_char(out, ']');
}
