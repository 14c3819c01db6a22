#include "replay/readers/put.h"

#include <math.h>

void put_text(struct buf *b, const char *member, struct str value)
{
	buf_printf(b, ",\"%s\":", member);
	json_put_str(b, value);
}

void put_named(struct buf *b, const struct names *names, const char *member, uint32_t name)
{
	if (name)
		put_text(b, member, names_get(names, name));
}

void put_number(struct buf *b, const char *member, double x)
{
	if (isnan(x))
		return;
	buf_printf(b, ",\"%s\":", member);
	json_put_num(b, x);
}
