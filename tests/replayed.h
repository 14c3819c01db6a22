/*
 * replayed: a recording made of text, loaded through a file as the program does,
 * and a run of it. Bad data fails the running test.
 */
#ifndef TESTS_REPLAYED_H
#define TESTS_REPLAYED_H

#include "replay/run.h"
#include "tests/case_file.h"
#include "tests/temp_file.h"

struct replayed {
	struct temp_file file; /* gone already: the recording holds it open */
	struct recording recording;
	struct run run;
	bool has_run;
};

/* Writes the text to a file of its own and loads that. s need not be initialised; it must stay where it is. */
void replayed_open(struct replayed *s, struct str text);
/* The member `records` of a case, one line each; `session` members are taken as they stand. */
void replayed_open_case(struct replayed *s, const cJSON *one);
/* A run that has executed nothing yet; profile NULL = the host's. */
void replayed_start(struct replayed *s, const char *profile);
/* The same with `--policy` options on top of it, absent = none. */
void replayed_start_with(struct replayed *s, const char *profile, struct str options);
/* All of it. */
void replayed_finish(struct replayed *s);
void replayed_close(struct replayed *s);

#endif
