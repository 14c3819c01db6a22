#!/bin/sh
# convert --drop-call and --turns.  usage: ACPDBG=PROGRAM tests/cli/edit.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

check() { # name, shell condition
	if eval "$2"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		failed=1
	fi
}

# the compress lines of a recording, by number: what is dropped is such a line and nothing else
for file in sample-sessions/tiers.acps.jsonl sample-sessions/pi-anchors.jsonl sample-sessions/dsh-storm.jsonl; do
	"$acpdbg" convert "$file" -o "$dir/all" 2>/dev/null
	for call in 1 3; do
		line=$(grep -n '^{"type":"compress"' "$dir/all" | sed -n "${call}s/:.*//p")
		check "$file has call $call" "[ -n '$line' ]"
		sed "${line}d" "$dir/all" >"$dir/want"
		"$acpdbg" convert "$file" --drop-call "$call" -o "$dir/got" 2>/dev/null
		check "$file without call $call" "cmp -s '$dir/want' '$dir/got'"
	done
done
"$acpdbg" convert sample-sessions/plain.acps.jsonl --drop-call 99 -o "$dir/none" 2>"$dir/err"
check "a call that is not there is refused" "[ $? -eq 64 ] && [ ! -e '$dir/none' ]"
check "and it says how many there are" "grep -q 'there is no call 99, the session has' '$dir/err'"
for bad in 0 -1 1.5 x; do
	"$acpdbg" convert sample-sessions/plain.acps.jsonl --drop-call "$bad" -o "$dir/none" 2>/dev/null
	check "--drop-call $bad is refused" "[ $? -eq 64 ] && [ ! -e '$dir/none' ]"
done
"$acpdbg" convert sample-sessions/plain.acps.jsonl --turns 11.. --drop-call 1 -o "$dir/none" 2>"$dir/err"
check "a call before the slice is in its state: refused" "[ $? -eq 64 ] && [ ! -e '$dir/none' ]"
"$acpdbg" convert sample-sessions/plain.acps.jsonl --turns 9..3 -o "$dir/none" 2>"$dir/err"
check "turns in the wrong order are refused" "[ $? -eq 64 ] && grep -q 'before the first' '$dir/err'"

# what is expected of the whole is not expected of a part; a slice of a slice is that slice, byte for byte
sed '1s/"version":1/"version":1,"expect":{"assert":["turn = 14"]}/' sample-sessions/plain.acps.jsonl >"$dir/whole"
"$acpdbg" convert "$dir/whole" -o "$dir/copy"
check "a whole recording keeps what is expected" "head -n 1 '$dir/copy' | grep -q '\"expect\"'"
"$acpdbg" convert "$dir/whole" --drop-call 1 -o "$dir/other"
check "one without a call expects nothing" "head -n 1 '$dir/other' | grep -qv '\"expect\"'"
"$acpdbg" convert "$dir/whole" --turns 9.. -o "$dir/late"
check "a slice expects nothing" "head -n 1 '$dir/late' | grep -qv '\"expect\"'"
"$acpdbg" convert "$dir/late" --turns 3..4 -o "$dir/twice"
"$acpdbg" convert "$dir/whole" --turns 11..12 -o "$dir/once"
check "a slice of a slice is the slice of the whole" "cmp -s '$dir/once' '$dir/twice'"
check "with one state" "[ \$(head -n 1 '$dir/twice' | grep -o '\"state\":' | wc -l) -eq 1 ]"
exit $failed
