// Figures of the panes of a DSH session that are another list there: rows, ranges, blocks, events, request.
import { cells, claim, claimAny, claimText, fault, share } from "./figures.mjs";
import { eventList, figuresOf, requests } from "./figures_host.mjs";

const sum = (list, f) => list.reduce((n, x) => n + (f(x) ?? 0), 0);

export const panes = {};
