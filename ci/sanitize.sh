#!/usr/bin/env bash
# Data races in the inbox under ThreadSanitizer; use after free, double frees and leaks in the transactional
# memory, in what holds back effects and lends replies, and in random programs of actors that wait, time out and
# give up, under AddressSanitizer.
#
# ThreadSanitizer: only what synchronises by acquire and release on atomics, because it does not know fences
# and, without a standard library built for it, reports the insides of locks and channels (tsan.supp names
# those of the test harness). The transactional memory orders its reclamation by fences and its tests use
# scoped threads: for it there is AddressSanitizer, which has no such limits.
#
# `ci/sanitize.sh hostile`, by hand: hostile programs of the other crates under AddressSanitizer, too. Those crates have no `unsafe`; what
# they are to find lies in the core and in the transactional memory below them.
#
# Needs a nightly compiler; without one the check is skipped and says so.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "SKIPPED (1): sanitize: no nightly compiler is installed"
    exit 0
fi

export CARGO_TARGET_DIR=target/sanitize
# The second flag: the standard library was not built with the sanitizer.
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer"
export TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/ci/tsan.supp ${TSAN_OPTIONS:-}"

host=$(rustc +nightly --version --verbose | sed -n 's/^host: //p')
cargo +nightly test --target "$host" -p odeon-core --lib mailbox::inbox
cargo +nightly test --target "$host" -p odeon-core --test mailbox_conformance

# Other objects than above, so a folder of their own. Unit tests leak their engines on purpose and are left out.
export CARGO_TARGET_DIR=target/sanitize-address
export RUSTFLAGS="-Zsanitizer=address -Cunsafe-allow-abi-mismatch=sanitizer"
export ASAN_OPTIONS="detect_leaks=1 ${ASAN_OPTIONS:-}"
cargo +nightly test --target "$host" -p odeon-stm --features journal --test '*'
cargo +nightly test --target "$host" -p odeon-core --lib -- oneshot held_effects lending
cargo +nightly test --target "$host" -p odeon-stream --test s18_s19_s20_random_programs
if [ "${1:-}" = hostile ]; then
    # Several names as filters of one program: a test that has any of them.
    cargo +nightly test --target "$host" -p odeon-speculative --test all -- contained s10_s26_replies no_slots made_anew
    cargo +nightly test --target "$host" -p odeon-theater --test all -- hostile odd_settings
    cargo +nightly test --target "$host" -p odeon-coordination --test all -- hostile
    # Without a look at leaks, which are the programs' own: a meter that keeps its pool, a runtime that one of its tasks keeps.
    ASAN_OPTIONS="detect_leaks=0" cargo +nightly test --target "$host" -p odeon-device --test all -- hostile
    cargo +nightly test --target "$host" -p odeon-stream --test s20_hostile
    ASAN_OPTIONS="detect_leaks=0" cargo +nightly test --target "$host" -p odeon-tokio --test hostile
fi

echo "SKIPPED (0): sanitize: everything ran"
