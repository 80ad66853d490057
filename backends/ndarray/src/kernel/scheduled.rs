//! The kernels of an op for which no compiled ones are used: the op's graph with only the wanted results, its
//! schedule, and a program for each pass.
//!
//! They are made once for each choice of results and kept with the op's spec. If a result is left out,
//! everything that only this result needs is left out too: loads, statistics, passes and whole kernels.

use super::plan::Body;
use crate::program::Registers;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use tensor_op_core::execute::{Kernels, execute};
use tensor_op_core::{Result, Spec, Value};
use tensor_op_spec::ir::Graph;
use tensor_op_spec::schedule::{CostModel, Schedule, schedule};

/// The known kernels of one op, by the wanted results.
#[derive(Debug, Default)]
struct Known(RwLock<BTreeMap<Vec<bool>, Arc<Scheduled>>>);

/// A graph with its kernels.
#[derive(Debug)]
pub(crate) struct Scheduled {
    pub(crate) graph: Graph,
    pub(crate) schedule: Schedule,
    /// One program for each pass, in the order of the schedule.
    pub(crate) programs: Vec<Arc<Registers>>,
}

/// A program takes about this many times as long as a compiled body that computes the same number of values.
const INTERPRETED: usize = 2;

impl Scheduled {
    /// The kernels of an op for these results.
    pub(crate) fn of(spec: &Spec, wanted: &[bool]) -> Result<Arc<Scheduled>> {
        let Known(known) = spec.memo();
        let found = known.read().unwrap_or_else(PoisonError::into_inner).get(wanted).cloned();
        if let Some(found) = found {
            return Ok(found);
        }
        let made = Arc::new(Scheduled::new(spec.graph(), wanted)?);
        known.write().unwrap_or_else(PoisonError::into_inner).insert(wanted.to_vec(), made.clone());
        Ok(made)
    }

    /// Whether programs for these results are faster than compiled bodies. Compiled bodies compute all
    /// results of a pass, so programs are faster if they leave out more work than interpretation costs.
    pub(crate) fn beats_compiled(spec: &Spec, wanted: &[bool]) -> Result<bool> {
        let all = Scheduled::of(spec, &vec![true; wanted.len()])?;
        Ok(INTERPRETED * Scheduled::of(spec, wanted)?.work() <= all.work())
    }

    /// The number of values that all passes together compute at each point.
    pub(crate) fn work(&self) -> usize {
        self.programs.iter().map(|program| program.work()).sum()
    }

    pub(crate) fn new(graph: &Graph, wanted: &[bool]) -> Result<Scheduled> {
        let mut graph = graph.clone();
        let mut wanted = wanted.iter();
        graph.outputs.retain(|_| wanted.next() == Some(&true));
        let schedule = schedule(&graph, CostModel::CPU);
        let programs = schedule
            .passes()
            .map(|pass| Registers::new(&pass.program).map(Arc::new))
            .collect::<Result<_>>()?;
        Ok(Scheduled { graph, schedule, programs })
    }

    /// The body of each pass.
    pub(crate) fn bodies(&self) -> Vec<Body> {
        self.programs.iter().cloned().map(Body::Program).collect()
    }

    /// Runs kernels for these bodies, which compute all wanted results.
    pub(crate) fn run_with<K: Kernels>(
        &self,
        args: Vec<Value<K::Tensor>>,
        kernels: &mut K,
    ) -> Result<Vec<Option<K::Tensor>>> {
        let wanted = vec![true; self.graph.outputs.len()];
        execute(&self.graph, &self.schedule, args, &wanted, kernels)
    }
}
