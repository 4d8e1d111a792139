// As much of CUDA C as the kernels use, on cores: a thread for each thread of a block, one block after the other.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Dim { unsigned x; };
static thread_local Dim threadIdx;
static Dim blockIdx, blockDim, gridDim;
static std::barrier<>* all_of_a_block;

#define __global__
// One block runs at a time.
#define __shared__ static
static void __syncthreads() { all_of_a_block->arrive_and_wait(); }

template <typename T> static T atomicAdd(T* to, T value) {
    T old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do sum = old + value;
    while (!__atomic_compare_exchange(to, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

template <typename F> static void launch(unsigned blocks, unsigned threads, F kernel) {
    gridDim = {blocks};
    blockDim = {threads};
    for (unsigned block = 0; block < blocks; ++block) {
        blockIdx = {block};
        std::barrier<> barrier(threads);
        all_of_a_block = &barrier;
        std::vector<std::thread> running;
        for (unsigned t = 0; t < threads; ++t)
            running.emplace_back([&, t] { threadIdx = {t}; kernel(); });
        for (auto& thread : running) thread.join();
    }
}

// Numbers come in and go out as bytes, so that nothing is rounded.
template <typename T> static std::vector<T> in(size_t count) {
    std::vector<T> values(count);
    if (fread(values.data(), sizeof(T), count, stdin) != count) exit(2);
    return values;
}

template <typename T> static void out(const std::vector<T>& values) {
    fwrite(values.data(), sizeof(T), values.size(), stdout);
}
