// Elements of a phone's page.

/** @param {string} id */
export const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @type {Map<string, () => void>} */
const waiting = new Map(); // what is done before the page is painted again

/**
 * Do *work* once before the page is painted again, in place of earlier work of that *name*. Several messages of one act then cost one layout.
 * @param {string} name
 * @param {() => void} work
 */
export function beforePaint(name, work) {
  if (waiting.size === 0) requestAnimationFrame(() => {
    const all = [...waiting.values()];
    waiting.clear();
    for (const each of all) each();
  });
  waiting.set(name, work);
}

/**
 * Fill *place* with *made*, unless it would look the same, so that a focused or touched button is not replaced.
 * @param {HTMLElement} place
 * @param {HTMLElement[]} made
 */
export function fill(place, made) {
  const next = document.createElement(place.tagName);
  next.append(...made);
  if (place.innerHTML === next.innerHTML) {
    made.forEach((each, at) => Object.assign(place.children[at] ?? {}, { onclick: each.onclick, onchange: each.onchange }));
  } else {
    place.replaceChildren(...made);
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} facts
 * @param {(Node | string)[]} inside
 * @returns {HTMLElementTagNameMap[T]}
 */
export function made(tag, facts = {}, ...inside) {
  const element = Object.assign(document.createElement(tag), facts);
  element.append(...inside);
  return element;
}

/**
 * @param {string} text
 * @param {() => unknown} onclick
 * @param {string} [kind]
 */
export function button(text, onclick, kind = "quiet") {
  return made("button", { type: "button", textContent: text, className: kind, onclick });
}

/**
 * Return a list to choose from, with its title.
 * @param {string} title
 * @param {string} now
 * @param {[string, string][]} values
 * @param {(value: string) => unknown} choose
 */
export function choice(title, now, values, choose) {
  const select = made("select");
  for (const [value, textContent] of values) {
    const option = made("option", { value, textContent });
    option.toggleAttribute("selected", value === now);
    select.append(option);
  }
  const label = made("label", {}, title, select);
  label.onchange = (event) => choose(/** @type {HTMLSelectElement} */ (event.target).value);
  return label;
}

/** Return a date and time in the page's language. @param {string} iso */
export const when = (iso) => new Date(iso).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
