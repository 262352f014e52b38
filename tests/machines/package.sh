#!/bin/bash
# The packages, as Debian builds and tests them, in fresh systems: dpkg-buildpackage of the last commit, lintian,
# installation, the example of make demo, autopkgtest, and removal that leaves nothing.
#
#   tests/machines/package.sh BUILD
#
# Needs root, debootstrap and autopkgtest. All files are in BUILD/package; the packages are in BUILD/package/result.
set -eu
own=$(realpath "$0")
# shellcheck source=tests/machines/chroots.sh
. "$(dirname "$own")/chroots.sh"
begin package "$own" "$@"

say "building"
new_system builder
install_in builder build-essential debhelper lintian
mkdir "$work/builder/src" "$work/builder/src/rfsup"
git -C "$source" archive HEAD | tar -x -C "$work/builder/src/rfsup"
in_system builder 'cd /src/rfsup; apt-get build-dep -y -qq ./ >/tmp/apt.txt 2>&1 || { cat /tmp/apt.txt; exit 1; }'
in_system builder 'useradd builder; chown -R builder /src; cd /src/rfsup
	su builder -c "dpkg-buildpackage -us -uc -j2" >/src/build.txt 2>&1 || { tail -40 /src/build.txt; exit 1; }'
mkdir "$work/result"
cp "$work"/builder/src/*.deb "$work"/builder/src/*.dsc "$work"/builder/src/*.changes "$work"/builder/src/*.tar.* "$work/result"
ls "$work/result"
say "lintian"
in_system builder 'cd /src; su builder -c "lintian --fail-on error,warning,info --info --pedantic rfsup_*.changes"'
remove_system builder

say "installing"
new_system user
install_in user gcc libc6-dev
# not what a package may leave: lists of apt and dpkg, caches and logs; nor what its user made
files() {
	(cd "$work/user" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
		-o -path ./tmp -o -path ./root -o -path ./home -o -path ./srv \) -prune -o ! -type d -printf '%p %s %l\n' | sort)
}
install_in user libcapstone4 libdwarf1 libelf1 libexpat1 libjansson4 libunwind8 libxxhash0 libarchive13
files >"$work/before"
cp "$work"/result/rfsup*.deb "$work/user/tmp"
install_in user '/tmp/rfsup_*.deb /tmp/rfsup-doc_*.deb /tmp/rfsup-dbgsym_*.deb'
mkdir "$work/user/srv/demo"
cp "$source"/targets/figure1.c "$source"/targets/target.h "$work/user/srv/demo"
say "the example of make demo"
in_system user 'cd /srv/demo; gcc -std=gnu11 -O2 -g -pthread -o figure1 figure1.c; status=0
	rfsup --quiet -o out ./figure1 >report.txt || status=$?
	test $status = 1; grep "^result" report.txt
	replay=$(sed -n "s/^ *see it again: //p" report.txt | head -n 1); test -n "$replay"
	status=0; $replay || status=$?; test $status = 1
	rfsup --version; test -e /usr/share/man/man1/rfsup.1.gz; test -e /usr/share/doc/rfsup-doc'
say "removing"
in_system user 'apt-get purge -y -qq rfsup rfsup-doc rfsup-dbgsym >/tmp/apt.txt 2>&1; ! command -v rfsup'
files >"$work/after"
diff "$work/before" "$work/after"
remove_system user

say "autopkgtest"
new_system testbed
autopkgtest -q --output-dir="$work/autopkgtest" "$work"/result/rfsup_*.dsc "$work"/result/rfsup_*.deb \
	--no-built-binaries -- chroot "$work/testbed" >"$work/autopkgtest.txt" 2>&1 || {
	tail -40 "$work/autopkgtest.txt"
	exit 1
}
cat "$work/autopkgtest/summary"
remove_system testbed
say "package: builds, lintian is silent, installs, finds, and is removed without a trace"
