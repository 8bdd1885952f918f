// Tests runs in the worker's code without its thread: the apps at any entry equal those during the run, and entries are reported as they
// happen.
import { largeTrace } from '@projected-grpo-lab/are/testing/large.ts';
import { atOnce } from '@projected-grpo-lab/base/parts.ts';
import { expect, it } from 'vitest';
import type { Entry, Recipe } from '../protocol/agents.ts';
import { recordingHost } from '../testing/agents.ts';
import { playRecipe, statesAt } from './play.ts';
import { loadFromSource } from './scenario.ts';
import { Slices } from './slices.ts';

const RECIPE: Recipe = {
  agent: 'oracle',
  seed: 5,
  noise: 'none',
  window: 'usual',
  maxSteps: 80,
  edits: [],
  temperature: 0,
  a2a: 0,
  mcp: null,
  known: null,
};
const generated = atOnce(
  loadFromSource(
    { kind: 'generated', which: { split: 'adaptability', seed: 1, index: 0, isSmall: false, part: 'training' } },
    'usual',
  ),
);

it.each(['none', 'high'] as const)(
  'a replay up to an entry has the apps of the run itself (noise: %s)',
  async (noise) => {
    const recording = recordingHost();
    const recipe = { ...RECIPE, noise };
    const played = await playRecipe(generated, recipe, recording);
    const { environment, view } = played;
    const at = (place: number) => statesAt(generated, played, place);
    const own = JSON.stringify(environment.apps.map((app) => app.getState()));
    expect(JSON.stringify((await at(recording.entries.length - 1))?.map(({ state }) => state))).toBe(own);
    expect(JSON.stringify((await at(0))?.map(({ state }) => state))).not.toBe(own);
    expect(await at(recording.entries.length)).toBeNull();
    // The whole view survives structured cloning.
    expect(structuredClone(view)).toEqual(view);
  },
);

it('reports entries as they happen, one message at a time, and sends changed entries again', async () => {
  const large = atOnce(loadFromSource({ kind: 'trace', trace: largeTrace(60, 20), name: 'large' }, 'usual'));
  const whole = recordingHost();
  await playRecipe(large, RECIPE, whole);
  const pieces: { from: number; entries: readonly Entry[] }[] = [];
  let isReceived = true;
  const host = {
    ...whole.host,
    async entries(more: (typeof pieces)[number]) {
      expect(isReceived).toBe(true);
      isReceived = false;
      pieces.push(structuredClone(more));
      // A timer would fire late beside other tests, and all remaining entries would come in one message.
      await new Promise((resolve) => setImmediate(resolve));
      isReceived = true;
    },
  };
  // A slice ends at every ninth reading of the clock.
  let now = 0;
  await playRecipe(large, RECIPE, { host, slices: new Slices(() => now++, 8) });
  expect(pieces.length).toBeGreaterThan(3);
  const shown: Entry[] = [];
  for (const { from, entries } of pieces) {
    expect(from).toBeLessThanOrEqual(shown.length);
    shown.splice(from, shown.length, ...entries);
  }
  expect(shown).toEqual(whole.entries);
});
