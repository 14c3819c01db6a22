// Figures of the pane Changes: what conditions know by name, at this turn and at the one before.
import { about, claim, claimAny, claimText, fault } from "./figures.mjs";
import { BREAKS } from "./figures_host.mjs";
import { paintedRow } from "./figures_kernel.mjs";

/* names of conditions that are a member of the trace by another name */
const MEMBERS = {
  "view.rows": "view.count",
  "tokens.count": "tokenCount",
  "tokens.prompt": "tokens.actualPrompt",
  usage: "nudge.breakdown.usage",
  density: "density.value",
  "nudge.growth": "nudge.breakdown.growth",
  "nudge.pending1": "nudge.breakdown.pendingT1",
  "nudge.pending2": "nudge.breakdown.pendingT2",
  "nudge.pending3": "nudge.breakdown.pendingT3",
  "nudge.inject": "nudge.shouldInject",
  "prefix.cause": "prefix.break.cause",
  "prefix.common": "prefix.commonBytes",
  "prefix.before": "prefix.prevBytes",
  "prefix.predicted": "prefix.predictedHit",
  "prefix.hit": "prefix.actualHit",
  "anchors.tokens": "anchors.argTokens",
  "anchors.slimmed": "anchors.slimmedTokens",
};

/* and those that are made of several */
const MADE = {
  "user.turn": ({ run, n }) => run.moments[n - 1].userTurn,
  "tokens.cached": ({ run, n }) => run.moments[n - 1].cacheRead,
  "density.used": ({ run, n }) => run.samples[n - 1]?.used ?? null,
  blocks: ({ t }) => t.blocks.length,
  "blocks.active": ({ t }) => t.blocks.filter((b) => b.active).length,
  "compress.applied": ({ trace, n }) => since(trace, n).filter((c) => c.applied).length,
  "compress.refused": ({ trace, n }) => since(trace, n).filter((c) => !c.applied).length,
  "ranges.count": ({ t }) => t.recommended.length,
  "ranges.tokens": ({ t }) => t.recommended.reduce((sum, r) => sum + r.tokens, 0),
  "ranges.compressible": ({ x }) => x.groups,
  "ranges.protected": ({ t }) => t.protected.length,
  "nudge.tier": ({ t }) => t.nudge.tier ?? 0,
  rebuilds: ({ trace, n }) => [...trace.turns.values()].filter((t) => t.n <= n && BREAKS.includes(t.prefix?.break?.cause)).length,
};

const since = (trace, n) => trace.compressions.filter((c) => c.afterTurn === n - 1);
const WORDS = ["compress.error", "divergence", "reinjections", "prefix.cause", "nudge.inject"];

function value(name, at) {
  if (!at.t) return undefined;
  if (name in MADE) return MADE[name](at);
  return (MEMBERS[name] ?? name).split(".").reduce((o, member) => o?.[member], at.t);
}

const number = (x) => (Number.isInteger(x) ? x : about(x, 6));

function figure(line, now, before) {
  const name = line.slice(2, 22).trim();
  const [was, is, by] = [line.slice(22, 34), line.slice(37, 49), line.slice(49)];
  if (WORDS.includes(name)) return;
  const values = [value(name, before), value(name, now)];
  [was, is].forEach((cell, i) => {
    const x = values[i];
    if (/\d/.test(cell)) claim(cell, [typeof x === "number" ? number(x) : x]);
    else if (typeof x === "number" && now.t.error === undefined && before.t && before.t.error === undefined) fault(line, `${name} is ${x}`);
  });
  claim(by, [/\d/.test(by) ? about(values[1] - values[0], 6) : undefined]);
}

function changes({ run, trace, turn, t, x, past, panes }, pane) {
  const now = { run, trace, n: turn, t, x };
  const before = { run, trace, n: turn - 1, t: trace.turns.get(turn - 1), x: past };
  const rows = x.rows.filter((row) => row.fresh || row.changed);
  const byNumber = new Map(x.blocks.map((b) => [b.block, b]));
  let next = 0;
  let inRows = false;
  pane.lines.forEach((line) => {
    if (/^figures, /.test(line)) return claim(line, [turn - 1]);
    if (/^rows: /.test(line)) {
      const fresh = rows.filter((row) => row.fresh).length;
      const gone = before.t ? Math.max(0, (before.t.view?.count ?? 0) + fresh - x.rows.length) : undefined;
      inRows = true;
      return claim(line, [fresh, rows.filter((row) => row.changed).length, /gone/.test(line) ? gone : undefined]);
    }
    if (!inRows) return /→/.test(line) ? figure(line, now, before) : claim(line, []);
    const row = rows[next++];
    if (!row) return fault(line, "no such row");
    /* of a DSH session the pane Rows has other columns */
    if (!panes.rows.caption.includes("seq")) return paintedRow(panes.rows.caption, line, row, byNumber);
    claimText(line.slice(2, 10), row.block === null ? row.ref || "-" : byNumber.get(row.block).id);
    claimAny(line.slice(10, 98).replace(/C?b\d+/, "").slice(43), [row.tokens, row.tag, row.line]);
  });
}

export const panes = { changes };
