// State of the Probe view: the form, the progress, and the probe on show.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ProbeSeries } from '../../../experiments/kinds/probe/series.ts';
import type { LoadedProbe, ProbeEvent, ProbeTraining } from '../../../lab/protocol/probe.ts';
import type { SharedProbe } from '../../../share/shared-probe.ts';
import type { Problem } from '../../lab-state.ts';
import { DEFAULT_FORM, DEFAULT_TRAINING, type ProbeForm } from './form.ts';

export interface ProbeState {
  form: ProbeForm;
  /** Seconds for one sample's gradient; null while unknown. */
  perSample: number | null;
  /** `check` names the running training; null while the probe itself is running. */
  work: (Omit<ProbeEvent, 'type'> & { stopping: boolean; check: ProbeTraining['check'] | null }) | null;
  /** `check` names the training beside which the problem is shown. */
  problem: (Problem & { check: ProbeTraining['check'] | null }) | null;
  /** Settings of T5's and T6's trainings. */
  training: Omit<ProbeTraining, 'check'>;
  shown: LoadedProbe | null;
  /** Probes published with the lab: null until they have been read, empty if there are none. */
  published: readonly ProbeSeries[] | null;
  publishedProblem: Problem | null;
  /** Results that came with the address and were not computed here. */
  shared: SharedProbe | null;
  /** Whether the probe on show equals the shared one to the last bit; null if their requests differ. */
  sharedIsSame: boolean | null;
}

export const createProbeStore = (): StoreApi<ProbeState> =>
  createStore<ProbeState>(() => ({
    form: DEFAULT_FORM,
    perSample: null,
    work: null,
    problem: null,
    training: DEFAULT_TRAINING,
    shown: null,
    published: null,
    publishedProblem: null,
    shared: null,
    sharedIsSame: null,
  }));
