//! CPU bodies: an `impl Pass` for each pass of a schedule, and the table of an op's passes.

use super::body::{Body, Dialect, Spelled, body};
use crate::ir::{Graph, Kind, Scalar};
use crate::prim::{Binding, Choice, Draw, Equality, Group, Operator, Prim};
use crate::schedule::{ByKind, Pass, Schedule};
use proc_macro2::{Ident, Literal, Punct, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

/// What an op brings for the CPU.
pub(super) struct Kernels {
    /// An `impl Pass` for each pass.
    pub(super) bodies: TokenStream,
    /// The table of the passes, an expression.
    pub(super) table: TokenStream,
}

/// The bodies of an op.
pub(super) fn kernels(op: &Ident, graph: &Graph, schedule: &Schedule) -> Kernels {
    let passes: Vec<&Pass> = schedule.passes().collect();
    let names: Vec<Ident> = (0..passes.len()).map(|index| format_ident!("{op}Pass{index}")).collect();
    let private = quote!(::tensor_op::__private::);
    let passes = names.iter().zip(passes).map(|(name, pass)| self::pass(name, graph, pass, &private));
    let (bodies, functions): (Vec<_>, Vec<_>) = passes.map(|pass| (pass.body, pass.functions)).unzip();
    let bodies = quote! {
        #[allow(unused_imports)]
        use ::tensor_op::__private::{IntLane as _, MaskLane as _};
        #(#bodies)*
    };
    let fingerprint = Literal::u64_suffixed(schedule.fingerprint(graph));
    let table = quote! {
        ::tensor_op::__private::CpuKernels {
            passes: &[#(#functions),*],
            schedule: ::core::option::Option::Some(#fingerprint),
        }
    };
    Kernels { bodies, table }
}

/// A pass as Rust.
pub(super) struct CpuPass {
    /// An `impl Pass`.
    pub(super) body: TokenStream,
    /// Its entry points, an expression. A pass that takes something of its row also has entry points for many
    /// rows at once, unless programs are faster there.
    pub(super) functions: TokenStream,
}

/// A pass of this name. `from` is the path to the types that it names, up to the last `::`.
pub(super) fn pass(name: &Ident, graph: &Graph, pass: &Pass, from: &TokenStream) -> CpuPass {
    let body = body(graph, pass, &Lanes, &["block", "L"]);
    let program = &pass.program;
    let values = pass.of_row(graph);
    let of_row = arrays(values.iter().map(|value| (program.kind(*value), body.name(*value))));
    let Body { uniforms, elements, before, inside, results, .. } = body;
    let [floats, ints, bools] = arrays(program.elements().iter().copied().zip(&elements));
    let by_kind = arrays(program.uniforms().iter().copied().zip(&uniforms));
    let read_uniforms = (!uniforms.is_empty()).then(|| quote!(let (#(#by_kind),*) = block.uniforms();));
    let kinds = program.results().iter().map(|value| program.kind(*value));
    let [out_floats, out_ints, out_bools] = arrays(kinds.zip(&results));
    let results = quote!((#out_floats, #out_ints, #out_bools));
    let element = if inside.is_empty() { results } else { quote!({ #(#inside)* #results }) };
    let store = if pass.is_per_row() {
        quote!(block.per_row(#out_floats, #out_ints, #out_bools);)
    } else if !values.is_empty() {
        let of_row = quote!((#(#of_row),*));
        quote!(block.elements_of_rows(#of_row, |#of_row, #floats, #ints, #bools| #element);)
    } else {
        quote!(block.elements(|#floats, #ints, #bools| #element);)
    };
    let functions = if values.is_empty() || pass.program.has_scalar_loop() {
        quote!(#from PassFns::of::<#name>())
    } else {
        quote!(#from PassFns::of_rows::<#name>())
    };
    let body = quote! {
        struct #name;
        impl #from Pass for #name {
            #[inline(always)]
            fn run<L: #from Lane>(block: &mut #from Block<'_, '_, L>) {
                #read_uniforms
                #(#before)*
                #store
            }
        }
    };
    CpuPass { body, functions }
}

/// An array of each kind: that is how bodies take inputs and give results.
fn arrays<T: ToTokens>(items: impl IntoIterator<Item = (Kind, T)>) -> [TokenStream; 3] {
    let ByKind { floats, ints, bools } = ByKind::split(items);
    [floats, ints, bools].map(|items| quote!([#(#items),*]))
}

/// Spelling for the lane traits of the CPU backend: operators where they exist, methods else.
struct Lanes;

impl Dialect for Lanes {
    fn apply(&self, prim: Prim, kind: Kind, args: &[Spelled]) -> Spelled {
        match prim.group() {
            Group::Equality(Equality::Eq) => method("equal", args),
            Group::Equality(Equality::Ne) => method("not_equal", args),
            Group::Choice(Choice::Select) => {
                let name = match kind {
                    Kind::Float => quote!(select),
                    Kind::Int => quote!(select_int),
                    Kind::Bool => quote!(select_mask),
                };
                call(&name, args)
            }
            Group::Draw(Draw::Random) => call(&quote!(random), args),
            // Lanes give masks, which Rust's comparisons can't.
            Group::Comparison(_) => method(prim.name(), args),
            Group::Unary(_)
            | Group::Arithmetic(_)
            | Group::Logic(_)
            | Group::Bits(_)
            | Group::Function(_)
            | Group::Rounding(_)
            | Group::FloatBinary(_)
            | Group::Test(_) => match prim.operator() {
                Some(operator) => operation(operator, args),
                None => method(prim.name(), args),
            },
        }
    }

    fn cast(&self, from: Kind, to: Kind, value: &Spelled) -> Spelled {
        let args = std::slice::from_ref(value);
        match (from, to) {
            (Kind::Int, Kind::Float) => call(&quote!(from_int), args),
            (Kind::Bool, Kind::Float) => call(&quote!(from_mask), args),
            (Kind::Bool, Kind::Int) => call(&quote!(int_from_mask), args),
            (Kind::Float, Kind::Int) => method("to_int", args),
            (Kind::Float | Kind::Int, Kind::Bool) => method("to_mask", args),
            (Kind::Float, Kind::Float) | (Kind::Int, Kind::Int) | (Kind::Bool, Kind::Bool) => value.clone(),
        }
    }

    fn literal(&self, value: Scalar) -> Spelled {
        Spelled::atom(match value {
            Scalar::Float(x) => {
                let x = float(x);
                quote!(L::float(#x))
            }
            Scalar::Int(x) => {
                let x = Literal::i64_unsuffixed(x);
                quote!(L::int(#x))
            }
            Scalar::Bool(x) => quote!(L::mask(#x)),
        })
    }
}

/// A float constant as Rust.
pub(super) fn float(value: f64) -> TokenStream {
    if value.is_nan() {
        quote!(::core::f64::NAN)
    } else if value.is_infinite() {
        if value > 0.0 { quote!(::core::f64::INFINITY) } else { quote!(::core::f64::NEG_INFINITY) }
    } else {
        let literal = Literal::f64_unsuffixed(value.abs());
        if value.is_sign_negative() { quote!(-#literal) } else { quote!(#literal) }
    }
}

/// An operator between its operands, or before its only one.
pub(super) fn operation(Operator { sign, binding }: Operator, args: &[Spelled]) -> Spelled {
    let spacing = |at: usize| if at + 1 < sign.len() { Spacing::Joint } else { Spacing::Alone };
    let sign: TokenStream =
        sign.char_indices().map(|(at, c)| Punct::new(c, spacing(at))).map(TokenTree::Punct).collect();
    let tokens = match args {
        [arg] => {
            let arg = arg.at(binding);
            quote!(#sign #arg)
        }
        args => {
            let (left, right) = binding.operands();
            let (left, right) = (args[0].at(left), args[1].at(right));
            quote!(#left #sign #right)
        }
    };
    Spelled { tokens, binding }
}

fn method(name: &str, args: &[Spelled]) -> Spelled {
    let name = format_ident!("{name}");
    let receiver = args[0].at(Binding::Whole);
    let rest = args[1..].iter().map(|arg| &arg.tokens);
    Spelled::atom(quote!(#receiver.#name(#(#rest),*)))
}

fn call(name: &TokenStream, args: &[Spelled]) -> Spelled {
    let args = args.iter().map(|arg| &arg.tokens);
    Spelled::atom(quote!(L::#name(#(#args),*)))
}
