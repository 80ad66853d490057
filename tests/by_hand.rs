//! Kernels that are written by hand: on which backend they run, forward and backward, and that tests find
//! their mistakes.

use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::backend::{Backend, register_kernel};
use tensor_op::catalogue::activation::{Relu, relu};
use tensor_op::cpu::{Args, NdArrayTensor};
use tensor_op::prelude::*;
use tensor_op::testing::Claim;
use tensor_op::{DTypeUsage, NdArray, Shape, TensorData, register_backend};

/// A backend with storage and nothing else.
#[derive(Clone, Copy, Debug)]
struct Plain;

impl Backend for Plain {
    type Device = ();
    type Tensor = TensorData;

    fn name((): &()) -> String {
        "plain".to_string()
    }
    fn dtype_usage((): &(), _: DType) -> DTypeUsage {
        DTypeUsage::GENERAL
    }
    fn from_data(data: TensorData, (): &()) -> Result<TensorData> {
        Ok(data)
    }
    fn into_data(tensor: TensorData) -> Result<TensorData> {
        Ok(tensor)
    }
    fn shape(tensor: &TensorData) -> Shape {
        tensor.shape().clone()
    }
    fn dtype(tensor: &TensorData) -> DType {
        tensor.dtype()
    }
    fn device(_: &TensorData) {}
}

/// How often each kernel of `scaled` ran.
static CALLS: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

fn calls() -> [usize; 4] {
    [0, 1, 2, 3].map(|at| CALLS[at].load(Ordering::Relaxed))
}

fn times(x: TensorData, by: f64, kernel: usize) -> Result<TensorData> {
    CALLS[kernel].fetch_add(1, Ordering::Relaxed);
    let scaled = x.to_vec::<f64>()?.into_iter().map(|x| x * by).collect();
    Ok(TensorData::new(scaled, x.shape().clone())?.cast(x.dtype()))
}

/// An op with a kernel for two backends.
#[tensor_op]
#[kernel(cpu = cpu, cpu_backward = cpu_backward, Plain = plain)]
#[kernel(self::Plain_backward = plain_backward)]
fn scaled(x: Tensor, by: f64) -> Tensor {
    x * by
}

fn cpu(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    let x = args.tensor("x")?.clone().into_data()?;
    Ok(vec![NdArrayTensor::from_data(times(x, args.scalar("by")?, 0)?)])
}

fn cpu_backward(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    let grad = args.tensor("grad_out")?.clone().into_data()?;
    Ok(vec![NdArrayTensor::from_data(times(grad, args.scalar("by")?, 1)?)])
}

fn plain(args: &Args<'_, TensorData>) -> Result<Vec<TensorData>> {
    Ok(vec![times(args.tensor("x")?.clone(), args.scalar("by")?, 2)?])
}

fn plain_backward(args: &Args<'_, TensorData>) -> Result<Vec<TensorData>> {
    Ok(vec![times(args.tensor("grad_out")?.clone(), args.scalar("by")?, 3)?])
}

#[test]
fn each_backend_has_its_own() -> Result<()> {
    register_backend::<Plain>("plain")?;
    for (device, kernels) in [("cpu", [0, 1]), ("plain", [2, 3])] {
        let x = Tensor::from([1.5, -2.0]).to(&Device::new(device)?)?.require_grad();
        let before = calls();
        let y = scaled(&x, 3.0)?;
        assert!(calls()[kernels[0]] > before[kernels[0]], "forward on {device}");
        assert_eq!(y.to_vec::<f64>()?, [4.5, -6.0]);
        let gradients = y.backward_with(Tensor::from([1.0, 10.0]).to(&Device::new(device)?)?)?;
        assert!(calls()[kernels[1]] > before[kernels[1]], "backward on {device}");
        assert_eq!(gradients[&x].to_vec::<f64>()?, [3.0, 30.0]);
    }
    Ok(())
}

/// The kernel of the gradient forgets a factor.
#[tensor_op(tests = false)]
#[kernel(cpu_backward = forgets)]
fn squared(x: Tensor) -> Tensor {
    x * x
}

fn forgets(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    Ok(vec![NdArray::apply(
        tensor_op::backend::Prim::Mul,
        vec![args.tensor("x")?.clone(), args.tensor("grad_out")?.clone()],
    )?])
}

#[test]
fn the_generated_tests_find_a_wrong_gradient() {
    let report = Claim::Gradcheck.check(&Squared).unwrap_err().to_string();
    assert!(report.contains("the gradient of `x`"), "{report}");
}

/// A gradient that is given, and computed by a kernel: the generated tests hold it to the formula of `grad`.
#[tensor_op(tests(dtypes = f32))]
#[grad(x = grad * out * (1.0 - out))]
#[kernel(cpu_backward = logistic_backward)]
fn logistic(x: Tensor) -> Tensor {
    recip(1.0 + exp(-x))
}

fn logistic_backward(args: &Args<'_, NdArrayTensor>) -> Result<Vec<NdArrayTensor>> {
    GIVEN.fetch_add(1, Ordering::Relaxed);
    let (out, grad) = (args.tensor("out")?.view::<f32>()?, args.tensor("grad_out")?.view::<f32>()?);
    Ok(vec![NdArrayTensor::from(&grad * &out * &out.mapv(|out| 1.0 - out))])
}

static GIVEN: AtomicUsize = AtomicUsize::new(0);

#[test]
fn a_given_gradient_runs_by_a_kernel() -> Result<()> {
    let x = Tensor::from([0.0_f32, 1.0]).require_grad();
    let before = GIVEN.load(Ordering::Relaxed);
    let gradients = logistic(&x)?.backward_with(Tensor::from([1.0_f32, 2.0]))?;
    assert!(GIVEN.load(Ordering::Relaxed) > before);
    let found = gradients[&x].to_vec::<f32>()?;
    assert!((found[0] - 0.25).abs() < 1e-6 && (found[1] - 2.0 * 0.196_611_93).abs() < 1e-6, "{found:?}");
    Ok(())
}

/// A kernel for an op of the catalogue. Its gradient, and other backends, stay as they are.
#[test]
fn an_op_of_another_crate_gets_one() -> Result<()> {
    register_backend::<Plain>("plain")?;
    let x = Tensor::from([-1.0, 2.0]).require_grad();
    let there = x.to(&Device::new("plain")?)?;
    register_kernel::<Plain>(&Relu, |args| {
        let x = args.tensor("input")?;
        Ok(vec![TensorData::full(x.shape().clone(), tensor_op::backend::Scalar::Float(7.0), x.dtype())?])
    })?;
    assert_eq!(relu(&there)?.to_vec::<f64>()?, [7.0, 7.0]);
    assert_eq!(relu(&x)?.to_vec::<f64>()?, [0.0, 2.0]);
    Ok(())
}
