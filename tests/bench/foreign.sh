#!/bin/sh
# foreign.sh - two campaigns of one minute for each program of programs/foreign: the correct program and its racy twin.
# Prints how many pairs have each verdict.
# A language that is not installed is skipped. usage: tests/bench/foreign.sh [NAME...]; RFSUP is build/rfsup by default.
here=$(dirname "$0")
rfsup=${RFSUP:-$here/../../build/rfsup}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Builds $1 to $2, with the options of the twin in $3. 77: the language is not installed; 78: it has no such twin.
build()
{
	case $1 in
	*/glib_*.c)
		pkg-config --exists glib-2.0 || return 77
		cc -O2 -g ${3:+-DRACY} -o "$2" "$1" $(pkg-config --cflags --libs glib-2.0) ;;
	*/tbb_*.cc)
		[ -e /usr/include/tbb/parallel_for.h ] || return 77
		c++ -O2 -g ${3:+-DRACY} -o "$2" "$1" -ltbb -pthread ;;
	*.cc)
		c++ -std=c++20 -O2 -g ${3:+-DRACY} -o "$2" "$1" -pthread ;;
	*.rs)
		command -v rustc >/dev/null || return 77
		rustc -g -C opt-level=2 ${3:+--cfg racy} -o "$2" "$1" ;;
	*.ml)
		command -v ocamlfind >/dev/null || command -v ocamlopt >/dev/null || return 77
		[ -z "$3" ] || return 78
		cp "$1" "$dir/p.ml" && ocamlopt -g -I +threads unix.cmxa threads.cmxa -o "$2" "$dir/p.ml" ;;
	*.go)
		command -v go >/dev/null || return 77
		[ -z "$3" ] || return 78
		GOCACHE=$dir/go go build -o "$2" "$1" ;;
	esac >"$dir/build.log" 2>&1
}

count()
{
	sed -n 's/.*"verdict": "\([a-z]*\)".*/\1/p' "$dir/out/report.json" 2>/dev/null | grep -cx "$1"
}

printf '%-16s %-8s %6s %11s %7s %4s\n' program twin status unconfirmed unclear real
for source in "$here"/programs/foreign/*; do
	name=$(basename "$source"); name=${name%.*}
	[ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	for twin in '' racy; do
		build "$source" "$dir/$name" $twin
		case $? in
		0) ;;
		77) echo "$name: skipped, what builds it is not installed"; break ;;
		78) continue ;;
		*) echo "$name: cannot be built"; cat "$dir/build.log"; break ;;
		esac
		rm -rf "$dir/out"
		timeout 600 "$rfsup" --quiet --budget 60 -o "$dir/out" -- "$dir/$name" >"$dir/log" 2>&1
		printf '%-16s %-8s %6d %11d %7d %4d\n' "$name" "${twin:-correct}" $? "$(count unconfirmed)" \
			"$(count unclear)" "$(($(count real) + $(count harmful)))"
	done
done
