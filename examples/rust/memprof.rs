// SPDX-License-Identifier: MIT
//! Limits for closures: docs/languages.md. No crate; link with memprof's libraries, or run under the preload library.
//!
//! A `Vec` that malloc refuses to grow ends the process (`handle_alloc_error`), so by default malloc serves a task
//! whose limit was hit: it ends by asking `should_stop`. With `AfterHit::Refuse` only code may run that asks for
//! memory by `try_reserve` and its like, and C.

use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

#[repr(C)]
struct RawLimits {
    size: usize,
    allocations: i64,
    memory: i64,
    time: i64,
    token: *const c_void,
    cancel_if: *const c_void,
    cancel_context: *const c_void,
    soft: *const c_void,
    soft_context: *const c_void,
    soft_fraction: f64,
    false_interrupt_probability: f64,
    count: c_int,
    malloc_after_hit: c_int,
    explain: c_uint,
    global_memory: bool,
    strict: bool,
}

#[repr(C)]
struct RawError {
    size: usize,
    message: *mut c_char,
    message_size: usize,
    kind: c_int,
    limit: i64,
    measured: i64,
    refused_request: i64,
    overshoot: i64,
    interrupts: u64,
    deferrals: u64,
    refusals: u64,
    started: bool,
    allocated: i64,
}

extern "C" {
    fn memprof_run(
        limits: *const RawLimits,
        task: extern "C" fn(*mut c_void),
        context: *mut c_void,
        error: *mut RawError,
    ) -> c_int;
    fn memprof_should_stop() -> bool;
}

/// What malloc gives to a task whose limit was hit.
#[derive(Clone, Copy, PartialEq)]
pub enum AfterHit {
    Serve = 0,
    Refuse = 1,
    RefuseLarge = 2,
}

/// Bytes and nanoseconds; `None`: no limit.
#[derive(Clone, Copy)]
pub struct Limits {
    pub memory: Option<i64>,
    pub allocations: Option<i64>,
    pub time: Option<i64>,
    pub after_hit: AfterHit,
}

pub const NONE: Limits = Limits { memory: None, allocations: None, time: None, after_hit: AfterHit::Serve };

/// A limit was hit, or could not be set.
#[derive(Debug)]
pub struct LimitError {
    pub hit: bool,
    pub kind: i32,
    pub measured: i64,
    pub message: String,
}

/// Whether a limit around this code was hit.
pub fn should_stop() -> bool {
    unsafe { memprof_should_stop() }
}

struct Call<T, F: FnOnce() -> T> {
    task: Option<F>,
    result: Option<std::thread::Result<T>>,
}

/// A panic must not cross C: it goes on behind it.
extern "C" fn run<T, F: FnOnce() -> T>(context: *mut c_void) {
    let call = unsafe { &mut *(context as *mut Call<T, F>) };
    if let Some(task) = call.task.take() {
        call.result = Some(catch_unwind(AssertUnwindSafe(task)));
    }
}

/// Runs `task`. Its value is lost if its limit was hit, however it ended.
pub fn limit<T, F: FnOnce() -> T>(limits: Limits, task: F) -> Result<T, LimitError> {
    let raw = RawLimits {
        size: std::mem::size_of::<RawLimits>(),
        allocations: limits.allocations.unwrap_or(-1),
        memory: limits.memory.unwrap_or(-1),
        time: limits.time.unwrap_or(-1),
        token: std::ptr::null(),
        cancel_if: std::ptr::null(),
        cancel_context: std::ptr::null(),
        soft: std::ptr::null(),
        soft_context: std::ptr::null(),
        soft_fraction: 0.8,
        false_interrupt_probability: 0.0,
        count: 0,
        malloc_after_hit: limits.after_hit as c_int,
        explain: 0,
        global_memory: false,
        strict: limits.time.is_some(),
    };
    let mut text = [0u8; 400];
    let mut error: RawError = unsafe { std::mem::zeroed() };
    error.size = std::mem::size_of::<RawError>();
    error.message = text.as_mut_ptr() as *mut c_char;
    error.message_size = text.len();
    let mut call = Call { task: Some(task), result: None };
    let context = &mut call as *mut Call<T, F> as *mut c_void;
    let status = unsafe { memprof_run(&raw, run::<T, F>, context, &mut error) };
    match call.result {
        Some(Ok(value)) if status == 0 => Ok(value),
        Some(Err(panic)) if status == 0 => resume_unwind(panic),
        _ => {
            let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
            Err(LimitError {
                hit: status == 1,
                kind: error.kind,
                measured: error.measured,
                message: String::from_utf8_lossy(&text[..end]).into_owned(),
            })
        }
    }
}
