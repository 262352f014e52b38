#!/bin/bash
# whole.sh - real programs of Debian with several processes under rfsup, as Debian has built them. Each case is executed
# without rfsup, then with SEEDS seeds (3), and each recorded run is replayed once.
#
#   tests/bench/whole.sh BUILD [CASE-GLOB]
#
# output: how many runs left the same text as the run without rfsup, after the filter that the case names; its lines are sorted if processes
#   that run at the same time print them.
# replay: how many replays rfsup calls the same as the recorded run.
# text: how many replays printed what the recorded run printed, byte for byte. A process that shares no memory with the
#   controlled one is not scheduled, so two of them may print in another order. -: there is a client, which replays do not start.
# whole: yes, or what rfsup names that it did not control. "the program never had a second thread" names nothing of the kind.
#
# Runs as root, because it installs packages and because PostgreSQL needs an account of its own.
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
build=$(realpath "$1")
glob=${2:-*}
seeds=${SEEDS:-3}
packages="apache2-bin busybox-static curl git make gcc libc6-dev nginx-light parallel postgresql python3 rsync util-linux"
scratch=$(mktemp -d)
chmod 711 "$scratch"
text=$scratch/text
# before each execution: rfsup makes some without control before it makes the one that is recorded
setup="find $scratch/work -mindepth 1 -delete; cp -a $scratch/pristine/. $scratch/work"
trap 'rm -rf "$scratch"' EXIT
right_cases=0 cases=0

version() { # PACKAGE
	dpkg-query -W -f '${Version}' "$1"
}

# What a case sets: `command` and, if it has one, `client`; `user` who runs it; `result` prints what is compared, from the
# output in the file $text and the files that the program leaves. `fresh` makes the folder of a run, which is the current one.
defaults() {
	client=
	user=root
	fresh() { :; }
	result() { cat "$text"; }
}

# Calls a command in the account, in place of this shell.
as() { # COMMAND...
	exec setpriv --reuid "$user" --regid "$user" --init-groups "$@"
}

begin() {
	rm -rf "$scratch/work"
	mkdir "$scratch/work"
	cd "$scratch/work" || exit 2
	fresh
	chown -R "$user" .
	rm -rf "$scratch/pristine"
	cp -a . "$scratch/pristine"
}

# The run without rfsup. A program with a client gets SIGTERM when the client ends, as under rfsup.
plain() {
	local pid
	begin
	if [ -z "$client" ]; then
		(as timeout 150 "${command[@]}") >"$text" 2>/dev/null </dev/null
		return
	fi
	# a session of its own: Apache ends its workers by a signal to its process group
	(as setsid "${command[@]}") >"$text" 2>/dev/null </dev/null &
	pid=$!
	(as timeout 150 sh -c "$client")
	kill "$pid"
	wait "$pid"
}

# What rfsup did not control, by its own words.
whole() { # REPORT
	local line
	line=$(grep -E '^(not under control|not controlled|incomplete|note .*(not controlled|not predicted))' "$1" |
		grep -v 'never had a second thread' | sort -u | sed 's/^note *//; s/  */ /g' | paste -sd ';')
	echo "${line:-yes}"
}

under() { # SEED
	local out=$scratch/out/$1
	begin
	(as timeout 500 "$build/rfsup" --policy=random --runs=1 --seed="$1" --no-confirm --keep-records --timeout 300 -o "$out" --setup "$setup" \
		${client:+--drive "$client"} -- "${command[@]}") >"$scratch/said" 2>&1 </dev/null
	cat "$out"/runs/*.out >"$text" 2>/dev/null
	cp "$text" "$scratch/recorded"
}

# The folder of the run that was recorded: fresh() makes files with other dates, and programs such as make look at these.
replay() { # SEED
	find "$scratch/work" -mindepth 1 -delete
	cp -a "$scratch/pristine/." "$scratch/work"
	(as timeout 400 "$build/rfsup" --replay "$scratch/out/$1"/records/*.json) >"$text" 2>"$scratch/replayed" </dev/null
}

check() { # NAME PACKAGE WHAT
	local seed right=0 same=0 texts=0 reason=yes finding=none said
	# shellcheck disable=SC2254 # a glob is meant
	case $1 in $glob) ;; *) return ;; esac
	rm -rf "$scratch/out"
	mkdir "$scratch/out" && chown "$user" "$scratch/out"
	plain
	result >"$scratch/plain"
	for ((seed = 1; seed <= seeds; seed++)); do
		under "$seed"
		# a run that leaves nothing tells nothing
		if [ -s "$scratch/plain" ] && result | cmp -s - "$scratch/plain"; then
			right=$((right + 1))
		elif [ -n "${SHOW:-}" ]; then
			result | diff "$scratch/plain" - >&2
			cat "$scratch/said" >&2
		fi
		said=$(whole "$scratch/said")
		[ "$said" = yes ] || reason=$said
		said=$(sed -n 's/^result *//p' "$scratch/said" | tail -n 1)
		case $said in "nothing found"*) ;; *) finding=${said:-no result} ;; esac
		replay "$seed"
		grep -q 'same as the recorded run' "$scratch/replayed" && same=$((same + 1))
		grep -q 'same as the recorded run' "$scratch/replayed" || [ -z "${SHOW:-}" ] || cat "$scratch/replayed" >&2
		cmp -s "$text" "$scratch/recorded" && texts=$((texts + 1))
	done
	cases=$((cases + 1))
	[ "$right$same$reason" = "$seeds${seeds}yes" ] && right_cases=$((right_cases + 1))
	[ -z "$client" ] && texts="$texts of $seeds" || texts=-
	printf '%-12s | %s %s | %s | %d of %d | %d of %d | %s | %s | %s\n' "$1" "$2" "$(version "$2")" "$3" \
		"$right" "$seeds" "$same" "$seeds" "$texts" "$reason" "$finding"
}

# shellcheck source=tests/bench/whole_rows.sh
. "$(dirname "$(realpath "$0")")/whole_rows.sh"

# shellcheck disable=SC2086 # several packages
dpkg-query -W $packages >/dev/null 2>&1 || apt-get install -y --no-install-recommends $packages >/dev/null || exit 2
echo "program      | version | what it runs | output | replay | text | whole | finding"
for row in $(compgen -A function row_); do
	defaults
	"$row"
done
echo "$right_cases of $cases programs are controlled whole, with the right output and the same replays"
