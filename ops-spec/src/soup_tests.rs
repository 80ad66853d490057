//! Token soups: declarations in which tokens were dropped, doubled, swapped or inserted from elsewhere. All
//! of [`expand`] runs on them, and must answer each in bounded time and without a panic. `fuzz/` does the
//! same for hours; what it finds becomes a case here.

use crate::expand;
use crate::testing::{declarations, generator};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::time::{Duration, Instant};

/// Number of mutants of each declaration.
const MUTANTS: usize = 12;
/// The time limit of one expansion, without optimisation and while other tests are running.
const LONGEST: Duration = Duration::from_secs(10);

/// Cases that fuzzing has found, and shapes of input that no mutation gives.
const CASES: [&str; 8] = [
    "",
    "fn",
    "fn f(x: Tensor) -> Tensor { ((((((((((((((((((((((((((((((((x)))))))))))))))))))))))))))))))) }",
    "fn f(x: Tensor) -> Tensor { x.x.x.x() }",
    "fn f(x: Tensor![(a, b, c = 99999999999999999999)]) -> Tensor { x }",
    "fn f(x: Tensor![a = 18446744073709551615, b = 18446744073709551615]) -> Tensor![] { sum(x * len((a, b)), (a, b)) }",
    "#[grad(x = grad)] #[grad(x = out)] fn f(x: Tensor, x: Tensor) -> (Tensor, Tensor) { x }",
    "fn r#fn(r#x: Tensor) -> Tensor { -r#x.sum(..).sum(..) }",
];

#[test]
fn soups_are_answered() {
    // A square of a square of a square, and so on: as a list of factors it would be far too long.
    let squares: String = (0..64).map(|i| format!("let a{} = a{i} * a{i};", i + 1)).collect();
    let squares = format!("fn f(x: Tensor) -> Tensor {{ let a0 = x; {squares} a64 }}");
    for case in CASES.iter().copied().chain([squares.as_str()]) {
        answer(&case.parse().expect("cases are tokens"));
    }
    let sources: Vec<TokenStream> = declarations("tests/ops")
        .into_iter()
        .chain(declarations("../src/catalogue"))
        .map(|text| text.parse().expect("declarations are tokens"))
        .collect();
    let mut next = generator(1);
    let mut below = |end: usize| (next() * end as f64) as usize;
    for source in &sources {
        for _ in 0..MUTANTS {
            let other = &sources[below(sources.len())];
            let mut mutant = source.clone();
            for _ in 0..1 + below(4) {
                mutant = mutate(mutant, other, &mut below);
            }
            answer(&mutant);
        }
    }
}

/// Expands the tokens both as the item and as the attribute.
fn answer(tokens: &TokenStream) {
    let double: TokenStream = "fn double(x: Tensor) -> Tensor { x + x }".parse().expect("tokens");
    for (attr, item) in [(TokenStream::new(), tokens.clone()), (tokens.clone(), double)] {
        let start = Instant::now();
        let answer = std::panic::catch_unwind(|| expand(attr, item, "site").to_string());
        let took = start.elapsed();
        assert!(answer.is_ok(), "a panic on: {tokens}");
        assert!(took < LONGEST, "{took:?} for: {tokens}");
    }
}

/// Gives a number from 0 up to, but without, its argument.
type Below<'r> = &'r mut dyn FnMut(usize) -> usize;

/// Makes one change, at any depth.
fn mutate(tokens: TokenStream, other: &TokenStream, below: Below<'_>) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    if trees.is_empty() {
        return other.clone();
    }
    let at = below(trees.len());
    if let TokenTree::Group(group) = &trees[at]
        && below(5) > 0
    {
        let inner = mutate(group.stream(), other, below);
        trees[at] = Group::new(group.delimiter(), inner).into();
        return trees.into_iter().collect();
    }
    match below(6) {
        0 => drop(trees.remove(at)),
        1 => trees.insert(at, trees[at].clone()),
        2 => {
            let to = below(trees.len());
            trees.swap(at, to);
        }
        3 => trees[at] = any(other, below),
        4 => trees.insert(at, any(other, below)),
        _ => {
            let delimiters = [Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace, Delimiter::None];
            let group = Group::new(delimiters[below(4)], trees[at].clone().into());
            trees[at] = group.into();
        }
    }
    trees.into_iter().collect()
}

/// A token of another declaration, from any depth.
fn any(tokens: &TokenStream, below: Below<'_>) -> TokenTree {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let tree = trees[below(trees.len())].clone();
    match &tree {
        TokenTree::Group(group) if !group.stream().is_empty() && below(4) > 0 => any(&group.stream(), below),
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => tree,
    }
}
