#include "replay/view/requests_words.h"

#include "replay/view/text.h"

enum { PRINTED = 20 /* dumps that `info` names */ };

static void put_part(const char *whose, struct str part, struct buf *b)
{
	buf_printf(b, "%s ", whose);
	if (part.p == NULL)
		buf_text(b, "has no such message");
	else
		buf_str(b, part);
}

void requests_words_dump(const struct request_dump *d, struct buf *b)
{
	static const char *const lines[] = {"message", "part"};
	switch ((enum dump_outcome)d->outcome) {
	case DUMP_EQUAL:
		buf_printf(b, "equal in all %u %ss", d->ours, lines[d->flat]);
		break;
	case DUMP_DIFFERS:
		buf_printf(b, "%s %u of %u (ours: %u) differs from byte %llu on: ", lines[d->flat], d->message,
			   d->theirs, d->ours, (unsigned long long)d->byte);
		put_part("dump", d->their_part, b);
		buf_char(b, ' ');
		put_part("| ours", d->our_part, b);
		break;
	case DUMP_UNREADABLE:
		buf_text(b, d->problem);
		break;
	case DUMP_NO_TURN:
		buf_text(b, "there is no turn for it");
		break;
	case DUMP_NO_REQUEST:
		buf_text(b, request_lack_words((enum request_lack)d->lack));
		break;
	default:
		buf_text(b, "not compared yet");
		break;
	}
	if (d->system > 0)
		buf_printf(b, " (%u system message%s left out)", d->system, d->system == 1 ? "" : "s");
}

static void put_name(const struct request_dump *d, struct buf *b)
{
	text_put_safe(b, d->name, false);
	if (d->turn > 0)
		buf_printf(b, " (turn %u)", d->turn);
	buf_text(b, ": ");
}

static void put_safe(const struct request_dump *d, struct buf *b)
{
	struct buf raw = {0};
	requests_words_dump(d, &raw);
	text_put_safe(b, buf_view(&raw), false);
	buf_free(&raw);
}

void requests_words_summary(const struct requests *q, struct buf *b)
{
	size_t i = 0;
	buf_printf(b, "%zu request dump%s, %zu equal to the replay's request", q->dumps.n, q->dumps.n == 1 ? "" : "s",
		   q->of_outcome[DUMP_EQUAL]);
	while (i < q->next && q->dumps.v[i].outcome == DUMP_EQUAL)
		i++;
	if (i == q->next)
		return;
	buf_text(b, "; first difference: ");
	put_name(&q->dumps.v[i], b);
	put_safe(&q->dumps.v[i], b);
}

void requests_words_lines(const struct requests *q, struct buf *b)
{
	size_t named = 0;
	buf_printf(b, "%-14s", "requests");
	text_put_safe(b, str_of(q->path), false);
	buf_printf(b, " (%zu dump%s, turns by %s", q->dumps.n, q->dumps.n == 1 ? "" : "s",
		   q->by_number ? "the number in the name" : "order");
	if (q->turns > 0)
		buf_printf(b, ", %u turn%s without one", q->turns, q->turns == 1 ? "" : "s");
	buf_text(b, ")\n");
	buf_printf(b, "  %zu equal", q->of_outcome[DUMP_EQUAL]);
	for (int o = DUMP_DIFFERS; o < DUMP_OUTCOMES; o++)
		if (q->of_outcome[o] > 0)
			buf_printf(b, ", %zu %s", q->of_outcome[o], dump_outcome_name((enum dump_outcome)o));
	buf_char(b, '\n');
	for (size_t i = 0; i < q->next && named < PRINTED; i++) {
		if (q->dumps.v[i].outcome == DUMP_EQUAL)
			continue;
		buf_text(b, "  ");
		put_name(&q->dumps.v[i], b);
		put_safe(&q->dumps.v[i], b);
		buf_char(b, '\n');
		named++;
	}
	size_t all = q->next - q->of_outcome[DUMP_EQUAL];
	if (all > named)
		buf_printf(b, "  and %zu more\n", all - named);
}
