#!/usr/bin/env bash
# Several GPUs of one machine: fields and findings to the bit in all layouts of ranks and parts, by messages and past
# MPI (run.transfer: staged, ipc), then tables of strong and weak scaling.
#   tests/gpu/run_several.sh [FOLDER [COUNT [DEVICE]]]
# FOLDER as of run_all.sh; COUNT: GPUs to use (default: all, up to 4); where there are fewer, parts share them, and there
# are no tables. DEVICE: `cuda` by default; with another kind, as `emulated`, it shows on any machine that the script
# works. SHARE=N divides the sizes of the tables by N. ONLY='bits weak_fractional ...': these parts alone, by their names.
# Exit code 0: all well; 1: something failed; 77: fewer than two GPUs.
# shellcheck disable=SC2317  # functions of settings are called by name
set -uo pipefail
REPORT=${REPORT:-${1:-build/cuda-release}/several-report}
LIMIT=${LIMIT:-1500}
. "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

device=${3:-cuda} share=${SHARE:-1} only=${ONLY:-}
have=$("${launch[@]:-env}" halocline info | grep -c "device $device:")
if [ "$device" != cuda ]; then have=4; fi
count=${2:-$((have < 4 ? have : 4))}
if [ "$count" -lt 2 ]; then echo "run_several.sh: fewer than two GPUs" >&2; exit 77; fi

# layouts UP_TO: ranks x parts of a rank, with a device each, so that no more than UP_TO are used.
layouts() {
  local layout
  for layout in 1x1 1x2 2x1 1x4 2x2 4x1; do
    if [ $((${layout%x*} * ${layout#*x})) -le "$1" ]; then echo "$layout"; fi
  done
}
# transfers LAYOUT: how its ranks may exchange.
transfers() { if [ "${1%x*}" = 1 ]; then echo staged; else echo staged ipc; fi; }
deck_file() { if [ -f "$1" ]; then echo "$1"; else echo "$decks/$1"; fi; }
# solve NAME LAYOUT TRANSFER DECK SETTING...: a run in this layout; its files lie in report/NAME_LAYOUT_TRANSFER.
solve() {
  local name=$1 layout=$2 transfer=$3 deck=$4 settings=() start setting
  shift 4
  for setting in "$@"; do settings+=(--set "$setting"); done
  mapfile -t start < <(ranks "${layout%x*}")
  call "$name, $layout, $transfer" 300 0 ${start[@]+"${start[@]}"} halocline run "$(deck_file "$deck")" --overwrite \
    --set "run.devices=[$device]" --set "run.per_rank=${layout#*x}" --set "run.transfer=$transfer" \
    --set "output.directory=$report/${name}_${layout}_$transfer" \
    ${settings[@]+"${settings[@]}"}
}

wanted() { [ -z "$only" ] || [[ " $only " == *" $1 "* ]]; }

# Bits: small decks of every family, also with two parts on a device (4x2).
while wanted bits && read -r name deck settings; do
  one=$report/${name}_1x1_staged
  for layout in $(layouts "$count") 4x2; do
    for transfer in $(transfers "$layout"); do
      # shellcheck disable=SC2086  # settings are words
      solve "$name" "$layout" "$transfer" "$deck" $settings
      if [ "$layout" = 1x1 ]; then continue; fi
      what="  $name: $layout $transfer gives the bits of 1x1" other=$report/${name}_${layout}_$transfer
      if [ "$(findings "$one")" != "$(findings "$other")" ]; then
        note "$what" FAILED - "findings of $report/${name}_*/report.json differ" && failed=1
      elif ! "${launch[@]:-env}" "$folder/bin/compare_fields" "$one" "$other" >"$other.compare" 2>&1; then
        note "$what" FAILED - "$(tail -1 "$other.compare")" && failed=1
      else
        note "$what" ok - "$(tail -1 "$other.compare")"
      fi
    done
  done
done <<'DECKS'
schur collocation/thesis_256.yaml
multigrid collocation/p2.yaml collocation.solver.method=mg
closed_form collocation/p1.yaml collocation.solver.method=closed_form
blocked diffusion/hiperc_512.yaml
box diffusion/box_3d.yaml
fractional fractional/default.yaml
sparse sparse/default.yaml
riccati ode_ensemble/riccati.yaml
noise ode_ensemble/noise.yaml
fields diffusion/gray_scott.yaml
phase diffusion/free_energy.yaml
newton collocation/bratu.yaml
DECKS

if [ "$have" -lt "$count" ]; then finish; fi

# seconds DIRECTORY PHASE: solve or setup.
seconds() { sed -n "s/.*\"seconds_of_$2\": \\([0-9.e+-]*\\).*/\\1/p" "$1/report.json"; }
# scaling KIND NAME DECK SETTINGS: a table over the layouts. KIND: strong or weak; SETTINGS: a function that prints the
# settings of a run, given how often the size of one device is wanted: 1 for `strong`, the number of devices for `weak`.
scaling() {
  local kind=$1 name=$2 deck=$3 settings=$4 layout transfer devices times one='' time list run
  if ! wanted "${kind}_$name"; then return; fi
  for layout in $(layouts "$count"); do
    devices=$((${layout%x*} * ${layout#*x})) times=1
    if [ "$kind" = weak ]; then times=$devices; fi
    mapfile -t list < <("$settings" "$times")
    for transfer in $(transfers "$layout"); do
      solve "${kind}_$name" "$layout" "$transfer" "$deck" "${list[@]}"
      run=$report/${kind}_${name}_${layout}_$transfer
      time=$(seconds "$run" solve)
      rm -f "$run"/fields_*
      if [ -z "$time" ]; then continue; fi
      one=${one:-$time}  # the first layout has one device
      note "  $kind: $name, $layout, $transfer" "$(awk -v t="$time" 'BEGIN {printf "%.1f ms", 1e3 * t}')" - \
        "$(awk -v k="$kind" -v a="$one" -v t="$time" -v n="$devices" -v s="$(seconds "$run" setup)" \
          'BEGIN {printf "efficiency %.0f %%, set-up %.0f ms", 100 * a / t / (k == "strong" ? n : 1), 1e3 * s}')"
    done
  done
}
size=$((4096 / share)) plane=$((16384 / share))
mesh() { printf '%s\n' "collocation.mesh.x.elements=$1" "collocation.mesh.y.elements=$2" 'output.fields=[u]'; }
multigrid() { mesh $((size * $1)) "$size" && printf "%s\n" collocation.solver.method=mg "collocation.mesh.x.to=$1"; }
closed_form() { mesh $((size * $1)) "$size" && echo collocation.solver.method=closed_form; }
# As square as may be, with 4 times as many elements on a device.
large_closed_form() {
  local n=$((2 * size))
  mesh $((n * ($1 == 4 ? 2 : 1))) $((n * ($1 > 1 ? 2 : 1))) && echo collocation.solver.method=closed_form
}
# Parts of 512^3 nodes, whole strips of rows each.
boxes() {
  local n=$((512 / share)) y=$(($1 == 4 ? 2 : 1)) z=$(($1 > 1 ? 2 : 1))
  echo "fractional.grid.cells=[$((n - 1)), $((n * y - 1)), $((n * z - 1))]"
  echo "fractional.grid.size=[1, $y, $z]" && echo "fractional.grid.parts=[$y, $z]"
}
# Cells of one shape, or coarse levels would differ.
amg() {
  local n=$((200 / share))
  echo "sparse.matrix.box.grid.points=[$n, $n, $((n * $1))]" && echo "sparse.matrix.box.grid.size=[1, 1, $1]"
}
blocked() { echo "diffusion.grid.cells=[$plane, $((plane * $1))]" && echo "diffusion.grid.size=[1, $1]"; }
cat >"$report/blocked.yaml" <<DECK
problem: diffusion
diffusion:
  grid: {layout: fv, size: [1, 1], cells: [64, 64]}
  equation: {kind: diffusion, D: 1, initial: cos(pi*x)}
  walls: {rest: {kind: no_flux}}
  stencil: {mask: 5pt, co: 0.1}
  time: {method: euler, end: $(awk -v n="$plane" 'BEGIN {print 2000 * 0.1 / n / n}')}
DECK
cat >"$report/boxes.yaml" <<'DECK'
problem: fractional
fractional:
  grid: {size: [1, 1, 1], cells: [32, 32, 32]}
  equation: {order: 0.6, D: 0.1, initial: sin(pi*x), source: 0}
  sides: {rest: {kind: dirichlet, value: 0}}
  solver: {split: adi}
  time: {end: 1, steps: 64}
output: {fields: []}
checkpoint: {at_end: false}
DECK
cat >"$report/amg.yaml" <<'DECK'
problem: sparse
sparse:
  matrix:
    box:
      grid: {size: [1, 1, 1], points: [32, 32, 32]}
      k: 1
      source: 1
      sides: {rest: {kind: dirichlet, value: 0}}
  solver: {method: cg, tol: 1.0e-8}
  preconditioner: amg
verify: {residual: 1.0e-8}
DECK
p2=collocation/p2.yaml
scaling strong multigrid "$p2" multigrid
scaling weak multigrid "$p2" multigrid
scaling strong closed_form collocation/p1.yaml closed_form
scaling weak closed_form collocation/p1.yaml large_closed_form
scaling strong blocked "$report/blocked.yaml" blocked
scaling weak blocked "$report/blocked.yaml" blocked
scaling weak fractional "$report/boxes.yaml" boxes
scaling weak amg "$report/amg.yaml" amg

finish
