// `--fresh` on a person's folder: the lab's own is moved aside, everything else stays where it is, and nothing is deleted.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginAnew, LIST, RunDirectory } from './run-directory.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'own-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const at = (...names: string[]) => join(root, ...names);
const put = (...names: string[]) => {
  mkdirSync(join(at(...names), '..'), { recursive: true });
  writeFileSync(at(...names), names.join('/'));
};
const listing = () => (readdirSync(root, { recursive: true }) as string[]).sort();
const notes: string[] = [];
const progress = { update: () => {}, line: () => {}, note: (line: string) => void notes.push(line), end: () => {} };
const fresh = (ask?: (question: string) => Promise<boolean>, yes = false) =>
  beginAnew(new RunDirectory(root), yes, { progress, ask });

/** The folder as an earlier lab left it, without a list. */
function earlier() {
  const own = [
    ['none-41.checkpoint'],
    ['none-41.run.json'],
    ['random_V-41.safetensors'],
    ['none-41.rollouts', '00001.jsonl'],
    ['none-41.steps', '000001'],
    ['pool-0123456789abcdef.jsonl'],
    ['basis-0123456789abcdef.safetensors'],
  ];
  for (const names of own) put(...names);
}

describe('--fresh', () => {
  it('moves what an earlier lab left aside, byte for byte, and deletes nothing', async () => {
    earlier();
    const before = listing();
    await fresh();
    expect(listing().filter((name) => name.startsWith('aside-1/'))).toEqual(before.map((name) => `aside-1/${name}`));
    expect(readdirSync(root).sort()).toEqual(['aside-1', LIST]);
    expect(readFileSync(at('aside-1', 'none-41.steps', '000001'), 'utf8')).toBe('none-41.steps/000001');
    // A second call finds nothing kept, and leaves the files that were moved aside.
    await fresh();
    put('none-41.checkpoint');
    await new RunDirectory(root).claim('none-41.checkpoint');
    await fresh();
    expect(readdirSync(root).sort()).toEqual(['aside-1', 'aside-2', LIST]);
  });

  it.each([
    ['a file', () => put('thesis.txt'), 'thesis.txt'],
    ['a folder', () => put('data', 'a.csv'), 'data'],
    ['a file in a folder of the lab', () => put('none-41.rollouts', 'notes.md'), 'none-41.rollouts/notes.md'],
    ['a link', () => symlinkSync('elsewhere', at('none-42.rollouts')), 'none-42.rollouts'],
  ])('refuses a folder with %s of another, names it, and touches nothing', async (_, make, named) => {
    earlier();
    make();
    const before = listing();
    const refusal = await fresh(undefined, true).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SpecError);
    expect((refusal as SpecError).message).toContain(`(${named})`);
    expect(listing()).toEqual(before);
  });

  it('goes by the list where there is one: a name alone makes nothing the lab’s', async () => {
    const folder = new RunDirectory(root);
    await folder.claim('none-41.checkpoint');
    put('none-41.checkpoint');
    put('mine-1.safetensors');
    await expect(fresh()).rejects.toThrow(/mine-1\.safetensors/);
    rmSync(at('mine-1.safetensors'));
    await fresh();
    expect(readdirSync(at('aside-1'))).toEqual(['none-41.checkpoint']);
  });

  it('asks where somebody can be asked; no is no, --yes asks nobody', async () => {
    earlier();
    const asked: string[] = [];
    const answer = (yes: boolean) => async (question: string) => {
      asked.push(question);
      return yes;
    };
    await expect(fresh(answer(false))).rejects.toBeInstanceOf(StoppedError);
    expect(asked[0]).toMatch(/move 7 kept files and folders of .* aside\? \[y\/N\]/);
    expect(existsSync(at('none-41.checkpoint'))).toBe(true);
    await fresh(answer(false), true);
    expect(existsSync(at('none-41.checkpoint'))).toBe(false);
    earlier();
    await new RunDirectory(root).claim(...readdirSync(root));
    await fresh(answer(true));
    expect(asked).toHaveLength(2);
    expect(readdirSync(root).sort()).toEqual(['aside-1', 'aside-2', LIST]);
  });

  it('knows a probe’s folder of an earlier lab', async () => {
    for (const replay of ['vanilla', 'projected', join('lora', 'vanilla')]) {
      put(replay, 'state');
      put(replay, 'step_001.jsonl.gz');
    }
    for (const name of ['pool.jsonl.gz', 'pool-key', 'report.json']) put(name);
    put('training', '0123456789ab', 'none-41.checkpoint');
    put('training', '0123456789ab', 'ratios.json');
    await fresh();
    expect(readdirSync(root).sort()).toEqual(['aside-1', LIST]);
  });
});

describe('a folder that is given up', () => {
  it('keeps what is not the lab’s', async () => {
    earlier();
    put('thesis.txt');
    await new RunDirectory(root).remove();
    expect(readdirSync(root)).toEqual(['thesis.txt']);
    rmSync(at('thesis.txt'));
    earlier();
    await new RunDirectory(root).remove();
    expect(existsSync(root)).toBe(false);
  });

  it('goes by names where the list is damaged', async () => {
    earlier();
    writeFileSync(at(LIST), '{"lab":"projected-grpo-lab","schema":1,"wrote":["../x"]}');
    const { own, other } = await new RunDirectory(root).contents();
    expect([own.length, other]).toEqual([8, []]);
  });
});
