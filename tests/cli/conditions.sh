#!/bin/sh
# acpdbg probe and check: columns, JSON, exit codes, carets, refusals.  usage: ACPDBG=PROGRAM tests/cli/conditions.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
plain=sample-sessions/plain.acps.jsonl
tiers=sample-sessions/tiers.acps.jsonl
failed=0

ok() { echo "ok - $1"; }
bad() {
	echo "not ok - $1" | cut -c1-300
	failed=1
	sed 's/^/  out: /' "$dir/out" | cut -c1-200 | head -n 8
	sed 's/^/  err: /' "$dir/err" | head -n 5
}
# expect NAME CODE STDERR-PATTERN ARGUMENTS...; an empty pattern = nothing on standard error
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
says() { if grep -q -e "$2" "$dir/out"; then ok "$1"; else bad "$1 (output does not say '$2')"; fi; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1 ('$2', want '$3')"; fi; }

# three turns by hand: tokens 250, 500, 900 of a window of 1000
cat >"$dir/three.jsonl" <<'END'
{"type":"session","version":1,"id":"three","host":"other","contextLimit":1000}
{"type":"message","id":"u1","role":"user","contentType":"text","text":"aaaa"}
{"type":"turn","tokenCount":250}
{"type":"turn","tokenCount":500}
{"type":"message","id":"u2","role":"user","contentType":"text","text":"aaaa"}
{"type":"turn","tokenCount":900}
END
three=$dir/three.jsonl

# ---- probe ----
expect "a table" 0 "" probe "$three" usage 'changed(rows)' 'prev(tokens.count)' '"a" ~ /a/'
cat >"$dir/want" <<'END'
 turn  usage  changed(rows)  prev(tokens.count)  "a" ~ /a/
    1   0.25          false                   ?       true
    2    0.5          false                 250       true
    3    0.9           true                 500       true
END
is "every line of it" "$(cat "$dir/out")" "$(cat "$dir/want")"
expect "texts stand to the left" 0 "" probe "$three" 'row("m00001").role' turn
cat >"$dir/want" <<'END'
 turn  row("m00001").role  turn
    1  user                   1
    2  user                   2
    3  user                   3
END
is "every line of that" "$(cat "$dir/out")" "$(cat "$dir/want")"
expect "json" 0 "" probe "$three" --json 'tokens.count / (turn - 1)' 'event.user' 'row("m00001").role'
cat >"$dir/want" <<'END'
{"type":"probe","id":"three","expressions":["tokens.count / (turn - 1)","event.user","row(\"m00001\").role"]}
{"type":"turn","n":1,"values":[null,true,"user"]}
{"type":"turn","n":2,"values":[500,false,"user"]}
{"type":"turn","n":3,"values":[450,true,"user"]}
END
is "every line of json" "$(cat "$dir/out")" "$(cat "$dir/want")"
expect "--output json" 0 "" probe "$three" --output json turn
says "the same as --json" '{"type":"turn","n":3,"values":\[3\]}'
expect "a minus at the start" 0 "" probe "$three" -- -turn
says "behind --" '    3     -3'
"$acpdbg" probe - turn <"$three" >"$dir/out" 2>"$dir/err"
is "standard input" "$?" 0
expect "no expression" 64 "usage: acpdbg probe" probe "$three"
expect "a wrong name" 64 "unknown name 'usge', nearest: usage" probe "$three" turn 'usge > 1'
is "with the place" "$(tail -n 2 "$dir/err")" "  usge > 1
  ^^^^"
expect "before the file is looked at" 64 "^  *^" probe "$dir/none" '1 +'
expect "no such file" 66 "none" probe "$dir/none" 1
expect "no requests in it" 0 "prefix, anchors and rebuilds are not known: no request" probe "$three" prefix.ratio
says "then nothing is known" '    3             ?'
expect "output that is planned" 64 "probe --output html is not built yet" probe "$three" 1 --output html
expect "another policy" 0 "" probe "$tiers" --profile K41 --limit 100000 usage
expect "a pattern that blows up" 0 "given up after 200000 steps, in 3 of 3 matches" probe "$three" \
	'"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" ~ /^(a+)+$/'
says "is not known" '    3 .*?$'

# ---- check ----
expect "holds" 0 "" check "$three" --assert 'usage < 0.95'
says "and says so" '^  fine    usage < 0.95$'
expect "fails" 1 "" check "$three" --assert 'usage < 0.5 or rows > 1' --assert 'turn > 0'
says "names the turn and the values" 'first at turn 2, in 1 of 3 turns: usage = 0.5, rows = 1$'
says "and what holds" '^  fine    turn > 0$'
expect "what is not known does not hold" 1 "" check "$three" --assert 'tokens.prompt >= 0'
says "at any turn" 'first at turn 1, in 3 of 3 turns: tokens.prompt = ?$'
expect "unless that is asked" 0 "" check "$three" --assert 'not known(tokens.prompt) or tokens.prompt >= 0'
expect "json of a check" 1 "" check "$three" --json --assert 'usage < 0.5' --assert true
is "as one object" "$(cat "$dir/out")" "{\"type\":\"check\",\"files\":[{\"file\":\"$three\",\"turns\":3,\"asserts\":[{\"assert\":\"usage < 0.5\",\"ok\":false,\"turn\":2,\"failed\":2,\"names\":\"usage = 0.5\"},{\"assert\":\"true\",\"ok\":true}],\"exit\":1}],\"ok\":false}"
expect "several files" 1 "" check "$three" "$plain" --assert 'turn < 4'
says "are counted" '^2 files: 1 fine, 1 failed, 0 not read$'
expect "one that is not there" 66 "none" check "$plain" "$dir/none" --assert true
says "is counted" '^2 files: 1 fine, 0 failed, 1 not read$'
expect "weighs more than what was found" 66 "none" check "$three" "$dir/none" --assert false
expect "no condition" 64 "a condition is true or false, this is a number" check "$three" --assert usage
expect "a wrong one" 64 "comparisons do not chain" check "$three" --assert '0 < usage < 1'
expect "storms are planned" 64 "storm() is not built yet" check "$three" --assert 'storm("reinject").count = 0'
expect "nothing asserted" 64 "check without --assert EXPR is not built yet" check "$three"
expect "golden is planned" 64 "golden is not built yet" check "$three" --assert true --golden x
expect "bisect is planned" 64 "bisect is not built yet" check "$three" --assert true --bisect
expect "jobs are planned" 64 "jobs is not built yet" check "$three" --assert true --jobs 2
expect "junit is planned" 64 "check --output junit is not built yet" check "$three" --assert true --output junit
expect "no such form" 64 "expected table or json" check "$three" --assert true --output xml
expect "two inputs" 64 "only one of the files" check - - --assert true
set -- ; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do set -- "$@" --assert "turn < 100"; done
expect "17 of them" 64 "no more than 16" check "$three" "$@"
shift 2
expect "16 of them" 0 "" check "$three" "$@"

# ---- help ----
expect "help conditions" 0 "" help conditions
says "has the names" '^  tokens.raw  '
is "no line is too long" "$(awk 'length($0) > 100' "$dir/out")" ""
expect "help probe" 0 "" help probe
expect "help check" 0 "" help check
says "has --assert" '\-\-assert EXPR'

exit "$failed"
