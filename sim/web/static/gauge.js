// @ts-check
/** How close the headline is to its limit: a game's own drawing, or a bar. */

import { camel } from "./camel.js";
import { byId, el, setAttribute } from "./dom.js";
import { COUNTING } from "./robots.js";
import { t } from "./words.js";

/** @type {Record<string, (share: number) => Element>} */
const DRAWINGS = { straw: camel };

/** @param {Store} store */
export function startGauge(store) {
  const gauge = byId("gauge");
  store.on("view", () => {
    const { view } = store.state;
    const limit = view?.limit ?? null;
    // A broken camel is seen while hands are counted.
    gauge.hidden = limit === null && !(view?.phase === COUNTING && gauge.dataset.shown?.startsWith(`${view.game} `));
    if (!view || limit === null) return;
    setAttribute(gauge, "aria-label", t("{n}, at most {limit}", { n: view.headline, limit }));
    const share = Number(view.headline) / limit;
    gauge.toggleAttribute("data-over", share > 1);
    const draw = DRAWINGS[view.game ?? ""] ?? bar;
    if (gauge.dataset.shown === `${view.game} ${share}`) return;
    gauge.dataset.shown = `${view.game} ${share}`;
    gauge.replaceChildren(draw(share));
  });
}

/** @param {number} share */
function bar(share) {
  return el("span", { class: "gauge-bar", style: `--share: ${Math.min(Math.max(share, 0), 1)}` });
}
