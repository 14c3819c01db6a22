#!/bin/sh
# Measures generated sessions with the bench of a build, and prints one table.  usage: tests/bench/run.sh BUILD-DIRECTORY
set -eu
build=$(cd "${1:?usage: run.sh BUILD-DIRECTORY}" && pwd)
cd "$(dirname "$0")/../.."
files=$(mktemp -d "$build/bench-files.XXXXXX")
trap 'rm -rf "$files"' EXIT
"$build/bench" "$files"
