// Tests a question in an address: round trip, damaged and hostile addresses, one that is too long, and a run that is not stored in this
// browser.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { packJson } from '../../share/pack.ts';
import { fakeClient } from '../testing/fake-lab.ts';
import { MAX_TEXT, playgroundAddress, playgroundInAddress } from './link.ts';
import { createPlayground, steerings } from './playground.ts';

const form = {
  kind: 'problem',
  mode: 'sentinel',
  problemId: 'p2',
  text: '',
  chatArgs: '',
  runId: 'x/erase/41',
  steer: 'change',
  alpha: -0.5,
  seed: 7,
  temperature: 0.5,
  maxNew: 64,
} as const;

it('contains the whole form, and an invalid form is refused', async () => {
  const href = await playgroundAddress('https://lab.test/?view=playground', form);
  expect(await playgroundInAddress(new URL(href!).search)).toEqual(form);
  expect(await playgroundInAddress('?view=playground')).toBeNull();
  const { steer: _, alpha: __, ...before } = form;
  expect(await playgroundInAddress(`?ask=${await packJson(before)}`)).toEqual({ ...before, steer: '', alpha: 1 });
  for (const changes of [{ kind: 'shell' }, { maxNew: 1e9 }, { seed: -1 }, { alpha: 19 }, { more: 1 }]) {
    const packed = await packJson({ ...form, ...changes });
    await expect(playgroundInAddress(`?ask=${packed}`)).rejects.toBeInstanceOf(FormatError);
  }
  await expect(playgroundInAddress('?ask=%3Cscript%3E')).rejects.toBeInstanceOf(FormatError);
  const long = { ...form, kind: 'text', text: 'a'.repeat(MAX_TEXT + 1) } as const;
  expect(await playgroundAddress('https://lab.test/', long)).toBeNull();
});

it('fills the form, including its problem, and reports that its run is not stored here', async () => {
  const run = { runId: 'y/none/41', hasQuarantine: false };
  const { client } = fakeClient({ playRuns: () => [run], playProblems: () => [{ id: 'p1' }, { id: 'p2' }] });
  const playground = createPlayground({ client });
  await playground.fill(form);
  await playground.open();
  expect(playground.store.getState()).toMatchObject({
    form: { ...form, runId: null, steer: '' },
    problem: { message: expect.stringContaining('is not kept in this browser') },
  });
  // The page is already open, as after Back.
  await playground.fill({ ...form, runId: run.runId });
  expect(playground.store.getState()).toMatchObject({ form: { ...form, runId: run.runId }, problem: null });
});

it('asks the base and the steered model, side by side', async () => {
  const run = { runId: 'y/none/41', hasQuarantine: true };
  const asked: unknown[] = [];
  const { client } = fakeClient({
    playRuns: () => [run],
    playProblems: () => [{ id: 'p2' }],
    play: (request: unknown) => {
      asked.push(request);
      return [];
    },
  });
  const playground = createPlayground({ client });
  await playground.fill({ ...form, runId: run.runId });
  await playground.open();
  await playground.generate();
  playground.setForm({ steer: 'a-basis', alpha: 2 });
  await playground.generate();
  playground.setForm({ steer: '' });
  await playground.generate();
  expect(asked).toMatchObject([
    { models: ['base', 'steered'], steer: { along: 'change', alpha: -0.5 } },
    { models: ['base', 'steered'], steer: { along: { basis: 'a-basis' }, alpha: 2 } },
    { models: ['base', 'trained', 'deployed'] },
  ]);
  expect(asked[2]).not.toHaveProperty('steer');
  const named = steerings(run as never, [{ id: 'a', name: 'mine' }]).map(([value]) => value);
  expect(named).toEqual(['', 'change', 'quarantine', 'a']);
  expect(steerings(null, [])).toEqual([['', 'nothing']]);
});
