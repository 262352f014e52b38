#!/bin/bash
# The first hour of somebody new, in fresh systems: the first commands of README.md in a clone of the last commit, with only
# git and make installed, and each command of docs/TUTORIAL.md as it is there. Says how long it took.
#
#   tests/machines/newcomer.sh BUILD
#
# Needs root and debootstrap. All files are in BUILD/newcomer.
set -eu
own=$(realpath "$0")
# shellcheck source=tests/machines/chroots.sh
. "$(dirname "$own")/chroots.sh"
begin newcomer "$own" "$@"

new_system new
install_in new git make
git clone -q --bare "$source" "$work/new/srv/rfsup.git"
say "make demo"
in_system new 'cd /srv; git clone -q rfsup.git rfsup 2>&1; cd rfsup
	make demo </dev/null >/srv/demo.txt 2>&1 || { tail -20 /srv/demo.txt; exit 1; }
	tail -3 /srv/demo.txt'
say "make install, and the tutorial"
in_system new 'cd /srv/rfsup; make install >/srv/install.txt; cd /; docs=/srv/rfsup/docs
	$docs/tutorial/run --check $docs/TUTORIAL.md'
say "newcomer: both are as the pages say"
remove_system new
