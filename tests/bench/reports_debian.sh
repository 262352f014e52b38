#!/bin/bash
# reports_debian.sh - reports that other tools make of three programs of Debian, tested by rfsup, as reports.sh does with
# targets.
#
#   tests/bench/reports_debian.sh [RUNS [NAME...]]     default: 2 runs for each pair; pbzip2 memcached redis
#
# The programs are built from Debian's sources with -O2 -g and, for gcc's ThreadSanitizer, with -O1 -g -fsanitize=thread.
# Helgrind and DRD run the first build, each with text and with XML. The servers have clients of their own.
# RFSUP is build/rfsup by default. BUDGET is the limit in seconds for the runs of one file of reports (300). WORK is a
# folder for sources, builds and reports; what is there from an earlier run is used again.
set -u
ulimit -Sn 1024 # memcached asks for as many as its connections, and Valgrind allows no more than there were
here=$(realpath "$(dirname "$0")")
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
runs=${1:-2}
[ $# -gt 0 ] && shift
names=${*:-pbzip2 memcached redis}
budget=${BUDGET:-300}
port=$((20000 + $$ % 20000))
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
work=${WORK:-$dir/work}
mkdir -p "$work"
work=$(realpath "$work")
TRIAGE_SECONDS=$((budget * 4))
. "$here/triage.sh"

# ---- sources and builds ----

# The sources are listed in the folder, so the machine's own lists stay as they are.
source_of() # NAME
{
	local options
	[ -d "$work/$1.source" ] && return
	if [ ! -e "$work/apt/ready" ]; then
		mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
		sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources >"$work/apt/debian.sources"
	fi
	options=(-q -o "Dir::Etc::SourceList=$work/apt/debian.sources" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root)
	[ -e "$work/apt/ready" ] || apt-get "${options[@]}" update >"$work/apt/log" 2>&1 && touch "$work/apt/ready"
	mkdir "$work/$1.new"
	(cd "$work/$1.new" && apt-get "${options[@]}" source "$1") >>"$work/apt/log" 2>&1 &&
		mv "$work/$1.new" "$work/$1.source"
}

make_pbzip2() { CXXFLAGS="$1" make pbzip2 && cp pbzip2 "$2"; }
make_memcached() { ./configure CFLAGS="$1" && make memcached && cp memcached "$2"; }
make_redis() # redis has its own way to say -fsanitize=thread
{
	case $1 in
	*thread*) make -C src MALLOC=libc OPTIMIZATION=-O1 SANITIZER=thread redis-server ;;
	*) make -C src MALLOC=libc OPTIMIZATION=-O2 redis-server redis-cli redis-benchmark &&
		cp src/redis-cli src/redis-benchmark "$work" ;;
	esac && cp src/redis-server "$2"
}

built() # NAME BUILD FLAGS
{
	[ -x "$work/$1.$2" ] && return
	source_of "$1" || return
	rm -rf "$dir/build" && mkdir "$dir/build" && cp -a "$work/$1.source"/*/. "$dir/build" &&
		(cd "$dir/build" && "make_$1" "$3" "$work/$1.$2") >"$work/$1.$2.log" 2>&1
}

# ---- what the programs do ----

client_memcached='ask() { exec 3<>/dev/tcp/127.0.0.1/$1 && printf "$2" >&3 && cat <&3; } 2>/dev/null
for i in $(seq 300); do ask $1 "quit\r\n" && break; sleep 0.1; done
for c in 1 2 3; do
	for r in $(seq $2); do
		ask $1 "set k$r 0 1 3\r\nabc\r\nappend k$r 0 0 2\r\nde\r\nincr n$c 1\r\nadd n$c 0 0 1\r\n1\r\nget k$r n$c\r\ntouch k$r 9\r\nquit\r\n"
	done &
done
wait
ask $1 "stats\r\nstats items\r\nlru_crawler metadump all\r\nflush_all\r\nverbosity 1\r\nquit\r\n"'
client_redis='for i in $(seq 300); do '$work'/redis-cli -p $1 ping 2>&1 | grep -q PONG && break; sleep 0.1; done
'$work'/redis-benchmark -p $1 -c 12 -P 4 -n $(($2 * 12)) -t set,get,incr,lpush,mset -q
printf "info all\nset a 1\nunlink a\nflushall async\nmemory stats\n" | '$work'/redis-cli -p $1'

words_pbzip2=(-k -f -p3 -b1 input)
words_memcached=(-u root -l 127.0.0.1 -U 0 -t 3 -p "$port")
words_redis=(--bind 127.0.0.1 --save '' --io-threads 3 --io-threads-do-reads yes --appendonly yes --port "$port")

# Runs the program once, below the words, with its client, in a new copy of the folder data.
use() # NAME WORD...
{
	local name=$1 client="client_$1" words="words_$1[@]" pid
	shift
	rm -rf run && cp -r data run && cd run || exit 1
	if [ -z "${!client:-}" ]; then
		timeout 300 "$@" "${!words}" >../output 2>&1
	else
		timeout 300 "$@" "${!words}" >../output 2>&1 &
		pid=$!
		timeout 200 bash -c "${!client}" client "$port" 50 >../client.log 2>&1
		kill -TERM "$pid"
		wait "$pid"
	fi
	cd ..
}

reports() # NAME: writes text, helgrind.xml and drd.xml
{
	use "$1" "$work/$1.tsan"
	mv output text
	for tool in helgrind drd; do
		use "$1" valgrind --tool=$tool "$work/$1.plain"
		cat output >>text
		use "$1" valgrind --tool=$tool --xml=yes --xml-file="$PWD/$tool.xml" "$work/$1.plain"
	done
}

head_row >"$dir/rows"
cat "$dir/rows"
for name in $names; do
	mkdir -p "$work/$name"
	cd "$work/$name" || exit 1
	rm -rf out.*
	if ! built "$name" plain '-O2 -g' || ! built "$name" tsan '-O1 -g -fsanitize=thread'; then
		echo "$name: no sources or no build; see the logs in $work" >&2
		continue
	fi
	mkdir -p data
	seq 300000 >data/input
	[ -e drd.xml ] || reports "$name"
	client="client_$name" words="words_$name[@]" drive=()
	[ "${!client:-}" ] && drive=(--drive "bash -c '${!client//\'/\'\\\'\'}' client $port 1")
	for file in text helgrind.xml drd.xml; do
		triage "$name" $file --runs "$runs" --budget "$budget" --fresh-dir data "${drive[@]}" "$work/$name.plain" "${!words}"
	done
done | tee -a "$dir/rows"
summary
