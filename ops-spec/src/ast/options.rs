//! The options in `#[tensor_op(..)]`: what is generated in addition to the function.

use proc_macro2::Ident;

/// Which tests are generated.
#[derive(Clone, Debug)]
pub(crate) struct Tests {
    /// Whether tests are generated; `false` after `#[tensor_op(tests = false)]`.
    pub(crate) generated: bool,
    /// The tests in `#[tensor_op(tests(skip = ..))]`, which are left out.
    pub(crate) skip: Vec<TestClaim>,
    /// The dtypes in `#[tensor_op(tests(dtypes = ..))]`. If there are none, tests run in all dtypes.
    pub(crate) dtypes: Vec<TestDtype>,
}

impl Default for Tests {
    fn default() -> Tests {
        Tests { generated: true, skip: vec![], dtypes: vec![] }
    }
}

/// Defines an enum of words, with the name that users write and the name in generated code.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $written:ident, $count:literal: $($variant:ident = $word:literal),*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $(#[doc = concat!("`", $word, "`")] $variant),*
        }

        impl $name {
            pub(crate) const ALL: [$name; $count] = [$($name::$variant),*];

            /// The word as users write it.
            pub(crate) fn $written(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }

            /// The word as generated code names it.
            pub(crate) fn variant(self) -> &'static str {
                match self {
                    $($name::$variant => stringify!($variant)),*
                }
            }
        }
    };
}

words! {
    /// A generated test.
    TestClaim, test, 16:
    Forward = "forward", Views = "views", Shapes = "shapes", SpecialValues = "special_values", Lanes = "lanes",
    SameBuffers = "same_buffers", Repeatable = "repeatable", Guards = "guards", Masks = "masks", Jvp = "jvp",
    Checkpoint = "checkpoint", GradLayouts = "grad_layouts", GivenRule = "given_rule", Gradcheck = "gradcheck",
    Gradgradcheck = "gradgradcheck", Associative = "associative"
}

words! {
    /// A dtype that generated tests run in.
    TestDtype, name, 8:
    F64 = "f64", F32 = "f32", F16 = "f16", BF16 = "bf16", I64 = "i64", I32 = "i32", U32 = "u32", U8 = "u8"
}

impl TestDtype {
    /// Whether it is a float dtype.
    pub(crate) fn is_float(self) -> bool {
        match self {
            TestDtype::F64 | TestDtype::F32 | TestDtype::F16 | TestDtype::BF16 => true,
            TestDtype::I64 | TestDtype::I32 | TestDtype::U32 | TestDtype::U8 => false,
        }
    }
}

/// Whether there is a function on Burn's tensors.
#[derive(Clone, Debug, Default)]
pub(crate) enum Burn {
    /// There is no such function.
    #[default]
    No,
    /// `#[tensor_op(burn)]`: the function on Burn's tensors has the declared name, and there is no function
    /// on our own tensors.
    Instead,
    /// `#[tensor_op(burn = name)]`: the function on Burn's tensors has this name, in addition to the function
    /// on our own tensors.
    Beside(Ident),
}

/// Whether the op is a method of tensors too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Method {
    /// There is no method.
    #[default]
    No,
    /// `#[tensor_op(method)]`: a trait gives the method.
    Extension,
    /// `#[tensor_op(method(inherent))]`: the method is one of `Tensor` itself, in the crate that defines it.
    Inherent,
}
