//! Bodies that run in place of the programs of an op's passes: generated ones that were ejected
//! (`tensor_op::testing::ejected_gpu`), and perhaps edited.

use super::lanes::Values as BodyValues;
use super::program::{Digits, Values};
use cubecl::ir::Scope;
use cubecl::prelude::*;
use cubecl::unexpanded;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use tensor_op_spec::ir::Kind;
use tensor_op_spec::schedule::Program;

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
    /// program. Kernels with bodies are compiled again in each run.
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

/// The bodies of all passes of an op.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'b> {
    pub(super) passes: &'static [Pass],
    pub(super) op: &'b str,
    /// Whether the device has all functions of f64.
    pub(super) is_native: bool,
}

/// The body of a pass, with what a kernel must know of the pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Body {
    pass: Pass,
    op: Arc<str>,
    number: usize,
    /// How many floats, ints and bools are results.
    results: [usize; 3],
    is_native: bool,
    digits: Digits,
}

impl Body {
    pub(super) fn new(bodies: Bodies<'_>, number: usize, program: &Program, digits: Digits) -> Body {
        let kinds: Vec<Kind> = program.results().iter().map(|result| program.kind(*result)).collect();
        let results =
            [Kind::Float, Kind::Int, Kind::Bool].map(|kind| kinds.iter().filter(|own| **own == kind).count());
        let Bodies { passes, op, is_native } = bodies;
        Body { pass: passes[number], op: op.into(), number, results, is_native, digits }
    }
}

/// Appends the results of a body to the values of its pass.
pub(super) fn run_body<A: Float, I: Int, N: Size>(_values: &mut Values<A, I, N>, _body: Option<Body>) {
    unexpanded!()
}

/// The expansion of the function of this name. A panic here is the error of the kernel.
pub(super) mod run_body {
    use crate::kernel::body::Body;
    use crate::kernel::lanes::{BodyFloat, BodyInt, Native, Short, Values as BodyValues, Width};
    use crate::kernel::program::{Digits, ValuesExpand};
    use cubecl::ir::Scope;
    use cubecl::prelude::*;

    pub(crate) fn expand<A: Float, I: Int, N: Size>(
        scope: &Scope,
        values: &mut ValuesExpand<A, I, N>,
        body: Option<Body>,
    ) {
        let Some(body) = body else { return };
        scope.register_type::<BodyFloat>(A::elem_type(scope));
        scope.register_type::<BodyInt>(I::elem_type(scope));
        scope.register_size::<Width>(N::__expand_value(scope));
        scope.register_size::<Native>(usize::from(body.is_native));
        scope.register_size::<Short>(usize::from(body.digits != Digits::All));
        let mut inside = BodyValues::__expand_empty(scope);
        values.floats.iter_cloned().for_each(|x| inside.floats.__expand_push_method(scope, renamed(&x)));
        values.ints.iter_cloned().for_each(|x| inside.ints.__expand_push_method(scope, renamed(&x)));
        values.bools.iter_cloned().for_each(|x| inside.bools.__expand_push_method(scope, renamed(&x)));
        let before = counts(&inside);
        (body.pass.expand)(scope, &mut inside);
        let after = counts(&inside);
        let pushed = [0, 1, 2].map(|kind| after[kind] - before[kind]);
        let Body { op, number, results, .. } = body;
        let words =
            |[floats, ints, bools]: [usize; 3]| format!("{floats} floats, {ints} ints and {bools} bools");
        assert!(
            pushed == results,
            "pass {number} of `{op}` has {} as results, but its body pushes {}",
            words(results),
            words(pushed)
        );
        let found = inside.floats.iter_cloned().skip(before[0]);
        found.for_each(|x| values.floats.__expand_push_method(scope, renamed(&x)));
        let found = inside.ints.iter_cloned().skip(before[1]);
        found.for_each(|x| values.ints.__expand_push_method(scope, renamed(&x)));
        let found = inside.bools.iter_cloned().skip(before[2]);
        found.for_each(|x| values.bools.__expand_push_method(scope, renamed(&x)));
    }

    fn counts(values: &<BodyValues as CubeType>::ExpandType) -> [usize; 3] {
        [values.floats.len(), values.ints.len(), values.bools.len()]
    }

    /// The same register under the type that stands for its own, or the reverse.
    fn renamed<T, U>(value: &NativeExpand<T>) -> NativeExpand<U> {
        value.expand.into()
    }
}
