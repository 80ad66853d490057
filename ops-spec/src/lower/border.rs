//! `wrap(i)`, `clamp(i)` and `reflect(i)`: indices of `at` that are brought inside of their dim.

use crate::ir::{Affine, DimId, DimKind, Graph, Scalar, Size, SizeOp, Value};
use crate::prim::Prim;

/// How an index that lies outside is brought inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// Around, as if copies of the source followed each other.
    Wrap,
    /// To the nearest end.
    Clamp,
    /// Mirrored at the ends, which are not repeated.
    Reflect,
}

impl Border {
    pub(super) const ALL: [Border; 3] = [Border::Wrap, Border::Clamp, Border::Reflect];

    pub(super) fn name(self) -> &'static str {
        match self {
            Border::Wrap => "wrap",
            Border::Clamp => "clamp",
            Border::Reflect => "reflect",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Border> {
        Border::ALL.into_iter().find(|border| border.name() == name)
    }

    /// The index inside of a dim with `len` elements. If there are none, it is outside of the dim.
    pub(super) fn inside<'b>(self, index: Value<'b>, len: Value<'b>) -> Value<'b> {
        let builder = index.builder();
        let int = |value| builder.literal(Scalar::Int(value));
        let last = len - int(1);
        match self {
            Border::Wrap => {
                // The remainder has the sign of the index.
                let rest = index.zip(Prim::Rem, len);
                builder.select(rest.zip(Prim::Lt, int(0)), rest + len, rest)
            }
            Border::Clamp => index.zip(Prim::Maximum, int(0)).zip(Prim::Minimum, last),
            Border::Reflect => {
                // One way and back. For one element it is 0, and so is the remainder.
                let period = last + last;
                let rest = index.zip(Prim::Rem, period).map(Prim::Abs);
                last - (last - rest).map(Prim::Abs)
            }
        }
    }
}

/// Whether an index is inside of a dim in each call, whatever the sizes are.
pub(super) fn is_inside(graph: &Graph, index: &Affine, dim: DimId) -> bool {
    let last = |dim| Size::pair(SizeOp::Sub, written(graph, &Size::Len(dim)), Size::Literal(1));
    let sum = |forward: bool| {
        let start = written(graph, &index.offset);
        index.steps.iter().try_fold(start, |sum, (dim, step)| {
            let goes_forward = step.literal()? > 0;
            let far = Size::pair(SizeOp::Mul, last(*dim), step.clone());
            Some(if goes_forward == forward { Size::pair(SizeOp::Add, sum, far) } else { sum })
        })
    };
    let (Some(lowest), Some(highest)) = (sum(false), sum(true)) else { return false };
    let room = Size::pair(SizeOp::Sub, last(dim), highest);
    [lowest, room].iter().all(|size| size.literal().is_some_and(|size| size >= 0))
}

/// A size in which dims are replaced by the sizes with which they were declared.
fn written(graph: &Graph, size: &Size) -> Size {
    match size {
        Size::Literal(_) | Size::Arg(_) => size.clone(),
        Size::Len(dim) => match &graph.dim(*dim).kind {
            DimKind::Fixed(value) => i64::try_from(*value).map_or_else(|_| size.clone(), Size::Literal),
            DimKind::Sized(arg) => Size::Arg(*arg),
            DimKind::Computed(own) => written(graph, own),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => size.clone(),
        },
        Size::Pair(operation, pair) => {
            Size::pair(*operation, written(graph, &pair[0]), written(graph, &pair[1]))
        }
    }
}
