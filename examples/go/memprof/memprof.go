// SPDX-License-Identifier: MIT

// Package memprof puts limits on what C libraries allocate under Go: docs/languages.md. Go's own heap does not come from
// malloc, and no limit sees it (debug.SetMemoryLimit is for that).
package memprof

// #include <stdlib.h>
// #include "memprof/memprof.h"
import "C"

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// What malloc gives to C code whose limit was hit.
const (
	Serve       = 0
	Refuse      = 1
	RefuseLarge = 2
)

// Limits of a task; 0: no limit.
type Limits struct {
	Memory, Allocations int64
	Time                time.Duration
	AfterHit            int
}

// LimitError says that a limit was hit.
type LimitError struct {
	Kind     int
	Measured int64
	Message  string
}

func (e *LimitError) Error() string { return e.Message }

// ShouldStop tells whether a limit around this code was hit. Of the goroutine that Run was called by.
func ShouldStop() bool { return bool(C.memprof_should_stop()) }

func orNone(n int64) C.int64_t {
	if n == 0 {
		return -1
	}
	return C.int64_t(n)
}

// Run calls task on its goroutine, which keeps its thread meanwhile, and returns a *LimitError if a limit was hit. What
// other goroutines do counts only if they have a Run of their own.
func Run(l Limits, task func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const size = 400
	text := (*C.char)(C.malloc(size))
	defer C.free(unsafe.Pointer(text))
	limits := C.memprof_no_limits()
	limits.memory = orNone(l.Memory)
	limits.allocations = orNone(l.Allocations)
	limits.time = orNone(int64(l.Time))
	limits.strict = l.Time != 0
	limits.malloc_after_hit = C.int(l.AfterHit)
	failure := (*C.memprof_error)(C.malloc(C.sizeof_memprof_error))
	defer C.free(unsafe.Pointer(failure))
	*failure = C.memprof_error_with(text, size)
	var scope *C.memprof_scope
	status := C.memprof_begin(&limits, &scope, failure)
	if status == C.MEMPROF_OK {
		func() {
			defer func() { status = C.memprof_end(scope, failure) }() // after a panic, too
			task()
		}()
	}
	if status == C.MEMPROF_OK {
		return nil
	}
	message := C.GoString(text)
	if status != C.MEMPROF_LIMIT_HIT {
		return fmt.Errorf("memprof: %s", message)
	}
	return &LimitError{int(failure.kind), int64(failure.measured), message}
}
