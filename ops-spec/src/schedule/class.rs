//! What kinds of kernels there are, in words for readers.

use super::{Kernel, Loop, Target};
use crate::prim::Order;

impl Kernel {
    /// What kind of kernel it is, in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Kernel::Loop(nest) => nest.class().name(),
            Kernel::Contraction(_) => "contraction",
            Kernel::View(_) => "view",
            Kernel::Scan(_) => "scan",
            Kernel::Order(kernel) => kernel.order.name(),
            Kernel::Gather(_) | Kernel::Scatter(..) => "index",
        }
    }

    /// What it does, for readers of an op's docs.
    pub fn explained(&self) -> &'static str {
        match self {
            Kernel::Loop(nest) => nest.class().explained(),
            Kernel::Contraction(_) => "a product of matrices",
            Kernel::View(_) => "a view, which copies nothing",
            Kernel::Scan(_) => "a scan along an axis",
            Kernel::Order(kernel) => match kernel.order {
                Order::Sort { .. } => "a sort",
                Order::Search { .. } => "a search in sorted elements",
            },
            Kernel::Gather(_) => "a gather by indices",
            Kernel::Scatter(..) => "a scatter by indices",
        }
    }
}

/// Loops by the dims that they reduce.
enum Class {
    Pointwise,
    Row,
    Column,
    Mixed,
}

impl Class {
    fn name(&self) -> &'static str {
        match self {
            Class::Pointwise => "pointwise",
            Class::Row => "row",
            Class::Column => "column",
            Class::Mixed => "mixed",
        }
    }

    fn explained(&self) -> &'static str {
        match self {
            Class::Pointwise => "a loop over elements",
            Class::Row => "a loop over rows, which reduces each",
            Class::Column => "a loop that reduces columns",
            Class::Mixed => "a loop over rows, which reduces columns too",
        }
    }
}

impl Loop {
    /// Whether it computes statistics of rows.
    pub(super) fn has_folds(&self) -> bool {
        let mut targets = self.passes.iter().flat_map(|pass| &pass.targets);
        targets.any(|target| matches!(target, Target::Fold { .. }))
    }

    fn class(&self) -> Class {
        let has = |of: fn(&Target) -> bool| self.passes.iter().flat_map(|pass| &pass.targets).any(of);
        let folds = self.has_folds();
        let columns = has(|target| matches!(target, Target::Column { .. }));
        let elements = has(|target| matches!(target, Target::Element(_)));
        match (folds, columns) {
            (false, false) => Class::Pointwise,
            (true, false) => Class::Row,
            (false, true) if !elements => Class::Column,
            (_, true) => Class::Mixed,
        }
    }
}
