// SPDX-License-Identifier: MIT
/** Light or dark: what the address says, else what the system does. */
import { useEffect, useState } from "preact/hooks";
import { stateNow, useStateOfPage } from "../state";

export type Theme = "light" | "dark";
const system = () => matchMedia("(prefers-color-scheme: dark)");

function wanted(): Theme {
  const said = stateNow().get("theme");
  return said === "light" || said === "dark" ? said : system().matches ? "dark" : "light";
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
