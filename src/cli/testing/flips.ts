// For `npm run campaign`: flips single bits of what a command kept, and reads it as the command would. Arguments: run, study or
// probe; its folder; how many flips; a seed. Prints JSON: of each kind of file what came of its flips.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { CounterRng } from '../../rng/index.ts';
import { probeFolder } from '../probe/folder.ts';
import { openRunFolder } from '../run/folder.ts';
import { openStudyFolder } from '../study/folder.ts';

interface Kind {
  name: string;
  files: RegExp;
  /** Path within the folder → what is read there. */
  read(path: string, warn: (line: string) => void): Promise<unknown>;
}

const layout = { modules: [], total: 0 };

function kindsOf(command: string, folder: string): Kind[] {
  const run = (warn: (line: string) => void) =>
    openRunFolder(folder, layout, 'x', undefined, undefined, undefined, warn);
  const study = (warn: (line: string) => void) => openStudyFolder(folder, warn);
  const runId = (path: string) => `cli/${basename(path).replace(/^(.*)-(\d+)\..*$/, '$1/$2')}`;
  const key = (path: string) => basename(path).replace(/^(?:pool-)?([0-9a-f]{16}).*$/, '$1');
  if (command === 'run')
    return [
      { name: 'checkpoint', files: /\.checkpoint$/, read: (path, warn) => run(warn).checkpoints.load(runId(path)) },
      { name: 'finished run', files: /\.run\.json$/, read: (path, warn) => run(warn).finishedRun(runId(path)) },
      {
        name: 'optimizer step',
        files: /\.steps\/\d+$/,
        read: (path, warn) => run(warn).steps.load(runId(dirname(path))),
      },
      { name: 'pool', files: /pool-\w+\.jsonl$/, read: (path, warn) => run(warn).artifacts.loadPool(key(path)) },
    ];
  if (command === 'study')
    return [
      { name: 'finished run', files: /^runs\//, read: async (_, warn) => [...(await study(warn).all()).values()] },
      {
        name: 'optimizer step',
        files: /^steps\//,
        read: (path, warn) => study(warn).steps.load(basename(dirname(path))),
      },
      {
        name: 'pool',
        files: /^pools\/\w+\.jsonl$/,
        read: async (path, warn) => (await study(warn).artifacts?.loadPool(key(path))) ?? null,
      },
    ];
  const probe = (warn: (line: string) => void) => probeFolder(folder, warn);
  return [
    { name: 'replay’s state', files: /\/state$/, read: (path, warn) => probe(warn).loadState(dirname(path)) },
    {
      name: 'rows of a step',
      files: /step_\d+\.jsonl\.gz$/,
      read: (path, warn) => probe(warn).loadRows(dirname(path), Number(/step_(\d+)/.exec(path)?.[1])),
    },
  ];
}

interface Outcome {
  name: string;
  flips: number;
  /** A named error. */
  error: number;
  /** Said, and what lay before it used, or made again. */
  replaced: number;
  /** Nothing said, and what was read is what was written: bits that mean nothing. */
  harmless: number;
  /** Nothing said, and something else was read. */
  unseen: number;
}

async function flip(
  kind: Kind,
  folder: string,
  files: readonly string[],
  flips: number,
  seed: number,
): Promise<Outcome> {
  const rng = new CounterRng([seed, flips]);
  const outcome: Outcome = { name: kind.name, flips, error: 0, replaced: 0, harmless: 0, unseen: 0 };
  for (let i = 0; i < flips; i++) {
    const file = rng.choice(files);
    const path = join(folder, file);
    const whole = readFileSync(path);
    const before = await kind.read(file, () => {});
    const bytes = Buffer.from(whole);
    bytes[rng.int(bytes.length)] ^= 1 << rng.int(8);
    writeFileSync(path, bytes);
    let said = 0;
    try {
      const found = await kind.read(file, () => void said++);
      if (said > 0) outcome.replaced++;
      else if (isDeepStrictEqual(found, before)) outcome.harmless++;
      else outcome.unseen++;
    } catch (error) {
      if (error instanceof LabError) outcome.error++;
      else throw error;
    } finally {
      writeFileSync(path, whole);
    }
  }
  return outcome;
}

const [command, folder, count, seed] = process.argv.slice(2);
const all = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
  statSync(join(folder, name)).isFile(),
);
const kinds = kindsOf(command, folder)
  .map((kind) => ({ kind, files: all.filter((name) => kind.files.test(name)).sort() }))
  .filter(({ files }) => files.length > 0);
const outcomes: Outcome[] = [];
for (const [i, { kind, files }] of kinds.entries())
  outcomes.push(await flip(kind, folder, files, Math.ceil(Number(count) / kinds.length), Number(seed) + i));
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
