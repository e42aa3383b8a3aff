#!/usr/bin/env bash
# Ends the SLURM that start.sh started in a folder, with its jobs, and removes the folder: stop.sh DIR.
# Only processes named in the folder's own files are ended.
set -uo pipefail
dir=$1
export SLURM_CONF=$dir/slurm.conf
[ -d "$dir/run" ] || exit 0

if [ -s "$dir/run/slurmctld.pid" ]; then
  timeout 10 scancel --state=PENDING,RUNNING --user="$(id -un)" 2>/dev/null
  for ((i = 0; i < 100; i++)); do
    [ -n "$(timeout 5 squeue -h 2>/dev/null)" ] || break
    sleep 0.1
  done
fi
for daemon in slurmd slurmctld munged; do
  [ -s "$dir/run/$daemon.pid" ] || continue
  pid=$(cat "$dir/run/$daemon.pid")
  kill "$pid" 2>/dev/null
  for ((i = 0; i < 50; i++)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$pid" 2>/dev/null
done
rm -rf -- "$dir"
