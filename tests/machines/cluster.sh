#!/bin/bash
# Carries out one plan in three ways: on one machine, in eight parts with docs/cluster/parallel.sh, and in eight parts as an
# array of Slurm jobs with docs/cluster/slurm.sh, on a Slurm of one node that this script starts and ends. Each time, part 3
# is killed when it has results, and repeated. The three reports must be the same, and each record must replay.
#
#   tests/machines/cluster.sh BUILD PROGRAM [OPTION of --plan...]
#
# Needs root, and the packages parallel, munge, slurmctld, slurmd and slurm-client. Ports and files are its own, so a Slurm
# of the machine is not touched. All files are in BUILD/cluster.
set -eu
build=$(realpath "$1") program=$(realpath "$2")
shift 2
export RFSUP=$build/rfsup
docs=$(realpath "$(dirname "$0")/../../docs/cluster")
work=$build/cluster
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
	echo "cluster: $*" >&2
	exit 1
}

# The report without times and names of directories.
bare() {
	sed -E 's/\([0-9.]+ s\)//; s#[^ ]*/cluster/(whole|parallel|slurm)(/merged)?#out#g' "$1"
}

findings() {
	sed -n 's/^result *//p' "$1"
}

expect_whole() { # NAME: the merged report in NAME is that of the whole plan
	bare whole/report.txt >whole.bare
	bare "$1/merged/report.txt" >"$1.bare"
	diff whole.bare "$1.bare" >&2 || fail "$1: the merged report differs from that of one machine"
	for record in "$1"/merged/records/*.json; do
		case $record in *-story-*) continue ;; esac
		status=0
		"$RFSUP" --replay "$record" >"$1.replay" 2>&1 || status=$?
		test $status -le 1 || fail "$record does not replay: $(cat "$1.replay")"
	done
	echo "$1: same report as one machine; $(ls "$1"/merged/records/*.json | wc -l) records replay"
}

wait_until() { # SECONDS COMMAND...
	local i
	for ((i = $1 * 20; i > 0; i--)); do
		"${@:2}" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	fail "waited $1 s in vain for: ${*:2}"
}

has_items() {
	test -n "$(ls "$1/items" 2>/dev/null)"
}

# ---- one node ----

start_slurm() {
	local port=$((20000 + $$ % 20000)) host cores
	host=$(hostname -s) cores=$(nproc)
	mkdir -m 755 slurm.state slurm.spool munge
	chown munge: munge
	dd if=/dev/urandom of=munge/key bs=128 count=1 status=none
	chown munge: munge/key
	chmod 400 munge/key
	# munged wants all folders above its files to be closed to others, or --force
	runuser -u munge -- munged --force --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" \
		--pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" >munge.out 2>&1 &
	daemons+=($!)
	cat >slurm.conf <<END
ClusterName=rfsup
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
StateSaveLocation=$work/slurm.state
SlurmdSpoolDir=$work/slurm.spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
	export SLURM_CONF=$work/slurm.conf
	wait_until 20 test -S munge/socket
	slurmctld -D -i >slurmctld.out 2>&1 &
	daemons+=($!)
	slurmd -D >slurmd.out 2>&1 &
	daemons+=($!)
	wait_until 60 sh -c 'sinfo -h -o %t | grep -qE "^(idle|mix)$"'
}

end_slurm() {
	local i
	for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
		kill "${daemons[i]}" 2>/dev/null || true
	done
	wait
}

# ---- the three ways ----

daemons=()
trap end_slurm EXIT

"$RFSUP" --quiet --plan plan "$@" "$program" >plan.txt
status=0
"$RFSUP" --quiet --shard 1/1 --plan plan -o whole >whole.txt || status=$?
test $status -ne 2 || fail "the whole plan was not carried out"
echo "plan: $(tail -2 plan.txt | head -1 | sed 's/^plan *//'); one machine: $(findings whole/report.txt)"

mkdir parallel
"$RFSUP" --quiet --shard 3/8 --plan plan -o parallel/part3 >/dev/null 2>&1 &
shard=$!
wait_until 300 has_items parallel/part3
kill -KILL $shard
wait $shard || true
done_before=$(ls parallel/part3/items | wc -l)
sh "$docs/parallel.sh" plan 8 parallel -j2 >parallel.txt 2>parallel.err || test $? -ne 2 || fail "$(cat parallel.err)"
echo "parallel: part 3 was killed with $done_before of $(ls parallel/part3/items | wc -l) items"
expect_whole parallel

start_slurm
mkdir slurm
jobs=$(sbatch --parsable --array=1-8 --export="ALL,PLAN=$work/plan,OUT=$work/slurm" "$docs/slurm.sh")
wait_until 300 has_items slurm/part3
scancel --signal=KILL "${jobs}_3"
wait_until 600 sh -c "! squeue -h -j $jobs | grep -q ."
echo "slurm: part 3 was killed with $(ls slurm/part3/items | wc -l) items"
sbatch --parsable --wait --array=3 --export="ALL,PARTS=8,PLAN=$work/plan,OUT=$work/slurm" "$docs/slurm.sh" >/dev/null ||
	fail "part 3 failed again"
echo "slurm: part 3 was repeated and has $(ls slurm/part3/items | wc -l) items"
sbatch --parsable --wait --export="ALL,OUT=$work/slurm,MERGE=1" "$docs/slurm.sh" >/dev/null || test $? -ne 2 ||
	fail "the merge failed"
expect_whole slurm
