//! Exchange by DLPack: both ways, whose memory it is, and structs that are refused.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tensor_op::dlpack::{DlPack, Managed, RawDType, RawDevice, RawTensor, Version};
use tensor_op::prelude::*;
use tensor_op::{Error, ErrorKind};

/// A library that lends numbers, and counts how often its deleter is called.
struct Lender {
    managed: Managed,
    elements: Vec<f32>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the context is the box that `lend` made.
    let lender = unsafe { Box::from_raw((*managed).manager_ctx.cast::<Lender>()) };
    lender.deleted.fetch_add(1, Ordering::SeqCst);
}

/// 0, 1, .., 11 in memory, under this layout, after a change.
fn lend(
    shape: &[i64],
    strides: Option<&[i64]>,
    byte_offset: u64,
    change: impl FnOnce(&mut Managed),
) -> (DlPack, Arc<AtomicUsize>) {
    let deleted = Arc::new(AtomicUsize::new(0));
    let lender = Box::leak(Box::new(Lender {
        managed: Managed {
            version: Version { major: 1, minor: 1 },
            manager_ctx: null_mut(),
            deleter: Some(delete),
            flags: 0,
            tensor: RawTensor {
                data: null_mut(),
                device: RawDevice { device_type: 1, device_id: 0 },
                ndim: shape.len() as i32,
                dtype: RawDType { code: 2, bits: 32, lanes: 1 },
                shape: null_mut(),
                strides: null_mut(),
                byte_offset,
            },
        },
        elements: (0..12).map(|x| x as f32).collect(),
        shape: shape.to_vec(),
        strides: strides.unwrap_or_default().to_vec(),
        deleted: deleted.clone(),
    }));
    lender.managed.tensor.data = lender.elements.as_mut_ptr().cast();
    lender.managed.tensor.shape = lender.shape.as_mut_ptr();
    if strides.is_some() {
        lender.managed.tensor.strides = lender.strides.as_mut_ptr();
    }
    change(&mut lender.managed);
    let lender: *mut Lender = lender;
    // SAFETY: the box was leaked for this. Its numbers are not written, and may be freed on any thread.
    let pack = unsafe {
        (*lender).managed.manager_ctx = lender.cast();
        DlPack::from_raw(&raw mut (*lender).managed)
    };
    (pack.unwrap(), deleted)
}

fn taken(pack: DlPack) -> Vec<f32> {
    Tensor::try_from(pack).unwrap().to_vec().unwrap()
}

#[test]
fn layouts_of_another_library() {
    // Shape, strides, bytes before the first element, and the elements.
    type Layout<'a> = (&'a [i64], Option<&'a [i64]>, u64, &'a [f32]);
    let layouts: [Layout<'_>; 8] = [
        (&[2, 3], None, 0, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        (&[2, 3], Some(&[1, 2]), 0, &[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]),
        (&[3], Some(&[-2]), 20, &[5.0, 3.0, 1.0]),
        (&[2, 2], Some(&[0, 3]), 4, &[1.0, 4.0, 1.0, 4.0]),
        (&[2], Some(&[5]), 8, &[2.0, 7.0]),
        (&[], None, 12, &[3.0]),
        (&[2, 0], None, 0, &[]),
        (&[1, 2], Some(&[i64::MAX, 1]), 0, &[0.0, 1.0]),
    ];
    for (shape, strides, offset, elements) in layouts {
        let (pack, deleted) = lend(shape, strides, offset, |_| {});
        assert_eq!(taken(pack), elements, "{shape:?} {strides:?}");
        assert_eq!(deleted.load(Ordering::SeqCst), 1, "{shape:?} {strides:?}");
    }
}

#[test]
fn memory_is_shared_until_its_last_user_is_gone() {
    let (pack, deleted) = lend(&[12], None, 0, |_| {});
    let address = pack.managed().tensor.data.addr();
    let x = Tensor::try_from(pack).unwrap();
    let back = DlPack::try_from(&x).unwrap();
    assert_eq!(back.managed().tensor.data.addr(), address);
    let part = x.slice(0, 2..4).unwrap();
    drop((x, back));
    assert_eq!(deleted.load(Ordering::SeqCst), 0);
    assert_eq!(part.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    drop(part);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

/// An op may reuse the memory of an argument that it owns, but not that of another library.
#[test]
fn memory_of_another_library_is_never_written() {
    let (pack, _deleted) = lend(&[12], None, 0, |_| {});
    let start = pack.managed().tensor.data.cast::<f32>();
    let x = Tensor::try_from(pack).unwrap();
    let watched = x.clone();
    let y = (x + 1.0).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap()[0], 1.0);
    // SAFETY: `watched` keeps the memory.
    assert_eq!(unsafe { *start }, 0.0);
    let address = start.addr();
    let y = (watched + 1.0).unwrap();
    let there = DlPack::try_from(&y).unwrap().managed().tensor.data.addr();
    assert_ne!(there, address);
}

#[test]
fn bools_and_unaligned_memory_are_copied() {
    let (pack, deleted) = lend(&[4], None, 3, |managed| managed.tensor.dtype = raw(6, 8));
    let x = Tensor::try_from(pack).unwrap();
    // The bytes of the float 1: its two highest are not 0.
    assert_eq!(x.to_vec::<bool>().unwrap(), [false, false, false, true]);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
    // The upper half of 0, the lower half of 1, and then the other way round.
    let (pack, deleted) = lend(&[2], None, 2, |managed| managed.tensor.dtype = raw(0, 32));
    let x = Tensor::try_from(pack).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), [0, 0x3f80]);
    assert_eq!(deleted.load(Ordering::SeqCst), 1);
}

fn raw(code: u8, bits: u8) -> RawDType {
    RawDType { code, bits, lanes: 1 }
}

#[test]
fn what_is_lacking_or_impossible_is_an_error_and_is_deleted_once() {
    let error = |shape: &[i64], strides: Option<&[i64]>, change: fn(&mut Managed)| -> Error {
        let (pack, deleted) = lend(shape, strides, 0, change);
        let error = Tensor::try_from(pack).unwrap_err();
        assert_eq!(deleted.load(Ordering::SeqCst), 1);
        error
    };
    // The change, and a part of the error.
    type Change = (fn(&mut Managed), &'static str);
    let changes: [Change; 9] = [
        (|m| m.tensor.device.device_type = 3, "device type 3: neither the CPU nor CUDA"),
        (
            |m| m.tensor.device.device_type = 8,
            "device type 8: neither the CPU nor CUDA, which is not supported",
        ),
        (|m| m.tensor.dtype = raw(5, 64), "code 5, 64 bits and 1 lanes"),
        (|m| m.tensor.dtype.lanes = 4, "code 2, 32 bits and 4 lanes"),
        (|m| m.version.major = 2, "version 2.1, and version 1 is known"),
        (|m| m.tensor.ndim = -1, "the number of axes is -1"),
        (|m| m.tensor.shape = null_mut(), "a shape that is null is impossible"),
        (|m| m.tensor.data = null_mut::<c_void>(), "the memory is null"),
        (|m| m.tensor.dtype = raw(0, 16), "code 0, 16 bits"),
    ];
    for (change, part) in changes {
        let message = error(&[3], None, change).to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(error(&[-1], None, |_| {}).to_string().contains("the size -1 is impossible"));
    assert_eq!(error(&[i64::MAX, 4], None, |_| {}).kind(), ErrorKind::Overflow);
    assert_eq!(error(&[3], Some(&[i64::MAX]), |_| {}).kind(), ErrorKind::Overflow);
    assert_eq!(error(&[2, 2], Some(&[i64::MAX, i64::MIN + 1]), |_| {}).kind(), ErrorKind::Overflow);
    // SAFETY: null is allowed.
    assert!(unsafe { DlPack::from_raw(null_mut()) }.is_err());
}

#[test]
fn every_dtype_goes_out_and_comes_back() {
    for dtype in DType::ALL {
        let x = Tensor::from([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]).cast(dtype).unwrap();
        let x = x.transpose(0, 1).unwrap();
        let raw = DlPack::try_from(&x).unwrap().into_raw();
        // SAFETY: the pointer is from `into_raw`, and is taken once.
        let pack = unsafe { DlPack::from_raw(raw) }.unwrap();
        let y = Tensor::try_from(pack).unwrap();
        assert_eq!(y.to_data().unwrap(), x.to_data().unwrap(), "{dtype}");
    }
    let none = Tensor::zeros([2, 0], DType::F32, &Device::default()).unwrap();
    let back = Tensor::try_from(DlPack::try_from(none).unwrap()).unwrap();
    assert_eq!(back.shape().to_vec(), [2, 0]);
}

/// Whoever gets memory that nobody else holds may write to it.
#[test]
fn shared_memory_is_marked_as_read_only() {
    let x = Tensor::from([1.0, 2.0]);
    assert_eq!(DlPack::try_from(&x).unwrap().managed().flags, 1);
    assert_eq!(DlPack::try_from(x).unwrap().managed().flags, 0);
}

#[cfg(not(feature = "cuda"))]
#[test]
fn memory_of_cuda_names_the_feature() {
    let (pack, deleted) = lend(&[3], None, 0, |managed| managed.tensor.device.device_type = 2);
    let error = Tensor::try_from(pack).unwrap_err();
    assert_eq!((error.kind(), deleted.load(Ordering::SeqCst)), (ErrorKind::Unsupported, 1));
    assert!(error.to_string().contains("the feature `cuda`"), "{error}");
}

/// There and back on the device, with strides and in all dtypes.
#[cfg(feature = "cuda")]
#[test]
#[ignore = "it takes a GPU of NVIDIA: `--ignored`"]
fn memory_of_cuda_goes_out_and_comes_back() -> Result<()> {
    let gpu = Device::new("cuda")?;
    let whole = Tensor::arange(0.0, 24.0, 1.0, &Device::default())?.reshape([2, 3, 4])?;
    for dtype in DType::ALL {
        let x = whole.to(&gpu)?.cast(dtype)?;
        for view in [x.clone(), x.transpose(0, 2)?, x.slice(1, 1..3)?, x.select(2, 3)?, x.slice(0, 2..)?] {
            let pack = DlPack::try_from(&view)?;
            let raw = &pack.managed().tensor;
            assert_eq!((raw.device.device_type, raw.device.device_id), (2, 0));
            assert_eq!((raw.data.is_null(), pack.managed().flags), (view.elements() == 0, 1));
            let back = Tensor::try_from(pack)?;
            assert_eq!(back.device(), gpu);
            assert_eq!(back.to_data()?, view.to_data()?, "{dtype} {}", view.shape());
            // Ops take the strides.
            assert_eq!(back.cast(DType::F32)?.sum(0)?.to_data()?, view.cast(DType::F32)?.sum(0)?.to_data()?);
        }
    }
    // What is still being computed, from memory that nobody else holds, and its reuse.
    for _ in 0..100 {
        let x = Tensor::ones([1 << 20], DType::F32, &gpu)?;
        let pack = DlPack::try_from((x * 3.0)?)?;
        assert_eq!(pack.managed().flags, 0);
        assert_eq!(Tensor::try_from(pack)?.sum(..)?.item::<f32>()?, (3 << 20) as f32);
    }
    Ok(())
}
