#!/bin/sh
# list_hints.sh FILE...: lists each library with its hints, by the command in the first comment of the file. Those that are not
# installed are left out. Fails if hints do not fit, or if no library is installed.
set -eu
n=0
for file; do
	line=$(awk '{ sub(/^# */, ""); printf "%s ", $0 } /--hints/ { exit }' "$file" | sed 's/^[^:]*: rfsup --generate //')
	library=/usr/lib/x86_64-linux-gnu/${line%% *}
	test -e "$library" || continue
	cd "$(dirname "$file")"
	eval "\"$RFSUP\" --generate $library ${line#* } --list" | grep 'as the hints say' >/dev/null || {
		echo "$file: no hint fits" >&2
		exit 1
	}
	n=$((n + 1))
done
test $n -gt 0
