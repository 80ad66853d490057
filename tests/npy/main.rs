//! Files of NumPy: those that it wrote (`make.py`), and bytes that are no such file.

use tensor_op::npy::{self, Npz};
use tensor_op::prelude::*;
use tensor_op::{ErrorKind, TensorData};

const PLAIN: &[u8] = include_bytes!("plain.npz");
const PACKED: &[u8] = include_bytes!("packed.npz");
const VERSIONS: [&[u8]; 2] = [include_bytes!("version2.npy"), include_bytes!("version3.npy")];

/// An array of this header.
fn array(header: &str, elements: &[u8]) -> Vec<u8> {
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), elements].concat()
}

fn error(bytes: &[u8]) -> tensor_op::Error {
    npy::from_bytes(bytes, &Device::default()).unwrap_err()
}

/// The name of the arrays, and the dtype.
const DTYPES: [(&str, DType); 8] = [
    ("f8", DType::F64),
    ("f4", DType::F32),
    ("f2", DType::F16),
    ("i8", DType::I64),
    ("i4", DType::I32),
    ("u4", DType::U32),
    ("u1", DType::U8),
    ("b1", DType::Bool),
];

#[test]
fn every_dtype_and_order_that_numpy_writes() {
    for bytes in [PLAIN, PACKED] {
        let file = Npz::from_bytes(bytes, &Device::default()).unwrap();
        assert_eq!(file.tensors.len(), 3 * DTYPES.len() + 4);
        let counted = |count: usize, shape: &[usize], dtype| {
            TensorData::new((0..count as i64).collect(), shape.to_vec()).unwrap().cast(dtype)
        };
        for (name, dtype) in DTYPES {
            for name in [name.to_string(), format!("{name}_big"), format!("{name}_fortran")] {
                let found = file.tensors[&name].to_data().unwrap();
                assert_eq!(found, counted(6, &[2, 3], dtype), "{name}");
            }
        }
        let found = |name: &str| file.tensors[name].to_data().unwrap();
        assert_eq!(found("big_fortran"), counted(24, &[2, 3, 4], DType::F32));
        assert_eq!(found("number"), TensorData::scalar(7.0));
        assert_eq!(found("empty"), counted(0, &[2, 0, 3], DType::F64));
        assert_eq!(found("vector"), counted(6, &[6], DType::F64));
    }
    for bytes in VERSIONS {
        let found = npy::from_bytes(bytes, &Device::default()).unwrap();
        assert_eq!(found.to_vec::<f64>().unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}

/// NumPy leaves more room behind a header, for files that grow.
#[test]
fn what_is_written_is_what_numpy_writes() {
    let file = Npz::from_bytes(PLAIN, &Device::default()).unwrap();
    for name in DTYPES.map(|(name, _)| name).into_iter().chain(["number", "empty", "vector"]) {
        let bytes = npy::to_bytes(&file.tensors[name]).unwrap();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        assert_eq!(end % 64, 0);
        assert_eq!(usize::from(u16::from_le_bytes([bytes[8], bytes[9]])), end - 10);
        // The text is followed by spaces there too, and the elements by the line's end.
        let text = bytes[10..end].trim_ascii_end();
        let elements = &bytes[end - 1..];
        let mut whole = PLAIN.windows(text.len()).enumerate().filter(|(_, window)| *window == text);
        let is_there = whole.any(|(place, _)| {
            let behind = &PLAIN[place + text.len()..];
            let spaces = behind.iter().take_while(|byte| **byte == b' ').count();
            behind[spaces..].starts_with(elements)
        });
        assert!(is_there, "{name}");
    }
}

#[test]
fn files_come_back() {
    let folder = std::env::temp_dir().join(format!("tensor-op-npy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).transpose(0, 1).unwrap();
    npy::save(folder.join("x.npy"), &x).unwrap();
    let y = npy::load(folder.join("x.npy"), &Device::default()).unwrap();
    assert_eq!(y.to_data().unwrap(), x.to_data().unwrap());
    let file = Npz { tensors: [("a".to_string(), x.clone()), ("b/c".to_string(), y)].into() };
    file.save(folder.join("x.npz")).unwrap();
    let file = Npz::load(folder.join("x.npz"), &Device::default()).unwrap();
    assert_eq!(file.tensors["b/c"].to_data().unwrap(), x.to_data().unwrap());
    let error = npy::load(folder.join("none.npy"), &Device::default()).unwrap_err();
    assert_eq!((error.kind(), error.op()), (ErrorKind::File, Some("load")));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bytes_that_are_cut_off_are_errors() {
    let whole = npy::to_bytes(&Tensor::from([1.0, 2.0])).unwrap();
    for length in 0..whole.len() {
        assert_eq!(error(&whole[..length]).kind(), ErrorKind::File, "{length} bytes");
    }
    assert_eq!(error(&[&whole[..], &[0]].concat()).kind(), ErrorKind::File);
    for length in (0..PACKED.len()).step_by(7) {
        assert!(Npz::from_bytes(&PACKED[..length], &Device::default()).is_err(), "{length} bytes");
    }
}

#[test]
fn a_damaged_archive_is_an_error() {
    let file = Npz { tensors: [("a".to_string(), Tensor::from([1.0, 2.0]))].into() };
    let mut bytes = file.to_bytes().unwrap();
    assert!(Npz::from_bytes(&bytes, &Device::default()).is_ok());
    // The elements stand before the list of files.
    let at = bytes.windows(8).position(|window| window == 2f64.to_le_bytes()).expect("it is not packed");
    bytes[at] ^= 1;
    let error = Npz::from_bytes(&bytes, &Device::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File, "{error}");
}

#[test]
fn hostile_headers_are_errors() {
    let of = |descr: &str, shape: &str| {
        format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")
    };
    // The header, and a part of the error.
    let cases = [
        (of("'<f4'", "(18446744073709551615, 2)"), "more elements than fit in memory"),
        (of("'<f8'", "(2305843009213693952,)"), "does not have 0 bytes"),
        (of("'<f4'", "(18446744073709551616,)"), "has the size `18446744073709551616`"),
        (of("'<f4'", "(-1,)"), "has the size ``"),
        (of("'<f4'", "(1}"), "lacks a `)`"),
        (of("'<f4'", &format!("({})", "1,".repeat(65))), "more than 64 axes"),
        (of("'<c8'", "()"), "there are no tensors of this dtype"),
        (of("'<i2'", "()"), "the array is of `<i2`"),
        (of("'|O'", "()"), "there are no tensors of this dtype"),
        (of("[('a', '<f4')]", "()"), "the array has fields"),
        (of("'<f4", "()"), "the array is of `<f4, `"),
        ("{'descr': '<f4', 'shape': (), }".to_string(), "has no `fortran_order`"),
        ("{'shape': (), 'shape': (), }".to_string(), "a key twice"),
        ("{'fortran_order': Maybe}".to_string(), "neither `True` nor `False`"),
        ("{'else': 1}".to_string(), "an unknown key `else`"),
        (of("'<f4'", "()") + "x", "text behind the header"),
        (String::new(), "lacks a `{`"),
    ];
    for (header, part) in cases {
        let message = error(&array(&header, &[])).to_string();
        assert!(message.contains(part), "{header}: {message}");
    }
    assert!(error(b"\x93NUMPY\x09\x00\x00\x00").to_string().contains("version 9 is unknown"));
    assert!(error(b"\x93NUMPX").to_string().contains("the magic word is missing"));
}

#[test]
fn bf16_is_refused() {
    let x = Tensor::from([1.0]).cast(DType::BF16).unwrap();
    let message = "to_bytes: NumPy has no bf16; cast the tensor to f32";
    assert_eq!(npy::to_bytes(&x).unwrap_err().to_string(), message);
}
