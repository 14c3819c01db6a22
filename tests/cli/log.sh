#!/bin/sh
# The adapter's log beside a session: --log.  usage: ACPDBG=PROGRAM tests/cli/log.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
session=sample-sessions/pi-log.jsonl
log=sample-sessions/pi-log.acp.log
failed=0

# has NAME CODE FILE PATTERN ARGUMENTS...: runs acpdbg; FILE (out, err) must have the pattern; an empty one: be empty
has() {
	name=$1 code=$2 file=$3 pattern=$4
	shift 4
	"$acpdbg" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	if [ "$got" -eq "$code" ] && if [ -n "$pattern" ]; then grep -q -e "$pattern" "$dir/$file"; else ! [ -s "$dir/$file" ]; fi; then
		echo "ok - $name"
	else
		echo "not ok - $name (exit $got, want $code)"
		sed 's/^/  out: /' "$dir/out" | head -n 5
		sed 's/^/  err: /' "$dir/err" | head -n 5
		failed=1
	fi
}

has "info counts it in fidelity" 0 out "^fidelity .*figures of the log 67 of 69 agree" info "$session" --log "$log"
has "info says what it tells of" 0 out "tells of 11 turns of 12 and 1 compress call of 1" info "$session" --log "$log"
has "info names a difference" 0 out "turn 9 (line 13 of the log), token count: the log has 8551, the replay 7101" info "$session" --log "$log"
has "info without it says nothing of it" 0 err "" info "$session"
has "replay sums it up" 0 err "pi-log.acp.log: 11 turns and 1 compress call told of, 67 of 69 figures agree" replay "$session" --log "$log"
has "the window given, one difference is gone" 0 err "68 of 69 figures agree" replay "$session" --log "$log" --limit 200000
has "the system prompt given, the other one, too" 0 err "69 of 69 figures agree" replay "$session" --log "$log" --limit 200000 --policy systemTokens=1450
has "differences are events" 0 out " log  *context window: the log has 200000" replay "$session" --log "$log" --pane events
has "a log of another session" 0 err "no line of this session" replay sample-sessions/pi-tree.jsonl --log "$log"
has "a log that is not there" 66 err "none.log" info "$session" --log "$dir/none.log"
has "a file that is no log" 65 err "pi-log.jsonl" info "$session" --log "$session"
has "a directory" 65 err "directory" info "$session" --log "$dir"
printf '2026-10-02T09:00:07.100Z [info] [turn] sid=01a0f10c-0000-7000-8000-0000000000a7 tokens=2431 nudge=\033]0;x\007 nudgeReason=idle{\033[2J}\n' >"$dir/escape.log"
has "nothing that a terminal obeys" 0 out "tells of 1 turn of 12" info "$session" --log "$dir/escape.log"
if grep -q "$(printf '\033')" "$dir/out"; then
	echo "not ok - an escape of the log is printed"
	failed=1
fi
exit "$failed"
