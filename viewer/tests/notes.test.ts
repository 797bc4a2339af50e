// SPDX-License-Identifier: MIT
import { expect, it } from "vitest";
import { exitOf, programOf, residentAt, residentOf, threadsOf, type Trace } from "../src/api";

const trace = (notes?: Record<string, string>) => ({ notes }) as unknown as Trace;

it("reads memory over time", () => {
  const series = residentOf(trace({ resident: "250000 100 - 300" }))!;
  expect(series).toEqual({ step_us: 250000, bytes: [102400, null, 307200] });
  expect(residentAt(series, 0, 1)).toBe(102400);
  expect(residentAt(series, 249999, 8)).toBe(12800);
  expect(residentAt(series, 250000, 1)).toBeNull();
  // The last look was before the end.
  expect(residentAt(series, 9e9, 1)).toBe(307200);
  expect(residentOf(trace())).toBeNull();
  for (const none of ["", "250000 7", "x 1 2"]) {
    expect(residentOf(trace({ resident: none }))).toBeNull();
  }
});

it("reads names of threads, and when exit began", () => {
  expect([...threadsOf(trace({ threads: "7 main\n12 a worker" }))]).toEqual([[7, "main"], [12, "a worker"]]);
  expect(threadsOf(trace()).size).toBe(0);
  expect(exitOf(trace({ exit_began: "2003" }))).toBe(2003);
  expect(exitOf(trace())).toBeNull();
  for (const none of ["", "x"]) expect(exitOf(trace({ exit_began: none }))).toBeNull();
});

it("calls a program as it was typed, or as the kernel does", () => {
  const of = (executable: string, notes?: Record<string, string>) =>
    programOf({ executable, notes, pid: 12, file: "a.ctf" } as unknown as Trace);
  expect(of("/usr/bin/sleep")).toBe("sleep");
  expect(of("")).toBe("a.ctf");
  expect(of("/usr/bin/redis-check-rdb", { command: "/usr/bin/redis-server --port 1" })).toBe("redis-server");
  expect(of("/usr/bin/python3.11", { command: "'./my script.py' -v" })).toBe("my script.py");
  expect(of("/usr/bin/redis-check-rdb", { threads: "12 redis-server\n13 bio" })).toBe("redis-server");
  expect(of("/usr/bin/redis-check-rdb", { threads: "121 x" })).toBe("redis-check-rdb");
  expect(of("/usr/bin/a-long-name-of-a-program", { threads: "12 a-long-name-of-" })).toBe("a-long-name-of-a-program");
});
