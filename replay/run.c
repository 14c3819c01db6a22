#include "replay/run.h"

#include <math.h>

#include "engine/host/pi_text.h"
#include "replay/fit.h"
#include "replay/run_pi.h"
#include "replay/run_records.h"

enum { LIMIT_ASSUMED_PI = 150000, LIMIT_ASSUMED = 128000 }; /* policy.md */

/* outputHeadroomMaxPct of an adapter that was not told otherwise (pi.md 2.4). */
static const double HEADROOM_SHARE = 0.25;

static enum status in_file(struct error *e, enum status st, const char *path, uint64_t line)
{
	if (st == STATUS_OK || e == NULL)
		return st;
	struct str name = str_cut(str_of(path), 0, sizeof e->file - 1);
	memcpy(e->file, name.n > 0 ? name.p : "", name.n);
	e->file[name.n] = 0;
	e->line = line;
	e->byte = 0;
	return st;
}

static void take_touched(struct run *r, const bool touched[CONFIG_MEMBERS_MAX], enum config_source source)
{
	for (size_t i = 0; i < CONFIG_MEMBERS_MAX; i++) {
		if (!touched[i])
			continue;
		r->config_touched[i] = true;
		r->config_source[i] = (uint8_t)source;
	}
}

/* The window: --limit beats all, then --policy, --config, the recording, an assumption (policy.md). */
static double choose_limit(struct run *r, const struct run_options *o)
{
	const struct {
		double tokens; /* not above 0, or NAN: it says nothing */
		const char *source;
	} places[] = {
		{o->limit, "--limit"},
		{r->policy.limit, "--policy"},
		{o->config_limit, "--config"},
		{r->recording->context_limit, "recording"},
		{str_eq(r->recording->host, STR("pi")) ? LIMIT_ASSUMED_PI : LIMIT_ASSUMED, "assumed"},
	};
	size_t i = 0, last = sizeof places / sizeof *places - 1;
	while (i < last && !(places[i].tokens > 0))
		i++;
	r->limit_assumed = i == last;
	r->limit_given = i < 3;
	r->limit_fallback = places[last].tokens;
	r->limit_source = places[i].source;
	/* pi.md 2.4: the adapter keeps the model's largest answer free, up to a share of the window */
	double most = (o->headroom > 0 ? o->headroom : HEADROOM_SHARE) * places[i].tokens;
	double answer = r->driver == &driver_pi ? r->policy.number[NUMBER_MAX_OUTPUT] : 0;
	r->reserved = answer < most ? answer : most;
	return places[i].tokens - r->reserved;
}

/* What is known of the system prompt before anything is run. */
static void choose_system_tokens(struct run *r)
{
	double recorded = r->recording->system_tokens;
	bool given = r->policy.system == SYSTEM_NUMBER;
	r->system_tokens_assumed = !given && isnan(recorded);
	r->system_source = given ? "--policy" : r->system_tokens_assumed ? "assumed" : "recording";
	r->system_tokens = given ? r->policy.system_tokens : r->system_tokens_assumed ? 0 : recorded;
}

/* policy.md: kernel defaults, profile, session.config, --config, --policy; no profile built so far sets a member. */
static enum status init_config(struct run *r, const struct run_options *o, struct error *e)
{
	struct recording *rec = r->recording;
	enum status st = STATUS_OK;
	r->config = config_default(choose_limit(r, o));
	if (rec->config.place != SPAN_ABSENT) {
		bool touched[CONFIG_MEMBERS_MAX] = {false};
		cJSON *own = json_tree(&r->arena, recording_json(rec, rec->config, &r->arena), NULL, NULL);
		st = in_file(e, config_merge(&r->config, own, &r->arena, touched, e), rec->source.path, 1);
		take_touched(r, touched, CONFIG_FROM_SESSION);
	}
	if (st == STATUS_OK && o->config != NULL) {
		bool touched[CONFIG_MEMBERS_MAX] = {false};
		st = in_file(e, config_merge(&r->config, o->config, &r->arena, touched, e), o->config_name, 0);
		take_touched(r, touched, CONFIG_FROM_OPTION);
	}
	return st;
}

static enum status init_state(struct run *r, struct error *e)
{
	struct recording *rec = r->recording;
	enum status st = STATUS_OK;
	state_init(&r->state, &rec->names, run_texts(r), &r->config);
	alternatives_init(&r->alternatives);
	vec_push(&r->epochs, (struct epoch){0});
	if (rec->state.place == SPAN_ABSENT)
		return st;
	cJSON *stored = json_tree(&r->scratch, recording_json(rec, rec->state, &r->scratch), NULL, NULL);
	st = in_file(e, state_load(&r->state, stored, e), rec->source.path, 1);
	arena_free(&r->scratch);
	return st;
}

/* systemTokens=fit: the same run with a system prompt of nothing goes before. */
static enum status init_fitting(struct run *r, const struct run_options *o, struct error *e)
{
	struct policy policy = r->policy;
	policy.system = SYSTEM_NUMBER;
	policy.system_tokens = 0;
	r->fitting = mem_alloc(sizeof *r->fitting);
	enum status st = run_init(r->fitting, r->recording, &policy, o, e);
	if (st == STATUS_OK)
		r->fitting->want_digest = false;
	return st;
}

static void make_texts(struct run *r);

enum status run_init(struct run *r, struct recording *rec, const struct policy *p, const struct run_options *o,
		     struct error *e)
{
	*r = (struct run){
		.recording = rec, .policy = *p, .want_digest = true, .counterfactual = SIZE_MAX, .prices = o->prices};
	/* host "other" is the kernel alone, whatever the policy */
	bool pi = str_eq(rec->host, STR("pi")) && policy_is(p, SWITCH_DRIVER, "host");
	bool dsh = str_eq(rec->host, STR("dsh")) && policy_is(p, SWITCH_DRIVER, "host");
	r->driver = pi ? &driver_pi : dsh ? &driver_dsh : &driver_conformance;
	r->hide = policy_is(p, SWITCH_HIDE, "slim") ? ANCHOR_SLIM : ANCHOR_FULL;
	r->tags = str_eq(rec->render_tags, STR("none"))        ? TAGS_NONE
		  : str_eq(rec->render_tags, STR("text-only")) ? TAGS_TEXT_ONLY
							       : TAGS_ALL;
	choose_system_tokens(r);
	for (size_t i = 0; i < rec->turns.n && !r->cache_reported; i++)
		r->cache_reported = rec->turns.v[i].usage.present && rec->turns.v[i].usage.cache_read > 0;
	if (pi)
		run_pi_begin(r);
	if (dsh)
		run_dsh_begin(r);
	if (pi && policy_is(p, SWITCH_MULTI_CALL_TEXT, "first"))
		make_texts(r);
	enum status st = init_config(r, o, e);
	if (dsh && st == STATUS_OK)
		run_dsh_window(r);
	enum status loaded = init_state(r, st == STATUS_OK ? e : NULL);
	if (st == STATUS_OK)
		st = loaded;
	chain_new_state(&r->chain, &r->state);
	if (st == STATUS_OK && p->system == SYSTEM_FIT)
		st = init_fitting(r, o, e);
	if (st != STATUS_OK)
		run_free(r);
	return st;
}

/* One step of the pass that finds the system tokens out. */
static void step_fitting(struct run *r, size_t budget)
{
	if (run_step(r->fitting, budget))
		return;
	struct fit fit = fit_system_tokens(r->fitting);
	if (fit.turns > 0) { /* else what is known without it stays */
		r->system_tokens = fit.tokens;
		r->system_source = "fit";
	}
	run_free(r->fitting);
	free(r->fitting);
	r->fitting = NULL;
	r->fitted = true;
}

bool run_step(struct run *r, size_t budget)
{
	size_t done = 0;
	if (r->fitting != NULL) {
		step_fitting(r, budget);
		return true;
	}
	if (r->next < r->recording->records.n)
		run_seek(r, r->next);
	while (r->next < r->recording->records.n && done < budget)
		done += run_record(r);
	if (r->next < r->recording->records.n)
		return true;
	if (r->marks.n == r->next) {
		vec_push(&r->marks, (uint32_t)state_mark(&r->state));
		if (r->driver->finished != NULL)
			r->driver->finished(r);
	}
	return false;
}

double run_progress(const struct run *r)
{
	size_t n = r->recording->records.n;
	double own = n == 0 ? 1 : (double)r->next / (double)n;
	if (r->fitting != NULL)
		return run_progress(r->fitting) / 2;
	return r->fitted ? 0.5 + own / 2 : own;
}

void run_free(struct run *r)
{
	if (r->fitting != NULL) {
		run_free(r->fitting);
		free(r->fitting);
	}
	for (size_t i = 0; i < r->epochs.n; i++) {
		if (!r->epochs.v[i].parked)
			continue;
		state_free(&r->epochs.v[i].state);
		alternatives_free(&r->epochs.v[i].alternatives);
	}
	state_free(&r->state);
	alternatives_free(&r->alternatives);
	vec_free(&r->epochs);
	turn_free(&r->turn);
	compress_scratch_free(&r->compress_scratch);
	apply_result_free(&r->apply);
	chain_free(&r->chain);
	arena_free(&r->arena);
	arena_free(&r->scratch);
	vec_free(&r->timeline.turns);
	vec_free(&r->compressions);
	vec_free(&r->verdicts);
	vec_free(&r->texts.list);
	run_pi_free(r);
	if (run_is_dsh(r))
		run_dsh_free(r);
	sender_free(&r->sender);
	vec_free(&r->marks);
	*r = (struct run){0};
}

double run_token_count(struct run *r, double given, enum count_scale *scale)
{
	if (scale != NULL)
		*scale = isnan(given) ? COUNT_RAW : COUNT_HOST;
	if (!isnan(given))
		return given;
	/* recording.md: rows no active block covers, but for compress calls and results; raw estimate */
	struct state *s = &r->state;
	state_uncovered(s);
	double sum = s->uncovered_tokens;
	if (s->first_user != 0) { /* it stands there even when it is covered */
		const struct message *m = &s->messages.v[s->first_user - 1];
		if (s->info.v[m->id].covers > 0 && m->tool != s->compress_tool)
			sum -= text_tokens(m->face.size);
	}
	return sum + r->system_tokens;
}

struct turn_input run_turn_input(const struct run *r, size_t i, double tokens)
{
	return (struct turn_input){
		.tokens = tokens,
		.tags = r->tags,
		.hide = r->hide,
		.no_snapshot = policy_is(&r->policy, SWITCH_SNAPSHOT, "off"),
		.no_orphans = policy_is(&r->policy, SWITCH_KEEP_ORPHANS, "0"),
		.counter = {.density = run_density_at(r, i)},
	};
}

double run_count_here(struct run *r, size_t i, struct turn *scratch, enum count_scale *scale)
{
	struct turn_input in = run_turn_input(r, i, 0);
	r->driver->count_here(r, i, &in);
	if (in.count != NULL) {
		state_probe_begin(&r->state);
		if (turn_run(scratch, &r->state, &r->alternatives, &in) == STATUS_OK)
			in.tokens = scratch->in.tokens;
		else
			in.tokens = run_token_count(r, NAN, &r->counted);
		state_probe_end(&r->state);
	}
	if (scale != NULL)
		*scale = r->counted;
	return in.tokens;
}

/* ---- texts that the policy makes otherwise ---- */

static const struct run_text *text_of(const struct run *r, uint32_t message)
{
	const struct run_text *v = r->texts.list.v;
	size_t lo = 0, hi = r->texts.list.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (v[mid].message < message)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->texts.list.n && v[lo].message == message ? &v[lo] : NULL;
}

struct message run_message(const struct run *r, uint32_t index)
{
	struct message m = r->recording->messages.v[index].message;
	const struct run_text *own = text_of(r, index);
	if (own != NULL)
		m.face = own->face;
	return m;
}

static struct str get_text(void *owner, uint32_t index, struct arena *scratch)
{
	struct run *r = owner;
	const struct run_text *own = text_of(r, index);
	return own != NULL ? own->text : recording_text(r->recording, r->recording->messages.v[index].text, scratch);
}

struct texts run_texts(struct run *r) { return (struct texts){get_text, r}; }

/* multiCallText=first (pi.md 3.4): the text of an answer with several calls stands before the first of them. */
static void make_texts(struct run *r)
{
	struct recording *rec = r->recording;
	for (uint32_t i = 0; i < rec->messages.n; i++) {
		const struct message_record *m = &rec->messages.v[i];
		if (m->host.place == SPAN_ABSENT || m->rowless || m->message.content != CONTENT_CALL ||
		    str_find(names_get(&rec->names, m->message.id), STR("#"), 0) == SIZE_MAX)
			continue;
		const cJSON *host = json_tree(&r->scratch, recording_entry(rec, i, &r->scratch), NULL, NULL);
		struct str x = pi_content_text(&r->scratch, json_get(host, "content"));
		struct str own = recording_text(rec, m->text, &r->scratch);
		struct str text = pi_call_text(&r->scratch, x, str_eq(own, x) ? (struct str){NULL, 0} : own);
		if (!str_eq(text, own))
			vec_push(&r->texts.list,
				 (struct run_text){i, {arena_copy(&r->arena, text.p, text.n), text.n}, face_of(text)});
		arena_free(&r->scratch);
	}
}

void run_seek(struct run *r, size_t record)
{
	size_t epoch = r->epochs.n - 1;
	while (r->epochs.v[epoch].first > record)
		epoch--;
	run_enter_epoch(r, epoch);
	if (record < r->marks.n)
		state_seek(&r->state, r->marks.v[record]);
	else
		state_seek(&r->state, r->state.journal.n); /* where the first pass stands */
	if (r->driver->seek != NULL)
		r->driver->seek(r, record);
}
