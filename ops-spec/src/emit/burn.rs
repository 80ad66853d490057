//! The function on the tensors of Burn: what a declaration says of ranks as const generics, of the kind that
//! a call chooses as a type parameter, and one call of the crate `tensor-op-burn`.
//!
//! Whatever else Burn's extensions are made of doesn't depend on the op and is written there once.

use super::choice::{KindFrom, chosen};
use super::docs::Doc;
use super::op::{outs, shared_attrs};
use super::signature::{has_default, is_seed, number, scalar_arg, scalar_value};
use super::{Formula, method, op_type};
use crate::ast::{Arg, ArgType, Burn, DEVICE, Item, Kinds, Method, Place, TensorType};
use crate::choose::Choice;
use crate::ir::{Axis, DimKind, DimSet, Graph, Kind};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// The function, and the trait that gives it as a method if the op is one.
pub(super) fn items(item: &Item, choices: &[Choice], formulas: &[Formula], docs: &[Doc]) -> [TokenStream; 2] {
    let Item { attrs, vis, .. } = item;
    let name = named(item).0;
    let graphs: Vec<&Graph> = formulas.iter().map(|formula| &formula.forward.graph).collect();
    let ranks = Ranks::new(item, &graphs);
    let generics = generics(&ranks.generics, ranks.kind.as_ref());
    let (args, result, method) = (args(item, &ranks), result_type(item, &ranks), method(item, &graphs));
    let seeds = item.args.iter().filter(|arg| is_seed(arg)).map(|arg| {
        let name = &arg.name;
        quote!(let #name = ::tensor_op::__private::seed(#name, &::tensor_op::Device::default());)
    });
    let given = choices.iter().filter_map(|choice| given(&item.args[choice.arg], choice.arg, &ranks));
    let kind = ranks.kind.as_ref().map_or(KindFrom::Dtype, |kind| KindFrom::Type(&kind.name));
    let body = match formulas {
        [one] if choices.is_empty() => run(one, &one.forward.graph.name),
        _ => chosen(item, choices, formulas, kind, |formula| {
            let declared = item.name.unraw().to_string();
            let name = if ranks.kind.is_some() { &declared } else { &formula.forward.graph.name };
            let run = run(formula, name);
            quote!({ #run })
        }),
    };
    let function = quote! {
        #(#attrs)*
        #(#docs)*
        #[track_caller]
        #[allow(clippy::too_many_arguments)]
        #vis fn #name #generics (#(#args),*) -> #result {
            #(#seeds)*
            #(#given)*
            #body
        }
    };
    [function, method]
}

/// Items in a macro that drops them where the crate is built without Burn, or says so.
pub(super) fn guarded(item: &Item, items: [TokenStream; 2]) -> TokenStream {
    let macro_name = named(item).1;
    let items = items.into_iter().filter(|items| !items.is_empty());
    quote!(#(::tensor_op::__private::#macro_name! { #items })*)
}

/// The trait that gives the function as a method, if the op is one. Burn's methods take their tensor.
fn method(item: &Item, graphs: &[&Graph]) -> TokenStream {
    let (Method::Extension | Method::Inherent, Some(Arg { ty: ArgType::Tensor(first), .. })) =
        (item.method, item.args.first())
    else {
        return TokenStream::new();
    };
    let function = named(item).0;
    let (name, op, vis, attrs) = (method::trait_name(function), &item.name, &item.vis, shared_attrs(item));
    let ranks = Ranks::new(item, graphs);
    let (of_trait, of_method) = ranks.generics.split_at(usize::from(first.has_group()));
    let (kind_of_trait, kind_of_method) =
        if first.kinds.is_some() { (ranks.kind.as_ref(), None) } else { (None, ranks.kind.as_ref()) };
    let names = of_trait.iter().map(|(_, name)| quote!({ #name }));
    let names = names.chain(kind_of_trait.map(|KindParam { name, .. }| quote!(#name)));
    let names = quote!(<#(#names),*>);
    let (of_trait, of_method) = (generics(of_trait, kind_of_trait), generics(of_method, kind_of_method));
    let tensor = ranks.args.iter().flatten().next().map(|rank| ranks.tensor(first, rank));
    let (args, result) = (args(item, &ranks), result_type(item, &ranks));
    let (args, values, head) = (&args[1..], method::values(item), method::method_head(item, function));
    let doc = format!(" [`{function}`] as a method.");
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #vis trait #name #of_trait: ::core::convert::Into<#tensor> {
            #head
            #[track_caller]
            fn #op #of_method(self, #(#args),*) -> #result {
                #function(::core::convert::Into::<#tensor>::into(self), #(#values),*)
            }
        }
        #(#attrs)*
        impl #of_trait #name #names for #tensor {}
    }
}

/// The results of one formula. Errors call the op by this name.
fn run(formula: &Formula, name: &str) -> TokenStream {
    let item = &formula.item;
    let ty = op_type(&item.name);
    let values = item.args.iter().enumerate().map(|(index, arg)| {
        number(item, &item.name, arg, &scalar_value(arg)).unwrap_or_else(|| value(&ty, index, arg))
    });
    let values = values.chain(item.place().map(place_value));
    let outs = outs(item.results.len());
    let results = outs.iter().map(|out| quote!(::tensor_op::__private::burn::result(#name, #out)));
    let results = if outs.len() == 1 { quote!(#(#results)*) } else { quote!((#(#results),*)) };
    quote! {
        let [#(#outs),*] = ::tensor_op::__private::burn::function(#name, &#ty, ::std::vec![#(#values),*]);
        #results
    }
}

/// The value of an argument that chooses, in place of what the caller passed for it.
fn given(arg: &Arg, index: usize, ranks: &Ranks) -> Option<TokenStream> {
    let name = &arg.name;
    let value = match (&arg.ty, &ranks.args[index]) {
        (ArgType::Optional(ty), Some(rank)) => {
            let ty = ranks.tensor(ty, rank);
            quote!(::core::convert::Into::<::core::option::Option<#ty>>::into(#name))
        }
        (ArgType::Scalar(_) | ArgType::Enum(_), _) if has_default(arg) => scalar_value(arg),
        (
            ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Enum(_)
            | ArgType::Tensor(_)
            | ArgType::Optional(_),
            _,
        ) => {
            return None;
        }
        (ArgType::Axis | ArgType::Axes | ArgType::Error, _) => return None,
    };
    Some(quote!(let #name = #value;))
}

/// The function of a declaration with mistakes.
pub(super) fn stub(item: &Item) -> TokenStream {
    let name = named(item).0;
    let ranks = Ranks::new(item, &[]);
    let (vis, attrs, method) = (&item.vis, shared_attrs(item), method(item, &[]));
    let generics = generics(&ranks.generics, ranks.kind.as_ref());
    let (args, result) = (args(item, &ranks), result_type(item, &ranks));
    let function = quote! {
        #(#attrs)*
        #[allow(unused_variables, clippy::too_many_arguments)]
        #vis fn #name #generics (#(#args),*) -> #result {
            ::core::unreachable!("the declaration does not compile")
        }
    };
    guarded(item, [function, method])
}

fn named(item: &Item) -> (&Ident, Ident) {
    match &item.burn {
        Burn::Beside(name) => (name, format_ident!("burn_beside")),
        Burn::No | Burn::Instead => (&item.name, format_ident!("burn_instead")),
    }
}

/// What a const generic counts: the group's axes, so many more, and none of those that some `Axes` name.
#[derive(Clone, Copy, Default, PartialEq)]
struct Count {
    beside_group: i64,
    lost: DimSet,
}

/// The type parameter for the kind that a call chooses.
struct KindParam {
    kinds: Kinds,
    name: Ident,
}

impl KindParam {
    /// `None` if no call chooses one. The only other types of the user in the signature are enums.
    fn new(item: &Item) -> Option<KindParam> {
        let kinds = item.args.iter().find_map(|arg| match &arg.ty {
            ArgType::Tensor(ty) | ArgType::Optional(ty) => ty.kinds,
            ArgType::Enum(_)
            | ArgType::Scalar(_)
            | ArgType::Number
            | ArgType::Axis
            | ArgType::Axes
            | ArgType::Error => None,
        })?;
        let is_taken = |name: &Ident| {
            item.args.iter().any(|arg| matches!(&arg.ty, ArgType::Enum(path) if path.is_ident(name)))
        };
        let mut name = Ident::new("K", Span::mixed_site());
        while is_taken(&name) {
            name = format_ident!("{name}K", span = Span::mixed_site());
        }
        Some(KindParam { kinds, name })
    }

    /// `K: NumberKind`.
    fn declared(&self) -> TokenStream {
        let name = &self.name;
        match self.kinds {
            Kinds::Numbers => quote!(#name: ::tensor_op::__private::burn::NumberKind),
            Kinds::All => quote!(#name: ::tensor_op::__private::burn::TensorKind),
        }
    }
}

/// How many axes each tensor has: a number, or a const generic that counts the group's too. And of which kind
/// a tensor is.
struct Ranks {
    /// Const generics by what they count; `None` for a rank that differs between formulas. In the order of
    /// their first use.
    generics: Vec<(Option<Count>, Ident)>,
    args: Vec<Option<TokenStream>>,
    results: Vec<TokenStream>,
    kind: Option<KindParam>,
}

impl Ranks {
    /// Without graphs a result is taken to have lost no axis. Names of arguments and of the op's type are
    /// values in the function, as const generics are.
    fn new(item: &Item, graphs: &[&Graph]) -> Ranks {
        let kind = KindParam::new(item);
        let mut ranks = Ranks { generics: Vec::new(), args: Vec::new(), results: Vec::new(), kind };
        let args = item.args.iter().map(|arg| arg.name.unraw().to_string());
        let taken: Vec<String> = args.chain([op_type(&item.name).to_string()]).collect();
        for arg in &item.args {
            let rank = match &arg.ty {
                ArgType::Tensor(ty) | ArgType::Optional(ty) => Some(ranks.rank(ty, Count::default(), &taken)),
                ArgType::Error => Some(ranks.generic(Some(Count::default()), &taken)),
                ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
                    None
                }
            };
            ranks.args.push(rank);
        }
        for (at, ty) in item.results.iter().enumerate() {
            let kept: Vec<_> = graphs.iter().map(|graph| kept_axes(graph, at)).collect();
            let rank = if kept.iter().any(|axes| *axes != kept[0]) {
                ranks.generic(None, &taken)
            } else {
                let lost = graphs.first().map_or(Count::default(), |graph| lost_axes(graph, at));
                ranks.rank(ty, lost, &taken)
            };
            ranks.results.push(rank);
        }
        ranks
    }

    /// Burn has no tensors without axes: one stands for none. In braces, a name is no type of the user.
    fn rank(&mut self, ty: &TensorType, lost: Count, taken: &[String]) -> TokenStream {
        if ty.has_group() {
            let beside_group = lost.beside_group + ty.axes.len() as i64 - 1;
            return self.generic(Some(Count { beside_group, ..lost }), taken);
        }
        let rank = Literal::usize_unsuffixed(ty.axes.len().max(1));
        quote!(#rank)
    }

    /// The type of a tensor of this rank.
    fn tensor(&self, ty: &TensorType, rank: &TokenStream) -> TokenStream {
        match (ty.kinds, &self.kind) {
            (Some(_), Some(KindParam { name, .. })) => {
                quote!(::tensor_op::__private::burn::Tensor<#rank, #name>)
            }
            (None, _) | (Some(_), None) => tensor_type(ty.kind, rank),
        }
    }

    fn generic(&mut self, count: Option<Count>, taken: &[String]) -> TokenStream {
        let known = self.generics.iter().find(|(known, _)| count.is_some() && *known == count);
        if let Some((_, name)) = known {
            return quote!({ #name });
        }
        let mut number = self.generics.len() + 1;
        let name = loop {
            let name = if number == 1 { "D".to_string() } else { format!("D{number}") };
            if !taken.contains(&name) && self.generics.iter().all(|(_, known)| *known != name) {
                break Ident::new(&name, Span::mixed_site());
            }
            number += 1;
        };
        self.generics.push((count, name.clone()));
        quote!({ #name })
    }
}

/// `<const D: usize, K: TensorKind>`.
fn generics(ranks: &[(Option<Count>, Ident)], kind: Option<&KindParam>) -> TokenStream {
    let ranks = ranks.iter().map(|(_, name)| quote!(const #name: usize));
    let all: Vec<TokenStream> = ranks.chain(kind.map(KindParam::declared)).collect();
    if all.is_empty() { TokenStream::new() } else { quote!(<#(#all),*>) }
}

/// The `Axis` and `Axes` dims that a result with a group lacks.
fn lost_axes(graph: &Graph, at: usize) -> Count {
    let Some(output) = graph.outputs.iter().filter(|output| !output.hidden).nth(at) else {
        return Count::default();
    };
    let lost = graph.axis_dims().difference(graph.output_dims(output));
    let (single, several) = lost.iter().partition::<Vec<_>, _>(|dim| graph.has_one_size(*dim));
    Count { beside_group: -(single.len() as i64), lost: several.into_iter().collect() }
}

/// Whether a result has a group, and how many other axes. Formulas of one op may differ in it.
fn kept_axes(graph: &Graph, at: usize) -> Option<(bool, usize)> {
    let output = graph.outputs.iter().filter(|output| !output.hidden).nth(at)?;
    let is_group = |axis: &Axis| matches!(axis, Axis::Dim(dim) if graph.dim(*dim).kind == DimKind::Group);
    let has_group = output.axes.iter().any(is_group);
    Some((has_group, output.axes.len() - usize::from(has_group)))
}

fn args(item: &Item, ranks: &Ranks) -> Vec<TokenStream> {
    let arg = |(arg, rank): (&Arg, &Option<TokenStream>)| {
        let name = &arg.name;
        match (&arg.ty, rank) {
            (ArgType::Tensor(ty), Some(rank)) => {
                let ty = ranks.tensor(ty, rank);
                quote!(#name: #ty)
            }
            (ArgType::Error, Some(rank)) => {
                let ty = tensor_type(Kind::Float, rank);
                quote!(#name: #ty)
            }
            (ArgType::Optional(ty), Some(rank)) => {
                let ty = ranks.tensor(ty, rank);
                quote!(#name: impl ::core::convert::Into<::core::option::Option<#ty>>)
            }
            (ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error, None) => scalar_arg(arg),
            (ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_), _) => {
                scalar_arg(arg)
            }
        }
    };
    item.args.iter().zip(&ranks.args).map(arg).chain(item.place().map(place_arg)).collect()
}

/// Without a tensor among the arguments, the function takes what Burn's `Tensor::zeros` does.
fn place_arg(place: Place) -> TokenStream {
    let device = Ident::new(DEVICE, Span::mixed_site());
    match place.is_float {
        true => {
            quote!(#device: impl ::core::convert::Into<::tensor_op::__private::burn::TensorCreationOptions>)
        }
        false => quote!(#device: &::tensor_op::__private::burn::Device),
    }
}

fn place_value(place: Place) -> TokenStream {
    let device = Ident::new(DEVICE, Span::mixed_site());
    let kind = if place.is_float { Kind::Float } else { Kind::Bool };
    let tensor = tensor_type(kind, &quote!(1));
    quote! {
        ::core::result::Result::Ok(::tensor_op::__private::burn::arg(<#tensor>::zeros([1], #device)))
    }
}

fn result_type(item: &Item, ranks: &Ranks) -> TokenStream {
    let types: Vec<TokenStream> =
        item.results.iter().zip(&ranks.results).map(|(ty, rank)| ranks.tensor(ty, rank)).collect();
    if types.len() == 1 { quote!(#(#types)*) } else { quote!((#(#types),*)) }
}

fn tensor_type(kind: Kind, rank: &TokenStream) -> TokenStream {
    match kind {
        Kind::Float => quote!(::tensor_op::__private::burn::Tensor<#rank>),
        Kind::Int => quote!(::tensor_op::__private::burn::Tensor<#rank, ::tensor_op::__private::burn::Int>),
        Kind::Bool => quote!(::tensor_op::__private::burn::Tensor<#rank, ::tensor_op::__private::burn::Bool>),
    }
}

/// The argument as a value of the run.
fn value(op: &Ident, index: usize, arg: &Arg) -> TokenStream {
    let name = &arg.name;
    match &arg.ty {
        ArgType::Tensor(_) | ArgType::Optional(_) | ArgType::Error => {
            quote!(::core::result::Result::Ok(::tensor_op::__private::burn::arg(#name)))
        }
        ArgType::Scalar(_) | ArgType::Number | ArgType::Axis | ArgType::Axes | ArgType::Enum(_) => {
            let (value, index) = (scalar_value(arg), Literal::usize_unsuffixed(index));
            quote!(::tensor_op::__private::scalar(&#op, #index, #value))
        }
    }
}
