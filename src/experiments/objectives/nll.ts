// Next-token loss on the documents that a world offers: as many a step as GRPO has rollouts, epoch after epoch in an order that
// (seed, epoch) keys. Nothing is sampled and nothing is judged. Documents are packed into the rows of a batch (one that is longer
// than the model's positions is cut into windows, each behind some of its past), and none sees another.
import { nllBackward } from '../../algorithms/objectives/backward.ts';
import { type Document, trainedTokens, windowsOf } from '../../engine/objectives/documents.ts';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { mean } from '../../stats/index.ts';
import type { PromptCodec } from '../../text/types.ts';
import { summarise } from '../loop/step-records.ts';
import type { LabEvent } from '../records/events.ts';
import type { WorldDocument } from '../worlds/world.ts';
import { refuseMissing } from './refuse.ts';
import type { StepBatch, StepPorts } from './types.ts';

/** Share of a window that is context, of a document that is cut. */
const OVERLAP = 0.25;

export async function* nll<Task, State, Verdict>({
  spec,
  stage,
  step,
  policy,
  codec,
  world,
  clock,
  signal,
}: StepPorts<Task, State, Verdict>): AsyncGenerator<LabEvent, StepBatch> {
  refuseMissing(stage, world);
  const count = spec.promptsPerStep * spec.groupSize;
  const drawn = drawDocuments(world.documents ?? [], { seed: spec.seed, step: step - stage.from, count });
  const documents = drawn.flatMap((document) => tokensOf(document, codec, policy.config.maxPositions));
  const tokens = documents.reduce((sum, document) => sum + trainedTokens(document), 0);
  return {
    summary: { ...summarise([], [], [], world.figures), fracRewardZeroStd: 0 },
    rollouts: [],
    extra: () => ({ objective: 'nll', documents: { n: drawn.length, tokens } }),
    async *gradient(knobs) {
      yield clock.begin('backward');
      if (documents.length === 0) return null;
      policy.setKnobs(knobs);
      const { loss, gradients, entropy } = await nllBackward(policy, documents, { normalise: 'token', signal });
      const [student] = gradients;
      const all = entropy.flatMap((row) => Array.from(row));
      return { student, teacher: new Float32Array(student.length), loss, kl: null, entropy: mean(all) };
    },
    learn: () => {},
  };
}

/** `step` counts from 0 within the stage. */
export function drawDocuments<D>(
  documents: readonly D[],
  { seed, step, count }: { seed: number; step: number; count: number },
): D[] {
  const orders = new Map<number, D[]>();
  const orderOf = (epoch: number) => {
    const order = orders.get(epoch) ?? CounterRng.of(seed, STREAMS.pretrain, epoch).shuffle([...documents]);
    orders.set(epoch, order);
    return order;
  };
  return Array.from({ length: count }, (_, i) => {
    const place = step * count + i;
    return orderOf(Math.floor(place / documents.length))[place % documents.length];
  });
}

/** Without what trains nothing. */
function tokensOf({ parts }: WorldDocument, codec: PromptCodec, maxPositions: number): Document[] {
  const ids: number[] = [];
  const mask: boolean[] = [];
  for (const { text, isTrained } of parts)
    for (const id of codec.encode(text)) {
      ids.push(id);
      mask.push(isTrained);
    }
  const whole = mask.includes(false) ? { ids, mask } : { ids };
  const windows = windowsOf(whole, maxPositions, Math.max(1, Math.floor(OVERLAP * maxPositions)));
  return windows.filter((document) => trainedTokens(document) > 0);
}
