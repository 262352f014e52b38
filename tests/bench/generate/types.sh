#!/bin/bash
# types.sh - how many functions of a library rfsup --generate knows, and how many of their roles are right.
#
#   tests/bench/generate/types.sh BUILD shim [NAME...]   functions that the headers declare and the library exports, and how
#                                                        many of them the shim's debug information has
#   tests/bench/generate/types.sh BUILD gir              GLib: constructors, methods and receiver types, compared with GLib's
#                                                        own description for other languages (GLib-2.0.gir)
#
# shim: a function is declared if its name comes before a parenthesis in the preprocessed headers. A compiler in front of
# gcc keeps the shim. Programs that are needed: gcc, nm, gdb. gir: Debian's package libgirepository1.0-dev. A method is right
# if --list has it as a method or destructor of the type that gir names. Functions that --list leaves out count as wrong.
set -u
build=$(realpath "$1")
part=$2
shift 2
here=$(realpath "$(dirname "$0")")
targets=$build/targets/O2g
. "$here/subjects.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C

exported() { nm -D --defined-only "$1" | awk '$2 ~ /[TWi]/ { sub(/@.*/, "", $3); print $3 }' | sort -u; }

declared() { # OPTIONS OF A LIBRARY: names before a parenthesis in the preprocessed headers
	local flags=$1 word header=
	shift
	for word; do
		[ "$header" = --header ] && echo "#include <$word>"
		header=$word
	done >"$scratch/headers.c"
	gcc -E -P $flags "$scratch/headers.c" 2>/dev/null | grep -oE '[A-Za-z_][A-Za-z0-9_]*\)? *\(' | tr -d ' ()' | sort -u
}

shim() {
	local name options flags all found
	real=$(command -v gcc)
	mkdir "$scratch/bin"
	cat >"$scratch/bin/gcc" <<-END
		#!/bin/bash
		"$real" "\$@" || exit
		while [ \$# -gt 1 ]; do
			[ "\$1" = -o ] && case \$2 in *.so) cp "\$2" "$scratch/shim.so" ;; esac
			shift
		done
	END
	chmod +x "$scratch/bin/gcc"
	printf '%-10s %20s %8s %8s\n' library 'declared, exported' 'in shim' percent
	for name in ${@:-glib apr libxml2 sqlite3 libevent json-c}; do
		options=$(library_options "$name")
		flags=$(flags_for "$options")
		rm -f "$scratch/shim.so"
		PATH=$scratch/bin:$PATH "$build/rfsup" --generate $options --cflags "$flags" --list >/dev/null 2>&1
		comm -12 <(exported "${options%% *}") <(declared "$flags" $options) >"$scratch/all"
		# the type of each pointer, from the debug information
		nm "$scratch/shim.so" | sed -n 's/.* rfs_p_//p' | sort -u | comm -12 - "$scratch/all" >"$scratch/pointers"
		sed 's/.*/whatis rfs_p_&/' "$scratch/pointers" >"$scratch/commands"
		found=$(gdb -batch -nx -x "$scratch/commands" "$scratch/shim.so" 2>/dev/null | grep -c '^type = .*(\*.*)')
		all=$(wc -l <"$scratch/all")
		printf '%-10s %20d %8d %8.2f\n' "$name" "$all" "$found" "$(awk -v a="$found" -v b="$all" 'BEGIN { print 100 * a / b }')"
		[ -z "${KEEP:-}" ] || comm -23 "$scratch/all" "$scratch/pointers" >"$KEEP/$name.missing"
	done
}

# Lines "constructor TYPE FUNCTION" and "method TYPE FUNCTION" of the description.
described() {
	tr '\n' ' ' <"$1" | sed 's/</\n</g' | awk '
	function attribute(name,   rest) {
		if (!match($0, name "=\"[^\"]*\"")) return ""
		rest = substr($0, RSTART, RLENGTH)
		gsub(/^[^"]*"|"$/, "", rest)
		return rest
	}
	/^<(record|union|class|interface) / { type = attribute("c:type") }
	/^<\/(record|union|class|interface)>/ { type = "" }
	type != "" && /^<(constructor|method) / { print substr($1, 2), type, attribute("c:identifier") }' | sort -u
}

# The same of --list. Destructors are methods.
listed() {
	awk '
	/^left out/ { exit }
	/^[^ ]/ { type = $1; sub(/:$/, "", type); role = ""; next }
	/^  [a-z]/ { role = $1 == "constructors" ? "constructor" : "method"; $1 = "" }
	role != "" { gsub(/,/, " "); n = split($0, names, " "); for (i = 1; i <= n; i++) print role, type, names[i] }' | sort -u
}

gir() {
	local options
	options=$(library_options glib)
	exported "${options%% *}" >"$scratch/exported"
	declared "$(flags_for "$options")" $options | comm -12 - "$scratch/exported" >"$scratch/known"
	"$build/rfsup" --generate $options --cflags "$(flags_for "$options")" --list | listed >"$scratch/listed"
	described /usr/share/gir-1.0/GLib-2.0.gir | awk 'NR == FNR { known[$1] = 1; next } known[$3]' "$scratch/known" - \
		>"$scratch/described"
	printf '%-16s %10s %6s %8s\n' what described right percent
	awk '
	NR == FNR { role[$1 " " $2 " " $3] = 1; type[$2 " " $3] = 1; next }
	$1 == "constructor" { n["constructors"]++; right["constructors"] += ($0 in role) }
	$1 == "method" {
		n["methods"]++
		right["methods"] += ($0 in role) || ($3 ~ /_init$/ && ("constructor " $2 " " $3) in role)
		n["receiver types"]++; right["receiver types"] += (($2 " " $3) in type)
	}
	END {
		for (what in n)
			printf "%-16s %10d %6d %8.2f\n", what, n[what], right[what], 100 * right[what] / n[what]
	}' "$scratch/listed" "$scratch/described" | sort
	[ -z "${KEEP:-}" ] || comm -13 "$scratch/listed" "$scratch/described" >"$KEEP/gir.missing"
}

"$part" "$@"
