// Figures of the panes that are the kernel's alone: rows, ranges, blocks, nudge, status.
import { byShape, cells, claim, claimAny, claimBreak, claimText, fault, isBreak, share } from "./figures.mjs";

const sum = (list, f) => list.reduce((n, x) => n + (f(x) ?? 0), 0);
const known = (x) => (x === null ? undefined : x);
const round = (x) => Math.floor(x + 0.5);


/* ---- rows ---- */

const ROWS = ["ref", "class", "role", "kind", "tool", ">raw est|cal est:8", ">tag", "flags", ">line", "text"];

/** "T1 12 rows 3.4K -> 210 m00042 · topic · summary": figures before the first dot. */
function summary(cell, block, row) {
  claim(cell.split(" · ")[0], ["T" + block.tier, block.effective, known(block.in), row.tokens, row.ref || undefined]);
}

/** The prefix breaks before the first message that is another one: it is made of the row behind the rule. */
function breaksAt(lines, { t, x }) {
  const at = lines.findIndex(isBreak);
  const broken = t.prefix?.break && t.prefix.break.cause !== "first";
  if (at < 0 !== !(broken && x.rows.length > 0)) fault(lines[0], broken ? "no rule where the prefix breaks" : "no prefix breaks here");
  if (at < 0) return;
  claimBreak(lines[at], t);
  if (!lines[at].includes(t.prefix.break.cause)) fault(lines[at], `the cause is ${t.prefix.break.cause}`);
  const first = x.request?.find((m) => m.state !== "same" && m.state !== "removed");
  const whole = ["model", "system"].includes(t.prefix.break.cause);
  if (whole ? at !== 0 : first?.ref && !lines.slice(at + 1, at + 4).some((line) => line.includes(first.ref))) fault(lines[at], `should stand before ${first?.ref}`);
}

function paintedRow(caption, line, row, byNumber) {
  const c = cells(caption, line, ROWS);
  const block = row.block === null ? null : byNumber.get(row.block);
  const covered = row.covered === null ? null : byNumber.get(row.covered);
  claimText(c.ref, block ? block.id : row.ref || "-");
  claim(c["raw est"], [row.tokens]);
  claim(c.tag, [known(row.tag)]);
  claimText(c.flags.replace(/^.*C/, ""), covered && c.flags.includes("C") ? covered.id : c.flags.replace(/^.*C/, "").trim());
  if (!c.flags.includes("C")) claim(c.flags, []);
  claim(c.line, [row.line || undefined]);
  if (block) summary(c.text, block, row);
}

function rows(context, pane) {
  const { x } = context;
  const byNumber = new Map(x.blocks.map((b) => [b.block, b]));
  const lines = pane.lines.filter((line) => !isBreak(line));
  breaksAt(pane.lines, context);
  if (lines.length !== x.rows.length && x.rows.length > 0) fault("", `${x.rows.length} rows`);
  claim(pane.caption.replace(/since turn \d+/, ""), []);
  lines.forEach((line, i) => {
    const row = x.rows[i];
    if (!row) return claim(line, []);
    paintedRow(pane.caption, line, row, byNumber);
  });
}

/* ---- ranges ---- */

const RANGES = ["kind", "refs", ">rows:6", ">raw est|cal est", ">units", ">short", ">tool", "alone"];

function answer(text, a, run) {
  if (a.accepted)
    return claim(text, [a.tier, a.direct, a.tokens, a.excluded || undefined, a.consumed || undefined]);
  claimAny(text, [run.minRange - a.units, a.units, run.minRange, a.direct, a.excluded, a.consumed]);
}

function ranges({ run, t, x }, pane) {
  const list = x.ranges ?? [];
  const offered = list.filter((r) => r.kind === "recommended" || r.kind === "too small");
  const of = (kind) => list.filter((r) => r.kind === kind);
  /* what the pane lists is what the trace offers */
  t.recommended?.forEach((r, i) => {
    const o = offered[i] ?? {};
    if (r.startRef !== o.start || r.endRef !== o.end || r.count !== o.count || r.tokens !== o.tokens || r.chars !== o.chars)
      fault(JSON.stringify(o), `the trace has ${JSON.stringify(r)}`);
  });
  t.protected?.forEach((r, i) => {
    const o = of("protected")[i] ?? {};
    if (r.startRef !== o.start || r.endRef !== o.end || r.count !== o.count || r.tokens !== o.tokens)
      fault(JSON.stringify(o), `the trace has ${JSON.stringify(r)}`);
  });
  let heads = pane.lines.length - list.length;
  pane.lines.forEach((line, i) => {
    if (i < heads)
      return byShape(line, [
        [/^\d.* in /, () =>
          claim(line, [
            x.groups,
            offered.length,
            line.includes("of at least") ? run.minRange : undefined,
            of("protected").length,
            of("recent").length,
          ])],
        [/^alone: /, () => claim(line, [x.summary])],
        [/ref-capacity/, () => claim(line, [99999])],
      ]);
    const r = list[i - heads];
    const c = cells(pane.caption, line, RANGES);
    claimText(c.refs, r.start === r.end ? r.start : `${r.start}..${r.end}`);
    claim(c.rows, [r.count]);
    claim(c["raw est"], [r.tokens]);
    claim(c.units, [known(r.chars)]);
    claim(c.short, [/\d/.test(c.short) || r.kind === "too small" ? run.minRange - r.chars : undefined]);
    claim(c.tool, [r.toolPct < 0 ? undefined : share(r.toolPct / 100)]);
    answer(c.alone, r.answer, run);
  });
}

/* ---- blocks ---- */

const BLOCKS = ["block", "T", "state", ">raw in:9", ">raw out|cal out", ">net", ">raw args", ">rows", ">age", ">survd", "refs written", "call", "topic"];

/** Net gains of a call's blocks are that of the call; arguments of active blocks' calls those of the trace. */
function gains({ t, x, trace }) {
  for (const [i, c] of trace.compressions.entries()) {
    const own = x.blocks.filter((b) => b.record === i);
    if (c.applied && own.length === c.blocksCreated && own.length > 0 && Math.abs(sum(own, (b) => b.net) - c.net) > own.length - 1)
      fault(JSON.stringify(own), `the net gain of ${c.callId} is ${c.net}`);
  }
  const calls = new Map(x.blocks.filter((b) => b.state === "active" && b.arguments !== null).map((b) => [b.call, b]));
  const weights = [sum([...calls.values()], (b) => b.arguments), sum([...calls.values()], (b) => b.slimmed)];
  /* a message with several calls would be counted for each of them */
  if (t.anchors && t.anchors.live === calls.size && (weights[0] < t.anchors.argTokens || weights[1] < t.anchors.slimmedTokens))
    fault(JSON.stringify(weights), `the trace has ${JSON.stringify(t.anchors)}`);
}

function blocks(context, pane) {
  const { t, x } = context;
  gains(context);
  const active = x.blocks.filter((b) => b.state === "active");
  const tiers = [1, 2, 3].filter((n) => active.some((b) => b.tier === n));
  for (const b of t.blocks ?? []) {
    const own = x.blocks.find((o) => o.id === b.blockId && o.tier === b.tier && o.survived === b.survivedCount) ?? {};
    if ((own.state === "active") !== b.active || own.effective !== b.effective || (own.in ?? 0) !== (b.compressedTokens ?? 0))
      fault(JSON.stringify(own), `the trace has ${JSON.stringify(b)}`);
  }
  pane.lines.forEach((line, i) => {
    if (i === 0) {
      if (x.blocks.length === 0) return claim(line, []);
      const sums = active.length ? [sum(active, (b) => b.in), sum(active, (b) => b.out)] : [];
      const each = tiers.flatMap((n) => ["T" + n, active.filter((b) => b.tier === n).length]);
      return claim(line, [active.length, x.blocks.length, ...sums, ...each]);
    }
    const b = x.blocks[i - 1];
    const c = cells(pane.caption, line, BLOCKS);
    claimText(c.block.replace(/^[^\w]*/, ""), b.id);
    claim(c.T, ["T" + b.tier]);
    claim(c["raw in"], [known(b.in)]);
    claim(c["raw out"], [b.out]);
    claim(c.net, [known(b.net)]);
    claim(c["raw args"].replace("→", " "), [known(b.arguments), known(b.slimmed)]);
    claim(c.rows.replace("/", " "), [b.present, b.effective]);
    claim(c.age, [known(b.age)]);
    claim(c.survd, [b.survived]);
    claimText(c["refs written"], b.start && b.end ? `${b.start}..${b.end}` : "-");
    claimText(c.call, b.call || "-");
  });
}

/* ---- nudge ---- */

const STAMPS = { baseline: ["baseline", "baseline"], "nudge shown": ["shown", "lastShown"] };

/** "path = value (source)": members of the configuration. */
function config(line, run) {
  return line.replace(/([A-Za-z][\w.]+) = ([^ ;]+) \([^)]*\)/g, (whole, path, value) => {
    const want = path === "modelContextLimit" ? String(run.limit) : run.config[path];
    if (want !== undefined && want !== value) fault(whole, `${path} is ${want}`);
    else if (want === undefined) fault(whole, `no member ${path}`);
    return "";
  });
}

const COMPARED = {
  "T1 ranges": "P1 >= G",
  "T2 blocks": "P2 >= D",
  "T2 above T1": "P2 > P1",
  "T3 blocks": "P3 >= D",
  "T3 above T2": "P3 > P2",
  "T3 above T1": "P3 > P1",
};
const PILES = ["P1 ranges", "P2 tier-1 blocks", "P3 tier-2 blocks"];

function gate(line, run, gates) {
  const g = gates.find((o) => line.slice(2).startsWith(o.name));
  if (!g) return fault(line, "no such gate");
  const rest = config(line, run).replace(g.name, "").replace(COMPARED[g.name], "");
  const side = (x) => (x === null || g.name === "tiers enabled" ? undefined : /%/.test(rest) ? share(x) : x);
  claim(rest, [side(g.has), side(g.needs)]);
}

const STAMPS_SHOWN = ["baseline", "nudge shown", "T1 shown", "T2 shown", "T3 shown"];

function stamp(line, name, nth, { t, x }) {
  if (name !== STAMPS_SHOWN[nth]) fault(line, `should be ${STAMPS_SHOWN[nth]}`);
  const tier = /^T(\d)/.exec(name);
  const before = tier ? x.before["t" + tier[1]] : x.before[STAMPS[name][0]];
  const after = tier ? (t.nudgeState.byTier[tier[1]] ?? 0) : t.nudgeState[STAMPS[name][1]];
  claim(line.slice(name.length), [before || undefined, after || undefined, before ? t.tokenCount - before : undefined]);
}

function nudge(context, pane) {
  const { run, t, x } = context;
  const n = t.nudge?.breakdown;
  if (!n) return pane.lines.forEach((line) => byShape(line, [[/^usage/, () => {}], [/over.*emergency/, () => {}], [/ref-capacity/, () => {}]]));
  const c = t.nudge.context;
  const rows = c.system + c.tool + c.summaries + c.code + c.text;
  const distill = x.gates.find((g) => g.name === "T2 blocks").needs;
  const piles = [0, n.pendingT1, n.pendingT2, n.pendingT3];
  const max = Math.max(...piles);
  let stamps = 0;
  pane.lines.forEach((line) =>
    byShape(line, [
      [/^usage/, () => claim(line, [share(n.usage), run.limit, t.tokenCount])],
      [/ over .*, emergency /, () =>
        claim(line, [share(Number(run.config["nudge.maxContextLimitPct"])), share(Number(run.config["nudge.emergencyThresholdPct"]))])],
      [/^(baseline|nudge shown|T[123] shown)/, (m) => stamp(line, m[1], stamps++, context)],
      [/^nudge /, () => claim(line.replace(/(pressure-)?\bt\d\b(-ready)?/, ""), [t.nudge.tier ? "T" + t.nudge.tier : undefined])],
      [/^         /, () =>
        claimAny(line, [n.growth, -n.growth, n.growthFloor, n.nudgeGrowthTokens, distill, max, ...piles, share(n.usage), 1, 2, 3, "T1", "T2", "T3", t.nudge.targets.length])],
      [/^[✓✗] /, () => gate(line, run, x.gates)],
      [new RegExp(`^. (${PILES.join("|")}) `), (m) => {
        const tier = PILES.indexOf(m[1]) + 1;
        claim(line.replace(m[1], ""), [piles[tier], tier === 1 ? n.nudgeGrowthTokens : distill]);
      }],
      [/^(system|tool|summaries|code|text) /, (m) => claim(line, [c[m[1]], share(rows > 0 ? c[m[1]] / rows : 0)])],
      [/^(b\d+) /, (m) => {
        const b = x.blocks.find((o) => o.id === m[1]);
        claim(line.slice(0, 36), [b.id, b.effective, b.in, Math.ceil(b.text.length / 4)]);
      }],
    ]));
}

/* ---- status ---- */

/** round(n / total * 100), at least 1 of something (kernel.md 8.6). */
function percent(n, total) {
  return share((n > 0 && total > 0 ? Math.max(1, round((n / total) * 100)) : 0) / 100);
}

const digits = (ref) => Number(/\d+/.exec(ref)?.[0] ?? 0);

/** The status report, worked out from the host's list (kernel.md 8.6). */
function report(x) {
  const list = x.list.filter((m) => m.tokens > 0);
  const tools = new Map();
  for (const m of list) tools.set(m.tool || "text", (tools.get(m.tool || "text") ?? 0) + m.tokens);
  const spans = [];
  for (const m of list) {
    const last = spans.at(-1);
    if (last && digits(m.ref) === digits(last.start) + last.count) {
      last.end = m.ref;
      last.count++;
      last.tokens += m.tokens;
    } else spans.push({ start: m.ref, end: m.ref, count: 1, tokens: m.tokens });
  }
  const number = (b) => Number(/^b(\d+)$/.exec(b.id)?.[1] ?? 0);
  const blocks = x.blocks.filter((b) => b.state === "active").sort((a, b) => a.block - b.block).sort((a, b) => number(a) - number(b));
  return {
    list,
    spans,
    blocks,
    tools: [...tools].sort((a, b) => b[1] - a[1]),
    tool: sum(list.filter((m) => m.tool), (m) => m.tokens),
    text: sum(list.filter((m) => !m.tool), (m) => m.tokens),
    summaries: sum(blocks, (b) => b.summary),
  };
}

function panel(context) {
  const { run, t } = context;
  const c = t.nudge?.context;
  const parts = { Tool: c?.tool, SysPrompt: run.system, Text: c?.text, Code: c?.code, Summaries: c?.summaries };
  const sent = (c ? c.system + c.tool + c.summaries + c.code + c.text : 0) + run.system;
  const whole = (n, of) => share((of > 0 ? round((n / of) * 100) : 0) / 100);
  return { parts, sent, whole };
}

function status(context, pane) {
  const { run, t, x } = context;
  const r = report(x);
  const p = panel(context);
  const all = r.tool + r.text + r.summaries;
  const largest = [...r.list].sort((a, b) => b.tokens - a.tokens);
  const bySize = [...r.blocks].sort((a, b) => (b.in ?? 0) - (a.in ?? 0) || b.created - a.created);
  const tiers = [1, 2, 3].filter((n) => r.blocks.some((b) => b.tier === n));
  const at = { head: "", messages: 0, spans: 0, blocks: 0, panel: 0, ranges: 0 };
  const inPanel = t.nudge ? panelRanges(context) : [];
  const inStateOrder = x.blocks.filter((b) => b.state === "active").sort((a, b) => a.block - b.block);
  const label = (line) => line.slice(0, 17);
  const behind = (line) => line.slice(17);
  const sections = {
    core: [
      [/^context /, (m) => claim(m.input, [share(run.limit > 0 ? x.tokens / run.limit : 0), x.tokens, run.limit])],
      [/^blocks /, (m) => claim(m.input, [r.blocks.length, x.blocks.length, x.compressed])],
    ],
    panel: [
      [/^host accounting/, (m) => claim(m.input, [x.tokens, run.limit, p.whole(x.tokens, run.limit)])],
      [/^growth/, (m) => claim(m.input, [t.nudge.context.growth])],
      [/^sent/, (m) => claim(m.input, [p.sent, run.limit > 0 ? p.whole(p.sent, run.limit) : undefined])],
      [/^(Tool|SysPrompt|Text|Code|Summaries) /, (m) => claim(m.input, [p.parts[m[1]], p.whole(p.parts[m[1]], p.sent)])],
      [/^nudge/, (m) => claim(m.input.replace(/(pressure-)?\bt\d\b(-ready)?/, ""), [t.nudge.tier ? "T" + t.nudge.tier : undefined])],
      [/ messages?, /, (m) => panelRange(behind(m.input), inPanel[at.ranges++])],
      [/^blocks/, (m) => claim(m.input, x.blocks.length ? [r.blocks.length, x.blocks.length, x.compressed] : [])],
      [/^ {17}/, (m) => {
        const b = inStateOrder[at.panel++];
        claimText(behind(m.input).slice(0, 5), b.id.slice(0, 5));
        claim(/T\d.*?→ \S+/.exec(m.input)[0], ["T" + b.tier, b.in > 0 ? b.in : b.summary, b.summary]);
      }],
    ],
    overview: [
      [/^totals/, (m) => claim(m.input, [r.tool, percent(r.tool, all), r.text, percent(r.text, all), r.summaries, percent(r.summaries, all)])],
      [/^most/, (m) => {
        let rest = behind(m.input);
        for (const [name] of r.tools.slice(0, 3)) rest = rest.replace(name + " ", "");
        claim(rest, r.tools.slice(0, 3).flatMap(([, n]) => [n, percent(n, all)]));
      }],
      [/^blocks/, (m) =>
        claim(m.input, [
          r.blocks.length, sum(r.blocks, (b) => b.in), r.summaries,
          ...(tiers.length > 1 ? tiers : []).flatMap((n) => {
            const tokens = sum(r.blocks.filter((b) => b.tier === n), (b) => b.summary);
            return tokens > 0 ? ["T" + n, tokens] : [];
          }),
        ])],
      [/^suggested/, (m) => claimText(behind(m.input), r.tools[0]?.[0] ?? "bash")],
    ],
    ranges: [
      [/^all /, (m) => claim(m.input, [r.tool + r.text, r.list.length])],
      [/^and /, (m) => claim(m.input, [r.spans.length - 30])],
      [/^/, (m) => {
        const s = r.spans[at.spans++];
        claimText(m.input.slice(0, 14), s.end === s.start ? s.start : `${s.start}–${s.end}`);
        claim(m.input.slice(14, 39), [s.tokens, s.count, s.count > 1 ? round(s.tokens / s.count) : undefined]);
      }],
    ],
    messages: [
      [/^\d+ of /, (m) => claim(m.input, [Math.min(30, r.list.length), r.list.length])],
      [/^/, (m) => {
        const one = largest[at.messages++];
        claimText(m.input.slice(0, 14), one.ref);
        claim(m.input.slice(14, 23), [one.tokens]);
      }],
    ],
    compressed: [
      [/^and /, (m) => claim(m.input, [r.blocks.length - 30])],
      [/^/, (m) => {
        const b = bySize[at.blocks++];
        claimText(m.input.slice(0, 6), b.id.slice(0, 6));
        claim(/T\d.*?survived \S+,/.exec(m.input)[0], ["T" + b.tier, b.in ?? 0, b.summary, b.effective, b.survived]);
        if (b.children.length) claimText(/ of (\S+)  /.exec(m.input)[1], b.children.join(","));
      }],
    ],
  };
  pane.lines.forEach((line) => {
    const head = /^(core status|panel|overview|uncompressed, (?:ranges|messages)|compressed)/.exec(line);
    if (head) {
      at.head = head[1].replace("core status", "core").replace("uncompressed, ", "");
      return claim(line, []);
    }
    if (line !== "") byShape(line, sections[at.head]);
  });
}

/** One row of the panel's range list: ranges of the trace that touch, in one (kernel.md 4.7.8). */
function panelRanges({ t }) {
  const open = t.recommended.filter((r) => r.tokens >= 200).map((r) => ({ ...r, open: r.tokens, guarded: 0 }));
  const guarded = t.protected.map((r) => ({ ...r, open: 0, guarded: r.tokens }));
  const rows = [];
  for (const r of [...open, ...guarded].sort((a, b) => digits(a.startRef) - digits(b.startRef))) {
    const last = rows.at(-1);
    if (last && digits(r.startRef) <= last.end + 1) {
      last.endRef = r.endRef;
      last.end = Math.max(last.end, digits(r.endRef));
      for (const member of ["count", "open", "guarded"]) last[member] += r[member];
    } else rows.push({ ...r, end: digits(r.endRef) });
  }
  return rows;
}

function panelRange(line, row) {
  claimText(line.slice(0, 14), row.startRef === row.endRef ? row.startRef : `${row.startRef}–${row.endRef}`);
  const rest = line.slice(14).split(" protected:")[0].replace(", dangerous", "");
  const both = row.open && row.guarded ? [row.open, row.guarded] : [];
  const tools = row.guarded ? [] : [share(row.toolPct / 100), share(1 - row.toolPct / 100)];
  claim(rest, [row.count, row.open + row.guarded, ...both, ...tools]);
}

export { breaksAt, paintedRow };
export const panes = { rows, ranges, blocks, nudge, status };
