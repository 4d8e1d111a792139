#!/usr/bin/env bash
# What needs real hardware, on a machine that is there for ten minutes and has neither a compiler nor a network:
#   ci/device.sh build                         where cargo is: builds all programs into one archive, device/programs.tar.xz
#   ci/device.sh [tests] [energy] [cores] [gpu] [profile]
#                                              there: runs these parts, by default the first four, from the folder device/.
#                                              On 16 cores and an H200 each of cores and gpu takes five to six minutes, tests three: in two calls.
# DEVICE  the folder of the programs: odeon, odeon-peers, tests/*, or the archive of them  [device]
# OUT     where what comes out goes                                                        [target/device-results]
# LIMIT_S seconds for everything together                                                  [560]
# PERF    the program `perf`, for the part profile: it needs the clock only, no counters of a processor  [perf]
# QUICK=1 tiny parameters: shows that everything works, measures nothing
set -uo pipefail
cd "$(dirname "$0")/.."
device=${DEVICE:-device}
# What may travel to a machine together with the source tree.
most_mib=60

build() {
  set -e
  local target=${CARGO_TARGET_DIR:-target} stage list
  stage=$(mktemp -d)
  trap 'rm -rf "$stage"' EXIT
  mkdir -p "$stage/tests" "$device"
  cargo build --release -p odeon-cli --features full
  CARGO_TARGET_DIR=$target cargo build --release --manifest-path tools/odeon-peers/Cargo.toml
  cp "$target/release/odeon" "$target/release/odeon-peers" "$stage"
  list=$(cargo test --release --no-run -p odeon-gpu -p odeon-cuda --message-format=json \
    | grep '"test":true' | grep -o '"executable":"[^"]*"' | cut -d'"' -f4)
  local program
  for program in $list; do cp "$program" "$stage/tests"; done
  strip "$stage/odeon-peers" "$stage"/tests/*
  # Its functions keep their names, for the part profile.
  strip --strip-debug "$stage/odeon"
  { git describe --always --abbrev=12 --exclude='*' --dirty=+changes || true; } > "$stage/commit"
  tar -C "$stage" -cf - . | xz -9 -T0 > "$device/programs.tar.xz"
  local mib=$(($(stat -c %s "$device/programs.tar.xz") / 1048576))
  echo "$device/programs.tar.xz: $mib MiB"
  [ "$mib" -lt "$most_mib" ] || { echo "more than $most_mib MiB may not travel" >&2; exit 1; }
}

if [ "${1:-}" = build ]; then build; exit; fi

out=${OUT:-target/device-results}
limit_s=${LIMIT_S:-560}
mkdir -p "$out"
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(tests energy cores gpu)
# How the time is divided among the parts that are still to come; what one leaves over goes to those.
declare -A weight=([tests]=3 [energy]=1 [cores]=6 [gpu]=5 [profile]=2)
for part in "${parts[@]}"; do
  [ -n "${weight[$part]:-}" ] || { echo "no part is called $part: tests, energy, cores, gpu, profile" >&2; exit 2; }
done

if [ ! -x "$device/odeon" ] && [ -f "$device/programs.tar.xz" ]; then
  tar -C "$device" -xJf "$device/programs.tar.xz" || python3 -m tarfile -e "$device/programs.tar.xz" "$device"
fi
odeon=$device/odeon
export ODEON_PEERS=${ODEON_PEERS:-$device/odeon-peers}
[ ! -s "$device/commit" ] || ODEON_COMMIT=$(cat "$device/commit")
[ -z "${ODEON_COMMIT:-}" ] || export ODEON_COMMIT
# What drivers of windows complain about otherwise, at each device that is opened.
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp}
# TUNE: guessed: three samples of everything fit into ten minutes on sixteen cores.
measuring=(--samples 3 --warmup 1)
[ -z "${QUICK:-}" ] || measuring=(--quick --samples 1 --warmup 0)
if [ ! -x "$ODEON_PEERS" ]; then
  echo "no program $ODEON_PEERS: other runtimes are left out" >&2
  measuring+=(--no-peers)
fi

{
  uname -a
  lscpu 2> /dev/null || cat /proc/cpuinfo
  free -m 2> /dev/null
  if command -v nvidia-smi > /dev/null; then nvidia-smi; nvidia-smi -q; else echo "no nvidia-smi"; fi
} > "$out/machine.txt" 2>&1

# Test programs that start processes, wait for what does not end, or fill a card. The others are done before them, and leave over
# what they do not need: these divide it.
slow="after_a_fault endless_kernel lost_context out_of_memory"

run_tests() { # seconds
  local programs=("$device"/tests/*) failed=0 program status name begun share
  [ -e "${programs[0]}" ] || { echo "no test programs in $device/tests"; return 1; }
  local quick=() long=()
  for program in "${programs[@]}"; do
    # Without what cargo has put behind it.
    name=$(basename "$program")
    case " $slow " in *" ${name%-*} "*) long+=("$program") ;; *) quick+=("$program") ;; esac
  done
  local until=$((SECONDS + $1)) left=${#long[@]} quick_left=${#quick[@]}
  for program in "${quick[@]}" "${long[@]}"; do
    # WHY a quarter: one that hangs shall not have all, and none of them needs a part by their number.
    share=$(((until - SECONDS) / 4))
    [ "$quick_left" -gt 0 ] || share=$(((until - SECONDS) / left)) left=$((left - 1))
    quick_left=$((quick_left - 1)) begun=$SECONDS
    name=$(basename "$program")
    echo "== $name"
    timeout -k 5 "$((share > 1 ? share : 1))" "$program" --nocapture --test-threads 1
    status=$?
    echo "== $name: exit status $status after $((SECONDS - begun)) of $share s"
    [ "$status" = 0 ] || failed=1
  done
  return "$failed"
}

run_figures() { # part, seconds
  # WHY a part of the time is left: the group that has begun goes on.
  timeout -k 5 "$2" "$odeon" bench figures --hardware "$1" "${measuring[@]}" --within "$(($2 * 85 / 100))" --json "$out/$1.jsonl"
  local status=$?
  # What a run has measured that was broken off.
  [ ! -s "$out/$1.jsonl.partial" ] || mv "$out/$1.jsonl.partial" "$out/$1.jsonl"
  return "$status"
}

# Where the time goes of what did not reach its figure on sixteen cores (docs/benchmarks-notes.md, real hardware).
profiled=(
  "ledger --mode concurrent --handler-ns 2000 --senders 64 --entries 1000000"
  "ledger --mode concurrent --handler-ns 100 --senders 64 --entries 1000000"
  "transfer --mode concurrent --actors 32 --clients 32"
)

run_profiles() { # seconds
  local perf=${PERF:-perf} data status=0 until=$((SECONDS + $1)) left=${#profiled[@]} command share
  command -v "$perf" > /dev/null || { echo "no program $perf"; return 1; }
  data=$(mktemp)
  for command in "${profiled[@]}"; do
    share=$(((until - SECONDS) / left))
    left=$((left - 1))
    echo "== $command"
    # WHY words apart: they are arguments.
    timeout -k 5 "$((share > 1 ? share : 1))" "$perf" record -q -F 499 -e cpu-clock -o "$data" -- \
      "$odeon" bench $command --workers "$(nproc)" --samples 3 --warmup 1 || status=1
    "$perf" report -i "$data" --stdio --sort symbol 2> /dev/null | grep '%' | head -n 40
  done
  rm -f "$data"
  return "$status"
}

run_part() { # part, seconds
  case $1 in
    tests) run_tests "$2" ;;
    energy) timeout -k 5 "$2" "$odeon" energy ;;
    profile) run_profiles "$2" ;;
    *) run_figures "$1" "$2" ;;
  esac
}

summary=()
failed=0
for place in "${!parts[@]}"; do
  part=${parts[$place]}
  weights=0
  for later in "${parts[@]:$place}"; do weights=$((weights + weight[$later])); done
  share=$(((limit_s - SECONDS) * weight[$part] / weights))
  begun=$SECONDS
  run_part "$part" "$((share > 1 ? share : 1))" > "$out/$part.txt" 2>&1
  status=$?
  [ "$status" = 0 ] || failed=1
  # 124 and 137: it took longer than its share.
  summary+=("$part: exit status $status after $((SECONDS - begun)) of $share s")
done
for part in "${parts[@]}"; do echo "== $part"; tail -n 40 "$out/$part.txt"; done
printf '%s\n' "${summary[@]}" | tee "$out/summary.txt"
exit "$failed"
