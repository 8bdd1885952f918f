// A group's reference as a text to be finetuned on: the problem is context, the reference's working is learnt.

import type { WorldDocument } from '../drawn.ts';
import type { ArithmeticProblem, ArithmeticVerdict, ReferredVerdict } from './types.ts';

/** Null where there is no reference, or a bare value. */
export function referenceDocument(
  { id, prompt }: Pick<ArithmeticProblem, 'id' | 'prompt'>,
  verdict: ArithmeticVerdict,
): WorldDocument | null {
  const { reference, referenceText } = verdict as Partial<ReferredVerdict>;
  if (reference == null || referenceText == null) return null;
  return {
    id,
    parts: [
      { text: prompt, isTrained: false },
      { text: `${referenceText}<|im_end|>`, isTrained: true },
    ],
  };
}
