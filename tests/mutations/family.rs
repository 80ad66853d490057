//! An op that is declared several times: once correctly, and once for each fault.

use tensor_op::Op;

/// A correct op, and faulty ops with the same formula.
pub(crate) struct Family {
    /// What is written by hand.
    pub(crate) what: What,
    /// The arguments, the result and the formula.
    pub(crate) declaration: &'static str,
    /// The op for which every claim holds.
    pub(crate) right: &'static dyn Op,
    /// Faulty ops, each with the text of its fault.
    pub(crate) wrong: Vec<(&'static str, &'static dyn Op)>,
}

/// The part of an op in which a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The function of `#[kernel(cpu = ..)]`.
    Kernel,
    /// The rules of `#[grad(..)]`.
    Rule,
    /// The derivatives.
    Derivative,
}

/// `kernels!([(x: Tensor) -> Tensor { x + x }], right => |args| .., "fault" => |args| ..)` declares the op
/// with each function as its kernel.
macro_rules! kernels {
    ($declaration:tt, right => $right:expr, $($fault:literal => $wrong:expr),+ $(,)?) => {
        $crate::family::Family {
            what: $crate::family::What::Kernel,
            declaration: stringify!($declaration),
            right: kernels!(@op $declaration, $right),
            wrong: vec![$(($fault, kernels!(@op $declaration, $wrong))),+],
        }
    };
    (@op [$($declaration:tt)*], $kernel:expr) => {{
        #[tensor_op::tensor_op(tests = false)]
        #[kernel(cpu = kernel)]
        #[allow(dead_code, reason = "checked as a value")]
        fn subject $($declaration)*

        fn kernel(args: $crate::by_hand::Args<'_>) -> $crate::by_hand::Results {
            let kernel: fn($crate::by_hand::Args<'_>) -> $crate::by_hand::Results = $kernel;
            kernel(args)
        }
        &Subject as &'static dyn tensor_op::Op
    }};
}
pub(crate) use kernels;

/// `rules!([(x: Tensor) -> Tensor { x * x }], right => [x = 2.0 * x * grad], "fault" => [x = grad])` declares
/// the op with each list of rules.
macro_rules! rules {
    ($declaration:tt, right => $right:tt, $($fault:literal => $wrong:tt),+ $(,)?) => {
        $crate::family::Family {
            what: $crate::family::What::Rule,
            declaration: stringify!($declaration),
            right: rules!(@op $declaration, $right),
            wrong: vec![$(($fault, rules!(@op $declaration, $wrong))),+],
        }
    };
    (@op [$($declaration:tt)*], [$($rules:tt)*]) => {{
        #[tensor_op::tensor_op(tests = false)]
        #[grad($($rules)*)]
        #[allow(dead_code, reason = "checked as a value")]
        fn subject $($declaration)*
        &Subject as &'static dyn tensor_op::Op
    }};
}
pub(crate) use rules;
