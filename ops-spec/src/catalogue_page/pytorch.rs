//! `docs/pytorch.md`: the functions of PyTorch beside those of the catalogue, and where arguments differ.
//! `UPDATE=1 cargo test -p tensor-op-spec --features syntax the_functions_of_pytorch` writes it; without
//! `UPDATE` the test compares.

use super::{ops, signature};
use crate::testing::families;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "# PyTorch's functions

All functions of `torch.nn.functional`, and those of `torch` and `torch.special` that have a name of the catalogue, beside the catalogue's. The
signatures of PyTorch are in `tests/pytorch/signatures.txt`, which `tests/pytorch/signatures.py` writes. This page is written and checked by a test:

```sh
UPDATE=1 cargo test -p tensor-op-spec --features syntax the_functions_of_pytorch
```

Arguments are compared by name, order and default, but not by type: a convolution's `padding` is a number or a list here, and no word. Where PyTorch
or the catalogue has several forms of a function, the nearest ones are compared. An argument that may be left out here and not in PyTorch is no
difference. Left out on both sides:

- `inplace`, `out`, `layout`, `pin_memory` and `sparse`: ops return new tensors; the buffer of a tensor that is passed by value is used again.
- `size_average` with `reduce`, which PyTorch has for old programs, and what begins with `_`.
- `dtype`, `device` and `requires_grad`: call `cast` or `require_grad`. A function without tensors takes a dtype and a device at its end.
- `keepdim`: call `unsqueeze` on the result.
- `stable`: sorts are.
- `return_indices`: with indices a function has a name of its own, such as `max_pool2d_with_indices`.
- `training` of what draws numbers: call the function in training alone.
- `seed`, and PyTorch's `generator`: without a seed the generator of the device draws one.

`x`, `lhs`, `y`, `rhs` and `axis` are PyTorch's `input`, `other` and `dim`, and `gamma` and `beta` of a norm are `weight` and `bias`. A default of `0`
or of the value that the docs say may stand for PyTorch's `None`. A function around ops has `None` for each default, which its docs explain.
";

/// Arguments that are not compared.
const LEFT_OUT: [&str; 15] = [
    "pin_memory",
    "layout",
    "device",
    "requires_grad",
    "inplace",
    "out",
    "sparse",
    "size_average",
    "dtype",
    "keepdim",
    "stable",
    "return_indices",
    "training",
    "seed",
    "generator",
];

/// What to write for an argument that is missing.
const INSTEAD: [(&[&str], &str); 12] = [
    (&["cat"], "`Tensor::cat(&[x, y], dim)` takes any number of tensors"),
    (&["stack"], "`Tensor::stack(&[x, y], dim)` takes any number of tensors"),
    (&["round"], "`round_decimals`"),
    (&["div"], "`div_rounded`"),
    (&["add", "sub"], "multiply `other` before the call"),
    (&["norm"], "`reduce::vector_norm`, `linalg::matrix_norm`"),
    (&["kl_div"], "`kl_div_batchmean`"),
    (&["gelu"], "`gelu_tanh`"),
    (&["clamp"], "`clamp_min`, `clamp_max`"),
    (&["scaled_dot_product_attention"], "`seed` is that of the dropout"),
    (&["mse_loss", "l1_loss", "huber_loss"], "call it with `Reduction::None`, then multiply and average"),
    (&["searchsorted"], "`right = true` is PyTorch's `side=\"right\"`"),
];

/// Functions of `torch.nn.functional` that the catalogue has not, and why.
const ABSENT: [(&[&str], &str); 4] = [
    (&["upsample", "upsample_bilinear", "upsample_nearest"], "PyTorch's old names of `interpolate`"),
    (&["native_channel_shuffle"], "another name of `channel_shuffle`"),
    (
        &["multi_head_attention_forward"],
        "what `torch.nn.MultiheadAttention` runs: call `linear` and `scaled_dot_product_attention`",
    ),
    (
        &["grouped_mm", "scaled_mm", "scaled_grouped_mm", "scaled_addmm"],
        "products of groups, and of numbers of 8 bits with scales, are not declared yet",
    ),
];

#[test]
fn the_functions_of_pytorch() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let theirs = std::fs::read_to_string(root.join("../tests/pytorch/signatures.txt"))
        .expect("it is in the repository");
    let ours = catalogue();
    let page = page(&theirs, &ours);
    let path = root.join("../docs/pytorch.md");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).expect("the folder is in the repository");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == page, "docs/pytorch.md is out of date: run this test with UPDATE=1");
}

/// Functions of one name, each with its family and its arguments.
type Forms = Vec<(String, Vec<Arg>)>;

/// The functions of the catalogue by name.
fn catalogue() -> BTreeMap<String, Forms> {
    let mut all: BTreeMap<String, Forms> = BTreeMap::new();
    for family in families("../src/catalogue") {
        let name = family.name.clone();
        let of_functions: Vec<String> = family.functions.iter().map(signature::of_function).collect();
        let of_ops = ops(family).1.into_iter().map(|op| signature::of(&op.item));
        for text in of_functions.into_iter().chain(of_ops) {
            let (function, args) = read(&text);
            all.entry(function).or_default().push((name.clone(), args));
        }
    }
    all
}

/// An argument and its default.
#[derive(Debug, PartialEq)]
struct Arg {
    name: String,
    default: Option<String>,
}

/// `topk(input: Tensor![.., n], k: usize, largest = true)`, or `topk(input, k, largest=True)`.
fn read(signature: &str) -> (String, Vec<Arg>) {
    let (name, rest) = signature.split_once('(').expect("a signature has arguments");
    let inside = rest.rsplit_once(')').map_or(rest, |(inside, _)| inside);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        depth += i32::from("([<".contains(letter)) - i32::from(")]>".contains(letter));
        match letter {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().expect("there is one").push(letter),
        }
    }
    let arg = |part: &String| {
        // A type may have `=`, and stands before the default.
        let (name, default) = match (part.find(':'), part.find('=')) {
            (Some(colon), Some(sign)) if colon < sign => (&part[..colon], None),
            (Some(colon), None) => (&part[..colon], None),
            (_, Some(sign)) => (&part[..sign], Some(part[sign + 1..].trim().to_string())),
            (None, None) => (part.as_str(), None),
        };
        Arg { name: name.trim().to_string(), default }
    };
    let args = parts.iter().filter(|part| !part.trim().is_empty()).map(arg);
    (name.rsplit('.').next().unwrap_or(name).to_string(), args.collect())
}

/// The forms of PyTorch's functions: their modules and arguments.
fn pytorch(lines: &str) -> BTreeMap<String, Forms> {
    let mut all: BTreeMap<String, Forms> = BTreeMap::new();
    for line in lines.lines().skip(1) {
        let (name, args) = read(line);
        let module = line.split_once(&format!(".{name}(")).map_or("", |(module, _)| module);
        all.entry(name).or_default().push((module.to_string(), args));
    }
    all
}

fn page(theirs: &str, ours: &BTreeMap<String, Forms>) -> String {
    let version = theirs.lines().next().unwrap_or_default();
    let (mut rows, mut same, mut absent) = (String::new(), vec![], vec![]);
    for (name, forms) in pytorch(theirs) {
        let module = &forms[0].0;
        let pairs = forms
            .iter()
            .flat_map(|(_, args)| ours.get(&name).into_iter().flatten().map(move |own| (args, own)));
        let nearest = pairs.map(|(args, (family, own))| (differences(args, own), family));
        match nearest.min_by_key(|(differences, _)| differences.len()) {
            None if module == "torch.nn.functional" => {
                let why = note(&ABSENT, &name).unwrap_or("not declared yet");
                absent.push(format!("| `{name}` | {why} |"));
            }
            None => {}
            Some((differences, _)) if differences.is_empty() => same.push(format!("`{name}`")),
            Some((differences, family)) => {
                let instead = note(&INSTEAD, &name).unwrap_or_default();
                let _ = writeln!(
                    rows,
                    "| `{module}.{name}` | `{family}` | {} | {instead} |",
                    differences.join("; ")
                );
            }
        }
    }
    let all = same.len() + rows.lines().count();
    format!(
        "{HEAD}\n`{all} functions of {version} have a function of the same name here, {} of them with the same arguments; {} of torch.nn.functional have none`\n\n\
         ## Arguments that differ\n\n| function | family | differences | instead |\n|---|---|---|---|\n{rows}\n\
         ## The same arguments\n\n{}\n\n## Not here\n\n| function | why |\n|---|---|\n{}\n",
        same.len(),
        absent.len(),
        same.join(", "),
        absent.join("\n")
    )
}

/// What a table says of a function.
fn note(table: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(names, _)| names.contains(&name)).map(|(_, text)| *text)
}

/// What differs between the arguments of PyTorch and our own.
fn differences(theirs: &[Arg], own: &[Arg]) -> Vec<String> {
    let is_old = theirs.iter().any(|arg| arg.name == "size_average");
    let is_compared = |arg: &&Arg| {
        let name = arg.name.as_str();
        !(LEFT_OUT.contains(&name) || name.starts_with('_') || is_old && name == "reduce")
    };
    let theirs: Vec<(&str, &Arg)> =
        theirs.iter().filter(is_compared).map(|arg| (usual(&arg.name), arg)).collect();
    let own: Vec<(&str, &Arg)> = own.iter().filter(is_compared).map(|arg| (usual(&arg.name), arg)).collect();
    let names = |args: &[(&str, &Arg)], others: &[(&str, &Arg)]| {
        let is_missing = |(name, _): &&(&str, &Arg)| others.iter().all(|(other, _)| other != name);
        args.iter()
            .filter(is_missing)
            .map(|(_, arg)| format!("`{}`", arg.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut found = vec![];
    for (what, list) in [("lacks", names(&theirs, &own)), ("has", names(&own, &theirs))] {
        if !list.is_empty() {
            found.push(format!("{what} {list}"));
        }
    }
    let common = |args: &[(&str, &Arg)], others: &[(&str, &Arg)]| -> Vec<String> {
        let is_common = |name: &str| others.iter().any(|(other, _)| *other == name);
        args.iter().filter(|(name, _)| is_common(name)).map(|(name, _)| (*name).to_string()).collect()
    };
    let order = common(&own, &theirs);
    if order != common(&theirs, &own) {
        found.push(format!("the order is {}", order.join(", ")));
    }
    for (name, arg) in &own {
        let Some((_, other)) = theirs.iter().find(|(other, _)| other == name) else { continue };
        match (&arg.default, &other.default) {
            // Of a function around ops the docs say what `None` means. All dims, or the value of another
            // argument, is what PyTorch's `None` means.
            (Some(ours), Some(_))
                if ours == "None" || ours == ".." || own.iter().any(|(_, one)| one.name == *ours) => {}
            (Some(ours), Some(theirs)) if plain(ours) != plain(theirs) => {
                found.push(format!("`{} = {ours}`, and not {theirs}", arg.name));
            }
            (None, Some(theirs)) => {
                found.push(format!("`{}` has no default, where PyTorch has {theirs}", arg.name));
            }
            (Some(_) | None, _) => {}
        }
    }
    found
}

/// The name in PyTorch of what the catalogue names otherwise.
fn usual(name: &str) -> &str {
    match name {
        "x" | "self" | "tensor" | "input1" | "a" | "lhs" | "mat1" => "input",
        "y" | "b" | "rhs" => "other",
        "bound" => "threshold",
        "axis" | "axes" | "dims" => "dim",
        "gamma" => "weight",
        "beta" => "bias",
        other => other,
    }
}

/// A default without quotes, as a number where it is one, and in small letters.
fn plain(default: &str) -> String {
    let text = default.trim_matches(['\'', '"']).to_lowercase().replace('_', "");
    let number = match text.split_once('/') {
        Some((a, b)) => {
            a.trim_end_matches('.').parse::<f64>().ok().zip(b.parse::<f64>().ok()).map(|(a, b)| a / b)
        }
        None => text.trim_end_matches('.').parse::<f64>().ok(),
    };
    match number {
        // `None` of PyTorch is often a 0 here.
        Some(0.0) => "none".to_string(),
        Some(number) => number.to_string(),
        None if text == "false" => "none".to_string(),
        None => text,
    }
}
