//! A line for each operator: how ONNX's inputs and attributes become those of an op.

use crate::node::{Node, Outcome};

pub(crate) type Run = fn(&Node) -> Outcome;
type Entry = (&'static str, Run);

/// Declares ops with ONNX's inputs by position, and after a semicolon its attributes by name; and makes a
/// function `declared()` that lists them.
macro_rules! ops {
    ($($onnx:literal fn $op:ident(
        $($x:ident: $kind:ident),* $(; $($attribute:ident: f64 = $default:expr),*)?
    ) -> $out:ident $body:block)*) => {
        $(
            #[tensor_op::tensor_op(tests = false)]
            fn $op($($x: $kind,)* $($($attribute: f64),*)?) -> $out $body
        )*

        fn declared() -> Vec<$crate::ops::Entry> {
            vec![$(($onnx, |node| {
                let mut places = 0..;
                let mut next = |_: &str| node.x(places.next().unwrap_or_default());
                Ok(vec![$op(
                    $(next(stringify!($x))?,)*
                    $($(node.real(stringify!($attribute), $default)?),*)?
                )?])
            })),*]
        }
    };
}

/// Makes a function `known()` that lists ops of the catalogue with ONNX's inputs by position, and after a
/// semicolon its attributes by name.
macro_rules! known {
    ($($onnx:literal $module:ident::$op:ident($($x:ident),* $(; $($attribute:ident = $default:expr),*)?))*) => {
        fn known() -> Vec<$crate::ops::Entry> {
            vec![$(($onnx, |node| {
                let mut places = 0..;
                let mut next = |_: &str| node.x(places.next().unwrap_or_default());
                Ok(vec![$module::$op(
                    $(next(stringify!($x))?,)*
                    $($(node.real(stringify!($attribute), $default)?),*)?
                )?])
            })),*]
        }
    };
}

use {known, ops};

mod attention;
mod elementwise;
mod index;
mod loss;
mod movement;
mod norm;
mod product;
mod recurrent;
mod reduction;
mod resize;
mod scan;
mod scatter;
mod signal;
mod sort;
mod training;
mod window;

pub(crate) fn all() -> Vec<Entry> {
    let tables = [
        attention::table(),
        elementwise::table(),
        index::table(),
        loss::table(),
        movement::table(),
        norm::table(),
        product::table(),
        recurrent::table(),
        reduction::table(),
        resize::table(),
        scan::table(),
        scatter::table(),
        signal::table(),
        sort::table(),
        training::table(),
        window::table(),
    ];
    tables.into_iter().flatten().collect()
}
