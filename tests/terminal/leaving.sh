#!/bin/sh
# However the program ends or stops, the terminal is as it was.
. tests/terminal/lib

start 80x24
open
keys C-z
wait_for 'Stopped'
restored 'suspended'
say fg
wait_for 'Please count'
keys .
shows 'after fg it goes on' '120 notes'
keys C-l
shows 'repainted' '120 notes'
keys Q
restored 'Q after fg'

start 80x24
open
keys C-c
wait_for 'status=130'
restored '^C'

# the terminal goes away
start 80x24
open
pid=$(program)
stop_server
check 'without a terminal it ends' "! kill -0 $pid 2>/dev/null"

for signal in TERM HUP SEGV ABRT BUS FPE USR1 ALRM XCPU; do
	number=$(bash -c "kill -l $signal")
	# a sanitizer would report and exit 1 instead
	start 80x24 ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0
	open
	keys .
	wait_for '120 notes'
	kill -$signal "$(program)"
	wait_for 'status='
	restored "kill -$signal"
	# an abort is how memory that is not there ends the program: README's code for it, and a word why
	code=$((128 + number))
	if [ "$signal" = ABRT ]; then code=70; fi
	check "kill -$signal: its exit code" "screen | grep -qx 'status=$code'"
done
finish
