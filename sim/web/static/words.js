// @ts-check
/**
 * The page's texts in the table's language. The code and index.html have each text in English, which is the key
 * of its translation in sim/web/words. A part of the page with its own `lang` is not translated; Lab's texts
 * are always English.
 */

/** @typedef {Record<string, string | number>} Facts  the values that replace the {fields} of a text */

const FIELD = /\{(\w+)\}/g;
const ATTRIBUTES = ["aria-label", "placeholder", "title"];

let language = "en";
/** @type {Record<string, string | string[]>} by English text: the text, or its forms for 0, 1, and 2 or more */
let translations = {};

/**
 * Translate the texts of index.html, now and whenever the language changes. Call this before other modules use `store`.
 * @param {Store} store
 */
export function startWords(store) {
  const written = [...textsIn(document.body)].map((node) => ({ node, english: (node.nodeValue ?? "").trim() }));
  store.on("table", () => {
    language = store.table.language ?? language;
    translations = store.table.words ?? {};
    document.documentElement.lang = language;
    for (const { node, english } of written) node.nodeValue = t(english);
  });
}

/**
 * Return *english* in the table's language.
 * @param {string} english
 * @param {Facts} [facts]
 */
export function t(english, facts = {}) {
  const found = translations[english];
  return fill(typeof found === "string" ? found : english, facts);
}

/**
 * Return the text for *n* things in the table's language; it replaces {n}.
 * @param {number} n
 * @param {string} one  the English text for one thing
 * @param {string} many  the English text for any other number
 * @param {Facts} [facts]
 */
export function tn(n, one, many, facts = {}) {
  const forms = translations[one];
  return fill(Array.isArray(forms) ? forms[n === 0 ? 0 : n === 1 ? 1 : 2] : n === 1 ? one : many, { n, ...facts });
}

/**
 * Return a whole message of the server in the table's language, or as it is if it has no translation. The
 * server sends English texts with the facts filled in. So a text with {fields} is matched as a pattern.
 * @param {string} message
 */
export function translated(message) {
  if (message in translations) return t(message);
  for (const english of Object.keys(translations).filter((text) => /\.( |$)/.test(text) && text.match(FIELD))) {
    const facts = new RegExp(`^${english.split(FIELD).map((part, at) => (at % 2 ? `(?<${part}>[^]+)` : part.replace(/[.?()|+*[\]]/g, "\\$&"))).join("")}$`).exec(message)?.groups;
    if (facts) return t(english, facts);
  }
  return message;
}

/**
 * Return *words* as a list in the table's language: "top, right and left".
 * @param {string[]} words
 */
export function listed(words) {
  return new Intl.ListFormat(language === "en" ? "en-GB" : language).format(words);
}

/**
 * Return a duration as seconds in the table's language: "1.42 sec".
 * @param {number} ms
 */
export function inSeconds(ms) {
  return new Intl.NumberFormat(language, { style: "unit", unit: "second", minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(ms / 1000);
}

/**
 * @param {string} text
 * @param {Facts} facts
 */
function fill(text, facts) {
  return text.replace(FIELD, (field, name) => String(facts[name] ?? field));
}

/**
 * Yield the text nodes and attributes in *root* that people read or hear.
 * @param {Element} root
 * @returns {Generator<Node>}
 */
function* textsIn(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) => (node instanceof Element && node.hasAttribute("lang") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!(node instanceof Element)) {
      if (node.nodeValue?.trim()) yield node;
    } else for (const name of ATTRIBUTES) if (node.hasAttribute(name)) yield /** @type {Attr} */ (node.getAttributeNode(name));
  }
}

/** *text* with the minus sign of the cards. @param {string} text */
export const withMinus = (text) => text.replace(/(?<!\S)-(?=\d)/g, "−");

/** *words* with a capital letter. @param {string} words */
export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
