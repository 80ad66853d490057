//! Random elementwise operations and statistics.

use super::case::Case;
use super::value::{Dims, Value};
use crate::random::Random;

/// Which functions a formula may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Price {
    Cheap,
    Dear,
}

/// Functions of one float in both languages.
const CHEAP: &[(&str, &str)] = &[
    ("abs(#)", "torch.abs(#)"),
    ("relu(#)", "torch.relu(#)"),
    ("(0.5 - #)", "(0.5 - #)"),
    ("(# * 1.5)", "(# * 1.5)"),
    ("square(#)", "torch.square(#)"),
    ("clamp(#, -0.5, 0.5)", "torch.clamp(#, -0.5, 0.5)"),
    ("select(# > 0.1, #, 0.1 * #)", "torch.where(# > 0.1, #, 0.1 * #)"),
];

const DEAR: &[(&str, &str)] = &[
    ("exp(#)", "torch.exp(#)"),
    ("tanh(#)", "torch.tanh(#)"),
    ("sigmoid(#)", "torch.sigmoid(#)"),
    ("silu(#)", "F.silu(#)"),
    ("gelu(#)", "F.gelu(#)"),
    ("erf(#)", "torch.erf(#)"),
    ("sin(#)", "torch.sin(#)"),
    ("cos(#)", "torch.cos(#)"),
    ("atan(#)", "torch.atan(#)"),
    ("softplus(#)", "F.softplus(#)"),
    ("log1p(abs(#))", "torch.log1p(torch.abs(#))"),
    ("ln(square(#) + 0.5)", "torch.log(torch.square(#) + 0.5)"),
    ("sqrt(square(#) + 0.1)", "torch.sqrt(torch.square(#) + 0.1)"),
    ("pow(abs(#) + 0.5, 1.7)", "torch.pow(torch.abs(#) + 0.5, 1.7)"),
];

const PAIRS: &[(&str, &str)] = &[
    ("(# + @)", "(# + @)"),
    ("(# - @)", "(# - @)"),
    ("(# * @)", "(# * @)"),
    ("(# * (1.0 - @))", "(# * (1.0 - @))"),
    ("maximum(#, @)", "torch.maximum(#, @)"),
    ("minimum(#, @)", "torch.minimum(#, @)"),
    ("(# / (abs(@) + 1.0))", "(# / (torch.abs(@) + 1.0))"),
    ("select(# > @, #, 0.5 * @)", "torch.where(# > @, #, 0.5 * @)"),
];

/// One function of a value, under a name.
pub(super) fn apply(case: &mut Case, random: &mut Random, value: &Value, price: Price) -> Value {
    let from = match price {
        Price::Cheap => CHEAP,
        Price::Dear => DEAR,
    };
    let (rust, torch) = random.pick(from);
    case.named(value.one(rust, torch))
}

/// All values as one: they meet in a random order, and `functions` of them are applied in between.
pub(super) fn mix(
    case: &mut Case,
    random: &mut Random,
    values: &[Value],
    functions: usize,
    price: Price,
) -> Value {
    let mut values = values.to_vec();
    let mut left = functions;
    while values.len() > 1 || left > 0 {
        if left > 0 && (values.len() == 1 || random.percent(60)) {
            let at = random.below(values.len());
            values[at] = apply(case, random, &values[at].clone(), price);
            left -= 1;
        } else {
            let first = values.remove(random.below(values.len()));
            let at = random.below(values.len());
            let (rust, torch) = random.pick(PAIRS);
            values[at] = case.named(first.two(&values[at], rust, torch));
        }
    }
    values.remove(0)
}

/// A statistic over these dims.
pub(super) fn statistic(case: &mut Case, random: &mut Random, value: &Value, over: Dims) -> Value {
    const STATISTICS: &[(&str, &str)] = &[
        ("mean(#, %)", "torch.mean(#, %, keepdim=True)"),
        ("max(#, %)", "torch.amax(#, %, keepdim=True)"),
        ("var(#, %)", "torch.var(#, %, correction=0, keepdim=True)"),
        (
            "sqrt(mean(square(#), %) + 0.01)",
            "torch.sqrt(torch.mean(torch.square(#), %, keepdim=True) + 0.01)",
        ),
        ("logsumexp(#, %)", "torch.logsumexp(#, %, keepdim=True)"),
        ("mean(abs(#), %)", "torch.mean(torch.abs(#), %, keepdim=True)"),
    ];
    let (rust, torch) = random.pick(STATISTICS);
    along(case, value, over, rust, torch)
}

/// `rust` and `torch` with `%` for the dims.
pub(super) fn along(case: &mut Case, value: &Value, over: Dims, rust: &str, torch: &str) -> Value {
    let listed = case.listed(over);
    let names = if over.0.count_ones() == 1 { listed } else { format!("({listed})") };
    let places: Vec<String> =
        (0..case.frame.len()).filter(|at| over.has(*at)).map(|at| at.to_string()).collect();
    let mut found =
        value.one(&rust.replace('%', &names), &torch.replace('%', &format!("({},)", places.join(", "))));
    found.dims = value.dims.without(over);
    case.named(found)
}

/// A value with its statistics, as norms and softmaxes have them.
pub(super) fn normalized(case: &mut Case, random: &mut Random, value: &Value, over: Dims) -> Value {
    let single = over.0.count_ones() == 1;
    match random.below(if single { 5 } else { 3 }) {
        0 => {
            let mean = along(case, value, over, "mean(#, %)", "torch.mean(#, %, keepdim=True)");
            let centered = case.named(value.two(&mean, "(# - @)", "(# - @)"));
            let square = centered.one("square(#)", "torch.square(#)");
            let var = along(case, &square, over, "mean(#, %)", "torch.mean(#, %, keepdim=True)");
            case.named(centered.two(&var, "# * rsqrt(@ + 0.00001)", "# * torch.rsqrt(@ + 0.00001)"))
        }
        1 => {
            let statistic = statistic(case, random, value, over);
            case.named(value.two(&statistic, "(# - @)", "(# - @)"))
        }
        2 => {
            let absolute = value.one("abs(#)", "torch.abs(#)");
            let largest = along(case, &absolute, over, "max(#, %)", "torch.amax(#, %, keepdim=True)");
            case.named(value.two(&largest, "# / (@ + 0.1)", "# / (@ + 0.1)"))
        }
        3 => softmax(case, value, over, "softmax"),
        _ => softmax(case, value, over, "log_softmax"),
    }
}

fn softmax(case: &mut Case, value: &Value, over: Dims, name: &str) -> Value {
    let at = over.0.trailing_zeros();
    let names = case.listed(over);
    let (rust, torch) = (format!("{name}(#, {names})"), format!("torch.{name}(#, {at})"));
    case.named(value.one(&rust, &torch))
}
