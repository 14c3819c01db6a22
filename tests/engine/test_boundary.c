#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kernel/boundary.h"
#include "tests/fixture.h"

static const char *const consumed_names[] = {[CONSUMED_NONE] = "",
					     [CONSUMED_MESSAGE_HIDDEN] = "message-hidden",
					     [CONSUMED_BLOCK_INACTIVE] = "block-inactive",
					     [CONSUMED_BLOCK_INVISIBLE] = "block-invisible"};

static void put_ids(const struct fixture *f, const struct resolution *at, struct buf *b)
{
	bool any = false;
	for (uint32_t i = at->start; i <= at->end; i++) {
		const struct surface_row *r = &f->surface.rows.v[i];
		if (!boundary_in_ids(r, &f->state))
			continue;
		buf_text(b, any ? "," : "");
		buf_str(b, names_get(&f->names, r->id));
		any = true;
	}
}

/* As kernel.md 10.11 prints a result. */
static void put_resolution(const struct fixture *f, const struct resolution *at, struct buf *b)
{
	const char *end = at->at_end ? "end" : "start";
	switch (at->status) {
	case RESOLVE_INVALID:
		buf_text(b, "invalid-ref");
		return;
	case RESOLVE_UNKNOWN:
		buf_printf(b, "ref-unknown{%s,%s}", end, at->ref.p);
		return;
	case RESOLVE_CONSUMED:
		buf_printf(b, "ref-consumed/%s{%s,%s}", consumed_names[at->consumed], end, at->ref.p);
		return;
	case RESOLVE_OK:
		break;
	}
	buf_printf(b, "[%u,%u] ids=[", (unsigned)at->start, (unsigned)at->end);
	put_ids(f, at, b);
	buf_printf(b, "] kind=%s nested=[", at->block_kind ? "block" : "message");
	for (size_t i = 0; i < at->nested_n; i++) {
		buf_text(b, i > 0 ? "," : "");
		buf_str(b, names_get(&f->names, f->state.blocks.v[at->nested[i]].id));
	}
	buf_text(b, "] snaps=[");
	for (int i = 0; i < at->snaps_n; i++)
		buf_printf(b, "%ssnapped-%s{%s,%s}", i > 0 ? "; " : "", at->snaps[i].block ? "block" : "message",
			   at->snaps[i].end ? "end" : "start", at->snaps[i].ref.p);
	buf_char(b, ']');
}

/* What the index remembers must be what the lists say (kernel.md 6.3). */
static void check_visibility(const cJSON *one, struct fixture *f, struct positions *p, struct arena *a)
{
	uint32_t *blocks, rows = (uint32_t)f->surface.rows.n;
	for (uint32_t from = 0; from < rows; from++) {
		size_t n = boundary_blocks_in(a, &f->surface, p, &f->state, from, rows - 1, &blocks), at = 0;
		for (uint32_t i = 0; i < f->state.blocks.n; i++) {
			const struct block *k = &f->state.blocks.v[i];
			if (!k->active || !boundary_block_visible(k, p, from, rows - 1))
				continue;
			if (at == n || blocks[at++] != i)
				case_fail(one, "block %u is missing among those in [%u,end]", (unsigned)i,
					  (unsigned)from);
		}
		case_expect_count(one, "blocks in view", n, at);
	}
}

/* An active block's own ref leads to its visible anchor, without a snap (kernel.md 6.2). */
static void check_anchors(const cJSON *one, struct fixture *f, struct positions *p, struct arena *a)
{
	for (size_t i = 0; i < f->state.blocks.n; i++) {
		const struct block *k = &f->state.blocks.v[i];
		uint32_t anchor = boundary_block_anchor(k, p);
		struct resolution at;
		struct str id = names_get(&f->names, k->id);
		boundary_resolve(a, id, id, &f->surface, p, &f->state, &at);
		if (k->active && anchor != 0 && (at.status != RESOLVE_OK || at.snaps_n > 0 || at.start != anchor - 1))
			case_fail(one, "%s does not lead to row %u", id.p, (unsigned)anchor - 1);
		if ((!k->active || anchor == 0) && at.status == RESOLVE_OK && at.snaps_n != 2)
			case_fail(one, "%s resolves without a snap", id.p);
	}
}

static void check_case(const cJSON *one, void *ctx)
{
	struct positions *p = ctx;
	struct fixture f;
	struct arena a = {0};
	const cJSON *ask, *want = json_get(one, "want")->child;
	fixture_build(&f, one);
	positions_build(p, fixture_surface(&f));
	cJSON_ArrayForEach (ask, json_get(one, "ask")) {
		struct resolution at;
		struct buf got = {0};
		boundary_resolve(&a, json_str(ask->child), json_str(ask->child->next), &f.surface, p, &f.state, &at);
		put_resolution(&f, &at, &got);
		if (!want)
			case_fail(one, "more asks than answers");
		case_expect_text(one, "resolution", buf_view(&got), json_str(want));
		want = want->next;
		buf_free(&got);
	}
	if (want)
		case_fail(one, "more answers than asks");
	check_visibility(one, &f, p, &a);
	check_anchors(one, &f, p, &a);
	arena_free(&a);
	fixture_free(&f);
}

/* One index for all cases: what an earlier surface left behind would show. */
static void ranges_resolve_as_the_cases_say(void **state)
{
	struct positions p = {0};
	(void)state;
	case_file_each("tests/cases/boundary.jsonl", check_case, &p);
	positions_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_resolve_as_the_cases_say),
	};
	return !!cmocka_run_group_tests(tests, NULL, NULL);
}
