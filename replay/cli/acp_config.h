/*
 * acp_config: a --config file as overrides of the kernel's configuration.
 *
 * It may hold the kernel's own members (kernel.md 1.4) and those of an adapter's
 * acp.json (pi.md 2.4), also both; a kernel member beats the adapter's name for
 * it. One table maps the adapter's names. What nothing here knows is ignored, as
 * the adapter does, and named.
 */
#ifndef REPLAY_CLI_ACP_CONFIG_H
#define REPLAY_CLI_ACP_CONFIG_H

#include "engine/base/error.h"
#include "engine/base/json.h"

struct acp_config {
	const cJSON *overrides; /* for config_merge */
	double limit;           /* modelContextLimit, tokens; 0 = not there */
	double headroom;        /* outputHeadroomMaxPct, a share of the window; 0 = not there */
	const char *ignored;    /* names of the members that were ignored, "a, b.c"; NULL = none */
};

/* Everything lives in the arena. `file` is an object. STATUS_DATA names a member of a wrong type. */
enum status acp_config_read(struct acp_config *out, const cJSON *file, struct arena *a, struct error *e);

#endif
