import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import type { HandlerParts, LabParts } from '../work/parts.ts';
import { createRunHandlers } from './runs.ts';

const entry = { id: 0, parent: null, task: '< > =', history: [{ text: '123', quality: 0.5 }], score: 0.1, uses: 2 };
const asked = (sampler: string | undefined, there = true) =>
  createRunHandlers({
    lab: async () =>
      ({
        records: {
          checkpoints: { load: async () => (there ? { step: 7, sampler } : null) },
          rollouts: {
            at: async (_: string, step: number | null) => ({
              steps: [6, 7],
              rollouts: [{ verdict: { depth: 1, before: 0.5, quality: step === 7 ? 1 : 0.25 } }],
            }),
          },
        },
      }) as unknown as LabParts,
  } as HandlerParts).exitBuffer({ runId: 'e/exit/41' });

describe('the buffer of an ExIt run', () => {
  it('is that of its last checkpoint, whatever the run’s tasks', async () => {
    const state = { inserted: 1, entries: [entry] };
    expect(await asked(JSON.stringify(state))).toEqual({
      step: 7,
      ...state,
      flows: [
        { step: 6, depths: [0, 1], solved: 0, better: 0, same: 0, worse: 1 },
        { step: 7, depths: [0, 1], solved: 1, better: 0, same: 0, worse: 0 },
      ],
    });
  });

  it('is null before the first checkpoint, and for a sampler without a buffer', async () => {
    expect(await asked(undefined)).toBeNull();
    expect(await asked('{}', false)).toBeNull();
  });

  it('is refused if the state is malformed', async () => {
    await expect(asked('{')).rejects.toThrow(FormatError);
    await expect(asked(JSON.stringify({ inserted: 1, entries: [{ ...entry, history: [] }] }))).rejects.toThrow(
      SpecError,
    );
  });
});
