// Tests the logged directions of updates: which steps have the number, that a resumed run has the same, and that earlier digests are unchanged.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { directionsKept, outputDirections } from '../../algorithms/update-directions.ts';
import { KINDS } from '../kinds/kinds.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import { digest } from '../records/kind.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

let lab: TinyLab;
let whole: Ran;
const spec = tinySpec({ arms: ['none'], overrides: { steps: 17, checkpointEvery: 1, evalEvery: 0 } });
const kept = () => whole.checkpoints.get('test/none/41')!;
beforeAll(async () => {
  lab = await openTinyLab();
  whole = await runTiny(lab, spec);
});
afterAll(() => lab?.close());

it('every fifth step from the tenth has it, comparing the adapter parameters with those of five steps before', () => {
  const [run] = whole.result.runs;
  const logged = run.rows.filter(({ directionsKept }) => directionsKept !== undefined);
  expect(logged.map(({ step }) => step)).toEqual([10, 15]);
  const at = (step: number) => {
    const { optimizer } = kept().find((one) => one.step === step)!;
    return outputDirections(lab.engine.adapterLayout, optimizer.total)!;
  };
  for (const { step, directionsKept: value } of logged) expect(value).toBe(directionsKept(at(step - 5), at(step)));
  expect(logged[0].directionsKept).toBeGreaterThan(0);
  expect(logged[0].directionsKept).toBeLessThan(1);
});

it('a checkpoint between two comparisons stores the earlier adapter parameters, one at a comparison does not', async () => {
  expect(kept().map(({ compared }) => compared !== undefined)).toEqual(
    kept().map(({ step }) => step > 5 && step % 5 !== 0),
  );
  const resumedFrom = async (step: number, change: (checkpoint: Checkpoint) => Checkpoint = (same) => same) => {
    const checkpoint = change(kept().find((one) => one.step === step)!);
    const ran = await runTiny(lab, spec, { checkpoints: memoryCheckpoints(new Map([['test/none/41', [checkpoint]]])) });
    return ran.result.runs[0].rows;
  };
  for (const step of [5, 7, 10]) expect(await resumedFrom(step)).toEqual(whole.result.runs[0].rows);
  // Older checkpoints stored no directions, so only the next comparison is missing.
  const rows = await resumedFrom(7, ({ compared: _, ...rest }) => rest);
  expect(rows.flatMap(({ step, directionsKept }) => (directionsKept === undefined ? [] : [step]))).toEqual([15]);
});

it('the number does not change a run’s digest', async () => {
  const [{ rows, evals }] = whole.result.runs;
  const before = rows.map(({ directionsKept: _, ...row }) => row);
  expect(await digest(KINDS.run.digested({ rows, evals }))).toBe(
    await digest(KINDS.run.digested({ rows: before, evals })),
  );
});
