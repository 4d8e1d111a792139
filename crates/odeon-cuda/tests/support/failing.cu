// Kernels of tests: one that is right, and those with which something goes wrong.
typedef unsigned long long u64;

extern "C" __global__ void add_one(unsigned* x, u64 x_bytes) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x_bytes / 4) x[i] += 1;
}

extern "C" __global__ void trap(unsigned* x, u64 x_bytes) {
    if (x_bytes > 0) __trap();
}

// 32 TiB behind its memory.
extern "C" __global__ void stray(unsigned* x, u64 x_bytes) {
    *(volatile unsigned*)((char*)x + (1ull << 45)) = 1;
}

extern "C" __global__ void misaligned(unsigned* x, u64 x_bytes) {
    *(volatile unsigned*)((char*)x + 1) = 1;
}

// Until somebody writes to its memory, which nobody does.
extern "C" __global__ void endless(unsigned* x, u64 x_bytes) {
    while (*(volatile unsigned*)x == 0) { }
}

extern "C" __global__ void sum_in_shared(unsigned* x, u64 x_bytes) {
    extern __shared__ unsigned shared[];
    shared[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0 && x_bytes >= 4) x[0] = shared[0];
}

// Promises to be launched with few threads only.
extern "C" __global__ void __launch_bounds__(64) few_threads(unsigned* x, u64 x_bytes) {
    if (threadIdx.x < x_bytes / 4) x[threadIdx.x] = 2;
}
