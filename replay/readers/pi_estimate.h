/*
 * pi_estimate: what one of the host's messages weighs beside the texts of its
 * rows: the host's own estimate (pi.md 1.10.1 with ruling 3), images and
 * thinking (3.4), from the message as it stands in a Pi file or in `entry` of a
 * recording.
 */
#ifndef REPLAY_READERS_PI_ESTIMATE_H
#define REPLAY_READERS_PI_ESTIMATE_H

#include "replay/recording.h"

struct pi_weight {
	uint32_t tokens; /* ceil(chars / 4), host estimate; chars are UTF-16 units as stored, tags included; 0 for what
			    Pi does not count */
	uint32_t images; /* image blocks; in `tokens` they are but for those of users */
	uint32_t thinking; /* raw estimate of the thinking blocks joined with line feeds */
	bool user;         /* the role is user */
};

/* Of a message object, or of a whole custom_message or branch_summary entry. */
struct pi_weight pi_weigh(struct str message, struct arena *scratch);

/* Puts it into the first record of the message. */
static inline void recording_weigh(struct message_record *m, struct pi_weight w)
{
	m->host_tokens = w.tokens;
	m->images = w.images;
	m->thinking = w.thinking;
	m->from_user = w.user;
}

#endif
