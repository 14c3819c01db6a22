#!/bin/bash
# The manual page and the completion script.  usage: ACPDBG=PROGRAM tests/cli/manual.sh
set -u
cd "$(dirname "$0")/../.." || exit 2
acpdbg=${ACPDBG:-build/acpdbg}
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

is() { # NAME GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1: '$2', want '$3'"
		failed=1
	fi
}

# ---- the manual ----
"$acpdbg" man >"$dir/acpdbg.1" || failed=1
# every command, option and key that the help has stands in it
for word in $("$acpdbg" help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	grep -q "^\.B ${word//-/\\\\-}" "$dir/acpdbg.1" || is "command $word" missing there
done
for option in $("$acpdbg" help replay | sed -n '/not built/q; s/^  *\(-[a-z], \)*--\([a-z-]*\).*/\2/p'); do
	grep -q "\\\\-\\\\-${option//-/\\\\-}" "$dir/acpdbg.1" || is "option $option" missing there
done
is 'sections' "$(sed -n 's/^\.SH //p' "$dir/acpdbg.1" | tr '\n' ' ')" \
	'NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS KEYS POLICY CONDITIONS CONFIGURATION EXIT STATUS ENVIRONMENT FILES '
is 'groups of keys stand once' "$(sed -n 's/^\.SS //p' "$dir/acpdbg.1" | sort | uniq -d)" ''
is 'no request by accident' "$(grep -c '^\.[^A-Z\\]' "$dir/acpdbg.1")" "$(grep -c '^\.\(nf\|fi\)$' "$dir/acpdbg.1")"
if command -v mandoc >/dev/null 2>&1; then
	is 'mandoc complains of nothing but long lines' \
		"$(mandoc -Tlint "$dir/acpdbg.1" | grep -v 'longer than 80 bytes\|missing date' | head -n 3)" ''
fi

# ---- completion ----
"$acpdbg" completion bash >"$dir/completion" || failed=1
compopt() { :; }
# shellcheck disable=SC1091
. "$dir/completion"
complete_words() { # WORD...: what the last one can become
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_acpdbg 2>"$dir/err"
	[ -s "$dir/err" ] && cat "$dir/err"
	echo "${COMPREPLY[*]}"
}
is 'commands' "$(complete_words acpdbg rep)" 'replay'
is 'options of a command' "$(complete_words acpdbg replay --pa)" '--pane'
is 'none of another' "$(complete_words acpdbg convert --pa)" ''
is 'panes' "$(complete_words acpdbg replay f --pane nu)" 'nudge'
is 'profiles' "$(complete_words acpdbg replay f --profile P1)" 'P155 P173'
# each of the formats is one that the program takes
for format in $(complete_words acpdbg info f --from ''); do
	"$acpdbg" info --from "$format" README.md 2>&1 | grep 'no format' && is "format $format" unknown known
done
is 'formats' "$(complete_words acpdbg replay f --from a)" 'acps'
is 'switches' "$(complete_words acpdbg replay f --policy hid)" 'hide='
is 'their values' "$(complete_words acpdbg replay f --policy hide = sl)" 'slim'
is 'after a comma' "$(complete_words acpdbg replay f --policy hide = full,cou)" 'full,count='
is 'files' "$(complete_words acpdbg replay READ)" 'README.md'
"$acpdbg" completion fish >"$dir/out" 2>"$dir/err"
is 'another shell' $? 64
exit $failed
