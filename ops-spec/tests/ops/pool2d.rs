fn pool2d(
    x: Tensor![.., h, w],
    kernel_size @ [kh, kw]: [usize; 2],
    #[default(kernel_size)] stride @ [sh, sw]: [usize; 2],
    #[default(false)] ceil_mode: bool,
) -> Tensor![
    ..,
    oh = minimum((h - kh + cast(ceil_mode, int) * (sh - 1)) / sh, (h - 1) / sh) + 1,
    ow = minimum((w - kw + cast(ceil_mode, int) * (sw - 1)) / sw, (w - 1) / sw) + 1
] {
    sum(at(x, h = oh * sh + iota(kh), w = ow * sw + iota(kw), or = 0.0), (kh, kw))
}
