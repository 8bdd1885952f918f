// `run --model` on the CPU device: a folder's model is trained with the singular vectors of the cache folder, goes on after a stop to the
// same rows, has the same name as on the page, and is refused with numbers where it does not fit. The model is a random one, written here;
// the trained stories260K joins where shared/models has it.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError, SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_ROWS, problemLines } from '../../environments/leetcode/testing/problem-lines.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import { Equipment } from '../../lab/equipment/equipment.ts';
import { ModelPlaces } from '../../lab/models/places.ts';
import { writeBasisFile } from '../../storage/basis-file.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import type { CommandContext } from '../command.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { smallBasis, writeSmallModel } from '../testing/small-model.node.ts';
import { specOf } from './flags.ts';
import { modelIdOf } from './model.ts';
import { run } from './run.ts';

const ROOT = resolve('.');
const TOKENIZER = resolve('public', 'models', 'tiny-coder');
const STORIES = resolve(ROOT, '..', 'shared', 'models', 'stories260K');
const MINUTES = 60_000;

let folder: string;
let mine: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-model-'));
  mine = at('my model');
  await writeSmallModel(mine, 2048);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (...names: string[]) => join(folder, ...names);

/** `stopAt`: the line of progress at which the run is stopped. */
async function call(argv: readonly string[], notes: string[] = [], stopAt?: RegExp): Promise<string> {
  const printed: string[] = [];
  const stop = new AbortController();
  const line = (text: string) => {
    if (stopAt?.test(text)) stop.abort();
  };
  const cache = argv.includes('--cache') ? [] : ['--cache', at('svd')];
  const device = argv.includes('--device') ? [] : ['--device', 'cpu'];
  await run.run([...argv, ...cache, ...device], {
    out: (text) => void printed.push(text),
    progress: { update: () => {}, line, note: (text) => void notes.push(text), end: () => {} },
    signal: stop.signal,
    root: ROOT,
  });
  return printed.join('\n');
}

const set = (settings: Record<string, string | number>) =>
  Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
const TINY = { problems: 4, evalEvery: 0, finalEvalProblems: 2, pairs: 4, k: 2, maxNew: 6, checkpointEvery: 1 };
const two = ['--preset', 'smoke', '--arms', 'route', '--steps', '2', ...set(TINY), '--json', '-'];
const one = ['--preset', 'smoke', '--arms', 'route', '--steps', '1', ...set(TINY), '--json', '-'];
const files = (path: string) => readdir(path).catch(() => []);

async function refused(
  argv: readonly string[],
  kind: typeof SpecError | typeof FormatError = SpecError,
): Promise<string> {
  const error: unknown = await call(argv).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(kind);
  const { message, remedy } = error as InstanceType<typeof kind>;
  return `${message} ${remedy}`;
}

describe('run --model', () => {
  it(
    'trains a folder’s model, finds its singular vectors again, and goes on after a stop to the same rows',
    async () => {
      const notes: string[] = [];
      const whole = JSON.parse(await call(['--model', mine, ...two, '--out', at('whole')], notes)).runs[0];
      const hash = await sha256(await readFile(join(mine, 'model.safetensors')));
      expect(whole).toMatchObject({ status: 'done', modelSha256: hash, spec: { model: 'my-model' } });
      expect(whole.rows).toHaveLength(2);
      // A step moved the adapter, so that it is trained, not just sampled.
      const { optimizer } = await lastCheckpoint('whole');
      expect(optimizer.total.some((x) => x !== 0)).toBe(true);
      expect(notes).toContainEqual(expect.stringMatching(/^0 of 14 Linears were in .*, 14 were factored\.$/));
      expect(await files(at('svd'))).toHaveLength(14);

      const again: string[] = [];
      await expect(call(['--model', mine, ...two, '--out', at('parts')], again, /step 1\/2/)).rejects.toThrow(
        StoppedError,
      );
      expect(again).toContainEqual(expect.stringMatching(/^14 of 14 Linears were in .*, 0 were factored\.$/));
      expect((await lastCheckpoint('parts')).step).toBe(1);
      const resumed: string[] = [];
      const auto = ['--device', 'auto'];
      const parts = JSON.parse(await call(['--model', mine, ...two, '--out', at('parts'), ...auto], resumed)).runs[0];
      // It does not take the CPU that fuses, which `auto` takes where nothing is kept.
      expect(resumed).toContainEqual(expect.stringMatching(/^Device: CPU \(WASM SIMD\)/));
      expect(resumed).toContainEqual(expect.stringMatching(/going on after step 1$/));
      expect([parts.rows, parts.evals]).toEqual([whole.rows, whole.evals]);
    },
    3 * MINUTES,
  );

  it(
    'stores its weights as requested, which makes another model with its own checkpoints',
    async () => {
      const packed = ['--model', mine, '--storage', 'q8', '--out', at('q8')];
      const [ran] = JSON.parse(await call([...packed, ...one])).runs;
      const hash = await sha256(await readFile(join(mine, 'model.safetensors')));
      expect(ran.modelSha256).toBe(await sha256(new TextEncoder().encode(`${hash} q8`)));
      // With other weights (exact ones, or another model of that name) neither a finished run nor a checkpoint is reused.
      await writeSmallModel(at('other', 'my model'), 2048, 2);
      const others = [
        ['--model', mine, '--storage', 'f32', '--out', at('q8')],
        ['--model', at('other', 'my model'), '--storage', 'q8', '--out', at('q8')],
      ];
      for (const argv of others)
        expect(await refused([...argv, ...one])).toMatch(
          new RegExp(`keeps a finished run of route, seed 41, on model ${ran.modelSha256}; this is model`),
        );
      await rm(at('q8', 'route-41.run.json'));
      for (const argv of others)
        expect(await refused([...argv, ...one])).toMatch(
          new RegExp(`belongs to model ${ran.modelSha256}, .*; this is`),
        );
      // The choice of auto may change; a run goes on as it was begun.
      const notes: string[] = [];
      const auto = ['--model', mine, '--out', at('q8'), ...one];
      expect(JSON.parse(await call(auto, notes)).runs[0].rows).toEqual(ran.rows);
      expect(notes).toContainEqual(expect.stringMatching(/begun with: q8\.$/));
      expect(JSON.parse(await call([...packed, ...one])).runs[0].rows).toEqual(ran.rows);
    },
    3 * MINUTES,
  );

  it(
    'computes a LoRA beside the weights where it is told so: the record says it, and the run goes on so',
    async () => {
      const beside = ['--model', mine, ...two, ...set({ adapter: 'lora', loraRank: 2 })];
      const unfolded = [...beside, '--form', 'unfolded'];
      const notes: string[] = [];
      const [whole] = JSON.parse(await call([...unfolded, '--out', at('beside')], notes)).runs;
      expect(notes).toContainEqual(expect.stringMatching(/^Memory: f32, the adapter not folded: /));
      expect(whole).toMatchObject({ status: 'done', adapterForm: 'unfolded' });
      const [folded] = JSON.parse(await call([...beside, '--out', at('folded')])).runs;
      expect(folded).not.toHaveProperty('adapterForm');
      expect(folded.rows.at(-1).loss).toBeCloseTo(whole.rows.at(-1).loss, 4);

      await expect(call([...unfolded, '--out', at('began')], [], /step 1\/2/)).rejects.toThrow(StoppedError);
      expect(await refused([...beside, '--form', 'folded', '--out', at('began')])).toMatch(/unfolded adapter/);
      const resumed = JSON.parse(await call([...beside, '--out', at('began')])).runs[0];
      expect([resumed.rows, resumed.evals, resumed.adapterForm]).toEqual([whole.rows, whole.evals, 'unfolded']);
      expect(await refused([...beside, '--form', 'folded', '--out', at('beside')])).toMatch(
        /whose adapter was unfolded; this one’s is folded/,
      );
      expect(await refused([...two, '--form', 'unfolded'])).toMatch(/embedded models are folded/);
    },
    3 * MINUTES,
  );

  it('has the id and the sha-256 that the page gives the same folder', async () => {
    const own = { id: 'tiny-coder', source: diskSource(TOKENIZER) };
    const id = await modelIdOf({ model: mine, adapter: null }, { root: ROOT } as CommandContext);
    expect(await new ModelPlaces(undefined, own).idOf({ kind: 'files', name: 'my model', files: [] })).toBe(id);
    const page = new Equipment({
      modelId: own.id,
      files: own.source,
      gpu: async () => null,
      grader: { version: 'none', grade: async () => [], close: async () => {} },
      onProgress: () => {},
    });
    for (const storage of ['f32', 'f16'] as const) {
      const { model } = await page.use({ id, source: diskSource(mine), placed: () => ({ storage, form: 'folded' }) });
      const [ran] = JSON.parse(await call(['--model', mine, '--storage', storage, ...one])).runs;
      expect([ran.spec.model, ran.modelSha256]).toEqual([model.id, model.sha256]);
    }
    page.close();
  });

  it('opens the presets for real models', () => {
    const flags = { arms: null, seeds: null, steps: null, set: {}, device: 'auto' as const };
    for (const preset of ['fast', 'full'] as const) {
      const spec = specOf({ ...flags, preset }, null, 'my-model');
      const { model, maxNew, promptsPerStep } = PRESETS[preset].settings;
      for (const planned of resolveRuns(spec))
        expect(planned).toMatchObject({ model: 'my-model', maxNew, promptsPerStep });
      expect(model).toBe('tiny-coder');
      expect(() => resolveRuns(specOf({ ...flags, preset }, null))).toThrow(/for real models/);
    }
  });

  it(
    'refuses what does not fit, with numbers, before anything is factored',
    async () => {
      // Prompts of the substrate have up to 70 tokens of this tokenizer, pairs 147.
      const [short, shorter] = [at('short'), at('shorter')];
      await writeSmallModel(short, 160, 3);
      await writeSmallModel(shorter, 120, 3);
      const unused = ['--cache', at('unused')];
      const prompts = await refused(['--model', short, ...two, ...unused, '--set', 'maxNew=120']);
      expect(prompts).toMatch(
        /^short has 160 positions: with completions of 120 tokens a prompt may have 40, and \d+ of \d+ have more: \w+\(/,
      );
      expect(prompts).toMatch(/, or take a model with more positions\.$/);
      const room = Number(/Set maxNew to at most (\d+) \(--set maxNew=\1\)/.exec(prompts)?.[1]);
      const longest = Number(/have more: .*?\)@\w+ \((\d+)\)/.exec(prompts)?.[1]);
      expect(room + longest).toBe(160);

      const pairs = await refused(['--model', shorter, ...two, ...unused]);
      expect(pairs).toMatch(
        /^Pair \d+ of prog_wide has 1[2-4]\d tokens, shorter has 120 positions\. Choose another pair set/,
      );

      const lines = problemLines(Array.from({ length: 4 }, (_, i) => ({ ...PROBLEM_ROWS[i % 2], id: 7 + i })));
      await writeFile(at('problems.jsonl'), lines);
      const real = await refused(['--model', shorter, ...two, ...unused, '--problems', at('problems.jsonl')]);
      expect(real).toMatch(/leetcode\(\d+\)@\w+ \(\d+\)/);
      expect(real).toMatch(/leave those problems out of the file, or take a model with more positions\.$/i);

      const large = ['--model', mine, '--preset', 'full', '--set', 'groupSize=64', ...unused];
      expect(await refused(large)).toMatch(
        /43 prompts × 64 rollouts of up to 1024 tokens need [\d.]+ GB of memory, and the device has 4\.29 GB\. .*at most/,
      );
      const basisOf = async (name: string, modules: number, length: number) => {
        await writeFile(at(name), writeBasisFile(await smallBasis(mine, modules, length), {}));
        return ['--basis', at(name)];
      };
      const zeros = ['--model', mine, ...one, ...unused, ...(await basisOf('zeros.safetensors', 14, 0))];
      expect(await refused(zeros, FormatError)).toMatch(
        /zeros\.safetensors: all 14 axes of its 14 modules are zero, so nothing would be projected\. Extract it again/,
      );
      const strange = ['--model', mine, ...one, ...unused, ...(await basisOf('nan.safetensors', 2, Number.NaN))];
      expect(await refused(strange, FormatError)).toMatch(/1 of the 32 numbers of V\/\S+ are not finite/);

      expect(existsSync(at('unused'))).toBe(false);
      // A basis of seven modules is used, and the command says that the others are left alone.
      const notes: string[] = [];
      await call(['--model', mine, ...one, ...(await basisOf('part.safetensors', 7, 1))], notes);
      expect(notes).toContain(
        `Basis: ${at('part.safetensors')}, 7 of 14 modules (the other 7 are not projected), rank up to 1, from unknown pairs.`,
      );
      // The first refusal's number is exact: that many tokens fit, one more does not.
      const wish = (maxNew: number) => ['--model', short, ...one, '--set', `maxNew=${maxNew}`];
      expect(JSON.parse(await call(wish(room))).runs[0].status).toBe('done');
      expect(await refused(wish(room + 1))).toMatch(/, and \d+ of \d+ have more/);
    },
    2 * MINUTES,
  );

  it(
    'trains it on real problems',
    async () => {
      const lines = problemLines(Array.from({ length: 4 }, (_, i) => ({ ...PROBLEM_ROWS[i % 2], id: i })));
      await writeFile(at('real.jsonl'), lines);
      const [ran] = JSON.parse(
        await call(['--model', mine, '--problems', at('real.jsonl'), ...one, '--set', 'promptsPerStep=1']),
      ).runs;
      const environment = `leetcode:${await sha256(new TextEncoder().encode(lines))}`;
      expect(ran).toMatchObject({ status: 'done', spec: { model: 'my-model', environment } });
      expect(ran.rows[0].student.n + ran.rows[0].teacher.n).toBe(4);
    },
    3 * MINUTES,
  );

  it('refuses names that mean two models', async () => {
    await writeSmallModel(at('tiny-coder'), 2048);
    expect(await refused(['--model', at('tiny-coder'), ...two])).toMatch(
      /tiny-coder is the name of an embedded model.*Rename the folder/,
    );
    expect(await refused(['--model', mine, ...two, '--set', 'model=tiny-coder'])).toMatch(
      /--model names my-model, and --set model=tiny-coder another one/,
    );
    expect(await refused(['--model', at('nowhere'), ...two])).toMatch(/there is no such folder/);
    expect(await refused(['--storage', 'q8', ...two])).toMatch(/embedded models lie in f32/);
  });

  it.skipIf(!existsSync(STORIES))(
    'trains stories260K (where shared/models has it), and says which problems are too long for it',
    async () => {
      const plain = ['--model', STORIES, '--chat-template', 'none'];
      expect(await refused(['--model', STORIES, ...one], FormatError)).toMatch(
        /stories260K has no chat template.*--chat-template chatml, none or FILE/,
      );
      const [ran] = JSON.parse(await call([...plain, ...one])).runs;
      expect(ran).toMatchObject({ status: 'done', spec: { model: 'stories260K', chatTemplate: 'none' } });
      expect(ran.rows).toHaveLength(1);
      const fast = await refused([...plain, '--preset', 'fast']);
      expect(fast).toMatch(/stories260K has 512 positions: with completions of 512 tokens a prompt may have 0, and/);
    },
    2 * MINUTES,
  );
});

async function lastCheckpoint(name: string) {
  const checkpoint = await readCheckpoint(at(name, 'route-41.checkpoint'));
  if (!checkpoint) throw new Error(`${name} keeps no checkpoint`);
  return checkpoint;
}
