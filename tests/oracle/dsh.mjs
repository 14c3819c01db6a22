#!/usr/bin/env node
// A second, independent reading of dsh.md 2, 4 to 7, 8.6 and 10.2 with dsh-rulings 3, 5, 6, 9, 13, 14 and 24: surface, range
// table, resolver, guard, orphan strip and loop detector, which scans where the engine indexes, and a generator of odd logs.
//   dsh.mjs answer FILE          FILE with every answer worked out anew
//   dsh.mjs generate FROM TO     cases for these seeds, with answers
// dsh_generated.jsonl is what `answer` makes of itself; its cases are a choice of generated ones. Logs are in the form of
// tests/dsh_script.h, of which only the words below are read.
import { readFileSync } from "node:fs";

// ---- the log ----

const SOURCES = {
  U: { class: "real", turn: true, text: "user text" },
  legacy: { class: "instruction", agent: true, text: "rules" },
  catalog: { class: "instruction", text: "skills" },
  nudge: { class: "metadata", text: "nudge" },
  snapshot: { class: "real", text: "snap" },
  future: { class: "instruction", text: "future" },
  stub: { class: "metadata", text: "stub" },
};

function readLine(line) {
  let text = null;
  const at = line.indexOf("= ");
  if (at >= 0) [line, text] = [line.slice(0, at), line.slice(at + 2)];
  const [seqText, word, ...rest] = line.trim().split(/ +/);
  const e = { seq: Number(seqText), word, calls: [], changes: [], class: "real", row: true, op: "append" };
  const range = (s) => s.split("..").map(Number);
  if (word in SOURCES) {
    Object.assign(e, { user: true }, SOURCES[word]);
    if (rest.length) e.op = range(rest[0]);
  } else if (word === "A") e.text = "assistant text";
  else if (word === "C") Object.assign(e, { text: "plan", calls: rest[0].split(",") });
  else if (word === "R") Object.assign(e, { text: "output", tool: true, result: rest[0] });
  else if (word === "sys") Object.assign(e, { text: "", system: true });
  else if (word === "empty") Object.assign(e, { text: "", op: range(rest[0]) });
  else if (word === "I" || word === "W") {
    Object.assign(e, { user: true, class: "instruction", agent: true, exact: word === "I", text: "rules" });
    for (let i = 0; i < rest.length; i++) {
      if (rest[i].startsWith("baseline")) e.baseline = true;
      else e.changes.push({ scope: rest[i], digest: rest[++i] === "-" ? null : rest[i] });
    }
  } else if (word === "cp") Object.assign(e, { user: true, class: "checkpoint", text: "summary text", op: range(rest[0]), id: rest[1] });
  else if (word === "summary") Object.assign(e, { row: false, id: rest[1], shadowed: rest.find((w) => w.startsWith("shadowed=")).slice(9).split(",").map(Number) });
  else if (word === "start" || word === "end") Object.assign(e, { row: false, id: rest[0] });
  else throw new Error(line);
  if (text !== null) e.text = text;
  return e;
}

function fold(nodes, e) {
  if (!e.row) return;
  if (e.op === "append") {
    nodes.push(e);
    return;
  }
  const a = nodes.findIndex((n) => n.seq === e.op[0]);
  const b = nodes.findIndex((n) => n.seq === e.op[1]);
  if (a >= 0 && b >= 0 && a <= b) nodes.splice(a, b - a + 1, e);
}

const surface = (log) => log.reduce((nodes, e) => (fold(nodes, e), nodes), []);
const seqs = (list) => list.map((e) => e.seq);
const blank = (e) => e.text.trim() === "";

// ---- 5.2, 7.2 ----

function newest(log) {
  const of = new Map();
  for (const e of log) if (e.agent) for (const c of e.changes) of.set(c.scope, e.seq);
  return [...new Set(of.values())].sort((a, b) => a - b);
}
const guarded = (log, nodes) => newest(log).filter((s) => nodes.some((n) => n.seq === s));

// ---- 8.6 ----

function hidden(nodes) {
  const open = new Map();
  const owner = new Map(); // whose call an id was last taken for
  const fate = new Map(); // call row -> has it a healthy result
  const hide = new Set();
  nodes.forEach((n, i) => {
    for (const id of n.calls) if (!open.has(id)) open.set(id, i), owner.set(id, i);
    if (!n.tool) return;
    if (!open.has(n.result)) {
      hide.add(n.seq);
      return;
    }
    const at = open.get(n.result);
    const between = nodes.slice(at + 1, i);
    // "belonging to the same call row": an id that two rows carry belongs to the first while it is open
    if (between.every((m) => m.tool && owner.get(m.result) === at)) fate.set(at, true);
    else hide.add(n.seq);
    open.delete(n.result);
  });
  nodes.forEach((n, i) => {
    if (n.calls.length && !fate.get(i)) hide.add(n.seq);
  });
  return [...hide].sort((a, b) => a - b);
}

// ---- 6 ----

function resolve(log, nodes, empty, start, end) {
  const index = (s) => nodes.findIndex((n) => n.seq === s);
  const known = (s) => s >= 0 && s <= log[log.length - 1].seq;
  if (start > end) return { kind: "reversed-range" };
  let l = index(start);
  let r = index(end);
  let recovered = false;
  if (l < 0 || r < 0) {
    if (!known(start)) return { kind: "not-on-surface start" };
    if (!known(end)) return { kind: "not-on-surface end" };
    const plain = nodes.filter((n) => n.seq >= start && n.seq <= end && n.class !== "checkpoint" && !n.system);
    if (plain.length === 0) {
      const blocks = log.filter((e) => e.word === "summary" && e.shadowed.some((s) => s >= start && s <= end));
      return { kind: `already-compressed ${blocks.length}` };
    }
    recovered = true;
    l = index(Math.min(...seqs(plain)));
    r = index(Math.max(...seqs(plain)));
  }
  if (l > r) return { kind: "reversed-range" };
  const cut = [0];
  for (const n of nodes) {
    const gone = empty.includes(n.seq);
    const c = cut[cut.length - 1] + (gone ? 0 : n.tool ? -1 : n.calls.length);
    if (c < 0) return { kind: `corrupt-surface ${n.seq}` };
    cut.push(c);
  }
  const anchor = (i) => {
    const n = nodes[i];
    if (empty.includes(n.seq) || n.system) return false;
    return n.calls.length === 0 ? !blank(n) : n.calls.length === 1;
  };
  const before = (i) => cut[i] === 0 && anchor(i);
  const after = (i) => cut[i + 1] === 0 && anchor(i);
  const ok = (a, b) => ({ kind: "ok", start: nodes[a].seq, end: nodes[b].seq, l: a, r: b, recovered });
  let a = l;
  let b = r;
  while (a <= r && !before(a)) a++;
  while (b >= a && !after(b)) b--;
  if (a <= b && a <= r && nodes[a].seq <= nodes[b].seq) return ok(a, b);
  if (recovered) return { kind: "unbalanced-range" };
  for (a = l; a > 0 && !before(a); ) a--;
  for (b = r; b < nodes.length - 1 && !after(b); ) b++;
  if (before(a) && after(b) && nodes[a].seq <= nodes[b].seq) return ok(a, b);
  return { kind: "unbalanced-range" };
}

// ---- 5.1 ----

function table(log, nodes, f1, preserve) {
  const empty = hidden(nodes);
  const protect = new Set(preserve ? seqs(nodes.slice(-preserve)) : []);
  const tail = nodes.findLast((n) => (f1 ? n.user && n.class === "real" && n.turn : n.user && n.class !== "checkpoint"));
  if (tail) protect.add(tail.seq);
  if (f1) for (const s of newest(log)) protect.add(s);
  const segments = [];
  let segment = null;
  const blocked = (n) => protect.has(n.seq) || n.system || (f1 && n.class === "instruction");
  for (const n of nodes) {
    if (blocked(n) || n.class === "checkpoint") {
      segment = null;
      continue;
    }
    if (!segment || n.seq < segment.start) segments.push((segment = { start: n.seq, rows: [] }));
    segment.rows.push(n);
    segment.end = n.seq;
  }
  const out = [];
  for (const s of segments) {
    const r = resolve(log, nodes, empty, s.start, s.end);
    if (r.kind !== "ok") continue;
    const real = s.rows.filter((n) => !empty.includes(n.seq));
    const over = nodes.slice(r.l, r.r + 1).find((n) => blocked(n));
    out.push({
      start: r.start,
      end: r.end,
      numbers: [
        s.rows.length,
        real.reduce((sum, n) => sum + Math.ceil(n.text.length / 4), 0),
        Math.floor((100 * real.filter((n) => n.tool || n.calls.length).length) / s.rows.length + 0.5),
      ],
      over: over ? over.seq : -1,
    });
  }
  out.sort((a, b) => a.start - b.start);
  return [f1 ? "F1" : "B0", preserve, out.map((r) => `${r.start}..${r.end}`).join(" "), out.map((r) => r.numbers), out.map((r) => r.over)];
}

// ---- 7 ----

function guard(log, nodes, start, end) {
  const r = resolve(log, nodes, [], start, end);
  if (r.kind !== "ok") return null;
  const span = nodes.slice(r.l, r.r + 1);
  const current = guarded(log, nodes);
  const hits = seqs(span).filter((s) => current.includes(s)).sort((a, b) => a - b);
  const parts = [[]];
  for (const n of span) {
    if (hits.includes(n.seq)) parts.push([]);
    else parts[parts.length - 1].push(n.seq);
  }
  const write = (p) => {
    const [a, b] = [p[0], p[p.length - 1]];
    const state = a > b ? " backwards" : resolve(log, nodes, [], a, b).kind === "ok" ? "" : " refused";
    return `${a}..${b}${state}`;
  };
  const some = (list) => list.filter((p) => p.length).map(write);
  if (hits.length === 0) return [start, end, `accepted ${r.start}..${r.end}`, [], [], []];
  return [start, end, `guarded-instruction ${r.start}..${r.end}`, hits, some([parts[0], parts[parts.length - 1]]), some(parts.slice(1, -1))];
}

// 7.6
function lastBaseline(log, nodes, start, end) {
  const r = resolve(log, nodes, [], start, end);
  if (r.kind !== "ok") return null;
  const all = nodes.filter((n) => n.exact && n.baseline);
  const inside = nodes.slice(r.l, r.r + 1).filter((n) => n.exact && n.baseline);
  return [start, end, all.length > 0 && inside.length === all.length];
}

// ---- 10.2 ----

function loop(log, K) {
  const nodes = [];
  const foldings = [];
  log.forEach((e, at) => {
    if (e.class === "checkpoint" && Array.isArray(e.op)) {
      const a = nodes.findIndex((n) => n.seq === e.op[0]);
      const b = nodes.findIndex((n) => n.seq === e.op[1]);
      if (a >= 0 && b >= a) {
        const rows = nodes.slice(a, b + 1).filter((n) => n.agent);
        const past = log.slice(0, at);
        const newestOf = (s) => past.findLast((x) => x.agent && x.changes.some((c) => c.scope === s)).seq;
        const scopes = [...new Set(rows.flatMap((n) => n.changes.map((c) => c.scope)))];
        const baselines = nodes.filter((n) => n.exact && n.baseline);
        const done = e.id && log.slice(at).find((x) => x.word === "end" && x.id === e.id);
        foldings.push({
          checkpoint: e.seq,
          end: done ? done.seq : e.seq,
          rows,
          scopes,
          strong: scopes.filter((s) => rows.some((n) => n.seq === newestOf(s))),
          last: baselines.length > 0 && baselines.every((n) => rows.includes(n)),
        });
      }
    }
    fold(nodes, e);
  });
  foldings.sort((a, b) => a.end - b.end || a.checkpoint - b.checkpoint);
  const injected = log.filter((e) => e.agent && e.op === "append");
  const names = (r) => [...new Set(r.changes.map((c) => c.scope))];
  const digest = (r, s) => r.changes.findLast((c) => c.scope === s)?.digest ?? null;
  const pastes = [];
  for (const r of injected) {
    const quiet = (f, test) => !injected.some((x) => x.seq > f.end && x.seq < r.seq && test(x));
    const judged = foldings.filter((f) => f.end < r.seq).map((f) => {
      const strongScopes = names(r).filter((s) => f.strong.includes(s));
      const byBaseline = r.baseline && f.last;
      return {
        f,
        near: r.seq - f.end <= K,
        strong: strongScopes.length > 0 || byBaseline,
        literal: f.rows.length > 0 && (names(r).some((s) => f.scopes.includes(s)) || (r.baseline && f.rows.some((n) => n.baseline))),
        waits: strongScopes.some((s) => quiet(f, (x) => names(x).includes(s))) || (byBaseline && quiet(f, (x) => x.baseline)),
      };
    });
    const chosen =
      judged.findLast((j) => j.strong && j.near) ??
      judged.findLast((j) => j.strong && !j.near && j.waits) ??
      judged.findLast((j) => j.literal && j.near && !j.strong);
    if (!chosen) continue;
    const f = chosen.f;
    const overlap = names(r).filter((s) => f.scopes.includes(s));
    const same = (s) => {
      const was = log.findLast((x) => x.agent && x.seq < r.seq && names(x).includes(s));
      return was !== undefined && digest(r, s) !== null && digest(r, s) === digest(was, s);
    };
    const pure = (overlap.length ? overlap : names(r)).every(same);
    pastes.push({ r, f, overlap, pure, how: !chosen.strong ? "weak" : chosen.near ? "near" : "later" });
  }
  const price = 2 + 4 + 4; // "rules"
  const near = pastes.filter((p) => p.how === "near");
  const chains = [];
  const order = [...new Set(log.filter((e) => e.agent).flatMap((e) => e.changes.map((c) => c.scope)))];
  for (const s of order) {
    let n = 0;
    const close = () => {
      if (n > 1) chains.push([s, n]);
      n = 0;
    };
    for (const f of foldings.filter((g) => g.strong.includes(s))) {
      if (near.some((p) => p.f === f && p.overlap.includes(s))) n++;
      else close();
    }
    close();
  }
  const withNear = new Set(near.map((p) => p.f));
  return {
    k: K,
    n: foldings.length,
    near: withNear.size,
    near_checkpoint: new Set(pastes.filter((p) => p.how !== "weak" && p.r.seq - p.f.checkpoint <= K).map((p) => p.f)).size,
    later: new Set(pastes.filter((p) => p.how === "later" && !withNear.has(p.f)).map((p) => p.f)).size,
    pastes: pastes.map((p) => [p.r.seq, p.f.end, p.r.seq - p.f.end, p.r.seq - p.f.checkpoint, p.pure ? "pure" : "changed", p.how]),
    chains,
    wasted: near.filter((p) => p.pure).length * price,
  };
}

// ---- a case ----

function answer(one) {
  const log = one.log.map(readLine);
  const nodes = surface(log);
  const out = { name: one.name, log: one.log, requests: one.requests, preserve: one.preserve, k: one.k };
  out.steps = [[log[log.length - 1].seq, seqs(nodes)]];
  out.newest = newest(log);
  out.guarded = guarded(log, nodes);
  out.hidden = hidden(nodes);
  out.tables = one.preserve.flatMap((p) => [table(log, nodes, true, p), table(log, nodes, false, p)]);
  out.resolve = one.requests.map(([a, b]) => {
    const r = resolve(log, nodes, [], a, b);
    return [a, b, r.kind === "ok" ? `${r.start}..${r.end}${r.recovered ? " recovered" : ""}` : r.kind];
  });
  out.guard = one.requests.map(([a, b]) => guard(log, nodes, a, b)).filter((g) => g);
  out.last_baseline = one.requests.map(([a, b]) => lastBaseline(log, nodes, a, b)).filter((g) => g);
  out.loop = loop(log, one.k);
  return out;
}

// ---- generator ----

function generate(seed) {
  let s = BigInt(seed) * 6364136223846793005n + 1442695040888963407n;
  const draw = (n) => {
    s = (s * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((s >> 33n) % BigInt(n));
  };
  const pick = (list) => list[draw(list.length)];
  const log = [];
  const parsed = [];
  let seq = draw(2);
  const add = (text, step = 1) => {
    log.push(`${seq} ${text}`);
    parsed.push(readLine(log[log.length - 1]));
    seq += step;
  };
  const some = (words) => pick(words) + (draw(6) === 0 ? " = " + pick(["", "x", "  ", "a longer text of thirty units.."]) : "");
  const changes = () => {
    const list = Array.from({ length: 1 + (draw(4) === 0) + (draw(9) === 0) }, () => `${pick(["ROOT", "WT", "c"])} ${pick(["v1", "v1", "v2", "-"])}`);
    return list.join(" ") + (draw(4) === 0 ? " baseline" : "");
  };
  const shadow = () => {
    const nodes = surface(parsed);
    if (nodes.length === 0) return null;
    const a = draw(nodes.length);
    const b = Math.min(nodes.length - 1, a + draw(5));
    return { a: nodes[a].seq, b: nodes[b].seq, list: seqs(nodes.slice(a, b + 1)) };
  };
  let calls = 0;
  let blocks = 0;
  const n = 5 + draw(22);
  for (let i = 0; i < n; i++) {
    const kind = draw(20);
    if (kind < 4) add(some(["U"]));
    else if (kind < 7) add(some(["A"]));
    else if (kind < 10) {
      const ids = Array.from({ length: 1 + (draw(3) === 0 ? 1 + draw(2) : 0) }, () => (draw(12) === 0 && calls ? `k${draw(calls)}` : `k${calls++}`));
      add(`C ${ids.join(",")}`);
      for (const id of ids) {
        if (draw(12) === 0) add(some(["U", "A"]));
        if (draw(9) > 0) add(`R ${id}` + (draw(8) === 0 ? " = " : ""));
      }
    } else if (kind < 11) add(draw(6) === 0 ? `R k${draw(calls + 1)}` : some(["nudge", "snapshot", "stub"]));
    else if (kind < 14) add(`${draw(8) === 0 ? "W" : "I"} ${changes()}`, 1 + draw(3));
    else if (kind < 15) add(pick(["legacy", "catalog", "future", "nudge", "sys", "U"]));
    else {
      const span = shadow();
      if (!span) continue;
      if (kind < 16) add(`${pick(["stub", "cp", "empty"])} ${span.a}..${span.b}`);
      else {
        const id = `b${blocks++}`;
        add(`start ${id}`);
        add(`summary ${span.a}..${span.b} ${id} shadowed=${span.list.join(",")}`);
        add(`cp ${span.a}..${span.b} ${id}`);
        if (draw(6) > 0) add(`end ${id}`, 1 + draw(3));
        if (draw(3) === 0) add(`I ${changes()}`);
      }
    }
  }
  if (log.length === 0) add("U");
  const last = parsed[parsed.length - 1].seq;
  const nodes = seqs(surface(parsed));
  const edge = () => (draw(5) === 0 ? draw(last + 3) : pick(nodes));
  const requests = Array.from({ length: 6 }, () => {
    const [a, b] = [edge(), edge()];
    return draw(8) === 0 ? [a, b] : [Math.min(a, b), Math.max(a, b)];
  });
  return { name: `oracle ${seed}`, log, requests, preserve: [0, 1 + draw(6)], k: pick([7, 7, 3, 12]) };
}

// ---- command line ----

const [, , command, ...args] = process.argv;
const print = (one) => console.log(JSON.stringify(one));
if (command === "answer" && args.length === 1) {
  for (const line of readFileSync(args[0], "utf8").split("\n")) {
    if (line === "") continue;
    if (line.startsWith("#")) console.log(line);
    else print(answer(JSON.parse(line)));
  }
} else if (command === "generate" && args.length === 2) {
  for (let seed = Number(args[0]); seed <= Number(args[1]); seed++) print(answer(generate(seed)));
} else {
  console.error("usage: dsh.mjs answer FILE | generate FROM TO");
  process.exitCode = 2;
}
