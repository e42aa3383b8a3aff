#!/usr/bin/env bash
# Makes a folder in which programs start on another x86-64 Linux machine that lacks Open MPI, HDF5 and the rest.
#   jobscripts/bundle.sh [-s FILE_OR_FOLDER]... FOLDER PROGRAM...
#   jobscripts/bundle.sh -s inputs bundle build/cuda-release/bin/halocline
# There:  FOLDER/run halocline info        FOLDER/run mpirun -n 4 halocline run FOLDER/share/inputs/...
# -s puts files into FOLDER/share. The target needs a C library at least as new as the one printed at the end, and for
# GPUs the NVIDIA driver. Meant for one machine: plugins for fast networks are left out. See docs/gpu.md.
set -euo pipefail

fail() { echo "bundle.sh: $*" >&2; exit 2; }
shares=()
while getopts s: option; do
  case $option in
    s) shares+=("$OPTARG") ;;
    *) sed -n '3s/^# *//p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '3s/^# *//p' "$0" >&2; exit 2; }
folder=$1
shift
[ ! -e "$folder" ] || [ -e "$folder/manifest.txt" ] || fail "$folder exists and is no bundle"
command -v ompi_info >/dev/null || fail "ompi_info not found: is Open MPI installed?"
rm -rf "$folder"
mkdir -p "$folder"/{bin,lib/openmpi,share/openmpi/etc}

# Programs without symbols for debuggers, which would fill most of the folder.
for program in "$@"; do
  [ -x "$program" ] || fail "$program is no program"
  strip -o "$folder/bin/$(basename "$program")" "$program"
done
for share in ${shares[@]+"${shares[@]}"}; do cp -RL "$share" "$folder/share/"; done

# Open MPI: its launcher, its plugins but those for networks and debuggers, its texts and settings.
where() { ompi_info --parsable --path "$1" | sed -n "s/^path:$1://p"; }
cp -L "$(where bindir)/orterun" "$folder/bin/mpirun"
cp -L "$(where bindir)/orted" "$folder/bin/"
network='ucp|ucs|uct|fabric|_ofi|psm|ibverbs|rdmacm|usnic'
for plugin in "$(where pkglibdir)"/mca_*.so; do
  case $(basename "$plugin") in mca_spml_* | mca_sshmem_* | mca_memheap_* | mca_scoll_* | mca_atomic_*) continue ;; esac
  readelf -d "$plugin" | grep NEEDED | grep -qE "$network" || cp -L "$plugin" "$folder/lib/openmpi/"
done
cp -RL "$(where pkgdatadir)"/. "$folder/share/openmpi/"
cp -L "$(where sysconfdir)"/*.conf "$folder/share/openmpi/etc/"

# PMIx has plugins of its own where it is a package of its own.
pmix=$(ldd "$folder"/lib/openmpi/mca_pmix_ext*.so 2>/dev/null | awk '$1 ~ /^libpmix\.so/ {print $3; exit}')
if [ -n "$pmix" ]; then
  home=$(dirname "$(readlink -f "$pmix")")
  for plugins in "$home/pmix" "$home/pmix2/lib/pmix"; do
    if ls "$plugins"/*.so >/dev/null 2>&1; then
      mkdir -p "$folder/lib/pmix"
      cp -L "$plugins"/*.so "$folder/lib/pmix/"
      break
    fi
  done
  for texts in "$home/pmix2/share/pmix" /usr/share/pmix; do
    if [ -d "$texts" ]; then cp -RL "$texts" "$folder/share/"; break; fi
  done
fi

# Libraries of all these; the C library and the GPU driver belong to the target.
target='^(ld-linux.*|libc|libm|libdl|libpthread|librt|libutil|libresolv|libnsl|libmvec|libcuda|libnvidia-.*|linux-vdso)\.so'
find "$folder/bin" "$folder/lib" -type f -exec ldd {} + 2>/dev/null > "$folder/ldd.txt" || true
if grep 'not found' "$folder/ldd.txt" >&2; then fail "libraries are missing on this machine"; fi
awk '$2 == "=>" && $3 ~ /^\// {print $1, $3}' "$folder/ldd.txt" | sort -u > "$folder/manifest.txt"
rm "$folder/ldd.txt"
while read -r name path; do
  [[ $name =~ $target ]] || cp -L "$path" "$folder/lib/$name"
done < "$folder/manifest.txt"

cat > "$folder/run" <<'W'
#!/bin/sh
# Runs a command with the programs and libraries of this folder:  run halocline info   run mpirun -n 2 halocline ...
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1
export PATH="$here/bin:$PATH" LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export OPAL_PREFIX="$here" OPAL_BINDIR="$here/bin" OPAL_LIBDIR="$here/lib" OPAL_PKGLIBDIR="$here/lib/openmpi"
export OPAL_DATADIR="$here/share" OPAL_PKGDATADIR="$here/share/openmpi" OPAL_SYSCONFDIR="$here/share/openmpi/etc"
if [ -d "$here/lib/pmix" ]; then
  export PMIX_PREFIX="$here" PMIX_LIBDIR="$here/lib" PMIX_PKGLIBDIR="$here/lib/pmix" PMIX_PKGDATADIR="$here/share/pmix"
  export PMIX_SYSCONFDIR="$here/share/openmpi/etc"
fi
# More ranks than cores are allowed and ranks are not bound, so that their threads can spread.
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy:-none}"
export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
# Without ssh Open MPI refuses to start even on one machine.
command -v ssh >/dev/null 2>&1 || export OMPI_MCA_plm="${OMPI_MCA_plm:-^rsh}"
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
exec "$@"
W
chmod +x "$folder/run"
newest=$(find "$folder/bin" "$folder/lib" -type f -exec readelf -V {} + 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' |
  sort -t. -k2,2n -u | tail -n 1)
echo "$folder: $(du -sm "$folder" | cut -f1) MiB; needs a C library (glibc) of version ${newest#GLIBC_} or later"
