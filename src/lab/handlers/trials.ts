// The worker's handlers for a basis that is tried on kept steps: a part of the table in handlers.ts, loaded with the first of them. All are
// answers, so that a later one ends an earlier; while an experiment trains they are given between two of its steps, and an evaluation in parts.
import type { TrialEvent, TrialRequest } from '../protocol/trials.ts';
import { BasisTrials } from '../work/basis-trials.ts';
import type { HandlerParts } from '../work/parts.ts';

export function createTrialHandlers({ lab, equipped, gate, emit }: HandlerParts) {
  const trials = new BasisTrials({ lab, equipped });
  const emitTo = (task: string) => (what: string, point: TrialEvent['point']) =>
    emit({ type: 'trial', task, what, point });
  return {
    /** Splits a run's kept steps by another basis. */
    tryBasis: ({ task, ...request }: TrialRequest) =>
      gate.answer(task, (signal) => trials.try(request, signal, emitTo(task))),
    /** Evaluates what that basis deploys; `trial` events have the evaluations. */
    evaluateTrial: ({ task, ...request }: TrialRequest) =>
      gate.answerInParts(task, (part, signal) => trials.evaluate(request, part, signal, emitTo(task))),
    /** The pairs of the chosen set that the run would use. */
    trialPairs: ({ task, source, choice }: TrialRequest) =>
      gate.answer(task, (signal) => trials.pairs(source, choice.pairSet, signal)),
  };
}
