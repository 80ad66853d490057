//! Operations by the order of elements, and by indices: sorts, reads and scatters.

use crate::pool::{Kind, Pool, Value, dims_of, without};
use crate::random::Random;
use crate::signature::{Dims, is_one};

/// What depends on the order of elements. Positions are detached.
pub(crate) fn order(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| value.kind != Kind::Bool && value.dims.iter().any(is_one))?;
    let dim = random.pick(&named(&x.dims));
    let descending = random.pick(&["", ", descending = true"]);
    let detached = detached(&x);
    match random.below(4) {
        0 => pool.add(random, format!("argsort({detached}, {dim}{descending})"), Kind::Int, x.dims, false),
        1 => {
            let y = pool.take(random, |y| y.kind == x.kind && !y.dims.contains(dim))?;
            let dims = without(&x, &[dim]).union(&y.dims).copied().collect();
            let right = random.pick(&["", ", right = true"]);
            let text = format!("searchsorted(sort({detached}, {dim}), {}, {dim}{right})", self::detached(&y));
            pool.add(random, text, Kind::Int, dims, false);
        }
        2 => {
            let y = pool.take(random, |y| y.kind == Kind::Float && y.dims.contains(dim))?;
            let dims = x.dims.union(&y.dims).copied().collect();
            let text = format!("at({}, {dim} = argsort({detached}, {dim}{descending}))", y.text);
            pool.add(random, text, Kind::Float, dims, y.moves);
        }
        _ => pool.add(random, format!("sort({}, {dim}{descending})", x.text), x.kind, x.dims, x.moves),
    }
    Some(())
}

/// Reads a value along a dim at places that are in range.
pub(crate) fn at(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| value.dims.iter().any(is_one))?;
    let dim = random.pick(&named(&x.dims));
    let (index, dims) = index(pool, random, dim)?;
    let dims = without(&x, &[dim]).union(&dims).copied().collect();
    pool.add(random, format!("at({}, {dim} = {index})", x.text), x.kind, dims, x.moves);
    Some(())
}

/// Combines elements that have one index, along one dim or two, at places that are in range.
pub(crate) fn scatter(pool: &mut Pool, random: &mut Random) -> Option<()> {
    let x = pool.take(random, |value| value.kind != Kind::Bool && !value.dims.is_empty())?;
    let (reduced, text) = dims_of(pool, &x, random)?;
    let mut walked = x.dims.clone();
    let mut places: Vec<(&'static str, String)> = vec![];
    for _ in 0..=random.below(2) {
        let is_free = |to: &&'static str| is_one(to) && places.iter().all(|(own, _)| own != to);
        let free: Vec<&'static str> = pool.dims.iter().copied().filter(is_free).collect();
        if free.is_empty() {
            break;
        }
        let to = random.pick(&free);
        let (index, dims) = index(pool, random, to)?;
        walked.extend(dims);
        places.push((to, index));
    }
    let kept: Dims = walked.into_iter().filter(|dim| !reduced.contains(dim)).collect();
    if places.is_empty() || places.iter().any(|(to, _)| kept.contains(to)) {
        return None;
    }
    let indices: Vec<String> = places.iter().map(|(to, index)| format!("{to} = {index}")).collect();
    let call = |name: &str, x: &str| format!("{name}({x}, {text}, {})", indices.join(", "));
    // Where no element is, the extreme is infinite.
    let filled = |name: &str, none: &str| {
        let counts = call("scatter_add", &format!("cast({0} == {0}, int)", detached(&x)));
        format!("select({counts} > 0, {}, {none})", call(name, &x.text))
    };
    let text = match (x.kind, random.below(6)) {
        (_, 0) => call("scatter_mul", &x.text),
        (Kind::Float, 1) => call("scatter_mean", &x.text),
        (Kind::Float, 2) => filled(random.pick(&["scatter_max", "scatter_min"]), "0.5"),
        (Kind::Int, 1 | 2) => filled(random.pick(&["scatter_max", "scatter_min"]), "3"),
        (Kind::Float | Kind::Int | Kind::Bool, _) => call("scatter_add", &x.text),
    };
    let dims = kept.into_iter().chain(places.iter().map(|(to, _)| *to)).collect();
    pool.add(random, text, x.kind, dims, x.moves);
    Some(())
}

fn detached(x: &Value) -> String {
    if x.kind == Kind::Float { format!("stop_grad({})", x.text) } else { x.text.clone() }
}

fn named(dims: &Dims) -> Vec<&'static str> {
    dims.iter().copied().filter(is_one).collect()
}

/// An index along a dim that is in range, and its dims.
fn index(pool: &mut Pool, random: &mut Random, dim: &'static str) -> Option<(String, Dims)> {
    Some(match random.below(4) {
        0 => (format!("len({dim}) - 1 - iota({dim})"), Dims::from([dim])),
        1 => ("0".to_string(), Dims::new()),
        2 => {
            let others: Vec<&'static str> = pool.dims.iter().copied().filter(is_one).collect();
            let other = random.pick(&others);
            (format!("iota({other}) % len({dim})"), Dims::from([other]))
        }
        _ => {
            let Value { text, dims, index, .. } = pool.take(random, |value| value.kind == Kind::Int)?;
            let text = if index { text } else { format!("abs({text} % len({dim}))") };
            (text, dims)
        }
    })
}
