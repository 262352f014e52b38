#!/bin/sh
# atomicity.sh - default campaigns with different first seeds on programs with a broken atomic section or order: in how
# many is it harmful, and within how many executions of the campaign. On their twins, nothing may be found. In plain
# runs, and in runs under random, the programs must not fail.
#
#   tests/bench/atomicity.sh [SEEDS [NAME...]]     default: 20 seeds, all programs
#
# RFSUP is build/rfsup by default, and CFLAGS is "-O2 -g". OPTIONS are more options of the campaign that judges, such as
# "--explore 0"; the one that counts executions has the default options. JUDGED campaigns judge, by default all.
here=$(dirname "$0")
targets=$here/../../targets
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
seeds=${1:-20}
[ $# -gt 0 ] && shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

broken="atomicity_bank atomicity_close atomicity_iterator atomicity_lazy atomicity_length atomicity_log atomicity_map
	atomicity_owner atomicity_queue atomicity_refcount atomicity_upgrade atomicity_vector atomicity_weak_ptr
	order_account order_buffer order_capture order_close order_connection order_deadline order_destroy order_double_free
	order_free order_handler order_notify order_pool order_reuse order_session order_signal order_stack"
correct=
for name in $broken; do correct="$correct ${name}_fixed"; done

build()
{
	if [ -e "$targets/$1.cc" ]; then
		c++ -std=gnu++17 -pthread ${CFLAGS:--O2 -g} -o "$dir/$1" "$targets/$1.cc"
	else
		cc -std=gnu11 -D_GNU_SOURCE -pthread ${CFLAGS:--O2 -g} -o "$dir/$1" "$targets/$1.c"
	fi
}

# Prints "PREDICTED HARMFUL FINDINGS" of a campaign: violations that were predicted and that are harmful, and findings.
count()
{
	python3 - "$1/report.json" <<-'PYTHON'
	import json, sys
	report = json.load(open(sys.argv[1]))
	violations = report.get("predicted_violations", [])
	races = [p for p in report["pairs"] if p["verdict"] in ("real", "harmful")]
	findings = len(report["failures"]) + len(report["deadlocks"]) + len(races)
	print(len(violations), sum(v["harmful"] for v in violations), findings)
	PYTHON
}

# Prints in which execution the campaign first failed, the predicting ones included; 0: in none.
first()
{
	"$rfsup" --quiet --until-failure --seed "$2" -o "$dir/first" "$dir/$1" >/dev/null 2>&1
	python3 - "$dir/first/report.json" <<-'PYTHON'
	import json, sys
	report = json.load(open(sys.argv[1]))
	print(sum(p["runs"] for p in report["phases"]) if report["failures"] or report["deadlocks"] else 0)
	PYTHON
	rm -rf "$dir/first"
}

# How many of 100 runs fail: plain ones, and under random.
others()
{
	plain=0
	for i in $(seq 100); do timeout 10 "$dir/$1" >/dev/null 2>&1 || plain=$((plain + 1)); done
	"$rfsup" --quiet --policy random --runs 100 -o "$dir/random" "$dir/$1" >/dev/null 2>&1
	random=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sampling"]["failures"])' \
		"$dir/random/report.json")
	rm -rf "$dir/random"
	echo "$plain $random"
}

scan()
{
	build "$1" || return
	n=0; predicted=0; harmful=0; found=0; soon=0; worst=0
	set -- "$1" $(others "$1")
	plain=$2; random=$3
	for seed in $(seq "$seeds"); do
		executions=$(first "$1" $((1000 * seed + 1)))
		[ "$executions" -gt "$worst" ] && worst=$executions
		[ "$executions" -gt 0 ] && [ "$executions" -le 30 ] && soon=$((soon + 1))
		[ "$seed" -le "${JUDGED:-$seeds}" ] || continue
		rm -rf "$dir/out"
		"$rfsup" --quiet $OPTIONS --seed $((1000 * seed + 1)) -o "$dir/out" "$dir/$1" >"$dir/log" 2>&1
		[ -e "$dir/out/report.json" ] || { echo "$1, seed $((1000 * seed + 1)): no report"; cat "$dir/log"; continue; }
		set -- "$1" $(count "$dir/out")
		n=$((n + 1))
		[ "$2" -gt 0 ] && predicted=$((predicted + 1))
		[ "$3" -gt 0 ] && harmful=$((harmful + 1))
		[ "$4" -gt 0 ] && found=$((found + 1))
	done
	printf '%-26s plain %3d, random %3d of 100; %2d campaigns: predicted %2d, harmful %2d, a finding %2d; of %2d, failed within 30 executions %2d, latest %3d\n' \
		"$1" "$plain" "$random" $n $predicted $harmful $found "$seeds" $soon $worst
}

for name in ${*:-$broken $correct}; do scan "$name"; done
