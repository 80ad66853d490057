//! Ops without their dims of one element, which backends run in place of products of windows that have one
//! row or column: they give what the op gives.

use std::sync::Arc;
use tensor_op::backend::{Backend, Value};
use tensor_op::prelude::*;
use tensor_op::{NdArray, Op, TensorData};
use tensor_op_core::{GraphOp, without_ones};
use tensor_op_spec::ir::{ArgType, Role, Scalar};

#[tensor_op(tests = false)]
fn conv(
    x: Tensor![b, (g, c), h, w],
    weight: Tensor![(g, o), c, kh, kw],
    g: usize,
    stride: usize,
    padding: usize,
) -> Tensor![b, (g, o), oh = (h + 2 * padding - kh) / stride + 1, ow = (w + 2 * padding - kw) / stride + 1] {
    sum(at(x, h = oh * stride + kh - padding, w = ow * stride + kw - padding, or = 0.0) * weight, (c, kh, kw))
}

type Array = <NdArray as Backend>::Tensor;

/// A call: the shapes of the image and of the weight, and its numbers.
struct Call {
    x: [usize; 4],
    weight: [usize; 4],
    g: usize,
    stride: usize,
    padding: usize,
}

impl Call {
    fn new(x: [usize; 4], weight: [usize; 4], [g, stride, padding]: [usize; 3]) -> Call {
        Call { x, weight, g, stride, padding }
    }

    fn out(&self) -> [usize; 4] {
        let size = |at: usize| (self.x[at] + 2 * self.padding - self.weight[at]) / self.stride + 1;
        [self.x[0], self.weight[0], size(2), size(3)]
    }

    /// The arguments of the op or of its gradient, by their roles.
    fn args(&self, op: &dyn Op) -> Vec<Value<Array>> {
        let numbers = [self.g, self.stride, self.padding];
        let arg = |role: Role, ty: &ArgType| {
            let shape = match role {
                Role::Forward(0) => self.x,
                Role::Forward(1) => self.weight,
                Role::Forward(at) => return Value::Scalar(Scalar::Int(numbers[at - 2] as i64)),
                Role::Grad(_) | Role::Output(_) | Role::Tangent(_) => self.out(),
            };
            match ty {
                ArgType::Shape { .. } => Value::Shape(shape.into()),
                ArgType::Tensor { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => {
                    Value::Tensor(array(shape, role == Role::Forward(1)))
                }
            }
        };
        op.spec().graph().args.iter().map(|own| arg(own.role, &own.ty)).collect()
    }

    /// The op that runs in place of this one.
    fn thin(&self, op: &dyn Op) -> Option<Arc<GraphOp>> {
        without_ones(op.spec(), &self.args(op), NdArray::shape)
    }
}

/// Numbers, of which some of a weight are infinite.
fn array(shape: [usize; 4], is_weight: bool) -> Array {
    let count: usize = shape.iter().product();
    let number = |i: usize| match i % 23 {
        7 if is_weight => f64::INFINITY,
        _ => ((i * 37 + i / 11) % 101) as f64 / 64.0 - 0.8,
    };
    let data = TensorData::new((0..count).map(number).collect::<Vec<f64>>(), shape).expect("as many numbers");
    NdArray::from_data(data, &Default::default()).expect("the cpu takes floats")
}

fn results(op: &dyn Op, args: Vec<Value<Array>>) -> Vec<(Vec<usize>, Vec<f64>)> {
    let wanted = vec![true; op.spec().graph().outputs.len()];
    let results = NdArray::run(op, args, &wanted).expect("it runs").into_iter().flatten();
    let numbers = |array: Array| NdArray::into_data(array).expect("readable").into_vec().expect("f64");
    results.map(|array| (NdArray::shape(&array).to_vec(), numbers(array))).collect()
}

/// The op and its gradient, with the dims of one element and without.
#[track_caller]
fn check(call: &Call) {
    let backward = Conv.backward().expect("a gradient");
    for op in [&Conv as &dyn Op, &*backward] {
        let thin = call.thin(op).expect("a product has one row or column");
        for (whole, thin) in results(op, call.args(op)).iter().zip(&results(&*thin, call.args(op))) {
            assert_eq!(whole.0, thin.0);
            for (i, (whole, thin)) in whole.1.iter().zip(&thin.1).enumerate() {
                let same = whole == thin || (whole.is_nan() && thin.is_nan());
                assert!(same || (whole - thin).abs() < 1e-12, "number {i} is {thin}, not {whole}");
            }
        }
    }
}

#[test]
fn one_channel_in_each_group() {
    check(&Call::new([2, 5, 9, 8], [5, 1, 3, 3], [5, 1, 1]));
    check(&Call::new([2, 5, 9, 8], [5, 1, 3, 2], [5, 2, 1]));
    check(&Call::new([1, 3, 7, 7], [3, 1, 1, 1], [3, 3, 0]));
}

#[test]
fn one_channel_out() {
    check(&Call::new([2, 5, 9, 8], [1, 5, 3, 3], [1, 1, 2]));
    check(&Call::new([2, 6, 5, 5], [2, 3, 3, 3], [2, 1, 1]));
}

#[test]
fn products_with_several_rows_and_columns_stay() {
    let several = Call::new([2, 4, 9, 8], [4, 2, 3, 3], [2, 1, 1]);
    assert!(several.thin(&Conv).is_none());
    let unfit = Call::new([2, 4, 9, 8], [4, 1, 3, 3], [2, 1, 1]);
    assert!(unfit.thin(&Conv).is_none(), "a call that is refused");
}
