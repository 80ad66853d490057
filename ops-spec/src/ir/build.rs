//! Construction of graphs. Every node is made here, so that its dims and kind are right, and so that equal
//! nodes are one node.
//!
//! [`Value`] gives nodes the operators of arithmetic, so that gradient rules and rewrites read as
//! mathematics.

use super::{DimId, DimSet, GivenRule, Graph, Kind, Node, NodeId, Op, Position, Scalar};
use crate::prim::{Fold, Order, Prim, Scan};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A graph under construction, in which equal nodes are one node.
#[derive(Debug)]
pub struct Builder {
    graph: RefCell<Graph>,
    known: RefCell<FxHashMap<Key, NodeId>>,
}

/// What makes nodes equal.
type Key = (Op, DimSet, Kind);

/// A node of a [`Builder`], with operators.
#[derive(Clone, Copy, Debug)]
pub struct Value<'b> {
    builder: &'b Builder,
    /// The node.
    pub id: NodeId,
}

impl Builder {
    /// Starts from a graph; its nodes keep their ids.
    pub fn new(graph: Graph) -> Builder {
        let mut known = FxHashMap::default();
        for id in graph.ids() {
            let node = graph.node(id);
            known.entry((node.op.clone(), node.dims, node.kind)).or_insert(id);
        }
        Builder { graph: RefCell::new(graph), known: RefCell::new(known) }
    }

    /// The finished graph.
    pub fn finish(self) -> Graph {
        self.graph.into_inner()
    }

    /// Reads the graph built so far.
    pub fn read<T>(&self, f: impl FnOnce(&Graph) -> T) -> T {
        f(&self.graph.borrow())
    }

    /// Changes the declarations of the graph (dims, args, outputs); nodes are only ever added.
    pub fn declare<T>(&self, f: impl FnOnce(&mut Graph) -> T) -> T {
        f(&mut self.graph.borrow_mut())
    }

    /// The value of an existing node.
    pub fn value(&self, id: NodeId) -> Value<'_> {
        Value { builder: self, id }
    }

    /// A copy of the node with this id.
    pub fn node(&self, id: NodeId) -> Node {
        self.graph.borrow().node(id).clone()
    }

    /// Adds a node as it is, or returns the equal node that exists already.
    pub fn push(&self, node: Node) -> Value<'_> {
        let key = (node.op.clone(), node.dims, node.kind);
        if let Some(known) = self.known_as(&key) {
            return known;
        }
        let mut graph = self.graph.borrow_mut();
        let id = NodeId(graph.nodes.len() as u32);
        graph.nodes.push(node);
        self.known.borrow_mut().insert(key, id);
        self.value(id)
    }

    /// The existing node that is equal to this one. For a commutative primitive the operands may be in either
    /// order.
    pub fn find(&self, node: &Node) -> Option<Value<'_>> {
        self.known_as(&(node.op.clone(), node.dims, node.kind))
    }

    fn known_as(&self, key: &Key) -> Option<Value<'_>> {
        let known = self.known.borrow();
        let mut found = known.get(key).copied();
        if let (None, (Op::Apply(prim, args), dims, kind)) = (found, key)
            && prim.is_commutative()
            && args[0] != args[1]
        {
            let swapped = Op::Apply(*prim, args.iter().rev().copied().collect());
            found = known.get(&(swapped, *dims, *kind)).copied();
        }
        found.map(|id| self.value(id))
    }

    fn add(&self, op: Op, dims: DimSet, kind: Kind) -> Value<'_> {
        self.push(Node { op, dims, kind, name: None })
    }

    /// Gives the node the name of a `let`, unless it has a name already.
    pub fn name(&self, id: NodeId, name: &str) {
        self.graph.borrow_mut().nodes[id.0 as usize].name.get_or_insert_with(|| name.to_string());
    }

    /// A tensor or scalar argument.
    pub fn input(&self, arg: usize, dims: DimSet, kind: Kind) -> Value<'_> {
        self.add(Op::Input(arg), dims, kind)
    }

    /// A float constant.
    pub fn float(&self, value: f64) -> Value<'_> {
        self.literal(Scalar::Float(value))
    }

    /// A constant.
    pub fn literal(&self, value: Scalar) -> Value<'_> {
        self.add(Op::Literal(value), DimSet::EMPTY, value.kind())
    }

    /// The product of the sizes of dims, as float or int.
    pub fn len(&self, dims: DimSet, kind: Kind) -> Value<'_> {
        self.add(Op::Len(dims), DimSet::EMPTY, kind)
    }

    /// The index along a dim. That along the group counts its axes row-major.
    pub fn iota(&self, dim: DimId) -> Value<'_> {
        self.add(Op::Iota(dim), DimSet::one(dim), Kind::Int)
    }

    /// The position along dims, counted row-major; 0 along none.
    pub fn position_along(&self, dims: impl IntoIterator<Item = DimId>) -> Value<'_> {
        let mut dims = dims.into_iter();
        let Some(first) = dims.next() else { return self.literal(Scalar::Int(0)) };
        dims.fold(self.iota(first), |before, dim| {
            before * self.len(DimSet::one(dim), Kind::Int) + self.iota(dim)
        })
    }

    /// An elementwise primitive. The caller must pass operands of kinds that the primitive accepts.
    pub fn apply<'b>(&'b self, prim: Prim, args: &[Value<'b>]) -> Value<'b> {
        let kinds: Vec<Kind> = args.iter().map(|a| a.kind()).collect();
        let kind = prim.result_kind(&kinds).expect("operand kinds are checked before a node is built");
        let dims = args.iter().fold(DimSet::EMPTY, |set, a| set.union(a.dims()));
        self.add(Op::Apply(prim, args.iter().map(|a| a.id).collect()), dims, kind)
    }

    /// `yes` where `cond` is true, `no` elsewhere.
    pub fn select<'b>(&'b self, cond: Value<'b>, yes: Value<'b>, no: Value<'b>) -> Value<'b> {
        self.apply(Prim::Select, &[cond, yes, no])
    }

    /// A scan along a dim, from its first element to its last or in `reverse`. There are as many operands as
    /// the scan takes.
    pub fn scan<'b>(&'b self, scan: Scan, dim: DimId, reverse: bool, operands: &[Value<'b>]) -> Value<'b> {
        let dims = operands.iter().fold(DimSet::one(dim), |set, x| set.union(x.dims()));
        let ids = operands.iter().map(|x| x.id).collect();
        self.add(Op::Scan { scan, dim, reverse, operands: ids }, dims, operands[0].kind())
    }

    /// The positions of elements along a dim in their order.
    pub fn argsort<'b>(&'b self, x: Value<'b>, dim: DimId, to: DimId, descending: bool) -> Value<'b> {
        let dims = x.dims().difference(DimSet::one(dim)).union(DimSet::one(to));
        let order = Order::Sort { to, descending };
        self.add(Op::Order { order, dim, operands: vec![x.id] }, dims, Kind::Int)
    }

    /// How many elements of what is sorted along a dim are smaller; with `right`, smaller or equal.
    pub fn searchsorted<'b>(&'b self, sorted: Value<'b>, x: Value<'b>, dim: DimId, right: bool) -> Value<'b> {
        let dims = sorted.dims().difference(DimSet::one(dim)).union(x.dims());
        let order = Order::Search { right };
        self.add(Op::Order { order, dim, operands: vec![sorted.id, x.id] }, dims, Kind::Int)
    }

    /// The value with given rules.
    pub fn given(&self, value: NodeId, rules: Vec<GivenRule>) -> Value<'_> {
        let node = self.node(value);
        self.add(Op::Given { value, rules }, node.dims, node.kind)
    }

    /// The placeholder for the gradient of a value inside its given rule.
    pub fn seed(&self, index: u32, dims: DimSet) -> Value<'_> {
        self.add(Op::Seed(index), dims, Kind::Float)
    }
}

impl<'b> Value<'b> {
    /// The builder that holds the node.
    pub fn builder(self) -> &'b Builder {
        self.builder
    }

    /// Dims that it varies over.
    pub fn dims(self) -> DimSet {
        self.builder.read(|g| g.node(self.id).dims)
    }

    /// Kind of its elements.
    pub fn kind(self) -> Kind {
        self.builder.read(|g| g.node(self.id).kind)
    }

    /// A unary primitive.
    pub fn map(self, prim: Prim) -> Value<'b> {
        self.builder.apply(prim, &[self])
    }

    /// A binary primitive.
    pub fn zip(self, prim: Prim, other: Value<'b>) -> Value<'b> {
        self.builder.apply(prim, &[self, other])
    }

    /// The product of the value with itself.
    pub fn square(self) -> Value<'b> {
        self * self
    }

    /// A reduction over dims that the value has. Argmax and argmin give int.
    pub fn reduce(self, fold: Fold, dims: DimSet) -> Value<'b> {
        debug_assert!(dims.is_subset(self.dims()));
        let kind = fold.result_kind(self.kind());
        self.builder.add(Op::Reduce(fold, dims, self.id), self.dims().difference(dims), kind)
    }

    /// Conversion to a kind. Returns the value itself if it has that kind already.
    pub fn cast(self, kind: Kind) -> Value<'b> {
        if self.kind() == kind { self } else { self.builder.add(Op::Cast(self.id), self.dims(), kind) }
    }

    /// Detached from differentiation.
    pub fn stop_grad(self) -> Value<'b> {
        self.builder.add(Op::StopGrad(self.id), self.dims(), self.kind())
    }

    /// `at(self, dim = index)`.
    pub fn at(self, dim: DimId, index: Value<'b>) -> Value<'b> {
        let dims = self.dims().difference(DimSet::one(dim)).union(index.dims());
        self.builder.add(Op::At { source: self.id, dim, index: index.id }, dims, self.kind())
    }

    /// The value at a position along a dim. A value that does not vary along the dim is itself inside of the
    /// dim; without a value outside it becomes an `at`, which checks the index.
    pub fn window(self, dim: DimId, position: Position) -> Value<'b> {
        let builder = self.builder;
        if self.dims().contains(dim) {
            let dims = self.dims().difference(DimSet::one(dim)).union(position.dims());
            return builder.add(Op::Window { source: self.id, dim, position }, dims, self.kind());
        }
        let (index, inside) = position.values(builder, dim);
        match position.outside {
            Some(value) => builder.select(inside, self, builder.literal(value)),
            None => self.at(dim, index),
        }
    }

    /// The value where a position is inside of a dim, and what lies outside elsewhere. The value need not
    /// vary along the dim: then this is a choice that a kernel makes where it reads the value.
    pub fn limited(self, dim: DimId, position: Position) -> Value<'b> {
        debug_assert!(position.outside.is_some() || self.dims().contains(dim));
        let dims = self.dims().difference(DimSet::one(dim)).union(position.dims());
        self.builder.add(Op::Window { source: self.id, dim, position }, dims, self.kind())
    }

    /// The elements that have one index, combined: a value over `dims`, which include `dim`.
    pub fn scatter(self, fold: Fold, dim: DimId, index: Value<'b>, dims: DimSet) -> Value<'b> {
        debug_assert!(dims.contains(dim));
        let summed = self.dims().union(index.dims()).difference(dims.difference(DimSet::one(dim)));
        let is_once = |graph: &Graph| graph.differs_along(index.id, dim) == Some(summed);
        let once = fold == Fold::Sum && self.builder.read(is_once);
        self.builder.add(Op::Scatter { fold, source: self.id, dim, index: index.id, once }, dims, self.kind())
    }
}

/// A float constant operand may stand on either side of an operator.
macro_rules! operator {
    ($trait:ident, $method:ident, $prim:ident) => {
        impl<'b> $trait for Value<'b> {
            type Output = Value<'b>;
            fn $method(self, other: Value<'b>) -> Value<'b> {
                self.zip(Prim::$prim, other)
            }
        }
        impl<'b> $trait<f64> for Value<'b> {
            type Output = Value<'b>;
            fn $method(self, other: f64) -> Value<'b> {
                self.zip(Prim::$prim, self.builder.float(other))
            }
        }
        impl<'b> $trait<Value<'b>> for f64 {
            type Output = Value<'b>;
            fn $method(self, other: Value<'b>) -> Value<'b> {
                other.builder.float(self).zip(Prim::$prim, other)
            }
        }
    };
}
operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(Mul, mul, Mul);
operator!(Div, div, Div);

impl<'b> Neg for Value<'b> {
    type Output = Value<'b>;
    fn neg(self) -> Value<'b> {
        self.map(Prim::Neg)
    }
}
