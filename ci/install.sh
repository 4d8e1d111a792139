#!/usr/bin/env bash
# Installs what some tests need beside Rust, where that is allowed and can be had: a Vulkan driver that needs no graphics card and a message
# broker, both of Debian's packages; the compiler of CUDA C, of Python's. Tests that miss one of them say so, and are counted as skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

# Into a folder of its own: see .ci/run.
nvrtc=target/nvrtc
if [ ! -e $nvrtc/nvidia ]; then
  mkdir -p $nvrtc
  { timeout 300 python3 -m pip download -q --no-deps -d $nvrtc 'nvidia-cuda-nvrtc-cu12==12.9.*' &&
    python3 -m zipfile -e $nvrtc/nvidia_cuda_nvrtc_*.whl $nvrtc; } || echo "could not be installed: the compiler of CUDA C"
  rm -f $nvrtc/*.whl
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
