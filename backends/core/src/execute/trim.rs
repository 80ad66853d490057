//! Columns of a tile that add nothing, and are not computed.
//!
//! A causal mask makes most scores of the first rows `-inf`, so that their weights are 0. Whether all values
//! of a block of columns are such constants follows from the ranges of positions and scalars, by interval
//! arithmetic over the programs of the stream: a maximum of `-inf`, a sum of 0 and a product with 0 add
//! nothing. What is not known to be infinite is taken to be finite, and what is divided by, not to be 0. So
//! a column that is left out adds nothing even if it holds NaN.

use crate::{Binding, BoundAxis, Cut, Value};
use std::collections::BTreeMap;
use tensor_op_spec::ir::{NodeId, Scalar};
use tensor_op_spec::prim::{Arithmetic, Choice, Comparison, Equality, Fold, Group, Logic, Prim, Unary};
use tensor_op_spec::schedule::{
    BufferId, Compute, Contraction, Kernel, Loop, Pass, Schedule, Source, Stream, Target,
};

/// A stream whose tiles may be trimmed along an axis.
pub(super) struct Trim<'a, T> {
    pub(super) schedule: &'a Schedule,
    pub(super) stream: &'a Stream,
    pub(super) args: &'a [Value<T>],
    pub(super) needed: &'a [bool],
    pub(super) axis: BoundAxis,
    /// Tiles are trimmed by blocks of this many columns.
    pub(super) block: usize,
}

impl<T> Trim<'_, T> {
    /// The columns of a tile that are computed: without those at both ends that add nothing, but at least one
    /// block.
    pub(super) fn kept(&self, binding: &Binding, cuts: &[Cut]) -> Cut {
        let (BoundAxis { axis, size }, block) = (self.axis, self.block);
        let blocks = size.div_ceil(block);
        let cut = |from: usize, to: usize| {
            let (start, end) = (from * block, (to * block).min(size));
            Cut { axis, start, len: end - start, whole: size }
        };
        let adds_nothing = |from: usize, to: usize| {
            from == to || Ranges::new(self, &binding.tile(&[cuts, &[cut(from, to)]].concat())).add_nothing()
        };
        // What adds nothing adds nothing in part either, so the ends can be searched.
        let first = last_that(blocks - 1, |count| adds_nothing(0, count));
        let after = last_that(blocks - 1 - first, |count| adds_nothing(blocks - count, blocks));
        cut(first, blocks - after)
    }
}

/// The largest number up to `most` for which something holds that holds for 0 and for all smaller ones.
fn last_that(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// The numbers between which a value lies; `None` if they are not known. Bools are 0 and 1. Ends are such
/// that arithmetic of any float type computes them without rounding.
type Range = Option<(f64, f64)>;

/// The ranges of the values of one block.
struct Ranges<'a, T> {
    trim: &'a Trim<'a, T>,
    binding: &'a Binding,
    buffers: BTreeMap<BufferId, Range>,
    /// What passes keep for later ones.
    kept: BTreeMap<NodeId, Range>,
}

impl<'a, T> Ranges<'a, T> {
    fn new(trim: &'a Trim<'a, T>, binding: &'a Binding) -> Ranges<'a, T> {
        Ranges { trim, binding, buffers: BTreeMap::new(), kept: BTreeMap::new() }
    }

    /// Whether the block changes no result of the stream.
    fn add_nothing(mut self) -> bool {
        let kernels = &self.trim.schedule.kernels[self.trim.stream.kernels.clone()];
        let mut needed = kernels.iter().filter(|kernel| kernel.is_needed(self.trim.needed));
        needed.all(|kernel| match kernel {
            Kernel::Contraction(product) => self.product_adds_nothing(product),
            Kernel::Loop(nest) => self.loop_adds_nothing(nest),
            Kernel::View(_) | Kernel::Scan(_) | Kernel::Order(_) => false,
            Kernel::Gather(_) | Kernel::Scatter(..) => false,
        })
    }

    fn product_adds_nothing(&mut self, product: &Contraction) -> bool {
        let dim = self.trim.axis.axis.dim;
        let is_zero = [product.lhs, product.rhs].into_iter().any(|factor| self.of(factor) == ZERO);
        let is_sum = self.trim.stream.sums.contains(&product.out);
        let has_columns = product.batch.union(product.m).union(product.n).contains(dim);
        if product.k.contains(dim) || (is_sum && has_columns) {
            return is_zero;
        }
        self.buffers.insert(product.out, if is_zero { ZERO } else { None });
        is_sum || product.epilogue.iter().all(|nest| self.loop_adds_nothing(nest))
    }

    fn loop_adds_nothing(&mut self, nest: &Loop) -> bool {
        let dim = self.trim.axis.axis.dim;
        if !nest.outer.union(nest.inner).contains(dim) {
            return true;
        }
        nest.passes.iter().all(|pass| {
            let results = self.results(pass);
            pass.targets.iter().zip(results).all(|(target, range)| match *target {
                Target::Fold { fold, .. } => !nest.inner.contains(dim) || is_identity(fold, range),
                Target::Column { fold, .. } => is_identity(fold, range),
                Target::Kept(kept) => {
                    self.kept.insert(kept.node, range);
                    true
                }
                Target::Element(id) | Target::Row(id) => {
                    self.buffers.insert(id, range);
                    true
                }
            })
        })
    }

    /// The ranges of the results of a pass.
    fn results(&self, pass: &Pass) -> Vec<Range> {
        let program = &pass.program;
        let mut values: Vec<Range> = vec![None; program.value_count()];
        for (at, source) in pass.uniforms.iter().enumerate() {
            values[program.uniform_value(at).0 as usize] = self.of(*source);
        }
        for (at, source) in pass.elements.iter().enumerate() {
            values[program.element_value(at).0 as usize] = self.of(*source);
        }
        for (at, step) in program.steps().iter().enumerate() {
            let operands: Vec<Range> =
                step.compute.operands().iter().map(|operand| values[operand.0 as usize]).collect();
            let range = match &step.compute {
                Compute::Literal(value) => exactly(*value),
                Compute::Apply(prim, _) => apply(*prim, &operands),
                Compute::Cast(_) => operands[0],
            };
            values[program.step_value(at).0 as usize] =
                range.filter(|(low, high)| is_exact(*low) && is_exact(*high));
        }
        program.results().iter().map(|result| values[result.0 as usize]).collect()
    }

    fn of(&self, source: Source) -> Range {
        match source {
            Source::Arg(arg) => match &self.trim.args[arg] {
                Value::Scalar(value) => exactly(*value),
                Value::Tensor(_) | Value::Shape(_) => None,
            },
            Source::Buffer(id) => self.buffers.get(&id).copied().flatten(),
            Source::Len(dims) => self.binding.len(dims).ok().map(|len| (len as f64, len as f64)),
            Source::Iota(dim) => {
                let positions = self.binding.positions(dim);
                let moves = positions.axes.iter().zip(&positions.steps);
                let last: usize = moves.map(|(bound, step)| step * bound.size.saturating_sub(1)).sum();
                Some((positions.first as f64, (positions.first + last) as f64))
            }
            Source::Kept(kept) => self.kept.get(&kept.node).copied().flatten(),
            Source::Statistic(_) => None,
        }
    }
}

const ZERO: Range = Some((0.0, 0.0));
const FALSE: Range = ZERO;
const TRUE: Range = Some((1.0, 1.0));

fn exactly(value: Scalar) -> Range {
    let value = value.as_f64();
    is_exact(value).then_some((value, value))
}

/// Whether arithmetic of f32 holds the number and those next to it without rounding, or it is infinite.
fn is_exact(value: f64) -> bool {
    value.is_infinite() || (value.fract() == 0.0 && value.abs() <= f64::from(1 << 23))
}

/// Whether a value in this range changes nothing that it is folded with.
fn is_identity(fold: Fold, range: Range) -> bool {
    let row = fold.row();
    !row.finds_position && range == Some((row.identity, row.identity))
}

/// The range of a primitive over ranges of its operands.
fn apply(prim: Prim, args: &[Range]) -> Range {
    let pair = || Some((args[0]?, args[1]?));
    let monotone = |f: &dyn Fn(f64) -> f64| args[0].map(|(low, high)| (f(low), f(high)));
    let range = match prim.group() {
        Group::Choice(Choice::Select) => match (args[0], args[1], args[2]) {
            (TRUE, yes, _) => yes,
            (FALSE, _, no) => no,
            (_, yes, no) => yes.zip(no).map(|(yes, no)| (yes.0.min(no.0), yes.1.max(no.1))),
        },
        Group::Logic(Logic::And) if args.contains(&FALSE) => FALSE,
        Group::Logic(Logic::Or) if args.contains(&TRUE) => TRUE,
        Group::Logic(Logic::And) => pair().map(|(a, b)| (a.0.min(b.0), a.1.min(b.1))),
        Group::Logic(Logic::Or) => pair().map(|(a, b)| (a.0.max(b.0), a.1.max(b.1))),
        Group::Logic(Logic::Not) => args[0].map(|(low, high)| (1.0 - high, 1.0 - low)),
        Group::Comparison(comparison) => pair().map(|(a, b)| compare(comparison, a, b)),
        Group::Equality(equality) => pair().map(|(a, b)| {
            let (same, apart) = (a == b && a.0 == a.1, a.1 < b.0 || b.1 < a.0);
            let equal = (f64::from(same), f64::from(!apart));
            match equality {
                Equality::Eq => equal,
                Equality::Ne => (1.0 - equal.1, 1.0 - equal.0),
            }
        }),
        Group::Arithmetic(Arithmetic::Add) => sum(args[0], args[1]),
        Group::Arithmetic(Arithmetic::Sub) => sum(args[0], args[1].map(|(low, high)| (-high, -low))),
        Group::Arithmetic(Arithmetic::Mul | Arithmetic::Div) if args[0] == ZERO => zero_times(args[1]),
        Group::Arithmetic(Arithmetic::Mul) if args[1] == ZERO => zero_times(args[0]),
        Group::Arithmetic(Arithmetic::Mul) => pair().map(|(a, b)| {
            let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            (
                corners.into_iter().fold(f64::INFINITY, f64::min),
                corners.into_iter().fold(-f64::INFINITY, f64::max),
            )
        }),
        Group::Arithmetic(Arithmetic::Maximum) => pair().map(|(a, b)| (a.0.max(b.0), a.1.max(b.1))),
        Group::Arithmetic(Arithmetic::Minimum) => pair().map(|(a, b)| (a.0.min(b.0), a.1.min(b.1))),
        Group::Unary(Unary::Neg) => args[0].map(|(low, high)| (-high, -low)),
        Group::Unary(Unary::Abs) => args[0].map(|(low, high)| (low.max(-high).max(0.0), high.max(-low))),
        Group::Unary(Unary::Sign) => monotone(&|x| if x == 0.0 { 0.0 } else { x.signum() }),
        // Whole numbers stay as they are.
        Group::Rounding(_) => args[0],
        // Of a constant, as in `exp(-inf)`.
        Group::Function(_) => args[0].filter(|(low, high)| low == high).map(|(x, _)| {
            let value = (prim.row().reference)(&[x]);
            (value, value)
        }),
        Group::Arithmetic(Arithmetic::Div | Arithmetic::Rem) => None,
        Group::FloatBinary(_) | Group::Bits(_) | Group::Test(_) | Group::Draw(_) => None,
    };
    range.filter(|(low, high)| !low.is_nan() && !high.is_nan())
}

/// Adding anything finite to infinity changes nothing.
fn sum(a: Range, b: Range) -> Range {
    let infinity = |range: Range| range.filter(|(low, high)| low == high && low.is_infinite());
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0 + b.0, a.1 + b.1)),
        (a, b) => infinity(a).or(infinity(b)),
    }
}

fn zero_times(other: Range) -> Range {
    let is_finite = other.is_none_or(|(low, high)| low.is_finite() && high.is_finite());
    if is_finite { ZERO } else { None }
}

fn compare(comparison: Comparison, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let (always, never) = match comparison {
        Comparison::Lt => (a.1 < b.0, a.0 >= b.1),
        Comparison::Le => (a.1 <= b.0, a.0 > b.1),
        Comparison::Gt => (a.0 > b.1, a.1 <= b.0),
        Comparison::Ge => (a.0 >= b.1, a.1 < b.0),
    };
    (f64::from(always), f64::from(!never))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AxisId, Shape};
    use tensor_op_spec::ir::{DimId, Graph};
    use tensor_op_spec::schedule::{CostModel, schedule};

    /// Checks which of 100 columns a tile of these rows computes, in blocks of 10. The scores are masked by
    /// the third of three nodes, `%8` to `%10`, which are computed from the column `%3` and the row `%4`,
    /// ints, and from `w` (`%5`), which is 25.
    fn check(mask: [&str; 3], rows: std::ops::Range<usize>, expected: std::ops::Range<usize>) {
        let [a, b, c] = mask;
        let graph = format!(
            "op masked
dim t named
dim s named
dim d named
arg q: float[t, d], forward 0
arg k: float[s, d], forward 1
arg w: i64, forward 2
%0 = input q : float[t, d]
%1 = input k : float[s, d]
%2 = mul(%0, %1) : float[t, s, d]
%3 = iota(s) : int[s]
%4 = iota(t) : int[t]
%5 = input w : int[]
%6 = sum(%2; d) : float[t, s]
%7 = literal -inf : float[]
%8 = {a}
%9 = {b}
%10 = {c} : bool[t, s]
%11 = select(%10, %6, %7) : float[t, s]
%12 = max(%11; s) : float[t]
%13 = sub(%11, %12) : float[t, s]
%14 = exp(%13) : float[t, s]
%15 = sum(%14; s) : float[t]
%16 = div(%14, %15) : float[t, s]
%17 = mul(%16, %1) : float[t, s, d]
%18 = sum(%17; s) : float[t, d]
out out = %18 [t, d]
"
        );
        let graph = Graph::parse(&graph).expect("a graph");
        let schedule = schedule(&graph, CostModel::CPU);
        let stream = schedule.streams.first().expect("a stream");
        let [q, k] = [(); 2].map(|()| Value::Tensor(Shape::new(&[100, 4])));
        let args = [q, k, Value::Scalar(Scalar::Int(25))];
        let binding = Binding::new(&graph, &args).expect("the shapes fit");
        let needed = vec![true; schedule.buffers.len()];
        let axis = |dim| AxisId { dim: DimId::new(dim), part: 0 };
        let columns = BoundAxis { axis: axis(1), size: 100 };
        let trim =
            Trim { schedule: &schedule, stream, args: &args, needed: &needed, axis: columns, block: 10 };
        let rows = Cut { axis: axis(0), start: rows.start, len: rows.len(), whole: 100 };
        let kept = trim.kept(&binding, &[rows]);
        assert_eq!(kept.start..kept.start + kept.len, expected, "{mask:?}");
    }

    #[test]
    fn columns_after_the_last_row_are_left_out() {
        let causal = ["neg(%3) : int[s]", "neg(%4) : int[t]", "ge(%8, %9)"];
        check(causal, 0..8, 0..10);
        check(causal, 8..16, 0..20);
        check(causal, 90..100, 0..100);
    }

    #[test]
    fn windows_have_two_ends() {
        let window = ["sub(%4, %3) : int[t, s]", "abs(%8) : int[t, s]", "lt(%9, %5)"];
        check(window, 40..50, 10..80);
        let behind = ["add(%3, %5) : int[s]", "le(%4, %8) : bool[t, s]", "and(%9, %9)"];
        check(behind, 40..50, 10..100);
    }

    #[test]
    fn a_block_that_some_row_keeps_is_computed() {
        let some = ["rem(%3, %5) : int[s]", "neg(%4) : int[t]", "eq(%8, %9)"];
        check(some, 10..50, 0..100);
    }

    #[test]
    fn a_tile_in_which_nothing_is_kept_has_a_block() {
        let nothing = ["sub(%5, %5) : int[]", "lt(%3, %8) : bool[s]", "and(%9, %9)"];
        check(nothing, 10..20, 90..100);
    }
}
