//! The columns that the tiles of a stream need, on the device.
//!
//! Which they are follows from the sizes and scalars of a call. It is found out once and kept, since it takes
//! the host longer than a kernel runs.

use super::tiles::Tiles;
use crate::device::Opened;
use crate::tensor::CubeTensor;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tensor_op_core::execute::KeptColumns;
use tensor_op_core::{Cut, Result, Shape, TensorData};

/// The columns of the streams of an op, for the latest sizes.
#[derive(Debug, Default)]
pub(crate) struct Bounds(Mutex<HashMap<Key, CubeTensor>>);

/// What the columns of tiles follow from: the call, the device, and the tiles.
type Key = (Vec<u64>, usize, Tiles);

/// As many bounds are kept for an op.
const MOST: usize = 64;

impl Bounds {
    /// The first column of each tile, and the end of its columns. `None` if all tiles need all columns.
    pub(super) fn get(
        &self,
        kept: &KeptColumns<'_, CubeTensor>,
        tiles: &Tiles,
        device: &'static Opened,
    ) -> Result<Option<CubeTensor>> {
        if !kept.may_leave_out() {
            return Ok(None);
        }
        let key = (kept.key(), std::ptr::from_ref(device) as usize, tiles.clone());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bounds) = known.get(&key) {
            return Ok(Some(bounds.clone()));
        }
        let bounds: Vec<u32> = (0..tiles.count()).flat_map(|tile| of_tile(kept, tiles, tile)).collect();
        let shape = Shape::new(&[bounds.len()]);
        let bounds = CubeTensor::from_data(&TensorData::new(bounds, shape)?, device)?;
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, bounds.clone());
        Ok(Some(bounds))
    }
}

fn of_tile(kept: &KeptColumns<'_, CubeTensor>, tiles: &Tiles, tile: usize) -> [u32; 2] {
    let (first, last) = (tile * tiles.rows(), ((tile + 1) * tiles.rows()).min(tiles.all()) - 1);
    let rows = tiles.axes.last().filter(|bound| first / bound.size == last / bound.size);
    let rows: Vec<Cut> = rows
        .map(|bound| Cut {
            axis: bound.axis,
            start: first % bound.size,
            len: last - first + 1,
            whole: bound.size,
        })
        .into_iter()
        .collect();
    let columns = kept.of_rows(&rows, tiles.block);
    [columns.start, columns.end].map(|column| column as u32)
}
