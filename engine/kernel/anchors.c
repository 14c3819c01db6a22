#include "engine/kernel/anchors.h"

#include <stdlib.h>

#include "engine/base/buf.h"
#include "engine/base/json.h"
#include "engine/kernel/lenient.h"

/* A call's text taken apart. */
struct anchor_text {
	struct str prefix; /* slim form: what stands before the object */
	const cJSON *object;
	const cJSON *entries; /* the array of its content, not empty */
	bool string_form;     /* content is that array as a string */
};

/* Joined keys, sorted by bytes. */
struct key_set {
	struct str *v;
	size_t n;
};

/* What is written of the entries. */
struct selection {
	const bool *keep; /* by entry; NULL = all */
	bool stub;        /* long summaries are cut */
};

static struct str join_key(struct arena *a, struct str start, struct str end)
{
	char *p = arena_alloc(a, start.n + 2 + end.n);
	if (start.n > 0)
		memcpy(p, start.p, start.n);
	memcpy(p + start.n, "::", 2);
	if (end.n > 0)
		memcpy(p + start.n + 2, end.p, end.n);
	return (struct str){p, start.n + 2 + end.n};
}

static int compare_keys(const void *left, const void *right)
{
	const struct str *a = left, *b = right;
	int order = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);
	return order != 0 ? order : (a->n > b->n) - (a->n < b->n);
}

static struct key_set sort_keys(struct arena *a, const struct anchor_key *live, size_t n)
{
	struct key_set set = {arena_alloc(a, n * sizeof *set.v), n};
	for (size_t i = 0; i < n; i++)
		set.v[i] = join_key(a, live[i].start, live[i].end);
	qsort(set.v, n, sizeof *set.v, compare_keys);
	return set;
}

/* The string `name`, or `messageId`, or empty. An empty string counts, startRef and endRef do not: part 11, 13. */
static struct str entry_ref(const cJSON *entry, const char *name)
{
	struct str s = json_str(json_get(entry, name));
	return s.p ? s : json_str(json_get(entry, "messageId"));
}

static bool entry_live(struct arena *a, const cJSON *entry, const struct key_set *live)
{
	if (!cJSON_IsObject(entry) && !cJSON_IsArray(entry))
		return false;
	struct arena_mark mark = arena_mark(a);
	struct str key = join_key(a, entry_ref(entry, "startId"), entry_ref(entry, "endId"));
	bool found = bsearch(&key, live->v, live->n, sizeof key, compare_keys) != NULL;
	arena_release(a, mark);
	return found;
}

/* A flag for every entry that is live; counts them and all. */
static bool *mark_live(struct arena *a, const cJSON *entries, const struct key_set *live, size_t *kept, size_t *all)
{
	*kept = *all = 0;
	for (const cJSON *e = entries->child; e; e = e->next)
		(*all)++;
	bool *keep = arena_zero(a, *all, sizeof *keep);
	size_t i = 0;
	for (const cJSON *e = entries->child; e; e = e->next, i++) {
		keep[i] = entry_live(a, e, live);
		*kept += keep[i];
	}
	return keep;
}

/* The entry's summary when it is too long to be shown, else absent. */
static struct str long_summary(const cJSON *entry)
{
	struct str s = json_str(cJSON_IsObject(entry) ? json_get(entry, "summary") : NULL);
	return s.n > SUMMARY_STUB_UNITS && text_measure(s).units > SUMMARY_STUB_UNITS ? s : (struct str){0};
}

static bool any_long_summary(const cJSON *entries)
{
	for (const cJSON *e = entries->child; e; e = e->next)
		if (long_summary(e).p)
			return true;
	return false;
}

/* The opening of a member: a comma unless it is the first of `object`, its key and a colon. */
static void write_key(struct buf *b, const cJSON *object, const cJSON *member)
{
	buf_text(b, member == object->child ? "" : ",");
	json_put_str(b, str_of(member->string));
	buf_char(b, ':');
}

static void write_stub(struct buf *b, struct arena *a, const cJSON *entry, struct str summary)
{
	/* the cut may leave half a surrogate pair; the ellipsis keeps it lone: part 11, 16 */
	struct str cut = text_join(a, text_slice(a, summary, 0, SUMMARY_STUB_KEPT), STR("\xe2\x80\xa6"));
	buf_char(b, '{');
	for (const cJSON *m = entry->child; m; m = m->next) {
		write_key(b, entry, m);
		if (strcmp(m->string, "summary") == 0)
			json_put_str(b, cut);
		else
			json_put(b, m);
	}
	buf_char(b, '}');
}

static void write_entries(struct buf *b, struct arena *a, const cJSON *entries, const struct selection *what)
{
	size_t i = 0, written = 0;
	buf_char(b, '[');
	for (const cJSON *e = entries->child; e; e = e->next, i++) {
		if (what->keep && !what->keep[i])
			continue;
		if (written++ > 0)
			buf_char(b, ',');
		struct str summary = what->stub ? long_summary(e) : (struct str){0};
		if (summary.p)
			write_stub(b, a, e, summary);
		else
			json_put(b, e);
	}
	buf_char(b, ']');
}

/* prefix + the object with other entries under `content`. */
static struct str write_text(struct arena *a, const struct anchor_text *t, const struct selection *what)
{
	struct buf b = {0}, list = {0};
	write_entries(&list, a, t->entries, what);
	buf_str(&b, t->prefix);
	buf_char(&b, '{');
	for (const cJSON *m = t->object->child; m; m = m->next) {
		write_key(&b, t->object, m);
		if (strcmp(m->string, "content") != 0)
			json_put(&b, m);
		else if (t->string_form)
			json_put_str(&b, buf_view(&list));
		else
			buf_str(&b, buf_view(&list));
	}
	buf_char(&b, '}');
	struct str out = {arena_copy(a, b.p, b.n), b.n};
	buf_free(&list);
	buf_free(&b);
	return out;
}

/* Fills object and entries from JSON; false when there is no array with entries under `content`. */
static bool read_object(struct arena *a, struct str json, bool may_be_string, struct anchor_text *t)
{
	t->object = lenient_strict(a, json);
	t->entries = cJSON_IsObject(t->object) ? json_get(t->object, "content") : NULL;
	t->string_form = may_be_string && cJSON_IsString(t->entries);
	if (t->string_form)
		t->entries = lenient_strict(a, json_str(t->entries));
	return cJSON_IsArray(t->entries) && t->entries->child;
}

/* kernel.md 4.5.2 */
static bool rewrite_full(struct arena *a, struct str text, const struct key_set *live, struct str *out)
{
	struct anchor_text t = {0};
	if (live->n == 0 || !read_object(a, text, false, &t))
		return false;
	size_t kept, all;
	struct selection what = {mark_live(a, t.entries, live, &kept, &all), false};
	if (kept == 0 || kept == all)
		return false;
	*out = write_text(a, &t, &what);
	return true;
}

/* kernel.md 4.5.3 */
static bool rewrite_slim(struct arena *a, struct str text, const struct key_set *live, struct str *out)
{
	struct anchor_text t = {0};
	size_t brace = str_find(text, STR("{"), 0);
	if (brace == SIZE_MAX || !read_object(a, str_cut(text, brace, text.n), true, &t))
		return false;
	t.prefix = str_cut(text, 0, brace);
	size_t kept, all;
	struct selection what = {mark_live(a, t.entries, live, &kept, &all), true};
	if (kept == 0) {
		if (!any_long_summary(t.entries))
			return false;
		what.keep = NULL; /* nothing is dropped: part 11, 15 */
	}
	*out = write_text(a, &t, &what);
	return !str_eq(*out, text);
}

bool anchors_rewrite(struct arena *a, enum anchor_form form, struct str text, const struct anchor_key *live,
		     size_t live_n, bool legacy, struct str *out)
{
	/* a block without refs makes every entry of its call worth keeping: as if no key were known */
	struct key_set keys = sort_keys(a, live, legacy ? 0 : live_n);
	return form == ANCHOR_FULL ? rewrite_full(a, text, &keys, out) : rewrite_slim(a, text, &keys, out);
}
