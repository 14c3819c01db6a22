#include "error.h"

#include <stdarg.h>
#include <stdio.h>

enum status error_set(struct error *e, enum status s, const char *format, ...)
{
	va_list args;

	if (!e)
		return s;
	va_start(args, format);
	vsnprintf(e->message, sizeof e->message, format, args);
	va_end(args);
	return s;
}
