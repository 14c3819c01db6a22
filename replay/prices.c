#include "replay/prices.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/base/json.h"
#include "replay/source.h"
#include "replay/view/text.h"

static const double MILLION = 1e6;

/* Members of a price; what stands for one that is not there. */
static const struct {
	const char *name;
	size_t at;
	bool required;
} members[] = {
	{"input", offsetof(struct price, input), true},
	{"cacheRead", offsetof(struct price, cache_read), false},
	{"cacheWrite", offsetof(struct price, cache_write), false},
	{"output", offsetof(struct price, output), true},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* The path of a member, safe to show. */
static enum status refuse(struct error *e, const char *model, const char *member, const char *what)
{
	struct buf name = {0};
	buf_text(&name, "models");
	if (model != NULL) {
		buf_char(&name, '.');
		text_put_safe(&name, text_clip(str_of(model), 60, true, NULL), true);
	}
	if (member != NULL) {
		buf_char(&name, '.');
		text_put_safe(&name, text_clip(str_of(member), 60, true, NULL), true);
	}
	enum status st = error_set(e, STATUS_DATA, "%s %s", name.p, what);
	buf_free(&name);
	return st;
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < MEMBERS; i++)
		if (strcmp(members[i].name, name) == 0)
			return true;
	return false;
}

static enum status read_price(const cJSON *node, struct price *p, struct error *e)
{
	const cJSON *member;
	if (!cJSON_IsObject(node))
		return refuse(e, node->string, NULL, "must be an object");
	cJSON_ArrayForEach (member, node)
		if (!is_known(member->string)) /* a mistyped name would silently be another price */
			return refuse(e, node->string, member->string,
				      "is not known: input, cacheRead, cacheWrite, output");
	for (size_t i = 0; i < MEMBERS; i++) {
		double value = p->input * MILLION;
		member = json_get(node, members[i].name);
		if (member == NULL && members[i].required)
			return refuse(e, node->string, members[i].name, "is missing");
		if (member != NULL && (!json_num(member, &value) || !(value >= 0) || value > PRICE_MAX))
			return refuse(e, node->string, members[i].name,
				      "must be a number from 0 to 1000000000 (per million tokens)");
		value /= MILLION;
		memcpy((char *)p + members[i].at, &value, sizeof value);
	}
	return STATUS_OK;
}

static enum status read_tree(const cJSON *tree, struct arena *a, struct prices *out, struct error *e)
{
	const cJSON *models = json_get(tree, "models"), *currency = json_get(tree, "currency"), *node;
	if (!cJSON_IsObject(tree))
		return error_set(e, STATUS_DATA, "expected a JSON object");
	if (currency != NULL && json_str(currency).p == NULL)
		return error_set(e, STATUS_DATA, "currency must be a text");
	if (!cJSON_IsObject(models))
		return refuse(e, NULL, NULL, models ? "must be an object" : "is missing");
	if (currency != NULL)
		out->currency = json_str(currency);
	out->models = arena_zero(a, (size_t)cJSON_GetArraySize(models) + 1, sizeof *out->models);
	cJSON_ArrayForEach (node, models) {
		struct model_price *m = &out->models[out->n];
		enum status st = read_price(node, &m->price, e);
		if (st != STATUS_OK)
			return st;
		m->model = str_of(node->string);
		out->n++;
	}
	return STATUS_OK;
}

enum status prices_read(const char *path, struct arena *a, struct prices *out, struct error *e)
{
	struct source source;
	enum json_status json;
	size_t at;
	*out = (struct prices){.currency = STR("")};
	enum status st = source_open_as(&source, path, "a file of prices", e);
	if (st != STATUS_OK)
		return st;
	const cJSON *tree = json_tree(a, source_read(&source, 0, source.size, a), &json, &at);
	st = tree != NULL ? read_tree(tree, a, out, e) : error_set(e, STATUS_DATA, "not JSON at byte %zu", at);
	if (st != STATUS_OK && e != NULL) {
		snprintf(e->file, sizeof e->file, "%s", path);
		e->line = 0;
	}
	source_close(&source);
	return st;
}

const struct price *prices_of(const struct prices *p, struct str model)
{
	const struct price *other = NULL;
	for (size_t i = 0; p != NULL && i < p->n; i++) {
		if (str_eq(p->models[i].model, model))
			return &p->models[i].price;
		if (str_eq(p->models[i].model, STR("*")))
			other = &p->models[i].price;
	}
	return other;
}

double price_again(const struct price *p, double tokens)
{
	double more = p->cache_write - p->cache_read;
	return more > 0 ? tokens * more : 0;
}

/* ---- folds ---- */

double fold_extra_cost(const struct price *p, const struct fold *f)
{
	double written = (1 - f->kept) * (f->context - f->folded);
	return (p->cache_write - p->cache_read) * written + p->output * f->ratio * f->folded -
	       p->cache_read * f->folded;
}

double fold_saving(const struct price *p, const struct fold *f) { return (1 - f->ratio) * f->folded * p->cache_read; }

double fold_break_even(const struct price *p, const struct fold *f)
{
	double extra = fold_extra_cost(p, f), saving = fold_saving(p, f);
	if (extra <= 0)
		return saving >= 0 ? 0 : NAN;
	return saving > 0 ? extra / saving : NAN;
}

double fold_best_size(const struct price *p, double growth, double kept, double context_after)
{
	if (!(p->cache_read > 0))
		return NAN;
	return sqrt(2 * growth * (p->cache_write - p->cache_read) * (1 - kept) * context_after / p->cache_read);
}
