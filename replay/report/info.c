#include "replay/report/info.h"

#include <math.h>
#include <time.h>

#include "engine/base/num.h"
#include "replay/readers/reader.h"
#include "replay/view/acp_log_words.h"
#include "replay/view/dsh.h"
#include "replay/view/requests_words.h"
#include "replay/view/text.h"
#include "replay/view/window_words.h"

enum { DAMAGES_SHOWN = 20, BRANCHES_SHOWN = 20 };

static void label(struct buf *b, const char *name) { buf_printf(b, "%-14s", name); }

static void put_text(struct buf *b, const char *name, struct str value)
{
	label(b, name);
	if (value.n)
		text_put_safe(b, value, false);
	else
		buf_char(b, '-');
	buf_char(b, '\n');
}

static void put_file(const struct recording *r, struct buf *b)
{
	put_text(b, "file", str_of(r->source.path));
	label(b, "format");
	buf_printf(b, "%s (%s)\n", r->reader->title, r->reader->name);
	put_text(b, "host", r->host);
	put_text(b, "session", r->id);
	put_text(b, "model", r->model);
	label(b, "size");
	buf_printf(b, "%zu bytes, %llu line%s\n", r->source.size, (unsigned long long)r->lines,
		   r->lines == 1 ? "" : "s");
}

static void put_counts(const struct recording *r, struct buf *b)
{
	size_t count[RECORD_TYPE_COUNT] = {0}, rowless = 0, i;

	for (i = 0; i < r->records.n; i++)
		count[r->records.v[i].type]++;
	for (i = 0; i < r->messages.n; i++)
		rowless += r->messages.v[i].rowless;
	label(b, "records");
	buf_printf(b, "%zu\n", r->records.n);
	for (i = 0; i < RECORD_TYPE_COUNT; i++) {
		if (count[i] == 0)
			continue;
		buf_printf(b, "  %-12s%zu", record_type_name((enum record_type)i), count[i]);
		if (i == RECORD_MESSAGE && rowless)
			buf_printf(b, " (%zu without a row)", rowless);
		buf_char(b, '\n');
	}
}

static void put_number(struct buf *b, double x)
{
	char text[NUM_TEXT_MAX];

	buf_bytes(b, text, num_print(text, x));
}

/* "2026-09-20 08:00:09 UTC" */
static void put_time(struct buf *b, double ms)
{
	time_t seconds = 0;
	struct tm t;
	char text[32];

	if (fabs(ms) < 1e14)
		seconds = (time_t)floor(ms / 1000);
	if (seconds != 0 && gmtime_r(&seconds, &t) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &t))
		buf_text(b, text);
	else
		put_number(b, ms);
}

static void put_tokens(struct buf *b, double n)
{
	put_number(b, n);
	buf_text(b, n == 1 ? " token" : " tokens");
}

static void put_window(const struct recording *r, const struct run *run, struct buf *b)
{
	if (!run && isnan(r->context_limit)) {
		put_text(b, "window", STR("not in the file"));
		return;
	}
	label(b, "window");
	put_tokens(b, run ? run->config.limit : r->context_limit);
	buf_printf(b, " (%s", !run ? "recording" : window_refuted(run) ? "assumed, " : run->limit_source);
	if (run && window_refuted(run))
		window_put_proof(run, b);
	if (run && run->reserved > 0) {
		buf_text(b, ", less ");
		put_number(b, run->reserved);
		buf_text(b, " kept free for the answer");
	}
	buf_text(b, ")\n");
	if (run && window_refuted(run)) {
		label(b, "");
		buf_text(b, "usage, nudges and truncation are not what happened: give the window with --limit\n");
	}
}

/* The fixed overhead of a request, and what the recorded prompt sizes say about it. */
static void put_system(const struct recording *r, const struct run *run, struct buf *b)
{
	const char *source = run ? run->system_source : isnan(r->system_tokens) ? "assumed" : "recording";
	struct fit fit = run ? fit_system_tokens(run) : (struct fit){0};

	label(b, "system prompt");
	put_tokens(b, run ? run->system_tokens : isnan(r->system_tokens) ? 0 : r->system_tokens);
	buf_printf(b, " (%s", source);
	if (fit.turns > 0 && strcmp(source, "fit") != 0) {
		buf_text(b, "; systemTokens=fit: ");
		put_number(b, fit.tokens);
	}
	if (fit.turns > 0)
		buf_printf(b, ", the median of %zu turn%s", fit.turns, fit.turns == 1 ? "" : "s");
	else if (run && run->policy.system == SYSTEM_FIT)
		buf_text(b, "; there is no prompt size to fit it to");
	buf_text(b, ")\n");
}

/* The ends of a session tree, the newest ones where there are many. */
static void put_branches(const struct recording *r, struct buf *b)
{
	size_t n = r->branches.n, first = n > BRANCHES_SHOWN ? n - BRANCHES_SHOWN : 0, i;

	if (n < 2)
		return;
	label(b, "branches");
	buf_printf(b, "%zu (--branch ID chooses one)\n", n);
	if (first > 0)
		buf_printf(b, "  %zu older ones are not listed\n", first);
	for (i = first; i < n; i++) {
		const struct branch_tip *t = &r->branches.v[i];

		buf_text(b, "  ");
		text_put_safe(b, names_get(&r->names, t->id), false);
		buf_printf(b, "  %u %s, %u of its own, line %u", (unsigned)t->entries,
			   t->entries == 1 ? "entry" : "entries", (unsigned)t->own, (unsigned)t->line);
		if (!isnan(t->time)) {
			buf_text(b, ", ");
			put_time(b, t->time);
		}
		if (t->label) {
			buf_text(b, ", label ");
			text_put_safe(b, text_clip(names_get(&r->names, t->label), 40, false, NULL), false);
		}
		buf_text(b, t->inside ? ", entries follow it" : "");
		buf_text(b, t->active ? " (shown)\n" : "\n");
	}
}

static void put_damage(const struct recording *r, struct buf *b)
{
	uint64_t all = recording_damages(r);
	size_t i, shown = r->damages.n < DAMAGES_SHOWN ? r->damages.n : DAMAGES_SHOWN;

	label(b, "damage");
	if (all == 0) {
		buf_text(b, "none\n");
		return;
	}
	buf_printf(b, "%llu (%llu line%s not used)\n", (unsigned long long)all, (unsigned long long)r->skipped,
		   r->skipped == 1 ? "" : "s");
	for (i = 0; i < DAMAGE_KIND_COUNT; i++)
		if (r->damage_count[i])
			buf_printf(b, "  %-14s%llu\n", damage_kind_name((enum damage_kind)i),
				   (unsigned long long)r->damage_count[i]);
	for (i = 0; i < shown; i++)
		buf_printf(b, "  line %llu, byte %llu: %s: %s\n", (unsigned long long)r->damages.v[i].line,
			   (unsigned long long)r->damages.v[i].byte, damage_kind_name(r->damages.v[i].kind),
			   r->damages.v[i].what);
	if (all > shown)
		buf_printf(b, "  and %llu more\n", (unsigned long long)(all - shown));
}

void info_print(struct recording *r, struct run *run, struct buf *b)
{
	size_t i;

	put_file(r, b);
	put_counts(r, b);
	put_branches(r, b);
	put_window(r, run, b);
	put_system(r, run, b);
	put_damage(r, b);
	if (r->not_understood) {
		label(b, "not read");
		buf_printf(b, "%llu not understood yet (see the notes)\n", (unsigned long long)r->not_understood);
	}
	for (i = 0; i < r->notes.n; i++) {
		label(b, i ? "" : "notes");
		buf_str(b, r->notes.v[i]);
		buf_char(b, '\n');
	}
}

static void put_log(const struct acp_log *log, const struct run *run, struct buf *b)
{
	double system = acp_log_system_tokens(log, run);
	acp_log_words_lines(log, b);
	if (run->system_tokens_assumed && system > 0)
		buf_printf(b, "  its estimates are ours and %.0f more (median): --policy systemTokens=%.0f\n", system,
			   system);
}

/* The DSH host's loop and the plugin's ledger (dsh.md 9, 10), as far as the log goes. */
static void put_dsh(const struct run *run, struct buf *b)
{
	enum { SHOWN = 3 };
	const struct dsh_loop *l = &run->dsh.loop;
	const struct dsh_ledger *ledger = &run->dsh.ledger;
	struct dsh_found_list found = {0};
	struct buf words = {0};
	size_t active = 0;
	label(b, "loop");
	dsh_loop_words(run, &words);
	for (size_t i = 0; i < l->chains.n && i < SHOWN; i++) {
		buf_text(&words, i == 0 ? "; in a row: " : ", ");
		dsh_scope_words(l->log, l->chains.v[i].scope, &words);
		buf_printf(&words, " %zu times", l->chains.v[i].length);
	}
	if (l->chains.n > SHOWN)
		buf_printf(&words, " and %zu more", l->chains.n - SHOWN);
	text_put_safe(b, buf_view(&words), false);
	for (size_t i = 0; i < ledger->blocks.n; i++)
		active += dsh_block_active(ledger, &ledger->blocks.v[i], INT64_MAX);
	buf_char(b, '\n');
	label(b, "ledger");
	dsh_findings(run, INT64_MAX, &found);
	buf_printf(b, "%zu active of %zu block%s", active, ledger->blocks.n, ledger->blocks.n == 1 ? "" : "s");
	for (size_t i = 0; i < found.list.n && i < SHOWN; i++) {
		buf_cut(&words, 0);
		dsh_finding_words(run, &found.list.v[i], &words);
		buf_printf(b, "%s seq %lld ", i == 0 ? "; found:" : ";", (long long)found.list.v[i].at);
		text_put_safe(b, buf_view(&words), false);
	}
	if (found.list.n > SHOWN)
		buf_printf(b, " and %zu more", found.list.n - SHOWN);
	buf_char(b, '\n');
	vec_free(&found.list);
	buf_free(&words);
}

/* Where the run is no longer what happened, and why. */
static void put_counterfactual(const struct run *run, struct buf *b)
{
	unsigned line = (unsigned)run->recording->records.v[run->counterfactual].line;
	bool follows = policy_is(&run->policy, SWITCH_FOLLOW, "recorded");
	bool pastes = policy_is(&run->policy, SWITCH_REINJECT, "presence-gate");
	label(b, "");
	if (follows && !pastes)
		buf_printf(b, "counterfactual from the compress call of line %u on: it could not be followed\n", line);
	else
		buf_printf(b, "counterfactual from line %u on: the policy decides otherwise than the log\n", line);
}

void info_print_checks(const struct info_checks *c, struct buf *b)
{
	struct fidelity f = fidelity_of(c->run, c->drift);
	size_t i;

	f.sidecar_unreadable = c->sidecar && c->sidecar->unreadable;
	if (c->log)
		fidelity_take_log(&f, c->log);
	label(b, "fidelity");
	fidelity_put(&f, b);
	buf_char(b, '\n');
	if (c->run->counterfactual < SIZE_MAX)
		put_counterfactual(c->run, b);
	if (run_is_dsh(c->run))
		put_dsh(c->run, b);
	if (c->sidecar)
		sidecar_print(c->sidecar, b);
	if (c->drift)
		drift_print(c->drift, b);
	for (i = 0; i < c->recoveries; i++)
		drift_print(&c->recovery[i], b);
	if (c->log)
		put_log(c->log, c->run, b);
	if (c->requests)
		requests_words_lines(c->requests, b);
}
