#!/bin/bash
# A pack made in one fresh system replays in another one, which has rfsup and not the program: COUNT times (100), each the
# same. The program is built in the first system with a library of its own, reads a file, and has a race.
#
#   tests/machines/pack.sh BUILD
#
# BUILD/rfsup is copied into both systems, so they get the libraries that it needs. Needs root and debootstrap. All files are
# in BUILD/pack.
set -eu
own=$(realpath "$0")
# shellcheck source=tests/machines/chroots.sh
. "$(dirname "$own")/chroots.sh"
begin pack "$own" "$@"
rfsup=$(realpath "$1")/rfsup
count=${COUNT:-100}
needed='libarchive13 libcapstone4 libdwarf1 libelf1 libexpat1 libjansson4 libunwind8 libxxhash0'

system_with_rfsup() { # NAME PACKAGE...
	new_system "$1"
	install_in "$1" "$needed ${*:2}"
	cp "$rfsup" "$work/$1/usr/local/bin/rfsup"
}

say "first system"
system_with_rfsup first gcc libc6-dev
mkdir "$work/first/srv/shop"
cp "$source"/tests/machines/shop/* "$work/first/srv/shop"
in_system first 'cd /srv/shop; mkdir lib; gcc -g -O1 -fPIC -shared -Wl,-soname,libstock.so.1 -o lib/libstock.so.1.0 stock.c
	ln -s libstock.so.1.0 lib/libstock.so.1; ln -s libstock.so.1 lib/libstock.so
	gcc -g -O1 -pthread -o shop shop.c -Llib -lstock -Wl,-rpath,/srv/shop/lib; echo 3 >items
	status=0; rfsup --quiet -o out --runs 30 --explore 100 ./shop items >report.txt || status=$?; test $status = 1
	grep "^result" report.txt
	record=$(ls out/records/pair-*-seed-*.json out/records/explore-*.json 2>/dev/null | head -1)
	rfsup --pack "$record" -o /srv/shop.pack /srv/shop/items
	status=0; rfsup --quiet --replay "$record" >/srv/said 2>&1 || status=$?; echo $status >>/srv/said'
cp "$work/first/srv/shop.pack" "$work/first/srv/said" "$work"
remove_system first

say "second system"
system_with_rfsup second
cp "$work/shop.pack" "$work/second/srv"
in_system second "test ! -e /srv/shop; cd /; i=0
	while test \$i -lt $count; do
		status=0; rfsup --quiet --replay /srv/shop.pack >/tmp/said 2>&1 || status=\$?; echo \$status >>/tmp/said
		cat /tmp/said; i=\$((i + 1))
	done; test ! -e /srv/shop" >"$work/all"
remove_system second
sort "$work/all" | uniq -c
lines=$(wc -l <"$work/said")
same=$(awk -v n="$lines" -v count="$count" 'FILENAME == ARGV[1] { said[FNR] = $0; next }
	{ if ($0 != said[(FNR - 1) % n + 1]) bad[int((FNR - 1) / n)] = 1 }
	END { for (i in bad) wrong++; print FNR == n * count ? count - wrong : 0 }' "$work/said" "$work/all")
say "pack: $same of $count replays in the second system were the run of the first"
test "$same" = "$count"
