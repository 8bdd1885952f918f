// "Replay with this basis": the form of a further quarantine of a finished experiment, and its outcome. It is a store of its own, read by
// that control alone.

import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Gate } from '../../algorithms/projection.ts';
import type { ArmName } from '../../experiments/config/arms.ts';
import type { ControlSpec } from '../../experiments/config/controls.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import type { Settings } from '../../experiments/config/settings.ts';
import { keepsSteps } from '../../experiments/records/steps.ts';
import type { StoreContext } from '../context.ts';
import { type ExperimentView, refreshedView } from '../experiment-view.ts';
import { type Problem, shownView, unlessCancelled } from '../lab-state.ts';
import { createWorkerTask } from '../worker-task.ts';

/** A control's choices; the rest is the run's. */
export interface StepReplayDraft {
  arm: ArmName | '';
  /** `leave_out` is already a standard control. */
  kind: Exclude<ControlSpec['kind'], 'leave_out'>;
  pairSet: string;
  basisKind: Settings['basisKind'];
  basisLoss: Settings['basisLoss'];
  gate: Gate;
  k: number;
  overshoot: number;
}

interface StepReplayState {
  draft: StepReplayDraft;
  work: { task: string; what: string; fraction: number } | null;
  problem: Problem | null;
  /** Name of the last quarantine made. */
  made: string | null;
}

/** Arms that train as vanilla does, and whose begun runs have all ended. */
export function routableArms({ runs }: ExperimentView): ArmName[] {
  const arms = [...new Set(runs.map(({ spec }) => spec.arm))];
  return arms.filter((arm) =>
    runs
      .filter(({ spec }) => spec.arm === arm)
      .every(({ spec, status }) => keepsSteps(spec) && capabilitiesOf(spec.environment)?.pairs && status === 'done'),
  );
}

/** The control, named by its differences from the run's own basis: `k 12, no_gate, placebo`. */
export function controlOf(draft: StepReplayDraft, spec: Settings): ControlSpec {
  const { kind, gate, k } = draft;
  const settings: NonNullable<ControlSpec['settings']> = {};
  if (kind !== 'random_matched') {
    if (draft.pairSet !== spec.pairSet) settings.pairSet = draft.pairSet;
    if (draft.basisKind !== spec.basisKind) settings.basisKind = draft.basisKind;
    if (draft.basisLoss !== spec.basisLoss) settings.basisLoss = draft.basisLoss;
  }
  if (draft.overshoot !== spec.overshoot) settings.overshoot = draft.overshoot;
  const words = [
    kind === 'real' ? [] : kind.replace('_', ' '),
    // The id of a person's own set is a long hash.
    settings.pairSet ? settings.pairSet.replace(/^pairs:(.{6}).*$/, 'pairs $1') : [],
    settings.basisKind ? settings.basisKind.replace('_', ' ') : [],
    settings.basisLoss ? `${settings.basisLoss} gradients` : [],
    kind === 'random_matched' || draft.basisKind === 'mean_diff' ? [] : `k ${k}`,
    gate === 'one_sided' ? [] : gate.replace('_', ' '),
    settings.overshoot === undefined ? [] : `overshoot ${settings.overshoot}`,
  ].flat();
  const id = words.join(', ') || 'the same basis';
  return { id, kind, gate, k, mode: null, ...(Object.keys(settings).length > 0 ? { settings } : {}) };
}

export function createStepReplay(context: StoreContext) {
  const { store: lab, client } = context;
  const store: StoreApi<StepReplayState> = createStore<StepReplayState>(() => ({
    draft: {
      arm: '',
      kind: 'real',
      pairSet: 'prog_wide',
      basisKind: 'svd',
      basisLoss: 'nll',
      gate: 'one_sided',
      k: 5,
      overshoot: 1,
    },
    work: null,
    problem: null,
    made: null,
  }));
  const task = createWorkerTask(context, 'replaySteps', store);

  async function start(): Promise<void> {
    const view = shownView(lab.getState());
    const { draft } = store.getState();
    if (!view) return;
    const arms = routableArms(view);
    const arm = draft.arm !== '' && arms.includes(draft.arm) ? draft.arm : arms[0];
    const spec = view.runs.find((run) => run.spec.arm === arm)?.spec;
    if (!spec) return;
    const control = controlOf(draft, spec);
    const ask = async (task: string) => {
      store.setState({ problem: null, made: null });
      const answer = await client.request('replaySteps', { task, experimentId: view.id, arm, shadow: control });
      lab.setState(({ opened, live }) => ({
        opened: refreshedView(opened, answer),
        live: refreshedView(live, answer),
      }));
      store.setState({ made: control.id });
    };
    await task.run({ what: 'starting', fraction: 0 }, ask, (error) =>
      store.setState({ problem: unlessCancelled(error) }),
    );
  }

  return {
    store,
    start,
    cancel: () => task.stop(),
    change(changes: Partial<StepReplayDraft>): void {
      store.setState(({ draft }) => ({ draft: { ...draft, ...changes }, problem: null, made: null }));
    },
  };
}
