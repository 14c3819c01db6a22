#!/bin/sh
# The window changes its size at awkward moments.
. tests/terminal/lib

size() { mux resize-window -x "$1" -y "$2"; }

# while the file is read and run: the program starts and the window changes at once
start 80x24
say "sh -c 'echo \$\$ >$work/pid; exec $ACPDBG sample-sessions/tiers.acps.jsonl'; echo status=\$?"
for to in 1x1 400x120 3x90 200x2 20x5 81x25; do
	size "${to%x*}" "${to#*x}"
done
size 80 24
shows 'sizes while it loads' 'F1 Rows'
shows 'sizes while it loads: the first turn' 'turn 1/'
keys q
wait_for 'status=0'
restored 'sizes while it loads'

# while something is typed
start 80x24
open
keys : n e x t
shows 'a prompt' ':next'
size 40 10
shows 'a prompt at 40x10' ':next'
size 1 1
size 80 24
shows 'a prompt after 1x1' ':next'
keys - t u r n Enter
shows 'and it is entered' '120 notes'

# with the help over everything
keys '?'
wait_for 'Help of'
size 30 8
shows 'the help at 30x8' 'Help of'
size 400 120
shows 'the help at 400x120' 'Help of'
keys q
hides 'q closes the help only' 'Help of'
check 'it runs on' "program >/dev/null"
shows '400x120: the panes' '│'
check '400x120: the last row is used' "[ \"\$(screen | sed -n 120p | wc -c)\" -gt 1 ]"

# keys at 1x1
size 1 1
keys . . / a Enter '?' q j k F2 Enter F1
size 80 24
shows 'keys at 1x1: back again' 'F1 Rows'
keys Q
wait_for 'status=0'
restored 'keys at 1x1'

# stopped, changed, continued
start 80x24
open
keys C-z
wait_for 'Stopped'
size 120 40
say fg
shows 'another size while it was stopped' 'F1 Rows'
check 'another size while it was stopped: all rows are used' "screen | sed -n 40p | grep -q ."
size 80 24
shows 'and back' 'm00001'
keys q
restored 'another size while it was stopped'
finish
