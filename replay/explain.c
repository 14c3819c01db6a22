#include "replay/explain.h"

#include <math.h>

const char *rule_name(enum rule r)
{
	static const char *const names[RULE_COUNT] = {
#define RULE_NAME(name, text) [RULE_##name] = text,
		RULE_LIST(RULE_NAME)
#undef RULE_NAME
	};
	return names[r];
}

const char *explain_source(const struct run *run, int member)
{
	static const char *const names[] = {[CONFIG_FROM_DEFAULT] = "default",
					    [CONFIG_FROM_SESSION] = "recording",
					    [CONFIG_FROM_OPTION] = "--config"};
	if (strcmp(config_members[member].path, "modelContextLimit") == 0)
		return run->limit_source;
	return names[run->config_source[member]];
}

struct reason *explain_add(struct explanation *out, enum rule rule)
{
	vec_push(&out->reasons, (struct reason){.rule = (uint16_t)rule, .holds = true, .number = {NAN, NAN, NAN, NAN}});
	return &out->reasons.v[out->reasons.n - 1];
}

void explain_value(struct reason *r, const struct run *run, const char *path)
{
	int member = config_member_find(path);
	if (r->values < REASON_VALUES)
		r->value[r->values++] = (struct reason_value){member, explain_source(run, member)};
}

void explain_switch(struct reason *r, const struct run *run, enum policy_switch which)
{
	const struct policy *p = &run->policy;
	const char *source = p->source[which] == POLICY_FROM_OPTION ? "--policy" : p->profile;
	if (r->values < REASON_VALUES)
		r->value[r->values++] = (struct reason_value){~(int)which, source};
}

void explanation_free(struct explanation *x) { vec_free(&x->reasons); }
