#!/bin/sh
# acpdbg compact: what /compact would do, with recorded answers and with commands.  usage: ACPDBG=PROGRAM tests/cli/compact.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1" | cut -c1-300
	failed=1
	sed 's/^/  out: /' "$dir/out" | cut -c1-200 | head -n 5
	sed 's/^/  err: /' "$dir/err" | head -n 5
}

# expect NAME CODE STDERR-PATTERN ARGUMENTS...: runs acpdbg compact; an empty pattern = nothing on standard error
expect() {
	name=$1 code=$2 pattern=$3
	shift 3
	"$acpdbg" compact "$@" >"$dir/out" 2>"$dir/said" </dev/null
	got=$?
	grep -v ': note: ' "$dir/said" >"$dir/err" # of a configuration with members for others
	if [ "$got" -ne "$code" ]; then
		bad "$name (exit $got, want $code)"
	elif [ -z "$pattern" ] && [ -s "$dir/err" ]; then
		bad "$name (something on standard error)"
	elif [ -n "$pattern" ] && ! grep -q -e "$pattern" "$dir/err"; then
		bad "$name (standard error does not say '$pattern')"
	else
		ok "$name"
	fi
}
# says / lacks NAME PATTERN: of the last standard output
says() { if grep -q -e "$2" "$dir/out"; then ok "$1"; else bad "$1 (output does not say '$2')"; fi; }
lacks() { if grep -q -e "$2" "$dir/out"; then bad "$1 (output says '$2')"; else ok "$1"; fi; }
# is NAME VALUE VALUE
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1 ('$2', want '$3')"; fi; }

repeat() { head -c "$2" /dev/zero | tr '\0' "$1"; }

# ---- sessions ----
# Rows r1 (user, 100), r2, r3 (assistant, 3000 each), then turn 2 and r4 (user). As rendered 142 + 3043 + 3043 units are
# 6228, 1557 tokens: the only range of at least 5000 units is m00001 to m00003.
summary="what happened so far, and what is still open: $(repeat s 40)"
begin() { # host, renders the rows up to turn 2
	printf '{"type":"session","version":1,"id":"s","host":"%s","model":"first-model","contextLimit":100000,' "$1"
	printf '"config":{"preserveRecentMessages":0,"preserveRecentTokens":0}}\n'
	printf '{"type":"message","id":"r1","role":"user","contentType":"text","text":"%s"}\n' "$(repeat a 100)"
	printf '{"type":"turn"}\n'
	printf '{"type":"message","id":"r2","role":"assistant","contentType":"text","text":"%s"}\n' "$(repeat b 3000)"
	printf '{"type":"message","id":"r3","role":"assistant","contentType":"text","text":"%s"}\n' "$(repeat c 3000)"
	printf '{"type":"model","model":"second-model","provider":"vllm"}\n'
	printf '{"type":"turn"}\n'
	printf '{"type":"message","id":"r4","role":"user","contentType":"text","text":"go on \\u001b[31m"}\n'
}
begin other >"$dir/plain.jsonl"
begin pi >"$dir/pi.jsonl"
recorded() { # name, members of the compact record
	{
		begin pi
		printf '{"type":"note","text":"before it"}\n{"type":"compact",%s}\n' "$2"
		printf '{"type":"turn"}\n'
	} >"$dir/$1.jsonl"
}
preparation='"preparation":{"firstKeptEntryId":"r3","tokensBefore":4350}'
recorded good "\"reply\":\"{\\\"summary\\\":\\\"$summary\\\"}\",$preparation,\"model\":\"third-model\",\"outcome\":{\"applied\":true}"
recorded failed '"error":"the provider said no"'
recorded prose '"reply":"I would rather not."'
recorded short '"reply":"{\"summary\":\"too short\"}"'
recorded nothing '"callId":"c"'

# ---- usage ----
expect "no file" 64 "usage: acpdbg compact"
expect "no such file" 66 "none" "$dir/none"
expect "inside a turn" 64 "does not run inside a turn" "$dir/pi.jsonl" --turn 2.prune
expect "no such turn" 64 "there is no turn 9" "$dir/pi.jsonl" --turn 9
expect "another output" 64 "table or json" "$dir/pi.jsonl" --output html
"$acpdbg" replay "$dir/pi.jsonl" --summarizer cat >"$dir/out" 2>"$dir/err"
is "replay takes no summarizer" $? 64
"$acpdbg" help compact >"$dir/out"
says "help names the option" "--summarizer CMD"

# ---- nobody answers: the prompt ----
expect "the prompt" 0 "" "$dir/pi.jsonl" --turn 2
says "it names the range" '^Compress the range \[m00001\.\.m00003\] (about 1557 tokens in 3 messages):$'
says "a line of the slice" '^\[m00002\] assistant: <acp tokens="750" type="text">m00002</acp>$'
is "nothing but the prompt" "$(tail -n 1 "$dir/out")" "$(repeat c 3000)"
expect "at the end without --turn" 0 "" "$dir/pi.jsonl"
lacks "a row too small for the minimum is not added" 'm00004'
expect "any host" 0 "" "$dir/plain.jsonl" --turn 2
says "the same range" 'm00001\.\.m00003'
expect "as JSON" 0 "" "$dir/pi.jsonl" --turn 2 --output json
says "outcome" '"outcome":"prompt"'
says "span" '"span":{"start":"m00001","end":"m00003","units":6228,"tokens":1557,"tokensScale":"raw estimate","messages":3,"shown":3}'
says "token count: 25 + 750 + 750" '"tokenCount":1525,"tokenCountScale":"raw estimate",'
says "model of the session at that place" '"model":{"provider":"vllm","id":"second-model","from":"session"}'
says "prompt" '"prompt":".*Compress the range'
expect "a record that has no answer" 0 "" "$dir/nothing.jsonl" --turn 2
says "prompt, too" '^Compress the range'
printf '{"acknowledgePromptsRisk":true,"prompts":{"howToCompressRules":" R "},"compressModel":"openai:gpt-4o"}' >"$dir/acp.json"
expect "rules of acp.json" 0 "" "$dir/pi.jsonl" --turn 2 --config "$dir/acp.json"
says "they are in it" '^R$'
lacks "ours are not" '^How to write'
printf '{"prompts":{"howToCompressRules":" R "}}' >"$dir/unasked.json"
expect "rules without the flag" 0 "acknowledgePromptsRisk" "$dir/pi.jsonl" --turn 2 --config "$dir/unasked.json"
says "ours are in it" '^How to write'

# ---- nothing to do ----
expect "no range at the start" 1 "" "$dir/pi.jsonl" --turn 0
says "why" 'kind no-ranges'
expect "below the minimum" 1 "" "$dir/pi.jsonl" --turn 1 --output json
says "no block" '"outcome":"host-compaction","fallback":{"kind":"below-minimum",.*"activeBefore":0,"activeAfter":0'

# ---- recorded answers ----
expect "a recorded answer" 0 "" "$dir/good.jsonl" --turn 2 --output json
says "where it was" '"position":"2+2","recorded":"compact"'
says "who answered" '"answer":"recorded","outcome":"compacted"'
says "the model that did" '"id":"third-model","from":"recorded"'
says "whose tokens the block's are" '"tokensScale":"raw estimate","summaryTokens":[0-9]*,"summaryTokensScale":"raw estimate"'
lacks "no cost without prices" '"cost"'

says "the block" '"block":{"id":"b1","messages":3,"tokens":1558,"tokensScale":"raw estimate",'
says "the result is the preparation's" "\"compaction\":{\"summary\":\"$summary\",\"firstKeptEntryId\":\"r3\",\"tokensBefore\":4350},\"preparation\":\"recorded\""
says "r3 stays, and with it the block" '"cutAway":\[\]'
says "outcome as recorded" '"recordedOutcome":{"applied":true}'

# ---- prices: 4 a million for the prompt, 8 for the answer; both are a token for 4 units, rounded up ----
printf '{"currency":"USD","models":{"third-model":{"input":4,"output":8}}}' >"$dir/prices.json"
"$acpdbg" compact "$dir/nothing.jsonl" --turn 2 >"$dir/prompt"
prompt=$(($(wc -m <"$dir/prompt") / 4 + ($(wc -m <"$dir/prompt") % 4 > 0)))
answer=$(((14 + ${#summary} + 3) / 4))
amount=$(awk "BEGIN { printf \"%.15g\", ($prompt * 4 + $answer * 8) / 1e6 }")
expect "prices" 0 "" "$dir/good.jsonl" --turn 2 --output json --prices "$dir/prices.json"
says "cost" "\"cost\":{\"promptTokens\":$prompt,\"answerTokens\":$answer,\"tokensScale\":\"raw estimate\",\"amount\":$amount[0-9]*,\"currency\":\"USD\"}"
expect "no price of the model" 0 "" "$dir/nothing.jsonl" --turn 2 --output json --prices "$dir/prices.json"
says "no amount" '"answerTokens":0,"tokensScale":"raw estimate","amount":null'
expect "the same by its position" 0 "" "$dir/good.jsonl" --turn 2+2 --output json
says "the same" '"position":"2+2","recorded":"compact"'
expect "right before it nothing is recorded" 0 "" "$dir/good.jsonl" --turn 2+1
says "the prompt" '^Compress the range'
expect "for people" 0 "" "$dir/good.jsonl" --turn 2
says "outcome for people" '^outcome  *compacted'
expect "a recorded failure" 1 "" "$dir/failed.jsonl" --turn 2 --output json
says "its kind and message" '"fallback":{"kind":"no-answer",.*"error":"the provider said no"}'
expect "recorded prose" 1 "" "$dir/prose.jsonl" --turn 2 --output json
says "unparseable" '"kind":"unparseable-summary",.*"reply":"not-json"'
expect "a summary the kernel refuses" 1 "" "$dir/short.jsonl" --turn 2 --output json
says "its error, and no block" '"kind":"kernel-refused",.*"errors":\["summary-too-short"\]},"activeBefore":0,"activeAfter":0'

# ---- a compaction that an extension supplied, in a file of Pi ----
entry() { # id, parent, rest
	printf '{"type":"%s","id":"%s","parentId":%s,"timestamp":"2026-09-20T08:00:00.000Z",%s}\n' "$1" "$2" "$3" "$4"
}
said() { # role, text
	printf '"message":{"role":"%s","content":[{"type":"text","text":"%s"}],"timestamp":1%s}' "$1" "$2" "$3"
}
usage=',"api":"x","provider":"vllm","model":"qwen","stopReason":"stop","usage":{"input":900,"output":100,"cacheRead":0,"cacheWrite":0,"totalTokens":1000}'
{
	printf '{"type":"session","version":3,"id":"01a0c0de-0000-7000-8000-000000000001","timestamp":"2026-09-20T08:00:00.000Z","cwd":"/"}\n'
	entry message 00000001 null "$(said user "$(repeat a 100)" '')"
	entry message 00000002 '"00000001"' "$(said assistant "$(repeat b 6000)" "$usage")"
	entry message 00000003 '"00000002"' "$(said user "next" '')"
	entry message 00000004 '"00000003"' "$(said assistant "done $(repeat d 1995)" "$usage")"
	entry message 00000005 '"00000004"' "$(said user "$(repeat e 400)" '')"
} >"$dir/before.jsonl"
{
	cat "$dir/before.jsonl"
	entry compaction 00000006 '"00000005"' "\"summary\":\"$summary\",\"firstKeptEntryId\":\"00000003\",\"tokensBefore\":1234,\"fromHook\":true"
} >"$dir/hook.jsonl"
printf '{"preserveRecentMessages":0,"preserveRecentTokens":0}' >"$dir/kernel.json"
expect "a compaction by a hook" 0 "" "$dir/hook.jsonl" --turn '$' --config "$dir/kernel.json" --output json
says "its line" '"recorded":"keep"'
says "its summary makes a block" '"answer":"recorded","outcome":"compacted","block":{"id":"b1"'
says "its cut" '"firstKeptEntryId":"00000003","tokensBefore":1234},"preparation":"recorded"'
says "model and provider of the answer before it" '"model":{"provider":"vllm","id":"qwen","from":"session"}'
expect "the same session, converted" 0 "" "$dir/hook.jsonl" --turn '$' --config "$dir/kernel.json" --output json
cp "$dir/out" "$dir/pi.out"
"$acpdbg" convert "$dir/hook.jsonl" -o "$dir/converted.jsonl"
expect "the recording of it" 0 "" "$dir/converted.jsonl" --turn '$' --config "$dir/kernel.json" --output json
is "says the same block" "$(sed 's/.*"block":\({[^}]*}\).*/\1/' "$dir/out")" "$(sed 's/.*"block":\({[^}]*}\).*/\1/' "$dir/pi.out")"
answer="cat >/dev/null; printf '{\"summary\":\"$summary\"}'"
expect "the host's cut is worked out" 0 "" "$dir/before.jsonl" --config "$dir/kernel.json" --summarizer "$answer" --output json
# 1000 of the last answer + 100 of the entry after it; all entries stay below 20000
says "and called assumed" '"firstKeptEntryId":"00000001","tokensBefore":1100},"preparation":"assumed"'

# ---- commands that answer ----
expect "a summarizer" 0 "" "$dir/pi.jsonl" --turn 2 --summarizer "$answer" --output json
says "it answered" '"answer":"summarizer","outcome":"compacted","block":{"id":"b1"'
says "skip: nobody is shown it" '"summaryReachesModel":false'
expect "summaries=emit" 0 "" "$dir/pi.jsonl" --turn 2 --policy summaries=emit --summarizer "$answer" --output json
says "everything before the cut goes, the block with it" '"cutAway":\[\]'
expect "it beats the recorded answer" 0 "" "$dir/failed.jsonl" --turn 2 --summarizer "$answer" --output json
says "it did" '"recorded":"compact",.*"answer":"summarizer","outcome":"compacted"'
expect "the prompt is what it reads" 0 "" "$dir/pi.jsonl" --turn 2 --summarizer "cat >'$dir/read'; printf '{\"summary\":\"$summary\"}'"
"$acpdbg" compact "$dir/pi.jsonl" --turn 2 >"$dir/out"
if cmp -s "$dir/out" "$dir/read"; then ok "byte for byte"; else bad "byte for byte"; fi
model="cat >/dev/null; printf '{\"summary\":\"$summary %s\"}' \"\$ACPDBG_MODEL\""
expect "ACPDBG_MODEL" 0 "" "$dir/pi.jsonl" --turn 2 --summarizer "$model"
says "is the session's" 's second-model,'
expect "compressModel" 0 "" "$dir/pi.jsonl" --turn 2 --config "$dir/acp.json" --summarizer "$model" --output json
says "the rules of acp.json are named" '"prompts":\["howToCompressRules"\]'
says "is asked" "s gpt-4o\"" && says "and named" '"model":{"provider":"openai","id":"gpt-4o","from":"compressModel"}'
printf '{"compressModel":"vllm:"}' >"$dir/none.json"
expect "a model without an id" 1 "" "$dir/pi.jsonl" --turn 2 --config "$dir/none.json" --summarizer "touch '$dir/ran'" --output json
says "is unknown" '"kind":"model-unknown"'
if [ -e "$dir/ran" ]; then bad "nobody is asked"; else ok "nobody is asked"; fi
"$acpdbg" compact - --turn 2 --summarizer "$answer" --output json <"$dir/pi.jsonl" >"$dir/out" 2>"$dir/err"
is "a session from standard input: exit" $? 0
says "a session from standard input" '"outcome":"compacted"'
esc=$(printf '\033')
expect "what a model writes is not sent to a terminal" 0 "" "$dir/pi.jsonl" --turn 2 \
	--summarizer "printf '{\"summary\":\"$summary \\\\u001b[31m\"}'"
lacks "no escape sequence" "$esc"
says "a substitute" '␛\|\^\['

# ---- commands that do not ----
# hostile NAME COMMAND STDERR-PATTERN FALLBACK-PATTERN
hostile() {
	expect "$1" 1 "$3" "$dir/pi.jsonl" --turn 2 --summarizer "$2" --output json
	says "$1: the host compacts" "\"outcome\":\"host-compaction\",\"fallback\":{\"kind\":\"$4"
	says "$1: no block" '"activeBefore":0,"activeAfter":0'
}
hostile "exits 3" "echo '{\"summary\":\"$summary\"}'; echo oops >&2; exit 3" "the summarizer exited with code 3: oops" \
	'no-answer",.*"summarizer":"exited","code":3}'
hostile "is killed" 'kill -9 $$' "the summarizer was killed by signal 9" 'no-answer",.*"summarizer":"killed","code":9}'
hostile "is not there" 'no-such-program-anywhere' "exited with code 127" 'no-answer",'
hostile "prints 100 MB" 'head -c 100000000 /dev/zero' "wrote more than 1048576 bytes" 'no-answer",.*"summarizer":"too-long"'
hostile "prints garbage" 'head -c 5000 /dev/urandom' '' 'unparseable-summary",'
hostile "prints nothing" 'cat >/dev/null' '' 'unparseable-summary",.*"reply":"not-json"}'
hostile "prints another object" 'echo "{\"text\":1}"' '' 'unparseable-summary",.*"reply":"no-summary"}'
hostile "prints a fence and a line feed" "printf '\`\`\`json\\n{\"summary\":\"$summary\"}\\n\`\`\`\\n'" '' 'unparseable-summary",'
hostile "prints too short a summary" 'echo "{\"summary\":\"short\"}"' '' 'kernel-refused",.*"errors":\["summary-too-short"\]}'
expect "an escape sequence on its standard error" 1 "exited with code 1: .*\^\[" "$dir/pi.jsonl" --turn 2 \
	--summarizer "printf '\\033[31mred' >&2; exit 1"
if grep -q "$esc" "$dir/err"; then bad "is not sent on"; else ok "is not sent on"; fi
expect "prints a fence" 0 "" "$dir/pi.jsonl" --turn 2 --summarizer "printf '\`\`\`json\\n{\"summary\":\"$summary\"}\\n\`\`\`'"
expect "does not read" 0 "" "$dir/pi.jsonl" --turn 2 --summarizer "exec <&-; printf '{\"summary\":\"$summary\"}'"
expect "leaves a child that holds its output" 0 "" "$dir/pi.jsonl" --turn 2 --summarizer "sleep 300 & printf '{\"summary\":\"$summary\"}'"
expect "leaves a child in a session of its own" 0 "" "$dir/pi.jsonl" --turn 2 \
	--summarizer "setsid sh -c 'echo \$\$ >\"$dir/pid\"; sleep 300' & sleep 0.5; printf '{\"summary\":\"$summary\"}'"
is_gone() { # NAME
	if [ ! -s "$dir/pid" ] || kill -0 "$(cat "$dir/pid")" 2>/dev/null; then bad "$1"; else ok "$1"; fi
}
[ "$(uname)" != Linux ] || is_gone "and that is gone"
# interrupted SIGNAL CODE: the program ends by it, and the command before it
interrupted() {
	rm -f "$dir/pid"
	timeout --preserve-status -s "$1" 1 "$acpdbg" compact "$dir/pi.jsonl" --turn 2 \
		--summarizer "echo \$\$ >'$dir/pid'; sleep 300; touch '$dir/late'" >"$dir/out" 2>"$dir/err"
	is "SIG$1: exit" $? "$2"
	is "SIG$1: no output" "$(cat "$dir/out" "$dir/err")" ""
	is_gone "SIG$1: the command is gone"
}
interrupted INT 130
interrupted TERM 143
sh -c 'kill -HUP $$' 2>/dev/null
if [ $? -eq 129 ]; then interrupted HUP 129; else echo "skipped: SIGHUP is ignored here (nohup)"; fi
expect "an empty command" 64 "summarizer: expected a command" "$dir/pi.jsonl" --turn 2 --summarizer ""
is "is not taken for an answer" "$(cat "$dir/out")" ""
expect "a blank one" 64 "summarizer: expected a command" "$dir/pi.jsonl" --turn 2 --summarizer "  "

[ "$failed" -eq 0 ]
