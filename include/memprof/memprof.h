/* SPDX-License-Identifier: MIT */
/** \file
 * Limits for programs in C, and for every language that can call C: docs/languages.md.
 *
 *     memprof_limits limits = memprof_no_limits();
 *     limits.memory = 200 << 20;
 *     limits.malloc_after_hit = MEMPROF_REFUSE;
 *     char text[300];
 *     memprof_error error = memprof_error_with(text, sizeof text);
 *     if (memprof_run(&limits, &parse, &document, &error) == MEMPROF_LIMIT_HIT) puts(text);
 *
 * How a task is stopped: code in C gets null from malloc (`malloc_after_hit`), and may ask
 * `memprof_should_stop`. Code in C++ under `memprof_run` is interrupted by an exception, as under
 * the limits of memprof/limits.hpp. A task may also leave by longjmp: that ends the limits it passes.
 *
 * Rules for all functions: they throw nothing but what a task throws; they may be called by any
 * thread, but not by a signal handler; a null pointer is allowed only where that is said. Structures
 * begin with their size, so that a program goes on with a library that has more members. Amounts
 * are in bytes, times in nanoseconds.
 */
#ifndef MEMPROF_MEMPROF_H
#define MEMPROF_MEMPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMPROF_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** What functions return. What is not MEMPROF_OK or MEMPROF_LIMIT_HIT is negative. */
enum memprof_status {
  MEMPROF_OK = 0,
  MEMPROF_LIMIT_HIT = 1,   /**< this limit was hit in this task, however the task ended */
  MEMPROF_INVALID = -1,    /**< an argument is not as it must be; nothing was done */
  MEMPROF_NOT_ACTIVE = -2, /**< nothing feeds the sampler: malloc is not memprof's here */
  MEMPROF_NO_MEMORY = -3,
  MEMPROF_SYSTEM_ERROR = -4 /**< a file cannot be written, say */
};

/** Which limit was hit. */
enum memprof_kind {
  MEMPROF_ALLOCATIONS,
  MEMPROF_MEMORY,
  MEMPROF_GLOBAL_MEMORY,
  MEMPROF_TOKEN,
  MEMPROF_DEADLINE
};

/** How an allocation limit counts: by samples, or every word (at the same cost). */
enum memprof_counting { MEMPROF_SAMPLED, MEMPROF_EXACT };

/** What malloc gives to a task whose limit was hit: memory as always; null (errno ENOMEM); or null
 * for a request over what the limit has left; or null, and 80 kB more after each null, for
 * interpreters. malloc_policy in memprof/limits.hpp has the details. */
enum memprof_after_hit {
  MEMPROF_SERVE,
  MEMPROF_REFUSE,
  MEMPROF_REFUSE_LARGE,
  MEMPROF_REFUSE_WITH_GRACE
};

/** A flag that stops tasks from any thread. */
typedef struct memprof_token memprof_token;
/** One account for the tasks of several threads, or for several tasks one after another. */
typedef struct memprof_budget memprof_budget;
/** A limit that was begun by a call, and ends by another one. */
typedef struct memprof_scope memprof_scope;

/** An amount that samples estimate, and the bounds that hold the true one with `confidence`. */
typedef struct memprof_estimate {
  size_t size;
  int64_t value;
  int64_t lower;
  int64_t upper;
  double confidence;
  uint64_t samples;
} memprof_estimate;

/** Given to a soft limit's callback. */
typedef struct memprof_notice {
  size_t size;
  int kind;      /**< MEMPROF_ALLOCATIONS, MEMPROF_MEMORY */
  int64_t limit; /**< that is being approached */
  memprof_estimate measured;
  int64_t new_limit; /**< set it to replace the limit; -1: it stays */
} memprof_notice;

/** Limits of one task; begin with `memprof_no_limits`. */
typedef struct memprof_limits {
  size_t size;
  int64_t allocations; /**< bytes allocated, frees not credited; -1: no limit */
  int64_t memory;      /**< estimated live memory of the task; -1: no limit */
  int64_t time;        /**< from the start, on the steady clock; -1: no limit */
  memprof_token const* token;        /**< null: none. Must outlive the task. */
  bool (*cancel_if)(void* context);  /**< null: none. As limits::cancel_if of memprof/limits.hpp. */
  void* cancel_context;
  /** Called once when an amount reaches `soft_fraction`, in (0, 1], of its limit: at the next
   * memprof_should_stop or operator new of the task, never inside malloc. Null: never. */
  void (*soft)(void* context, memprof_notice* notice);
  void* soft_context;
  double soft_fraction;
  /** Accepted probability, in [1e-300, 0.5], of a hit although the task kept its limit; 0: the
   * estimate itself is compared. */
  double false_interrupt_probability;
  int count;            /**< memprof_counting */
  int malloc_after_hit; /**< memprof_after_hit */
  unsigned explain;     /**< so many stacks of the task's memory in the error's message: at most 16 */
  bool global_memory;   /**< the process's limit binds this task */
  bool strict;          /**< a token or deadline that nothing has seen counts at the end, too */
} memprof_limits;

/** What came of a task; begin with `memprof_error_with`. */
typedef struct memprof_error {
  size_t size;
  /** Of the caller: a sentence, cut where there is no room, with a zero at its end. Null: none. */
  char* message;
  size_t message_size;
  int kind;                /**< memprof_kind */
  int64_t limit;           /**< 0 for a token or deadline */
  int64_t measured;        /**< the amount when the limit was hit */
  int64_t refused_request; /**< the request that was not granted; 0: there was none */
  int64_t overshoot;       /**< what the task allocated from then on */
  uint64_t interrupts;     /**< exceptions that were raised */
  uint64_t deferrals;      /**< places where one could not be raised */
  uint64_t refusals;       /**< null from malloc */
  bool started;            /**< false: the token was set or the time over before the task began */
  int64_t allocated;       /**< by the task, exactly; set without a hit, too */
} memprof_error;

/** Of the process. */
typedef struct memprof_counters {
  size_t size;
  uint64_t samples;
  uint64_t tracked_blocks; /**< sampled and not freed, now */
  uint64_t scopes;         /**< tasks that were run or begun */
  uint64_t hits[8];        /**< limits that were hit, by memprof_kind */
  uint64_t interrupts[8];  /**< exceptions raised */
  uint64_t interrupted_tasks[8];
  uint64_t deferrals;
} memprof_counters;

/** No limit at all. */
static inline memprof_limits memprof_no_limits(void) {
  memprof_limits l = {sizeof l, -1, -1, -1, NULL, NULL, NULL, NULL, NULL, 0.8, 0.0, MEMPROF_SAMPLED,
                      MEMPROF_SERVE, 0, false, false};
  return l;
}

/** \param message may be null, with a size of 0. */
static inline memprof_error memprof_error_with(char* message, size_t message_size) {
  memprof_error e = {sizeof e, message, message_size, 0, 0, 0, 0, 0, 0, 0, 0, true, 0};
  return e;
}

/** "1.2.3", of the library that the program runs with. */
MEMPROF_C_API char const* memprof_version(void);
/** Whether limits can be hit here: malloc is memprof's, or an explicit source exists. */
MEMPROF_C_API bool memprof_is_active(void);

/** Runs `task(context)` under the limits. An exception of the task leaves here if no limit was hit.
 *
 * \param error may be null; written in any case but an exception.
 * \return MEMPROF_OK, MEMPROF_LIMIT_HIT, or why the task was not run.
 * \note Allocates for `soft` and for the message, which no limit of this task counts. */
MEMPROF_C_API int memprof_run(memprof_limits const* limits, void (*task)(void* context),
                              void* context, memprof_error* error);

/** Begins limits that hold on this thread until memprof_end: for languages whose blocks are no
 * functions. Since no function of ours is on the stack meanwhile, no exception is raised for them:
 * the task is stopped by null from malloc, and by memprof_should_stop.
 *
 * \param scope becomes the limit, or null.
 * \param error may be null.
 * \return MEMPROF_OK, MEMPROF_LIMIT_HIT (the token was set already, say), or why there is none. */
MEMPROF_C_API int memprof_begin(memprof_limits const* limits, memprof_scope** scope,
                                memprof_error* error);
/** Ends it, on the thread that it began on. Where tasks of one thread take turns (coroutines of an
 * interpreter), limits may end in any order, but each is charged with what all tasks take meanwhile.
 *
 * \param scope may be null: then nothing happens.
 * \return MEMPROF_OK, MEMPROF_LIMIT_HIT; MEMPROF_INVALID: it is none of this thread's limits. */
MEMPROF_C_API int memprof_end(memprof_scope* scope, memprof_error* error);

/** True in a task whose limit was hit, or that of a task around it; looks at tokens, deadlines and
 * predicates, too. For loops that can end by themselves: call it every some hundred rounds.
 * Allocates nothing. */
MEMPROF_C_API bool memprof_should_stop(void);

/** \return null without memory. */
MEMPROF_C_API memprof_token* memprof_token_new(void);
/** A token that is set when `parent` is; setting it does not set that. \return null without memory. */
MEMPROF_C_API memprof_token* memprof_token_child(memprof_token const* parent);
/** \param reason for messages; only the pointer is kept. May be null. */
MEMPROF_C_API void memprof_token_set(memprof_token* token, char const* reason);
MEMPROF_C_API bool memprof_token_is_set(memprof_token const* token);
/** \param token may be null. */
MEMPROF_C_API void memprof_token_free(memprof_token* token);

/** \return null, and why in `error`, which may be null. */
MEMPROF_C_API memprof_budget* memprof_budget_new(memprof_limits const* limits,
                                                 memprof_error* error);
/** As memprof_run, charged to the budget. Any threads, at the same time. */
MEMPROF_C_API int memprof_budget_run(memprof_budget* budget, void (*task)(void* context),
                                     void* context, memprof_error* error);
/** By all of its tasks. */
MEMPROF_C_API int64_t memprof_budget_allocated(memprof_budget const* budget);
/** The live memory of all of its tasks, with confidence 0.95. */
MEMPROF_C_API void memprof_budget_live(memprof_budget const* budget, memprof_estimate* live);
/** After its last task. \param budget may be null. */
MEMPROF_C_API void memprof_budget_free(memprof_budget* budget);

/** Until memprof_unmask, nothing is raised or refused on this thread. They nest.
 * \return what memprof_unmask is to be given. */
MEMPROF_C_API void const* memprof_mask(void);
MEMPROF_C_API void memprof_unmask(void const* mask);

/** The limit that binds tasks with `global_memory`. \param limit -1: none. */
MEMPROF_C_API int memprof_set_global_memory_limit(int64_t limit);
/** Live memory of the process, from the samples of `MEMPROF_RATE`. \param confidence in (0, 1). */
MEMPROF_C_API int memprof_live_memory(double confidence, memprof_estimate* live);
MEMPROF_C_API void memprof_read_counters(memprof_counters* counters);

/** Begins a trace of this process for `memprof top`, `serve` and so on.
 *
 * \param per_word the rate, in (0, 1].
 * \param error says why not; may be null. */
MEMPROF_C_API int memprof_start_tracing(char const* file, double per_word, memprof_error* error);
/** Writes what is outstanding and closes the file, if there is a trace. */
MEMPROF_C_API void memprof_stop_tracing(void);

#ifdef __cplusplus
}
#endif

#endif /* MEMPROF_MEMPROF_H */
