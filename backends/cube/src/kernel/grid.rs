//! The size of a launch: units of a cube, cubes along each dimension, and the type that counts elements.

use crate::device::Opened;
use cubecl::ir::AddressType;
use cubecl::prelude::CubeCount;
use tensor_op_core::{Error, ErrorKind, Result};

/// Units of a cube that has no reason for more.
pub(crate) const UNITS: usize = 256;

/// A launch of at least this many cubes. Units beyond the end have nothing to do.
pub(crate) fn spread(cubes: usize, device: &Opened) -> Result<CubeCount> {
    let [x, y] = grid(cubes, device)?;
    Ok(CubeCount::Static(x, y, 1))
}

/// The number of cubes of a launch; 0 if only the device knows it.
pub(super) fn cubes(count: &CubeCount) -> usize {
    match count {
        CubeCount::Static(x, y, z) => [x, y, z].map(|cubes| *cubes as usize).iter().product(),
        CubeCount::Dynamic(_) => 0,
    }
}

/// At least this many cubes, in two dimensions if one dimension can't hold them.
pub(super) fn grid(cubes: usize, device: &Opened) -> Result<[u32; 2]> {
    let (x, y, _) = device.properties().hardware.max_cube_count;
    let rows = cubes.div_ceil(x as usize);
    if rows > y as usize {
        return Err(Error::new(
            ErrorKind::Overflow,
            format!("{cubes} cubes are more than {} takes", device.name()),
        ));
    }
    Ok([cubes.div_ceil(rows) as u32, rows as u32])
}

/// The integer type that can count this many elements.
pub(crate) fn address(elements: usize, device: &Opened) -> Result<AddressType> {
    let wanted = AddressType::from_len(elements);
    if device.properties().supports_address(wanted) {
        return Ok(wanted);
    }
    let message = format!("{elements} elements are more than {} can count", device.name());
    Err(Error::new(ErrorKind::Overflow, message))
}
