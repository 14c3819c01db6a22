#include "replay/request_lines.h"

#include "replay/run_pi.h"

const char *request_state_name(enum request_state s)
{
	static const char *const names[REQUEST_STATES] = {"same", "changed", "new", "removed"};
	return names[s];
}

const struct pi_message *request_line_message(const struct frame_request *q, const struct request_line *l)
{
	const struct pi_egress *e = &q->sender.egress;
	return l->now != 0 ? &e->now.messages.v[l->now - 1] : &e->before.messages.v[l->before - 1];
}

uint32_t request_line_source(const struct frame_request *q, const struct request_line *l)
{
	const struct pi_request *r = l->now != 0 ? &q->sender.egress.now : &q->sender.egress.before;
	const struct sent_rows *rows = l->now != 0 ? &q->sender.rows : &q->sender.rows_before;
	const struct pi_message *m = request_line_message(q, l);
	int32_t source = m->rows > 0 ? rows->v[r->rows.v[m->first_row]] : -1;
	return source >= 0 ? (uint32_t)source : UINT32_MAX;
}

/* ---- the host's own view ---- */

static void mark_dropped(const struct frame *f, const struct frame_request *q, struct request_lines *out)
{
	size_t here = q->counterfactual ? position_record(f->run, f->at) : f->moment->record;
	size_t kept = 0;
	for (size_t i = 0; i < out->n; i++) {
		struct request_line *l = &out->v[i];
		uint32_t source = request_line_source(q, l);
		if (l->now == 0)
			continue;
		l->host_drops = source != UINT32_MAX && pi_host_drops(f->run, source, here);
		out->host_drops += l->host_drops;
		if (!l->host_drops)
			out->host_bytes += (double)request_line_message(q, l)->n + (kept++ > 0);
	}
}

/* ---- pairs ---- */

struct entry_place {
	uint32_t entry, at; /* message of the request before */
};

static int by_entry(const void *a, const void *b)
{
	const struct entry_place *x = a, *y = b;
	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Partners of both sides, + 1: whole messages in common, then by entry, the k-th of one with the k-th of the other. */
static void pair(const struct frame_request *q, uint32_t *of_now, uint32_t *of_before, struct arena *a)
{
	const struct pi_request *was = &q->sender.egress.before, *is = &q->sender.egress.now;
	size_t same = q->sent.same, n = was->messages.n - same;
	struct entry_place *places = arena_alloc(a, n * sizeof *places);
	for (uint32_t i = 0; i < same; i++)
		of_now[i] = of_before[i] = i + 1;
	for (size_t i = 0; i < n; i++)
		places[i] = (struct entry_place){was->messages.v[same + i].entry, (uint32_t)(same + i)};
	if (n > 1)
		qsort(places, n, sizeof *places, by_entry);
	for (size_t i = same; i < is->messages.n; i++) {
		uint32_t entry = is->messages.v[i].entry;
		size_t low = 0, high = n;
		while (low < high) {
			size_t mid = low + (high - low) / 2;
			if (places[mid].entry < entry)
				low = mid + 1;
			else
				high = mid;
		}
		while (low < n && places[low].entry == entry && of_before[places[low].at] != 0)
			low++;
		if (low == n || places[low].entry != entry)
			continue;
		of_now[i] = places[low].at + 1;
		of_before[places[low].at] = (uint32_t)i + 1;
	}
}

static enum request_state state_of(const struct frame_request *q, size_t now, uint32_t before)
{
	const struct pi_egress *e = &q->sender.egress;
	const struct pi_message *m = &e->now.messages.v[now];
	if (before == 0)
		return REQUEST_NEW;
	if (m->before == before || str_eq(pi_egress_bytes(e, m), pi_egress_bytes(e, &e->before.messages.v[before - 1])))
		return REQUEST_SAME;
	return REQUEST_CHANGED;
}

static void add(struct request_lines *out, struct request_line l)
{
	out->of_state[l.state]++;
	out->v[out->n++] = l;
}

/* The two lists woven into one. */
struct weave {
	struct request_lines *out;
	const uint32_t *of_before;
	size_t before, next; /* messages of the request before; the one that comes next */
};

static void pass_before(struct weave *w)
{
	if (w->of_before[w->next] == 0)
		add(w->out, (struct request_line){.before = (uint32_t)w->next + 1, .state = REQUEST_REMOVED});
	w->next++;
}

/* What is gone comes before message i of the request: all in front of its partner, or what it seems to stand for. */
static void pass_until(struct weave *w, size_t i, uint32_t partner)
{
	if (partner == 0)
		while (w->next < w->before && w->of_before[w->next] <= i)
			pass_before(w);
	while (w->next < partner)
		pass_before(w);
}

static size_t first_difference(const struct frame_request *q, const struct request_lines *l)
{
	size_t same = q->sent.same;
	if (q->before == 0 || q->sent.append_only)
		return SIZE_MAX;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].now > same || l->v[i].before > same)
			return i;
	return SIZE_MAX;
}

struct request_lines request_lines_of(const struct frame *f, const struct frame_request *q, struct arena *a)
{
	const struct pi_request *was = &q->sender.egress.before, *is = &q->sender.egress.now;
	uint32_t *of_now = arena_zero(a, is->messages.n, sizeof *of_now);
	uint32_t *of_before = arena_zero(a, was->messages.n, sizeof *of_before);
	struct request_lines out = {0};
	out.v = arena_alloc(a, (is->messages.n + was->messages.n) * sizeof *out.v);
	pair(q, of_now, of_before, a);
	struct weave w = {&out, of_before, was->messages.n, 0};
	for (size_t i = 0; i < is->messages.n; i++) {
		pass_until(&w, i, of_now[i]);
		add(&out, (struct request_line){(uint32_t)i + 1, of_now[i], (uint8_t)state_of(q, i, of_now[i]), false});
	}
	while (w.next < w.before)
		pass_before(&w);
	out.first_difference = first_difference(q, &out);
	mark_dropped(f, q, &out);
	return out;
}
