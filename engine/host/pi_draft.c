#include "engine/host/pi_draft.h"

#include "engine/base/fnv.h"
#include "engine/host/pi_text.h"

static bool says(const cJSON *node, const char *member, struct str what)
{
	return str_eq(json_str(json_get(node, member)), what);
}

/* The text of a text block as it stands now; absent for other blocks. */
static struct str text_of(const struct pi_draft_block *k)
{
	if (k->text.p)
		return k->text;
	return pi_is_text(k->node) ? json_str(json_get(k->node, "text")) : (struct str){0};
}

static struct str kept(struct arena *a, struct buf *b)
{
	struct str s = {arena_copy(a, b->p ? b->p : "", b->n), b->n};
	buf_free(b);
	return s;
}

/* ---- what it starts from ---- */

/* A string becomes a list with one text block. */
static void make_list(struct pi_draft *d)
{
	if (d->form == PI_DRAFT_STRING) {
		d->blocks[0] = (struct pi_draft_block){.text = d->string};
		d->n = 1;
	}
	d->form = PI_DRAFT_LIST;
}

bool pi_draft_begin(struct pi_draft *d, struct arena *a, const cJSON *host)
{
	const cJSON *content = json_get(host, "content"), *block;
	size_t n = 0;
	*d = (struct pi_draft){.arena = a, .host = host, .tagged = SIZE_MAX};
	if (!cJSON_IsObject(host))
		return false;
	d->custom_message = !cJSON_IsString(json_get(host, "role")) && says(host, "type", STR("custom_message"));
	if (cJSON_IsArray(content))
		cJSON_ArrayForEach (block, content)
			n++;
	d->blocks = arena_zero(a, n + 2, sizeof *d->blocks); /* a string may become one, and one may be added */
	if (cJSON_IsString(content)) {
		d->form = PI_DRAFT_STRING;
		d->string = json_str(content);
	} else if (cJSON_IsArray(content)) {
		d->form = PI_DRAFT_LIST;
		cJSON_ArrayForEach (block, content)
			d->blocks[d->n++].node = block;
	}
	if (d->custom_message && d->form == PI_DRAFT_STRING)
		make_list(d);
	return true;
}

bool pi_draft_is_assistant(const struct pi_draft *d)
{
	return !d->custom_message && says(d->host, "role", STR("assistant"));
}

/* ---- tags (pi.md 3.7) ---- */

/* `text`, two line feeds, and the tag. */
static struct str with_tag(struct pi_draft *d, struct str text)
{
	struct buf b = {0};
	buf_str(&b, text);
	buf_text(&b, "\n\n");
	buf_str(&b, d->tag);
	return kept(d->arena, &b);
}

static void take_tag(struct pi_draft *d, struct str text, struct pi_tag tag)
{
	d->tag = str_cut(text, 0, tag.all);
	d->tag_bytes = tag.tag;
}

/* 3.7.4 */
static void renumber(struct pi_draft *d, struct str rides_on)
{
	struct buf b = {0};
	size_t behind = d->tag.n - d->tag_bytes;
	pi_tag_renumber(&b, d->tag, text_tokens(text_measure(rides_on)));
	d->tag = kept(d->arena, &b);
	d->tag_bytes = d->tag.n - behind;
}

/* 3.7.5: the kernel cut the text; whatever texts the host has, one takes their place. */
static void rebuild(struct pi_draft *d, struct str body)
{
	size_t n = 0;
	struct str text = with_tag(d, text_trim_end(body));
	d->rebuilt = true;
	if (d->form == PI_DRAFT_STRING) {
		d->string = text;
		return;
	}
	d->form = PI_DRAFT_LIST;
	for (size_t i = 0; i < d->n; i++)
		if (d->blocks[i].node != NULL && !says(d->blocks[i].node, "type", STR("text")))
			d->blocks[n++] = d->blocks[i];
	d->blocks[n] = (struct pi_draft_block){.text = text};
	d->tagged = n;
	d->n = n + 1;
}

/* The last text block, with a text in it if `filled`; d->n = there is none. */
static size_t last_text(const struct pi_draft *d, bool filled)
{
	for (size_t i = d->n; i-- > 0;) {
		struct str text = text_of(&d->blocks[i]);
		if (text.p && (text.n > 0 || !filled))
			return i;
	}
	return d->n;
}

/* 3.7.6 */
static void append(struct pi_draft *d)
{
	make_list(d);
	pi_draft_peel(d);
	d->tagged = last_text(d, true);
	if (d->tagged == d->n) {
		d->blocks[d->n++] = (struct pi_draft_block){.text = d->tag};
		return;
	}
	struct str text = text_of(&d->blocks[d->tagged]);
	while (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	d->blocks[d->tagged].text = with_tag(d, text);
}

void pi_draft_patch(struct pi_draft *d, struct str text, bool raw_numbers)
{
	struct pi_tag tag = pi_tag_leading(text);
	if (tag.tag == 0)
		return;
	take_tag(d, text, tag);
	struct str body = str_cut(text, tag.tag, text.n);
	if (str_starts(body, STR("\n")))
		body = str_cut(body, 1, body.n);
	struct str own = pi_content_text(d->arena, json_get(d->host, "content"));
	bool changed = body.n > 0 && !str_eq(text_trim_end(body), text_trim_end(own));
	if (raw_numbers)
		renumber(d, changed ? body : own);
	if (changed)
		rebuild(d, body);
	else
		append(d);
}

/* ---- several calls (pi.md 3.6.3) ---- */

void pi_draft_keep_calls(struct pi_draft *d, bool (*keep)(void *ctx, struct str id), void *ctx)
{
	size_t n = 0;
	make_list(d);
	for (size_t i = 0; i < d->n; i++) {
		const cJSON *node = d->blocks[i].node;
		struct str id = json_str(json_get(node, "id"));
		if (says(node, "type", STR("toolCall")) && (id.n == 0 || !keep(ctx, id)))
			d->calls_gone = true;
		else
			d->blocks[n++] = d->blocks[i];
	}
	d->n = n;
}

void pi_draft_peel(struct pi_draft *d)
{
	size_t n = 0;
	for (size_t i = 0; i < d->n; i++) {
		struct str text = text_of(&d->blocks[i]), left = text.p ? pi_strip(text) : text;
		if (left.n < text.n)
			d->blocks[i].text = left;
		if (left.n > 0 || text.n == 0)
			d->blocks[n++] = d->blocks[i];
	}
	d->n = n;
}

void pi_draft_append_tag(struct pi_draft *d, struct str text)
{
	struct pi_tag tag = pi_tag_leading(text);
	if (tag.tag == 0)
		return;
	take_tag(d, text, tag);
	d->tagged = last_text(d, false);
	if (d->tagged < d->n) {
		d->blocks[d->tagged].text = with_tag(d, text_of(&d->blocks[d->tagged]));
		return;
	}
	for (size_t i = d->n++; i > 0; i--)
		d->blocks[i] = d->blocks[i - 1];
	d->blocks[0] = (struct pi_draft_block){.text = d->tag};
	d->tagged = 0;
}

/* ---- arguments and thinking ---- */

void pi_draft_sync(struct pi_draft *d, enum pi_sync mode, struct str (*text)(void *ctx, struct str id, struct arena *a),
		   void *ctx)
{
	for (size_t i = 0; i < d->n; i++) {
		struct pi_draft_block *k = &d->blocks[i];
		struct str id = pi_sync_asks(mode, k->node);
		if (id.n > 0)
			k->synced = pi_sync_block(d->arena, mode, k->node, text(ctx, id, d->arena));
	}
}

void pi_draft_drop_thinking(struct pi_draft *d, uint32_t units)
{
	size_t n = 0;
	uint64_t sum = 0;
	for (size_t i = 0; i < d->n; i++)
		if (says(d->blocks[i].node, "type", STR("thinking")))
			sum += text_measure(json_str(json_get(d->blocks[i].node, "thinking"))).units;
	if (sum <= units)
		return;
	for (size_t i = 0; i < d->n; i++)
		if (!says(d->blocks[i].node, "type", STR("thinking")))
			d->blocks[n++] = d->blocks[i];
	d->n = n;
	d->thinking_gone = true;
}

/* ---- writing ---- */

struct writing {
	const struct pi_draft *d;
	struct buf *b;
	size_t from; /* where the message begins in b */
	struct pi_written out;
};

static void put_key(struct writing *w, const char *key)
{
	if (w->b->p[w->b->n - 1] != '{')
		buf_char(w->b, ',');
	json_put_str(w->b, str_of(key));
	buf_char(w->b, ':');
}

static size_t escaped(struct str s)
{
	struct buf b = {0};
	json_put_str(&b, s);
	size_t n = b.n - 2;
	buf_free(&b);
	return n;
}

/* A text; `tagged`: it ends with the draft's tag. */
static void put_text(struct writing *w, struct str text, bool tagged)
{
	json_put_str(w->b, text);
	w->out.tokens += text_tokens(text_measure(text));
	if (!tagged)
		return;
	w->out.tag_n = escaped(str_cut(w->d->tag, 0, w->d->tag_bytes));
	w->out.tag_at = w->b->n - 1 - escaped(w->d->tag) - w->from;
}

static void put_arguments(struct writing *w, const struct pi_draft_block *k, const cJSON *recorded)
{
	struct pi_synced s = k->synced;
	size_t from = w->b->n;
	bool changed = s.outcome == PI_SYNC_CHANGED;
	if (!changed)
		json_put(w->b, recorded);
	else if (s.text.p)
		json_put_str(w->b, s.text);
	else
		json_put(w->b, s.object);
	if (changed)
		w->out.synced = fnv_bytes(w->out.synced ? w->out.synced : FNV_START, w->b->p + from, w->b->n - from);
}

static double arguments_tokens(const struct pi_draft *d, const cJSON *arguments)
{
	struct arena_mark mark = arena_mark(d->arena);
	double tokens = text_tokens(text_measure(pi_arguments_text(d->arena, arguments)));
	arena_release(d->arena, mark);
	return tokens;
}

/* A call's share in the figures. */
static void count_call(struct writing *w, const struct pi_draft_block *k)
{
	double recorded = arguments_tokens(w->d, json_get(k->node, "arguments")), sent = recorded;
	if (k->synced.outcome == PI_SYNC_CHANGED)
		sent = k->synced.text.p ? text_tokens(text_measure(k->synced.text))
					: arguments_tokens(w->d, k->synced.object);
	w->out.tokens += sent;
	if (!says(k->node, "name", STR("compress")))
		return;
	w->out.anchor_tokens += sent;
	w->out.recorded_tokens += recorded;
}

/* The members of a block, one of them replaced. */
static void put_block(struct writing *w, const struct pi_draft_block *k, bool tagged)
{
	bool call = says(k->node, "type", STR("toolCall")), text = text_of(k).p != NULL;
	const cJSON *m;
	if (k->node == NULL) {
		buf_text(w->b, "{\"type\":\"text\",\"text\":");
		put_text(w, k->text, tagged);
		buf_char(w->b, '}');
		return;
	}
	if (!cJSON_IsObject(k->node)) {
		json_put(w->b, k->node);
		return;
	}
	buf_char(w->b, '{');
	cJSON_ArrayForEach (m, k->node) {
		put_key(w, m->string);
		if (text && strcmp(m->string, "text") == 0)
			put_text(w, text_of(k), tagged);
		else if (call && strcmp(m->string, "arguments") == 0)
			put_arguments(w, k, m);
		else
			json_put(w->b, m);
	}
	buf_char(w->b, '}');
	if (call)
		count_call(w, k);
	if (says(k->node, "type", STR("thinking")))
		w->out.tokens += text_tokens(text_measure(json_str(json_get(k->node, "thinking"))));
}

static void put_member(struct writing *w, const char *name)
{
	const cJSON *value = json_get(w->d->host, name);
	if (value == NULL)
		return;
	put_key(w, name);
	json_put(w->b, value);
}

static void put_content(struct writing *w)
{
	const struct pi_draft *d = w->d;
	if (d->form == PI_DRAFT_ABSENT) {
		put_member(w, "content");
		return;
	}
	put_key(w, "content");
	if (d->form == PI_DRAFT_STRING) {
		put_text(w, d->string, d->tag.p != NULL);
		return;
	}
	buf_char(w->b, '[');
	for (size_t i = 0; i < d->n; i++) {
		if (i > 0)
			buf_char(w->b, ',');
		put_block(w, &d->blocks[i], i == d->tagged);
	}
	buf_char(w->b, ']');
}

/* Version 3 calls version 2's hookMessage custom (pi.md 1.4). */
static void put_role(struct writing *w)
{
	struct str role = json_str(json_get(w->d->host, "role"));
	if (w->d->custom_message)
		role = STR("user");
	if (str_eq(role, STR("hookMessage")))
		role = STR("custom");
	if (role.p == NULL) {
		put_member(w, "role");
		return;
	}
	put_key(w, "role");
	json_put_str(w->b, role);
}

struct pi_written pi_draft_write(const struct pi_draft *d, struct buf *b)
{
	struct writing w = {.d = d, .b = b, .from = b->n};
	buf_char(b, '{');
	put_role(&w);
	put_content(&w);
	if (says(d->host, "role", STR("toolResult"))) {
		put_member(&w, "toolCallId");
		put_member(&w, "toolName");
		put_member(&w, "isError");
	}
	buf_char(b, '}');
	return w.out;
}

void pi_draft_write_user(struct buf *b, struct str text)
{
	buf_text(b, "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":");
	json_put_str(b, text);
	buf_text(b, "}]}");
}
