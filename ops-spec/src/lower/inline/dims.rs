//! The dims of a call: finds which dim of the formula each dim of the op is, and checks that values, axes and
//! sizes fit.

use super::super::names::{did_you_mean, dims_text, nearest};
use super::super::reduce::{NamedDims, one_axis, single};
use super::super::scope::Scope;
use super::super::sizes::made;
use super::{Bound, Call, Lower};
use crate::ast::{Expr, ExprKind};
use crate::ir::{ArgType, Axis, Builder, Dim, DimId, DimKind, DimSet, Graph, NodeId, Op, Scalar, Size};
use syn::ext::IdentExt;

impl Lower<'_> {
    /// For each named dim of the op, the dim of the formula that it stands for. Empty for `..`, for an
    /// `Axis`, and for dims that the op's formula makes.
    pub(super) fn named_dims(&mut self, scope: &Scope, call: &Call<'_>) -> Option<Vec<DimSet>> {
        let is_named = |kind: &DimKind| match kind {
            DimKind::Named | DimKind::Fixed(_) | DimKind::Sized(_) | DimKind::Computed(_) => true,
            DimKind::Group | DimKind::Axis(_) => false,
        };
        let made = call.graph.made_dims();
        let has_name =
            |(index, dim): &(usize, &Dim)| is_named(&dim.kind) && !made.contains(DimId::new(*index));
        let all = || call.graph.dims.iter().enumerate();
        let own: Vec<&str> = all().filter(has_name).map(|(_, dim)| dim.name.as_str()).collect();
        for (place, (ident, _)) in call.named.iter().enumerate() {
            let name = ident.unraw().to_string();
            if !own.contains(&name.as_str()) {
                let hint = nearest(&name, own.iter().copied()).map(did_you_mean);
                let hint = hint.unwrap_or_else(|| match &own[..] {
                    [] => "it names none".to_string(),
                    own => format!("it has `{}`", own.join("`, `")),
                });
                self.report(ident.span(), format!("`{}` has no dim `{name}`: {hint}", call.name));
                return None;
            }
            if call.named[..place].iter().any(|(other, _)| other == ident) {
                self.report(ident.span(), format!("a second dim for `{name}`: remove one"));
                return None;
            }
        }
        let mut found: Vec<DimSet> = Vec::new();
        for place in all() {
            let (has_name, dim) = (has_name(&place), place.1);
            let set = if has_name { self.dim_of(scope, call, &dim.name)? } else { DimSet::EMPTY };
            if let Some(other) = found.iter().position(|other| !other.intersection(set).is_empty()) {
                let (other, text) = (&call.graph.dims[other].name, self.text_of(set));
                let message = format!(
                    "dims `{other}` and `{}` of `{}` would both be {text}: they are two",
                    dim.name, call.name
                );
                self.report(call.span, message);
                return None;
            }
            found.push(set);
        }
        Some(found)
    }

    /// The dim of the formula that the op's dim of this name stands for.
    fn dim_of(&mut self, scope: &Scope, call: &Call<'_>, name: &str) -> Option<DimSet> {
        let given = call.named.iter().find(|(ident, _)| ident.unraw() == name);
        let Some((_, e)) = given else {
            let found = scope.dims(name).filter(|set| one_axis(self.builder, *set).is_some());
            if found.is_none() {
                let is_sized = call.graph.dims.iter().position(|dim| dim.name == name);
                let size = is_sized.and_then(|index| call.graph.own_size(DimId::new(index)));
                let made = size.map(|_| format!(", or make it, `{name} = iota({name} = ..)`"));
                let message = format!(
                    "`{0}` has a dim `{name}`, and this formula has none: say which it is, as in `{0}(.., {name} = d)`{1}",
                    call.name,
                    made.unwrap_or_default()
                );
                self.report(call.span, message);
            }
            return found;
        };
        let set = match &e.kind {
            ExprKind::Name(_) => self.dim(scope, e)?,
            ExprKind::Call(..) => match made(e) {
                Some((dim, _)) => {
                    scope.make(&dim.unraw().to_string());
                    self.dim_named(scope, dim)?
                }
                None => DimSet::EMPTY,
            },
            ExprKind::Error => return None,
            ExprKind::Group | ExprKind::Int(_) | ExprKind::Literal(_) | ExprKind::Operator(..) => {
                DimSet::EMPTY
            }
            ExprKind::OpCall(_) | ExprKind::Tuple(_) | ExprKind::Form(_) => DimSet::EMPTY,
        };
        if one_axis(self.builder, set).is_none() {
            self.report(e.span, format!("`{name}` is one dim: name one, as in `{name} = d`"));
            return None;
        }
        Some(set)
    }

    /// Checks the dims of the values, and finds which dims `..` and each `Axis` stand for.
    pub(super) fn op_dims(
        &mut self,
        call: &Call<'_>,
        args: &[&Expr],
        values: &[Option<NodeId>],
        axes: &[Option<Vec<NamedDims>>],
        dims: &mut [DimSet],
    ) -> Option<()> {
        let mut group = DimSet::EMPTY;
        for (index, arg) in call.graph.args.iter().enumerate() {
            if let (ArgType::Tensor { axes, .. }, Some(value)) = (&arg.ty, values[index]) {
                let what = format!("`{}` of `{}`", arg.name, call.name);
                let rest = self.beside(call.graph, axes, value, dims, &what, args[index])?;
                group = group.union(rest);
            }
        }
        for (index, dim) in call.graph.dims.iter().enumerate() {
            let DimKind::Axis(arg) = dim.kind else { continue };
            let given = axes[arg].as_deref().unwrap_or_default();
            let set = self.had(&call.name, given, group)?;
            if dims.iter().any(|other| !other.intersection(set).is_empty()) {
                let text = self.text_of(set);
                self.report(
                    args[arg].span,
                    format!("another argument names {text} too: two axes must differ"),
                );
                return None;
            }
            dims[index] = set;
        }
        let carved = dims.iter().fold(DimSet::EMPTY, |all, set| all.union(*set));
        if let Some(id) = call.graph.group() {
            dims[id.index()] = group.difference(carved);
        }
        Some(())
    }

    /// The dims of a value that the type of its argument does not name.
    fn beside(
        &mut self,
        graph: &Graph,
        axes: &[Axis],
        value: NodeId,
        dims: &[DimSet],
        what: &str,
        e: &Expr,
    ) -> Option<DimSet> {
        let has = self.dims_of(value);
        let own = image(dims, graph.axes_dims(axes));
        let missing = own.difference(has);
        let rest = has.difference(own);
        let named = dims.iter().fold(DimSet::EMPTY, |all, set| all.union(*set));
        let is_group = |axis: &Axis| matches!(axis, Axis::Dim(d) if Some(*d) == graph.group());
        let message = if !missing.is_empty() {
            format!("{what} has {}, and this value has {}", self.text_of(missing), self.text_of(has))
        } else if !rest.is_empty() && !axes.iter().any(is_group) {
            format!("{what} has {}, and this value also has {}", self.text_of(own), self.text_of(rest))
        } else if let taken = rest.intersection(named)
            && !taken.is_empty()
        {
            format!("the `..` of {what} would have {}, which is another dim of the op", self.text_of(taken))
        } else {
            return Some(rest);
        };
        self.report(e.span, message);
        None
    }

    /// Checks sizes. If the op writes the size of a dim, the formula's dim must have that size too. If an
    /// argument of the op gives the size, the value that is passed must be the size of the formula's dim.
    pub(super) fn sizes(
        &mut self,
        call: &Call<'_>,
        args: &[&Expr],
        values: &[Option<NodeId>],
        dims: &[DimSet],
    ) -> Option<()> {
        for (dim, set) in call.graph.dims.iter().zip(dims) {
            let Some(to) = single(*set) else { continue };
            let to_dim = self.builder.read(|graph| graph.dim(to).clone());
            let (name, op, to_name) = (&dim.name, &call.name, &to_dim.name);
            match &dim.kind {
                DimKind::Group | DimKind::Named | DimKind::Axis(_) => {}
                DimKind::Computed(size) => {
                    let bound = Bound { values: values.to_vec(), dims: dims.to_vec() };
                    let message = match bound.size(self.builder, size) {
                        Some(wanted) if is_sized(&to_dim.kind, to, &wanted) => continue,
                        Some(wanted) => {
                            let text = self.builder.read(|graph| wanted.text(graph).to_string());
                            format!(
                                "dim `{name}` of `{op}` has the size {text}: write `{to_name} = {text}` where `{to_name}` is declared"
                            )
                        }
                        None => format!("`{op}` {}", bound.not_a_number(self.builder, call.graph, size)),
                    };
                    self.report(call.span, message);
                    return None;
                }
                DimKind::Fixed(size) if to_dim.kind == DimKind::Fixed(*size) => {}
                DimKind::Fixed(size) => {
                    let message = format!(
                        "dim `{name}` of `{op}` has size {size}: write `{to_name} = {size}` where `{to_name}` is declared"
                    );
                    self.report(call.span, message);
                    return None;
                }
                DimKind::Sized(arg)
                    if values[*arg].is_some_and(|value| self.is_size(value, to, &to_dim.kind)) => {}
                DimKind::Sized(arg) => {
                    let span = args.get(*arg).map_or(call.span, |e| e.span);
                    let message = format!(
                        "`{name}` of `{op}` is the size of its dim, which is `{to_name}` here: write `len({to_name})`"
                    );
                    self.report(span, message);
                    return None;
                }
            }
        }
        Some(())
    }

    /// Whether a value is always the size of a dim, whatever the caller passes.
    fn is_size(&self, value: NodeId, dim: DimId, kind: &DimKind) -> bool {
        match self.builder.node(value).op {
            Op::Len(dims) => dims == DimSet::one(dim),
            Op::Input(arg) => *kind == DimKind::Sized(arg),
            Op::Literal(Scalar::Int(size)) => {
                usize::try_from(size).is_ok_and(|size| *kind == DimKind::Fixed(size))
            }
            Op::Literal(_) | Op::Iota(_) | Op::Apply(..) | Op::Cast(_) | Op::Reduce(..) => false,
            Op::Scan { .. } | Op::At { .. } | Op::Window { .. } | Op::Scatter { .. } => false,
            Op::Order { .. } | Op::StopGrad(_) | Op::Given { .. } | Op::Seed(_) => false,
        }
    }

    pub(super) fn text_of(&self, dims: DimSet) -> String {
        self.builder.read(|graph| dims_text(graph, dims))
    }
}

/// Whether a dim of this kind always has a size.
fn is_sized(kind: &DimKind, dim: DimId, size: &Size) -> bool {
    *size == Size::Len(dim)
        || match kind {
            DimKind::Computed(own) => own == size,
            DimKind::Sized(arg) => *size == Size::Arg(*arg),
            DimKind::Fixed(own) => size.literal().is_some_and(|size| usize::try_from(size) == Ok(*own)),
            DimKind::Group | DimKind::Named | DimKind::Axis(_) => false,
        }
}

impl Bound {
    /// A size of the op in the calling formula. `None` if a value that it uses is not known when an op is
    /// called.
    pub(super) fn size(&self, builder: &Builder, size: &Size) -> Option<Size> {
        let arg = |arg: usize| builder.read(|graph| graph.as_size(self.values[arg]?));
        size.map(&|dim| one_axis(builder, self.dims[dim.index()]).map(Size::Len), &arg)
    }

    /// Why a size of the op is none in the calling formula.
    pub(super) fn not_a_number(&self, builder: &Builder, graph: &Graph, size: &Size) -> String {
        let is_unknown = |arg: &usize| {
            self.values[*arg].is_none_or(|value| builder.read(|graph| graph.as_size(value)).is_none())
        };
        let args = size.args();
        let name = args.iter().find(|arg| is_unknown(arg)).map_or("", |arg| &graph.args[*arg].name);
        format!(
            "makes a size or an index of `{name}`: pass a number that is known before the call, made of integers, integer and `bool` arguments and `len(n)` by `+ - *`, `minimum` and `maximum`"
        )
    }
}

/// The dims of the calling formula that these dims of an op stand for.
pub(super) fn image(dims: &[DimSet], own: DimSet) -> DimSet {
    own.iter().fold(DimSet::EMPTY, |all, dim| all.union(dims[dim.index()]))
}
