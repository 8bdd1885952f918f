// An experiment whose runs are trained side by side: each in a lane of its own (a process, a worker), which is asked for one run after
// another. A run is what it is wherever it is trained, so the result is runExperiment's, to the byte; events of several runs come
// interleaved, each naming its run.
import { StoppedError } from '../../../lib/errors.ts';
import { trainingKey, trainsVanilla } from '../../reading/compare.ts';
import type { ExperimentResult, LabEvent, RunRecord } from '../../records/events.ts';
import { type ExperimentSpec, type RunSpec, resolveRuns } from '../../spec/spec.ts';
import { type ExperimentPorts, resultOf, runIdOf } from './experiment.ts';

/** Trains runs of one experiment, one at a time. */
export interface Lane {
  /** Resolves when the run is done, its last event being `run-end`. Rejects as runExperiment throws. */
  run(runId: string, onEvent: (event: LabEvent) => void): Promise<void>;
  /** Ends what it does, at the next place from which it can go on. */
  stop(): void;
}

/** Runs of the plan before this one whose steps its basis is matched to. */
export function needsOf(run: RunSpec, planned: readonly RunSpec[]): RunSpec[] {
  if (run.basisSource !== 'random_matched') return [];
  const key = trainingKey(run);
  return planned
    .slice(0, planned.indexOf(run))
    .filter((other) => other.seed === run.seed && trainsVanilla(other) && trainingKey(other) === key);
}

/** As runExperiment. The first run that fails or is stopped ends the others too; what they have done is kept. */
export async function* runAside(
  spec: ExperimentSpec,
  ports: Pick<ExperimentPorts, 'experimentId' | 'finishedRun'>,
  lanes: readonly Lane[],
): AsyncGenerator<LabEvent, ExperimentResult> {
  const planned = resolveRuns(spec).map((run) => ({ id: runIdOf(ports.experimentId, run), spec: run }));
  const specs = planned.map((run) => run.spec);
  const records = new Map<string, RunRecord>();
  for (const { id } of planned) {
    const record = await ports.finishedRun?.(id);
    if (record?.status === 'done') records.set(id, record);
  }
  const waiting = planned.filter(({ id }) => !records.has(id));
  const ready = () =>
    waiting.findIndex((run) =>
      needsOf(run.spec, specs).every((needed) => records.has(runIdOf(ports.experimentId, needed))),
    );

  const events: LabEvent[] = [];
  let wake = () => {};
  const failures: unknown[] = [];
  /** Those at work, and those that wait for another's steps. */
  let open = lanes.length;
  const idle: (() => void)[] = [];
  const serve = async (lane: Lane): Promise<void> => {
    while (failures.length === 0 && waiting.length > 0) {
      const next = ready();
      if (next < 0) {
        await new Promise<void>((resolve) => void idle.push(resolve));
        continue;
      }
      const [{ id }] = waiting.splice(next, 1);
      await lane.run(id, (event) => {
        if (event.type === 'run-end' && event.run.status === 'done') records.set(event.run.id, event.run);
        events.push(event);
        wake();
      });
      for (const resolve of idle.splice(0)) resolve();
    }
  };
  const fail = (error: unknown): void => {
    failures.push(error);
    for (const lane of lanes) lane.stop();
    for (const resolve of idle.splice(0)) resolve();
  };
  for (const lane of lanes)
    void serve(lane)
      .catch(fail)
      .finally(() => {
        open -= 1;
        wake();
      });
  try {
    while (open > 0 || events.length > 0) {
      const event = events.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    if (open > 0) for (const lane of lanes) lane.stop();
  }
  // A lane that was told to stop says no more than that; what made it stop came before.
  const failure = failures.find((error) => !(error instanceof StoppedError)) ?? failures[0];
  if (failure !== undefined) throw failure;
  const result = resultOf(
    spec,
    planned.map(({ id }) => records.get(id) as RunRecord),
  );
  yield { type: 'result', result };
  return result;
}
