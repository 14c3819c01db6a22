#!/bin/sh
# Overlays, pastes, files that go away.
. tests/terminal/lib

# q closes what is on top, and only then the program
start 80x24
open
for over in '?' Enter; do
	keys "$over"
	keys q
	shows "q after $over leaves the screen there" 'turn 1/5'
done
keys : x Escape
keys q
wait_for 'status=0'
restored 'q after overlays'

# what is typed after q is the shell's
start 80x24
open
keys q
say 'echo after=$((40+2))'
shows 'keys after q reach the shell' 'after=42'

# 100 KB at once: as keys, and into a prompt
start 80x24
open
i=0
while [ $i -lt 2000 ]; do
	echo 'jjjjjkkkkk....,,,,>>>><<<<jjjjjkkkkk....,,,,>>>>'
	i=$((i + 1))
done | tr -d '\n' >"$work/keys"
check '100 KB are 96,000 keys' "[ \"\$(wc -c <$work/keys)\" -eq 96000 ]"
mux load-buffer "$work/keys"
mux paste-buffer
keys 3 g
shows '100 KB of keys are taken' 'turn 3/5'
keys :
mux paste-buffer
mux send-keys C-u
keys 4 Enter
shows '100 KB into a prompt' 'turn 4/5'
# a bracketed paste, and bytes that are no characters
mux send-keys -l -- "$(printf '\033[200~')"
mux send-keys -l -- "$(printf '\033[201~')"
mux send-keys -H ff fe c3 28 80 00
keys 2 g
shows 'bytes that are no characters' 'turn 2/5'
keys Q
wait_for 'status=0'
restored 'after 100 KB'

# the file goes away under the program
start 80x24
cp "$session" "$work/going.jsonl"
say "$ACPDBG $work/going.jsonl; echo status=\$?"
wait_for 'm00001'
rm "$work/going.jsonl"
keys 3 g Enter q '$' j Enter q
shows 'a file that went away: it goes on' 'turn 5/5'
keys Q
wait_for 'status=0'
restored 'a file that went away'

# or is cut
start 80x24
cp "$session" "$work/cut.jsonl"
say "$ACPDBG $work/cut.jsonl; echo status=\$?"
wait_for 'm00001'
: >"$work/cut.jsonl"
keys 3 g Enter q '$' j Enter q
shows 'a file that was cut: it goes on' 'turn 5/5'
keys Q
wait_for 'status=0'
restored 'a file that was cut'

# the program is stopped from outside and continued
start 80x24
open
kill -STOP "$(program)"
wait_for 'Stopped'
say fg
shows 'SIGSTOP and fg' 'm00001'
keys 3 g
shows 'SIGSTOP and fg: keys' 'Now make it short.'
keys q
restored 'SIGSTOP and fg'
finish
