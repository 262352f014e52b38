#!/bin/bash
# documented.sh - rfsup --generate on libraries with which it was not developed: which of their types are made, and whether
# types that their documentation calls thread-safe have findings. Each of those is a false positive.
#
#   tests/bench/generate/documented.sh BUILD [NAME...]     NAME: only these (below); without names, all
#
# In the environment: TESTS, tests of each type (500); MADE (10); SEED (1); BUDGET, the most wall seconds of a session (7200);
# OUT, a folder that keeps the sessions (by default, they are removed); WORDS, more options of rfsup.
#
# Each library has two sessions. The first one has TESTS tests of each type, but leaves out those that the hints call unsafe.
# The second one makes MADE tests of each type, those too: it shows which types can be made, and what is found in types that
# two threads must not share is no false positive.
#
# A row has the type, what the documentation says of it ("-": nothing, or it depends), its tests, how many of them were
# executed concurrently (the others are independent, fail sequentially, or are inconclusive), executions, failures whose C
# program did not fail (dismissed), and the finding. The line of a library has its version, types that were made and types
# that are known, and CPU seconds of both sessions.
# Status 1: a type that is documented as safe has a finding.
set -u
build=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
hints=$(realpath "$here/../../../hints")
libraries=/usr/lib/$(uname -m)-linux-gnu
scratch=${OUT:-$(mktemp -d)}
[ -n "${OUT:-}" ] || trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch"
export LC_ALL=C
bad=0

package() { # NAME
	case $1 in
	curl) echo libcurl4 ;;
	zmq) echo libzmq5 ;;
	tinyxml2) echo libtinyxml2-9 ;;
	jansson*) echo libjansson4 ;;
	expat) echo libexpat1 ;;
	uv) echo libuv1 ;;
	esac
}

options() { # NAME
	case $1 in
	curl) echo "$libraries/libcurl.so.4 --header curl/curl.h --hints $hints/curl.hints" ;;
	zmq) echo "$libraries/libzmq.so.5 --header zmq.h --hints $hints/zmq.hints" ;;
	tinyxml2) echo "$libraries/libtinyxml2.so.9 --header $here/tinyxml2.hh" ;;
	jansson) echo "$libraries/libjansson.so.4 --header jansson.h --hints $hints/jansson.hints" ;;
	# "Read-only access to JSON values shared by multiple threads is safe" (Thread safety, in the manual)
	jansson-read) echo "$libraries/libjansson.so.4 --header jansson.h --hints $here/jansson_read.hints" ;;
	expat) echo "$libraries/libexpat.so.1 --header expat.h --hints $hints/expat.hints" ;;
	uv) echo "$libraries/libuv.so.1 --header uv.h --hints $here/uv.hints --type uv_mutex_t --type uv_rwlock_t --type uv_sem_t --type uv_cond_t" ;;
	esac
}

session() { # FOLDER TESTS WORD...: prints CPU seconds
	local folder=$1 tests=$2
	shift 2
	{ time "${RFSUP:-$build/rfsup}" --generate "$@" ${WORDS:-} --tests "$tests" --budget "${BUDGET:-7200}" \
		--seed "${SEED:-1}" --quiet -o "$folder" >/dev/null 2>"$folder.said"; } 2>&1 | awk '{ print int($1 + $2) }'
}

rows() { # FOLDER CONDITION
	jq -r ".types[] | select($2)"' | [.name, .hint // "-", .tests, .tests - .independent - .sequential_failures - .inconclusive,
		.executions, .dismissed, (.finding.kind // .why // .verdict)] | @tsv' "$1/report.json" |
		awk -F '\t' '{ printf "%-24s %-8s %6d %11d %11d %10d  %s\n", $1, $2, $3, $4, $5, $6, $7 }'
}

TIMEFORMAT='%U %S'
printf '%-24s %-8s %6s %11s %11s %10s  %s\n' type said tests concurrent executions dismissed finding
set -f
for name in ${@:-zmq jansson-read uv curl tinyxml2 jansson expat}; do
	folder=$scratch/$name
	words=$(options "$name")
	first=0
	# without a type that may have 500 tests, there is no first session
	case $name in curl | jansson | expat) ;; *) first=$(session "$folder" "${TESTS:-500}" $words) ;; esac
	case $words in *--type*) ;; *) words="$words --type *" ;; esac
	second=$(session "$folder.made" "${MADE:-10}" $words)
	if ! [ -s "$folder.made/report.json" ]; then
		cat "$folder.said" "$folder.made.said" >&2
		bad=1
		continue
	fi
	echo "# $name: $(dpkg-query -W "$(package "$name")" | tr '\t' ' '), $(jq '[.types[] | select(.tests > 0)] | length' \
		"$folder.made/report.json") of $(jq '.types | length' "$folder.made/report.json") types made, $((first + second)) CPU s"
	[ -s "$folder/report.json" ] && rows "$folder" '.tests > 0'
	rows "$folder.made" '.hint == "unsafe" or .tests == 0'
	jq -e '[.types[] | select(.hint == "safe" and .finding)] == []' "$folder/report.json" >/dev/null 2>&1 || [ $first = 0 ] || bad=1
done
exit $bad
