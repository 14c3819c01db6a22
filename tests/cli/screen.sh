#!/bin/sh
# acpdbg screen: text, ANSI and SVG of the same screen.  usage: ACPDBG=PROGRAM tests/cli/screen.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

same() { # NAME FILE FILE
	if cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		diff "$2" "$3" | head -n 6
		failed=1
	fi
}
fails() { # NAME CODE ARGUMENTS...
	name=$1 code=$2
	shift 2
	"$acpdbg" screen "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	if [ $got -eq "$code" ] && [ -s "$dir/err" ] && ! [ -s "$dir/out" ]; then
		echo "ok - $name"
	else
		echo "not ok - $name (exit $got, want $code)"
		failed=1
	fi
}

escape=$(printf '\033')
for session in mixed-zh.acps.jsonl dsh-tail.jsonl pi-density.jsonl; do
	for size in 80x24 120x40 31x7; do
		shot() { "$acpdbg" screen "sample-sessions/$session" --keys '$' --size $size --output "$1"; }
		shot text >"$dir/text"
		# a line ends with its last character; the others carry the blanks in colour
		shot ansi | sed "s/$escape\[[0-9;]*m//g; s/ *$//" >"$dir/ansi"
		same "$session at $size: ANSI without its sequences is the text" "$dir/text" "$dir/ansi"
		# every stretch of the picture, in its order: the text without its blanks
		shot svg | sed -n 's/^<text[^>]*>\(.*\)<\/text>$/\1/p' |
			sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | tr -d '\n ' >"$dir/svg"
		tr -d '\n ' <"$dir/text" >"$dir/bare"
		same "$session at $size: what stands in the SVG is the text" "$dir/bare" "$dir/svg"
	done
done

# the picture in the README
picture=sample-sessions/screen.svg
"$acpdbg" screen sample-sessions/dsh-worktree.jsonl --size 160x34 --keys '$' --output svg >"$dir/picture"
same "$picture is the screen of today (write it anew: acpdbg screen as above)" $picture "$dir/picture"

fails 'no such format' 64 sample-sessions/plain.acps.jsonl --output png
fails 'no such size' 64 sample-sessions/plain.acps.jsonl --size 80
fails 'a size of nothing' 64 sample-sessions/plain.acps.jsonl --size 0x0
fails 'no such file' 66 no-such-file
fails 'keys that are none' 65 sample-sessions/plain.acps.jsonl --keys "$(printf '\377')"
exit $failed
