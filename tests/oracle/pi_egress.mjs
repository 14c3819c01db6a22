#!/usr/bin/env node
// A second, independent reading of pi.md 3.2, 3.3, 3.5 to 3.8 and 4 (view and entries -> provider messages), with a
// generator of odd views. `pi_egress.mjs cases FROM TO` prints the lines of pi_egress_generated.jsonl.

const SPACE = "[\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";
const TAG = `(?:<acp${SPACE}[^>]*>m[0-9]{5}</acp>|\\[m[0-9]{1,5}\\])`;
const LEADING = new RegExp(`^${TAG}${SPACE}?\\n?`);
const ALONE = new RegExp(`^${TAG}`);
const TRAILING = new RegExp(`\\n*${TAG}${SPACE}*$`);
const strip = (t) => t.replace(LEADING, "").replace(TRAILING, "");
const isText = (b) => b && b.type === "text" && typeof b.text === "string";
function textOf(content) {
  if (typeof content === "string") return strip(content);
  if (!Array.isArray(content)) return "";
  return content.filter(isText).map((b) => strip(b.text)).join("\n");
}
export function est(t) {
  const cjk = (t.match(/[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7af]/g) ?? []).length;
  return cjk + Math.ceil((t.length - cjk) / 4);
}
const fmt = (n) => (n < 1000 ? String(n) : n < 10000 ? (n / 1000).toFixed(1) + "K" : Math.round(n / 1000) + "K");

function peel(blocks) {
  return blocks.flatMap((b) => {
    if (!isText(b)) return [b];
    const text = strip(b.text);
    return text === "" && b.text !== "" ? [] : [text === b.text ? b : { ...b, text }];
  });
}

function syncBlock(mode, b, text) {
  if (mode === "off" || !b || b.type !== "toolCall" || typeof b.id !== "string" || !b.id) return b;
  if (mode === "on" && b.name !== "compress") return b;
  if (!text || !text.includes("{")) return b;
  const json = text.slice(text.indexOf("{")), a = b.arguments, string = typeof a === "string";
  if (!string && (a === null || typeof a !== "object")) return b;
  if (json === (string ? a : JSON.stringify(a))) return b;
  let parsed;
  try { parsed = JSON.parse(json); } catch { return b; }
  if (!parsed || typeof parsed !== "object" || Array.isArray(parsed)) return b;
  if (mode === "on" && !Array.isArray(parsed.content) && typeof parsed.content !== "string") return b;
  if (mode === "merged" && JSON.stringify(parsed) === JSON.stringify(a)) return b;
  return { ...b, arguments: string ? json : parsed };
}

const toList = (c) => (typeof c === "string" ? [{ type: "text", text: c }] : Array.isArray(c) ? c : []);

function patch(raw, text, original) {
  const lead = LEADING.exec(text)?.[0];
  if (lead === undefined) return original;
  const body = text.slice(ALONE.exec(text)[0].length).replace(/^\n/, ""), own = textOf(original.content);
  const numbered = (on) => (raw ? lead.replace(/tokens="[^"]*"/, `tokens="${fmt(est(on))}"`) : lead);
  if (body !== "" && body.trimEnd() !== own.trimEnd()) {
    const t = body.trimEnd() + "\n\n" + numbered(body);
    if (typeof original.content === "string") return { ...original, content: t };
    const rest = Array.isArray(original.content) ? original.content.filter((b) => !b || b.type !== "text") : [];
    return { ...original, content: [...rest, { type: "text", text: t }] };
  }
  const blocks = peel(toList(original.content)), tag = numbered(own);
  let at = blocks.length - 1;
  while (at >= 0 && !(isText(blocks[at]) && blocks[at].text !== "")) at--;
  if (at < 0) return { ...original, content: [...blocks, { type: "text", text: tag }] };
  blocks[at] = { ...blocks[at], text: blocks[at].text.replace(/\n+$/, "") + "\n\n" + tag };
  return { ...original, content: blocks };
}

export function egress(rules, model, entries, rows) {
  const originals = new Map(Object.entries(entries).map(([id, e]) =>
    [id, typeof e.role !== "string" && e.type === "custom_message" ? { role: "user", content: typeof e.content === "string" ? toList(e.content) : e.content } : e]));
  const map = new Map();
  for (const r of rows) if (r.call && r.text && (rules.sync === "merged" || r.type === "tool-call")) map.set(r.call, r.text);
  const out = [], done = new Set();
  const base = (r) => r.id.split("#")[0];
  const drop = rules.reasoningDrop && !/deepseek|glm|qwq|reasoner/i.test(model ?? "");
  const dropThinking = (m, at) => {
    const calls = (Array.isArray(m.content) ? m.content : []).filter((b) => b && b.type === "toolCall" && b.name === "compress");
    const later = (id) => typeof id === "string" && id !== "" && rows.some((r, i) => i > at && r.type === "tool-result" && r.call === id && originals.has(base(r)));
    if (!drop || calls.length === 0 || !calls.every((c) => later(c.id))) return m;
    const units = m.content.filter((b) => b && b.type === "thinking").reduce((n, b) => n + (typeof b.thinking === "string" ? b.thinking.length : 0), 0);
    return units > rules.reasoningDrop ? { ...m, content: m.content.filter((b) => !b || b.type !== "thinking") } : m;
  };
  const sync = (m, get) => (Array.isArray(m.content) ? { ...m, content: m.content.map((b) => syncBlock(rules.sync ?? "off", b, get(b?.id))) } : m);
  rows.forEach((r, at) => {
    if (r.id.startsWith("acp_summary_")) {
      if (rules.summaries === "emit") out.push({ rows: [at], m: { role: "user", content: [{ type: "text", text: r.text }] } });
      return;
    }
    const original = originals.get(base(r));
    if (!r.id.includes("#")) {
      if (!original) return;
      const own = (id) => (rules.sync === "merged" ? (id === r.call ? r.text : undefined) : map.get(id));
      out.push({ rows: [at], m: original.role === "assistant" ? dropThinking(sync(original, own), at) : patch(rules.tags === "raw", r.text, original) });
      return;
    }
    if (done.has(base(r))) return;
    done.add(base(r));
    if (!original) return;
    const mine = rows.map((x, i) => i).filter((i) => rows[i].id.startsWith(base(r) + "#"));
    const surviving = new Set(mine.map((i) => rows[i].call).filter((c) => c));
    let m = { ...original, content: peel(toList(original.content).filter((b) => !b || b.type !== "toolCall" || surviving.has(b.id))) };
    if (m.role === "assistant") m = dropThinking(sync(m, (id) => map.get(id)), at);
    else {
      const tag = LEADING.exec(r.text)?.[0];
      const last = m.content.map(isText).lastIndexOf(true);
      if (tag !== undefined && last >= 0) m.content[last] = { ...m.content[last], text: m.content[last].text + "\n\n" + tag };
      else if (tag !== undefined) m.content = [{ type: "text", text: tag }, ...m.content];
    }
    out.push({ rows: mine, m });
  });
  return out.map(({ rows: r, m }) => {
    const sent = { role: m.role === "hookMessage" ? "custom" : m.role, content: m.content };
    if (m.role === "toolResult") for (const k of ["toolCallId", "toolName", "isError"]) sent[k] = m[k];
    const args = (a) => (!a ? "" : typeof a === "string" ? a : JSON.stringify(a));
    const blocks = typeof m.content === "string" ? [{ type: "text", text: m.content }] : Array.isArray(m.content) ? m.content : [];
    const tokens = blocks.reduce((n, b) => n + (isText(b) ? est(b.text) : b?.type === "thinking" && typeof b.thinking === "string" ? est(b.thinking) : b?.type === "toolCall" ? est(args(b.arguments)) : 0), 0);
    return { sent, rows: r, tokens };
  });
}

// --- generator: views with odd texts, ids and blocks, deterministic for a seed ---
export function generate(seed) {
  let s = (seed * 2654435761) >>> 0;
  const rnd = () => { s = (s + 0x6d2b79f5) >>> 0; let t = s; t = Math.imul(t ^ (t >>> 15), t | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const int = (a, b) => a + Math.floor(rnd() * (b - a + 1)), pick = (a) => a[int(0, a.length - 1)], chance = (p) => rnd() < p;
  const tag = () => pick(['<acp tokens="2" type="text">m00001</acp>', '<acp tokens="2.5K" type="bash">m12345</acp>', "<acp x>m12345</acp>", "[m12]", "[m123456]", "<acp >m1234</acp>", '<acp\u00a0tokens="">m00002</acp>', '<acp tokens="3>m00003</acp>', '<acp tokens="3" tokens="4">m00003</acp>']);
  const words = ["alpha", "缓存", "beta\n", "\"q\"", "\\", "\u0001", "\ud800", "😀", "é", " ", "\t", "\u3000", "\n"];
  const prose = () => Array.from({ length: int(0, 6) }, () => pick(words)).join(pick(["", " ", "\n"]));
  const text = () => (chance(0.2) ? tag() + pick(["", " ", "\n", "\n\n"]) : "") + prose() + (chance(0.2) ? pick(["", "\n\n"]) + tag() + pick(["", "\n", " \n"]) : "");
  const block = () => pick([{ type: "text", text: text() }, { type: "text", text: text(), textSignature: "s" }, { text: text(), type: "text" }, { type: "image", data: "aGk=", mimeType: "image/png" }, { type: "thinking", thinking: prose() + "x".repeat(pick([0, 5, 30])) }, { type: "text" }, null, 7, { type: "text", text: 5 }]);
  const blocks = () => Array.from({ length: int(0, 3) }, block);
  const entry = (n) => ({ startId: `m0000${n}`, endId: `m0000${n}`, summary: prose() });
  const folds = (n) => pick([{ content: Array.from({ length: n }, (_, i) => entry(i)) }, { topic: "t", content: JSON.stringify([entry(1)]) }, JSON.stringify({ content: [entry(2)] }), { 2: 1, content: [], 1: 1.5 }]);
  const args = (compress) => (compress ? folds(int(0, 3)) : pick([{}, { a: 1 }, '{"a": 1}', "", null, undefined, 5, [], [{ content: [] }]]));
  const entries = {}, rows = [];
  const ids = ["c1", "c2", "c3", "c4"];
  const plain = (a) => (!a ? "" : typeof a === "string" ? a : JSON.stringify(a));
  const own = () => (chance(0.7) ? tag() + "\n" : chance(0.3) ? tag() + " " : "");
  // what a kernel may have made of a call's text
  const rewritten = (t) => pick([t, t, t, t.replace(/"summary":"[^"]*"/, '"summary":"short…"'), '{"content":[]}', '{"content":5}', "{", "why {x}\n" + t, "why\n" + t, ' {"content": [1.0], "b":"\\u0041"} ']);
  for (let i = 0, n = int(1, 9); i < n; i++) {
    const id = pick([`e${i}`, `e${i}`, `e${i}`, `e${Math.max(0, i - 1)}`]);
    const kind = rnd();
    if (kind < 0.3) {
      const content = pick([text(), blocks(), blocks(), [{ type: "text", text: text() }], undefined, null]);
      entries[id] ??= { role: pick(["user", "user", "custom", "hookMessage"]), content, timestamp: i };
      rows.push({ id, role: "user", type: "text", text: own() + (chance(0.7) ? textOf(content) : prose()) });
    } else if (kind < 0.5) {
      const content = pick([text(), blocks(), blocks(), undefined]), call = pick(ids);
      entries[id] ??= { role: "toolResult", toolCallId: call, toolName: pick(["bash", "compress"]), content, isError: pick([true, false]), details: 1 };
      rows.push({ id, role: "tool", type: "tool-result", tool: "bash", call, text: own() + pick([textOf(content), prose(), "Compressed 3 messages into block b1"]) });
    } else if (kind < 0.55) {
      entries[id] ??= pick([{ type: "custom_message", id, customType: "x", content: text() }, { type: "custom_message", content: blocks() }, { role: "bashExecution", command: "pwd", output: "x" }]);
      rows.push({ id, role: "user", type: "text", text: own() + pick(["$ pwd\nx", prose()]) });
    } else if (kind < 0.6) {
      rows.push({ id: `acp_summary_b${i}`, role: "system", type: "text", text: "[Compressed conversation section]\n" + prose() });
    } else {
      const calls = Array.from({ length: pick([0, 1, 1, 1, 2, 3]) }, () => { const compress = chance(0.6); return { type: "toolCall", id: pick([...ids, ...ids, "", undefined]), name: compress ? "compress" : "bash", arguments: args(compress), ...(chance(0.3) ? { thoughtSignature: "z" } : {}) }; });
      entries[id] ??= { role: chance(0.95) ? "assistant" : "user", content: chance(0.05) ? prose() : [...blocks(), ...calls, ...(chance(0.2) ? blocks() : [])], model: "m" };
      if (calls.length === 0) rows.push({ id, role: "assistant", type: "text", text: own() + prose() });
      for (const c of calls) if (chance(0.85)) rows.push({ id: calls.length > 1 ? `${id}#${c.id ?? ""}` : id, role: "assistant", type: "tool-call", tool: c.name, ...(c.id ? { call: c.id } : {}), text: own() + (chance(0.2) ? "because\n" : "") + rewritten(plain(c.arguments)) });
    }
    if (chance(0.1)) rows.push({ id: pick(["gone", "gone#c1", "e0#c9", "#c1"]), role: "user", type: "text", text: "x" });
  }
  const rules = { summaries: pick(["skip", "emit"]), tags: pick(["snapshot", "raw"]), sync: pick(["off", "on", "on", "merged"]), reasoningDrop: pick([0, 0, 1, 20]) };
  return { rules, model: pick(["qwen", "qwen", "GLM-4", "a-Reasoner"]), entries: JSON.parse(JSON.stringify(entries)), messages: rows.filter((r) => r.text !== "" || chance(0.5)) };
}

const [, , command, a, b] = import.meta.url === `file://${process.argv[1]}` ? process.argv : [];
if (command === "cases")
  for (let i = Number(a); i <= Number(b); i++) {
    const g = generate(i), want = egress(g.rules, g.model, g.entries, g.messages);
    console.log(JSON.stringify({ name: `generated ${i}`, ...g, sent: want.map((w) => w.sent), rows: want.map((w) => w.rows), tokens: want.map((w) => w.tokens) }));
  }
