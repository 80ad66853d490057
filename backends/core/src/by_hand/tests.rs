use super::*;
use crate::host::{Host, HostTensor};
use crate::{DType, GraphOp, Spec, TensorData};
use std::sync::Arc;

/// `y = x + by`, declared with a kernel for `Host` that doubles `x`.
#[derive(Clone)]
struct Shifted;

impl Op for Shifted {
    fn spec(&self) -> &Spec {
        static SPEC: Spec = Spec::new(
            "op shifted
dim .. group
arg x: float[..], forward 0
arg by: f64, forward 1
%0 = input x : float[..]
%1 = input by : float[]
%2 = add(%0, %1) : float[..]
out out = %2 [..]
",
            None,
        );
        &SPEC
    }
    fn kernels(&self, wanted: TypeId) -> Option<&'static (dyn Any + Send + Sync)> {
        static DOUBLED: ByHand<Host, HostTensor> = ByHand::new(doubled);
        (wanted == TypeId::of::<ByHand<Host, HostTensor>>()).then_some(&DOUBLED)
    }
    fn backward(&self) -> Option<Arc<dyn Op>> {
        None
    }
}

/// The same op of another type.
#[derive(Clone)]
struct Other;

impl Op for Other {
    fn spec(&self) -> &Spec {
        Shifted.spec()
    }
    fn backward(&self) -> Option<Arc<dyn Op>> {
        None
    }
}

fn doubled(args: &Args<'_, HostTensor>) -> Result<Vec<HostTensor>> {
    let x = args.tensor("x")?.data.to_vec::<f64>()?;
    Ok(vec![tensor(&x.iter().map(|x| x * 2.0).collect::<Vec<_>>())])
}

fn tensor(elements: &[f64]) -> HostTensor {
    let data = TensorData::new(elements.to_vec(), [elements.len()]).expect("one axis");
    Host::from_data(data, &0).expect("the host takes all data")
}

fn run_on(op: &dyn Op, x: &[f64]) -> Result<Vec<f64>> {
    let args = vec![Value::Tensor(tensor(x)), Value::Scalar(tensor_op_spec::ir::Scalar::Float(1.0))];
    let results = Host::run(op, args, &[true])?;
    results.into_iter().flatten().next().expect("the result is wanted").data.to_vec()
}

#[test]
fn a_kernel_that_an_op_offers_runs_in_place_of_the_composition() {
    assert_eq!(run_on(&Shifted, &[1.0, -2.0]).unwrap(), [2.0, -4.0]);
    let graph = GraphOp::new(Shifted.spec().graph().clone());
    assert_eq!(run_on(&graph, &[1.0, -2.0]).unwrap(), [2.0, -1.0]);
    // Arguments are checked before the kernel runs.
    let shapes = vec![Value::Shape([2].into()), Value::Shape([2].into())];
    let error = Host::run(&Shifted, shapes, &[true]).unwrap_err().to_string();
    assert_eq!(error, "shifted: `x`: this argument is a tensor; something else was given");
}

/// The last kernel that is registered runs, and only for this op.
#[test]
fn a_kernel_is_registered_for_an_op_of_another_crate() {
    assert_eq!(run_on(&Other, &[1.0]).unwrap(), [2.0]);
    let zero = |_: &Args<'_, HostTensor>| Ok(vec![tensor(&[0.0])]);
    let shifted = |args: &Args<'_, HostTensor>| {
        let x = args.tensor("x")?.data.to_vec::<f64>()?[0];
        Ok(vec![tensor(&[x - args.scalar::<f64>("by")?])])
    };
    register_kernel::<Host>(&Other, zero).unwrap();
    assert_eq!(run_on(&Other, &[1.0]).unwrap(), [0.0]);
    register_kernel::<Host>(&Other, shifted).unwrap();
    assert_eq!(run_on(&Other, &[5.0]).unwrap(), [4.0]);
    assert_eq!(run_on(&Shifted, &[1.0]).unwrap(), [2.0]);
    let error = register_kernel::<Host>(&GraphOp::new(Other.spec().graph().clone()), zero).unwrap_err();
    let expected = "shifted: was made from a graph at run time: a kernel is registered for an op with a type";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn what_a_kernel_returns_is_checked() {
    fn odd(args: &Args<'_, HostTensor>) -> Result<Vec<HostTensor>> {
        let x = args.tensor("x")?;
        match x.data.elements() {
            2 => Ok(vec![Host::reshape(x.clone(), [2, 1].into())?]),
            3 => Ok(vec![Host::cast(x.clone(), DType::F32)?]),
            4 => Err(Error::new(ErrorKind::Backend, "no")),
            5 => Ok(vec![]),
            6 => Ok(vec![args.tensor("by")?.clone()]),
            7 => args.shape("x").map(|_| vec![]),
            8 => args.scalar::<f64>("x").map(|_| vec![]),
            9 => args.scalar::<i64>("by").map(|_| vec![]),
            _ => Ok(vec![args.tensor("y")?.clone()]),
        }
    }
    for (len, expected) in [
        (2, "its kernel returned `out` of shape [2, 1]; [2] is declared"),
        (3, "its kernel returned `out` as f32; f64 is declared"),
        (4, "no"),
        (5, "its kernel returned 0 results; declared are `out`"),
        (6, "its kernel takes `by` for a tensor, which it is not"),
        (7, "its kernel takes `x` for a shape, which it is not"),
        (8, "its kernel takes `x` for a scalar of f64, which it is not"),
        (9, "its kernel takes `by` for a scalar of i64, which it is not"),
        (10, "its kernel asks for `y`, but the arguments are `x`, `by`"),
    ] {
        let args = vec![
            Value::Tensor(tensor(&vec![1.0; len])),
            Value::Scalar(tensor_op_spec::ir::Scalar::Float(1.0)),
        ];
        let error = run::<Host>(odd, &Shifted, &args, &[true]).unwrap_err();
        assert_eq!(error.to_string(), format!("shifted: the backend `host 0`: {expected}"));
    }
}
