#include "replay/view/clock.h"

#include <math.h>
#include <time.h>

double clock_turn(const struct run *r, uint32_t turn)
{
	const struct recording *rec = r->recording;
	if (turn == 0 || turn > r->timeline.turns.n)
		return NAN;
	const struct record *record = &rec->records.v[r->timeline.turns.v[turn - 1].record];
	return record->type == RECORD_TURN && record->index < rec->turns.n ? rec->turns.v[record->index].time : NAN;
}

double clock_gap(const struct run *r, uint32_t turn)
{
	double gap = turn > 1 ? clock_turn(r, turn) - clock_turn(r, turn - 1) : NAN;
	return gap >= 0 ? gap : NAN;
}

bool clock_known(const struct run *r)
{
	size_t n = r->timeline.turns.n;
	return n > 0 && (!isnan(clock_turn(r, 1)) || !isnan(clock_turn(r, (uint32_t)n)));
}

static void put_time(struct buf *b, double ms, const char *format)
{
	char text[40];
	struct tm t;
	time_t seconds = fabs(ms) < 1e14 ? (time_t)floor(ms / 1000) : 0;
	if (isnan(ms) || seconds == 0 || gmtime_r(&seconds, &t) == NULL || strftime(text, sizeof text, format, &t) == 0)
		buf_char(b, '-');
	else
		buf_text(b, text);
}

void clock_put(struct buf *b, double ms) { put_time(b, ms, "%H:%M:%S"); }
void clock_put_full(struct buf *b, double ms) { put_time(b, ms, "%Y-%m-%d %H:%M:%S UTC"); }

/* The two largest units of a length of time. */
struct length {
	unsigned long long large, small;
	int unit; /* of large: 0 = seconds alone, 1 minutes, 2 hours, 3 days */
};

static struct length length_of(double ms)
{
	static const unsigned long long units[] = {1, 60, 3600, 86400};
	unsigned long long s = ms > 0 && ms < 1e15 ? (unsigned long long)(ms / 1000) : 0;
	int unit = 3;
	while (unit > 0 && s < units[unit])
		unit--;
	if (unit == 0)
		return (struct length){s, 0, 0};
	return (struct length){s / units[unit], s % units[unit] / units[unit - 1], unit};
}

void clock_put_gap(struct buf *b, double ms)
{
	static const char letters[] = "smhd";
	struct length l = length_of(ms);
	buf_printf(b, "%llu%c", l.large, letters[l.unit]);
	if (l.unit > 0)
		buf_printf(b, "%02llu%c", l.small, letters[l.unit - 1]);
}

void clock_put_gap_words(struct buf *b, double ms)
{
	static const char *const names[] = {"s", "min", "h", "d"};
	struct length l = length_of(ms);
	buf_printf(b, "%llu %s", l.large, names[l.unit]);
	if (l.unit > 0)
		buf_printf(b, " %llu %s", l.small, names[l.unit - 1]);
}
