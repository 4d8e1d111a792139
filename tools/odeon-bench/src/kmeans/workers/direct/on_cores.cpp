int main() {
    auto n = in<unsigned>(7); // first, rows, dims, k, blocks, threads, bytes of the points that are withheld
    unsigned first = n[0], rows = n[1], dims = n[2], k = n[3], blocks = n[4], threads = n[5];
    auto all = in<unsigned>(1)[0]; // points
    auto points = in<float>((size_t)all * dims);
    auto centres = in<float>((size_t)k * dims);
    std::vector<unsigned> members(rows, 77);
    std::vector<float> sums((size_t)blocks * k * dims, -1);
    std::vector<unsigned> counts((size_t)blocks * k, 77);
    launch(blocks, threads, [&] {
        assign(points.data(), points.size() * 4 - n[6], centres.data(), centres.size() * 4,
            members.data(), members.size() * 4, sums.data(), sums.size() * 4, counts.data(), counts.size() * 4,
            first, rows, dims, k);
    });
    out(members); out(sums); out(counts);
}
