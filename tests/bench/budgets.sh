#!/bin/bash
# How far a campaign comes with a budget, on programs of Debian: how many of its predictions were tried and created, how many
# schedules were explored, and what failed. Programs that are not installed are left out.
#
#   tests/bench/budgets.sh BUILD SECONDS [NAME...]
#
# The budget is wall time, but other programs may run on the machine: the column cpu says what the campaign had of it. RFSUP
# in the environment is another rfsup to measure.
set -u
build=$(realpath "$1")
budget=$2
shift 2
rfsup=$(realpath "${RFSUP:-$build/rfsup}")
sources=$(realpath "$(dirname "$0")")/programs/debian
port=$((20000 + $$ % 20000))
export LC_ALL=C PATH=$PATH:/usr/sbin
. "$(dirname "$0")/debian_rows.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- programs that debian.sh does not run ----

row_mosquitto() {
	printf 'listener %s 127.0.0.1\nallow_anonymous true\npersistence false\n' "$port" >mosquitto.conf
	# CONNECT, SUBSCRIBE a, PUBLISH a, DISCONNECT
	printf '%s\n' 'printf "\20\14\0\4MQTT\4\2\0\74\0\0\202\6\0\1\0\1a\0\60\4\0\1ab\340\0" >&3; cat <&3' >client
	server "$(client)" mosquitto -c "$PWD/mosquitto.conf"
}
row_unbound() {
	cat >unbound.conf <<-END
		server:
			interface: 127.0.0.1
			port: $port
			username: ""
			chroot: ""
			pidfile: "$PWD/unbound.pid"
			directory: "$PWD"
			use-syslog: no
			num-threads: 2
			do-daemonize: no
			local-zone: "a." static
			local-data: "a. A 127.0.0.1"
			module-config: "iterator"
		remote-control:
			control-enable: no
	END
	# the address of "a", over TCP
	printf '%s\n' 'printf "\0\23\0\1\1\0\0\1\0\0\0\0\0\0\1a\0\0\1\0\1" >&3; head -c 37 <&3' >client
	server "$(client)" unbound -d -c "$PWD/unbound.conf"
}
row_fio() {
	program=(fio --name=a --thread --numjobs=2 --size=64k --bs=4k --rw=randrw --ioengine=psync --directory=. --output=log)
	check=true
}

# ---- the table ----

columns='%-10s %6s %6s %6s %6s %7s %8s %8s %8s %8s %9s\n'

# Pairs of the same two functions are counted as one group, as unconfirmed.txt does without the variable.
counts() { # REPORT
	jq -r '
		def tried: .runs > 0 or (.joint_runs // 0) > 0;
		def functions: [.statements[] | .function // .near // (.module + "+" + (.offset | tostring))] | sort;
		[.pairs[]?] as $pairs | [.predicted_violations[]?] as $all
		| ($all | map(select(.pattern | test("^[RW]-") | not))) as $orders
		| ($pairs | group_by(functions)) as $groups
		| [(.stats.target_cpu_seconds + .stats.supervisor_cpu_seconds | round), ($pairs | length),
			($pairs | map(select(tried)) | length), ($pairs | map(select(.confirmed > 0)) | length),
			"\($groups | map(select(any(tried))) | length)/\($groups | length)",
			"\($orders | map(select(.runs > 0)) | length)/\($orders | length)",
			"\($all - $orders | map(select(.runs > 0)) | length)/\($all - $orders | length)",
			([.phases[]? | select(.name == "explore") | .runs][0] // 0),
			(.failures | length) + (.deadlocks | length)] | map(tostring) | join(" ")' "$1"
}

row() { # NAME
	local folder=$work/$1 started cells

	mkdir -p "$folder"
	cd "$folder" || exit 1
	options=() check=
	"row_$1" || exit 1
	if ! command -v "${program[0]}" >/dev/null; then
		echo "# $1 is not installed"
		return
	fi
	started=$(date +%s)
	timeout -k 5 $((budget * 2)) "$rfsup" --quiet --budget "$budget" -o report "${options[@]}" -- "${program[@]}" \
		>report.txt 2>messages.txt
	read -ra cells < <(counts report/report.json)
	# shellcheck disable=SC2059
	printf "$columns" "$1" $(($(date +%s) - started)) "${cells[@]}"
}

echo "# budget: $budget seconds; group, order and atomicity: how many had a run"
# shellcheck disable=SC2059
printf "$columns" program wall cpu pairs tried created groups order atomic explored failures
test $# -gt 0 || set -- memcached redis nginx mosquitto unbound xz pigz zstd fio
for name in "$@"; do
	(row "$name")
done
