//! Faults of derived gradients and of forward mode. An op has the derivatives of another formula, which has
//! the same values except at a few points; or the kernel of its gradient is written by hand.

use crate::by_hand::{Args, Results, floats, stored, tensors};
use crate::family::{Family, What};
use ndarray::{ArrayD, ArrayViewD};
use std::any::{Any, TypeId};
use std::sync::Arc;
use tensor_op::__private::{ByHand, Spec, offer};
use tensor_op::cpu::NdArrayTensor;
use tensor_op::{DType, NdArray, Op};
use tensor_op_spec::Stages;
use tensor_op_spec::ir::Graph;

pub(crate) fn families() -> Vec<Family> {
    vec![greater(), largest(), power(), chosen(), scattered(), second_result(), incoming()]
}

fn greater() -> Family {
    family(
        "(x: Tensor![n], y: Tensor![n]) -> Tensor![n] { maximum(x, y) }",
        &[(
            "the derived gradient of a maximum goes to the second at a tie",
            Mode::Both,
            "select(x > y, x, y)",
        )],
    )
}

fn largest() -> Family {
    family(
        "(x: Tensor![m, n]) -> Tensor![m] { max(x, n) }",
        &[(
            "the derived gradient of a maximum goes to the first of ties",
            Mode::Both,
            "sum(select(iota(n) == argmax(x, n), x, 0.0), n)",
        )],
    )
}

fn power() -> Family {
    family(
        "(x: Tensor![n], p: Tensor![n]) -> Tensor![n] { pow(x, p) }",
        &[("the derived gradient of 0 to the power of 0 is NaN", Mode::Both, "exp(p * ln(x))")],
    )
}

fn chosen() -> Family {
    family(
        "(x: Tensor![n], y: Tensor![n], c: BoolTensor![n]) -> Tensor![n] { select(!c, x, y) }",
        &[
            ("a choice by a negated condition is not swapped in the gradient", Mode::Both, "select(c, x, y)"),
            (
                "a choice by a negated condition is not swapped in forward mode",
                Mode::Forward,
                "select(c, x, y)",
            ),
        ],
    )
}

fn scattered() -> Family {
    family(
        "(x: Tensor![v, d], ids: IntTensor![t], y: Tensor![t, d]) -> Tensor![v, d] { x + sum(select(ids == iota(v), y, 0.0), t) }",
        &[
            (
                "forward mode of a scatter forgets what is added",
                Mode::Forward,
                "x + stop_grad(sum(select(ids == iota(v), y, 0.0), t))",
            ),
            (
                "forward mode of a scatter adds to the wrong rows",
                Mode::Forward,
                "x + sum(select(ids == iota(v) + 1, y, 0.0), t)",
            ),
        ],
    )
}

fn second_result() -> Family {
    family(
        "(x: Tensor![n], y: Tensor![n]) -> (Tensor![n], Tensor![n]) { (x * y, x - y) }",
        &[("forward mode forgets the second result", Mode::Forward, "(x * y, stop_grad(x - y))")],
    )
}

/// Bugs that libraries have released: the incoming gradient is treated as a row-major tensor.
fn incoming() -> Family {
    let declaration = "(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, n] { x * y }";
    let op = |kernel| by_kernel("(x: Tensor![m, n], y: Tensor![m, n]) -> Tensor![m, n]", "x * y", kernel);
    Family {
        what: What::Derivative,
        declaration,
        right: op(|args| of_product(args, |grad| grad.to_owned())),
        wrong: vec![
            (
                "a transposed gradient of the result is read as if it were row-major",
                op(|args| {
                    of_product(args, |grad| match grad.as_slice_memory_order() {
                        Some(elements) => ArrayD::from_shape_vec(grad.raw_dim(), elements.to_vec())
                            .expect("as many elements"),
                        None => grad.to_owned(),
                    })
                }),
            ),
            (
                "along stride 0 the first row alone of the gradient of the result counts",
                op(|args| {
                    of_product(args, |grad| {
                        let mut rows = grad.to_owned();
                        if grad.shape()[0] > 1 && grad.strides()[0] == 0 {
                            rows.slice_axis_mut(ndarray::Axis(0), (1..).into()).fill(0.0);
                        }
                        rows
                    })
                }),
            ),
        ],
    }
}

/// The gradients of a product of two tensors. If the incoming gradient is f64, it is read by `read`.
fn of_product(args: Args<'_>, read: fn(ArrayViewD<'_, f64>) -> ArrayD<f64>) -> Results {
    let (values, dtype) = (floats(args)?, tensors(args)[0].dtype());
    let grad = tensors(args)[2];
    let grad = if dtype == DType::F64 { read(grad.view::<f64>()?) } else { values[2].clone() };
    Ok(vec![stored(&grad * &values[1], dtype)?, stored(&grad * &values[0], dtype)?])
}

/// Which derivatives come from the other formula.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// The gradient and forward mode.
    Both,
    /// Only forward mode.
    Forward,
}

/// An op that computes one formula and has derivatives of another.
#[derive(Clone)]
struct Derived {
    spec: Arc<Spec>,
    backward: Option<Arc<dyn Op>>,
}

impl Op for Derived {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn backward(&self) -> Option<Arc<dyn Op>> {
        self.backward.clone()
    }
}

/// A derived gradient whose kernel is written by hand.
#[derive(Clone)]
struct ByKernel {
    derived: Arc<dyn Op>,
    kernel: &'static ByHand<NdArray, NdArrayTensor>,
}

impl Op for ByKernel {
    fn spec(&self) -> &Spec {
        self.derived.spec()
    }

    fn kernels(&self, wanted: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        offer(self.kernel, wanted)
    }

    fn backward(&self) -> Option<Arc<dyn Op>> {
        self.derived.backward()
    }
}

fn by_kernel(signature: &str, body: &str, kernel: fn(Args<'_>) -> Results) -> &'static dyn Op {
    let Derived { spec, backward } = derived(signature, body, Mode::Both, body);
    let kernel = Box::leak(Box::new(ByHand::new(kernel)));
    let backward = backward.map(|derived| Arc::new(ByKernel { derived, kernel }) as Arc<dyn Op>);
    Box::leak(Box::new(Derived { spec, backward }))
}

fn family(declaration: &'static str, faults: &[(&'static str, Mode, &str)]) -> Family {
    let (signature, body) = declaration.split_once(" { ").expect("a declaration has a body");
    let body = body.trim_end_matches(" }");
    let op =
        |mode, other: &str| -> &'static dyn Op { Box::leak(Box::new(derived(signature, body, mode, other))) };
    Family {
        what: What::Derivative,
        declaration,
        right: op(Mode::Both, body),
        wrong: faults.iter().map(|(fault, mode, other)| (*fault, op(*mode, other))).collect(),
    }
}

fn derived(signature: &str, body: &str, mode: Mode, other: &str) -> Derived {
    let stages = |body: &str| -> Stages {
        let source = format!("fn subject{signature} {{ {body} }}");
        let tokens = source.parse().unwrap_or_else(|error| panic!("{source}: {error}"));
        tensor_op_spec::stages(tokens).unwrap_or_else(|errors| panic!("{source}: {errors}"))
    };
    // Results that only gradients see are left out: those of one formula are not in the other.
    let declared = |text: &str| -> &'static str {
        Graph::parse(text).expect("a graph's text parses").with_results(false).to_string().leak()
    };
    let (own, other) = (stages(body), stages(other));
    let (graph, written) = (declared(&own.graph), declared(&own.written));
    let (own, other) = (declared(&own.source), declared(&other.source));
    let spec = |source| Arc::new(Spec::with_written(graph, Some(source), written));
    let by_gradient = match mode {
        Mode::Both => spec(other),
        Mode::Forward => spec(own),
    };
    let backward = by_gradient.derived_backward().ok().map(|op| op.clone() as Arc<dyn Op>);
    Derived { spec: spec(other), backward }
}
