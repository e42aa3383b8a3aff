#!/usr/bin/env bash
# Submits jobscripts/slurm_cpu.sh to a throw-away SLURM: test_jobs.sh PROGRAM. Exit code 77 where there can be none.
#   1. a small deck, submitted from another folder, ends as COMPLETED and its result file is there; once more by srun,
#      where SLURM has the PMIx that Open MPI needs, and by the script of an installed halocline
#   2. a job that is told USR1, as before its time limit, ends by itself, requeues and continues from its checkpoint; the
#      solver is played by a script here, so that the moment of the checkpoint is known
#   3. a long run that srun starts without a job script saves its state and ends with 0: by Ctrl-C under srun -X, by the end
#      of the session under jobscripts/srun.sh, by scancel
set -euo pipefail
program=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
[ -x "$program" ] || { echo "skipped: $program is not built"; exit 77; }

unset "${!SLURM_@}" "${!HALOCLINE@}"  # of a job this test may itself run in; of a module
work=$(mktemp -d)
trap '"$here/stop.sh" "$work/slurm"; rm -rf -- "$work"' EXIT
trap 'exit 1' INT TERM HUP
"$here/start.sh" "$work/slurm"
export SLURM_CONF=$work/slurm/slurm.conf
cd "$root"

fail() {
  echo "FAILED: $*"
  cat "$work"/*.log
  exit 1
}

# submit NAME OPTIONS...: prints the job's number.
submit() { cd "$work" && sbatch --parsable --output="$work/$1.log" --ntasks-per-node=2 --cpus-per-task=1 "${@:2}"; }

state() { scontrol --oneliner show job "$1" | sed 's/.* JobState=\([A-Z]*\).*/\1/'; }

# expect JOB STATE SECONDS: waits that long for the state.
expect() {
  local now
  for ((i = 0; i < 10 * $3; i++)); do
    now=$(state "$1")
    [ "$now" != "$2" ] || return 0
    [[ ! $now =~ ^(FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]] || break
    sleep 0.1
  done
  fail "job $1 is $now instead of $2"
}

small_deck() {
  local job
  job=$(HALOCLINE=$program HALOCLINE_LAUNCHER=$1 OUTPUT=$work/$1 submit "$1" "$root/jobscripts/slurm_cpu.sh" small.yaml)
  expect "$job" COMPLETED 120
  grep -q '"ranks": 2' "$work/$1/report.json" || fail "no report.json of 2 ranks"
  ls "$work/$1"/fields_0*.vtkhdf >/dev/null || fail "no fields"
  echo "the deck was solved by job $job, started by $1"
}

requeue() {
  local job
  job=$(HALOCLINE=$here/pretend_solver.sh OUTPUT=$work/long submit long "$root/jobscripts/slurm_cpu.sh" any.yaml)
  expect "$job" RUNNING 20
  for ((i = 0; i < 100; i++)); do
    [ -e "$work/long/started_0" ] && [ -e "$work/long/started_1" ] && break
    sleep 0.1
  done
  scancel --batch --signal=USR1 "$job"
  expect "$job" PENDING 30
  # A requeued job waits two minutes unless told otherwise. Within the same second slurmd would refuse it ("Job credential
  # revoked").
  sleep 2
  for ((i = 0; i < 50; i++)); do
    scontrol update "JobId=$job" StartTime=now && break
    sleep 0.2
  done
  expect "$job" COMPLETED 60
  grep -q 'continues: .*--restart auto' "$work/long.log" || fail "the requeued job did not restart"
  echo "job $job was stopped, requeued and finished"
}

# direct NAME STOP COMMAND...: the command starts the long deck; STOP, with the command's number, ends it.
direct() {
  local name=$1 stop=$2 pid code=0
  : >"$work/$name.log"
  # Of commands in the background bash has SIGINT ignored.
  (cd "$work" && exec env --default-signal=INT "${@:3}" -n 2 "$program" run long.yaml --set "output.directory=$work/$name") \
    >"$work/$name.log" 2>&1 &
  pid=$!
  for ((i = 0; i < 300; i++)); do
    ! grep -q '^0 %' "$work/$name.log" || break
    sleep 0.1
  done
  $stop "$pid"
  wait "$pid" || code=$?
  [ "$code" = 0 ] || fail "$name ends with $code"
  ls "$work/$name"/checkpoint_0*.h5 >/dev/null || fail "$name has left no checkpoint"
  grep -q 'stopped by SIG' "$work/$name.log" || fail "$name does not say what stopped it"
  echo "$name has saved its state"
}

# shellcheck disable=SC2317 # called by its name
cancel() { scancel "$(squeue --noheader --format=%i)"; }

# The script of an installed halocline knows the program beside it.
installed() {
  local job
  mkdir -p "$work/tree/bin" "$work/tree/share/halocline"
  ln -s "$program" "$work/tree/bin/halocline"
  cp -r "$root/jobscripts" "$work/tree/share/halocline/"
  job=$(OUTPUT=$work/installed submit installed "$work/tree/share/halocline/jobscripts/slurm_cpu.sh" small.yaml)
  expect "$job" COMPLETED 120
  [ -e "$work/installed/report.json" ] || fail "the installed script has run nothing"
  echo "job $job was run by the script of an installed halocline"
}

cp "$root/inputs/collocation/default.yaml" "$work/small.yaml"
sed 's/end: 20}/end: 200000}/; /^output:/,$d' "$root/inputs/diffusion/spinodal.yaml" >"$work/long.yaml"
small_deck mpirun
installed
if srun --mpi=list 2>&1 | grep -w pmix >/dev/null; then
  small_deck srun
  direct ctrl_c 'kill -INT' srun -X --mpi=pmix
  direct hang_up 'kill -HUP' "$root/jobscripts/srun.sh"
  direct cancelled cancel srun --mpi=pmix
else
  echo "this SLURM has no PMIx: srun is left out"
fi
requeue
