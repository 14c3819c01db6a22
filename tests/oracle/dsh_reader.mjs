#!/usr/bin/env node
// A second, independent reading of dsh.md 1 and 3 with the rulings (DSH log -> records), and a generator of DSH logs.
//   dsh_reader.mjs project FILE      one line a record
//   dsh_reader.mjs generate SEED     a DSH log
//   dsh_reader.mjs cases FROM TO     the lines of recording_dsh_generated.jsonl for these seeds
import { readFileSync } from "node:fs";

const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
const isSeq = (x) => Number.isInteger(x) && x >= 0 && x <= 2 ** 53;
const str = (x) => (typeof x === "string" ? x : "");

// dsh.md 3.1: the parts of a content
function text(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = [];
  for (const b of content) {
    if (!isObject(b)) continue;
    if (b.type === "text" && typeof b.text === "string") parts.push(b.text);
    else if (Array.isArray(b.content)) parts.push(text(b.content));
  }
  return parts.join("\n");
}
const args = (a) => (a === undefined || a === null ? "" : typeof a === "string" ? a : JSON.stringify(a));
const messageOf = (e) => (e.type === "user/message" ? e.data : isObject(e.data) ? e.data.message : undefined);
const blocks = (m) => (isObject(m) && Array.isArray(m.content) ? m.content.filter(isObject) : []);
const callsOf = (e) => (e.type === "assistant/message" ? blocks(messageOf(e)).filter((b) => b.type === "tool-call") : []);
const resultKey = (m) => {
  const id = blocks(m).find((b) => b.type === "tool-result")?.toolCallId;
  if (typeof id === "string") return id;
  const call = isObject(m) && isObject(m.source) ? m.source.callId : undefined;
  return typeof call === "string" ? call : undefined;
};

// dsh.md 3.2
function project(e, names) {
  const m = messageOf(e), t = isObject(m) ? text(m.content) : "", id = String(e.seq);
  if (e.type === "user/message") return t === "" ? [] : [{ id, role: "user", contentType: "text", text: t, toolName: "", toolCallId: "" }];
  if (e.type === "assistant/message") {
    const calls = callsOf(e);
    if (calls.length === 0) return t.trim() === "" ? [] : [{ id, role: "assistant", contentType: "text", text: t, toolName: "", toolCallId: "" }];
    return calls.map((c) => {
      const a = args(c.arguments);
      const whole = calls.length === 1 ? [t, a].filter((x) => x !== "").join("\n") : a || t;
      return { id: calls.length === 1 ? id : `${id}#${str(c.id)}`, role: "assistant", contentType: "tool-call", text: whole, toolName: str(c.name), toolCallId: str(c.id) };
    });
  }
  if (e.type === "tool/result") {
    const key = resultKey(m);
    const error = isObject(m) && (m.isError === true || blocks(m).find((b) => b.type === "tool-result")?.isError === true);
    const row = { id, role: "tool", contentType: "tool-result", text: t, toolName: names.get(key) ?? "", toolCallId: isObject(m) && typeof m.toolCallId === "string" ? m.toolCallId : key ?? "", ...(error ? { isError: true } : {}) };
    return t === "" ? [] : [row];
  }
  return [];
}

const KNOWN = new Set(`agent-preset/selected, agent/inbox/spliced, approval/asked,
approval/decided, approval/policy, assistant/chunk, assistant/message, command/done,
command/run, compaction/end, compaction/prune, compaction/start, compaction/summary,
feedback/record, goal/change, hook/invoked, hook/result, llm/retry, llm/retry-started,
permission/preset, plan/mode, request/context, request/header, sandbox/mode, schedule/change,
session/end-seed, session/title, session/title-llm-request, step/end, step/start,
subagent/descriptor, team/member, team/message/delivered, team/message/queued, team/task,
todo/write, tool-workflow/agent-end, tool-workflow/agent-start, tool-workflow/run-end,
tool-workflow/run-start, tool/call, tool/code-dispatch, tool/code-dispatch-start, tool/result,
turn/end, turn/start, user/message, web/deepseek-search-llm-request,
assistant/attempt, tool/ptc-dispatch-start, tool/ptc-dispatch`.split(/,\s*/));
const PACKED = ["text-chunks", "reasoning-chunks", "tool-call-chunks"];

function opOf(e) {
  const o = e.surfaceOp;
  if (o === undefined || o === null) return "none";
  if (o === "append") return "append";
  if (!isObject(o) || o.op !== "replace") return "bad";
  if (isSeq(o.start) && isSeq(o.end)) return [o.start, o.end];
  if (isSeq(o.startSeq) && isSeq(o.endSeq)) return [o.startSeq, o.endSeq];
  return "bad";
}

// dsh.md 1.1, 2.1: the cited seqs, and how often a host would complain; folds the row into `nodes`
function fold(e, version, op, nodes, typeOf) {
  let faults = (op === "none") + (op === "bad");
  const list = e.sourceEventSeqs, out = [], answer = e.type === "assistant/message";
  if (Array.isArray(op) && Object.keys(e.surfaceOp).length > 3) faults++;
  if (Array.isArray(op) && list === undefined) faults++;
  if (list !== undefined) {
    let broken = !Array.isArray(list);
    for (const x of Array.isArray(list) ? list : []) {
      if (isSeq(x)) out.push(x);
      else if (Array.isArray(x) && x.length === 2 && isSeq(x[0]) && isSeq(x[1]) && x[0] <= x[1]) for (let i = x[0]; i <= x[1]; i++) out.push(i);
      else broken = true;
    }
    if (Array.isArray(list) && list.length === 0 && !(answer && version === 0 && op === "append")) faults++;
    if (broken) faults++;
    if (new Set(out).size < out.length) faults++;
    if (out.some((s) => s >= e.seq)) faults++;
    if (answer && version >= 3 && op === "append") faults++;
  }
  typeOf.set(e.seq, e.type);
  if (op === "append") nodes.push(e.seq);
  if (Array.isArray(op)) {
    const a = nodes.indexOf(op[0]), b = nodes.indexOf(op[1]);
    if (a < 0 || b < 0 || a > b) faults++;
    else {
      const slice = nodes.splice(a, b - a + 1, e.seq);
      if (version >= 3 && a === 0 && typeOf.get(slice[0]) === "system/message" && (slice.length > 1 || e.type !== "system/message")) faults++;
      if (e.type === "tool/result" && (slice.length > 1 || typeOf.get(slice[0]) !== "tool/result")) faults++;
      if (list !== undefined && slice.some((s) => !out.includes(s))) faults++;
    }
  }
  return [[...new Set(out)].sort((x, y) => x - y), faults];
}

function ledger(data) {
  const extras = {};
  const take = (o) => {
    if (extras.tier === undefined && typeof o.tier === "number") extras.tier = o.tier;
    if (extras.kernelBlockId === undefined && typeof o.kernelBlockId === "string") extras.kernelBlockId = o.kernelBlockId;
    if (extras.topic === undefined && typeof o.topic === "string") extras.topic = o.topic;
  };
  for (const b of Array.isArray(data.rawOutput) ? data.rawOutput : []) {
    if (!isObject(b) || b.type !== "text" || typeof b.text !== "string") continue;
    let o;
    try { o = JSON.parse(b.text); } catch { continue; }
    if (isObject(o) && o.$dshAcpBlockLedger === 1) { take(o); break; }
  }
  take(data);
  if (![2, 3].includes(extras.tier)) extras.tier = 1;
  return extras;
}

const FORMS = (u) => {
  const n = (x) => (typeof x === "number" && x >= 0 ? x : 0);
  if (!isObject(u)) return null;
  if (typeof u.input === "number") return { input: n(u.input), output: n(u.output), cacheRead: n(u.cacheRead), cacheWrite: n(u.cacheWrite) };
  if (typeof u.prompt_tokens === "number") { const c = n(isObject(u.prompt_tokens_details) ? u.prompt_tokens_details.cached_tokens : 0); return { input: Math.max(0, u.prompt_tokens - c), output: n(u.completion_tokens), cacheRead: c, cacheWrite: 0 }; }
  if (typeof u.input_tokens === "number") return { input: n(u.input_tokens), output: n(u.output_tokens), cacheRead: n(u.cache_read_input_tokens), cacheWrite: n(u.cache_creation_input_tokens) };
  return null;
};

export function records(bytes) {
  const damage = [], events = [];
  let version = -1, begun = false, sawHeader = false, next = 0, gap = 0;
  const lines = bytes.split("\n");
  lines.forEach((line, i) => {
    const last = i === lines.length - 1;
    if (line.trim() === "") return;
    let o;
    try { o = JSON.parse(line); } catch { damage.push([last ? "torn" : "not-json", i + 1]); return; }
    if (!isObject(o)) { damage.push(["not-object", i + 1]); return; }
    if (o.type === "session") {
      if (begun) { damage.push(["second-header", i + 1]); return; }
      begun = sawHeader = true;
      if ([0, 1, 2, 3, 4].includes(o.version)) version = o.version;
      else damage.push(["bad-member", i + 1]);
      return;
    }
    if (!begun) { begun = true; damage.push(["other", i + 1]); }
    events.push({ o, line: i + 1 });
  });
  const rules = version < 0 ? 4 : version;
  const surface = ["user/message", "assistant/message", "tool/result", ...(rules >= 3 ? ["system/message"] : []), ...(rules >= 4 ? ["developer/message"] : [])];

  // the prefix, by seq arithmetic
  const prefix = [], beyond = [], later = [];
  for (const { o, line } of events) {
    const packed = PACKED.includes(o.type), seq = packed ? o.seq0 : o.seq;
    if (!isSeq(seq)) { later.push({ order: line, d: ["bad-member", line] }); continue; }
    const list = isObject(o.data) ? (o.type === "tool-call-chunks" ? o.data.args : o.data.texts) : undefined;
    const count = packed && Array.isArray(list) && list.length ? list.length : 1;
    if (packed && (!Array.isArray(list) || !list.length || !Array.isArray(o.data.dt) || o.data.dt.length + 1 !== list.length)) later.push({ order: line, d: ["bad-member", line] });
    const e = { ...o, type: str(o.type), seq, count, line };
    if (gap || seq !== next) { gap ||= line; beyond.push(e); } else { next += count; prefix.push(e); }
  }
  const names = new Map();
  for (const e of prefix) if (surface.includes(e.type)) for (const c of callsOf(e)) if (typeof c.id === "string" && c.id) names.set(c.id, str(c.name));

  const out = [], open = [], summaries = new Map(), seen = new Map(), strange = new Set(), spelt = new Set(), nodes = [], typeOf = new Map();
  let window = 0, model = "";
  const bad = (e, n) => { for (let i = 0; i < n; i++) later.push({ order: e.line, d: ["bad-member", e.line] }); };
  const tell = (m) => { if (m && m !== model) { if (model) out.push({ type: "model", model: m }); model = m; } };
  for (const e of prefix) {
    const op = opOf(e);
    if (!surface.includes(e.type)) {
      if (!KNOWN.has(e.type) && !PACKED.includes(e.type) && e.ignorable !== true || ["system/message", "developer/message"].includes(e.type) && e.ignorable !== true) {
        if (!strange.has(e.type)) later.push({ order: e.line, d: ["unknown-event", e.line] });
        strange.add(e.type);
      }
      bad(e, (e.surfaceOp ?? undefined) !== undefined || e.sourceEventSeqs !== undefined ? 1 : 0);
      out.push({ type: "event", seq: e.seq, name: e.type, count: e.count, data: e.data ?? null, time: PACKED.includes(e.type) ? undefined : e.time });
      const d = isObject(e.data) ? e.data : {};
      if (e.type === "request/context") { if (d.contextWindow > 0) window = d.contextWindow; tell(str(d.model)); }
      if (e.type === "request/header") tell(str(d.header?.config?.model));
      if (e.type === "compaction/summary" && str(d.compactionId)) summaries.set(d.compactionId, d);
      if (e.type === "tool/call" && d.name === "compress") {
        const c = { type: "compress", callId: str(d.callId), args: d.arguments ?? null, outcome: null };
        open.push({ id: str(d.callId), record: c, landed: [], done: false });
        out.push(c);
      }
      continue;
    }
    // a row
    if (Array.isArray(op)) {
      const spelling = isSeq(e.surfaceOp.start) && isSeq(e.surfaceOp.end) ? "old" : "new";
      if (!spelt.has(spelling)) { spelt.add(spelling); if (spelt.size === 2) bad(e, 1); }
    }
    const [cited, faults] = fold(e, rules, op, nodes, typeOf);
    bad(e, faults);
    const m = messageOf(e);
    if (!isObject(m)) bad(e, 1);
    if (e.type === "assistant/message" && op === "append") {
      const d = isObject(e.data) ? e.data : {}, name = isObject(m) && isObject(m.source) ? str(m.source.model) : "";
      out.push({ type: "turn", usage: FORMS(d.usage), model: name, userTurn: isSeq(d.turn) ? d.turn : 0, window, time: e.time });
      if (name && !model) model = name;
    }
    const rows = project(e, names);
    const node = { seq: e.seq, node: { type: e.type, op, cites: cited }, entry: isObject(e.data) ? e.data : null };
    if (rows.length === 0) out.push({ type: "message", rows: 0, id: String(e.seq), ...node });
    rows.forEach((r, i) => {
      if (seen.get(r.id) === 1) later.push({ order: e.line + 0.5, d: ["duplicate-id", e.line] });
      seen.set(r.id, (seen.get(r.id) ?? 0) + 1);
      out.push({ type: "message", ...r, seq: e.seq, ...(i === 0 ? node : {}) });
    });
    const id = isObject(m) && isObject(m.source) ? m.source.compactionId : undefined;
    if (e.type === "user/message" && Array.isArray(op) && summaries.has(id)) {
      const owner = open.find((c) => !c.done), d = summaries.get(id);
      summaries.delete(id);
      owner?.landed.push({ seq: e.seq, compactionId: id, start: op[0], end: op[1], shadowedSeqs: (Array.isArray(d.shadowedSeqs) ? d.shadowedSeqs : []).filter(isSeq), ...ledger(d) });
    }
    if (e.type === "tool/result" && !Array.isArray(op)) {
      const key = blocks(m).find((b) => b.type === "tool-result")?.toolCallId;
      const call = typeof key === "string" ? key : isObject(m) && typeof m.toolCallId === "string" ? m.toolCallId : resultKey(m) ?? "";
      const c = open.find((x) => !x.done && x.id === call);
      if (c) { c.done = true; c.record.outcome = { text: text(m?.content) }; }
    }
  }
  for (const c of open) if (c.done || c.landed.length) c.record.outcome = { ...c.record.outcome, applied: c.landed.length > 0, blocksCreated: c.landed.length, checkpoints: c.landed };
  for (const e of beyond) out.push({ type: "unknown", seq: e.seq, name: e.type });
  later.sort((a, b) => a.order - b.order);
  const all = [...damage.map((d) => ({ order: d[1] - (d[0] === "other" ? 0.5 : 0), d })), ...later].sort((a, b) => a.order - b.order).map((x) => x.d);
  if (gap) all.push(["gap", gap]);
  return { records: out, nodes, damage: all, gapBeforeEnd: gap > 0 && beyond.some((e) => e.type === "turn/end"), header: sawHeader, version };
}

// --- generator: valid and odd logs, deterministic for a seed ---
export function generate(seed) {
  let s = (seed * 2654435761) >>> 0;
  const rnd = () => { s = (s + 0x6d2b79f5) >>> 0; let t = s; t = Math.imul(t ^ (t >>> 15), t | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const int = (a, b) => a + Math.floor(rnd() * (b - a + 1));
  const pick = (a) => a[int(0, a.length - 1)];
  const chance = (p) => rnd() < p;
  const odd = chance(0.6) ? 1 : 0; // some logs are as a host writes them
  const words = ["alpha", "缓存", "beta\n", "\"q\"", "\\", "\u0000", "\ud800", "😀", "```", "é", " ", "\t", "\u3000", "[truncated for context space]"];
  const prose = () => Array.from({ length: int(0, 6) }, () => pick(words)).join(pick(["", " ", "\n"]));
  const block = () => pick([{ type: "text", text: prose() }, { type: "text", text: prose() }, { type: "reasoning", text: prose() }, { type: "image", attachment: { id: "a" } }, ...(odd ? [null, 7, { type: "text" }, { type: "text", text: 5, content: [{ type: "text", text: "in" }] }, { content: [] }, { content: [{ content: [block2()] }, { content: [] }] }] : [])]);
  const block2 = () => pick([{ type: "text", text: prose() }, { content: [] }, 5]);
  const content = () => (odd && chance(0.15) ? pick([prose(), undefined, null, {}, 5]) : Array.from({ length: pick([0, 1, 1, 1, 2, 3]) }, block));
  const version = odd ? pick([0, 1, 2, 3, 4, undefined, 9, "3"]) : pick([0, 0, 3, 4]);
  const rules = [0, 1, 2, 3, 4].includes(version) ? version : 4;
  const fresh = rules >= 3;
  const lines = [], live = [], calls = [], open = [];
  let seq = 0, time = 1760000000000;
  if (!(odd && chance(0.1))) lines.push(JSON.stringify({ type: "session", version, id: `s${seed}`, createdAt: time, ...(chance(0.5) ? { cwd: "/w" } : {}), ...(rules >= 2 ? { isSeeded: false } : { seedLength: 0 }), delegationDepth: 0 }));
  const put = (type, data, more = {}) => { const e = { type, seq, time: (time += int(0, 9)), ...more, data }; lines.push(JSON.stringify(e)); return seq++; };
  const bump = () => { const r = rnd(); if (r < 0.015) lines.push(pick(["", "  ", "\r", "{\"type\":\"turn/start\",", "7", "[]"])); else if (r < 0.02) { lines.push("{\"type\":\"turn/end\",\"data\":{}}"); if (chance(0.5)) seq++; } else if (r < 0.024) seq += int(1, 3); else if (r < 0.03) lines.push(JSON.stringify({ type: "session", id: "again" })); };
  const ops = (op) => (odd && chance(0.08) ? pick([undefined, "prepend", { op: "replace" }, { op: "replace", start: 1 }, { op: "append" }, null, 5]) : op);
  const spell = (a, b) => ((odd && chance(0.1)) !== fresh ? { op: "replace", startSeq: a, endSeq: b } : { op: "replace", start: a, end: b });
  const citing = (list) => (odd && chance(0.1) ? pick([[], [seq], [1, 1], "x", [[3, 2]], [[0, 1], 1], [[0, 1, 2]], undefined]) : chance(0.3) && list.length >= 3 && list[list.length - 1] - list[0] === list.length - 1 ? [[list[0], list[list.length - 1]]] : list);
  const row = (type, data, op, list) => { const n = put(type, odd && chance(0.02) ? pick([5, {}, undefined, { message: [] }]) : data, { surfaceOp: ops(op ?? "append"), ...(list ? { sourceEventSeqs: citing(list) } : {}) }); if (!op) live.push(n); return n; };
  const user = () => row("user/message", { id: `m-${seq}`, role: "user", content: content(), source: pick([{ kind: "user" }, undefined, {}, { kind: "plugin", plugin: "acp-nudge" }, { kind: "agent-instructions", form: "instructions", baseline: true, changes: [{ action: "set", scope: ".\u0000AGENTS.md", path: "AGENTS.md", digest: "d1" }] }]) });
  const call = (compress) => { const c = { type: "tool-call", id: odd && chance(0.1) ? pick([undefined, 5, calls[0]?.id]) : `c${seq}-${calls.length}`, name: compress ? "compress" : pick(["bash", "read", ...(odd ? [undefined, 5] : [])]), arguments: compress ? JSON.stringify({ content: [{ startId: "1", endId: "3", summary: prose() }] }) : pick(["{\"command\":\"ls\"}", "", { a: 1, 7: 2 }, ...(odd ? [undefined, null, 5, [], "{}"] : [])]) }; calls.push(c); open.push(c); return c; };
  const usage = () => pick([undefined, { input: int(1, 9), output: 2, cacheRead: 30, cacheWrite: 4 }, { prompt_tokens: 50, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 20 } }, { input_tokens: 5, output_tokens: 6, cache_read_input_tokens: 7, cache_creation_input_tokens: 8 }, { weird: 1 }]);
  const answer = (compress) => row("assistant/message", { turn: 1, step: 1, message: { id: `a-${seq}`, role: "assistant", content: [...(content() instanceof Array ? Array.from({ length: int(0, 2) }, block) : []), ...Array.from({ length: compress ? 1 : pick([0, 0, 1, 2, 3]) }, () => call(compress))], source: { kind: "model", provider: "p", model: pick(["m1", "m2"]) } }, usage: usage(), ...(fresh ? { stream: [] } : {}) });
  const result = (c) => {
    const body = content();
    const message = rules === 4 && chance(0.8) ? { role: "tool", id: `r-${seq}`, source: { kind: "tool", callId: c.id }, toolCallId: c.id, content: body, ...(chance(0.2) ? { isError: true } : {}) }
      : { id: `r-${seq}`, role: "user", content: [{ type: "tool-result", toolCallId: odd && chance(0.1) ? 5 : c.id, content: body, ...(chance(0.2) ? { isError: true } : {}) }], source: { kind: "tool", callId: c.id } };
    return row("tool/result", { turn: 1, step: 1, message });
  };
  const compaction = () => {
    if (live.length < 3) return;
    const from = int(0, live.length - 2), to = int(from, live.length - 1), slice = live.slice(from, to + 1), id = `id-${seq}`;
    put("compaction/start", { compactionId: id, turn: 1 });
    const extras = pick([{}, { tier: 2, kernelBlockId: `b${seq}`, topic: "t" }, { rawOutput: [{ type: "text", text: "no" }, { type: "text", text: JSON.stringify({ $dshAcpBlockLedger: 1, tier: 3, topic: 5, kernelBlockId: "b77" }) }], topic: "outer" }, { rawOutput: [{ type: "text", text: JSON.stringify({ $dshAcpBlockLedger: 2, tier: 3 }) }] }]);
    put("compaction/summary", { compactionId: id, summary: [{ type: "text", text: "S" }], shadowedRange: { start: slice[0], end: slice[slice.length - 1] }, shadowedSeqs: slice, shadowedTokenCount: 9, ...extras });
    if (!(odd && chance(0.1))) { const n = row("user/message", { id: `cp-${seq}`, role: "user", content: [{ type: "text", text: "S" }], source: rules === 4 ? { kind: "compact-checkpoint", compactionId: id } : { kind: "plugin", plugin: "compact", compactionId: id } }, spell(slice[0], slice[slice.length - 1]), slice); live.splice(from, slice.length, n); }
    if (!(odd && chance(0.1))) put("compaction/end", { compactionId: id, turn: 1 });
  };
  const packed = () => {
    const n = int(3, 5), type = pick(PACKED), list = Array.from({ length: odd && chance(0.1) ? 0 : n }, prose);
    const dt = Array.from({ length: odd && chance(0.1) ? n : n - 1 }, () => int(0, 9));
    lines.push(JSON.stringify({ type, seq0: seq, time0: time, data: { turn: 1, step: 1, index: 0, dt, ...(type === "tool-call-chunks" ? { id: "x", args: list } : { texts: list }) } }));
    seq += Math.max(1, list.length);
  };
  put("turn/start", { turn: 1 });
  if (fresh) row("system/message", { turn: 1, step: 1, message: { id: "sys", role: "system", source: { kind: "plugin", plugin: "@deepseek-ai/dsh-system-prompt" }, content: content() } });
  for (let i = 0, n = int(5, 25); i < n; i++) {
    const r = rnd();
    if (odd) bump();
    if (open.length && r < 0.3) {
      const c = open.splice(chance(0.7) ? 0 : int(0, open.length - 1), 1)[0];
      if (chance(0.9)) put("tool/call", { turn: 1, step: 1, callId: c.id, name: c.name, ...(c.arguments === undefined ? {} : { arguments: c.arguments }) });
      if (c.name === "compress") for (let k = int(0, 2); k > 0; k--) compaction();
      if (chance(0.9)) result(c);
    } else if (r < 0.5) user();
    else if (r < 0.7) answer(false);
    else if (r < 0.8) answer(true);
    else if (r < 0.84) put("request/context", { provider: "p", model: pick(["m1", "m3"]), contextWindow: pick([undefined, 64000, 128000, ...(odd ? ["x", -1] : [])]) });
    else if (r < 0.87) put("request/header", { header: { config: { provider: "p", model: pick(["m1", "m2"]) } }, reason: "change" });
    else if (r < 0.9) compaction();
    else if (r < 0.93 && rules <= 1) packed();
    else if (r < 0.95) put("step/start", { turn: 1, step: 2 });
    else if (odd) put(pick(["x/strange", "y/strange", "developer/message", "session/title"]), { a: 1 }, { ...(chance(0.5) ? { ignorable: pick([true, false]) } : {}), ...(chance(0.2) ? { surfaceOp: "append" } : {}), ...(chance(0.1) ? { sourceEventSeqs: [1] } : {}) });
  }
  put("turn/end", { turn: 1, reason: { kind: "completed" } });
  let out = lines.join("\n");
  if (odd && chance(0.2)) out += "\n" + JSON.stringify({ type: "step/start", seq, time, data: {} }).slice(0, int(8, 30));
  else if (chance(0.8)) out += "\n";
  return out;
}

const [, , command, a, b] = import.meta.url === `file://${process.argv[1]}` ? process.argv : [];
if (command === "project") console.log(JSON.stringify(records(readFileSync(a, "utf8"))));
if (command === "generate") process.stdout.write(generate(Number(a)));
if (command === "cases") for (let i = Number(a); i <= Number(b); i++) { const file = generate(i); const { records: r, nodes, damage, gapBeforeEnd } = records(file); console.log(JSON.stringify({ name: `generated ${i}`, file, records: r, nodes, damage, gapBeforeEnd })); }
