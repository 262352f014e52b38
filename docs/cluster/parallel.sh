#!/bin/sh
# Carries out a plan of rfsup in N parts with GNU parallel, and merges them:
#
#     rfsup --plan PLAN ./program
#     parallel.sh PLAN N OUT [OPTION of parallel...]
#
# With -j4, four parts run at a time. With --sshlogin, they run on other machines, which need the directories PLAN and OUT,
# the program and rfsup at the same paths. A part that was not carried out (any status but 0 and 1) is tried three times.
# After an interruption, the same command continues. The exit status is that of rfsup --merge, which names missing parts.
set -eu
test $# -ge 3 || { echo "usage: parallel.sh PLAN N OUT [OPTION of parallel...]" >&2; exit 2; }
plan=$(realpath "$1") n=$2
mkdir -p "$3"
out=$(realpath "$3")
shift 3
rfsup=${RFSUP:-rfsup}
# status 1 is a finding, and not a failure of the part
seq "$n" | parallel --will-cite --retries 3 "$@" \
	"$rfsup --quiet --shard {}/$n --plan $plan -o $out/part{} >$out/part{}.txt 2>&1 || test \$? -eq 1" ||
	echo "some parts were not carried out; see $out/part*.txt" >&2
rm -rf "$out/merged"
exec "$rfsup" --merge -o "$out/merged" "$out"/part*/
