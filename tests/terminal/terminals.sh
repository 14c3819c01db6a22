#!/bin/sh
# Terminals that can do less, and session text that would like to do more.
. tests/terminal/lib

colour='\[[0-9;]*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m'

start 80x24
open
check 'colours on a terminal that has them' "mux capture-pane -p -e | grep -Eq '$colour'"
keys q
open --color never
check '--color never: no colours' "! mux capture-pane -p -e | grep -Eq '$colour'"
keys q

start 80x24 NO_COLOR=1
open
keys .
wait_for '120 notes'
check 'NO_COLOR: no colours' "! mux capture-pane -p -e | grep -Eq '$colour'"
check 'NO_COLOR: the selection is still visible' "mux capture-pane -p -e | grep -q '\[7m\|\[0;7m\|;7m'"
keys q

# light and dark: by what the terminal says of its background, or by the option
looks() { # ARGUMENT...: the codes of the first row
	open "$@"
	mux capture-pane -p -e | head -n 1 >"$work/look"
	keys q
	wait_for 'ready>'
	try "[ \"\$(mux display-message -p '#{alternate_on}')\" = 0 ]"
	keys C-l
	cat "$work/look"
}
start 80x24 TERM=tmux-256color
dark=$(looks --theme dark)
light=$(looks --theme light)
check 'light is not dark' '[ "$dark" != "$light" ]'
check 'auto without a word of the background is dark' '[ "$(looks)" = "$dark" ]'
start 80x24 TERM=tmux-256color 'COLORFGBG=0\;15'
check 'COLORFGBG of a light background' '[ "$(looks)" = "$light" ]'
check '--theme is stronger than COLORFGBG' '[ "$(looks --theme dark)" = "$dark" ]'
say "clear; $ACPDBG --theme pink $session; echo status=\$?"
shows 'a theme that is none' 'status=64'

start 80x24 LC_ALL=C
say "$ACPDBG tests/screens/hostile.acps.jsonl"
wait_for 'Rows'
keys '$'
wait_for 'F6 Nudge'
check 'LC_ALL=C: nothing but ASCII' "! screen | LC_ALL=C grep -q '[^ -~]'"
keys q
restored 'LC_ALL=C'

# titles, clearing, other screens, bells: shown, never obeyed
start 80x24
title=$(mux display-message -p '#{pane_title}')
say "$ACPDBG tests/screens/hostile.acps.jsonl"
wait_for 'Rows'
for turn in 1 2 3 4 5 6 7; do
	keys $turn g
	wait_for "turn $turn/"
	keys k Enter
	wait_for '→ opened line'
	keys q
	try "! screen | grep -qF '→ opened line'"
done
wait_for 'F1 Rows'
check 'hostile text: the title is left alone' "[ \"\$(mux display-message -p '#{pane_title}')\" = \"$title\" ]"
check 'hostile text: still on our screen' "[ \"\$(mux display-message -p '#{alternate_on}')\" = 1 ]"
check 'hostile text: every line ends inside the screen' "[ \"\$(screen | wc -l)\" -le 24 ]"
keys q
restored 'hostile text'

start 80x24 TERM=dumb
say "$ACPDBG $session; echo status=\$?"
wait_for 'status=0'
check 'TERM=dumb: a table' "screen | grep -q 250"
restored 'TERM=dumb'

# terminals of other kinds, whatever they can do
for kind in xterm xterm-256color screen linux vt100 vt220 ansi; do
	if ! infocmp "$kind" >/dev/null 2>&1; then
		echo "skipped: TERM=$kind, there is no entry of it"
		continue
	fi
	start 80x24 TERM=$kind
	open
	keys 3 g
	shows "TERM=$kind: the third turn" 'Now make it short.'
	check "TERM=$kind: the row it stands in" "screen | tail -n 2 | head -n 1 | grep -q . && screen | head -n 1 | grep -q 'turn 3/5'"
	mux resize-window -x 60 -y 20
	shows "TERM=$kind: another size" 'turn 3/5'
	keys q
	wait_for 'status=0'
	check "TERM=$kind: the shell answers" "screen | grep -q 'ready>'"
done

# none that anybody knows; what ncurses forgets when it finds no entry is not ours to free
for kind in unknown no-such-terminal; do
	start 80x24 TERM=$kind
	say "ASAN_OPTIONS=detect_leaks=0 $ACPDBG $session; echo status=\$?"
	wait_for 'status=0'
	check "TERM=$kind: a table" "screen | grep -q 250"
done

# a session through a pipe: keys come from the terminal
start 80x24
say "cat $session | $ACPDBG -; echo status=\$?"
wait_for 'm00001'
keys 3 g
shows 'a pipe into the screen' 'Now make it short.'
keys q
wait_for 'status=0'
restored 'a pipe into the screen'

# the output is none, the keyboard is
start 80x24
say "$ACPDBG $session >$work/table; echo status=\$?"
wait_for 'status=0'
check 'output into a file: a table' "grep -q 250 $work/table"

# not a terminal at all
"$ACPDBG" "$session" >"$work/table" 2>"$work/errors" </dev/null
check 'a pipe gets a table' "grep -q 250 $work/table && [ ! -s $work/errors ]"
finish
