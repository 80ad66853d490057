use super::{simplify, strip};
use crate::grad::backward;
use crate::ir::{Builder, Graph, Kind, Op, Value, formula};
use crate::prim::{Fold, Prim};
use crate::testing::{check_gradient, one, set, sketch};

fn softmax() -> Graph {
    sketch("b n", &[("x", "b n")], |b, a| {
        let n = set(b, "n");
        let e = (a[0] - a[0].reduce(Fold::Max, n).stop_grad()).map(Prim::Exp);
        vec![(e / e.reduce(Fold::Sum, n), "b n")]
    })
}

fn mean<'b>(b: &'b Builder, x: Value<'b>, dims: &str) -> Value<'b> {
    x.reduce(Fold::Sum, set(b, dims)) / b.len(set(b, dims), Kind::Float)
}

fn rms_norm() -> Graph {
    sketch("b n", &[("x", "b n"), ("gamma", "n"), ("eps", "f64")], |b, a| {
        let r = (mean(b, a[0] * a[0], "n") + a[2]).map(Prim::Rsqrt);
        vec![(a[0] * r * a[1], "b n")]
    })
}

fn layer_norm() -> Graph {
    let args = [("x", "b n"), ("gamma", "n"), ("beta", "n"), ("eps", "f64")];
    sketch("b n", &args, |b, a| {
        let d = a[0] - mean(b, a[0], "n");
        let r = (mean(b, d * d, "n") + a[3]).map(Prim::Rsqrt);
        vec![(d * r * a[1] + a[2], "b n")]
    })
}

fn cross_entropy() -> Graph {
    sketch("b v", &[("x", "b v"), ("t", "int b")], |b, a| {
        let v = set(b, "v");
        let m = a[0].reduce(Fold::Max, v).stop_grad();
        let lse = (a[0] - m).map(Prim::Exp).reduce(Fold::Sum, v).map(Prim::Ln) + m;
        vec![(lse - a[0].at(one(b, "v"), a[1]), "b")]
    })
}

#[test]
fn show() {
    for graph in [softmax(), rms_norm(), layer_norm(), cross_entropy()] {
        println!("{}\n", formula(&backward(&graph).expect("a gradient")));
        println!("{}\n----", formula(&strip(&backward(&graph).expect("a gradient"))));
        check_gradient(&graph, &[2, 3]);
    }
}
