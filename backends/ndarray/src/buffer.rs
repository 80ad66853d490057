//! The memory behind arrays: a recycled `Vec`, or memory that another library owns and lends.

#[cfg(feature = "guards")]
use crate::guards::words::{Around, Guard};
use crate::pool::Pooled;
use std::any::Any;
use std::fmt;
use tensor_op_core::{Account, Held, Result};

/// Memory of another library, which its tensors can share with [`NdArrayTensor`](crate::NdArrayTensor)
/// without a copy.
///
/// # Safety
/// As long as the value lives, [`start`](Lent::start) always returns the same aligned address and
/// [`len`](Lent::len) the same number, and that many initialised elements can be read from the address.
/// Nobody writes to them except through [`start_mut`](Lent::start_mut). It returns the same address, and it
/// is `Some` only while nobody else can read the elements.
#[allow(clippy::len_without_is_empty, reason = "no collection")]
pub unsafe trait Lent<T>: Any + Send + Sync {
    /// The address of the first element.
    fn start(&self) -> *const T;
    /// Number of elements.
    fn len(&self) -> usize;
    /// The address of the first element, for writing. `None` if somebody else holds the memory.
    fn start_mut(&mut self) -> Option<*mut T>;
}

/// Memory that holds elements.
pub enum Memory<T> {
    /// Our own memory. It may have more elements than were asked for.
    Own(Vec<T>),
    /// Memory of another library.
    Lent(Box<dyn Lent<T>>),
}

impl<T: 'static> fmt::Debug for Memory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Memory::Own(elements) => write!(f, "Own({})", elements.len()),
            Memory::Lent(memory) => write!(f, "Lent({})", memory.len()),
        }
    }
}

/// Elements that one or several arrays share. All of them are initialised. The layout of an array says which
/// elements belong to it.
pub(crate) struct Buffer<T: Pooled> {
    memory: Memory<T>,
    /// Counts the memory, if it is our own.
    held: Option<Held>,
    #[cfg(feature = "guards")]
    guard: Option<Guard<T>>,
}

/// The memory of all arrays.
pub(crate) static ACCOUNT: Account = Account::new();

impl<T: Pooled> Drop for Buffer<T> {
    fn drop(&mut self) {
        if let Memory::Own(elements) = self.take() {
            T::pool().give(elements);
        }
    }
}

impl<T: Pooled> Buffer<T> {
    pub(crate) fn own(elements: Vec<T>) -> Buffer<T> {
        Buffer::of(Memory::Own(elements))
    }

    pub(crate) fn lent(memory: Box<dyn Lent<T>>) -> Buffer<T> {
        Buffer::of(Memory::Lent(memory))
    }

    fn of(memory: Memory<T>) -> Buffer<T> {
        let held = match &memory {
            Memory::Own(elements) => Some(ACCOUNT.hold((elements.capacity() * size_of::<T>()) as u64)),
            Memory::Lent(_) => None,
        };
        Buffer {
            memory,
            held,
            #[cfg(feature = "guards")]
            guard: None,
        }
    }

    /// A buffer for this many elements, whose values are arbitrary, and the offset of the first one.
    pub(crate) fn recycled(len: usize) -> Result<(Buffer<T>, usize)> {
        #[cfg(feature = "guards")]
        if let Some(Around { elements, guard, offset }) = Guard::around(len)? {
            return Ok((Buffer::own(elements).guarded(guard), offset));
        }
        Ok((Buffer::own(T::pool().take(len)?), 0))
    }

    /// A buffer with these elements, and the offset of the first one.
    pub(crate) fn holding(elements: Vec<T>) -> (Buffer<T>, usize) {
        #[cfg(feature = "guards")]
        if let Ok(Some(Around { elements: mut guarded, guard, offset })) = Guard::around(elements.len()) {
            guarded[offset..offset + elements.len()].copy_from_slice(&elements);
            return (Buffer::own(guarded).guarded(guard), offset);
        }
        (Buffer::own(elements), 0)
    }

    #[cfg(feature = "guards")]
    fn guarded(mut self, guard: Guard<T>) -> Buffer<T> {
        self.guard = Some(guard);
        self
    }

    /// The guard words around the elements.
    #[cfg(feature = "guards")]
    pub(crate) fn guard(&self) -> Option<&Guard<T>> {
        self.guard.as_ref()
    }

    pub(crate) fn len(&self) -> usize {
        match &self.memory {
            Memory::Own(elements) => elements.len(),
            Memory::Lent(memory) => memory.len(),
        }
    }

    pub(crate) fn as_ptr(&self) -> *const T {
        match &self.memory {
            Memory::Own(elements) => elements.as_ptr(),
            Memory::Lent(memory) => memory.start(),
        }
    }

    /// The address of the elements, for writing. `None` if somebody else can read lent memory.
    pub(crate) fn as_mut_ptr(&mut self) -> Option<*mut T> {
        match &mut self.memory {
            Memory::Own(elements) => Some(elements.as_mut_ptr()),
            Memory::Lent(memory) => memory.start_mut(),
        }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        match &self.memory {
            Memory::Own(elements) => elements,
            // SAFETY: by the contract of `Lent`, that many elements can be read from there, and nobody writes
            // while `self` is borrowed.
            Memory::Lent(memory) if memory.len() > 0 => unsafe {
                std::slice::from_raw_parts(memory.start(), memory.len())
            },
            Memory::Lent(_) => &[],
        }
    }

    /// The elements, for writing. `None` if somebody else can read lent memory.
    pub(crate) fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        match &mut self.memory {
            Memory::Own(elements) => Some(elements),
            Memory::Lent(memory) => {
                let (len, start) = (memory.len(), memory.start_mut()?);
                // SAFETY: by the contract of `Lent`, that many elements are there, and nobody else can read
                // them.
                Some(if len > 0 { unsafe { std::slice::from_raw_parts_mut(start, len) } } else { &mut [] })
            }
        }
    }

    /// Takes the elements out, if the memory is our own.
    pub(crate) fn take_own(&mut self) -> Option<Vec<T>> {
        match &self.memory {
            Memory::Own(_) => match self.take() {
                Memory::Own(elements) => Some(elements),
                Memory::Lent(_) => None,
            },
            Memory::Lent(_) => None,
        }
    }

    /// Takes the memory out and leaves none behind.
    pub(crate) fn take(&mut self) -> Memory<T> {
        let memory = std::mem::replace(&mut self.memory, Memory::Own(Vec::new()));
        self.held = None;
        #[cfg(feature = "guards")]
        if let (Some(guard), Memory::Own(elements)) = (self.guard.take(), &memory) {
            guard.check(elements);
        }
        memory
    }
}
