//! Sets of dims. The dims of a value are a set, so that an elementwise operation takes a union of dims and a
//! reduction takes a difference.

/// Index of a dim in [`Graph::dims`](super::Graph::dims).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimId(u8);

/// A set of dims, iterated in order of declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimSet(u64);

impl DimId {
    /// The most dims that an op can have; the parser refuses more.
    pub const MAX: usize = 64;

    /// The dim at this position in the declaration.
    pub fn new(index: usize) -> DimId {
        assert!(index < DimId::MAX, "the parser refuses more than {} dims", DimId::MAX);
        DimId(index as u8)
    }

    /// Position in the declaration.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl DimSet {
    /// No dim: a scalar.
    pub const EMPTY: DimSet = DimSet(0);

    /// The set of one dim.
    pub fn one(dim: DimId) -> DimSet {
        DimSet(1 << dim.0)
    }

    /// Adds a dim.
    pub fn insert(&mut self, dim: DimId) {
        self.0 |= 1 << dim.0;
    }

    /// Whether the dim is in the set.
    pub fn contains(self, dim: DimId) -> bool {
        self.0 & (1 << dim.0) != 0
    }

    /// Dims that are in either set.
    pub fn union(self, other: DimSet) -> DimSet {
        DimSet(self.0 | other.0)
    }

    /// Dims that are in both sets.
    pub fn intersection(self, other: DimSet) -> DimSet {
        DimSet(self.0 & other.0)
    }

    /// Dims of `self` that `other` lacks.
    pub fn difference(self, other: DimSet) -> DimSet {
        DimSet(self.0 & !other.0)
    }

    /// Whether every dim is in `other`.
    pub fn is_subset(self, other: DimSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is no dim.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of dims.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Dims in order of declaration.
    pub fn iter(self) -> impl Iterator<Item = DimId> {
        (0..DimId::MAX as u8).filter(move |i| self.0 & (1 << i) != 0).map(DimId)
    }
}

impl FromIterator<DimId> for DimSet {
    fn from_iter<I: IntoIterator<Item = DimId>>(iter: I) -> DimSet {
        let mut set = DimSet::EMPTY;
        iter.into_iter().for_each(|d| set.insert(d));
        set
    }
}
