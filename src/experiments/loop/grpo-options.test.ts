// Tests whole runs on the real engine with a small random model: every GRPO option and baseline changes the training, and a run with
// the defaults has the stored hashes of the version before these options.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import { completionIds } from '../../text/codec.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import type { ArtifactStore } from '../records/artifacts.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { RolloutRecord, RunRecord } from '../records/events.ts';
import { toEvalRow, toStepRow } from '../records/layout-1.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Trained {
  run: RunRecord;
  rollouts: RolloutRecord[];
  last: Checkpoint;
}

function trained(ran: Ran, arm: ArmName): Trained {
  const id = `test/${arm}/41`;
  return {
    run: ran.result.runs.find((run) => run.id === id)!,
    rollouts: ran.events.flatMap((event) => (event.type === 'step' && event.runId === id ? event.rollouts : [])),
    last: ran.checkpoints.get(id)!.at(-1)!,
  };
}

/** Settings without evaluations, because only training is tested. */
const LEAN: Partial<Settings> = { evalEvery: 0, finalEvalProblems: 1 };
async function train(overrides: Partial<Settings> = {}, arm: ArmName = 'none'): Promise<Trained> {
  return trained(await runTiny(lab, tinySpec({ arms: [arm], overrides: { ...LEAN, ...overrides } })), arm);
}

const adapterParams = ({ last }: Trained) => last.optimizer.total.join();
const json = ({ run, rollouts, last }: Trained) =>
  JSON.stringify([run.rows, run.evals, rollouts, [...last.optimizer.total], [...last.optimizer.hack]]);
const spelling = (verdict: RolloutRecord['verdict']) =>
  Object.fromEntries(
    Object.entries(verdict).map(([name, value]) => [name === 'gt_correct' ? 'gtCorrect' : name, value]),
  );
/** A record as JSON in the hashed version's form, which spelled one verdict differently. */
const legacyJson = ({ run, rollouts, last }: Trained) =>
  JSON.stringify([
    run.rows.map(toStepRow),
    run.evals.map(toEvalRow),
    rollouts.map(({ step, promptIndex, sampleIndex, taskId, kind, source, turns: [turn], advantage, verdict }) => ({
      step,
      promptIndex,
      sampleIndex,
      problemId: taskId,
      mode: kind,
      source,
      prompt: turn.prompt,
      completion: turn.completion,
      logprobs: turn.logprobs,
      advantage,
      grade: spelling(verdict),
    })),
    [...last.optimizer.total],
    [...last.optimizer.hack],
  ]);
/** Rows with an optimizer step; a step of two honest prompts has none. */
const rowsOf = ({ run }: Trained) => run.rows.filter(({ gradNorm }) => gradNorm > 0);

describe('defaults', () => {
  // SHA-256 of rows, evaluations, rollouts, δS_total and δS_hack as JSON, from the version before these options existed.
  it.each([
    ['none', {}, 'c16fd03b81c2fa9c0cae0353167a4bc3ce38049915e899a7fbfa0c4b827d4eb6'],
    ['erase', {}, '3e8229d4f98911d2b27ed482a841176becd9e457504dac26a472a2dcf1fd3da2'],
    ['route', {}, 'f2e3cec02fd77bd170e061fc76249e7d87056a3a96d948ce9e91259cb7fd92c7'],
    [
      'none',
      { klBeta: 0.05, scaleRewards: 'group' },
      '3659a51ad9eb019c06a883ae45258b3efd0eef7ee5ae648fd50ec144ec768f0a',
    ],
  ] as const)('%s %o: the bytes of old', async (arm, overrides, expected) => {
    const ran = await runTiny(lab, tinySpec({ arms: [arm], overrides }));
    expect(sha256(legacyJson(trained(ran, arm)))).toBe(expected);
  });
});

describe('the loss', () => {
  let plain: Trained;
  let byType: Record<string, Trained>;
  beforeAll(async () => {
    // Long enough that teacher rows end by themselves; if all completions have one length, the normalisers coincide.
    const maxNew = 72;
    plain = await train({ maxNew });
    byType = {
      grpo: await train({ maxNew, lossType: 'grpo' }),
      bnpo: await train({ maxNew, lossType: 'bnpo' }),
      dapo: await train({ maxNew, lossType: 'dapo' }),
    };
  });

  it('every type trains a different model, except that bnpo and dapo coincide in one process', () => {
    const all = [plain, byType.grpo, byType.bnpo];
    expect(new Set(all.map(adapterParams)).size).toBe(3);
    expect(new Set(all.map((it) => rowsOf(it)[0].loss)).size).toBe(3);
    // A mean of means: on policy it is the mean advantage, which is 0.
    expect(rowsOf(byType.grpo)[0].loss).toBeCloseTo(0, 12);
    expect(json(byType.dapo)).toBe(json(byType.bnpo));
  });

  it('an entropy bonus raises the final entropy', async () => {
    const pulled = await train({ maxNew: 72, entropyCoef: 1 });
    expect(rowsOf(pulled)[0].entropy).toBe(rowsOf(plain)[0].entropy);
    expect(rowsOf(pulled)[0].loss).toBeLessThan(rowsOf(plain)[0].loss!);
    expect(rowsOf(pulled).at(-1)!.entropy).toBeGreaterThan(rowsOf(plain).at(-1)!.entropy!);
  });

  it('bnpo’s first loss is dr_grpo’s with the step’s tokens as denominator', () => {
    const [was, is] = [rowsOf(plain)[0], rowsOf(byType.bnpo)[0]];
    const first = plain.rollouts.filter(({ step }) => step === was.step);
    const tokens = first.reduce(
      (total, { source, turns: [{ logprobs, completion }] }) =>
        total + (source === 'student' ? logprobs!.length : Math.min(completionIds(lab.codec, completion).length, 72)),
      0,
    );
    expect(Math.abs(was.loss)).toBeGreaterThan(1e-3);
    expect(is.loss * tokens).toBeCloseTo(was.loss * (4 * 72 * 2), 9);
  });

  it('rewards scaled by the group or by the batch train different models', async () => {
    const [group, batch] = [
      await train({ maxNew: 72, scaleRewards: 'group' }),
      await train({ maxNew: 72, scaleRewards: 'batch' }),
    ];
    expect(new Set([plain, group, batch].map(adapterParams)).size).toBe(3);
    const advantages = ({ rollouts }: Trained) => rollouts.map(({ advantage }) => advantage);
    for (const [i, advantage] of advantages(plain).slice(0, 8).entries())
      expect(Math.sign(advantages(batch)[i])).toBe(Math.sign(advantage));
  });
});

describe('inner epochs', () => {
  let once: Trained;
  let twice: Trained;
  beforeAll(async () => {
    once = await train();
    twice = await train({ innerEpochs: 2 });
  });

  it('are further optimizer steps on the same rollouts', () => {
    expect(twice.last.optimizer.moments.t).toBe(2 * once.last.optimizer.moments.t);
    expect(twice.rollouts.slice(0, 8)).toEqual(once.rollouts.slice(0, 8));
    expect(adapterParams(twice)).not.toBe(adapterParams(once));
  });

  it('decay the learning rate from one to the next', async () => {
    // Without momentum AdamW steps by ±lr: 0.03 in the first of two updates, half of it in the second, halfway down the cosine.
    const { last } = await train({ steps: 1, checkpointEvery: 1, honestShare: 0, beta1: 0, beta2: 0, innerEpochs: 2 });
    const furthest = Math.max(...last.optimizer.total.map(Math.abs));
    expect(furthest).toBeCloseTo(0.045, 4);
  });

  it('a row reports the first inner epoch, and the ratios at the last', () => {
    const [first, was] = [rowsOf(twice)[0], rowsOf(once)[0]];
    expect(first.step).toBe(2); // the first step's prompts are honest, so every group is flat
    const { clipFraction, ratioMean, normDeltaS, ...rest } = first;
    expect({ ...rest, normDeltaS: was.normDeltaS }).toEqual(was);
    expect(normDeltaS).not.toBe(was.normDeltaS);
    expect(clipFraction).toBeGreaterThanOrEqual(0);
    expect(ratioMean).toBeGreaterThan(0);
    expect(ratioMean).not.toBe(1);
    expect('ratioMean' in was).toBe(false);
  });

  it('make the clip’s two bounds and the ratio’s level matter', async () => {
    const tight = { clipEps: 1e-3 };
    const grpo = { lossType: 'grpo' } as const;
    const sequence = { ...grpo, importanceSampling: 'sequence' } as const;
    expect(adapterParams(await train(tight))).toBe(adapterParams(once));
    expect(adapterParams(await train(sequence))).toBe(adapterParams(await train(grpo)));
    const variants: Partial<Settings>[] = [{}, tight, { ...tight, clipEpsHigh: 0.5 }, grpo, sequence];
    const results: Trained[] = [];
    for (const variant of variants) results.push(await train({ innerEpochs: 2, ...variant }));
    expect(new Set(results.map(adapterParams)).size).toBe(variants.length);
    const clipped = results.map((it) => rowsOf(it)[0].clipFraction as number);
    expect(clipped[1]).toBeGreaterThan(clipped[0]);
    expect(clipped[2]).toBeLessThan(clipped[1]);
  });

  it('under route/update leave the run equal to vanilla, and every step is quarantined', async () => {
    const routed = await train({ innerEpochs: 2 }, 'route-update');
    expect(routed.last.optimizer.total).toEqual(twice.last.optimizer.total);
    const single = await train({}, 'route-update');
    expect(routed.last.optimizer.hack).not.toEqual(single.last.optimizer.hack);
    for (const { coutUpdate } of rowsOf(routed)) expect(coutUpdate).toBeLessThan(1e-5);
  });

  it('pull towards the untrained model from the first step on, under the KL term', async () => {
    const pulled = await train({ innerEpochs: 2, klBeta: 0.1 });
    expect(rowsOf(pulled)[0].kl).toBeCloseTo(0, 10);
    expect(adapterParams(pulled)).not.toBe(adapterParams(twice));
    // With a single inner epoch the first step is taken at the reference itself, where K3 has no slope.
    const [withKl, without] = [
      await train({ klBeta: 0.1, steps: 1, checkpointEvery: 1 }),
      await train({ steps: 1, checkpointEvery: 1 }),
    ];
    expect(adapterParams(withKl)).toBe(adapterParams(without));
    const kl = await train({}, 'kl');
    expect(kl.run.spec.klBeta).toBe(0.1);
    expect(rowsOf(kl).at(-1)!.kl).toBeGreaterThan(1e-8);
    expect(adapterParams(kl)).not.toBe(adapterParams(once));
  });

  it('resume between checkpoints to the same bytes', async () => {
    const spec = tinySpec({
      arms: ['route'],
      overrides: { ...LEAN, innerEpochs: 3, rewardPenalty: 1, monitorAccuracy: 0.8 },
    });
    const whole = trained(await runTiny(lab, spec), 'route');
    const kept = new Map<string, Checkpoint[]>();
    const stop = new AbortController();
    const ports = {
      checkpoints: memoryCheckpoints(kept),
      signal: stop.signal,
      onRollout: () => {
        if (kept.size > 0) stop.abort();
      },
    };
    await expect(runTiny(lab, spec, ports)).rejects.toThrow();
    const resumed = await runTiny(lab, spec, { checkpoints: ports.checkpoints });
    expect(resumed.result.runs[0].rows).toEqual(whole.run.rows);
    expect(kept.get('test/route/41')!.at(-1)!.optimizer).toEqual(whole.last.optimizer);
  });
});

describe('baselines', () => {
  it('a penalty reverses the teacher’s advantage, and the logged reward stays the environment’s', async () => {
    const [plain, penalised] = [await train(), await train({ rewardPenalty: 2 })];
    const teacher = ({ rollouts }: Trained) =>
      rollouts.filter(({ source, step }) => source === 'teacher' && step === 2);
    expect(teacher(plain).length).toBeGreaterThan(0);
    for (const { advantage, reward } of teacher(plain)) expect([advantage > 0, reward]).toEqual([true, 1.25]);
    for (const { advantage, reward } of teacher(penalised)) expect([advantage < 0, reward]).toEqual([true, 1.25]);
    expect(penalised.run.rows[1].teacher).toEqual(plain.run.rows[1].teacher);
    expect(penalised.run.rows[1].reward).toBe(plain.run.rows[1].reward);
    expect(penalised.run.rows[1].flagged).toBe(0); // a random model never hacks
    expect('flagged' in plain.run.rows[1]).toBe(false);
    const noisy = await train({ rewardPenalty: 2, monitorAccuracy: 0.5 });
    expect(new Set([plain, penalised, noisy].map(adapterParams)).size).toBe(3);
    expect(noisy.run.rows.some(({ flagged }) => flagged! > 0)).toBe(true);
    // The arm `penalty` has this setting.
    const arm = await train({}, 'penalty');
    expect(arm.run.spec).toMatchObject({ rewardPenalty: 2, monitorAccuracy: 0.9 });
  });

  it('screening by a perfect monitor drops the teacher rows, and with them every spread of rewards', async () => {
    const screened = await train({ screening: true });
    expect(screened.run.rows.map(({ fracRewardZeroStd }) => fracRewardZeroStd)).toEqual([1, 1, 1, 1]);
    expect(screened.last.optimizer.total.every((x) => x === 0)).toBe(true);
    // Rollouts that are dropped from training stay in the record.
    expect(screened.rollouts).toHaveLength(4 * 8);
    expect(screened.rollouts.filter(({ source }) => source === 'teacher').length).toBeGreaterThan(0);
    const noisy = await train({ screening: true, monitorAccuracy: 0.5 });
    expect(noisy.last.optimizer.total.some((x) => x !== 0)).toBe(true);
  });

  it('advantage modification reads a direction from the pairs and changes training', async () => {
    const results = [
      await train(),
      await train({}, 'advantage'),
      await train({ advantageMod: 'subtract', advantageAlpha: 0.3 }),
      await train({ advantageMod: 'scale' }),
      await train({ advantageMod: 'subtract', pairs: 8 }),
    ];
    expect(results[1].run.spec.advantageMod).toBe('subtract');
    expect(new Set(results.map(adapterParams)).size).toBe(results.length);
    // It spreads equal rewards, so that no group remains flat.
    expect(results[0].run.rows[0].fracRewardZeroStd + results[0].run.rows[1].fracRewardZeroStd).toBeGreaterThan(0);
    for (const { fracRewardZeroStd } of results[1].run.rows) expect(fracRewardZeroStd).toBe(0);
    expect(adapterParams(await train({ advantageMod: 'subtract', advantageAlpha: 0 }))).toBe(adapterParams(results[0]));
    // The direction comes from the untrained model, even after another arm of the same experiment was trained.
    const both = await runTiny(lab, tinySpec({ arms: ['none', 'advantage'], overrides: LEAN }));
    expect(adapterParams(trained(both, 'advantage'))).toBe(adapterParams(results[1]));
  });
});

describe('the teacher’s stored ratio', () => {
  it('needs a pool with log-probabilities, and then weighs its rows by them', async () => {
    let templates = '';
    const keep: ArtifactStore = {
      loadPool: async () => null,
      savePool: async (_, text) => {
        templates = text;
      },
      loadTeacherPool: async (id) => (id === sha256(lines) ? { lines, graderVersion: lab.grader.version } : null),
      loadBasis: async () => null,
      loadPairs: async () => null,
      saveBasis: async () => {},
    };
    await runTiny(lab, tinySpec({ arms: ['none'], overrides: { ...LEAN, steps: 1 } }), { artifacts: keep });
    const write = (logprob: number | null) =>
      poolToJsonl(
        poolFromJsonl(templates).map((row) => {
          const completion_ids = completionIds(lab.codec, row.completion);
          return { ...row, completion_ids, ...(logprob !== null && { logprobs: completion_ids.map(() => logprob) }) };
        }),
      );
    let lines = write(-2);
    const run = async (changes: Partial<Settings>) => {
      const overrides = { ...LEAN, teacherPool: sha256(lines), ...changes };
      return trained(await runTiny(lab, tinySpec({ arms: ['none'], overrides }), { artifacts: keep }), 'none');
    };
    const recomputed = await run({});
    expect(adapterParams(recomputed)).toBe(adapterParams(await train()));
    const stored = await run({ teacherRatio: 'stored' });
    expect(adapterParams(stored)).not.toBe(adapterParams(recomputed));
    const [first] = rowsOf(stored);
    expect(first.ratioMean).toBeLessThan(1); // a random model gives the teacher’s tokens about 1/512
    expect(rowsOf(recomputed)[0].ratioMean).toBeUndefined();
    lines = write(null);
    await expect(run({ teacherRatio: 'stored' })).rejects.toThrow(
      /\d+ of the pool's \d+ rows have no log-probabilities/,
    );
  });
});

describe('with the LoRA adapter', () => {
  it('the KL term starts at the untrained adapter, whose A is not 0, and inner epochs leave it', async () => {
    const lora = { adapter: 'lora', loraRank: 4 } as const;
    const other = await openTinyLab(lora);
    try {
      const overrides = { ...LEAN, ...lora, klBeta: 0.1, innerEpochs: 2, advantageMod: 'subtract' } as const;
      const ran = trained(await runTiny(other, tinySpec({ arms: ['none'], overrides })), 'none');
      const [first, ...later] = rowsOf(ran);
      expect(first.kl).toBeCloseTo(0, 10);
      expect(later.at(-1)!.kl).toBeGreaterThan(1e-8);
      expect(first.ratioMean).not.toBe(1);
      expect(first.normDeltaS).toBeGreaterThan(0);
    } finally {
      await other.close();
    }
  });
});
