//! Products of floats with quantized weights.

use super::{numbers, schemes, vec};
use tensor_op::Op;
use tensor_op::catalogue::quantize::{
    LinearPackedWithZeroPoint, LinearPackedWithoutZeroPoint, LinearRowPackedWithZeroPoint,
    LinearRowPackedWithoutZeroPoint,
};
use tensor_op::prelude::*;
use tensor_op::quantized::{self, QuantScheme};
use tensor_op_spec::schedule::Buffer;

/// The oracle is the product with the floats that the weight goes back as.
#[test]
fn products_are_those_of_the_floats() -> Result<()> {
    for (dtype, tolerance) in
        [(DType::F64, 1e-13), (DType::F32, 1e-5), (DType::F16, 2e-2), (DType::BF16, 2e-1)]
    {
        for [rows, columns] in [[3, 5], [1, 1], [7, 24], [2, 33]] {
            let (weight, bias) = (numbers(&[rows, columns], dtype)?, numbers(&[rows], dtype)?);
            for scheme in schemes(&[rows, columns]) {
                let q = weight.quantize(&scheme)?;
                let floats = q.dequantize()?;
                for lead in [&[][..], &[1], &[4], &[2, 3], &[0]] {
                    let x = numbers(&[lead, &[columns]].concat(), dtype)?.require_grad();
                    let bias = bias.clone().require_grad();
                    let found = quantized::linear(&x, &q, &bias)?;
                    let wanted = x.linear(&floats, &bias)?;
                    assert_eq!((found.shape(), found.dtype()), (wanted.shape(), dtype));
                    let seed = numbers(&wanted.shape(), dtype)?;
                    let (found_slopes, wanted_slopes) =
                        (found.backward_with(&seed)?, wanted.backward_with(&seed)?);
                    let near = |found: &Tensor, wanted: &Tensor| -> Result<()> {
                        for (found, wanted) in vec(found)?.into_iter().zip(vec(wanted)?) {
                            let far = (found - wanted).abs();
                            assert!(
                                far <= tolerance * (1.0 + wanted.abs()),
                                "{scheme:?} {dtype}: {found}, {wanted}"
                            );
                        }
                        Ok(())
                    };
                    near(&found, &wanted)?;
                    near(&found_slopes[&x], &wanted_slopes[&x])?;
                    near(&found_slopes[&bias], &wanted_slopes[&bias])?;
                }
            }
        }
    }
    Ok(())
}

/// One kernel reads the words, and one the words and the gradient. Nothing is kept but arguments.
#[test]
fn a_row_is_multiplied_without_floats_of_the_weight() {
    for op in [&LinearRowPackedWithZeroPoint as &dyn Op, &LinearRowPackedWithoutZeroPoint] {
        let backward = op.backward().expect("it has a gradient");
        for spec in [op.spec(), backward.spec()] {
            let (graph, schedule) = (spec.graph(), spec.schedule());
            assert_eq!((schedule.kernels.len(), graph.outputs.len()), (1, 1), "{}", schedule.explain(graph));
            let is_stored = |buffer: &Buffer| !buffer.outputs.is_empty();
            assert!(schedule.buffers.iter().all(is_stored), "{}", schedule.explain(graph));
        }
    }
    for op in [&LinearPackedWithZeroPoint as &dyn Op, &LinearPackedWithoutZeroPoint] {
        assert_eq!(op.spec().graph().outputs.len(), 1);
    }
}

/// A weight of more than 4 million elements is read in parts.
#[test]
fn large_weights_are_products_of_parts() -> Result<()> {
    let (rows, columns) = (4100, 1100);
    let weight = numbers(&[rows, columns], DType::F32)?;
    let x = numbers(&[2, columns], DType::F32)?.require_grad();
    for scheme in [QuantScheme::int8().per_channel(0), QuantScheme::int4().affine().per_block(100)] {
        let q = weight.quantize(&scheme)?;
        let (found, wanted) = (quantized::linear(&x, &q, None)?, x.linear(q.dequantize(), None)?);
        let (found_slopes, wanted_slopes) =
            (found.backward_with(found.ones_like()?)?, wanted.backward_with(wanted.ones_like()?)?);
        let far = |a: &Tensor, b: &Tensor| (a - b)?.abs()?.amax(..)?.item::<f32>();
        assert_eq!(found.shape().to_vec(), [2, rows]);
        assert!(far(&found, &wanted)? < 1e-2 && far(&found_slopes[&x], &wanted_slopes[&x])? < 1e-2);
    }
    Ok(())
}

#[test]
fn products_that_do_not_fit_are_errors() -> Result<()> {
    let (x, weight) = (numbers(&[2, 10], DType::F32)?, numbers(&[3, 10], DType::F32)?);
    let int8 = QuantScheme::int8();
    let fails = |x: &Tensor, weight: &Tensor, bias: Option<Tensor>, message: &str| -> Result<()> {
        let error = quantized::linear(x, &weight.quantize(&int8)?, bias).expect_err(message);
        assert_eq!(error.to_string(), message);
        Ok(())
    };
    fails(
        &x,
        &x.slice(1, ..9)?,
        None,
        "linear: `x`: has shape [2, 10], and the rows of the weight have 9 elements",
    )?;
    fails(
        &x,
        &weight.cast(DType::F16)?,
        None,
        "linear: `x`: is f32, and the weight goes back to f16; cast one of them",
    )?;
    let flat = weight.flatten(0, -1)?;
    fails(&x, &flat, None, "linear: `weight`: has shape [30], and a layer takes two axes, [out, in]")?;
    fails(
        &x,
        &weight,
        Some(numbers(&[1], DType::F32)?),
        "linear: `bias`: has shape [1], and the weight has 3 rows",
    )?;
    let halves = weight.quantize(&int8)?.cast(DType::F16)?;
    assert_eq!(quantized::linear(x.cast(DType::F16), &halves, None)?.dtype(), DType::F16);
    Ok(())
}
