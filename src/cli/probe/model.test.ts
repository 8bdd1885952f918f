// `probe --model` on the CPU device: a folder's model, replayed with the singular vectors of the cache folder, goes on after a stop to
// the same files, and is refused with numbers where it does not fit. The model is a random one, written here.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBasisFile } from '../../storage/basis-file.ts';
import { sha256 } from '../../storage/sources.ts';
import { extract } from '../model/extract.ts';
import { callCommand } from '../testing/call.ts';
import { smallBasis, writeSmallModel } from '../testing/small-model.node.ts';
import { probe } from './probe.ts';

const MINUTES = 60_000;
let folder: string;
let mine: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'probe-model-'));
  mine = at('my model');
  await writeSmallModel(mine, 2048);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (...names: string[]) => join(folder, ...names);

/** `stopAt`: the stage and step, as progress shows them. */
async function call(argv: readonly string[], notes: string[] = [], stopAt?: string): Promise<string> {
  const printed: string[] = [];
  const stop = new AbortController();
  const update = (what: string, done: number, total: number) => {
    if (`${what} ${done}/${total}` === stopAt) stop.abort();
  };
  await probe.run([...argv, '--cache', at('svd'), '--device', 'cpu'], {
    out: (text) => void printed.push(text),
    progress: { update, line: () => {}, note: (text) => void notes.push(text), end: () => {} },
    signal: stop.signal,
    root: resolve('.'),
  });
  return printed.join('\n');
}

async function refused(
  argv: readonly string[],
  kind: typeof SpecError | typeof FormatError = SpecError,
): Promise<string> {
  const error: unknown = await call(argv).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  const { message, remedy } = error as InstanceType<typeof kind>;
  return `${message} ${remedy}`;
}

async function filesIn(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path, { recursive: true })).filter((name) => name.includes('.')).sort();
  const contents = names.map(async (name) => [name, (await readFile(join(path, name))).toString('base64')] as const);
  return Object.fromEntries(await Promise.all(contents));
}

const brief = ['--steps', '2', '--samples', '4', '--set', 'pairs=4', '--set', 'k=2'];
const templates = [...brief, '--pool', 'templates'];

describe('probe --model', () => {
  it(
    'replays a pool through a folder’s model, and goes on after a stop to the same files',
    async () => {
      const notes: string[] = [];
      const own = ['--model', mine, ...templates];
      const report = JSON.parse(await call([...own, '--out', at('whole'), '--json'], notes));
      const hash = await sha256(await readFile(join(mine, 'model.safetensors')));
      expect(report).toMatchObject({ model: 'my-model', modelSha256: hash, adapter: 'svd' });
      // These pass for a random model too: the rows are there, and the projection removes its part.
      const outcome = (id: string) => report.verdicts.find((verdict: { id: string }) => verdict.id === id).outcome;
      expect([outcome('T2'), outcome('T3')]).toEqual(['pass', 'pass']);
      expect(notes).toContainEqual(expect.stringMatching(/^Memory: f32/));
      expect(notes).toContainEqual(expect.stringMatching(/^0 of 14 Linears were in .*, 14 were factored\.$/));
      const files = await filesIn(at('whole'));
      expect(Object.keys(files)).toHaveLength(2 + 4);

      const parts = [...own, '--out', at('parts')];
      await expect(call(parts, [], 'projected replay 1/2')).rejects.toThrow(StoppedError);
      await call(parts);
      expect(await filesIn(at('parts'))).toEqual(files);

      // In eight bits it is another model, with other gradients and other files.
      const packed = JSON.parse(await call([...own, '--storage', 'q8', '--out', at('q8'), '--json']));
      expect(packed.modelSha256).toBe(await sha256(new TextEncoder().encode(`${hash} q8`)));
      expect(packed.vanilla[0].nll).not.toBe(report.vanilla[0].nll);
      expect(packed.vanilla[0].nll).toBeCloseTo(report.vanilla[0].nll, 1);
    },
    3 * MINUTES,
  );

  it(
    'takes the model itself as the teacher, and trains it where T5 is asked for',
    async () => {
      const small = ['--set', 'maxNew=6', '--set', 'promptsPerStep=1', '--set', 'groupSize=4'];
      const argv = ['--model', mine, ...brief, ...small, '--pool', 'base', '--trajectory', '1', '--json'];
      const report = JSON.parse(await call(argv));
      expect(report.pool.source).toBe('my-model as it is');
      // A random model never hacks, and the report says so.
      expect(report.verdicts[0]).toMatchObject({ id: 'T1', outcome: 'fail' });
      expect(report.trajectories.svd.vanilla).toHaveLength(1);
    },
    3 * MINUTES,
  );

  it(
    'says that a basis comes from prompts which were written otherwise',
    async () => {
      const pairs = ['a', 'b', 'c'].map((prompt) => ({ prompt, hack: `pass${prompt}`, clean: `return ${prompt}` }));
      await writeFile(at('pairs.json'), JSON.stringify(pairs));
      const basis = at('plain.safetensors');
      const plain = ['--chat', '--chat-template', 'none'];
      await callCommand(extract, [
        ...['--model', mine, '--pairs', at('pairs.json'), '--out', basis, '--k', '2', ...plain],
        ...['--cache', at('svd'), '--device', 'cpu'],
      ]);
      const notesOf = async (...more: string[]) => {
        const notes: string[] = [];
        const argv = ['--model', mine, ...templates, '--basis', basis, ...more];
        await expect(call(argv, notes, 'vanilla replay 1/2')).rejects.toThrow(StoppedError);
        return notes.join('\n');
      };
      expect(await notesOf()).toContain(`Basis: ${basis}, 14 of 14 modules, rank up to 2, from 3 pairs.`);
      expect(await notesOf()).toContain('Basis: The prompts of its pairs were written with another chat template');
      expect(await notesOf('--chat-template', 'none')).not.toContain('another chat template');
    },
    4 * MINUTES,
  );

  it('refuses what does not fit, or means two models, before anything is factored', async () => {
    await writeSmallModel(at('short'), 64);
    expect(await refused(['--model', at('short'), ...templates])).toMatch(
      /^short has 64 positions: with completions of \d+ tokens a prompt may have \d+, and \d+ of \d+ have more/,
    );
    expect(await refused(['--storage', 'q8', ...templates])).toMatch(/embedded models lie in f32/);
    expect(await refused(['--model', mine, '--set', 'model=tiny-coder', ...templates])).toMatch(
      /--model names my-model, and --set model=tiny-coder another one/,
    );
    expect(await refused(['--set', 'model=another', ...templates])).toMatch(/comes with --model DIR/);
    expect(await refused(['--model', at('nowhere'), ...templates])).toMatch(/there is no such folder/);

    const zeros = at('zeros.safetensors');
    await writeFile(zeros, writeBasisFile(await smallBasis(mine, 1, 0), {}));
    expect(await refused(['--model', mine, ...templates, '--basis', zeros], FormatError)).toMatch(
      /zeros\.safetensors: all 1 axes of its 1 modules are zero, so nothing would be projected\. Extract it again/,
    );
  });
});
