#!/bin/sh
# What is sent: replay --request, --requests DIR, pane request.  usage: ACPDBG=PROGRAM tests/cli/request.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
session=sample-sessions/pi-log.jsonl
failed=0

ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1"
	failed=1
	sed 's/^/  out: /' "$dir/out" | head -n 5
	sed 's/^/  err: /' "$dir/err" | head -n 5
}
# has NAME CODE FILE PATTERN ARGUMENTS...: runs acpdbg; FILE (out, err) must have the pattern; an empty one: be empty
has() {
	name=$1 code=$2 file=$3 pattern=$4
	shift 4
	"$acpdbg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	if [ "$got" -ne "$code" ]; then
		bad "$name (exit $got, want $code)"
	elif if [ -n "$pattern" ]; then grep -q -e "$pattern" "$dir/$file"; else ! [ -s "$dir/$file" ]; fi; then
		ok "$name"
	else
		bad "$name"
	fi
}
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1 ('$2', want '$3')"; fi; }

# ---- the bytes ----
has "nothing but the bytes" 0 err "" replay "$session" --request
is "the last byte ends a message" "$(tail -c 1 "$dir/out")" "}"
cp "$dir/out" "$dir/last"
has "the last turn is the default" 0 err "" replay "$session" --turn '$' --request
if cmp -s "$dir/out" "$dir/last"; then ok "the same bytes"; else bad "the same bytes"; fi
has "the first request" 0 out '^{"role":"user","content":\[{"type":"text",' replay "$session" --turn 1 --request
has "before the first turn there is none" 65 err "no turn here yet" replay "$session" --turn 0 --request
has "another profile, none" 65 err "the profile has no host's rules" replay "$session" --profile K60 --request
has "another host, none" 65 err "the session's host has no adapter, the kernel alone is replayed" \
	replay sample-sessions/plain.acps.jsonl --profile P342 --request
has "info says so" 0 out "^profile  *P342 (host other has no adapter: the kernel alone is replayed)$" \
	info sample-sessions/plain.acps.jsonl --profile P342
has "and the head of the table" 0 out "^profile P342 (host other has no adapter: the kernel alone is replayed)" \
	replay sample-sessions/plain.acps.jsonl --profile P342
has "nothing to say of the profile of others" 0 out "^profile  *K60$" info sample-sessions/plain.acps.jsonl
has "a Pi profile for a DSH log" 0 out "^profile  *P342 (of host pi: the adapter of host dsh is replayed" \
	info sample-sessions/dsh-tail.jsonl --profile P342
has "a DSH profile for a Pi session" 0 out "^profile  *F1 (of host dsh: the adapter of host pi is replayed" \
	info "$session" --profile F1
has "nothing to say of its own" 0 out "^profile  *P342$" info "$session"
sed '1s/"host":"[a-z]*"/"host":"pi"/' sample-sessions/plain.acps.jsonl >"$dir/bare.acps.jsonl"
has "a recording without the host's messages" 65 err "does not bring the host's own messages" \
	replay "$dir/bare.acps.jsonl" --profile P342 --request
has "--request and --json" 64 err "exclude each other" replay "$session" --request --json
has "--request and --pane" 64 err "exclude each other" replay "$session" --request --pane rows
has "--request belongs to replay" 64 err "takes no --request" info "$session" --request
"$acpdbg" convert "$session" -o "$dir/own.acps.jsonl"
has "the same bytes of the converted recording" 0 err "" replay "$dir/own.acps.jsonl" --request
if cmp -s "$dir/out" "$dir/last"; then ok "they are the same"; else bad "they are the same"; fi

# ---- the pane ----
has "the pane" 0 out "^[0-9]* messages, [0-9,]* bytes, [0-9,]* tokens (raw estimate)" replay "$session" --pane request
is "has a line a message" "$(grep -c '^. *[0-9][0-9]* *\(user\|asst\|tool\) ' "$dir/out")" \
	"$(grep -c '"role"' "$dir/last")"
has "without one it says why" 0 out "^no request: the profile has no host's rules" replay "$session" --pane request --profile K60
has "at the smallest width" 0 err "" replay "$session" --pane request --width 10 --ascii
is "no line is too long" "$(grep -c '^...........' "$dir/out")" 0

# ---- other files ----
file() { # OPTION WHAT
	has "--$1: a device" 65 err "is a device, not $2" replay "$session" "--$1" /dev/null
	has "--$1: a directory" 65 err "is a directory, not $2" replay "$session" "--$1" "$dir"
}
file log "a log of the adapter"
file prices "a file of prices"
file config "a configuration file"
file state "a stored state"
printf '{"models":{"*":{"input":1,"cacheRead":5,"cacheWrite":2,"output":3}}}' >"$dir/prices.json"
has "nothing is lost where reading is dearer" 0 out "lost <= 0.000000 (read > write)" \
	replay sample-sessions/pi-causes.jsonl --prices "$dir/prices.json" --pane prefix

# ---- the density of a session that ends with a fold: step 7 of table 5.7 (pi.md), its turn 8 ----
head -n 24 sample-sessions/pi-density.jsonl >"$dir/folded.jsonl"
has "nothing was measured since" 0 out "converged since turn 5, .*, no measure since the fold at turn 8" \
	replay "$dir/folded.jsonl" --profile P155 --pane density --width 200
has "a measure later there is no word of it" 0 out "converged since turn 11, density 1.6 (5 measures, 2 changes)\. " \
	replay sample-sessions/pi-density.jsonl --profile P155 --pane density --width 200


# ---- recorded requests ----
mkdir "$dir/dumps" "$dir/empty"
for turn in 1 2 3; do
	"$acpdbg" replay "$session" --turn "$turn" --request >"$dir/dumps/request-$turn.jsonl"
done
has "dumps that are equal" 0 err "3 request dumps, 3 equal" replay "$session" --requests "$dir/dumps"
has "info counts them" 0 out "^  3 equal$" info "$session" --requests "$dir/dumps"
has "the pane says so" 0 out "^dump request-2.jsonl: equal in all" \
	replay "$session" --requests "$dir/dumps" --pane request --turn 2
sed 's/"role":"user"/"role":"User"/' "$dir/dumps/request-1.jsonl" >"$dir/dumps/changed"
mv "$dir/dumps/changed" "$dir/dumps/request-1.jsonl"
# {"role":" are 9 bytes
has "one that differs" 1 err "request-1.jsonl (turn 1): message 1 of 1 (ours: 1) differs from byte 9 on" \
	replay "$session" --requests "$dir/dumps" --hash
has "an escape in it is shown, not sent" 1 err 'User' replay "$session" --requests "$dir/dumps" --hash
printf '{"role":"user","content":"\\u009b2J\\u001b]0;x"}' >"$dir/dumps/request-1.jsonl"
has "what a terminal obeys is made visible" 1 err '<009B>2J' replay "$session" --requests "$dir/dumps" --hash
is "no escape" "$(grep -c "$(printf '\033')" "$dir/err")" 0
has "a directory that is not there" 66 err "No such file" replay "$session" --requests "$dir/none"
has "a directory without dumps" 65 err "no request in it" replay "$session" --requests "$dir/empty"
has "a file" 65 err "Not a directory" replay "$session" --requests "$dir/last"
has "an empty name" 64 err "expected the name of a file" replay "$session" --requests ''

# ---- what the host itself sends (pi.md 8.3) ----
entry() { # id, parent, role, text, more members of the message
	printf '{"type":"message","id":"%s","parentId":%s,"message":{"role":"%s","content":[{"type":"text","text":"%s"}]%s}}\n' "$@"
}
answer=',"usage":{"input":9,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":10},"stopReason"'
{
	echo '{"type":"session","version":3,"id":"retry","timestamp":"2026-09-20T08:00:00.000Z","cwd":"/home/dev"}'
	entry 1 null user hello ""
	entry 2 '"1"' assistant half "$answer:\"error\""
	entry 3 '"2"' assistant done "$answer:\"stop\""
	entry 4 '"3"' user more ""
	entry 5 '"4"' assistant bad "$answer:\"error\""
	entry 6 '"5"' user again ""
	entry 7 '"6"' assistant good "$answer:\"stop\""
} >"$dir/retry.jsonl"
# entry 2 was asked for again at once, and is gone for good; behind entry 5 the user spoke
for turn in "1 1 1" "2 2 1" "3 4 3" "4 6 5"; do
	set -- $turn
	"$acpdbg" replay "$dir/retry.jsonl" --turn "$1" --request >"$dir/adapter"
	"$acpdbg" replay "$dir/retry.jsonl" --turn "$1" --request --policy retry=host >"$dir/host"
	is "turn $1, messages of the adapter" "$(grep -c '"role"' "$dir/adapter")" "$2"
	is "turn $1, messages of the host" "$(grep -c '"role"' "$dir/host")" "$3"
	is "turn $1, the failed answer is the one that lacks" "$(grep -v '"half"' "$dir/adapter")" "$(cat "$dir/host")"
done
exit "$failed"
