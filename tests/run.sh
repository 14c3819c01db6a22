#!/bin/sh
# Runs every test program of a build and says what came of it.  usage: tests/run.sh BUILD-DIRECTORY
# A test program's own closing lines are shown when it fails. A line that begins with "skipped: " says that something
# was not tested, and why; those lines are always shown, and counted.
set -u
build=$1
cd "$(dirname "$0")/.." || exit 2
log=$build/tests.log
# no test reads or writes what the user's own copy of the program keeps, or another test's
state=$(mktemp -d) || exit 2
trap 'rm -rf "$state"' EXIT
export XDG_CONFIG_HOME="$state/config"
passed=0 failed=0 skipped=0 programs=0
: >"$log"

report() { # name, exit code, output file
	programs=$((programs + 1))
	cat "$3" >>"$log"
	passed=$((passed + $(grep -c '^\[       OK \]\|^ok ' "$3")))
	skipped=$((skipped + $(grep -c '^skipped: ' "$3")))
	grep '^skipped: ' "$3" | sed "s|^|$1: |"
	if [ "$2" -eq 0 ]; then
		echo "ok   $1"
	else
		failed=$((failed + 1))
		echo "FAIL $1 (exit $2)"
		grep -v '^\[ RUN\|^\[       OK' "$3" | tail -n 60
	fi
}

out=$build/test.out
for source in tests/engine/*.c tests/replay/*.c tests/tui/*.c; do
	program=$build/${source%.c}
	XDG_STATE_HOME=$state/$programs CMOCKA_MESSAGE_OUTPUT=STDOUT timeout 240 "$program" >"$out" 2>&1
	report "${source%.c}" $? "$out"
done
for script in tests/terminal/*.sh tests/cli/*.sh; do
	[ -e "$script" ] || continue
	XDG_STATE_HOME=$state/$programs ACPDBG="$build/acpdbg" timeout 240 "$script" >"$out" 2>&1
	report "$script" $? "$out"
done
rm -f "$out"
echo "$programs programs, $failed failed; $passed tests passed, $skipped skipped (log: $log)"
[ "$failed" -eq 0 ]
