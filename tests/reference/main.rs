//! Compares every primitive, formula and composite with PyTorch in f64: results and gradients. The reference
//! values are next to this file.

mod cases;
mod compare;
mod ops;
mod orders;
mod quantized;
mod schemes;

use cases::Case;
use compare::{Run, check, compare};
use std::collections::HashMap;
use tensor_op::prelude::*;

#[test]
fn unary() -> Result<()> {
    compare(include_str!("unary.txt"), ops::unary::table())
}

#[test]
fn binary() -> Result<()> {
    compare(include_str!("binary.txt"), ops::binary::table())
}

#[test]
fn reductions() -> Result<()> {
    compare(include_str!("reductions.txt"), ops::reductions::table())
}

#[test]
fn special_functions() -> Result<()> {
    compare(include_str!("special.txt"), ops::special::table())
}

#[test]
fn composites() -> Result<()> {
    compare(include_str!("composites.txt"), ops::composites::table())
}

/// The inputs are views with strides of 0. Gradients are those of the single elements.
#[test]
fn broadcast_views() -> Result<()> {
    let ops: HashMap<&str, Run> = ops::binary::table().into_iter().collect();
    let cases = cases::read(include_str!("binary.txt")).expect("the file is as make.py writes it");
    let broadcasts = |case: &&Case| case.inputs.iter().any(|x| x.shape != case.outputs[0].shape);
    let mut wrong = vec![];
    for case in cases.iter().filter(broadcasts) {
        let wide = |x: &Tensor| x.broadcast_to(case.outputs[0].shape.clone());
        let run = |x: &[Tensor]| ops[case.name.as_str()](&x.iter().map(wide).collect::<Result<Vec<_>>>()?);
        check(case, run, &mut wrong)?;
    }
    assert!(wrong.is_empty(), "{} values differ:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}
