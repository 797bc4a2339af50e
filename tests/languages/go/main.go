// SPDX-License-Identifier: MIT

// examples/go/memprof: a library in C that runs away is stopped, and good runs follow.
package main

/*
#include <stdlib.h>
#include <string.h>
// Keeps what it gets until malloc says no; then cleans up. How many blocks that was.
static int keep(int most) {
	void** all = calloc(most, sizeof *all);
	int n = 0;
	while (all != NULL && n < most && (all[n] = malloc(50000)) != NULL) memset(all[n++], 1, 50000);
	for (int i = 0; all != NULL && i < n; ++i) free(all[i]);
	free(all);
	return n;
}
*/
import "C"

import (
	"fmt"
	"memprof"
	"os"
	"strings"
	"sync"
	"time"
)

const mib = 1 << 20

func check(good bool, what ...any) {
	if !good {
		fmt.Fprintln(os.Stderr, what...)
		os.Exit(1)
	}
}

func work() {
	limits := memprof.Limits{Memory: 16 * mib, AfterHit: memprof.Refuse}
	for i := 0; i < 3; i++ {
		kept := 0
		err := memprof.Run(limits, func() { kept = int(C.keep(100000)) })
		hit, is := err.(*memprof.LimitError)
		check(is && hit.Kind == 1 && kept < 400, "not stopped:", err, kept)
		check(strings.Contains(hit.Message, "memory limit of 16 MiB"), hit.Message)
	}
	for i := 0; i < 1000; i++ {
		kept := 0
		err := memprof.Run(limits, func() { kept = int(C.keep(C.int(i % 50))) })
		check(err == nil && kept == i%50, "a good run:", err, kept)
	}
}

func main() {
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			work()
		}()
	}
	all.Wait()
	err := memprof.Run(memprof.Limits{Time: 20 * time.Millisecond}, func() {
		for !memprof.ShouldStop() {
		}
	})
	hit, is := err.(*memprof.LimitError)
	check(is && hit.Kind == 4, "no deadline:", err)
	check(memprof.Run(memprof.Limits{Memory: -5}, func() {}) != nil, "a negative limit")
	func() {
		defer func() { check(recover() == "mine", "another panic") }()
		_ = memprof.Run(memprof.Limits{Memory: mib}, func() { panic("mine") })
	}()
	check(int(C.keep(1000)) == 1000, "a limit is left")
}
