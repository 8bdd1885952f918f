// What the page says of a scenario before it is played, and of the run that a file may hold. In parts, as a long file takes longer than
// the page may stand still.

import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { stamp } from '@projected-grpo-lab/are/clock.ts';
import { generateScenario, type Part } from '@projected-grpo-lab/are/generate/generate.ts';
import type { Split } from '@projected-grpo-lab/are/generate/template.ts';
import { scenarioParts, USUAL_DURATION } from '@projected-grpo-lab/are/scenario/import.ts';
import { withApps } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import { type Trace, traceParts } from '@projected-grpo-lab/are/scenario/schema.ts';
import { completedOf } from '@projected-grpo-lab/are/scenario/trace.ts';
import { type Outcome, outcomeOf } from '@projected-grpo-lab/are/verifier/explain.ts';
import { type Oracle, oracleParts } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { strictEngine } from '@projected-grpo-lab/are/verifier/strict/strict.ts';
import { Verifier } from '@projected-grpo-lab/are/verifier/verifier.ts';
import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { COMPOSED_UNIVERSE, UNIVERSE } from '../../environments/agents/task.ts';
import { WINDOWS, type WindowName } from './play.ts';

/** The generator's parts that the page offers. */
export const PAGE_PARTS = ['training', 'composed', 'composed held out'] as const satisfies readonly Part[];
export type PagePart = (typeof PAGE_PARTS)[number];

/** Which of the generator's scenarios. */
export interface Generated {
  readonly split: Split;
  readonly seed: number;
  readonly index: number;
  /** Few people, mails and products: what the small agent was trained in. */
  readonly isSmall: boolean;
  readonly part: PagePart;
}

export interface LoadedScenario {
  readonly trace: Trace;
  readonly oracle: Oracle;
  /** A file's name, or the template. */
  readonly source: string;
  /** null: of a file. */
  readonly generated: Generated | null;
  readonly id: string;
  readonly start: string;
  /** Simulated seconds at most. */
  readonly duration: number;
  readonly apps: readonly string[];
  readonly events: number;
  readonly turns: number;
  /** The user's words, by turn. */
  readonly tasks: readonly string[];
  /** Apps of the file that were left out, and why. */
  readonly skipped: readonly string[];
  /** Of a file that holds a run: how that run is judged. */
  readonly held: { readonly agent: string; readonly success: boolean; readonly outcome: Outcome } | null;
}

export function* generated(which: Generated): Parts<LoadedScenario> {
  const { split, seed, index, isSmall, part } = which;
  const size = part === 'training' ? UNIVERSE : COMPOSED_UNIVERSE;
  const { trace, template } = generateScenario({ split, seed, index, part, ...(isSmall && { size }) });
  yield;
  const source = `${part === 'training' ? 'template' : 'form'} ${template.id}`;
  return { ...(yield* loaded(trace, source, 'usual')), generated: { split, seed, index, isSmall, part } };
}

/** Throws ScenarioError, with the place in the file, or OracleError. */
export function* opened(text: string, name: string, window: WindowName): Parts<LoadedScenario> {
  return yield* loaded(yield* traceParts(text), name, window);
}

/** @param data the scenario that has the apps, as the data set has it */
export function* completed(trace: Trace, data: string, name: string, window: WindowName): Parts<LoadedScenario> {
  const { apps } = yield* traceParts(data);
  return yield* loaded(withApps(trace, apps), name, window);
}

export function* loaded(trace: Trace, source: string, window: WindowName): Parts<LoadedScenario> {
  const scenario = yield* scenarioParts(trace, IMPORTABLE_CLASSES);
  const { definition, simulation } = trace.metadata;
  // Read before the oracle is played, which uses them up.
  const log = trace.completed_events.length > 0 ? completedOf(trace, scenario.apps) : null;
  yield;
  const oracle = yield* oracleParts(scenario);
  const verdict = log && new Verifier(oracle, strictEngine, WINDOWS[window]).judgeAll(log);
  const held = verdict && {
    agent: simulation?.agent_id ?? 'unnamed agent',
    ...{ success: verdict.success, outcome: outcomeOf(verdict) },
  };
  return {
    ...{ trace, oracle, source, generated: null, id: scenario.id, start: stamp(scenario.start) },
    duration: definition.duration ?? USUAL_DURATION,
    apps: scenario.apps.map(({ name }) => name),
    events: trace.events.length,
    turns: oracle.turns.length,
    tasks: oracle.tasks.map((task) => task.trim()),
    skipped: scenario.skipped,
    held,
  };
}
