//! Sizes, strides and places that no memory has: safe code gets an `Err` for them, and never reads outside of
//! its memory.

use tensor_op_core::{Backend, DType, ErrorKind, Result, Shape};
use tensor_op_ndarray::{CpuDevice, Lent, NdArray, NdArrayTensor};

struct Memory([f32; 4]);

// SAFETY: a boxed array doesn't move, and nobody can write to it.
unsafe impl Lent<f32> for Memory {
    fn start(&self) -> *const f32 {
        self.0.as_ptr()
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn start_mut(&mut self) -> Option<*mut f32> {
        None
    }
}

fn lent(shape: &[usize], strides: &[isize], offset: usize) -> Result<NdArrayTensor> {
    NdArrayTensor::lent(Box::new(Memory([0.0, 1.0, 2.0, 3.0])), shape, strides, offset)
}

/// A shape, strides and the place of the first element.
type Place<'a> = (&'a [usize], &'a [isize], usize);

const MOST: usize = isize::MAX as usize;

#[test]
fn lent_memory_is_not_left() {
    let refused: [Place<'_>; 17] = [
        (&[3], &[isize::MIN], 0),
        (&[3], &[isize::MIN], 3),
        (&[5], &[1 << 62], 0),
        (&[2], &[isize::MAX], 3),
        (&[2], &[-1], 0),
        (&[2, 2], &[isize::MAX, isize::MAX], 0),
        (&[2, 2], &[isize::MAX, -isize::MAX], 0),
        (&[3, 3], &[isize::MIN, isize::MIN], 1),
        (&[4], &[1], 1),
        (&[1], &[1], 4),
        (&[1], &[1], usize::MAX),
        (&[], &[], 4),
        (&[], &[], MOST + 1),
        // As many elements as can't be counted, in the place of one.
        (&[usize::MAX], &[0], 0),
        (&[MOST, 3], &[0, 0], 0),
        (&[1 << 32, 1 << 32], &[0, 0], 0),
        (&[1 << 32, 1 << 32, 0], &[0, 0, 0], 0),
    ];
    for (shape, strides, offset) in refused {
        let error = lent(shape, strides, offset).map(|_| ()).unwrap_err();
        let kind = if Shape::new(shape).elements().is_err() { ErrorKind::Overflow } else { ErrorKind::Shape };
        assert_eq!(error.kind(), kind, "{shape:?} {strides:?} {offset}: {error}");
    }
    for (shape, strides) in [(&[2][..], &[1, 1][..]), (&[2, 2], &[1]), (&[], &[1])] {
        assert_eq!(lent(shape, strides, 0).unwrap_err().kind(), ErrorKind::Rank);
    }
}

#[test]
fn what_lies_in_lent_memory_is_read() -> Result<()> {
    let taken: [(Place<'_>, &[f32]); 7] = [
        ((&[2, 2], &[-1, -2], 3), &[3.0, 1.0, 2.0, 0.0]),
        ((&[1], &[isize::MIN], 3), &[3.0]),
        ((&[1, 2], &[isize::MAX, 3], 0), &[0.0, 3.0]),
        ((&[0], &[isize::MIN], usize::MAX), &[]),
        ((&[2, 0], &[isize::MAX, isize::MAX], 9), &[]),
        ((&[], &[], 2), &[2.0]),
        ((&[3], &[0], 1), &[1.0; 3]),
    ];
    for ((shape, strides, offset), expected) in taken {
        let tensor = lent(shape, strides, offset)?;
        let sum = NdArray::reduce(
            tensor_op_spec::prim::Fold::Sum,
            tensor.clone(),
            &(0..shape.len()).collect::<Vec<_>>(),
        );
        assert_eq!(sum?.into_data()?.into_vec::<f32>()?, [expected.iter().sum::<f32>()]);
        assert_eq!(tensor.view::<f32>()?.iter().copied().collect::<Vec<_>>(), expected);
        assert_eq!(tensor.clone().into_ndarray::<f32>()?.iter().copied().collect::<Vec<_>>(), expected);
        assert_eq!(tensor.into_data()?.into_vec::<f32>()?, expected, "{shape:?} {strides:?} {offset}");
    }
    Ok(())
}

/// Views of views, with steps and sizes that overflow what is computed from them.
#[test]
fn views_with_huge_steps_and_sizes() -> Result<()> {
    let x = || lent(&[2, 2], &[2, 1], 0);
    for step in [2, MOST, MOST + 1, usize::MAX / 2, usize::MAX] {
        let row = NdArray::slice(x()?, &[(1, 2, step), (0, 2, 1)])?;
        assert_eq!(row.clone().into_data()?.into_vec::<f32>()?, [2.0, 3.0]);
        let last = NdArray::slice(row, &[(0, 1, step), (1, 2, step)])?;
        assert_eq!(last.clone().into_data()?.into_vec::<f32>()?, [3.0]);
        let wide = NdArray::expand(last.clone(), Shape::new(&[MOST / 8, 1]))?;
        let part = NdArray::slice(wide, &[(7, MOST / 8, step.max(MOST / 16)), (0, 1, 1)])?;
        assert!(part.elements() <= 2 && part.into_data()?.into_vec::<f32>()?.iter().all(|x| *x == 3.0));
        let set = NdArray::slice_assign(x()?, &[(1, 2, step), (1, 2, step)], last)?;
        assert_eq!(set.into_data()?.into_vec::<f32>()?, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(NdArray::slice(x()?, &[(2, 2, step), (0, 2, 1)])?.elements(), 0);
    }
    let refused = [
        NdArray::slice(x()?, &[(0, 3, 1), (0, 2, 1)]),
        NdArray::slice(x()?, &[(usize::MAX, usize::MAX, 1), (0, 2, 1)]),
        NdArray::slice(x()?, &[(0, 2, 0), (0, 2, 1)]),
        NdArray::expand(lent(&[1, 1], &[1, 1], 0)?, Shape::new(&[MOST, 3])),
        NdArray::expand(lent(&[1, 0], &[1, 1], 0)?, Shape::new(&[usize::MAX, 0])),
        NdArray::reshape(lent(&[0], &[1], 0)?, Shape::new(&[usize::MAX, 0])),
        NdArray::reshape(lent(&[4], &[1], 0)?, Shape::new(&[1 << 33, 1 << 33])),
        NdArray::permute(x()?, &[0, usize::MAX]),
        NdArray::permute(x()?, &[0, 0]),
        NdArray::cat(vec![x()?], usize::MAX),
        NdArray::gather(x()?, usize::MAX, NdArray::cast(x()?, DType::I64)?),
        NdArray::scatter_add(
            lent(&[2], &[1], 0)?,
            0,
            NdArray::cast(lent(&[2], &[1], 0)?, DType::I64)?,
            usize::MAX,
        ),
        NdArray::reduce(tensor_op_spec::prim::Fold::Sum, x()?, &[usize::MAX]),
        NdArray::reduce(tensor_op_spec::prim::Fold::Sum, x()?, &[1, 1]),
        NdArray::full(
            Shape::new(&[usize::MAX, 0]),
            tensor_op_spec::ir::Scalar::Int(0),
            DType::F32,
            &CpuDevice,
        ),
    ];
    for (at, result) in refused.into_iter().enumerate() {
        assert!(result.is_err(), "{at}");
    }
    Ok(())
}
