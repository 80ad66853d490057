//! Looks up the words of the language by name, and writes the messages about unknown names.

use super::elsewhere;
use super::scope::Scope;
use crate::formulas;
use crate::ir::{DimSet, Graph};
use crate::parse::constants;
use crate::prim::{Fold, Order, Prim, Scan};

/// What the name of a called function means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    Prim(Prim),
    Fold(Fold),
    Scan(Scan),
    Sorting(Sorting),
    Scatter(Scattering),
    At,
    DivExact,
    /// `wrap` and `reflect`. `clamp` is a formula as well.
    Border,
    Cast,
    Iota,
    Len,
    StopGrad,
    Formula(&'static str),
}

/// Reductions of elements that have one index.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scattering {
    By(Fold),
    /// 0 where no element is.
    Mean,
}

impl Scattering {
    /// Those that a formula may call.
    pub(super) const ALL: [Scattering; 5] = [
        Scattering::By(Fold::Sum),
        Scattering::By(Fold::Prod),
        Scattering::By(Fold::Max),
        Scattering::By(Fold::Min),
        Scattering::Mean,
    ];

    /// As called in a formula.
    pub(super) fn name(self) -> &'static str {
        match self {
            Scattering::By(fold) => fold.scatter_name(),
            Scattering::Mean => "scatter_mean",
        }
    }

    /// Whether it takes ints too. A mean of ints is none.
    pub(super) fn takes_ints(self) -> bool {
        match self {
            Scattering::By(_) => true,
            Scattering::Mean => false,
        }
    }
}

/// Functions that depend on the order of elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sorting {
    ArgSort,
    Sort,
    Search,
}

impl Sorting {
    /// As called in a formula.
    pub(super) fn name(self) -> &'static str {
        match self {
            Sorting::ArgSort => Order::SORT,
            Sorting::Sort => "sort",
            Sorting::Search => Order::SEARCH,
        }
    }

    /// Its arguments, as they are called.
    pub(super) fn places(self) -> &'static [&'static str] {
        match self {
            Sorting::ArgSort | Sorting::Sort => &["x", "n"],
            Sorting::Search => &["sorted", "x", "n"],
        }
    }
}

const FORMS: [(&str, Function); 11] = [
    (Order::SORT, Function::Sorting(Sorting::ArgSort)),
    ("at", Function::At),
    ("cast", Function::Cast),
    ("div_exact", Function::DivExact),
    ("iota", Function::Iota),
    ("len", Function::Len),
    ("reflect", Function::Border),
    (Order::SEARCH, Function::Sorting(Sorting::Search)),
    ("sort", Function::Sorting(Sorting::Sort)),
    ("stop_grad", Function::StopGrad),
    ("wrap", Function::Border),
];

/// The function of this name.
pub(super) fn function(name: &str) -> Option<Function> {
    let form = FORMS.iter().find(|(form, _)| *form == name).map(|(_, f)| *f);
    let prim = || Prim::from_name(name).filter(|p| p.operator().is_none()).map(Function::Prim);
    let fold = || Fold::from_name(name).map(Function::Fold);
    let scan = || Scan::from_name(name).map(Function::Scan);
    let scatter = || Scattering::ALL.into_iter().find(|own| own.name() == name).map(Function::Scatter);
    form.or_else(prim)
        .or_else(fold)
        .or_else(scan)
        .or_else(scatter)
        .or_else(|| formulas::name(name).map(Function::Formula))
}

/// Why a name is not a value.
pub(super) fn unknown_value(scope: &Scope, name: &str) -> String {
    if scope.is_made_later(name) {
        return made_later(name);
    }
    if scope.is_dim(name) {
        return format!(
            "`{name}` is a dim, not a value: `iota({name})` is its index, `len({name})` its size"
        );
    }
    if function(name).is_some() {
        return format!("`{name}` is a function: call it, as in `{name}(x)`");
    }
    let near = nearest(name, scope.value_names().chain(constants::names())).map(did_you_mean);
    if near.is_none() && constants::looks_like_one(name) {
        return constants::unseen(name);
    }
    format!("unknown name `{name}`: {}", near.unwrap_or_else(|| hint(name, scope.value_names())))
}

/// Why a name is not a dim.
pub(super) fn unknown_dim(scope: &Scope, name: &str) -> String {
    if scope.is_made_later(name) {
        return made_later(name);
    }
    let named = || scope.dim_names().filter(|dim| *dim != "..");
    let none = "the dims of a plain `Tensor` have no names: write `Tensor![.., n]` for its type, or `..` for all of them";
    let found = if scope.is_value(name) {
        format!("`{name}` is a value, not a dim")
    } else {
        format!("unknown dim `{name}`")
    };
    match named().next() {
        None if scope.is_dim("..") => format!("{found}: {none}"),
        Some(_) | None => format!("{found}: {}", hint(name, named())),
    }
}

fn made_later(name: &str) -> String {
    format!("dim `{name}` is made later: write `iota({name} = ..)` where it is named first")
}

/// Why a name is not a function.
pub(super) fn unknown_function(name: &str) -> String {
    if let Some(operator) = Prim::from_name(name).and_then(Prim::operator) {
        return format!("`{name}` is written as an operator: `{}`", operator.sign);
    }
    if let Some(advice) = elsewhere::advice(name) {
        return format!("unknown function `{name}`: {advice}");
    }
    let prims = Prim::ALL.iter().filter(|p| p.operator().is_none()).map(|p| p.name());
    let folds = Fold::ALL.iter().map(|f| f.name());
    let scans = Scan::ALL.iter().map(|scan| scan.name());
    let scatters = Scattering::ALL.iter().map(|own| own.name());
    let scans = scans.chain(scatters);
    let known =
        prims.chain(folds).chain(scans).chain(FORMS.iter().map(|(form, _)| *form)).chain(formulas::names());
    match nearest(name, known) {
        Some(near) => format!("unknown function `{name}`: {}", did_you_mean(near)),
        None => format!("unknown function `{name}`: an op is called by its path, as in `self::{name}(..)`"),
    }
}

/// The nearest name, or all of them.
fn hint<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.collect();
    match (nearest(name, known.iter().copied()), &known[..]) {
        (Some(near), _) => did_you_mean(near),
        (None, []) => "there are none here".to_string(),
        (None, [one]) => format!("there is `{one}`"),
        (None, many) => {
            format!("there are {}", many.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// The nearest name, if it is similar enough that it may be what the user meant.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let far = name.chars().count() / 3 + 1;
    let near =
        known.map(|k| (distance(name, k), k)).filter(|(d, k)| *d <= far && *d < k.len().max(name.len()));
    near.min_by_key(|(d, _)| *d).map(|(_, k)| k)
}

/// The number of letters to insert, delete, replace or swap with a neighbour to turn one name into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Dims as a message lists them.
pub(crate) fn dims_text(graph: &Graph, dims: DimSet) -> String {
    let names: Vec<String> = dims.iter().map(|d| format!("`{}`", graph.dim(d).name)).collect();
    match names.len() {
        0 => "no dims".to_string(),
        1 => format!("dim {}", names[0]),
        _ => format!("dims {}", names.join(", ")),
    }
}
