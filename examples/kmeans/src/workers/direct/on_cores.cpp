int main() {
    // first, rows, dims, k, blocks, threads, bytes of the points that are withheld, parts that are made one
    auto n = in<unsigned>(8);
    unsigned first = n[0], rows = n[1], dims = n[2], k = n[3], blocks = n[4], threads = n[5], fan = n[7];
    auto all = in<unsigned>(1)[0]; // points
    auto points = in<float>((size_t)all * dims);
    auto centres = in<float>((size_t)k * dims);
    auto previous = in<unsigned>(rows);
    std::vector<unsigned> members(rows, 77);
    size_t words = (size_t)k * dims + k + 1;
    Word untouched;
    untouched.count = 77;
    std::vector<Word> parts(blocks * words, untouched), some((blocks + fan - 1) / fan * words, untouched);
    std::vector<Word> whole(2 * words, untouched); // The piece is the second one.
    launch(blocks, threads, [&] {
        assign(points.data(), points.size() * 4 - n[6], centres.data(), centres.size() * 4, previous.data(), previous.size() * 4,
            members.data(), members.size() * 4, parts.data(), parts.size() * 4, first, rows, dims, k);
    });
    unsigned groups = some.size() / words;
    launch(2, threads, [&] { add_up(parts.data(), parts.size() * 4, some.data(), some.size() * 4, blocks, fan, 0, dims, k); });
    launch(2, threads, [&] { add_up(some.data(), some.size() * 4, whole.data(), whole.size() * 4, groups, groups, 1, dims, k); });
    out(members); out(parts); out(whole);
}
