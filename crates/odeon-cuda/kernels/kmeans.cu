// The worker's part of k-means, as the thesis has it (6.5.2): each thread finds the nearest centre of a point at a time; sums and counts of a block are
// collected in the memory that its threads share. Compile with -DMOST_SUMS=8192 -DMOST_CENTRES=1024.
//
// `rows` points of `dims` numbers each, `k` centres. `map` has the nearest centre of each point, of the last round before and of this one after.
// For each block: `k * dims` sums, `k` counts, and how many of its points have another centre than before.

typedef unsigned long long u64;

extern "C" __global__ void assign(
    const float* points, u64 points_bytes,
    const float* centres, u64 centres_bytes,
    unsigned* map, u64 map_bytes,
    float* sums, u64 sums_bytes,
    unsigned* counts, u64 counts_bytes,
    unsigned* changed, u64 changed_bytes,
    unsigned rows, unsigned dims, unsigned k)
{
    __shared__ float block_sums[MOST_SUMS];
    __shared__ unsigned block_counts[MOST_CENTRES];
    __shared__ unsigned block_changed;

    u64 all = (u64)k * dims;
    // The same for all threads: nobody waits for one that has left.
    if (k == 0 || k > MOST_CENTRES || all > MOST_SUMS
        || (u64)rows * dims > points_bytes / 4 || all > centres_bytes / 4 || rows > map_bytes / 4
        || all * gridDim.x > sums_bytes / 4 || (u64)k * gridDim.x > counts_bytes / 4
        || gridDim.x > changed_bytes / 4)
        return;

    for (unsigned i = threadIdx.x; i < all; i += blockDim.x) block_sums[i] = 0;
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) block_counts[i] = 0;
    if (threadIdx.x == 0) block_changed = 0;
    __syncthreads();

    for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (u64)gridDim.x * blockDim.x) {
        const float* point = points + row * dims;
        unsigned nearest = 0;
        float least = 3.402823466e38f;
        for (unsigned c = 0; c < k; ++c) {
            const float* centre = centres + (u64)c * dims;
            float distance = 0;
            for (unsigned d = 0; d < dims; ++d) {
                float x = point[d] - centre[d];
                distance += x * x;
            }
            if (distance < least) { least = distance; nearest = c; }
        }
        if (map[row] != nearest) {
            map[row] = nearest;
            atomicAdd(&block_changed, 1u);
        }
        atomicAdd(&block_counts[nearest], 1u);
        for (unsigned d = 0; d < dims; ++d) atomicAdd(&block_sums[nearest * dims + d], point[d]);
    }
    __syncthreads();

    for (unsigned i = threadIdx.x; i < all; i += blockDim.x) sums[blockIdx.x * all + i] = block_sums[i];
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) counts[(u64)blockIdx.x * k + i] = block_counts[i];
    if (threadIdx.x == 0) changed[blockIdx.x] = block_changed;
}
