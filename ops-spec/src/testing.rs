//! For tests: graphs from a few words, their values in f64, and differences.

use crate::grad::backward;
use crate::ir::{
    Arg, ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, Graph, Kind, NodeId, Op, Output, Role,
    ScalarType, Value,
};
use crate::prim::{Fold, Prim};

/// A graph named `f` over `dims` (`"b n"`), with arguments of `(name, type)`, where a type is dims with an optional `int` or
/// `no_grad` before them, or `f64`, or `axis`; `build` gives results with their dims.
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
    let mut graph = Graph {
        name: "f".into(),
        dims: dims.split_whitespace().map(dim).collect(),
        args: vec![],
        nodes: vec![],
        outputs: vec![],
    };
    for (index, (name, ty)) in args.iter().enumerate() {
        let ty = match *ty {
            "f64" => ArgType::Scalar { ty: ScalarType::F64, default: None },
            "axis" => ArgType::Axis { default: None },
            _ => {
                let kind = if ty.starts_with("int") { Kind::Int } else { Kind::Float };
                let no_grad = ty.starts_with("int") || ty.starts_with("no_grad");
                ArgType::Tensor { kind, axes: axes(&graph, ty), no_grad }
            }
        };
        graph.args.push(Arg { name: (*name).into(), ty, role: Role::Forward(index) });
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

/// Elements over dims, row-major in order of declaration.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    dims: DimSet,
    pub(crate) data: Vec<f64>,
}

/// Sizes of dims by their place.
pub(crate) struct Sizes(pub(crate) Vec<usize>);

impl Sizes {
    pub(crate) fn count(&self, dims: DimSet) -> usize {
        dims.iter().map(|d| self.0[d.index()]).product()
    }

    fn points(&self, dims: DimSet) -> Vec<Vec<usize>> {
        let mut points = vec![vec![0; self.0.len()]];
        for dim in dims.iter() {
            let along = |p: Vec<usize>| {
                (0..self.0[dim.index()]).map(move |i| {
                    let mut p = p.clone();
                    p[dim.index()] = i;
                    p
                })
            };
            points = points.into_iter().flat_map(along).collect();
        }
        points
    }

    fn offset(&self, dims: DimSet, point: &[usize]) -> usize {
        dims.iter().fold(0, |offset, d| offset * self.0[d.index()] + point[d.index()])
    }

    fn get(&self, array: &Array, point: &[usize]) -> f64 {
        array.data[self.offset(array.dims, point)]
    }

    fn tabulate(&self, dims: DimSet, value: impl FnMut(&Vec<usize>) -> f64) -> Array {
        Array { dims, data: self.points(dims).iter().map(value).collect() }
    }
}

/// The results of a graph over their declared dims.
pub(crate) fn eval(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut values: Vec<Array> = vec![];
    for id in graph.ids() {
        let value = eval_node(graph, id, sizes, args, &values);
        values.push(value);
    }
    let output = |output: &Output| {
        let array = &values[output.node.0 as usize];
        sizes.tabulate(graph.axes_dims(&output.axes), |p| sizes.get(array, p)).data
    };
    graph.outputs.iter().map(output).collect()
}

fn eval_node(graph: &Graph, id: NodeId, sizes: &Sizes, args: &[Vec<f64>], values: &[Array]) -> Array {
    let node = graph.node(id);
    let array = |id: NodeId| &values[id.0 as usize];
    let with = |point: &[usize], dim: DimId, index: usize| {
        let mut point = point.to_vec();
        point[dim.index()] = index;
        point
    };
    match &node.op {
        Op::Input(arg) => Array { dims: node.dims, data: args[*arg].clone() },
        Op::Literal(value) => Array { dims: DimSet::EMPTY, data: vec![value.as_f64()] },
        Op::Len(dims) => Array { dims: DimSet::EMPTY, data: vec![sizes.count(*dims) as f64] },
        Op::Iota(dim) => sizes.tabulate(node.dims, |p| p[dim.index()] as f64),
        Op::Apply(prim, operands) => sizes.tabulate(node.dims, |p| {
            let operands: Vec<f64> = operands.iter().map(|x| sizes.get(array(*x), p)).collect();
            let value = (prim.row().reference)(&operands);
            if node.kind == Kind::Int { value.trunc() } else { value }
        }),
        Op::Cast(x) | Op::StopGrad(x) | Op::Given { value: x, .. } => array(*x).clone(),
        Op::Reduce(fold, dims, x) => sizes.tabulate(node.dims, |p| {
            let inner = sizes.points(*dims);
            let merge = |mut q: Vec<usize>| {
                node.dims.iter().for_each(|d| q[d.index()] = p[d.index()]);
                q
            };
            fold_all(*fold, &inner.into_iter().map(|q| sizes.get(array(*x), &merge(q))).collect::<Vec<_>>())
        }),
        Op::At { source, dim, index } => sizes.tabulate(node.dims, |p| {
            sizes.get(array(*source), &with(p, *dim, sizes.get(array(*index), p) as usize))
        }),
        Op::ScatterAdd { source, dim, index } => {
            let mut out = sizes.tabulate(node.dims, |_| 0.0);
            let walked = array(*source).dims.union(array(*index).dims);
            for p in sizes.points(walked.union(node.dims.difference(DimSet::one(*dim)))) {
                let to = with(&p, *dim, sizes.get(array(*index), &p) as usize);
                out.data[sizes.offset(node.dims, &to)] += sizes.get(array(*source), &p);
            }
            out
        }
        Op::Seed(_) => Array { dims: node.dims, data: vec![f64::NAN; sizes.count(node.dims)] },
    }
}

fn fold_all(fold: Fold, values: &[f64]) -> f64 {
    let combine = |prim: Prim| move |a: f64, b: &f64| (prim.row().reference)(&[a, *b]);
    let first = |wanted: f64| values.iter().position(|v| *v == wanted).unwrap_or(0) as f64;
    let max = || values.iter().fold(f64::NEG_INFINITY, combine(Prim::Maximum));
    let min = || values.iter().fold(f64::INFINITY, combine(Prim::Minimum));
    match fold {
        Fold::Sum => values.iter().sum(),
        Fold::Prod => values.iter().product(),
        Fold::Max => max(),
        Fold::Min => min(),
        Fold::ArgMax => first(max()),
        Fold::ArgMin => first(min()),
        Fold::Any => values.iter().fold(0.0, combine(Prim::Or)),
        Fold::All => values.iter().fold(1.0, combine(Prim::And)),
    }
}

/// Numbers between 0.3 and 1.7, none alike; ints are small.
pub(crate) fn sample(graph: &Graph, sizes: &Sizes, seed: u64) -> Vec<Vec<f64>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut one = |arg: &Arg| match &arg.ty {
        ArgType::Tensor { kind, axes, .. } => {
            let count = sizes.count(graph.axes_dims(axes));
            (0..count)
                .map(|_| if *kind == Kind::Float { 0.3 + 1.4 * next() } else { (next() * 2.0).floor() })
                .collect()
        }
        ArgType::Scalar { .. } => vec![0.5],
        ArgType::Shape { .. } | ArgType::Axis { .. } => vec![],
    };
    graph.args.iter().map(&mut one).collect()
}

/// Gradients by `backward`, of the sum of results weighted by `weights`.
pub(crate) fn gradients(
    graph: &Graph,
    sizes: &Sizes,
    args: &[Vec<f64>],
    weights: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let back = backward(graph).expect("a gradient");
    let results = eval(graph, sizes, args);
    let value = |arg: &Arg| match arg.role {
        Role::Forward(i) => args[i].clone(),
        Role::Output(k) => results[k].clone(),
        Role::Grad(k) => weights[k].clone(),
    };
    eval(&back, sizes, &back.args.iter().map(value).collect::<Vec<_>>())
}

/// Compares the derived gradient with central differences at a point.
pub(crate) fn check_gradient_at(graph: &Graph, sizes: &Sizes, args: &[Vec<f64>]) {
    const STEP: f64 = 1e-5;
    let results = eval(graph, sizes, args);
    let weight =
        |(k, r): (usize, &Vec<f64>)| (0..r.len()).map(|i| 0.7 + 0.3 * ((k + 3 * i) as f64).sin()).collect();
    let weights: Vec<Vec<f64>> = results.iter().enumerate().map(weight).collect();
    let loss = |args: &[Vec<f64>]| -> f64 {
        let results = eval(graph, sizes, args);
        let floats = graph.outputs.iter().zip(results.iter().zip(&weights));
        let floats = floats.filter(|(o, _)| graph.node(o.node).kind == Kind::Float);
        floats.flat_map(|(_, (r, w))| r.iter().zip(w)).map(|(r, w)| r * w).sum()
    };
    let found = gradients(graph, sizes, args, &weights);
    let wants = |arg: &Arg| matches!(arg.ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. });
    let wanted = (0..graph.args.len()).filter(|i| wants(&graph.args[*i]));
    for (arg, found) in wanted.zip(found) {
        for (i, found) in found.iter().enumerate() {
            let moved = |by: f64| {
                let mut args = args.to_vec();
                args[arg][i] += by;
                loss(&args)
            };
            let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let close = (found - expected).abs() <= 1e-6 + 1e-6 * expected.abs();
            assert!(
                close,
                "gradient {i} of `{}` is {found}, differences give {expected}\n{graph}",
                graph.args[arg].name
            );
        }
    }
}

/// Compares first and second gradients with differences at three points.
pub(crate) fn check_gradient(graph: &Graph, sizes: &[usize]) {
    let sizes = Sizes(sizes.to_vec());
    for seed in 1..4 {
        check_gradient_at(graph, &sizes, &sample(graph, &sizes, seed));
    }
    let back = backward(graph).expect("a gradient");
    for seed in 4..6 {
        check_gradient_at(&back, &sizes, &sample(&back, &sizes, seed));
    }
}
