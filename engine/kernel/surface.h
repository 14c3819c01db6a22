/*
 * surface: the list of rows a turn works on, from prune to render.
 *
 * A row is a message of the host's list or the rendered summary of a block. Its
 * text is not stored: it is an own tag (after render-refs) followed by either
 * the message's text, an alternative text (a rewritten compress call, a
 * truncated result), or the block's summary message.
 * A surface owns its vecs; alternative texts belong to `struct alternatives`,
 * which caches them across turns.
 */
#ifndef ENGINE_KERNEL_SURFACE_H
#define ENGINE_KERNEL_SURFACE_H

#include "engine/kernel/state.h"

enum { ALTERNATIVE_NONE = 0 };

struct surface_row {
	int32_t source;       /* >= 0: message; < 0: block ~source */
	uint32_t id;          /* name */
	uint32_t ref;         /* refs.h; REF_NONE, REF_BLOCKED */
	uint32_t tool, call;  /* names */
	uint32_t alternative; /* ALTERNATIVE_NONE or an index into alternatives.list */
	uint32_t peel;        /* bytes of an old own tag left out at the start of the text (kernel.md 4.9.1) */
	struct face face;     /* of the text without a new tag */
	uint8_t role, content;
	bool guarded;       /* the host's isToolProtected says so */
	bool tagged;        /* a tag stands before the text */
	bool covered;       /* covered by an active block (the kept first user row, or an unpruned list) */
	struct measure tag; /* size of that tag, 0 when not tagged */
	double tag_tokens;  /* number in that tag */
};

struct surface {
	VEC(struct surface_row) rows;
};

/* Units and CJK of the text as it stands, tag included. */
static inline struct measure surface_measure(const struct surface_row *r)
{
	return (struct measure){r->face.size.units + r->tag.units, r->face.size.cjk + r->tag.cjk};
}
/* Traits of the text as it stands: a tag hides what the text starts with. */
static inline uint8_t surface_traits(const struct surface_row *r)
{
	return r->tagged ? (uint8_t)((r->face.traits & ~(TRAIT_HEADER | TRAIT_TAG)) | TRAIT_TAG) : r->face.traits;
}
/* skip(m) of kernel.md 4.6: starts with the summary header, or covered. */
static inline bool surface_skip(const struct surface_row *r)
{
	return r->covered || (surface_traits(r) & TRAIT_HEADER) != 0;
}
/* The same before render-refs, where a row kept from the turn before has its tag already: `face` is the untagged text.
 */
static inline bool surface_bare_skip(const struct surface_row *r)
{
	return r->covered || (r->face.traits & TRAIT_HEADER) != 0;
}

/* protected(m) of kernel.md 4.1.1. */
static inline bool surface_protected(const struct surface_row *r, struct state *s)
{
	return r->guarded || state_tool_protected(s, r->content, r->tool);
}

struct alternative {
	char *p;
	size_t n;
	struct face face;
};

/* What is kept of a message's row: size and hash hold for the number in its tag, the hash for the two below it, too. */
struct row_cache {
	uint64_t hash;      /* row hash (trace.md view.digest), if has_hash */
	struct measure tag; /* size of the row's tag; units 0 = not known */
	double tag_tokens;  /* -1 = untagged */
	uint32_t alternative;
	uint32_t ref;  /* a rollback can give a message another one */
	uint32_t made; /* newest of alternatives.made, + 1 */
	bool has_hash;
};

/* An alternative text of a message, by what it was made for: steps back and forth must not make it again. */
struct made_text {
	uint64_t key;
	uint32_t number; /* ALTERNATIVE_NONE: for this key the text stays as it is */
	uint32_t next;   /* of the same message, + 1 */
};

/* Alternative texts and per-message caches, shared by all turns of one state. */
struct alternatives {
	VEC(struct alternative) list; /* [0] unused */
	VEC(struct row_cache) rows;   /* by message */
	VEC(struct made_text) made;
};

void alternatives_init(struct alternatives *a);
void alternatives_free(struct alternatives *a);
/* Copies a text; returns its number. */
uint32_t alternatives_add(struct alternatives *a, struct str text);
struct row_cache *alternatives_row(struct alternatives *a, uint32_t message);
/* What was made of a message's text for this key, or false; and to remember it. */
bool alternatives_made(struct alternatives *a, uint32_t message, uint64_t key, uint32_t *number);
void alternatives_remember(struct alternatives *a, uint32_t message, uint64_t key, uint32_t number);

/* A message's row as the host's list has it: with its own text, untagged. */
static inline struct surface_row surface_of_message(struct state *s, uint32_t message)
{
	const struct message *m = &s->messages.v[message];
	const struct name_info *id = state_info(s, m->id);
	return (struct surface_row){.source = (int32_t)message,
				    .id = m->id,
				    .ref = id->ref,
				    .tool = m->tool,
				    .call = m->call,
				    .face = m->face,
				    .role = m->role,
				    .content = m->content,
				    .guarded = m->guarded,
				    .covered = id->covers > 0};
}
/* The whole of the host's list, as it is before prune: nothing dropped, nothing tagged. Costs the list's length. */
void surface_from_rows(struct surface *out, struct state *s);
/* The row for a block's rendered summary. */
struct surface_row surface_summary(struct state *s, uint32_t block);
/* Text of a row without tag: points into the source, an alternative, or scratch. */
struct str surface_plain(const struct surface_row *r, struct state *s, const struct alternatives *alt,
			 struct arena *scratch);
/* Text of a row as it stands, tag included, appended to b. */
void surface_text(const struct surface_row *r, struct state *s, const struct alternatives *alt, struct arena *scratch,
		  struct buf *b);
/* Hash of a row: id, role, content, text (trace.md view.digest). */
uint64_t surface_row_hash(const struct surface_row *r, struct state *s, struct alternatives *alt,
			  struct arena *scratch);
void surface_free(struct surface *f);

#endif
