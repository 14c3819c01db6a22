#include "replay/timeline.h"

static const struct {
	uint16_t event;
	const char *name;
} events[] = {
	{MOMENT_USER, "user"},     {MOMENT_APPLIED, "applied"},        {MOMENT_REFUSED, "refused"},
	{MOMENT_NUDGE, "nudge"},   {MOMENT_TRUNCATED, "truncated"},    {MOMENT_RESTART, "restart"},
	{MOMENT_MODEL, "model"},   {MOMENT_REWIND, "rewind"},          {MOMENT_KEEP, "keep"},
	{MOMENT_STATE, "state"},   {MOMENT_DECOMPRESS, "decompress"},  {MOMENT_CAPACITY, "ref-capacity"},
	{MOMENT_FAILED, "failed"}, {MOMENT_REFUTED, "window-refuted"},
};

const char *moment_event_at(unsigned i, uint16_t *event)
{
	if (i >= sizeof events / sizeof *events)
		return NULL;
	*event = events[i].event;
	return events[i].name;
}
