#include "tests/generate_dsh.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dsh_script.h"

enum { NODES_MAX = 4096 };

/* A log being made up: what stands on its surface, so that most of what is asked can be done. */
struct making {
	uint64_t random;
	cJSON *script;
	int64_t nodes[NODES_MAX];
	size_t n;
	int64_t seq;
	unsigned calls, compactions;
};

static size_t draw(uint64_t *x, size_t n)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (size_t)(*x % n);
}

__attribute__((format(printf, 2, 3))) static int64_t say(struct making *m, const char *format, ...)
{
	char words[600], line[640];
	va_list list;
	va_start(list, format);
	vsnprintf(words, sizeof words, format, list);
	va_end(list);
	snprintf(line, sizeof line, "%" PRId64 " %s", m->seq, words);
	cJSON_AddItemToArray(m->script, cJSON_CreateString(line));
	return m->seq++;
}

static void push(struct making *m, int64_t seq) { m->nodes[m->n++] = seq; }

static void fold_nodes(struct making *m, size_t from, size_t to, int64_t by)
{
	m->nodes[from] = by;
	memmove(m->nodes + from + 1, m->nodes + to + 1, (m->n - to - 1) * sizeof *m->nodes);
	m->n -= to - from;
}

/* A compaction of these nodes; now and then something of it is missing. */
static void compact(struct making *m, size_t from, size_t to, const char *extras)
{
	int64_t a = m->nodes[from], b = m->nodes[to];
	unsigned id = ++m->compactions, lack = (unsigned)draw(&m->random, 20);
	if (lack != 0)
		say(m, "start c%u", id);
	say(m, "summary %" PRId64 "..%" PRId64 " c%u tokens=9 %s", a, b, id, extras);
	if (lack != 1)
		fold_nodes(m, from, to, say(m, "cp %" PRId64 "..%" PRId64 " c%u", a, b, id));
	if (lack != 2)
		say(m, "end c%u", id);
}

struct made_range {
	size_t from, to;
};

/* Two nodes, the first before the second; numerically too, mostly. */
static struct made_range draw_range(struct making *m)
{
	struct made_range r = {draw(&m->random, m->n), 0};
	r.to = r.from + draw(&m->random, m->n - r.from < 8 ? m->n - r.from : 8);
	return r;
}

static void call(struct making *m)
{
	char args[400] = "{\"content\":[";
	struct made_range ranges[2];
	size_t n = 1 + draw(&m->random, 2);
	bool landed = false;
	for (size_t i = 0; i < n; i++) {
		ranges[i] = draw_range(m);
		/* sometimes rows that are gone are asked for, or none at all */
		int64_t a =
			draw(&m->random, 4) == 0 ? (int64_t)draw(&m->random, (size_t)m->seq) : m->nodes[ranges[i].from];
		snprintf(args + strlen(args), sizeof args - strlen(args),
			 "%s{\"startSeq\":%" PRId64 ",\"endSeq\":%" PRId64 ",\"summary\":\"s\"}", i > 0 ? "," : "", a,
			 m->nodes[ranges[i].to]);
	}
	unsigned id = ++m->calls;
	int64_t row = say(m, "C k%u:compress", id);
	push(m, row);
	say(m, "call k%u compress = %s]}", id, args);
	for (size_t i = n; i-- > 0;) { /* from behind, so that the other range stays where it is */
		if (draw(&m->random, 4) == 0 || (i + 1 < n && ranges[i].to >= ranges[i + 1].from))
			continue;
		compact(m, ranges[i].from, ranges[i].to, "tier=1");
		landed = true;
	}
	if (draw(&m->random, 12) == 0)
		return; /* the process died */
	int64_t result = say(m, "R k%u", id);
	push(m, result);
	if (!landed || draw(&m->random, 4) == 0 || m->n < 2 || m->nodes[m->n - 2] != row)
		return;
	say(m, "prune %" PRId64 "..%" PRId64 " 30", row, result);
	if (draw(&m->random, 8) != 0)
		fold_nodes(m, m->n - 2, m->n - 1, say(m, "stub %" PRId64 "..%" PRId64, row, result));
}

static void inject(struct making *m)
{
	static const char *const scopes[] = {"ROOT", "WT", "docs"};
	const char *scope = scopes[draw(&m->random, 3)];
	unsigned digest = (unsigned)draw(&m->random, 3);
	bool baseline = draw(&m->random, 3) == 0;
	if (draw(&m->random, 12) == 0)
		push(m, say(m, "W %s d%u", scope, digest));
	else
		push(m, say(m, "I %s d%u%s", scope, digest, baseline ? " baseline:i" : ""));
}

static void one_step(struct making *m)
{
	size_t what = draw(&m->random, 100);
	if (what < 30)
		push(m,
		     say(m, "U = %.*s", (int)draw(&m->random, 40) + 1, "a question of some length, more or less so"));
	else if (what < 50)
		push(m, say(m, "A"));
	else if (what < 70)
		inject(m);
	else if (what < 92 && m->n > 1)
		call(m);
	else if (what < 96 && m->n > 1) {
		struct made_range r = draw_range(m);
		compact(m, r.from, r.to, draw(&m->random, 2) ? "tier=1" : "");
	} else
		say(m, "step");
}

void generate_dsh(uint64_t seed, size_t steps, struct buf *out)
{
	struct making *m = mem_alloc(sizeof *m);
	*m = (struct making){0};
	m->random = seed * 2 + 1;
	m->script = cJSON_CreateArray();
	say(m, "turn+ 1");
	for (size_t i = 0; i < steps && m->n < NODES_MAX - 8; i++)
		one_step(m);
	push(m, say(m, "A"));
	dsh_script_write(out, m->script, m->script);
	cJSON_Delete(m->script);
	free(m);
}
