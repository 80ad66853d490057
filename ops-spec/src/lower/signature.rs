//! The dims, arguments and result axes that a signature declares, and where the size of each dim comes from.

use super::at::OR;
use super::scope::Dims;
use crate::ast::{self, ArgType, Expr, ExprKind, Item, TensorType};
use crate::diag::Errors;
use crate::ir::{self, Axis, Dim, DimId, DimKind, DimSet, Graph, Kind, Role, Scalar, ScalarType};
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

/// The kind of a dim whose size has a mistake. It is known, so that nothing else is said about the dim.
const AFTER_A_MISTAKE: DimKind = DimKind::Fixed(1);

/// A signature, resolved.
pub(super) struct Declared {
    /// The graph without nodes and results.
    pub(super) graph: Graph,
    /// Dims by name; the name of the group is `..`.
    pub(super) dims: Vec<Dims>,
    /// The dims of each argument's value.
    pub(super) arg_dims: Vec<DimSet>,
    /// Axes of each result.
    pub(super) results: Vec<Vec<Axis>>,
}

/// Resolves a signature.
pub(super) fn declare(errors: &mut Errors, item: &Item) -> Declared {
    axis_arguments(errors, item);
    let mut table = Table { errors, item, dims: vec![], found: vec![], full: false };
    let mut args: Vec<ir::Arg> = Vec::new();
    for (index, arg) in item.args.iter().enumerate() {
        let name = arg.name.unraw().to_string();
        let ty = table.arg(index, arg);
        let [list, like] =
            [&arg.list, &arg.default_arg].map(|name| name.as_ref().map(|name| name.unraw().to_string()));
        args.push(ir::Arg { name, list, like, ty, role: Role::Forward(index) });
    }
    table.inferable();
    table.found.iter_mut().for_each(|f| f.in_args = true);
    let of_args = table.dims.len();
    let results = item.results.iter().map(|ty| table.axes(ty)).collect();
    table.bound();
    table.windows();
    let of_signature = table.dims.len();
    table.made(of_args);
    let dims = table.dims;
    let named =
        |(i, dim): (usize, &Dim)| Dims::new(dim.name.clone(), DimSet::one(DimId::new(i)), i < of_signature);
    let named = dims.iter().enumerate().map(named).collect();
    let mut graph =
        Graph { precision: item.precision, ..Graph::new(item.name.unraw().to_string(), dims, args) };
    if let Some(place) = item.place() {
        graph.add_place(place.is_float);
    }
    let arg_dims = graph.args.iter().map(|arg| value_dims(&graph, &arg.ty)).collect();
    Declared { graph, dims: named, arg_dims, results }
}

fn value_dims(graph: &Graph, ty: &ir::ArgType) -> DimSet {
    match ty {
        ir::ArgType::Tensor { axes, .. } | ir::ArgType::Shape { axes } => graph.axes_dims(axes),
        ir::ArgType::Scalar { .. } | ir::ArgType::Axis { .. } => DimSet::EMPTY,
    }
}

fn tensor(ty: &ArgType) -> Option<&TensorType> {
    match ty {
        ArgType::Tensor(ty) | ArgType::Optional(ty) => Some(ty),
        ArgType::Enum(_)
        | ArgType::Scalar(_)
        | ArgType::Number
        | ArgType::Axis
        | ArgType::Axes
        | ArgType::Error => None,
    }
}

/// An `Axis` is one of the dims in the `..` of plain tensors, so every tensor with `..` must be a plain one.
fn axis_arguments(errors: &mut Errors, item: &Item) {
    let chooses = |arg: &&ast::Arg| matches!(arg.ty, ArgType::Axis | ArgType::Axes);
    let Some(axis) = item.args.iter().find(chooses) else { return };
    let name = axis.name.unraw();
    let (choice, some) = match axis.ty {
        ArgType::Axes => (ast::AXES, "dims"),
        ArgType::Axis | ArgType::Scalar(_) | ArgType::Number | ArgType::Enum(_) | ArgType::Error => {
            (ast::AXIS, "a dim")
        }
        ArgType::Tensor(_) | ArgType::Optional(_) => (ast::AXIS, "a dim"),
    };
    let tensors = || item.args.iter().filter_map(|a| tensor(&a.ty));
    let mixed = tensors().chain(&item.results).find(|ty| ty.has_group() && !ty.is_plain());
    if let Some(ty) = mixed {
        errors.at(
            ty.span,
            format!(
                "an `{choice}` chooses among the dims of plain tensors: write `Tensor` here, or name the dim in place of `{name}`"
            ),
        );
    } else if !tensors().any(TensorType::is_plain) {
        let message = format!(
            "`{name}` chooses {some} of a plain `Tensor`, and no argument is one: declare an argument as `Tensor`"
        );
        errors.at(axis.name.span(), message);
    }
}

/// The dims found so far.
pub(super) struct Table<'a> {
    pub(super) errors: &'a mut Errors,
    pub(super) item: &'a Item,
    pub(super) dims: Vec<Dim>,
    /// For each of `dims`, where it was found first.
    found: Vec<Found>,
    /// Whether it was reported that there are more dims than an op can have.
    full: bool,
}

struct Found {
    span: Span,
    in_args: bool,
}

impl Table<'_> {
    fn arg(&mut self, index: usize, arg: &ast::Arg) -> ir::ArgType {
        match &arg.ty {
            ArgType::Tensor(ty) => ir::ArgType::Tensor {
                kind: ty.kind,
                axes: self.axes(ty),
                no_grad: ty.kind != Kind::Float || arg.no_grad || self.item.no_grad,
            },
            ArgType::Scalar(ty) => ir::ArgType::Scalar { ty: *ty, default: arg.default },
            ArgType::Number => {
                let whole = arg.default.and_then(int);
                let (ty, default) = match self.item.kind {
                    Some(Kind::Int) => (ScalarType::I64, whole.map(Scalar::Int)),
                    Some(Kind::Bool) => (ScalarType::Bool, whole.map(|n| Scalar::Bool(n == 1))),
                    Some(Kind::Float) | None => (ScalarType::F64, whole.map(|n| Scalar::Float(n as f64))),
                };
                ir::ArgType::Scalar { ty, default }
            }
            ArgType::Axis | ArgType::Axes => {
                self.id(arg.name.unraw().to_string(), DimKind::Axis(index), arg.name.span());
                let several = matches!(arg.ty, ArgType::Axes);
                ir::ArgType::Axis { default: arg.default.and_then(int), several }
            }
            // The first two were replaced when the formula was chosen.
            ArgType::Optional(_) | ArgType::Enum(_) | ArgType::Error => {
                ir::ArgType::Scalar { ty: ScalarType::F64, default: None }
            }
        }
    }

    fn axes(&mut self, ty: &TensorType) -> Vec<Axis> {
        let mut axes = Vec::new();
        for axis in &ty.axes {
            axes.extend(match axis {
                ast::Axis::Group(span) => self.id("..".to_string(), DimKind::Group, *span).map(Axis::Dim),
                ast::Axis::Dim(dim) => self.dim(dim).map(Axis::Dim),
                ast::Axis::Parts(parts) => {
                    let parts: Vec<DimId> = parts.iter().filter_map(|part| self.dim(part)).collect();
                    Some(Axis::Parts(parts))
                }
            });
        }
        axes
    }

    pub(super) fn id(&mut self, name: String, kind: DimKind, span: Span) -> Option<DimId> {
        if let Some(index) = self.dims.iter().position(|d| d.name == name) {
            return Some(DimId::new(index));
        }
        if self.dims.len() == DimId::MAX {
            if !std::mem::replace(&mut self.full, true) {
                self.errors.at(span, format!("an op has at most {} dims", DimId::MAX));
            }
            return None;
        }
        self.dims.push(Dim { name, kind });
        self.found.push(Found { span, in_args: false });
        Some(DimId::new(self.dims.len() - 1))
    }

    pub(super) fn dim(&mut self, dim: &ast::Dim) -> Option<DimId> {
        let (name, span) = (dim.name.unraw().to_string(), dim.name.span());
        let arg = self.item.args.iter().position(|arg| arg.name.unraw() == name);
        let is_new = self.dims.iter().all(|d| d.name != name);
        if is_new && name == OR {
            self.errors.at(span, "`or` says what `at` gives outside: give the dim another name");
        }
        match arg.map(|index| (index, &self.item.args[index].ty)) {
            Some((index, ArgType::Scalar(ScalarType::Usize))) => {
                if let Some(e) = &dim.size {
                    let message = format!("the argument `{name}` gives this dim its size: {}", remove(e));
                    self.errors.at(span, message);
                }
                return self.id(name, DimKind::Sized(index), span);
            }
            Some((_, ArgType::Axis | ArgType::Axes)) => {
                self.clash(&dim.name, "an argument that chooses dims has the name too: rename one");
                return None;
            }
            Some((
                _,
                ArgType::Tensor(_)
                | ArgType::Optional(_)
                | ArgType::Enum(_)
                | ArgType::Scalar(_)
                | ArgType::Number,
            )) if is_new => {
                self.clash(&dim.name, "an argument has the name too: rename one, or make the argument `usize` if it is the dim's size");
                return self.id(name, AFTER_A_MISTAKE, span);
            }
            Some((_, ArgType::Tensor(_) | ArgType::Scalar(_) | ArgType::Number | ArgType::Error)) | None => {}
            Some((_, ArgType::Optional(_) | ArgType::Enum(_))) => {}
        }
        let Some(e) = &dim.size else { return self.id(name, DimKind::Named, span) };
        let kind = self.kind(e);
        let id = self.id(name, kind.clone().unwrap_or(AFTER_A_MISTAKE), span)?;
        kind.into_iter().for_each(|kind| self.size(id, (&dim.name, e), kind));
        Some(id)
    }

    fn clash(&mut self, dim: &Ident, why: &str) {
        self.errors.at(dim.span(), format!("`{}` names a dim, and {why}", dim.unraw()));
    }

    /// The kind of a dim with this size. `None` after a mistake in the size.
    fn kind(&mut self, e: &Expr) -> Option<DimKind> {
        let size = self.size_of(e)?;
        let Some(number) = size.literal() else { return Some(DimKind::Computed(size)) };
        let fixed = usize::try_from(number).ok().map(DimKind::Fixed);
        if fixed.is_none() {
            self.errors.at(e.span, format!("the size of a dim is not negative, and this is {number}"));
        }
        fixed
    }

    /// Sets the size that is written for a dim. A dim has only one size.
    fn size(&mut self, id: DimId, (dim, e): (&Ident, &Expr), kind: DimKind) {
        let name = dim.unraw();
        let message = match &self.dims[id.index()].kind {
            DimKind::Named if self.depends_on(&kind, id) => format!(
                "the size of `{name}` would depend on `{name}` itself: rename the dim, or {}",
                remove(e)
            ),
            DimKind::Named => {
                self.dims[id.index()].kind = kind;
                return;
            }
            known @ (DimKind::Fixed(_) | DimKind::Computed(_)) if *known != kind => {
                let text = |kind: &DimKind| match kind {
                    DimKind::Fixed(size) => size.to_string(),
                    DimKind::Computed(size) => size.text(&self.named()).to_string(),
                    DimKind::Named | DimKind::Group | DimKind::Sized(_) | DimKind::Axis(_) => String::new(),
                };
                let (other, size) = (text(known), text(&kind));
                format!("dim `{name}` has size {other} above and {size} here: a dim has one size")
            }
            DimKind::Fixed(_) | DimKind::Computed(_) => return,
            DimKind::Sized(_) | DimKind::Group | DimKind::Axis(_) => return,
        };
        self.errors.at(dim.span(), message);
    }

    /// In a composite axis of an argument, the size of at most one part may be left to be inferred.
    fn inferable(&mut self) {
        let types: Vec<&TensorType> = self.item.args.iter().filter_map(|a| tensor(&a.ty)).collect();
        let axes: Vec<&ast::Axis> = types.iter().flat_map(|ty| &ty.axes).collect();
        let mut known: Vec<String> = self
            .dims
            .iter()
            .filter(|d| matches!(d.kind, DimKind::Fixed(_) | DimKind::Sized(_)))
            .map(|d| d.name.clone())
            .collect();
        known.extend(axes.iter().filter_map(|axis| match axis {
            ast::Axis::Dim(dim) => Some(dim.name.unraw().to_string()),
            ast::Axis::Group(_) | ast::Axis::Parts(_) => None,
        }));
        // A dim comes after those that its size is made of.
        for dim in &self.dims {
            let DimKind::Computed(size) = &dim.kind else { continue };
            if size.dims().iter().all(|own| known.contains(&self.dims[own.index()].name)) {
                known.push(dim.name.clone());
            }
        }
        let mut open: Vec<&[ast::Dim]> = axes
            .iter()
            .filter_map(|axis| match axis {
                ast::Axis::Parts(parts) => Some(&parts[..]),
                ast::Axis::Group(_) | ast::Axis::Dim(_) => None,
            })
            .collect();
        loop {
            let solved = open.iter().position(|parts| unknown(parts, &known).len() < 2);
            let Some(solved) = solved else { break };
            let parts = open.swap_remove(solved);
            known.extend(parts.iter().map(|p| p.name.unraw().to_string()));
        }
        for parts in open {
            let list = unknown(parts, &known);
            let (first, second) = (list[0].unraw(), list[1].unraw());
            let message = format!(
                "the sizes of both `{first}` and `{second}` are open: add an argument `{first}: usize`, or write `{first} = 2`"
            );
            self.errors.at(list[1].span(), message);
        }
    }

    /// Checks that each dim of a result is bound by an argument or has a size.
    fn bound(&mut self) {
        for (dim, found) in self.dims.iter().zip(&self.found) {
            let message = match &dim.kind {
                _ if found.in_args => continue,
                DimKind::Fixed(_) | DimKind::Sized(_) | DimKind::Axis(_) | DimKind::Computed(_) => continue,
                DimKind::Group => {
                    "no argument has `..`: name the dims of the result, as in `Tensor![n]`".to_string()
                }
                DimKind::Named => {
                    let known = self.dims.iter().zip(&self.found).filter(|(_, f)| f.in_args);
                    let near = super::names::nearest(&dim.name, known.map(|(d, _)| d.name.as_str()));
                    let hint = near.map_or(
                        format!(
                            "no argument binds it: name it in the type of one, or add `{}: usize`",
                            dim.name
                        ),
                        super::names::did_you_mean,
                    );
                    format!("unknown dim `{}`: {hint}", dim.name)
                }
            };
            self.errors.at(found.span, message);
        }
    }
}

/// The advice for a size that is one too many.
fn remove(e: &Expr) -> String {
    match e.kind {
        ExprKind::Int(size) => format!("remove `= {size}`"),
        ExprKind::Name(_) | ExprKind::Group | ExprKind::Literal(_) | ExprKind::Operator(..) => {
            "remove `= ..` here".to_string()
        }
        ExprKind::Call(..)
        | ExprKind::OpCall(_)
        | ExprKind::Tuple(_)
        | ExprKind::Form(_)
        | ExprKind::Error => "remove `= ..` here".to_string(),
    }
}

fn unknown<'p>(parts: &'p [ast::Dim], known: &[String]) -> Vec<&'p Ident> {
    parts.iter().map(|p| &p.name).filter(|name| !known.contains(&name.unraw().to_string())).collect()
}

fn int(scalar: Scalar) -> Option<i64> {
    match scalar {
        Scalar::Int(i) => Some(i),
        Scalar::Float(_) | Scalar::Bool(_) => None,
    }
}
