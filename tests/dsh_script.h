/*
 * dsh_script: logs of the DSH host in short, for test cases.
 *
 * A script is a JSON list. A text is one event, `SEQ WORD ...`, as in dsh.md
 * 0.2; SEQ may be `+`, the seq that follows:
 *   U, A [= text]             user and assistant rows (`user text`, `assistant text`)
 *   C id[:name],.. [= text]   assistant row with calls (bash; text `plan`)
 *   R id [= text]             the result of a call (`output`)
 *   I SCOPE DIGEST .. [baseline[:identity]]   injected row; ROOT, WT, or any scope; `-` as digest removes
 *   W SCOPE DIGEST ..         the same in the legacy wrapper
 *   legacy, catalog, nudge, snapshot, approval, ptc, future, stub   user rows with that source
 *   cp A..B [id], stub A..B, empty A..B      replacements; A and B are seqs, or -n: n before its own
 *   sys                       a system row
 *   start, end ID [turn]      summary A..B ID [name=value ..]; prune A..B TOKENS: compaction events. A summary takes
 *                             shadowed=1,2 tokens= tier= kernel= topic= parents=a,b
 *   turn+ N, turn- N, call ID NAME [= arguments], seed, step, window TOKENS     frame events
 * `#` in an id or text is the round of a repetition. An object with `type` is an event as a file has it; one with
 * `repeat` and `items` is that many rounds.
 */
#ifndef TESTS_DSH_SCRIPT_H
#define TESTS_DSH_SCRIPT_H

#include "engine/host/dsh_fold.h"

/* Adds the events of a script to a log; fails the running test when it cannot be read. `one` is the case. */
void dsh_script_read(struct dsh_log *log, const cJSON *one, const cJSON *script);

/* The same log as a file, header first; seqs must follow each other. */
void dsh_script_write(struct buf *out, const cJSON *one, const cJSON *script);

/* What a case is about: its log (member `log`, `version`), told to a fold as far as `at`, or whole. */
struct dsh_case {
	const cJSON *one;
	struct dsh_log log;
	struct dsh_fold fold;
	struct dsh_rows rows; /* scratch */
};
void dsh_case_open(struct dsh_case *c, const cJSON *one, const struct dsh_rules *rules);
/* Takes back, or tells, until `seq` is the last event. */
void dsh_case_go(struct dsh_case *c, int64_t seq);
void dsh_case_close(struct dsh_case *c);
/* The rules of a profile, with the `sources` of the case. */
struct dsh_rules dsh_case_rules(const cJSON *one, struct str profile);
/* Nodes as `[1,2,3]`; seqs of a JSON list in the same form. */
void dsh_case_nodes(struct dsh_case *c, struct buf *out);
void dsh_put_seqs(struct buf *out, const int64_t *seqs, size_t n);

#endif
