#!/bin/sh
# acpdbg diff: exit codes, refusals, the three forms.  usage: ACPDBG=PROGRAM tests/cli/diff.sh
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
	sed 's/^/  out: /' "$dir/out" | cut -c1-200 | head -n 5
	sed 's/^/  err: /' "$dir/err" | head -n 5
}

# expect NAME CODE STDERR-PATTERN ARGUMENTS...: runs acpdbg diff; an empty pattern = nothing on standard error
expect() {
	name=$1 code=$2 pattern=$3
	shift 3
	"$acpdbg" diff "$@" >"$dir/out" 2>"$dir/err" </dev/null
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
# says / lacks NAME PATTERN: of the last standard output
says() { if grep -q -e "$2" "$dir/out"; then ok "$1"; else bad "$1 (output does not say '$2')"; fi; }
lacks() { if grep -q -e "$2" "$dir/out"; then bad "$1 (output says '$2')"; else ok "$1"; fi; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1 ('$2', want '$3')"; fi; }
# narrow NAME: no line of the last output is wider than 80 columns
narrow() {
	width=$(LC_ALL=C awk '{ if (length($0) > m) m = length($0) } END { print m + 0 }' "$dir/out")
	if [ "$width" -le 80 ]; then ok "$1"; else bad "$1 ($width columns)"; fi
}

# ---- usage ----
expect "one file without a policy" 64 "needs --left POLICY or --right POLICY" "$plain"
expect "no file" 64 "usage: acpdbg diff"
expect "three files" 64 "usage: acpdbg diff" "$plain" "$plain" "$plain"
expect "standard input twice" 64 "only one of the files" - -
expect "no such form" 64 "table, markdown or json" "$plain" --left hide=full --output html
expect "an unknown switch" 64 "unknown policy switch" "$plain" --left hid=full
expect "before the file is looked at" 64 "no value 'no'" "$dir/none" --right hide=no
expect "a policy that is none" 64 "expected switch=value" "$plain" --left K41
expect "a condition" 64 "where is not built yet" "$plain" --left hide=full --where turn
expect "no such file" 66 "none.jsonl" "$plain" "$dir/none.jsonl"
: >"$dir/empty"
expect "a file that is none" 65 "empty" "$dir/empty" --left hide=full

# ---- the same ----
expect "the same policy twice" 0 "" "$plain" --left profile=K60 --right profile=K60
says "it says so" "^No difference"
lacks "and names no difference" "first difference"
expect "K41 is K60 with hide=full" 0 "" "$tiers" --left profile=K41 --right profile=K60,hide=full
expect "one side only: the other is the default" 0 "" "$plain" --left profile=K60
expect "a file against itself" 0 "" "$plain" "$plain"
"$acpdbg" convert sample-sessions/pi-tree.jsonl -o "$dir/converted.jsonl"
expect "a file against what convert made of it" 0 "" sample-sessions/pi-tree.jsonl "$dir/converted.jsonl"
expect "--policy is for both sides" 0 "" "$plain" --policy hide=full --left profile=K60,hide=full
"$acpdbg" diff "$plain" - <"$plain" >"$dir/out" 2>"$dir/err"
is "- is standard input" $? 0

# ---- different ----
# Under K41 a compress call that is covered by its block stays whole, under K60 its summary is cut to 200 units.
expect "K41 against K60" 1 "" "$plain" --left profile=K41 --right profile=K60
says "the first difference" "first at turn 10: row text"
says "both sides" "^left *K41"
narrow "80 columns"
first=$(sed -n 's/.*first at turn \([0-9]*\):.*/\1/p' "$dir/out")
# independently: the first turn whose trace differs in anything but its chain
for profile in K41 K60; do
	"$acpdbg" replay "$plain" --profile $profile --json | grep '"type":"turn"' | sed 's/,"hash":"[0-9a-f]*"//' >"$dir/$profile"
done
is "it is that of the traces" "$first" "$(cmp "$dir/K41" "$dir/K60" | sed 's/.*line //')"
expect "a window" 1 "" "$plain" --left limit=9000 --right limit=90000 --ascii
narrow "80 columns, ASCII"
if LC_ALL=C grep -q '[^ -~]' "$dir/out"; then bad "--ascii is ASCII"; else ok "--ascii is ASCII"; fi
expect "two sessions" 1 "" "$plain" "$tiers"
narrow "80 columns, two files"
sed '/"id":"r005"/d' "$plain" >"$dir/without.jsonl"
expect "a session and one without a row" 1 "" "$plain" "$dir/without.jsonl"
says "the row is there on one side" "^  *m00005 (r005)"

# ---- the comment ----
expect "markdown" 1 "" "$plain" --left profile=K41 --right profile=K60 --output markdown
says "whose sides stand in code" '^### acpdbg diff: `K41` against `K60` on session `plain`$'
says "the verdict" '^\*\*5 of 14 turns differ, first at turn 10: row text\.\*\*'
says "a table" '^| nudges | 1 | 1 | 0 |$'
says "the first difference" '^\*\*First difference, at turn 10\*\*$'
is "one collapsed part" "$(grep -c '^</*details>$' "$dir/out")" 2
says "the command" 'acpdbg diff plain.acps.jsonl --left profile=K41 --right profile=K60'
lacks "without directories" "sample-sessions"
expect "markdown of what is the same" 0 "" "$plain" --left profile=K60 --right profile=K60 --output markdown
says "its verdict" '^\*\*No difference'
lacks "nothing collapsed" "<details>"

# ---- the adapter ----
for sample in sample-sessions/pi-*.jsonl; do
	expect "P97 against itself, $sample" 0 "" "$sample" --left profile=P97 --right profile=P97
done
# refused by the kernel alone: the recording decides under P342
begin() {
	printf '{"type":"session","version":1,"id":"s","host":"other","config":{"preserveRecentMessages":0,'
	printf '"preserveRecentTokens":0,"compress":{"minCompressRange":0,"minSummaryLength":1}}}\n'
	for i in 1 2 3; do
		printf '{"type":"message","id":"r%s","role":"user","contentType":"text","text":"%0999d"}\n{"type":"turn"}\n' $i 0
	done
	printf '{"type":"compress","callId":"c","args":{"content":[{"startId":"m00001","endId":"m00002","summary":"so"}]},'
	printf '"outcome":{"applied":false}}\n{"type":"turn"}\n'
}
begin >"$dir/refused.jsonl"
expect "against the recorded outcome" 1 "" "$dir/refused.jsonl" --left follow=recorded --right follow=engine
says "a call first" "first at compress call 1 after turn 3"
says "counterfactual from its turn on" "session s, 4 turns, counterfactual from turn 4"
says "and so its figures" "^compress calls applied  *0  *1\*  *+1$"
expect "in the comment" 1 "" "$dir/refused.jsonl" --left follow=recorded --right follow=engine --output markdown
says "it says so" "The right is counterfactual from turn 4 on"
says "and marks them" '^| compress calls applied | 0 | 1 \*cf\* | +1 |$'

echo '{"models":{"*":{"input":3,"cacheRead":0.3,"cacheWrite":3.75,"output":15}}}' >"$dir/prices.json"
expect "with prices" 1 "" sample-sessions/pi-tree.jsonl --branch 5a000010 --left summaries=emit --right summaries=skip \
	--prices "$dir/prices.json"
says "what rebuilds cost" "^cost of rebuilds (price)  *[0-9.]*  *[0-9.]* "
narrow "80 columns with prices"

# ---- JSON ----
expect "json" 1 "" "$dir/refused.jsonl" --left follow=recorded --right follow=engine --output json
is "one line" "$(wc -l <"$dir/out" | tr -d ' ')" 1
says "what it is" '^{"type":"diff","version":1,"same":false,"left":{"session":"s",'
says "the counterfactual side" '"counterfactualFrom":4}'
says "the call" '"kind":"compress calls","count":1,.*"call":1,"afterTurn":\[3,3\]'
says "an effect" '{"name":"applied","left":0,"right":1,"change":1,"scale":null}'
if command -v node >/dev/null; then
	if node -e 'JSON.parse(require("fs").readFileSync(0, "utf8"))' <"$dir/out"; then ok "it is JSON"; else bad "it is JSON"; fi
else
	echo "skipped: node is not installed, the JSON is not parsed"
fi
expect "json of what is the same" 0 "" "$plain" --left profile=K60 --output json
says "says so" '"same":true'

# dsh-rulings 22: the requirement's 43 and 20; 11 calls ask for row 8; the copy has 2350 characters: 588 + 8 each, 20 times
storm=sample-sessions/dsh-storm.jsonl
expect "the barrier of the DSH host" 1 "" "$storm" --left profile=B0 --right profile=F1 --output markdown
says "whatif=on was turned on" "^.whatif=on. was turned on for the right side"
says "the loop on the left" "^- Left: 43 compactions, 20 of them (46.5 %)"
says "none on the right" "^- Right (\*cf\*): 28 compactions, 0 of them"
says "what the left wastes" "; 11,920 tokens (price) pasted again for nothing within 7 events"
says "what is refused" "^\*\*The guard refuses 11 ranges in 11 compress calls"
says "rows and slices" "^| 1 | .7..22. | 8 | .*AGENTS.* | .7..7. and .10..22. | folded; pasted again as row 53191, 6 events on |"
says "what is never pasted, and its price" "^\*\*20 re-injections never happen: 11,920 tokens (price) saved"
# of its 29 calls 20 fold a copy. 14 land on the right, 9 of them (5 of parts, 4 distillations) never had one: 5. Refused 11, so 4
says "what became of the folds that they answered" "Of them 11 answer a fold refused here, 4 answer one whose rows are not there, 5 answer one that lands without a copy"
says "counterfactual" "^The right is counterfactual from turn 5 on"
expect "nothing to refuse" 0 "" sample-sessions/dsh-tail.jsonl --left profile=B0 --right profile=F1 --output markdown
says "is said without zeroes" "^\*\*The guard refuses nothing\.\*\*$"
says "neither is a row left out" "^No re-injection is left out\.$"
expect "the table says it shortly" 1 "" "$storm" --left profile=B0 --right profile=F1
says "that it was turned on" "^whatif=on was turned on for the right side"
says "and what it comes to" "^the guard refuses 11 ranges in 11 calls; 20 re-injections never happen"
narrow "in 80 columns"
expect "follow=recorded: a comment" 0 "" "$storm" --left profile=B0 --right profile=F1,follow=recorded --output markdown
says "what it would refuse: every fold of a current copy" "^\*\*The guard would refuse 20 ranges in 20 compress calls"
lacks "and nothing is saved" "never happen"
expect "the barrier as json" 1 "" "$storm" --left profile=B0 --right profile=F1 --output json
says "refused, never pasted" '"barrier":{"whatif":true,"refused":\[{"call":1,"range":\[7,22\],"hits":\[8\],"slices":\[\[7,7\],\[10,22\]\]},.*"neverPasted":\[53191,.*"saved":11920}'
expect "other policies have no barrier to speak of" 1 "" "$storm" --left profile=B0 --right profile=K60 --output json
lacks "no member for it" '"barrier":{'

[ "$failed" -eq 0 ]
