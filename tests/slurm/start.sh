#!/usr/bin/env bash
# Starts a throw-away SLURM (munged, slurmctld, slurmd) in a folder: start.sh DIR. It needs root, since slurmd does.
# Exit code 77 where it cannot work, with the reason. DIR/slurm.conf is what SLURM_CONF must name; stop.sh DIR ends it.
# Debian: apt-get install --no-install-recommends munge slurmctld slurmd slurm-client
set -euo pipefail
dir=$1
PATH=$PATH:/usr/sbin:/sbin
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

skip() {
  echo "skipped: $*"
  [ ! -d "$dir/log" ] || tail -n 5 "$dir"/log/*.log 2>/dev/null || true
  exit 77
}

[ "$(id -u)" = 0 ] || skip "a SLURM of one's own needs root"
for program in munged slurmctld slurmd sbatch scontrol sinfo; do
  command -v "$program" >/dev/null || skip "$program is not installed"
done

umask 022
mkdir -p "$dir"/{munge,state,run,log,spool,tmp}
chmod 755 "$dir" "$dir/munge"
chmod 1777 "$dir/tmp"
dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 status=none
chmod 400 "$dir/munge/key"

# Ports by chance, so that two checkouts can be tested at once.
port=$((20000 + RANDOM % 8000))
host=$(hostname -s)
memory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
sed -e "s|@HOST@|$host|g; s|@DIR@|$dir|g; s|@PORT@|$port|g; s|@NODE_PORT@|$((port + 1))|g" \
  -e "s|@SRUN_PORTS@|$((port + 10))-$((port + 99))|g; s|@MEMORY@|$memory|g" "$here/slurm.conf.in" >"$dir/slurm.conf"
echo 'CgroupAutomount=no' >"$dir/cgroup.conf"
export SLURM_CONF=$dir/slurm.conf

munged --force --num-threads=1 --key-file="$dir/munge/key" --socket="$dir/munge/socket" --seed-file="$dir/munge/seed" \
  --pid-file="$dir/run/munged.pid" --log-file="$dir/log/munged.log" || skip "munged does not start"
slurmctld -i -c || skip "slurmctld does not start"
slurmd -c || skip "slurmd does not start"
for ((i = 0; i < 150; i++)); do
  if sinfo -h -o %T 2>/dev/null | grep -q '^idle'; then exit 0; fi
  sleep 0.1
done
skip "the node is not up after 15 s"
