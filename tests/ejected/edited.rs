//! Ejected kernels compute what somebody made of them.

use tensor_op::cpu::IntLane as _;
use tensor_op::cpu::{Args, Block, Lane, NdArrayTensor, Pass, PassFns, run_passes};
use tensor_op::prelude::*;

/// `kernels/silu_mul.rs` with a factor of 2, for another formula.
fn doubled(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
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
fn negated(x: Tensor) -> Tensor {
    -x
}

/// Kernels that were ejected of another formula.
#[tensor_op(tests = false)]
#[kernel(cpu = crate::kernels::silu_mul::silu_mul_cpu)]
fn other(x: Tensor, gate: Tensor) -> Tensor {
    x * gate
}

/// `kernels/causal.rs` with a mask that shows five more columns.
fn wider(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    const PASSES: &[PassFns] = &[
        PassFns::of::<Largest>(),
        PassFns::of::<Exponentials>(),
        PassFns::of::<Weights>(),
        PassFns::of::<Statistics>(),
    ];
    run_passes(args, PASSES, args.spec().fingerprint())
}

fn masked<L: Lane>(score: L, s: L::Int, t: L::Int) -> L {
    L::select(s.le(t + L::int(5)), score, L::float(f64::NEG_INFINITY))
}

struct Largest;
impl Pass for Largest {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([], [t], []) = block.uniforms();
        block.elements(|[score], [s], []| ([masked::<L>(score, s, t)], [], []));
    }
}

struct Exponentials;
impl Pass for Exponentials {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max], [t], []) = block.uniforms();
        block.elements(|[score], [s], []| {
            let exponential = (masked::<L>(score, s, t) - max).exp();
            ([exponential, exponential], [], [])
        });
    }
}

struct Weights;
impl Pass for Weights {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([sum], [], []) = block.uniforms();
        block.elements(|[exponential], [], []| ([exponential / sum], [], []));
    }
}

struct Statistics;
impl Pass for Statistics {
    #[inline(always)]
    fn run<L: Lane>(block: &mut Block<'_, '_, L>) {
        let ([max, sum], [], []) = block.uniforms();
        block.per_row([max, sum], [], []);
    }
}

#[tensor_op(tests = false)]
#[kernel(cpu = wider, saves)]
fn causal(q: Tensor![t, d], k: Tensor![s, d], v: Tensor![s, e]) -> Tensor![t, e] {
    sum(softmax(select(iota(s) <= iota(t), sum(q * k, d), -INFINITY), s) * v, s)
}

/// What the edited kernel computes.
#[tensor_op(tests = false)]
fn with_five_more(q: Tensor![t, d], k: Tensor![s, d], v: Tensor![s, e]) -> Tensor![t, e] {
    sum(softmax(select(iota(s) <= iota(t) + 5, sum(q * k, d), -INFINITY), s) * v, s)
}

#[test]
fn an_edited_body_runs() {
    let x = Tensor::from([1.0, -3.0]);
    assert_eq!(negated(&x).unwrap().to_vec::<f64>().unwrap(), [2.0, -6.0]);
}

#[test]
fn kernels_of_another_formula_are_refused() {
    let x = Tensor::from([1.0, -3.0]);
    let error = other(&x, &x).unwrap_err().to_string();
    let expected = "other: the backend `cpu`: its formula has other kernels now than those that were ejected and are named in `#[kernel(..)]`: eject \
         them again";
    assert_eq!(error, expected);
}

/// Of so many scores, a generated kernel leaves out the columns that its own mask hides.
#[test]
fn an_edited_mask_hides_what_it_says() -> Result<()> {
    let [q, k, v] = [1, 2, 3].map(|seed| {
        let values = (0..600 * 4).map(|i| (f64::from(i * seed) * 0.618_034).fract() - 0.5).collect();
        Tensor::from_vec::<f64>(values, [600, 4], &Device::default())
    });
    let (q, k, v) = (q?, k?, v?);
    let (found, wanted) =
        (causal(&q, &k, &v)?.to_vec::<f64>()?, with_five_more(&q, &k, &v)?.to_vec::<f64>()?);
    let worst = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "{worst}");
    Ok(())
}
