int main() {
    auto n = in<unsigned>(3); // rows, dims, blocks
    unsigned rows = n[0], dims = n[1], blocks = n[2];
    auto features = in<float>((size_t)rows * dims);
    auto labels = in<float>(rows);
    auto weights = in<float>(dims);
    std::vector<float> gradients((size_t)blocks * dims, -1), losses(blocks, -1);
    launch(blocks, 128, [&] {
        gradient(features.data(), features.size() * 4, labels.data(), labels.size() * 4,
            weights.data(), weights.size() * 4, gradients.data(), gradients.size() * 4,
            losses.data(), losses.size() * 4, rows, dims);
    });
    out(gradients); out(losses);
}
