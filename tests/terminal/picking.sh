#!/bin/sh
# The list of recent sessions: what there is in a home is listed, Enter opens it, q leaves.
. tests/terminal/lib

home=$work/home
mkdir -p "$home/.pi/agent/sessions/--w--" "$home/.codex/sessions"
cp tests/screens/branches.jsonl "$home/.pi/agent/sessions/--w--/2026-01-01T00-00-00-000Z_branches.jsonl"
only_home="HOME=$home PI_CODING_AGENT_DIR= CODEX_HOME= CLAUDE_CONFIG_DIR= XDG_CONFIG_HOME= XDG_DATA_HOME= DSH_HOME="

start 80x24 $only_home
say "$ACPDBG; echo status=\$?"
shows 'the list' 'Sessions'
shows 'what the session began with' 'Which colour?'
shows 'the host' 'Pi'
keys q
wait_for 'status=0'
restored 'q in the list'

start 80x24 $only_home
say "$ACPDBG; echo status=\$?"
wait_for 'Which colour?'
keys Enter
shows 'Enter opens it' 'turn 1/2'
shows 'its first row' 'm00001'
keys B
shows 'B lists its branches' '* 2026-01-01 00:06 UTC'
keys k Enter
wait_for 'turn 1/2'
keys '$'
shows 'the other branch' 'Why not green?'
keys q
wait_for 'status=0'
restored 'q in the session'

# nothing in the home
start 80x24 $(echo "$only_home" | sed "s|$home|$work/nothing|")
say "$ACPDBG; echo status=\$?"
shows 'without sessions it says so' 'No session found'
shows 'and where it looked' '~/.codex/sessions: does not exist'
keys Enter q
wait_for 'status=0'
restored 'q without sessions'
finish
