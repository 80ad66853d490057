//! What the program prints, for ops of the catalogue and for samples. A new case is a new line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of this crate.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Runs `cargo tensor-op` as cargo does, in the folder of the repository. Cargo has the packages: they were
/// built.
fn run(args: &[&str]) -> Output {
    let root = Path::new(HERE).parent().expect("the crate is in a workspace");
    let program = env!("CARGO_BIN_EXE_cargo-tensor-op");
    Command::new(program)
        .arg("tensor-op")
        .args(args)
        .current_dir(root)
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .expect("the program runs")
}

/// What it prints.
fn printed(args: &[&str]) -> String {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The message of a run that fails.
fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn snapshot(name: &str, text: String) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, text);
    });
}

/// Text without the lines where declarations are, which move when others are edited.
fn without_lines(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(".rs:") {
        Some((before, number)) if number.chars().all(|c| c.is_ascii_digit()) => format!("{before}.rs"),
        _ => line.to_string(),
    };
    text.lines().map(|own| line(own) + "\n").collect()
}

/// The arguments that explain an op of the samples.
fn sample<'s>(op: &'s str, more: &[&'s str]) -> Vec<&'s str> {
    [&["explain", op, "--file", "cargo-tensor-op/tests/samples/lib.rs"], more].concat()
}

#[test]
fn ops_as_text() {
    let ops: [(&str, &str, &[&str]); 7] = [
        (
            "softmax",
            "nn::softmax",
            &["--sizes", "axis=4096,..=32768", "--rate", "3.35TB/s", "--dtype", "bf16"],
        ),
        ("layer_norm", "nn::layer_norm", &[]),
        (
            "matmul_add_relu",
            "nn::matmul_add_relu",
            &["--sizes", "..=1,m=4096,n=4096,k=1024", "--rate", "20GB/s"],
        ),
        ("cross_entropy", "nn::cross_entropy", &[]),
        ("attention", "nn::attention", &[]),
        ("attention_gpu", "nn::attention", &["--for", "gpu", "--dtype", "f16"]),
        (
            "conv1d",
            "convolution::conv1d",
            &["--choice", "bias=Some", "--sizes", "..=8,c=64,n=4096,o=64,k=3", "--rate", "20GB/s"],
        ),
    ];
    for (name, op, more) in ops {
        let text = printed(&[&["explain", op], more].concat());
        assert!(text.lines().all(|line| line.chars().count() <= 102), "{text}");
        snapshot(name, without_lines(&text));
    }
}

#[test]
fn ops_that_call_ops() {
    let text = printed(&sample("twice_scored", &[]));
    assert!(text.contains("2.0 * (sum(q * k, d) / sqrt(len(d)))"), "{text}");
    let text = printed(&sample("through", &[]));
    assert!(text.contains("x * x + 1.0"), "{text}");
}

/// One formula for each choice, or the one that is named.
#[test]
fn formulas_that_a_call_chooses() {
    let args = ["explain", "squared_error", "--file", "cargo-tensor-op/tests/samples/losses.rs"];
    let all = printed(&args);
    assert_eq!(all.matches("\nWhere reduction is Reduction::").count(), 3, "{all}");
    let sum = printed(&[&args[..], &["--choice", "reduction=Sum"]].concat());
    assert!(sum.contains("Where reduction is Reduction::Sum\n"), "{sum}");
    assert_eq!(sum.matches("\nFormula, with").count(), 1, "{sum}");
    let message = refused(&[&args[..], &["--choice", "reduction=Most"]].concat());
    assert_eq!(message, "error: `reduction` is never `Most`, but Mean or None or Sum\n");
    let message = refused(&[&args[..], &["--choice", "bias=Some"]].concat());
    assert_eq!(message, "error: `squared_error` chooses no formula by `bias`, but by reduction\n");
}

#[test]
fn list_of_ops() {
    let text = printed(&["list", "--file", "cargo-tensor-op/tests/samples/parts/mod.rs"]);
    let expected = "crate::product        cargo-tensor-op/tests/samples/parts/mod.rs:13
crate::scores         cargo-tensor-op/tests/samples/parts/mod.rs:18
crate::deep::squared  cargo-tensor-op/tests/samples/parts/mod.rs:7
";
    assert_eq!(text, expected);
    let text = printed(&["list", "-p", "tensor-op"]);
    assert!(text.contains("tensor_op::catalogue::nn::softmax  "), "{text}");
}

#[test]
fn generated_code() {
    let cpu = printed(&["explain", "nn::silu_mul", "--code", "cpu"]);
    assert!(cpu.contains("pub(crate) fn silu_mul_cpu("), "{cpu}");
    let gpu = printed(&["explain", "nn::silu_mul", "--code", "gpu"]);
    assert!(gpu.contains("#[cube]\nfn silu_mul_pass0("), "{gpu}");
    let all = printed(&["explain", "nn::silu_mul", "--code", "rust"]);
    assert!(all.contains("pub fn silu_mul("), "{all}");
}

/// The function on Burn's tensors: of an op that has one, of one whose calls choose, and of another.
#[test]
fn generated_code_for_burn() {
    let burn = |op: &[&str]| {
        let all = printed(&[op, &["--code", "burn"]].concat());
        let (_, code) = all.split_once("\nWhat #[tensor_op(burn)] makes of ").expect("the title");
        code.to_string()
    };
    let code = burn(&["explain", "nn::rms_norm"]);
    for part in ["pub fn rms_norm_burn<const D: usize>(", "::tensor_op::__private::burn::function("] {
        assert!(code.contains(part), "{part} is not in {code}");
    }
    assert!(
        !code.contains("burn_beside!") && !code.contains("picture!") && !code.contains("struct RmsNorm"),
        "{code}"
    );
    let code = burn(&["explain", "nn::linear"]);
    assert!(code.contains("LinearWithBias") && code.contains("LinearWithoutBias"), "{code}");
    let code = burn(&sample("through", &[]));
    assert!(code.contains("fn through<const D: usize>("), "{code}");
}

fn in_target(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// `UPDATE=1` writes the files that are compared.
fn compare(name: &str, found: &str) {
    compare_file(&Path::new(HERE).join("tests/snapshots").join(name), found);
}

fn compare_file(path: &Path, found: &str) {
    let name = path.display();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, found).expect("the folder is in the repository");
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == expected, "{name} is out of date: run this test with UPDATE=1");
}

#[test]
fn picture_in_svg() {
    let file = in_target("attention.svg");
    printed(&["explain", "nn::attention", "--svg", file.to_str().expect("a path of letters")]);
    compare("attention.svg", &std::fs::read_to_string(file).expect("it was written"));

    let file = in_target("softmax_of_sizes.svg");
    let sizes = ["--sizes", "axis=4096,..=32768", "--rate", "3.35TB/s"];
    let svg = ["--svg", file.to_str().expect("a path of letters")];
    printed(&[&["explain", "nn::softmax"], &svg[..], &sizes[..]].concat());
    let picture = std::fs::read_to_string(file).expect("it was written");
    assert!(picture.contains("1.00 times the ideal") && picture.contains("537 MB"), "{picture}");
}

/// The README shows what comes out of its own declaration.
#[test]
fn picture_of_the_readme() {
    let root = Path::new(HERE).parent().expect("the crate is in a workspace");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("it is there");
    let start = readme.find("#[tensor_op]\npub fn my_norm").expect("its first declaration");
    let end = start + readme[start..].find("\n}\n").expect("the end of the formula") + 2;
    let (source, picture) = (in_target("readme.rs"), in_target("my_norm.svg"));
    std::fs::write(&source, &readme[start..end]).expect("a folder of tests");
    let path = |path: &PathBuf| path.to_str().expect("a path of letters").to_string();
    printed(&["explain", "my_norm", "--for", "gpu", "--file", &path(&source), "--svg", &path(&picture)]);
    let found = std::fs::read_to_string(picture).expect("it was written");
    compare_file(&root.join("docs/my_norm.svg"), &found);

    // The book shows a part of what is printed, too.
    let chapter = std::fs::read_to_string(root.join("book/src/explain.md")).expect("it is there");
    let shown = chapter.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    let sizes = ["--sizes", "n=4096,..=32768", "--rate", "3.35TB/s"];
    let text = printed(&[&["explain", "my_norm", "--file", &path(&source)], &sizes[..]].concat());
    assert!(text.contains(shown.expect("a block of text")), "book/src/explain.md is out of date:\n{text}");
}

/// The page needs nothing from elsewhere, and each element that is opened is closed.
#[test]
fn page_in_html() {
    let file = in_target("rms_norm.html");
    printed(&["explain", "nn::rms_norm", "--html", file.to_str().expect("a path of letters")]);
    let page = std::fs::read_to_string(file).expect("it was written");
    for word in ["src=", "href=", "url(http", "<script"] {
        assert!(!page.contains(word), "{word}");
    }
    for element in ["details", "pre", "svg", "figure", "h1", "h2", "h3", "p", "text"] {
        let open =
            page.matches(&format!("<{element}>")).count() + page.matches(&format!("<{element} ")).count();
        assert_eq!(open, page.matches(&format!("</{element}>")).count(), "{element}");
    }
    assert_eq!(page.matches("<details>").count(), 4);
    assert!(page.contains("rsqrt(sum(x * x, n) / len(n) + eps)"));
}

#[test]
fn mistakes_are_sentences() {
    let file = "cargo-tensor-op/tests/samples/lib.rs";
    let refusals: [(&[&str], &str); 9] = [
        (
            &["explain", "twice", "--file", file],
            "error: no op is called `twice`; these have similar names:\n    crate::twice_scored  cargo-tensor-op/tests/samples/lib.rs:11\n",
        ),
        (
            &["explain", "zzz", "--file", file],
            "error: no op is called `zzz`: `cargo tensor-op list` shows all of them\n",
        ),
        (
            &["explain", "misspelt", "--file", file],
            "error: cargo-tensor-op/tests/samples/lib.rs:29:5: unknown function `sigmod`: did you mean `sigmoid`?\n",
        ),
        (
            &["explain", "x", "--file", "cargo-tensor-op/tests/samples/broken.rs"],
            "error: cargo-tensor-op/tests/samples/broken.rs:1:10: brackets that don't match, or no Rust\n",
        ),
        (&["explain", "x", "--file", "no/such.rs"], "error: can't read no/such.rs: "),
        (
            &["explain", "softmax", "-p", "nothing"],
            "error: no package `nothing` in the workspace, which has ",
        ),
        (
            &["explain", "nn::softmax", "--sizes", "n=4"],
            "error: no dim `n` for --sizes: the op has `..`, `axis`\n",
        ),
        (
            &["explain", "nn::softmax", "--sizes", "axis=4", "--rate", "1GB/s"],
            "error: --sizes lacks `..`: no size of it is known\n",
        ),
        (
            &["explain", "nn::softmax", "--sizes", "axis=4000000000,..=4000000000", "--rate", "1GB/s"],
            "error: these sizes give more bytes than 64 bits hold\n",
        ),
    ];
    for (args, message) in refusals {
        let found = refused(args);
        assert!(found.starts_with(message), "{args:?}: {found}");
    }
    let conv = ["explain", "convolution::conv1d", "--rate", "1GB/s", "--sizes"];
    let found = refused(&[&conv[..], &["..=1,c=1,o=1,n=4"]].concat());
    assert_eq!(found, "error: --sizes lacks `k`: no size of it is known\n");
    let found = refused(&[&conv[..], &["..=1,c=1,o=1,n=4,k=9"]].concat());
    assert_eq!(found, "error: with these sizes, that of `l` is no number from 0 on\n");
    let found = refused(&["explain", "nn::softmax", "--sizes", "n"]);
    assert!(found.contains("`n` in --sizes is no size: write `n=4096`"), "{found}");
    let found = refused(&["explain", "nn::softmax", "--rate", "fast"]);
    assert!(found.contains("`fast` is no rate: write `--rate 3.35TB/s`"), "{found}");
}

/// Nothing that a file holds ends the program without a sentence.
#[test]
fn odd_files() {
    let deep =
        format!("#[tensor_op] fn deep(x: Tensor) -> Tensor {{ {}x{} }}", "(".repeat(5000), ")".repeat(5000));
    let files: [(&str, &[u8], &str); 4] = [
        ("empty.rs", b"", "no function here has `#[tensor_op]`"),
        ("bytes.rs", &[0xff, 0xfe, 0x00], "can't read "),
        ("deep.rs", deep.as_bytes(), "more than 256 brackets"),
        ("no_function.rs", b"#[tensor_op] fn deep() {}", ":1:17: a formula has a result"),
    ];
    for (name, bytes, message) in files {
        let file = in_target(name);
        std::fs::write(&file, bytes).expect("the folder is ours");
        let found = refused(&["explain", "deep", "--file", file.to_str().expect("a path of letters")]);
        assert!(found.starts_with("error: ") && found.contains(message), "{name}: {found}");
        assert!(!found.contains("panicked"), "{name}: {found}");
    }
}

/// A callee that is nowhere is named, with the places where it was looked for; so is one that calls itself.
#[test]
fn callees_that_are_not_found() {
    let found = refused(&sample("lost", &[]));
    assert!(
        found.contains("lib.rs:24:19: the declaration of `crate::parts::missing` was not found"),
        "{found}"
    );
    assert!(found.contains("looked from module `crate` of `crate` on"), "{found}");
    let found = refused(&sample("one_way", &[]));
    assert!(found.contains("calls itself"), "{found}");
}

/// A package of its own that calls ops of the catalogue, by their path and by a name that `use` brings.
#[test]
fn callees_of_other_crates() {
    let folder = in_target("package");
    std::fs::create_dir_all(folder.join("src")).expect("the folder is ours");
    let root = Path::new(HERE).parent().expect("the crate is in a workspace");
    let manifest = format!(
        "[package]\nname = \"calls\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nrenamed = {{ package = \
         \"tensor-op\", path = {root:?} }}\n"
    );
    let source = "use renamed::{catalogue::nn, tensor_op};
#[tensor_op]
fn by_path(x: Tensor![.., n]) -> Tensor![.., n] { renamed::catalogue::nn::softmax(x, n) }
#[tensor_op]
fn by_use(x: Tensor![.., n]) -> Tensor![.., n] { nn::softmax(x, n) }
";
    for (name, text) in [("Cargo.toml", manifest.as_str()), ("src/lib.rs", source)] {
        std::fs::write(folder.join(name), text).expect("the folder is ours");
    }
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the folder is ours");
    let manifest = folder.join("Cargo.toml");
    for op in ["by_path", "by_use"] {
        let text =
            printed(&["explain", op, "--manifest-path", manifest.to_str().expect("a path of letters")]);
        assert!(text.contains("let elements = exp(x - row_max);"), "{text}");
    }
}

/// The example in the docs is what the program prints.
#[test]
fn documented_example() {
    let text = printed(&["explain", "nn::rms_norm", "--sizes", "n=4096,..=32768", "--rate", "3.35TB/s"]);
    let path = Path::new(HERE).join("../docs/explain.md");
    let page = std::fs::read_to_string(&path).expect("the page is in the repository");
    let (before, rest) = page.split_once("```text\n").expect("the page has an example");
    let (_, after) = rest.split_once("```\n").expect("the example ends");
    let updated = format!("{before}```text\n{}```\n{after}", without_lines(&text));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &updated).expect("the page is in the repository");
    }
    assert!(page == updated || std::env::var_os("UPDATE").is_some(), "run this test with UPDATE=1");
}
