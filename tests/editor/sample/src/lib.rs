//! What an editor knows inside of formulas. `tests/editor/run.py` asks rust-analyzer at each mark: a line of comment whose `^` stands
//! below the place, and after it the question and the answer.

use tensor_op::catalogue::nn;
use tensor_op::prelude::*;

/// Root-mean-square norm.
#[tensor_op]
pub fn my_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
    //         ^ references 4
    //             ^ hover A tensor of floats
    //                        ^ references 4
    //                            ^ rename weight 2
    let scale = rsqrt(mean(x * x, n) + eps);
    //  ^ hover let scale: Value
    //  ^ rename factor 2
    //          ^ hover The reciprocal of the square root
    //                     ^ definition pub fn my_norm(
    //                            ^ definition pub fn my_norm(
    //                                 ^ hover let eps: Value
    //                                     ^ type ` + ep` offers eps
    //                                     ^ type ` + x.lo` offers log1p, logsumexp
    x * scale * gamma
    //  ^ definition let scale = rsqrt
    //  ^ type `sc` offers scale
    //               ^ type ` * ` offers scale, gamma, tanh, PI
    //               ^ type `.` offers exp, sum
    //               ^ type `; let y = ` offers scale, gamma
    //               ^ type ` + sum(x, ` offers n
}

/// What Rust lacks or has in another sense: dims by name, numbers that adapt, `let`s that are named like functions, masks.
#[tensor_op]
#[allow(non_snake_case)]
pub fn forms(x: Tensor![E, (g, c)], g: usize, keep: BoolTensor![E], ids: IntTensor![E]) -> Tensor![E] {
    //                      ^ references 8
    //                         ^ rename channels 5
    //                              ^ references 8
    let mean = mean(x, (g, c)) + len(g) - cast(g, float);
    //  ^ references 2
    //         ^ hover The arithmetic mean
    //              ^ hover let x: Value
    //                  ^ references 8
    let centered = x.at(c = 0).sum(g) - 2 * mean(cast(ids, float) * x, (g, c)) * mean;
    //  ^ rename middle 5
    //               ^ hover The elements of x at the indices
    //                  ^ references 5
    //                         ^ hover The sum over dims
    //                                      ^ hover The arithmetic mean
    //                                           ^ hover as another kind
    //                                                     ^ hover The kind of floats
    //                                                                           ^ definition let mean = mean
    let kept = keep & (x < 0.0).any((g, c)) | !(ids != 3) & true == (2 > 1);
    //         ^ definition pub fn forms(
    //                          ^ hover Whether any
    select(kept, -centered, var(centered, E) + std(centered, E, 1) + at(centered, E = ids) / PI)
    // ^ type `sel` offers select
    //     ^ definition let kept
    //                                    ^ definition pub fn forms(
    //                                                                            ^ definition pub fn forms(
    //                                                                                ^ type `ids + ` offers ids, g, kept
    //                                                                                       ^ hover circumference
}

/// Ops by their path, and the results of one.
#[tensor_op]
#[grad(gamma = sum(grad0 * out0, t), x = grad1)]
//      ^ definition pub fn calls(
//                  ^ type `ga` offers gamma
//                               ^ definition pub fn calls(
pub fn calls(x: Tensor![t, d], gamma: Tensor![d]) -> (Tensor![t, d], Tensor![t, d]) {
    let (normed, residual) = nn::add_rms_norm(x, nn::silu_mul(x, x), gamma, 1e-5, n = d);
    //    ^ references 2
    //            ^ rename rest 3
    //                       ^ definition Layers and losses of neural networks
    //                             ^ definition pub fn add_rms_norm(
    //                                        ^ definition pub fn calls(
    //                                                ^ hover silu_mul(
    //                                                                     ^ type `gam` offers gamma
    let scores = nn::softmax(normed, d);
    //               ^ hover softmax(x: Tensor, axis: Axis) -> Tensor
    //               ^ type `rms_n` offers rms_norm
    //                               ^ definition pub fn calls(
    (scores * self::my_norm(residual, gamma, 1e-6, n = d), residual)
    //              ^ definition pub fn my_norm(
    //              ^ type `calls(x, gamma).0 + self::` offers my_norm, forms
    //                        ^ definition let (normed, residual)
}

/// What is kept for the gradient.
#[tensor_op]
#[save(mu)]
//     ^ definition let mu
fn center(x: Tensor![.., n]) -> Tensor![.., n] {
    let mu = mean(x, n);
    //  ^ references 3
    square(x - mu)
}

/// An axis that the caller chooses.
#[tensor_op]
fn centered(x: Tensor, axis: Axis) -> Tensor {
    //                         ^ hover chooses
    x - mean(x, axis)
    //           ^ references 2
    //           ^ rename along 2
}
