#!/bin/sh
# Writes what an rfsup does with one target to GOLDEN/TARGET.txt, as lines "TARGET WHAT: KEY = VALUE". Run by compare.sh.
#
#   tests/yardstick/measure.sh RFSUP TARGETS GOLDEN RUN TARGET [ARGUMENT...]
#
# All rfsups work in the same folder, RUN/TARGET, with the same environment and arguments. Addresses in the target depend
# on these, and hashes and choices depend on addresses.
set -eu
here=$(dirname "$0")
rfsup=$1
program=$2/$5
golden=$3/$5.txt
folder=$4/$5
target=$5
shift 5

# Runs rfsup once. Prints its report, its records, and the names and checksums of its other files.
rfs() { # WHAT OPTION... -- PROGRAM ARGUMENT...
	what="$target $1"
	shift
	rm -rf out
	status=0
	env -i PATH=/usr/bin:/bin LC_ALL=C "$rfsup" --quiet --format json --timeout 20 -o out "$@" </dev/null >json 2>err ||
		status=$?
	case $status in
	0 | 1 | 3 | 4) ;;
	*)
		echo "yardstick: $what: $rfsup ended with status $status: $(cat err)" >&2
		exit 255 # makes xargs stop
		;;
	esac
	echo "$what: exit status = $status"
	find out -path 'out/records/*.json' | sort | xargs jq -r --arg what "$what" -f "$here/lines.jq" json
	# files plain-* are left out, because a baseline run keeps its output only if it happens to fail
	find out -type f ! -name 'plain-*' | sort | while read -r file; do
		case $file in
		*.json | */report.txt | */command.txt | out/index.html) echo "$what: $file" ;;
		*) echo "$what: $file = $(cksum <"$file")" ;;
		esac
	done
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
{
	rfs sample --policy random,rapos,pct,pos,surw --runs 3 --keep-records -- "$program" "$@"
	# what sample does not cover: options of policies, points memory, other detectors, breakpoints instead of stubs
	rfs memory --policy pct:depth=4,steps=100,surw:patience=200 --points memory --runs 2 --keep-records -- "$program" "$@"
	rfs traps --policy drfinder --detector fasttrack --accesses traps --runs 2 --keep-records -- "$program" "$@"
	# the fork server, which needs more runs of one policy; no --jobs, because that would make the number of restarts random
	rfs served --policy pos --runs 8 --keep-records -- "$program" "$@"
	rfs campaign --runs 10 --explore 16 -- "$program" "$@"
	# a run has a record (with a hash) only if it created the race, but its operations and stops are always compared
	if grep -v '^program: ' out/pairs.txt | head -n 1 | grep . >pair.txt; then
		for seed in 1 2 3; do
			rfs "racefuzzer seed $seed" --pairs pair.txt --runs 1 --seed $seed -- "$program" "$@"
		done
	fi
} >golden.txt
mv golden.txt "$golden"
