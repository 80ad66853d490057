//! Prints the program of a pass as Rust: names, `let` statements and parentheses. A dialect spells single
//! operations.
//!
//! A value that is used twice, or was bound by a `let` of the user, becomes a `let`; the rest is nested.
//! Values that do not vary along the row stand before the loop.

use super::names::Names;
use crate::ir::{DimSet, Graph, Kind, Op, Scalar};
use crate::prim::{Binding, Prim};
use crate::schedule::{Compute, Pass, Program, Step, ValueId};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Expressions that are deeper are cut in two.
const DEEPEST: usize = 64;

/// How a target language spells an operation. Operands come with their kinds; the dialect puts an operand in
/// parentheses if its [`Binding`] is too weak.
pub(super) trait Dialect {
    /// A primitive over operands of one kind (a select's: that of its branches).
    fn apply(&self, prim: Prim, kind: Kind, args: &[Spelled]) -> Spelled;
    /// A conversion.
    fn cast(&self, from: Kind, to: Kind, value: &Spelled) -> Spelled;
    /// A constant.
    fn literal(&self, value: Scalar) -> Spelled;
}

/// Tokens of an expression, and how tightly they bind.
#[derive(Clone, Debug)]
pub(super) struct Spelled {
    pub(super) tokens: TokenStream,
    pub(super) binding: Binding,
}

impl Spelled {
    pub(super) fn atom(tokens: TokenStream) -> Spelled {
        Spelled { tokens, binding: Binding::Whole }
    }

    /// The expression where it must bind at least this tightly.
    pub(super) fn at(&self, binding: Binding) -> TokenStream {
        let tokens = &self.tokens;
        if self.binding >= binding { quote!(#tokens) } else { quote!((#tokens)) }
    }
}

/// The statements and results of a pass.
pub(super) struct Body {
    /// Names of the uniforms of the program.
    pub(super) uniforms: Vec<Ident>,
    /// Names of its elements.
    pub(super) elements: Vec<Ident>,
    /// Statements before the loop.
    pub(super) before: Vec<TokenStream>,
    /// Statements inside the loop.
    pub(super) inside: Vec<TokenStream>,
    /// Spelling of each result.
    pub(super) results: Vec<TokenStream>,
    /// The names of some values, if they have one.
    names: Vec<Option<Ident>>,
}

impl Body {
    /// The name of an input, or of a value that is computed before the loop and read in it.
    pub(super) fn name(&self, value: ValueId) -> &Ident {
        self.names[value.0 as usize].as_ref().expect("what the loop reads of what is before it has a name")
    }
}

/// Prints the program of a pass. `reserved` are names that the surrounding code uses.
pub(super) fn body(graph: &Graph, pass: &Pass, dialect: &dyn Dialect, reserved: &[&str]) -> Body {
    let program = &pass.program;
    let printer = Printer { graph, pass, program };
    let mut names = Names::new(reserved);
    let mut spelled: Vec<Option<Spelled>> = vec![None; program.value_count()];
    let mut idents: Vec<Option<Ident>> = vec![None; program.value_count()];
    let mut input = |value: ValueId| {
        let ident = names.fresh(&printer.input_name(value));
        spelled[value.0 as usize] = Some(Spelled::atom(quote!(#ident)));
        idents[value.0 as usize] = Some(ident.clone());
        ident
    };
    let uniforms = (0..program.uniforms().len()).map(|at| input(program.uniform_value(at))).collect();
    let elements = (0..program.elements().len()).map(|at| input(program.element_value(at))).collect();
    let (before, inside, results) = (vec![], vec![], vec![]);
    let mut body = Body { uniforms, elements, before, inside, results, names: vec![] };
    let named = printer.named();
    for (at, step) in program.steps().iter().enumerate() {
        let value = program.step_value(at);
        let operands = step.compute.operands().iter();
        // Operands come before the steps that read them.
        let operands: Vec<Spelled> = operands.filter_map(|id| spelled[id.0 as usize].clone()).collect();
        let expression = printer.step(dialect, step, &operands);
        spelled[value.0 as usize] = Some(if named[value.0 as usize] {
            let ident = match printer.user_name(value) {
                Some(name) => names.fresh(name),
                None => names.numbered(),
            };
            let tokens = expression.tokens;
            let statements = if at < program.hoisted() { &mut body.before } else { &mut body.inside };
            statements.push(quote!(let #ident = #tokens;));
            idents[value.0 as usize] = Some(ident.clone());
            Spelled::atom(quote!(#ident))
        } else {
            expression
        });
    }
    let results = program.results().iter().filter_map(|value| spelled[value.0 as usize].clone());
    body.results = results.map(|spelled| spelled.tokens).collect();
    body.names = idents;
    body
}

struct Printer<'a> {
    graph: &'a Graph,
    pass: &'a Pass,
    program: &'a Program,
}

impl Printer<'_> {
    fn step(&self, dialect: &dyn Dialect, step: &Step, operands: &[Spelled]) -> Spelled {
        match &step.compute {
            Compute::Literal(value) => dialect.literal(*value),
            Compute::Apply(prim, args) => {
                let kind = args.last().map_or(step.kind, |last| self.program.kind(*last));
                dialect.apply(*prim, kind, operands)
            }
            Compute::Cast(value) => dialect.cast(self.program.kind(*value), step.kind, &operands[0]),
        }
    }

    /// Which values stand in a `let`. These are values that are read twice, values that the user named,
    /// values that a loop would compute again and again, and values whose expression would nest too deep:
    /// rustc reads expressions by recursion.
    fn named(&self) -> Vec<bool> {
        let program = self.program;
        let mut reads = vec![0; program.value_count()];
        let mut is_invariant = vec![false; program.value_count()];
        for value in program.results() {
            reads[value.0 as usize] += 1;
            is_invariant[value.0 as usize] = !self.pass.is_per_row();
        }
        for (at, step) in program.steps().iter().enumerate() {
            for operand in step.compute.operands() {
                reads[operand.0 as usize] += 1;
                is_invariant[operand.0 as usize] |= at >= program.hoisted();
            }
        }
        let mut named = vec![false; program.value_count()];
        let mut depths = vec![0; program.value_count()];
        for (at, step) in program.steps().iter().enumerate() {
            let value = program.step_value(at).0 as usize;
            let deepest = step.compute.operands().iter().map(|operand| depths[operand.0 as usize] + 1).max();
            let depth = deepest.unwrap_or(0);
            let is_hoisted = at < program.hoisted() && is_invariant[value];
            let is_literal = matches!(step.compute, Compute::Literal(_));
            let has_name = self.user_name(program.step_value(at)).is_some();
            named[value] = !is_literal && (reads[value] > 1 || has_name || is_hoisted || depth > DEEPEST);
            depths[value] = if named[value] { 0 } else { depth };
        }
        named
    }

    /// The name that a `let` of the user gave a value.
    fn user_name(&self, value: ValueId) -> Option<&str> {
        self.graph.node(self.pass.nodes[value.0 as usize]).name.as_deref()
    }

    fn input_name(&self, value: ValueId) -> String {
        let node = self.graph.node(self.pass.nodes[value.0 as usize]);
        match (&node.op, &node.name) {
            (Op::Input(arg), _) => self.graph.args[*arg].name.clone(),
            (_, Some(name)) => name.clone(),
            (Op::Len(dims), None) => format!("len_{}", self.dim_names(*dims)),
            (Op::Iota(dim), None) => format!("index_{}", self.dim_names(DimSet::one(*dim))),
            (Op::Reduce(fold, ..), None) => fold.name().to_string(),
            (Op::Order { order, .. }, None) => order.name().to_string(),
            (Op::Scan { .. }, None) => "scanned".to_string(),
            (Op::At { .. }, None) => "gathered".to_string(),
            (Op::Window { .. }, None) => "window".to_string(),
            (Op::Scatter { .. }, None) => "scattered".to_string(),
            (
                Op::Literal(_)
                | Op::Apply(..)
                | Op::Cast(_)
                | Op::StopGrad(_)
                | Op::Given { .. }
                | Op::Seed(_),
                None,
            ) => "stored".to_string(),
        }
    }

    fn dim_names(&self, dims: DimSet) -> String {
        let names = dims.iter().map(|d| self.graph.dim(d).name.replace("..", "group"));
        names.collect::<Vec<_>>().join("_")
    }
}
