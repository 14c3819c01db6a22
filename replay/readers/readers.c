#include "replay/readers/readers.h"

const struct reader *const readers[] = {&reader_acps, &reader_pi, &reader_dsh, NULL};

const struct reader *reader_find(const char *name)
{
	size_t i;

	for (i = 0; readers[i]; i++)
		if (strcmp(readers[i]->name, name) == 0)
			return readers[i];
	return NULL;
}
