/* SPDX-License-Identifier: MIT */
/* All of memprof/memprof.h, from C11. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "memprof/memprof.h"

enum { MiB = 1 << 20 };

struct job {
  size_t asked; /* each time */
  int times;
  int got_null;
  int looked;
  int stopped;
};

/* Keeps what it gets, as a parser does, until malloc says no; then cleans up. */
static void keep_all(void* context) {
  struct job* job = context;
  void** all = calloc((size_t)job->times, sizeof *all);
  for (int i = 0; all != NULL && i < job->times; ++i) {
    errno = 0;
    all[i] = malloc(job->asked);
    if (all[i] == NULL) {
      CHECK(errno == ENOMEM);
      ++job->got_null;
      break;
    }
    memset(all[i], 1, job->asked);
  }
  for (int i = 0; all != NULL && i < job->times; ++i) free(all[i]);
  free(all);
}

static void loop(void* context) {
  struct job* job = context;
  for (volatile long i = 0; i < 2000000000L && !job->stopped; ++i) {
    if (i % 1024 == 0) {
      ++job->looked;
      job->stopped = memprof_should_stop();
    }
  }
}

static void nothing(void* context) { (void)context; }

static void refused_by_malloc(void) {
  memprof_limits limits = memprof_no_limits();
  limits.memory = 8 * MiB;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  char text[300];
  memprof_error error = memprof_error_with(text, sizeof text);
  struct job job = {.asked = 64 << 10, .times = 10000};
  CHECK(memprof_run(&limits, &keep_all, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(job.got_null == 1);
  CHECK(error.kind == MEMPROF_MEMORY && error.limit == 8 * MiB && error.refusals >= 1);
  CHECK(error.measured > 7 * MiB && error.measured < 9 * MiB && error.started);
  CHECK(strstr(text, "memory") != NULL);
  char cut[10];
  error = memprof_error_with(cut, sizeof cut);
  job.got_null = 0;
  CHECK(memprof_run(&limits, &keep_all, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(strlen(cut) == 9 && strncmp(cut, text, 9) == 0);
  /* Afterwards as if nothing had been. */
  for (int i = 0; i < 1000; ++i) {
    struct job good = {.asked = 1000, .times = 100};
    CHECK(memprof_run(&limits, &keep_all, &good, NULL) == MEMPROF_OK && good.got_null == 0);
  }
}

/* A parser that ignores errors: null now and then, and some memory between. */
static void ignores_null(void* context) {
  struct job* job = context;
  for (int i = 0; i < job->times; ++i) {
    void* const block = malloc(job->asked);
    if (block == NULL) ++job->got_null;
    free(block);
  }
}

static void refused_with_grace(void) {
  memprof_limits limits = memprof_no_limits();
  limits.allocations = 10 * MiB;
  limits.count = MEMPROF_EXACT;
  limits.malloc_after_hit = MEMPROF_REFUSE_WITH_GRACE;
  memprof_error error = memprof_error_with(NULL, 0);
  struct job job = {.asked = 992, .times = 12000}; /* 1000 bytes with the header's word */
  CHECK(memprof_run(&limits, &ignores_null, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(job.got_null >= 15 && job.got_null <= 20); /* 1.4 MB by 80 kB */
  CHECK(error.refusals == (uint64_t)job.got_null);
  job = (struct job){.asked = 100000, .times = 200};
  CHECK(memprof_run(&limits, &ignores_null, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(job.got_null > 90); /* none fits into the grace */
}

static void exact_allocations(void) {
  memprof_limits limits = memprof_no_limits();
  limits.allocations = 10 * MiB;
  limits.count = MEMPROF_EXACT;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  memprof_error error = memprof_error_with(NULL, 0);
  struct job job = {.asked = 10 * MiB - 100000, .times = 1};
  CHECK(memprof_run(&limits, &keep_all, &job, &error) == MEMPROF_OK);
  CHECK(error.allocated > 10 * MiB - 100000 && error.allocated < 10 * MiB);
  job.asked = 10 * MiB;
  CHECK(memprof_run(&limits, &keep_all, &job, &error) == MEMPROF_LIMIT_HIT && job.got_null == 1);
  CHECK(error.refused_request >= 10 * MiB);
}

static void stopped_loops(void) {
  memprof_limits limits = memprof_no_limits();
  limits.time = 20000000;
  memprof_error error = memprof_error_with(NULL, 0);
  struct job job = {0};
  CHECK(memprof_run(&limits, &loop, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(job.stopped && error.kind == MEMPROF_DEADLINE);
  CHECK(!memprof_should_stop());

  limits = memprof_no_limits();
  memprof_token* all = memprof_token_new();
  memprof_token* one = memprof_token_child(all);
  limits.token = one;
  CHECK(memprof_run(&limits, &nothing, NULL, &error) == MEMPROF_OK && !memprof_token_is_set(one));
  memprof_token_set(all, "shutdown");
  CHECK(memprof_token_is_set(one));
  job = (struct job){0};
  char text[200];
  error = memprof_error_with(text, sizeof text);
  CHECK(memprof_run(&limits, &loop, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(job.looked == 0 && !error.started && strstr(text, "shutdown") != NULL);
  memprof_token_free(one);
  memprof_token_free(all);
  memprof_token_free(NULL);
}

static void begun_and_ended(void) {
  memprof_limits outer_limits = memprof_no_limits();
  outer_limits.memory = 64 * MiB;
  outer_limits.malloc_after_hit = MEMPROF_REFUSE;
  memprof_limits limits = outer_limits;
  limits.memory = 4 * MiB;
  memprof_error error = memprof_error_with(NULL, 0);
  for (int i = 0; i < 1000; ++i) {
    memprof_scope *outer = NULL, *inner = NULL;
    CHECK(memprof_begin(&outer_limits, &outer, NULL) == MEMPROF_OK && outer != NULL);
    CHECK(memprof_begin(&limits, &inner, NULL) == MEMPROF_OK && inner != NULL);
    struct job job = {.asked = 100000, .times = i % 10 == 0 ? 1000 : 10};
    keep_all(&job);
    CHECK(job.got_null == (i % 10 == 0) && memprof_should_stop() == job.got_null);
    CHECK(memprof_end(inner, &error) == (job.got_null ? MEMPROF_LIMIT_HIT : MEMPROF_OK));
    CHECK(!job.got_null || error.kind == MEMPROF_MEMORY);
    CHECK(!memprof_should_stop());
    CHECK(memprof_end(outer, &error) == MEMPROF_OK && error.allocated > 0);
  }
  CHECK(memprof_end(NULL, NULL) == MEMPROF_OK);
}

/* As coroutines of one thread end them. */
static void ended_in_any_order(void) {
  memprof_limits limits = memprof_no_limits();
  limits.memory = 4 * MiB;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  memprof_limits wide = limits;
  wide.memory = 64 * MiB;
  for (int i = 0; i < 100; ++i) {
    memprof_scope *first = NULL, *second = NULL, *third = NULL;
    CHECK(memprof_begin(&limits, &first, NULL) == MEMPROF_OK);
    CHECK(memprof_begin(&wide, &second, NULL) == MEMPROF_OK);
    CHECK(memprof_end(first, NULL) == MEMPROF_OK);
    void* const block = malloc(8 * MiB); /* the first one does not bind any more */
    CHECK(block != NULL);
    CHECK(memprof_begin(&limits, &third, NULL) == MEMPROF_OK);
    memprof_error error = memprof_error_with(NULL, 0);
    CHECK(memprof_end(second, &error) == MEMPROF_OK && error.allocated > 8 * MiB);
    void* const refused = malloc(8 * MiB);
    CHECK(refused == NULL);
    free(block);
    CHECK(memprof_end(third, NULL) == MEMPROF_LIMIT_HIT);
    CHECK(!memprof_should_stop());
  }
  for (int i = 0; i < 10; ++i) refused_by_malloc(); /* nobody has an account that is gone */
}

static memprof_scope* other_threads_scope;
static void* end_it(void* unused) {
  (void)unused;
  CHECK(memprof_end(other_threads_scope, NULL) == MEMPROF_INVALID);
  return NULL;
}

static void ended_elsewhere(void) {
  memprof_limits limits = memprof_no_limits();
  limits.memory = 64 * MiB;
  CHECK(memprof_begin(&limits, &other_threads_scope, NULL) == MEMPROF_OK);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, &end_it, NULL) == 0);
  pthread_join(thread, NULL);
  CHECK(memprof_end(other_threads_scope, NULL) == MEMPROF_OK);
}

static memprof_budget* budget;
static int64_t kept_by_all;
static void* run_in_budget(void* unused) {
  (void)unused;
  struct job job = {.asked = 10000, .times = 2000};
  memprof_error error = memprof_error_with(NULL, 0);
  memprof_budget_run(budget, &keep_all, &job, &error);
  __atomic_fetch_add(&kept_by_all, job.got_null, __ATOMIC_RELAXED);
  return NULL;
}

static void budgets(void) {
  memprof_limits limits = memprof_no_limits();
  limits.allocations = 20 * MiB;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  budget = memprof_budget_new(&limits, NULL);
  CHECK(budget != NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, &run_in_budget, NULL) == 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK(kept_by_all > 0); /* 80 MB were asked for */
  CHECK(memprof_budget_allocated(budget) > 15 * MiB);
  memprof_estimate live = {.size = sizeof live};
  memprof_budget_live(budget, &live);
  CHECK(live.lower == 0 && live.value < MiB && live.confidence == 0.95);
  memprof_budget_free(budget);
  memprof_budget_free(NULL);
}

/* Asks before each request. */
static void ask_and_keep(void* context) {
  struct job* job = context;
  void** all = calloc((size_t)job->times, sizeof *all);
  for (int i = 0; i < job->times && !job->stopped; ++i) {
    job->stopped = memprof_should_stop();
    all[i] = malloc(job->asked);
  }
  for (int i = 0; i < job->times; ++i) free(all[i]);
  free(all);
}

static int notices;
static void raise_once(void* context, memprof_notice* notice) {
  CHECK(context == &notices && notice->kind == MEMPROF_MEMORY);
  CHECK(notice->measured.value > notice->limit / 2 && notice->measured.lower > 0);
  ++notices;
  if (notice->limit == 8 * MiB) notice->new_limit = 64 * MiB;
}

static void soft_limits(void) {
  memprof_limits limits = memprof_no_limits();
  limits.memory = 8 * MiB;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  limits.soft = &raise_once;
  limits.soft_context = &notices;
  limits.soft_fraction = 0.5;
  struct job job = {.asked = 64 << 10, .times = 300};
  CHECK(memprof_run(&limits, &ask_and_keep, &job, NULL) == MEMPROF_OK);
  CHECK(!job.stopped && notices == 1);
  job.times = 3000;
  CHECK(memprof_run(&limits, &ask_and_keep, &job, NULL) == MEMPROF_LIMIT_HIT);
  CHECK(job.stopped && notices == 3); /* at 4 and at 32 MiB */
}

static jmp_buf out;
static void jump(void* context) {
  struct job* job = context;
  keep_all(job);
  if (memprof_should_stop()) longjmp(out, 1);
}

static void left_by_longjmp(void) {
  memprof_limits limits = memprof_no_limits();
  limits.memory = 4 * MiB;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  for (volatile int i = 0; i < 100; ++i) {
    struct job job = {.asked = 100000, .times = 1000};
    if (setjmp(out) == 0) {
      memprof_run(&limits, &jump, &job, NULL);
      CHECK(!"it returned");
    }
    void* const block = malloc(8 * MiB); /* no limit holds any more */
    CHECK(block != NULL);
    free(block);
    CHECK(!memprof_should_stop());
  }
}

static bool true_soon(void* context) { return ++*(int*)context > 5; }

static void predicates_and_masks(void) {
  int asked = 0;
  memprof_limits limits = memprof_no_limits();
  limits.cancel_if = &true_soon;
  limits.cancel_context = &asked;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  struct job job = {.asked = 10000, .times = 100000};
  memprof_error error = memprof_error_with(NULL, 0);
  CHECK(memprof_run(&limits, &keep_all, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(job.got_null == 1 && error.kind == MEMPROF_TOKEN);

  limits = memprof_no_limits();
  limits.memory = MiB;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  memprof_scope* scope = NULL;
  CHECK(memprof_begin(&limits, &scope, NULL) == MEMPROF_OK);
  void const* const mask = memprof_mask();
  void* const served = malloc(8 * MiB);
  CHECK(served != NULL);
  memprof_unmask(mask);
  void* const refused = malloc(8 * MiB);
  CHECK(refused == NULL);
  free(served);
  CHECK(memprof_end(scope, NULL) == MEMPROF_LIMIT_HIT);
}

static void bad_arguments(void) {
  char text[200];
  memprof_error error = memprof_error_with(text, sizeof text);
  memprof_limits limits = memprof_no_limits();
  limits.memory = -2;
  CHECK(memprof_run(&limits, &nothing, NULL, &error) == MEMPROF_INVALID);
  CHECK(strstr(text, "negative") != NULL && !error.started);
  limits = memprof_no_limits();
  limits.malloc_after_hit = 7;
  CHECK(memprof_run(&limits, &nothing, NULL, &error) == MEMPROF_INVALID);
  CHECK(strstr(text, "malloc_after_hit is 7") != NULL);
  memset(&limits, 0, sizeof limits);
  memprof_scope* scope = NULL;
  CHECK(memprof_begin(&limits, &scope, &error) == MEMPROF_INVALID && scope == NULL);
  CHECK(strstr(text, "no size") != NULL);
  limits.size = (size_t)-1; /* on a stack, say */
  CHECK(memprof_begin(&limits, &scope, &error) == MEMPROF_INVALID && scope == NULL);
  memprof_error nothing_fits = {.size = sizeof(size_t), .message = text};
  CHECK(memprof_begin(&limits, &scope, &nothing_fits) == MEMPROF_INVALID);
  CHECK(memprof_budget_new(&limits, &error) == NULL);
  CHECK(memprof_set_global_memory_limit(-5) == MEMPROF_INVALID);
  CHECK(memprof_start_tracing("/nowhere/at/all.ctf", 1e-3, &error) == MEMPROF_SYSTEM_ERROR);
  CHECK(strstr(text, "/nowhere/at/all.ctf") != NULL);
  CHECK(memprof_start_tracing("/dev/null", 2.0, &error) == MEMPROF_INVALID);
}

/* As the structure will be in a later version, and as it was in an earlier one. */
static void other_versions(void) {
  struct {
    memprof_limits limits;
    long more;
  } newer = {memprof_no_limits(), 0};
  newer.limits.size = sizeof newer;
  CHECK(memprof_run(&newer.limits, &nothing, NULL, NULL) == MEMPROF_OK);
  newer.more = 1;
  CHECK(memprof_run(&newer.limits, &nothing, NULL, NULL) == MEMPROF_INVALID);
  memprof_limits older = memprof_no_limits();
  older.size = offsetof(memprof_limits, time);
  older.time = 0; /* an older program has something else there */
  CHECK(memprof_run(&older, &nothing, NULL, NULL) == MEMPROF_OK);
  struct {
    memprof_error error;
    char behind[64];
  } small = {memprof_error_with(NULL, 0), {0}};
  small.error.size = offsetof(memprof_error, limit);
  small.error.allocated = 4711;
  CHECK(memprof_run(&older, &nothing, NULL, &small.error) == MEMPROF_OK);
  CHECK(small.error.allocated == 4711);
}

static void process(void) {
  CHECK(memprof_is_active() && strlen(memprof_version()) >= 5);
  memprof_counters counters = {.size = sizeof counters};
  memprof_read_counters(&counters);
  CHECK(counters.scopes > 1000 && counters.interrupted_tasks[MEMPROF_MEMORY] >= 100);
  memprof_estimate live = {.size = sizeof live};
  CHECK(memprof_live_memory(0.95, &live) == MEMPROF_OK && live.lower <= live.value);
  CHECK(memprof_live_memory(1.5, &live) == MEMPROF_INVALID);
  memprof_limits limits = memprof_no_limits();
  limits.global_memory = true;
  limits.malloc_after_hit = MEMPROF_REFUSE;
  CHECK(memprof_set_global_memory_limit(0) == MEMPROF_OK);
  struct job job = {.asked = 100000, .times = 1000};
  memprof_error error = memprof_error_with(NULL, 0);
  CHECK(memprof_run(&limits, &keep_all, &job, &error) == MEMPROF_LIMIT_HIT);
  CHECK(error.kind == MEMPROF_GLOBAL_MEMORY);
  CHECK(memprof_set_global_memory_limit(-1) == MEMPROF_OK);
  CHECK(memprof_start_tracing("/dev/null", 1e-3, NULL) == MEMPROF_OK);
  memprof_stop_tracing();
}

int main(void) {
  refused_by_malloc();
  refused_with_grace();
  exact_allocations();
  stopped_loops();
  begun_and_ended();
  ended_in_any_order();
  ended_elsewhere();
  budgets();
  soft_limits();
  left_by_longjmp();
  predicates_and_masks();
  bad_arguments();
  other_versions();
  process();
  return 0;
}
