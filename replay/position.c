#include "replay/position.h"

#include "replay/nearest.h"

/* Record after turn n; the first one for turn 0. */
static size_t record_after(const struct run *r, uint32_t turn)
{
	return turn == 0 ? 0 : (size_t)r->timeline.turns.v[turn - 1].record + 1;
}

uint32_t position_records_after(const struct run *r, uint32_t turn)
{
	size_t first = record_after(r, turn);
	size_t end = turn < r->timeline.turns.n ? r->timeline.turns.v[turn].record : r->next;
	return end > first ? (uint32_t)(end - first) : 0;
}

size_t position_record(const struct run *r, struct position p)
{
	size_t after = record_after(r, p.turn);
	return p.records == 0 && p.turn > 0 ? after - 1 : after + p.records;
}

bool position_equal(struct position a, struct position b)
{
	return a.turn == b.turn && a.node == b.node && a.records == b.records;
}

enum { DIGITS_SHOWN = 40 };

/* Digits at the start of s: their value (clipped) in *n and their count. */
static size_t read_number(struct str s, uint64_t *n)
{
	size_t i = 0;
	*n = 0;
	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		*n = *n < UINT32_MAX ? *n * 10 + (uint64_t)(s.p[i] - '0') : *n;
	return i;
}

/* A name may be cut short as long as it means one node ("hide"); `second`: of two that it could mean. */
static bool match_node(struct str name, enum turn_node *out, const char **second)
{
	int found = 0;
	if (turn_node_parse(name, out))
		return true;
	for (unsigned n = NODE_ASSIGN_REFS; name.n > 0 && n < NODE_COUNT; n++) {
		if (!str_starts(str_of(turn_node_name(n)), name))
			continue;
		if (found++ == 0)
			*out = n;
		else
			*second = turn_node_name(n);
	}
	return found == 1;
}

static enum status read_node(struct str name, struct position *out, struct error *e)
{
	const char *second = NULL;
	if (str_eq(name, str_of(turn_node_name(NODE_START)))) {
		out->node = NODE_START; /* not in recording.md; what position_print writes is read back */
		return STATUS_OK;
	}
	if (match_node(name, &out->node, &second))
		return STATUS_OK;
	if (second != NULL)
		return error_set(e, STATUS_USAGE, "position: that can mean the nodes %s and %s",
				 turn_node_name(out->node), second);
	struct nearest near = {0};
	struct buf known = {0};
	for (unsigned n = NODE_ASSIGN_REFS; n < NODE_COUNT; n++) {
		nearest_offer(&near, name, turn_node_name(n));
		buf_printf(&known, "%s%s", n > NODE_ASSIGN_REFS ? ", " : "", turn_node_name(n));
	}
	error_set(e, STATUS_USAGE, "no such node%s%s (1 to 9, or %s)", near.name ? ", nearest: " : "",
		  near.name ? near.name : "", known.p);
	buf_free(&known);
	return STATUS_USAGE;
}

static enum status read_records(const struct run *r, struct str digits, struct position *out, struct error *e)
{
	uint64_t k;
	uint32_t most = position_records_after(r, out->turn);
	if (digits.n == 0 || read_number(digits, &k) != digits.n)
		return error_set(e, STATUS_USAGE, "position: expected a number of records after the plus sign");
	if (k > most)
		return error_set(e, STATUS_USAGE, "position: there are %u records between turn %u and the next", most,
				 out->turn);
	out->records = (uint32_t)k;
	return STATUS_OK;
}

enum status position_parse(const struct run *r, struct str text, struct position *out, struct error *e)
{
	struct str s = text_trim(text);
	uint64_t n, last = r->timeline.turns.n;
	size_t used = read_number(s, &n);
	if (used == 0 && str_starts(s, STR("$"))) {
		n = last;
		used = 1;
	}
	*out = (struct position){.node = NODE_RENDER};
	if (used == 0)
		return error_set(e, STATUS_USAGE, "position: expected a turn number, like 42, 42.prune, 42+3 or $");
	if (n > last)
		/* the digits as written: the number may be larger than any integer */
		return error_set(e, STATUS_USAGE, "position: there is no turn %.*s%s, the last one is %llu",
				 used < DIGITS_SHOWN ? (int)used : DIGITS_SHOWN, s.p, used > DIGITS_SHOWN ? ".." : "",
				 (unsigned long long)last);
	out->turn = (uint32_t)n;
	struct str rest = str_cut(s, used, s.n);
	if (rest.n == 0)
		return STATUS_OK;
	if (rest.p[0] == '.' && n > 0)
		return read_node(str_cut(rest, 1, rest.n), out, e);
	if (rest.p[0] == '.')
		return error_set(e, STATUS_USAGE, "position: turn 0 has no nodes, it is before the first turn");
	if (rest.p[0] == '+')
		return read_records(r, str_cut(rest, 1, rest.n), out, e);
	return error_set(e, STATUS_USAGE, "position: expected .node or +records after the turn number");
}

void position_print(struct position p, struct buf *b)
{
	buf_printf(b, "%u", p.turn);
	if (p.records > 0)
		buf_printf(b, "+%u", p.records);
	else if (p.node != NODE_RENDER)
		buf_printf(b, ".%s", turn_node_name(p.node));
}
