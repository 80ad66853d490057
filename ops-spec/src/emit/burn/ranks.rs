//! How many axes each tensor of Burn has: a number, or a const generic that a call fixes.

use super::super::op_type;
use crate::ast::{ArgType, Item, Kinds, TensorType};
use crate::ir::{Axis, DimKind, DimSet, Graph, Kind};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

/// What a const generic counts: the group's axes, so many more, and none of those that some `Axes` name.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct Count {
    beside_group: i64,
    lost: DimSet,
}

/// The type parameter for the kind that a call chooses.
pub(super) struct KindParam {
    kinds: Kinds,
    pub(super) name: Ident,
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
pub(super) struct Ranks {
    /// Const generics by what they count; `None` for a rank that differs between formulas. In the order of
    /// their first use.
    pub(super) generics: Vec<(Option<Count>, Ident)>,
    pub(super) args: Vec<Option<TokenStream>>,
    pub(super) results: Vec<TokenStream>,
    pub(super) kind: Option<KindParam>,
}

impl Ranks {
    /// Without graphs a result is taken to have lost no axis. Names of arguments and of the op's type are
    /// values in the function, as const generics are.
    pub(super) fn new(item: &Item, graphs: &[&Graph]) -> Ranks {
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
    pub(super) fn tensor(&self, ty: &TensorType, rank: &TokenStream) -> TokenStream {
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
pub(super) fn generics(ranks: &[(Option<Count>, Ident)], kind: Option<&KindParam>) -> TokenStream {
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

pub(super) fn tensor_type(kind: Kind, rank: &TokenStream) -> TokenStream {
    match kind {
        Kind::Float => quote!(::tensor_op::__private::burn::Tensor<#rank>),
        Kind::Int => quote!(::tensor_op::__private::burn::Tensor<#rank, ::tensor_op::__private::burn::Int>),
        Kind::Bool => quote!(::tensor_op::__private::burn::Tensor<#rank, ::tensor_op::__private::burn::Bool>),
    }
}
