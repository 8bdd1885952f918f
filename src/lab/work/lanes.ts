// Lanes as the lab's worker sees them: opened for an experiment where its runs are done sooner side by side, each giving the stream
// of a run that it trains (lane.ts has the other side).
import type { Grader } from '../../environments/code/types.ts';
import { type LaneControl, worthLanes } from '../../experiments/kinds/run/aside.ts';
import type { ExperimentPorts } from '../../experiments/kinds/run/experiment.ts';
import type { Commons } from '../../experiments/lanes/commons.ts';
import type { LabEvent } from '../../experiments/records/events.ts';
import { EMBEDDED_MODELS, type ExperimentSpec, type RunSpec } from '../../experiments/spec/spec.ts';
import { DeviceError } from '../../lib/errors.ts';
import { setOwn } from '../../lib/own.ts';
import { openRpc, type RpcPort } from '../../lib/rpc.ts';
import { LANE_ERRORS, LANE_STORES, type LaneNext, type LaneOpening } from './lane.ts';

/** Starts workers for lanes: the browser's own, or a test's. */
export interface LaneHost {
  /** Of the machine. */
  cores: number;
  /** Bytes that lanes may take together. */
  bytes: number;
  /** Rollouts of a run that is worth a lane; worthLanes' where absent. */
  rollouts?: number;
  start(): LaneWorker;
}

export interface LaneWorker {
  port: RpcPort;
  /** Called once, when it ends by itself. */
  onDied(told: (reason: string) => void): void;
  terminate(): void;
}

export interface PageLane extends LaneControl {
  /** The run's events; ends or throws as runOne. `waited`: milliseconds that it has stood still. */
  stream(runId: string, waited: () => number): AsyncGenerator<LabEvent, void>;
  close(): void;
}

/** How many lanes these runs are worth. */
export function lanesFor(host: LaneHost | undefined, runs: readonly RunSpec[], deviceKind: string): number {
  if (!host || deviceKind !== 'cpu' || !runs.every(({ model }) => EMBEDDED_MODELS.includes(model))) return 1;
  return worthLanes(runs, host.cores, host.bytes, host.rollouts);
}

export interface LanePorts extends Pick<ExperimentPorts, 'experimentId' | 'about'> {
  checkpoints: NonNullable<ExperimentPorts['checkpoints']>;
  steps: NonNullable<ExperimentPorts['steps']>;
  artifacts: NonNullable<ExperimentPorts['artifacts']>;
  common: Commons;
  grader: Grader;
  factored: LaneOpening['factored'];
  signal: AbortSignal;
}

/** Throws what any of them fails with; then none is left open. */
export async function openLanes(
  count: number,
  host: LaneHost,
  spec: ExperimentSpec,
  ports: LanePorts,
): Promise<PageLane[]> {
  const { experimentId, about, grader, factored } = ports;
  const shareOf = (atWork: number) => Math.max(1, Math.floor(host.cores / atWork));
  const opening: LaneOpening = {
    ...{ experimentId, spec, about, graderVersion: grader.version },
    threads: shareOf(count),
    factored,
    mostThreads: host.cores,
  };
  const lanes = Array.from({ length: count }, () => openLane(host.start(), ports, shareOf));
  try {
    await Promise.all(lanes.map(({ open }) => open(opening)));
    return lanes.map(({ lane }) => lane);
  } catch (error) {
    for (const { lane } of lanes) lane.close();
    throw error;
  }
}

function openLane(
  worker: LaneWorker,
  ports: LanePorts,
  shareOf: (atWork: number) => number,
): { lane: PageLane; open(opening: LaneOpening): Promise<void> } {
  const { grader, signal } = ports;
  const methods: Record<string, (...args: never[]) => unknown> = {
    grade: (items: Parameters<Grader['grade']>[0]) => grader.grade(items, signal),
  };
  for (const name of ['checkpoints', 'steps', 'artifacts', 'common'] as const) {
    const store = ports[name] as unknown as Record<string, ((...args: never[]) => unknown) | undefined>;
    for (const method of LANE_STORES[name])
      setOwn(methods, `${name}.${method}`, (...args: never[]) => store[method]?.(...args) ?? null);
  }
  const rpc = openRpc(worker.port, methods, LANE_ERRORS);
  const stop = () => void rpc.call('stop').catch(() => {});
  worker.onDied((reason) =>
    rpc.fail(
      new DeviceError(
        `A worker that trained a run has ended: ${reason}.`,
        'Resume: it goes on from its last checkpoint.',
      ),
    ),
  );
  signal.addEventListener('abort', stop, { once: true });
  return {
    open: (opening) => rpc.call('open', opening),
    lane: {
      async *stream(runId, waited) {
        await rpc.call('begin', runId);
        try {
          for (;;) {
            const next = await rpc.call<LaneNext>('next', waited());
            if ('done' in next) return;
            yield next.event;
          }
        } finally {
          await rpc.call('end').catch(() => {});
        }
      },
      help: (job) => rpc.call('help', job),
      stop,
      share: (atWork) => void rpc.call('limitThreads', shareOf(atWork)).catch(() => {}),
      close() {
        signal.removeEventListener('abort', stop);
        worker.terminate();
      },
    },
  };
}
