#include "tests/session_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "replay/run.h"

static void differ(const char *name, size_t record, const char *what)
{
	print_error("%s: record %zu: %s differs\n", name, record, what);
	fail();
}

void session_load(struct recording *r, const char *path, const char *name)
{
	struct error e = {{0}, {0}, 0, 0};

	if (recording_load(r, path, NULL, &e) == STATUS_OK)
		return;
	print_error("%s: does not load: line %llu: %s\n", name, (unsigned long long)e.line, e.message);
	fail();
}

void session_load_bytes(struct recording *r, struct temp_file *f, struct str bytes, const char *name)
{
	temp_file_write(f, bytes);
	session_load(r, f->path, name);
}

static void append(void *ctx, const char *bytes, size_t n) { buf_bytes(ctx, bytes, n); }

void session_write(struct recording *r, struct buf *b, const char *name)
{
	struct error e = {{0}, {0}, 0, 0};

	if (recording_write(r, (struct recording_writer){append, b}, &e) == STATUS_OK)
		return;
	print_error("%s: cannot be written: %s\n", name, e.message);
	fail();
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool same_name(struct recording *a, uint32_t x, struct recording *b, uint32_t y)
{
	return str_eq(names_get(&a->names, x), names_get(&b->names, y));
}

/* Equal as values: both absent, or the same canonical JSON. */
static bool same_json(struct recording *a, struct span x, struct recording *b, struct span y, struct arena *scratch)
{
	struct str one = recording_json(a, x, scratch), two = recording_json(b, y, scratch);
	struct buf c = {0}, d = {0};
	bool same = (one.p == NULL) == (two.p == NULL);

	if (same && one.p) {
		json_put_span(&c, scratch, one);
		json_put_span(&d, scratch, two);
		same = str_eq(buf_view(&c), buf_view(&d));
	}
	buf_free(&c);
	buf_free(&d);
	return same;
}

static void compare_messages(struct recording *a, size_t i, struct recording *b, size_t k, const char *name)
{
	const struct message_record *m = &a->messages.v[i], *n = &b->messages.v[k];
	struct arena scratch = {0};

	if (!same_name(a, m->message.id, b, n->message.id))
		differ(name, i, "id");
	if (!same_name(a, m->message.tool, b, n->message.tool) || !same_name(a, m->message.call, b, n->message.call))
		differ(name, i, "tool or call");
	if (m->message.role != n->message.role || m->message.content != n->message.content)
		differ(name, i, "role or content type");
	if (m->host_tokens != n->host_tokens || !same_name(a, m->entry, b, n->entry))
		differ(name, i, "entry or the host's estimate");
	if (m->rowless != n->rowless || m->is_error != n->is_error)
		differ(name, i, "rows or isError");
	if (!same_name(a, m->entry, b, n->entry) || m->rowless != n->rowless || m->is_error != n->is_error)
		differ(name, i, "entry, rowless or isError");
	if (m->host_tokens != n->host_tokens)
		differ(name, i, "host tokens");
	if (m->message.face.size.units != n->message.face.size.units ||
	    m->message.face.size.cjk != n->message.face.size.cjk || m->message.face.traits != n->message.face.traits)
		differ(name, i, "face");
	if (m->message.summary_id != n->message.summary_id)
		differ(name, i, "summary id");
	if (!str_eq(recording_text(a, m->text, &scratch), recording_text(b, n->text, &scratch)))
		differ(name, i, "text");
	arena_free(&scratch);
}

static void compare_compressions(struct recording *a, size_t i, struct recording *b, size_t k, const char *name)
{
	const struct compress_record *c = &a->compressions.v[i], *d = &b->compressions.v[k];
	struct arena scratch = {0};

	if (!same_name(a, c->call, b, d->call) || c->by_user != d->by_user)
		differ(name, i, "call");
	if (c->has_outcome != d->has_outcome || c->outcome_applied != d->outcome_applied ||
	    !same_number(c->outcome_blocks, d->outcome_blocks) || !same_number(c->outcome_tokens, d->outcome_tokens))
		differ(name, i, "outcome");
	if (!same_number(c->token_count, d->token_count) || !same_number(c->time, d->time))
		differ(name, i, "token count or time");
	if (!same_json(a, c->args, b, d->args, &scratch))
		differ(name, i, "arguments");
	arena_free(&scratch);
}

static void compare_turns(struct recording *a, size_t i, struct recording *b, size_t k, const char *name)
{
	const struct turn_record *t = &a->turns.v[i], *u = &b->turns.v[k];

	if (!same_number(t->token_count, u->token_count) || !same_number(t->time, u->time))
		differ(name, i, "token count or time");
	if (t->usage.present != u->usage.present || !same_number(t->usage.input, u->usage.input) ||
	    t->usage.output != u->usage.output || !same_number(t->usage.cache_read, u->usage.cache_read) ||
	    !same_number(t->usage.cache_write, u->usage.cache_write) || t->usage.total != u->usage.total ||
	    t->failed != u->failed)
		differ(name, i, "usage");
	if (!same_name(a, t->model, b, u->model) || !same_name(a, t->stop_reason, b, u->stop_reason) ||
	    t->user_turn != u->user_turn)
		differ(name, i, "model, stop reason or user turn");
}

static void compare_others(struct recording *a, size_t i, struct recording *b, size_t k, const char *name)
{
	const struct other_record *o = &a->others.v[i], *p = &b->others.v[k];
	struct arena scratch = {0};

	if (!same_name(a, o->name, b, p->name) || o->flag != p->flag)
		differ(name, i, "name or flag");
	if (!same_json(a, o->value, b, p->value, &scratch))
		differ(name, i, "value");
	arena_free(&scratch);
}

static void (*const comparisons[RECORD_TYPE_COUNT])(struct recording *a, size_t i, struct recording *b, size_t k,
						    const char *name) = {
	[RECORD_MESSAGE] = compare_messages, [RECORD_COMPRESS] = compare_compressions, [RECORD_TURN] = compare_turns,
	[RECORD_KEEP] = compare_others,      [RECORD_DECOMPRESS] = compare_others,     [RECORD_MODEL] = compare_others,
	[RECORD_REWIND] = compare_others,    [RECORD_STATE] = compare_others,          [RECORD_NOTE] = compare_others,
};

static void compare_sessions(struct recording *a, struct recording *b, const char *name)
{
	struct arena scratch = {0};

	if (!str_eq(a->id, b->id) || !str_eq(a->host, b->host) || !str_eq(a->model, b->model) ||
	    !str_eq(a->render_tags, b->render_tags))
		differ(name, 0, "session id, host, model or tags");
	if (!same_number(a->context_limit, b->context_limit) || !same_number(a->system_tokens, b->system_tokens))
		differ(name, 0, "session limit or system tokens");
	if (!same_json(a, a->config, b, b->config, &scratch) || !same_json(a, a->state, b, b->state, &scratch) ||
	    !same_json(a, a->host_state, b, b->host_state, &scratch) ||
	    !same_json(a, a->expect, b, b->expect, &scratch))
		differ(name, 0, "session objects");
	arena_free(&scratch);
}

static size_t skip_notes(const struct recording *r, size_t i, bool notes)
{
	while (!notes && i < r->records.n && r->records.v[i].type == RECORD_NOTE)
		i++;
	return i;
}

void session_expect_same(struct recording *a, struct recording *b, bool notes, const char *name)
{
	size_t i = 0, k = 0;

	compare_sessions(a, b, name);
	for (;; i++, k++) {
		const struct record *x, *y;

		i = skip_notes(a, i, notes);
		k = skip_notes(b, k, notes);
		if (i == a->records.n || k == b->records.n)
			break;
		x = &a->records.v[i];
		y = &b->records.v[k];
		if (x->type != y->type)
			differ(name, i, "type");
		if (comparisons[x->type])
			comparisons[x->type](a, x->index, b, y->index, name);
	}
	if (i != a->records.n || k != b->records.n)
		differ(name, i, "number of records");
}

/* The hash after the last turn; empty when there is none. */
static void replay_hash(struct recording *r, char out[17], const char *name)
{
	struct error e = {{0}, {0}, 0, 0};
	struct policy policy;
	struct run run;

	policy_for_host(&policy, r->host);
	if (run_init(&run, r, &policy, &(struct run_options){.limit = NAN}, &e) != STATUS_OK) {
		print_error("%s: does not run: %s\n", name, e.message);
		fail();
	}
	while (run_step(&run, 100000))
		;
	chain_hex(&run.chain, out);
	run_free(&run);
}

void session_check_convert(const char *path, const char *name)
{
	struct recording first, second;
	struct buf once = {0}, twice = {0};
	struct temp_file f;
	char hash[2][17];

	session_load(&first, path, name);
	session_write(&first, &once, name);
	session_load_bytes(&second, &f, buf_view(&once), name);
	assert_int_equal(second.skipped, 0);
	session_expect_same(&first, &second, false, name);
	replay_hash(&first, hash[0], name);
	replay_hash(&second, hash[1], name);
	assert_string_equal(hash[0], hash[1]);
	session_write(&second, &twice, name);
	if (!str_eq(buf_view(&once), buf_view(&twice)))
		differ(name, 0, "what is written the second time");
	recording_free(&first);
	recording_free(&second);
	temp_file_remove(&f);
	buf_free(&once);
	buf_free(&twice);
}

bool session_shared(char path[512], const char *name)
{
	const char *dir = getenv("ACPDBG_SHARED");

	snprintf(path, 512, "%s/%s", dir && *dir ? dir : "../shared", name);
	return access(path, R_OK) == 0;
}
