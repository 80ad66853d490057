//! Kernels that were ejected and go back in by `#[kernel(..)]`. They are the files in `kernels/`, and give
//! the same bits as those that the macro generates. A new case is one declaration; `UPDATE=1` writes its
//! file, which needs a line in `kernels/mod.rs`.

mod kernels;

use tensor_op::backend::{Backend, Value, by_hand};
use tensor_op::testing::ejected;
use tensor_op::testing::sample::{Point, SamplePlan, backward_args, floats, sample};
use tensor_op::{DType, NdArray, Op, Result, TensorData};

/// Declares an op twice: with generated kernels and with those of its file.
macro_rules! twice {
    ($name:ident { cpu = $cpu:ident, cpu_backward = $backward:ident } $($item:tt)*) => {
        mod $name {
            pub(super) mod generated {
                use tensor_op::prelude::*;
                #[tensor_op]
                $($item)*
            }
            pub(super) mod by_hand {
                use crate::kernels::$name::*;
                use tensor_op::prelude::*;
                #[tensor_op]
                #[kernel(cpu = $cpu, cpu_backward = $backward, saves)]
                $($item)*
            }
        }
    };
}

twice! { silu_mul { cpu = silu_mul_cpu, cpu_backward = silu_mul_backward_cpu }
    pub fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }
}
twice! { layer_norm { cpu = layer_norm_cpu, cpu_backward = layer_norm_backward_cpu }
    pub fn layer_norm(x: Tensor![.., n], gamma: Tensor![n], beta: Tensor![n], eps: f64) -> Tensor![.., n] {
        (x - mean(x, n)) * rsqrt(var(x, n) + eps) * gamma + beta
    }
}
twice! { column_stats { cpu = column_stats_cpu, cpu_backward = column_stats_backward_cpu }
    pub fn column_stats(x: Tensor![b, n]) -> (Tensor![n], Tensor![n]) { (sum(x, b), max(x, b)) }
}
twice! { linear_gelu { cpu = linear_gelu_cpu, cpu_backward = linear_gelu_backward_cpu }
    pub fn linear_gelu(x: Tensor![.., i], weight: Tensor![o, i], bias: Tensor![o]) -> Tensor![.., o] {
        gelu(sum(x * weight, i) + bias)
    }
}
twice! { attention { cpu = attention_cpu, cpu_backward = attention_backward_cpu }
    pub fn attention(q: Tensor![.., t, d], k: Tensor![.., s, d], v: Tensor![.., s, e]) -> Tensor![.., t, e] {
        let scores = sum(q * k, d) / sqrt(cast(len(d), float));
        sum(softmax(scores, s) * v, s)
    }
}
twice! { cross_entropy { cpu = cross_entropy_cpu, cpu_backward = cross_entropy_backward_cpu }
    pub fn cross_entropy(logits: Tensor![b, v], target: IntTensor![b]) -> Tensor![b] {
        logsumexp(logits, v) - at(logits, v = target)
    }
}
twice! { embedding { cpu = embedding_cpu, cpu_backward = embedding_backward_cpu }
    pub fn embedding(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] { at(weight, v = ids) }
}
twice! { conv1d { cpu = conv1d_cpu, cpu_backward = conv1d_backward_cpu }
    pub fn conv1d(
        x: Tensor![b, c, n],
        weight: Tensor![o, c, k],
        #[default(1)] stride: usize,
        #[default(0)] pad: usize,
    ) -> Tensor![b, o, l = (n + 2 * pad - k) / stride + 1] {
        sum(at(x, n = l * stride + k - pad, or = 0.0) * weight, (c, k))
    }
}
twice! { decayed { cpu = decayed_cpu, cpu_backward = decayed_backward_cpu }
    pub fn decayed(x: Tensor, rate: f64, dim: Axis) -> Tensor { tanh(cumsum(x * exp(-rate), dim)) }
}
twice! { middle { cpu = middle_cpu, cpu_backward = middle_backward_cpu }
    pub fn middle(x: Tensor![.., n]) -> Tensor![.., n] {
        let order = argsort(stop_grad(x), n);
        square(at(x, n = order))
    }
}
twice! { noisy { cpu = noisy_cpu, cpu_backward = noisy_backward_cpu }
    pub fn noisy(x: Tensor, p: Fraction, seed: Seed) -> Tensor { relu(dropout(x, p, seed)) }
}
twice! { rows_into { cpu = rows_into_cpu, cpu_backward = rows_into_backward_cpu }
    pub fn rows_into(x: Tensor![m, ..], index: IntTensor![n], by: Tensor![n, ..]) -> Tensor![m, ..] {
        x + scatter_add(exp(by), n, m = index)
    }
}

/// The name of a file, the op, and its twin.
type Case = (&'static str, &'static dyn Op, &'static dyn Op);

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

#[test]
fn files_are_what_is_ejected() {
    CASES.iter().for_each(|(name, generated, _)| same_file(name, &ejected(*generated)));
}

#[test]
fn ejected_kernels_give_the_same_bits() {
    for (name, generated, by_hand) in CASES {
        assert!(has_kernel(by_hand) && has_kernel(&*by_hand.backward().expect("it has one")), "{name}");
        assert!(!has_kernel(generated), "{name}");
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            for size in [1, 3, 19] {
                same_bits(generated, by_hand, dtype, size).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
    }
}

fn has_kernel(op: &dyn Op) -> bool {
    by_hand::kernel::<NdArray>(op).is_some()
}

fn same_file(name: &str, text: &str) {
    let path = format!("{}/tests/ejected/kernels/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("the folder is writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, text, "{path} is not what is ejected: `UPDATE=1 cargo test --test ejected` writes it");
}

fn same_bits(generated: &dyn Op, by_hand: &dyn Op, dtype: DType, size: usize) -> Result<()> {
    let graph = generated.spec().graph();
    let plan = SamplePlan::uniform(graph, size, &[2, size], 7);
    let args: Vec<Value<TensorData>> = sample(graph, &plan, Point::Ordinary)?;
    let args: Vec<_> = args.into_iter().map(|arg| arg.map(|data| stored(data, dtype))).collect();
    let (wanted, found) = (all_results(generated, &args, dtype)?, all_results(by_hand, &args, dtype)?);
    assert_eq!(wanted.len(), found.len());
    for (wanted, found) in wanted.iter().zip(&found) {
        let name = graph.name.as_str();
        assert_eq!((wanted.shape(), wanted.dtype()), (found.shape(), found.dtype()), "{name}");
        assert_eq!(bits(wanted), bits(found), "{name} in {dtype}");
    }
    Ok(())
}

/// The declared results of an op, and the results of its gradient.
fn all_results(op: &dyn Op, args: &[Value<TensorData>], dtype: DType) -> Result<Vec<TensorData>> {
    let graph = op.spec().graph();
    let results = run(op, args)?;
    let gradients = results.iter().map(|result| floats(result.shape(), &[7]).map(Some));
    let gradients = gradients.collect::<Result<Vec<_>>>()?;
    let backward = op.backward().expect("it has one");
    let args = backward_args(graph, backward.spec().graph(), args, &results, &gradients, dtype);
    let declared = results.into_iter().zip(&graph.outputs).filter(|(_, output)| !output.hidden);
    Ok(declared.map(|(result, _)| result).chain(run(&*backward, &args)?).collect())
}

fn stored(data: TensorData, dtype: DType) -> TensorData {
    if data.dtype() == DType::F64 { data.cast(dtype) } else { data }
}

/// All results of an op, hidden ones too.
fn run(op: &dyn Op, args: &[Value<TensorData>]) -> Result<Vec<TensorData>> {
    let device = Default::default();
    let args = args.iter().cloned().map(|arg| arg.try_map(|data| NdArray::from_data(data, &device)));
    let args = args.collect::<Result<Vec<_>>>()?;
    let wanted = vec![true; op.spec().graph().outputs.len()];
    NdArray::run(op, args, &wanted)?.into_iter().flatten().map(NdArray::into_data).collect()
}

/// Elements as they are: NaN is equal to itself, and -0 is not 0.
fn bits(data: &TensorData) -> Vec<u64> {
    let data = if data.dtype() == DType::Bool { data.clone().cast(DType::I64) } else { data.clone() };
    let wide = data.cast(DType::F64);
    wide.to_vec::<f64>().expect("it is f64").into_iter().map(f64::to_bits).collect()
}

/// An edited kernel computes what was edited.
mod edited {
    use tensor_op::cpu::{Args, Block, Lane, NdArrayTensor, Pass, PassFns, run_passes};
    use tensor_op::prelude::*;

    /// `kernels/silu_mul.rs` with a factor of 2, for another formula.
    pub(super) fn doubled(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
        struct Doubled;
        impl Pass for Doubled {
            #[inline(always)]
            fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
                block.elements(|[x], [], []| ([L::float(2.0) * x], [], []));
            }
        }
        const PASSES: &[PassFns] = &[PassFns::of::<Doubled>()];
        run_passes(args, PASSES, args.spec().fingerprint())
    }

    #[tensor_op(tests = false)]
    #[kernel(cpu = doubled)]
    pub(super) fn negated(x: Tensor) -> Tensor {
        -x
    }

    /// Kernels that were ejected of another formula.
    #[tensor_op(tests = false)]
    #[kernel(cpu = crate::kernels::silu_mul::silu_mul_cpu)]
    pub(super) fn other(x: Tensor, gate: Tensor) -> Tensor {
        x * gate
    }
}

#[test]
fn an_edited_body_runs() {
    let x = tensor_op::Tensor::from([1.0, -3.0]);
    assert_eq!(edited::negated(&x).unwrap().to_vec::<f64>().unwrap(), [2.0, -6.0]);
}

#[test]
fn kernels_of_another_formula_are_refused() {
    let x = tensor_op::Tensor::from([1.0, -3.0]);
    let error = edited::other(&x, &x).unwrap_err().to_string();
    let expected = "other: its formula has other kernels now than those that were ejected and are named in `#[kernel(..)]`: eject them again";
    assert_eq!(error, expected);
}
