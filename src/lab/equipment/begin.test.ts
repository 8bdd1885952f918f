// Tests that a visit first opens a model for writing only; the first training factors it.
import { expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { openTestLab } from '../testing/lab.ts';
import { isEquipped } from './equipment.ts';

const overrides = { maxNew: 24, problems: 8, evalProblems: 2, finalEvalProblems: 4, pairs: 8, k: 2 };
const spec = parseExperimentSpec({ preset: 'smoke', arms: ['none'], device: 'cpu', overrides });

it('begins with a model that is not factored, and factors it for the first estimate', async () => {
  const lab = await openTestLab();
  try {
    const { equipment, session } = lab;
    const opened = await equipment.begin('cpu');
    expect(isEquipped(opened)).toBe(false);
    expect(await equipment.ready('cpu')).toBe(opened);
    expect((await session.estimate(spec)).seconds).not.toBeNull();
    expect(isEquipped(equipment.current!)).toBe(true);
    expect(equipment.current!.model).toEqual(opened.model);
    expect(equipment.current!.chosen).toBe(opened.chosen);
  } finally {
    await lab.close();
  }
});
