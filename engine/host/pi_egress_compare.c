/* What the two requests of a pi_egress have in common, and in what two messages differ (pi.md 6.4, pi-rulings 8). */
#include "engine/host/pi_egress.h"

static bool same(const struct pi_egress *e, size_t i)
{
	const struct pi_message *a = &e->before.messages.v[i], *b = &e->now.messages.v[i];
	return b->before == i + 1 || str_eq(pi_egress_bytes(e, a), pi_egress_bytes(e, b));
}

static size_t common(struct str a, struct str b)
{
	size_t n = 0;
	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

struct pi_prefix pi_egress_prefix(const struct pi_egress *e)
{
	const struct pi_request *a = &e->before, *b = &e->now;
	size_t most = a->messages.n < b->messages.n ? a->messages.n : b->messages.n;
	struct pi_prefix p = {.messages = b->common};
	while (p.messages < most && same(e, p.messages))
		p.messages++;
	if (p.messages > 0) {
		p.bytes = b->messages.v[p.messages - 1].bytes_upto;
		p.tokens = b->messages.v[p.messages - 1].tokens_upto;
	}
	p.append_only = p.messages == a->messages.n;
	/* line feeds: between the messages that are the same, and before the next one where both have one */
	if (p.messages > 0)
		p.bytes += p.messages - 1 + (p.messages < most);
	if (p.messages < most)
		p.bytes += common(pi_egress_bytes(e, &a->messages.v[p.messages]),
				  pi_egress_bytes(e, &b->messages.v[p.messages]));
	return p;
}

bool pi_egress_tag_only(const struct pi_egress *e, const struct pi_message *a, const struct pi_message *b)
{
	struct str x = pi_egress_bytes(e, a), y = pi_egress_bytes(e, b);
	if (a->entry != b->entry || a->tag_n == 0 || b->tag_n == 0 || a->tag_at != b->tag_at)
		return false;
	return str_eq(str_cut(x, 0, a->tag_at), str_cut(y, 0, b->tag_at)) &&
	       str_eq(str_cut(x, a->tag_at + a->tag_n, x.n), str_cut(y, b->tag_at + b->tag_n, y.n)) && !str_eq(x, y);
}

enum pi_difference pi_egress_difference(const struct pi_egress *e, const struct pi_message *a,
					const struct pi_message *b)
{
	bool tag = pi_egress_tag_only(e, a, b);
	uint32_t flags = a->flags ^ b->flags, both = a->flags & b->flags;
	if (str_eq(pi_egress_bytes(e, a), pi_egress_bytes(e, b)))
		return PI_DIFFER_NOT;
	if (a->rows != b->rows)
		return a->rows > b->rows ? PI_DIFFER_CALLS_GONE : PI_DIFFER_CALLS_BACK;
	if (a->synced != b->synced)
		return PI_DIFFER_ARGUMENTS;
	if (flags & PI_MESSAGE_REBUILT || (both & PI_MESSAGE_REBUILT && !tag))
		return PI_DIFFER_TRUNCATED;
	if (tag)
		return PI_DIFFER_TAG;
	return flags & PI_MESSAGE_THINKING_GONE ? PI_DIFFER_THINKING : PI_DIFFER_UNKNOWN;
}

/* ASCII letters of the model's id in any case. */
static bool contains(struct str s, const char *word)
{
	size_t n = strlen(word);
	for (size_t at = 0; at + n <= s.n; at++) {
		size_t i = 0;
		while (i < n && (s.p[at + i] == word[i] || s.p[at + i] == word[i] - 'a' + 'A'))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

bool pi_model_replays_thinking(struct str model)
{
	static const char *const words[] = {"deepseek", "glm", "qwq", "reasoner"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (contains(model, words[i]))
			return true;
	return false;
}
