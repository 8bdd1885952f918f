// The whole probe on one model and adapter, as a stream of progress that ends with the report: bases, the two replays, the statistics, the
// verdicts. Stages 5 and 6 are trainings, whose verdicts the caller adds (trajectory.ts).

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { basisInUse } from '../../../algorithms/basis.ts';
import { Projector } from '../../../algorithms/projection.ts';
import { adapterOf } from '../../../engine/adapter-layout.ts';
import type { Policy } from '../../../engine/types.ts';
import type { Device } from '../../../kernels/device.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import { pairIds } from '../../../text/codec.ts';
import { BasisBuilder } from '../../bases/build.ts';
import { recipeOf } from '../../bases/recipe.ts';
import { type ArtifactStore, contentKey } from '../../records/artifacts.ts';
import type { KeptPool } from '../../records/pool.ts';
import { contrastiveBasis } from './contrastive.ts';
import { boundOf, firstAxes, randomAxes } from './cosine.ts';
import { discriminate } from './discriminate.ts';
import { teacherShares } from './pool.ts';
import { type Axes, replay } from './replay.ts';
import type { ProbeSpec } from './spec.ts';
import type { ProbeStore } from './store.ts';
import type { PoolGroup, ProbeReport, Replay } from './types.ts';
import { notRun, t1, t2, t3, t4, t7 } from './verdicts.ts';

export interface ProbePorts {
  policy: Policy;
  device: Device;
  codec: PromptCodec;
  artifacts: ArtifactStore | null;
  modelSha256: string;
  store: ProbeStore;
  signal?: AbortSignal;
}

export interface ProbeProgress {
  what: string;
  done: number;
  total: number;
}

/** `source`: who wrote the pool, for readers. */
export interface ProbePool {
  source: string;
  groups: readonly PoolGroup[];
  /** The pool with all its rows, as training takes it; null where the environment's templates teach. */
  own: OwnPool | null;
}

export interface OwnPool extends KeptPool {
  sha256: string;
  /** Number of problems that it has rows for. */
  problems: number;
}

/** Throws SpecError, FormatError for a store of another probe, StoppedError. Leaves the policy untrained. */
export async function* runProbe(
  spec: ProbeSpec,
  { source, groups }: Pick<ProbePool, 'source' | 'groups'>,
  ports: ProbePorts,
): AsyncGenerator<ProbeProgress, ProbeReport> {
  const { policy, device, codec, modelSha256, store, signal } = ports;
  const { vanilla: settings } = spec;
  const adapter = adapterOf(policy.adapterLayout).adapter;
  if (adapter !== settings.adapter)
    throw new SpecError(
      `the probe is of ${settings.adapter}, and the model is loaded with ${adapter}`,
      'Load it with the probe’s adapter.',
    );
  if (adapter === 'full' || adapter === 'blocks')
    throw new SpecError(
      'a probe asks for the gradients of rows apart, which are not defined where all weights are trained',
      'Choose the adapter svd or lora.',
    );
  const key = await contentKey([spec, groups, modelSha256, settings.basisFile, device.kind]);
  const builder = new BasisBuilder(ports);
  let own: Awaited<ReturnType<BasisBuilder['extract']>> | null = null;
  const building = builder.build(settings);
  for (let next = await building.next(); ; next = await building.next()) {
    if (next.done) {
      own = next.value.own;
      break;
    }
    if (next.value.type === 'prepare') yield { what: next.value.what, done: next.value.done, total: next.value.total };
  }
  yield { what: 'GRPO-contrastive basis', done: 0, total: 1 };
  const pairs = (await builder.usedPairs(recipeOf(settings, null))).map((pair) => pairIds(codec, pair));
  const { grpo, check } = await contrastiveBasis(policy, pairs, settings, signal);
  const first = firstAxes(own);
  const axes: Axes = {
    own: first,
    grpo: firstAxes(basisInUse(grpo, policy.adapterLayout, settings)),
    random: Array.from({ length: spec.randomDraws }, (_, draw) => randomAxes(first, settings.seed, draw)),
    perModule: spec.perModule,
  };

  const projector = new Projector(device, policy.adapterLayout, own);
  const replays: Record<'vanilla' | 'projected', Replay> = {
    vanilla: { rows: [], steps: [] },
    projected: { rows: [], steps: [] },
  };
  try {
    for (const name of ['vanilla', 'projected'] as const) {
      const stream = replay(name, spec[name], groups, { policy, projector, axes, store, key, signal });
      for (let next = await stream.next(); ; next = await stream.next()) {
        if (next.done) {
          replays[name] = next.value;
          break;
        }
        yield { what: `${name} replay`, ...next.value };
      }
    }
  } finally {
    projector.free();
  }

  yield { what: 'statistics', done: 0, total: 1 };
  const options = { draws: spec.permutations, seed: settings.seed };
  const { vanilla, projected } = replays;
  const discrimination = discriminate(vanilla.rows, (row) => row.cos_S_contrib, options);
  const grpoDiscrimination = discriminate(vanilla.rows, (row) => row.cos_grpo, options);
  const shares = teacherShares(groups);
  yield { what: 'statistics', done: 1, total: 1 };
  return {
    schema: 1,
    key,
    adapter,
    pool: { source, problems: groups.length, samples: shares.samples },
    modulesWithBasis: first.length,
    bound: boundOf(first),
    vanilla: vanilla.steps,
    projected: projected.steps,
    discrimination,
    grpoDiscrimination,
    contrastive: check,
    verdicts: [
      t1(shares),
      t2(vanilla.rows),
      t3(projected.steps),
      t4(discrimination),
      notRun('T5', 'No training was asked for.'),
      notRun('T6', 'The LoRA replay was not asked for.'),
      t7(discrimination, grpoDiscrimination, check),
    ],
  };
}
