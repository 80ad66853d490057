//! Quantized tensors where shapes, dtypes and values are unusual, products with them, and their files.

mod products;

use std::collections::BTreeMap;
use tensor_op::prelude::*;
use tensor_op::quantized::{self, QTensor, QuantScheme};
use tensor_op::safetensors::SafeTensors;
use tensor_op::{ErrorKind, TensorData};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Numbers from -2 to 2 without a pattern that rows share.
fn numbers(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let count = shape.iter().product();
    let numbers: Vec<f64> = (0..count).map(|i: usize| (i as f64 * 1.7 + 0.3).sin() * 2.0).collect();
    Tensor::from_vec(numbers, shape, &Device::default())?.cast(dtype)
}

fn vec(x: &Tensor) -> Result<Vec<f64>> {
    x.cast(DType::F64)?.to_vec()
}

fn ints(q: &QTensor) -> Result<Vec<i64>> {
    q.int_repr()?.to_vec()
}

/// All kinds of ints and modes, with one level.
fn kinds(level: impl Fn(QuantScheme) -> QuantScheme) -> Vec<QuantScheme> {
    let kinds = [QuantScheme::int8(), QuantScheme::int4()];
    kinds.into_iter().flat_map(|kind| [kind, kind.affine()]).map(level).collect()
}

/// The schemes that a tensor of this shape can have.
fn schemes(shape: &[usize]) -> Vec<QuantScheme> {
    let mut all = kinds(|scheme| scheme);
    for axis in 0..shape.len() as i64 {
        all.extend(kinds(|scheme| scheme.per_channel(axis)));
        all.extend(kinds(|scheme| scheme.per_channel(axis - shape.len() as i64)));
    }
    let last = shape.last().copied().unwrap_or(1);
    for size in (1..=last.max(1)).filter(|size| last % size == 0) {
        all.extend(kinds(|scheme| scheme.per_block(size)));
    }
    all
}

/// The scale of each element, by its definition.
fn scales(q: &QTensor, shape: &[usize]) -> Result<Vec<f64>> {
    use tensor_op::quantized::QuantLevel;
    let (scales, last) = (vec(q.scale())?, shape.last().copied().unwrap_or(1));
    let of = |at: usize| match q.scheme().level {
        QuantLevel::Tensor => scales[0],
        QuantLevel::Channel(axis) => {
            let axis = (axis + shape.len() as i64) as usize % shape.len();
            let step: usize = shape[axis + 1..].iter().product();
            scales[at / step % shape[axis]]
        }
        QuantLevel::Block(size) => scales[at / last * (last / size) + at % last / size],
    };
    Ok((0..shape.iter().product()).map(of).collect())
}

#[test]
fn every_scheme_comes_back_within_its_steps() -> Result<()> {
    for shape in [&[][..], &[1], &[7], &[3, 5], &[2, 3, 8], &[4, 1], &[2, 1, 3, 16]] {
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            let x = numbers(shape, dtype)?;
            for scheme in schemes(shape) {
                let q = x.quantize(&scheme)?;
                let back = q.dequantize()?;
                assert_eq!((back.shape(), back.dtype(), q.dtype()), (x.shape(), dtype, dtype), "{scheme:?}");
                let (low, high) = scheme.range();
                assert!(ints(&q)?.iter().all(|int| (low..=high).contains(int)), "{scheme:?}");
                // Half a step, or a whole one where the zero point is rounded; halves are rounded once more.
                let steps = if q.zero_point().is_some() { 1.0 } else { 0.5 };
                let ulp = match dtype {
                    DType::BF16 => 2_f64.powi(-8),
                    DType::F16 => 2_f64.powi(-10),
                    _ => 1e-6,
                };
                let scales = scales(&q, shape)?;
                for ((x, back), scale) in vec(&x)?.iter().zip(vec(&back)?).zip(scales) {
                    let bound = steps * scale + 2.0 * ulp;
                    assert!((x - back).abs() <= bound, "{scheme:?} {dtype}: {x} and {back}, scale {scale}");
                }
                // The ints are those of their packed form, and fake quantization gives the same floats.
                let again =
                    QTensor::from_int_repr(q.int_repr(), q.scale(), q.zero_point().cloned(), &scheme)?;
                assert_eq!(again.dequantize()?.to_data()?, back.to_data()?, "{scheme:?}");
                assert_eq!(x.fake_quantize(&scheme)?.to_data()?, back.to_data()?, "{scheme:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn scales_and_zero_points_are_those_of_the_ranges() -> Result<()> {
    let x = Tensor::from([[1.0, -3.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.0], [10.0, 20.0, 5.0, 5.0]]);
    let found = |scheme: QuantScheme| -> Result<(Vec<f64>, Vec<i64>)> {
        let q = x.quantize(&scheme)?;
        let zeros = q.zero_point().map_or(Ok(vec![]), |zero_point| zero_point.to_vec::<i64>())?;
        Ok((vec(q.scale())?, zeros))
    };
    let int4 = QuantScheme::int4();
    assert_eq!(found(int4)?, (vec![20.0 / 7.0], vec![]));
    assert_eq!(found(int4.per_channel(0))?, (vec![3.0 / 7.0, 1.0, 20.0 / 7.0], vec![]));
    assert_eq!(
        found(int4.per_channel(-1))?,
        (vec![10.0, 20.0, 5.0, 5.0].into_iter().map(|x| x / 7.0).collect(), vec![])
    );
    let blocks = [3.0, 2.0, 7.0, 7.0, 20.0, 5.0].map(|x| x / 7.0).to_vec();
    assert_eq!(found(int4.per_block(2))?, (blocks, vec![]));
    // 5 / 15 is a third, and -3 is nine of them. A row of one sign begins at 0.
    let (scale, zeros) = found(int4.affine().per_channel(0))?;
    assert_eq!((scale[1], zeros), (1.0, vec![1, -8, -8]));
    assert!((scale[0] - 1.0 / 3.0).abs() < 1e-15 && (scale[2] - 20.0 / 15.0).abs() < 1e-15, "{scale:?}");
    Ok(())
}

#[test]
fn tensors_without_elements_stay_so() -> Result<()> {
    for shape in [&[0][..], &[0, 3], &[3, 0], &[2, 0, 4]] {
        let x = Tensor::zeros(shape, DType::F32, &Device::default())?;
        for scheme in schemes(shape) {
            let q = x.quantize(&scheme)?;
            assert_eq!((q.shape(), q.dequantize()?.shape()), (x.shape(), x.shape()), "{scheme:?}");
            assert_eq!(q.values().elements(), 0, "{scheme:?}");
            assert_eq!(x.fake_quantize(&scheme)?.shape(), x.shape(), "{scheme:?}");
            let made = QTensor::from_int_repr(q.int_repr(), q.scale(), q.zero_point().cloned(), &scheme)?;
            assert_eq!(made.shape(), x.shape());
        }
    }
    let weight = Tensor::zeros([3, 0], DType::F32, &Device::default())?.quantize(&QuantScheme::int8())?;
    let x = Tensor::zeros([2, 0], DType::F32, &Device::default())?;
    assert_eq!(quantized::linear(&x, &weight, None)?.to_vec::<f32>()?, [0.0; 6]);
    assert_eq!(quantized::linear(x.slice(0, ..1), &weight, None)?.to_vec::<f32>()?, [0.0; 3]);
    let weight = Tensor::zeros([0, 3], DType::F32, &Device::default())?.quantize(&QuantScheme::int8())?;
    let x = Tensor::zeros([2, 3], DType::F32, &Device::default())?;
    assert_eq!(quantized::linear(&x, &weight, None)?.shape().to_vec(), [2, 0]);
    assert_eq!(quantized::linear(x.slice(0, ..0), &weight, None)?.shape().to_vec(), [0, 0]);
    Ok(())
}

/// What is not finite makes its own row NaN, and no other one.
#[test]
fn rows_that_are_not_finite_go_back_as_nan() -> Result<()> {
    for bad in [NAN, INF, -INF] {
        let x = Tensor::from([[1.0, bad, 2.0], [1.0, -1.0, 0.0]]);
        for scheme in kinds(|scheme| scheme.per_channel(0)) {
            let q = x.quantize(&scheme)?;
            let back = vec(&q.dequantize()?)?;
            assert!(back[..3].iter().all(|x| x.is_nan()), "{scheme:?}: {back:?}");
            assert!(back[3..].iter().all(|x| x.is_finite()), "{scheme:?}: {back:?}");
            let fake = vec(&x.fake_quantize(&scheme)?)?;
            assert!(fake[..3].iter().all(|x| x.is_nan()) && fake[3..] == back[3..], "{scheme:?}: {fake:?}");
            let y = vec(&quantized::linear(Tensor::from([[1.0, 0.0, 0.0]; 2]), &q, None)?)?;
            assert!(y[0].is_nan() && y[1].is_finite() && y[2].is_nan() && y[3].is_finite(), "{y:?}");
        }
        let q = x.quantize(&QuantScheme::int8())?;
        assert!(vec(&q.dequantize()?)?.iter().all(|x| x.is_nan()));
    }
    Ok(())
}

/// With a given scale, infinities saturate. No int stands for NaN.
#[test]
fn given_scales_take_any_element() -> Result<()> {
    let x = Tensor::from([NAN, INF, -INF, 0.7, 1e30, -1e30]).require_grad();
    let device = Device::default();
    let (scale, zero_point) = (Tensor::scalar(0.5, &device)?, Tensor::scalar(3_i64, &device)?);
    let scheme = QuantScheme::int8().affine();
    let q = x.quantize_with(&scheme, &scale, &zero_point)?;
    assert_eq!(ints(&q)?, [3, 127, -128, 4, 127, -128]);
    assert_eq!(vec(&q.dequantize()?)?, [0.0, 62.0, -65.5, 0.5, 62.0, -65.5]);
    let y = x.fake_quantize_with(&scheme, &scale, &zero_point)?;
    let found = vec(&y)?;
    assert!(found[0].is_nan() && found[1..] == [62.0, -65.5, 0.5, 62.0, -65.5], "{found:?}");
    let gradients = y.backward_with(y.ones_like()?)?;
    assert_eq!(vec(&gradients[&x])?, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    Ok(())
}

/// The range of large numbers overflows, and their step does not. The smallest numbers keep a scale that is
/// normal.
#[test]
fn ends_of_dtypes_are_quantized() -> Result<()> {
    let ends = [
        (DType::F32, f64::from(f32::MAX), 1e-40),
        (DType::F16, 65504.0, 2e-7),
        (DType::F64, f64::MAX, 1e-310),
    ];
    for (dtype, largest, tiny) in ends {
        let x = Tensor::from([[0.8 * largest, -0.8 * largest, 0.0], [tiny, -tiny, 0.0]]).cast(dtype)?;
        for scheme in kinds(|scheme| scheme.per_channel(0)) {
            let q = x.quantize(&scheme)?;
            let (scale, back) = (vec(q.scale())?, vec(&q.dequantize()?)?);
            assert!(scale.iter().all(|scale| scale.is_finite() && *scale > 0.0), "{scheme:?}: {scale:?}");
            for (at, (x, back)) in vec(&x)?.iter().zip(&back).enumerate() {
                assert!((x - back).abs() <= scale[at / 3], "{scheme:?} {dtype}: {x} and {back}");
            }
        }
    }
    Ok(())
}

#[track_caller]
fn fails(result: Result<QTensor>, kind: ErrorKind, message: &str) {
    let error = result.expect_err(message);
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, message));
}

#[test]
fn schemes_that_do_not_fit_are_errors() -> Result<()> {
    let (x, int8) = (numbers(&[3, 10], DType::F32)?, QuantScheme::int8());
    fails(
        x.quantize(&int8.per_block(4)),
        ErrorKind::Shape,
        "quantize: blocks of 4 don't divide the last axis of shape [3, 10], which has size 10; choose a size that divides it, or pad the tensor",
    );
    fails(
        x.quantize(&int8.per_block(0)),
        ErrorKind::Shape,
        "quantize: a block has no elements; write 1 or more",
    );
    fails(
        x.quantize(&int8.per_channel(2)),
        ErrorKind::Rank,
        "quantize: axis 2 is out of range for shape [3, 10]: write one of -2..=1",
    );
    fails(
        x.cast(DType::I32)?.quantize(&int8),
        ErrorKind::DType,
        "quantize: the tensor is i32, and only floats are quantized; cast it",
    );
    fails(
        x.quantize(&int8)?.cast(DType::I32),
        ErrorKind::DType,
        "cast: i32 is no float; write f64, f32, f16 or bf16",
    );
    Ok(())
}

#[test]
fn scales_and_zero_points_that_do_not_fit_are_errors() -> Result<()> {
    let (x, int8, device) = (numbers(&[3, 10], DType::F32)?, QuantScheme::int8(), Device::default());
    let (scale, zero) = (Tensor::scalar(0.5_f32, &device)?, Tensor::scalar(0_i32, &device)?);
    fails(
        x.quantize_with(&int8.per_channel(0), &scale, None),
        ErrorKind::Shape,
        "quantize_with: `scale`: has shape [], and for axis 0 of shape [3, 10] its shape is [3]",
    );
    fails(
        x.quantize_with(&int8, scale.cast(DType::F64), None),
        ErrorKind::DType,
        "quantize_with: `scale`: is f64, and the tensor is f32; cast one of them",
    );
    fails(
        x.quantize_with(&int8, &scale, &zero),
        ErrorKind::Length,
        "quantize_with: `zero_point`: is given, and the scheme is symmetric: write `None`, or make it `affine()`",
    );
    fails(
        x.quantize_with(&int8.affine(), &scale, None),
        ErrorKind::Length,
        "quantize_with: `zero_point`: is missing, and the scheme is affine: write one for each scale",
    );
    fails(
        x.quantize_with(&int8.affine(), &scale, &scale),
        ErrorKind::DType,
        "quantize_with: `zero_point`: is f32, and zero points are ints; cast it",
    );
    fails(
        QTensor::from_int_repr(Tensor::from([7, -8]), &scale, None, &QuantScheme::int4()),
        ErrorKind::Overflow,
        "from_int_repr: `ints`: has -8, and Symmetric Int4 goes from -7 to 7",
    );
    Ok(())
}

#[derive(Module)]
struct Layer {
    weight: QTensor,
    bias: Tensor,
}

#[test]
fn a_model_with_quantized_weights_goes_through_a_file() -> Result<()> {
    let scheme = QuantScheme::int4().affine().per_block(4);
    let layer = |x: Tensor| -> Result<Layer> {
        Ok(Layer { weight: x.quantize(&scheme)?, bias: numbers(&[3], DType::F32)? })
    };
    let saved = layer(numbers(&[3, 12], DType::F32)?)?;
    let names: Vec<String> = saved.named_parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["weight.values", "weight.scale", "weight.zero_point", "bias"]);
    let bytes = SafeTensors { tensors: saved.state_dict()?, ..SafeTensors::default() }.to_bytes()?;
    let state = SafeTensors::from_bytes(&bytes, &Device::default())?.tensors;
    let mut read = layer(Tensor::zeros([3, 12], DType::F32, &Device::default())?)?;
    read.load_state_dict(&state)?;
    let data = |layer: &Layer| -> Result<TensorData> { layer.weight.dequantize()?.to_data() };
    assert_eq!(data(&read)?, data(&saved)?);
    assert_eq!(read.weight.bytes(), 3 * (12 / 4 * 4) + 9 * (4 + 4));
    // Words of another shape do not fit.
    let other: BTreeMap<String, Tensor> = layer(numbers(&[3, 20], DType::F32)?)?.state_dict()?;
    assert_eq!(read.load_state_dict(&other).expect_err("20 are not 12").kind(), ErrorKind::Shape);
    assert_eq!(data(&read)?, data(&saved)?);
    Ok(())
}
