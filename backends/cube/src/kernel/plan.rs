//! A loop in which everything but the launch geometry is decided: memory, steps along axes, passes and where
//! each result goes.
//!
//! Plans are made from a schedule (`bind.rs`), or by hand for the structural primitives. `launch.rs` runs
//! them.

use super::fold::FoldPlan;
use super::nest::Nest;
use super::operand::Fit;
use super::pass::{Dest, Element, Output, PassPlan};
use super::simple::copy;
use crate::device::Opened;
use crate::tensor::CubeTensor;
use cubecl::ir::{ElemType, FloatKind, IntKind, UIntKind};
use cubecl::server::BufferBinding;
use std::ops::Range;
use tensor_op_core::DType;
use tensor_op_spec::ir::{Kind, Scalar};

/// A loop that runs, for each point of `outer`, each pass over all of `inner`.
#[derive(Clone, Debug)]
pub(crate) struct LoopPlan {
    pub(crate) device: &'static Opened,
    /// Operands that are read. They have the first operand numbers.
    pub(crate) reads: Vec<Read>,
    /// Operands that are written. Their numbers follow those of `reads`.
    pub(crate) writes: Vec<Write>,
    /// Folds over the rows. Their operand numbers follow those of `writes`.
    pub(crate) columns: Vec<Column>,
    /// Where cubes that share a row store their partial folds, fold by fold ([`FoldPlan::partial_kinds`]).
    /// Each is row-major over rows and cubes.
    pub(crate) partials: Vec<Memory>,
    pub(crate) outer: Nest,
    pub(crate) inner: Nest,
    pub(crate) passes: Vec<PassPlan>,
    /// Scalar arguments, in the order of their numbers in the passes.
    pub(crate) scalars: Vec<Scalar>,
    /// The dtype of float arithmetic: f64 or f32.
    pub(crate) float: DType,
}

/// An operand that is read: memory, or an index, which is this number plus the distance that it has moved.
#[derive(Clone, Debug)]
pub(crate) enum Read {
    Memory(Memory),
    Index(usize),
    /// Memory that is read where a point is inside of it.
    Window(Memory),
    /// Memory that is moved by an index, the operand with this number.
    Gathered(Memory, usize),
    /// How far the operand `of` is moved by each index.
    Step {
        of: usize,
        elements: usize,
    },
}

/// An operand that is written.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) memory: Memory,
    /// The operand that is read from the same memory at the same points, if there is one.
    pub(crate) over: Option<usize>,
}

/// A fold over the rows, and where its result goes.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) fold: FoldPlan,
    pub(crate) memory: Memory,
}

/// Elements in a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// This is not a handle, because a handle would keep the memory from being reused for a result.
    pub(crate) buffer: BufferBinding,
    pub(crate) elem: ElemType,
    /// Kind of the elements, however they are stored.
    pub(crate) kind: Kind,
    /// How a value is changed when it is written.
    pub(crate) fit: Fit,
    /// The position of the first element, in elements.
    pub(crate) offset: usize,
}

impl Memory {
    /// All of a tensor's memory.
    pub(crate) fn of(tensor: &CubeTensor) -> Memory {
        let elem = tensor.elem();
        let fit = match tensor.dtype {
            DType::U8 if elem == ElemType::UInt(UIntKind::U32) => Fit::Wrap,
            DType::BF16 if !tensor.device.is_native => Fit::Round,
            DType::F64
            | DType::F32
            | DType::F16
            | DType::BF16
            | DType::I64
            | DType::I32
            | DType::U32
            | DType::U8
            | DType::Bool => Fit::Convert,
        };
        let (buffer, kind) = (tensor.handle.clone().binding(), tensor.dtype.kind());
        Memory { buffer, elem, kind, fit, offset: tensor.layout.offset }
    }

    /// Number of elements in the buffer.
    pub(crate) fn len(&self) -> usize {
        let cut = self.buffer.offset_start.unwrap_or(0) + self.buffer.offset_end.unwrap_or(0);
        (self.buffer.size - cut) as usize / self.elem.size()
    }

    /// Leaves out the last elements of the buffer.
    pub(crate) fn leave_out_last(&mut self, count: usize) {
        let bytes = (count * self.elem.size()) as u64;
        self.buffer.offset_end = Some(self.buffer.offset_end.unwrap_or(0) + bytes);
    }
}

impl Read {
    pub(crate) fn memory(&self) -> Option<&Memory> {
        match self {
            Read::Memory(memory) | Read::Window(memory) | Read::Gathered(memory, _) => Some(memory),
            Read::Index(_) | Read::Step { .. } => None,
        }
    }

    pub(crate) fn memory_mut(&mut self) -> Option<&mut Memory> {
        match self {
            Read::Memory(memory) | Read::Window(memory) | Read::Gathered(memory, _) => Some(memory),
            Read::Index(_) | Read::Step { .. } => None,
        }
    }
}

impl LoopPlan {
    /// A plan for a kernel that is written by hand: where everything is. `kind` and `float` decide the types
    /// of arithmetic ([`LoopPlan::types`]); the pass computes nothing.
    pub(crate) fn of_kernel(
        reads: &[&CubeTensor],
        out: &CubeTensor,
        [outer, inner]: [Nest; 2],
        kind: Kind,
        float: DType,
    ) -> LoopPlan {
        let last = reads.len().saturating_sub(1);
        let output = Output { output: 0, operand: reads.len() };
        LoopPlan {
            device: out.device,
            reads: reads.iter().map(|tensor| Read::Memory(Memory::of(tensor))).collect(),
            writes: vec![Write { memory: Memory::of(out), over: None }],
            columns: Vec::new(),
            partials: Vec::new(),
            outer,
            inner,
            passes: vec![copy(kind, Element::Input { buffer: last, operand: last }, Dest::Element(output))],
            scalars: Vec::new(),
            float,
        }
    }

    /// The same plan with one more result.
    pub(crate) fn with_result(mut self, out: &CubeTensor) -> LoopPlan {
        self.writes.push(Write { memory: Memory::of(out), over: None });
        self
    }

    /// These elements of a row along one axis, of operands that are read as [`Read::Memory`] and
    /// [`Read::Index`].
    pub(crate) fn elements(&self, range: Range<usize>) -> LoopPlan {
        let mut part = self.clone();
        let axis = &mut part.inner.axes[0];
        axis.size = range.len();
        let moves: Vec<usize> = axis.steps.iter().map(|step| range.start.wrapping_mul(*step)).collect();
        for (read, moved) in part.reads.iter_mut().zip(&moves) {
            if let Read::Index(first) = read {
                *first = first.wrapping_add(*moved);
            }
        }
        for (memory, moved) in part.memories().zip(&moves) {
            if let Some(memory) = memory {
                memory.offset = memory.offset.wrapping_add(*moved);
            }
        }
        part
    }

    /// The memory of each operand that is read or written, in their order; `None` where there is none.
    pub(crate) fn memories(&mut self) -> impl Iterator<Item = Option<&mut Memory>> {
        let writes = self.writes.iter_mut().map(|write| Some(&mut write.memory));
        self.reads.iter_mut().map(Read::memory_mut).chain(writes)
    }

    /// Number of operands.
    pub(crate) fn operands(&self) -> usize {
        self.reads.len() + self.writes.len() + self.columns.len()
    }

    /// The types of arithmetic. If a kernel has no ints, its int type is `i32`, which every device has.
    pub(crate) fn types(&self) -> [ElemType; 2] {
        let float = if self.float == DType::F64 { FloatKind::F64 } else { FloatKind::F32 };
        let has_ints = self.passes.iter().any(|pass| {
            let program = &pass.program;
            let kinds = program
                .uniforms()
                .iter()
                .chain(program.elements())
                .chain(program.steps().iter().map(|s| &s.kind));
            let finds = pass.results.iter().any(|dest| match dest {
                Dest::Fold(fold) => fold.result_kind(Kind::Float) == Kind::Int,
                Dest::Element(_) | Dest::Row(_) | Dest::Column(_) | Dest::Nowhere => false,
            });
            // An edited body may have ints where the program has none.
            finds || pass.body.is_some() || kinds.into_iter().any(|kind| *kind == Kind::Int)
        });
        let long = self.device.types.get(DType::I64).filter(|_| has_ints);
        [ElemType::Float(float), long.unwrap_or(ElemType::Int(IntKind::I32))]
    }
}
