#!/usr/bin/env bash
# Installs what some tests need beside Rust, where that is allowed and Debian's packages can be had: a Vulkan driver that needs
# no graphics card, and a message broker. Tests that miss one of them say so, and are counted as skipped.
set -uo pipefail
wanted=()
[ -e /usr/share/vulkan/icd.d/lvp_icd.x86_64.json ] || wanted+=(mesa-vulkan-drivers libvulkan1)
command -v rabbitmq-server >/dev/null || [ -x /usr/sbin/rabbitmq-server ] || wanted+=(rabbitmq-server)
[ ${#wanted[@]} -eq 0 ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "not installed, since this is no root of a Debian: ${wanted[*]}"
  exit 0
fi
export DEBIAN_FRONTEND=noninteractive
install() { timeout 300 apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null; }
install || { timeout 120 apt-get update -qq && install; } || echo "could not be installed: ${wanted[*]}"
