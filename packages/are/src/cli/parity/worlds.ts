// Compares whole scenarios with recorded runs: oracles, and judgements of agents.
import type { Environment } from '../../environment.ts';
import { argsOf, type CompletedEvent, toolNameOf } from '../../events/completed.ts';
import { parsePythonJson } from '../../python-json.ts';
import { CLASS_NAMES } from '../../scenario/export.ts';
import { makeScenario } from '../../scenario/import.ts';
import { parseTrace, type Trace } from '../../scenario/schema.ts';
import { turnsOf, withTurnConditions } from '../../scenario/turns.ts';
import type { AppClasses } from '../../types.ts';
import { type Arg, type Args, plain, plainArgs, type Value } from '../../value.ts';
import { DEFAULT_CONFIG } from '../../verifier/compare-calls.ts';
import { ConstantEngine } from '../../verifier/engines.ts';
import { beginJudgedRun } from '../../verifier/judged-run.ts';
import { type Oracle, playOracle } from '../../verifier/oracle-run.ts';
import { bestChoice, callResult, entriesOf, errorAsDifference, listOf, missingCase } from './calling.ts';
import { Bijection, differences } from './compare.ts';
import { type Comparison, countedDraws, type ParityContext } from './types.ts';

const logRow = (event: CompletedEvent, start: number): Value => ({
  id: event.id,
  type: event.type,
  t: event.time - start,
  tool: toolNameOf(event),
  args: plainArgs(argsOf(event)),
  return: event.value,
  exception: event.error?.message ?? null,
});

function scenarioNamed(name: string, context: ParityContext): Trace | string {
  const text = context.text(`scenarios/${name}.json`);
  if (text === undefined) return `there is no scenarios/${name}.json`;
  return parseTrace(text);
}

/** The first app of the file whose class is unknown. */
const lacks = (trace: Trace, { classes }: ParityContext): string | undefined => {
  const [skipped] = makeScenarioApps(trace, classes);
  return skipped;
};
const makeScenarioApps = (trace: Trace, classes: AppClasses): readonly string[] =>
  makeScenario({ ...trace, events: [] }, classes).skipped;

export const compareOracles: Comparison = ({ json }, context) =>
  entriesOf(json).map(([name, expected]) => {
    const file = 'oracle_runs.json';
    const trace = scenarioNamed(name, context);
    if (typeof trace === 'string') return missingCase(file, name, trace);
    const lacking = lacks(trace, context);
    if (lacking) return missingCase(file, name, lacking);
    const compare = () => differences(expected, oracleRun(trace, context.classes), new Bijection());
    return { file, name, differences: errorAsDifference(compare) };
  });

function oracleRun(trace: Trace, classes: AppClasses): Value {
  const oracle = playOracle(makeScenario(trace, classes), countedDraws());
  const scenario = makeScenario(trace, classes);
  const turns = turnsOf(scenario.events);
  const split = withTurnConditions(
    scenario.events,
    turns,
    () => ({ goesOn: true, oracleIdOf: new Map() }),
    scenario.id,
  );
  return {
    oracle_log: oracle.log.map((event) => logRow(event, oracle.start)),
    event_id_to_turn_idx: Object.fromEntries(turns.of),
    nb_turns: turns.count,
    tasks_per_turn: oracle.tasks,
    user: oracle.user.name,
    turn_oracle_order: oracle.turns.map((events) => events.map(({ event }) => event.id)),
    turn_oracle_graph: oracle.turns.map((events) =>
      Object.fromEntries(events.map(({ event, parents }) => [event.id, parents])),
    ),
    events_after_turn_split: split.map((event) => ({
      id: event.id,
      class: CLASS_NAMES[event.kind],
      deps: event.dependencies.map(({ id }) => id),
      succ: event.successors.map(({ id }) => id),
      rel: event.delay,
      time: event.time,
    })),
    oracle_timing: timingOf(oracle),
  };
}

const timingOf = (oracle: Oracle): Value =>
  oracle.turns.map((events) =>
    events.map(({ event, absolute, comparator }) => ({
      id: event.id,
      t: event.time - oracle.start,
      absolute: absolute !== null,
      cmp: comparator,
    })),
  );

export const compareVerdicts: Comparison = ({ text }, context) =>
  (parsePythonJson(text) as readonly Args[]).map((row) => {
    const file = 'verdicts.json';
    const name = `${row.scenario}: ${row.case}`;
    const trace = scenarioNamed(String(row.scenario), context);
    if (typeof trace === 'string') return missingCase(file, name, trace);
    const lacking = lacks(trace, context);
    if (lacking) return missingCase(file, name, lacking);
    return {
      file,
      name,
      differences: bestChoice(AFTER, (after) => verdictDifferences(row, trace, context.classes, after)),
    };
  });

/** Seconds that tick after the agent's last call; the recording lacks their number, so each is tried. */
const AFTER = [3, 0, 1, 10, 30, 60, 120];

function verdictDifferences(row: Args, trace: Trace, classes: AppClasses, after: number): string[] {
  const ids = new Bijection();
  return differences(plain(row), verdictOf(row, trace, { classes, ids, after }), ids);
}

interface VerdictOptions {
  readonly classes: AppClasses;
  readonly ids: Bijection;
  readonly after: number;
}

/** Ticks every second, with the agent's calls in between. */
function verdictOf(row: Args, trace: Trace, { classes, ids, after }: VerdictOptions): Value {
  const engine = new ConstantEngine(row.soft_engine === 'accept');
  const windows = (plain(row.judge_config ?? {}) ?? {}) as Readonly<Record<string, number>>;
  const { verifier, environment } = beginJudgedRun(trace, {
    classes,
    engine,
    draws: countedDraws(),
    config: {
      ...DEFAULT_CONFIG,
      before: windows.pre_event_tolerance_seconds ?? DEFAULT_CONFIG.before,
      after: windows.post_event_tolerance_seconds ?? DEFAULT_CONFIG.after,
    },
  });
  const calls = (row.agent_calls as readonly (readonly [number, string, string, Args])[]).slice();
  const results: Value[] = [];
  const made: Value[] = [];
  const last = Math.floor(Number(plain((calls.at(-1)?.[0] ?? 0) as Arg))) + after;
  for (let second = 0; second <= last && !environment.isOver; second++) {
    environment.real.now = second;
    environment.tick();
    while (calls[0] !== undefined && Number(plain(calls[0][0] as Arg)) < second + 1 && !environment.isOver) {
      const [time, app, tool, given] = calls.shift() as (typeof calls)[number];
      environment.real.now = Number(plain(time as Arg));
      learnReturns(row, environment, ids);
      const args = ids.translated(given) as Args;
      const { result, error } = callResult(environment, app, tool, args);
      differences(plain((row.tool_results as readonly Arg[])[results.length] ?? null), error ?? result ?? null, ids);
      results.push(error ?? result ?? null);
      made.push([plain(time as Arg), app, tool, plainArgs(args)]);
    }
  }
  const stopped = environment.isOver;
  const verdict = verifier.judgeEnd(environment.log.list());
  const log = environment.log.list().filter(({ type, value }) => type !== 'CONDITION' || value === true);
  const given = Object.fromEntries(
    ['scenario', 'case', 'soft_engine', 'judge_config']
      .filter((key) => row[key] !== undefined)
      .map((key): [string, Value] => [key, plain(row[key] as Arg)]),
  );
  return {
    ...given,
    agent_calls: [...made, ...calls.map((call) => plain(call as Arg))],
    success: verdict.success,
    rationale: verdict.rationale,
    exception: verdict.exception && writtenAs(row.exception, verdict.exception),
    stopped_early: stopped,
    judge_turn_idx: verifier.turn,
    nb_turns: verifier.turnCount,
    engine_calls: engine.calls,
    matches_agent_to_oracle: Object.fromEntries(verifier.matches),
    tool_results: results,
    event_log: log.map((event) => logRow(event, environment.start)),
    notifications: environment.inbox
      .list()
      .filter(({ kind }) => kind !== 'ENVIRONMENT_STOP')
      .map(({ kind, text, time }): Value => [kind, text, time - environment.start]),
  };
}

/** Class and text, or one of them, as in the recording. */
const writtenAs = (recorded: Arg | undefined, { kind, text }: { kind: string; text: string }): Value =>
  typeof recorded !== 'string' ? [kind, text] : recorded.startsWith(kind) ? `${kind}: ${text}` : text;

/** Ids returned by the scenario's own events, which the agent may name. */
function learnReturns(row: Args, { log }: Environment, ids: Bijection): void {
  for (const expected of listOf(row.event_log)) {
    const actual = log.list().find(({ id }) => id === expected.id);
    if (actual) differences(plain(expected.return ?? null), actual.value, ids);
  }
}
