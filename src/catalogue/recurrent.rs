//! Recurrent layers. The names of weights and the order of gates are PyTorch's.
//!
//! A cell makes one step, as one formula. [`lstm`], [`gru`], [`rnn_tanh`] and [`rnn_relu`] go over a
//! sequence: they multiply all inputs by their weights at once, and then run the formula of a step for each
//! time. Gradients flow through all steps. Weights have the shapes of `torch.nn`: `[gates hidden, input]` and
//! `[gates hidden, hidden]`.
//!
//! The functions have one layer and one direction. For more layers pass the output on; for two directions
//! join the outputs with and without `reverse` along the last axis.
#![cfg_attr(doc, doc = include_str!("functions_first.html"))]

use super::nn::linear;
use crate::{Error, ErrorKind, IntoOptionalTensor, IntoTensor, Result, Tensor, tensor_op};

/// A layer of long short-term memory over a sequence: the output of each time, and the last hidden state and
/// cell. `torch.lstm` of one layer and one direction.
///
/// `input` is `[t, .., i]`, where axes between are a batch. The states before the first time are 0 if they
/// are not given. With `reverse` the last time comes first. The gates are those of [`lstm_cell`].
///
/// ```
/// use tensor_op::catalogue::recurrent::lstm;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let device = Device::default();
/// let (times, input, hidden) = (5, 3, 4);
/// let x = Tensor::ones([times, 2, input], DType::F64, &device)?;
/// let w_ih = Tensor::full([4 * hidden, input], 0.1, &device)?;
/// let w_hh = Tensor::full([4 * hidden, hidden], 0.1, &device)?;
/// let (output, h, c) = lstm(&x, None, None, &w_ih, &w_hh, None, None, None)?;
/// assert_eq!(output.shape().to_vec(), [times, 2, hidden]);
/// assert_eq!(output.slice(0, -1..)?.to_vec::<f64>()?, h.to_vec::<f64>()?);
/// assert_eq!(c.shape().to_vec(), [2, hidden]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Shapes and dtypes that don't fit together, and a sequence without times.
#[allow(clippy::too_many_arguments, reason = "the arguments of PyTorch")]
pub fn lstm(
    input: impl IntoTensor,
    h: impl IntoOptionalTensor,
    c: impl IntoOptionalTensor,
    w_ih: impl IntoTensor,
    w_hh: impl IntoTensor,
    b_ih: impl IntoOptionalTensor,
    b_hh: impl IntoOptionalTensor,
    reverse: impl Into<Option<bool>>,
) -> Result<(Tensor, Tensor, Tensor)> {
    let (input, h, c) = (input.into_tensor()?, h.into_optional_tensor()?, c.into_optional_tensor()?);
    let (w_ih, w_hh) = (w_ih.into_tensor()?, w_hh.into_tensor()?);
    let (b_ih, b_hh) = (b_ih.into_optional_tensor()?, b_hh.into_optional_tensor()?);
    let is_reversed = reverse.into().unwrap_or(false);
    let run = || {
        let sequence = Sequence::new(linear(input, w_ih, b_ih)?, &w_hh, is_reversed)?;
        let (output, [h, c]) = sequence.over([h, c], |gates, [h, c]| {
            let (h, c) = lstm_step(h, gates, c, &w_hh, &b_hh)?;
            Ok([h, c])
        })?;
        Ok((output, h, c))
    };
    run().map_err(|error: Error| error.renamed("lstm"))
}

/// A layer of gated recurrent units over a sequence: the output of each time, and the last hidden state.
/// `torch.gru` of one layer and one direction; `input`, the state and `reverse` are as in [`lstm`], and the
/// gates those of [`gru_cell`].
///
/// # Errors
///
/// Those of [`lstm`].
pub fn gru(
    input: impl IntoTensor,
    h: impl IntoOptionalTensor,
    w_ih: impl IntoTensor,
    w_hh: impl IntoTensor,
    b_ih: impl IntoOptionalTensor,
    b_hh: impl IntoOptionalTensor,
    reverse: impl Into<Option<bool>>,
) -> Result<(Tensor, Tensor)> {
    let weights = Weights::new(w_ih, w_hh, b_ih, b_hh)?;
    let (input, h) = (input.into_tensor()?, h.into_optional_tensor()?);
    weights.over("gru", input, h, reverse.into(), gru_step)
}

/// A layer of tanh of a sequence: the output of each time, and the last hidden state. `torch.rnn_tanh` of one
/// layer and one direction; `input`, the state and `reverse` are as in [`lstm`].
///
/// # Errors
///
/// Those of [`lstm`].
pub fn rnn_tanh(
    input: impl IntoTensor,
    h: impl IntoOptionalTensor,
    w_ih: impl IntoTensor,
    w_hh: impl IntoTensor,
    b_ih: impl IntoOptionalTensor,
    b_hh: impl IntoOptionalTensor,
    reverse: impl Into<Option<bool>>,
) -> Result<(Tensor, Tensor)> {
    let weights = Weights::new(w_ih, w_hh, b_ih, b_hh)?;
    let (input, h) = (input.into_tensor()?, h.into_optional_tensor()?);
    weights.over("rnn_tanh", input, h, reverse.into(), rnn_tanh_step)
}

/// A layer of relu of a sequence: the output of each time, and the last hidden state. `torch.rnn_relu` of one
/// layer and one direction; `input`, the state and `reverse` are as in [`lstm`].
///
/// # Errors
///
/// Those of [`lstm`].
pub fn rnn_relu(
    input: impl IntoTensor,
    h: impl IntoOptionalTensor,
    w_ih: impl IntoTensor,
    w_hh: impl IntoTensor,
    b_ih: impl IntoOptionalTensor,
    b_hh: impl IntoOptionalTensor,
    reverse: impl Into<Option<bool>>,
) -> Result<(Tensor, Tensor)> {
    let weights = Weights::new(w_ih, w_hh, b_ih, b_hh)?;
    let (input, h) = (input.into_tensor()?, h.into_optional_tensor()?);
    weights.over("rnn_relu", input, h, reverse.into(), rnn_relu_step)
}

/// A step of a layer whose state is hidden: the state, the products of the input, and the weights of the
/// state.
type Step = fn(Tensor, Tensor, Tensor, Option<Tensor>) -> Result<Tensor>;

struct Weights {
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Option<Tensor>,
    b_hh: Option<Tensor>,
}

impl Weights {
    fn new(
        w_ih: impl IntoTensor,
        w_hh: impl IntoTensor,
        b_ih: impl IntoOptionalTensor,
        b_hh: impl IntoOptionalTensor,
    ) -> Result<Weights> {
        Ok(Weights {
            w_ih: w_ih.into_tensor()?,
            w_hh: w_hh.into_tensor()?,
            b_ih: b_ih.into_optional_tensor()?,
            b_hh: b_hh.into_optional_tensor()?,
        })
    }

    fn over(
        self,
        name: &str,
        input: Tensor,
        h: Option<Tensor>,
        reverse: Option<bool>,
        step: Step,
    ) -> Result<(Tensor, Tensor)> {
        let run = || {
            let gates = linear(input, self.w_ih, self.b_ih)?;
            let sequence = Sequence::new(gates, &self.w_hh, reverse.unwrap_or(false))?;
            let (output, [h]) = sequence
                .over([h], |gates, [h]| Ok([step(h, gates, self.w_hh.clone(), self.b_hh.clone())?]))?;
            Ok((output, h))
        };
        run().map_err(|error: Error| error.renamed(name))
    }
}

/// The products of the input at each time.
struct Sequence {
    gates: Vec<Tensor>,
    /// The shape of a state.
    state: Vec<usize>,
    is_reversed: bool,
}

impl Sequence {
    fn new(gates: Tensor, w_hh: &Tensor, is_reversed: bool) -> Result<Sequence> {
        let shape = gates.shape();
        if shape.rank() < 2 || shape[0] == 0 {
            let message = "has no times: pass `[t, b, i]`, or `[t, i]` without a batch";
            return Err(Error::new(ErrorKind::Empty, message).with_arg("input"));
        }
        let hidden = w_hh.shape().last().copied().unwrap_or(0);
        let state = [&shape[1..shape.rank() - 1], &[hidden]].concat();
        Ok(Sequence { gates: gates.unbind(0)?, state, is_reversed })
    }

    /// The first state at each time, and all states after the last one.
    fn over<const N: usize>(
        mut self,
        states: [Option<Tensor>; N],
        step: impl Fn(Tensor, [Tensor; N]) -> Result<[Tensor; N]>,
    ) -> Result<(Tensor, [Tensor; N])> {
        let zeros = Tensor::zeros(self.state, self.gates[0].dtype(), &self.gates[0].device())?;
        let mut states = states.map(|state| state.unwrap_or_else(|| zeros.clone()));
        if self.is_reversed {
            self.gates.reverse();
        }
        let mut outputs = vec![];
        for gates in self.gates {
            states = step(gates, states)?;
            outputs.extend(states.first().cloned());
        }
        if self.is_reversed {
            outputs.reverse();
        }
        Ok((Tensor::stack(&outputs, 0)?, states))
    }
}

/// [`lstm_cell`] of an input that was multiplied by its weights.
#[tensor_op]
pub fn lstm_step(
    hx: Tensor![.., k],
    gates: Tensor![.., (gate = 4, d = k)],
    cx: Tensor![.., d = k],
    w_hh: Tensor![(gate = 4, d = k), k],
    b_hh: Option<Tensor![(gate = 4, d = k)]>,
) -> (Tensor![.., d], Tensor![.., d]) {
    let all = gates + sum(hx * w_hh, k) + b_hh.unwrap_or(0.0);
    let c = sigmoid(at(all, gate = 1)) * cx + sigmoid(at(all, gate = 0)) * tanh(at(all, gate = 2));
    (sigmoid(at(all, gate = 3)) * tanh(c), c)
}

/// A step of long short-term memory: the next hidden state and the next cell. Each gate has `hidden` rows of
/// the weights: the input gate, the forget gate, the cell and the output gate. `torch.lstm_cell`, whose `hx`
/// is the two states.
///
/// Source: Hochreiter and Schmidhuber, Long Short-Term Memory, 1997.
///
/// ```
/// use tensor_op::catalogue::recurrent::lstm_cell;
/// use tensor_op::prelude::*;
///
/// # fn main() -> Result<()> {
/// let (x, zero) = (Tensor::from([1.0]), Tensor::from([0.0]));
/// let (w_ih, w_hh) = (Tensor::from([[0.0], [0.0], [f64::INFINITY], [0.0]]), Tensor::from([[0.0]; 4]));
/// let (h, c) = lstm_cell(&x, &zero, &zero, &w_ih, &w_hh, None, None)?;
/// // Half of the cell's tanh, which is 1; and half of its tanh.
/// assert_eq!(c.item::<f64>()?, 0.5);
/// assert_eq!(h.item::<f64>()?, 0.5 * 0.5_f64.tanh());
/// # Ok(())
/// # }
/// ```
#[tensor_op]
pub fn lstm_cell(
    input: Tensor![.., i],
    hx: Tensor![.., k],
    cx: Tensor![.., d = k],
    w_ih: Tensor![(gate = 4, d = k), i],
    w_hh: Tensor![(gate = 4, d = k), k],
    b_ih: Option<Tensor![(gate = 4, d = k)]>,
    b_hh: Option<Tensor![(gate = 4, d = k)]>,
) -> (Tensor![.., d], Tensor![.., d]) {
    let gates = sum(input * w_ih, i) + b_ih.unwrap_or(0.0);
    let (h, c) = self::lstm_step(hx, gates, cx, w_hh, b_hh);
    (h, c)
}

/// [`gru_cell`] of an input that was multiplied by its weights.
#[tensor_op]
pub fn gru_step(
    hx: Tensor![.., k],
    gates: Tensor![.., (gate = 3, d = k)],
    w_hh: Tensor![(gate = 3, d = k), k],
    b_hh: Option<Tensor![(gate = 3, d = k)]>,
) -> Tensor![.., d] {
    let own = sum(hx * w_hh, k) + b_hh.unwrap_or(0.0);
    let reset = sigmoid(at(gates, gate = 0) + at(own, gate = 0));
    let update = sigmoid(at(gates, gate = 1) + at(own, gate = 1));
    let new = tanh(at(gates, gate = 2) + reset * at(own, gate = 2));
    new + update * (at(hx, k = d) - new)
}

/// A step of a gated recurrent unit. Each gate has `hidden` rows of the weights: the reset gate, the update
/// gate and the new state. The reset gate multiplies the product of the state and its weights.
/// `torch.gru_cell`.
///
/// Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.
#[tensor_op]
pub fn gru_cell(
    input: Tensor![.., i],
    hx: Tensor![.., k],
    w_ih: Tensor![(gate = 3, d = k), i],
    w_hh: Tensor![(gate = 3, d = k), k],
    b_ih: Option<Tensor![(gate = 3, d = k)]>,
    b_hh: Option<Tensor![(gate = 3, d = k)]>,
) -> Tensor![.., d] {
    self::gru_step(hx, sum(input * w_ih, i) + b_ih.unwrap_or(0.0), w_hh, b_hh)
}

/// [`rnn_tanh_cell`] of an input that was multiplied by its weights.
#[tensor_op]
pub fn rnn_tanh_step(
    hx: Tensor![.., k],
    gates: Tensor![.., d = k],
    w_hh: Tensor![d = k, k],
    b_hh: Option<Tensor![d = k]>,
) -> Tensor![.., d] {
    tanh(gates + sum(hx * w_hh, k) + b_hh.unwrap_or(0.0))
}

/// The tanh of a product of the input and one of the state. `torch.rnn_tanh_cell`.
#[tensor_op]
pub fn rnn_tanh_cell(
    input: Tensor![.., i],
    hx: Tensor![.., k],
    w_ih: Tensor![d = k, i],
    w_hh: Tensor![d = k, k],
    b_ih: Option<Tensor![d = k]>,
    b_hh: Option<Tensor![d = k]>,
) -> Tensor![.., d] {
    self::rnn_tanh_step(hx, sum(input * w_ih, i) + b_ih.unwrap_or(0.0), w_hh, b_hh)
}

/// [`rnn_relu_cell`] of an input that was multiplied by its weights.
#[tensor_op]
pub fn rnn_relu_step(
    hx: Tensor![.., k],
    gates: Tensor![.., d = k],
    w_hh: Tensor![d = k, k],
    b_hh: Option<Tensor![d = k]>,
) -> Tensor![.., d] {
    relu(gates + sum(hx * w_hh, k) + b_hh.unwrap_or(0.0))
}

/// The relu of a product of the input and one of the state. `torch.rnn_relu_cell`.
#[tensor_op]
pub fn rnn_relu_cell(
    input: Tensor![.., i],
    hx: Tensor![.., k],
    w_ih: Tensor![d = k, i],
    w_hh: Tensor![d = k, k],
    b_ih: Option<Tensor![d = k]>,
    b_hh: Option<Tensor![d = k]>,
) -> Tensor![.., d] {
    self::rnn_relu_step(hx, sum(input * w_ih, i) + b_ih.unwrap_or(0.0), w_hh, b_hh)
}
