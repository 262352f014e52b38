#!/bin/bash
# table.sh - what each part of the search of rfsup --generate is worth: tests and CPU seconds until the first finding of a
# type, with the whole search and without one part of it (Pradel and Gross, PLDI 2012, table 2, for our types).
#
#   tests/bench/generate/table.sh BUILD [NAME...]     NAME: only these types (subjects.sh); without names, all
#
# In the environment: SEEDS, the first seeds ("1 2 3"); LIMIT, CPU seconds of a session (60); CELLS, a file that keeps what
# was measured. Sessions that CELLS already has are not made again, so a measurement that was interrupted can continue,
# and CELLS=FILE SEEDS= only prints the table.
#
# A cell: the medians of tests and CPU seconds of the seeds that found something, and how many did. The seconds are those of
# a whole session with all its children: compiler, search, C program, replays, reports. ">20": no seed found anything
# in 20 seconds. Such a session is ended when it has used LIMIT seconds. "-": not measured.
#
# The last column is what ConTeGe does: tests are made as before, but taken at random, and all are executed, with threads
# that nothing controls: the kernel's scheduler chooses. As many executions a test as in the other columns.
set -u
build=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
targets=$build/targets/O2g
. "$here/subjects.sh"
seeds=${SEEDS-1 2 3}
limit=${LIMIT:-60}
scratch=$(mktemp -d)
cells=${CELLS:-$scratch/cells}
touch "$cells"
export LC_ALL=C
columns="nothing filter weights sweep racefuzzer control,filter,weights,racefuzzer"
names=${*:-$own $foreign}

# CPU time of a process, of its children that have ended, and of its other descendants, in ticks
ticks() { # PID
	local child sum
	sum=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ print $12 + $13 + $14 + $15 }')
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do sum=$((${sum:-0} + $(ticks "$child"))); done
	echo "${sum:-0}"
}

# Ends the session when it has used its time.
watch() { # the file with its PID
	local most=$((limit * $(getconf CLK_TCK))) pid
	until pid=$(cat "$1" 2>/dev/null) && [ -n "$pid" ]; do sleep 0.1; done
	while kill -0 "$pid" 2>/dev/null; do
		[ "$(ticks "$pid")" -lt "$most" ] || kill -TERM "$pid" 2>/dev/null
		sleep 2
	done
}

# Makes a session, and adds a line to the cells: name, part, seed, whether there is a finding, tests, CPU seconds.
session() { # NAME PART SEED
	local options
	options=$(type_options "$1")
	rm -rf "$scratch/out" "$scratch/pid"
	watch "$scratch/pid" &
	(
		# times are those of the children of this shell
		"$build/bench-without" "$2" --generate $options --cflags "$(flags_for "$options")" --seed "$3" \
			--tests 100000 --budget 86400 --quiet -o "$scratch/out" >/dev/null 2>"$scratch/log" &
		echo $! >"$scratch/pid"
		wait $!
		times
	) >"$scratch/times"
	wait
	jq -r --arg cell "$1 $2 $3" --arg cpu "$(tail -n 1 "$scratch/times" | sed 's/m/ /g; s/s//g' |
		awk '{ printf "%.1f", $1 * 60 + $2 + $3 * 60 + $4 }')" \
		'.types[0] | "\($cell) \(if .finding then 1 else 0 end) \(.finding.tests // .tests) \($cpu)"' \
		"$scratch/out/report.json" >>"$cells" || sed "s/^/$1 $2 $3: /" "$scratch/log" >&2
}

table() {
	awk -v names="$names" -v columns="$columns" '
	function median(list, n,   i, k, t) {
		for (i = 2; i <= n; i++)
			for (k = i; k > 1 && list[k - 1] > list[k]; k--) { t = list[k]; list[k] = list[k - 1]; list[k - 1] = t }
		return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
	}
	function cell(key,   i, n, list, found, least) {
		n = split(rows[key], list, "\n")
		for (i = 1; i < n; i++) {
			split(list[i], part, " ")
			if (part[1]) { tests[++found] = part[2] + 0; cpu[found] = part[3] + 0 }
			else if (!least || part[3] < least) least = part[3] + 0
		}
		if (n < 2) return "-"
		if (!found) return sprintf(">%d (0 of %d)", least, n - 1)
		return sprintf("%g / %.1f (%d of %d)", median(tests, found), median(cpu, found), found, n - 1)
	}
	{ rows[$1 " " $2] = rows[$1 " " $2] $4 " " $5 " " $6 "\n" }
	END {
		n_columns = split(columns, column, " ")
		printf "%-14s", "type"
		for (i = 1; i <= n_columns; i++)
			printf " %-22s", column[i] == "nothing" ? "whole search" : column[i] ~ /control/ ? "random, no control" : "without " column[i]
		printf "\n"
		n_names = split(names, name, " ")
		for (k = 1; k <= n_names; k++) {
			printf "%-14s", name[k]
			for (i = 1; i <= n_columns; i++) printf " %-22s", cell(name[k] " " column[i])
			printf "\n"
		}
	}' "$cells" | sed 's/ *$//'
}

trap 'table; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
for seed in $seeds; do
	for name in $names; do
		for part in $columns; do
			grep -qF "$name $part $seed " "$cells" || session "$name" "$part" "$seed"
		done
	done
done
