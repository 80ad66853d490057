//! Einstein's sums: the axes of operands are ordered by label, the operands are multiplied, and the product
//! is summed over the labels that the result lacks.

use super::Entry;
use super::diagonal::diagonal_from;
use crate::call::{Call, Outcome};
use tensor_op::catalogue::{arith, reduce};
use tensor_op::prelude::*;

/// A tensor whose axes have labels.
struct Labelled {
    labels: Vec<char>,
    tensor: Tensor,
}

impl Labelled {
    /// `...` stands for all axes without a label. They get digits as labels, counted from the last axis.
    fn new(text: &str, tensor: Tensor) -> Outcome<Labelled> {
        let labels = with_digits(text, tensor.rank());
        let mut this = Labelled { labels, tensor };
        while let Some((first, second)) = this.repeated() {
            this.tensor = diagonal_from(&this.tensor, first, second, 0)?.remove(0);
            let label = this.labels.remove(second);
            this.labels.remove(first);
            this.labels.push(label);
        }
        Ok(this)
    }

    fn repeated(&self) -> Option<(usize, usize)> {
        let labels = &self.labels;
        let pairs = (0..labels.len()).flat_map(|i| (i + 1..labels.len()).map(move |j| (i, j)));
        pairs.into_iter().find(|(i, j)| labels[*i] == labels[*j])
    }

    /// The tensor with the axes of all labels, in this order. Axes that it lacks have size 1.
    fn laid_out(&self, all: &[char]) -> Result<Tensor> {
        let place = |label: &char| self.labels.iter().position(|own| own == label);
        let order: Vec<i64> = all.iter().filter_map(place).map(|axis| axis as i64).collect();
        let sizes = all.iter().map(|label| place(label).map_or(1, |axis| self.tensor.shape()[axis]));
        self.tensor.permute(&order)?.reshape(sizes.collect::<Vec<_>>())
    }
}

fn with_digits(text: &str, rank: usize) -> Vec<char> {
    let text: String = text.chars().filter(|label| !label.is_whitespace()).collect();
    let Some((before, after)) = text.split_once("...") else { return text.chars().collect() };
    let hidden = rank.saturating_sub(before.chars().count() + after.chars().count());
    let digits = (0..hidden as u32).rev().filter_map(|digit| char::from_digit(digit, 10));
    before.chars().chain(digits).chain(after.chars()).collect()
}

fn einsum(call: &Call) -> Outcome {
    let equation = call.text(1, "equation", "")?;
    let (inputs, output) =
        equation.split_once("->").map_or((equation, None), |(inputs, output)| (inputs, Some(output)));
    let operands = inputs.split(',').zip(call.tensors()?).map(|(text, tensor)| Labelled::new(text, tensor));
    let operands = operands.collect::<Outcome<Vec<_>>>()?;
    let mut all: Vec<char> = operands.iter().flat_map(|operand| operand.labels.clone()).collect();
    all.sort_unstable();
    let kept: Vec<char> = match output {
        Some(text) => {
            let digits =
                all.iter().filter(|label| label.is_ascii_digit()).max().and_then(|label| label.to_digit(10));
            let letters = text.chars().filter(|label| label.is_alphabetic()).count();
            with_digits(text, letters + digits.map_or(0, |digit| digit as usize + 1))
        }
        // The result has the labels that occur once, in alphabetic order, after the axes of `...`.
        None => {
            let mut digits: Vec<char> = all.iter().copied().filter(char::is_ascii_digit).collect();
            digits.dedup();
            let once = |label: &&char| {
                label.is_alphabetic() && all.iter().filter(|other| other == label).count() == 1
            };
            digits.into_iter().rev().chain(all.iter().filter(once).copied()).collect()
        }
    };
    all.dedup();
    let summed: Vec<char> = all.into_iter().filter(|label| !kept.contains(label)).collect();
    let order = [&kept[..], &summed[..]].concat();
    let mut factors =
        operands.iter().map(|operand| operand.laid_out(&order)).collect::<Result<Vec<_>>>()?.into_iter();
    let first = factors.next().ok_or_else(|| call.wrong("operands", "given"))?;
    let product = factors.try_fold(first, arith::mul)?;
    if summed.is_empty() {
        return Ok(vec![product]);
    }
    let axes: Vec<i64> = (kept.len()..order.len()).map(|axis| axis as i64).collect();
    Ok(vec![reduce::sum(product, axes)?])
}

pub(super) fn table() -> Vec<Entry> {
    vec![Entry::new("einsum", einsum)]
}
