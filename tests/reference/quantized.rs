//! Quantized tensors, on the backend and under `Autodiff`.

use super::cases;
use tensor_op::autodiff::AutodiffBackend;
use tensor_op::backend::Quantized;
use tensor_op::{Autodiff, Backend, DType, ErrorKind, NdArray, Result, TensorData};

type Tensor = <NdArray as Backend>::Tensor;

fn tensor(elements: &[f64], dtype: DType) -> Result<Tensor> {
    let data = TensorData::new(elements.to_vec(), [elements.len()])?.cast(dtype);
    NdArray::from_data(data, &Default::default())
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    NdArray::into_data(tensor.clone())?.cast(DType::F64).into_vec()
}

#[test]
fn values_are_those_of_pytorch() -> Result<()> {
    for case in cases::read(include_str!("quantized.txt")).expect("the file is as make.py writes it") {
        let [x, scale, zero_point] = &case.inputs[..] else { panic!("a tensor, a scale and a zero point") };
        let (scale, zero_point) = (scale.elements[0], zero_point.elements[0] as u8);
        let found = Quantized::quantize::<NdArray>(tensor(&x.elements, DType::F32)?, scale, zero_point)?;
        assert_eq!((found.scale(), found.zero_point()), (scale, zero_point));
        assert_eq!(numbers(found.values())?, case.outputs[0].elements, "{scale} {zero_point}");
        // To the decorator and back.
        let carried = Autodiff::<NdArray>::quantized_from_inner(found);
        assert!(!carried.values().is_tracked());
        let back = Autodiff::<NdArray>::quantized_inner(carried).dequantize::<NdArray>(DType::F32)?;
        assert_eq!(numbers(&back)?, case.outputs[1].elements, "{scale} {zero_point}");
    }
    Ok(())
}

#[test]
fn any_float_is_quantized() -> Result<()> {
    for dtype in [DType::F64, DType::F16, DType::BF16] {
        let x = [0.25, 0.75, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let x = Quantized::quantize::<NdArray>(tensor(&x, dtype)?, 0.5, 2)?;
        assert_eq!(numbers(x.values())?, [2.0, 4.0, 0.0, 255.0, 0.0, 2.0]);
        let floats = x.dequantize::<NdArray>(dtype)?;
        assert_eq!(
            (NdArray::dtype(&floats), numbers(&floats)?),
            (dtype, vec![0.0, 1.0, -1.0, 126.5, -1.0, 0.0])
        );
    }
    Ok(())
}

#[test]
fn what_cannot_be_quantized_is_an_error() -> Result<()> {
    let x = || tensor(&[1.0], DType::F32);
    for scale in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-300, 1e300] {
        let error = Quantized::quantize::<NdArray>(x()?, scale, 0).unwrap_err();
        assert!(
            error.to_string().starts_with(&format!("quantize: the scale is {scale}; it must be")),
            "{error}"
        );
    }
    let error = Quantized::quantize::<NdArray>(tensor(&[1.0], DType::I64)?, 1.0, 0).unwrap_err();
    assert_eq!(error.to_string(), "quantize: a tensor of i64 is no float; only floats are quantized");
    assert_eq!(Quantized::from_parts::<NdArray>(x()?, 1.0, 0).unwrap_err().kind(), ErrorKind::DType);
    let bytes = Quantized::from_parts::<NdArray>(tensor(&[3.0], DType::U8)?, 0.5, 1)?;
    assert!(bytes.clone().dequantize::<NdArray>(DType::U8).is_err());
    assert_eq!(numbers(&bytes.dequantize::<NdArray>(DType::F32)?)?, [1.0]);
    Ok(())
}
