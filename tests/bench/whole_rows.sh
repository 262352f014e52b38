# shellcheck shell=bash disable=SC2034,SC2317,SC2016,SC2094,SC2154 # whole.sh reads and calls what the rows set
# whole_rows.sh - the programs of whole.sh, a function each. compgen sorts them by name.

postgres=$(echo /usr/lib/postgresql/*/bin)
web=18347

serve() { # the client of a web server
	client="until curl -s http://127.0.0.1:$web/page -o /dev/null; do sleep 0.1; done
		for i in 1 2 3 4; do curl -s http://127.0.0.1:$web/page; done >answers"
	fresh() { mkdir docs logs && chmod 755 . docs && echo "the page" >docs/page && settings >conf; }
	result() { cat answers; }
}

row_01_nginx() {
	settings() {
		printf '%s\n' 'daemon off;' 'worker_processes 2;' "pid $PWD/pid;" "error_log $PWD/logs/error;" 'events {}' \
			"http { access_log off; server { listen 127.0.0.1:$web; root $PWD/docs; } }"
	}
	serve
	command=(/usr/sbin/nginx -p . -e logs/error -c "$scratch/work/conf")
	check nginx nginx-light "2 workers, 4 requests of curl"
}

apache() { # MODULE
	module=$1
	settings() {
		local modules=/usr/lib/apache2/modules
		printf '%s\n' "ServerRoot $PWD" "ServerName localhost" "Listen 127.0.0.1:$web" "PidFile $PWD/pid" "ErrorLog $PWD/logs/error" \
			"LoadModule mpm_${module}_module $modules/mod_mpm_$module.so" "LoadModule authz_core_module $modules/mod_authz_core.so" \
			"DefaultRuntimeDir $PWD" "User www-data" "Group www-data" "DocumentRoot $PWD/docs" "StartServers 2"
	}
	serve
	command=(/usr/sbin/apache2 -D FOREGROUND -f "$scratch/work/conf")
	check "apache2 $1" apache2-bin "mpm_$1, 2 servers, 4 requests of curl"
}

row_02_apache_prefork() { apache prefork; }
row_03_apache_event() { apache event; }

# A data folder of the account, made once.
cluster() {
	user=postgres
	[ -d "$scratch/cluster" ] && return
	mkdir "$scratch/cluster" && chown postgres "$scratch/cluster"
	(as "$postgres/initdb" -D "$scratch/cluster" -A trust -N) >/dev/null
}

row_04_initdb() {
	user=postgres
	command=("$postgres/initdb" -D data -A trust -N --no-instructions)
	result() { cat "$text" && ls data && cat data/PG_VERSION; }
	check initdb postgresql-15 "a new data folder"
}

row_05_single() {
	cluster
	fresh() {
		cp -a "$scratch/cluster" data
		printf '%s\n' 'create table t (n int)' 'insert into t select generate_series(1, 100)' 'select sum(n) from t' >sql
	}
	command=(bash -c "$postgres/postgres --single -D data postgres <sql")
	check postgres postgresql-15 "--single, 3 statements"
}

# The tables of pgbench, made without rfsup: 100,000 rows are some million operations on locks in shared memory.
tables() {
	local server
	cp -a "$scratch/cluster" "$scratch/tables"
	(as "$postgres/postgres" -D "$scratch/tables" -k "$scratch/tables" -h '' >/dev/null 2>&1) &
	server=$!
	until psql -qh "$scratch/tables" -U postgres -c 'select 1' postgres >/dev/null 2>&1; do sleep 0.2; done
	pgbench -qih "$scratch/tables" -U postgres -s 1 postgres 2>/dev/null
	kill "$server"
	wait "$server"
}

row_06_pgbench() {
	cluster
	fresh() { cp -a "$scratch/tables" data; }
	command=("$postgres/postgres" -D data -k "$scratch/work" -h '')
	client="until psql -qh $scratch/work -c 'select 1' postgres >/dev/null 2>&1; do sleep 0.2; done
		pgbench -nh $scratch/work -t 10 -c 2 postgres 2>/dev/null >bench
		psql -Ath $scratch/work -c 'select count(*) from pgbench_history' postgres >rows
		psql -Ath $scratch/work -c 'select sum(abalance) = (select sum(delta) from pgbench_history) from pgbench_accounts' \\
			postgres >>rows"
	# without latencies and rates
	result() { grep -v -E 'latency|tps|time' bench && cat rows; }
	# shellcheck disable=SC2254 # a glob is meant
	case pgbench in $glob) tables ;; esac
	check pgbench postgresql-15 "postmaster; pgbench -n -s 1 -t 10 -c 2, tables made before"
}

row_07_make() {
	fresh() {
		local i
		for i in 1 2 3 4; do echo "int f$i(void) { return $i; }" >"f$i.c"; done
		echo 'int f1(void), f2(void), f3(void), f4(void); int main(void) { return f1() + f2() + f3() + f4() - 10; }' >main.c
		printf '%b' 'main: main.o f1.o f2.o f3.o f4.o\n\tcc -o $@ $^\n' >Makefile
	}
	command=(/usr/bin/make -j4)
	# jobs print their commands in any order
	result() { sort "$text" && ./main && echo runs; }
	check make make "-j4, 5 objects and a link"
}

row_08_git() {
	fresh() {
		local i
		export HOME=$PWD GIT_AUTHOR_DATE='2026-01-01 00:00 +0000' GIT_COMMITTER_DATE='2026-01-01 00:00 +0000'
		git init -q repo
		git -C repo config user.email a@b.c
		git -C repo config user.name a
		for i in 1 2 3 4 5; do
			seq "$i" 200 >repo/file
			git -C repo add file
			git -C repo commit -qm "$i"
		done
		echo more >>repo/file
	}
	command=(/bin/bash -c 'cd repo; git gc -q & git commit -qam beside; wait')
	result() { cat "$text" && git -c safe.directory='*' -C repo fsck 2>/dev/null && git -c safe.directory='*' -C repo log --format='%H %s'; }
	check git git "git gc beside git commit, started by bash"
}

row_09_python() {
	fresh() {
		cat >program.py <<'PYTHON'
import multiprocessing as mp

def square(x):
    return x * x

def work(queue, value, i):
    queue.put(i)
    for _ in range(10):
        with value.get_lock():
            value.value += i

if __name__ == "__main__":
    with mp.Pool(3) as pool:
        print(pool.map(square, range(10)))
    queue, value = mp.Queue(), mp.Value("i", 0)
    workers = [mp.Process(target=work, args=(queue, value, i)) for i in range(3)]
    for worker in workers:
        worker.start()
    print(sorted(queue.get() for _ in workers))
    for worker in workers:
        worker.join()
    print(value.value)
PYTHON
	}
	command=(/usr/bin/python3 program.py)
	check python3 python3 "multiprocessing: Pool, Queue, Value"
}

row_10_flock() {
	command=(/bin/bash -c 'for i in 1 2 3; do flock lock sh -c "n=\$(cat n 2>/dev/null || echo 0); echo \$((n + 1)) >n" & done; wait; cat n')
	check flock util-linux "3 processes, one lock file"
}

row_11_dpkg() {
	fresh() {
		mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates package/DEBIAN package/etc
		touch root/var/lib/dpkg/status
		printf '%s\n' 'Package: a' 'Version: 1' 'Architecture: all' 'Maintainer: a <a@b.c>' 'Description: a' >package/DEBIAN/control
		echo content >package/etc/a
		dpkg-deb -b package a.deb >/dev/null
	}
	command=(/usr/bin/dpkg --root=root --force-script-chrootless --force-not-root -i a.deb)
	result() { cat "$text" root/etc/a; }
	check dpkg dpkg "-i in a folder of its own: lock files, dpkg-deb, tar"
}

row_12_crond() {
	fresh() {
		mkdir tabs
		echo "* * * * * echo tick >>$PWD/ticks" >tabs/root
	}
	command=(/usr/bin/busybox crond -f -c "$scratch/work/tabs" -L "$scratch/work/log")
	client='until [ -s ticks ]; do sleep 0.1; done'
	# how often depends on the minute at which it starts
	result() { sort -u ticks; }
	check crond busybox-static "in the foreground, a job each minute"
}

row_13_xargs() {
	fresh() { seq 8 >numbers; }
	command=(/usr/bin/xargs -a numbers -P4 -n1 echo)
	# jobs print in any order
	result() { sort "$text"; }
	check xargs findutils "-P4, 8 times echo"
}

row_14_bash() {
	command=(/bin/bash -c 'for i in 1 2 3; do (echo $i; sleep 0.01) & done; wait; seq 100 | sort -rn | head -n 3')
	# jobs print in any order
	result() { sort "$text"; }
	check bash bash "3 background jobs, a pipeline"
}

row_15_parallel() {
	command=(/usr/bin/parallel -j3 -k echo '{}' ::: a b c d)
	check parallel parallel "-j3 -k, 4 jobs"
}

row_16_rsync() {
	fresh() {
		mkdir from
		seq 1000 >from/a
		seq 2000 >from/b
	}
	command=(/usr/bin/rsync -av from/ to/)
	# without the rate
	result() { grep -v -E '^(sent|total) ' "$text" && cksum to/a to/b; }
	check rsync rsync "-av of 2 files: sender, receiver, generator"
}
