#!/bin/sh
# Runs every fuzz target of a build for a while.  usage: tests/fuzz/run.sh BUILD-DIRECTORY [SECONDS-EACH]
# What a target finds new stays in BUILD/corpus; an input that breaks it is written to BUILD and named.
set -eu
build=$1
seconds=${2:-60}
cd "$(dirname "$0")/../.."
mkdir -p "$build/corpus" "$build/seeds"
"$build/tests/fuzz/seeds" "$build/seeds" >/dev/null 2>&1
for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	mkdir -p "$build/corpus/$name"
	echo "$name: $seconds s"
	if ! "$build/tests/fuzz/$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/$name-" "$build/corpus/$name" "$build/seeds" sample-sessions \
		>"$build/$name.log" 2>&1; then
		tail -n 40 "$build/$name.log"
		exit 1
	fi
	grep '^stat::number_of_executed_units' "$build/$name.log"
done
