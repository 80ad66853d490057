//! Checks that the printed text is the language: each formula and gradient is parsed again, and must mean the
//! same as the graph that it was printed from.

use super::{formula, kept};
use crate::diag::Errors;
use crate::emit::{Scheduled, declaration};
use crate::grad::backward;
use crate::inline::Callees;
use crate::ir::{Arg, ArgType, DimId, DimSet, Graph, Kind, Scalar};
use crate::testing::{
    Sizes, WINDOWS, all_scheduled, declarations, declared, eval, gradients, sample, scheduled, small_sizes,
};
use crate::{formulas, lower, parse};
use proc_macro2::TokenStream;
use std::collections::BTreeMap;

/// Number of random declarations that are printed; fewer if the tests are not optimised.
const RANDOM: u64 = if cfg!(debug_assertions) { 100 } else { 3000 };

#[test]
fn the_catalogue_and_the_snapshots_are_printed_in_the_language() {
    let wrong: Vec<String> = ["../src/catalogue", "tests/ops"]
        .iter()
        .flat_map(|folder| declarations(folder))
        .filter_map(|s| differs(&s))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn windows_are_printed_in_the_language() {
    let wrong: Vec<String> = WINDOWS.iter().filter_map(|(source, _)| differs(source)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn random_declarations_are_printed_in_the_language() {
    let wrong: Vec<String> =
        (0..RANDOM).filter_map(|seed| differs(&tensor_op_formulas::declaration(seed))).collect();
    assert!(wrong.is_empty(), "{} of {RANDOM}: {}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn named_formulas_are_printed_in_the_language() {
    let wrong: Vec<String> =
        formulas::all().filter_map(|formula| differs(&crate::gradient_table::of_formula(formula))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What differs between a declaration, or its gradient, and the text that is printed for its docs.
fn differs(source: &str) -> Option<String> {
    let compiled = all_scheduled(source).unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let has_rules = source.replace(' ', "").contains("#[grad(");
    compiled.into_iter().find_map(|(Scheduled { source: graph, graph: run, .. }, gradient)| {
        let found = declaration_differs(&graph.with_results(false), has_rules)
            .and_then(|()| results_differ(&run.with_results(true)))
            .and_then(|()| gradient.map_or(Ok(()), |gradient| results_differ(&gradient.graph)));
        found.err().map(|what| format!("{source}\n{what}"))
    })
}

/// The docs have a whole declaration, which any user could write. The gradient of that declaration must be
/// the gradient of the op too, unless the op has a rule of its own: then the docs show the rule as the
/// gradient.
fn declaration_differs(graph: &Graph, has_rule: bool) -> Result<(), String> {
    let text = declaration(graph);
    // An argument that cancels out of the formula is no longer used. A function without a derivative has a
    // rule, which the text lacks.
    let may_fail =
        |error: &str| error.contains("is not used") || (has_rule && error.contains("has no derivative"));
    if let Err(errors) = scheduled(&text)
        && !errors.lines().all(may_fail)
    {
        return Err(format!("{text}{errors}"));
    }
    let again = lowered(&text).map_err(|errors| format!("{text}{errors}"))?;
    agree(graph, &again).map_err(|what| format!("{text}{what}"))?;
    if has_rule {
        return Ok(());
    }
    match (backward(graph), backward(&again)) {
        (Ok(_), Ok(_)) => {
            Both::new(graph, &again).gradients().map_err(|what| format!("the gradient of {text}{what}"))
        }
        (Err(_), Err(_)) => Ok(()),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => Err(format!("{text}only one has a gradient")),
    }
}

/// Other formulas are printed as lines of results. Each line must be the expression of a result in a
/// declaration with the same arguments.
fn results_differ(graph: &Graph) -> Result<(), String> {
    let text = formula(graph);
    if graph.outputs.is_empty() {
        return Ok(());
    }
    let (lets, results): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("let "));
    let expression = |line: &&str| line.split_once(" = ").expect("a result has a name").1.to_string();
    let results: Vec<String> = results.iter().map(expression).collect();
    let declaration = declaration(graph);
    let (head, _) = declaration.split_once(" {\n").expect("a head and a body");
    let again = lowered(&format!("{head} {{ {} ({}) }}", lets.join(" "), results.join(", ")));
    agree(graph, &again.map_err(|errors| format!("{text}\n{errors}"))?)
        .map_err(|what| format!("{text}\n{what}"))
}

/// The graph of a declaration, in which arguments may be unused, as in gradients.
fn lowered(text: &str) -> Result<Graph, String> {
    let tokens = text.parse().map_err(|error| format!("no tokens: {error}"))?;
    let mut errors = Errors::new();
    let item = parse::item(&mut errors, TokenStream::new(), tokens);
    let graph = item.map(|item| lower::graph(&mut errors, &item, &Callees::new()).graph);
    match errors.gate() {
        Ok(()) => graph.ok_or_else(|| "no declaration".to_string()),
        Err(errors) => Err(errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("\n")),
    }
}

/// Whether two graphs, whose dims and arguments have the same names, have the same values.
fn agree(a: &Graph, b: &Graph) -> Result<(), String> {
    let Both { a, b } = Both::new(a, b);
    let (of_a, of_b) = (eval(a.graph, &a.sizes, &a.args), eval(b.graph, &b.sizes, &b.args));
    if of_a.len() != of_b.len() {
        return Err(format!("{} results are printed, and {} read", of_a.len(), of_b.len()));
    }
    (0..of_a.len()).try_for_each(|k| {
        equal(&a.graph.outputs[k].name, &a.array(a.result(k), &of_a[k]), &b.array(b.result(k), &of_b[k]))
    })
}

/// A graph, and the sizes and arguments that it is evaluated at.
struct At<'g> {
    graph: &'g Graph,
    sizes: Sizes,
    args: Vec<Vec<f64>>,
}

/// A printed graph and the graph that was parsed from the text, at the same point.
struct Both<'g> {
    a: At<'g>,
    b: At<'g>,
}

impl<'g> Both<'g> {
    fn new(graph: &'g Graph, again: &'g Graph) -> Both<'g> {
        let sizes = small_sizes(graph);
        let args = sample(graph, &sizes, 1);
        let a = At { graph, sizes, args };
        let dim =
            |name: &str| graph.dims.iter().position(|dim| dim.name == name).expect("dims of the same names");
        let sizes = Sizes(again.dims.iter().map(|d| a.sizes.0[dim(&d.name)]).collect());
        let mut b = At { graph: again, sizes, args: vec![] };
        let arg = |(index, arg): (usize, &Arg)| {
            let from = graph
                .args
                .iter()
                .position(|other| other.name == arg.name)
                .expect("arguments of the same names");
            match &graph.args[from].ty {
                ArgType::Tensor { .. } => {
                    b.moved(again.arg_dims(index), &a.array(graph.arg_dims(from), &a.args[from]))
                }
                ArgType::Shape { .. } | ArgType::Scalar { .. } | ArgType::Axis { .. } => a.args[from].clone(),
            }
        };
        b.args = again.args.iter().enumerate().map(arg).collect();
        Both { a, b }
    }

    /// Whether the gradients agree.
    fn gradients(&self) -> Result<(), String> {
        let Both { a, b } = self;
        let weight = |result: &Vec<f64>| (0..result.len()).map(|i| 0.7 + 0.3 * (i as f64).sin()).collect();
        let weights: Vec<Vec<f64>> = eval(a.graph, &a.sizes, &a.args).iter().map(weight).collect();
        let move_to_b =
            |(k, weights): (usize, &Vec<f64>)| b.moved(b.result(k), &a.array(a.result(k), weights));
        let weights_b: Vec<Vec<f64>> = weights.iter().enumerate().map(move_to_b).collect();
        let of_a = gradients(a.graph, &a.sizes, &a.args, &weights);
        let of_b = gradients(b.graph, &b.sizes, &b.args, &weights_b);
        let has_gradient =
            |arg: &&Arg| matches!(arg.ty, ArgType::Tensor { kind: Kind::Float, no_grad: false, .. });
        let index = |graph: &Graph, name: &str| graph.args.iter().position(|arg| arg.name == name);
        for ((x, y), arg) in of_a.iter().zip(&of_b).zip(a.graph.args.iter().filter(has_gradient)) {
            let dims = |at: &At<'_>| {
                at.graph.arg_dims(index(at.graph, &arg.name).expect("arguments of the same names"))
            };
            equal(&arg.name, &a.array(dims(a), x), &b.array(dims(b), y))?;
        }
        Ok(())
    }
}

impl At<'_> {
    fn result(&self, index: usize) -> DimSet {
        self.graph.output_dims(&self.graph.outputs[index])
    }

    fn array<'d>(&self, dims: DimSet, data: &'d [f64]) -> Array<'d> {
        let named = |dim: DimId| (self.graph.dim(dim).name.clone(), self.sizes.0[dim.index()]);
        Array { dims: dims.iter().map(named).collect(), data }
    }

    /// The elements of an array, in the order of this graph's dims.
    fn moved(&self, dims: DimSet, array: &Array<'_>) -> Vec<f64> {
        points(&self.array(dims, &[]).dims).iter().map(|point| array.at(point)).collect()
    }
}

/// Compares two arrays. One may lack dims that the other has: an `Axis` dim that was reduced is missing in a
/// gradient, and a type can't express that.
fn equal(name: &str, a: &Array<'_>, b: &Array<'_>) -> Result<(), String> {
    let all: BTreeMap<String, usize> = a.dims.iter().chain(&b.dims).cloned().collect();
    for point in points(&all.into_iter().collect::<Vec<_>>()) {
        let (x, y) = (a.at(&point), b.at(&point));
        let is_close = (x - y).abs() <= 1e-9 * x.abs().max(1e-3);
        if !(is_close || x == y || x.is_nan() && y.is_nan()) {
            return Err(format!("`{name}` at {point:?}: {x} is printed, and {y} read"));
        }
    }
    Ok(())
}

/// The index along each dim.
type Point = BTreeMap<String, usize>;

/// Elements, row-major over dims with their sizes.
struct Array<'d> {
    dims: Vec<(String, usize)>,
    data: &'d [f64],
}

impl Array<'_> {
    fn at(&self, point: &Point) -> f64 {
        let index = |name: &str| point.get(name).copied().unwrap_or(0);
        self.data[self.dims.iter().fold(0, |offset, (name, size)| offset * size + index(name))]
    }
}

/// All indices, row-major.
fn points(dims: &[(String, usize)]) -> Vec<Point> {
    dims.iter().fold(vec![Point::new()], |points, (name, size)| {
        let along = |point: Point| {
            (0..*size).map(move |index| {
                let mut point = point.clone();
                point.insert(name.clone(), index);
                point
            })
        };
        points.into_iter().flat_map(along).collect()
    })
}

/// Checks how a formula is printed.
#[track_caller]
fn check(source: &str, wanted: &str) {
    let graph = declared(source);
    assert_eq!(formula(&graph), wanted);
    assert_eq!(differs(source), None);
}

#[test]
fn operators_bind_as_in_rust() {
    let f = |body: &str| {
        format!("fn f(#[no_grad] a: Tensor, #[no_grad] b: Tensor, c: BoolTensor) -> BoolTensor {{ {body} }}")
    };
    check(&f("(a < b) & (b <= a) | !c"), "out = (a < b) & (b <= a) | !c");
    check(&f("(c | (a < b)) & c"), "out = (c | (a < b)) & c");
    check(&f("c == (c | (a != b))"), "out = c == (c | (a != b))");
    check(&f("(a < b) == c"), "out = (a < b) == c");
    check(&f("c & (-(a - (b - a)) * (a + b) > b)"), "out = c & (-(a - (b - a)) * (a + b) > b)");
}

#[test]
fn numbers_and_kinds() {
    let f = |body: &str| format!("fn f(#[no_grad] x: Tensor![m, n]) -> Tensor![m, n] {{ {body} }}");
    check(&f("select(x > 0, x, -INFINITY)"), "out = select(x > 0.0, x, -INFINITY)");
    check(&f("x * NAN + -0.0"), "out = x * NAN + -0.0");
    check(&f("x * cast(x > 1.0, float)"), "out = x * cast(x > 1.0, float)");
    check(&f("x * cast(cast(len(n) / 2, int), float)"), "out = x * cast(cast(len(n), int) / 2, float)");
    check(
        &f("select(cast(len(n), float) / len(m) > 1, x, 1)"),
        "out = select(cast(len(n), float) / len(m) > 1.0, x, 1.0)",
    );
    check(&f("x * -9223372036854775807.0"), "out = x * -9.223372036854776e18");
    assert_eq!(super::literal(Scalar::Int(i64::MIN)).text, "-9223372036854775807 - 1");
}

/// Names that mean something in Rust or in a formula, or that are already taken.
#[test]
fn names() {
    check(
        "fn r#type(r#fn: Tensor![r#loop], t0: Tensor![r#loop]) -> Tensor![] { let r#in = r#fn * t0; sum(r#in * r#in, r#loop) }",
        "let r#in = r#fn * t0;\nout = sum(r#in * r#in, r#loop)",
    );
    check(
        "fn f(x: Tensor![t0], t1: Tensor![t0]) -> Tensor![t0] { exp(x) * exp(x) + t1 }",
        "let t2 = exp(x);\nout = t2 * t2 + t1",
    );
}

/// A reader sees a gradient together with the values that are kept for it.
#[test]
fn names_beside_a_gradient() {
    let both = |source: &str| {
        let (forward, backward) = scheduled(source).expect("it is right");
        let backward = backward.expect("a gradient");
        format!("{}\n\n{}", formula(&backward.graph), kept(&forward.graph, &backward.graph))
    };
    let temporaries = both(
        "fn f(x: Tensor![b, v], w: Tensor![b, v], t: IntTensor![b]) -> Tensor![b] { logsumexp(x * exp(w), v) - at(x * exp(w), v = t) }",
    );
    assert_eq!(
        temporaries,
        "let t0 = exp(w);\n\
         let t1 = (grad_out * exp(x * t0 - saved) - select(iota(v) == t, grad_out, 0.0)) * t0;\n\
         grad_x = t1\n\
         grad_w = x * t1\n\n\
         let t2 = x * exp(w);\n\
         let t3 = max(t2, v);\n\
         let t4 = select(is_finite(t3), t3, 0.0);\n\
         saved = ln(sum(exp(t2 - t4), v)) + t4"
    );
    let results =
        both("fn f(x: Tensor![b, n]) -> Tensor![b, n] { (x - mean(x, n)) * rsqrt(var(x, n) + 1e-5) }");
    assert!(
        results.ends_with(
            "\n\nsaved1 = sum(x, n) / len(n)\nlet t2 = x - saved1;\nsaved = rsqrt(sum(t2 * t2, n) / len(n) + 1e-5)"
        ),
        "{results}"
    );
}

#[test]
fn what_is_detached_is_printed() {
    let source = "fn f(x: Tensor![n], #[no_grad] y: Tensor![n]) -> Tensor![n] { x * stop_grad(exp(x)) + y }";
    let (forward, _) = scheduled(source).expect("it is right");
    let wanted =
        "fn f(x: Tensor![n], #[no_grad] y: Tensor![n]) -> Tensor![n] {\n    x * stop_grad(exp(x)) + y\n}";
    assert_eq!(declaration(&forward.source.with_results(false)), wanted);
}

/// The sum over the positions that have an index, also if these are along the dim that the index replaces.
#[test]
fn gradients_of_indexing() {
    let gradient =
        |source: &str| formula(&scheduled(source).expect("it is right").1.expect("a gradient").graph);
    let embedding = "fn f(w: Tensor![v, d], ids: IntTensor![b]) -> Tensor![b, d] { at(w, v = ids) }";
    assert_eq!(gradient(embedding), "grad_w = scatter_add(grad_out, b, v = ids)");
    assert_eq!(differs(embedding), None);
    let reversed = "fn f(x: Tensor![n]) -> Tensor![n] { at(x, n = len(n) - 1 - iota(n)) }";
    assert_eq!(gradient(reversed), "grad_x = at(grad_out, n = len(n) - 1 - iota(n))");
    let permuted = "fn f(x: Tensor![n], ids: IntTensor![n]) -> Tensor![n] { at(x, n = ids) }";
    assert_eq!(gradient(permuted), "grad_x = scatter_add(grad_out, n, n = ids)");
    assert_eq!(differs(permuted), None);
}

/// Long sums and chains are split into named values, so that the text grows linearly with the graph.
#[test]
fn long_formulas() {
    let length = |count: usize| {
        let sum = vec!["exp(x)"; count].join(" + x * ");
        let text = formula(&declared(&format!("fn f(x: Tensor) -> Tensor {{ {sum} }}")));
        assert!(text.lines().all(|line| line.len() < 1000), "{text}");
        text.len()
    };
    assert!(length(400) < 5 * length(100));
}
