//! Functions of space, and what moves in it.

use tensor_op::prelude::*;

/// The colour along each ray through a signed distance field: where the distance is negative, the field is
/// dense.
///
/// Paper: Yariv, Gu, Kasten and Lipman, *Volume Rendering of Neural Implicit Surfaces* (VolSDF), 2021,
/// arXiv:2106.12052.
#[tensor_op]
pub(crate) fn render_distances(
    distance: Tensor![.., s],
    step: Tensor![.., s],
    colour: Tensor![.., c, s],
    #[default(0.1)] beta: f64,
) -> Tensor![.., c] {
    let tail = 0.5 * exp(-abs(distance) / beta);
    let depth = step / beta * select(distance > 0.0, tail, 1.0 - tail);
    let light = exp(-cumsum(depth, s, exclusive = true));
    sum(-light * expm1(-depth) * colour, s)
}

/// A layer of a Kolmogorov-Arnold network: each edge is a spline of `x` in [-1, 1] and a SiLU. There are
/// three splines more than cells of the grid.
///
/// Paper: Liu and others, *KAN: Kolmogorov-Arnold Networks*, 2024, arXiv:2404.19756.
#[tensor_op]
pub(crate) fn kan_layer(x: Tensor![b, i], spline: Tensor![i, g, o], weight: Tensor![i, o]) -> Tensor![b, o] {
    let cells = cast(len(g) - 3, float);
    let away = abs((x + 1.0) / 2.0 * cells + 1.0 - cast(iota(g), float));
    let basis = (cube(relu(2.0 - away)) - 4.0 * cube(relu(1.0 - away))) / 6.0;
    sum(basis * spline, (i, g)) + sum(silu(x) * weight, i)
}

/// The acceleration of each body by the gravity of all others, softened at small distances.
/// The bodies are the last axis, because sums over a last axis of 3 are slow.
///
/// Paper: Nyland, Harris and Prins, *Fast N-Body Simulation with CUDA*, GPU Gems 3, 2007.
#[tensor_op]
pub(crate) fn gravity(x: Tensor![d, n], mass: Tensor![n], #[default(0.1)] softening: f64) -> Tensor![d, n] {
    let away = at(x, n = iota(m = len(n))) - x;
    let near = rsqrt(sum(square(away), d) + square(softening));
    sum(at(mass, n = iota(m = len(n))) * cube(near) * away, m)
}

/// A step of Gray and Scott's reaction of two substances, on a torus. A stencil spreads them.
///
/// Paper: Pearson, *Complex Patterns in a Simple System*, Science 261, 1993, arXiv:patt-sol/9304003.
#[tensor_op]
pub(crate) fn gray_scott(
    x: Tensor![c = 2, h, w],
    #[default(0.037)] feed: f64,
    #[default(0.06)] kill: f64,
) -> Tensor![c, h, w] {
    let row = at(x, h = wrap(h - 1)) + at(x, h = wrap(h + 1));
    let around = row + at(x, w = wrap(w - 1)) + at(x, w = wrap(w + 1)) - 4.0 * x;
    let u = at(x, c = 0);
    let v = at(x, c = 1);
    let change = select(iota(c) == 0, feed * (1.0 - u) - u * square(v), u * square(v) - (feed + kill) * v);
    x + select(iota(c) == 0, 0.16, 0.08) * around + change
}
