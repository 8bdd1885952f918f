// Tests the pair editor against a scripted worker: a copy is edited and saved, the form follows an edited set, and a deletion is undone.
import { describe, expect, it } from 'vitest';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import type { PairSetReport } from '../../lab/protocol/bases.ts';
import { createLab } from '../page/lab-store.ts';
import { fakeClient } from '../testing/fake-lab.ts';
import { pairProblem } from './pair-editor.ts';

const pair = (i: number): ContrastivePair => ({
  problem_id: `p${i}`,
  prompt: `prompt ${i}`,
  hack: `hack ${i}`,
  clean: `clean ${i}`,
  mechanism: null,
});

/** Stores sets like the worker, with ids from their pairs' content. */
function labWithSets() {
  const sets = new Map<string, { name: string; pairs: ContrastivePair[] }>();
  const reportOf = (id: string): PairSetReport => {
    const { name, pairs } = sets.get(id)!;
    return { id, name, pairs: pairs.length, mechanisms: {}, bytes: 1, createdAt: 0 };
  };
  const answers: Record<string, (params: never) => unknown> = {
    listPairSets: () => [...sets.keys()].map(reportOf),
    loadPairs: ({ pairSet }: { pairSet: string }) => sets.get(pairSet)?.pairs ?? [pair(1), pair(2), pair(3)],
    savePairs: ({ name, pairs, replaces }: { name: string; pairs: ContrastivePair[]; replaces: string | null }) => {
      const id = `pairs:${pairs.map(({ hack }) => hack).join()}`;
      if (replaces && replaces !== id) sets.delete(replaces);
      sets.set(id, { name, pairs });
      return reportOf(id);
    },
    deletePairs: ({ id }: { id: string }) => void sets.delete(id),
  };
  const { client } = fakeClient(answers);
  return createLab({ client, init: () => Promise.reject(new Error('not opened')) });
}

describe('the pair editor', () => {
  it('edits a copy, stores it, and moves the form from a set to its edited version', async () => {
    const lab = labWithSets();
    const editor = await lab.openPairEditor();
    const state = () => editor.store.getState();
    const fields = () => lab.store.getState().draft.fields;
    await editor.show('prog_wide');
    editor.edit();
    expect(state().edit).toMatchObject({ name: 'prog_wide, edited', replaces: null });
    const [first, second] = state().edit!.pairs;
    editor.changePair(first.key, { hack: 'new' });
    editor.removePair(second.key);
    editor.add();
    expect(state().edit!.pairs.map(pairProblem)).toEqual([null, null, 'The prompt is empty.']);
    editor.removePair(state().edit!.pairs[2].key);
    const report = await editor.save();
    expect(report).toMatchObject({ id: 'pairs:new,hack 3', pairs: 2 });
    expect(state()).toMatchObject({ pairSet: report!.id, edit: null, pairs: [{ hack: 'new' }, { hack: 'hack 3' }] });

    editor.use(report!);
    expect(fields()).toMatchObject({ pairSet: report!.id, pairs: '2', basisSource: 'pairs' });
    editor.edit();
    expect(state().edit).toMatchObject({ name: 'prog_wide, edited', replaces: report!.id });
    editor.changePair(state().edit!.pairs[0].key, { hack: 'newer' });
    const edited = await editor.save();
    expect(fields().pairSet).toBe(edited!.id);
    expect(lab.store.getState().pairSets.map(({ id }) => id)).toEqual(['pairs:newer,hack 3']);

    await editor.remove(edited!);
    expect(fields()).toMatchObject({ pairSet: 'prog_wide', pairs: '24' });
    expect(lab.store.getState().pairSets).toEqual([]);
    lab.store.getState().notices.at(-1)!.action!.run();
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(lab.store.getState().pairSets).toMatchObject([{ id: edited!.id, name: 'prog_wide, edited' }]);
  });

  it('reports the same faults of a pair as the file reader', () => {
    expect(pairProblem(pair(1))).toBeNull();
    expect(pairProblem({ ...pair(1), clean: ' ' })).toBe('The clean is empty.');
    expect(pairProblem({ ...pair(1), clean: 'hack 1' })).toBe('Hack and clean are the same text.');
    expect(pairProblem({ ...pair(1), hack: 'x'.repeat(70_000) })).toMatch(/^Hack = .* is not allowed\.$/);
  });
});
