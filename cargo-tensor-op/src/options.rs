//! The command line.

use crate::code::Code;
use crate::page::{DType, Processor};
use crate::rate::Rate;
use crate::sizes::Sizes;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;

/// What the user asks for.
pub(crate) enum Asked {
    List(Where),
    Explain(Box<Explain>),
}

/// Where declarations are searched.
pub(crate) struct Where {
    pub(crate) manifest: Option<PathBuf>,
    pub(crate) package: Option<String>,
    pub(crate) file: Option<PathBuf>,
}

/// An op, and what is shown of it.
pub(crate) struct Explain {
    pub(crate) place: Where,
    pub(crate) op: String,
    pub(crate) choices: Vec<(String, String)>,
    pub(crate) processor: Processor,
    pub(crate) dtype: DType,
    pub(crate) sizes: Sizes,
    pub(crate) rate: Option<Rate>,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) html: Option<PathBuf>,
    pub(crate) code: Option<Code>,
}

/// Reads the arguments of the process. Help and mistakes end it. Cargo passes `tensor-op` first.
pub(crate) fn read() -> Result<Asked, String> {
    let mut args: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|first| first == "tensor-op") {
        args.remove(1);
    }
    let matches = command().try_get_matches_from(args).unwrap_or_else(|error| {
        let _ = error.print();
        std::process::exit(i32::from(error.use_stderr()))
    });
    asked(&matches)
}

fn command() -> Command {
    let list = with_place(Command::new("list").about("Lists all ops with their file and line"));
    let explain = with_place(Command::new("explain").about("Shows what is derived from an op's formula"));
    Command::new("cargo tensor-op")
        .bin_name("cargo tensor-op")
        .about("Shows what is derived from a formula that is declared with #[tensor_op]")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list)
        .subcommand(explain.args(of_explain()))
}

fn with_place(command: Command) -> Command {
    let path = value_parser!(PathBuf);
    command.args([
        Arg::new("manifest-path")
            .long("manifest-path")
            .value_name("FILE")
            .value_parser(path.clone())
            .help("The Cargo.toml of the package"),
        Arg::new("package").long("package").short('p').value_name("NAME").help("A package of the workspace"),
        Arg::new("file")
            .long("file")
            .value_name("FILE")
            .value_parser(path)
            .help("Only the ops of this source file"),
    ])
}

fn of_explain() -> Vec<Arg> {
    let path = value_parser!(PathBuf);
    let one_of = |names: Vec<&'static str>| PossibleValuesParser::new(names);
    vec![
        Arg::new("op")
            .required(true)
            .value_name("PATH")
            .help("The op, such as nn::softmax, or the end of its path"),
        Arg::new("choice")
            .long("choice")
            .value_name("ARG=VALUE")
            .action(ArgAction::Append)
            .value_parser(choice)
            .help("Only the formula that a call chooses by this value, such as reduction=Mean"),
        Arg::new("for")
            .long("for")
            .value_parser(one_of(vec!["cpu", "gpu"]))
            .default_value("cpu")
            .help("The processor whose kernels are shown"),
        Arg::new("dtype")
            .long("dtype")
            .value_parser(one_of(DType::ALL.map(DType::name).to_vec()))
            .default_value("f32")
            .help("The dtype of floats"),
        Arg::new("sizes").long("sizes").value_name("DIM=SIZE,..").value_parser(Sizes::read).help(
            "Sizes for the traffic as numbers, such as n=4096,..=32768; a group gets its number of elements",
        ),
        Arg::new("rate")
            .long("rate")
            .value_name("RATE")
            .value_parser(Rate::read)
            .help("The rate of a copy, such as 3.35TB/s; without it, a copy is measured here"),
        Arg::new("svg")
            .long("svg")
            .value_name("FILE")
            .value_parser(path.clone())
            .help("Also draws the kernels into this file"),
        Arg::new("html")
            .long("html")
            .value_name("FILE")
            .value_parser(path)
            .help("Also writes all of it as a page"),
        Arg::new("code")
            .long("code")
            .value_parser(one_of(Code::ALL.map(Code::name).to_vec()))
            .help("Also prints generated code: kernels for the CPU or the GPU, all of the expansion, or what is for Burn"),
    ]
}

/// `reduction=Mean`.
fn choice(text: &str) -> Result<(String, String), String> {
    let (arg, value) = text.split_once('=').ok_or_else(|| "write --choice reduction=Mean".to_string())?;
    // The last word of a path is enough.
    let value = value.rsplit("::").next().unwrap_or(value);
    Ok((arg.trim().to_string(), value.trim().to_string()))
}

fn asked(matches: &ArgMatches) -> Result<Asked, String> {
    match matches.subcommand() {
        Some(("explain", matches)) => Ok(Asked::Explain(Box::new(explain(matches)))),
        Some((_, matches)) => Ok(Asked::List(place(matches))),
        None => Err("write `explain` or `list`".to_string()),
    }
}

fn place(matches: &ArgMatches) -> Where {
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    let package = matches.get_one::<String>("package").cloned();
    Where { manifest: path("manifest-path"), package, file: path("file") }
}

fn explain(matches: &ArgMatches) -> Explain {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let path = |name: &str| matches.get_one::<PathBuf>(name).cloned();
    let processor = if text("for") == Some("gpu") { Processor::Gpu } else { Processor::Cpu };
    let dtype = DType::ALL.into_iter().find(|dtype| text("dtype") == Some(dtype.name()));
    Explain {
        place: place(matches),
        op: text("op").unwrap_or_default().to_string(),
        choices: matches.get_many("choice").into_iter().flatten().cloned().collect(),
        processor,
        dtype: dtype.unwrap_or(DType::F32),
        sizes: matches.get_one::<Sizes>("sizes").cloned().unwrap_or_default(),
        rate: matches.get_one("rate").copied(),
        svg: path("svg"),
        html: path("html"),
        code: Code::ALL.into_iter().find(|code| text("code") == Some(code.name())),
    }
}
