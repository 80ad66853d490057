//! What the page is told of formulas, right and wrong.

use tensor_op_playground::{Checked, Explained, Mistake, Op, Question, Ran, Sizes, check, explain};

const RMS_NORM: &str =
    "fn rms_norm(x: Tensor![.., n], gamma: Tensor![n], #[default(1e-6)] eps: f64) -> Tensor![.., n] {
    x * rsqrt(mean(x * x, n) + eps) * gamma
}";

fn ops(source: &str) -> Vec<Op> {
    match explain(source) {
        Explained::Ops(ops) => ops,
        Explained::Mistakes(mistakes) => panic!("{mistakes:?}"),
    }
}

fn mistakes(source: &str) -> Vec<Mistake> {
    match explain(source) {
        Explained::Ops(_) => panic!("no mistakes in {source}"),
        Explained::Mistakes(mistakes) => mistakes,
    }
}

fn about(source: &str) -> Question {
    Question { source: source.to_string(), ..Question::default() }
}

fn run(question: &Question) -> Result<Ran, String> {
    pollster::block_on(tensor_op_playground::run(question))
}

/// Holds an op to all that is checked.
fn holds(source: &str) -> Vec<Checked> {
    let checked = check(&about(source)).unwrap();
    assert!(checked.iter().all(|checked| checked.holds != Some(false)), "{checked:?}");
    checked
}

#[test]
fn a_formula_is_explained() {
    let ops = ops(RMS_NORM);
    let [op] = &ops[..] else { panic!("one formula: {ops:?}") };
    assert_eq!((op.name.as_str(), op.when.as_str()), ("rms_norm", ""));
    assert!(op.formula.starts_with("fn rms_norm(x: Tensor![.., n], gamma: Tensor![n]"), "{}", op.formula);
    assert!(op.gradient.as_ref().is_some_and(|text| text.contains("grad_gamma = ")), "{:?}", op.gradient);
    assert!(op.saved.as_ref().is_some_and(|saved| saved.starts_with("`x`, `gamma`")), "{:?}", op.saved);
    assert!(op.cpu.forward.starts_with("kernel 0: row"), "{}", op.cpu.forward);
    assert!(op.cpu.code.contains("kernel") && op.gpu.code.contains("cube"));
    let dims: Vec<_> = op.dims.iter().map(|dim| (dim.name.as_str(), dim.sizes.as_slice())).collect();
    assert_eq!(dims, [("..", &[3, 4][..]), ("n", &[2])]);
}

#[test]
fn mistakes_stand_at_their_tokens() {
    let source =
        "fn f(x: Tensor![.., n]) -> Tensor![.., n] {\n    let é = sigmod(x);\n    é + cosh(x, 1, 2) + y\n}";
    let found = mistakes(source);
    let units: Vec<u16> = source.encode_utf16().collect();
    let at = |mistake: &Mistake| {
        let range = mistake.range;
        let token = String::from_utf16(&units[range.start..range.end]).unwrap();
        (range.line, range.column, token)
    };
    let places: Vec<_> = found.iter().map(at).collect();
    assert!(places.contains(&(2, 13, "sigmod".to_string())), "{found:?}");
    assert!(places.contains(&(3, 25, "y".to_string())), "{found:?}");
    assert!(found[0].message.contains("did you mean `sigmoid`?"), "{found:?}");
}

#[test]
fn a_bracket_without_a_partner_is_shown() {
    let source = "fn f(x: Tensor -> Tensor { x }";
    let range = mistakes(source)[0].range;
    assert_eq!((range.line, range.column, &source[range.start..range.end]), (1, 5, "("));
}

#[test]
fn what_is_no_declaration_is_a_mistake_in_the_text() {
    for source in ["", "fn f(", "fn f(x: Tensor) -> Tensor", "let x = 1;", "\"", "fn f() {} fn"] {
        let found = mistakes(source);
        assert!(!found.is_empty(), "{source}");
        for Mistake { message, range } in found {
            assert!(
                !message.is_empty() && range.start <= range.end && range.end <= source.len(),
                "{source}: {range:?}"
            );
        }
    }
}

#[test]
fn values_are_those_of_the_formula() {
    let question = Question {
        sizes: Sizes::from([("n".to_string(), vec![3])]),
        ..about("fn total(x: Tensor![n], ones: Tensor![n]) -> Tensor![n] { x * 0.0 + 2.0 + 0.0 * ones }")
    };
    let ran = run(&question).unwrap();
    assert_eq!(ran.args[0].ty, "f32 [3]");
    assert_eq!(ran.results[0].values, "2.00000  2.00000  2.00000");
    assert_eq!(ran.gradients[0].name, "grad_x");
    let again = run(&question).unwrap();
    assert_eq!(ran, again);
    assert_ne!(ran.args, run(&Question { seed: 1, ..question }).unwrap().args);
}

#[test]
fn gradients_start_from_the_seeds_that_are_shown() {
    let ran = run(&about("fn triple(x: Tensor![n]) -> Tensor![n] { 3.0 * x }")).unwrap();
    let numbers = |text: &str| -> Vec<f64> { text.split_whitespace().map(|x| x.parse().unwrap()).collect() };
    let (seeds, found) = (numbers(&ran.seeds[0].values), numbers(&ran.gradients[0].values));
    assert_eq!(seeds.len(), 2);
    assert!(seeds.iter().zip(&found).all(|(seed, found)| (3.0 * seed - found).abs() < 1e-4), "{ran:?}");
}

#[test]
fn sizes_that_the_op_refuses_are_told() {
    let with = |name: &str, sizes: &[usize]| {
        let sizes = Sizes::from([(name.to_string(), sizes.to_vec())]);
        run(&Question { sizes, ..about(RMS_NORM) })
    };
    assert!(with("n", &[1 << 40]).unwrap_err().contains("choose smaller sizes"));
    assert_eq!(with("..", &[]).unwrap().results[0].ty, "f32 [2]");
    assert_eq!(with("n", &[0]).unwrap().results[0].ty, "f32 [3, 4, 0]");
    let no_op = run(&Question { op: 7, ..about(RMS_NORM) });
    assert_eq!(no_op.unwrap_err(), "the declaration has 1 formulas");
}

#[test]
fn gradients_are_checked() {
    let relu = "fn f(x: Tensor) -> Tensor { maximum(x, 0.0) }";
    let index =
        "fn embedding(weight: Tensor![v, d], ids: IntTensor) -> Tensor![.., d] { at(weight, v = ids) }";
    let random = "fn drop(x: Tensor, p: f64, seed: Seed) -> Tensor { dropout(x, p, seed) }";
    for source in [RMS_NORM, relu, index, random] {
        let checked = holds(source);
        assert_eq!(checked[0].holds, Some(true), "{source}: {checked:?}");
        assert!(run(&about(source)).is_ok(), "{source}");
    }
    let ints = holds("fn next(x: IntTensor) -> IntTensor { x + 1 }");
    assert_eq!((ints[0].holds, ints[0].told.as_str()), (None, "no argument has a gradient"));
}

#[test]
fn a_call_chooses_among_formulas() {
    let source = "fn double(x: Tensor) -> Tensor { x + x }\n\
        fn linear(x: Tensor![.., i], w: Tensor![o, i], bias: Option<Tensor![o]>) -> Tensor![.., o] {\n\
        self::double(sum(x * w, i)) + bias.unwrap_or(0.0)\n}";
    let when: Vec<String> = ops(source).into_iter().map(|op| op.when).collect();
    assert_eq!(when, ["`bias` is passed", "`bias` is `None`"]);
    assert_eq!(run(&Question { op: 1, ..about(source) }).unwrap().args.len(), 2);
}

#[test]
fn deep_nesting_is_a_mistake() {
    let brackets =
        |count: usize| format!("fn f(x: Tensor) -> Tensor {{ {}x{} }}", "(".repeat(count), ")".repeat(count));
    assert_eq!(ops(&brackets(40)).len(), 1);
    assert!(mistakes(&brackets(2_000))[0].message.starts_with("more than 256 brackets"));
}

/// The examples of the page, which are in its menu as they are here.
#[test]
fn examples_are_right() {
    let page = include_str!("../page.html");
    let examples = page.split("<script type=\"text/plain\" class=\"example\"").skip(1);
    let sources: Vec<&str> = examples
        .map(|part| part.split_once('>').and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0)
        .collect();
    assert!(sources.len() >= 10);
    for source in sources {
        for (index, op) in ops(source).into_iter().enumerate() {
            let ran =
                run(&Question { op: index, ..about(source) }).unwrap_or_else(|why| panic!("{source}: {why}"));
            assert_eq!(ran.gradients.is_empty(), op.gradient.is_none(), "{source}");
        }
    }
}
