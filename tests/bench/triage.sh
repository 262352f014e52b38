# triage.sh - a table of what becomes of the reports in a file; read by reports.sh and reports_debian.sh. The caller sets
# rfsup, and dir, a folder of its own.
columns="%-22s %-13s %7s %7s %7s %9s %7s %7s %7s %7s %11s %9s %11s %7s  %s\n"

head_row()
{
	# shellcheck disable=SC2059
	printf "$columns" program file reports differ. frames found "%" harmful real unclear "not created" "not tried" \
		"not matched" other replays
}

# Tests the reports in FILE, prints a row, and notes in $dir/unmatched what was not matched. Replays each harmful race and
# each deadlock. The output folder is out.FILE.
triage() # NAME FILE OPTION-OR-PROGRAM...
{
	local name=$1 file=$2 good=0 all=0 record
	shift 2
	timeout "${TRIAGE_SECONDS:-600}" "$rfsup" --quiet -o "out.$file" --triage "$file" "$@" >/dev/null 2>"err.$file"
	if [ ! -e "out.$file/report.json" ]; then
		# shellcheck disable=SC2059
		printf "$columns" "$name" "$file" 0 0 0 0 - 0 0 0 0 0 0 0 ""
		return
	fi
	for record in $(jq -r '((.pairs[] | select(.verdict == "harmful")), .deadlocks[]) | .record' "out.$file/report.json"); do
		all=$((all + 1))
		timeout 60 "$rfsup" --quiet --replay "$record" >/dev/null 2>&1
		[ $? = 1 ] && good=$((good + 1))
	done
	jq -r --arg name "$name" --arg file "$file" --arg replays "$good of $all" '.triage | .results as $r |
		[$name, $file, .reports, .different, .frames, .frames_matched,
		 (if .frames > 0 then (.frames_matched * 1000 / .frames | floor / 10) else "-" end),
		 $r.harmful, $r.real, $r.unclear, $r["not created"], $r["not tried"], $r["not matched"],
		 $r["not a race or deadlock"], $replays] | @tsv' "out.$file/report.json" |
		while IFS=$'\t' read -r -a row; do
			# shellcheck disable=SC2059
			printf "$columns" "${row[@]}"
		done
	jq -r --arg name "$name" '.triage.list[] | select(.result == "not matched") | "\($name): \(.tool): \(.what): \(.why)"' \
		"out.$file/report.json" >>"$dir/unmatched"
}

# The sums of the table in $dir/rows, and what was not matched.
summary()
{
	awk 'NR > 1 { reports += $3; differ += $4; frames += $5; found += $6; for (i = 8; i <= 14; i++) sum[i] += $i; good += $15; all += $17 }
		END {
			printf "\nall: %d reports (%d different), %d frames, %d found in the program (%.1f%%)\n", reports, differ, frames, found,
				frames ? 100 * found / frames : 0
			printf "harmful %d, real %d, unclear %d, not created %d, not tried %d, not matched %d, other %d\n", sum[8], sum[9],
				sum[10], sum[11], sum[12], sum[13], sum[14]
			printf "replays of harmful races and of deadlocks: %d of %d\n", good, all
		}' "$dir/rows"
	[ -s "$dir/unmatched" ] || return 0
	printf '\nnot matched (the most frequent 20 of %d)\n' "$(sort -u "$dir/unmatched" | wc -l)"
	sort "$dir/unmatched" | uniq -c | sort -rn | head -20
}
