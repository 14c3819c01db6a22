/*
 * pi_estimate: the host's own estimate of one of its messages (pi.md 1.10.1
 * with ruling 3), from the message as it stands in a Pi file or in `entry` of
 * a recording.
 */
#ifndef REPLAY_READERS_PI_ESTIMATE_H
#define REPLAY_READERS_PI_ESTIMATE_H

#include "engine/base/json.h"

/*
 * ceil(chars / 4), host estimate, of a message object, or of a whole custom_message or branch_summary entry. Chars are
 * UTF-16 units of the texts as stored (tags included). 0 for what Pi does not count.
 */
uint32_t pi_estimate(struct str message, struct arena *scratch);

#endif
