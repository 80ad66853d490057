//! Every op of the catalogue and more, forward and backward, on a GPU (or a processor that poses as one)
//! against the f64 interpreter.
#![cfg(feature = "wgpu")]

mod accuracy;
mod edges;
mod extrema;
mod halves;
#[path = "../../../../../tests/backends/ints.rs"]
mod int_dtypes;
mod ints;
#[path = "../../../../../tests/backends/ops.rs"]
mod ops;
mod remainder;
mod rounding;
#[path = "../../../../../tests/backends/samples.rs"]
mod samples;
mod scatter;

use samples::{Layout, Sample};
use tensor_op::backend::{Backend, Kind, Value, interpret};
use tensor_op::catalogue::{arith, nn};
use tensor_op::prelude::*;
use tensor_op::{Op, TensorData};
use tensor_op_cube::{Cube, Wgpu};

type Gpu = Cube<Wgpu>;

const OPS: &[&dyn Op] = &[
    &arith::AddFloat,
    &arith::AddFloatBackward,
    &arith::DivFloat,
    &arith::DivFloatBackward,
    &ops::AxisExtremes,
    &ops::AxisExtremesBackward,
    &ops::AxisLength,
    &ops::AxisLengthBackward,
    &ops::AxisTotal,
    &ops::AxisTotalBackward,
    &ops::Counts,
    &ops::GroupNorm,
    &ops::GroupNormBackward,
    &ops::Rotary,
    &ops::RotaryBackward,
    &nn::AddRmsNorm,
    &nn::AddRmsNormBackward,
    &nn::Attention,
    &nn::AttentionBackward,
    &nn::CrossEntropy,
    &nn::CrossEntropyBackward,
    &nn::Embedding,
    &nn::EmbeddingBackward,
    &nn::LayerNorm,
    &nn::LayerNormBackward,
    &nn::LogSoftmax,
    &nn::LogSoftmaxBackward,
    &nn::Matmul,
    &nn::MatmulBackward,
    &nn::MatmulAddRelu,
    &nn::MatmulAddReluBackward,
    &nn::RmsNorm,
    &nn::RmsNormBackward,
    &nn::SiluMul,
    &nn::SiluMulBackward,
    &nn::Softmax,
    &nn::SoftmaxBackward,
];

fn gpu(data: TensorData) -> <Gpu as Backend>::Tensor {
    Gpu::from_data(data, &Default::default()).expect("fits")
}

/// Runs an op on samples of a size and layout and compares with the interpreter, element by element. Gives
/// what is wrong.
fn check(op: &dyn Op, dtype: DType, size: usize, layout: Layout) -> Vec<String> {
    let case = format!("{} {dtype} size {size} {layout:?}", op.spec().name());
    let sample = Sample::new(op, dtype, size);
    let args = match sample.args::<Gpu>(layout) {
        Ok(args) => args,
        Err(error) => return vec![format!("{case}: {error}")],
    };
    let on_host = on_host(&args);
    let expected = interpret(op.spec().graph(), &on_host).expect("samples fit the op");
    let found = match Gpu::run(op, args, &vec![true; expected.len()]) {
        Ok(found) => found,
        Err(error) => return vec![format!("{case}: {error}")],
    };
    let mut wrong = Vec::new();
    for (found, expected) in found.into_iter().zip(expected) {
        match Gpu::into_data(found.expect("wanted")) {
            Ok(found) => wrong.extend(compare(dtype, &found, &expected).map(|why| format!("{case}: {why}"))),
            Err(error) => wrong.push(format!("{case}: {error}")),
        }
    }
    wrong
}

/// Arguments as the interpreter takes them.
fn on_host(args: &[Value<<Gpu as Backend>::Tensor>]) -> Vec<Value<TensorData>> {
    let read = |tensor| {
        Gpu::into_data(tensor)
            .map(|data| if data.dtype().kind() == Kind::Float { data.cast(DType::F64) } else { data })
    };
    args.iter().cloned().map(|arg| arg.try_map(read).expect("readable")).collect()
}

/// Within the rounding of the dtype: of the storage for halves, of some hundred operations for the rest.
fn compare(dtype: DType, found: &TensorData, expected: &TensorData) -> Option<String> {
    if found.shape() != expected.shape() {
        return Some(format!("the shape is {}, not {}", found.shape(), expected.shape()));
    }
    let tolerance = match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 2e-5,
        DType::F16 => 2e-2,
        DType::BF16 => 1e-1,
        DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => 0.0,
    };
    let numbers = |data: &TensorData| data.clone().cast(DType::F64).into_vec::<f64>().expect("f64");
    let (found, expected) = (numbers(found), numbers(expected));
    let scale = expected.iter().fold(1.0_f64, |scale, x| scale.max(x.abs()));
    let mut pairs = found.iter().zip(&expected).enumerate();
    let wrong = pairs.find(|(_, (found, expected))| {
        let close = (*found - *expected).abs() <= tolerance * scale || (found.is_nan() && expected.is_nan());
        !close
    });
    wrong.map(|(index, (found, expected))| format!("element {index} is {found}, not {expected}"))
}

fn check_all(dtypes: &[DType], sizes: &[usize], layouts: &[Layout]) {
    let mut wrong = Vec::new();
    for op in OPS {
        for dtype in dtypes {
            for size in sizes {
                for layout in layouts {
                    wrong.extend(check(*op, *dtype, *size, *layout));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn data_comes_back() -> Result<()> {
    let device = Default::default();
    for dtype in DType::ALL.into_iter().filter(|dtype| Gpu::supports_dtype(&device, *dtype)) {
        let data = TensorData::new(vec![1.0_f64, 0.0, 2.0, 3.0, 0.0, 5.0], [2, 3])?.cast(dtype);
        let back = Gpu::into_data(Gpu::from_data(data.clone(), &device)?)?;
        assert_eq!(back, data);
        let turned = Gpu::into_data(Gpu::permute(Gpu::from_data(data, &device)?, &[1, 0])?)?;
        let expected = TensorData::new(vec![1.0_f64, 3.0, 0.0, 0.0, 2.0, 5.0], [3, 2])?.cast(dtype);
        assert_eq!(turned, expected);
    }
    Ok(())
}

#[test]
fn silu_mul() {
    let wrong = check(&nn::SiluMul, DType::F32, 5, Layout::Contiguous);
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn ops_over_sizes() {
    check_all(&[DType::F32], &[1, 5, 16, 33], &[Layout::Contiguous]);
}

#[test]
fn ops_over_layouts() {
    check_all(&[DType::F32], &[6, 8], &[Layout::Transposed, Layout::Sliced, Layout::Broadcast]);
}
