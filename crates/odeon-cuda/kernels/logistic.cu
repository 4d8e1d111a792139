// The gradient of the logistic loss: each thread takes a row at a time; what a block's rows add up to is collected in the memory that its threads share.
// Compile with -DMOST_DIMS=8192.
//
// `rows` rows of `dims` numbers each, a label (0 or 1) for each row, `dims` weights. For each block: `dims` parts of the gradient, and the loss of its rows.

typedef unsigned long long u64;

extern "C" __global__ void gradient(
    const float* features, u64 features_bytes,
    const float* labels, u64 labels_bytes,
    const float* weights, u64 weights_bytes,
    float* gradients, u64 gradients_bytes,
    float* losses, u64 losses_bytes,
    unsigned rows, unsigned dims)
{
    __shared__ float block_gradient[MOST_DIMS];
    __shared__ float block_loss;

    // The same for all threads: nobody waits for one that has left.
    if (dims > MOST_DIMS
        || (u64)rows * dims > features_bytes / 4 || rows > labels_bytes / 4 || dims > weights_bytes / 4
        || (u64)dims * gridDim.x > gradients_bytes / 4 || gridDim.x > losses_bytes / 4)
        return;

    for (unsigned d = threadIdx.x; d < dims; d += blockDim.x) block_gradient[d] = 0;
    if (threadIdx.x == 0) block_loss = 0;
    __syncthreads();

    for (u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += (u64)gridDim.x * blockDim.x) {
        const float* x = features + row * dims;
        float z = 0;
        for (unsigned d = 0; d < dims; ++d) z += x[d] * weights[d];
        // log(1 + e^z) and 1 / (1 + e^-z), so that nothing overflows.
        float e = expf(-fabsf(z));
        float softplus = fmaxf(z, 0.0f) + log1pf(e);
        float sigmoid = z >= 0 ? 1 / (1 + e) : e / (1 + e);
        float error = sigmoid - labels[row];
        atomicAdd(&block_loss, softplus - labels[row] * z);
        for (unsigned d = 0; d < dims; ++d) atomicAdd(&block_gradient[d], error * x[d]);
    }
    __syncthreads();

    for (unsigned d = threadIdx.x; d < dims; d += blockDim.x)
        gradients[(u64)blockIdx.x * dims + d] = block_gradient[d];
    if (threadIdx.x == 0) losses[blockIdx.x] = block_loss;
}
