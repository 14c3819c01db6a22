/*
 * readable: a JSON value laid out for people, one member a line.
 */
#ifndef REPLAY_REPORT_READABLE_H
#define REPLAY_REPORT_READABLE_H

#include "engine/base/json.h"

/*
 * Members of an object as "name  value" lines; lists of objects one object a
 * line. Values come out in their JSON spelling, texts safe to show. Made for
 * the objects of trace.md: what lies deeper than three levels is JSON.
 */
void readable_put(struct buf *b, const cJSON *object, bool ascii);

#endif
