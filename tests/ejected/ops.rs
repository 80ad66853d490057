//! The ops whose kernels are ejected, of all classes of kernels and with all primitives. `ops!(twice)` gives
//! each of them to the macro `twice` with the names of its kernels, and lists them. A new case is one
//! declaration and one line of the list.

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
        $twice! { causal { causal_cpu, causal_backward_cpu, causal_cube, causal_backward_cube }
            pub(crate) fn causal(q: Tensor![t, d], k: Tensor![s, d], v: Tensor![s, e]) -> Tensor![t, e] {
                sum(softmax(select(iota(s) <= iota(t), sum(q * k, d), -INFINITY), s) * v, s)
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
        $twice! { functions { functions_cpu, functions_backward_cpu, functions_cube, functions_backward_cube }
            pub(crate) fn functions(x: Tensor) -> Tensor {
                let waves = sin(x) + cos(x) + tan(x) + sinh(x) + cosh(x) + tanh(x) + asinh(x) + atan(x);
                let inverse = asin(tanh(x)) + acos(tanh(x)) + acosh(cosh(x)) + atanh(tanh(x));
                let powers = exp(x) + exp2(x) + expm1(x) + sqrt(exp(x)) + rsqrt(exp(x)) + recip(exp(x));
                let logs = ln(exp(x)) + log2(exp2(x)) + log1p(exp(x));
                let special = erf(x) + erfc(x) + lgamma(exp(x)) + digamma(exp(x));
                waves + inverse + powers + logs + special
            }
        }
        $twice! { roundings { roundings_cpu, roundings_backward_cpu, roundings_cube, roundings_backward_cube }
            pub(crate) fn roundings(x: Tensor, y: Tensor) -> Tensor {
                let still = stop_grad(x);
                let whole = floor(still) + ceil(still) + round(still) + trunc(still) + sign(still) + abs(x);
                whole + x % (abs(y) + 1.0) + maximum(x, y) + minimum(x, y) + pow(abs(x) + 0.5, y) + atan2(x, y)
            }
        }
        $twice! { ints { ints_cpu, ints_backward_cpu, ints_cube, ints_backward_cube }
            pub(crate) fn ints(x: Tensor, a: IntTensor, b: IntTensor) -> (Tensor, IntTensor) {
                let numbers = a + b - a * b + a / b + a % b + maximum(a, b) - minimum(a, b) + abs(a) + sign(b) - (-a) + a * 8589934592;
                let bits = (a & b) ^ (a | b) ^ (a << 3) ^ (b >> 1);
                (x * cast(numbers, float) + cast(bits, float), numbers + bits + cast(stop_grad(x) * 10.0, int))
            }
        }
        $twice! { conditions { conditions_cpu, conditions_backward_cpu, conditions_cube, conditions_backward_cube }
            pub(crate) fn conditions(x: Tensor, y: Tensor, a: IntTensor, c: BoolTensor) -> (Tensor, IntTensor, BoolTensor) {
                let left = stop_grad(x);
                let right = stop_grad(y);
                let less = left < right && left <= 1.0 || !(a > 2) && a >= -1;
                let same = (a == 3) ^ (left != right) | is_nan(left) & is_finite(right);
                let both = (c == less) & (c != same);
                let chosen = select(both, x, y) + cast(same, float);
                (chosen, select(c, a, 7) + cast(less, int), select(c, both, cast(left, bool)) | cast(a, bool))
            }
        }

        /// The file of each op, the op, and its twin.
        const CASES: [Case; 17] = [
            ("silu_mul", &silu_mul::generated::SiluMul, &silu_mul::by_hand::SiluMul),
            ("layer_norm", &layer_norm::generated::LayerNorm, &layer_norm::by_hand::LayerNorm),
            ("column_stats", &column_stats::generated::ColumnStats, &column_stats::by_hand::ColumnStats),
            ("linear_gelu", &linear_gelu::generated::LinearGelu, &linear_gelu::by_hand::LinearGelu),
            ("attention", &attention::generated::Attention, &attention::by_hand::Attention),
            ("causal", &causal::generated::Causal, &causal::by_hand::Causal),
            ("cross_entropy", &cross_entropy::generated::CrossEntropy, &cross_entropy::by_hand::CrossEntropy),
            ("embedding", &embedding::generated::Embedding, &embedding::by_hand::Embedding),
            ("conv1d", &conv1d::generated::Conv1d, &conv1d::by_hand::Conv1d),
            ("decayed", &decayed::generated::Decayed, &decayed::by_hand::Decayed),
            ("middle", &middle::generated::Middle, &middle::by_hand::Middle),
            ("noisy", &noisy::generated::Noisy, &noisy::by_hand::Noisy),
            ("functions", &functions::generated::Functions, &functions::by_hand::Functions),
            ("roundings", &roundings::generated::Roundings, &roundings::by_hand::Roundings),
            ("ints", &ints::generated::Ints, &ints::by_hand::Ints),
            ("conditions", &conditions::generated::Conditions, &conditions::by_hand::Conditions),
            ("rows_into", &rows_into::generated::RowsInto, &rows_into::by_hand::RowsInto),
        ];
    };
}
pub(crate) use ops;
