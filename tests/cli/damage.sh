#!/bin/sh
# What a file that is odd, hostile or changing makes the commands say.  usage: ACPDBG=PROGRAM tests/cli/damage.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
sample=sample-sessions/plain.acps.jsonl
failed=0

ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1"
	failed=1
	sed 's/^/  out: /' "$dir/out" | head -n 5
	sed 's/^/  err: /' "$dir/err" | head -n 5
}
# run CODE NAME ARGUMENTS...
run() {
	code=$1 name=$2
	shift 2
	timeout 60 "$acpdbg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	if [ "$got" -eq "$code" ]; then ok "$name"; else bad "$name (exit $got, want $code)"; fi
}
# count NAME N FILE PATTERN: so many lines of out or err have the pattern
count() {
	n=$(grep -c -e "$4" "$dir/$3")
	if [ "$n" -eq "$2" ]; then ok "$1"; else bad "$1 ($n lines have '$4', want $2)"; fi
}

header='{"type":"session","version":3,"id":"s","timestamp":"2026-09-20T08:00:00.000Z","cwd":"/x"}'
user='{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"ask"}}'

# ---- headers ----
printf '{"type":"session","version":3,"id":5,"timestamp":"2026-09-20T08:00:00.000Z","cwd":"/x"}\n%s\n' "$user" >"$dir/id.jsonl"
run 0 "a header whose id is a number" info "$dir/id.jsonl"
count "it says why nothing is shown" 1 out "id is not a string.*no line of it is shown"
printf '{"type":"session","version":"3","id":"s","timestamp":"2026-09-20T08:00:00.000Z","cwd":"/x"}\n%s\n' "$user" >"$dir/version.jsonl"
run 0 "a version that is a string" info "$dir/version.jsonl"
count "it is read as the tree that it is" 1 out "version is not a number; read as version 3"

# ---- bytes ----
printf '%s\n%s\n{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"\377\376 x \300\200"}}\n' "$header" "$user" >"$dir/bytes.jsonl"
run 0 "bytes that are no UTF-8" info "$dir/bytes.jsonl"
at=$(($(printf '%s\n%s\n' "$header" "$user" | wc -c) + $(printf '{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"' | wc -c)))
count "they are told once a line, with their place" 1 out "line 3, byte $at: not-utf8"
count "and counted" 1 out "^  not-utf8 *1$"
printf '%s\n{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"\303\251\360\237\230\200\360\220\215\210"}}\n' "$header" >"$dir/fine.jsonl"
run 0 "bytes that are" info "$dir/fine.jsonl"
count "no damage" 1 out "^damage *none"

# ---- usage ----
cat >"$dir/usage.jsonl" <<END
$header
$user
{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":"x","usage":{"input":1e308}}}
{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":"x","usage":{"totalTokens":500}}}
{"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":"x","usage":{"input":-5,"cacheRead":9}}}
{"type":"message","id":"e","parentId":"d","message":{"role":"assistant","content":"x","usage":{"input":1e999}}}
END
run 0 "usage no provider has" replay "$dir/usage.jsonl" --json
count "a context without a prompt: no prompt size" 3 out '"actualPrompt":null'
run 0 "their shares in the table" replay "$dir/usage.jsonl"
count "beyond all windows: not 0 %" 1 out '1e+308 *?%'
run 0 "the same in Nudge" replay "$dir/usage.jsonl" --pane nudge --turn 2
count "as in the table" 1 out '^usage *? %'
run 0 "info on them" info "$dir/usage.jsonl"
count "says nothing of null" 0 out "null"
count "two are damage" 1 out "^  bad-member *2$"

# ---- convert goes by the type of an entry ----
cat >"$dir/impostor.jsonl" <<END
$header
{"type":"custom_message","id":"1","parentId":null,"customType":"n","content":[{"type":"text","text":"milk"},{"type":"toolCall","name":"bash","arguments":"aaaaaaaaaaaaaaaa"}],"message":"x"}
{"type":"message","id":"2","parentId":"1","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}
END
run 0 "convert of an entry with a member of another type" convert "$dir/impostor.jsonl" -o "$dir/impostor.acps.jsonl"
"$acpdbg" replay "$dir/impostor.jsonl" --json >"$dir/a"
"$acpdbg" replay "$dir/impostor.acps.jsonl" --json >"$dir/b"
if cmp -s "$dir/a" "$dir/b"; then ok "it replays the same"; else bad "it replays the same"; fi

# ---- sidecars, pipes ----
cp sample-sessions/pi-tree.jsonl "$dir/tree.jsonl"
echo '{"no":' >"$dir/tree.jsonl.acp.json"
run 0 "a sidecar that is cut" info "$dir/tree.jsonl"
count "it is there, and unreadable" 1 out "refs: the sidecar is unreadable"
count "the fit is told once" 1 out "systemTokens=fit: "
rm "$dir/tree.jsonl.acp.json"
mkfifo "$dir/tree.jsonl.acp.json" "$dir/pipe"
run 0 "a sidecar that is a pipe" info "$dir/tree.jsonl"
count "is passed over" 1 out "no regular file"
for option in --state --log --config --prices; do
	run 66 "$option of a pipe that nobody writes to" info "$dir/tree.jsonl" $option "$dir/pipe"
	count "$option: it is named" 1 err "pipe: is a pipe that nobody writes to"
done
cat "$sample" >"$dir/pipe" &
run 0 "a session through a named pipe" replay "$dir/pipe" --hash
mv "$dir/out" "$dir/a"
"$acpdbg" replay "$sample" --hash >"$dir/out"
if cmp -s "$dir/a" "$dir/out"; then ok "it is the same"; else bad "it is the same"; fi
if echo '{"compress":{}}' | "$acpdbg" replay "$sample" --hash --config /dev/stdin >"$dir/out" 2>"$dir/err"; then
	ok "a configuration through a pipe"
else
	bad "a configuration through a pipe"
fi

# ---- the command line ----
run 64 "--branch of nothing" info "$dir/tree.jsonl" --branch ''
count "it says what was expected" 1 err "branch: expected the id of an entry"
run 64 "help of an empty word" help ''
count "it is quoted" 1 err "'': there is no such command"
echo '{"bogusMember":1}' >"$dir/config.json"
run 1 "diff with a configuration" diff "$sample" --left profile=K41 --right profile=K60 --config "$dir/config.json"
count "what is not used is told once" 1 err "not used here"
run 70 "convert onto a directory" convert "$sample" -o "$dir"
count "it is named" 1 err "$dir: cannot write"
if [ -e /dev/full ]; then
	run 70 "convert onto a full disk" convert "$sample" -o /dev/full
	count "it is named, too" 1 err "cannot write /dev/full"
fi

[ "$failed" -eq 0 ]
