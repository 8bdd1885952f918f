// Runs the tutorials from their own blocks, in order, in a temporary folder. A block ```json FILE is saved; a block ```sh run is given to bash,
// with `npm run -s lab --` as this checkout's command line. Blocks without such a word are the long form of a run or need a network, and are not
// run.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bundleCli } from './bundle.mjs';
import { make } from './new.mjs';
import { at, ROOT } from './project.mjs';

const FOLDER = at('docs', 'tutorials');
const root = mkdtempSync(join(tmpdir(), 'tutorials-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const textOf = (name) => readFileSync(join(FOLDER, name), 'utf8');
const blocksOf = (name) =>
  [...textOf(name).matchAll(/^```(sh|json) ([\w.-]+)\n([\s\S]*?)^```$/gm)].map(([, language, word, text]) => ({
    language,
    word,
    text,
  }));

/** Pattern of a line that each tutorial prints at its end, and the files that it makes. */
const TUTORIALS = {
  'first-run.md': { prints: /^route deployed [\d.]+ [\d.]+$/m, files: ['look.json'] },
  'your-pairs.md': { prints: /^erase\b/m, files: ['basis.safetensors'] },
  'your-model.md': { prints: /^vanilla\b/m, files: ['my-run/none-41.run.json', 'trained/model.safetensors'] },
  'your-problems.md': { prints: /^vanilla\b/m, files: ['look.json'] },
  'slurm-sweep.md': { prints: /4 of 4 runs are done/, files: ['here/report.md', 'here/best-again.json'] },
};

/** Runs a tutorial's blocks in one shell, so that a variable of one block is set in the next. */
async function play(name, word) {
  const folder = join(root, `${name}-${word}`);
  cpSync(at('examples'), join(folder, 'examples'), { recursive: true });
  const [node, bundle] = [process.execPath, await bundleCli()].map((path) => JSON.stringify(path));
  const script = [
    'set -e',
    `export LAB=${JSON.stringify(ROOT)} LAB_ROOT=${JSON.stringify(ROOT)}`,
    // npm run [-s] lab -- COMMAND …
    `npm() { while [ "$1" != -- ]; do shift; done; shift; ${node} ${bundle} "$@"; }`,
  ];
  for (const block of blocksOf(name)) {
    if (block.language === 'json') writeFileSync(join(folder, block.word), block.text);
    else if (block.word === word) script.push(block.text);
  }
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script.join('\n')], { cwd: folder, encoding: 'utf8' });
  expect(status, `${name}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`).toBe(0);
  return { stdout, folder };
}

it.each(Object.entries(TUTORIALS))('%s runs from its own blocks', async (name, { prints, files }) => {
  const { stdout, folder } = await play(name, 'run');
  expect(stdout).toMatch(prints);
  for (const file of files) expect(existsSync(join(folder, file)), file).toBe(true);
});

// new.test.mjs lints, type-checks, tests and runs what the same command writes.
it('your-environment.md names the files that its command writes', () => {
  const [{ text }] = blocksOf('your-environment.md').filter(({ word }) => word === 'in-a-copy');
  const copy = join(root, 'copy');
  for (const path of ['src', 'bench', 'shaders']) cpSync(at(path), join(copy, path), { recursive: true });
  symlinkSync(at('packages'), join(copy, 'packages'));
  const { paths } = make(text.trim().split(' -- ')[1].split(' '), copy);
  const written = paths.filter((path) => /environments\/greater\/[\w-]+\.ts$/.test(path) && !/\.test\./.test(path));
  const named = [...textOf('your-environment.md').matchAll(/^\| `([\w-]+\.ts)` \|/gm)].map(([, file]) => file);
  expect(named.sort()).toEqual(written.map((path) => path.split('/').at(-1)).sort());
});

it('covers every tutorial', () => {
  const covered = [...Object.keys(TUTORIALS), 'your-environment.md'];
  expect(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.md'))
      .sort(),
  ).toEqual(covered.sort());
});

const hasSlurm = spawnSync('sinfo', ['--noheader'], { timeout: 10_000 }).status === 0;
it.skipIf(!hasSlurm)(
  `slurm-sweep.md submits to Slurm${hasSlurm ? '' : ' (skipped: sinfo finds no cluster)'}`,
  async () => {
    expect((await play('slurm-sweep.md', 'slurm')).stdout).toMatch(/4 of 4/);
  },
);
