#!/usr/bin/env bash
# Ten minutes of overload each for an actor, a thread and a future that send; and a million moves each of actors with names, watches, timers and questions, and
# of speculative actors with coordinated transactions: fails if memory grows. Then kills a process 200 times that has a durable actor: fails if anything is
# lost that its clients had heard, or that its actors have sent each other, or is there in half.
# ODEON_SOAK_MS: how long each of the former lasts, in milliseconds. ODEON_SOAK_MOVES: half of the moves. ODEON_KILLS: how often it is killed. Not part of .ci/run: it would take half an hour.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo run --release -p odeon-cli -- bench pressure --producer actor,thread,async \
  --milliseconds "${ODEON_SOAK_MS:-600000}" --samples 1 --warmup 0

export ODEON_SOAK_MOVES="${ODEON_SOAK_MOVES:-500000}"
cargo test --release -p odeon-theater --test s34_flat
cargo test --release -p odeon-coordination --test s36_flat

ODEON_KILLS="${ODEON_KILLS:-200}" cargo test --release -p odeon-durable --test killed_actors --test killed_payments \
  --test killed_transactions
