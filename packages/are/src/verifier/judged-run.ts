// A scenario set up to be run by an agent and judged: its oracle played first, then a fresh environment in which each turn but the
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
  /** Begun: what depends on nothing is queued, nothing has happened. */
  readonly environment: Environment;
}

export interface JudgedRunOptions extends Pick<EnvironmentOptions, 'verbosity' | 'draws' | 'duration'> {
  readonly classes: AppClasses;
  readonly engine?: SoftEngine;
  readonly config?: VerifierConfig;
  /** The same trace's oracle, where it has been played already: a run only reads it, and in a long scenario it is most of the setting up. */
  readonly oracle?: Oracle;
  /** Added to the scenario that the agent runs in, and not to the oracle's: noise. */
  readonly augment?: (scenario: Scenario) => Scenario;
}

/** Throws ScenarioError, and OracleError where the scenario's own oracle cannot be played. */
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
