//! The picture of an op's kernels in its docs.

use crate::emit;
use crate::ir::{FloatWidth, Graph};
use crate::picture::{Canvas, Picture, Place, Plan, spoken};
use crate::schedule::{CostModel, Schedule, schedule};
use proc_macro2::{TokenStream, TokenTree};

/// The kernels of an op for the CPU as HTML, a literal of text. `tokens` are the text of its graph, and that
/// of its gradient if it has one. They come from the macro; for other tokens the picture is empty.
pub fn picture_of(tokens: TokenStream) -> TokenStream {
    let graph = |token: TokenTree| {
        let text: syn::LitStr = syn::parse2(token.into()).ok()?;
        Graph::parse(&text.value()).ok()
    };
    let graphs: Option<Vec<Graph>> = tokens.into_iter().map(graph).collect();
    let graphs = graphs.filter(|graphs| !graphs.is_empty());
    let html = graphs.map(|graphs| {
        let graphs: Vec<&Graph> = graphs.iter().collect();
        kernels_picture(&graphs, "CPU", |graph| schedule(graph, CostModel::CPU))
    });
    emit::drawn(&html.unwrap_or_default())
}

/// The kernels of an op and, if it has one, of its gradient, for a processor of this name: an element of HTML
/// whose label says in words what it shows.
pub fn kernels_picture(graphs: &[&Graph], processor: &str, schedule: impl Fn(&Graph) -> Schedule) -> String {
    let mut canvas = Canvas::new(Place::Page);
    let mut label = String::new();
    for (graph, side) in graphs.iter().zip(["forward", "backward"]) {
        let schedule = schedule(graph);
        let picture = Picture::new(Plan { graph, schedule: &schedule }, graphs[0], FloatWidth::Single);
        let title = format!("Kernels, {side} ({processor}), bytes in f32");
        if !label.is_empty() {
            canvas.skip(12);
            label += ". ";
        }
        canvas.title(&title);
        canvas.skip(12);
        canvas.kernels(&picture.boxes, graph);
        label += &format!("{title}: {}", spoken(&picture.boxes));
    }
    canvas.legend();
    canvas.finished(&label)
}

#[cfg(test)]
mod tests {
    use super::picture_of;
    use crate::compile::stages;
    use proc_macro2::{TokenStream, TokenTree};

    /// The tokens of all calls of the macro in an expansion.
    fn calls(code: TokenStream, found: &mut Vec<TokenStream>) {
        let trees: Vec<TokenTree> = code.into_iter().collect();
        for (at, tree) in trees.iter().enumerate() {
            let TokenTree::Group(group) = tree else { continue };
            let is_call =
                at >= 2 && trees[at - 2].to_string() == "picture" && trees[at - 1].to_string() == "!";
            if is_call {
                found.push(group.stream());
            } else {
                calls(group.stream(), found);
            }
        }
    }

    /// What rustdoc gets for the docs of each picture of a declaration.
    fn drawn(declaration: &str) -> Vec<String> {
        let code = stages(declaration.parse().expect("tokens")).expect("it has no mistakes").code;
        let mut found = Vec::new();
        calls(code, &mut found);
        let text = |call| syn::parse2::<syn::LitStr>(picture_of(call)).expect("a literal").value();
        found.into_iter().map(text).collect()
    }

    #[test]
    fn docs_show_the_kernels() {
        let norm = "fn norm(x: Tensor![.., n], gamma: Tensor![n]) -> Tensor![.., n] {
            x * rsqrt(mean(x * x, n)) * gamma
        }";
        assert!(drawn(norm).is_empty(), "rustdoc shows no private function");
        let [html] = &drawn(&format!("pub {norm}"))[..] else { panic!("one picture for one formula") };
        // Markdown would go on after an empty line, and would take four spaces for code.
        assert!(!html.contains('\n') && html.starts_with(" <figure "), "{html}");
        for part in [
            "aria-label=\"Kernels, forward (CPU), bytes in f32: 1 row reads x, gamma, writes out, saved. Kernels, \
             backward (CPU), bytes in f32: 1 mixed reads saved, grad_out, gamma, x, writes grad_gamma, grad_x\"",
            ">row_sum = sum(x * x, n)</text>",
            "</svg></figure>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        // Its colours are those of the page, which may be dark.
        assert!(html.contains("currentColor") && !html.contains("#ffffff"), "{html}");
    }

    /// The types of its ops have the docs of each formula, also on Burn's tensors.
    #[test]
    fn each_formula_has_a_picture() {
        let chosen = "#[tensor_op(burn)] pub fn shifted(x: Tensor, bias: Option<Tensor>) -> Tensor {
            x + bias.unwrap_or(0.0)
        }";
        assert_eq!(drawn(chosen).len(), 2);
        for option in ["burn", "burn = double_burn"] {
            let double = format!("#[tensor_op({option})] pub fn double(x: Tensor) -> Tensor {{ x + x }}");
            assert_eq!(drawn(&double).len(), 1, "{option}");
        }
    }

    #[test]
    fn other_tokens_give_an_empty_picture() {
        for tokens in ["", "x", "\"no graph\"", "1 \"\""] {
            let text = picture_of(tokens.parse().expect("tokens")).to_string();
            assert!(text.contains("></figure>"), "{tokens}: {text}");
        }
    }
}
