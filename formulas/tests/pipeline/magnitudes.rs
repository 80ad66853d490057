//! Numbers far from one: wherever a formula as it was written stays finite and normal in f32, so does the
//! graph that is run, and both agree. So do its chain rule and the gradient that is run.

use crate::case::{Outcome, gradient_args};
use tensor_op_core::{DType, Evaluated, TensorData, Value, evaluate};
use tensor_op_spec::grad::chain_rule;
use tensor_op_spec::ir::{Graph, Kind};
use tensor_op_spec::schedule::regroup;
use tensor_op_testing::bound::{Bounded, Rounding};

/// Exponents of the numbers that an argument is multiplied by: those of f32 end at 127.
const EXPONENTS: [i32; 8] = [-80, -45, -20, 0, 0, 20, 45, 80];
/// A value with a relative error below this was not near the ends of f32 on the way.
const NORMAL: f64 = 1.0 / 4096.0;
/// Then the same value may be off by this much, where it is computed in another order.
const ROUNDED: f64 = 1.0 / 16.0;

/// Elements that were compared.
pub(crate) fn check(
    written: &Graph,
    forward: &Graph,
    gradient: Option<&Graph>,
    args: &[Value<TensorData>],
    seed: u64,
) -> Outcome<usize> {
    let written = &regroup(written.clone());
    let mut compared = 0;
    for turn in 0..4 {
        let args: Vec<_> =
            args.iter().enumerate().map(|(index, arg)| scaled(arg, exponent(seed, turn, index))).collect();
        compared += agree(written, &args, forward, &args)?;
        if let (Some(gradient), Ok(chain)) = (gradient, chain_rule(written).map(regroup)) {
            let [of_chain, of_gradient] = [(written, &chain), (forward, gradient)]
                .map(|(forward, graph)| gradient_args(forward, graph, &args, seed));
            compared += agree(&chain, &of_chain?, gradient, &of_gradient?)?;
        }
    }
    Ok(compared)
}

fn exponent(seed: u64, turn: usize, index: usize) -> i32 {
    let mixed = (seed * 31 + turn as u64 * 7 + index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    EXPONENTS[(mixed >> 40) as usize % EXPONENTS.len()]
}

fn scaled(arg: &Value<TensorData>, exponent: i32) -> Value<TensorData> {
    arg.clone().map(|mut data| {
        if data.dtype().kind() == Kind::Float
            && let Ok(values) = data.as_mut_slice::<f64>()
        {
            values.iter_mut().for_each(|x| *x = f64::from((*x * 2.0_f64.powi(exponent)) as f32));
        }
        data
    })
}

/// Two graphs of one meaning, each with its arguments; results go by name.
fn agree(
    written: &Graph,
    of_written: &[Value<TensorData>],
    run: &Graph,
    of_run: &[Value<TensorData>],
) -> Outcome<usize> {
    let of = |graph: &Graph, args: &[Value<TensorData>]| {
        evaluate(graph, args, &Rounding::new(DType::F32)).map_err(|error| format!("{error} in\n{graph}"))
    };
    let (expected, found) = (of(written, of_written)?, of(run, of_run)?);
    let mut compared = 0;
    for (output, expected) in written.outputs.iter().zip(&expected) {
        let same = run.outputs.iter().position(|other| other.name == output.name);
        let found: &Evaluated<Bounded> = same.map(|index| &found[index]).ok_or("a result is missing")?;
        if expected.kind != Kind::Float {
            continue;
        }
        for (index, (expected, found)) in expected.values.iter().zip(&found.values).enumerate() {
            let (wanted, is) = (expected.value.as_f64(), found.value.as_f64());
            let is_normal = wanted.is_finite() && wanted != 0.0 && expected.error <= NORMAL * wanted.abs();
            if !is_normal {
                continue;
            }
            compared += 1;
            let close =
                (wanted - is).abs() <= expected.error + found.error && found.error <= ROUNDED * wanted.abs();
            if !close {
                return Err(format!(
                    "`{}`[{index}] is {expected:?} as written, and {found:?}\nwritten:\n{written}run:\n{run}{}",
                    output.name,
                    of_written.iter().map(|arg| format!("{arg:?}\n")).collect::<String>(),
                ));
            }
        }
    }
    Ok(compared)
}
