#!/bin/sh
# The program needs none of NVIDIA's shared libraries to start: those are opened when they are first needed.
#   check_libraries.sh PROGRAM
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') || exit 1
[ -n "$needed" ] || { echo "no libraries found in $1" >&2; exit 1; }
found=$(echo "$needed" | grep -E '^lib(cuda|cudart|cublas|cusparse|cusolver|nvrtc|nvJitLink|nvToolsExt)[.A-Z]')
[ -z "$found" ] || { echo "$1 is linked with $found" >&2; exit 1; }
