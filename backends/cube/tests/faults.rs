//! What kernels find wrong with their data comes back from what next waits for the device. Alone in its process, since that may be any
//! thread.
#![cfg(feature = "wgpu")]

use tensor_op::backend::{Backend, Value};
use tensor_op::catalogue::nn;
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, TensorData};
use tensor_op_cube::{Cube, Wgpu};

type Gpu = Cube<Wgpu>;

#[test]
fn indices_out_of_range_are_an_error() -> Result<()> {
    let table =
        Value::Tensor(Gpu::from_data(TensorData::new(vec![1.0_f32; 12], [4, 3])?, &Default::default())?);
    for (bad, dtype) in [(4, DType::I64), (-1, DType::I64), (4, DType::I32), (-1, DType::I32)] {
        let ids = TensorData::new(vec![0_i64, bad], [2])?.cast(dtype);
        let ids = Value::Tensor(Gpu::from_data(ids, &Default::default())?);
        let found = Gpu::run(&nn::Embedding, vec![table.clone(), ids], &[true])?;
        let error = Gpu::into_data(found.into_iter().flatten().next().expect("one result")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Index);
        assert_eq!(error.op(), Some("embedding"));
    }
    // Among many ids, of which a unit sees a part.
    let ids = |bad: usize| (0..5000).map(|i| if i == bad { 4 } else { 1 }).collect::<Vec<i64>>();
    for bad in [0, 1234, 4999] {
        let ones = Gpu::from_data(TensorData::new(vec![1.0_f32; 5000], [5000])?, &Default::default())?;
        let ids = Gpu::from_data(TensorData::new(ids(bad), [5000])?, &Default::default())?;
        let error = Gpu::into_data(Gpu::scatter_add(ones, 0, ids, 4)?).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Index);
        assert_eq!(error.op(), Some("scatter_add"));
    }
    // The error was given once; the device goes on.
    Gpu::sync(&Default::default())
}
