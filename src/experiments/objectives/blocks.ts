// GRPO on an adapter of two blocks (engine/adapters/blocks.ts): a gate says of every rollout whether the quarantine is on while it is
// scored and which block learns from it (algorithms/gates.ts). Sequences under one mask are one forward and backward with the parameters
// that the mask leaves, a segment each for who learns; so no sequence sees another's mask.
import { conceptScore } from '../../algorithms/advantage-modification.ts';
import { cosineContribution } from '../../algorithms/gate-direction.ts';
import {
  blockGradient,
  byLabel,
  byQuantiles,
  type Gated,
  MASKS,
  randomScore,
  withoutQuarantine,
} from '../../algorithms/gates.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import type { Judged } from '../../environments/types.ts';
import { mean } from '../../stats/index.ts';
import type { StepRow } from '../records/events.ts';
import { type Advantages, backwardStep, type StepGradient, scoreStep } from '../step/gradient.ts';
import type { StepGroup } from '../step/groups.ts';
import { episodeTokens } from '../step/sequences.ts';
import type { StepPorts } from './types.ts';

export type GatingPorts<Task, State, Verdict> = Pick<
  StepPorts<Task, State, Verdict>,
  'spec' | 'step' | 'policy' | 'concept' | 'gateDirection' | 'router' | 'signal' | 'environment'
>;

/** A gate's word on the rollouts of a step, and the gradient of both blocks that follows; null where every group is flat. */
export interface BlockGating {
  row: Pick<StepRow, 'gated' | 'gateRecall' | 'pinLoss'>;
  /** Once. The policy is left with other adapter parameters. */
  gradient(advantages: Advantages): Promise<StepGradient | null>;
}

/** The policy is left with other adapter parameters. */
export async function gateStep<Task, State, Verdict>(
  ports: GatingPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
  judged: readonly (readonly Judged<Verdict>[])[],
): Promise<BlockGating> {
  const { spec, step, environment } = ports;
  const place = (g: number, sample: number) => ({ seed: spec.seed, step, prompt: groups[g].prompt, sample });
  const isHack = (g: number, i: number) => environment.isHack?.(judged[g][i].verdict) ?? false;
  const all = groups.flatMap(({ rollouts }, g) => rollouts.map((_, i) => ({ g, i })));
  const flat =
    spec.blockGate === 'labels'
      ? all.map(({ g, i }) => byLabel(isHack(g, i), spec.labelShare, spec.labelError, place(g, i)))
      : byQuantiles(
          spec.blockGate === 'random'
            ? all.map(({ g, i }) => randomScore(place(g, i)))
            : await scoresOf(
                ports,
                withoutQuarantine(adapterParams, quarantineMask(ports.policy.adapterLayout)),
                groups,
              ),
          spec.cleanShare,
          spec.hackShare,
        );
  let next = 0;
  const gated = groups.map(({ rollouts }) => rollouts.map(() => flat[next++]));
  const hacks = all.filter(({ g, i }) => isHack(g, i));
  return {
    gradient: (advantages) => blockGradients(ports, adapterParams, groups, advantages, gated),
    row: {
      gated: mean(flat.map((kind) => Number(kind === 'hack'))),
      gateRecall: mean(hacks.map(({ g, i }) => Number(gated[g][i] === 'hack'))),
    },
  };
}

/** How far each rollout lies hack-ward by the pairs' direction, read in the deployed block alone. */
async function scoresOf<Task, State, Verdict>(
  { spec, policy, concept, gateDirection, signal }: GatingPorts<Task, State, Verdict>,
  deployed: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
): Promise<number[]> {
  const episodes = groups.flatMap(({ rollouts }) => rollouts.map(({ turns }) => episodeTokens(turns)));
  const written = episodes.filter((episode) => episode !== null);
  policy.setAdapterParams(deployed);
  let scores: number[] = [];
  if (spec.blockGate === 'activation' && concept) {
    const rows = await policy.activations(written, concept.layer, signal);
    scores = rows.map((row) => conceptScore(row, concept.direction));
  } else if (gateDirection) {
    const batch = await policy.score(
      written.map((sequence, segment) => ({ ...sequence, segment })),
      written.length,
      signal,
    );
    try {
      const gradients = await batch.backward(
        batch.logprobs.map(({ length }) => new Float32Array(length).fill(-1 / length)),
      );
      scores = gradients.map((g) => cosineContribution(g, gateDirection, policy.adapterLayout.modules));
    } finally {
      batch.free();
    }
  }
  let next = 0;
  return episodes.map((episode) => (episode ? scores[next++] : 0));
}

async function blockGradients<Task, State, Verdict>(
  { spec, policy, signal }: GatingPorts<Task, State, Verdict>,
  adapterParams: Float32Array,
  groups: readonly StepGroup<Task, Verdict>[],
  advantages: Advantages,
  gated: readonly (readonly Gated[])[],
): Promise<StepGradient | null> {
  const mask = quarantineMask(policy.adapterLayout);
  const passes: StepGradient[] = [];
  const of: Record<Gated, Float32Array | null> = { clean: null, mid: null, hack: null };
  for (const quarantine of [false, true]) {
    const counted = advantages.counted.map((group, g) =>
      group.map((counts, i) => counts && MASKS[gated[g][i]].quarantine === quarantine),
    );
    const params = quarantine ? adapterParams : withoutQuarantine(adapterParams, mask);
    policy.setAdapterParams(params);
    const segmentOf = (g: number, i: number) => (MASKS[gated[g][i]].deployed === 1 ? 0 : 1);
    const scored = await scoreStep(
      { spec, policy, signal },
      params,
      groups,
      { ...advantages, counted },
      null,
      segmentOf,
    );
    if (!scored) continue;
    try {
      const gradient = await backwardStep(scored, spec);
      passes.push(gradient);
      if (quarantine) [of.mid, of.hack] = [gradient.student, gradient.teacher];
      else of.clean = gradient.student;
    } finally {
      scored.batch.free();
    }
  }
  if (passes.length === 0) return null;
  const combined = blockGradient(of, mask);
  return {
    student: combined,
    teacher: new Float32Array(combined.length),
    loss: passes.reduce((sum, { loss }) => sum + loss, 0),
    kl: null,
    entropy: mean(passes.flatMap(({ entropy }) => entropy ?? [])),
  };
}
