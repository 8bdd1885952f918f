// A scenario in the worker: from the generator, a file or the page's editor, with its oracle played; and its report to the page. The work
// is split into parts, so that messages are handled in between.

import { completedOf } from '@projected-grpo-lab/are/agents/trace.ts';
import { IMPORTABLE_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { stamp } from '@projected-grpo-lab/are/clock.ts';
import type { Documents } from '@projected-grpo-lab/are/documents.ts';
import { generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import { DEFAULT_DURATION, scenarioParts } from '@projected-grpo-lab/are/scenario/import.ts';
import { withApps } from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import {
  checkedParts,
  type Trace,
  type TraceEvent,
  traceParts,
  withDocuments,
} from '@projected-grpo-lab/are/scenario/schema.ts';
import { outcomeOf } from '@projected-grpo-lab/are/verifier/explain.ts';
import { type Oracle, oracleParts } from '@projected-grpo-lab/are/verifier/oracle-run.ts';
import { strictEngine } from '@projected-grpo-lab/are/verifier/strict/strict.ts';
import { Verifier } from '@projected-grpo-lab/are/verifier/verifier.ts';
import type { Parts } from '@projected-grpo-lab/base/parts.ts';
import { COMPOSED_UNIVERSE, UNIVERSE } from '../../environments/agents/task.ts';
import { groupedBy } from '../../lib/grouped.ts';
import {
  type Generated,
  type GraphNode,
  type ScenarioSource,
  type ScenarioView,
  WINDOWS,
  type WindowName,
} from '../protocol/agents.ts';

/** A scenario as the worker stores it. */
export interface LoadedScenario {
  readonly trace: Trace;
  /** The oracle is played once, since runs only read it. */
  readonly oracle: Oracle;
  readonly view: ScenarioView;
}

/** A source that has been read but not played: the trace and where it comes from. */
interface OpenedScenario {
  readonly trace: Trace;
  readonly source: string;
  readonly generated: Generated | null;
}

/** Throws ScenarioError with the place in the file, or MissingAppsError. */
export function* openSource(source: ScenarioSource): Parts<OpenedScenario> {
  switch (source.kind) {
    case 'generated':
      return generatedScenario(source.which);
    case 'file':
      return {
        trace: yield* withDataSetApps(yield* traceParts(source.text), source.apps),
        source: source.name,
        generated: null,
      };
    case 'trace':
      return {
        trace: yield* withDataSetApps(yield* checkedParts(source.trace), source.apps),
        source: source.name,
        generated: null,
      };
  }
}

/** Loads a scenario without documents. Throws as openSource and loadScenario do. */
export function* loadFromSource(source: ScenarioSource, window: WindowName): Parts<LoadedScenario> {
  return yield* loadScenario(yield* openSource(source), window);
}

/** @param from text of the data set's scenario that has the apps */
function* withDataSetApps(trace: Trace, from: string | undefined): Parts<Trace> {
  return from === undefined ? trace : withApps(trace, (yield* traceParts(from)).apps);
}

/** The edited scenario, checked; a document new to it has no text yet. Throws ScenarioError with the place, or OracleError. */
export function* checkedDraft(draft: Trace, documents?: Documents): Parts<Trace> {
  const read = yield* checkedParts({ ...draft, completed_events: [], world_logs: [] });
  const trace = documents ? withDocuments(read, documents) : read;
  yield* oracleParts(yield* scenarioParts(trace, IMPORTABLE_CLASSES));
  return trace;
}

function generatedScenario(which: Generated): OpenedScenario {
  const { split, seed, index, isSmall, part } = which;
  const size = part === 'training' ? UNIVERSE : COMPOSED_UNIVERSE;
  const { trace, template } = generateScenario({ split, seed, index, part, ...(isSmall && { size }) });
  return { trace, source: `${part === 'training' ? 'template' : 'form'} ${template.id}`, generated: which };
}

/** Throws ScenarioError or OracleError. */
export function* loadScenario({ trace, source, generated }: OpenedScenario, window: WindowName): Parts<LoadedScenario> {
  const scenario = yield* scenarioParts(trace, IMPORTABLE_CLASSES);
  const { definition, simulation } = trace.metadata;
  // Playing the oracle changes the events, so they are read before.
  const log = trace.completed_events.length > 0 ? completedOf(trace, scenario.apps) : null;
  yield;
  const oracle = yield* oracleParts(scenario);
  const verdict = log && new Verifier(oracle, strictEngine, WINDOWS[window]).judgeAll(log);
  const held = verdict && {
    agent: simulation?.agent_id ?? 'unnamed agent',
    success: verdict.success,
    outcome: outcomeOf(verdict),
  };
  const view: ScenarioView = {
    source,
    generated,
    id: scenario.id,
    start: stamp(scenario.start),
    duration: definition.duration ?? DEFAULT_DURATION,
    apps: scenario.apps.map(({ name }) => name),
    events: trace.events.length,
    turns: oracle.turns.length,
    tasks: oracle.tasks.map((task) => task.trim()),
    skipped: scenario.skipped,
    held,
    graph: graphOf(trace.events, oracle.turnOf),
  };
  return { trace, oracle, view };
}

const ACTOR_OF: Readonly<Record<string, GraphNode['actor']>> = { USER: 'user', AGENT: 'agent', ENV: 'environment' };
/** From this many similar events on, they are drawn as one node. */
const ALIKE = 4;

/** The graph of a scenario's events and their dependencies. Events without successors that do the same after the same events share one
 *  node; otherwise a thousand mails would be drawn. */
export function graphOf(events: readonly TraceEvent[], turnOf: ReadonlyMap<string, number>): GraphNode[] {
  const followed = new Set(events.flatMap(({ dependencies }) => dependencies));
  const callOf = ({ action }: TraceEvent) => [action?.app, action?.function].filter(Boolean).join('.');
  const keyOf = (event: TraceEvent) =>
    JSON.stringify([event.event_type, callOf(event), [...event.dependencies].sort()]);
  const unfollowed = events.filter(({ event_id }) => !followed.has(event_id));
  const alike = [...groupedBy(unfollowed, keyOf).values()].filter(({ length }) => length >= ALIKE);
  const groups = new Map(alike.map((own) => [own[0].event_id, own.map(({ event_id }) => event_id)]));
  const inGroup = new Set([...groups.values()].flatMap((ids) => ids.slice(1)));
  return events
    .filter(({ event_id }) => !inGroup.has(event_id))
    .map((event) => ({
      id: event.event_id,
      actor: ACTOR_OF[event.event_type] ?? 'condition',
      call: callOf(event),
      turn: turnOf.get(event.event_id) ?? 0,
      events: groups.get(event.event_id) ?? [event.event_id],
      after: [...new Set(event.dependencies)],
    }));
}
