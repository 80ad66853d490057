//! Linear algebra. Of results whose signs are free, make.py wrote absolute values and products.

use super::Entry;
use super::movement::one;
use crate::call::{Argument, Call, Outcome};
use tensor_op::catalogue::math::abs;
use tensor_op::catalogue::nn::matmul;
use tensor_op::linalg::{self, MatrixNorm};
use tensor_op::prelude::*;

fn eigh(call: &Call) -> Outcome {
    let (values, vectors) = linalg::eigh(call.x()?, call.text(1, "UPLO", "L")? == "U")?;
    Ok(vec![values, abs(vectors)?])
}

fn qr(call: &Call) -> Outcome {
    let (q, r) = linalg::qr(call.x()?)?;
    Ok(vec![matmul(&q, &r)?, abs(q)?, abs(r)?])
}

fn svd(call: &Call) -> Outcome {
    let (u, s, vh) = linalg::svd(call.x()?)?;
    Ok(vec![abs(u)?, s, abs(vh)?])
}

fn slogdet(call: &Call) -> Outcome {
    let (sign, log) = linalg::slogdet(call.x()?)?;
    Ok(vec![sign, log])
}

/// `matrix_norm(ord, dim, keepdim)`, of the last two axes.
fn matrix_norm(call: &Call) -> Outcome {
    let ord = match call.get(1, "ord") {
        Argument::Text(text) if text == "nuc" => MatrixNorm::Nuclear,
        Argument::None | Argument::Text(_) => MatrixNorm::Frobenius,
        _ => match call.number(1, "ord")?.unwrap_or_default() {
            1.0 => MatrixNorm::One,
            -1.0 => MatrixNorm::MinusOne,
            2.0 => MatrixNorm::Two,
            -2.0 => MatrixNorm::MinusTwo,
            f64::INFINITY => MatrixNorm::Infinity,
            f64::NEG_INFINITY => MatrixNorm::MinusInfinity,
            _ => return Err(call.wrong("ord", "a norm")),
        },
    };
    if call.list(2, "dim")?.is_some_and(|axes| axes != [-2, -1]) {
        return Err(call.wrong("dim", "the last two axes"));
    }
    let norm = linalg::matrix_norm(call.x()?, ord)?;
    Ok(vec![if call.flag(3, "keepdim", false)? { norm.unsqueeze(-1)?.unsqueeze(-1)? } else { norm }])
}

fn solve_triangular(call: &Call) -> Outcome {
    let upper = call.flag(2, "upper", false)?;
    let (left, unit) = (call.flag(3, "left", true)?, call.flag(4, "unitriangular", false)?);
    one(linalg::solve_triangular(call.x()?, call.float(1, "B")?, upper, left, unit))
}

/// The pseudoinverse of a product, which has a lower rank.
fn pinv_singular(call: &Call) -> Outcome {
    let b: Tensor = call.float(1, "b")?.transpose(-2, -1)?;
    one(linalg::pinv(matmul(call.x()?, b)?, None))
}

pub(super) fn table() -> Vec<Entry> {
    vec![
        Entry::new("cholesky_solve", |call| {
            one(linalg::cholesky_solve(call.x()?, call.float(1, "L")?, call.flag(2, "upper", false)?))
        }),
        Entry::new("linalg.cholesky", |call| one(linalg::cholesky(call.x()?, call.flag(1, "upper", false)?))),
        Entry::new("linalg.det", |call| one(linalg::det(call.x()?))),
        Entry::new("linalg.eigh", eigh),
        Entry::new("linalg.eigvalsh", |call| {
            one(linalg::eigvalsh(call.x()?, call.text(1, "UPLO", "L")? == "U"))
        }),
        Entry::new("linalg.inv", |call| one(linalg::inv(call.x()?))),
        Entry::new("linalg.lstsq", |call| one(linalg::lstsq(call.x()?, call.float(1, "B")?, None))),
        Entry::new("linalg.lstsq grad_oriented", |call| {
            one(linalg::lstsq(call.x()?, call.float(1, "B")?, None))
        }),
        Entry::new("linalg.matrix_norm", matrix_norm),
        Entry::new("linalg.pinv", |call| one(linalg::pinv(call.x()?, call.number(1, "rtol")?))),
        Entry::new("linalg.pinv singular", pinv_singular),
        Entry::new("linalg.qr", qr),
        Entry::new("linalg.slogdet", slogdet),
        Entry::new("linalg.solve", |call| one(linalg::solve(call.x()?, call.float(1, "B")?))),
        Entry::new("linalg.solve_triangular", solve_triangular),
        Entry::new("linalg.svd", svd),
        Entry::new("linalg.svdvals", |call| one(linalg::svdvals(call.x()?))),
    ]
}
