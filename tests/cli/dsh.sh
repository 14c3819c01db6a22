#!/bin/sh
# What the DSH host sends: replay --request against a fold of the log in JavaScript, the pane; what info says of a log.  usage: ACPDBG=PROGRAM tests/cli/dsh.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
storm=sample-sessions/dsh-storm.jsonl
failed=0

ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1"
	failed=1
	sed 's/^/  out: /' "$dir/out" | head -n 5
}
same() { if cmp -s "$2" "$3"; then ok "$1"; else bad "$1"; fi; }
has() { if grep -q -e "$2" "$dir/out"; then ok "$1"; else bad "$1"; fi; }

# recording.md, turn: canon() of the derived messages in surface order, one turn an assistant/message that is appended
cat >"$dir/oracle.mjs" <<'JS'
import { readFileSync, writeFileSync } from "node:fs";
const [file, turns, out] = process.argv.slice(2);
const wanted = turns.split(",").map(Number);
let nodes = [], turn = 0;
for (const line of readFileSync(file, "utf8").split("\n")) {
	const e = line ? JSON.parse(line) : {};
	if (e.surfaceOp === undefined) continue;
	if (e.type === "assistant/message" && e.surfaceOp === "append" && wanted.includes(++turn))
		writeFileSync(`${out}/${turn}`, nodes.map((n) => n.bytes).filter((b) => b !== null).join("\n"));
	if (e.type === "system/message") continue; // derives to nothing (dsh.md 2.3): the samples append it and leave it
	const message = e.type === "user/message" ? e.data : e.data.message;
	const none = e.type === "assistant/message" && message.content.length === 0;
	const node = { seq: e.seq, bytes: none ? null : JSON.stringify(message) };
	if (e.surfaceOp === "append") { nodes.push(node); continue; }
	const { start = e.surfaceOp.startSeq, end = e.surfaceOp.endSeq } = e.surfaceOp;
	const at = (seq) => nodes.findIndex((n) => n.seq === seq);
	nodes.splice(at(start), at(end) - at(start) + 1, node);
}
JS
for sample in storm:1,2,5,40,81 nonmonotonic:1,3,8 worktree:1,5,9 tail:1,3 legacy:1,4; do
	name=${sample%%:*} turns=${sample#*:}
	mkdir -p "$dir/$name"
	node "$dir/oracle.mjs" "sample-sessions/dsh-$name.jsonl" "$turns" "$dir/$name" || failed=1
	for turn in $(echo "$turns" | tr , ' '); do
		"$acpdbg" replay "sample-sessions/dsh-$name.jsonl" --turn "$turn" --request >"$dir/out" 2>&1
		same "$name, turn $turn" "$dir/out" "$dir/$name/$turn"
	done
done

# ---- the pane: turn 5 of the storm is the first behind a fold; every message of turn 4 but the last prompt went ----
"$acpdbg" replay "$storm" --turn 5 --pane request --width 130 >"$dir/out"
# the last message ends without a line feed
messages=$(($(wc -l <"$dir/storm/5") + 1))
bytes=$(wc -c <"$dir/storm/5" | sed 's/ *\(.*\)\(...\)$/\1,\2/')
has "the head has the bytes" "^$messages messages, $bytes bytes, [0-9,]* tokens (display), prefix "
has "row 8 is gone" "^- *[0-9]* *8 user .* removed "
has "and comes back as 53191" "^+ *[0-9]* *53191 user .* new "
# {"id":"msg- are the same 11 bytes, and so is the 1 behind it: msg-1 became msg-1..
has "the rule says where and why" "byte 12: compress, "
"$acpdbg" replay "$storm" --turn 0 --pane request >"$dir/out"
has "before the first turn there is none" "no turn here yet"

# ---- recorded requests ----
mkdir "$dir/dumps"
cp "$dir/storm/1" "$dir/dumps/request-1.jsonl"
"$acpdbg" replay "$storm" --requests "$dir/dumps" --pane request --turn 1 --width 200 >"$dir/out" 2>&1
has "are not compared, and it says why" "dump request-1.jsonl: not compared: a DSH log does not tell the form"

# ---- info: the figures of the requirement; each of the 20 copies has 588 x 4 units at most: 588 + 4 + 4 each (dsh.md 8.2) ----
"$acpdbg" info "$storm" >"$dir/out"
has "info tells the loop" "^loop  *43 compactions, 20 re-injected within 7 of the end (.*), 11,920 tokens wasted (price); in a row: ./AGENTS.md 20 times$"
has "and the ledger" "^ledger  *[0-9]* active of 43 blocks$"
"$acpdbg" info "$storm" --policy whatif=on >"$dir/out"
has "what would have been" "^loop  *[0-9]* compactions, 0 re-injected within 7$"
has "what is found then is, too" "slice-differs: shadowedSeqs are not the slice that was there (counterfactual)"
has "is counterfactual" "counterfactual from line [0-9]* on: the policy decides otherwise than the log$"
"$acpdbg" info sample-sessions/pi-log.jsonl >"$dir/out"
if grep -q "^loop\|^ledger" "$dir/out"; then bad "nothing of it for other hosts"; else ok "nothing of it for other hosts"; fi
# a claim of 60 for rows of 44, the checkpoint costs 14: the total is -2 (T5 of dsh.md 11.7)
cat >"$dir/t5.jsonl" <<'LOG'
{"type":"session","version":0,"id":"t5","createdAt":1,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"user/message","seq":1,"time":1,"surfaceOp":"append","data":{"id":"1","role":"user","content":[{"type":"text","text":"0123456789"}]}}
{"type":"assistant/message","seq":2,"time":1,"surfaceOp":"append","data":{"turn":1,"step":1,"message":{"id":"2","role":"assistant","content":[{"type":"text","text":"hey"},{"type":"tool-call","id":"c","name":"bash","arguments":"{\"command\":\"ls\"}"}]}}}
{"type":"tool/result","seq":3,"time":1,"surfaceOp":"append","data":{"turn":1,"step":1,"message":{"id":"3","role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"012345678"}]}],"source":{"kind":"tool","callId":"c"}}}}
{"type":"compaction/start","seq":4,"time":1,"data":{"compactionId":"x","turn":1}}
{"type":"compaction/summary","seq":5,"time":1,"data":{"compactionId":"x","summary":[{"type":"text","text":"01234567890123456789012"}],"shadowedRange":{"start":1,"end":3},"shadowedSeqs":[1,2,3],"shadowedTokenCount":60,"provider":"p","model":"m"}}
{"type":"user/message","seq":6,"time":1,"surfaceOp":{"op":"replace","start":1,"end":3},"sourceEventSeqs":[1,2,3],"data":{"id":"6","role":"user","content":[{"type":"text","text":"01234567890123456789012"}],"source":{"kind":"plugin","plugin":"compact","compactionId":"x"}}}
{"type":"compaction/end","seq":7,"time":1,"data":{"compactionId":"x","turn":1}}
LOG
"$acpdbg" info "$dir/t5.jsonl" >"$dir/out"
has "a total below zero is told" "^ledger  *1 active of 1 block; found: seq 6 price: seq 5 claims 60 for 1..3, the rows shadowed are worth 44 (price); seq 6 negative total: after seq 6, down to -2 (price): the host cannot open such a session$"
"$acpdbg" replay "$dir/t5.jsonl" --json | tail -n 1 >"$dir/out"
has "a trace has every seq of it" '"compactions":1,"negative":\[6\]'

# the tool row of format 4 may cost 4 more than the formula tells (dsh.md 8.2): 11 + 18 + 11 or 15; no more than that
sed -e '1s/"version":0/"version":4/' -e 's/"role":"user","content":\[{"type":"tool-result","toolCallId":"c","content":\(.*\)}\],"source"/"role":"tool","toolCallId":"c","content":\1,"source"/' \
	-e 's/"shadowedTokenCount":60/"shadowedTokenCount":44/' -e 's/"start":1,"end":3},"sourceEvent/"startSeq":1,"endSeq":3},"sourceEvent/' \
	-e 's/"kind":"plugin","plugin":"compact"/"kind":"compact-checkpoint"/' "$dir/t5.jsonl" >"$dir/v4.jsonl"
"$acpdbg" info "$dir/v4.jsonl" >"$dir/out"
has "a small difference is no finding in format 4" "^ledger  *1 active of 1 block$"
sed 's/"shadowedTokenCount":44/"shadowedTokenCount":45/' "$dir/v4.jsonl" >"$dir/more.jsonl"
"$acpdbg" info "$dir/more.jsonl" >"$dir/out"
has "a greater one is" "found: seq 6 price: seq 5 claims 45 for 1..3, the rows shadowed are worth 40 (price)$"
# a replace that cannot be folded shadows nothing: there is no price to compare with
sed -e 's/"start":1,"end":3/"start":0,"end":3/' "$dir/t5.jsonl" >"$dir/unfolded.jsonl"
"$acpdbg" info "$dir/unfolded.jsonl" >"$dir/out"
has "what shadowed nothing has no price" "^ledger .*; found: seq 5 slice-differs: [^;]*$"

# ---- G11: a human's command over a current copy: the guard says the same, and the comparison counts it ----
cat >"$dir/g11.jsonl" <<'LOG'
{"type":"session","version":0,"id":"g11","createdAt":1,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"user/message","seq":1,"time":1,"surfaceOp":"append","data":{"id":"1","role":"user","content":[{"type":"text","text":"q"}],"source":{"kind":"user"}}}
{"type":"assistant/message","seq":2,"time":1,"surfaceOp":"append","data":{"turn":1,"step":1,"message":{"id":"2","role":"assistant","content":[{"type":"text","text":"a"}]}}}
{"type":"user/message","seq":3,"time":1,"surfaceOp":"append","data":{"id":"3","role":"user","content":[{"type":"text","text":"rules"}],"source":{"kind":"agent-instructions","changes":[{"action":"set","scope":".\u0000AGENTS.md","path":"AGENTS.md","digest":"d"}]}}}
{"type":"user/message","seq":4,"time":1,"surfaceOp":"append","data":{"id":"4","role":"user","content":[{"type":"text","text":"q"}],"source":{"kind":"user"}}}
{"type":"assistant/message","seq":5,"time":1,"surfaceOp":"append","data":{"turn":1,"step":1,"message":{"id":"5","role":"assistant","content":[{"type":"text","text":"a"}]}}}
{"type":"compaction/start","seq":6,"time":1,"data":{"compactionId":"h","sourceCommandId":"k","turn":1}}
{"type":"compaction/summary","seq":7,"time":1,"data":{"compactionId":"h","sourceCommandId":"k","summary":[{"type":"text","text":"s"}],"shadowedRange":{"start":1,"end":4},"shadowedSeqs":[1,2,3,4],"shadowedTokenCount":37,"provider":"p","model":"m","tier":1}}
{"type":"user/message","seq":8,"time":1,"surfaceOp":{"op":"replace","start":1,"end":4},"sourceEventSeqs":[1,2,3,4],"data":{"id":"8","role":"user","content":[{"type":"text","text":"s"}],"source":{"kind":"plugin","plugin":"compact","compactionId":"h"}}}
{"type":"compaction/end","seq":9,"time":1,"data":{"compactionId":"h","sourceCommandId":"k","turn":1}}
{"type":"assistant/message","seq":10,"time":1,"surfaceOp":"append","data":{"turn":1,"step":1,"message":{"id":"10","role":"assistant","content":[{"type":"text","text":"a"}]}}}
LOG
guarded="guarded-instruction, current copy in it: seq 3; still compressible: 1..2 and 4..4"
"$acpdbg" replay "$dir/g11.jsonl" --pane events --width 320 >"$dir/out"
has "as recorded it is a comment" "compaction .*by the human, no compress call: b1 of 4 rows, 37 (price), checkpoint at seq 8; with current copy seq 3: the guard would have refused, guarded-instruction; still compressible: 1..2 and 4..4; applied as recorded"
"$acpdbg" replay "$dir/g11.jsonl" --policy whatif=on --pane events --width 320 >"$dir/out"
has "as what-if it is refused" "compaction .*by the human, no compress call: 1..4 refused: $guarded"
"$acpdbg" diff "$dir/g11.jsonl" --left profile=B0 --right profile=F1 --output markdown >"$dir/out"
has "the comparison counts it" "The guard refuses 1 compaction without a call\."
has "with its row, file and slices" "^| none | .1\.\.4. | 3 | .\./AGENTS\.md. | .1\.\.2. and .4\.\.4. | folded, not pasted again |$"
"$acpdbg" diff "$dir/g11.jsonl" --left profile=B0 --right profile=F1 --output json >"$dir/out"
has "and so does its JSON" '"refused":\[{"call":null,"range":\[1,4\],"hits":\[3\],"slices":\[\[1,2\],\[4,4\]\]}\]'

# ---- the table: the window that the log tells, the scale, and who refused a call before the kernel could ----
"$acpdbg" replay "$storm" --policy whatif=on >"$dir/out"
has "the window is the log's" "window 128000 (log) tokens"
has "the scale is told" "~ display, + provider usage"
has "the guard refused" "compress 1 call_53180: refused, guarded-instruction; recorded as applied"
has "what was never pasted is not there" "compress 2 [^ ]*: refused, not-on-surface; recorded as applied"
"$acpdbg" replay "$storm" >"$dir/out"
has "as recorded it only comments" "compress 1 call_53180: applied, 1 block, .*; the guard would have refused: copy seq 8;"
# info: 20 re-injected, each of the copy that its call had folded
if [ "$(grep -c "the guard would have refused: copy seq" "$dir/out")" -eq 20 ]; then ok "on 20 calls"; else bad "on 20 calls"; fi
# row 53191 has time 1760000236246, 4 s behind the call; turn 4 has 1760000232337
"$acpdbg" replay "$storm" --pane events --width 200 >"$dir/out"
has "a row has its own time" "4+13  *08:57:16  *[^ ]* re-inject  *seq 53191 ./AGENTS.md: pure, 596 tokens wasted (price);"
if grep -q ref-capacity "$dir/out"; then bad "no turn was without refs"; else ok "no turn was without refs"; fi
exit $failed
