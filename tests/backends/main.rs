//! Every op of the catalogue, forward and backward, on backends against the f64 interpreter: over dtypes, layouts and sizes on the CPU
//! with its generated kernels, and on a backend that has no kernels and was written for this test.

mod composed;
mod conformance;
mod ops;
mod programs;
mod samples;

use composed::Composed;
use samples::{Layout, Sample, on_host};
use tensor_op::backend::{Backend, interpret};
use tensor_op::catalogue::{arith, nn};
use tensor_op::prelude::*;
use tensor_op::{NdArray, Op, TensorData};

const OPS: &[&dyn Op] = &[
    &arith::Add,
    &arith::AddBackward,
    &arith::Div,
    &arith::DivBackward,
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

/// Runs an op on samples of a size and layout and compares with the interpreter, element by element.
fn check<B: Backend>(op: &dyn Op, dtype: DType, size: usize, layout: Layout) {
    let sample = Sample::new(op, dtype, size);
    let args = sample.args::<B>(layout).expect("samples fit the backend");
    let on_host = on_host::<B>(&args).expect("readable");
    let expected = interpret(op.spec().graph(), &on_host).expect("samples fit the op");
    let wanted = vec![true; expected.len()];
    let found =
        B::run(op, args, &wanted).unwrap_or_else(|error| panic!("{error}, {dtype}, {size}, {layout:?}"));
    for (found, expected) in found.into_iter().zip(expected) {
        let found = B::into_data(found.expect("wanted")).expect("readable");
        compare(
            op,
            dtype,
            &found,
            &expected,
            &format!("{} {dtype} size {size} {layout:?}", op.spec().name()),
        );
    }
}

/// Within the rounding of the dtype: of the storage for halves, of some hundred operations for the rest.
fn compare(op: &dyn Op, dtype: DType, found: &TensorData, expected: &TensorData, case: &str) {
    assert_eq!(found.shape(), expected.shape(), "{case}");
    let tolerance = match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 2e-5,
        DType::F16 => 2e-2,
        DType::BF16 => 1e-1,
        DType::I64 | DType::I32 | DType::U8 | DType::Bool => 0.0,
    };
    let numbers = |data: &TensorData| data.clone().cast(DType::F64).into_vec::<f64>().expect("f64");
    let (found, expected) = (numbers(found), numbers(expected));
    let scale = expected.iter().fold(1.0_f64, |scale, x| scale.max(x.abs()));
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let close = (found - expected).abs() <= tolerance * scale || (found.is_nan() && expected.is_nan());
        assert!(close, "{case}: element {index} is {found}, not {expected}, of {}", op.spec().name());
    }
}

#[test]
fn generated_kernels_over_dtypes() {
    for op in OPS {
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            check::<NdArray>(*op, dtype, 5, Layout::Contiguous);
        }
    }
}

#[test]
fn generated_kernels_over_layouts() {
    for op in OPS {
        for layout in [Layout::Transposed, Layout::Sliced, Layout::Broadcast] {
            for dtype in [DType::F64, DType::BF16] {
                check::<NdArray>(*op, dtype, 6, layout);
            }
        }
    }
}

#[test]
fn generated_kernels_over_sizes() {
    for op in OPS {
        for size in [1, 2, 17, 33] {
            check::<NdArray>(*op, DType::F64, size, Layout::Contiguous);
        }
    }
}

#[test]
fn rows_longer_than_a_block() {
    for op in [&nn::Softmax as &dyn Op, &nn::LayerNorm, &nn::LayerNormBackward, &nn::CrossEntropyBackward] {
        check::<NdArray>(op, DType::F64, 1100, Layout::Contiguous);
        check::<NdArray>(op, DType::F32, 1100, Layout::Transposed);
    }
}

#[test]
fn a_backend_without_kernels_runs_every_op() {
    for op in OPS {
        for layout in [Layout::Contiguous, Layout::Transposed] {
            check::<Composed>(*op, DType::F64, 5, layout);
        }
        check::<Composed>(*op, DType::F16, 4, Layout::Contiguous);
    }
}

#[test]
fn model_code_runs_on_a_registered_backend() -> Result<()> {
    tensor_op::register_backend::<Composed>("composed")?;
    let device = Device::new("composed")?;
    let x = Tensor::from_vec(vec![1.0_f64, 2.0, 3.0], [3], &Device::default())?;
    let on_cpu = nn::softmax(&x, 0)?;
    let on_other = nn::softmax(x.to(&device)?, 0)?;
    assert_eq!(on_other.device().name(), device.name());
    assert_eq!(on_other.to_vec::<f64>()?, on_cpu.to_vec::<f64>()?);
    let error = nn::silu_mul(&x, &on_other).unwrap_err();
    assert_eq!(error.kind(), tensor_op::ErrorKind::Device);
    Ok(())
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    for op in OPS {
        let sample = Sample::new(*op, DType::F32, 100);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let args = sample.args::<NdArray>(Layout::Contiguous).expect("samples fit");
            let wanted = vec![true; op.spec().graph().outputs.len()];
            let found = pool.install(|| NdArray::run(*op, args, &wanted)).expect("samples fit");
            let data = found.into_iter().map(|t| NdArray::into_data(t.expect("wanted")).expect("readable"));
            data.map(|data| format!("{:?}", data.storage())).collect::<Vec<_>>()
        };
        let [one, three] = [run(1), run(3)];
        assert!(one == three, "{} differs between 1 and 3 threads", op.spec().name());
    }
}
