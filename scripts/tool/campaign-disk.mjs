// Tests commands on full and read-only disks, on folders that cannot be made, and on truncated or foreign files: their exit code, their
// message, and what they leave behind. A full disk is a small tmpfs, which needs root; without root that part is reported as not run.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from './campaign-kills.mjs';
import { command, compare, filesIn, isSentence, lastLines } from './campaign-process.mjs';
import { say } from './terminal.mjs';

const mount = (...args) => spawnSync('mount', args).status === 0;
const KIB = 1024;

/** Sizes of the disk as shares of the finished folder's: one is full soon after the start, one near the end. */
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

/** Tests refusals: each must give exit code 1 (2 if the flags are wrong) and a sentence, and change nothing. */
export async function refusals(bundle, folder, whole) {
  const rows = [];
  const copy = (name) => {
    const path = join(folder, `refused-${rows.length}`);
    cpSync(whole[name].path, path, { recursive: true });
    return path;
  };
  const expectExit = async (what, name, args, wanted) => {
    const ended = await command(bundle, [...COMMANDS[name], ...args]);
    const ok = ended.code === wanted && isSentence(ended.stderr);
    rows.push({ what, code: ended.code, ok, words: lastLines(ended.stderr).replaceAll(folder, '…') });
    say(`${what}: exit ${ended.code}${ok ? '' : ', which is not what it should be'}`);
  };
  if (process.platform === 'linux')
    for (const name of Object.keys(COMMANDS))
      await expectExit(`\`${name} --out\` below /proc`, name, ['--out', '/proc/none/out'], 1);
  const cut = copy('run');
  truncateSync(join(cut, 'none-41.run.json'), 1000);
  await expectExit('a `.run.json` that was cut off', 'run', ['--out', cut], 1);
  const foreign = copy('run');
  writeFileSync(join(foreign, 'none-41.run.json'), '{"name":"a-package","version":"1.0.0"}\n');
  await expectExit('a foreign `.run.json`', 'run', ['--out', foreign], 1);
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  await expectExit('`--out` is a file', 'run', ['--out', file], 1);
  const mixed = copy('run');
  writeFileSync(join(mixed, 'thesis.txt'), 'mine');
  const before = filesIn(mixed).join();
  await expectExit('`--fresh` on a folder with a foreign file', 'run', ['--out', mixed, '--fresh', '--yes'], 2);
  if (filesIn(mixed).join() !== before) rows.at(-1).ok = false;
  const at = join(folder, 'read-only');
  mkdirSync(at);
  if (mount('-t', 'tmpfs', '-o', 'size=1m,ro', 'tmpfs', at))
    try {
      for (const name of Object.keys(COMMANDS))
        await expectExit(`\`${name}\` on a read-only disk`, name, ['--out', join(at, 'out')], 1);
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
  await expectExit('a flipped bit in the newest checkpoint of an unfinished run', 'run', ['--out', flipped], 0);
  const { different } = compare(whole.run.path, flipped);
  rows.at(-1).words =
    `continues from the previous checkpoint; ${different.length} files differ from those of an undisturbed run`;
  if (different.length > 0) rows.at(-1).ok = false;
  return rows;
}
