// The board of a hall: draws the tables that the server sends. Nothing on this page can be pressed.

/**
 * @typedef {{name: string, score: number | null, is_active: boolean, place: number}} Player
 * @typedef {{number: number, name: string, title: string, headline: string, players: Player[], ending: string, since: string, last: string}} Game
 * @typedef {{table: string, online: boolean, fault: string, calls: boolean, game: Game | null}} Table
 * @typedef {{name: string, round: number, rounds: number, over: boolean, pairings: {table: string, names: string[], done: boolean, won: boolean[]}[], free: string[],
 *   standings: {place: number, name: string, points: number, tie: number, played: number}[]}} Tournament
 */

const QUIET_MS = 25000; // the server sends something every 10 s
const RETRY_MS = 2000;

/** @type {Record<string, string>} */
const words = JSON.parse(document.body.dataset.words ?? "{}");
/** @type {Map<string, {element: HTMLElement, drawn: string, table: Table}>} */
const tables = new Map();
let heard = Date.now();
/** @type {EventSource | null} */
let stream = null;

/** @param {string} id */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @param {string} tag
 * @param {string} kind
 * @param {(Node | string)[]} inside
 */
function made(tag, kind, ...inside) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...inside);
  return element;
}

/** Return the time of day, with the date if it is another day. @param {string} iso */
function when(iso) {
  const then = new Date(iso);
  const isToday = then.toDateString() === new Date().toDateString();
  return then.toLocaleString(document.documentElement.lang, isToday ? { timeStyle: "short" } : { dateStyle: "short", timeStyle: "short" });
}

/** @param {string} code @param {string} names */
const withNames = (code, names) => words[code].replace("{names}", names);

/** Return the line below the players. @param {Game} game */
function sinceText(game) {
  const isOver = game.ending === "over" || game.players.some((player) => player.place);
  const code = isOver ? "hall.ended" : game.ending === "open" ? "hall.since" : "hall.left";
  return words[code].replace("{time}", when(code === "hall.since" ? game.since : game.last));
}

/** @param {Game} game */
function turnText(game) {
  const winners = game.players.filter((player) => player.place === 1).map((player) => player.name);
  if (winners.length) return withNames("hall.won", winners.join(", "));
  const active = game.players.filter((player) => player.is_active).map((player) => player.name);
  return active.length ? withNames("hall.turn", active.join(", ")) : "";
}

/** @param {Player} player */
function playerRow(player) {
  const kind = player.place === 1 ? "won" : player.is_active ? "active" : "";
  return made("li", kind, made("span", "", player.name), made("span", "", player.score === null ? "" : `${player.score}`));
}

/** @param {Table} table */
function tableCard(table) {
  const { game } = table;
  const needsHelp = table.calls || table.fault !== "";
  const card = made("li", needsHelp ? "calls" : table.online ? "" : "away");
  card.append(made("h2", "", table.table, made("span", "", game?.title ?? "")));
  if (table.calls) card.append(made("p", "help", words["hall.calls"]));
  if (table.fault) card.append(made("p", "help", table.fault));
  if (!table.online) card.append(made("p", "since", words["hall.away"]));
  if (game === null) card.append(made("p", "since", words["hall.idle"]));
  else {
    card.append(made("p", "turn", turnText(game)), made("ul", "players", ...game.players.map(playerRow)));
    card.append(made("p", "since", sinceText(game)));
  }
  return card;
}

/** @param {Table} table */
function drawTable(table) {
  const drawn = JSON.stringify(table);
  const known = tables.get(table.table);
  if (known?.drawn === drawn) return;
  const element = tableCard(table);
  if (known) known.element.replaceWith(element);
  else {
    const after = [...tables.entries()].filter(([name]) => name > table.table).sort(([a], [b]) => (a < b ? -1 : 1))[0];
    part("tables").insertBefore(element, after ? after[1].element : null);
  }
  tables.set(table.table, { element, drawn, table });
}

/** Draw the tables in *found*, and if it is *whole*, no others. @param {Table[]} found @param {boolean} whole */
function draw(found, whole) {
  if (whole) {
    tables.clear();
    part("tables").replaceChildren();
  }
  found.forEach(drawTable);
  const all = [...tables.values()].map((each) => each.table);
  const helps = all.filter((each) => each.calls || each.fault).length;
  const texts = [words["hall.tables"].replace("{number}", `${all.length}`)];
  if (helps) texts.push(words["hall.helps"].replace("{number}", `${helps}`));
  const text = texts.join(" · ");
  if (part("count").textContent !== text) part("count").textContent = text; // screen readers read changes
  part("none").hidden = all.length > 0;
}

/** @param {Tournament | null} tournament */
function drawTournament(tournament) {
  part("tournament").hidden = tournament === null;
  if (tournament === null) return;
  part("round").textContent = `${tournament.name} · ${words["hall.round"].replace("{number}", `${tournament.round}/${tournament.rounds}`)}${tournament.over ? " ✓" : ""}`;
  const rows = tournament.pairings.map((each) => {
    const names = each.names.join(" – ");
    if (!each.table && !each.done) return made("li", "", withNames("hall.waiting", names));
    const players = each.names.map((name, at) => made("span", each.won[at] ? "winner" : "", `${each.won[at] ? "★ " : ""}${name}`));
    return made("li", "", made("b", "", each.table), " ", players[0], " – ", players[1], each.done ? " ✓" : "");
  });
  if (tournament.free.length) rows.push(made("li", "", withNames("hall.free", tournament.free.join(", "))));
  part("pairings").replaceChildren(...rows);
  part("standings").replaceChildren(
    ...tournament.standings.map((each) =>
      made("tr", "", ...[each.place, each.name, each.points, each.tie, each.played].map((value) => made("td", "", `${value}`))),
    ),
  );
}

function open() {
  stream?.close();
  heard = Date.now();
  const opened = (stream = new EventSource("/events"));
  /** @param {string} kind @param {(value: any) => void} act */
  const on = (kind, act) =>
    opened.addEventListener(kind, (event) => {
      heard = Date.now();
      part("trouble").hidden = true;
      act(JSON.parse(event.data));
    });
  on("all", (value) => draw(value, true));
  on("tables", (value) => draw(value, false));
  on("tournament", drawTournament);
  on("beat", () => {});
  opened.addEventListener("error", () => {
    part("trouble").hidden = false;
  });
}

for (const [id, code] of [["title", "hall.title"], ["none", "hall.none"], ["trouble", "hall.lost"], ["standings-title", "hall.standings"]]) part(id).textContent = words[code];
for (const code of ["hall.place", "hall.player", "hall.points", "hall.tie-break", "hall.played"]) {
  const cell = made("th", "", words[code]);
  cell.setAttribute("scope", "col");
  part("columns").append(cell);
}
document.title = words["hall.title"];
setInterval(() => {
  if (Date.now() - heard > QUIET_MS || stream?.readyState === EventSource.CLOSED) open();
}, RETRY_MS);
open();
export {};
