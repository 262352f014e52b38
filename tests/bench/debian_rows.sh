# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the caller uses the variables, and sets sources and port
# debian_rows.sh - programs of Debian and how they are run, a function for each; read by debian.sh and budgets.sh. The caller sets
# `sources`, the folder programs/debian, and `port`, a free port.

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
