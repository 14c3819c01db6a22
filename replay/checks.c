#include "replay/checks.h"

enum status checks_find(struct checks *c, struct recording *r, const char *given, struct error *e)
{
	*c = (struct checks){0};
	return sidecar_find(&c->sidecar, r, given, e);
}

enum status checks_log(struct checks *c, const struct recording *r, const char *path, struct error *e)
{
	enum status st = path != NULL ? acp_log_load(&c->log, path, r, e) : STATUS_OK;
	c->has_log = path != NULL && st == STATUS_OK;
	return st;
}

enum status checks_requests(struct checks *c, const char *path, struct error *e)
{
	enum status st = path != NULL ? requests_find(&c->requests, path, e) : STATUS_OK;
	c->has_requests = path != NULL && st == STATUS_OK;
	return st;
}

bool checks_drift_found(const struct checks *c) { return c->has_drift && drift_found(&c->drift); }

static void add_recovery(struct checks *c, struct run *run, enum rebuild_form form)
{
	c->recoveries += drift_from_recovery(&c->recovery[c->recoveries], run, form, NULL) == STATUS_OK;
}

bool checks_step(struct checks *c, struct run *run, bool recover)
{
	enum { SIDECAR, STRICT, LENIENT, LOG, REQUESTS, FIDELITY };
	/* without calls there is nothing to recover; the DSH plugin rebuilds from its log (dsh.md 9), not from calls */
	bool wanted = run->compressions.n > 0 && !run_is_dsh(run) && (recover || checks_drift_found(c));
	if (c->done)
		return false;
	switch (c->step++) {
	case SIDECAR:
		c->has_drift = c->sidecar.file.source != SIDECAR_NONE &&
			       drift_from_sidecar(&c->drift, run, &c->sidecar, NULL) == STATUS_OK;
		break;
	case STRICT:
		if (wanted)
			add_recovery(c, run, REBUILD_STRICT);
		break;
	case LENIENT:
		if (wanted)
			add_recovery(c, run, REBUILD_LENIENT);
		break;
	case LOG:
		if (c->has_log)
			acp_log_compare(&c->log, run, acp_log_known, NULL);
		break;
	case REQUESTS:
		if (c->has_requests && requests_step(&c->requests, run))
			c->step = REQUESTS; /* one a step */
		break;
	default:
		c->fidelity = fidelity_of(run, c->has_drift ? &c->drift : NULL);
		if (c->has_log)
			fidelity_take_log(&c->fidelity, &c->log);
		c->done = true;
		break;
	}
	return !c->done;
}

void checks_free(struct checks *c)
{
	if (c->has_drift)
		drift_free(&c->drift);
	for (size_t i = 0; i < c->recoveries; i++)
		drift_free(&c->recovery[i]);
	sidecar_free(&c->sidecar);
	acp_log_free(&c->log);
	requests_free(&c->requests);
	*c = (struct checks){0};
}
