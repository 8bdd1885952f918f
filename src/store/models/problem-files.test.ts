// Tests files of real problems on the page against a scripted worker: imported, checked, stopped, chosen, deleted and refused.

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { leetcodeEnvironmentId } from '../../environments/leetcode/presentation.ts';
import type { ProblemCheck, ProblemFileReport } from '../../lab/protocol/problems.ts';
import type { ReadyReport } from '../../lab/protocol/reports.ts';
import { createLab } from '../page/lab-store.ts';
import { fakeClient } from '../testing/fake-lab.ts';

const report: ProblemFileReport = {
  sha256: 'a'.repeat(64),
  name: 'p.jsonl',
  createdAt: 1,
  bytes: 2,
  problems: 3,
  tests: 4,
  unused: 1,
};
const found: ProblemCheck = { checked: 3, solved: 3, wrong: [], slow: [] };

async function opened(answers: Record<string, () => unknown>) {
  const lists = ['kept.list', 'listPools', 'listBases', 'listPairSets', 'listProblems'];
  const table: Record<string, () => unknown> = {
    ...Object.fromEntries(lists.map((kind) => [kind, () => []])),
    storage: () => ({}),
    ...answers,
  };
  const { client, asked, emit } = fakeClient(table);
  const ready = { device: { choice: 'auto' }, model: { id: 'tiny-coder' }, storage: {} } as unknown as ReadyReport;
  const lab = createLab({ client, init: async () => ready });
  const files = await lab.openProblemFiles();
  return { lab, files, asked, emit };
}
const file = new File(['{}'], 'p.jsonl');

it('an imported file is listed and reported; a refused one states why, and the list is unchanged', async () => {
  const kept: ProblemFileReport[] = [];
  const good = await opened({ importProblems: () => kept.push(report) && report, listProblems: () => kept });
  await good.files.importFile(file, file.name);
  expect(good.files.store.getState()).toMatchObject({ files: [report], problem: null });
  const [notice] = good.lab.store.getState().notices;
  expect(notice.message).toBe(
    '3 problems with 4 tests were imported. 1 more asserts cannot be judged and are left out.',
  );
  const bad = await opened({ importProblems: () => new FormatError('p.jsonl:1 is not JSON', 'do this') });
  await bad.files.importFile(file, file.name);
  expect(bad.files.store.getState()).toMatchObject({
    files: [],
    problem: { message: 'p.jsonl:1 is not JSON', remedy: 'do this' },
  });
});

it('a check reports its progress, stores its results, and can be stopped', async () => {
  let answer: (value: unknown) => void = () => {};
  const checking = () => new Promise((resolve) => (answer = resolve));
  const { lab, files, asked, emit } = await opened({ checkProblems: checking, stopTask: () => ({ stopped: true }) });
  const first = files.check(report.sha256);
  emit({ type: 'problems', task: 'problems-1', done: 2, total: 3 });
  emit({ type: 'problems', task: 'another', done: 9, total: 9 });
  expect(files.store.getState().work).toEqual({ task: 'problems-1', sha256: report.sha256, done: 2, total: 3 });
  answer(found);
  await first;
  expect(files.store.getState()).toMatchObject({ work: null, checks: { [report.sha256]: found } });
  const second = files.check(report.sha256);
  await files.stop();
  answer(new StoppedError());
  await second;
  expect(asked.map(({ kind }) => kind)).toContain('stopTask');
  expect(files.store.getState()).toMatchObject({ work: null, problem: null });
  expect(lab.store.getState().notices.at(-1)?.message).toBe('The check was stopped.');
});

it('a chosen file is the next experiment’s environment until another is chosen or it is deleted', async () => {
  const { lab, files } = await opened({});
  const environment = () => lab.store.getState().draft.fields.environment;
  const before = environment();
  files.choose(report);
  expect(environment()).toBe(leetcodeEnvironmentId(report.sha256));
  expect(files.isChosen(report, environment())).toBe(true);
  files.choose(null);
  expect(environment()).toBe(before);
  files.choose(report);
  await files.remove(report);
  expect(environment()).toBe(before);
});
