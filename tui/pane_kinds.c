/* What the panes are called, and what their help says of them. */
#include "tui/panes.h"

const struct pane_kind pane_kinds[PANE_COUNT] = {
	[PANE_ROWS] =
		{"rows", "Rows",
		 "What the model is sent at this position, in its order. At a step inside a turn the list "
		 "stands as that step left it; rows it added, removed or rewrote are marked.\n"
		 "Gutter: the bracket of a compressible range. A rule across the list stands where the prefix of the "
		 "request before breaks, and says why.\n"
		 "Flags: P protected tool or its pair, R recent zone, U last real user turn, C covered by a "
		 "block, B blocked, H hidden, T truncated, + new since the previous turn, ~ changed since then.\n"
		 "raw est, cal est: tokens of the row's text without its tag; of a summary, with its header line. "
		 "In a summary's line: what it folded, with tags, when it was made, and the row now.\n"
		 "tag: what the row's tag tells the model, its count when it was first rendered.",
		 true,
		 "The surface in node order at this position, so seqs may go back; the same at every step of a turn.\n"
		 "A dashed rule stands where the prefix of the request before breaks, and says why. Other "
		 "rules across the list are injected and system rows: no range of the plugin's table, whose brackets "
		 "are in the gutter, may go over them. Each names its instruction files, with a small letter for "
		 "every file, and says of which it is the newest copy.\n"
		 "class: real, meta(data), check(point), instr(uction).\n"
		 "Flags: R one of the last rows that the table keeps (preserveRecentMessages), U its tail row, I "
		 "newest "
		 "and S stale copy of the files with these letters, C taken in by a replacement, bN the block of a "
		 "checkpoint. In front + new since the previous turn, ~ put in another's place since then.\n"
		 "display: tokens as the plugin shows them, never a price. Enter on a checkpoint: the rows it stands "
		 "for; on any row: every rule that keeps, bars or guards it.\n"
		 "Behind a gap of the log rows are grey: no host reads them, they are never folded."},
	[PANE_RANGES] =
		{"ranges", "Ranges",
		 "What could be compressed here, oldest first: recommended ranges with the groups they were "
		 "merged of, the last one when it is too small (short: by how many units), ranges of protected "
		 "tools, and the recent zone.\n"
		 "alone: the answer of applyCompression to this range by itself with a legal summary, as the "
		 "model sees the list at the end of the turn. Enter: every rule behind it.",
		 false,
		 "The plugin's range table on this surface, in its order, with what stands between the ranges.\n"
		 "nudge: the place of a range among the six that a nudge shows; - it does not. rows, display, tool: of "
		 "the segment the range was made of, as the plugin counts.\n"
		 "guard: the plugin's answer to this range by itself, before the kernel is asked. kernel: that of "
		 "applyCompression. Enter: both in full, and the rows of the span."},
	[PANE_BLOCKS] =
		{"blocks", "Blocks",
		 "The blocks at this position; under a block those it was made of.\n"
		 "raw in: tokens of what went in, with tags, when it was made. raw out: of the summary, without the "
		 "header line that its row has. net: in less out, as counted when it was made. raw args: arguments "
		 "of the compress calls in its call's message, as recorded and as sent. rows: messages in the host's "
		 "list now, of all it covers. age: turns "
		 "since it was made.\n"
		 "survd (survived): turns in which it was active; y young, and from promotionThreshold turns on o old. "
		 "No other rule looks at it.\n"
		 "consumed: another block is made of it. off: switched off till the next turn. absent: none of its "
		 "messages is in the list.",
		 false,
		 "The plugin's ledger as the log tells it, beside what the kernel made of it (raw in), and below it "
		 "what is wrong with the ledger or with the host's total.\n"
		 "by: who compacted, and kernel for a block that no transaction of the log stands for. checkp: seq of "
		 "the checkpoint. price: what the host took off its total; d display tokens, as 0 was recorded.\n"
		 "in, consumed: another block lists it as its parent."},
	[PANE_DENSITY] =
		{"density", "Density",
		 "Tokens per estimated token, as the Pi adapter measures it for each model (profiles P97, P155, "
		 "P173): the sample of this turn, a verdict on every model, a chart between the two clamps, then one "
		 "line a sample.\n"
		 "real: the host's number. raw est: our raw estimate of what is sent (P97: of the rows that no block "
		 "covers, before the turn). dR, dE: both against the anchor. "
		 "inst: dR / dE, clamped. pend: the candidate that waits for another one within 20 %. value: the "
		 "density in force after the turn.\n"
		 "Enter: every number with its formula, and the switches behind it; on a verdict its rule.",
		 false, NULL},
	[PANE_PREFIX] =
		{"prefix", "Prefix",
		 "What each request left of the one before as a byte prefix, which is what the provider's cache can "
		 "use: totals, then one line a turn.\n"
		 "kept: share of the bytes of the request before. kept tk, lost tk: its tokens, raw estimate. predict: "
		 "system prompt and whole messages before the break, of the prompt's size. hit: read / (input + read + "
		 "write), provider usage; - where there is no evidence.\n"
		 "cause: the first rule that explains the first difference, with the row it is at. The nudge at the "
		 "tail stands apart.\n"
		 "cause system, model: what was sent without cache though the prompt before had it, and how long the "
		 "session was idle when that is over 5 minutes. refuted: the provider read on behind a break that only "
		 "our replay makes. after: since the turn before.\n"
		 "[ and ] stop at rebuilds and cold caches here. Enter: both messages where they differ, the rule, "
		 "every "
		 "formula; with --prices what it cost. On a total: the turns behind it.",
		 false, NULL},
	[PANE_NUDGE] =
		{"nudge", "Nudge",
		 "Whether this turn tells the model to compress: the usage band, every gate of the decision "
		 "with its two numbers and whether it passed, which tier won, and the cadence.\n"
		 "voice: how the text speaks to the model, gentle or, over a threshold of usage, emergency.\n"
		 "piles: tokens that each tier could compress. stamps: token counts at earlier nudges. context: what "
		 "the rows consist of; the token count has the system prompt, too. targets: tokens that went into a "
		 "block, with tags, and of its summary.",
		 false, NULL},
	[PANE_EVENTS] =
		{"events", "Events",
		 "Everything that happened in the session, with its position. The arrow marks the last event at or "
		 "before where you are; later ones are dim. A compress call that was not read whole says how it was "
		 "read (truncated, and so on) first.\n"
		 "failed: an answer that was errored or aborted. window: a recorded prompt refutes the assumed "
		 "window.\n"
		 "Enter on a compress call: every range with its verdict, what was recorded and what is replayed.\n"
		 "drift, at the end: the replay is not what the host stored in its sidecar (*.acp.json, --state). "
		 "Enter: "
		 "the first ref that differs, how many, the blocks, and what the host's own fork recovery would make.",
		 false, NULL},
	[PANE_REQUEST] =
		{"request", "Request",
		 "What the host sends at this turn, a line a message, beside the request of the turn before: "
		 "~ changed, + new, - gone, at its old place. The rule stands where the first byte differs, and says "
		 "why; all before it is a prefix the provider may have in its cache. The nudge at the tail is apart: "
		 "it is in no prefix.\n"
		 "tag: the ref tag the message carries. bytes: as it is sent. raw est: tokens of its texts, thinking "
		 "and arguments.\n"
		 "Flags: A arguments of a compress call synced (args: tokens as recorded and as sent), # put "
		 "together from several calls, R its text is the kernel's (truncated), C calls left out, K thinking "
		 "left out, H the host itself does not send this: it took a failed answer out of its memory.\n"
		 "Enter: what changed in the message, what the host has in its place, and the JSON sent. On the "
		 "first line: prefix, cause, and both byte counts. replay --request prints the bytes; --requests DIR "
		 "compares recorded ones.",
		 true, NULL},
	[PANE_STATUS] =
		{"status", "Status",
		 "What the host's own reports say here, with the numbers as the host prints them: the core status, its "
		 "panel, and the status report with what is not compressed and what is.\n"
		 "Counts of texts are raw estimates of the host's list, before the turn hides, cuts or tags anything; "
		 "those of the panel are the nudge's, of the rows as it saw them. A list ends after 30 rows, as the "
		 "host's "
		 "does.\n"
		 "Ranges of the panel are those of at least 200 tokens. Enter: the message or the block.",
		 false, NULL},
	[PANE_CHANGES] =
		{"changes", "Changes",
		 "What is other than at the turn before: every figure that conditions know by name (acpdbg help "
		 "conditions says what each is), at the turn before, here, and the difference; then the rows that are "
		 "new (+) or have another text (~).\n"
		 "? is not known. Enter on a row opens it. replay --json --changes has the members of the trace.",
		 false, NULL},
};

enum pane_id pane_find(struct str name)
{
	enum pane_id id = 0;

	while (id < PANE_COUNT && !str_eq(str_of(pane_kinds[id].name), name))
		id++;
	return id;
}
