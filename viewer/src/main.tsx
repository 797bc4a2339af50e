// SPDX-License-Identifier: MIT
/** Finds out who answers (the server, or the data in this file), and shows the page. */
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./styles/colours.css";
import "./styles/page.css";
import "./styles/widgets.css";
import "./styles/panels.css";
import { HttpSource, type Source } from "./api";
import { type Embedded, embeddedSource } from "./engine/engine";
import { Page } from "./page";

function source(): Source {
  const text = document.getElementById("memprof-data")?.textContent?.trim() ?? "";
  return text === "" ? new HttpSource() : embeddedSource(JSON.parse(text) as Embedded);
}

async function start(root: HTMLElement): Promise<void> {
  try {
    const answering = source();
    const trace = await answering.get("trace", []);
    render(<Page source={answering} trace={trace} />, root);
  } catch (e) {
    render(
      <div class="note bad start" role="alert">
        <h1>memprof</h1>
        <p>The trace cannot be shown. {e instanceof Error ? e.message : String(e)}</p>
        <p>
          <button type="button" class="button" onClick={() => location.reload()}>
            Try again
          </button>
        </p>
      </div>,
      root,
    );
  }
}

void start(document.getElementById("page")!);
