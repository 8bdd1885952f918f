// Disks that are full or read-only, folders that cannot be made, files that were cut off or are another's: exit code, words, and
// what is left behind. A full disk is a small tmpfs, which takes root; elsewhere that part says that it was not run.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from './campaign-kills.mjs';
import { command, compare, filesIn, isSentence, lastLines } from './campaign-process.mjs';
import { say } from './terminal.mjs';

const mount = (...args) => spawnSync('mount', args).status === 0;
const KIB = 1024;

/** Shares of what the finished folder takes in blocks of 4 KiB: full soon after the beginning, and near the end. */
const SHARES = [0.15, 0.7];
const BLOCK = 4 * KIB;
const blocks = (folder) =>
  filesIn(folder).reduce((sum, name) => sum + Math.ceil(statSync(join(folder, name)).size / BLOCK), 0);

export async function disk(bundle, folder, whole) {
  const rows = [];
  const at = join(folder, 'small');
  mkdirSync(at);
  for (const name of Object.keys(whole))
    for (const share of SHARES) {
      const size = Math.ceil((share * blocks(whole[name].path) * BLOCK) / KIB);
      if (!mount('-t', 'tmpfs', '-o', `size=${size}k`, 'tmpfs', at))
        return { rows, why: 'a tmpfs cannot be mounted here (root alone may)' };
      try {
        const out = join(at, 'out');
        const full = await command(bundle, [...COMMANDS[name], '--out', out]);
        const parts = existsSync(out) ? filesIn(out).filter((file) => file.endsWith('.part')) : [];
        mount('-o', `remount,size=${64 * KIB}k`, at);
        const after = await command(bundle, [...COMMANDS[name], '--out', out]);
        const { different } = after.code === 0 ? compare(whole[name].path, out) : { different: ['everything'] };
        const row = { name, size, code: full.code, sentence: isSentence(full.stderr) && /ENOSPC/.test(full.stderr) };
        rows.push({ ...row, parts: parts.length, after: after.code, different });
        say(
          `${name} on ${size} KiB: exit ${full.code}; with room, exit ${after.code}, ${different.length} files differ`,
        );
        if (after.code !== 0) say(lastLines(after.stderr, 4));
      } finally {
        spawnSync('umount', [at]);
      }
    }
  return { rows, why: null };
}

/** What is refused: each is exit code 1 (2 where the flags are wrong), a sentence, and nothing changed. */
export async function refusals(bundle, folder, whole) {
  const rows = [];
  const copy = (name) => {
    const path = join(folder, `refused-${rows.length}`);
    cpSync(whole[name].path, path, { recursive: true });
    return path;
  };
  const tell = async (what, name, args, wanted) => {
    const ended = await command(bundle, [...COMMANDS[name], ...args]);
    const ok = ended.code === wanted && isSentence(ended.stderr);
    rows.push({ what, code: ended.code, ok, words: lastLines(ended.stderr).replaceAll(folder, '…') });
    say(`${what}: exit ${ended.code}${ok ? '' : ', which is not what it should be'}`);
  };
  if (process.platform === 'linux')
    for (const name of Object.keys(COMMANDS))
      await tell(`\`${name} --out\` below /proc`, name, ['--out', '/proc/none/out'], 1);
  const cut = copy('run');
  truncateSync(join(cut, 'none-41.run.json'), 1000);
  await tell('a `.run.json` that was cut off', 'run', ['--out', cut], 1);
  const foreign = copy('run');
  writeFileSync(join(foreign, 'none-41.run.json'), '{"name":"a-package","version":"1.0.0"}\n');
  await tell('a foreign `.run.json`', 'run', ['--out', foreign], 1);
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  await tell('`--out` is a file', 'run', ['--out', file], 1);
  const mixed = copy('run');
  writeFileSync(join(mixed, 'thesis.txt'), 'mine');
  const before = filesIn(mixed).join();
  await tell('`--fresh` on a folder with a foreign file', 'run', ['--out', mixed, '--fresh', '--yes'], 2);
  if (filesIn(mixed).join() !== before) rows.at(-1).ok = false;
  const at = join(folder, 'read-only');
  mkdirSync(at);
  if (mount('-t', 'tmpfs', '-o', 'size=1m,ro', 'tmpfs', at))
    try {
      for (const name of Object.keys(COMMANDS))
        await tell(`\`${name}\` on a read-only disk`, name, ['--out', join(at, 'out')], 1);
    } finally {
      spawnSync('umount', [at]);
    }
  // One bit of the newest checkpoint is flipped: the previous checkpoint is used, and the result is the same.
  const flipped = copy('run');
  const checkpoint = join(flipped, 'none-41.checkpoint');
  const bytes = readFileSync(checkpoint);
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(checkpoint, bytes);
  rmSync(join(flipped, 'none-41.run.json'));
  await tell('a flipped bit in the newest checkpoint of an unfinished run', 'run', ['--out', flipped], 0);
  const { different } = compare(whole.run.path, flipped);
  rows.at(-1).words =
    `continues from the previous checkpoint; ${different.length} files differ from those of an undisturbed run`;
  if (different.length > 0) rows.at(-1).ok = false;
  return rows;
}
