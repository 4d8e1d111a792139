#!/usr/bin/env bash
# The inbox, whole small theaters, pressure, bounds, names and groups, readers and writers, speculative actors, their guards and coordinated transactions under random schedules
# (shuttle). ODEON_SHUTTLE_ITERATIONS: schedules per test, some thousands by default; raise it for nightly runs.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=target/shuttle
export RUSTFLAGS="--cfg odeon_shuttle ${RUSTFLAGS:-}"
# Schedules compute; what is compiled for them is little.
export CARGO_PROFILE_DEV_OPT_LEVEL=1

cargo test -p odeon-core -p odeon-speculative --test shuttle
