// A whole run of a scenario by a scripted agent, from the file to the verdict.
import { atOnce, type Parts } from '@projected-grpo-lab/base/parts.ts';
import { settled } from '../pending.ts';
import { scenarioParts } from '../scenario/import.ts';
import type { Trace } from '../scenario/schema.ts';
import { beginJudgedRun, type JudgedRun, type JudgedRunOptions } from '../verifier/judged-run.ts';
import type { Verdict } from '../verifier/verifier.ts';
import { oneMistake } from './mistake.ts';
import { type AgentRun, type RunOptions, runAgent } from './run.ts';
import { OracleAgent, randomAgent, silentAgent } from './scripted.ts';
import type { Agent } from './types.ts';

export const SCRIPTED_AGENTS = ['oracle', 'oracle-mistake', 'random', 'silent'] as const;
export type ScriptedName = (typeof SCRIPTED_AGENTS)[number];

export interface Played extends JudgedRun {
  readonly run: AgentRun;
  readonly verdict: Verdict;
  /** Mistake that the agent was told to make. */
  readonly mistake: string | null;
}

export type PlayOptions = JudgedRunOptions & Partial<Omit<RunOptions, 'turns'>> & { readonly seed?: number };

/** Throws ScenarioError or OracleError. */
export async function playScripted(trace: Trace, name: ScriptedName, options: PlayOptions): Promise<Played> {
  const judged = beginJudgedRun(trace, options);
  const { agent, mistake } = atOnce(scriptedParts(name, trace, judged, options));
  return { ...(await played(judged, agent, options)), mistake };
}

/** Throws ScenarioError, OracleError, or the agent's own error. */
export const playWith = (trace: Trace, agent: Agent, options: PlayOptions): Promise<Omit<Played, 'mistake'>> =>
  played(beginJudgedRun(trace, options), agent, options);

async function played(judged: JudgedRun, agent: Agent, options: PlayOptions): Promise<Omit<Played, 'mistake'>> {
  const run = await runAgent(judged.environment, agent, { ...options, turns: judged.verifier.turnCount });
  const verdict = await settled(() => judged.verifier.judgeEnd(judged.environment.log.list()));
  return { ...judged, run, verdict };
}

/** `mistake`: the mistake that the agent was told to make, if any. */
export function* scriptedParts(
  name: ScriptedName,
  trace: Trace,
  { oracle }: Pick<JudgedRun, 'oracle'>,
  { classes, seed = 0 }: Pick<PlayOptions, 'classes' | 'seed'>,
): Parts<{ agent: Agent; mistake: string | null }> {
  const events = function* () {
    return (yield* scenarioParts(trace, classes)).events;
  };
  switch (name) {
    case 'oracle':
      return { agent: new OracleAgent(yield* events(), oracle), mistake: null };
    case 'oracle-mistake': {
      const mistake = oneMistake(oracle, seed);
      return { agent: new OracleAgent(yield* events(), oracle, mistake?.tamper), mistake: mistake?.what ?? null };
    }
    case 'random':
      return { agent: randomAgent(seed), mistake: null };
    case 'silent':
      return { agent: silentAgent, mistake: null };
  }
}
