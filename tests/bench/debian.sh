#!/bin/bash
# Runs the whole campaign, with default options and a budget, on programs of Debian and on small programs in other
# languages, and prints a row for each. Started by make bench-debian, which installs the programs first.
#
#   tests/bench/debian.sh BUILD [NAME...]      NAME: only these rows; without names, all
#
# BUDGET in the environment: the budget in seconds (60). All files are in BUILD/debian/NAME: `report` is the output
# folder of the campaign, and `check` that of three more runs whose output is compared.
#
# Columns: seconds and exit status of the campaign; runs of the phases predict, confirm and explore; lines of the
# report; what was found; predicted pairs that were not confirmed; whether the program's output was right.
set -u
build=$(realpath "$1")
shift
rfsup=$build/rfsup
sources=$(realpath "$(dirname "$0")")/programs/debian
budget=${BUDGET:-60}
port=$((20000 + $$ % 20000))
export LC_ALL=C

. "$(dirname "$0")/debian_rows.sh"

# ---- the table ----

# Three controlled runs without a detector. "yes" if each had the right output.
output_right() {
	local file answers right=yes

	rm -f got
	"$rfsup" --quiet --policy random --points sync --runs 3 --keep-records --budget 30 -o check "${options[@]}" \
		-- "${program[@]}" >check.txt 2>&1
	for file in check/runs/sample-*.out; do
		if [ "$check" = client ]; then
			:
		elif [ "$check" ]; then
			bash -c "$check" <"$file" >/dev/null 2>&1 || right=NO
		else
			cmp -s "$file" want || right=NO
		fi
	done
	[ "$file" = 'check/runs/sample-*.out' ] && right=NONE
	if [ "$check" = client ]; then
		# three clients in each run; the uncontrolled run and at least one more have ended
		answers=$(($(wc -c <got) / $(wc -c <want)))
		[ "$answers" -ge 6 ] && cmp -s got <(for _ in $(seq "$answers"); do cat want; done) || right=NO
	fi
	echo "$right"
}

row() { # NAME
	local folder=$build/debian/$1 started status seconds column

	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder" || exit 1
	options=() check=
	"row_$1" || exit 1
	[ "$check" ] || "${program[@]}" >want 2>/dev/null
	started=$(date +%s.%N)
	timeout -k 5 $((budget * 2)) "$rfsup" --quiet --budget "$budget" --stats -o report "${options[@]}" -- "${program[@]}" \
		>report.txt 2>messages.txt
	status=$?
	seconds=$(echo "$(date +%s.%N) - $started" | bc)
	jq -r '
		def runs(name): [.phases[]? | select(.name == name) | .runs][0] // "-";
		def is(words): [.pairs[]? | select(.verdict == words)] | length;
		[runs("predict"), runs("confirm"), runs("explore"), is("real") + is("harmful"), is("unclear"),
			(.failures | length) + (.deadlocks | length), is("unconfirmed")] | map(tostring) | join(" ")
		' report/report.json >columns 2>/dev/null || echo '- - - - - - -' >columns
	read -ra column <columns
	line "$1" "$(printf %.1f "$seconds")" "$status" "${column[@]:0:3}" "$(wc -l <report.txt)" "${column[@]:3}" \
		"$(output_right)"
}

line() { printf '%-13s %7s %6s %8s %8s %8s %6s %5s %8s %9s %12s %7s\n' "$@"; }
rows() { declare -F | sed -n 's/^declare -f row_//p'; }

line program seconds status predict confirm explore lines real unclear failures unconfirmed output
# shellcheck disable=SC2046
test $# -gt 0 || set -- $(rows)
for name in "$@"; do
	(row "$name")
done
