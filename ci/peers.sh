#!/usr/bin/env bash
# Databases that `odeon bench hot --network` measures beside a durable ledger: Postgres, and Valkey or Redis, by apt.
# SQLite is compiled into a program with the feature `network`. What is not here is reported as not there.
#   ci/peers.sh          installs what is missing; needs root
#   ci/peers.sh status   says what is there
set -euo pipefail

postgres() { ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -n 1 | grep . || command -v postgres || true; }
redis() { command -v valkey-server || command -v redis-server || true; }

# None of them is to run beside what is measured: each run starts its own.
readonly policy=/usr/sbin/policy-rc.d
install() { # packages
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

if [ "${1:-install}" != status ]; then
  # What there is to install, a new machine does not know yet.
  [ -n "$(postgres)" ] && [ -n "$(redis)" ] || apt-get update -q
  missing=()
  [ -n "$(postgres)" ] || missing+=(postgresql)
  if [ -z "$(redis)" ]; then
    if apt-cache show valkey-server >/dev/null 2>&1; then missing+=(valkey-server); else missing+=(redis-server); fi
  fi
  [ "${#missing[@]}" = 0 ] || install "${missing[@]}"
fi
for peer in postgres redis; do
  program=$("$peer")
  if [ -n "$program" ]; then "$program" --version; else echo "$peer: not there"; fi
done
