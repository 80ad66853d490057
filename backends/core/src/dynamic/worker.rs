//! Threads for calls that may never return. A thread that calls waits for its worker only as long as it
//! likes; no thread can be ended from outside, so a worker that blocks stays there.
//!
//! All calls of a thread go to one worker, and those of other threads do not. So what a backend keeps for
//! each thread, such as a stream of a GPU, is found again.

use std::cell::OnceCell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The way to a worker, which ends when there is none left.
#[derive(Clone)]
pub(super) struct Worker(Sender<Order>);

enum Order {
    Work(Box<dyn FnOnce() + Send>),
    /// The worker has asked something, and this is answered.
    Answered,
}

/// What a worker says to the thread that waits for it.
enum Message<Q, R> {
    Question(Q),
    Done(R),
}

/// Why a call has no result.
pub(super) enum NoResult {
    /// It takes longer than the limit.
    Late,
    /// It panicked, or there is no worker any more.
    Gone,
}

/// Asks the thread that waits for the call. `None` if nobody waits any more, or if this is not the worker.
pub(super) type Ask<'a, Q, A> = dyn FnMut(Q) -> Option<A> + Send + 'a;

thread_local! {
    /// The orders of this thread, if it is a worker.
    static ORDERS: OnceCell<Receiver<Order>> = const { OnceCell::new() };
}

impl Worker {
    /// Starts a thread.
    pub(super) fn start(name: String) -> io::Result<Worker> {
        let (orders, received) = channel();
        thread::Builder::new().name(name).spawn(move || {
            ORDERS.with(|own| drop(own.set(received)));
            serve(Until::Gone);
        })?;
        Ok(Worker(orders))
    }

    /// Lets the worker do something, and does not wait for it.
    pub(super) fn post(&self, work: impl FnOnce() + Send + 'static) {
        // Work for a thread that has ended is dropped.
        drop(self.0.send(Order::Work(Box::new(work))));
    }

    /// Calls a function, which may ask this thread. The time in which this thread answers does not count.
    pub(super) fn call<Q: Send + 'static, A: Send + 'static, R: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce(&mut Ask<'_, Q, A>) -> R + Send + 'static,
        answer: &mut dyn FnMut(Q) -> A,
    ) -> Result<R, NoResult> {
        let (tell, told) = channel::<Message<Q, R>>();
        let (reply, replies) = channel();
        self.post(move || {
            let asking = tell.clone();
            let result = work(&mut move |question| {
                // Another thread has no orders, with which the answer comes.
                ORDERS.with(|own| own.get().is_some()).then_some(())?;
                asking.send(Message::Question(question)).ok()?;
                serve(Until::Answered);
                replies.recv().ok()
            });
            // A result that comes too late is dropped here.
            drop(tell.send(Message::Done(result)));
        });
        loop {
            match told.recv_timeout(limit) {
                Ok(Message::Done(result)) => return Ok(result),
                Ok(Message::Question(question)) => {
                    drop(reply.send(answer(question)));
                    drop(self.0.send(Order::Answered));
                }
                Err(RecvTimeoutError::Timeout) => return Err(NoResult::Late),
                Err(RecvTimeoutError::Disconnected) => return Err(NoResult::Gone),
            }
        }
    }
}

/// How long a worker does what it is asked to.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    /// Its question is answered. So a call may make other calls while it answers.
    Answered,
    /// There is nobody left who could ask.
    Gone,
}

fn serve(until: Until) {
    ORDERS.with(|orders| {
        let Some(orders) = orders.get() else { return };
        while let Ok(order) = orders.recv() {
            match order {
                // The caller sees that nothing came. The worker has to go on for other calls.
                Order::Work(work) => drop(catch_unwind(AssertUnwindSafe(work))),
                Order::Answered if until == Until::Answered => return,
                Order::Answered => {}
            }
        }
    });
}
