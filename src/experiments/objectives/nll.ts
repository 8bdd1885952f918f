// Next-token loss on an environment's documents: per step as many as GRPO has rollouts, epoch after epoch in an order keyed by (seed, epoch).
// Nothing is sampled or judged. Documents are packed into the rows of a batch and do not attend to each other; one that exceeds the model's
// positions is cut into overlapping windows. Without documents, an environment that compares answers with references is finetuned on those:
// each group's rollouts are sampled and judged as in GRPO, and the reference is the document.
import { CounterRng, STREAMS } from '../../rng/index.ts';
import type { LabEvent } from '../records/events.ts';
import { summarise } from '../step/step-records.ts';
import { documentBatch } from './document-batch.ts';
import { judgeForRecord } from './live.ts';
import { refuseMissing, type StepBatch, type StepPorts } from './types.ts';

export async function* nll<Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, StepBatch> {
  const { spec, stage, step, environment } = ports;
  refuseMissing(stage, environment);
  if (!environment.documents) return yield* nllOfReferences(ports);
  const count = spec.promptsPerStep * spec.groupSize;
  const { extra, gradient } = documentBatch(
    ports,
    drawDocuments(environment.documents, { seed: spec.seed, step: step - stage.from, count }),
  );
  return {
    summary: { ...summarise([], [], [], environment.figures), fracRewardZeroStd: 0 },
    rollouts: [],
    extra: () => extra,
    gradient,
    learn: () => {},
  };
}

/** Trains on one document per group whose reference has a text. */
async function* nllOfReferences<Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, StepBatch> {
  const { documentOf } = ports.environment;
  const { groups, judged, batchWith } = yield* judgeForRecord(ports);
  // All rollouts of a group have the same document.
  const documents = groups.flatMap(({ task }, g) => documentOf?.(task, judged[g][0].verdict) ?? []);
  const { extra, gradient } = documentBatch(ports, documents);
  return { ...batchWith(extra), gradient };
}

/** Draws a step's documents; `step` counts from 0 within the stage. */
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
