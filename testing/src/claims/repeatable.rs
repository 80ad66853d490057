//! Results have the same bits from run to run, and for any number of threads.

use super::large::{each, same};
use super::{Outcome, told};
use crate::case::Case;
use crate::place::{Layout, place_all, run_placed};
use crate::report::Tally;
use crate::scope::Scope;
use tensor_op_core::Op;

pub(super) fn check(op: &dyn Op, scope: &Scope) -> Outcome {
    each(op, scope, |op, args, device| {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| format!("no threads: {error}"))?;
            pool.install(|| run_placed(op, place_all(args, device, Layout::Contiguous)?)).map_err(told)
        };
        let first = run(1)?;
        let mut tally = Tally::CASE;
        let case = Case::new(op.spec().graph(), args, device);
        for threads in [1, 2, 3] {
            tally.add(same(&case, &first, &run(threads)?, &format!("with {threads} threads"))?);
        }
        Ok(tally)
    })
}
