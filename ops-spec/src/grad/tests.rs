use super::backward;
use crate::ir::{Arg, Builder, GivenRule, Graph, Kind, Role, Scalar, Value};
use crate::prim::{Fold, Prim};
use crate::testing::{Sizes, check_gradient, check_gradient_at, eval, gradients, one, set, sketch};

/// Points for a primitive: inside its domain, away from its special points.
fn points(prim: Prim) -> &'static [&'static [f64]] {
    match prim {
        Prim::Asin | Prim::Acos | Prim::Atanh => &[&[0.3], &[-0.7], &[0.9]],
        Prim::Acosh => &[&[1.2], &[2.5], &[9.0]],
        Prim::Ln | Prim::Log2 | Prim::Sqrt | Prim::Rsqrt => &[&[0.4], &[1.5], &[3.0]],
        Prim::Log1p => &[&[-0.5], &[0.1], &[2.0]],
        Prim::Pow => &[&[0.4, 2.0], &[1.5, -0.7], &[3.0, 0.3]],
        Prim::Rem => &[&[5.3, 2.0], &[-5.3, 2.0], &[0.7, -0.4]],
        Prim::Atan2 => &[&[0.4, 1.1], &[-1.3, 0.7], &[2.2, -1.9], &[0.7, 0.7], &[0.6, 0.0], &[0.0, 1.3]],
        Prim::Asinh => &[&[0.4], &[-1.3], &[2.2], &[0.0]],
        _ => match prim.row().operands.len() {
            1 => &[&[0.4], &[-1.3], &[2.2]],
            2 => &[&[0.4, 1.1], &[-1.3, 0.7], &[2.2, -1.9]],
            _ => &[&[1.0, 0.4, 1.1], &[0.0, -1.3, 0.7], &[1.0, 2.2, -1.9]],
        },
    }
}

fn of_prim(prim: Prim) -> Graph {
    let names = [("a", ""), ("b", ""), ("c", "")];
    sketch("", &names[..prim.row().operands.len()], |b, args| {
        let mut args = args.to_vec();
        if prim == Prim::Select {
            args[0] = args[0].zip(Prim::Gt, b.float(0.5));
        }
        vec![(b.apply(prim, &args), "")]
    })
}

/// Arguments of the gradient of `graph` at a point where the result's gradient is 0.8.
fn backward_args(graph: &Graph, back: &Graph, args: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let results = eval(graph, &Sizes(vec![]), args);
    let value = |arg: &Arg| match arg.role {
        Role::Forward(i) => args[i].clone(),
        Role::Output(k) => results[k].clone(),
        Role::Grad(_) | Role::Tangent(_) => vec![0.8],
    };
    back.args.iter().map(value).collect()
}

#[test]
fn rules_agree_with_differences_twice() {
    for prim in Prim::ALL.iter().filter(|prim| prim.row().rule.is_ok()) {
        let graph = of_prim(*prim);
        for point in points(*prim) {
            let args: Vec<Vec<f64>> = point.iter().map(|x| vec![*x]).collect();
            check_gradient_at(&graph, &Sizes(vec![]), &args);
            let back = backward(&graph).expect("a gradient");
            // Its derivative is `trigamma`, which has none.
            if *prim != Prim::Digamma {
                check_gradient_at(&back, &Sizes(vec![]), &backward_args(&graph, &back, &args));
            }
        }
    }
}

/// Gradients of a scalar formula for the gradient 1.
fn at_point(prim: Prim, point: &[f64]) -> Vec<f64> {
    let args: Vec<Vec<f64>> = point.iter().map(|x| vec![*x]).collect();
    gradients(&of_prim(prim), &Sizes(vec![]), &args, &[vec![1.0]]).concat()
}

#[test]
fn conventions_are_pytorchs() {
    assert_eq!(at_point(Prim::Maximum, &[2.0, 2.0]), [0.5, 0.5]);
    assert_eq!(at_point(Prim::Minimum, &[-1.0, -1.0]), [0.5, 0.5]);
    assert_eq!(at_point(Prim::Maximum, &[f64::NAN, 1.0]), [1.0, 1.0]);
    assert_eq!(at_point(Prim::Abs, &[0.0]), [0.0]);
    assert_eq!(at_point(Prim::Pow, &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at_point(Prim::Pow, &[0.0, 2.0]), [0.0, 0.0]);
    assert_eq!(at_point(Prim::Atan2, &[0.0, 0.0]), [0.0, 0.0]);
    assert_eq!(at_point(Prim::Sqrt, &[0.0]), [f64::INFINITY]);
    assert_eq!(at_point(Prim::Rem, &[-5.5, 2.0]), [1.0, 2.0]);
}

/// No rule squares an argument whose square overflows or vanishes.
#[test]
fn gradients_hold_at_large_and_small_arguments() {
    let check = |prim: Prim, point: &[f64], wanted: &[f64]| {
        let found = at_point(prim, point);
        let is_close = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 1e-15 * wanted.abs();
        assert!(found.iter().zip(wanted).all(is_close), "{} at {point:?}: {found:?}", prim.name());
    };
    for x in [1e9, 1e200, 1e300] {
        check(Prim::Asinh, &[-x], &[1.0 / x]);
        check(Prim::Acosh, &[x], &[1.0 / x]);
    }
    for scale in [1e-300, 1e-200, 1.0, 1e200, 1e300] {
        let [long, short] = [4.0, 3.0].map(|side| side / 25.0 / scale);
        check(Prim::Atan2, &[3.0 * scale, 4.0 * scale], &[long, -short]);
        check(Prim::Atan2, &[-4.0 * scale, 3.0 * scale], &[short, long]);
    }
    check(Prim::Atan2, &[1e-200, 1e200], &[1e-200, 0.0]);
    for x in [f64::INFINITY, -f64::INFINITY] {
        assert_eq!([Prim::Asinh, Prim::Acosh].map(|prim| at_point(prim, &[x])), [[0.0], [0.0]]);
        assert_eq!(at_point(Prim::Atan2, &[2.0, x])[1], 0.0);
    }
}

#[test]
fn broadcast_operands_are_summed_by_name() {
    let graph =
        sketch("b n", &[("x", "b n"), ("w", "n"), ("s", "")], |_, a| vec![((a[0] + a[1]) * a[2], "b n")]);
    check_gradient(&graph, &[3, 2]);
}

#[test]
fn a_result_that_broadcasts_counts_each_copy() {
    let graph = sketch("b n", &[("x", "n")], |_, a| vec![(a[0].map(Prim::Exp), "b n")]);
    check_gradient(&graph, &[3, 2]);
}

#[test]
fn a_constant_gradient_counts_as_often_as_its_dim_is_long() {
    let graph = sketch("b n", &[("x", "b n"), ("w", "n")], |b, a| {
        vec![((a[0] + a[1].square()).reduce(Fold::Sum, set(b, "b n")), "")]
    });
    check_gradient(&graph, &[3, 2]);
}

#[test]
fn reductions_agree_with_differences() {
    for fold in [Fold::Sum, Fold::Prod, Fold::Max, Fold::Min] {
        let graph = sketch("b n m", &[("x", "b n m"), ("y", "m")], |b, a| {
            vec![((a[0] * a[1]).reduce(fold, set(b, "b m")).map(Prim::Sin), "n")]
        });
        check_gradient(&graph, &[2, 3, 2]);
    }
}

fn reduced(fold: Fold, x: &[f64]) -> Vec<f64> {
    let graph = sketch("n", &[("x", "n")], |b, a| vec![(a[0].reduce(fold, set(b, "n")), "")]);
    gradients(&graph, &Sizes(vec![x.len()]), &[x.to_vec()], &[vec![1.0]]).concat()
}

#[test]
fn products_with_zeros_and_ties_are_exact() {
    assert_eq!(reduced(Fold::Prod, &[2.0, 0.0, 3.0]), [0.0, 6.0, 0.0]);
    assert_eq!(reduced(Fold::Prod, &[2.0, 0.0, 0.0]), [0.0, 0.0, 0.0]);
    assert_eq!(reduced(Fold::Prod, &[2.0, 4.0, 3.0]), [12.0, 6.0, 8.0]);
    assert_eq!(reduced(Fold::Max, &[1.0, 2.0, 2.0]), [0.0, 0.5, 0.5]);
    assert_eq!(reduced(Fold::Min, &[1.0, 2.0, 1.0]), [0.5, 0.0, 0.5]);
}

/// As PyTorch has it: the product of the others, in which a zero and an infinity give NaN.
#[test]
fn products_of_zeros_and_infinities() {
    const INF: f64 = f64::INFINITY;
    let check =
        |x: &[f64], wanted: &str| assert_eq!(format!("{:?}", reduced(Fold::Prod, x)), wanted, "{x:?}");
    check(&[INF, 1.0, 2.0, 0.0], "[0.0, NaN, NaN, inf]");
    check(&[-INF, 1.0, 2.0, 0.0], "[0.0, NaN, NaN, -inf]");
    check(&[INF, INF, 1.0, 0.0], "[NaN, NaN, NaN, inf]");
    check(&[INF, 0.0, 0.0], "[0.0, NaN, NaN]");
    check(&[f64::NAN, 1.0, 0.0], "[0.0, NaN, NaN]");
}

#[test]
fn indexing_agrees_with_differences() {
    let pick = sketch("b v", &[("x", "b v"), ("t", "int b")], |b, a| {
        vec![(a[0].square().at(one(b, "v"), a[1]), "b")]
    });
    check_gradient(&pick, &[3, 2]);
    assert!(
        !backward(&pick).expect("a gradient").to_string().contains("scatter"),
        "one read per element fuses"
    );
    let embed = sketch("b v d", &[("x", "v d"), ("t", "int b")], |b, a| {
        vec![(a[0].square().at(one(b, "v"), a[1]), "b d")]
    });
    check_gradient(&embed, &[3, 2, 2]);
    assert!(backward(&embed).expect("a gradient").to_string().contains("scatter_add"));
    let summed = sketch("b v d", &[("x", "v d"), ("t", "int b")], |b, a| {
        vec![(a[0].at(one(b, "v"), a[1]).reduce(Fold::Sum, set(b, "b d")), "")]
    });
    check_gradient(&summed, &[3, 2, 2]);
    let permuted = sketch("b v", &[("x", "b v"), ("t", "int v")], |b, a| {
        vec![(a[0].square().at(one(b, "v"), a[1]), "b v")]
    });
    check_gradient(&permuted, &[3, 2]);
}

#[test]
fn several_results_add_up() {
    let graph = sketch("n", &[("x", "n"), ("y", "n")], |_, a| {
        let s = a[0] * a[1];
        vec![(s.map(Prim::Sin), "n"), (s, "n"), (a[1].square(), "n")]
    });
    check_gradient(&graph, &[3]);
}

fn error(graph: &Graph) -> String {
    let errors = backward(graph).expect_err("no gradient");
    errors.into_iter().map(|e| format!("{}: {}\n", e.node, e.reason)).collect()
}

#[test]
fn what_has_no_derivative_is_an_error() {
    let floor = sketch("n", &[("x", "n")], |_, a| vec![(a[0].map(Prim::Exp).map(Prim::Floor), "n")]);
    assert!(
        error(&floor).contains("`floor` is flat wherever it has a derivative: write `stop_grad(floor(..))`")
    );
    let argmax = sketch("n", &[("x", "n")], |b, a| {
        vec![(a[0].reduce(Fold::ArgMax, set(b, "n")).cast(Kind::Float), "")]
    });
    assert!(error(&argmax).contains("`argmax` gives an index and has no derivative"), "{}", error(&argmax));
    let count =
        sketch("n", &[("x", "n")], |b, a| vec![(a[0].zip(Prim::Gt, b.float(0.0)).cast(Kind::Float), "n")]);
    assert!(error(&count).contains("`>` is a choice and has no derivative"), "{}", error(&count));
}

#[test]
fn what_needs_no_derivative_is_no_error() {
    let detached = sketch("n", &[("x", "n")], |_, a| vec![(a[0] * a[0].map(Prim::Floor).stop_grad(), "n")]);
    check_gradient(&detached, &[2]);
    let other =
        sketch("n", &[("x", "n"), ("y", "no_grad n")], |_, a| vec![(a[0] * a[1].map(Prim::Floor), "n")]);
    check_gradient(&other, &[2]);
    let mask = sketch("n", &[("x", "n")], |b, a| {
        vec![(b.select(a[0].zip(Prim::Gt, b.float(1.0)), a[0].square(), a[0]), "n")]
    });
    check_gradient(&mask, &[4]);
    // A `select` between ints needs no derivative either, if only its condition depends on `x`.
    let factor = sketch("n", &[("x", "n")], |b, a| {
        let large = a[0].zip(Prim::Gt, b.float(1.0));
        let (two, three) = (b.literal(Scalar::Int(2)), b.literal(Scalar::Int(3)));
        vec![(a[0] * b.select(large, two, three).cast(Kind::Float), "n")]
    });
    check_gradient(&factor, &[4]);
}

#[test]
fn an_input_without_influence_gets_zeros() {
    let graph = sketch("n", &[("x", "n"), ("y", "n")], |_, a| vec![(a[0].square() + a[1].stop_grad(), "n")]);
    let found = gradients(&graph, &Sizes(vec![2]), &[vec![1.0, 3.0], vec![5.0, 5.0]], &[vec![1.0, 2.0]]);
    assert_eq!(found, [[2.0, 12.0], [0.0, 0.0]]);
}

/// `value`, with `rule(seed)` given for `input`.
fn given<'b>(
    b: &'b Builder,
    value: Value<'b>,
    input: Value<'b>,
    rule: impl Fn(Value<'b>) -> Value<'b>,
) -> Value<'b> {
    let seed = b.seed(0, value.dims());
    b.given(value.id, vec![GivenRule { input: input.id, rule: rule(seed).id, seed: seed.id }])
}

#[test]
fn a_given_rule_is_used_and_the_rest_is_derived() {
    let graph = sketch("n", &[("x", "n"), ("y", "n")], |b, a| {
        let value = a[0].map(Prim::Floor) * a[1];
        vec![(given(b, value, a[0], |seed| 3.0 * seed * a[1]), "n")]
    });
    let found = gradients(&graph, &Sizes(vec![1]), &[vec![2.5], vec![7.0]], &[vec![1.0]]);
    assert_eq!(found, [[21.0], [2.0]]);
}

/// Each level is looked at once for a set of cuts. If it were once for each way to get there, this test would
/// not end.
#[test]
fn given_rules_may_be_nested_deeply() {
    let graph = sketch("n", &[("x", "n"), ("y", "n")], |b, a| {
        let square = a[0].square();
        let mut value = square;
        for _ in 0..40 {
            value = given(b, value * a[1] + square, square, |seed| 2.0 * seed);
        }
        vec![(value, "n")]
    });
    let gradient = gradients(&graph, &Sizes(vec![1]), &[vec![3.0], vec![0.0]], &[vec![1.0]]);
    assert_eq!(gradient[0], [12.0], "2 by the rule, 6 for the square");
}

#[test]
fn a_given_rule_holds_in_the_second_order() {
    // The inner negations cancel in simplification; the rule must still stand for all paths.
    let graph = sketch("n", &[("x", "n")], |b, a| {
        let t = -a[0];
        let value = (-t).map(Prim::Exp);
        vec![(given(b, value, t, |seed| -(seed * value)).square(), "n")]
    });
    check_gradient(&graph, &[2]);
}

#[test]
fn a_rule_sees_a_gradient_with_fewer_dims() {
    let graph = sketch("b n", &[("x", "b n"), ("w", "n")], |b, a| {
        let value = a[0] * a[1];
        let y = given(b, value, a[1], |seed| (seed * a[0]).reduce(Fold::Sum, set(b, "b")));
        vec![(y.reduce(Fold::Sum, set(b, "b n")), "")]
    });
    check_gradient(&graph, &[3, 2]);
}

/// Names of the arguments of the gradient, shapes in brackets.
fn kept(graph: &Graph) -> String {
    let back = backward(graph).expect("a gradient");
    let name = |arg: &Arg| match arg.ty {
        crate::ir::ArgType::Shape { .. } => format!("[{}]", arg.name),
        _ => arg.name.clone(),
    };
    back.args.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn only_what_rules_need_is_kept() {
    let of = |build: for<'b> fn(&'b Builder, &[Value<'b>]) -> Value<'b>| {
        kept(&sketch("b n", &[("x", "b n"), ("y", "b n")], |b, a| vec![(build(b, a), "b n")]))
    };
    assert_eq!(of(|_, a| a[0] + a[1]), "[x] [y] grad_out");
    assert_eq!(of(|_, a| a[0] * a[1]), "x y grad_out");
    assert_eq!(of(|_, a| a[0].map(Prim::Tanh) + a[1].map(Prim::Sin)), "x y grad_out");
    assert_eq!(of(|_, a| (a[0] + a[1]).map(Prim::Tanh)), "[x] [y] out grad_out", "a result saves two inputs");
    assert_eq!(of(|b, a| (a[0] * a[1]).reduce(Fold::Sum, set(b, "n"))), "x y grad_out");
    let scalar =
        sketch("n", &[("x", "n"), ("eps", "f64"), ("unused", "f64")], |_, a| vec![(a[0] * a[1], "n")]);
    assert_eq!(kept(&scalar), "[x] eps grad_out");
    let sized = sketch("b n", &[("x", "n"), ("t", "int b")], |b, a| {
        vec![(a[0] * b.len(set(b, "b"), Kind::Float), "n")]
    });
    assert_eq!(kept(&sized), "[x] [t] grad_out", "the shape of `t` gives the size of `b`");
}

#[test]
fn a_saved_result_spares_a_contraction() {
    let graph = sketch("m k n", &[("a", "m k"), ("b", "k n")], |b, a| {
        vec![((a[0] * a[1]).reduce(Fold::Sum, set(b, "k")).map(Prim::Exp), "m n")]
    });
    assert_eq!(kept(&graph), "a b out grad_out");
    check_gradient(&graph, &[2, 3, 2]);
}

#[test]
fn the_axis_argument_stays_for_its_dim() {
    let graph = sketch(".. axis", &[("x", ".."), ("axis", "axis")], |b, a| {
        vec![(a[0] * a[0].reduce(Fold::Sum, set(b, "axis")), "..")]
    });
    assert_eq!(kept(&graph), "x axis grad_out");
    check_gradient(&graph, &[2, 3]);
}

#[test]
fn the_group_is_bound_by_all_arguments_when_no_result_has_it() {
    let graph = sketch("..", &[("x", ".."), ("t", "int .."), ("y", "..")], |b, a| {
        vec![((a[0] + a[2]).reduce(Fold::Sum, set(b, "..")), "")]
    });
    assert_eq!(kept(&graph), "[x] [t] [y] grad_out");
}

/// A formula of some twenty operations, all smooth and of moderate size.
fn random_formula(seed: u64) -> Graph {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    sketch("b n m", &[("x", "b n"), ("y", "n m"), ("z", "b"), ("w", "m")], |b, args| {
        let mut values = args.to_vec();
        for _ in 0..20 {
            let a = values[below(values.len())];
            let other = values[below(values.len())];
            values.push(match below(12) {
                0 => a.map(Prim::Tanh),
                1 => -a,
                2 => a + other,
                3 => a - other,
                4 => a * other.map(Prim::Sin),
                5 => a / (other * other + 2.0),
                6 => a.map(Prim::Sin) * a,
                7 => b.select(a.zip(Prim::Lt, other), a, a * other.map(Prim::Cos)),
                8 => a * 0.5,
                9 => (a * 0.1).map(Prim::Tanh).map(Prim::Exp) * other.map(Prim::Tanh),
                10 | 11 if !a.dims().is_empty() => {
                    let dims: Vec<_> = a.dims().iter().collect();
                    let dim = crate::ir::DimSet::one(dims[below(dims.len())]);
                    let mean = a.reduce(Fold::Sum, dim) / b.len(dim, Kind::Float);
                    if below(2) == 0 { mean } else { a - mean }
                }
                _ => a.square().map(Prim::Tanh),
            });
        }
        let last = values[values.len() - 1] + values[values.len() - 2].map(Prim::Sin);
        vec![(last, "b n m"), (values[values.len() - 3].map(Prim::Tanh), "b n m")]
    })
}

#[test]
fn random_formulas_agree_with_differences() {
    for seed in 0..3 {
        check_gradient(&random_formula(seed), &[2, 3, 2]);
    }
}
