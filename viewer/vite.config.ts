// SPDX-License-Identifier: MIT
// `vite build` makes the served page (index.html, assets/), `vite build --mode single` the offline
// file (single.html) beside it.
import preact from "@preact/preset-vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => {
  const single = mode === "single";
  return {
    plugins: [preact(), ...(single ? [viteSingleFile({ removeViteModuleLoader: true })] : [])],
    // The worker of the offline file is in it.
    resolve: { alias: single ? [{ find: "./engine/start", replacement: "/src/engine/start_inline.ts" }] : [] },
    // Chromium starts no module from a text in a file on disk.
    worker: { format: "iife" },
    build: {
      target: "es2022",
      emptyOutDir: !single,
      // No inline script: the server's content security policy forbids it.
      modulePreload: { polyfill: false },
      assetsInlineLimit: single ? 100_000_000 : 0,
      rollupOptions: { input: single ? "single.html" : "index.html" },
    },
    test: {
      environment: "happy-dom",
      include: ["tests/**/*.test.{ts,tsx}"],
      testTimeout: 120_000,
    },
  };
});
