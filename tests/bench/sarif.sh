#!/bin/bash
# sarif.sh - validates the SARIF of campaigns with the published schema, and says how many findings and errors there are.
#
#   tests/bench/sarif.sh [NAME...]     default: targets with findings of all kinds
#
# Debian has no copy of the schema, so it is taken from a package of npm, which needs the network. make check compares
# only the names of keys.
here=$(realpath "$(dirname "$0")")
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
targets=$(realpath "${TARGETS:-$here/../../build/targets/O2g}")
names=${*:-figure1 figure1_fixed abba philosophers order_violation use_after_free check_then_act cxx_shared_ptr atomicity_bank
	debug_counter freed_on_purpose}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
npm pack --silent @microsoft/jest-sarif >/dev/null && tar xzf ./*.tgz || exit 1
schema=$(ls "$dir"/package/lib/schemas/sarif-2.1.0*.json) || exit 1
check() # NAME OPTION-OR-PROGRAM...
{
	local name=$1
	shift
	timeout 300 "$rfsup" --quiet --runs 5 --explore 20 -o "out.$name" --sarif "$name.sarif" "$@" >/dev/null 2>&1
	printf '%-24s ' "$name"
	python3 "$here/../e2e/programs/read_reports.py" schema "$schema" "$name.sarif"
}
for name in $names; do check "$name" "$targets/$name"; done
strip -o stripped "$targets/figure1"
check stripped ./stripped
echo 'race:*' >all.supp
check suppressed --suppressions all.supp "$targets/figure1"
check misuse --misuse=error "$targets/misuse" unlock-free
