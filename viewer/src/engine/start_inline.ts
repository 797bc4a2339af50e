// SPDX-License-Identifier: MIT
/** The worker from a text in the page: takes the place of start.ts in the offline file. */
import EngineWorker from "./worker?worker&inline";

export const startWorker = (): Worker => new EngineWorker();
