#!/bin/sh
# Checks that this tree behaves exactly like an earlier commit. The rfsup of this tree and that of the commit run the same
# targets with the same options. What each does is written to a file, and the two files must be equal. Run by make
# yardstick.
#
#   tests/yardstick/compare.sh BUILD COMMIT [PATTERN]      PATTERN: only targets with such a name, for example 'figure*'
#
# In BUILD/yardstick:
#   base/COMMIT                    rfsup of that commit; built once
#   golden/COMMIT-KEY/TARGET.txt   what that rfsup did; made once. KEY is a hash of targets, system and these scripts
#   tree/TARGET.txt                what the rfsup of this tree did
#   base.txt, tree.txt, diff.txt   all files of golden/, all files of tree/, and the differences
set -eu
build=$(realpath "$1")
pattern=${3:-*}
here=$(realpath "$(dirname "$0")")
out=$build/yardstick
targets=$build/targets/O2g

# Targets that cannot be compared, with blanks around each:
#   prints_outside   the number of its operations depends on its start time, which it reads from /proc
skipped=' prints_outside '

fail() {
	echo "yardstick: $1" >&2
	exit 1
}

# Builds rfsup of a commit with the Makefile of that commit. The sources are removed afterwards, because make in this tree
# reads all .d files in BUILD, including those of the commit.
build_base() { # COMMIT
	test ! -x "$out/base/$1" || return 0
	echo "yardstick: building $1"
	sources=$out/base/sources
	rm -rf "$sources"
	mkdir -p "$sources"
	git archive "$1" | tar -x -C "$sources"
	env -u MAKEFLAGS -u MFLAGS make -s -C "$sources" -j"$(nproc)" BUILD=build rfsup >"$out/base/log" 2>&1 || {
		cat "$out/base/log" >&2
		rm -rf "$sources"
		fail "rfsup of $1 cannot be built"
	}
	mv "$sources/rfsup" "$out/base/$1"
	rm -rf "$sources"
}

# Prints a line for each target: NAME ARGUMENT... A fixed twin has the arguments of its target.
list_targets() {
	for source in targets/*.c targets/*.cc; do
		name=$(basename "${source%.*}")
		case $skipped in *" $name "*) continue ;; esac
		case $name in $pattern) ;; *) continue ;; esac
		awk -v name="$name" '($1 == name || $6 == name) && $5 != "-" { arguments = $5 }
			END { gsub(",", " ", arguments); print name, arguments }' targets/targets.txt
	done
}

# Runs all targets that have no file in FOLDER yet, as many at the same time as there are processors.
measure() { # RFSUP FOLDER
	mkdir -p "$2"
	while read -r name arguments; do
		test -e "$2/$name.txt" || echo "$name${arguments:+ $arguments}"
	done <"$out/targets.txt" |
		xargs -r -P "$(nproc)" -L 1 "$here/measure.sh" "$1" "$targets" "$2" "$out/run" || fail "$1 was not measured"
}

join() { # FOLDER
	while read -r name _; do
		cat "$1/$name.txt"
	done <"$out/targets.txt"
}

commit=$(git rev-parse --verify --quiet "$2^{commit}") || fail "$2 is not a commit of this repository"
mkdir -p "$out/base"
build_base "$commit"
list_targets >"$out/targets.txt"
n_targets=$(wc -l <"$out/targets.txt")
test "$n_targets" -gt 0 || fail "no target has a name like $pattern"

# Files in golden/ are used again by later calls from other shells, so limits must be fixed. The stack limit matters because
# the kernel places mappings below it.
ulimit -c 0
ulimit -s 8192
umask 022
key=$({ uname -srm; getconf GNU_LIBC_VERSION; echo "$targets"; cat "$targets"/* "$here"/*; } | sha256sum | cut -c 1-16)
golden=$out/golden/$commit-$key
echo "yardstick: $n_targets targets with rfsup of $2 (unless done before), then with rfsup of this tree"
measure "$out/base/$commit" "$golden"
rm -rf "$out/tree"
measure "$build/rfsup" "$out/tree"
join "$golden" >"$out/base.txt"
join "$out/tree" >"$out/tree.txt"

if diff -U 0 --label "$2" --label 'this tree' "$out/base.txt" "$out/tree.txt" >"$out/diff.txt"; then
	runs=$(awk '/: stats\.runs = / { runs += $NF } END { print runs }' "$out/tree.txt")
	echo "yardstick: $runs runs of $n_targets targets are the same"
else
	head -n 60 "$out/diff.txt"
	echo "yardstick: these differ, in $(grep -c '^[-+]' "$out/diff.txt") lines of $out/diff.txt:"
	sed -n '3,$ s/^[-+]\([^:]*\): .*/  \1/p' "$out/diff.txt" | sort -u | head -n 60
	exit 1
fi
