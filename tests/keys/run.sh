#!/bin/sh
# Random keys on every sample session, under the sanitizers of a build.  usage: tests/keys/run.sh BUILD-DIRECTORY [KEYS]
# In a directory of its own, with a state of its own: some keys save files.
set -eu
build=$(cd "${1:?usage: run.sh BUILD-DIRECTORY [KEYS]}" && pwd)
keys=${2:-100000}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config" EDITOR=true VISUAL=true
mkdir "$work/here"
cd "$work/here"
"$build/tests/keys/keys" "$keys" "$root"/sample-sessions/*.jsonl "$root"/sample-sessions/*.zstd \
	"$root"/tests/screens/hostile.acps.jsonl
