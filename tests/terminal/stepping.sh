#!/bin/sh
# The program on terminals of several sizes: starts, steps both ways, focuses, follows a resize, quits.
. tests/terminal/lib

for size in 80x24 200x60; do
	start $size
	open
	hides "$size: starts at the first turn" '120 notes'
	keys .
	shows "$size: . goes to the next turn" '120 notes'
	keys ,
	hides "$size: , goes back" '120 notes'
	keys 3 g
	shows "$size: 3g goes to turn 3" 'Now make it short.'
	keys .
	shows "$size: compressed at turn 4" 'T1 2 rows'
	hides "$size: the covered rows are gone" '120 notes'
	keys '<' '<' '<' '<' '<' '<'
	shows "$size: six steps back prune removes them" 'm00002..m00003'
	keys Tab
	shows "$size: Tab focuses the next pane" '›F2 Ranges'
	keys '?'
	shows "$size: ? is the help of it" 'Help of Ranges'
	keys q
	hides "$size: q closes it" 'Help of'
	keys : 5 Enter
	shows "$size: :5 goes to turn 5" 'Shorter now.'
	keys q
	wait_for 'status=0'
	restored "$size q"
done

start 20x5
open
shows '20x5: the turn' '1/5'
shows '20x5: the last row' 'Plea'
keys z
shows '20x5: a message' 'no such key: z'
keys q
restored 20x5

start 80x24
open
keys '$'
wait_for 'Shorter now.'
mux resize-window -x 200 -y 60
shows 'resized to 200x60: panes stand beside each other' '│'
check 'resized to 200x60: the whole height is used' '[ "$(screen | tail -n 1 | grep -c turn)" = 1 ]'
mux resize-window -x 20 -y 5
check 'resized to 20x5' '[ "$(screen | wc -l)" -le 5 ] && screen | grep -q Rows'
mux resize-window -x 1 -y 1
try "[ \"\$(mux display-message -p '#{pane_width}x#{pane_height}')\" = 1x1 ]"
check 'resized to 1x1: it goes on' '[ -n "$(program)" ]'
mux resize-window -x 80 -y 24
shows 'resized back to 80x24' 'Shorter now.'
keys q
restored 'after resizes'
finish
