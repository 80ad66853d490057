//! A strided view of a shared, recycled buffer of one element type: what every tensor of the backend is made
//! of.

use crate::buffer::{Buffer, Lent, Memory};
use crate::copy::copy;
#[cfg(feature = "guards")]
use crate::guards::words::Guard;
use crate::layout::{Layout, row_major};
use crate::pool::Pooled;
use std::fmt::{self, Debug};
use std::sync::Arc;
use tensor_op_core::{Result, Shape, memory};

/// A strided view of a shared buffer. The layout stays inside the buffer.
pub struct Array<T: Pooled> {
    buffer: Arc<Buffer<T>>,
    layout: Layout,
}

impl<T: Pooled> Clone for Array<T> {
    fn clone(&self) -> Array<T> {
        Array { buffer: Arc::clone(&self.buffer), layout: self.layout.clone() }
    }
}

impl<T: Pooled> Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_vec() {
            Ok(elements) => write!(f, "{:?}{elements:?}", self.layout.shape),
            Err(error) => write!(f, "{:?}<{error}>", self.layout.shape),
        }
    }
}

impl<T: Pooled> Array<T> {
    /// A row-major array of this shape. `data` has as many elements as the shape.
    pub(crate) fn from_vec(data: Vec<T>, shape: &[usize]) -> Array<T> {
        debug_assert_eq!(data.len(), shape.iter().product::<usize>());
        let (buffer, offset) = Buffer::holding(data);
        Array { buffer: Arc::new(buffer), layout: Layout { offset, ..Layout::contiguous(shape) } }
    }

    /// A buffer with a layout that must stay inside it.
    pub(crate) fn from_parts(data: Vec<T>, layout: Layout) -> Array<T> {
        assert!(layout.is_inside(data.len()), "a layout stays inside its buffer");
        Array { buffer: Arc::new(Buffer::own(data)), layout }
    }

    /// A new array for writing, in a buffer that no other array shares. Its elements have arbitrary values.
    pub(crate) fn recycled(shape: &[usize]) -> Result<Array<T>> {
        let shape = Shape::new(shape);
        let (buffer, offset) = Buffer::recycled(shape.elements()?)?;
        let strides = row_major(&shape);
        Ok(Array { buffer: Arc::new(buffer), layout: Layout { shape, strides, offset } })
    }

    /// An array in which all elements have this value.
    pub(crate) fn full(shape: &[usize], value: T) -> Result<Array<T>> {
        let mut array = Array::recycled(shape)?;
        array.as_mut_slice().expect("nobody else holds a new buffer").fill(value);
        Ok(array)
    }

    /// The same buffer under another layout.
    pub(crate) fn with_layout(mut self, layout: Layout) -> Array<T> {
        assert!(layout.is_inside(self.buffer.len()), "a layout stays inside its buffer");
        self.layout = layout;
        self
    }

    /// The layout of the elements in the buffer.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The guard words around the buffer.
    #[cfg(feature = "guards")]
    pub(crate) fn guard(&self) -> Option<&Guard<T>> {
        self.buffer.guard()
    }

    /// Sizes of the axes.
    pub(crate) fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Number of elements.
    pub(crate) fn len(&self) -> usize {
        self.layout.len()
    }

    /// The address of the first element. The other elements are at the layout's strides from there.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.buffer.as_ptr().wrapping_add(self.layout.offset)
    }

    /// The address of the first element. `None` if another array shares the buffer.
    pub(crate) fn as_mut_ptr(&mut self) -> Option<*mut T> {
        let start = Arc::get_mut(&mut self.buffer)?.as_mut_ptr()?;
        Some(start.wrapping_add(self.layout.offset))
    }

    /// Whether no other array shares the buffer.
    pub(crate) fn is_unique(&mut self) -> bool {
        Arc::get_mut(&mut self.buffer).and_then(Buffer::as_mut_ptr).is_some()
    }

    /// The elements, if they are contiguous in row-major order.
    pub(crate) fn as_slice(&self) -> Option<&[T]> {
        let start = self.layout.offset;
        let len = self.len();
        self.layout
            .is_contiguous()
            .then(|| if len == 0 { &[] } else { &self.buffer.as_slice()[start..start + len] })
    }

    /// The elements, if they are contiguous in row-major order and no other array shares the buffer.
    pub(crate) fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let start = self.layout.offset;
        let len = self.len();
        if !self.layout.is_contiguous() {
            return None;
        }
        let elements = Arc::get_mut(&mut self.buffer)?.as_mut_slice()?;
        Some(if len == 0 { &mut [] } else { &mut elements[start..start + len] })
    }

    /// Writes `source` to the part of this array's buffer that `layout` describes. Both have the same shape.
    pub(crate) fn assign(&mut self, layout: &Layout, source: &Array<T>) {
        assert_eq!(layout.shape, source.layout.shape);
        let buffer = Arc::get_mut(&mut self.buffer).expect("a target is made for its writer");
        assert!(layout.is_inside(buffer.len()), "a layout stays inside its buffer");
        if layout.len() == 0 {
            return;
        }
        let start = buffer.as_mut_ptr().expect("a target is made for its writer");
        let target = start.wrapping_add(layout.offset);
        let (to, from) = (&layout.strides, &source.layout.strides);
        // SAFETY: both layouts were checked to stay inside their buffers. A target's layout is a permutation
        // or slice of a dense one, so its points are distinct. The target's buffer is borrowed mutably while
        // the source's buffer is shared, so they are different buffers.
        unsafe { copy(&layout.shape, target, to, source.as_ptr(), from) };
    }

    /// The same elements, contiguous in row-major order. They are copied if they aren't contiguous already.
    pub(crate) fn into_contiguous(self) -> Result<Array<T>> {
        if self.layout.is_contiguous() { Ok(self) } else { self.copied() }
    }

    /// A row-major array with the same elements, in a buffer that no other array shares.
    pub(crate) fn into_owned(mut self) -> Result<Array<T>> {
        if self.layout.is_contiguous() && self.is_unique() { Ok(self) } else { self.copied() }
    }

    fn copied(&self) -> Result<Array<T>> {
        let mut target = Array::recycled(self.shape())?;
        let layout = target.layout.clone();
        target.assign(&layout, self);
        Ok(target)
    }

    /// The elements in row-major order. They are not copied if they are a whole buffer that no other array
    /// shares.
    pub(crate) fn into_vec(mut self) -> Result<Vec<T>> {
        let len = self.len();
        if self.layout.is_contiguous()
            && self.layout.offset == 0
            && let Some(mut data) = Arc::get_mut(&mut self.buffer).and_then(Buffer::take_own)
        {
            data.truncate(len);
            return Ok(data);
        }
        self.to_vec()
    }

    /// A copy of the elements in row-major order.
    pub(crate) fn to_vec(&self) -> Result<Vec<T>> {
        match self.as_slice() {
            Some(elements) => memory::copied(elements),
            None => self.copied()?.into_vec(),
        }
    }

    /// An array of elements in memory of another library. An `Err` if some of them are outside that memory.
    pub(crate) fn lent(
        memory: Box<dyn Lent<T>>,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Array<T>> {
        let layout = Layout::within(memory.len(), shape, strides, offset)?;
        Ok(Array { buffer: Arc::new(Buffer::lent(memory)), layout })
    }

    /// The memory that holds the elements, and their layout in it. They are copied if another array shares
    /// the memory.
    pub(crate) fn into_memory(mut self) -> Result<(Memory<T>, Layout)> {
        if Arc::get_mut(&mut self.buffer).is_none() {
            self = self.copied()?;
        }
        let buffer = Arc::get_mut(&mut self.buffer).expect("nobody else holds it, or it was copied");
        let mut memory = buffer.take();
        if let Memory::Own(elements) = &mut memory
            && self.layout.is_dense()
            && self.layout.bounds().is_none_or(|(low, _)| low == 0)
        {
            elements.truncate(self.layout.len());
        }
        Ok((memory, self.layout))
    }

    /// The whole buffer with its layout, if it is our own memory and no other array shares it.
    #[allow(clippy::result_large_err, reason = "the array is given back, as it came")]
    pub(crate) fn into_parts(mut self) -> std::result::Result<(Vec<T>, Layout), Array<T>> {
        match Arc::get_mut(&mut self.buffer).and_then(Buffer::take_own) {
            Some(data) => Ok((data, self.layout)),
            None => Err(self),
        }
    }

    /// The elements in row-major order, in another shape of the same size. They are copied if strides can't
    /// express that shape.
    pub(crate) fn reshape(self, shape: &[usize]) -> Result<Array<T>> {
        match self.layout.reshape(shape) {
            Some(layout) => Ok(Array { layout, ..self }),
            None => self.into_contiguous()?.reshape(shape),
        }
    }
}
