/*
 * fuzz_run: any bytes as a session file, run under the policy of its host, then
 * looked at: frames at some positions must show what the first pass showed, and
 * every view prints there, every line opened. `make fuzz`.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "replay/view/view.h"
#include "tests/fuzz/load.h"

enum { BYTES_MAX = 1 << 15, VISITS = 6, LINES_OPENED = 40, WIDTH = 80 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* xorshift64, seeded by the input: the same bytes are looked at in the same way. */
static uint32_t draw(uint64_t *random, uint32_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return n > 0 ? (uint32_t)(*random % n) : 0;
}

static void print_views(struct view_context *c, struct buf *text)
{
	struct line l = {.ascii = c->ascii};
	for (size_t v = 0; views[v] != NULL; v++) {
		size_t n = views[v]->count(c);
		c->unfolded = false;
		view_print(views[v], c, text);
		c->unfolded = true;
		for (size_t i = 0; i < n && i < LINES_OPENED; i++) {
			c->selected = views[v]->key(c, i);
			size_t lines = views[v]->detail_count ? views[v]->detail_count(c, c->selected) : 0;
			for (size_t k = 0; k < lines; k++)
				views[v]->detail_line(c, c->selected, k, &l);
		}
	}
	for (int i = 0; i < STRIP_LINES; i++)
		strip_line(c, i, &l);
	status_line(c, &l);
	line_free(&l);
}

static struct position choose(struct run *r, uint64_t *random)
{
	struct position p = {.turn = draw(random, (uint32_t)r->timeline.turns.n + 1), .node = NODE_RENDER};
	if (p.turn > 0 && draw(random, 2) == 0)
		p.node = (enum turn_node)draw(random, NODE_COUNT);
	else
		p.records = draw(random, position_records_after(r, p.turn) + 1);
	return p;
}

static void visit(struct run *r, struct frame *f, uint64_t *random)
{
	struct position p = choose(r, random);
	struct buf text = {0};
	if (frame_open(f, r, p, NULL) != STATUS_OK)
		abort();
	bool whole = !f->capacity && p.turn > 0 && p.node == NODE_RENDER && p.records == 0;
	if (whole && turn_digest(&f->turn, &r->state, &r->alternatives) != f->moment->digest)
		abort();
	struct view_context c = {.run = r, .frame = f, .width = WIDTH, .ascii = draw(random, 2) == 0};
	print_views(&c, &text);
	buf_free(&text);
}

static void run_recording(struct recording *rec, uint64_t random)
{
	struct policy policy;
	struct run run;
	struct frame f = {0};
	policy_for_host(&policy, rec->host);
	if (run_init(&run, rec, &policy, &(struct run_options){.limit = NAN}, NULL) != STATUS_OK)
		return;
	while (run_step(&run, 50))
		if (draw(&random, 8) == 0)
			visit(&run, &f, &random);
	for (int i = 0; i < VISITS; i++)
		visit(&run, &f, &random);
	frame_close(&f);
	run_free(&run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct recording r;
	if (n > BYTES_MAX || !load_bytes(&r, (const char *)data, n, NULL))
		return 0;
	run_recording(&r, n * 2654435761u + 1);
	recording_free(&r);
	return 0;
}
