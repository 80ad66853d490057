//! The kernels of an op as the text of a Rust file, to start from.

use quote::ToTokens;
use tensor_op_core::Op;

/// The kernels of an op for the CPU, and those of its gradient, as a Rust file. They are what the macro
/// generates: for each pass over the data a body, and a function that runs them. To change what is computed,
/// save the file, edit the bodies, and name the functions in the declaration of the op, or register them with
/// `register_kernel`. Before a change, they give the same bits as the generated kernels.
pub fn ejected(op: &dyn Op) -> String {
    let backward = op.backward();
    text(tensor_op_spec::eject(op.spec().graph(), backward.as_ref().map(|op| op.spec().graph())))
}

/// The kernels of an op for GPUs, and those of its gradient, as a Rust file: for each pass over the data a
/// `#[cube]` function of CubeCL, and a function that launches them. Otherwise as [`ejected`]. The file needs
/// the crate `cubecl` in the version that `tensor-op` uses.
///
/// Nothing is known of what bodies compute. So passes that run as one in a generated kernel run one after the
/// other: a softmax of a long row reads the row three times, not twice, and adds up in another order, and
/// attention in halves stores its scores. Other kernels give the same bits.
pub fn ejected_gpu(op: &dyn Op) -> String {
    let backward = op.backward();
    text(tensor_op_spec::eject_gpu(op.spec().graph(), backward.as_ref().map(|op| op.spec().graph())))
}

fn text(tokens: impl ToTokens) -> String {
    formatted(syn::parse2(tokens.to_token_stream()).expect("what is emitted is a file"))
}

/// A file with empty lines between its items, except between those of one line.
fn formatted(file: syn::File) -> String {
    let of =
        |attrs, items| prettyplease::unparse(&syn::File { shebang: None, frontmatter: None, attrs, items });
    let mut text = of(file.attrs, vec![]);
    let mut is_use = false;
    for item in file.items {
        let was_use = std::mem::replace(&mut is_use, matches!(item, syn::Item::Use(_)));
        // A body follows its struct.
        let follows = matches!(item, syn::Item::Impl(_));
        if !(follows || was_use && is_use) {
            text.push('\n');
        }
        text += &of(vec![], vec![item]);
    }
    text
}
