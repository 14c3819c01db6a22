#include "tui/app_parts.h"

void app_list_open(struct app *a, const struct app_list *kind, struct chooser_list list)
{
	a->list = kind;
	chooser_init(&a->chooser, list);
}

unsigned app_list_key(struct app *a, struct key k)
{
	const struct app_list *list = a->list;

	if (!a->chooser.typing && list->key && list->key(a, k))
		return APP_DRAW;
	switch (chooser_key(&a->chooser, k)) {
	case CHOOSER_STAY:
		break;
	case CHOOSER_LEFT:
		a->list = NULL;
		break;
	case CHOOSER_CHOSEN:
		if (!list->chosen)
			break;
		a->list = NULL;
		return list->chosen(a);
	}
	return APP_DRAW;
}
