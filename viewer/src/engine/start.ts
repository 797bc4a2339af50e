// SPDX-License-Identifier: MIT
/** The worker as a file of its own, which the server's security policy asks for. */
import EngineWorker from "./worker?worker";

export const startWorker = (): Worker => new EngineWorker();
