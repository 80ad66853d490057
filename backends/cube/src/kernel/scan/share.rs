//! How the units of a cube combine what they have, as a macro beside that of the kernels.
//!
//! They do it in steps of 1, 2, 4, .. (Hillis and Steele, Data Parallel Algorithms, 1986): within planes
//! without shared memory, if the device can do that.

/// For numbers of one bound.
macro_rules! sharing {
    ($bound:ident) => {
        /// What the elements of a unit add up to: the product of their factors, and the result.
        #[cube]
        fn total<E: $bound, N: Size>(
            own_factors: &Sequence<Vector<E, N>>,
            own_terms: &Sequence<Vector<E, N>>,
            #[comptime] way: Way,
        ) -> Total<E> {
            let lanes = N::value().comptime();
            let start = comptime!(lane_of(0, lanes, way));
            let mut product = One::<E>::new(own_factors.index(0usize).extract(start));
            let mut y = One::<E>::new(own_terms.index(0usize).extract(start));
            #[unroll]
            for item in 0..comptime!(way.items) {
                #[unroll]
                for element in 0..lanes {
                    if comptime!(item + element > 0) {
                        let lane = comptime!(lane_of(element, lanes, way));
                        let factor = One::<E>::new(own_factors.index(item).extract(lane));
                        let term = One::<E>::new(own_terms.index(item).extract(lane));
                        y = next::<E>(y, factor, term, way);
                        if comptime!(way.fold.is_none()) {
                            product *= factor;
                        }
                    }
                }
            }
            Total::<E> { factor: product, result: y }
        }

        /// Combines what each unit has with that of all units before it.
        #[cube]
        fn share<E: $bound>(
            own: Total<E>,
            factors: &mut Shared<[One<E>]>,
            results: &mut Shared<[One<E>]>,
            #[comptime] way: Way,
        ) -> Totals<E> {
            if comptime!(way.plane > 1) {
                share_in_planes::<E>(own, factors, results, way)
            } else {
                share_in_memory::<E>(own, factors, results, way)
            }
        }

        #[cube]
        fn share_in_memory<E: $bound>(
            own: Total<E>,
            factors: &mut Shared<[One<E>]>,
            results: &mut Shared<[One<E>]>,
            #[comptime] way: Way,
        ) -> Totals<E> {
            let unit = UNIT_POS as usize;
            let (mut product, mut y) = (own.factor, own.result);
            let mut step = 1usize.runtime();
            while step < UNITS {
                factors[unit] = product;
                results[unit] = y;
                sync_cube();
                if unit >= step {
                    y = join::<E>(results[unit - step], product, y, way);
                    product *= factors[unit - step];
                }
                sync_cube();
                step *= 2;
            }
            factors[unit] = product;
            results[unit] = y;
            sync_cube();
            let last = select(unit > 0, unit - 1, 0usize);
            let before = Total::<E> { factor: factors[last], result: results[last] };
            let all = Total::<E> { factor: factors[UNITS - 1], result: results[UNITS - 1] };
            Totals::<E> { before, all }
        }

        /// First within each plane, then over the planes.
        #[cube]
        fn share_in_planes<E: $bound>(
            own: Total<E>,
            factors: &mut Shared<[One<E>]>,
            results: &mut Shared<[One<E>]>,
            #[comptime] way: Way,
        ) -> Totals<E> {
            let plane = UNIT_POS as usize / comptime!(way.plane);
            let place = UNIT_POS as usize % comptime!(way.plane);
            let (mut product, mut y) = (own.factor, own.result);
            #[unroll]
            for bit in 0..comptime!(way.plane.trailing_zeros()) {
                let step = comptime!(1u32 << bit);
                let before = plane_shuffle_up(y.extract(0usize), step.runtime());
                let factor = plane_shuffle_up(product.extract(0usize), step.runtime());
                if place >= comptime!(step as usize) {
                    y = join::<E>(One::<E>::new(before), product, y, way);
                    product *= One::<E>::new(factor);
                }
            }
            if place == comptime!(way.plane - 1) {
                factors[plane] = product;
                results[plane] = y;
            }
            let factor = One::<E>::new(plane_shuffle_up(product.extract(0usize), 1u32.runtime()));
            let result = One::<E>::new(plane_shuffle_up(y.extract(0usize), 1u32.runtime()));
            sync_cube();
            let (mut all_factor, mut all_result) = (factors[0usize], results[0usize]);
            let (mut earlier_factor, mut earlier_result) = (all_factor, all_result);
            #[unroll]
            for other in 1..comptime!(UNITS / way.plane) {
                if plane == other {
                    earlier_factor = all_factor;
                    earlier_result = all_result;
                }
                all_result = join::<E>(all_result, factors[other], results[other], way);
                all_factor *= factors[other];
            }
            let (mut before_factor, mut before_result) = (factor, result);
            if place == 0 {
                before_factor = earlier_factor;
                before_result = earlier_result;
            } else if plane > 0 {
                before_result = join::<E>(earlier_result, factor, result, way);
                before_factor = factor * earlier_factor;
            }
            Totals::<E> {
                before: Total::<E> { factor: before_factor, result: before_result },
                all: Total::<E> { factor: all_factor, result: all_result },
            }
        }

        /// The result before the first element of this unit, if there is one: from the result before the
        /// tile, and from what the units before add up to.
        #[cube]
        fn before_unit<E: $bound>(
            behind: One<E>,
            own: Total<E>,
            goes_on: bool,
            #[comptime] way: Way,
        ) -> One<E> {
            let mut before = behind;
            if UNIT_POS > 0 {
                before = own.result;
                if goes_on {
                    before = join::<E>(behind, own.factor, own.result, way);
                }
            }
            before
        }

        /// What elements add up to: the product of their factors, and the result.
        #[derive(CubeType, Clone, Copy)]
        struct Total<E: $bound> {
            factor: One<E>,
            result: One<E>,
        }

        /// What the units before a unit add up to, if there are any, and what all units do.
        #[derive(CubeType)]
        struct Totals<E: $bound> {
            before: Total<E>,
            all: Total<E>,
        }
    };
}
pub(super) use sharing;
