#include "engine/host/dsh_scopes.h"

void dsh_scopes_free(struct dsh_scopes *s)
{
	for (size_t i = 0; i < s->list.n; i++)
		vec_free(&s->list.v[i].copies);
	vec_free(&s->list);
	vec_free(&s->numbers);
	vec_free(&s->baselines);
}

static struct dsh_scope *entry(struct dsh_scopes *s, uint32_t name)
{
	vec_fill(&s->numbers, (size_t)name + 1);
	if (s->numbers.v[name] == 0) {
		vec_push(&s->list, (struct dsh_scope){.name = name});
		s->numbers.v[name] = (uint32_t)s->list.n;
	}
	return &s->list.v[s->numbers.v[name] - 1];
}

void dsh_scopes_tell(struct dsh_scopes *s, uint32_t row, const struct dsh_traits *t)
{
	const struct dsh_row *r = dsh_log_row(s->log, row);
	s->exact_n += t->exact;
	if (t->exact && r->baseline)
		vec_push(&s->baselines, row);
	if (t->agent)
		for (uint32_t i = 0; i < r->changes_n; i++)
			vec_push(&entry(s, r->changes[i].scope)->copies, row);
}

void dsh_scopes_untell(struct dsh_scopes *s, uint32_t row, const struct dsh_traits *t)
{
	const struct dsh_row *r = dsh_log_row(s->log, row);
	s->exact_n -= t->exact;
	if (t->exact && r->baseline)
		s->baselines.n--;
	if (t->agent)
		for (uint32_t i = 0; i < r->changes_n; i++)
			entry(s, r->changes[i].scope)->copies.n--;
}

const struct dsh_scope *dsh_scopes_find(const struct dsh_scopes *s, uint32_t name)
{
	return name < s->numbers.n && s->numbers.v[name] ? &s->list.v[s->numbers.v[name] - 1] : NULL;
}

uint32_t dsh_scopes_newest(const struct dsh_scopes *s, uint32_t name)
{
	const struct dsh_scope *e = dsh_scopes_find(s, name);
	return e && e->copies.n ? e->copies.v[e->copies.n - 1] : DSH_NONE;
}

bool dsh_scopes_pins(const struct dsh_scopes *s, uint32_t row, const struct dsh_traits *t)
{
	const struct dsh_row *r = dsh_log_row(s->log, row);
	if (t->agent)
		for (uint32_t i = 0; i < r->changes_n; i++)
			if (dsh_scopes_newest(s, r->changes[i].scope) == row)
				return true;
	return false;
}

const struct dsh_change *dsh_row_change(const struct dsh_row *r, uint32_t scope)
{
	for (uint32_t i = r->changes_n; i > 0; i--)
		if (r->changes[i - 1].scope == scope)
			return &r->changes[i - 1];
	return NULL;
}
