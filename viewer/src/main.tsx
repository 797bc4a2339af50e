// SPDX-License-Identifier: MIT
/** Loads the trace, and shows the page. */
import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./styles/colours.css";
import "./styles/page.css";
import "./styles/widgets.css";
import "./styles/panels.css";
import { Page } from "./page";
import { openTrace } from "./source";

function showProgress(root: HTMLElement, share: number | null): void {
  render(
    <div class="note start">
      <h1>memprof</h1>
      <p>
        Reading the trace. <progress value={share ?? undefined} max={1} aria-label="Reading the trace" />
      </p>
    </div>,
    root,
  );
}

async function start(root: HTMLElement): Promise<void> {
  // What takes no time needs no progress.
  const late = setTimeout(() => showProgress(root, null), 300);
  let page;
  try {
    const { source, trace } = await openTrace((share) => showProgress(root, share));
    page = <Page source={source} trace={trace} />;
  } catch (e) {
    page = (
      <div class="note bad start" role="alert">
        <h1>memprof</h1>
        <p>The trace cannot be shown. {e instanceof Error ? e.message : String(e)}</p>
        <p>
          <button type="button" class="button" onClick={() => location.reload()}>
            Try again
          </button>
        </p>
      </div>
    );
  }
  clearTimeout(late);
  render(page, root);
}

void start(document.getElementById("page")!);
