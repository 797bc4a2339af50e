// SPDX-License-Identifier: MIT
/// \file
/// MEMPROF_SANITIZED: 1 under the address and thread sanitizers, else 0.
/// MEMPROF_THREAD_SANITIZED: 1 under the thread sanitizer, else 0.
/// MEMPROF_CLANG_ADDRESS_SANITIZED: 1 under the address sanitizer of clang, else 0. Its runtime is
/// part of the program: `_exit` and `__cxa_throw` are functions of its own there.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define MEMPROF_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MEMPROF_THREAD_SANITIZED 1
#endif
#endif
#ifndef MEMPROF_THREAD_SANITIZED
#define MEMPROF_THREAD_SANITIZED 0
#endif

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MEMPROF_CLANG_ADDRESS_SANITIZED 1
#endif
#endif
#ifndef MEMPROF_CLANG_ADDRESS_SANITIZED
#define MEMPROF_CLANG_ADDRESS_SANITIZED 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMPROF_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMPROF_SANITIZED 1
#endif
#endif
#ifndef MEMPROF_SANITIZED
#define MEMPROF_SANITIZED 0
#endif
