// Sends SIGKILL to `run` and `probe` at random moments. The same command is given again each time, and in the end its folder must equal that
// of a command that was never killed.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { command, compare, draws, isSentence, lastLines } from './campaign-process.mjs';
import { Complaint, say } from './terminal.mjs';

const device = ['--device', 'cpu'];
const small = ['--set', 'pairs=8', '--set', 'k=2'];
const smallRun = ['problems=8', 'maxNew=16', 'evalProblems=2', 'finalEvalProblems=4', 'checkpointEvery=1'];
/** The tested commands. They are small, so that most of the time goes into starting, which is what a kill costs. */
export const COMMANDS = {
  run: [
    ...['run', '--preset', 'smoke', '--arms', 'none,route', '--seeds', '41', '--steps', '3'],
    ...smallRun.flatMap((setting) => ['--set', setting]),
    ...small,
    ...device,
  ],
  probe: ['probe', '--pool', 'templates', '--steps', '3', '--samples', '4', '--correct', '1', ...small, ...device],
};
/** Limit on starts of one folder, so that a command that makes no progress is noticed. */
const MAX_STARTS = 400;

/** Runs each command undisturbed, and returns its folder and the seconds that it took. */
export async function references(bundle, folder, names) {
  const whole = {};
  for (const name of names) {
    const path = join(folder, `${name}-whole`);
    const ended = await command(bundle, [...COMMANDS[name], '--out', path]);
    if (ended.code !== 0) throw new Complaint(`${name} failed undisturbed: ${lastLines(ended.stderr, 5)}`);
    say(`${name}: ${ended.seconds.toFixed(1)} s undisturbed`);
    whole[name] = { path, seconds: ended.seconds };
  }
  return whole;
}

export async function kills(bundle, folder, whole, { count, seed }) {
  const rows = [];
  const names = Object.keys(whole);
  for (const [i, name] of names.entries()) {
    const wanted = Math.ceil((count * (i + 1)) / names.length) - Math.ceil((count * i) / names.length);
    const row = { name, kills: 0, inWrite: 0, starts: 0, finished: 0, files: 0, different: [], complaints: [] };
    const draw = draws(seed + i);
    while (row.kills < wanted || row.finished === 0) {
      const path = join(folder, `${name}-${row.finished}`);
      mkdirSync(path, { recursive: true });
      await untilFinished(bundle, name, path, whole[name], wanted, row, draw);
      const { files, different } = compare(whole[name].path, path);
      row.finished++;
      row.files += files;
      row.different.push(...different);
    }
    say(`${name}: ${row.kills} kills, ${row.inWrite} while a file was written; ${row.different.length} files differ`);
    rows.push(row);
  }
  return rows;
}

async function untilFinished(bundle, name, path, { seconds }, wanted, row, draw) {
  for (let start = 0; start < MAX_STARTS; start++) {
    row.starts++;
    const afterMs = 1000 * seconds * (0.25 + 0.75 * draw());
    const onPart = draw() < 2 / 3 ? 1 + Math.floor(6 * draw()) : 0;
    const kill = row.kills < wanted ? { afterMs, onPart, folder: path } : null;
    const ended = await command(bundle, [...COMMANDS[name], '--out', path], kill);
    if (ended.killed) {
      row.kills++;
      if (ended.inWrite) row.inWrite++;
      continue;
    }
    if (ended.code === 0) return;
    const words = lastLines(ended.stderr, 4);
    row.complaints.push(words);
    throw new Complaint(
      `${name} did not go on after ${row.kills} kills${isSentence(words) ? '' : ' (a stack)'}: ${words}`,
    );
  }
  throw new Complaint(`${name} was not finished after ${MAX_STARTS} starts.`);
}
