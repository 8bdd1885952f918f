// Tests the agents as an environment: its presets, its metrics, its transcripts as training samples, and a whole run of two steps.

import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pretrainSample, SHARES } from '../../environments/agents/model.ts';
import { AGENTS_ROLLOUTS, AGENTS_SPLITS } from '../../environments/agents/presentation.ts';
import { agentMetrics, agentsDrawn } from '../../environments/agents/reward.ts';
import { type AgentVerdict, DATA_SEED } from '../../environments/agents/task.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { loadCodec } from '../../text/codec.ts';
import { EMBEDDED_MODELS } from '../config/preset-in.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import type { LabEvent, RolloutRecord } from '../records/events.ts';
import { transcriptTokens } from '../step/sequences.ts';
import { openModelLab, runTiny, tinySpec } from '../testing/tiny.node.ts';
import { drawnMaker } from './drawn.ts';
import { environmentNamed, pretrainingOf } from './registry.ts';

const agentsMaker = drawnMaker(agentsDrawn, AGENTS_SPLITS);
const environment = 'agents';
const specOf = (overrides: object = {}, arms?: readonly string[]) =>
  parseExperimentSpec({ preset: 'demo', overrides: { environment, ...overrides }, ...(arms ? { arms } : {}) });
const verdict = (changes: Partial<AgentVerdict> = {}): AgentVerdict => ({
  success: true,
  failure: null,
  turns: 3,
  answered: 3,
  failed: 0,
  refused: 0,
  faults: '',
  ended: true,
  ...changes,
});
const filesOf = () => loadModelFiles(diskSource(resolve('public', 'models', 'tiny-agent')));

describe('the environment', () => {
  it('is in the registry with its model, and presets run multi-turn episodes in it', async () => {
    expect((await pretrainingOf(environment)).model).toBe('tiny-agent');
    expect(EMBEDDED_MODELS).toContain('tiny-agent');
    const spec = specOf();
    expect([spec.arms, spec.overrides]).toEqual([['none'], { environment }]);
    const preset = { steps: 40, problems: 448, groupSize: 8, maxTurns: 9, maxTokens: 320, maxNew: 48, mix: 0 };
    expect(resolveRuns(spec)[0]).toMatchObject({ model: 'tiny-agent', ...preset });
    expect(() => specOf({}, ['erase'])).toThrow(/has no labelled pairs/);
    const [routed] = resolveRuns(specOf({ softJudge: 'hollow', pairSet: 'stuffed' }, ['route-update']));
    expect(routed!.shadows.map(({ id }) => id)).toEqual(expect.arrayContaining(['permuted_V', 'early_V', 'placebo_V']));
    expect(routed!.shadows.map(({ id }) => id)).not.toContain('nonhack_V');
    expect(() => specOf({}, ['penalty'])).toThrow(/has no loopholes/);
  });

  it('counts passed episodes, refusals and turns, and shows each episode as one outcome', () => {
    const items = [
      verdict({ turns: 4 }),
      verdict({ success: false, turns: 6, refused: 3, faults: '1 tool, 2 value', ended: false }),
    ].map((one) => ({ task: {}, verdict: one }));
    expect(agentMetrics(items)).toEqual({ n: 2, figures: { solve: 0.5, ended: 0.5, malformed: 0.3, turns: 5 } });
    expect(agentMetrics([]).figures).toEqual({ solve: null, ended: null, malformed: null, turns: null });
    const judged = [true, false].map((stuffed) => ({ task: {}, verdict: verdict({ success: !stuffed, stuffed }) }));
    expect(agentMetrics(judged).figures).toMatchObject({ solve: 0.5, hack: 0.5, stuffed: 0.5 });
    const known = environmentNamed(environment).metrics.map(({ id }) => id);
    expect(Object.keys(agentMetrics([]).figures).filter((id) => !known.includes(id))).toEqual([]);
    const { outcomeOf, tags } = AGENTS_ROLLOUTS;
    expect(items.map((item) => outcomeOf({ ...item.verdict }, ''))).toEqual(['solved', 'untold']);
    expect(outcomeOf({ ...verdict({ success: false }) }, '')).toBe('failed');
    expect(tags({ ...items[1].verdict })).toEqual([{ text: 'refused: 1 tool, 2 value', tone: 'warn' }]);
  });

  it('evaluates both splits alternately, on tasks that it does not train on', async () => {
    const [run] = resolveRuns(specOf({ problems: 28, evalProblems: 8, finalEvalProblems: 12 }));
    const { value: environment } = await agentsMaker.make(run).next();
    if (!environment) throw new Error('the world was not made');
    expect(environment.evaluation.final.map(({ unseen }) => unseen)).toEqual(
      Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 'words' : 'templates')),
    );
    const history = { rewards: () => [], returns: () => [] };
    const epoch = environment.sampler.draw({ seed: 1, step: 0, count: 28, history });
    expect(new Set(epoch.map(({ kind }) => kind)).size).toBe(14);
    const heldOut = environment.evaluation.final.flatMap(({ task, unseen }) =>
      unseen === 'templates' ? [task.kind] : [],
    );
    expect(epoch.filter(({ kind }) => heldOut.includes(kind))).toEqual([]);
  });
});

it('pretrains only on the model’s own turns, within a run’s token limits', async () => {
  const files = await filesOf();
  const codec = await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const [{ maxNew, maxTokens }] = resolveRuns(specOf());
  const does: string[] = [];
  for (let i = 0; i < 100; i++) {
    const one = await pretrainSample(i, DATA_SEED);
    if (i < 10) expect(await pretrainSample(i, DATA_SEED)).toEqual(one);
    does.push(one.does);
    const { completion, mask } = transcriptTokens(codec, one);
    const texts = [one.completion, ...one.further.map((turn) => turn.completion)];
    const trained = completion.filter((_, t) => !mask || mask[t]);
    expect(codec.decode(trained)).toBe(texts.map((text) => `${text}<|im_end|>`).join(''));
    for (const text of texts) expect(codec.encode(text).length).toBeLessThan(maxNew);
    expect(completion.length).toBeLessThanOrEqual(maxTokens);
  }
  expect(new Set(does)).toEqual(new Set(Object.keys(SHARES)));
});

it('runs multi-turn episodes that the verifier judges', async () => {
  const lab = await openModelLab('tiny-agent');
  const events: LabEvent[] = [];
  try {
    const overrides = {
      environment,
      adapter: 'svd' as const,
      steps: 2,
      problems: 14,
      groupSize: 4,
      finalEvalProblems: 4,
      evalProblems: 2,
    };
    const about = { modelId: 'tiny-agent', modelSha256: 'pretrained', appVersion: 'test' };
    const { result } = await runTiny(lab, tinySpec({ overrides }), { policy: lab.engine, about }, events);
    const [record] = result.runs;
    expect(record.status).toBe('done');
    const rollouts = events.flatMap((event): RolloutRecord[] => (event.type === 'step' ? event.rollouts : []));
    expect(rollouts.some(({ turns }) => turns.length > 2)).toBe(true);
    for (const { turns, verdict: judged, reward } of rollouts) {
      expect(judged.turns).toBe(turns.length);
      expect(reward).toBe(judged.success ? 1 : 0);
    }
    const final = record.evals.filter(({ kind }) => kind === 'final');
    for (const row of final) expect(Object.keys(row.splits)).toEqual(['words', 'templates']);
  } finally {
    await lab.close();
  }
}, 60_000);
