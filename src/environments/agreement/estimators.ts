// The estimators by name.
import { type AskSettings, MUTUAL, SELF_BON, synthesisEstimator } from './asked.ts';
import { MAJORITY, MIN_PERPLEXITY, ONE, ORACLE, RANDOM } from './selection.ts';
import type { EstimatorId, ReferenceEstimator } from './types.ts';

export function estimatorOf(id: EstimatorId, settings: AskSettings): ReferenceEstimator {
  switch (id) {
    case 'majority':
      return MAJORITY;
    case 'min_perplexity':
      return MIN_PERPLEXITY;
    case 'self_bon':
      return SELF_BON;
    case 'mutual':
      return MUTUAL;
    case 'synthesis':
      return synthesisEstimator(false, settings);
    case 'synthesis_question':
      return synthesisEstimator(true, settings);
    case 'oracle':
      return ORACLE;
    case 'random':
      return RANDOM;
    case 'one':
      return ONE;
  }
}

/** 1 for an attempt that says what the reference says; one without an answer agrees with nothing. */
export const agrees = (value: string | null, reference: string | null): boolean =>
  value !== null && value === reference;
