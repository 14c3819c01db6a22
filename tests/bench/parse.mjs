// Prints the median time in seconds that JSON.parse takes for all lines of a file.  usage: parse.mjs FILE TIMES
import { readFileSync } from "node:fs";

const lines = readFileSync(process.argv[2], "utf8").split("\n").filter((line) => line !== "");
const times = [];
for (let i = 0; i < Number(process.argv[3]); i++) {
	const start = process.hrtime.bigint();
	for (const line of lines) JSON.parse(line);
	times.push(Number(process.hrtime.bigint() - start) / 1e9);
}
times.sort((a, b) => a - b);
const half = times.length >> 1;
console.log(times.length % 2 ? times[half] : (times[half - 1] + times[half]) / 2);
