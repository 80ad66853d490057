//! PyTorch in a process of its own, which answers one request after the other.

use crate::case::Run;
use crate::options::Options;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What PyTorch found for a run.
pub(crate) struct Answer {
    /// Milliseconds of the op and of a step.
    pub(crate) times: [f64; 2],
    /// Of each result and each gradient: the sum of its elements, and of their absolute values.
    pub(crate) sums: Vec<[f64; 2]>,
}

pub(crate) struct Torch {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Torch {
    /// `None` if the Python that was named has no PyTorch.
    pub(crate) fn start(options: &Options) -> Option<Torch> {
        let has = Command::new(&options.python).args(["-c", "import torch"]).output();
        if !has.is_ok_and(|output| output.status.success()) {
            eprintln!("no times of PyTorch: `{} -c 'import torch'` fails", options.python);
            return None;
        }
        let mut process = command(options, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let requests = process.stdin.take()?;
        let answers = BufReader::new(process.stdout.take()?);
        Some(Torch { process, requests, answers })
    }

    /// Lets several processes compile all runs, each a part of them: the next process finds the kernels in
    /// PyTorch's cache.
    pub(crate) fn compile(options: &Options, runs: &[Run]) -> std::io::Result<()> {
        let spawn = |part: usize| {
            let mut process =
                command(options, &["compile"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
            let requests = runs.iter().skip(part).step_by(options.compilers).map(|run| run.request() + "\n");
            if let Some(mut stdin) = process.stdin.take() {
                stdin.write_all(requests.collect::<String>().as_bytes())?;
            }
            Ok(process)
        };
        let processes: Vec<Child> = (0..options.compilers).map(spawn).collect::<std::io::Result<_>>()?;
        processes.into_iter().try_for_each(|mut process| process.wait().map(drop))
    }

    pub(crate) fn ask(&mut self, run: &Run) -> Result<Answer, String> {
        writeln!(self.requests, "{}", run.request()).map_err(|error| error.to_string())?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|error| error.to_string())?;
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some([forward, step, sums @ ..]) => {
                let sums = sums.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
                Ok(Answer { times: [*forward, *step], sums })
            }
            Some(_) | None => Err(line.trim().to_owned()),
        }
    }
}

impl Drop for Torch {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn command(options: &Options, more: &[&str]) -> Command {
    let device = if options.device == "cpu" { "cpu" } else { "cuda" };
    // As many as ours: `RAYON_NUM_THREADS` sets both.
    let threads = tensor_op::cpu::threads().to_string();
    let mut command = Command::new(&options.python);
    // Cargo runs benchmarks at the root of the package.
    command.args(["benches/families/pytorch.py", device, &threads]).args(more);
    command
}
