/*
 * dsh_fold: a DSH log as it stands at one moment.
 *
 * Surface, classes and newest copies in one, told and taken back row by row;
 * range table, resolver, guard, loop and gate read it. Rows that are skipped
 * are not in the log for this fold (a rejected compaction, an instruction row
 * the gate left out). It borrows the log; dsh_fold_free.
 */
#ifndef ENGINE_HOST_DSH_FOLD_H
#define ENGINE_HOST_DSH_FOLD_H

#include "engine/host/dsh_scopes.h"
#include "engine/host/dsh_surface.h"

/* Which rules of the plugin hold. B0 has none of the three, F1 all. */
struct dsh_rules {
	enum dsh_sources sources;
	bool barrier; /* instruction rows close a segment (dsh.md 5.1.2) and the guard refuses (7) */
	bool pin;     /* newest copies are protected (5.1.1c) */
	bool tail;    /* the tail row is a real user turn (5.1.1b) */
};
struct dsh_rules dsh_rules_b0(void);
struct dsh_rules dsh_rules_f1(void);

struct dsh_fold {
	const struct dsh_log *log;
	struct dsh_rules rules;
	struct dsh_classes classes;
	struct dsh_surface surface;
	struct dsh_scopes scopes;
};

void dsh_fold_init(struct dsh_fold *f, const struct dsh_log *log, const struct dsh_rules *rules);
void dsh_fold_free(struct dsh_fold *f);
/* As dsh_surface_tell, dsh_surface_tell_at and dsh_surface_untell. */
enum dsh_fold_status dsh_fold_tell(struct dsh_fold *f, uint32_t row);
enum dsh_fold_status dsh_fold_tell_at(struct dsh_fold *f, uint32_t row, int64_t start, int64_t end);
uint32_t dsh_fold_untell(struct dsh_fold *f);

/* Of a row that was told, or stands before one that was. */
static inline const struct dsh_traits *dsh_fold_traits(const struct dsh_fold *f, uint32_t row)
{
	return &f->classes.of.v[row];
}
static inline bool dsh_fold_is(const struct dsh_fold *f, uint32_t row, enum dsh_class class)
{
	return f->classes.of.v[row].class == class;
}

#endif
