//! What kernels are compiled for, each of which exists once in the process.
//!
//! CubeCL finds a kernel by what it is compiled for. It does so several times for each launch, on the thread
//! of the device. A plan has all of its programs, so that to hash and compare it takes long. This is done
//! once for a launch, on the thread that calls, and the device's thread compares addresses.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A plan to which no other one in the process is equal, with its hash.
pub(super) struct Known<T> {
    hash: u64,
    plan: Arc<T>,
}

/// Plans of any type, by their hashes.
type Plans = HashMap<u64, Vec<Arc<dyn Any + Send + Sync>>>;

/// All of them. They are as many as compiled kernels, which stay too.
static PLANS: LazyLock<Mutex<Plans>> = LazyLock::new(Mutex::default);

/// The plan that equals this one.
pub(super) fn known<T: Hash + Eq + Send + Sync + 'static>(plan: Arc<T>) -> Known<T> {
    let mut hasher = DefaultHasher::new();
    plan.hash(&mut hasher);
    let hash = hasher.finish();
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let alike = plans.entry(hash).or_default();
    let found = alike.iter().find(|other| other.downcast_ref() == Some(&*plan));
    let found = found.and_then(|other| other.clone().downcast().ok());
    let plan = found.unwrap_or_else(|| {
        alike.push(plan.clone());
        plan
    });
    Known { hash, plan }
}

impl<T> Known<T> {
    pub(super) fn plan(&self) -> Arc<T> {
        self.plan.clone()
    }
}

impl<T> Clone for Known<T> {
    fn clone(&self) -> Known<T> {
        Known { hash: self.hash, plan: self.plan.clone() }
    }
}

impl<T: fmt::Debug> fmt::Debug for Known<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(f)
    }
}

impl<T> PartialEq for Known<T> {
    fn eq(&self, other: &Known<T>) -> bool {
        Arc::ptr_eq(&self.plan, &other.plan)
    }
}

impl<T> Eq for Known<T> {}

impl<T> Hash for Known<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_plans_are_one() {
        let [one, same, other] = ["a", "a", "b"].map(|text| known(Arc::new(text.to_owned())));
        assert_eq!(one, same);
        assert_ne!(one, other);
        let hash = |plan: &Known<String>| {
            let mut hasher = DefaultHasher::new();
            plan.hash(&mut hasher);
            hasher.finish()
        };
        assert_eq!(hash(&one), hash(&same));
        assert_ne!(hash(&one), hash(&other));
        assert_eq!(*other.plan(), "b");
        assert_eq!(format!("{one:?}"), "\"a\"");
    }

    /// These two have the same hash.
    #[test]
    fn plans_of_two_types_are_two() {
        let (number, text) = (known(Arc::new(7_u64)), known(Arc::new((7_u64,))));
        assert_eq!(*number.plan(), 7);
        assert_eq!(*text.plan(), (7,));
    }
}
