#!/usr/bin/env bash
# Ten minutes of overload each for an actor, a thread and a future that send: fails if memory grows.
# ODEON_SOAK_MS: how long each lasts, in milliseconds. Not part of .ci/run: it would take half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run --release -p odeon-cli -- bench pressure --producer actor,thread,async \
  --milliseconds "${ODEON_SOAK_MS:-600000}" --samples 1 --warmup 0
