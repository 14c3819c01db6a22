#!/bin/sh
# The mouse as a terminal reports it: a click focuses and selects, the wheel scrolls, the strip is a scale.
. tests/terminal/lib

# press BUTTON ROW COLUMN: a report in SGR form, rows and columns from 1
press() { mux send-keys -l -- "$(printf '\033[<%d;%d;%dM\033[<%d;%d;%dm' "$1" "$3" "$2" "$1" "$3" "$2")"; }

start 200x60
open
check 'the mouse is asked for' "[ \"\$(mux display-message -p '#{mouse_sgr_flag}')\" = 1 ]"
keys 3 g
wait_for 'Now make it short.'
row=$(screen | grep -n '120 notes' | head -n 1 | cut -d: -f1)
press 0 "$row" 30
keys Enter
shows 'a click selects the row, Enter opens it' 'F1 Rows → opened line'
keys q
# the title of the pane beside it, right of the divider
keys F2
wait_for '›F2'
press 0 "$row" 5
shows 'a click into Rows focuses it' '›F1 Rows'

# the last row but one is the strip: right of five turns it is the last of them; its label is none
press 0 59 199
shows 'a click at the right end of the strip goes to the last turn' 'turn 5/5'
press 0 59 1
keys ,
shows 'a click on its label goes nowhere' 'turn 4/5'

press 65 10 10
press 65 10 10
press 64 10 10
check 'the wheel does no harm' "screen | grep -q 'F1 Rows'"
# outside of everything, a report that is no report, one that never ends
press 0 5000 5000
mux send-keys -l -- "$(printf '\033[<0;0;0M\033[<;;M\033[<99999999999999999999;1;1M')"
check 'bad reports do no harm' "screen | grep -q 'F1 Rows'"
keys q
wait_for 'status=0'
restored 'after the mouse'
finish
