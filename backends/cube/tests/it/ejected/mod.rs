//! Kernels of GPUs that were ejected and go back in by `#[kernel(..)]`. They are the files in `kernels/`, and
//! give the same bits as the kernels of the backend. `tests/ejected` of the root writes them.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

mod kernels;
#[path = "../../../../../tests/ejected/ops.rs"]
mod ops;
#[path = "../../../../../tests/ejected/same.rs"]
mod same;

use same::{Case, same_bits};
use tensor_op::gpu::AnyGpu;
use tensor_op::{DType, Device, Op, Tensor};
use tensor_op_cube::Cube;

#[cfg(feature = "cuda")]
type Gpu = Cube<tensor_op_cube::Cuda>;
#[cfg(not(feature = "cuda"))]
type Gpu = Cube<tensor_op_cube::Wgpu>;

/// Declares an op twice: with the backend's kernels and with those of its file.
macro_rules! twice {
    ($name:ident { $cpu:ident, $cpu_backward:ident, $cube:ident, $cube_backward:ident } $($item:tt)*) => {
        #[allow(dead_code, reason = "ops run by their types")]
        mod $name {
            pub(super) mod generated {
                use tensor_op::prelude::*;
                #[tensor_op(tests = false)]
                $($item)*
            }
            pub(super) mod by_hand {
                use super::super::kernels::$name::*;
                use tensor_op::prelude::*;
                #[tensor_op(tests = false)]
                #[kernel(cube = $cube, cube_backward = $cube_backward, saves)]
                $($item)*
            }
        }
    };
}

ops::ops!(twice);

#[test]
fn ejected_kernels_give_the_same_bits() {
    for (name, generated, by_hand) in CASES {
        assert!(has_kernel(by_hand) && has_kernel(&*by_hand.backward().expect("it has one")), "{name}");
        assert!(!has_kernel(generated), "{name}");
        for (dtype, size) in [(DType::F32, 1), (DType::F32, 3), (DType::F32, 64), (DType::F16, 19)] {
            same_bits::<Gpu>(generated, by_hand, dtype, size)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

fn has_kernel(op: &dyn Op) -> bool {
    tensor_op::backend::by_hand::offered::<AnyGpu, tensor_op::gpu::CubeTensor>(op).is_some()
}

/// Edited kernels compute what was edited.
mod edited {
    use cubecl::prelude::*;
    use tensor_op::Result;
    use tensor_op::gpu::lanes::{Values, exp, floats, maximum};
    use tensor_op::gpu::{Args, CubeTensor, Pass, run_passes};
    use tensor_op::prelude::tensor_op;

    #[cube]
    fn doubled_pass0(at: &mut Values) {
        let x = at.floats[0];
        at.floats.push(maximum(floats(2.0) * x, floats(-1.0)));
    }

    /// The only pass of a pointwise op, for another formula.
    fn doubled(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] = &[Pass::of(doubled_pass0::expand)];
        run_passes(args, PASSES, super::fingerprint(args))
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = doubled)]
    pub(super) fn negated(x: Tensor) -> Tensor {
        -x
    }

    #[cube]
    fn softened_pass0(at: &mut Values) {
        let x = at.floats[0];
        at.floats.push(x);
    }

    /// The exponents are halved.
    #[cube]
    fn softened_pass1(at: &mut Values) {
        let max = at.floats[0];
        let x = at.floats[1];
        at.floats.push(exp((x - max) * floats(0.5)));
    }

    /// Sums of exponentials over rows of any length, with an edited exponent: a kernel that finds a maximum
    /// and this sum in one pass must not run it as the formula has it.
    fn softened(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] =
            &[Pass::of(softened_pass0::expand), Pass::of(softened_pass1::expand), Pass::of(stored::expand)];
        run_passes(args, PASSES, super::fingerprint(args))
    }

    #[cube]
    fn stored(at: &mut Values) {
        let sum = at.floats[0];
        at.floats.push(sum);
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = softened)]
    pub(super) fn exponentials(x: Tensor![m, n]) -> Tensor![m] {
        sum(exp(x - max(x, n)), n)
    }

    /// Kernels that were ejected of another formula.
    #[tensor_op(tests = false)]
    #[kernel(cube = super::kernels::silu_mul::silu_mul_cube)]
    pub(super) fn other(x: Tensor, gate: Tensor) -> Tensor {
        x * gate
    }
}

/// The fingerprint of what the backend runs: these kernels were edited, not ejected.
fn fingerprint(args: &tensor_op::gpu::Args<'_, tensor_op::gpu::CubeTensor>) -> u64 {
    use tensor_op_spec::schedule::{CostModel, schedule, with_fused};
    let graph = args.spec().graph();
    with_fused(graph, schedule(graph, CostModel::GPU)).fingerprint(graph)
}

fn on_gpu(values: Vec<f32>, shape: impl Into<tensor_op::Shape>) -> Tensor {
    let device = Device::new(if cfg!(feature = "cuda") { "cuda" } else { "wgpu" })
        .expect("a GPU, or a processor that poses as one");
    Tensor::from_vec(values, shape, &device).expect("sizes agree")
}

#[test]
fn an_edited_body_runs() {
    let y = edited::negated(on_gpu(vec![1.0, -3.0], [2])).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [2.0, -1.0]);
}

#[test]
fn edited_passes_run_one_after_the_other() {
    for columns in [4, 40_000] {
        let y = edited::exponentials(on_gpu(vec![-2.0; 2 * columns], [2, columns])).unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [columns as f32; 2]);
        let mut x = vec![0.0; columns];
        x[columns - 1] = 2.0;
        let y = edited::exponentials(on_gpu(x, [1, columns])).unwrap().to_vec::<f32>().unwrap();
        let wanted = (columns - 1) as f64 * (-1.0_f64).exp() + 1.0;
        assert!((f64::from(y[0]) - wanted).abs() < 1e-5 * wanted, "{y:?} {wanted}");
    }
}

#[test]
fn kernels_of_another_formula_are_refused() {
    let x = on_gpu(vec![1.0, -3.0], [2]);
    let error = edited::other(&x, &x).unwrap_err().to_string();
    let expected = "other: its formula has other kernels now than those that were ejected and are named in `#[kernel(..)]`: eject them again";
    assert_eq!(error, expected);
}
