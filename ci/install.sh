#!/usr/bin/env bash
# Installs what some tests need beside Rust, where that is allowed and can be had: a Vulkan driver that needs no graphics card and a message
# broker, both of Debian's packages; the compiler of CUDA C, of Python's. Tests that miss one of them say so, and are counted as skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

# Where .ci/run has tests look for it. It stands there when it is whole, or not at all.
nvrtc=target/nvrtc
if [ ! -e $nvrtc ]; then
  rm -rf $nvrtc.new
  mkdir -p $nvrtc.new
  { timeout 300 python3 -m pip download -q --no-input --no-deps --only-binary=:all: --retries 1 --timeout 15 -d $nvrtc.new 'nvidia-cuda-nvrtc-cu12==12.9.*' &&
    python3 -m zipfile -e $nvrtc.new/*.whl $nvrtc.new && rm $nvrtc.new/*.whl && mv $nvrtc.new $nvrtc; } ||
    echo "could not be installed: the compiler of CUDA C"
fi

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
