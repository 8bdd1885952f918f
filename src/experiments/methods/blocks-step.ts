// GRPO on an adapter of two blocks (engine/adapters/blocks.ts): for every rollout a gate decides whether the quarantine is on while it is
// scored, and which block trains on it (algorithms/gates.ts). Sequences with equal masks share one forward and backward, one segment per
// training block, at the masked parameters.
import { type Concept, conceptScore } from '../../algorithms/advantage-modification.ts';
import { pairGradients } from '../../algorithms/extraction.ts';
import { cosineContribution, gateDirectionOf } from '../../algorithms/gate-direction.ts';
import {
  blockGradient,
  byLabel,
  byQuantiles,
  type GateClass,
  MASKS,
  randomScore,
  withoutQuarantine,
} from '../../algorithms/gates.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import { mean } from '../../stats/index.ts';
import { pairIds } from '../../text/codec.ts';
import type { Gating, JudgedStep, Pass, Prepared, Preparing, Scoring } from './method.ts';

export interface BlocksRun {
  blockGate: string;
  cleanShare: number;
  hackShare: number;
  labelShare: number;
  labelError: number;
  seed: number;
}

/** The pairs' direction by which rollouts are scored, in activations or in gradients; null for a gate that uses neither. */
type Direction = { concept: Concept } | { gradient: Float32Array } | null;

export async function prepareBlocks(ports: Preparing<BlocksRun>): Promise<Prepared> {
  const { run } = ports;
  const direction = await directionOf(ports);
  return () => ({ gate: (step) => gateStep(step, run, direction) });
}

async function directionOf(ports: Preparing<BlocksRun>): Promise<Direction> {
  const { run, policy, codec, signal } = ports;
  if (run.blockGate === 'activation') return { concept: await ports.concept() };
  if (run.blockGate !== 'gradient') return null;
  const tokens = (await ports.pairs()).map((pair) => pairIds(codec, pair));
  policy.setAdapterParams(policy.initialAdapterParams);
  const gradients = await pairGradients(policy, tokens, signal);
  return { gradient: gateDirectionOf(gradients, policy.adapterLayout.modules) };
}

/** The gate's labels of a step's rollouts, and the resulting gradient of both blocks. */
async function gateStep(step: JudgedStep, run: BlocksRun, direction: Direction): Promise<Gating> {
  const { rollouts, adapterParams, policy } = step;
  const all = rollouts.flat();
  const place = ({ prompt, sample }: { prompt: number; sample: number }) => ({
    seed: run.seed,
    step: step.step,
    prompt,
    sample,
  });
  const flat =
    run.blockGate === 'labels'
      ? all.map((rollout) => byLabel(rollout.isHack, run.labelShare, run.labelError, place(rollout)))
      : byQuantiles(
          run.blockGate === 'random'
            ? all.map((rollout) => randomScore(place(rollout)))
            : await scoresOf(step, withoutQuarantine(adapterParams, quarantineMask(policy.adapterLayout)), direction),
          run.cleanShare,
          run.hackShare,
        );
  let next = 0;
  const gated = rollouts.map((group) => group.map(() => flat[next++]));
  return {
    gradient: (scoring) => blockGradients(step, scoring, gated),
    row: {
      gated: mean(flat.map((kind) => Number(kind === 'hack'))),
      gateRecall: mean(all.flatMap(({ isHack }, i) => (isHack ? [Number(flat[i] === 'hack')] : []))),
    },
  };
}

/** Scores of rollouts along the pairs' direction, positive towards hack, computed with the deployed block only. */
async function scoresOf(
  { rollouts, policy, signal }: JudgedStep,
  deployed: Float32Array,
  direction: Direction,
): Promise<number[]> {
  const episodes = rollouts.flat().map(({ tokens }) => tokens);
  const written = episodes.filter((episode) => episode !== null);
  policy.setAdapterParams(deployed);
  let scores: number[] = [];
  if (direction && 'concept' in direction) {
    const rows = await policy.activations(written, direction.concept.layer, signal);
    scores = rows.map((row) => conceptScore(row, direction.concept.direction));
  } else if (direction) {
    const batch = await policy.score(
      written.map((sequence, segment) => ({ ...sequence, segment })),
      written.length,
      signal,
    );
    try {
      const gradients = await batch.backward(
        batch.logprobs.map(({ length }) => new Float32Array(length).fill(-1 / length)),
      );
      scores = gradients.map((g) => cosineContribution(g, direction.gradient, policy.adapterLayout.modules));
    } finally {
      batch.free();
    }
  }
  let next = 0;
  return episodes.map((episode) => (episode ? scores[next++] : 0));
}

async function blockGradients(
  { adapterParams, policy }: JudgedStep,
  { counted, scored }: Scoring,
  gated: readonly (readonly GateClass[])[],
): ReturnType<Gating['gradient']> {
  const mask = quarantineMask(policy.adapterLayout);
  const passes: Pass[] = [];
  const of: Record<GateClass, Float32Array | null> = { clean: null, mid: null, hack: null };
  for (const quarantine of [false, true]) {
    const params = quarantine ? adapterParams : withoutQuarantine(adapterParams, mask);
    policy.setAdapterParams(params);
    const pass = await scored(
      {
        adapterParams: params,
        counts: (g, i) => counted[g][i] && MASKS[gated[g][i]].quarantine === quarantine,
        segmentOf: (g, i) => (MASKS[gated[g][i]].deployed === 1 ? 0 : 1),
      },
      (backward) => backward(),
    );
    if (!pass) continue;
    passes.push(pass);
    if (quarantine) [of.mid, of.hack] = [pass.student, pass.teacher];
    else of.clean = pass.student;
  }
  return passes.length === 0 ? null : { combined: blockGradient(of, mask), passes };
}
