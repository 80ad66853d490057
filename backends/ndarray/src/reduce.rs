//! Reductions of tensors over axes: a loop along rows, or over rows if the order in memory makes that better.

use crate::block::ByKind;
use crate::bodies;
use crate::kernel::plan::{
    Base, Body, ColumnPlan, Dest, LoopPlan, Operand, PassPlan, RowUniform, UniformSource,
};
use crate::kernel::real::{Real, match_real};
use crate::kernel::rows;
use crate::nest::Nest;
use crate::parallel::Shared;
use crate::tensor::NdArrayTensor;
use std::sync::Arc;
use tensor_op_core::{Result, check};
use tensor_op_spec::ir::Kind;
use tensor_op_spec::prim::Fold;
use tensor_op_spec::schedule::{Program, ValueId};

/// Reduces over axes. The result does not have these axes.
pub(crate) fn reduce(fold: Fold, tensor: &NdArrayTensor, axes: &[usize]) -> Result<NdArrayTensor> {
    let (dtype, shape) = (tensor.dtype(), tensor.shape());
    let kept_shape = check::reduce(fold, shape, dtype, axes)?;
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let mut out = NdArrayTensor::recycled(&kept_shape, check::reduce_dtype(fold, dtype))?;
    let reduction = Reduction { fold, tensor, kept: &kept, axes };
    match_real!(dtype, E => reduction.run::<E>(&mut out)?);
    Ok(out)
}

struct Reduction<'a> {
    fold: Fold,
    tensor: &'a NdArrayTensor,
    kept: &'a [usize],
    axes: &'a [usize],
}

const SOURCE: usize = 0;
const TARGET: usize = 1;

impl Reduction<'_> {
    fn run<E: Real>(&self, out: &mut NdArrayTensor) -> Result<()> {
        let source = Operand {
            base: Base::Memory(Shared(self.tensor.as_ptr().cast_mut())),
            dtype: self.tensor.dtype(),
            in_place: false,
        };
        let base = Base::Memory(Shared(out.as_mut_ptr().expect("a new buffer has one owner")));
        let target = Operand { base, dtype: out.dtype(), in_place: false };
        let (mut kept, mut reduced) = (self.kept_nest(out), self.reduced_nest());
        kept.sort_by(&[SOURCE, TARGET]);
        kept.merge();
        let finds_position = self.fold.finds_position();
        if !finds_position {
            reduced.sort_by(&[SOURCE]);
        }
        reduced.merge();
        let by_column = !finds_position && step(&kept) < step(&reduced);
        let (outer, inner) = if by_column { (reduced, kept) } else { (kept, reduced) };
        let (passes, statistics, columns) =
            if by_column { self.column_pass() } else { self.row_passes(target.dtype.kind()) };
        rows::run(&LoopPlan::<E> {
            operands: vec![source, target],
            outer,
            inner,
            passes,
            statistics,
            columns,
            windows: Vec::new(),
            kept: 0,
        })
    }

    fn kept_nest(&self, out: &NdArrayTensor) -> Nest {
        let (source, target) = (self.tensor.layout(), out.layout());
        let mut nest = Nest::new(2);
        for (at, axis) in self.kept.iter().enumerate() {
            nest.push(source.shape[*axis], [source.strides[*axis], target.strides[at]].into_iter());
        }
        nest
    }

    fn reduced_nest(&self) -> Nest {
        let source = self.tensor.layout();
        let mut nest = Nest::new(2);
        for axis in self.axes {
            nest.push(source.shape[*axis], [source.strides[*axis], 0].into_iter());
        }
        nest
    }

    fn kind(&self) -> Kind {
        self.tensor.dtype().kind()
    }

    fn elements_pass<E>(&self, dest: Dest) -> PassPlan<E> {
        let of = |kind| if self.kind() == kind { vec![SOURCE] } else { Vec::new() };
        let to = |kind| if self.kind() == kind { vec![dest] } else { Vec::new() };
        PassPlan {
            body: Body::Compiled(bodies::identity(self.kind())),
            program: None,
            per_row: false,
            uniforms: ByKind::default(),
            row_uniforms: Vec::new(),
            elements: ByKind { floats: of(Kind::Float), ints: of(Kind::Int), bools: of(Kind::Bool) },
            results: ByKind { floats: to(Kind::Float), ints: to(Kind::Int), bools: to(Kind::Bool) },
        }
    }

    fn column_pass<E>(&self) -> (Vec<PassPlan<E>>, usize, Vec<ColumnPlan>) {
        let column = ColumnPlan { fold: self.fold, kind: self.kind(), operand: TARGET };
        (vec![self.elements_pass(Dest::Column(0))], 0, vec![column])
    }

    fn row_passes<E: Real>(&self, result: Kind) -> (Vec<PassPlan<E>>, usize, Vec<ColumnPlan>) {
        let to = |kind| if result == kind { vec![Dest::Row(TARGET)] } else { Vec::new() };
        let count = |kind| usize::from(result == kind);
        let program = Program::from_parts([vec![result], vec![]], vec![], 0, vec![ValueId(0)]);
        let store = PassPlan {
            body: Body::Compiled(bodies::uniform(result)),
            program: Some(Arc::new(program)),
            per_row: true,
            uniforms: ByKind {
                floats: vec![E::default(); count(Kind::Float)],
                ints: vec![0; count(Kind::Int)],
                bools: vec![false; count(Kind::Bool)],
            },
            row_uniforms: vec![RowUniform { kind: result, slot: 0, source: UniformSource::Statistic(0) }],
            elements: ByKind::default(),
            results: ByKind { floats: to(Kind::Float), ints: to(Kind::Int), bools: to(Kind::Bool) },
        };
        (vec![self.elements_pass(Dest::Fold { fold: self.fold, statistic: 0 }), store], 1, Vec::new())
    }
}

/// The smallest step of the source. If there is none, it counts as larger than any step.
fn step(nest: &Nest) -> usize {
    (0..nest.rank())
        .map(|axis| nest.stride(axis, SOURCE).unsigned_abs())
        .filter(|s| *s != 0)
        .min()
        .unwrap_or(usize::MAX)
}
