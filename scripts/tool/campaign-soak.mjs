// Runs random commands one after another for `--hours`. Each must end with exit code 0 or an error of one sentence, and a repeated command must
// print the same text again.
import { performance } from 'node:perf_hooks';
import { command, draws, isSentence, lastLines } from './campaign-process.mjs';
import { say } from './terminal.mjs';

const HOUR_MS = 3_600_000;
const REPORT_EVERY = 25;

/** The commands that are drawn from; `pick(n)` is a random integer below n. */
const SOAK = [
  (pick) => ['are', 'run', ['execution', 'search', 'time'][pick(3)], '--n', '2', '--seed', String(1 + pick(20))],
  (pick) => [
    'are',
    'bench',
    '--splits',
    ['execution', 'ambiguity'][pick(2)],
    '--n',
    String(1 + pick(4)),
    '--agents',
    'oracle,silent',
  ],
  (pick) => [
    'run',
    '--preset',
    'smoke',
    '--arms',
    ['none', 'route', 'erase'][pick(3)],
    '--seeds',
    String(41 + pick(3)),
    '--steps',
    '1',
    '--device',
    'cpu',
  ],
  (pick) => [
    'probe',
    '--pool',
    'templates',
    '--steps',
    String(1 + pick(3)),
    '--samples',
    '4',
    '--correct',
    '1',
    '--device',
    'cpu',
  ],
  (pick) => ['run', '--preset', 'smoke', '--set', `pairs=${pick(9) - 4}`, '--steps', '1', '--device', 'cpu'],
  (pick) => [['are', 'run', 'probe', 'improve', 'synthesise'][pick(5)], '--no-such-flag', String(pick(9))],
];
/** Durations in a command's output, which differ between repetitions. */
const CLOCK = /\b\d+(?:\.\d+)?\s*(?:ms|s|min|h)\b/g;

export async function soak(bundle, { hours, seed }) {
  const draw = draws(seed);
  const pick = (n) => Math.floor(n * draw());
  const end = performance.now() + hours * HOUR_MS;
  const known = new Map();
  const found = { hours, commands: 0, refused: 0, again: 0, faults: [] };
  while (performance.now() < end) {
    const args = SOAK[pick(SOAK.length)](pick);
    const words = args.join(' ');
    const { code, stdout, stderr } = await command(bundle, args);
    found.commands++;
    if (code !== 0) found.refused++;
    if (code !== 0 && !isSentence(stderr)) found.faults.push(`${words}: exit ${code}, ${lastLines(stderr, 4)}`);
    const printed = `${code} ${stdout.replace(CLOCK, '')}`;
    if (known.has(words)) found.again++;
    if ((known.get(words) ?? printed) !== printed) found.faults.push(`${words}: another text than before`);
    known.set(words, printed);
    if (found.commands % REPORT_EVERY === 0) say(`${found.commands} commands, ${found.faults.length} faults`);
  }
  return found;
}
