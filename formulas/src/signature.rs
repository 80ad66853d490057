//! Dims and arguments: plain tensors with an `Axis`, or tensors over named dims, some of them composite.

use crate::pool::{Kind, Value};
use crate::random::Random;
use std::collections::BTreeSet;

/// Dims by name; `..` is the group.
pub(crate) type Dims = BTreeSet<&'static str>;

/// The name of an `Axes`.
const AXES: &str = "rest";

/// Whether a name stands for one dim.
pub(crate) fn is_one(dim: &&'static str) -> bool {
    !["..", AXES].contains(dim)
}

/// What a declaration takes.
pub(crate) struct Signature {
    /// As written.
    args: Vec<String>,
    /// Those that have values.
    pub(crate) values: Vec<Value>,
    /// Dims that can be named, the group included.
    pub(crate) dims: Vec<&'static str>,
    /// Whether dims are chosen by an `Axis`: all tensors are plain.
    pub(crate) plain: bool,
    /// Whether the tensors are factors of products of matrices: none has all dims.
    pub(crate) factors: bool,
    /// A composite axis that results may have: its parts and its text.
    composite: Option<([&'static str; 2], String)>,
}

const NAMED: [&str; 4] = ["m", "n", "k", "j"];
const PARTS: [&str; 2] = ["g", "c"];

impl Signature {
    pub(crate) fn new(random: &mut Random) -> Signature {
        let plain = random.percent(25);
        let factors = !plain && random.percent(15);
        let mut signature =
            Signature { args: vec![], values: vec![], dims: vec![], plain, factors, composite: None };
        if factors {
            signature.factors(random);
        } else if plain {
            signature.axes(random);
            signature.tensors(random);
        } else {
            signature.named(random);
            signature.tensors(random);
        }
        signature.scalars(random);
        // Whatever gives dims their sizes may stand anywhere.
        random.shuffle(&mut signature.args);
        signature
    }

    fn axes(&mut self, random: &mut Random) {
        self.dims.push("..");
        for axis in ["axis", "other"].into_iter().take(random.below(3)) {
            self.dims.push(axis);
            let default = random.pick(&["", "#[default(-1)] "]);
            // Two axes of one default would be one.
            self.args.push(format!("{}{axis}: Axis", if axis == "axis" { default } else { "" }));
        }
        if random.percent(40) {
            self.dims.push(AXES);
            self.args.push(format!("{AXES}: Axes"));
        }
    }

    fn named(&mut self, random: &mut Random) {
        if random.percent(50) {
            self.dims.push("..");
        }
        self.dims.extend(&NAMED[..1 + random.below(NAMED.len())]);
        if random.percent(25) {
            let first = if random.percent(50) {
                "g = 2"
            } else {
                self.args.push("g: usize".into());
                "g"
            };
            self.composite = Some((PARTS, format!("({first}, c)")));
            self.dims.extend(PARTS);
        }
    }

    /// Tensors for `sum(x * y, k)`, and for a product of that with the third.
    fn factors(&mut self, random: &mut Random) {
        let group = random.percent(30);
        self.dims.extend(group.then_some(".."));
        self.dims.extend(NAMED);
        for (name, own) in [("x", ["m", "k"]), ("y", ["n", "k"]), ("z", ["n", "j"])] {
            let group = (group && random.percent(80)).then_some("..");
            let dims: Dims = own.into_iter().chain(group).collect();
            let ty = self.ty(Kind::Float, &dims, Some(random));
            self.args.push(format!("{name}: {ty}"));
            let (text, kind) = (name.into(), Kind::Float);
            self.values.push(Value { text, kind, dims, moves: true, used: false, index: false });
        }
    }

    fn tensors(&mut self, random: &mut Random) {
        for at in 0..1 + random.below(3) {
            self.tensor(["x", "y", "z"][at], at == 0, random);
        }
    }

    fn tensor(&mut self, name: &'static str, first: bool, random: &mut Random) {
        let kind =
            if first { Kind::Float } else { random.pick(&[Kind::Float, Kind::Float, Kind::Int, Kind::Bool]) };
        let mut dims = self.dims.clone();
        if !(self.plain || first) {
            dims = random.some(&dims, 60);
            // The parts of a composite come together.
            if dims.contains(&"c") != dims.contains(&"g") {
                dims.retain(|dim| !PARTS.contains(dim));
            }
        }
        let no_grad = kind == Kind::Float && !first && random.percent(15);
        let attribute = if no_grad { "#[no_grad] " } else { "" };
        let dims: Dims = dims.into_iter().collect();
        let ty = self.ty(kind, &dims, Some(random));
        self.args.push(format!("{attribute}{name}: {ty}"));
        let moves = kind == Kind::Float && !no_grad;
        self.values.push(Value {
            text: name.into(),
            kind,
            dims,
            moves,
            used: false,
            index: kind == Kind::Int,
        });
    }

    fn scalars(&mut self, random: &mut Random) {
        let scalars = [
            ("s: f64", "#[default(0.5)] s: f64", Kind::Float),
            ("i: i64", "#[default(2)] i: i64", Kind::Int),
            ("flag: bool", "#[default(true)] flag: bool", Kind::Bool),
        ];
        for (open, with_default, kind) in random.some(&scalars, 15) {
            self.args.push(random.pick(&[open, with_default]).to_string());
            let text = open.split(':').next().unwrap_or_default().to_string();
            self.values.push(Value {
                text,
                kind,
                dims: Dims::new(),
                moves: false,
                used: false,
                index: false,
            });
        }
        if random.percent(8) {
            self.list(random);
        }
    }

    /// Two numbers that a caller passes as one argument.
    fn list(&mut self, random: &mut Random) {
        let default = random.pick(&["", "#[default(2)] ", "#[default([2, -1])] "]);
        self.args.push(format!("{default}list @ [u, v]: [i64; 2]"));
        for name in ["u", "v"] {
            self.values.push(Value {
                text: name.into(),
                kind: Kind::Int,
                dims: Dims::new(),
                moves: false,
                used: false,
                index: false,
            });
        }
    }

    /// The type of a tensor; its axes in any order if there is a choice.
    fn ty(&self, kind: Kind, dims: &Dims, random: Option<&mut Random>) -> String {
        let name = kind.tensor();
        if self.plain {
            return if dims.contains("..") { name.into() } else { format!("{name}![]") };
        }
        let mut axes: Vec<String> =
            dims.iter().filter(|dim| **dim != "..").map(|dim| dim.to_string()).collect();
        if let Some((parts, text)) = &self.composite
            && parts.iter().all(|part| dims.contains(part))
        {
            axes.retain(|axis| !parts.contains(&axis.as_str()));
            axes.push(text.clone());
        }
        if dims.contains("..") {
            axes.insert(0, "..".into());
        }
        if let Some(random) = random {
            random.shuffle(&mut axes);
        }
        format!("{name}![{}]", axes.join(", "))
    }

    pub(crate) fn arguments(&self) -> String {
        self.args.join(", ")
    }

    pub(crate) fn results(&self, values: &[Value]) -> String {
        let types: Vec<String> = values.iter().map(|value| self.ty(value.kind, &value.dims, None)).collect();
        if types.len() == 1 { types.concat() } else { format!("({})", types.join(", ")) }
    }
}
