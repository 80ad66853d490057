//! Recurrent layers. ONNX's gates have another order than PyTorch's.

use super::Entry;
use crate::node::{Node, Outcome, Stop};
use tensor_op::catalogue::nn::linear;
use tensor_op::catalogue::recurrent::{gru, lstm, rnn_tanh};
use tensor_op::prelude::*;

/// A step of a unit whose reset gate multiplies the state itself.
#[tensor_op(tests = false)]
fn reset_first(
    hx: Tensor![b, k],
    gates: Tensor![b, (gate = 3, d = k)],
    w_hh: Tensor![(gate = 3, d = k), k],
    bias: Tensor![(gate = 3, d = k)],
) -> Tensor![b, d] {
    let own = sum(hx * w_hh, k) + bias;
    let reset = sigmoid(at(gates, gate = 0) + at(own, gate = 0));
    let update = sigmoid(at(gates, gate = 1) + at(own, gate = 1));
    let kept = sum(hx * at(reset, d = k) * at(w_hh, gate = 2), k) + at(bias, gate = 2);
    let new = tanh(at(gates, gate = 2) + kept);
    new + update * (at(hx, k = d) - new)
}

/// A step whose gates see the cell: the input gate, the output gate and the forget gate.
#[tensor_op(tests = false)]
fn peeping(
    hx: Tensor![b, k],
    gates: Tensor![b, (gate = 4, d = k)],
    cx: Tensor![b, d = k],
    w_hh: Tensor![(gate = 4, d = k), k],
    bias: Tensor![(gate = 4, d = k)],
    p: Tensor![(peephole = 3, d = k)],
) -> (Tensor![b, d], Tensor![b, d]) {
    let all = gates + sum(hx * w_hh, k) + bias;
    let input = sigmoid(at(all, gate = 0) + at(p, peephole = 0) * cx);
    let forget = sigmoid(at(all, gate = 1) + at(p, peephole = 2) * cx);
    let c = forget * cx + input * tanh(at(all, gate = 2));
    (sigmoid(at(all, gate = 3) + at(p, peephole = 1) * c) * tanh(c), c)
}

/// One direction of a layer, with its gates in PyTorch's order.
struct Direction {
    input: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor,
    b_hh: Tensor,
    h: Option<Tensor>,
    /// Which direction it is.
    place: i64,
    reverse: bool,
}

impl Direction {
    /// The products of the input at each time, in the order in which the state sees them.
    fn gates(&self) -> Outcome<Vec<Tensor>> {
        let mut gates = linear(&self.input, &self.w_ih, &self.b_ih)?.unbind(0)?;
        if self.reverse {
            gates.reverse();
        }
        Ok(gates)
    }

    fn zeros(&self) -> Outcome<Tensor> {
        let sizes = [self.input.shape()[1], self.w_hh.shape()[1]];
        Ok(Tensor::zeros(sizes, self.input.dtype(), &self.input.device())?)
    }

    /// The states of all times in their order.
    fn stacked(&self, mut states: Vec<Tensor>) -> Outcome<Tensor> {
        if self.reverse {
            states.reverse();
        }
        Ok(Tensor::stack(&states, 0)?)
    }
}

/// Runs each direction. `order` says which of ONNX's gates each gate of PyTorch is. An op gives the states of
/// all times, and what is left at the end.
fn directions(node: &Node, order: &[usize], op: impl Fn(&Direction) -> Outcome) -> Outcome {
    for name in ["clip", "activations", "input_forget"] {
        if node.attributes.contains_key(name) {
            return Err(Stop::Skip("activations of the caller's"));
        }
    }
    let is_batch_first = node.flag("layout", false)?;
    let input = if is_batch_first { node.x(0)?.transpose(0, 1)? } else { node.x(0)? };
    let times = input.shape()[0] as i64;
    if node.ints(4)?.is_some_and(|lengths| lengths.iter().any(|length| *length != times)) {
        return Err(Stop::Skip("sequences of several lengths"));
    }
    let (w, r) = (node.x(1)?, node.x(2)?);
    let rows = w.shape()[1];
    let bias = match node.optional(3) {
        Some(bias) => bias,
        None => Tensor::zeros([w.shape()[0], 2 * rows], w.dtype(), &w.device())?,
    };
    let turned = |x: Tensor| -> Result<Tensor> {
        let gates = x.chunk(order.len(), 0)?;
        Tensor::cat(&order.iter().map(|place| gates[*place].clone()).collect::<Vec<_>>(), 0)
    };
    let mut found: Vec<Vec<Tensor>> = vec![];
    for place in 0..w.shape()[0] as i64 {
        let of = |x: &Tensor| x.slice(0, place..place + 1)?.squeeze(0);
        let (own, rows) = (of(&bias)?, rows as i64);
        let direction = Direction {
            input: input.clone(),
            w_ih: turned(of(&w)?)?,
            w_hh: turned(of(&r)?)?,
            b_ih: turned(own.slice(0, ..rows)?)?,
            b_hh: turned(own.slice(0, rows..)?)?,
            h: node.optional(5).map(|h| of(&h)).transpose()?,
            place,
            reverse: place == 1 || node.text("direction", "forward")? == "reverse",
        };
        found.push(op(&direction)?);
    }
    let count = found[0].len();
    let joined = |at: usize| {
        let parts: Vec<Tensor> = found.iter().map(|results| results[at].clone()).collect();
        Tensor::stack(&parts, if at == 0 { 1 } else { 0 })
    };
    let results = (0..count).map(joined).collect::<Result<Vec<_>>>()?;
    if !is_batch_first {
        return Ok(results);
    }
    let turned = |(at, x): (usize, &Tensor)| {
        if at == 0 { x.permute([2, 0, 1, 3]) } else { x.transpose(0, 1) }
    };
    Ok(results.iter().enumerate().map(turned).collect::<Result<_>>()?)
}

fn simple(node: &Node) -> Outcome {
    directions(node, &[0], |d| {
        let (y, h) = rnn_tanh(&d.input, &d.h, &d.w_ih, &d.w_hh, &d.b_ih, &d.b_hh, d.reverse)?;
        Ok(vec![y, h])
    })
}

/// PyTorch's unit is that with `linear_before_reset`.
fn gated(node: &Node) -> Outcome {
    let is_pytorchs = node.flag("linear_before_reset", false)?;
    directions(node, &[1, 0, 2], |d| {
        if is_pytorchs {
            let (y, h) = gru(&d.input, &d.h, &d.w_ih, &d.w_hh, &d.b_ih, &d.b_hh, d.reverse)?;
            return Ok(vec![y, h]);
        }
        let mut h = d.h.clone().map_or_else(|| d.zeros(), Ok)?;
        let mut states = vec![];
        for gates in d.gates()? {
            h = reset_first(h, gates, &d.w_hh, &d.b_hh)?;
            states.push(h.clone());
        }
        Ok(vec![d.stacked(states)?, h])
    })
}

fn long_short_term(node: &Node) -> Outcome {
    let of = |x: Option<Tensor>, d: &Direction| {
        x.map(|x| x.slice(0, d.place..d.place + 1)?.squeeze(0)).transpose()
    };
    directions(node, &[0, 2, 3, 1], |d| {
        let c = of(node.optional(6), d)?;
        let Some(peepholes) = of(node.optional(7), d)? else {
            let (y, h, c) = lstm(&d.input, &d.h, c, &d.w_ih, &d.w_hh, &d.b_ih, &d.b_hh, d.reverse)?;
            return Ok(vec![y, h, c]);
        };
        let mut h = d.h.clone().map_or_else(|| d.zeros(), Ok)?;
        let mut c = c.map_or_else(|| d.zeros(), Ok)?;
        let mut states = vec![];
        for gates in d.gates()? {
            (h, c) = peeping(h, gates, c, &d.w_hh, &d.b_hh, &peepholes)?;
            states.push(h.clone());
        }
        Ok(vec![d.stacked(states)?, h, c])
    })
}

pub(super) fn table() -> Vec<Entry> {
    vec![("GRU", gated), ("LSTM", long_short_term), ("RNN", simple)]
}
