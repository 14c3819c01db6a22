#!/bin/sh
# Text that terminals are known to disagree about: every row that is cut at a width ends at that column of a real
# terminal, too. Each text stands in its row many times, so that a wrong width is wrong many times.
. tests/terminal/lib

width=70
# JSON escapes, a text a line
cat >"$work/corpus" <<'END'
plain
\u9801\u9762\u538b\u7f29
\uff21\uff22\uff1f
\uff71\uff72\uff9e
\ud55c\uae00
\u1112\u1161\u11ab
e\u0301
e\u0301\u0302\u0303\u0304\u0305\u0306
\u0301
\ud83d\ude00
\ud83d\udc69\u200d\ud83d\udcbb
\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66
\ud83d\udc4d\ud83c\udffd
\u2764\ufe0f
\u2764\ufe0e
1\ufe0f\u20e3
\ud83c\udde9\ud83c\uddea
\u05e9\u05dc\u05d5\u05dd
\u0645\u0631\u062d\u0628\u0627
\u202eabc\u202c
\u2066abc\u2069
a\u200bb\u200cc\u200dd\ufeffe
a\u00adb
\u0928\u093f
\u0e01\u0e33
\u00a0\u2003\u3000
\u001b[31mred\u001b[0m
\u001b]0;title\u0007
\r\n\b\t\u0000\u007f
\u009b2J\u0085
\ue000\uf8ff
\ud800\udc00\udbff
\udb40\udc41
\u2028\u2029
\u4dc0
\u2630\u00b1\u2026\u201c
\ufffd\uffff
END
{
	echo '{"type":"session","version":1,"id":"corpus","host":"other","model":"m","contextLimit":100000}'
	n=0
	while IFS= read -r text; do
		n=$((n + 1))
		many=
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
			many="$many$text x"
		done
		printf '%s\n' "{\"type\":\"message\",\"id\":\"r$n\",\"role\":\"user\",\"contentType\":\"text\",\"text\":\"$many\"}"
	done <"$work/corpus"
	echo '{"type":"turn","tokenCount":1000}'
} >"$work/corpus.acps.jsonl"
"$ACPDBG" replay "$work/corpus.acps.jsonl" --pane rows --turn 1 --width $width | grep 'm000' >"$work/lines"
texts=$(wc -l <"$work/corpus")
check "a row for each of the $texts texts" "[ \"\$(wc -l <$work/lines)\" -eq $texts ]"
check 'no control characters in them' "! LC_ALL=C grep -q '[[:cntrl:]]' $work/lines"
"$ACPDBG" replay "$work/corpus.acps.jsonl" --pane rows --turn 1 --width $width --ascii >"$work/ascii"
check '--ascii: nothing but ASCII' "! LC_ALL=C grep -q '[^ -~]' $work/ascii"

cat >"$work/show" <<END
while IFS= read -r line <&3; do
	n=\$((n + 1))
	printf '\033[H\033[2J\033[5;1Hline %d\033[H%s' "\$n" "\$line"
	read -r go
done 3<$work/lines
END
start 100x10
say "stty -echo; . $work/show; stty echo"
n=0
while [ $n -lt "$texts" ]; do
	n=$((n + 1))
	wait_for "line $n"
	# a column less where one of two columns did not fit any more; a substitute such as <202E> is not split
	line=$(sed -n ${n}p "$work/lines")
	least=$((width - 1)) most=$width
	if ! printf %s "$line" | sed 's/…$//' | LC_ALL=C grep -q '[^ -~]'; then
		least=$(printf %s "$line" | LC_ALL=C.UTF-8 wc -m)
		most=$least
	fi
	check "text $n ends between the columns $least and $most" \
		"at=\$(mux display-message -p '#{cursor_x}') && [ \$at -ge $least ] && [ \$at -le $most ] &&
		[ \"\$(mux display-message -p '#{cursor_y}')\" = 0 ]"
	keys Enter
done
finish
