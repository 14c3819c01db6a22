#!/usr/bin/env node
// A second, independent reading of kernel.md 3, 4.6.1, 5 and 6 (applyCompression), which scans where the engine
// indexes, and a generator of odd sessions for it.
//   compress.mjs answer FILE          FILE with `want` and `stored` of every step worked out anew
//   compress.mjs generate FROM TO     cases for these seeds, with answers
// compress_random.jsonl is what `answer` makes of itself; its cases are a choice of generated ones.
import { readFileSync } from "node:fs";

const HEADER = "[Compressed conversation section]";
const RESERVED = "acp_summary_";
const NEVER_RECENT = ["decompress", "search_context", "read", "bash"];

// ---- 2: texts ----

const SPACE = "[\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";
const trim = (s) => s.replace(new RegExp(`^${SPACE}+|${SPACE}+$`, "g"), "");
const round = (x) => Math.floor(x + 0.5);

function counter(density) {
  return (s) => {
    let cjk = 0;
    for (let i = 0; i < s.length; i++) {
      const u = s.charCodeAt(i);
      if ((u >= 0x4e00 && u <= 0x9fff) || (u >= 0x3040 && u <= 0x30ff) || (u >= 0xac00 && u <= 0xd7af)) cjk++;
    }
    const raw = cjk + Math.ceil((s.length - cjk) / 4);
    return density === 1 ? raw : round(raw * density);
  };
}

// ---- 3: refs ----

function readBoundary(text) {
  const s = trim(text).replace(/[A-Z]/g, (c) => c.toLowerCase());
  let m = /^m0*([0-9]{1,5})$/.exec(s);
  if (m && Number(m[1]) >= 1) return { kind: "message", spelling: s, padded: "m" + String(Number(m[1])).padStart(5, "0") };
  m = /^b([0-9]{1,9})$/.exec(s);
  if (m && Number(m[1]) >= 1) return { kind: "block", spelling: s, id: "b" + Number(m[1]) };
  return null;
}

// ---- 4.1.1, 4.6, 1.6 ----

const isTool = (m) => m.type === "tool-call" || m.type === "tool-result";
const isCovered = (state, id) => state.blocks.some((b) => b.active && b.effectiveMessageIds.includes(id));
const isSummary = (m) => m.id.startsWith(RESERVED) && m.role === "system" && m.type === "text";

function isProtected(m, config) {
  if (!isTool(m) || !m.tool) return false;
  const named = (p) => (p.endsWith("*") ? m.tool.startsWith(p.slice(0, -1)) : m.tool === p);
  return m.tool === "compress" || config.protectedTools.some(named);
}

function recentZone(messages, state, config, count) {
  const skip = (m) => m.text.startsWith(HEADER) || isCovered(state, m.id);
  const ref = (m) => state.messageRefs.byRaw[m.id];
  const has = (m) => ref(m) !== undefined && ref(m) !== "" && ref(m) !== "BLOCKED";
  const visible = messages.filter((m) => !skip(m) && !(isTool(m) && NEVER_RECENT.includes(m.tool)) && has(m));
  const zone = new Set();
  const n = config.preserveRecentMessages;
  for (const m of n > 0 ? visible.slice(-n) : []) zone.add(ref(m));
  let sum = 0;
  for (const m of [...visible].reverse()) {
    if (!(sum < config.preserveRecentTokens)) break;
    zone.add(ref(m));
    sum += count(m.text);
  }
  const user = n > 0 ? [...messages].reverse().find((m) => m.role === "user" && !skip(m)) : undefined;
  if (user && has(user)) zone.add(ref(user));
  return zone;
}

// ---- 6 ----

const lastIndex = (messages, id) => messages.map((m) => m.id).lastIndexOf(id);
const firstText = (messages, id) => messages.find((m) => m.id === id)?.text ?? "";
const smallestRaw = (messages, block) => {
  const at = block.effectiveMessageIds.map((id) => lastIndex(messages, id)).filter((i) => i >= 0);
  return at.length ? Math.min(...at) : -1;
};
const summaryIndex = (messages, block) => lastIndex(messages, RESERVED + block.blockId);

function visibleAnchor(messages, block) {
  const at = summaryIndex(messages, block);
  return at >= 0 ? at : smallestRaw(messages, block);
}

function visibleIn(messages, block, a, b) {
  return [summaryIndex(messages, block), smallestRaw(messages, block)].some((i) => i >= a && i <= b);
}

function ownerAnchor(messages, state, ids) {
  const inherited = (block) =>
    block.directBlockIds
      .map((id) => state.blocks.find((b) => b.blockId === id))
      .some((child) => child && child.effectiveMessageIds.some((id) => ids.includes(id)));
  const at = state.blocks
    .filter((b) => b.active && inherited(b))
    .map((b) => visibleAnchor(messages, b))
    .filter((i) => i >= 0);
  return at.length ? Math.min(...at) : -1;
}

function anchor(messages, state, ref) {
  if (ref.kind === "message") {
    const byRef = state.messageRefs.byRef;
    const id = byRef[ref.spelling] ?? byRef[ref.padded];
    if (id === undefined) return { fault: "unknown", ref: ref.spelling };
    const at = lastIndex(messages, id);
    if (at >= 0) return { at };
    const owner = ownerAnchor(messages, state, [id]);
    return owner >= 0 ? { at: owner, snapped: "message", ref: ref.spelling } : { fault: "consumed", ref: ref.spelling, kind: "message-hidden" };
  }
  const block = state.blocks.find((b) => b.blockId === ref.id);
  if (!block) return { fault: "unknown", ref: ref.id };
  const at = visibleAnchor(messages, block);
  if (block.active && at >= 0) return { at };
  const owner = ownerAnchor(messages, state, block.effectiveMessageIds);
  if (owner >= 0) return { at: owner, snapped: "block", ref: ref.id };
  return { fault: "consumed", ref: ref.id, kind: block.active ? "block-invisible" : "block-inactive" };
}

function resolve(messages, state, range) {
  const start = readBoundary(range.start);
  const end = readBoundary(range.end);
  if (!start || !end) return { fault: "invalid" };
  const snaps = [];
  const at = [];
  for (const [name, ref] of [["start", start], ["end", end]]) {
    const a = anchor(messages, state, ref);
    if (a.fault) return { ...a, endpoint: name };
    if (a.snapped) snaps.push(`snapped-${a.snapped}{${name},${a.ref}}`);
    at.push(a.at);
  }
  const [s, e] = at[0] <= at[1] ? at : [at[1], at[0]];
  return {
    s,
    e,
    ids: messages.slice(s, e + 1).filter((m) => !isSummary(m)).map((m) => m.id),
    block: start.kind === "block" || end.kind === "block",
    nested: state.blocks.filter((b) => b.active && visibleIn(messages, b, s, e)),
    snaps,
  };
}

// ---- 5.9 ----

function toolPairs(messages, [s, e]) {
  const calls = messages.slice(s, e + 1).filter((m) => m.call && m.tool !== "compress").map((m) => m.call);
  const hit = (i) => messages[i].call !== undefined && calls.includes(messages[i].call);
  let to = e;
  for (let i = e + 1; calls.length && i <= Math.min(messages.length - 1, e + 20); i++) {
    if (hit(i)) to = i;
    else if (to !== e) break;
  }
  let from = s;
  for (let i = s - 1; calls.length && i >= Math.max(0, s - 20); i--) {
    if (hit(i)) from = i;
    else if (from !== s) break;
  }
  return [from, to];
}

function reasoningPairs(messages, [s, e]) {
  const speaks = (m) => m && m.role === "assistant" && (m.type === "text" || m.type === "tool-call");
  let from = s;
  let to = e;
  for (let i = s; i <= e; i++) {
    if (messages[i].type === "reasoning") {
      let j = i;
      while (j + 1 < messages.length && messages[j + 1].type === "reasoning") j++;
      if (speaks(messages[j + 1])) to = Math.max(to, j + 1);
    }
    if (speaks(messages[i])) {
      let r = i;
      while (r > 0 && messages[r - 1].type === "reasoning") r--;
      if (r < i) from = Math.min(from, r);
    }
  }
  return [from, to];
}

function widen(messages, interval) {
  for (let pass = 0; pass < 2; pass++) {
    const next = toolPairs(messages, reasoningPairs(messages, interval));
    if (next[0] === interval[0] && next[1] === interval[1]) break;
    interval = next;
  }
  return interval;
}

// ---- 5 ----

const copy = (x) => JSON.parse(JSON.stringify(x));
const number = (id) => (/^b[0-9]+$/.test(id) ? Number(id.slice(1)) : 0);
const byNumber = (blocks) => [...blocks].sort((a, b) => number(a.blockId) - number(b.blockId)).map((b) => b.blockId);
const take = (counters, name, prefix) => {
  const id = prefix + counters[name];
  counters[name] = Math.max(1, counters[name]) + 1;
  return id;
};
const span = (r) => `${r.start}..${r.end}`;

function fault(range, at) {
  if (at.fault === "invalid") return `[${span(range)}] invalid-ref`;
  if (at.fault === "unknown") return `[${span(range)}] ref-unknown{${at.endpoint},${at.ref}}`;
  return `[${span(range)}] ref-consumed/${at.kind}{${at.endpoint},${at.ref}}`;
}

function gate(ranges, asked, messages, state, min) {
  let chars = 0;
  let counted = 0;
  if (!(min > 0) || ranges.length === 0) return null;
  for (const a of asked) {
    if (a.fault || a.overlaps) continue;
    if (a.block) return null;
    counted++;
    for (const id of a.ids) chars += firstText(messages, id).length;
  }
  if (!(chars < min)) return null;
  const consumed = asked.findIndex((a) => a.fault === "consumed");
  if (!asked.some((a) => !a.fault) && consumed < 0 && asked.some((a) => a.fault === "unknown"))
    return `GATE all-unknown{ranges=${ranges.length}}`;
  if (consumed < 0) return `GATE too-small{chars=${chars}, ranges=${counted}, min=${min}}`;
  const live = byNumber(state.blocks.filter((b) => b.active));
  const ends = `${live[0] ?? "none"}..${live[live.length - 1] ?? "none"}`;
  return `GATE already-compressed{first=${span(ranges[consumed])}, chars=${chars}, min=${min}, live=${ends}}`;
}

// One range (5.6). Adds to out.errors or out.warnings, and to the blocks of the state.
function applyRange(range, messages, state, config, count, batch, out) {
  const at = resolve(messages, state, range);
  if (at.fault) return out.errors.push(fault(range, at));
  const error = (text) => out.errors.push(`[${span(range)}] ${text}`);
  let ids = at.ids;
  if (!at.block) {
    const wide = widen(messages, [at.s, at.e]);
    if (wide[0] !== at.s || wide[1] !== at.e) ids = messages.slice(wide[0], wide[1] + 1).map((m) => m.id);
  }
  ids = ids.filter((id) => !id.startsWith(RESERVED));
  const nested = [...at.nested];
  if (ids.length > at.ids.length) {
    const a = lastIndex(messages, ids[0]);
    const b = lastIndex(messages, ids[ids.length - 1]);
    for (const block of state.blocks)
      if (block.active && !nested.includes(block) && visibleIn(messages, block, a, b)) nested.push(block);
  }
  const tier = at.block && nested.length ? Math.min(...nested.map((b) => b.tier)) : 1;
  const consumed = nested.filter((b) => b.active && b.tier === tier);
  const all = new Set(ids);
  for (const b of consumed) for (const id of b.effectiveMessageIds) all.add(id);
  let effective = [...all];
  let direct = effective.filter((id) => !batch.coverage.has(id));
  const message = (id) => messages.find((m) => m.id === id);
  const guarded = (id) => {
    const m = message(id);
    return m && (isProtected(m, config) || (m.type === "tool-result" && m.call && batch.calls.has(m.call)));
  };
  const drop = (gone) => {
    direct = direct.filter((id) => !gone.includes(id));
    effective = effective.filter((id) => !gone.includes(id));
  };
  drop(direct.filter(guarded));
  const refOf = (id) => state.messageRefs.byRaw[id];
  const hits = direct.filter((id) => refOf(id) !== undefined && refOf(id) !== "BLOCKED" && batch.zone.has(refOf(id)));
  const refs = hits.map(refOf);
  drop(hits);
  if (hits.length && !direct.length && !consumed.length)
    return error(`entirely-protected{recentN=${config.preserveRecentMessages}, refs=${refs.join(", ")}}`);
  if (!at.block && !direct.length && consumed.length) {
    const sorted = byNumber(consumed);
    const named = consumed.map((b) => b.blockId).join(",");
    return error(`no-new-content{blocks=${named}, first=${sorted[0]}, last=${sorted[sorted.length - 1]}}`);
  }
  const length = trim(range.summary).length;
  const { minSummaryLength: least, maxSummaryLength } = config.compress;
  const most = range.max !== undefined ? range.max : maxSummaryLength;
  if (length === 0) return error("summary-empty");
  if (least > 0 && length < least) return error(`summary-too-short{len=${length},min=${least}}`);
  if (most > 0 && length > most) return error(`summary-too-long{len=${length},max=${most}}`);
  if (!direct.length && !consumed.length) return error("nothing-compressible");
  if (hits.length) out.warnings.push(`protected-excluded{n=${hits.length}, refs=${refs.join(", ")}}`);
  const tokens =
    direct.reduce((sum, id) => sum + count(firstText(messages, id)), 0) +
    consumed.reduce((sum, b) => sum + count(b.summary), 0);
  state.blocks.push({
    blockId: take(state, "nextBlockId", "b"),
    runId: batch.run,
    tier: at.block ? Math.min(3, tier + 1) : 1,
    ...(range.topic !== undefined && { topic: range.topic }),
    summary: range.summary,
    directMessageIds: direct,
    effectiveMessageIds: effective,
    directBlockIds: consumed.map((b) => b.blockId),
    compressedTokens: tokens,
    createdAt: 0,
    survivedCount: 0,
    generation: "young",
    active: true,
    ...(range.call !== undefined && { compressCallId: range.call }),
    startRef: range.start,
    endRef: range.end,
  });
  for (const b of consumed) b.active = false;
  out.created++;
  out.tokens += tokens;
}

function markOverlaps(asked) {
  const ok = asked.filter((a) => !a.fault).sort((a, b) => a.s - b.s);
  let last = -1;
  for (const a of ok) {
    a.overlaps = a.s <= last;
    if (!a.overlaps) last = Math.max(last, a.e);
  }
  return ok.filter((a) => a.overlaps);
}

// Returns what came of it and the state afterwards; the given one is left alone.
function apply(ranges, messages, before, config, density, protect) {
  const state = copy(before);
  const count = counter(density);
  const out = { created: 0, tokens: 0, errors: [], warnings: [] };
  const batch = {
    zone: protect ? new Set(protect) : recentZone(messages, state, config, count),
    coverage: new Set(state.blocks.filter((b) => b.active).flatMap((b) => b.effectiveMessageIds)),
    calls: new Set(messages.filter((m) => m.call && isProtected(m, config)).map((m) => m.call)),
    run: take(state, "nextRunId", "r"),
  };
  const asked = ranges.map((r, index) => ({ ...resolve(messages, state, r), index }));
  for (const a of markOverlaps(asked)) out.warnings.push(`overlap-skipped{${span(ranges[a.index])}}`);
  const turnedAway = gate(ranges, asked, messages, state, config.compress.minCompressRange);
  if (turnedAway) {
    const unreadable = asked.filter((a) => a.fault && a.fault !== "consumed").map((a) => fault(ranges[a.index], a));
    return { out: { ...out, warnings: [], errors: [turnedAway, ...unreadable] }, state: before };
  }
  for (const a of asked) {
    const range = ranges[a.index];
    if (a.fault === "consumed") out.warnings.push(`consumed-skipped{${span(range)}}`);
    else if (a.fault) out.errors.push(fault(range, a));
    else if (!a.overlaps) {
      out.warnings.push(...a.snaps);
      applyRange(range, messages, state, config, count, batch, out);
    }
  }
  state.stats.compressionCount += out.created;
  state.stats.tokensCompressed += out.tokens;
  if (out.created > 0) Object.assign(state.nudge, { lastPerMessageNudgeTokens: 0, lastNudgeShownTokens: 0, lastShownByTier: {} });
  return { out, state };
}

// ---- cases (tests/fixture.h) ----

// <c*N> stands for N times c
const expand = (s) => s.replace(/<([\x20-\x7e])\*([0-9]+)>/g, (_, c, n) => c.repeat(Number(n)));

function stateOf(one) {
  const short = ["id", "eff", "direct", "kids", "tok", "sum"];
  const blocks = one.blocks.map((b) => ({
    blockId: b.id,
    runId: "r1",
    tier: 1,
    summary: "sum",
    directMessageIds: b.direct ?? b.eff ?? [],
    effectiveMessageIds: b.eff ?? [],
    directBlockIds: b.kids ?? [],
    compressedTokens: b.tok ?? 1,
    createdAt: 0,
    survivedCount: 0,
    generation: "young",
    active: true,
    ...Object.fromEntries(Object.entries(b).filter(([k]) => !short.includes(k))),
  }));
  return { blocks, stats: { tokensCompressed: 0, compressionCount: 0 }, ...copy(one.state) };
}

const messageOf = (m) => ({ role: "user", type: "text", ...m, text: expand(m.text ?? "") });

function answer(one) {
  const messages = one.messages.map(messageOf);
  let state = stateOf(one);
  const steps = one.steps.map((step) => {
    const ranges = step.ranges.map((r) => ({ ...r, summary: expand(r.summary) }));
    const done = apply(ranges, messages, state, one.config, step.density ?? 1, step.protect);
    state = done.state;
    const { out } = done;
    const { blocks, nudge, stats, nextBlockId, nextRunId } = state;
    const { want: _, stored: __, ...given } = step;
    return {
      ...given,
      want: `created=${out.created} tokens=${out.tokens}; errors=[${out.errors.join("; ")}]; warnings=[${out.warnings.join("; ")}]`,
      stored: copy({ blocks, nudge, stats, nextBlockId, nextRunId }),
    };
  });
  return { ...one, steps };
}

// ---- generator ----

function random(seed) {
  let x = BigInt(seed) * 0x9e3779b97f4a7c15n + 1n;
  return (n) => {
    x = BigInt.asUintN(64, x ^ (x << 13n));
    x ^= x >> 7n;
    x = BigInt.asUintN(64, x ^ (x << 17n));
    return Number(x % BigInt(n));
  };
}

const TEXTS = ["", "x", "hello world", "<y*37>", "<z*400>", "\u6c49\u5b57\u304b\u306a\ud55c\uae00 mixed", "\ud83d\ude00\ud83d\ude00", "tail \ud83d", HEADER + " fake"];
const SUMMARIES = ["summary", "a summary that is longer than twenty", "  ", "s", "\u6458\u8981 of it, with words"];
const TOOLS = [undefined, "read", "write", "skill", "skill-git", "compress", "bash"];
const KINDS = [["user", "text"], ["assistant", "text"], ["assistant", "reasoning"], ["assistant", "tool-call"], ["tool", "tool-result"], ["user", "tool-result"], ["system", "text"]];

function generate(seed) {
  const draw = random(seed);
  const pick = (list) => list[draw(list.length)];
  const n = 4 + draw(12);
  const blocksN = draw(5);
  const messages = [];
  for (let i = 0; i < n; i++) {
    const [role, type] = pick(KINDS);
    const id = draw(12) === 0 && blocksN ? `${RESERVED}b${1 + draw(blocksN)}` : draw(15) === 0 && i ? messages[draw(i)].id : `i${i}`;
    const m = { id, text: pick(TEXTS) };
    if (role !== "user") m.role = role;
    if (type !== "text") m.type = type;
    const tool = type.startsWith("tool") ? pick(TOOLS) : undefined;
    if (tool) m.tool = tool;
    if (type.startsWith("tool") && draw(6)) m.call = `c${draw(4)}`;
    messages.push(m);
  }
  const gone = ["gone1", "gone2"]; // ids the host's list has no longer
  const byRaw = {};
  const byRef = {};
  for (const id of [...messages.map((m) => m.id), ...gone]) {
    if (byRaw[id] || draw(12) === 0) continue;
    if (draw(12) === 0) {
      byRaw[id] = "BLOCKED";
      continue;
    }
    const ref = "m" + String(Object.keys(byRef).length + 1).padStart(5, "0");
    byRaw[id] = ref;
    byRef[ref] = id;
  }
  const known = [...new Set(messages.map((m) => m.id).filter((id) => !id.startsWith(RESERVED))), ...gone];
  const blocks = [];
  for (let i = 1; i <= blocksN; i++) {
    const from = draw(known.length);
    const eff = known.slice(from, from + draw(4));
    if (draw(3) === 0) eff.push(...gone.filter((id) => draw(2) && !eff.includes(id)));
    const kids = blocks.filter(() => draw(3) === 0).map((b) => b.id);
    for (const kid of kids) for (const id of blocks.find((b) => b.id === kid).eff) if (!eff.includes(id)) eff.push(id);
    for (const b of blocks) if (kids.includes(b.id)) b.active = false;
    blocks.push({ id: `b${i}`, eff, direct: eff.filter(() => draw(4)), kids, tier: 1 + draw(3), active: draw(5) > 0, summary: pick(["sum", "a longer summary of 33 units....."]) });
  }
  const ref = () => (draw(8) === 0 ? pick(["m", "m99999", "b9", " M00001 ", "x1", "m1"]) : draw(4) === 0 && blocksN ? `b${1 + draw(blocksN + 1)}` : `m${String(1 + draw(n + 2)).padStart(5, "0")}`);
  const range = () => {
    const r = { start: ref(), end: ref(), summary: pick(SUMMARIES) };
    if (draw(6) === 0) r.topic = "T";
    if (draw(6) === 0) r.call = `k${draw(3)}`;
    if (draw(10) === 0) r.max = pick([0, -1, 3, 20]);
    return r;
  };
  const step = () => {
    const s = { ranges: Array.from({ length: 1 + draw(3) }, range) };
    if (draw(12) === 0) s.density = pick([0.5, 1.25, 2]);
    if (draw(12) === 0) s.protect = draw(2) ? [] : [`m${String(1 + draw(n)).padStart(5, "0")}`];
    return s;
  };
  return {
    name: `oracle ${seed}`,
    config: {
      protectedTools: pick([[], ["skill"], ["skill*"], ["*"]]),
      preserveRecentMessages: pick([0, 0, 1, 3]),
      preserveRecentTokens: pick([0, 5, 100]),
      compress: { minCompressRange: pick([0, 0, 20, 100, 500]), maxSummaryLength: pick([0, 20]), minSummaryLength: pick([0, 5]) },
    },
    state: {
      messageRefs: { byRaw, byRef },
      nudge: { lastPerMessageNudgeTokens: 5, lastNudgeShownTokens: 7, baselineTokens: 0, anchors: {}, lastShownByTier: { 2: 4 } },
      nextBlockId: blocksN + 1,
      nextRunId: 3,
    },
    blocks,
    messages,
    steps: Array.from({ length: 1 + draw(2) }, step),
  };
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
  console.error("usage: compress.mjs answer FILE | generate FROM TO");
  process.exitCode = 2;
}
