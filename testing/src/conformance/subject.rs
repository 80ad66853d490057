//! What a case is about: a function of the trait [`Backend`](tensor_op_core::Backend), or a declared op.

use std::fmt;
use tensor_op_spec::prim::{Fold, Prim};

/// What a case is about. It prints as a path for a function of the trait, and as the name of an op:
/// `Backend::permute`, `Backend::apply exp`, `softmax`, `QTensor::dequantize`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A function of the trait.
    Function(Function),
    /// [`Backend::apply`](tensor_op_core::Backend::apply) of a primitive.
    Apply(Prim),
    /// [`Backend::reduce`](tensor_op_core::Backend::reduce) by a fold.
    Reduce(Fold),
    /// The declared op of this name.
    Op(String),
    /// The function of tensors of this path, which calls several ops: `QTensor::dequantize`.
    Composite(String),
}

macro_rules! functions {
    ($($function:ident $name:ident)+) => {
        /// The functions of the trait [`Backend`](tensor_op_core::Backend) that have cases. Of `apply` and
        /// `reduce`, each primitive is a [`Subject`] instead.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Function {
            $(
                #[doc = concat!("`Backend::", stringify!($name), "`.")]
                $function,
            )+
        }

        impl Function {
            /// Every function.
            pub const ALL: &[Function] = &[$(Function::$function),+];

            /// As the trait names it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Function::$function => stringify!($name),)+
                }
            }
        }
    };
}
functions! {
    DtypeUsage dtype_usage
    SupportsDtype supports_dtype
    DeviceCount device_count
    NthDevice nth_device
    FromData from_data
    IntoData into_data
    IntoDataAsync into_data_async
    IntoDataAll into_data_all
    IntoDataAllAsync into_data_all_async
    ToDevice to_device
    Shape shape
    Dtype dtype
    Device device
    Sync sync
    MemoryCleanup memory_cleanup
    Memory memory
    ResetPeakMemory reset_peak_memory
    Persistent persistent
    Staging staging
    Record record
    AllReduceMean all_reduce_mean
    Run run
    Full full
    Random random
    Cast cast
    Reshape reshape
    Permute permute
    Expand expand
    Slice slice
    SliceAssign slice_assign
    Cat cat
    Matmul matmul
    Gather gather
    ScatterAdd scatter_add
}

impl From<Function> for Subject {
    fn from(function: Function) -> Subject {
        Subject::Function(function)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Function(function) => write!(f, "Backend::{}", function.name()),
            Subject::Apply(prim) => write!(f, "Backend::apply {}", prim.name()),
            Subject::Reduce(fold) => write!(f, "Backend::reduce {}", fold.name()),
            Subject::Op(name) | Subject::Composite(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::check;
    use std::collections::BTreeSet;
    use tensor_op_core::{Device, register_backend};
    use tensor_op_ndarray::NdArray;

    /// The first three a backend only says: there is nothing to compare with, and `has_transport` tells which
    /// case the mean over devices has. What the others put off nobody should see.
    const WITHOUT_CASES: [&str; 5] =
        ["name", "ad_enabled", "has_transport", "begin_together", "end_together"];

    /// The functions of the trait, as its source has them.
    fn declared() -> BTreeSet<&'static str> {
        let source = include_str!("../../../backends/core/src/backend.rs");
        let (_, of_trait) = source.split_once("pub trait Backend").expect("the trait");
        let names = of_trait.lines().filter_map(|line| line.strip_prefix("    fn ")?.split_once('('));
        names.map(|(name, _)| name).collect()
    }

    #[test]
    fn each_function_of_the_trait_has_cases() {
        register_backend::<NdArray>("cpu").unwrap();
        let report = check(&Device::new("cpu").unwrap(), &[]);
        let seen: BTreeSet<Subject> = report.support().map(|support| support.what).collect();
        let functions = Function::ALL.iter().copied().map(Subject::Function);
        // Random numbers are drawn by `random` alone.
        let prims = Prim::ALL.iter().copied().filter(|prim| *prim != Prim::Random).map(Subject::Apply);
        let folds = Fold::ALL.iter().copied().map(Subject::Reduce);
        assert_eq!(seen, functions.chain(prims).chain(folds).collect());
        let mut named: BTreeSet<&str> = Function::ALL.iter().map(|function| function.name()).collect();
        named.extend(["apply", "reduce"].into_iter().chain(WITHOUT_CASES));
        assert_eq!(named, declared());
    }
}
