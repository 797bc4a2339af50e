// SPDX-License-Identifier: MIT
/** Light or dark: what the address says, else what was chosen last, else what the system says. */
import { useEffect, useState } from "preact/hooks";
import { change, stateNow, useStateOfPage } from "../state";
import { remembered } from "./remembered";

export type Theme = "light" | "dark";
const system = () => matchMedia("(prefers-color-scheme: dark)");

function wanted(): Theme {
  for (const said of [stateNow().get("theme"), remembered.get("theme")]) {
    if (said === "light" || said === "dark") return said;
  }
  return system().matches ? "dark" : "light";
}

export function toggleTheme(): void {
  const next = wanted() === "dark" ? "light" : "dark";
  remembered.set("theme", next);
  change({ theme: next }, true);
}

export function useTheme(): Theme {
  const state = useStateOfPage();
  const [, again] = useState(0);
  useEffect(() => {
    const query = system();
    const changed = () => again((n) => n + 1);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  void state;
  const theme = wanted();
  // Before the charts read their colours.
  if (document.documentElement.dataset.theme !== theme) {
    document.documentElement.dataset.theme = theme;
  }
  return theme;
}
