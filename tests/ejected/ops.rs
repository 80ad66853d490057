//! The ops whose kernels are ejected, of all classes of kernels. `ops!(twice)` gives each of them to the macro
//! `twice` with the names of its kernels, and lists them. A new case is one declaration and one line of the
//! list.

macro_rules! ops {
    ($twice:ident) => {
        $twice! { silu_mul { silu_mul_cpu, silu_mul_backward_cpu, silu_mul_cube, silu_mul_backward_cube }
            pub(crate) fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }
        }
        $twice! { layer_norm { layer_norm_cpu, layer_norm_backward_cpu, layer_norm_cube, layer_norm_backward_cube }
            pub(crate) fn layer_norm(x: Tensor![.., n], gamma: Tensor![n], beta: Tensor![n], eps: f64) -> Tensor![.., n] {
                (x - mean(x, n)) * rsqrt(var(x, n) + eps) * gamma + beta
            }
        }
        $twice! { column_stats { column_stats_cpu, column_stats_backward_cpu, column_stats_cube, column_stats_backward_cube }
            pub(crate) fn column_stats(x: Tensor![b, n]) -> (Tensor![n], Tensor![n]) { (sum(x, b), max(x, b)) }
        }
        $twice! { linear_gelu { linear_gelu_cpu, linear_gelu_backward_cpu, linear_gelu_cube, linear_gelu_backward_cube }
            pub(crate) fn linear_gelu(x: Tensor![.., i], weight: Tensor![o, i], bias: Tensor![o]) -> Tensor![.., o] {
                gelu(sum(x * weight, i) + bias)
            }
        }
        $twice! { attention { attention_cpu, attention_backward_cpu, attention_cube, attention_backward_cube }
            pub(crate) fn attention(q: Tensor![.., t, d], k: Tensor![.., s, d], v: Tensor![.., s, e]) -> Tensor![.., t, e] {
                let scores = sum(q * k, d) / sqrt(cast(len(d), float));
                sum(softmax(scores, s) * v, s)
            }
        }
        $twice! { cross_entropy { cross_entropy_cpu, cross_entropy_backward_cpu, cross_entropy_cube, cross_entropy_backward_cube }
            pub(crate) fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![b] {
                logsumexp(logits, v) - at(logits, v = target)
            }
        }
        $twice! { embedding { embedding_cpu, embedding_backward_cpu, embedding_cube, embedding_backward_cube }
            pub(crate) fn embedding(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] { at(weight, v = ids) }
        }
        $twice! { conv1d { conv1d_cpu, conv1d_backward_cpu, conv1d_cube, conv1d_backward_cube }
            pub(crate) fn conv1d(
                x: Tensor![b, c, n],
                weight: Tensor![o, c, k],
                #[default(1)] stride: usize,
                #[default(0)] pad: usize,
            ) -> Tensor![b, o, l = (n + 2 * pad - k) / stride + 1] {
                sum(at(x, n = l * stride + k - pad, or = 0.0) * weight, (c, k))
            }
        }
        $twice! { decayed { decayed_cpu, decayed_backward_cpu, decayed_cube, decayed_backward_cube }
            pub(crate) fn decayed(x: Tensor, rate: f64, dim: Axis) -> Tensor { tanh(cumsum(x * exp(-rate), dim)) }
        }
        $twice! { middle { middle_cpu, middle_backward_cpu, middle_cube, middle_backward_cube }
            pub(crate) fn middle(x: Tensor![.., n]) -> Tensor![.., n] {
                let order = argsort(stop_grad(x), n);
                square(at(x, n = order))
            }
        }
        $twice! { noisy { noisy_cpu, noisy_backward_cpu, noisy_cube, noisy_backward_cube }
            pub(crate) fn noisy(x: Tensor, p: Fraction, seed: Seed) -> Tensor { relu(dropout(x, p, seed)) }
        }
        $twice! { rows_into { rows_into_cpu, rows_into_backward_cpu, rows_into_cube, rows_into_backward_cube }
            pub(crate) fn rows_into(x: Tensor![m, ..], index: IntTensor![n], by: Tensor![n, ..]) -> Tensor![m, ..] {
                x + scatter_add(exp(by), n, m = index)
            }
        }

        /// The file of each op, the op, and its twin.
        const CASES: [Case; 12] = [
            ("silu_mul", &silu_mul::generated::SiluMul, &silu_mul::by_hand::SiluMul),
            ("layer_norm", &layer_norm::generated::LayerNorm, &layer_norm::by_hand::LayerNorm),
            ("column_stats", &column_stats::generated::ColumnStats, &column_stats::by_hand::ColumnStats),
            ("linear_gelu", &linear_gelu::generated::LinearGelu, &linear_gelu::by_hand::LinearGelu),
            ("attention", &attention::generated::Attention, &attention::by_hand::Attention),
            ("cross_entropy", &cross_entropy::generated::CrossEntropy, &cross_entropy::by_hand::CrossEntropy),
            ("embedding", &embedding::generated::Embedding, &embedding::by_hand::Embedding),
            ("conv1d", &conv1d::generated::Conv1d, &conv1d::by_hand::Conv1d),
            ("decayed", &decayed::generated::Decayed, &decayed::by_hand::Decayed),
            ("middle", &middle::generated::Middle, &middle::by_hand::Middle),
            ("noisy", &noisy::generated::Noisy, &noisy::by_hand::Noisy),
            ("rows_into", &rows_into::generated::RowsInto, &rows_into::by_hand::RowsInto),
        ];
    };
}
pub(crate) use ops;
