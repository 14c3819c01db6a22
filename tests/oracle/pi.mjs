#!/usr/bin/env node
// A second, independent reading of pi.md 1 and 3 (Pi session file -> records), and a generator of Pi files.
//   pi.mjs project FILE        one line a record, for comparing with `convert`
//   pi.mjs generate SEED       a Pi session file
//   pi.mjs cases FROM TO       the lines of recording_pi_generated.jsonl for these seeds
import { readFileSync } from "node:fs";

const SPACE = "[\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";
const TAG = `(?:<acp${SPACE}[^>]*>m[0-9]{5}</acp>|\\[m[0-9]{1,5}\\])`;
const LEADING = new RegExp(`^${TAG}${SPACE}?\\n?`);
const TRAILING = new RegExp(`\\n*${TAG}${SPACE}*$`);
const strip = (t) => t.replace(LEADING, "").replace(TRAILING, "");

function textOf(content) {
  if (typeof content === "string") return strip(content);
  if (!Array.isArray(content)) return "";
  return content.filter((b) => b && b.type === "text" && typeof b.text === "string").map((b) => strip(b.text)).join("\n");
}
const argsText = (a) => (!a ? "" : typeof a === "string" ? a : JSON.stringify(a));
const str = (x) => (typeof x === "string" ? x : "");

// rows of one entry, as pi.md 3.4
function project(e) {
  if (e.type === "custom_message") {
    if (["acp-status", "acp-export", "acp-rule"].includes(e.customType)) return [];
    const text = textOf(e.content);
    return text ? [{ id: e.id, role: "user", contentType: "text", text }] : [];
  }
  if (e.type !== "message" || !e.message || typeof e.message !== "object" || Array.isArray(e.message)) return [];
  const m = e.message;
  if (m.role === "user") return [{ id: e.id, role: "user", contentType: "text", text: textOf(m.content) }];
  if (m.role === "toolResult") return [{ id: e.id, role: "tool", contentType: "tool-result", toolName: str(m.toolName), toolCallId: str(m.toolCallId), text: textOf(m.content) }];
  if (m.role === "assistant") {
    const x = textOf(m.content);
    const calls = Array.isArray(m.content) ? m.content.filter((b) => b && b.type === "toolCall" && typeof b.name === "string" && b.name) : [];
    if (calls.length === 0) return x.trim() === "" ? [] : [{ id: e.id, role: "assistant", contentType: "text", text: x }];
    const row = (c, id, text) => ({ id, role: "assistant", contentType: "tool-call", toolName: c.name, toolCallId: str(c.id), text });
    if (calls.length === 1) return [row(calls[0], e.id, [x, argsText(calls[0].arguments)].filter((t) => t !== "").join("\n"))];
    return calls.map((c) => row(c, `${e.id}#${str(c.id)}`, argsText(c.arguments) || x));
  }
  let text = textOf(m.content);
  if (text === "") text = [str(m.command) ? `$ ${m.command}` : "", textOf(m.output), str(m.summary)].filter((t) => t !== "").join("\n").trim();
  return text === "" ? [] : [{ id: e.id, role: "user", contentType: "text", text }];
}

export function records(bytes, leafId) {
  const objects = [];
  for (const line of bytes.split("\n")) {
    try { const o = JSON.parse(line); if (o && typeof o === "object" && !Array.isArray(o)) objects.push(o); } catch { /* damaged */ }
  }
  const version = objects[0].version ?? 1;
  let entries = objects.map((o, n) => ({ o, n })).slice(1).filter(({ o }) => o.type !== "session");
  if (version < 2) {
    let before = null;
    entries = entries.map(({ o, n }) => { const e = { ...o, id: `v1-${n}`, parentId: before }; before = e.id; if (o.type === "compaction") e.firstKeptEntryId = o.firstKeptEntryIndex > 0 ? `v1-${o.firstKeptEntryIndex}` : undefined; return e; });
  } else entries = entries.map(({ o }) => o).filter((o) => typeof o.id === "string" && o.id);
  const index = new Map(entries.map((e) => [e.id, e]));
  let at = leafId ? index.get(leafId) : entries[entries.length - 1];
  const path = [];
  while (at && !path.includes(at)) { path.unshift(at); at = at.parentId ? index.get(at.parentId) : undefined; }

  const out = [], rows = [], calls = new Map(), answered = new Set();
  let userTurn = 0;
  path.forEach((e, i) => {
    const m = e.message ?? {};
    const own = project(e);
    if (e.type === "model_change" && typeof e.modelId === "string") out.push({ type: "model", model: e.modelId });
    if (e.type === "compaction") {
      const tail = Array.isArray(e.retainedTail) && e.retainedTail.length > 0;
      const k = tail ? -1 : path.findIndex((p, j) => j < i && p.id === e.firstKeptEntryId);
      out.push({ type: "keep", from: k < 0 ? null : (rows.find((r) => r.at >= k)?.id ?? null) });
    }
    if (e.type === "message" && m.role === "user") userTurn++;
    if (e.type === "message" && m.role === "assistant") {
      const u = m.usage && typeof m.usage === "object" ? m.usage : {};
      const n = (x) => (typeof x === "number" ? x : 0);
      const usage = { input: n(u.input), output: n(u.output), cacheRead: n(u.cacheRead), cacheWrite: n(u.cacheWrite) };
      const size = n(u.totalTokens) || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
      // a prompt of size 0 is not known
      if (usage.input + usage.cacheRead + usage.cacheWrite === 0) usage.input = usage.cacheRead = usage.cacheWrite = null;
      out.push({ type: "turn", usage: size ? usage : null, model: str(m.model), stopReason: str(m.stopReason), userTurn });
      for (const b of Array.isArray(m.content) ? m.content : []) if (b && b.type === "toolCall" && typeof b.name === "string" && b.name) calls.set(str(b.id), b);
    }
    if (e.type === "message" && m.role === "toolResult") {
      const id = str(m.toolCallId), call = calls.get(id), isCompress = call?.name === "compress";
      if ((typeof m.toolName === "string" ? m.toolName === "compress" : isCompress) && isCompress && !answered.has(id)) {
        answered.add(id);
        const panel = /, ([0-9]+) blocks?\)/.exec(textOf(m.content));
        const outcome = m.isError === true ? { applied: false, blocks: null } : panel ? { applied: Number(panel[1]) >= 1, blocks: Number(panel[1]) } : null;
        out.push({ type: "compress", callId: id, args: call.arguments ?? null, outcome });
      }
    }
    for (const r of own) { rows.push({ id: r.id, at: i }); out.push({ type: "message", ...r }); }
  });
  return out;
}

// --- generator: valid and odd Pi files, deterministic for a seed ---
export function generate(seed) {
  let s = (seed * 2654435761) >>> 0;
  const rnd = () => { s = (s + 0x6d2b79f5) >>> 0; let t = s; t = Math.imul(t ^ (t >>> 15), t | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const int = (a, b) => a + Math.floor(rnd() * (b - a + 1));
  const pick = (a) => a[int(0, a.length - 1)];
  const chance = (p) => rnd() < p;
  const tag = () => pick(['<acp tokens="2" type="text">m00001</acp>', "<acp x>m12345</acp>", "[m12]", "[m00012]", "<acp >m1234</acp>", "[m123456]", "<acp\u00a0a>m00002</acp>", "<acp <acp b>m00003</acp>"]);
  const words = ["alpha", "缓存", "beta\n", "\"q\"", "\\", "\u0000", "\ud800", "😀", "```", "[truncated for context space]", "é", " ", "\t", "\u3000"];
  const prose = () => Array.from({ length: int(0, 8) }, () => pick(words)).join(pick(["", " ", "\n"]));
  const text = () => { let t = prose(); if (chance(0.2)) t = tag() + pick(["", " ", "\n", "\n\n", "\u00a0\n"]) + t; if (chance(0.2)) t += pick(["", "\n", "\n\n", " "]) + tag() + pick(["", "\n", " \n\u2003"]); return t; };
  const block = () => pick([{ type: "text", text: text() }, { type: "text", text: text() }, { type: "image", data: "aGk=", mimeType: "image/png" }, { type: "thinking", thinking: prose() }, { type: "text" }, null, 7, { type: "text", text: 5 }]);
  const content = () => pick([text(), [{ type: "text", text: text() }], Array.from({ length: int(0, 3) }, block), Array.from({ length: int(0, 3) }, block), undefined, null]);
  const args = () => pick([{}, { a: 1, b: [1.5, "x" + prose()] }, { 10: 1, 2: 2, z: null }, "", '{"a": 1}', prose(), null, undefined, 0, false, true, 42, [], [{ b: "一" }]]);
  let calls = [], open = [];
  const call = () => { const compress = chance(0.25); const c = { type: "toolCall", id: pick([`c${int(1, 40)}`, `c${int(1, 40)}`, undefined, ""]), name: compress ? "compress" : pick(["bash", "read", "", undefined, "edit"]), arguments: compress ? { content: [{ startId: "m00001", endId: "m00002", summary: prose() }] } : args() }; if (c.name) { calls.push(c); open.push(c); } return c; };
  const usage = () => pick([{ input: int(0, 9), output: 1, cacheRead: int(0, 99), cacheWrite: 0, totalTokens: 5 }, { input: 3 }, undefined, 7, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }, { totalTokens: 9 }]);
  const message = () => {
    const r = rnd();
    if (open.length && r < 0.35) { const c = open.shift(); return { role: "toolResult", toolCallId: chance(0.95) ? c.id : "nowhere", toolName: chance(0.8) ? c.name : undefined, content: chance(0.5) && c.name === "compress" ? [{ type: "text", text: pick(["▣ ACP | 4.2K → 0.9K tokens (~3.3K reclaimed, 1 block)", "▣ ACP | 9 → 9 tokens (~0 reclaimed, 0 blocks)", "▣ ACP | 90K → 9K tokens (~81K reclaimed, 12 blocks)\n⚠️ x"]) }] : content(), isError: pick([true, false, false, undefined]) }; }
    if (calls.length && r < 0.38) return { role: "toolResult", toolCallId: pick(calls).id, toolName: "compress", content: content() };
    if (r < 0.65) return { role: "assistant", content: [...Array.from({ length: int(0, 2) }, block), ...Array.from({ length: pick([0, 1, 1, 2, 3]) }, call)], model: pick(["m1", "m2", undefined]), usage: usage(), stopReason: pick(["stop", "toolUse", "aborted", undefined]) };
    if (r < 0.85) return { role: "user", content: content() };
    if (r < 0.92) return { role: "bashExecution", command: pick(["ls", "", undefined]), output: pick([text(), "", undefined]), summary: pick([undefined, "s", " "]), excludeFromContext: pick([true, undefined]) };
    return { role: pick(["custom", "hookMessage", "system", undefined]), content: content(), command: pick([undefined, "x"]) };
  };
  const version = pick([1, 2, 3, 3]);
  const header = { type: "session", ...(version > 1 ? { version } : {}), id: `s${seed}`, timestamp: "2026-05-12T01:02:27.657Z", cwd: "/x" };
  const ids = [], lines = [JSON.stringify(header)];
  let leaf = null;
  for (let i = 1, n = int(3, 30); i <= n; i++) {
    const r = rnd();
    let e = r < 0.75 ? { type: "message", message: chance(0.02) ? pick([null, [], "x"]) : message() }
      : r < 0.8 ? { type: "model_change", provider: "p", modelId: pick(["m1", "m3", 4]) }
      : r < 0.85 ? { type: "custom_message", customType: pick(["acp-status", "x", "acp-rule"]), content: content(), display: true }
      : r < 0.92 ? { type: "compaction", summary: "S", tokensBefore: 9, firstKeptEntryId: ids.length ? pick([...ids, "none"]) : undefined, firstKeptEntryIndex: pick([0, int(1, 40), 1.5, undefined]), retainedTail: pick([undefined, undefined, [], [{ role: "user" }]]) }
      : pick([{ type: "branch_summary", fromId: "x", summary: "y" }, { type: "label", targetId: "x" }, { type: "strange" }, { type: "session", id: "again" }]);
    if (version > 1) { e = { ...e, id: chance(0.03) ? pick([undefined, 5, ""]) : chance(0.03) && ids.length ? pick(ids) : `e${i}`, parentId: leaf }; }
    e.timestamp = "2026-05-12T01:02:27.657Z";
    if (e.type !== "session" && typeof e.id === "string" && e.id) { ids.push(e.id); leaf = chance(0.08) ? pick(ids) : e.id; }
    lines.push(JSON.stringify(e));
    if (chance(0.03)) lines.push(pick(["", "{\"type\":\"message\",", "7", "[]", "  ", "null"]));
  }
  return lines.join("\n") + (chance(0.8) ? "\n" : "");
}

const [, , command, a, b] = import.meta.url === `file://${process.argv[1]}` ? process.argv : [];
if (command === "project") for (const r of records(readFileSync(a, "utf8"), b)) console.log(JSON.stringify(r));
if (command === "generate") process.stdout.write(generate(Number(a)));
if (command === "cases") for (let i = Number(a); i <= Number(b); i++) { const file = generate(i); console.log(JSON.stringify({ name: `generated ${i}`, file, records: records(file) })); }
