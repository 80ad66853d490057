//! `#[kernel(..)]`.

use proc_macro2::Span;

/// The kernels of an op that are written by hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernels {
    /// In the order of the attribute.
    pub(crate) list: Vec<ByHand>,
    /// The word `saves`: those of the op itself also give what its gradient saves.
    pub(crate) saves: Option<Span>,
}

/// A kernel that is written by hand.
#[derive(Clone, Debug)]
pub(crate) struct ByHand {
    /// For which backend.
    pub(crate) target: Target,
    /// Whether it computes the gradient.
    pub(crate) is_backward: bool,
    /// The function.
    pub(crate) path: syn::Path,
    /// Where the backend is named.
    pub(crate) span: Span,
}

/// A backend for which a kernel is written by hand.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// The CPU.
    Cpu,
    /// GPUs, through CubeCL.
    Cube,
    /// A backend by its type.
    Backend(syn::Path),
}

impl ByHand {
    /// Whether an op could not have both kernels.
    pub(crate) fn is_for_the_same(&self, other: &ByHand) -> bool {
        let names = |path: &syn::Path| -> Vec<String> {
            path.segments.iter().map(|segment| segment.ident.to_string()).collect()
        };
        let is_same = match (&self.target, &other.target) {
            (Target::Cpu, Target::Cpu) | (Target::Cube, Target::Cube) => true,
            (Target::Backend(a), Target::Backend(b)) => names(a) == names(b),
            (Target::Cpu | Target::Cube | Target::Backend(_), _) => false,
        };
        is_same && self.is_backward == other.is_backward
    }
}
