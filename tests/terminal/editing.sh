#!/bin/sh
# The user's editor out of w, and back.
. tests/terminal/lib

mkdir "$work/temporary"
cat >"$work/editor" <<EOF
#!/bin/sh
# an editor that wants the terminal as a shell has it
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] || exit 4
stty -a >$work/inside
printf 'editing: '
read -r word
case \$word in
fail) exit 3 ;;
edit) sed -i 's/"summary":"/"summary":"Edited. /' "\$1" ;;
esac
EOF
chmod +x "$work/editor"

start 80x24 TMPDIR="$work/temporary" EDITOR="$work/editor" VISUAL=
open
keys 3 g w
shows 'w offers the call of this turn' 'edit compress call 1'
keys j Enter
shows 'the editor has the terminal' 'editing:'
check 'which is as the shell has it' "cmp -s $work/before $work/inside"
keys C-c
shows '^C in the editor is no end' 'the editor failed'
keys w j Enter
shows 'the editor once more' 'editing:'
say fail
shows 'an editor that fails' 'the editor failed'
keys w j Enter
wait_for 'editing:'
say nothing
shows 'a file that is left alone' 'unchanged: no branch'
keys w j Enter
wait_for 'editing:'
say edit
shows 'an edited call is a branch' 'branch 1, edit call 1'
check 'no file is left' "rmdir $work/temporary"
keys D
shows 'it is compared' 'turns differ'
mux resize-window -x 120 -y 30
shows 'beside each other' '│R '
mux resize-window -x 20 -y 5
shows 'one side alone' 'L '
mux resize-window -x 80 -y 24
shows 'one below the other' 'R: edit call 1'
keys Q
wait_for 'status=0'
restored 'after an editor'
finish
