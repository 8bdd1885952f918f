// Explains a verdict: the reference's text, and below it the differences that it leaves out.
import { stamp } from '../clock.ts';
import { pythonText } from '../python-text.ts';
import type { Arg } from '../value.ts';
import type { Attempt, Failure, Mismatch } from './failures.ts';
import type { Verdict } from './verifier.ts';

export interface Difference {
  readonly agentEventId: string;
  /** What was compared: an argument, texts, the time, the order. */
  readonly what: string;
  readonly agent: string;
  readonly oracle: string;
}

/** Differences of each attempt of the agent; empty if the failure is not of a single call. */
export function differencesOf(failure: Failure | null): Difference[] {
  if (failure?.kind !== 'oracle event') return [];
  return failure.attempts.flatMap((attempt) => ofAttempt(attempt, failure));
}

function ofAttempt(attempt: Attempt, failure: Failure & { kind: 'oracle event' }): Difference[] {
  const { agentEventId, reason, mismatch } = attempt;
  if (reason === 'already matched') return [];
  if (reason === 'causality' || mismatch === undefined) {
    return [{ agentEventId, what: 'order', agent: 'before what it has to follow', oracle: 'after it' }];
  }
  return named(mismatch).map(({ name, what, times }) => {
    const quoted = (args: Readonly<Record<string, Arg>>) =>
      Object.hasOwn(args, name) ? pythonText(args[name] ?? null) : 'nothing';
    return {
      agentEventId,
      what,
      agent: times ? times.agent : quoted(attempt.args),
      oracle: times ? times.oracle : quoted(failure.args),
    };
  });
}

interface Named {
  name: string;
  what: string;
  times?: { agent: string; oracle: string };
}

function named(mismatch: Mismatch): Named[] {
  switch (mismatch.kind) {
    case 'argument':
      return [{ name: mismatch.name, what: `${mismatch.name} (${mismatch.checker})` }];
    case 'text':
      return mismatch.names.map((name) => ({ name, what: `${name} (soft judge)` }));
    case 'time': {
      const shown = (seconds: number) => (seconds > 1e8 ? stamp(seconds) : `+${seconds.toFixed(1)} s`);
      const times = { agent: shown(mismatch.agent), oracle: shown(mismatch.oracle) };
      return [{ name: '', what: `time${mismatch.comparator ? ` (${mismatch.comparator})` : ''}`, times }];
    }
    case 'tool':
      return [{ name: '', what: 'who called', times: { agent: 'not the agent', oracle: 'the agent' } }];
  }
}

export type Outcome = 'passed' | 'failed' | 'nothing to judge';
export const outcomeOf = ({ success, failure }: Pick<Verdict, 'success' | 'failure'>): Outcome =>
  success ? 'passed' : failure?.kind === 'no oracle' ? 'nothing to judge' : 'failed';

/** Each outcome as a sentence. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  passed: 'Passed.',
  failed: 'Failed.',
  'nothing to judge': 'Nothing to judge.',
};

/** Text for a terminal. */
export function verdictText(verdict: Verdict): string {
  const outcome = OUTCOME_WORDS[outcomeOf(verdict)];
  if (verdict.success) return outcome;
  const head = verdict.exception ? `${verdict.exception.kind}: ${verdict.exception.text}` : verdict.rationale;
  const lines = differencesOf(verdict.failure).map(
    ({ agentEventId, what, agent, oracle }) => `  ${agentEventId}, ${what}: agent ${agent}, oracle ${oracle}`,
  );
  return [outcome, head, ...(lines.length > 0 ? ['What differs:', ...lines] : [])].join('\n');
}

/** A number with its noun: `1 action`, `3 actions`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
