#include "replay/report/info.h"

#include <math.h>

#include "engine/base/num.h"
#include "replay/readers/reader.h"
#include "replay/run.h"
#include "replay/view/text.h"

enum { DAMAGES_SHOWN = 20 };

static void label(struct buf *b, const char *name) { buf_printf(b, "%-14s", name); }

static void put_text(struct buf *b, const char *name, struct str value)
{
	label(b, name);
	if (value.n)
		text_put_safe(b, value, false);
	else
		buf_char(b, '-');
	buf_char(b, '\n');
}

static void put_file(const struct recording *r, struct buf *b)
{
	put_text(b, "file", str_of(r->source.path));
	label(b, "format");
	buf_printf(b, "%s (%s)\n", r->reader->title, r->reader->name);
	put_text(b, "host", r->host);
	put_text(b, "session", r->id);
	put_text(b, "model", r->model);
	label(b, "size");
	buf_printf(b, "%zu bytes, %llu line%s\n", r->source.size, (unsigned long long)r->lines,
		   r->lines == 1 ? "" : "s");
}

static void put_counts(const struct recording *r, struct buf *b)
{
	size_t count[RECORD_TYPE_COUNT] = {0}, rowless = 0, i;

	for (i = 0; i < r->records.n; i++)
		count[r->records.v[i].type]++;
	for (i = 0; i < r->messages.n; i++)
		rowless += r->messages.v[i].rowless;
	label(b, "records");
	buf_printf(b, "%zu\n", r->records.n);
	for (i = 0; i < RECORD_TYPE_COUNT; i++) {
		if (count[i] == 0)
			continue;
		buf_printf(b, "  %-12s%zu", record_type_name((enum record_type)i), count[i]);
		if (i == RECORD_MESSAGE && rowless)
			buf_printf(b, " (%zu without a row)", rowless);
		buf_char(b, '\n');
	}
}

static void put_tokens(struct buf *b, const char *name, double tokens, const char *source)
{
	char text[NUM_TEXT_MAX];

	num_print(text, tokens);
	label(b, name);
	buf_printf(b, "%s tokens (%s)\n", text, source);
}

/* The window and the fixed overhead, with where they come from. */
static void put_assumptions(const struct recording *r, const struct run *run, struct buf *b)
{
	if (run)
		put_tokens(b, "window", run->config.limit, run->limit_assumed ? "assumed" : run->limit_source);
	else if (!isnan(r->context_limit))
		put_tokens(b, "window", r->context_limit, "recording");
	else
		put_text(b, "window", STR("not in the file"));
	if (isnan(r->system_tokens))
		put_tokens(b, "system prompt", run ? run->system_tokens : 0, "assumed");
	else
		put_tokens(b, "system prompt", r->system_tokens, "recording");
}

static void put_damage(const struct recording *r, struct buf *b)
{
	uint64_t all = recording_damages(r);
	size_t i, shown = r->damages.n < DAMAGES_SHOWN ? r->damages.n : DAMAGES_SHOWN;

	label(b, "damage");
	if (all == 0) {
		buf_text(b, "none\n");
		return;
	}
	buf_printf(b, "%llu (%llu line%s not used)\n", (unsigned long long)all, (unsigned long long)r->skipped,
		   r->skipped == 1 ? "" : "s");
	for (i = 0; i < DAMAGE_KIND_COUNT; i++)
		if (r->damage_count[i])
			buf_printf(b, "  %-14s%llu\n", damage_kind_name((enum damage_kind)i),
				   (unsigned long long)r->damage_count[i]);
	for (i = 0; i < shown; i++)
		buf_printf(b, "  line %llu, byte %llu: %s: %s\n", (unsigned long long)r->damages.v[i].line,
			   (unsigned long long)r->damages.v[i].byte, damage_kind_name(r->damages.v[i].kind),
			   r->damages.v[i].what);
	if (all > shown)
		buf_printf(b, "  and %llu more\n", (unsigned long long)(all - shown));
}

void info_print(struct recording *r, struct run *run, struct buf *b)
{
	size_t i;

	put_file(r, b);
	put_counts(r, b);
	put_assumptions(r, run, b);
	put_damage(r, b);
	if (r->not_understood) {
		label(b, "not read");
		buf_printf(b, "%llu not understood yet (see the notes)\n", (unsigned long long)r->not_understood);
	}
	for (i = 0; i < r->notes.n; i++) {
		label(b, i ? "" : "notes");
		buf_str(b, r->notes.v[i]);
		buf_char(b, '\n');
	}
}
