#include "cuda.hpp"
#include "kmeans.cu"

int main() {
    auto n = in<unsigned>(5); // rows, dims, k, blocks, bytes of the points that are withheld
    unsigned rows = n[0], dims = n[1], k = n[2], blocks = n[3];
    auto points = in<float>((size_t)rows * dims);
    auto centres = in<float>((size_t)k * dims);
    auto map = in<unsigned>(rows);
    std::vector<float> sums((size_t)blocks * k * dims, -1);
    std::vector<unsigned> counts((size_t)blocks * k, 77), changed(blocks, 77);
    launch(blocks, 128, [&] {
        assign(points.data(), points.size() * 4 - n[4], centres.data(), centres.size() * 4,
            map.data(), map.size() * 4, sums.data(), sums.size() * 4, counts.data(), counts.size() * 4,
            changed.data(), changed.size() * 4, rows, dims, k);
    });
    out(map); out(sums); out(counts); out(changed);
}
