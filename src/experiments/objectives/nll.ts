// Next-token loss on the documents that an environment offers: as many a step as GRPO has rollouts, epoch after epoch in an order that
// (seed, epoch) keys. Nothing is sampled and nothing is judged. Documents are packed into the rows of a batch (one that is longer
// than the model's positions is cut into windows, each behind some of its past), and none sees another. Where an environment has no documents
// and answers are compared with references, it is finetuning on those: each group's rollouts are sampled and judged as in GRPO, and
// its reference is the document.
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

/** Yields one document for each group whose reference has a text. */
async function* nllOfReferences<Task, State, Verdict>(
  ports: StepPorts<Task, State, Verdict>,
): AsyncGenerator<LabEvent, StepBatch> {
  const { documentOf } = ports.environment;
  const { groups, judged, batchWith } = yield* judgeForRecord(ports);
  // The document of a group is the same for all of its rollouts.
  const documents = groups.flatMap(({ task }, g) => documentOf?.(task, judged[g][0].verdict) ?? []);
  const { extra, gradient } = documentBatch(ports, documents);
  return { ...batchWith(extra), gradient };
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
