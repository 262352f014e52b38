#!/bin/bash
# passes.sh - whether two passes of the detector predict the pairs of one pass, on programs of Debian. A program whose
# input comes from outside is replayed: the replay has one pass, and the input of the run with two.
# usage: tests/bench/passes.sh [NAME...]; NAME: only these programs
# In the environment: RFSUP (build/rfsup), SEEDS ("1 2 3 4 5"), KIB (256): size of the input of the compressors.
here=$(cd "$(dirname "$0")" && pwd)
rfsup=$(realpath "${RFSUP:-$here/../../build/rfsup}")
seeds=${SEEDS:-1 2 3 4 5} kib=${KIB:-256}
names=${*:-pigz pbzip2 xz zstd sqlite3 memcached redis}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
port=$((20000 + $$ % 20000)) differ=0

while [ "$(stat -c %s input 2>/dev/null || echo 0)" -lt $((kib << 10)) ]; do
	cat "$here"/*.c "$here"/../../supervisor/*/*.c "$rfsup"
done 2>/dev/null | head -c $((kib << 10)) >input

# The pairs that a run has predicted, from its notes: a count and a checksum.
predicted() {
	sed -n 's/.*predicted \([0-9]* pairs, checksum [0-9a-f]*\)$/\1/p' "$1"
}

# OPTIONS PROGRAM...: one predicting run
run() {
	local options=$1
	shift
	rm -rf out
	# shellcheck disable=SC2086
	timeout 3600 "$rfsup" --verbose --no-confirm --runs=1 --policy=random --detector=hybrid --timeout=3600 \
		--hang-factor=1000 $options -o out -- "$@" >said 2>&1
}

# NAME SEED ONE TWO: the files with the notes of both ways
row() {
	local one two third=
	one=$(predicted "$3") two=$(predicted "$4")
	grep -q 'took another course' "$4" && third=', two passes differed: made a third time'
	if [ -z "$two" ] || [ "$one" != "$two" ]; then
		differ=1
		printf '%-10s %4s  DIFFERENT: one pass %s, two passes %s%s\n' "$1" "$2" "${one:-nothing}" "${two:-nothing}" "$third"
	else
		printf '%-10s %4s  same: %s%s\n' "$1" "$2" "$one" "$third"
	fi
}

# NAME OPTIONS PROGRAM...
compare() {
	local name=$1 options=$2 seed
	shift 2
	[[ " $names " == *" $name "* ]] || return
	for seed in $seeds; do
		run "$options --seed=$seed --no-two-pass" "$@"
		cp said one
		run "$options --seed=$seed" "$@"
		row "$name" "$seed" one said
	done
}

# NAME COMMANDS PROGRAM...: a server, and what two clients send to it at the same time
serve() {
	local name=$1 commands=$2 seed
	shift 2
	[[ " $names " == *" $name "* ]] || return
	cat >client <<-END
		one() { until exec 3<>/dev/tcp/127.0.0.1/$port; do sleep 0.05; done 2>/dev/null; printf '$commands' >&3; cat <&3; }
		one & one; wait
	END
	for seed in $seeds; do
		rm -rf out
		timeout 3600 "$rfsup" --verbose --no-confirm --runs=1 --policy=random --detector=hybrid --timeout=600 \
			--hang-factor=1000 --seed="$seed" --keep-records --drive "bash $dir/client" -o out -- "$@" >said 2>&1
		timeout 3600 "$rfsup" --verbose --replay "out/records/sample-seed-$seed.json" >one 2>&1
		row "$name" "$seed" one said
	done
}

echo "# two passes against one; $(date -u +%Y-%m-%dT%H:%MZ); input of $kib KiB"
compare pigz --module=libz.so* pigz -c -p4 -b 32 input
compare pbzip2 --module=libbz2.so* pbzip2 -c -k -p4 -b1 input
compare xz --module=liblzma.so* xz -c -k -T2 -1 --block-size=64KiB input
compare zstd '' zstd -c -q -T2 input
compare sqlite3 '--module=libsqlite3.so*' sqlite3 :memory: 'PRAGMA page_size = 512; PRAGMA threads = 2;
	PRAGMA cache_size = 10; PRAGMA temp_store = file; CREATE TABLE t(a, b);
	WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
		INSERT INTO t SELECT i * 7919 % 3001, hex(zeroblob(80)) FROM n;
	CREATE INDEX x ON t(b, a); SELECT count(*), sum(a) FROM t WHERE a > 5;'
serve memcached 'set a 0 0 3\r\nabc\r\nincr b 1\r\nget a\r\nquit\r\n' \
	memcached -u root -l 127.0.0.1 -U 0 -t 3 -p "$port"
serve redis 'SET a 7\r\nSTRLEN x\r\nQUIT\r\n' \
	redis-server --bind 127.0.0.1 --save '' --io-threads 3 --port "$port"
exit $differ
