//! Bodies that run in place of the programs of an op's passes: generated ones that were ejected
//! (`tensor_op::testing::ejected_gpu`), and perhaps edited.

use super::lanes::{BodyFloat, BodyInt, Values as BodyValues, Width};
use super::program::{Values, ValuesExpand};
use cubecl::ir::Scope;
use cubecl::prelude::*;
use cubecl::unexpanded;
use std::sync::OnceLock;
use std::time::SystemTime;

/// What a `#[cube]` function over [`Values`](BodyValues) does when a kernel is compiled.
type Expand = fn(&Scope, &mut <BodyValues as CubeType>::ExpandType);

/// The body of a pass.
#[derive(Clone, Copy)]
pub struct Pass {
    expand: Expand,
}

impl Pass {
    /// The pass with this body: of `#[cube] fn silu_mul_pass0(at: &mut Values)` it is
    /// `Pass::of(silu_mul_pass0::expand)`.
    pub const fn of(expand: Expand) -> Pass {
        Pass { expand }
    }

    /// What tells bodies apart in the names of kernels. CubeCL may keep compiled kernels on disk by these
    /// names, and an edited body may have the address of the old one: so a name is good for one run of the
    /// program.
    fn identity(&self) -> (usize, u128) {
        static RUN: OnceLock<u128> = OnceLock::new();
        let now =
            || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        (self.expand as usize, *RUN.get_or_init(now))
    }
}

impl PartialEq for Pass {
    fn eq(&self, other: &Pass) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Pass {}

impl std::hash::Hash for Pass {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl std::fmt::Debug for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Pass").field(&self.identity()).finish()
    }
}

/// Appends what a body computes from the values of a pass.
pub(super) fn run_body<A: Float, I: Int, N: Size>(_values: &mut Values<A, I, N>, _body: Option<Pass>) {
    unexpanded!()
}

/// The expansion of the function of this name.
pub(super) mod run_body {
    use super::*;

    pub(crate) fn expand<A: Float, I: Int, N: Size>(
        scope: &Scope,
        values: &mut ValuesExpand<A, I, N>,
        body: Option<Pass>,
    ) {
        let Some(body) = body else { return };
        scope.register_type::<BodyFloat>(A::elem_type(scope));
        scope.register_type::<BodyInt>(I::elem_type(scope));
        scope.register_size::<Width>(N::__expand_value(scope));
        let mut inside = BodyValues::__expand_empty(scope);
        values.floats.iter_cloned().for_each(|x| inside.floats.__expand_push_method(scope, renamed(&x)));
        values.ints.iter_cloned().for_each(|x| inside.ints.__expand_push_method(scope, renamed(&x)));
        values.bools.iter_cloned().for_each(|x| inside.bools.__expand_push_method(scope, renamed(&x)));
        let before = [inside.floats.len(), inside.ints.len(), inside.bools.len()];
        (body.expand)(scope, &mut inside);
        let found = inside.floats.iter_cloned().skip(before[0]);
        found.for_each(|x| values.floats.__expand_push_method(scope, renamed(&x)));
        let found = inside.ints.iter_cloned().skip(before[1]);
        found.for_each(|x| values.ints.__expand_push_method(scope, renamed(&x)));
        let found = inside.bools.iter_cloned().skip(before[2]);
        found.for_each(|x| values.bools.__expand_push_method(scope, renamed(&x)));
    }

    /// The same register under the type that stands for its own, or the reverse.
    fn renamed<T, U>(value: &NativeExpand<T>) -> NativeExpand<U> {
        value.expand.into()
    }
}
