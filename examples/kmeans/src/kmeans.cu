// The worker's part of k-means, as the thesis has it (6.5.2): each thread finds the closest centre of a point at a time; sums and counts of a block are
// collected in the memory that its threads share. What blocks have found is added up by another function, so that little is left to bring to the host.
//
// What is found of some points is a part: `k * dims` sums of those of each centre, `k` counts of them, and how many had another centre before.

typedef unsigned long long u64;

union Word { float sum; unsigned count; };

// A block has one part in the memory that its threads share: as much as its launch gives it.
#ifdef SHARED_BYTES // Where this is compiled as C++, for a test.
__shared__ Word block[SHARED_BYTES / 4 + 1];
#define GET_SHARED_BYTES(to) to = SHARED_BYTES
#else
extern __shared__ Word block[];
#define GET_SHARED_BYTES(to) asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(to))
#endif

// Centres whose distances a thread adds up side by side, so that it reads each value of its point once for all of them.
#define LANES 16

// Of points of `dims` numbers each, `rows` from row `first` on; `k` centres. `members` gets the closest centre of each of them, of equally close ones the first;
// `parts` a part for each block.
extern "C" __global__ void assign(
    const float* points, u64 points_bytes,
    const float* centres, u64 centres_bytes,
    const unsigned* previous, u64 previous_bytes,
    unsigned* members, u64 members_bytes,
    Word* parts, u64 parts_bytes,
    unsigned first, unsigned rows, unsigned dims, unsigned k)
{
    unsigned shared_bytes;
    GET_SHARED_BYTES(shared_bytes);
    u64 sums = (u64)k * dims, words = sums + k + 1;
    // The same for all threads: nobody waits for one that has left.
    if (k == 0 || words > shared_bytes / 4
        || (dims != 0 && (u64)first + rows > points_bytes / 4 / dims) || sums > centres_bytes / 4
        || rows > previous_bytes / 4 || rows > members_bytes / 4 || words * gridDim.x > parts_bytes / 4)
        return;
    Word* counts = block + sums;

    for (unsigned i = threadIdx.x; i < sums; i += blockDim.x) block[i].sum = 0;
    for (unsigned i = threadIdx.x; i <= k; i += blockDim.x) counts[i].count = 0;
    __syncthreads();

    for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (u64)gridDim.x * blockDim.x) {
        const float* point = points + (first + row) * dims;
        unsigned closest = 0;
        float least = 3.402823466e38f;
        for (unsigned begin = 0; begin < k; begin += LANES) {
            float distances[LANES] = {};
            for (unsigned d = 0; d < dims; ++d) {
                float value = point[d];
                #pragma unroll
                for (unsigned lane = 0; lane < LANES; ++lane) {
                    // The last ones may not be there.
                    unsigned c = begin + lane < k ? begin + lane : begin;
                    float x = value - centres[(u64)c * dims + d];
                    distances[lane] += x * x;
                }
            }
            #pragma unroll
            for (unsigned lane = 0; lane < LANES; ++lane)
                if (begin + lane < k && distances[lane] < least) { least = distances[lane]; closest = begin + lane; }
        }
        members[row] = closest;
        atomicAdd(&counts[closest].count, 1u);
        if (previous[row] != closest) atomicAdd(&counts[k].count, 1u);
        // Threads begin with different dimensions: those of one centre would wait for each other at each of them.
        for (unsigned i = 0, d = dims == 0 ? 0 : threadIdx.x % dims; i < dims; ++i) {
            atomicAdd(&block[closest * dims + d].sum, point[d]);
            if (++d == dims) d = 0;
        }
    }
    __syncthreads();

    Word* part = parts + blockIdx.x * words;
    for (unsigned i = threadIdx.x; i < sums; i += blockDim.x) part[i].sum = block[i].sum;
    for (unsigned i = threadIdx.x; i <= k; i += blockDim.x) part[sums + i].count = counts[i].count;
}

// Makes one part of each `fan` of `count` parts, which it adds up in their order; they stand in `into` from place `at` on.
extern "C" __global__ void add_up(
    const Word* parts, u64 parts_bytes,
    Word* into, u64 into_bytes,
    unsigned count, unsigned fan, unsigned at, unsigned dims, unsigned k)
{
    if (count == 0 || fan == 0) return;
    u64 sums = (u64)k * dims, words = sums + k + 1;
    u64 groups = ((u64)count + fan - 1) / fan;
    if (words > parts_bytes / 4 / count || words > into_bytes / 4 / (at + groups)) return;

    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < groups * words; i += (u64)gridDim.x * blockDim.x) {
        u64 group = i / words, word = i % words, end = (group + 1) * fan;
        Word found = {};
        for (u64 part = group * fan; part < end && part < count; ++part) {
            const Word* more = parts + part * words + word;
            if (word < sums) found.sum += more->sum; else found.count += more->count;
        }
        into[at * words + i] = found;
    }
}
