/* What a turn gave, as text that a case can state. */
#include "engine/kernel/nudge_text.h"
#include "tests/pipeline.h"

struct str pipeline_row_text(struct pipeline *p, const struct surface_row *row)
{
	struct buf b = {0};
	surface_text(row, &p->f->state, &p->f->alternatives, &p->arena, &b);
	struct str text = {arena_copy(&p->arena, b.p ? b.p : "", b.n), b.n};
	buf_free(&b);
	return text;
}

static void put_number(struct buf *b, double x) { json_put_num(b, x); }

/* A member of the state as it would be stored. */
static void put_stored(struct pipeline *p, const char *group, const char *name, struct buf *b)
{
	struct buf text = {0};
	state_write(&p->f->state, &text);
	const cJSON *state = json_tree(&p->arena, buf_view(&text), NULL, NULL);
	buf_free(&text);
	json_put(b, json_get(group ? json_get(state, group) : state, name));
}

static void put_ids(struct pipeline *p, struct buf *b)
{
	for (size_t i = 0; i < p->turn.surface.rows.n; i++) {
		buf_text(b, i > 0 ? ", " : "");
		buf_str(b, names_get(&p->f->names, p->turn.surface.rows.v[i].id));
	}
}

static void put_texts(struct pipeline *p, struct buf *b)
{
	for (size_t i = 0; i < p->turn.surface.rows.n; i++) {
		buf_char(b, i > 0 ? ',' : '[');
		json_put_str(b, pipeline_row_text(p, &p->turn.surface.rows.v[i]));
	}
	buf_text(b, p->turn.surface.rows.n > 0 ? "]" : "[]");
}

/* Lengths in units; what the rows say of themselves must agree with their texts. */
static void put_lens(struct pipeline *p, struct buf *b)
{
	for (size_t i = 0; i < p->turn.surface.rows.n; i++) {
		const struct surface_row *row = &p->turn.surface.rows.v[i];
		struct measure real = text_measure(pipeline_row_text(p, row)), said = surface_measure(row);
		if (real.units != said.units || real.cjk != said.cjk)
			case_fail(p->one, "row %zu measures %u/%u, its text %u/%u", i, said.units, said.cjk, real.units,
				  real.cjk);
		buf_printf(b, "%c%u", i > 0 ? ',' : '[', real.units);
	}
	buf_char(b, ']');
}

/* Labels of the tags. */
static void put_tags(struct pipeline *p, struct buf *b)
{
	static const char before[] = "<acp tokens=\"";
	for (size_t i = 0; i < p->turn.surface.rows.n; i++) {
		struct str text = pipeline_row_text(p, &p->turn.surface.rows.v[i]);
		size_t from = sizeof before - 1, to = str_find(text, STR("\""), from);
		buf_text(b, i > 0 ? " " : "");
		if (str_starts(text, str_of(before)) && to != SIZE_MAX)
			buf_str(b, str_cut(text, from, to));
	}
}

static void put_by_raw(struct pipeline *p, struct buf *b) { put_stored(p, "messageRefs", "byRaw", b); }
static void put_by_ref(struct pipeline *p, struct buf *b) { put_stored(p, "messageRefs", "byRef", b); }
static void put_snapshot(struct pipeline *p, struct buf *b) { put_stored(p, NULL, "tokenSnapshot", b); }
static void put_next(struct pipeline *p, struct buf *b) { put_number(b, p->f->state.ref_highest + 1); }
static void put_highest(struct pipeline *p, struct buf *b) { put_number(b, p->f->state.ref_highest); }
static void put_new(struct pipeline *p, struct buf *b) { put_number(b, p->f->state.refs_n - p->refs_before); }
static void put_hidden(struct pipeline *p, struct buf *b) { put_number(b, p->turn.hidden); }
static void put_truncated(struct pipeline *p, struct buf *b) { put_number(b, p->turn.truncated); }
static void put_saved(struct pipeline *p, struct buf *b) { put_number(b, p->turn.saved); }

static void put_status(struct pipeline *p, struct buf *b)
{
	buf_text(b, p->status == STATUS_OK ? "ok" : p->status == STATUS_LIMIT ? "ref-capacity" : "?");
}

static void put_blocks(struct pipeline *p, struct buf *b)
{
	for (size_t i = 0; i < p->f->state.blocks.n; i++) {
		const struct block *k = &p->f->state.blocks.v[i];
		buf_text(b, i > 0 ? " " : "");
		buf_str(b, names_get(&p->f->names, k->id));
		buf_text(b, k->active ? ":on" : ":off");
	}
}

static void put_survival(struct pipeline *p, struct buf *b)
{
	for (size_t i = 0; i < p->f->state.blocks.n; i++) {
		const struct block *k = &p->f->state.blocks.v[i];
		buf_text(b, i > 0 ? " " : "");
		buf_str(b, names_get(&p->f->names, k->id));
		buf_char(b, ':');
		put_number(b, k->survived);
		buf_text(b, k->old ? ":old" : ":young");
	}
}

static void put_block_list(struct pipeline *p, const uint32_t *blocks, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n; i++) {
		buf_text(b, i > 0 ? "," : "");
		buf_str(b, names_get(&p->f->names, p->f->state.blocks.v[blocks[i]].id));
	}
}

static void put_deactivated(struct pipeline *p, struct buf *b)
{
	put_block_list(p, p->turn.deactivated.blocks.v, p->turn.deactivated.blocks.n, b);
}

static void put_nudge(struct pipeline *p, struct buf *b)
{
	const struct nudge_decision *d = &p->turn.nudge;
	buf_printf(b, "inject=%s tier=", d->inject ? "true" : "false");
	if (d->tier > 0)
		put_number(b, d->tier);
	else
		buf_text(b, "null");
	buf_char(b, ' ');
	nudge_text_reason(d, b);
	buf_text(b, " stamps=");
	put_stored(p, "nudge", "lastPerMessageNudgeTokens", b);
	buf_char(b, '/');
	put_stored(p, "nudge", "lastNudgeShownTokens", b);
	buf_char(b, '/');
	put_stored(p, "nudge", "lastShownByTier", b);
}

struct labelled {
	const char *label;
	double x;
};

static void put_object(const struct labelled *list, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n; i++) {
		buf_printf(b, "%c\"%s\":", i > 0 ? ',' : '{', list[i].label);
		put_number(b, list[i].x);
	}
	buf_char(b, '}');
}

static void put_numbers(struct pipeline *p, struct buf *b)
{
	const struct nudge_numbers *n = &p->turn.nudge.n;
	const struct labelled list[] = {
		{"usage", n->usage},
		{"growth", n->growth},
		{"growthReference", n->reference},
		{"effectiveThreshold", n->effective_threshold},
		{"nudgeGrowthTokens", n->threshold},
		{"growthFloor", n->floor},
		{"hasPendingNudge", n->has_pending},
		{"overLimit", n->over_limit},
		{"emergencyOverride", n->emergency},
		{"pendingT1", n->pending[1]},
		{"pendingT2", n->pending[2]},
		{"pendingT3", n->pending[3]},
	};
	put_object(list, sizeof list / sizeof list[0], b);
}

static void put_context(struct pipeline *p, struct buf *b)
{
	const struct nudge_context *c = &p->turn.nudge.context;
	const struct labelled list[] = {
		{"system", c->system}, {"tool", c->tool},   {"summaries", c->summaries}, {"code", c->code},
		{"text", c->text},     {"total", c->total}, {"growth", c->growth},
	};
	put_object(list, sizeof list / sizeof list[0], b);
}

static void put_categories(struct pipeline *p, struct buf *b) { nudge_text_categories(&p->turn.nudge.context, b); }
static void put_usage(struct pipeline *p, struct buf *b) { put_number(b, p->turn.nudge.n.usage); }
static void put_pending(struct pipeline *p, struct buf *b) { put_number(b, p->turn.nudge.n.pending[1]); }

static void put_voice(struct pipeline *p, struct buf *b)
{
	buf_text(b, nudge_text_voice(&p->turn.nudge) == NUDGE_EMERGENCY ? "emergency" : "gentle");
}

static void put_targets(struct pipeline *p, struct buf *b)
{
	put_block_list(p, p->turn.nudge.targets.v, p->turn.nudge.targets.n, b);
}

static void put_heading(struct pipeline *p, struct buf *b)
{
	put_number(b, nudge_text_heading_tier(&p->turn.nudge, &p->f->state));
}

static void put_example(struct pipeline *p, struct buf *b)
{
	struct str start, end;
	nudge_text_example(&p->turn.nudge, &p->f->state, &start, &end);
	buf_str(b, start);
	buf_text(b, "..");
	buf_str(b, end);
}

/* "m00001-m00008:1600/6400": refs, tokens, units of the recommended ranges. */
static void put_ranges(struct pipeline *p, struct buf *b)
{
	for (size_t i = 0; i < p->turn.rec.recommended.n; i++) {
		const struct range *g = &p->turn.rec.recommended.v[i];
		char start[REF_TEXT_MAX], end[REF_TEXT_MAX];
		buf_text(b, i > 0 ? " " : "");
		buf_str(b, state_ref_text(&p->f->state, g->start, start));
		buf_char(b, '-');
		buf_str(b, state_ref_text(&p->f->state, g->end, end));
		buf_char(b, ':');
		put_number(b, g->tokens);
		buf_char(b, '/');
		put_number(b, g->chars);
	}
}

static void put_order(struct pipeline *p, struct buf *b)
{
	(void)p;
	for (int node = NODE_ASSIGN_REFS; node < NODE_COUNT; node++)
		buf_printf(b, "%s%s", node > NODE_ASSIGN_REFS ? ", " : "", turn_node_name((enum turn_node)node));
}

static void put_members(const cJSON *object, struct buf *b)
{
	const cJSON *member;
	cJSON_ArrayForEach (member, object)
		buf_printf(b, "%s%s", member == object->child ? "" : ",", member->string);
}

static void put_keys(struct pipeline *p, struct buf *b)
{
	struct buf text = {0};
	state_write(&p->f->state, &text);
	const cJSON *state = json_tree(&p->arena, buf_view(&text), NULL, NULL), *blocks = json_get(state, "blocks");
	put_members(state, b);
	buf_text(b, " | block: ");
	put_members(blocks ? blocks->child : NULL, b);
	buf_text(b, " | nudge: ");
	put_members(json_get(state, "nudge"), b);
	buf_free(&text);
}

static const struct {
	const char *name;
	void (*put)(struct pipeline *p, struct buf *b);
} wanted[] = {
	{"ids", put_ids},
	{"texts", put_texts},
	{"lens", put_lens},
	{"tags", put_tags},
	{"byRaw", put_by_raw},
	{"byRef", put_by_ref},
	{"snapshot", put_snapshot},
	{"next", put_next}, /* index after the highest one in use */
	{"highest", put_highest},
	{"new", put_new}, /* refs given by this turn */
	{"status", put_status},
	{"blocks", put_blocks},
	{"survival", put_survival},
	{"deactivated", put_deactivated},
	{"hidden", put_hidden},
	{"truncated", put_truncated},
	{"saved", put_saved},
	{"nudge", put_nudge},
	{"numbers", put_numbers},
	{"context", put_context},
	{"categories", put_categories},
	{"usage", put_usage},
	{"pendingT1", put_pending},
	{"voice", put_voice},
	{"targets", put_targets},
	{"heading", put_heading},
	{"example", put_example},
	{"ranges", put_ranges},
	{"order", put_order}, /* of the nodes */
	{"keys", put_keys},   /* of the stored state, its first block and its nudge */
};

void pipeline_expect(struct pipeline *p, const cJSON *want)
{
	size_t i = 0, n = sizeof wanted / sizeof wanted[0];
	while (i < n && strcmp(wanted[i].name, want->string) != 0)
		i++;
	if (i == n)
		case_fail(p->one, "no wanted member is called %s", want->string);
	struct buf got = {0}, text = {0};
	wanted[i].put(p, &got);
	if (cJSON_IsString(want))
		buf_str(&text, json_str(want));
	else
		json_put(&text, want);
	case_expect_text(p->one, want->string, buf_view(&got), case_expand(&p->arena, buf_view(&text)));
	buf_free(&got);
	buf_free(&text);
}
