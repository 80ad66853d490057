use super::backward;
use crate::ir::{Graph, Kind};
use crate::prim::{Fold, Prim, Signature};
use crate::testing::{Sizes, check_gradient, check_gradient_at, gradients, one, set, sketch};

/// Points for a primitive: inside its domain, away from where it is special.
fn points(prim: Prim) -> &'static [&'static [f64]] {
    match prim {
        Prim::Asin | Prim::Acos | Prim::Atanh => &[&[0.3], &[-0.7], &[0.9]],
        Prim::Acosh => &[&[1.2], &[2.5], &[9.0]],
        Prim::Ln | Prim::Log2 | Prim::Sqrt | Prim::Rsqrt => &[&[0.4], &[1.5], &[3.0]],
        Prim::Log1p => &[&[-0.5], &[0.1], &[2.0]],
        Prim::Pow => &[&[0.4, 2.0], &[1.5, -0.7], &[3.0, 0.3]],
        Prim::Rem => &[&[5.3, 2.0], &[-5.3, 2.0], &[0.7, -0.4]],
        _ => match prim.row().arity {
            1 => &[&[0.4], &[-1.3], &[2.2]],
            2 => &[&[0.4, 1.1], &[-1.3, 0.7], &[2.2, -1.9]],
            _ => &[&[1.0, 0.4, 1.1], &[0.0, -1.3, 0.7], &[1.0, 2.2, -1.9]],
        },
    }
}

fn of_prim(prim: Prim) -> Graph {
    let names = [("a", ""), ("b", ""), ("c", "")];
    sketch("", &names[..prim.row().arity], |b, args| {
        let mut args = args.to_vec();
        if prim == Prim::Select {
            args[0] = args[0].zip(Prim::Gt, b.float(0.5)) ;
        }
        vec![(b.apply(prim, &args), "")]
    })
}

#[test]
fn rules_agree_with_differences() {
    let takes_floats = |p: &&Prim| {
        matches!(p.row().signature, Signature::Float | Signature::Number | Signature::Select)
    };
    for prim in Prim::ALL.iter().filter(takes_floats).filter(|p| p.row().rule.is_ok()) {
        let graph = of_prim(*prim);
        for point in points(*prim) {
            let args: Vec<Vec<f64>> = point.iter().map(|x| vec![*x]).collect();
            check_gradient_at(&graph, &Sizes(vec![]), &args);
            let back = backward(&graph).expect("a gradient");
            let results = crate::testing::eval(&graph, &Sizes(vec![]), &args);
            let value = |arg: &crate::ir::Arg| match arg.role {
                crate::ir::Role::Forward(i) => args[i].clone(),
                crate::ir::Role::Output(k) => results[k].clone(),
                crate::ir::Role::Grad(_) => vec![0.8],
            };
            check_gradient_at(&back, &Sizes(vec![]), &back.args.iter().map(value).collect::<Vec<_>>());
        }
    }
}
