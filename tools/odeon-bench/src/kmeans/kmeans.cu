// The worker's part of k-means, as the thesis has it (6.5.2): each thread finds the closest centre of a point at a time; sums and counts of a block are
// collected in the memory that its threads share. Compile with -DMOST_SUMS=8192 -DMOST_CENTRES=1024.
//
// Of points of `dims` numbers each, `rows` from row `first` on; `k` centres. `members` gets the closest centre of each of them, of equally close ones the first.
// For each block: `k * dims` sums and `k` counts.

typedef unsigned long long u64;

extern "C" __global__ void assign(
    const float* points, u64 points_bytes,
    const float* centres, u64 centres_bytes,
    unsigned* members, u64 members_bytes,
    float* sums, u64 sums_bytes,
    unsigned* counts, u64 counts_bytes,
    unsigned first, unsigned rows, unsigned dims, unsigned k)
{
    __shared__ float block_sums[MOST_SUMS];
    __shared__ unsigned block_counts[MOST_CENTRES];

    u64 all = (u64)k * dims;
    // The same for all threads: nobody waits for one that has left.
    if (k == 0 || k > MOST_CENTRES || all > MOST_SUMS
        || (dims != 0 && (u64)first + rows > points_bytes / 4 / dims) || all > centres_bytes / 4
        || rows > members_bytes / 4 || all * gridDim.x > sums_bytes / 4 || (u64)k * gridDim.x > counts_bytes / 4)
        return;

    for (unsigned i = threadIdx.x; i < all; i += blockDim.x) block_sums[i] = 0;
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) block_counts[i] = 0;
    __syncthreads();

    for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (u64)gridDim.x * blockDim.x) {
        const float* point = points + (first + row) * dims;
        unsigned closest = 0;
        float least = 3.402823466e38f;
        for (unsigned c = 0; c < k; ++c) {
            const float* centre = centres + (u64)c * dims;
            float distance = 0;
            for (unsigned d = 0; d < dims; ++d) {
                float x = point[d] - centre[d];
                distance += x * x;
            }
            if (distance < least) { least = distance; closest = c; }
        }
        members[row] = closest;
        atomicAdd(&block_counts[closest], 1u);
        for (unsigned d = 0; d < dims; ++d) atomicAdd(&block_sums[closest * dims + d], point[d]);
    }
    __syncthreads();

    for (unsigned i = threadIdx.x; i < all; i += blockDim.x) sums[blockIdx.x * all + i] = block_sums[i];
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x) counts[(u64)blockIdx.x * k + i] = block_counts[i];
}
