#include "replay/report/settings.h"

#include "engine/base/num.h"
#include "replay/view/text.h"

enum { HOST_COLUMNS = 40 };

/* Where a value of the configuration comes from, by enum config_source. */
static const char *const sources[] = {"default", "session.config", "--config"};

void settings_put_profile(struct buf *b, const struct policy *p)
{
	struct buf options = {0};
	buf_text(b, p->profile);
	policy_put_options(p, &options);
	if (options.n > 0) {
		buf_text(b, " with ");
		buf_str(b, buf_view(&options));
	}
	buf_free(&options);
}

void settings_put_host(struct buf *b, const struct run *r, bool ascii)
{
	struct str host = r->recording->host;
	const char *own = policy_profile_host(&r->policy);
	bool has_adapter = policy_has_adapter(host), asked = policy_is(&r->policy, SWITCH_DRIVER, "host");
	if (!asked || (has_adapter && (own == NULL || str_eq(host, str_of(own)))))
		return;
	if (has_adapter)
		buf_printf(b, " (of host %s: the adapter of host ", own);
	else
		buf_text(b, " (host ");
	text_put_safe(b, text_clip(host, HOST_COLUMNS, ascii, NULL), ascii);
	if (has_adapter)
		buf_printf(b, " is replayed, with what %s sets)", r->policy.profile);
	else
		buf_text(b, " has no adapter: the kernel alone is replayed)");
}

void settings_put_limit(struct buf *b, const struct run *r)
{
	char text[NUM_TEXT_MAX];
	num_print(text, r->config.limit);
	buf_text(b, text);
	if (strcmp(r->limit_source, "recording") != 0)
		buf_printf(b, " (%s)", r->limit_source);
	if (r->reserved > 0) {
		num_print(text, r->reserved);
		buf_printf(b, " less %s kept free for the answer", text);
	}
}

void settings_print(const struct run *r, struct buf *b, bool ascii)
{
	const char *problems[CONFIG_PROBLEMS_MAX];
	struct buf value = {0};
	buf_text(b, "profile       ");
	settings_put_profile(b, &r->policy);
	settings_put_host(b, r, ascii);
	buf_text(b, "\nconfiguration");
	size_t n = 0;
	for (int i = 0; config_members[i].path != NULL; i++) {
		if (r->config_source[i] == CONFIG_FROM_DEFAULT)
			continue;
		buf_cut(&value, 0);
		config_member_print(&r->config, i, &value);
		buf_printf(b, "%s  %-28s", n++ == 0 ? "\n" : "", config_members[i].path);
		text_put_safe(b, value.n > 0 ? buf_view(&value) : STR("none"), ascii);
		buf_printf(b, " (%s)\n", sources[r->config_source[i]]);
	}
	if (n == 0)
		buf_text(b, " kernel defaults\n");
	size_t odd = config_problems(&r->config, problems);
	for (size_t i = 0; i < odd; i++)
		buf_printf(b, "  warning: %s\n", problems[i]);
	buf_free(&value);
}
