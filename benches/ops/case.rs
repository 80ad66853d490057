//! One op, done in each way: checks that the ways agree, then times one of them.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use ndarray::ArrayD;
use std::fmt;
use std::hint::black_box;
use std::sync::Arc;
use tensor_op::cpu::{NdArrayTensor, Value};
use tensor_op::{Backend, NdArray, Op, Result};
use tensor_op_spec::ir::{Arg, ArgType, Role};

/// Columns of the matrices of elementwise and row ops.
pub(crate) const COLUMNS: usize = 4096;

/// Calls per line; the least counts.
pub(crate) const SAMPLES: u32 = 40;

/// A way to do an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// What `#[tensor_op]` made.
    Generated,
    /// Loops over slices as one writes them: `exp` of std, rayon over rows, a new output.
    ByHand,
    /// The same loops compiled for AVX-512 and AVX2 and chosen at run time, with a polynomial for `exp`.
    ByHandSimd,
    /// As before, into outputs that are kept between calls.
    ByHandSimdInPlace,
    /// Operations of ndarray, one after the other.
    NdArray,
}

/// Which compilation of a loop by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loops {
    /// For the baseline.
    Plain,
    /// For this machine.
    Simd,
}

/// An op with `N` results.
pub(crate) struct Case<'a, const N: usize> {
    /// Bytes of inputs and results.
    pub(crate) bytes: usize,
    /// Floating-point operations, where they and not bytes are the limit.
    pub(crate) flops: Option<usize>,
    /// Elements of each result.
    pub(crate) lens: [usize; N],
    pub(crate) generated: &'a dyn Fn() -> Result<Vec<NdArrayTensor>>,
    pub(crate) by_hand: &'a dyn Fn(Loops, &mut [Vec<f32>; N]),
    pub(crate) composed: &'a dyn Fn() -> Vec<ArrayD<f32>>,
}

impl Way {
    pub(crate) const ALL: [Way; 5] =
        [Way::Generated, Way::ByHand, Way::ByHandSimd, Way::ByHandSimdInPlace, Way::NdArray];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Way::Generated => "generated",
            Way::ByHand => "by hand",
            Way::ByHandSimd => "by hand, simd",
            Way::ByHandSimdInPlace => "by hand, simd, output kept",
            Way::NdArray => "ndarray",
        })
    }
}

impl<const N: usize> Case<'_, N> {
    pub(crate) fn bench(&self, bencher: Bencher<'_, '_>, way: Way) {
        self.check(way);
        match self.flops {
            Some(flops) => self.time(bencher.counter(ItemsCount::new(flops)), way),
            None => self.time(bencher.counter(BytesCount::new(self.bytes)), way),
        }
    }

    /// What a call makes is dropped within its time: giving memory back is part of making it.
    fn time(&self, bencher: Bencher<'_, '_>, way: Way) {
        match way {
            Way::Generated => bencher.bench_local(|| drop(black_box((self.generated)()))),
            Way::ByHand => bencher.bench_local(|| drop(black_box(self.hand(Loops::Plain)))),
            Way::ByHandSimd => bencher.bench_local(|| drop(black_box(self.hand(Loops::Simd)))),
            Way::ByHandSimdInPlace => {
                let mut outs = self.lens.map(|len| vec![0.0; len]);
                bencher.bench_local(|| (self.by_hand)(Loops::Simd, black_box(&mut outs)));
            }
            Way::NdArray => bencher.bench_local(|| drop(black_box((self.composed)()))),
        }
    }

    fn hand(&self, loops: Loops) -> [Vec<f32>; N] {
        let mut outs = self.lens.map(|len| vec![0.0; len]);
        (self.by_hand)(loops, &mut outs);
        outs
    }

    /// All ways compute the same op, or their times mean nothing.
    fn check(&self, way: Way) {
        let others: Vec<Vec<f32>> = match way {
            Way::Generated => return,
            Way::ByHand => self.hand(Loops::Plain).into(),
            Way::ByHandSimd | Way::ByHandSimdInPlace => self.hand(Loops::Simd).into(),
            Way::NdArray => (self.composed)().into_iter().map(|array| array.into_iter().collect()).collect(),
        };
        let generated = (self.generated)().expect("the arguments fit");
        assert_eq!(generated.len(), others.len());
        for (tensor, other) in generated.iter().zip(&others) {
            let view = tensor.view::<f32>().expect("f32 in, f32 out");
            assert_eq!(view.len(), other.len());
            let scale = view.iter().fold(0.0_f32, |scale, x| scale.max(x.abs()));
            for (a, b) in view.iter().zip(other) {
                assert!((a - b).abs() <= 2e-5 * scale, "{way}: {a} and {b}, the largest is {scale}");
            }
        }
    }
}

/// Rows of the matrices of elementwise and row ops. `ROWS=256` keeps a call within a scheduler's time slice,
/// so that the least of many calls means something on a machine that is not quiet.
pub(crate) fn rows() -> usize {
    std::env::var("ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(2048)
}

/// A backward op with its arguments, what the forward op saves for it among them.
pub(crate) struct Gradient {
    op: Arc<dyn Op>,
    args: Vec<Value<NdArrayTensor>>,
}

impl Gradient {
    /// Of an op at these arguments, for this gradient of its result.
    pub(crate) fn of(op: &dyn Op, args: Vec<Value<NdArrayTensor>>, grad: &NdArrayTensor) -> Result<Gradient> {
        let backward = op.backward().expect("these ops have gradients");
        Gradient::with(op, args, backward, |_| grad.clone())
    }

    /// A derivative of an op at these arguments; `direction` makes a gradient or tangent like a tensor.
    pub(crate) fn with(
        op: &dyn Op,
        args: Vec<Value<NdArrayTensor>>,
        derivative: Arc<dyn Op>,
        direction: impl Fn(&NdArrayTensor) -> NdArrayTensor,
    ) -> Result<Gradient> {
        let results = NdArray::run(op, args.clone(), &vec![true; op.spec().graph().outputs.len()])?;
        let result = |index: usize| results[index].as_ref().expect("all were wanted");
        let tensor = |index: usize| args[index].tensor().expect("only tensors have tangents");
        let arg = |arg: &Arg| match (arg.role, &arg.ty) {
            // An op that is a derivative itself may have the shape only.
            (Role::Forward(index), ArgType::Shape { .. }) => match &args[index] {
                Value::Tensor(tensor) => Value::Shape(tensor.shape().clone()),
                shape @ (Value::Shape(_) | Value::Scalar(_)) => shape.clone(),
            },
            (
                Role::Forward(index),
                ArgType::Tensor { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. },
            ) => args[index].clone(),
            (Role::Output(index), _) => Value::Tensor(result(index).clone()),
            (Role::Grad(index), _) => Value::Tensor(direction(result(index))),
            (Role::Tangent(index), _) => Value::Tensor(direction(tensor(index))),
        };
        let args = derivative.spec().graph().args.iter().map(arg).collect();
        Ok(Gradient { op: derivative, args })
    }

    pub(crate) fn op(&self) -> &dyn Op {
        &*self.op
    }

    pub(crate) fn args(&self) -> Vec<Value<NdArrayTensor>> {
        self.args.clone()
    }

    pub(crate) fn run(&self) -> Result<Vec<NdArrayTensor>> {
        let wanted = self.op.spec().graph().visible();
        Ok(NdArray::run(&*self.op, self.args.clone(), &wanted)?.into_iter().flatten().collect())
    }
}

/// Numbers without a pattern, from -2 to 2; another `seed`, other numbers.
pub(crate) fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 22) as f32 - 2.0
    };
    (0..len).map(|_| next()).collect()
}

/// A matrix of such numbers.
pub(crate) fn matrix(rows: usize, columns: usize, seed: u64) -> ndarray::Array2<f32> {
    ndarray::Array2::from_shape_vec((rows, columns), numbers(rows * columns, seed)).expect("as many numbers")
}

/// The array as an argument.
pub(crate) fn tensor<D: ndarray::Dimension>(array: &ndarray::Array<f32, D>) -> NdArrayTensor {
    NdArrayTensor::from(array.to_owned().into_dyn())
}

/// The elements of a row-major array.
pub(crate) fn slice<D: ndarray::Dimension>(array: &ndarray::Array<f32, D>) -> &[f32] {
    array.as_slice().expect("made row-major")
}
