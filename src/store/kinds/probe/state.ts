// What the Probe view knows: what is asked, how far it is, and the probe on show.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ProbeSeries } from '../../../experiments/kinds/probe/series.ts';
import type { LoadedProbe, ProbeEvent, ProbeTraining } from '../../../lab/protocol/probe.ts';
import type { SharedProbe } from '../../../share/shared-probe.ts';
import type { Problem } from '../../lab-state.ts';
import { DEFAULT_FORM, DEFAULT_TRAINING, type ProbeForm } from './form.ts';

export interface ProbeState {
  form: ProbeForm;
  /** Seconds for one sample's gradient; null while that is not known. */
  perSample: number | null;
  /** `check`: of a training; null while a probe itself is at work. */
  work: (Omit<ProbeEvent, 'type'> & { stopping: boolean; check: ProbeTraining['check'] | null }) | null;
  /** `check`: it is a training's, and is said beside it. */
  problem: (Problem & { check: ProbeTraining['check'] | null }) | null;
  /** What T5 and T6 are to be trained with. */
  training: Omit<ProbeTraining, 'check'>;
  shown: LoadedProbe | null;
  /** Probes that are published with the lab: null until they are read, empty where there are none. */
  published: readonly ProbeSeries[] | null;
  /** Why they could not be read. */
  publishedProblem: Problem | null;
  /** Results that came with the address; not run here. */
  shared: SharedProbe | null;
  /** Whether the probe on show is it, to the last bit; null while none of the same request is on show. */
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
