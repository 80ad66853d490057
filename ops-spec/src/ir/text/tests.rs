use crate::ir::{
    Arg, ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, GivenRule, Graph, IntSource, Kind, Output,
    Precision, Role, Scalar, ScalarType,
};
use crate::prim::{Fold, Prim};

/// A graph without nodes, with every form of every declaration.
fn declarations() -> Graph {
    let dim = |name: &str, kind| Dim { name: name.into(), kind };
    let arg = |name: &str, ty, role| Arg { name: name.into(), list: None, like: None, ty, role };
    let [group, n, _, g, half] = [0, 1, 2, 3, 4].map(DimId::new);
    let tensor = |kind, axes, no_grad| ArgType::Tensor { kind, axes, no_grad };
    let scalar = |ty, default| ArgType::Scalar { ty, default };
    Graph {
        name: "every".into(),
        precision: Some(Precision::Highest),
        dims: vec![
            dim("..", DimKind::Group),
            dim("n", DimKind::Named),
            dim("axis", DimKind::Axis(2)),
            dim("groups", DimKind::Sized(3)),
            dim("half", DimKind::Fixed(2)),
        ],
        args: vec![
            arg(
                "x",
                tensor(Kind::Float, vec![Axis::Dim(group), Axis::Parts(vec![g, half])], false),
                Role::Forward(0),
            ),
            arg("t", tensor(Kind::Int, vec![Axis::Dim(n)], true), Role::Forward(1)),
            arg("axis", ArgType::Axis { default: Some(-1), several: false }, Role::Forward(2)),
            arg("groups", scalar(ScalarType::Usize, None), Role::Forward(3)),
            arg("eps", scalar(ScalarType::F64, Some(Scalar::Float(1e-6))), Role::Forward(4)),
            arg("on", scalar(ScalarType::Bool, Some(Scalar::Bool(true))), Role::Forward(5)),
            arg("y", ArgType::Shape { axes: vec![Axis::Dim(n)] }, Role::Output(0)),
            arg("grad_out", tensor(Kind::Float, vec![], false), Role::Grad(0)),
        ],
        nodes: vec![],
        outputs: vec![],
    }
}

/// A graph with every form of every declaration and node.
fn every_form() -> Graph {
    let [group, n, axis, g, half] = [0, 1, 2, 3, 4].map(DimId::new);
    let builder = Builder::new(declarations());
    let dims = |ids: &[DimId]| ids.iter().copied().collect::<DimSet>();
    let x = builder.input(0, dims(&[group, axis, g, half]), Kind::Float);
    let t = builder.input(1, dims(&[n]), Kind::Int);
    for value in [0.1, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, 1e300] {
        builder.float(value);
    }
    builder.literal(Scalar::Int(i64::MIN));
    builder.literal(Scalar::Bool(false));
    builder.len(dims(&[n, g]), Kind::Int);
    builder.iota(n).cast(Kind::Float);
    let all: Vec<_> =
        Fold::ALL.iter().map(|f| if f.accepts(Kind::Float) { x } else { x.zip(Prim::Lt, x) }).collect();
    for (fold, operand) in Fold::ALL.iter().zip(all) {
        operand.reduce(*fold, dims(&[axis, g]));
    }
    let e = x.map(Prim::Exp).stop_grad();
    builder.name(e.id, "e");
    let picked = e.at(axis, t);
    let spread = picked.scatter(Fold::Sum, axis, t, e.dims());
    let seed = builder.seed(3, spread.dims());
    let rules = vec![GivenRule { input: x.id, rule: (seed * x).id, seed: seed.id }];
    let out = builder.given(spread.id, rules);
    builder.declare(|graph| {
        let axes = vec![Axis::Dim(group), Axis::Parts(vec![g, half])];
        graph.outputs.push(Output {
            name: "grad_x".into(),
            node: out.id,
            axes,
            like: Some(6),
            hidden: false,
            ints: IntSource::default(),
        });
        graph.outputs.push(Output {
            name: "out".into(),
            node: out.id,
            axes: vec![],
            like: None,
            hidden: true,
            ints: IntSource { args: vec![0, 1], sums: true, counts: true },
        });
    });
    builder.finish()
}

#[test]
fn what_is_printed_reads_back() {
    let graph = every_form();
    let text = graph.to_string();
    assert_eq!(Graph::parse(&text), Ok(graph), "{text}");
}

#[test]
fn a_line_reads_as_the_language_does() {
    let text = every_form().to_string();
    for line in [
        "dim axis axis axis",
        "dim groups sized groups",
        "arg x: float[.., (groups, half)], forward 0",
        "arg axis: axis = -1, forward 2",
        "arg eps: f64 = 1e-6, forward 4",
        "out grad_x = %",
        " = input t : int[n]",
        "] like y",
        " = literal -0.0 : float[]",
    ] {
        assert!(text.contains(line), "`{line}` is not in\n{text}");
    }
}

#[test]
fn what_no_printer_wrote_is_an_error() {
    let head = "op f\ndim n named\narg x: float[n], forward 0\n";
    for (tail, line, message) in [
        ("%0 = input y : float[n]", 4, "no argument is named `y`"),
        ("%0 = exp(%0) : float[n]", 4, "%0 comes later"),
        ("%1 = input x : float[n]", 4, "out of order"),
        ("%0 = input x : float[m]", 4, "no dim is named `m`"),
        ("%0 = input x : float[n]\n%1 = add(%0) : float[n]", 5, "don't fit"),
        ("%0 = input x : float[n]\n%1 = and(%0, %0) : bool[n]", 5, "don't fit"),
        ("%0 = input x : float[]\n%1 = sum(%0; n) : float[]", 5, "don't fit"),
        ("%0 = literal one : float[]", 4, "`one` is no number"),
        ("%0 = frobnicate(%0) : float[]", 4, "`frobnicate` is no operation"),
        ("%0 = input x : float[n] extra", 4, "`extra` is left over"),
        ("arg x: float[n], forward 0", 4, "there already"),
        ("dim n named", 4, "there already"),
        ("nonsense", 4, "begins no line"),
    ] {
        let error = Graph::parse(&format!("{head}{tail}\n")).expect_err(tail);
        assert_eq!(error.line, line, "{tail}: {error}");
        assert!(error.message.contains(message), "{tail}: {error}");
    }
    assert!(Graph::parse("").is_err());
}
