//! Central differences, and gradients against them.

use crate::case::number;
use crate::random::Random;
use crate::report::Tally;
use tensor_op_core::{Result, TensorData, Value};

/// `eps`, `atol` and `rtol` of `torch.autograd.gradcheck`.
const STEP: f64 = 1e-6;
const ABSOLUTE: f64 = 1e-5;
const RELATIVE: f64 = 1e-3;
/// Elements of a tensor that are moved: all of a small one, some of a large one.
const MOVED: usize = 16;

/// An element of a gradient that is not the slope.
pub(super) struct Off {
    pub(super) index: usize,
    pub(super) what: String,
}

/// What differences are taken of.
type Function<'f> = dyn Fn(&[Value<TensorData>]) -> Result<Vec<TensorData>> + 'f;

/// Central differences of weighted results.
pub(super) struct Differences<'w> {
    pub(super) weights: &'w [Option<TensorData>],
    /// Of the elements that are moved.
    pub(super) random: Random,
}

impl Differences<'_> {
    /// Compares a gradient with the differences by elements of one argument.
    pub(super) fn compare(
        mut self,
        args: &[Value<TensorData>],
        input: usize,
        found: Option<&TensorData>,
        function: &Function<'_>,
    ) -> Result<std::result::Result<Tally, Off>> {
        let Some(data) = args[input].tensor() else { return Ok(Ok(Tally::default())) };
        let mut tally = Tally::default();
        for index in self.moved(data.elements()) {
            let expected = self.slope(args, input, index, function)?;
            let found = match found {
                Some(gradient) => gradient.as_slice::<f64>()?[index],
                None => 0.0,
            };
            if !expected.is_finite() {
                tally.unbounded += 1;
                continue;
            }
            let ratio = (found - expected).abs() / (ABSOLUTE + RELATIVE * expected.abs());
            if ratio.is_nan() || ratio > 1.0 {
                let what = format!("is {}, differences give {}", number(found), number(expected));
                return Ok(Err(Off { index, what }));
            }
            tally.elements += 1;
            tally.ratio = tally.ratio.max(ratio);
        }
        Ok(Ok(tally))
    }

    fn moved(&mut self, elements: usize) -> Vec<usize> {
        if elements <= MOVED {
            return (0..elements).collect();
        }
        (0..MOVED).map(|_| self.random.below(elements as u64) as usize).collect()
    }

    fn slope(
        &self,
        args: &[Value<TensorData>],
        input: usize,
        index: usize,
        function: &Function<'_>,
    ) -> Result<f64> {
        let moved = |by: f64| {
            let mut args = args.to_vec();
            if let Value::Tensor(data) = &mut args[input] {
                data.as_mut_slice::<f64>()?[index] += by;
            }
            function(&args)
        };
        let (above, below) = (moved(STEP)?, moved(-STEP)?);
        let mut slope = 0.0;
        for ((above, below), weight) in above.iter().zip(&below).zip(self.weights) {
            let Some(weight) = weight else { continue };
            let pairs = above.as_slice::<f64>()?.iter().zip(below.as_slice::<f64>()?);
            let terms = pairs.zip(weight.as_slice::<f64>()?).map(|((a, b), w)| {
                // What is infinite on both sides, such as a mask, does not move.
                if a == b { 0.0 } else { w * (a - b) / (2.0 * STEP) }
            });
            slope += terms.sum::<f64>();
        }
        Ok(slope)
    }
}
