# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the caller uses the variables
# search_rows.sh - programs and libraries of Debian for tests/bugs/search, in addition to those of tests/bench/debian_rows.sh.
#
# A function row_NAME fills `program` and, if needed, `options`, in the folder of its row; lib_NAME prints the options of
# rfsup --generate. package_NAME is the Debian package, if it has another name than the row.

# ---- programs ----

# A DNA sequence that is the same in each run.
bases() { # LENGTH
	awk -v n="$1" 'BEGIN { x = 1; for (i = 0; i < n; i++) { x = (x * 1103515245 + 12345) % 2147483648
		printf "%s", substr("ACGT", int(x / 65536) % 4 + 1, 1) } print "" }'
}
fasta() { # FILE LENGTH
	{ echo ">one"; bases "$2"; } >"$1"
}
fastq() { # FILE READS, cut from the file `fasta`
	awk -v n="$2" 'NR == 2 { for (i = 0; i < n; i++) { s = substr($0, i * 17 % 1500 + 1, 60); q = s; gsub(/./, "I", q)
		print "@r" i "\n" s "\n+\n" q } }' fasta >"$1"
}
files() { # FOLDER N: files of different sizes
	mkdir -p "$1"
	for i in $(seq "$2"); do numbers "$((i * 40))" >"$1/file$i"; done
}
video() {
	# two frames of 64x48 in YUV 4:2:0
	head -c $((64 * 48 * 3 / 2 * 6)) /dev/zero | tr '\0' 'k' >in.yuv
}

row_mbuffer() {
	numbers 20000 >in
	program=(mbuffer -f -q -i in -o out -s 10k -m 100k)
}
row_mksquashfs() {
	files folder 12
	program=(mksquashfs folder image -processors 3 -no-progress -noappend -quiet)
}
package_mksquashfs=squashfs-tools
row_unsquashfs() {
	files folder 12
	mksquashfs folder image -no-progress -noappend -quiet >/dev/null
	program=(unsquashfs -f -d out -processors 3 -no-progress -quiet image)
}
package_unsquashfs=squashfs-tools
row_ag() {
	files folder 20
	program=(ag --workers 3 --nocolor 77 folder)
}
package_ag=silversearcher-ag
row_primesieve() { program=(primesieve 2e7 -t3 -q --size=16); }
package_primesieve=primesieve-bin
row_stockfish() {
	printf 'setoption name Threads value 3\nsetoption name Hash value 1\ngo depth 2\nquit\n' >in
	program=(/usr/games/stockfish)
	options=(--stdin in)
}
row_fastp() {
	fasta fasta 2000
	fastq in.fq 200
	program=(fastp -i in.fq -o out.fq -w 2 -j report.json -h report.html)
}
row_bwa() {
	fasta fasta 2000
	fastq in.fq 60
	bwa index fasta 2>/dev/null
	program=(bwa mem -t 3 -v 1 fasta in.fq)
}
row_vsearch() {
	fasta fasta 2000
	fastq in.fq 20
	awk 'NR % 4 == 1 { print ">" substr($0, 2) } NR % 4 == 2' in.fq >in.fa
	program=(vsearch --allpairs_global in.fa --id 0.5 --threads 3 --blast6out out --quiet)
}
row_lrzip() {
	numbers 20000 >in
	program=(lrzip -q -f -p 3 -o out in)
}
row_par2() {
	numbers 3000 >in
	program=(par2 create -q -q -t3 -s512 -c8 out.par2 in)
}
row_x264() {
	video
	program=(x264 --quiet --threads 3 --preset ultrafast --input-res 64x48 -o out.264 in.yuv)
}
row_x265() {
	video
	program=(x265 --log-level none --pools 2 --frame-threads 2 --preset ultrafast --input-res 64x48 --fps 25 -o out.265 in.yuv)
}
row_fio() { program=(fio --thread --name=a --size=64k --bs=4k --rw=randrw --numjobs=3 --ioengine=sync --minimal --disk_util=0); }
row_sysbench() { program=(sysbench mutex --threads=3 --mutex-num=4 --mutex-locks=40 --mutex-loops=10 run); }
row_sort() {
	numbers 140000 >in # it has threads from 131072 lines on
	program=(sort --parallel=3 -S 30M in)
}
package_sort=coreutils
row_index_pack() {
	repository repository
	git -C repository -c user.name=a -c user.email=a@b commit -q -m a
	git -C repository repack -q -a -d
	cp repository/.git/objects/pack/*.pack in.pack
	program=(git -C repository index-pack --threads=3 -o "$PWD/out.idx" "$PWD/in.pack")
}
package_index_pack=git
row_pack_objects() {
	repository repository
	git -C repository -c user.name=a -c user.email=a@b commit -q -m a
	git -C repository rev-list --objects --all >in
	program=(git -C repository pack-objects --threads=3 --window=4 -q "$PWD/out")
	options=(--stdin "$PWD/in")
}
package_pack_objects=git
row_gold() {
	objects .
	program=(ld.gold --threads --thread-count=3 -r -o linked main.o part1.o part2.o part3.o part4.o)
}
package_gold=binutils
row_ripgrep() {
	files folder 12
	program=(rg -j 3 -c 77 folder)
}
row_fdfind() {
	files folder 12
	program=(fdfind -j 3 file folder)
}
package_fdfind=fd-find
row_b3sum() {
	numbers 40000 >in
	program=(b3sum --num-threads 3 in)
}
package_pigz_d=pigz
row_pigz_d() {
	numbers 30000 | gzip >in.gz
	program=(pigz -d -p 3 -c in.gz)
}
package_pbzip2_d=pbzip2
row_pbzip2_d() {
	numbers 30000 >in
	pbzip2 -p2 -b1 -k in
	program=(pbzip2 -d -p3 -c in.bz2)
}

# ---- libraries ----

folder=/usr/lib/$(uname -m)-linux-gnu
hints=$(dirname "${BASH_SOURCE[0]}")/../../hints
own=$(dirname "${BASH_SOURCE[0]}")/../bench/generate

lib_json_c() { echo "$folder/libjson-c.so.5 --header json-c/json.h"; }
package_json_c=libjson-c5
lib_cjson() { echo "$folder/libcjson.so.1 --header cjson/cJSON.h"; }
package_cjson=libcjson1
lib_protobuf_c() { echo "$folder/libprotobuf-c.so.1 --header protobuf-c/protobuf-c.h"; }
package_protobuf_c=libprotobuf-c1
lib_yaml() { echo "$folder/libyaml-0.so.2 --header yaml.h"; }
package_yaml=libyaml-0-2
lib_config() { echo "$folder/libconfig.so.9 --header libconfig.h"; }
package_config=libconfig9
lib_archive() { echo "$folder/libarchive.so.13 --header archive.h --header archive_entry.h --hints $hints/libarchive.hints --type *"; }
package_archive=libarchive13
lib_curl() { echo "$folder/libcurl.so.4 --header curl/curl.h --hints $hints/curl.hints --type *"; }
package_curl=libcurl4
lib_expat() { echo "$folder/libexpat.so.1 --header expat.h --hints $hints/expat.hints --type *"; }
package_expat=libexpat1
lib_jansson() { echo "$folder/libjansson.so.4 --header jansson.h --hints $own/jansson_read.hints"; }
package_jansson=libjansson4
lib_zmq() { echo "$folder/libzmq.so.5 --header zmq.h --hints $hints/zmq.hints"; }
package_zmq=libzmq5
lib_tinyxml2() { echo "$folder/libtinyxml2.so.9 --header $own/tinyxml2.hh"; }
package_tinyxml2=libtinyxml2-9
lib_uv() { echo "$folder/libuv.so.1 --header uv.h --hints $own/uv.hints --type pthread_mutex_t --type pthread_rwlock_t --type sem_t --type pthread_cond_t"; }
package_uv=libuv1
lib_usb() { echo "$folder/libusb-1.0.so.0 --header libusb-1.0/libusb.h"; }
package_usb=libusb-1.0-0
lib_pcre2() { echo "$folder/libpcre2-8.so.0 --header pcre2.h --cflags -DPCRE2_CODE_UNIT_WIDTH=8"; }
package_pcre2=libpcre2-8-0
lib_lmdb() { echo "$folder/liblmdb.so.0 --header lmdb.h"; }
package_lmdb=liblmdb0
