#include "engine/host/dsh_fold.h"

struct dsh_rules dsh_rules_b0(void) { return (struct dsh_rules){.sources = DSH_SOURCES_AUTO}; }

struct dsh_rules dsh_rules_f1(void)
{
	return (struct dsh_rules){.sources = DSH_SOURCES_AUTO, .barrier = true, .pin = true, .tail = true};
}

void dsh_fold_init(struct dsh_fold *f, const struct dsh_log *log, const struct dsh_rules *rules)
{
	*f = (struct dsh_fold){.log = log, .rules = *rules};
	f->classes = (struct dsh_classes){.log = log, .sources = rules->sources};
	f->scopes = (struct dsh_scopes){.log = log};
	dsh_surface_init(&f->surface, log);
}

void dsh_fold_free(struct dsh_fold *f)
{
	dsh_classes_free(&f->classes);
	dsh_surface_free(&f->surface);
	dsh_scopes_free(&f->scopes);
}

static void take_in(struct dsh_fold *f, uint32_t row)
{
	if (f->classes.of.n <= row)
		dsh_classes_fill(&f->classes);
	dsh_scopes_tell(&f->scopes, row, dsh_fold_traits(f, row));
}

enum dsh_fold_status dsh_fold_tell(struct dsh_fold *f, uint32_t row)
{
	take_in(f, row);
	return dsh_surface_tell(&f->surface, row);
}

enum dsh_fold_status dsh_fold_tell_at(struct dsh_fold *f, uint32_t row, int64_t start, int64_t end)
{
	take_in(f, row);
	return dsh_surface_tell_at(&f->surface, row, start, end);
}

uint32_t dsh_fold_untell(struct dsh_fold *f)
{
	uint32_t row = dsh_surface_untell(&f->surface);
	if (row != DSH_NONE)
		dsh_scopes_untell(&f->scopes, row, dsh_fold_traits(f, row));
	return row;
}
