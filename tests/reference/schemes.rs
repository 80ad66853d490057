//! Quantized tensors of all schemes, and fake quantization with its gradient, bit by bit.

use super::cases::{self, Case, Values};
use tensor_op::prelude::*;
use tensor_op::quantized::QuantScheme;

fn tensor(values: &Values, dtype: DType) -> Result<Tensor> {
    Tensor::from_vec(values.elements.clone(), values.shape.clone(), &Device::default())?.cast(dtype)
}

fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    tensor.cast(DType::F64)?.to_vec()
}

/// The scheme that a case names: `int8 affine channel:1`.
fn scheme(words: &[&str]) -> QuantScheme {
    let [value, mode, level] = words else { panic!("{words:?} is no scheme") };
    let scheme = if *value == "int8" { QuantScheme::int8() } else { QuantScheme::int4() };
    let scheme = if *mode == "affine" { scheme.affine() } else { scheme };
    match level.split_once(':') {
        Some(("channel", axis)) => scheme.per_channel(axis.parse().expect("an axis")),
        Some((_, size)) => scheme.per_block(size.parse().expect("a size")),
        None => scheme,
    }
}

#[test]
fn values_and_gradients_are_those_of_pytorch() -> Result<()> {
    let cases = cases::read(include_str!("schemes.txt")).expect("the file is as make.py writes it");
    let count = |name: &str| cases.iter().filter(|case| case.name.starts_with(name)).count();
    assert_eq!((count("quantize"), count("fake")), (9, 36));
    for case in &cases {
        let words: Vec<&str> = case.name.split(' ').collect();
        let scheme = scheme(&words[1..]);
        let [x, scale, zero_point] = &case.inputs[..] else { panic!("a tensor, scales and zero points") };
        let (x, scale) = (tensor(x, DType::F32)?, tensor(scale, DType::F32)?);
        let zero_point = tensor(zero_point, DType::I32)?;
        let is_affine = words[2] == "affine";
        let zero_point = is_affine.then_some(zero_point);
        match words[0] {
            "quantize" => quantizes(case, &scheme, &x, &scale, &zero_point)?,
            _ => fakes(case, &scheme, &x, &scale, &zero_point)?,
        }
    }
    Ok(())
}

fn quantizes(
    case: &Case,
    scheme: &QuantScheme,
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Option<Tensor>,
) -> Result<()> {
    let q = x.quantize_with(scheme, scale, zero_point)?;
    assert_eq!(numbers(&q.int_repr()?)?, case.outputs[0].elements, "{}", case.name);
    assert_eq!(numbers(&q.dequantize()?)?, case.outputs[1].elements, "{}", case.name);
    Ok(())
}

fn fakes(
    case: &Case,
    scheme: &QuantScheme,
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Option<Tensor>,
) -> Result<()> {
    let x = x.clone().require_grad();
    let y = x.fake_quantize_with(scheme, scale, zero_point)?;
    assert_eq!(numbers(&y)?, case.outputs[0].elements, "{}", case.name);
    let seed = case.seeds[0].as_ref().expect("the output has a seed");
    let gradients = y.backward_with(tensor(seed, DType::F32)?)?;
    let wanted = case.gradients[0].as_ref().expect("the input has a gradient");
    assert_eq!(numbers(&gradients[&x])?, wanted.elements, "{}", case.name);
    // The same ints give the same floats.
    let back = x.quantize_with(scheme, scale, zero_point)?.dequantize()?;
    assert_eq!(numbers(&back)?, case.outputs[0].elements, "{}", case.name);
    Ok(())
}
