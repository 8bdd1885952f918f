// Prepares a scenario for a judged run: the oracle is played first, then an agent plays in a new environment in which each turn but the
// last is judged as it ends.
import { atOnce, type Parts } from '@projected-grpo-lab/base/parts.ts';
import { Environment, type EnvironmentOptions } from '../environment.ts';
import { type Scenario, scenarioParts } from '../scenario/import.ts';
import type { Trace } from '../scenario/schema.ts';
import { turnsOf, withTurnConditions } from '../scenario/turns.ts';
import type { AppClasses } from '../types.ts';
import { DEFAULT_CONFIG, type VerifierConfig } from './compare-calls.ts';
import { type Oracle, oracleParts } from './oracle-run.ts';
import type { SoftEngine } from './soft.ts';
import { strictEngine } from './strict/strict.ts';
import { Verifier } from './verifier.ts';

export interface JudgedRun {
  readonly scenario: Scenario;
  readonly oracle: Oracle;
  readonly verifier: Verifier;
  /** Started: events without dependencies are queued, nothing has happened yet. */
  readonly environment: Environment;
}

export interface JudgedRunOptions extends Pick<EnvironmentOptions, 'verbosity' | 'draws' | 'duration'> {
  readonly classes: AppClasses;
  readonly engine?: SoftEngine;
  readonly config?: VerifierConfig;
  /**
   * The same trace's oracle, if it has already been played: a run only reads it, and in a long scenario it takes most of the preparation.
   */
  readonly oracle?: Oracle;
  /** Adds noise to the agent's scenario, but not to the oracle's. */
  readonly augment?: (scenario: Scenario) => Scenario;
}

/** Throws ScenarioError, and OracleError if the scenario's own oracle fails. */
export const beginJudgedRun = (trace: Trace, options: JudgedRunOptions): JudgedRun =>
  atOnce(judgedRunParts(trace, options));

export function* judgedRunParts(trace: Trace, options: JudgedRunOptions): Parts<JudgedRun> {
  const { classes, engine = strictEngine, config = DEFAULT_CONFIG, draws, verbosity = 'MEDIUM' } = options;
  const oracle = options.oracle ?? (yield* oracleParts(yield* scenarioParts(trace, classes), draws));
  const own = yield* scenarioParts(trace, classes);
  const scenario = options.augment?.(own) ?? own;
  const verifier = new Verifier(oracle, engine, config);
  const turns = turnsOf(scenario.events);
  const events = withTurnConditions(scenario.events, turns, (run) => verifier.passTurn(run.log.list()), scenario.id);
  const environment = new Environment({
    start: scenario.start,
    duration: options.duration === undefined ? scenario.duration : options.duration,
    increment: scenario.increment,
    seed: scenario.seed,
    verbosity,
    ...(draws && { draws }),
  });
  environment.register(scenario.apps).schedule(events).begin();
  return { scenario, oracle, verifier, environment };
}
