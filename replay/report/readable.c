#include "replay/report/readable.h"

#include "replay/view/text.h"

enum { NAME_COLUMNS = 12, INLINE_MEMBERS = 3 };

static void put_scalar(struct buf *b, const cJSON *node, bool ascii)
{
	struct buf json = {0};
	struct str s = json_str(node);
	if (s.p == NULL) {
		json_put(&json, node);
		s = buf_view(&json);
	}
	text_put_safe(b, s, ascii);
	buf_free(&json);
}

/* "name value, name value" */
static void put_inline(struct buf *b, const cJSON *object, bool ascii)
{
	const cJSON *member;
	cJSON_ArrayForEach (member, object) {
		if (member != object->child)
			buf_text(b, ", ");
		text_put_safe(b, str_of(member->string), ascii);
		buf_char(b, ' ');
		put_scalar(b, member, ascii);
	}
}

static void put_list(struct buf *b, const cJSON *list, bool ascii)
{
	const cJSON *item;
	if (list->child == NULL) {
		buf_text(b, "none\n");
		return;
	}
	bool objects = cJSON_IsObject(list->child);
	if (objects)
		buf_char(b, '\n');
	cJSON_ArrayForEach (item, list) {
		if (!objects && item != list->child)
			buf_text(b, ", ");
		if (!objects) {
			put_scalar(b, item, ascii);
			continue;
		}
		buf_text(b, "  ");
		put_inline(b, item, ascii);
		buf_char(b, '\n');
	}
	if (!objects)
		buf_char(b, '\n');
}

static void put_object(struct buf *b, const cJSON *object, int level, bool ascii);

static void put_member(struct buf *b, const cJSON *member, int level, bool ascii)
{
	size_t start = b->n;
	buf_printf(b, "%*s", 2 * level, "");
	text_put_safe(b, str_of(member->string), ascii);
	int used = (int)(b->n - start);
	buf_printf(b, "%*s", used < NAME_COLUMNS ? NAME_COLUMNS - used : 1, "");
	if (cJSON_IsArray(member)) {
		put_list(b, member, ascii);
	} else if (cJSON_IsObject(member) && cJSON_GetArraySize(member) > INLINE_MEMBERS && level < 2) {
		buf_char(b, '\n');
		put_object(b, member, level + 1, ascii);
	} else {
		if (cJSON_IsObject(member))
			put_inline(b, member, ascii);
		else
			put_scalar(b, member, ascii);
		buf_char(b, '\n');
	}
}

static void put_object(struct buf *b, const cJSON *object, int level, bool ascii)
{
	const cJSON *member;
	cJSON_ArrayForEach (member, object)
		put_member(b, member, level, ascii);
}

void readable_put(struct buf *b, const cJSON *object, bool ascii) { put_object(b, object, 0, ascii); }
