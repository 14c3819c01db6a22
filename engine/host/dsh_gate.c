#include "engine/host/dsh_gate.h"

/* The newest word about a scope on the surface that the gate sees, or NULL. */
static const struct dsh_change *visible(const struct dsh_fold *f, uint32_t scope)
{
	const struct dsh_scope *s = dsh_scopes_find(&f->scopes, scope);
	for (size_t i = s ? s->copies.n : 0; i > 0; i--) {
		uint32_t row = s->copies.v[i - 1];
		if (dsh_surface_is_node(&f->surface, row) && dsh_fold_traits(f, row)->exact)
			return dsh_row_change(dsh_log_row(f->log, row), scope);
	}
	return NULL;
}

/* The file is as the surface says already. */
static bool says_nothing(const struct dsh_fold *f, const struct dsh_change *c)
{
	const struct dsh_change *v = visible(f, c->scope);
	if (c->remove)
		return !v || v->remove;
	return v && !v->remove && v->digest && v->digest == c->digest;
}

static bool baseline_visible(const struct dsh_fold *f, const uint32_t *identity)
{
	for (size_t i = f->scopes.baselines.n; i > 0; i--) {
		uint32_t row = f->scopes.baselines.v[i - 1];
		if (dsh_surface_is_node(&f->surface, row) &&
		    (!identity || dsh_log_row(f->log, row)->identity == *identity))
			return true;
	}
	return false;
}

bool dsh_gate_drops(const struct dsh_fold *f, uint32_t row)
{
	const struct dsh_row *r = dsh_log_row(f->log, row);
	if (r->op != DSH_APPEND || !dsh_classify(f->log, r, f->rules.sources).exact)
		return false;
	if (r->changes_n == 0 && !r->baseline)
		return false;
	for (uint32_t i = 0; i < r->changes_n; i++)
		if (!says_nothing(f, &r->changes[i]))
			return false;
	return !r->baseline || baseline_visible(f, &r->identity);
}

/* dsh-rulings 11: `.`, `user-global`, or carried by some row on the surface. U+0000 is C0 80 (text.h). */
static bool is_checked(const struct dsh_fold *f, const struct dsh_scope *s)
{
	struct str name = names_get(&f->log->names, s->name);
	size_t end = str_find(name, (struct str){"\xC0\x80", 2}, 0);
	struct str dir = str_cut(name, 0, end == SIZE_MAX ? name.n : end);
	if (str_eq(dir, STR(".")) || str_eq(dir, STR("user-global")))
		return true;
	for (size_t i = s->copies.n; i > 0; i--)
		if (dsh_surface_is_node(&f->surface, s->copies.v[i - 1]))
			return true;
	return false;
}

enum dsh_want dsh_gate_wants(const struct dsh_fold *f, struct dsh_wants *out)
{
	bool all;
	out->scopes.n = 0;
	if (f->scopes.exact_n == 0)
		return DSH_WANT_NOTHING;
	all = !baseline_visible(f, NULL);
	for (size_t i = 0; i < f->scopes.list.n; i++) {
		const struct dsh_scope *s = &f->scopes.list.v[i];
		if (s->copies.n == 0)
			continue;
		const struct dsh_change *last =
			dsh_row_change(dsh_log_row(f->log, s->copies.v[s->copies.n - 1]), s->name);
		if (all ? !last->remove : is_checked(f, s) && !says_nothing(f, last))
			vec_push(&out->scopes, s->name);
	}
	return all ? DSH_WANT_ALL : out->scopes.n ? DSH_WANT_SOME : DSH_WANT_NOTHING;
}

void dsh_wants_free(struct dsh_wants *w) { vec_free(&w->scopes); }
