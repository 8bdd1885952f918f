// Tests the chain puzzles as an environment: its presets, its metrics, what it refuses, and whole runs of a few steps for every kind of start,
// resumed after a stop.

import { describe, expect, it } from 'vitest';
import { CHAIN_ROLLOUTS, CHAIN_SPLITS } from '../../environments/chain/presentation.ts';
import { chainDrawn, chainMetrics } from '../../environments/chain/reward.ts';
import type { ChainVerdict } from '../../environments/chain/task.ts';
import { ARM_NAMES } from '../config/arms.ts';
import { EMBEDDED_MODELS, isOffered } from '../config/preset-in.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { LabEvent, RolloutRecord } from '../records/events.ts';
import { memoryCheckpoints, openModelLab, runTiny, tinySpec } from '../testing/tiny.node.ts';
import { drawnMaker } from './drawn.ts';
import { environmentNamed, pretrainingOf } from './registry.ts';

const chainMaker = drawnMaker(chainDrawn, CHAIN_SPLITS);
const environment = 'chain';
const specOf = (overrides: object = {}, arms?: readonly string[]) =>
  parseExperimentSpec({ preset: 'demo', overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });

const verdict = (changes: Partial<ChainVerdict> = {}): ChainVerdict => ({
  answer: '1234512',
  quality: 0.5,
  correct: false,
  formatOk: true,
  kind: 'solve',
  depth: 0,
  before: null,
  ...changes,
});

describe('the environment', () => {
  it('is in the registry with its model, and presets run GRPO and ExIt in it', async () => {
    expect((await pretrainingOf(environment)).model).toBe('tiny-chain');
    expect(EMBEDDED_MODELS).toContain('tiny-chain');
    const spec = specOf();
    expect([spec.arms, spec.overrides]).toEqual([['none', 'exit'], { environment }]);
    const [plain, exit] = resolveRuns(spec);
    expect(plain).toMatchObject({ model: 'tiny-chain', steps: 150, problems: 512, adapter: 'lora', starts: 'tasks' });
    const recipe = { bufferSize: 256, bufferMin: 16, kappa: 8, startShare: 0.5, prefix: 'whole', gain: 'signed' };
    expect(exit).toMatchObject({
      starts: 'variance',
      child: 'random',
      divergeShare: 0,
      diversityBonus: false,
      ...recipe,
    });
    expect(() => specOf({}, ['erase'])).toThrow(/has no labelled pairs/);
    expect(() => specOf({ bufferMin: 300 })).toThrow(/bufferMin = 300 of a buffer of 256/);
  });

  it('has arms that revise answers, which environments with a teacher neither offer nor accept without mix = 0', () => {
    const arms = ARM_NAMES.filter((arm) => arm.startsWith('exit') || arm.startsWith('chain_'));
    expect(arms).toHaveLength(12);
    for (const arm of arms) {
      expect([isOffered(environment, arm), isOffered('lookup', arm), isOffered('one-line-python', arm)]).toEqual([
        ...[true, false, false],
      ]);
      expect(() => parseExperimentSpec({ preset: 'demo', arms: [arm] })).toThrow(/answers are revised, and mix/);
      expect(resolveRuns(parseExperimentSpec({ preset: 'demo', arms: [arm], overrides: { mix: 0 } }))).not.toEqual([]);
      const asked = { environment: 'lookup', mix: 0 };
      expect(() => parseExperimentSpec({ preset: 'demo', arms: [arm], overrides: asked })).toThrow(
        /has no answers to revise/,
      );
    }
  });

  it('shares an environment only among runs with the same starts', () => {
    const [plain, exit] = resolveRuns(specOf());
    expect(chainMaker.part(plain)).not.toEqual(chainMaker.part(exit));
    expect(chainMaker.part({ ...exit, seed: 42 })).toEqual(chainMaker.part(exit));
    for (const change of [
      { kappa: 1 },
      { gain: 'clipped' },
      { child: 'best' },
      { startShare: 0.4 },
      { bufferMin: 3 },
    ] as const)
      expect(chainMaker.part({ ...exit, ...change }), JSON.stringify(change)).not.toEqual(chainMaker.part(exit));
  });

  it('measures first answers, and the changes of revisions to their drafts', () => {
    const of = (...verdicts: ChainVerdict[]) => chainMetrics(verdicts.map((one) => ({ task: null, verdict: one })));
    expect(of(verdict(), verdict({ quality: 1, correct: true }))).toEqual({
      n: 2,
      figures: { quality: 0.75, solve: 0.5, format: 1 },
    });
    const mixed = of(
      verdict(),
      verdict({ before: 0.5, depth: 1, quality: 1, correct: true }),
      verdict({ before: 0.75, depth: 3, quality: 0, formatOk: false, answer: null }),
    );
    expect(mixed.figures).toEqual({
      quality: 0.5,
      solve: 0,
      format: 2 / 3,
      revised: 2 / 3,
      depth: 2,
      fixed: 1 / 2,
      worse: 1 / 2,
    });
    const known = environmentNamed(environment).metrics.map(({ id }) => id);
    for (const id of [...Object.keys(mixed.figures), 'q1', 'q2', 'q4', 'q8', 'q16', 'fixRate', 'breakRate'])
      expect(known, id).toContain(id);
  });

  it('shows each answer as one outcome', () => {
    const shown = (changes: Partial<ChainVerdict>) => CHAIN_ROLLOUTS.outcomeOf({ ...verdict(changes) }, '');
    expect(shown({ quality: 1, correct: true })).toBe('solved');
    expect([shown({}), shown({ before: 0.5 })]).toEqual(['wrong', 'wrong']);
    expect([shown({ before: 0.25 }), shown({ before: 0.75 })]).toEqual(['better', 'worse']);
    expect(shown({ formatOk: false, answer: null })).toBe('malformed');
  });
});

describe('a run', () => {
  it('revises its own answers, is evaluated over chains, and resumes to the same bytes', async () => {
    const lab = await openModelLab('tiny-chain');
    const about = { modelId: 'tiny-chain', modelSha256: 'pretrained', appVersion: 'test' };
    const sizes = {
      adapter: 'svd',
      lr: 0.03,
      steps: 4,
      problems: 16,
      groupSize: 4,
      promptsPerStep: 4,
      maxNew: 8,
      finalEvalProblems: 4,
    } as const;
    const exit = { bufferMin: 2, bufferSize: 6, prefix: 'random', divergeShare: 0.2, diversityBonus: true } as const;
    const spec = tinySpec({
      arms: ['exit'],
      overrides: { environment, ...sizes, ...exit, evalEvery: 0, checkpointEvery: 1 },
    });
    const run = async (from: Checkpoint | null) => {
      const events: LabEvent[] = [];
      const kept = new Map(from ? [[from.runId, [from]]] : []);
      const { result } = await runTiny(lab, spec, { about, checkpoints: memoryCheckpoints(kept) }, events);
      return { record: result.runs[0], events, saved: [...kept.values()][0] };
    };
    try {
      const whole = await run(null);
      expect(whole.record.status).toBe('done');
      const rollouts = whole.events.flatMap((event): RolloutRecord[] => (event.type === 'step' ? event.rollouts : []));
      const revised = rollouts.filter(({ verdict: { before } }) => before !== null);
      expect(revised.length).toBeGreaterThan(0);
      expect(revised.length).toBeLessThan(rollouts.length);
      for (const { turns, kind } of revised) expect(turns[0].prompt).toContain(kind.toUpperCase());
      const final = whole.record.evals.filter(({ kind }) => kind === 'final');
      for (const { all } of final)
        expect(Object.keys(all.figures)).toEqual(expect.arrayContaining(['quality', 'q1', 'q16']));
      // The buffer fills after the first step, is drawn from after the second, and evicts after the third.
      for (const cut of [1, 2, 3]) {
        const again = await run(whole.saved[cut - 1]);
        expect(JSON.stringify(again.record.rows), `from step ${cut}`).toBe(JSON.stringify(whole.record.rows));
        expect(again.saved.at(-1)!.sampler).toBe(whole.saved.at(-1)!.sampler);
        expect(again.saved.at(-1)!.optimizer).toEqual(whole.saved.at(-1)!.optimizer);
      }
    } finally {
      await lab.close();
    }
  }, 60_000);
});
