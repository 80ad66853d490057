//! The header of an array: `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`, behind a magic
//! word, a version and its own length.

use super::malformed;
use crate::{DType, Error, ErrorKind, Result, Shape};

const MAGIC: &[u8] = b"\x93NUMPY";
/// What NumPy aligns the elements to.
const ALIGNMENT: usize = 64;
/// The most axes that an array of NumPy has.
const MOST_AXES: usize = 64;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) dtype: DType,
    pub(super) is_big_endian: bool,
    pub(super) is_fortran: bool,
    pub(super) shape: Shape,
}

impl Header {
    /// The header, and the bytes behind it.
    pub(super) fn parse(bytes: &[u8]) -> Result<(Header, &[u8])> {
        let cut = || malformed("the header is cut off");
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| malformed("the magic word is missing"))?;
        let ([version, _minor], rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let (length, rest) = match version {
            1 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
                (usize::from(u16::from_le_bytes(*length)), rest)
            }
            2 | 3 => {
                let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
                (u32::from_le_bytes(*length) as usize, rest)
            }
            _ => return Err(malformed(format!("version {version} is unknown; 1, 2 and 3 are known"))),
        };
        let (text, elements) = rest.split_at_checked(length).ok_or_else(cut)?;
        let text = std::str::from_utf8(text).map_err(|_| malformed("the header is no text"))?;
        Ok((Reader { rest: text }.header()?, elements))
    }
}

/// A header of version 1, which every NumPy reads.
pub(super) fn written(dtype: DType, shape: &Shape) -> Result<Vec<u8>> {
    let descr = match dtype {
        DType::F64 => "<f8",
        DType::F32 => "<f4",
        DType::F16 => "<f2",
        DType::I64 => "<i8",
        DType::I32 => "<i4",
        DType::U32 => "<u4",
        DType::U8 => "|u1",
        DType::Bool => "|b1",
        DType::BF16 => {
            return Err(Error::new(ErrorKind::DType, "NumPy has no bf16; cast the tensor to f32"));
        }
    };
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    let sizes = sizes.join(", ") + comma;
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    let before = MAGIC.len() + 2 + size_of::<u16>();
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    let length = u16::try_from(whole - before)
        .map_err(|_| Error::new(ErrorKind::Rank, format!("shape {shape} is too long for the header")))?;
    let mut bytes = [MAGIC, &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
    bytes.resize(whole - 1, b' ');
    bytes.push(b'\n');
    Ok(bytes)
}

/// What is left of the text.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn header(mut self) -> Result<Header> {
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.found('}') {
            let is_new = match self.quoted()? {
                "descr" => self.after_colon(Reader::descr)?.set(&mut descr),
                "fortran_order" => self.after_colon(Reader::truth)?.set(&mut is_fortran),
                "shape" => self.after_colon(Reader::shape)?.set(&mut shape),
                key => return Err(malformed(format!("the header has an unknown key `{key}`"))),
            };
            if !is_new {
                return Err(malformed("the header has a key twice"));
            }
            if !self.found(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.trim().is_empty() {
            return Err(malformed("there is text behind the header"));
        }
        let missing = |key: &str| malformed(format!("the header has no `{key}`"));
        let (dtype, is_big_endian) = descr.ok_or_else(|| missing("descr"))?;
        let is_fortran = is_fortran.ok_or_else(|| missing("fortran_order"))?;
        Ok(Header { dtype, is_big_endian, is_fortran, shape: shape.ok_or_else(|| missing("shape"))? })
    }

    fn after_colon<T>(&mut self, value: impl FnOnce(&mut Reader<'a>) -> Result<T>) -> Result<Once<T>> {
        self.expect(':')?;
        value(self).map(Once)
    }

    fn found(&mut self, wanted: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.found(wanted) { Ok(()) } else { Err(malformed(format!("the header lacks a `{wanted}`"))) }
    }

    fn quoted(&mut self) -> Result<&'a str> {
        let quote = if self.found('"') {
            '"'
        } else {
            self.expect('\'')?;
            '\''
        };
        let (text, rest) =
            self.rest.split_once(quote).ok_or_else(|| malformed("the header has a text without an end"))?;
        self.rest = rest;
        Ok(text)
    }

    /// The dtype, and whether its most significant byte comes first.
    fn descr(&mut self) -> Result<(DType, bool)> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('[') {
            return Err(Error::new(ErrorKind::DType, "the array has fields, and tensors have none"));
        }
        let text = self.quoted()?;
        let (is_big_endian, name) = match text.strip_prefix('>') {
            Some(name) => (true, name),
            None => (false, text.strip_prefix(['<', '|', '=']).unwrap_or(text)),
        };
        let dtype = match name {
            "f8" => DType::F64,
            "f4" => DType::F32,
            "f2" => DType::F16,
            "i8" => DType::I64,
            "i4" => DType::I32,
            "u4" => DType::U32,
            "u1" => DType::U8,
            "b1" => DType::Bool,
            _ => {
                let message = format!("the array is of `{text}`, and there are no tensors of this dtype");
                return Err(Error::new(ErrorKind::DType, message));
            }
        };
        Ok((dtype, is_big_endian))
    }

    fn truth(&mut self) -> Result<bool> {
        self.rest = self.rest.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(malformed("`fortran_order` is neither `True` nor `False`"))
    }

    fn shape(&mut self) -> Result<Shape> {
        let mut sizes: Vec<usize> = vec![];
        self.expect('(')?;
        while !self.found(')') {
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            let size = digits.parse();
            sizes.push(size.map_err(|_| malformed(format!("`shape` has the size `{digits}`")))?);
            self.rest = rest;
            if sizes.len() > MOST_AXES {
                return Err(malformed(format!("`shape` has more than {MOST_AXES} axes")));
            }
            if !self.found(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(Shape::new(&sizes))
    }
}

/// The value of a key, which may stand there once.
struct Once<T>(T);

impl<T> Once<T> {
    /// Whether the key is new.
    fn set(self, target: &mut Option<T>) -> bool {
        target.replace(self.0).is_none()
    }
}
