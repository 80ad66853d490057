//! Kernels of GPUs that were ejected and go back in by `#[kernel(..)]`. They are the files in `kernels/`, and
//! give the same bits as the kernels of the backend, except for attention in halves on tensor cores.
//! `tests/ejected` of the root writes them.
#![cfg(any(feature = "wgpu", feature = "cuda"))]

mod kernels;
#[path = "../../../../../tests/ejected/ops.rs"]
mod ops;
#[path = "../../../../../tests/ejected/same.rs"]
mod same;

use same::{Case, of_both, same_bits};
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
            let both = [generated, by_hand];
            let compared = match NEAR.contains(&(name, dtype)) {
                true => nearly_same(both, dtype, size),
                false => same_bits::<Gpu>(both, dtype, size),
            };
            compared.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// Where the bits on CUDA may differ. Attention in halves: generated kernels read their rows once, on tensor
/// cores. Nothing is known of the bodies of ejected kernels, so these read them for each pass. Sums of many
/// functions: the compiler joins products and sums into one rounding, and has more than one choice.
const NEAR: &[(&str, DType)] = if cfg!(feature = "cuda") {
    &[("attention", DType::F16), ("causal", DType::F16), ("functions", DType::F32)]
} else {
    &[]
};

/// Results differ by a few roundings of the dtype.
fn nearly_same(both: [&dyn Op; 2], dtype: DType, size: usize) -> tensor_op::Result<()> {
    for [wanted, found] in of_both::<Gpu>(both, dtype, size)? {
        let [wanted, found] = [wanted, found].map(|data| data.cast(DType::F64).to_vec::<f64>());
        let (wanted, found) = (wanted?, found?);
        let largest = wanted.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let epsilon = if dtype == DType::F16 { 1.0 / 1024.0 } else { f64::from(f32::EPSILON) };
        let bound = 4.0 * largest * epsilon;
        let is_near = wanted.iter().zip(&found).all(|(x, y)| (x - y).abs() <= bound);
        assert!(is_near, "{wanted:?} is not within {bound} of {found:?}");
    }
    Ok(())
}

fn has_kernel(op: &dyn Op) -> bool {
    tensor_op::backend::by_hand::kernel_of::<AnyGpu, tensor_op::gpu::CubeTensor>(op).is_some()
}

/// Edited kernels compute what was edited.
mod edited {
    use cubecl::prelude::*;
    use tensor_op::Result;
    use tensor_op::gpu::lanes::{Values, exp, floats, floats_from_ints, ints, maximum};
    use tensor_op::gpu::{Args, CubeTensor, Pass, fingerprint, run_passes};
    use tensor_op::prelude::tensor_op;

    #[cube]
    fn doubled_pass0(at: &mut Values) {
        let x = at.floats[0];
        at.floats.push(maximum(floats(2.0) * x, floats(-1.0)));
    }

    /// The only pass of a pointwise op, for another formula.
    pub(super) fn doubled(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] = &[Pass::of(doubled_pass0::expand)];
        run_passes(args, PASSES, fingerprint(args.spec()))
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = doubled)]
    pub(super) fn negated(x: Tensor) -> Tensor {
        -x
    }

    /// Gets a kernel while the program runs.
    #[tensor_op(tests = false)]
    pub(super) fn registered(x: Tensor) -> Tensor {
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
        run_passes(args, PASSES, fingerprint(args.spec()))
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

    #[cube]
    fn nothing(_at: &mut Values) {}

    /// A body that forgets its result.
    fn forgetful(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] = &[Pass::of(nothing::expand)];
        run_passes(args, PASSES, fingerprint(args.spec()))
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = forgetful)]
    pub(super) fn forgotten(x: Tensor) -> Tensor {
        -x
    }

    #[cube]
    fn beyond(at: &mut Values) {
        let x = at.floats[1];
        at.floats.push(x);
    }

    /// A body that reads a value which its pass does not have.
    fn reads_beyond(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] = &[Pass::of(beyond::expand)];
        run_passes(args, PASSES, fingerprint(args.spec()))
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = reads_beyond)]
    pub(super) fn read_beyond(x: Tensor) -> Tensor {
        -x
    }

    #[cube]
    fn large_ints(at: &mut Values) {
        let x = at.floats[0];
        at.floats.push(x + floats_from_ints(ints(1_099_511_627_776_i64)));
    }

    /// Ints in a pass that had none.
    fn with_ints(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] = &[Pass::of(large_ints::expand)];
        run_passes(args, PASSES, fingerprint(args.spec()))
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = with_ints)]
    pub(super) fn moved(x: Tensor) -> Tensor {
        -x
    }

    #[cube]
    fn exponential(at: &mut Values) {
        let x = at.floats[0];
        at.floats.push(exp(x));
    }

    /// A function that the formula does not have.
    fn with_exp(args: &Args<'_, CubeTensor>) -> Result<Vec<CubeTensor>> {
        const PASSES: &[Pass] = &[Pass::of(exponential::expand)];
        run_passes(args, PASSES, fingerprint(args.spec()))
    }

    #[tensor_op(tests = false)]
    #[kernel(cube = with_exp)]
    pub(super) fn exponent(x: Tensor) -> Tensor {
        -x
    }

    /// Kernels that were ejected of another formula.
    #[tensor_op(tests = false)]
    #[kernel(cube = super::kernels::silu_mul::silu_mul_cube)]
    pub(super) fn other(x: Tensor, gate: Tensor) -> Tensor {
        x * gate
    }
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
    let expected = "`: its formula has other kernels now than those that were ejected and are named in `#[kernel(..)]`: eject them again";
    assert!(error.starts_with("other: the backend `") && error.ends_with(expected), "{error}");
}

#[test]
fn what_is_wrong_with_a_body_is_the_error_of_a_read() {
    let x = on_gpu(vec![1.0, -3.0], [2]);
    let error = edited::forgotten(&x).and_then(|y| y.to_vec::<f32>()).unwrap_err().to_string();
    let wanted =
        "pass 0 of `forgotten` has 1 floats, 0 ints and 0 bools as results, but its body pushes 0 floats";
    assert!(error.contains(wanted), "{error}");
    let error = edited::read_beyond(&x).and_then(|y| y.to_vec::<f32>()).unwrap_err().to_string();
    assert!(error.contains("index out of bounds: the len is 1 but the index is 1"), "{error}");
    // Other tensors stay usable.
    assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, -3.0]);
}

#[test]
fn edited_bodies_may_have_ints_and_functions() {
    let x = on_gpu(vec![1.0, -3.0], [2]);
    let y = edited::moved(&x).unwrap().to_vec::<f32>().unwrap();
    let has_long_ints = x.device().dtype_usage(DType::I64).storage;
    assert!(!has_long_ints || y == [1_099_511_627_777.0_f32, 1_099_511_627_773.0], "{y:?}");
    let y = edited::exponent(&x).unwrap().to_vec::<f32>().unwrap();
    assert!((y[0] - 1.0_f32.exp()).abs() < 1e-6 && (y[1] - (-3.0_f32).exp()).abs() < 1e-6, "{y:?}");
    if cfg!(feature = "cuda") {
        return;
    }
    let doubles = x.cast(DType::F64).unwrap();
    let error = edited::exponent(&doubles).and_then(|y| y.to_vec::<f64>()).unwrap_err().to_string();
    assert!(error.contains("the device has no function of f64 that a body calls"), "{error}");
}

#[test]
fn kernels_of_all_gpus_can_be_registered() {
    let x = on_gpu(vec![1.0, -3.0], [2]);
    assert_eq!(edited::registered(&x).unwrap().to_vec::<f32>().unwrap(), [-1.0, 3.0]);
    tensor_op::gpu::register_kernel(&edited::Registered, edited::doubled).unwrap();
    assert_eq!(edited::registered(&x).unwrap().to_vec::<f32>().unwrap(), [2.0, -1.0]);
}
