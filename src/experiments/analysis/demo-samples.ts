// Two or three rollouts of a published demo, chosen by a rule, so that a visitor sees a hack before any statistic. They are stored beside the
// demo's rows, because the first paint does not need them.

import { type Recorded, saysOf } from '../../environments/rollout-presentation.ts';
import { environmentOf } from '../config/preset-in.ts';
import type { ExperimentSpec } from '../config/spec.ts';
import { rolloutPresentationOf } from '../environments/registry.ts';
import type { RolloutRecord, RunRecord } from '../records/events.ts';
import { isVanillaEquivalent } from './vanilla.ts';

/** One training rollout, as generated and graded. */
export interface DemoSample {
  taskId: string;
  kind: string;
  reward: number;
  turns: { prompt: string; completion: string }[];
  verdict: Recorded;
}

export interface DemoSamples {
  schema: 1;
  spec: ExperimentSpec;
  /** The step of a run that the samples come from. */
  arm: string;
  seed: number;
  step: number;
  /** The outcome or filter of the environment that the samples were chosen by. */
  verdict: string;
  samples: DemoSample[];
}

/** Most samples that match this choice, each of another kind of task; a good one follows. */
const MOST = 2;

/**
 * Chooses samples from the newest step of vanilla's run (or of the run that trains like it, else of any) with rollouts that the environment
 * names as worth reading: the first such rollout of each kind of task, at most two, then a good one, preferably without a warning and of the
 * first one's prompt. Null where no run has any.
 */
export async function samplesOf(
  spec: ExperimentSpec,
  runs: readonly RunRecord[],
  rolloutsOf: (run: RunRecord, step: number) => Promise<readonly RolloutRecord[]>,
): Promise<DemoSamples | null> {
  const rolloutPresentation = rolloutPresentationOf(environmentOf(spec));
  const arms = runs.map((run) => run.spec.arm);
  const isPlain = (run: RunRecord) => isVanillaEquivalent(run.spec.arm, arms);
  const goods = rolloutPresentation.outcomes.filter(({ tone }) => tone === 'good').map(({ id }) => id);
  for (const { verdict } of rolloutPresentation.worthReading) {
    for (const run of [...runs.filter(isPlain), ...runs.filter((one) => !isPlain(one))]) {
      for (const { step } of run.rows.toReversed()) {
        const written = (await rolloutsOf(run, step)).filter(({ source }) => source === 'student');
        const found = written.filter((rollout) => saysOf(rolloutPresentation, rollout, verdict));
        if (found.length === 0) continue;
        const kinds = found.filter(({ kind }, i) => found.findIndex((other) => other.kind === kind) === i);
        const chosen = kinds.slice(0, MOST);
        const good = written.filter(
          (one) => !found.includes(one) && goods.includes(rolloutPresentation.outcomeOf(one.verdict, one.kind)),
        );
        const plain = good.filter(({ verdict: own }) =>
          rolloutPresentation.tags(own).every(({ tone }) => tone !== 'warn'),
        );
        const isNear = ({ promptIndex }: RolloutRecord) => promptIndex === chosen[0].promptIndex;
        const contrast = plain.find(isNear) ?? plain[0] ?? good.find(isNear) ?? good[0];
        const { arm, seed } = run.spec;
        const samples = [...chosen, ...(contrast ? [contrast] : [])].map(sampleOf);
        return { schema: 1, spec, arm, seed, step, verdict, samples };
      }
    }
  }
  return null;
}

const sampleOf = ({ taskId, kind, reward, turns, verdict }: RolloutRecord): DemoSample => ({
  taskId,
  kind,
  reward,
  turns: turns.map(({ prompt, completion }) => ({ prompt, completion })),
  verdict,
});

/** Null if it is not a file of samples. */
export function readSamples(json: unknown): DemoSamples | null {
  const file = json as DemoSamples;
  return file?.schema === 1 && Array.isArray(file.samples) && file.samples.length > 0 ? file : null;
}

/** Path of the samples below `public/`. */
export const samplesPath = (environment: string): string => `results/demo/${environment}.samples.json`;
