//! Operations: each takes operands that fit from the pool, and gives a value to it.

use crate::places;
use crate::pool::{Kind, Pool, Value, dims_of, without};
use crate::random::Random;
use crate::signature::{Dims, is_one};

/// Functions of a float, defined everywhere, or with a guard that keeps them so most of the time.
const UNARY: [&str; 44] = [
    "exp(0.3 * {})",
    "exp2(-abs({}))",
    "expm1(0.5 * {})",
    "ln(abs({}) + 0.5)",
    "log2(square({}) + 0.25)",
    "log1p(abs({}))",
    "sqrt(abs({}) + 0.1)",
    "rsqrt(square({}) + 0.5)",
    "recip(abs({}) + 0.7)",
    "sin({})",
    "cos({})",
    "tan(0.4 * tanh({}))",
    "asin(0.9 * tanh({}))",
    "acos(0.9 * sin({}))",
    "atan({})",
    "sinh(0.3 * {})",
    "cosh(0.3 * {})",
    "tanh({})",
    "asinh({})",
    "acosh(abs({}) + 1.25)",
    "atanh(0.8 * tanh({}))",
    "erf({})",
    "erfc({})",
    "abs({})",
    "-{}",
    "relu({})",
    "sigmoid({})",
    "silu({})",
    "gelu({})",
    "gelu_tanh({})",
    "softplus({})",
    "mish({})",
    "square({})",
    "cube({})",
    "clamp({}, -1.0, 0.75)",
    "stop_grad({})",
    "floor(stop_grad({}))",
    "ceil(stop_grad({}))",
    "round(stop_grad(3.0 * {}))",
    "sign(stop_grad({}))",
    "{}.exp().log1p()",
    "sqrt({})",
    "ln({})",
    "(1.0 / {})",
];

const BINARY: [&str; 19] = [
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "({} * {})",
    "({} * {})",
    "({} / (abs({}) + 0.5))",
    "({} / {})",
    "({} % 1.5 - {})",
    "(remainder({}, 1.5) - {})",
    "maximum({}, {})",
    "minimum({}, {})",
    "pow(abs({}) + 0.3, {})",
    "pow({}, 2.0) * {}",
    "atan2({}, {})",
    "hypot({}, {})",
    "logaddexp({}, {})",
    "select({} < {}, 0.5, 2.0)",
    "({} - 2.0 * {})",
    "clamp({}, {}, 1.5)",
];

const COMPARE: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// Adds a value to the pool, unless nothing fits.
pub(crate) fn add(pool: &mut Pool, random: &mut Random) {
    pool.begin();
    let chance = random.below(100);
    let done = match chance {
        _ if pool.factors && random.percent(50) => products(pool, random),
        0..20 => unary(pool, random),
        20..42 => binary(pool, random),
        42..62 => reduce(pool, random),
        62..67 => normalize(pool, random),
        67..73 => compare(pool, random),
        73..78 => select(pool, random),
        78..82 => logic(pool, random),
        82..86 => int(pool, random),
        86..90 => convert(pool, random),
        90..93 => position(pool, random),
        93..94 => twice(pool, random),
        94..96 => scan(pool, random),
        96..97 => places::order(pool, random),
        97..98 => places::scatter(pool, random),
        _ => places::at(pool, random),
    };
    if done.is_none() {
        pool.begin();
        unary(pool, random);
    }
}

fn float(pool: &mut Pool, random: &mut Random) -> Option<Value> {
    pool.take(random, |value| value.kind == Kind::Float)
}

fn fill(template: &str, operands: &[&Value]) -> String {
    operands.iter().fold(template.to_string(), |text, operand| text.replacen("{}", &operand.text, 1))
}

fn union(a: &Value, b: &Value) -> Dims {
    a.dims.union(&b.dims).copied().collect()
}

fn unary(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = float(pool, random)?;
    let template = random.pick(&UNARY);
    let moves = x.moves && !template.contains("stop_grad");
    // A sign binds less tightly than a method.
    let text = if template == "-{}" { format!("({})", fill(template, &[&x])) } else { fill(template, &[&x]) };
    pool.add(random, text, Kind::Float, x.dims, moves);
    Some(())
}

fn binary(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let (a, b) = (float(pool, random)?, float(pool, random)?);
    let template = random.pick(&BINARY);
    let text = format!("({})", fill(template, &[&a, &b]));
    pool.add(random, text, Kind::Float, union(&a, &b), a.moves || b.moves);
    Some(())
}

fn reduce(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| !value.dims.is_empty())?;
    let (dims, text) = dims_of(pool, &x, random)?;
    let (name, kind) = match x.kind {
        Kind::Bool => (random.pick(&["any", "all"]), Kind::Bool),
        Kind::Int => (random.pick(&["sum", "max", "min", "argmax", "prod"]), Kind::Int),
        Kind::Float if random.percent(8) => (random.pick(&["argmax", "argmin"]), Kind::Int),
        Kind::Float => {
            let folds =
                ["sum", "sum", "sum", "mean", "max", "min", "prod", "logsumexp", "var", "std", "norm"];
            (random.pick(&folds), Kind::Float)
        }
    };
    let detach = kind == Kind::Int && x.kind == Kind::Float;
    let operand = if detach { format!("stop_grad({})", x.text) } else { x.text.clone() };
    pool.add(random, format!("{name}({operand}, {text})"), kind, without(&x, &dims), x.moves && !detach);
    Some(())
}

/// What keeps its dims.
fn normalize(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| value.kind == Kind::Float && !value.dims.is_empty())?;
    let (_, dims) = dims_of(pool, &x, random)?;
    let template = random.pick(&[
        "softmax({x}, {d})",
        "log_softmax({x}, {d})",
        "({x} - mean({x}, {d}))",
        "({x} / (norm({x}, {d}) + 0.5))",
        "({x} * rsqrt(mean(square({x}), {d}) + 0.1))",
        "(exp(0.5 * {x}) / sum(exp(0.5 * {x}), {d}))",
    ]);
    let text = template.replace("{x}", &x.text).replace("{d}", &dims);
    pool.add(random, text, Kind::Float, x.dims, x.moves);
    Some(())
}

/// What is made of the elements so far.
fn scan(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| value.kind == Kind::Float && value.dims.iter().any(is_one))?;
    let dims: Vec<&'static str> = x.dims.iter().copied().filter(is_one).collect();
    let template = random.pick(&[
        "cumsum({x}, {d})",
        "cumsum({x}, {d}, reverse = true)",
        "cumsum({x}, {d}, exclusive = true)",
        "cumprod(1.0 + 0.3 * tanh({x}), {d})",
        "cummax({x}, {d})",
        "cummin({x}, {d}, reverse = true)",
        "logcumsumexp({x}, {d})",
        "linear_recurrence(0.9, {x}, {d})",
        "linear_recurrence(sigmoid({x}), {x}, {d}, init = 0.5)",
        "linear_recurrence(tanh({x}), {x}, {d}, reverse = true)",
    ]);
    let text = template.replace("{x}", &x.text).replace("{d}", random.pick(&dims));
    pool.add(random, text, Kind::Float, x.dims, x.moves);
    Some(())
}

/// A product of what was made from a product, as in attention.
fn products(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let named = |dims: Dims| dims.into_iter().filter(is_one).collect::<Vec<_>>();
    let both = |a: &Dims, b: &Dims| named(a.intersection(b).copied().collect());
    let own = |a: &Dims, b: &Dims| named(a.difference(b).copied().collect());
    let x = float(pool, random)?;
    let is_factor =
        |a: &Dims, b: &Dims| !both(a, b).is_empty() && !own(a, b).is_empty() && !own(b, a).is_empty();
    let y = pool.take(random, |y| y.kind == Kind::Float && is_factor(&x.dims, &y.dims))?;
    let summed = random.pick(&both(&x.dims, &y.dims));
    let scores: Dims = union(&x, &y).into_iter().filter(|dim| *dim != summed).collect();
    let z = pool.take(random, |z| z.kind == Kind::Float && is_factor(&scores, &z.dims))?;
    let along = random.pick(&both(&scores, &z.dims));
    let between = random.pick(&[
        "softmax({s}, {d})",
        "tanh({s})",
        "({s} - mean({s}, {d}))",
        "exp(-abs({s}))",
        "softmax(select(iota({d}) <= iota({r}), {s}, -INFINITY), {d})",
        "select(iota({d}) - iota({r}) < 2, {s}, 0.0)",
        "softmax(select(iota({d}) < 2 || iota({d}) == iota({r}), {s}, -INFINITY), {d})",
    ]);
    let product = format!("sum({} * {}, {summed})", x.text, y.text);
    let rows: Vec<&'static str> = named(scores.clone()).into_iter().filter(|dim| *dim != along).collect();
    let row = random.pick(&[rows, vec![along]].concat());
    let between = between.replace("{s}", &product).replace("{d}", along).replace("{r}", row);
    let dims = scores.union(&z.dims).copied().filter(|dim| *dim != along).collect();
    let moves = x.moves || y.moves || z.moves;
    pool.add(random, format!("sum({between} * {}, {along})", z.text), Kind::Float, dims, moves);
    Some(())
}

fn compare(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let a = pool.take(random, |value| value.kind != Kind::Bool)?;
    let operator = random.pick(&COMPARE);
    let (text, dims, moves) = match (a.kind, random.below(4)) {
        (Kind::Float, 0) => (format!("is_finite({})", a.text), a.dims, a.moves),
        (Kind::Float, 1) => (format!("({} {operator} 0.25)", a.text), a.dims, a.moves),
        (Kind::Int, 0) => (format!("({} {operator} 1)", a.text), a.dims, a.moves),
        (kind, _) => {
            let b = pool.take(random, |value| value.kind == kind)?;
            (format!("({} {operator} {})", a.text, b.text), union(&a, &b), a.moves || b.moves)
        }
    };
    pool.add(random, text, Kind::Bool, dims, moves);
    Some(())
}

fn select(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let cond = pool.take(random, |value| value.kind == Kind::Bool)?;
    let (a, b) = (float(pool, random)?, float(pool, random)?);
    let dims = cond.dims.union(&union(&a, &b)).copied().collect();
    pool.add(random, fill("select({}, {}, {})", &[&cond, &a, &b]), Kind::Float, dims, a.moves || b.moves);
    Some(())
}

fn logic(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let a = pool.take(random, |value| value.kind == Kind::Bool)?;
    let b = pool.take(random, |value| value.kind == Kind::Bool)?;
    let template = random.pick(&["({} & {})", "({} | !{})", "({} ^ {})", "({} == {})", "({} != {})"]);
    pool.add(random, fill(template, &[&a, &b]), Kind::Bool, union(&a, &b), a.moves || b.moves);
    Some(())
}

fn int(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let a = pool.take(random, |value| value.kind == Kind::Int)?;
    let b = pool.take(random, |value| value.kind == Kind::Int)?;
    let template = random.pick(&[
        "({} + {})",
        "({} - {})",
        "({} * {})",
        "({} / {})",
        "({} % {})",
        "maximum({}, {})",
        "minimum(abs({}), {})",
        "(sign({}) + {})",
        "({} & {})",
        "({} | !{})",
        "({} ^ {})",
        "(({} << 2) - {})",
        "({} >> ({} & 3))",
        "(popcount({}) + {})",
        "floor_div({}, {})",
        "remainder({}, {})",
    ]);
    pool.add(random, fill(template, &[&a, &b]), Kind::Int, union(&a, &b), false);
    Some(())
}

/// To another kind; detached where that has no derivative.
fn convert(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| !(value.kind == Kind::Bool && value.moves))?;
    let kind = random.pick(&[Kind::Float, Kind::Float, Kind::Int, Kind::Bool]);
    let name = match kind {
        Kind::Float => "float",
        Kind::Int => "int",
        Kind::Bool => "bool",
    };
    let detach = x.kind == Kind::Float && kind != Kind::Float;
    let text = if detach { format!("stop_grad({})", x.text) } else { x.text.clone() };
    pool.add(random, format!("cast({text}, {name})"), kind, x.dims, x.moves && !detach);
    Some(())
}

/// Sizes and places.
fn position(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let named: Vec<&'static str> = pool.dims.iter().copied().filter(is_one).collect();
    if named.is_empty() {
        return None;
    }
    let dim = random.pick(&named);
    let (text, kind, dims) = match random.below(4) {
        0 => (format!("cast(len({dim}), float)"), Kind::Float, Dims::new()),
        1 => (format!("iota({dim})"), Kind::Int, Dims::from([dim])),
        2 => (format!("(0.25 * cast(iota({dim}), float))"), Kind::Float, Dims::from([dim])),
        _ => (format!("(1 + iota({dim}) % 2)"), Kind::Int, Dims::from([dim])),
    };
    // A dim of its own that no plain result could declare comes with the group.
    if pool.plain && !dims.is_empty() {
        let x = float_over_group(pool, random)?;
        let text = if kind == Kind::Float { text } else { format!("cast({text}, float)") };
        let dims = dims.union(&x.dims).copied().collect();
        pool.add(random, format!("({} * {text})", x.text), Kind::Float, dims, x.moves);
    } else {
        pool.add(random, text, kind, dims, false);
    }
    Some(())
}

fn float_over_group(pool: &mut Pool, random: &mut Random) -> Option<Value> {
    pool.take(random, |value| value.kind == Kind::Float && value.dims.contains(".."))
}

/// Reads a value under two names of a dim, of which the formula makes one.
fn twice(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| value.kind == Kind::Float && value.dims.iter().any(is_one))?;
    let named: Vec<&'static str> = x.dims.iter().copied().filter(is_one).collect();
    let (n, fold) = (random.pick(&named), random.pick(&["sum", "mean"]));
    let relation = random.pick(&COMPARE);
    let m = format!("{n}2");
    let other = format!("at({}, {n} = iota({m} = {n}))", x.text);
    let text = format!("{fold}(select(iota({m} = {n}) {relation} iota({n}), {other}, 0.0), {m})");
    pool.add(random, text, Kind::Float, x.dims, x.moves);
    Some(())
}
