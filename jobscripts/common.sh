# shellcheck shell=bash
# What the job scripts share: settings of Open MPI 4.1, binding, signals, restart. To be sourced.
#
# Signals, as Open MPI 4.1 treats them (measured with 4.1.4):
# - mpirun forwards SIGUSR1 to every rank at once and goes on. halocline ends at the next slice of work, with its files
#   whole, and mpirun returns its exit code.
# - On SIGTERM and SIGINT mpirun waits odls_base_sigkill_timeout seconds (default 1), sends SIGTERM to the ranks, waits as
#   long again and sends SIGKILL; its exit code is then 1. So these scripts turn SIGTERM and SIGINT into SIGUSR1.
# - A longer timeout helps where a signal reaches mpirun directly (plain `scancel` signals every process of a job), but a
#   job in which a rank fails takes twice the timeout to end: 10 s is a compromise, for batch jobs only.
# - srun (measured with SLURM 22.05) passes SIGUSR1 on as well. On SIGTERM and SIGHUP, and on a second Ctrl-C within a second,
#   it has the ranks killed at once; the first Ctrl-C it keeps for itself unless it is given -X.
# So the gentle way to stop a batch job is `scancel --batch --signal=USR1 JOBID`.

# Variables that mpirun needs, set unless the user has chosen otherwise.
mpi_settings() {
  if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
  # Without ssh Open MPI refuses to start even on one machine.
  if ! command -v ssh >/dev/null && [ -z "${SLURM_JOB_ID:-}" ]; then export OMPI_MCA_plm=${OMPI_MCA_plm:-^rsh}; fi
  # Spinning OpenMP threads starve ranks on a shared core: passive waiting was 2000 times faster there.
  export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
  if [ -n "${SLURM_JOB_ID:-}" ]; then
    export OMPI_MCA_odls_base_sigkill_timeout=${OMPI_MCA_odls_base_sigkill_timeout:-10}
  fi
}

# Cores this process may use; hyperthreads do not count.
physical_cores() {
  local allowed real
  allowed=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
  real=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l)
  if [ "$real" -gt 0 ] && [ "$real" -lt "$allowed" ]; then echo "$real"; else echo "$allowed"; fi
}

# set_binding RANKS_PER_NODE THREADS: fills the array `binding` with mpirun's options. Each rank gets THREADS neighboring
# cores. The default of mpirun would put all threads of a rank on one core.
set_binding() {
  binding=(--map-by "ppr:$1:node:PE=$2" --bind-to core)
  if [ $(($1 * $2)) -gt "$(physical_cores)" ]; then  # fewer cores than asked for: share them
    binding=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
  fi
}

# find_program ROOT PRESET: prints HALOCLINE, else the program that was built or installed there, else the one in PATH.
find_program() {
  local one
  for one in "$1/build/$2/bin/halocline" "$1/../../bin/halocline"; do
    if [ -x "$one" ]; then break; fi
    one=halocline
  done
  echo "${HALOCLINE:-$one}"
}

# choose_pmi: prints what srun --mpi= shall speak: HALOCLINE_PMI (srun --mpi=list names all), else PMIx where SLURM has it,
# which Open MPI from version 4 on needs, else PMI-2.
choose_pmi() {
  if [ -n "${HALOCLINE_PMI:-}" ]; then
    echo "$HALOCLINE_PMI"
  elif srun --mpi=list 2>&1 | grep -w pmix >/dev/null; then
    echo pmix
  else
    echo pmi2
  fi
}

# set_launcher: fills the array `launcher` as HALOCLINE_LAUNCHER says, mpirun (default) or srun.
set_launcher() {
  case ${HALOCLINE_LAUNCHER:-mpirun} in
    mpirun) launcher=(mpirun -n "$SLURM_NTASKS" "${binding[@]}") ;;
    srun)
      launcher=(srun "--mpi=$(choose_pmi)" -n "$SLURM_NTASKS" --cpus-per-task "${SLURM_CPUS_PER_TASK:-1}" --cpu-bind=cores)
      ;;
    *) echo "HALOCLINE_LAUNCHER is '$HALOCLINE_LAUNCHER'; expected mpirun or srun" >&2; return 2 ;;
  esac
}

# run_forwarding COMMAND...: runs it, turns SIGUSR1, SIGTERM, SIGINT and SIGHUP into SIGUSR1 for it, returns its exit code.
# `stopped` is 1 afterwards if a signal came. A second SIGINT or SIGTERM is passed on as SIGTERM.
run_forwarding() {
  local pid code caught
  stopped=0
  # Its own session: a terminal's Ctrl-C shall reach this script alone. bash would answer a trap only after a foreground
  # command has ended, hence the background and `wait`.
  setsid "$@" </dev/null &
  pid=$!
  # shellcheck disable=SC2317 # the traps call it
  forward() {
    caught=1
    if [ "$stopped" = 1 ] && [ "$1" = TERM ]; then kill -TERM "$pid"; else kill -USR1 "$pid"; fi
    stopped=1
  }
  trap 'forward USR1' USR1
  trap 'forward TERM' TERM INT HUP
  while :; do
    caught=0 code=0
    wait "$pid" || code=$?
    [ "$caught" = 1 ] || break  # wait ended because the command did
  done
  trap - USR1 TERM INT HUP
  return "$code"
}

# run_job PROGRAM DECK ARGS...: runs a deck inside a SLURM job, as a restart where that applies.
# With OUTPUT=DIR in the environment the run lies in DIR and continues from its last checkpoint, and a job that a signal
# stopped goes back into the queue if it wrote a new checkpoint.
run_job() {
  local code=0 started arguments=("$1" run "${@:2}")
  if [ -n "${OUTPUT:-}" ]; then arguments+=(--set "output.directory=$OUTPUT"); fi
  if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] || compgen -G "${OUTPUT:-/nonexistent}/checkpoint_*.h5" >/dev/null; then
    arguments+=(--restart auto)
  fi
  started=$(date +%s)
  set_launcher || return
  run_forwarding "${launcher[@]}" "${arguments[@]}" || code=$?
  if [ "$stopped" = 1 ] && [ -n "${OUTPUT:-}" ] &&
    [ -n "$(find "$OUTPUT" -maxdepth 1 -name 'checkpoint_*.h5' -newermt "@$started" -print -quit 2>/dev/null)" ]; then
    echo "stopped by a signal; requeued to continue from the checkpoint in $OUTPUT"
    # SLURM ends this script in a moment; ending first would count as the end of the job.
    if scontrol requeue "$SLURM_JOB_ID"; then sleep 60; fi
  fi
  return "$code"
}
