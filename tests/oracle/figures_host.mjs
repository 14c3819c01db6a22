// Figures of the panes about the host: timeline, prefix, density, events, request.
import { about, byShape, cells, claim, claimAny, claimBreak, claimText, fault, fixed, isBreak, share } from "./figures.mjs";

const known = (x) => (x === null ? undefined : x);
const sum = (list, f) => list.reduce((n, x) => n + (f(x) ?? 0), 0);

/* ---- clock ---- */

const clock = (ms) => (ms >= 1000 ? new Date(ms).toISOString().slice(11, 19) : "-");

/** "5s", "6m22s", "3h05m": the two largest units. */
function gap(ms) {
  const s = Math.floor(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m${two(s % 60)}s`;
  if (s < 86400) return `${Math.floor(s / 3600)}h${two(Math.floor((s % 3600) / 60))}m`;
  return `${Math.floor(s / 86400)}d${two(Math.floor((s % 86400) / 3600))}h`;
}

const timeOf = (run, turn) => run.moments[turn - 1]?.time ?? null;

function sinceBefore(run, turn) {
  const [now, then] = [timeOf(run, turn), timeOf(run, turn - 1)];
  return now !== null && then !== null && now >= then ? now - then : null;
}

/* ---- timeline ---- */

const FIDELITY = ["outcomes", "refs", "counts", "prompts", "hits", "log"];

function evidence(run) {
  return run.moments.some((m) => m.cacheRead > 0);
}

function top({ run, trace, turn, t, x }, line) {
  const hit = run.moments[turn - 1].prompt > 0 && (evidence(run) || run.moments[turn - 1].cacheRead > 0);
  const m = run.moments[turn - 1];
  const [session, ...groups] = line.replaceAll("\x7f", "").split(" │ ");
  if (!session.startsWith(`${run.id} ${run.host}`.trim()) || !session.endsWith(run.profile)) fault(session, `not ${run.id} ${run.host} .. ${run.profile}`);
  groups.forEach((group) =>
    byShape(group, [
      [/^turn /, () => claim(group.replace("/", " "), [turn, trace.end.turns])],
      [/ of /, () => claim(group, [x.tokens, run.limit, share(Math.floor((x.tokens / run.limit) * 100 + 0.5) / 100)])],
      [/^density/, () => claim(group, [about(run.samples[turn - 1].value, 4)])],
      [new RegExp(`^(${FIDELITY.join("|")}) `), () => {
        const shown = run.fidelity.filter((_, i) => run.fidelity[i | 1] > 0);
        claim(group.replaceAll("/", " "), shown);
      }],
      [/hit/, () =>
        claim(group, [
          hit ? share(m.cacheRead / m.prompt) : undefined,
          t.prefix?.predictedHit === null || t.prefix?.predictedHit === undefined ? undefined : share(t.prefix.predictedHit),
        ])],
      [/nudge/, () => claim(group.replace(/(pressure-)?\bt\d\b(-ready)?/, ""), [t.nudge?.tier ? "T" + t.nudge.tier : undefined])],
      [/ blocks/, () => claim(group.replace("/", " "), [x.blocks.filter((b) => b.state === "active").length, x.blocks.length])],
    ]));
}

function timeline(context, pane) {
  const most = Math.max(0, ...context.run.moments.map((m) => Math.fround(m.usage)));
  const full = [0.05, 0.1, 0.25, 0.5].find((n) => most <= Math.fround(n)) ?? 1;
  top(context, pane.lines[0]);
  claim(pane.lines[1], [share(full)]);
  claim(pane.lines[2], []);
  claim(pane.lines[3], []);
}

/* ---- prefix ---- */

const PREFIX = [">turn", ">time|prefix:8", ">after", "prefix", ">kept:7", ">kept tk", ">lost tk", ">kept bytes", ">lost bytes", ">predict", ">hit", "cause"];
const UNTIMED = [">turn", "prefix", ">kept:7", ">kept tk", ">lost tk", ">kept bytes", ">lost bytes", ">predict", ">hit", "cause"];
const BREAKS = ["compress", "decompress", "tag", "anchor-rewrite", "hide", "truncate", "thinking", "host", "reinject", "prune", "rewind", "unknown"];

function median(list) {
  const v = list.filter((x) => x !== null && x !== undefined).sort((a, b) => a - b);
  if (v.length === 0) return undefined;
  return v.length % 2 ? v[(v.length - 1) / 2] : (v[v.length / 2 - 1] + v[v.length / 2]) / 2;
}

/** The requests of a session: what the trace says of each, beside what the run knows. */
function requests(run, trace) {
  return [...trace.turns.values()].map((t) => ({ t, p: t.prefix, s: run.sent[t.n - 1], m: run.moments[t.n - 1] })).filter((r) => r.p);
}

const rebuilds = (r) => BREAKS.includes(r.p.break?.cause);
const lostBytes = (r) => r.p.prevBytes - r.p.commonBytes;

function again(r) {
  return Math.min(r.s.lost, r.s.tokens - r.s.common);
}

function totals(run, trace, all) {
  const broken = all.filter(rebuilds);
  const of = (causes) => causes.map((c) => all.filter((r) => r.p.break?.cause === c).length).filter((n) => n > 0);
  const compared = all.filter((r) => r.s.verdict > 0);
  const verdict = (n) => compared.filter((r) => r.s.verdict === n).length || undefined;
  const reported = run.moments.filter((m) => m.prompt > 0);
  const hit = evidence(run) ? share(sum(reported, (m) => m.cacheRead) / sum(reported, (m) => m.prompt)) : undefined;
  const predicted = all.filter((r) => r.p.predictedHit !== null);
  const cold = all.filter((r) => ["model", "system"].includes(r.p.break?.cause));
  const anchors = (r) => [r.s.anchors, r.s.anchorTokens, r.s.slimmed];
  const peak = all.reduce((a, r) => (r.s.slimmed > (a?.s.slimmed ?? 0) ? r : a), null);
  return [
    [/requests?, \d+ rebuild/, (m) =>
      claim(m.input, [all.length, broken.length, ...of(BREAKS), ...of(["model", "system"]), trace.end.turns - all.length || undefined])],
    [/^ lost: /, (m) => claim(m.input, [sum(broken, (r) => r.s.lost), sum(broken, lostBytes), sum(broken, again)])],
    [/^ cold cache: /, (m) => claim(m.input.split("(usage)")[0], [cold.length, sum(cold, (r) => r.s.missed)])],
    [/^ hit: /, (m) =>
      claim(m.input.replace("(system prompt: 0)", ""), [
        /reported turn/.test(m.input) ? reported.length : hit,
        predicted.length ? share(sum(predicted, (r) => r.p.predictedHit * r.m.prompt) / sum(predicted, (r) => r.m.prompt)) : undefined,
      ])],
    [/^ hits agree: /, (m) =>
      claim(m.input.replace("/", " ").split("; ")[0], [compared.filter((r) => r.s.verdict === 1).length, compared.length, verdict(2), verdict(4), verdict(3)])],
    [/^ after a fold/, (m) => folds(m.input, run, trace, all)],
    [/^ nudge tails/, (m) => {
      const tails = all.filter((r) => r.s.tailBytes > 0);
      claim(m.input, [tails.length, sum(tails, (r) => r.s.tailTokens), sum(tails, (r) => r.s.tailBytes)]);
    }],
    [/^ anchors/, (m) => claim(m.input, [...anchors(all.at(-1)), peak.t.n, ...anchors(peak)])],
    [/^ cost: .* as the file says/, (m) => claimAny(m.input, [Number(/[\d.]+/.exec(m.input)[0]), run.moments.length])],
    [/no request/, (m) => claim(m.input, [])],
  ];
}

/** Requests right behind an applied compression, and their hits beside the others'. */
function folds(line, run, trace, all) {
  const after = new Set(trace.compressions.filter((c) => c.applied).map((c) => c.afterTurn + 1));
  const fold = all.filter((r) => after.has(r.t.n));
  const others = all.filter((r) => !after.has(r.t.n) && r.p.break?.cause !== "first");
  const hit = (r) => (evidence(run) ? r.p.actualHit : null);
  const optional = (x) => (x === undefined ? undefined : share(x));
  claim(line, [fold.length, optional(median(fold.map(hit))), optional(median(others.map(hit))), optional(median(fold.map((r) => r.p.predictedHit)))]);
}

function cause(line, run, turn, r) {
  let rest = line;
  if (r?.p.break?.ref) rest = rest.replace(r.p.break.ref, "");
  rest = rest.replace(/, idle (\S+)/, (_, shown) => {
    if (shown !== gap(sinceBefore(run, turn))) fault(line, `idle ${gap(sinceBefore(run, turn))}`);
    return "";
  });
  claim(rest, [/uncached/.test(rest) ? r.s.missed : undefined]);
}

function prefix({ run, trace }, pane) {
  const all = requests(run, trace);
  const heads = pane.lines.length - trace.end.turns;
  const shapes = totals(run, trace, all);
  const timed = pane.caption.includes("time");
  pane.lines.forEach((line, i) => {
    if (i < heads) return byShape(line, shapes);
    const turn = i - heads + 1;
    const r = all.find((o) => o.t.n === turn);
    const c = cells(pane.caption, line, timed ? PREFIX : UNTIMED);
    const shown = r && r.p.break?.cause !== "first" && r.p.prevBytes > 0;
    const m = run.moments[turn - 1];
    claim(c.turn, [turn]);
    if (timed) claimText(c.time, clock(m.time));
    if (timed) claimText(c.after, sinceBefore(run, turn) === null ? "-" : "+" + gap(sinceBefore(run, turn)));
    claim(c.kept, [shown ? share(r.p.ratio) : undefined]);
    claim(c["kept tk"], [shown ? r.s.common : undefined]);
    claim(c["lost tk"], [shown ? r.s.lost : undefined]);
    claim(c["kept bytes"], [shown ? r.p.commonBytes : undefined]);
    claim(c["lost bytes"], [shown ? lostBytes(r) : undefined]);
    claim(c.predict, [r && r.p.predictedHit !== null ? share(r.p.predictedHit) : undefined]);
    claim(c.hit, [m.prompt > 0 && evidence(run) ? share(m.cacheRead / m.prompt) : undefined]);
    cause(c.cause, run, turn, r);
  });
}

/* ---- density ---- */

const DENSITY = [">turn", ">real", ">raw est", ">dR", ">dE", ">inst", ">pend", ">value", "effect"];

/** The sample that made the anchor the sample was measured against. */
function anchorOf(samples, i) {
  for (let k = i - 1; k >= 0; k--) {
    const s = samples[k];
    if (s.model === samples[i].model && s.anchorReal !== null) return { real: s.anchorReal, est: s.anchorEst, pending: s.pending };
  }
  return null;
}

function effect(text, run, i) {
  const s = run.samples[i];
  const anchor = anchorOf(run.samples, i);
  const off = anchor?.pending ? Math.abs(s.instant - anchor.pending) / anchor.pending : null;
  const words = text.replace(s.model + ": ", "");
  byShape(words, [
    [/waiting/, () => claim(words, /dE/.test(words) ? [s.est - anchor.est, run.minDelta] : [])],
    [/(rejected|adopted): off/, () => claim(words, [share(off), share(0.2)])],
    [/candidate, 1 of 2/, () => claim(words, [1, 2])],
    [/^/, () => claim(words, [])],
  ]);
}

const four = (x) => (x === null ? undefined : fixed(x, 4));

function density({ run, turn, t }, pane) {
  const n = run.samples.length;
  /* P97, P155 and P173 measure it (pi.md 5) */
  if (n === 0) return pane.lines.forEach((line) => claim(line.replace(`profile ${run.profile} `, "").replace("P97, P155, P173", ""), []));
  const cuts = pane.lines.filter((line) => /anchor older than a compaction$/.test(line.trimEnd()) && !/^ turn/.test(line)).map((line) => Number(/\d+/.exec(line)[0]));
  axis = Infinity;
  const list = pane.lines.length - n;
  if (t.density && t.density.value !== run.samples[turn - 1].value) fault("", `the trace has ${t.density.value}`);
  pane.lines.forEach((line, i) => {
    if (i >= list) {
      const s = run.samples[i - list];
      const anchor = anchorOf(run.samples, i - list);
      const c = cells(pane.lines[list - 1], line, DENSITY);
      const delta = s.real !== null && s.est !== null && anchor && /\d/.test(c.dE);
      claim(c.turn, [i - list + 1]);
      claim(c.real, [known(s.real)]);
      claim(c["raw est"], [known(s.est)]);
      claim(c.dR, [delta ? s.real - anchor.real : undefined]);
      claim(c.dE, [delta ? s.est - anchor.est : undefined]);
      claimAny(c.inst, [four(s.instant)]);
      claimAny(c.pend, [four(s.pending)]);
      claimAny(c.value, [four(s.value)]);
      return effect(c.effect, run, i - list);
    }
    heads(line, cuts, run, turn);
  });
}

let axis;

/** The verdict on a model: measures and changes since it is measured (pi_density.h). */
function verdict(line, run) {
  const model = run.samples.map((o) => o.model).filter((m) => line.includes(m + ":")).sort((a, b) => b.length - a.length)[0] ?? run.samples[0].model;
  const all = run.samples.filter((o) => o.model === model);
  const own = all.slice(Math.max(0, all.findLastIndex((o) => o.fresh)));
  const changes = own.filter((o, k) => k > 0 && o.value !== own[k - 1].value).length;
  const numbers = /density \S+ \([^)]*\)/.exec(line)?.[0] ?? "";
  if (numbers) claim(numbers, [fixed(own.at(-1).value, 4), own.filter((o) => o.instant !== null).length, changes]);
  claimAny(line.replace(model + ":", "").replace(numbers, ""), [share(0.2), ...run.samples.map((_, k) => k + 1)]);
}

function heads(line, cuts, run, turn) {
  const s = run.samples[turn - 1];
  byShape(line, [
    [/^ turn \d+ \S+( → \S+)? /, (m) => {
      claimAny(m[0], [turn, four(s.used), four(s.value)]);
      effect(line.slice(m[0].length), run, turn - 1);
    }],
    [/: .*(converged|measure|density|clamped|oscillat)/, () => verdict(line, run)],
    [/older than a compaction\.?, first/, () => claim(line, [cuts.length, cuts[0]])],
    [/^\s*([\d.]+) [─•╌✗⠀-⣿┄-╿]/, (m) => {
      claimAny(line, [run.densityMax, 0.5, 1, ...run.samples.map((o) => four(o.value))]);
      if (Number(m[1]) >= axis) fault(line, "the axis rises");
      axis = Number(m[1]);
    }],
    [/^ *(turns|line)/, () => claim(line, [])],
  ]);
}

/* ---- events ---- */

const EVENTS = ["at", ">time|event:8", ">after", "event", "what"];

/** All that one compress record, or turn, came to. */
function figuresOf(run, trace, e) {
  const m = run.moments[e.turn - 1];
  const c = e.compression !== undefined ? trace.compressions[e.compression] : null;
  const v = e.verdicts ?? [];
  return [
    ...(c ? [c.blocksCreated, c.tokensCompressed, c.recorded?.blocksCreated, c.ranges, c.invalidItems] : []),
    ...v.flatMap((r) => [r.units, run.minRange - r.units, r.direct, r.consumed, r.excluded, r.block]),
    ...(e.verdicts ? [e.units, run.minRange - e.units, run.minRange, e.tokens, e.ranges, e.blocks, e.invalid, e.ranges - v.filter((r) => r.block).length] : []),
    ...(m ? [share(m.usage)] : []),
  ].filter((x) => x !== undefined && x !== null && x !== "");
}

const SESSION_WORDS = ["note", "model", "sidecar", "drift", "log", "keep", "rewind", "decompress", "compact", "diverged", "window"];

function what(text, { run, trace }, e, others) {
  const t = trace.turns.get(e.turn);
  const n = t?.nudge?.breakdown;
  byShape(e.kind, [
    [/^nudge$/, () => claim(text.replace(/tier-\d/, ""), ["T" + t.nudge.tier, share(run.moments[e.turn - 1].usage), n["pendingT" + t.nudge.tier]])],
    [/^compress$/, () => run.dsh ? others(text, e) : claimAny(text.replace(/m\d{5}|"[^"]*"/g, ""), figuresOf(run, trace, e))],
    [/^truncated$/, () => claim(text, [share(run.moments[e.turn - 1].usage)])],
    [/^ref-capacity$/, () => claim(text, [99999])],
    [/^damage$/, () => claim(text.split(",")[0], [e.line])],
    [/^failed$/, () => claimAny(text, [e.turn + 1, ...Array.from({ length: e.turn }, (_, k) => k + 1)])],
    [new RegExp(`^(${SESSION_WORDS.join("|")})$`), () => {}],
    [/^/, () => others(text, e)],
  ]);
}

function eventList(context, pane, others, headText) {
  const { run } = context;
  pane.lines.forEach((line, i) => {
    if (i === 0) {
      const kinds = [...new Set(run.events.map((e) => e.kind))];
      const shown = /(\d+) events?: (.*)$/.exec(line);
      if (!shown) return claim(line, []);
      if (headText) headText(line.slice(0, shown.index));
      claim(shown[1], [run.events.length]);
      for (const part of shown[2].split(", ")) {
        const [, count, kind] = /^(\d+) (.*)$/.exec(part);
        claim(count, [run.events.filter((e) => e.kind === kind).length]);
        if (!kinds.includes(kind)) fault(line, `no ${kind}`);
      }
      return;
    }
    const e = run.events[i - 1];
    const timed = pane.caption.includes("time");
    const c = cells(pane.caption, line, timed ? EVENTS : ["at", "event", "what"]);
    claim(c.at.replace("+", " "), [e.turn, e.after || undefined]);
    if (timed) claimText(c.time, clock(e.time));
    if (timed) claimText(c.after, e.after === 0 && sinceBefore(run, e.turn) !== null ? "+" + gap(sinceBefore(run, e.turn)) : "");
    what(c.what, context, e, others);
  });
}

function events(context, pane) {
  eventList(context, pane, (text) => claim(text, []));
}

/* ---- request ---- */

const REQUEST = [">#", "role", "kind", "tag", ">bytes:9", ">raw est", "state", "flags", "text"];

function request({ run, turn, t, x }, pane) {
  const list = x.request ?? [];
  const s = run.sent[turn - 1];
  const now = list.filter((m) => m.state !== "removed");
  if (now.length > 0 && sum(now, (m) => m.bytes) + now.length - 1 !== t.prefix.bytes) fault("", `the trace has ${t.prefix.bytes} bytes`);
  let next = 0;
  pane.lines.forEach((line, i) => {
    if (isBreak(line)) return claimBreak(line, t);
    if (i === 0 && !t.prefix) return claim(line, []);
    if (i === 0)
      return claim(line, [
        now.length,
        t.prefix.bytes,
        s.tokens,
        t.prefix.ratio === null ? undefined : share(t.prefix.ratio),
        known(x.hostBytes),
      ]);
    if (next >= list.length) return claimAny(line.slice(0, 69), [s.tailBytes, s.tailTokens]);
    const m = list[next++];
    const c = cells(pane.caption, line, REQUEST);
    claim(c["#"], [m.number]);
    claimText(c.tag, m.ref);
    claim(c.bytes, [m.bytes]);
    claim(c["raw est"], [m.tokens]);
    if (m.recorded !== null) claim(/args \S+ → \S+/.exec(c.text)[0], [m.recorded, m.anchor]);
  });
}

export { BREAKS, eventList, figuresOf };
export const panes = { timeline, prefix, density, events, request };
