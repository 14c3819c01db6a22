// Figures of the panes of a DSH session that are another list there: rows, ranges, blocks, events, request.
import { cells, claim, claimAny, claimBreak, claimText, fault, isBreak, share } from "./figures.mjs";
import { breaksAt } from "./figures_kernel.mjs";
import { eventList, figuresOf } from "./figures_host.mjs";

const sum = (list, f) => list.reduce((n, x) => n + (f(x) ?? 0), 0);

/* ---- rows ---- */

const ROWS = [">seq", "ref", "class", "role", "kind", "tool", ">display:8", "flags", "text"];

function rows(context, pane) {
  const { x } = context;
  breaksAt(pane.lines, context);
  claim(pane.caption.replace(/since turn \d+/, ""), []);
  pane.lines.filter((line) => !isBreak(line)).forEach((line, i) => {
    const row = x.surface[i];
    if (!row) return; /* the log behind a gap: its own words */
    const c = cells(pane.caption, line, ROWS);
    const block = x.ledger.findLast((b) => b.checkpoint === row.seq);
    claim(c.seq, [row.seq]);
    claimText(c.ref.replace(/^═+/, ""), row.ref || "-");
    claim(c.display, [row.tokens]);
    claimText(/b\d+ *$/.exec(c.flags)?.[0] ?? "", block ? block.ref : "");
    const shadowed = /^[▸▾] (T\d \d+ rows?|\S+\.\.\S+ )/.exec(c.text);
    if (shadowed) claim(shadowed[1].replace("..", " "), block ? ["T" + block.tier, block.rows ?? undefined] : [row.start, row.end]);
  });
}

/* ---- ranges ---- */

const RANGES = [">nudge", "seqs", ">rows:6", ">display", ">tool", "alone"];

function answer(text, probe) {
  const a = probe.answer;
  const own = [...probe.figures, probe.over, a.tier, "T" + a.tier, a.direct, a.tokens];
  claimAny(text.replaceAll("..", " "), own);
}

function ranges({ run, t, x }, pane) {
  const at = new Map(x.surface.map((row, i) => [row.seq, i]));
  pane.lines.forEach((line, i) => {
    if (i === 0) return claim(line, [t.table.length, sum(t.table, (r) => r.tokens), x.probes.filter((p) => p.over !== null).length || undefined, Number(run.config.preserveRecentMessages)]);
    if (i === 1) {
      const seqs = x.surface.map((row) => row.seq);
      return claim(line.replace("..", " "), [seqs.length, ...(seqs.length ? [Math.min(...seqs), Math.max(...seqs)] : []), x.display]);
    }
    const c = cells(pane.caption, line, RANGES);
    const [from, to] = c.seqs.trim().split("..");
    const range = t.table.findIndex((r) => r.start === Number(from) && r.end === Number(to));
    if (to === undefined || !/[✓✗]/.test(c.alone)) {
      /* nodes that are in no range */
      const nodes = x.surface.slice(at.get(Number(from)), at.get(Number(to ?? from)) + 1);
      claim(c.nudge, []);
      claim(c.seqs.replace("..", " "), to === undefined ? [nodes[0].seq] : [nodes[0].seq, nodes.at(-1).seq]);
      claim(c.rows, [nodes.length]);
      claim(c.display, [sum(nodes, (row) => row.tokens)]);
      return claim(c.tool + c.alone, []);
    }
    const r = t.table[range];
    if (!r) return fault(line, "no such range in the trace");
    /* the nudge offers the first six that grew over nothing */
    const offered = x.probes.slice(0, range + 1).filter((p) => p.over === null).length;
    claim(c.nudge, [x.probes[range].over === null && offered <= 6 ? offered : undefined]);
    claim(c.rows, [r.count]);
    claim(c.display, [r.tokens]);
    claim(c.tool, [share(r.toolPct / 100)]);
    answer(c.alone, x.probes[range]);
  });
}

/* ---- blocks ---- */

const BLOCKS = ["block", "id", "by", "T", "state", ">checkp:10", ">rows", ">price", ">raw in", "topic"];

function blocks({ x }, pane) {
  const rest = [...x.blocks];
  let finding = 0;
  pane.lines.forEach((line, i) => {
    const made = x.ledger[i - 1];
    if (i === 0)
      return claim(line, x.ledger.length || x.blocks.length ? [sum(x.ledger, (b) => b.active), x.ledger.length, x.blocks.length, x.total, x.findings.length || undefined] : []);
    if (/^ ✗ seq/.test(line)) return claimAny(line.replace("..", " "), x.findings[finding++]);
    const c = cells(pane.caption, line, BLOCKS);
    const price = c.price.replace("d", " ");
    if (made) {
      claimText(c.block, made.ref);
      claimText(c.id, made.id.slice(0, 8));
      claim(c.T, ["T" + made.tier]);
      claim(c.checkp, [made.checkpoint ?? undefined]);
      claim(price, [made.tokens]);
      claimAny(c["raw in"], rest.map((b) => b.in));
      claimAny(c.rows, [made.rows, ...rest.map((b) => b.effective)]);
      return;
    }
    const own = rest.find((b) => b.id === c.block.trim());
    if (!own) return fault(line, "no such block");
    claim(c.T, ["T" + own.tier]);
    claim(c.rows, [own.effective]);
    claim(c.checkp + price, []);
    claim(c["raw in"], [own.in ?? undefined]);
  });
}

/* ---- events ---- */

function compress(text, { run, trace }, e) {
  const c = trace.compressions[e.compression];
  const guard = c.guard.flatMap((g) => [...(g.request ?? []), ...(g.resolved ?? []), ...g.hits, ...g.slices.flat()]);
  claimAny(text.replaceAll("..", " "), [...guard, ...e.figures, ...figuresOf(run, trace, e)]);
}

function event(text, { trace }, e) {
  const paste = e.paste === undefined ? null : trace.end.reinjections[e.paste];
  /* the beginning of a compaction's id, and names of files */
  const id = text.replace(/compaction \S+/, "");
  if (paste) return claim(id.replace(/^(seq \d+) .*: (?=(pure|changed), )/, "$1 "), [paste.row, paste.price, paste.distEnd, paste.distCheckpoint]);
  const words = id.replace(/\S*[A-Za-z/]\S*\.[A-Za-z]+\S*/g, "");
  claimAny(words.replaceAll("..", " ").replace(/\bb(\d+)\b/g, "$1"), e.figures);
}

function events(context, pane) {
  const { run, trace } = context;
  const l = run.loop;
  const head = (text) =>
    claim(text, [
      trace.end.compactions, l.reinjected, 7, ...(l.reinjectedCheckpoint !== l.reinjected ? [l.reinjectedCheckpoint, 7] : []),
      l.later || undefined, l.wasted || undefined, l.wastedLater || undefined,
    ]);
  eventList(context, pane, (text, e) => (e.kind === "compress" ? compress(text, context, e) : event(text, context, e)), head);
}

/* ---- request ---- */

const REQUEST = [">#", ">seq", "who", "ref", ">bytes:9", ">display", "state", "text"];

/* a row's bytes never change: those of each, by session */
const bytesOf = { session: null, rows: new Map() };

function request({ run, turn, t, x, past }, pane) {
  if (bytesOf.session !== run) Object.assign(bytesOf, { session: run, rows: new Map() });
  const bySeq = new Map(x.surface.map((row) => [row.seq, row]));
  const s = run.sent[turn - 1];
  let bytes = -1;
  let number = 0;
  pane.lines.forEach((line, i) => {
    if (isBreak(line)) return claimBreak(line, t);
    if (i === 0)
      return claim(line, t.prefix ? [s.messages, t.prefix.bytes, s.tokens, t.prefix.ratio === null ? undefined : share(t.prefix.ratio)] : []);
    const c = cells(pane.caption, line, REQUEST);
    const row = bySeq.get(Number(c.seq));
    const gone = c.state.trim() === "removed";
    const old = past?.surface.findIndex((o) => o.seq === Number(c.seq)) ?? -1;
    if (!row && old < 0) return fault(line, "no such row on the surface");
    const own = gone ? past.surface[old] : row;
    const known = bytesOf.rows.get(own.seq) ?? Number(c.bytes.replaceAll(",", ""));
    bytesOf.rows.set(own.seq, known);
    claim(c.bytes, [known]);
    claimText(c.ref, own.ref || "-");
    claim(c.display, [own.tokens]);
    if (gone) return claimAny(c["#"], past.surface.map((_, k) => k + 1));
    claim(c["#"], [++number]);
    bytes += Number(c.bytes.replaceAll(",", "")) + 1;
  });
  /* the messages and the line feeds between them are the request */
  if (t.prefix && number > 0 && bytes !== t.prefix.bytes) fault(pane.lines[0], `the messages have ${bytes} bytes`);
}

export const panes = { rows, ranges, blocks, events, request };
