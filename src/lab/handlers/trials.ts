// The worker's handlers for trying another basis on stored steps: a part of the table in handlers.ts, loaded with the first of them. A
// later answer ends an earlier one; during training they run between two steps, and an evaluation runs in parts.
import type { TrialEvent, TrialRequest } from '../protocol/trials.ts';
import { BasisTrials } from '../work/basis-trials.ts';
import type { HandlerParts } from '../work/parts.ts';

export function createTrialHandlers({ lab, equipped, gate, emit }: HandlerParts) {
  const trials = new BasisTrials({ lab, equipped });
  const emitTo = (task: string) => (what: string, point: TrialEvent['point']) =>
    emit({ type: 'trial', task, what, point });
  return {
    /** Splits a run's stored steps by another basis. */
    tryBasis: ({ task, ...request }: TrialRequest) =>
      gate.answer(task, (signal) => trials.try(request, signal, emitTo(task))),
    /** Evaluates the models deployed with that basis; `trial` events have the evaluations. */
    evaluateTrial: ({ task, ...request }: TrialRequest) =>
      gate.answerInParts(task, (part, signal) => trials.evaluate(request, part, signal, emitTo(task))),
    /** The pairs of the chosen set that the run would use. */
    trialPairs: ({ task, source, choice }: TrialRequest) =>
      gate.answer(task, (signal) => trials.pairs(source, choice.pairSet, signal)),
  };
}
