// The phone's key pair, and the encryption of messages between it and the companion (decision 0048). Plain HTTP
// has no crypto.subtle, so this uses TweetNaCl; only phones of players and of the host load it.

const KEPT = "tapmat-phone"; // the private key in the browser's storage, in base64
const PAD = 512; // bytes; messages are padded to a multiple of this
const KEY = 32;
const NONCE = 24;

/**
 * @typedef {{sign: never, box: {keyPair: {(): KeyPair, fromSecretKey(key: Uint8Array): KeyPair},
 *   before(theirs: Uint8Array, own: Uint8Array): Uint8Array, after(text: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array,
 *   open: {after(sealed: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array | null}},
 *   randomBytes(n: number): Uint8Array}} Nacl
 * @typedef {{publicKey: Uint8Array, secretKey: Uint8Array}} KeyPair
 */

/** @param {Uint8Array} bytes */
const toText = (bytes) => btoa(String.fromCharCode(...bytes));
/** @param {string} text */
const toBytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** Return true if this phone has a key pair. */
export function hasKey() {
  return localStorage.getItem(KEPT) !== null;
}

/** Forget the key pair. Load the page again then. */
export const forgetKey = () => localStorage.removeItem(KEPT);

/** Load the library, and make the key pair if this phone has none. */
export async function loadSealing() {
  await import(new URL("vendor/nacl-fast.min.js", import.meta.url).href);
  const nacl = /** @type {Nacl} */ (/** @type {any} */ (self).nacl);
  const kept = localStorage.getItem(KEPT);
  const pair = kept === null ? nacl.box.keyPair() : nacl.box.keyPair.fromSecretKey(toBytes(kept));
  if (kept === null) localStorage.setItem(KEPT, toText(pair.secretKey));
  return new Sealing(nacl, pair);
}

export class Sealing {
  /** @type {Uint8Array | null} */
  shared = null;
  session = "";
  got = 0;
  sent = 0;

  /**
   * @param {Nacl} nacl
   * @param {KeyPair} pair
   */
  constructor(nacl, pair) {
    this.nacl = nacl;
    this.pair = pair;
    this.key = toText(pair.publicKey);
  }

  /**
   * Compute the key shared with the companion, whose public key is *theirs*. Call this for each new stream.
   * @param {string} theirs
   */
  begin(theirs) {
    const key = toBytes(theirs);
    this.shared = key.length === KEY ? this.nacl.box.before(key, this.pair.secretKey) : null;
    this.session = "";
    this.got = 0;
    this.sent = 0;
  }

  /**
   * Return the next message of the stream, or null if it is invalid: not from the companion, repeated, or of
   * another session.
   * @param {string} sealed
   */
  open(sealed) {
    const message = this.#open(sealed);
    if (message === null || !(message.down > this.got)) return null;
    if (this.session !== "" && message.session !== this.session) return null;
    this.session = message.session;
    this.got = message.down;
    return message;
  }

  /**
   * Send a request to the companion, and return its answer; null if it refuses, or the answer is invalid.
   * @param {Record<string, unknown>} request
   */
  async send(request) {
    const up = (this.sent += 1);
    const response = await fetch("/act", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ key: this.key, sealed: this.#seal({ ...request, session: this.session, up }) }),
    });
    if (!response.ok) return null;
    const reply = this.#open((await response.json()).sealed);
    return reply && reply.reply === up && reply.session === this.session ? reply.value : null;
  }

  /** @param {object} message */
  #seal(message) {
    if (!this.shared) throw new Error("The stream is not open.");
    const text = new TextEncoder().encode(JSON.stringify(message));
    const padded = new Uint8Array(Math.ceil(text.length / PAD) * PAD).fill(32);
    padded.set(text);
    const nonce = this.nacl.randomBytes(NONCE);
    const box = this.nacl.box.after(padded, nonce, this.shared);
    const both = new Uint8Array(NONCE + box.length);
    both.set(nonce);
    both.set(box, NONCE);
    return toText(both);
  }

  /** @param {string} sealed */
  #open(sealed) {
    if (!this.shared) return null;
    const both = toBytes(sealed);
    const text = this.nacl.box.open.after(both.subarray(NONCE), both.subarray(0, NONCE), this.shared);
    return text === null ? null : JSON.parse(new TextDecoder().decode(text));
  }
}
