// Tests a file of rows under SIGKILL. The command is killed after the file has grown a random number of times; now and then the last line is
// truncated, as a power cut would leave it. The same command is given again until it ends by itself; then the file must equal that of an
// undisturbed command byte for byte. Afterwards single bits of it are flipped.
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, draws, isSentence, lastLines } from './campaign-process.mjs';
import { Complaint, say } from './terminal.mjs';

export const ROWS = 'are bench --splits execution,time --n 10 --runs 2 --agents oracle,silent --rows'.split(' ');
/** Limit on starts of one file, so that a command that makes no progress is noticed. */
const MAX_STARTS = 200;
const LONGEST_MS = 60_000;
const lines = (bytes) => bytes.toString('latin1').split('\n').length - 1;

export async function rowKills(bundle, folder, { count, flips, seed }) {
  const draw = draws(seed);
  const at = (name) => join(folder, 'rows', name);
  mkdirSync(at('killed'), { recursive: true });
  const whole = at('whole.jsonl');
  const first = await command(bundle, [...ROWS, whole]);
  if (first.code !== 0) throw new Complaint(`The rows failed undisturbed: ${lastLines(first.stderr, 5)}`);
  const wanted = readFileSync(whole);
  const row = { kills: 0, cuts: 0, starts: 0, finished: 0, rows: lines(wanted), different: 0, flips: [] };
  while (row.kills < count || row.finished === 0) {
    const path = at(join('killed', `${row.finished}.jsonl`));
    if (!(await untilFinished(bundle, path, count, row, draw))) throw new Complaint(`${path} was not finished.`);
    row.finished++;
    if (!readFileSync(path).equals(wanted)) row.different++;
  }
  say(`rows: ${row.kills} kills, ${row.cuts} lines cut off; ${row.different} of ${row.finished} files differ`);
  row.flips = await rowFlips(bundle, at('flipped.jsonl'), wanted, flips, draw);
  return row;
}

async function untilFinished(bundle, path, count, row, draw) {
  for (let start = 0; start < MAX_STARTS; start++) {
    row.starts++;
    const kill = {
      afterMs: LONGEST_MS,
      onPart: 1 + Math.floor(30 * draw()),
      folder: join(path, '..'),
      ending: '.jsonl',
    };
    const ended = await command(bundle, [...ROWS, path], row.kills < count ? kill : null);
    if (ended.code === 0) return true;
    if (!ended.killed)
      throw new Complaint(`The rows did not go on after ${row.kills} kills: ${lastLines(ended.stderr, 4)}`);
    row.kills++;
    if (draw() < 1 / 2 && existsSync(path)) cutLastLine(path, row, draw);
  }
  return false;
}

/** Truncates the last line: at least one byte of it stays, and at least one is removed. */
function cutLastLine(path, row, draw) {
  const bytes = readFileSync(path);
  const length = bytes.length - 1 - bytes.lastIndexOf('\n', -2);
  if (lines(bytes) < 2) return;
  truncateSync(path, bytes.length - 1 - Math.floor((length - 2) * draw()));
  row.cuts++;
}

async function rowFlips(bundle, path, wanted, flips, draw) {
  const outcome = { command: 'are bench', name: 'rows', flips, error: 0, replaced: 0, harmless: 0, unseen: 0 };
  for (let i = 0; i < flips; i++) {
    const bytes = Buffer.from(wanted);
    bytes[Math.floor(bytes.length * draw())] ^= 1 << Math.floor(8 * draw());
    writeFileSync(path, bytes);
    const { code, stderr } = await command(bundle, [...ROWS, path]);
    if (code !== 0 && isSentence(stderr)) outcome.error++;
    else if (/checksum|cut off/.test(stderr)) outcome.replaced++;
    else if (readFileSync(path).equals(wanted)) outcome.harmless++;
    else outcome.unseen++;
  }
  say(`rows: ${outcome.unseen} of ${flips} flips read without a word`);
  return [outcome];
}
