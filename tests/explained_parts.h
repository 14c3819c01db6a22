/*
 * explained_parts: what tests/explained*.c have for each other: the writing of
 * JSON, and the parts of one object that stand in another file.
 *
 * Everything is appended to the buffer; a comma comes by itself before what is
 * not the first of its bracket, which the caller closes.
 */
#ifndef TESTS_EXPLAINED_PARTS_H
#define TESTS_EXPLAINED_PARTS_H

#include "engine/base/json.h"
#include "replay/events.h"
#include "replay/frame_ranges.h"

/* explained.c: the members of the kernel's answer to one range. */
void explained_answer(const struct range_answer *a, struct buf *b);
/* explained_dsh.c: the figures of an event that only the DSH host knows; the re-injections of a run; a turn's rest. */
void explained_dsh_event(const struct run *r, const struct events *list, const struct event *e, struct buf *b);
void explained_loop(const struct run *r, struct buf *b);
void explained_dsh(struct frame *f, struct buf *b);

static inline void comma(struct buf *b)
{
	if (b->n > 0 && b->p[b->n - 1] != '[' && b->p[b->n - 1] != '{')
		buf_char(b, ',');
}

static inline void open_member(struct buf *b, const char *name, char bracket)
{
	comma(b);
	buf_printf(b, "\"%s\":%c", name, bracket);
}

static inline void open_item(struct buf *b, char bracket)
{
	comma(b);
	buf_char(b, bracket);
}

/* No number is null. */
static inline void put(struct buf *b, const char *name, double x)
{
	comma(b);
	buf_printf(b, "\"%s\":", name);
	json_put_num(b, x);
}

static inline void put_item(struct buf *b, double x)
{
	comma(b);
	json_put_num(b, x);
}

static inline void put_text(struct buf *b, const char *name, struct str s)
{
	comma(b);
	buf_printf(b, "\"%s\":", name);
	json_put_str(b, s);
}

static inline void put_ref(struct buf *b, const char *name, const struct state *s, uint32_t ref)
{
	char text[REF_TEXT_MAX];
	put_text(b, name, ref == REF_NONE ? STR("") : state_ref_text(s, ref, text));
}

static inline void put_name(struct buf *b, const char *name, const struct run *r, uint32_t number)
{
	put_text(b, name, names_get(&r->recording->names, number));
}

#endif
