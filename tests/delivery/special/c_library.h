/* SPDX-License-Identifier: MIT */
/* A library in C that calls back, in the ways that C code does. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*c_callback)(void* context);

/* Holds a lock during the call. */
void c_call_under_lock(c_callback f, void* context);
int c_lock_is_free(void);

/* Keeps a block of the heap during the call. */
void c_call_with_block(c_callback f, void* context);
int c_blocks(void);

/* Only return after the call, with a result. */
int c_call_then_return(c_callback f, void* context);
int c_call_then_compare(c_callback f, void* context, int a, int b);

/* Does nothing after the call: with optimisation it is no frame at all. */
void c_tail_call(c_callback f, void* context);

/* Built with -fexceptions: its lock has __attribute__((cleanup)). */
void c_call_with_cleanup(c_callback f, void* context);
int c_cleanup_lock_is_free(void);

#ifdef __cplusplus
}
#endif
