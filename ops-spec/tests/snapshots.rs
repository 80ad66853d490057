//! Every stage of each declaration in `ops/`, as snapshots: graph, gradient, schedules, code. A new case is a
//! new file.

#![cfg(feature = "syntax")]

use quote::ToTokens;
use std::fs;
use std::path::Path;
use tensor_op_spec::{Stages, stages};

#[test]
fn stages_of_declarations() {
    for (name, source) in declarations() {
        let Stages { written: _, graph, source: _, gradient, schedule, gradient_schedule, code, ops: _ } =
            compile(&name, &source);
        let gradient = gradient.unwrap_or_else(|| "none\n".to_string());
        let gradient_schedule = gradient_schedule.unwrap_or_else(|| "none\n".to_string());
        let code = prettyplease::unparse(&syn::parse2(code).expect("generated code is Rust"));
        let parts = [
            ("graph", graph),
            ("gradient", gradient),
            ("schedule", schedule),
            ("gradient schedule", gradient_schedule),
            ("code", code),
        ];
        let text: String = parts.iter().map(|(title, part)| format!("==== {title} ====\n{part}\n")).collect();
        insta::with_settings!({ description => source.trim(), omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name.as_str(), text);
        });
    }
}

/// Two expansions of one declaration are the same to the byte.
#[test]
fn expansion_is_deterministic() {
    for (name, source) in declarations() {
        let [first, second] = [0, 1].map(|_| compile(&name, &source).code.to_string());
        assert_eq!(first, second, "{name}");
    }
}

/// Generated lines are what users read and compile: they grow only on purpose. What an op may have depends on
/// what it is: a function with its traits, the types of each formula with the text of their graphs, which the
/// docs of a public op have once more, and a body for each pass.
#[test]
fn generated_code_stays_small() {
    for (name, source) in declarations() {
        let Stages { code, written, graph, gradient, schedule, gradient_schedule, .. } =
            compile(&name, &source);
        let code = prettyplease::unparse(&syn::parse2(code).expect("generated code is Rust"));
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("///")).count();
        let formulas = written.lines().filter(|line| line.starts_with("op ")).count();
        let pictured = code.contains("picture!").then(|| [Some(graph.clone()), gradient.clone()]);
        let pictured: usize =
            pictured.into_iter().flatten().flatten().map(|graph| graph.lines().count()).sum();
        let graphs = [Some(written), Some(graph), gradient].into_iter().flatten();
        let nodes: usize = graphs.map(|graph| graph.lines().count()).sum();
        let schedules = [Some(schedule), gradient_schedule].into_iter().flatten();
        let passes: usize = schedules.map(|schedule| schedule.matches("  pass ").count()).sum();
        let most = 50 + 50 * formulas + 3 * nodes + pictured + 15 * passes;
        assert!(lines <= most, "{name}: {lines} lines, and {most} are enough");
    }
}

fn compile(name: &str, source: &str) -> Stages {
    let tokens = source.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    stages(tokens).unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

fn declarations() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ops");
    let files = fs::read_dir(&folder).expect("the folder is in the repository");
    let mut paths: Vec<_> = files.map(|file| file.expect("readable").path()).collect();
    paths.sort();
    let read = |path: &Path| fs::read_to_string(path).expect("readable");
    paths
        .iter()
        .map(|path| (path.file_stem().expect("named").to_string_lossy().into_owned(), read(path)))
        .collect()
}

/// Ranks as const generics: `..` counts, an `Axis` that is reduced doesn't.
#[test]
fn functions_on_burn_tensors() {
    let declarations = [
        "fn silu_mul(x: Tensor, gate: Tensor) -> Tensor { x * gate * sigmoid(gate) }",
        "fn rms_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
            x * rsqrt(mean(x * x, n) + eps) * gamma
        }",
        "fn best(x: Tensor, axis: Axis) -> (Tensor, IntTensor) { (max(x, axis), argmax(x, axis)) }",
        "fn embedding(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] { at(weight, v = ids) }",
        "fn linear(x: Tensor![.., i], weight: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![.., o] {
            sum(x * weight, i) + bias.unwrap_or(0.0)
        }",
        "fn loss(x: Tensor, #[default(Reduction::Sum)] reduction: Reduction, #[default(true)] squared: bool) -> Tensor {
            let loss = if squared { x * x } else { abs(x) };
            match reduction { Reduction::None => loss, Reduction::Sum => sum(loss, ..) }
        }",
        "fn chosen(keep: BoolTensor, x: NumTensor![.., n], y: NumTensor![.., n]) -> (NumTensor![..], NumTensor![.., n]) {
            (sum(select(keep, x, y), n), x + y)
        }",
        "fn thinned(
            x: Tensor![.., h, w],
            stride @ [sh, sw]: [usize; 2],
            #[default(stride)] first @ [top, left]: [usize; 2],
        ) -> Tensor![.., a = (h - top) / sh, b = (w - left) / sw] { at(x, h = a * sh + top, w = b * sw + left) }",
        "fn mirrored(x: AnyTensor![n]) -> AnyTensor![n] { at(x, n = len(n) - 1 - n) }",
        "fn total(x: Tensor![m, n], D: BoolTensor) -> Tensor![] { sum(x, (m, n)) + select(any(D, ..), 1.0, 0.0) }",
    ];
    for source in declarations {
        let tokens = source.parse().expect("tests are tokens");
        let code = tensor_op_spec::expand("burn".parse().expect("a token"), tokens, "");
        let file: syn::File = syn::parse2(code).expect("generated code is Rust");
        let function = file.items.iter().find_map(|item| match item {
            syn::Item::Macro(item) if item.mac.path.segments.last()?.ident == "burn_instead" => {
                syn::parse2::<syn::ItemFn>(item.mac.tokens.clone()).ok()
            }
            _ => None,
        });
        let mut function = function.expect("there is a function");
        let docs = function.attrs.iter().map(|attr| attr.to_token_stream().to_string()).collect::<String>();
        assert!(docs.contains("# Panics") && !docs.contains("# Errors"), "{docs}");
        function.attrs.retain(|attr| !attr.path().is_ident("doc"));
        let name = format!("burn_{}", function.sig.ident);
        let file = syn::File {
            shebang: None,
            frontmatter: None,
            attrs: vec![],
            items: vec![syn::Item::Fn(function)],
        };
        let code = prettyplease::unparse(&file);
        assert!(code.lines().count() < 60, "{code}");
        insta::with_settings!({ description => source, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, code);
        });
    }
}

/// The method on Burn's tensors: the rank of `self` is one of the trait, other ranks are those of the method.
#[test]
fn methods_of_burn_tensors() {
    let declarations = [
        ("burn, method", "fn flattened(x: Tensor, axes: Axes) -> Tensor { sum(x, axes) }"),
        (
            "burn, method",
            "fn reversed(x: AnyTensor![.., n]) -> AnyTensor![.., n] { at(x, n = len(n) - 1 - n) }",
        ),
        ("burn, method", "fn fill(keep: BoolTensor, x: NumTensor) -> NumTensor { select(keep, x, 0) }"),
        ("burn, method", "fn at_rows(x: Tensor![m, n], ids: IntTensor) -> Tensor![.., n] { at(x, m = ids) }"),
        (
            "method(inherent), burn = twice_on_burn",
            "#[must_use] fn twice(x: IntTensor) -> IntTensor { x + x }",
        ),
    ];
    for (options, source) in declarations {
        let [attr, tokens] = [options, source].map(|text| text.parse().expect("tests are tokens"));
        let code = tensor_op_spec::expand(attr, tokens, "");
        let file: syn::File = syn::parse2(code).expect("generated code is Rust");
        let methods = file.items.iter().filter_map(|item| match item {
            syn::Item::Macro(item) if item.mac.tokens.to_string().contains("trait ") => {
                syn::parse2::<syn::File>(item.mac.tokens.clone()).ok()
            }
            syn::Item::Impl(item) if item.trait_.is_none() => {
                syn::parse2::<syn::File>(item.to_token_stream()).ok()
            }
            _ => None,
        });
        let code: String = methods.map(|file| prettyplease::unparse(&file)).collect();
        let name = source.split_whitespace().find(|word| word.contains('(')).expect("the name has arguments");
        let name = name.split('(').next().expect("the name is before the arguments");
        insta::with_settings!({ description => source, omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("method_{name}"), code);
        });
    }
}
