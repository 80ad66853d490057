//! Helpers for tests: graphs from a few words or from declarations, their values in f64, and differences.

mod check;
#[cfg(feature = "syntax")]
mod declared;
mod eval;
#[cfg(feature = "syntax")]
mod windows;

#[cfg(feature = "syntax")]
pub(crate) use check::check_derivatives;
pub(crate) use check::{
    backward_args, check_gradcheck, check_gradient, check_gradient_at, check_inner_product, gradients,
};
#[cfg(feature = "syntax")]
pub(crate) use declared::{Family, all_scheduled, declarations, declared, families, scheduled};
pub(crate) use eval::{Sizes, eval};
#[cfg(feature = "syntax")]
pub(crate) use windows::{CONV, TRANSPOSED, WINDOWS};

use crate::ir::{
    Arg, ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, Graph, IntSource, Kind, Output, Role,
    ScalarType, Size, Value,
};
use std::collections::BTreeMap;

/// A graph named `f` over `dims` (`"b n"`). Its arguments are `(name, type)`; a type is `f64`, `axis`, or
/// dims with an optional `int` or `no_grad` before them. `build` returns results with their dims.
pub(crate) fn sketch(
    dims: &str,
    args: &[(&str, &str)],
    build: impl for<'b> FnOnce(&'b Builder, &[Value<'b>]) -> Vec<(Value<'b>, &'static str)>,
) -> Graph {
    let dim = |name: &str| {
        let axis = args.iter().position(|(arg, ty)| *arg == name && *ty == "axis");
        let kind = match (name, axis) {
            ("..", _) => DimKind::Group,
            (_, Some(arg)) => DimKind::Axis(arg),
            (_, None) => DimKind::Named,
        };
        Dim { name: name.into(), kind }
    };
    let mut graph = Graph::new("f".into(), dims.split_whitespace().map(dim).collect(), vec![]);
    for (index, (name, ty)) in args.iter().enumerate() {
        let ty = match *ty {
            "f64" => ArgType::Scalar { ty: ScalarType::F64, default: None },
            "axis" => ArgType::Axis { default: None, several: false },
            _ => {
                let kind = if ty.starts_with("int") { Kind::Int } else { Kind::Float };
                let no_grad = ty.starts_with("int") || ty.starts_with("no_grad");
                ArgType::Tensor { kind, axes: axes(&graph, ty), no_grad }
            }
        };
        graph.args.push(Arg { name: (*name).into(), list: None, like: None, ty, role: Role::Forward(index) });
    }
    let builder = Builder::new(graph.clone());
    let inputs: Vec<Value<'_>> = (graph.args.iter().enumerate())
        .map(|(i, arg)| match &arg.ty {
            ArgType::Tensor { kind, axes, .. } => builder.input(i, graph.axes_dims(axes), *kind),
            ArgType::Shape { .. } | ArgType::Scalar { .. } => builder.input(i, DimSet::EMPTY, Kind::Float),
            ArgType::Axis { .. } => builder.float(0.0),
        })
        .collect();
    let results = build(&builder, &inputs);
    let single = results.len() == 1;
    let output = |(k, (value, dims)): (usize, (Value<'_>, &'static str))| Output {
        name: if single { "out".into() } else { format!("out{k}") },
        node: value.id,
        axes: axes(&graph, dims),
        like: None,
        hidden: false,
        ints: IntSource::default(),
    };
    graph.outputs = results.into_iter().enumerate().map(output).collect();
    let outputs = graph.outputs;
    Graph { outputs, ..builder.finish() }
}

fn axes(graph: &Graph, words: &str) -> Vec<Axis> {
    let words = words.split_whitespace().filter(|w| !matches!(*w, "int" | "no_grad"));
    words.map(|w| Axis::Dim(id(graph, w))).collect()
}

fn id(graph: &Graph, name: &str) -> DimId {
    DimId::new(graph.dims.iter().position(|d| d.name == name).expect("a declared dim"))
}

/// The dims of these names.
pub(crate) fn set(builder: &Builder, names: &str) -> DimSet {
    names.split_whitespace().map(|name| builder.read(|g| id(g, name))).collect()
}

/// The dim of this name.
pub(crate) fn one(builder: &Builder, name: &str) -> DimId {
    builder.read(|g| id(g, name))
}

/// Numbers between 0.3 and 1.7, all of them different; ints are small.
pub(crate) fn sample(graph: &Graph, sizes: &Sizes, seed: u64) -> Vec<Vec<f64>> {
    let mut next = generator(seed);
    let mut one = |(index, arg): (usize, &Arg)| match &arg.ty {
        ArgType::Tensor { kind, .. } => {
            let count = sizes.count(graph.arg_dims(index));
            (0..count)
                .map(|_| if *kind == Kind::Float { 0.3 + 1.4 * next() } else { (next() * 2.0).floor() })
                .collect()
        }
        ArgType::Scalar { ty: ScalarType::Usize | ScalarType::I64 | ScalarType::Seed, .. } => {
            vec![int_argument(graph, &sizes.0, index) as f64]
        }
        ArgType::Scalar { ty: ScalarType::F64 | ScalarType::F32 | ScalarType::Fraction, .. } => vec![0.5],
        ArgType::Scalar { ty: ScalarType::Bool, .. } => vec![0.5],
        ArgType::Shape { .. } | ArgType::Axis { .. } => vec![],
    };
    graph.args.iter().enumerate().map(&mut one).collect()
}

/// Numbers between 0 and 1.
pub(crate) fn generator(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The value of an integer argument: the size of its dim, if it is one.
fn int_argument(graph: &Graph, sizes: &[usize], arg: usize) -> i64 {
    let dim = graph.dims.iter().position(|dim| dim.kind == DimKind::Sized(arg));
    dim.map_or(1, |dim| sizes[dim] as i64)
}

/// Small sizes for the dims of a graph. Neighbouring dims have different sizes, unless there are many dims.
/// One dim is larger if a computed size would be negative otherwise.
pub(crate) fn small_sizes(graph: &Graph) -> Sizes {
    let mut larger = std::iter::once(None).chain((0..graph.dims.len()).map(Some));
    let found = larger.find_map(|larger| sizes_with(graph, larger));
    Sizes(found.expect("sizes that are not negative"))
}

fn sizes_with(graph: &Graph, larger: Option<usize>) -> Option<Vec<usize>> {
    let differ = usize::from(graph.dims.len() < 4);
    let more = |index: usize| if larger == Some(index) { 2 } else { 0 };
    let size = |(index, dim): (usize, &Dim)| match dim.kind {
        DimKind::Fixed(size) => size,
        DimKind::Group | DimKind::Named | DimKind::Axis(_) | DimKind::Sized(_) => {
            2 + index % 2 * differ + more(index)
        }
        DimKind::Computed(_) => 0,
    };
    let mut sizes: Vec<usize> = graph.dims.iter().enumerate().map(size).collect();
    for (index, dim) in graph.dims.iter().enumerate() {
        if let DimKind::Computed(size) = &dim.kind {
            sizes[index] = computed(size, &sizes, &|arg| int_argument(graph, &sizes, arg))?;
        }
    }
    Some(sizes)
}

fn computed(size: &Size, sizes: &[usize], arg: &impl Fn(usize) -> i64) -> Option<usize> {
    let size = size.value(&|dim| Some(sizes[dim.index()] as i64), &|index| Some(arg(index)));
    size.and_then(|size| usize::try_from(size).ok())
}

/// A point at which a graph is evaluated: sizes and integer arguments by name, `"n=7 stride=2"`. Dims that
/// are not named have size 2.
pub(crate) fn point(graph: &Graph, numbers: &str) -> (Sizes, Vec<Vec<f64>>) {
    let words = numbers.split_whitespace().filter_map(|word| word.split_once('='));
    let numbers: BTreeMap<&str, i64> =
        words.map(|(name, value)| (name, value.parse().expect("a number"))).collect();
    let arg = |index: usize| numbers[graph.args[index].name.as_str()];
    let mut sizes = vec![2; graph.dims.len()];
    for (index, dim) in graph.dims.iter().enumerate() {
        if let DimKind::Fixed(size) = dim.kind {
            sizes[index] = size;
        } else if let Some(size) = numbers.get(dim.name.as_str()) {
            sizes[index] = *size as usize;
        }
    }
    for (index, dim) in graph.dims.iter().enumerate() {
        if let DimKind::Computed(size) = &dim.kind {
            sizes[index] = computed(size, &sizes, &arg).expect("a size that is not negative");
        }
    }
    let sizes = Sizes(sizes);
    let mut args = sample(graph, &sizes, 1);
    for (arg, values) in graph.args.iter().zip(&mut args) {
        if let (ArgType::Scalar { .. }, Some(value)) = (&arg.ty, numbers.get(arg.name.as_str())) {
            *values = vec![*value as f64];
        }
    }
    (sizes, args)
}
