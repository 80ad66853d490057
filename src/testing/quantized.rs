//! The cases of the conformance suite about quantized tensors: each scheme, in each dtype of floats. What is
//! expected follows from the definition, `x = (q - zero_point) * scale`, computed here in f64.

use super::conformance::Report;
use crate::quantized::{QTensor, QuantLevel, QuantMode, QuantScheme, linear};
use crate::{DType, Device, Result, Tensor};

/// Rows and columns of what is quantized. Three words of a row of int8, or two of int4, and the last of them
/// is not full unless there are blocks.
const SIZES: [usize; 2] = [3, 10];
const BLOCK: usize = 5;

/// What is wrong with a result.
type Outcome = Result<std::result::Result<(), String>>;

/// A function, and what checks it.
type Check = (&'static str, fn(&Case) -> Outcome);

/// The report, with the cases. A device without ints has no quantized tensors.
pub(super) fn with(mut report: Report, device: &Device) -> Report {
    if !device.supports_dtype(DType::I64) {
        return report;
    }
    let floats = [DType::F64, DType::F32, DType::F16, DType::BF16];
    for dtype in floats.into_iter().filter(|dtype| device.supports_dtype(*dtype)) {
        for scheme in schemes() {
            let case = Case { device: *device, dtype, scheme };
            let checks: [Check; 4] = [
                ("Tensor::quantize", Case::quantize),
                ("QTensor::dequantize", Case::dequantize),
                ("quantized::linear", Case::linear),
                ("Tensor::fake_quantize", Case::fake_quantize),
            ];
            for (name, check) in checks {
                report.check_composite(device.core(), name, dtype, format!("{scheme:?}"), || check(&case));
            }
        }
    }
    report
}

/// Both ints and both modes, with scales for the tensor, for the channels of both axes, and for blocks.
fn schemes() -> Vec<QuantScheme> {
    let kinds = [QuantScheme::int8(), QuantScheme::int4()].into_iter().flat_map(|kind| [kind, kind.affine()]);
    kinds.flat_map(|kind| [kind, kind.per_channel(0), kind.per_channel(-1), kind.per_block(BLOCK)]).collect()
}

struct Case {
    device: Device,
    dtype: DType,
    scheme: QuantScheme,
}

impl Case {
    /// Numbers from -2 to 2 without a pattern that rows share, as the dtype has them.
    fn numbers(&self, shape: [usize; 2], seed: f64) -> Result<Tensor> {
        let count = shape[0] * shape[1];
        let numbers: Vec<f64> = (0..count).map(|at| (at as f64 * 1.7 + seed).sin() * 2.0).collect();
        Tensor::from_vec(numbers, shape, &Device::default())?.cast(self.dtype)?.to(&self.device)
    }

    /// Each int of the range by turns, with scales and zero points that are exact in every dtype.
    fn given(&self) -> Result<(QTensor, Vec<f64>)> {
        let (low, high) = self.scheme.range();
        let ints: Vec<i64> = (0..30).map(|at| low + at * 37 % (high - low + 1)).collect();
        let shape = self.numbers(SIZES, 0.3)?.quantize(&self.scheme)?.scale().shape();
        let count = shape.iter().product::<usize>();
        let scales: Vec<f64> = (0..count).map(|at| [0.5, 0.25, 2.0][at % 3]).collect();
        let zeros: Vec<i64> = (0..count).map(|at| [1, -3, 0][at % 3]).collect();
        let host = Device::default();
        let scale = Tensor::from_vec(scales, shape.clone(), &host)?.cast(self.dtype)?.to(&self.device)?;
        let is_affine = self.scheme.mode == QuantMode::Affine;
        let zeros = || Tensor::from_vec(zeros, shape, &host)?.to(&self.device);
        let zero_point = is_affine.then(zeros).transpose()?;
        let given = Tensor::from_vec(ints.clone(), SIZES, &host)?.to(&self.device)?;
        let q = QTensor::from_int_repr(given, scale, zero_point, &self.scheme)?;
        let floats = ints.iter().zip(parameters(&q)?);
        let floats = floats.map(|(int, (scale, zero))| (*int as f64 - zero) * scale).collect();
        Ok((q, floats))
    }

    fn quantize(&self) -> Outcome {
        let x = self.numbers(SIZES, 0.3)?;
        let q = x.quantize(&self.scheme)?;
        let (parameters, ints) = (parameters(&q)?, q.int_repr()?.to_vec::<i64>()?);
        let x = vec(&x)?;
        let far = (0..x.len()).find(|at| !self.is_nearest(x[*at], ints[*at], parameters[*at]));
        if let Some(at) = far {
            return Ok(Err(format!("element {at} is {} for {}, with {:?}", ints[at], x[at], parameters[at])));
        }
        Ok(self.fit(&x, &parameters))
    }

    fn dequantize(&self) -> Outcome {
        let (q, expected) = self.given()?;
        let found = q.dequantize()?;
        if (found.shape(), found.dtype()) != (q.shape(), self.dtype) {
            return Ok(Err(format!("is {} of shape {}", found.dtype(), found.shape())));
        }
        // Products of a short int and a power of two.
        Ok(is_same(&vec(&found)?, &expected))
    }

    fn linear(&self) -> Outcome {
        let (q, weight) = self.given()?;
        // One row is another kernel than several.
        for rows in [1, 4] {
            let x = self.numbers([rows, SIZES[1]], 0.7)?.require_grad();
            let y = linear(&x, &q, None)?;
            let seed = self.numbers([rows, SIZES[0]], 1.1)?;
            let gradients = y.backward_with(seed.clone())?;
            let Some(gradient) = gradients.get(&x) else { return Ok(Err("there is no gradient".into())) };
            let (x, y, seed, gradient) = (vec(&x)?, vec(&y)?, vec(&seed)?, vec(gradient)?);
            let by_rows = |row: usize, at: usize, k: usize| x[row * SIZES[1] + k] * weight[at * SIZES[1] + k];
            let by_columns =
                |row: usize, at: usize, k: usize| seed[row * SIZES[0] + k] * weight[k * SIZES[1] + at];
            let right = self
                .is_product(&y, [rows, SIZES[0], SIZES[1]], &by_rows)
                .and_then(|()| self.is_product(&gradient, [rows, SIZES[1], SIZES[0]], &by_columns));
            if let Err(wrong) = right {
                return Ok(Err(wrong));
            }
        }
        Ok(Ok(()))
    }

    fn fake_quantize(&self) -> Outcome {
        let x = self.numbers(SIZES, 0.3)?.require_grad();
        let y = x.fake_quantize(&self.scheme)?;
        let gradient = vec(&y.sum(..)?.backward()?[&x])?;
        let parameters = parameters(&x.quantize(&self.scheme)?)?;
        let (x, y) = (vec(&x)?, vec(&y)?);
        let (low, high) = self.scheme.range();
        for (at, (scale, zero)) in parameters.iter().enumerate() {
            let is_of = |int: &i64| {
                let back = (*int as f64 - zero) * scale;
                (y[at] - back).abs() <= self.unit() * back.abs()
            };
            let mut near = (low..=high).filter(|int| self.is_nearest(x[at], *int, (*scale, *zero)));
            if !near.any(|int| is_of(&int)) {
                return Ok(Err(format!("element {at} is {} for {}, with the scale {scale}", y[at], x[at])));
            }
            // At the ends of the range rounding decides whether an element is inside.
            let level = x[at] / scale + zero;
            if (low as f64..=high as f64).contains(&level) && gradient[at] != 1.0 {
                return Ok(Err(format!("the gradient of element {at} is {}", gradient[at])));
            }
        }
        Ok(Ok(()))
    }

    /// The largest relative error of a rounding, with some room for a quotient.
    fn unit(&self) -> f64 {
        match self.dtype {
            DType::F32 => 2_f64.powi(-22),
            DType::F16 => 2_f64.powi(-10),
            DType::BF16 => 2_f64.powi(-7),
            DType::F64 | DType::I64 | DType::I32 | DType::U32 | DType::U8 | DType::Bool => 2_f64.powi(-50),
        }
    }

    /// Whether no int of the range is nearer to a number, but for the rounding of the quotient.
    fn is_nearest(&self, x: f64, int: i64, (scale, zero): (f64, f64)) -> bool {
        let (low, high) = self.scheme.range();
        let level = (x / scale + zero).clamp(low as f64, high as f64);
        (low..=high).contains(&int) && (level - int as f64).abs() <= 0.501
    }

    /// Checks that scales and zero points are those of the ranges of the elements that share them.
    fn fit(&self, x: &[f64], parameters: &[(f64, f64)]) -> std::result::Result<(), String> {
        let (first, last) = self.scheme.range();
        for (at, (scale, zero)) in parameters.iter().enumerate() {
            let group = |other: &usize| group(&self.scheme, *other) == group(&self.scheme, at);
            let members = (0..x.len()).filter(group).map(|member| x[member]);
            let (low, high) = members.fold((0_f64, 0_f64), |(low, high), x| (low.min(x), high.max(x)));
            let (wanted, place) = match self.scheme.mode {
                QuantMode::Symmetric => (high.max(-low) / last as f64, 0.0),
                QuantMode::Affine => ((high - low) / (last - first) as f64, first as f64 - low / scale),
            };
            if (scale - wanted).abs() > 2.0 * self.unit() * wanted {
                return Err(format!("the scale of element {at} is {scale}, not {wanted}"));
            }
            // The zero point is found before the scale is rounded to the dtype.
            if (zero - place).abs() > 0.5 + (place - first as f64).abs() * 4.0 * self.unit() {
                return Err(format!("the zero point of element {at} is {zero}, not {place} rounded"));
            }
        }
        Ok(())
    }

    /// Checks a matrix of sums over the last of the sizes.
    fn is_product(
        &self,
        found: &[f64],
        [rows, columns, sum]: [usize; 3],
        term: &dyn Fn(usize, usize, usize) -> f64,
    ) -> std::result::Result<(), String> {
        for at in 0..rows * columns {
            let terms = || (0..sum).map(|k| term(at / columns, at % columns, k));
            let (wanted, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
            let bound = (sum + 2) as f64 * self.unit() * size;
            if found.get(at).is_none_or(|found| (found - wanted).abs() > bound) {
                return Err(format!("element {at} is {:?}, not {wanted}", found.get(at)));
            }
        }
        Ok(())
    }
}

fn vec(x: &Tensor) -> Result<Vec<f64>> {
    x.to_data()?.cast(DType::F64).into_vec()
}

/// Which scale an element has.
fn group(scheme: &QuantScheme, at: usize) -> usize {
    let (row, column) = (at / SIZES[1], at % SIZES[1]);
    match scheme.level {
        QuantLevel::Tensor => 0,
        QuantLevel::Channel(0) => row,
        QuantLevel::Channel(_) => column,
        QuantLevel::Block(size) => row * (SIZES[1] / size) + column / size,
    }
}

/// The scale and the zero point of each element.
fn parameters(q: &QTensor) -> Result<Vec<(f64, f64)>> {
    let (scales, zeros) = (vec(q.scale())?, q.zero_point().map(vec).transpose()?);
    let of = |at: usize| zeros.as_ref().map_or(0.0, |zeros| zeros[at]);
    let places = (0..SIZES[0] * SIZES[1]).map(|at| group(q.scheme(), at));
    Ok(places.map(|place| (scales[place], of(place))).collect())
}

fn is_same(found: &[f64], wanted: &[f64]) -> std::result::Result<(), String> {
    match (found.len() == wanted.len(), found.iter().zip(wanted).position(|(found, wanted)| found != wanted))
    {
        (true, None) => Ok(()),
        (true, Some(at)) => Err(format!("element {at} is {}, not {}", found[at], wanted[at])),
        (false, _) => Err(format!("there are {} elements, not {}", found.len(), wanted.len())),
    }
}
