// Documents as a training batch: tokenized, cut where they exceed the model's positions, with their next-token gradient.
import { nllBackward } from '../../algorithms/objectives/backward.ts';
import { type Document, trainedTokens, windowsOf } from '../../engine/objectives/documents.ts';
import { mean } from '../../stats/index.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { writtenIds } from '../../text/codec.ts';
import type { LabEvent } from '../records/events.ts';
import type { EnvironmentDocument } from '../step/environment.ts';
import type { StepGradient } from '../step/gradient.ts';
import type { StepPorts } from './types.ts';

/** Share of each window of a cut document that is context from the previous one. */
const OVERLAP = 0.25;

/** Returns the row's metrics, and the gradient at any adapter parameters. */
export function documentBatch<Task, State, Verdict>(
  { policy, codec, clock, signal }: Pick<StepPorts<Task, State, Verdict>, 'policy' | 'codec' | 'clock' | 'signal'>,
  drawn: readonly EnvironmentDocument[],
) {
  const documents = drawn.flatMap((document) => tokensOf(document, codec, policy.config.maxPositions));
  const tokens = documents.reduce((sum, document) => sum + trainedTokens(document), 0);
  return {
    extra: { objective: 'nll' as const, documents: { n: drawn.length, tokens } },
    async *gradient(adapterParams: Float32Array): AsyncGenerator<LabEvent, StepGradient | null> {
      yield clock.begin('backward');
      if (documents.length === 0) return null;
      policy.setAdapterParams(adapterParams);
      const { loss, gradients, entropy } = await nllBackward(policy, documents, { normalise: 'token', signal });
      const [student] = gradients;
      const all = entropy.flatMap((row) => Array.from(row));
      return { student, teacher: new Float32Array(student.length), loss, kl: null, entropy: mean(all) };
    },
  };
}

/** A document's windows of tokens; parts that are not trained are masked. */
export function tokensOf({ parts }: EnvironmentDocument, codec: PromptCodec, maxPositions: number): Document[] {
  const ids: number[] = [];
  const mask: boolean[] = [];
  for (const { text, isTrained } of parts)
    for (const id of isTrained ? writtenIds(codec, text) : codec.encodeChat(text)) {
      ids.push(id);
      mask.push(isTrained);
    }
  const whole = mask.includes(false) ? { ids, mask } : { ids };
  const windows = windowsOf(whole, maxPositions, Math.max(1, Math.floor(OVERLAP * maxPositions)));
  return windows.filter((document) => trainedTokens(document) > 0);
}
