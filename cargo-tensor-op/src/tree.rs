//! The modules of a crate, with the ops that they declare, read from its source files.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::fs;
use std::path::{Path, PathBuf};
use syn::ext::IdentExt;

/// What syn says of a text that is not even tokens.
const NO_TOKENS: &str = "cannot parse string into token stream";

/// A crate: its modules, of which the first is the root.
pub(crate) struct Tree {
    /// The name by which other crates know it.
    pub(crate) name: String,
    pub(crate) modules: Vec<Module>,
}

/// A module.
pub(crate) struct Module {
    /// The names of the modules from the root to this one.
    pub(crate) path: Vec<String>,
    pub(crate) file: PathBuf,
    pub(crate) ops: Vec<Declared>,
    pub(crate) uses: Vec<Use>,
}

/// A declaration.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The tokens in `#[tensor_op(..)]`.
    pub(crate) attr: TokenStream,
    /// The function without this attribute.
    pub(crate) item: TokenStream,
    pub(crate) line: usize,
    /// The function as it stands in the file, from `fn` on.
    pub(crate) source: String,
}

/// What a `use` brings into a module.
pub(crate) struct Use {
    /// The new name; `None` for `*`.
    pub(crate) name: Option<String>,
    pub(crate) path: Vec<String>,
}

/// Where a file's own modules lie.
struct Place<'p> {
    file: &'p Path,
    folder: PathBuf,
}

impl Tree {
    /// Reads a crate from its root file.
    pub(crate) fn read(name: &str, root: &Path) -> Result<Tree, String> {
        let mut tree = Tree { name: name.replace('-', "_"), modules: vec![] };
        let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
        tree.file(root, folder, vec![])?;
        Ok(tree)
    }

    /// The module with this path.
    pub(crate) fn module(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|module| module.path == path)
    }

    /// `folder` has the files of the module's own modules.
    fn file(&mut self, file: &Path, folder: PathBuf, path: Vec<String>) -> Result<(), String> {
        let text =
            fs::read_to_string(file).map_err(|error| format!("can't read {}: {error}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| {
            let start = error.span().start();
            let message = match error.to_string().as_str() {
                NO_TOKENS => "brackets that don't match, or no Rust".to_string(),
                message => message.to_string(),
            };
            format!("{}:{}:{}: {message}", file.display(), start.line, start.column + 1)
        })?;
        self.items(&parsed.items, &Place { file, folder }, path)
    }

    fn items(&mut self, items: &[syn::Item], place: &Place<'_>, path: Vec<String>) -> Result<(), String> {
        let at = self.modules.len();
        let file = place.file.to_path_buf();
        self.modules.push(Module { path: path.clone(), file, ops: vec![], uses: vec![] });
        for item in items {
            match item {
                syn::Item::Fn(function) => self.modules[at].ops.extend(declared(function)),
                syn::Item::Use(item) => uses(&item.tree, vec![], &mut self.modules[at].uses),
                syn::Item::Mod(module) => self.child(module, place, &path)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A module of a module. Its file may be missing where a feature leaves it out, or where it is generated.
    fn child(&mut self, module: &syn::ItemMod, place: &Place<'_>, path: &[String]) -> Result<(), String> {
        let name = module.ident.unraw().to_string();
        let path = [path, std::slice::from_ref(&name)].concat();
        let inner = place.folder.join(&name);
        if let Some((_, items)) = &module.content {
            return self.items(items, &Place { file: place.file, folder: inner }, path);
        }
        let written = path_attribute(&module.attrs).map(|path| {
            let file = place.file.parent().unwrap_or(Path::new("")).join(path);
            let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
            (file, folder)
        });
        let beside = (place.folder.join(format!("{name}.rs")), inner.clone());
        let inside = (inner.join("mod.rs"), inner);
        match written.into_iter().chain([beside, inside]).find(|(file, _)| file.is_file()) {
            Some((file, folder)) => self.file(&file, folder, path),
            None => Ok(()),
        }
    }
}

/// The file in `#[path = ".."]`.
fn path_attribute(attrs: &[syn::Attribute]) -> Option<String> {
    attrs.iter().find_map(|attr| match &attr.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => {
            syn::parse2::<syn::LitStr>(pair.value.to_token_stream()).ok().map(|text| text.value())
        }
        syn::Meta::NameValue(_) | syn::Meta::Path(_) | syn::Meta::List(_) => None,
    })
}

/// The op, if the function has `#[tensor_op]`.
fn declared(function: &syn::ItemFn) -> Option<Declared> {
    let is_op = |attr: &syn::Attribute| {
        attr.path().segments.last().is_some_and(|segment| segment.ident == "tensor_op")
    };
    let attr = match &function.attrs.iter().find(|attr| is_op(attr))?.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        syn::Meta::Path(_) | syn::Meta::NameValue(_) => TokenStream::new(),
    };
    let mut plain = function.clone();
    plain.attrs.retain(|attr| !is_op(attr));
    let name = function.sig.ident.unraw().to_string();
    let line = function.sig.ident.span().start().line;
    Some(Declared { name, attr, item: plain.into_token_stream(), line, source: source(function) })
}

/// The text of a function from `fn` on, where its last line is not indented.
fn source(function: &syn::ItemFn) -> String {
    let (start, end) = (function.sig.fn_token.span, function.block.brace_token.span.close());
    let text = start.join(end).and_then(|span| span.source_text()).unwrap_or_default();
    let indent = end.start().column.min(start.start().column);
    let line = |line: &str| {
        let spaces = line.chars().take_while(|letter| *letter == ' ').count();
        line[spaces.min(indent)..].to_string()
    };
    let mut lines = text.lines();
    let first = lines.next().map(str::to_string);
    first.into_iter().chain(lines.map(line)).collect::<Vec<_>>().join("\n")
}

fn uses(tree: &syn::UseTree, path: Vec<String>, found: &mut Vec<Use>) {
    let with = |name: &proc_macro2::Ident| [&path[..], &[name.unraw().to_string()]].concat();
    match tree {
        syn::UseTree::Path(part) => uses(&part.tree, with(&part.ident), found),
        syn::UseTree::Name(name) if name.ident == "self" => {
            found.push(Use { name: path.last().cloned(), path });
        }
        syn::UseTree::Name(name) => {
            found.push(Use { name: Some(name.ident.unraw().to_string()), path: with(&name.ident) });
        }
        syn::UseTree::Rename(part) => {
            let path = if part.ident == "self" { path } else { with(&part.ident) };
            found.push(Use { name: Some(part.rename.unraw().to_string()), path });
        }
        syn::UseTree::Glob(_) => found.push(Use { name: None, path }),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| uses(tree, path.clone(), found)),
    }
}
