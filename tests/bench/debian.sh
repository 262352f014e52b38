#!/bin/bash
# Runs the whole campaign, with default options and a budget, on programs of Debian and on small programs in other
# languages, and prints a row for each. Started by make bench-debian, which installs the programs first.
#
#   tests/bench/debian.sh BUILD [NAME...]      NAME: only these rows; without names, all
#
# BUDGET in the environment: the budget in seconds (60). All files are in BUILD/debian/NAME: `report` is the output
# folder of the campaign, and `check` that of three more runs whose output is compared.
#
# Columns: seconds and exit status of the campaign; runs of the phases predict, confirm and explore; lines of the
# report; what was found; predicted pairs that were not confirmed; whether the program's output was right.
set -u
build=$(realpath "$1")
shift
rfsup=$build/rfsup
sources=$(realpath "$(dirname "$0")")/programs/debian
budget=${BUDGET:-60}
port=$((20000 + $$ % 20000))
export LC_ALL=C

# ---- inputs ----

# Numbers in an order that compresses neither well nor badly.
numbers() { # LINES
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print i * 7919 % 100003 }'
}

repository() { # FOLDER: a git repository with 40 files
	git init -q "$1"
	for i in $(seq 40); do
		numbers "$((100 + i))" >"$1/file$i"
	done
	git -C "$1" add .
}

objects() { # FOLDER: 20 object files and a main program
	for i in $(seq 20); do
		echo "int value$i(void) { return $i; }" >"$1/part$i.c"
	done
	{
		echo '#include <stdio.h>'
		for i in $(seq 20); do echo "int value$i(void);"; done
		echo 'int main(void) { int sum = 0;'
		for i in $(seq 20); do echo "sum += value$i();"; done
		echo 'return printf("%d ", sum) < 0; }'
	} >"$1/main.c"
	(cd "$1" && gcc -ffunction-sections -c ./*.c)
}

nginx_conf() {
	cat <<-END
		daemon off;
		master_process off;
		pid $PWD/nginx.pid;
		error_log stderr;
		thread_pool default threads=2;
		events {}
		http {
			access_log off;
			client_body_temp_path $PWD/body;
			proxy_temp_path $PWD/proxy;
			fastcgi_temp_path $PWD/fastcgi;
			uwsgi_temp_path $PWD/uwsgi;
			scgi_temp_path $PWD/scgi;
			server {
				listen 127.0.0.1:$port;
				root $PWD;
				aio threads;
				sendfile off;
			}
		}
	END
}

# ---- rows ----

# Each function fills: program (words to run), options of rfsup, and check, a command that reads the output of one run
# as its standard input. Without a check, the output must be that of an uncontrolled run. A server has the check
# `client`: its clients write what they got to the file `got`. The function is called in the folder of its row.
compressor() { # UNPACK WORD...
	numbers 30000 >in
	check="$1 -dc | cmp - in"
	shift
	program=("$@")
}
row_pigz() { compressor gzip pigz -p 3 -b 32 -c in; }
row_pbzip2() { compressor bzip2 pbzip2 -p3 -b1 -k -c in; }
row_pixz() {
	compressor xz pixz -p 3 -1
	options=(--stdin in)
}
row_plzip() { compressor plzip plzip -n 3 -0 -B 32KiB -c in; }
row_lbzip2() { compressor bzip2 lbzip2 -n 3 -1 -k -c in; }
row_xz() { compressor xz xz -T3 --block-size=32KiB -1 -k -c in; }
row_zstd() { compressor zstd zstd -q -T3 -1 -k -c in; }

server() { # CLIENT WORD...
	check=client
	options=(--drive "$1")
	shift
	program=("$@")
}
row_memcached() {
	printf 'printf "set a 0 0 3\\r\\nabc\\r\\nincr b 1\\r\\nget a\\r\\nquit\\r\\n" >&3; cat <&3\n' >client
	printf 'STORED\r\nNOT_FOUND\r\nVALUE a 0 3\r\nabc\r\nEND\r\n' >want
	server "$(client)" memcached -u root -l 127.0.0.1 -U 0 -t 3 -p "$port"
}
row_redis() {
	printf 'printf "SET a 7\\r\\nSTRLEN x\\r\\nQUIT\\r\\n" >&3; cat <&3\n' >client
	printf '+OK\r\n:%d\r\n+OK\r\n' 0 >want
	server "$(client)" redis-server --bind 127.0.0.1 --save "" --io-threads 3 --port "$port"
}
row_nginx() {
	numbers 100 >page
	nginx_conf >nginx.conf
	printf 'printf "GET /page HTTP/1.0\\r\\n\\r\\n" >&3; sed "1,/^.$/d" <&3\n' >client
	cp page want
	server "$(client)" nginx -e stderr -c "$PWD/nginx.conf"
}
# The commands of the file `client` by three clients at the same time, as soon as the server listens.
client() {
	cat >clients <<-END
		until (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do sleep 0.01; done
		for i in 1 2 3; do
			(exec 3<>/dev/tcp/127.0.0.1/$port; . $PWD/client) >$PWD/got.\$i 2>/dev/null &
		done
		wait
		cat $PWD/got.1 $PWD/got.2 $PWD/got.3 >>$PWD/got
	END
	echo "bash $PWD/clients"
}

row_git_grep() {
	repository repository
	program=(git -C repository grep --threads 3 -c 77)
}
row_ld_lld() {
	objects .
	program=(ld.lld --threads=3 --gc-sections -o linked -dynamic-linker /lib64/ld-linux-x86-64.so.2
		"$(gcc -print-file-name=crt1.o)" "$(gcc -print-file-name=crti.o)" main.o part*.o
		"-L$(dirname "$(gcc -print-file-name=libc.so)")" -lc "$(gcc -print-file-name=crtn.o)")
	check='./linked | grep -qx "210 "'
}
row_ffmpeg() {
	program=(ffmpeg -v error -nostdin -f lavfi -i "testsrc=size=64x48:rate=5:duration=1" -c:v libx264 -threads 3
		-preset ultrafast -f h264 -)
}
row_sqlite3() {
	program=(sqlite3 :memory: "PRAGMA page_size = 512; PRAGMA threads = 2; PRAGMA cache_size = 10;
		PRAGMA temp_store = file;
		CREATE TABLE t(a, b);
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
			INSERT INTO t SELECT i * 7919 % 3001, hex(zeroblob(80)) FROM n;
		CREATE INDEX x ON t(b, a); SELECT count(*), sum(a) FROM t WHERE a > 5;")
}
row_gio() {
	numbers 2000 >in
	program=(gio info in)
}
row_python3() { program=(/usr/bin/python3 "$sources/counters.py"); }
row_node() { program=(node "$sources/counters.js"); }
row_java_version() {
	program=(java -version)
	check=true
}
row_java_threads() {
	javac -d . "$sources/Counters.java"
	program=(java -cp . Counters)
}
row_rust() {
	rustc -g -O -o counters "$sources/counters.rs"
	program=(./counters)
}
row_go() {
	cp "$sources/counters.go" .
	go build -o counters counters.go
	program=(./counters)
}
row_ocaml() {
	cp "$sources/counters.ml" .
	ocamlopt -g -I +threads -o counters unix.cmxa threads.cmxa counters.ml
	program=(./counters)
}
row_tbb() {
	g++ -O2 -g -std=c++17 -o counters "$sources/counters_tbb.cc" -ltbb
	program=(./counters)
}
row_openmp() {
	gcc -O2 -g -fopenmp -o counters "$sources/counters_openmp.c"
	program=(./counters)
}
row_glib() {
	# shellcheck disable=SC2046
	gcc -O2 -g -o counters "$sources/counters_glib.c" $(pkg-config --cflags --libs glib-2.0)
	program=(./counters)
}

# ---- the table ----

# Three controlled runs without a detector. "yes" if each had the right output.
output_right() {
	local file answers right=yes

	rm -f got
	"$rfsup" --quiet --policy random --points sync --runs 3 --keep-records --budget 30 -o check "${options[@]}" \
		-- "${program[@]}" >check.txt 2>&1
	for file in check/runs/sample-*.out; do
		if [ "$check" = client ]; then
			:
		elif [ "$check" ]; then
			bash -c "$check" <"$file" >/dev/null 2>&1 || right=NO
		else
			cmp -s "$file" want || right=NO
		fi
	done
	[ "$file" = 'check/runs/sample-*.out' ] && right=NONE
	if [ "$check" = client ]; then
		# three clients in each run; the uncontrolled run and at least one more have ended
		answers=$(($(wc -c <got) / $(wc -c <want)))
		[ "$answers" -ge 6 ] && cmp -s got <(for _ in $(seq "$answers"); do cat want; done) || right=NO
	fi
	echo "$right"
}

row() { # NAME
	local folder=$build/debian/$1 started status seconds column

	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder" || exit 1
	options=() check=
	"row_$1" || exit 1
	[ "$check" ] || "${program[@]}" >want 2>/dev/null
	started=$(date +%s.%N)
	timeout -k 5 $((budget * 2)) "$rfsup" --quiet --budget "$budget" --stats -o report "${options[@]}" -- "${program[@]}" \
		>report.txt 2>messages.txt
	status=$?
	seconds=$(echo "$(date +%s.%N) - $started" | bc)
	jq -r '
		def runs(name): [.phases[]? | select(.name == name) | .runs][0] // "-";
		def is(words): [.pairs[]? | select(.verdict == words)] | length;
		[runs("predict"), runs("confirm"), runs("explore"), is("real") + is("harmful"), is("unclear"),
			(.failures | length) + (.deadlocks | length), is("unconfirmed")] | map(tostring) | join(" ")
		' report/report.json >columns 2>/dev/null || echo '- - - - - - -' >columns
	read -ra column <columns
	line "$1" "$(printf %.1f "$seconds")" "$status" "${column[@]:0:3}" "$(wc -l <report.txt)" "${column[@]:3}" \
		"$(output_right)"
}

line() { printf '%-13s %7s %6s %8s %8s %8s %6s %5s %8s %9s %12s %7s\n' "$@"; }
rows() { declare -F | sed -n 's/^declare -f row_//p'; }

line program seconds status predict confirm explore lines real unclear failures unconfirmed output
# shellcheck disable=SC2046
test $# -gt 0 || set -- $(rows)
for name in "$@"; do
	(row "$name")
done
