//! What skeletons choose by shape, and what devices refuse: long rows, many rows, layouts, special values,
//! errors.

use super::samples::{Layout, Sample};
use super::{Gpu, check, compare, gpu};
use tensor_op::backend::{Backend, Fold, Prim, Scalar, Value, interpret};
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, Op, Shape, TensorData, tensor_op};

fn none_wrong(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rows that a unit, some units, and a cube keep in registers, and rows that are read again.
#[test]
fn rows_of_any_length() {
    let ops: [&dyn Op; 5] =
        [&nn::Softmax, &nn::SoftmaxBackward, &nn::LayerNorm, &nn::LayerNormBackward, &nn::CrossEntropy];
    for op in ops {
        for size in [100, 1100, 4096] {
            none_wrong(check(op, DType::F32, size, Layout::Contiguous));
        }
    }
    none_wrong(check(&nn::Softmax, DType::F32, 30_000, Layout::Contiguous));
    none_wrong(check(&nn::Softmax, DType::F32, 1100, Layout::Transposed));
}

/// Columns of rows that are too long for the registers of a cube.
#[test]
fn columns_of_long_rows() {
    for op in [&nn::LayerNormBackward as &dyn Op, &nn::RmsNormBackward, &nn::AddRmsNormBackward] {
        none_wrong(check(op, DType::F32, 20_000, Layout::Contiguous));
    }
}

fn pattern(shape: &[usize]) -> TensorData {
    let count: usize = shape.iter().product();
    let number = |i: usize| ((i * 37) % 101) as f32 / 40.0 - 1.26;
    TensorData::new((0..count).map(number).collect(), shape).expect("as many as the shape says")
}

fn run(op: &dyn Op, args: Vec<Value<TensorData>>) -> Vec<String> {
    let expected = interpret(op.spec().graph(), &args).expect("fits the op");
    let on_gpu = args.into_iter().map(|arg| arg.map(gpu)).collect();
    let found = Gpu::run(op, on_gpu, &vec![true; expected.len()]).expect("runs");
    let found = found.into_iter().map(|tensor| Gpu::into_data(tensor.expect("wanted")).expect("readable"));
    found.zip(&expected).filter_map(|(found, expected)| compare(DType::F32, &found, expected)).collect()
}

#[test]
fn more_rows_than_a_dimension_has_cubes() {
    let x = Value::Tensor(pattern(&[70_001, 3]));
    none_wrong(run(&nn::Softmax, vec![x.clone(), Value::Scalar(Scalar::Int(-1))]));
    none_wrong(run(&nn::Softmax, vec![x, Value::Scalar(Scalar::Int(0))]));
}

#[test]
fn more_elements_than_a_dimension_has_units() -> Result<()> {
    let size = 256 * 65_535 + 7;
    let x = gpu(TensorData::new((0..size).map(|i| (i % 1000) as f32).collect::<Vec<_>>(), [size])?);
    let y = Gpu::into_data(Gpu::apply(Prim::Neg, vec![x])?)?.into_vec::<f32>()?;
    assert!(y.iter().enumerate().all(|(i, y)| *y == -((i % 1000) as f32)));
    Ok(())
}

/// More than 31 bits count, and than 65,535 turns of a cube's loop, after which Mesa's processor driver
/// leaves it.
#[test]
fn more_elements_than_a_loop_has_turns() -> Result<()> {
    let one = Gpu::full(Shape::new(&[1]), Scalar::Int(1), DType::F32, &Default::default())?;
    let sum = Gpu::reduce(Fold::Sum, Gpu::expand(one, Shape::new(&[(1 << 31) + 256]))?, &[0])?;
    assert_eq!(Gpu::into_data(sum)?.into_vec::<f32>()?, [2_147_483_904.0]);
    Ok(())
}

/// The gradient of `bias` is a sum of columns.
#[tensor_op(tests = false)]
fn add_bias(x: Tensor![.., n], bias: Tensor![n]) -> Tensor![.., n] {
    x + bias
}

/// The columns alone, of which a cube does 512 where the number is odd.
#[test]
fn more_columns_than_a_dimension_has_cubes() -> Result<()> {
    let size = 512 * 65_535 + 7;
    let row = gpu(TensorData::new((0..size).map(|i| (i % 1000) as f32).collect(), [1, size])?);
    let backward = AddBias.spec().derived_backward().expect("differentiable");
    let args = vec![
        Value::Shape(Shape::new(&[2, size])),
        Value::Shape(Shape::new(&[size])),
        Value::Tensor(Gpu::expand(row, Shape::new(&[2, size]))?),
    ];
    let sums = Gpu::run(backward.as_ref(), args, &[false, true])?.into_iter().flatten().next();
    let sums = Gpu::into_data(sums.expect("wanted"))?.into_vec::<f32>()?;
    assert_eq!(sums.iter().enumerate().position(|(i, sum)| *sum != (i % 1000 * 2) as f32), None);
    Ok(())
}

#[test]
fn folds_of_all_axes_and_kinds() -> Result<()> {
    let data = pattern(&[33, 5, 70]);
    for fold in [Fold::Sum, Fold::Prod, Fold::Max, Fold::Min, Fold::ArgMax, Fold::ArgMin] {
        for axes in [&[0usize, 1, 2][..], &[0], &[1], &[2], &[0, 2], &[]] {
            let found = Gpu::into_data(Gpu::reduce(fold, gpu(data.clone()), axes)?)?;
            let cpu = tensor_op::NdArray::from_data(data.clone(), &Default::default())?;
            let expected = tensor_op::NdArray::into_data(tensor_op::NdArray::reduce(fold, cpu, axes)?)?;
            let wrong = compare(DType::F32, &found, &expected);
            assert!(
                wrong.is_none() && found.dtype() == expected.dtype(),
                "{fold:?} over {axes:?}: {wrong:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn empty_tensors_and_folds_of_nothing() -> Result<()> {
    let empty = gpu(TensorData::new(Vec::<f32>::new(), [0, 3])?);
    assert_eq!(Gpu::into_data(Gpu::apply(Prim::Exp, vec![empty.clone()])?)?.elements(), 0);
    let sums = Gpu::into_data(Gpu::reduce(Fold::Sum, empty.clone(), &[0])?)?;
    assert_eq!(sums.into_vec::<f32>()?, [0.0; 3]);
    let products = Gpu::into_data(Gpu::reduce(Fold::Prod, empty.clone(), &[0])?)?;
    assert_eq!(products.into_vec::<f32>()?, [1.0; 3]);
    assert_eq!(Gpu::reduce(Fold::Max, empty, &[0]).unwrap_err().kind(), ErrorKind::Empty);
    Ok(())
}

/// Every primitive of floats on ordinary and special values.
#[test]
fn primitives_follow_the_table() -> Result<()> {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1e-5,
        -1e-5,
        0.01,
        0.3,
        0.7,
        1.5,
        2.5,
        -2.5,
        3.7,
        -3.7,
        9.0,
        20.0,
        -20.0,
        80.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut wrong = Vec::new();
    for prim in Prim::ALL {
        let row = prim.row();
        if prim.result_kind(&vec![tensor_op::backend::Kind::Float; row.operands.len()]).is_none() {
            continue;
        }
        let points: Vec<Vec<f64>> = match row.operands.len() {
            1 => values.iter().map(|x| vec![*x]).collect(),
            _ => values.iter().flat_map(|x| values.iter().map(|y| vec![*x, *y])).collect(),
        };
        let arg = |at: usize| {
            let column: Vec<f32> = points.iter().map(|point| point[at] as f32).collect();
            gpu(TensorData::new(column, [points.len()]).expect("a column"))
        };
        let args = (0..row.operands.len()).map(arg).collect();
        let found = Gpu::into_data(Gpu::apply(*prim, args)?)?.cast(DType::F64).into_vec::<f64>()?;
        for (point, found) in points.iter().zip(found) {
            let rounded: Vec<f64> = point.iter().map(|x| f64::from(*x as f32)).collect();
            let expected = f64::from((row.reference)(&rounded) as f32);
            let close = (found - expected).abs() <= 4e-6 * expected.abs() + 1e-6;
            if !(close || found == expected || (found.is_nan() && expected.is_nan())) {
                wrong.push(format!("{}({point:?}) is {found}, not {expected}", prim.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

/// A launch with a type that the device lacks would poison it.
#[test]
fn types_that_the_device_lacks_are_refused() -> Result<()> {
    let device = Default::default();
    for dtype in DType::ALL {
        let data = TensorData::new(vec![1.0_f64, 2.0], [2])?.cast(dtype);
        match Gpu::from_data(data, &device) {
            Ok(_) => assert!(Gpu::supports_dtype(&device, dtype)),
            Err(error) => {
                assert!(!Gpu::supports_dtype(&device, dtype));
                assert_eq!(error.kind(), ErrorKind::DType);
                assert!(error.to_string().contains(dtype.name()), "{error}");
            }
        }
    }
    // f64 may be there without functions such as `exp`, which would give garbage.
    if let Ok(x) = Gpu::full(Shape::new(&[2]), Scalar::Float(1.0), DType::F64, &device) {
        match Gpu::apply(Prim::Exp, vec![x.clone()]) {
            Ok(y) => assert_eq!(Gpu::into_data(y)?.into_vec::<f64>()?, [1.0_f64.exp(); 2]),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
        }
        assert_eq!(Gpu::into_data(Gpu::apply(Prim::Sqrt, vec![x])?)?.into_vec::<f64>()?, [1.0; 2]);
    }
    Gpu::sync(&device)
}

#[test]
fn casts_follow_the_language() -> Result<()> {
    let floats = vec![-2.9_f32, 0.0, f32::NAN, 300.0, 1e12, -1e12, f32::INFINITY];
    let data = TensorData::new(floats, [7])?;
    for dtype in [DType::I64, DType::I32, DType::U8, DType::Bool] {
        let found = Gpu::into_data(Gpu::cast(gpu(data.clone()), dtype)?)?;
        assert_eq!(found, data.clone().cast(dtype), "to {dtype}");
    }
    let ints = TensorData::new(vec![300_i64, -1, 1 << 40, 0], [4])?;
    for dtype in [DType::F32, DType::I32, DType::U8, DType::Bool] {
        let found = Gpu::into_data(Gpu::cast(gpu(ints.clone()), dtype)?)?;
        assert_eq!(found, ints.clone().cast(dtype), "to {dtype}");
    }
    Ok(())
}

#[test]
fn the_same_bits_each_time() -> Result<()> {
    for op in [&nn::LayerNormBackward as &dyn Op, &nn::EmbeddingBackward, &nn::CrossEntropyBackward] {
        let sample = Sample::new(op, DType::F32, 40);
        let run = || -> Result<Vec<TensorData>> {
            let wanted = vec![true; op.spec().graph().outputs.len()];
            let found = Gpu::run(op, sample.args::<Gpu>(Layout::Contiguous)?, &wanted)?;
            found.into_iter().flatten().map(Gpu::into_data).collect()
        };
        assert_eq!(run()?, run()?);
    }
    Ok(())
}

#[test]
fn structural_primitives() -> Result<()> {
    let x = || gpu(pattern(&[4, 6]));
    let all = pattern(&[4, 6]).into_vec::<f32>()?;
    let ranges = [(1, 4, 2), (0, 6, 3)];
    let slice = Gpu::slice(x(), &ranges)?;
    assert_eq!(Gpu::into_data(slice.clone())?.into_vec::<f32>()?, [all[6], all[9], all[18], all[21]]);
    let joined = Gpu::cat(vec![slice.clone(), slice.clone()], 1)?;
    assert_eq!(Gpu::shape(&joined), [2, 4]);
    let zeros = Gpu::full(Shape::new(&[4, 6]), Scalar::Float(0.0), DType::F32, &Default::default())?;
    let written = Gpu::into_data(Gpu::slice_assign(zeros.clone(), &ranges, slice)?)?.into_vec::<f32>()?;
    assert_eq!((written[6], written[7], written[21]), (all[6], 0.0, all[21]));
    assert_eq!(Gpu::into_data(zeros)?.into_vec::<f32>()?, [0.0; 24]);
    let turned = Gpu::reshape(Gpu::permute(x(), &[1, 0])?, Shape::new(&[3, 8]))?;
    assert_eq!(Gpu::into_data(turned)?.into_vec::<f32>()?[..3], [all[0], all[6], all[12]]);
    let lhs = Gpu::reshape(x(), Shape::new(&[1, 4, 6]))?;
    let rhs = Gpu::permute(lhs.clone(), &[0, 2, 1])?;
    let product = Gpu::into_data(Gpu::matmul(lhs, rhs)?)?.into_vec::<f32>()?;
    let expected: f32 = (0..6).map(|k| all[6 + k] * all[12 + k]).sum();
    assert!((product[4 + 2] - expected).abs() < 1e-5);
    Ok(())
}

#[test]
fn large_products_through_the_library() -> Result<()> {
    let (lhs, rhs) = (pattern(&[2, 65, 70]), pattern(&[2, 70, 50]));
    let args = vec![Value::Tensor(lhs), Value::Tensor(rhs)];
    none_wrong(run(&nn::Matmul, args));
    none_wrong(check(&nn::MatmulBackward, DType::F32, 64, Layout::Transposed));
    none_wrong(check(&nn::MatmulAddRelu, DType::F32, 61, Layout::Contiguous));
    Ok(())
}

#[test]
fn random_numbers_have_their_moments() -> Result<()> {
    use tensor_op_core::{Distribution, Generator};
    let device = Default::default();
    let draw = |generator: &Generator, distribution| -> Result<Vec<f32>> {
        let draw = generator.draw([40_000], distribution, DType::F32)?;
        Gpu::into_data(Gpu::random(&draw, &device)?)?.into_vec()
    };
    let moments = |x: &[f32]| {
        let mean = x.iter().sum::<f32>() / x.len() as f32;
        (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / x.len() as f32)
    };
    let generator = Generator::new(7);
    let uniform = draw(&generator, Distribution::Uniform { low: -1.0, high: 3.0 })?;
    assert!(uniform.iter().all(|x| (-1.0..3.0).contains(x)));
    let (mean, variance) = moments(&uniform);
    assert!((mean - 1.0).abs() < 0.03 && (variance - 16.0 / 12.0).abs() < 0.05, "{mean} {variance}");
    let (mean, variance) = moments(&draw(&generator, Distribution::Normal { mean: 2.0, std: 0.5 })?);
    assert!((mean - 2.0).abs() < 0.02 && (variance - 0.25).abs() < 0.02, "{mean} {variance}");
    assert_eq!(draw(&Generator::new(7), Distribution::Uniform { low: -1.0, high: 3.0 })?, uniform);
    Ok(())
}

/// Gradients of gradients are graphs made at run time: the skeletons run those too.
#[test]
fn second_order() -> Result<()> {
    for op in [&nn::SiluMul as &dyn Op, &nn::Softmax, &nn::RmsNorm, &nn::LayerNorm, &nn::MatmulAddRelu] {
        let backward = op.spec().derived_backward().expect("differentiable");
        let second = backward.spec().derived_backward().expect("differentiable");
        none_wrong(check(second.as_ref(), DType::F32, 9, Layout::Contiguous));
    }
    Ok(())
}
