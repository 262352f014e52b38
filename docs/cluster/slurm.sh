#!/bin/sh
# Carries out a plan of rfsup as an array of Slurm jobs, one for each part, and merges them:
#
#     rfsup --plan PLAN ./program
#     jobs=$(sbatch --parsable --array=1-8 --export=ALL,PLAN=$PWD/PLAN,OUT=$PWD/OUT slurm.sh)
#     sbatch --wait --dependency=afterany:$jobs --export=ALL,OUT=$PWD/OUT,MERGE=1 slurm.sh
#
# To repeat only part 3 of 8, submit --array=3 with PARTS=8 in --export.
# The directories are in a file system of all nodes. A job that Slurm requeues continues its part. The report of the last job
# is in OUT/merged, and its exit status is that of rfsup --merge.
#SBATCH --job-name=rfsup
#SBATCH --requeue
#SBATCH --output=rfsup-%A-%a.txt
set -eu
rfsup=${RFSUP:-rfsup}
mkdir -p "$OUT"
if [ "${MERGE:-}" ]; then
	rm -rf "$OUT/merged"
	exec "$rfsup" --merge -o "$OUT/merged" "$OUT"/part*/
fi
status=0
"$rfsup" --quiet --shard "$SLURM_ARRAY_TASK_ID/${PARTS:-$SLURM_ARRAY_TASK_COUNT}" --plan "$PLAN" -j "${SLURM_CPUS_PER_TASK:-1}" \
	-o "$OUT/part$SLURM_ARRAY_TASK_ID" || status=$?
# a finding is not a failure of the job
test "$status" -le 1
