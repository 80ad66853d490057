//! Nested loops over operands in memory, outermost first.

/// The axes of nested loops. Each axis has a step for every operand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nest {
    pub(crate) axes: Vec<Axis>,
}

/// One loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) size: usize,
    /// The step of each operand, in elements. A step backwards is a negative number that wraps around.
    pub(crate) steps: Vec<usize>,
}

impl Nest {
    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.size).product()
    }

    /// The step of an operand along the innermost axis.
    pub(crate) fn innermost(&self, operand: usize) -> usize {
        self.axes.last().map_or(0, |axis| axis.steps[operand])
    }

    /// Moves axes with large steps to the outside. Two axes are compared by the first operand in `order`
    /// whose steps along them differ and are not zero.
    pub(crate) fn sort_by(&mut self, order: &[usize]) {
        let is_before = |a: &Axis, b: &Axis| {
            let tells = |operand: &&usize| {
                let (a, b) = (a.steps[**operand], b.steps[**operand]);
                a != b && a != 0 && b != 0
            };
            let length = |step: usize| (step as isize).unsigned_abs();
            order
                .iter()
                .find(tells)
                .is_some_and(|operand| length(a.steps[*operand]) > length(b.steps[*operand]))
        };
        // Insertion sort, because the comparisons by different operands need not give one consistent order.
        for at in 1..self.axes.len() {
            let mut at = at;
            while at > 0 && is_before(&self.axes[at], &self.axes[at - 1]) {
                self.axes.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    /// Merges neighbouring axes into one if all operands allow it.
    pub(crate) fn merge(&mut self) {
        let axes = std::mem::take(&mut self.axes);
        for axis in axes.into_iter().filter(|axis| axis.size != 1) {
            match self.axes.last_mut() {
                Some(outer)
                    if outer.steps.iter().zip(&axis.steps).all(|(o, i)| *o == i.wrapping_mul(axis.size)) =>
                {
                    *outer = Axis { size: outer.size * axis.size, steps: axis.steps };
                }
                Some(_) | None => self.axes.push(axis),
            }
        }
    }

    /// The same loops with one more operand, which is row-major over them.
    pub(crate) fn with_row_major(&self) -> Nest {
        let mut step = 1;
        let mut axes: Vec<Axis> = self.axes.clone();
        for axis in axes.iter_mut().rev() {
            axis.steps.push(step);
            step *= axis.size;
        }
        Nest { axes }
    }

    /// The same loops with one more operand, which stays where it is.
    pub(crate) fn with_zero(&self) -> Nest {
        let with_zero = |axis: &Axis| {
            let steps = axis.steps.iter().copied().chain([0]).collect();
            Axis { size: axis.size, steps }
        };
        Nest { axes: self.axes.iter().map(with_zero).collect() }
    }

    /// The same loops over these operands only.
    pub(crate) fn of_operands(&self, operands: &[usize]) -> Nest {
        let axis = |axis: &Axis| Axis {
            size: axis.size,
            steps: operands.iter().map(|at| axis.steps[*at]).collect(),
        };
        Nest { axes: self.axes.iter().map(axis).collect() }
    }
}
