//! Where elements, words and scales lie. Formulas see a tensor with three axes in place of its last one:
//! blocks, words of a block, and ints of a word. A block whose size the ints of a word don't divide ends with
//! ints that stand for nothing.

use super::scheme::QuantLevel;
use crate::{DType, Error, ErrorKind, Result, Shape, Tensor};

/// The places of the elements of a tensor with some scales.
pub(super) struct Layout {
    shape: Shape,
    level: Level,
    /// Blocks along the last axis. It is one block if scales don't belong to blocks.
    blocks: usize,
    /// Elements of a block.
    block: usize,
    /// Words of a block.
    words: usize,
    /// Ints of a word.
    lanes: usize,
}

/// A level whose axis is known to exist.
#[derive(Clone, Copy)]
enum Level {
    Tensor,
    Channel(usize),
    Block,
}

impl Layout {
    pub(super) fn new(shape: &Shape, level: QuantLevel, lanes: usize) -> Result<Layout> {
        let last = shape.last().copied().unwrap_or(1);
        let (level, block) = match level {
            QuantLevel::Tensor => (Level::Tensor, last),
            QuantLevel::Channel(axis) => (Level::Channel(shape.axis(axis)?), last),
            QuantLevel::Block(0) => {
                let message = "a block has no elements; write 1 or more";
                return Err(Error::new(ErrorKind::Shape, message));
            }
            QuantLevel::Block(block) if last % block != 0 => {
                let message = format!(
                    "blocks of {block} don't divide the last axis of shape {shape}, which has size {last}; choose a size that divides it, or pad the tensor"
                );
                return Err(Error::new(ErrorKind::Shape, message));
            }
            QuantLevel::Block(block) => (Level::Block, block),
        };
        let blocks = match level {
            Level::Tensor | Level::Channel(_) => 1,
            Level::Block => last / block,
        };
        Ok(Layout { shape: shape.clone(), level, blocks, block, words: block.div_ceil(lanes), lanes })
    }

    /// The sizes of all axes but the last one.
    fn lead(&self) -> &[usize] {
        &self.shape[..self.shape.rank().saturating_sub(1)]
    }

    /// The shape of the packed tensor.
    pub(super) fn packed(&self) -> Shape {
        [self.lead(), &[self.blocks * self.words]].concat().into()
    }

    /// The shape of the packed tensor in formulas.
    pub(super) fn words(&self) -> Shape {
        [self.lead(), &[self.blocks, self.words]].concat().into()
    }

    /// The shape of the scales.
    pub(super) fn params(&self) -> Shape {
        match self.level {
            Level::Tensor => Shape::scalar(),
            Level::Channel(axis) => Shape::new(&[self.shape[axis]]),
            Level::Block => [self.lead(), &[self.blocks]].concat().into(),
        }
    }

    /// What the scales belong to, for messages.
    pub(super) fn owner(&self) -> String {
        match self.level {
            Level::Tensor => "the tensor".into(),
            Level::Channel(axis) => format!("axis {axis} of shape {}", self.shape),
            Level::Block => format!("blocks of {} in shape {}", self.block, self.shape),
        }
    }

    /// The elements with axes that a scale is found along.
    pub(super) fn grouped(&self, x: &Tensor) -> Result<(Tensor, Vec<i64>)> {
        let rank = self.shape.rank();
        match self.level {
            Level::Tensor => Ok((x.clone(), (0..rank as i64).collect())),
            Level::Channel(axis) => {
                Ok((x.clone(), (0..rank).filter(|other| *other != axis).map(|axis| axis as i64).collect()))
            }
            Level::Block => Ok((x.reshape([self.lead(), &[self.blocks, self.block]].concat())?, vec![-1])),
        }
    }

    /// A tensor whose last axis is that of the layout, with the axes of formulas. Where no element is, it
    /// has zeros.
    pub(super) fn split(&self, x: &Tensor) -> Result<Tensor> {
        let shape = x.shape();
        let lead = &shape[..shape.rank().saturating_sub(1)];
        let blocks = x.reshape([lead, &[self.blocks, self.block]].concat())?;
        let filled = self.filled(&blocks, Tensor::zeros)?;
        filled.reshape([lead, &[self.blocks, self.words, self.lanes]].concat())
    }

    /// The tensor of a result of formulas.
    pub(super) fn join(&self, x: &Tensor) -> Result<Tensor> {
        let blocks = x.reshape([self.lead(), &[self.blocks, self.words * self.lanes]].concat())?;
        blocks.slice(-1, ..self.block as i64)?.reshape(&self.shape)
    }

    /// The scale or the zero point of each element, with the axes of formulas. It is a view.
    pub(super) fn spread(&self, params: &Tensor) -> Result<Tensor> {
        let lead = self.lead();
        let mut sizes = vec![1; lead.len()];
        let laid = match self.level {
            Level::Tensor => params.clone(),
            Level::Channel(axis) if axis == lead.len() => {
                let filled = self.filled(params, Tensor::ones)?;
                filled.reshape([self.words, self.lanes])?
            }
            Level::Channel(axis) => {
                sizes[axis] = self.shape[axis];
                params.reshape([&sizes[..], &[1, 1, 1]].concat())?
            }
            Level::Block => params.reshape([lead, &[self.blocks, 1, 1]].concat())?,
        };
        laid.broadcast_to([lead, &[self.blocks, self.words, self.lanes]].concat())
    }

    /// Fills the last axis, which is a block, up to whole words.
    fn filled(
        &self,
        x: &Tensor,
        fill: fn(Vec<usize>, DType, &crate::Device) -> Result<Tensor>,
    ) -> Result<Tensor> {
        let missing = self.words * self.lanes - self.block;
        if missing == 0 {
            return Ok(x.clone());
        }
        let mut sizes = x.shape().to_vec();
        sizes.pop();
        sizes.push(missing);
        Tensor::cat(&[x.clone(), fill(sizes, x.dtype(), &x.device())?], -1)
    }
}
