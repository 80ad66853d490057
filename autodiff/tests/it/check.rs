//! Gradients against central differences.

use crate::ops::{Tensor, tensor, values};
use tensor_op_core::Backend;
use tensor_op_ndarray::NdArray;

/// Compares the gradient of every input of `f` with differences, each output weighted differently.
pub(crate) fn check(name: &str, inputs: &[Tensor], f: impl Fn(&[Tensor]) -> Tensor) {
    let tracked: Vec<Tensor> = inputs.iter().map(|input| input.clone().require_grad()).collect();
    let output = f(&tracked);
    let shape = NdArray::shape(output.inner());
    let weights: Vec<f64> = (0..shape.iter().product()).map(|i| 0.5 + (i as f64 * 1.3).cos()).collect();
    let gradients = output.backward_with(tensor(&weights, &shape).inner()).unwrap();
    for (place, input) in tracked.iter().enumerate() {
        let gradient = gradients.get(input).unwrap_or_else(|| panic!("{name}: input {place} has a gradient"));
        assert_eq!(NdArray::shape(gradient), NdArray::shape(input.inner()), "{name}: input {place}");
        let found = values::<NdArray>(gradient);
        for (element, found) in found.iter().enumerate() {
            let wanted = difference(inputs, place, element, &weights, &f);
            let close = (found - wanted).abs() <= 1e-5 + 1e-5 * wanted.abs();
            assert!(close, "{name}: input {place} element {element}: {found}, differences give {wanted}");
        }
    }
}

fn difference(
    inputs: &[Tensor],
    place: usize,
    element: usize,
    weights: &[f64],
    f: impl Fn(&[Tensor]) -> Tensor,
) -> f64 {
    const STEP: f64 = 1e-6;
    let at = |offset: f64| {
        let mut moved = inputs.to_vec();
        let mut elements = values::<NdArray>(inputs[place].inner());
        elements[element] += offset;
        moved[place] = tensor(&elements, &NdArray::shape(inputs[place].inner()));
        let output = values::<NdArray>(f(&moved).inner());
        output.iter().zip(weights).map(|(value, weight)| value * weight).sum::<f64>()
    };
    (at(STEP) - at(-STEP)) / (2.0 * STEP)
}
