//! GPU bodies: a `#[cube]` function for each pass of a schedule. Only ejected kernels have them, since the
//! GPU backend unrolls programs itself.

use super::body::{Body, Dialect, Spelled, body};
use super::cpu::{float, operation};
use crate::ir::{Graph, Kind, Scalar};
use crate::prim::{Group, Prim, Unary};
use crate::schedule::Pass;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The body of a pass, and the functions that it calls.
pub(super) struct Function {
    pub(super) tokens: TokenStream,
    pub(super) calls: BTreeSet<String>,
}

/// The body of a pass as a function of this name.
pub(super) fn pass_function(name: &Ident, graph: &Graph, pass: &Pass) -> Function {
    let taken = Vectors::names();
    let reserved: Vec<&str> = taken.iter().map(String::as_str).chain(["at"]).collect();
    let dialect = Vectors::default();
    let Body { uniforms, elements, before, inside, results, .. } = body(graph, pass, &dialect, &reserved);
    let program = &pass.program;
    let inputs = program.uniforms().iter().zip(&uniforms).chain(program.elements().iter().zip(&elements));
    let mut places = [0_usize; 3];
    let reads = inputs.map(|(kind, input)| {
        let (list, place) = (list(*kind), &mut places[*kind as usize]);
        let read = Literal::usize_unsuffixed(*place);
        *place += 1;
        quote!(let #input = at.#list[#read];)
    });
    let pushes = program.results().iter().zip(&results).map(|(value, result)| {
        let list = list(program.kind(*value));
        quote!(at.#list.push(#result);)
    });
    let tokens = quote! {
        #[cube]
        fn #name(at: &mut Values) {
            #(#reads)*
            #(#before)*
            #(#inside)*
            #(#pushes)*
        }
    };
    Function { tokens, calls: dialect.calls.into_inner() }
}

/// The list of the values of a kind.
fn list(kind: Kind) -> Ident {
    let name = match kind {
        Kind::Float => "floats",
        Kind::Int => "ints",
        Kind::Bool => "bools",
    };
    format_ident!("{name}")
}

/// Spelling for `tensor_op::gpu::lanes`: operators where a kind has them on every device, functions else.
#[derive(Default)]
struct Vectors {
    calls: RefCell<BTreeSet<String>>,
}

impl Vectors {
    /// The names of all functions.
    fn names() -> BTreeSet<String> {
        let kinds = [Kind::Float, Kind::Int, Kind::Bool];
        let of_kinds = |prim: &Prim| kinds.map(|kind| function(*prim, kind));
        let casts = kinds.into_iter().flat_map(|from| kinds.map(|to| conversion(from, to)));
        let literals = kinds.map(|kind| list(kind).to_string());
        Prim::ALL.iter().flat_map(of_kinds).chain(casts).chain(literals).collect()
    }

    fn call(&self, name: String, args: &[Spelled]) -> Spelled {
        let function = format_ident!("{name}");
        self.calls.borrow_mut().insert(name);
        let args = args.iter().map(|arg| &arg.tokens);
        Spelled::atom(quote!(#function(#(#args),*)))
    }
}

/// The function of a primitive over operands of this kind.
fn function(prim: Prim, kind: Kind) -> String {
    let name = prim.name();
    let has_own = match prim.group() {
        Group::Unary(_) | Group::Arithmetic(_) => kind == Kind::Int,
        Group::Equality(_) | Group::Choice(_) => kind == Kind::Bool,
        Group::Function(_)
        | Group::Rounding(_)
        | Group::FloatBinary(_)
        | Group::Comparison(_)
        | Group::Logic(_)
        | Group::Bits(_)
        | Group::Test(_)
        | Group::Draw(_) => false,
    };
    match (has_own, kind) {
        (true, Kind::Int) => format!("{name}_int"),
        (true, Kind::Bool) => format!("{name}_bool"),
        (true, Kind::Float) | (false, _) => name.to_string(),
    }
}

/// The function that converts.
fn conversion(from: Kind, to: Kind) -> String {
    format!("{}_from_{}", list(to), list(from))
}

/// Whether a primitive of this kind is an operator of vectors. A quotient of ints is not: hardware defines
/// none by zero.
fn is_operator(prim: Prim, kind: Kind) -> bool {
    use crate::prim::Arithmetic::{Add, Div, Maximum, Minimum, Mul, Rem, Sub};
    match prim.group() {
        Group::Arithmetic(Add | Sub | Mul) => true,
        Group::Arithmetic(Div) | Group::Unary(Unary::Neg) => kind == Kind::Float,
        Group::Arithmetic(Rem | Maximum | Minimum)
        | Group::Unary(Unary::Abs | Unary::Sign)
        | Group::Function(_)
        | Group::Rounding(_)
        | Group::FloatBinary(_)
        | Group::Comparison(_)
        | Group::Equality(_)
        | Group::Logic(_)
        | Group::Bits(_)
        | Group::Test(_)
        | Group::Choice(_)
        | Group::Draw(_) => false,
    }
}

impl Dialect for Vectors {
    fn apply(&self, prim: Prim, kind: Kind, args: &[Spelled]) -> Spelled {
        match prim.operator().filter(|_| is_operator(prim, kind)) {
            Some(operator) => operation(operator, args),
            None => self.call(function(prim, kind), args),
        }
    }

    fn cast(&self, from: Kind, to: Kind, value: &Spelled) -> Spelled {
        if from == to {
            return value.clone();
        }
        self.call(conversion(from, to), std::slice::from_ref(value))
    }

    fn literal(&self, value: Scalar) -> Spelled {
        let (kind, value) = match value {
            Scalar::Float(x) => (Kind::Float, float(x)),
            // CubeCL takes a whole number without a suffix for an i32.
            Scalar::Int(x) => {
                let is_short = i32::try_from(x).is_ok();
                let x = if is_short { Literal::i64_unsuffixed(x) } else { Literal::i64_suffixed(x) };
                (Kind::Int, quote!(#x))
            }
            Scalar::Bool(x) => (Kind::Bool, quote!(#x)),
        };
        self.call(list(kind).to_string(), &[Spelled::atom(value)])
    }
}
