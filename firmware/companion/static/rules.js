// The rules card of the game in progress, as the virtual table shows it.

import { box } from "./box.js";
import { made, part } from "./elements.js";

const dialog = /** @type {HTMLDialogElement} */ (part("rules"));

/** @param {string[]} kinds */
const pictures = (kinds) => made("span", { className: "pictures", ariaHidden: "true" }, ...kinds.flatMap((kind) => box.picture(kind) ?? []));

/** Fill the rules card and open it. */
function open() {
  const { contents } = box;
  if (!contents?.rules) return;
  const { title, parts, special, numbered, rules } = contents.rules;
  const effects = Object.entries(contents.does).map(([name, effect]) => {
    const kind = contents.kinds.find(({ does }) => does === name)?.name ?? "";
    return made("li", {}, pictures([kind]), made("p", {}, made("b", { textContent: effect.title }), ` ${effect.text}`));
  });
  part("rules-text").replaceChildren(
    made("h2", { textContent: title }),
    ...parts.map((each) => made("section", {}, made("h3", { textContent: each.title }), pictures(each.kinds), made("p", { textContent: each.text }))),
    ...(effects.length ? [made("h3", { textContent: special }), made("ul", {}, ...effects)] : []),
    made("h3", { textContent: numbered }),
    made("ul", {}, ...rules.map(({ number, text }) => made("li", {}, made("p", {}, made("b", { textContent: number }), ` ${text}`)))),
  );
  dialog.showModal();
  dialog.scrollTop = 0;
}

/** @param {Record<string, string>} words */
export function startRules(words) {
  part("rules-open").textContent = words["phone.rules"];
  part("rules-open").onclick = open;
  part("rules-close").textContent = words["phone.close"];
  part("rules-close").onclick = () => dialog.close();
  dialog.onclose = () => scrollTo(0, 0);
}
