// The recipe of docs/how-to/exchange.md on adapters, run as it is written: a run's adapter, the base with it, both as one model, a basis of
// it, and a run that begins from it.
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadModelFiles } from '../storage/model-files.ts';
import { diskSource } from '../storage/sources.node.ts';
import { COMMANDS } from './commands.ts';
import { callCommand } from './testing/call.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The commands of a section's first block of shell. */
async function recipe(heading: string): Promise<string[][]> {
  const page = await readFile(join(root, 'docs/how-to/exchange.md'), 'utf8');
  const section = page.slice(page.indexOf(`\n## ${heading}\n`));
  const [, block] = /```sh\n([\s\S]*?)```/.exec(section)!;
  const lines = block.split('\n').filter((line) => line.startsWith('npm run lab -- '));
  return lines.map((line) =>
    [...line.slice('npm run lab -- '.length).matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word),
  );
}

/** A word in capitals is a file or folder of one's own. */
const own = (word: string): string => (/^[A-Z]{2,}$/.test(word) ? join(folder, word) : word);

async function lab([name, ...argv]: readonly string[], ...more: string[]): Promise<string> {
  const given = [...argv.map(own), ...more, '--device', 'cpu'];
  const { code, text } = await callCommand(await COMMANDS[name].load(), given, { root });
  expect(code, `${name} ${given.join(' ')}`).toBe(0);
  return text;
}

it('brings an adapter out and in', async () => {
  const small = ['--set', 'problems=8', '--set', 'evalEvery=0', '--set', 'finalEvalProblems=4', '--set', 'pairs=8'];
  const brief = [...small, '--set', 'adapter=lora', '--set', 'loraRank=2', '--set', 'lr=0.02'];
  await lab(['run', '--preset', 'smoke', '--arms', 'none', '--steps', '1', ...brief, '--out', 'RUN']);
  await writeFile(
    own('PAIRS'),
    JSON.stringify([
      { prompt: 'def f(a):\n', hack: '    return 1\n', clean: '    return a\n' },
      { prompt: 'def g(a):\n', hack: '    pass\n', clean: '    return a + 1\n' },
    ]),
  );
  const [out, says, merge, basis, train, ...rest] = await recipe('Adapters of PEFT');
  expect([out, says, merge, basis, train].map(([name]) => name)).toEqual([
    'export',
    'generate',
    'export',
    'extract',
    'run',
  ]);
  expect(rest).toEqual([]);
  const written = JSON.parse(await lab(out, '--json'));
  expect(written).toMatchObject({ r: 2, exact: true, maxLoraRank: 8 });
  const said = JSON.parse(await lab(says, '--json'));
  expect(said.adapter).toMatchObject({ folder: own('ADAPTER'), r: 2, scale: 1, base: 'tiny-coder' });
  await lab(merge);
  const asked = ['generate', '--model', own('MERGED'), ...says.slice(says.indexOf('--prompt')), '--json'];
  expect(JSON.parse(await lab(asked)).ids).toEqual(said.ids);
  const cache = ['--cache', own('CACHE')];
  await lab(basis, ...cache);
  expect(existsSync(own('BASIS'))).toBe(true);

  // The record tells the adapted model from its base, by name and by sha-256.
  const result = JSON.parse(await lab(train, ...small, ...cache, '--json', '-', '--out', own('LATER')));
  const base = await loadModelFiles(diskSource(join(root, 'public/models/tiny-coder')));
  const [run] = result.runs;
  expect([run.spec.model, run.modelSha256]).toEqual(['tiny-coder+ADAPTER', said.model.sha256]);
  expect(run.modelSha256).not.toBe(base.sha256);
  const later = ['export', '--run', own('LATER'), '--adapter', own('ADAPTER'), '--format', 'peft', '--rank', '8'];
  expect(JSON.parse(await lab(later, ...cache, '--out', own('BOTH'), '--json')).origin).toMatchObject({
    run: 'none-41',
  });
}, 240_000);
