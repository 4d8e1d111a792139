#!/usr/bin/env bash
# Exhaustive models of the small protocols (loom): parker, inbox, idle workers, timers, wake flag, bonds, pressure, bounds, phases of reads,
# of the transactional memory: commit, snapshot, prepare, journeys, retry, gate, reclamation, and of speculative actors: executors at the board,
# parking, coordinated transactions; of theaters among others: events in their order, and who transmits.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR=target/loom
export RUSTFLAGS="--cfg odeon_loom ${RUSTFLAGS:-}"

# Only the models: other unit tests use the primitives outside of a model, which loom refuses.
cargo test --profile models -p odeon-sync -p odeon-core -p odeon-stm -p odeon-speculative -p odeon-theater --lib loom
