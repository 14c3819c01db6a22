// The figures of the panes: is every number on every line the one it claims to be?
//
//   figures.mjs [FILE]    what tests/replay/test_figures.c writes; standard input by default; exit 1 = faults
//
// A session is a line {"session"}, its trace, a line {"run"} and a line a turn: {"turn", "explained", "panes"}. A pane
// is its caption and its lines, one character for each column (the second one of a wide character is U+007F).
//
// A rule of a pane (figures_*.mjs) takes a line apart and says, from left to right, which values its figures stand
// for: members of the trace, or what explanations and answers say. A figure may be shorter than its value ("81.2K",
// "54 %"), never another one. A digit that no rule claims is a fault, and so is a value that is not there.
import fs from "node:fs";
import readline from "node:readline";
import { panes as kernel } from "./figures_kernel.mjs";
import { panes as host } from "./figures_host.mjs";
import { panes as dsh } from "./figures_dsh.mjs";
import { panes as changes } from "./figures_changes.mjs";

/* ---- figures ---- */

const FIGURE =
  /(?<![A-Za-z0-9_])(?:m\d{5}(?![A-Za-z0-9_])|b\d+(?![A-Za-z0-9_])|[TP]\d(?![A-Za-z0-9_])|-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?: ?%|[KkM](?![A-Za-z]))?)/g;

/** A share, shown in percent. */
export const share = (x) => ({ share: x });
/** Shown with so many significant digits, or places behind the point. */
export const about = (x, digits) => ({ about: x, digits });
export const fixed = (x, places) => ({ fixed: x, places });

function isNumber(token, x) {
  const m = /^(-?)([\d,]*)(\.\d+)?(e[+-]?\d+)?([KkM]?)$/.exec(token);
  if (!m || x === null || x === undefined) return false;
  const value = Number(m[1] + m[2].replaceAll(",", "") + (m[3] ?? "") + (m[4] ?? ""));
  const unit = { K: 1e3, k: 1e3, M: 1e6 }[m[5]];
  if (!unit) return value === x || value === Number(x.toPrecision(15));
  const places = m[3] ? m[3].length - 1 : 0;
  return Math.abs(value * unit - x) <= (unit * 10 ** -places) / 2 + Math.abs(x) * 1e-12;
}

function isShare(token, x) {
  const m = /^(-?[\d,]*(\.\d+)?) ?%$/.exec(token);
  if (!m || x === null || x === undefined) return false;
  const places = m[2] ? m[2].length - 1 : 0;
  return Math.abs(Number(m[1].replaceAll(",", "")) - x * 100) <= 10 ** -places / 2 + 1e-9 * (1 + Math.abs(x * 100));
}

/* half of the last digit: which way a tie goes is the printer's */
function isAbout(value, x, digits) {
  const unit = x === 0 ? 0 : 10 ** (Math.floor(Math.log10(Math.abs(x))) - digits + 1);
  return Math.abs(value - x) <= (unit / 2) * (1 + 1e-9);
}

export function stands(token, x) {
  if (typeof x === "string") return token === x;
  if (typeof x === "number") return isNumber(token, x);
  if (x && "share" in x) return isShare(token, x.share);
  if (x && "fixed" in x) return Number(token) === Number(x.fixed.toFixed(x.places));
  if (x && "about" in x) return isAbout(Number(token), x.about, x.digits);
  return false;
}

/* ---- claiming ---- */

let faults = 0;
let lines = 0;
let claimed = 0;
let where = {};

const told = new Map();

/** Faults of one kind are told twice. */
export function fault(text, why) {
  const kind = where.pane + why.replace(/[\d.,]+/g, "#");
  told.set(kind, (told.get(kind) ?? 0) + 1);
  if (++faults && (told.get(kind) > 2 || told.size > 40)) return;
  console.error(`${where.session}, turn ${where.turn}, ${where.pane}: ${why}\n    |${text.trimEnd()}|`);
}

const say = (x) => (x && typeof x === "object" ? JSON.stringify(x) : String(x));

/* Where a rule is written is no figure. */
const withoutPlaces = (text) => text.replace(/\((?:kernel|dsh|pi)\.md [\d., ]+\)/g, "");

/** All figures of the text, from left to right, are these. */
export function claim(line, values) {
  const text = withoutPlaces(line);
  const found = text.match(FIGURE) ?? [];
  values = values.filter((x) => x !== undefined);
  if (/\d/.test(text.replace(FIGURE, ""))) fault(text, "a digit that belongs to no figure");
  for (let i = 0; i < Math.max(found.length, values.length); i++) {
    claimed++;
    if (i >= found.length) return fault(text, `${say(values[i])} is missing`);
    if (i >= values.length) return fault(text, `nobody claims ${found[i]}`);
    if (!stands(found[i], values[i])) return fault(text, `${found[i]} should be ${say(values[i])}`);
  }
}

/** Every figure of the text is one of these: sentences that say them in any order, or not all. */
export function claimAny(line, values) {
  const text = withoutPlaces(line);
  const found = text.match(FIGURE) ?? [];
  if (/\d/.test(text.replace(FIGURE, ""))) fault(text, "a digit that belongs to no figure");
  for (const token of found) {
    claimed++;
    if (!values.some((x) => stands(token, x))) return fault(text, `${token} is none of ${values.map(say).join(", ")}`);
  }
}

/** The whole text, without the blanks around it, is this; where there is no room its beginning. */
export function claimText(text, whole) {
  const [got, want] = [text, whole].map((s) => s.replaceAll("\x7f", "").trim());
  if (got.endsWith("…") ? !want.startsWith(got.slice(0, -1)) : got !== want) fault(text, `should be ${whole}`);
}

/**
 * The cells of a line, by name of the column. A column is "name" (its text stands at the left), ">name" (at the
 * right), ">name:8" (it has 8 columns: behind one of the other kind); other captions of the same column behind a
 * bar. The last one goes to the end of the line.
 */
export function cells(caption, line, columns) {
  const places = [];
  let from = 0;
  for (const column of columns) {
    const [, right, names, , width] = /^(>?)([^:]*)(:(\d+))?$/.exec(column);
    const name = names.split("|").find((n) => caption.indexOf(n, from) >= 0);
    if (name === undefined) {
      fault(caption, `no column ${names}`);
      return {};
    }
    const at = caption.indexOf(name, from);
    from = at + name.length;
    places.push({ name: names.split("|")[0], right: right === ">", at, end: from, width: width && Number(width) });
  }
  const out = {};
  let start = 0;
  places.forEach((place, i) => {
    const next = places[i + 1];
    if (place.width) start = place.end - place.width;
    else if (!place.right) start = place.at;
    const end = !next ? line.length : place.right ? place.end : next.width ? next.end - next.width : next.at;
    out[place.name] = line.slice(start, end);
    start = end;
  });
  out[""] = line.slice(0, places[0].right ? 2 : places[0].at);
  return out;
}

/** The rule where the prefix breaks. */
export const isBreak = (line) => line.startsWith("╌╌ ");
export const claimBreak = (line, t) => claim(line, [/byte/.test(line) ? t.prefix.commonBytes : undefined]);

/** Lines that a rule knows by their beginning: [pattern, function of the match]; the first that matches has it. */
export function byShape(text, shapes) {
  for (const [pattern, rule] of shapes) {
    const m = pattern.exec(text);
    if (m) return rule(m);
  }
  if (/\d/.test(text)) fault(text, "no rule knows this line");
}

/* ---- going through ---- */

const trace = { turns: new Map(), compressions: [], end: null };
let run = null;
let past = null; /* what was explained of the turn before */

function judge(turn) {
  const rules = run.host === "dsh" && run.dsh ? { ...kernel, ...host, ...changes, ...dsh } : { ...kernel, ...host, ...changes };
  const context = { run, trace, turn: turn.turn, panes: turn.panes, t: trace.turns.get(turn.turn), x: turn.explained };
  context.past = past;
  past = turn.explained;
  for (const [name, pane] of Object.entries(turn.panes)) {
    where.pane = name;
    if (!rules[name]) fault(name, "no rules for this pane");
    lines += pane.lines.length;
    try {
      rules[name]?.(context, pane);
    } catch (e) {
      fault("", `the lines are not what the rules know (${e.message})`);
    }
  }
}

const file = process.argv[2];
for await (const text of readline.createInterface({ input: file ? fs.createReadStream(file) : process.stdin })) {
  const line = JSON.parse(text);
  if (line.session) {
    trace.turns.clear();
    trace.compressions = [];
    where = { session: line.session };
  } else if (line.type === "turn") trace.turns.set(line.n, line);
  else if (line.type === "compress") trace.compressions.push(line);
  else if (line.type === "end") trace.end = line;
  else if (line.run) {
    run = line.run;
    past = null;
    run.dsh = trace.end.compactions !== undefined;
  } else if (line.turn) {
    where.turn = line.turn;
    judge(line);
  }
}
if (faults > 0 || claimed < 1000) {
  console.error(`${faults} faults in ${lines} lines, ${claimed} figures`);
  process.exit(1);
}
