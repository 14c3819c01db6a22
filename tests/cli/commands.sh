#!/bin/sh
# The command line: exit codes, messages, output (interface.md, Commands).  usage: ACPDBG=PROGRAM tests/cli/commands.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
sample=sample-sessions/plain.acps.jsonl
tiers=sample-sessions/tiers.acps.jsonl
failed=0

ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1"
	failed=1
	sed 's/^/  out: /' "$dir/out" | head -n 5
	sed 's/^/  err: /' "$dir/err" | head -n 5
}

# expect NAME CODE STDERR-PATTERN ARGUMENTS...: runs acpdbg; an empty pattern = nothing on standard error
expect() {
	name=$1 code=$2 pattern=$3
	shift 3
	"$acpdbg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
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

# same NAME FILE-A FILE-B
same() { if cmp -s "$2" "$3"; then ok "$1"; else bad "$1 (files differ)"; fi; }
# says NAME PATTERN: of the last standard output
says() { if grep -q -e "$2" "$dir/out"; then ok "$1"; else bad "$1 (output does not say '$2')"; fi; }
# is NAME VALUE VALUE
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1 ('$2', want '$3')"; fi; }

# ---- usage ----
expect "help" 0 "" help
says "help names replay" "replay"
expect "help of a command" 0 "" help replay
says "help of replay names --changes" "--changes"
expect "--help behind a command" 0 "" replay --help
says "--help is help of the command" "usage: acpdbg replay"
expect "--version" 0 "" --version
expect "help of the policies" 0 "" help policy
says "help policy names density.confirm" "density.confirm=on|off"
expect "help of nothing" 64 "no such command" help nothing
expect "unknown option" 64 "nearest: --profile" replay "$sample" --profil K60
expect "unknown short option" 64 "unknown option '-x'" replay "$sample" -x
expect "unknown command" 64 "nearest: replay" repaly "$sample"
expect "command not built" 64 "shrink is not built yet" shrink "$sample"
expect "option not built" 64 "kernel is not built yet" replay "$sample" --kernel x
expect "option of another command" 64 "takes no --each" replay "$sample" --each
expect "+N belongs to open and last" 64 "takes no +N" replay "$sample" +3
expect "option without its value" 64 "needs a value" replay "$sample" --profile
expect "value for a flag" 64 "takes no value" replay "$sample" --json=1
expect "a limit that is no number" 64 "number above 0" replay "$sample" --limit 12k
expect "a limit of 0" 64 "number above 0" replay "$sample" --limit 0
expect "a limit in hexadecimal" 64 "whole number above 0, not '0x10'" replay "$sample" --limit 0x10
expect "a limit with a fraction" 64 "whole number above 0, not '1.5'" replay "$sample" --limit 1.5
expect "a limit with an exponent" 0 "" replay "$sample" --limit 1e5
says "which is the number it says" "window 100000 (--limit)"
for width in 0.5 1.5 0x10 1e2 9 10001 -20 " 20" ""; do
	expect "a width of '$width'" 64 "whole number from 10 to 10000, not '$width'" replay "$sample" --pane rows --width "$width"
done
for pane in rows ranges blocks events timeline; do
	expect "pane $pane at the smallest width" 0 "" replay "$tiers" --pane "$pane" --width 10 --ascii
	is "no line of pane $pane is empty" "$(grep -c '^ *$' "$dir/out")" 0
	is "nor too long" "$(grep -c '^...........' "$dir/out")" 0
done
for command in info replay convert compact open; do
	expect "$command of an empty file name" 66 "^acpdbg: ''" "$command" ''
done
expect "an empty file name alone" 66 "^acpdbg: ''" ''
for option in --config --state -o; do
	expect "$option with an empty file name" 64 "expected the name of a file, not ''" \
		"$(if [ "$option" = -o ]; then echo convert; else echo replay; fi)" "$sample" "$option" ''
done
expect "no file" 64 "usage: acpdbg replay" replay
expect "two files" 64 "usage: acpdbg replay" replay "$sample" "$tiers"
expect "unknown profile" 64 "unknown profile .B9." replay "$sample" --profile B9
expect "unknown profile, before the file is looked at" 64 "B9" replay "$dir/none" --profile B9
expect "output not built" 64 "html is not built yet" replay "$sample" --output html
expect "output and --json contradict" 64 "contradicts" replay "$sample" --output table --json
expect "unknown pane" 64 "no such pane" replay "$sample" --pane nothing
expect "no such turn" 64 "there is no turn 999" replay "$sample" --turn 999
expect "no such node" 64 "nearest: prune" replay "$sample" --turn 1.pruen

# ---- the host's stored state ----
drift=sample-sessions/refs-drift.jsonl
expect "drift is said" 0 "refs-drift.jsonl.acp.json: ref drift: 4 of 9 differ, first 5a000007" replay "$drift" --hash
"$acpdbg" replay "$drift" --pane events --width 200 >"$dir/out" 2>"$dir/err"
says "drift is an event" "5+1 .* drift .*ref drift: 4 of 9 differ, first 5a000007 (line 8): m00006 here, m00007 in the sidecar"
"$acpdbg" replay "$drift" --pane timeline --width 200 >"$dir/out" 2>"$dir/err"
says "fidelity is in the top line" "refs 5/9 prompts 5/5"
cp "$drift" "$dir/drift.jsonl"
expect "without a sidecar nothing is said" 0 "" replay "$dir/drift.jsonl" --pane events
if grep -q -e drift -e sidecar "$dir/out"; then bad "nor is there an event"; else ok "nor is there an event"; fi
echo '{"blocks":' >"$dir/drift.jsonl.acp.json"
expect "a sidecar that lies there and cannot be read is told" 0 "drift.jsonl.acp.json" replay "$dir/drift.jsonl" --pane events
says "and is an event" "sidecar .*the stored state cannot be used"
expect "one that was named must be readable" 65 "drift.jsonl.acp.json" replay "$dir/drift.jsonl" --state "$dir/drift.jsonl.acp.json"
expect "and must be there" 66 "none.acp.json" replay "$dir/drift.jsonl" --state "$dir/none.acp.json"

# ---- input ----
expect "no such file" 66 "none.jsonl" replay "$dir/none.jsonl"
expect "no such config" 66 "none.json" replay "$sample" --config "$dir/none.json"
: >"$dir/empty"
expect "empty file" 65 "empty" replay "$dir/empty"
expect "a directory" 65 "$dir" replay "$dir"
printf '\000\001\002\377\376' >"$dir/binary"
expect "a binary file" 65 "binary" replay "$dir/binary"
printf '{"tiers":3}' >"$dir/config.json"
expect "config of a wrong type" 65 "config.json: .*tiers" replay "$sample" --config "$dir/config.json"
printf '{"tiers"' >"$dir/config.json"
expect "config that is no JSON" 65 "config.json: not JSON" replay "$sample" --config "$dir/config.json"
printf '{"compress":{"minSummaryLength":100000}}' >"$dir/config.json"
expect "config over the session's" 0 "" replay "$sample" --config "$dir/config.json"
says "the configuration refuses what was applied" "summary-too-short"
esc=$(printf '\033')
expect "control characters of a name are not sent" 66 "\^\[" replay "$dir/${esc}[31m"
if grep -q "$esc" "$dir/err"; then bad "no escape sequence on standard error"; else ok "no escape sequence on standard error"; fi
head -n 1 "$sample" >"$dir/damaged.jsonl"
echo '{"type":' >>"$dir/damaged.jsonl"
sed 1d "$sample" >>"$dir/damaged.jsonl"
expect "a damaged line is reported with file and line" 0 "^acpdbg: $dir/damaged.jsonl:2: " replay "$dir/damaged.jsonl" --hash
cp "$dir/out" "$dir/hash.damaged"
expect "hash" 0 "" replay "$sample" --hash
same "the lines beside it load" "$dir/out" "$dir/hash.damaged"

# ---- replay ----
hash=$(cat "$dir/out")
case $hash in
*[!0-9a-f]* | "") bad "hash is hexadecimal" ;;
*) if [ ${#hash} -eq 16 ]; then ok "hash is hexadecimal"; else bad "hash is hexadecimal"; fi ;;
esac
for locale in C C.UTF-8; do
	is "hash under LC_ALL=$locale" "$(LC_ALL=$locale "$acpdbg" replay "$sample" --hash)" "$hash"
done
is "hash from standard input" "$("$acpdbg" replay - --hash <"$sample")" "$hash"
is "hash through a pipe" "$(cat "$sample" | "$acpdbg" replay /dev/stdin --hash)" "$hash"
expect "trace" 0 "" replay "$sample" --json
cp "$dir/out" "$dir/trace"
turns=$(grep -c '"type":"turn"' "$dir/trace")
is "the trailer closes the trace" "$(tail -n 1 "$dir/trace" | cut -c1-13)" '{"type":"end"'
is "the trailer has the hash" "$(tail -n 1 "$dir/trace" | sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/')" "$hash"
is "the trailer has the turns" "$(tail -n 1 "$dir/trace" | sed 's/.*"turns":\([0-9]*\).*/\1/')" "$turns"
expect "trace by --output" 0 "" replay "$sample" --output json
same "--output json is --json" "$dir/out" "$dir/trace"
expect "one position" 0 "" replay "$sample" --turn 3 --json
grep '"type":"turn","n":3,' "$dir/trace" >"$dir/turn3"
same "--turn --json is the line of the trace" "$dir/out" "$dir/turn3"
is "--hash --turn is the hash of that turn" "$("$acpdbg" replay "$sample" --hash --turn 3)" \
	"$(sed 's/.*"hash":"\([0-9a-f]*\)".*/\1/' "$dir/turn3")"
expect "one position for people" 0 "" replay "$sample" --turn 3.prune
says "it says where" "^position *3.prune of $turns"
expect "no hash inside a turn" 64 "only whole turns" replay "$sample" --hash --turn 3.prune
expect "changes" 0 "" replay "$sample" --changes
if [ "$(wc -c <"$dir/out")" -lt "$(wc -c <"$dir/trace")" ]; then ok "changes are shorter"; else bad "changes are shorter"; fi
expect "table" 0 "" replay "$sample"
cp "$dir/out" "$dir/table"
is "a line for every turn" "$(grep -c '^ *[0-9][0-9]* [ ~]' "$dir/table")" "$turns"
expect "open without a terminal" 0 "" open "$sample"
same "open without a terminal is the table" "$dir/out" "$dir/table"
expect "a file without a command" 0 "" "$sample"
same "a file without a command is the table" "$dir/out" "$dir/table"
expect "pane rows" 0 "" replay "$sample" --pane rows --width 100 --ascii
if [ "$(awk '{ if (length($0) > m) m = length($0) } END { print m + 0 }' "$dir/out")" -le 100 ]; then
	ok "a pane keeps to its width"
else
	bad "a pane keeps to its width"
fi
if LC_ALL=C grep -q '[^ -~]' "$dir/out"; then bad "--ascii is ASCII"; else ok "--ascii is ASCII"; fi
expect "--grep leaves caption and matching rows" 0 "" replay "$tiers" --pane rows --turn 30 --width 100 --grep '^.{3}00050|Step 7'
is "a row that matches, one whose text goes on with it, and the caption" "$(cut -c3-8 "$dir/out" | tr '\n' ' ')" "ref    m00050 m00052 b8     m00057 m00058 "
expect "--grep without case" 0 "" replay "$tiers" --pane blocks --turn 30 --grep 'STEP'
is "capitals are meant" "$(wc -l <"$dir/out")" 1
expect "a pattern that is none" 64 "--grep: .*behind 'a(b'" replay "$tiers" --pane rows --grep 'a(b'
# turn 6 is counted as a raw estimate, turn 7 by what the provider counted: no difference of these is a number of tokens
expect "pane changes" 0 "" replay sample-sessions/pi-tree.jsonl --turn 7 --pane changes
is "figures of two scales have no difference" "$(sed -n 's/^  \([a-z.]*\) .* other scale$/\1/p' "$dir/out" | tr '\n' ' ')" \
	"tokens.count usage nudge.growth "
expect "--grep without a pane" 64 "--grep belongs to --pane" replay "$tiers" --grep a
expect "pane nudge at a position" 0 "" replay "$sample" --pane nudge --turn 2
is "profiles differ where their switch does" "$("$acpdbg" replay "$tiers" --hash --profile K60 --policy hide=full)" \
	"$("$acpdbg" replay "$tiers" --hash --profile K41)"
expect "a limit" 0 "" replay "$sample" --limit 4321
says "a limit is named with its source" "window 4321 (--limit)"
expect "info" 0 "" info "$dir/damaged.jsonl" --config "$dir/config.json" --policy hide=full
says "info counts the damage" "^damage *1"
says "info names the profile and its switches" "^profile *K60 with hide=full"
says "info names the source of a value" "compress.minSummaryLength *100000 (--config)"
says "info names the source of the window" "^window .*(recording)\\|^window .*(assumed)"

says "info says how much agrees" "^fidelity *outcomes "
says "info says that there is no sidecar" "^sidecar *none"
expect "numbers as switches" 0 "" info "$sample" --policy systemTokens=77,limit=4321
says "systemTokens of --policy" "^system prompt 77 tokens (--policy"
says "limit of --policy" "^window *4321 tokens (--policy)"
says "switches with numbers are named" "^profile *K60 with limit=4321,systemTokens=77"
# pi.md 2.4: a quarter of 262144 is 65536; the storm build kept all of its 131072 free
echo '{"outputHeadroomMaxPct": 1}' >"$dir/headroom.json"
expect "room for the answer" 0 "" info sample-sessions/pi-tree.jsonl --limit 262144 --policy maxOutput=131072
says "a quarter at most" "^window *196608 tokens (--limit, less 65536 kept free"
expect "room for all of the answer" 0 "" info sample-sessions/pi-tree.jsonl --limit 262144 --policy maxOutput=131072 --config "$dir/headroom.json"
says "as the configuration has it" "^window *131072 tokens (--limit, less 131072 kept free"
expect "a switch that takes a number" 64 "systemTokens takes a number" replay "$sample" --policy systemTokens=x
expect "systemTokens=fit" 0 "" replay "$sample" --hash --policy systemTokens=fit
expect "a node's name cut short" 0 "" replay "$sample" --turn 3.emer --json
says "means the whole one" '"position":"3.emergency-truncate"'
cat >"$dir/acp.json" <<'END'
{"enabled":true,"modelContextLimit":180000,"compress":{"maxContextLimit":"70%","emergencyThresholdPercent":0.9,
"nudgeGrowthTokens":30000,"reasoning":{},"minCompressRange":100},"nudge":{"growthCap":40000},"delegate":1}
END
expect "an adapter's acp.json" 0 "not used here: enabled, compress.reasoning, delegate$" info "$sample" --config "$dir/acp.json"
says "its window" "^window *180000 tokens (--config)"
says "its percents" "nudge.maxContextLimitPct *0.7 (--config)"
says "one for two" "truncate.threshold *0.9 (--config)"
says "its growth" "nudge.growthFloor *30000 (--config)"
says "a kernel member beats it" "nudge.growthCap *40000 (--config)"
says "kernel members beside it" "compress.minCompressRange *100 (--config)"
expect "--limit beats its window" 0 "not used here" replay "$sample" --config "$dir/acp.json" --limit 999
says "as it does a recording's" "window 999 (--limit)"
for bad in '{"compress":{"maxContextLimit":"70"}}' '{"compress":{"nudgeGrowthTokens":"70%"}}' '{"modelContextLimit":0}' \
	'{"modelContextLimit":"1"}' '{"contextLimit":5}' '{"nudge":3}' '[]'; do
	echo "$bad" >"$dir/acp.json"
	expect "refused: $bad" 65 "acp.json: " replay "$sample" --config "$dir/acp.json"
done

# ---- sessions of the hosts ----
home=$dir/home
pi=$home/.pi/agent/sessions/--w--
mkdir -p "$pi" "$home/.codex/sessions/2026/01/01"
entry() { printf '{"type":"message","id":"%s","parentId":%s,"message":{"role":"%s","content":"%s"}}\n' "$@"; }
two=$(entry e1 null user 'the first question'
	entry e2 '"e1"' assistant 'an answer'
	entry e3 '"e2"' user 'the second question'
	entry e4 '"e3"' assistant 'an answer'
	entry f2 '"e1"' assistant 'another'
	entry f3 '"f2"' user 'why?'
	entry f4 '"f3"' assistant 'so')
printf '{"type":"session","version":3,"id":"s1","timestamp":"2026-09-20T08:00:00.000Z","cwd":"/w"}\n%s\n' "$two" >"$pi/a.jsonl"
touch -d 2026-01-01T00:00:00Z "$pi/a.jsonl"
# in [VARIABLE=VALUE..] acpdbg under another home
home_expect() {
	name=$1 code=$2 pattern=$3
	shift 3
	got=$(HOME=$home XDG_DATA_HOME='' XDG_CONFIG_HOME='' PI_CODING_AGENT_DIR='' "$acpdbg" "$@" >"$dir/out" 2>"$dir/err" </dev/null; echo $?)
	is "$name: exit" "$got" "$code"
	if [ -z "$pattern" ] && [ -s "$dir/err" ]; then bad "$name (something on standard error)"; fi
	if [ -n "$pattern" ] && ! grep -q -e "$pattern" "$dir/err"; then bad "$name (standard error does not say '$pattern')"; fi
}
home_expect "no file: the list" 0 ""
says "the list names the session" "the first question"
says "and its file" "$pi/a.jsonl"
home_expect "open without a file: the list, too" 0 "" open
says "open names the session" "the first question"
home_expect "last" 0 "" last
cp "$dir/out" "$dir/last"
expect "the file itself" 0 "" "$pi/a.jsonl"
same "last is the newest session" "$dir/last" "$dir/out"
printf '{"timestamp":"t","type":"session_meta","payload":{"id":"c","cwd":"/w"}}\n' >"$home/.codex/sessions/2026/01/01/rollout-1.jsonl"
home_expect "last passes over what has no reader" 0 "1 newer session cannot be read" last
same "and opens the one before" "$dir/last" "$dir/out"
home_expect "last takes the options of open" 0 "opened" last --profile K60 +1
home_expect "last takes no file" 64 "usage: acpdbg last" last x
home_expect "last takes -f; without a screen there is nobody to follow for" 0 "opened" last -f
home=$dir/nobody
home_expect "no session at all: the list says where was looked" 0 ""
says "it names the places" "\.pi/agent/sessions"
home_expect "last without a session" 66 "no session found" last

# ---- branches ----
expect "info lists the branches" 0 "" info "$pi/a.jsonl"
says "their number" "^branches *2 "
says "each of them" "^  e4  4 entries, 3 of its own, line 5$"
says "which one is shown" "^  f4  4 entries, 3 of its own, line 8 (shown)$"
expect "the other branch" 0 "" replay "$pi/a.jsonl" --branch e4 --hash
cp "$dir/out" "$dir/e4"
expect "no such branch" 64 "no entry zz in the session; 2 branches end with e4, f4" replay "$pi/a.jsonl" --branch zz
expect "a recording has no branches" 64 "no branches" replay "$sample" --branch e2
expect "convert of a branch" 0 "" convert "$pi/a.jsonl" --branch e4 -o "$dir/e4.jsonl"
expect "replays as it did" 0 "" replay "$dir/e4.jsonl" --hash
same "with its hash" "$dir/out" "$dir/e4"

# ---- sidecars ----
echo '{"blocks":[],"messageRefs":{"byRaw":{"e1":"m00001","f2":"m00002","f3":"m00003","e2":"m00004","e3":"m00005"},"byRef":{}}}' >"$pi/a.jsonl.acp.json"
expect "a sidecar that agrees" 0 "" replay "$pi/a.jsonl" --hash
expect "info of it" 0 "" info "$pi/a.jsonl"
says "where it was found" "^sidecar .*a.jsonl.acp.json (beside the session file"
says "its refs agree" "refs 3 of 3 agree with the sidecar"
expect "on the other branch it does not" 0 "a.jsonl.acp.json: ref drift: 2 of 3 differ, first e2 (line 3): m00002 here, m00004" \
	replay "$pi/a.jsonl" --branch e4 --hash
same "the hash is as before" "$dir/out" "$dir/e4"
expect "info names the drift" 0 "" info "$pi/a.jsonl" --branch e4
says "in the line of fidelity" "refs 1 of 3 agree with the sidecar"
says "and in full" "drift: 2 of 3 differ, first e2 (line 3): m00002 here, m00004 in the sidecar; all of them 2 higher there"
mv "$pi/a.jsonl.acp.json" "$dir/other.acp.json"
expect "--state" 0 "other.acp.json: ref drift" "$pi/a.jsonl" --branch e4 --state "$dir/other.acp.json"
expect "info --state" 0 "" info "$pi/a.jsonl" --state "$dir/other.acp.json"
says "given" "^sidecar .*other.acp.json (given"
expect "--state of nothing" 66 "none.acp.json" replay "$pi/a.jsonl" --state "$dir/none.acp.json"
expect "--state that is none" 65 "config.json" replay "$pi/a.jsonl" --state "$dir/config.json"

# ---- convert ----
# told to end while it writes: nothing is left, and the old file stays
big=$dir/big.jsonl
head -1 "$sample" >"$big"
text=$(printf '%04000d' 0)
yes "{\"type\":\"note\",\"text\":\"$text\"}" | head -20000 >>"$big"
for signal in TERM HUP; do
	echo old >"$dir/ended.jsonl"
	"$acpdbg" convert "$big" -o "$dir/ended.jsonl" 2>/dev/null &
	writer=$!
	while kill -0 "$writer" 2>/dev/null && ! ls "$dir"/ended.jsonl.part-* >/dev/null 2>&1; do :; done
	kill -"$signal" "$writer"
	wait "$writer" 2>/dev/null
	ls "$dir" | grep -F .part- >"$dir/a"
	: >"$dir/b"
	same "convert ended by SIG$signal leaves nothing" "$dir/a" "$dir/b"
	echo old >"$dir/b"
	same "convert ended by SIG$signal leaves the old file" "$dir/ended.jsonl" "$dir/b"
done
rm -f "$big"
printf '{"type":"session","version":1e999,"id":"s","host":"other"}\n' >"$dir/version.jsonl"
"$acpdbg" info "$dir/version.jsonl" 2>&1 | grep -o 'version 1e999 found' >"$dir/a"
echo 'version 1e999 found' >"$dir/b"
same "a version is named as it is written" "$dir/a" "$dir/b"
for file in sample-sessions/*.jsonl; do
	expect "convert $file" 0 "" convert "$file" -o "$dir/converted.jsonl"
	"$acpdbg" replay "$file" --json >"$dir/a" 2>"$dir/err" # a sample may drift from its sidecar
	"$acpdbg" replay "$dir/converted.jsonl" --json >"$dir/b"
	same "convert $file replays the same" "$dir/a" "$dir/b"
done
"$acpdbg" convert "$tiers" -o - >"$dir/a"
"$acpdbg" convert "$tiers" -o "$dir/b"
same "convert to standard output" "$dir/a" "$dir/b"
cp "$sample" "$dir/same.jsonl"
ln -s same.jsonl "$dir/link.jsonl"
expect "convert needs -o" 64 "needs -o" convert "$sample"
expect "convert does not overwrite its input" 64 "not overwritten" convert "$dir/same.jsonl" -o "$dir/same.jsonl"
expect "nor through a link" 64 "not overwritten" convert "$dir/same.jsonl" -o "$dir/link.jsonl"
same "the input is as it was" "$sample" "$dir/same.jsonl"
expect "convert over another file" 0 "" convert "$tiers" -o "$dir/link.jsonl"
same "through a link" "$dir/same.jsonl" "$dir/b"
if [ -L "$dir/link.jsonl" ]; then ok "the link stays"; else bad "the link stays"; fi
expect "convert into a directory that is not there" 70 "cannot write" convert "$sample" -o "$dir/none/x"
expect "a failed convert" 65 "empty" convert "$dir/empty" -o "$dir/unmade"
is "leaves nothing behind" "$(find "$dir" -name '*.part-*' -o -name unmade)" ""

# ---- parse-args ----
printf '{"input":{"content":[{"startId":"m1","endId":"m2","summary":"s"}]},"callId":"c"}\n\n{"input":"x"}\n{}\n' >"$dir/lines"
"$acpdbg" parse-args --each <"$dir/lines" >"$dir/out" 2>"$dir/err"
is "parse-args --each: exit" $? 0
cat >"$dir/want" <<'END'
{"ranges":[{"startRef":"m1","endRef":"m2","summary":"s","compressCallId":"c"}],"kind":"ok","invalidItems":0,"keys":["content"]}
{"ranges":[],"kind":"malformed-json","invalidItems":0,"length":1,"rawPrefix":"x"}
{"ranges":[],"kind":"empty-input","invalidItems":0}
END
same "parse-args --each: answers" "$dir/out" "$dir/want"
printf 'not JSON\n{"input":null}\n[1]\n' | "$acpdbg" parse-args --each >"$dir/out" 2>"$dir/err"
is "parse-args --each: a line that is no JSON" $? 65
is "parse-args --each: names the lines" "$(sed 's/: not.*//' "$dir/err" | tr '\n' ' ')" "acpdbg: -:1 acpdbg: -:3 "
printf '  {"content":[{"startId":"m1","endId":"m2","summary":"a\\u0000b"}]}\n' | "$acpdbg" parse-args >"$dir/out" 2>"$dir/err"
says "parse-args: the whole input is one text" '"summary":"a\\u0000b"'
says "parse-args: its length" '"length":67'

# ---- output that fails ----
if [ -e /dev/full ]; then
	"$acpdbg" replay "$sample" --json >/dev/full 2>"$dir/err"
	is "a full disk: exit" $? 70
	if grep -q "cannot write standard output" "$dir/err"; then ok "a full disk: message"; else bad "a full disk: message"; fi
fi
: >"$dir/err"
("$acpdbg" replay "$tiers" --json 2>"$dir/err"; echo $? >"$dir/code") | head -c 1 >/dev/null
is "a reader that went away: no message" "$(cat "$dir/err")" ""
is "a reader that went away: exit" "$(cat "$dir/code")" 0

# ---- what the user sets never stands in the way; what is asked for here and now does ----
export XDG_CONFIG_HOME="$dir/settings"
mkdir -p "$dir/settings/acpdbg"
echo '{"prices":"prices.json"}' >"$dir/settings/acpdbg/config.json"
expect "settings name prices that are not there" 0 "config.json: line 1, byte 10: prices: .*prices.json: cannot be opened" \
	replay "$sample" --hash
expect "--prices that are not there" 66 "no-such-prices: cannot be opened" replay "$sample" --prices "$dir/no-such-prices"
echo '{"models":{"*":{"input":4,"output":8}}}' >"$dir/settings/acpdbg/prices.json"
expect "settings name prices" 0 "" replay "$sample" --turn 4 --pane prefix
cp "$dir/out" "$dir/by-settings"
echo '{}' >"$dir/settings/acpdbg/config.json"
expect "prices as an option" 0 "" replay "$sample" --turn 4 --pane prefix --prices "$dir/settings/acpdbg/prices.json"
same "prices of the settings are those of the option" "$dir/by-settings" "$dir/out"
expect "no prices" 0 "" replay "$sample" --turn 4 --pane prefix
if cmp -s "$dir/by-settings" "$dir/out"; then bad "prices show in Prefix"; else ok "prices show in Prefix"; fi

[ "$failed" -eq 0 ]
