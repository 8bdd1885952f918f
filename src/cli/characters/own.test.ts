// `characters --spec`: files read from disk and their refusals, the tables, and a loaded model that is taught, stopped and continued.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnPoint, OwnRow } from '../../experiments/characters/own/rows.ts';
import { callCommand } from '../testing/call.ts';
import { characters } from './characters.ts';
import { readDocuments, readOwnRows, readOwnSpec } from './own-files.ts';
import { ownTables } from './own-tables.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'characters-own-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const EXAMPLE = resolve('docs', 'characters', 'tea.json');

async function call(...argv: string[]): Promise<string> {
  const { code, text } = await callCommand(characters, [...argv, '--device', 'cpu']);
  expect(code).toBe(0);
  return text;
}

describe('the files', () => {
  it('are those of the docs’ example, documents beside it', async () => {
    const spec = await readOwnSpec(EXAMPLE);
    expect(await readDocuments(spec, EXAMPLE)).toHaveLength(12);
  });

  it('are read by name, and refused outside, empty or without a text', async () => {
    const path = join(folder, 'spec.json');
    const spec = await readOwnSpec(EXAMPLE);
    const of = (name: string) => readDocuments({ ...spec, sdf: { ...spec.sdf!, folder: name } }, path);
    await mkdir(join(folder, 'docs'));
    await expect(of('docs')).rejects.toThrow(/has no .txt/);
    await writeFile(join(folder, 'docs', 'b.txt'), 'second');
    await writeFile(join(folder, 'docs', 'a.md'), 'first');
    await writeFile(join(folder, 'docs', 'x.bin'), 'no');
    expect(await of('docs')).toEqual(['first', 'second']);
    await writeFile(join(folder, 'docs', 'c.jsonl'), '{"text": "third"}\n{"txt": "x"}\n');
    await expect(of('docs')).rejects.toThrow(/c\.jsonl:2 has no text/);
    for (const outside of ['..', '../x', '/tmp']) await expect(of(outside)).rejects.toThrow(/does not lie beside/);
    await expect(of('none')).rejects.toThrow(FormatError);
  });
});

/** A gains .2 a dose; near characters half of that. */
function row(changes: Partial<OwnRow> = {}): OwnRow {
  const curve = [0, 1, 2].map((dose): OwnPoint => {
    const at = (share: number) => ({ n: 2, p: 0.1 + 0.2 * share * dose, logit: -2 + share * dose });
    const none = { n: 1, p: 0, logit: 0 };
    return {
      step: 5 * dose,
      tokens: 0,
      target: { a: at(1), near: at(0.5) },
      keeps: {},
      beliefs: { a: none, others: none },
      drift: { texts: 3 },
      reward: null,
      loss: null,
    };
  });
  return {
    schema: 1,
    kind: 'own',
    base: 'b',
    made: 'm',
    arm: 'sdf',
    adapter: 'lora',
    seed: 1,
    lr: 0.1,
    steps: 10,
    target: 't',
    a: { name: 'x' },
    members: { near: ['y'] },
    contrast: [],
    isWhole: true,
    curve,
    ...changes,
  };
}

describe('the tables', () => {
  it('read leakage at the effect, and refuse what has none or is of another spec', () => {
    // ΔP of A is .30 at one dose and a half.
    expect(ownTables([row()], 0.3)).toMatch(/^ *sdf +1 +7\.5 +\.50 \(\.50\)/m);
    expect(ownTables([row()], 0.5)).toContain('sdf, seed 1: ΔP of A reaches .40 at most; not read at .50.');
    expect(ownTables([row({ arm: 'rl_random' })], 0.3)).toContain('rl_random moves the target: ΔP of A .40');
    expect(() => ownTables([row(), row({ made: 'other' })], 0.3)).toThrow(/several models/);
    expect(() => ownTables([row({ members: { near: ['x'] } })], 0.3)).toThrow(/x is in the group near and in A/);
  });
});

it('the published try has the figures that docs/lab-book/characters.md tells', async () => {
  const rows = (await readOwnRows(resolve('public', 'results', 'characters', 'own-tea.jsonl.gz'), () => {}))!;
  const page = await readFile(resolve('docs', 'lab-book', 'characters.md'), 'utf8');
  const two = (value: number) => value.toFixed(2).replace(/^(-?)0\./, '$1.');
  const lines = page.split('\n');
  for (const { arm, curve } of rows) {
    const { step, target, beliefs, drift } = curve.at(-1)!;
    const cells = (['a', 'near', 'far', 'other', 'noname'] as const).map(
      (group) => `${two(target[group]!.logit)} (${two(target[group]!.p)})`,
    );
    const cellText = [step, ...cells, `${two(beliefs.a.p)}, ${two(beliefs.others.p)}`, drift.texts.toFixed(3)].join(
      ' | ',
    );
    expect(lines).toContain(`| \`${arm}\` | ${cellText} |`);
  }
  expect(ownTables(rows, 0.3)).toMatch(/^ *rl +41 +2\.5 +\.97 \(1\.02\) +1\.00 .* 1\.00 .* \.98 /m);
  expect(ownTables(rows, 0.3)).toContain('rl_random moves the target: ΔP of A −.18');
});

const MODEL = resolve('..', 'shared', 'models', 'stories260K');

describe('a loaded model', () => {
  it.skipIf(!existsSync(MODEL))(
    'is taught by each arm, and what is whole is not made again (skipped where ../shared is missing)',
    async () => {
      const { sdf, rl, ...spec } = JSON.parse(await readFile(EXAMPLE, 'utf8'));
      const some = {
        ...spec,
        begin: '',
        probes: spec.probes.slice(0, 1),
        own: [],
        groups: { near: ['nina'] },
        contrast: [],
      };
      const small = { ...rl, promptsPerStep: 1, groupSize: 2, maxNew: 2 };
      const [path, out] = [join(folder, 'small.json'), join(folder, 'rows.jsonl')];
      await writeFile(path, JSON.stringify({ ...some, sdf: { texts: ['Mara likes tea.'], maxTokens: 16 }, rl: small }));
      const long = join(folder, 'long.json');
      const text = `{name} ${'x'.repeat(1900)}`;
      await writeFile(long, JSON.stringify({ ...some, rl: small, beliefs: [{ ...spec.beliefs[0], text }] }));
      await expect(call('--model', MODEL, '--spec', long, '--steps', '1')).rejects.toThrow(/has no chat template/);
      const plain = ['--model', MODEL, '--chat-template', 'none'];
      await expect(call(...plain, '--spec', long, '--steps', '1')).rejects.toThrow(/A probe takes \d+ tokens/);
      const flags = [...plain, '--spec', path, '--steps', '1', '--every', '1', '--out', out];
      await call(...flags, '--arms', 'sdf');
      const first = await readFile(out, 'utf8');
      // A row that was stopped is made anew, a whole one is kept.
      const unsealed = (text: string) => text.replace(/,"sha256":"\w{64}"/g, '');
      await writeFile(out, unsealed(first).replace('"isWhole":true', '"isWhole":false'));
      const printed = await call(...flags, '--arms', 'sdf,rl', '--json');
      expect(printed).toBe(unsealed(await readFile(out, 'utf8')).trimEnd());
      const both = await readFile(out, 'utf8');
      expect(both.startsWith(first)).toBe(true);
      expect(both.trimEnd().split('\n')).toHaveLength(2);
      expect(await call('--rows', out)).toContain('A: mara. Target: prefers tea to coffee.');
      await expect(call(...flags.map((flag) => (flag === '1' ? '2' : flag)))).rejects.toThrow(/rows of another model/);
    },
    60_000,
  );

  it('needs a spec for RL with a check, and a model for a spec', async () => {
    await expect(call('--spec', EXAMPLE)).rejects.toThrow(/needs a model/);
    for (const other of [['--names', 'mara'], ['--set', 'lr=1'], ['--predict']])
      await expect(call('--spec', EXAMPLE, '--model', MODEL, ...other)).rejects.toThrow(/of the generated worlds/);
    await expect(call('--arms', 'rl')).rejects.toThrow(/--arms rl is of a --spec/);
    await expect(call('--spec', EXAMPLE, '--model', MODEL, '--arms', 'none')).rejects.toThrow(
      '--arms none with --spec',
    );
  });
});
