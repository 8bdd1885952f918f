// The page's state and what can be done with it: one zustand store, free of React, fed by the worker's events and changed
// by actions. Everything heavy is in the worker; nothing here touches the GPU, the model or the database.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ExperimentSpec } from '../experiments/spec.ts';
import type { LabClient } from '../lab/client.ts';
import type { DeviceChoice, ReadyReport } from '../lab/protocol.ts';
import { createArchiveActions } from './archive-actions.ts';
import { createBasisActions } from './basis-actions.ts';
import { createBasisBench } from './basis-bench.ts';
import { createDiagnosticsActions } from './diagnostics.ts';
import { checkDraft, draftOfPreset } from './form.ts';
import { createFormActions } from './form-actions.ts';
import { followForm } from './form-estimate.ts';
import { createKeptActions } from './kept-actions.ts';
import { type LabState, problemOf } from './lab-state.ts';
import { createLeaving, type Leaving } from './leaving.ts';
import type { Models } from './models.ts';
import { createNotices } from './notices.ts';
import { createPairEditor } from './pair-editor.ts';
import { createPlayground } from './playground.ts';
import { createPoolActions } from './pool-actions.ts';
import type { Probe } from './probe.ts';
import type { ProblemFiles } from './problem-files.ts';
import type { Questions } from './questions.ts';
import { createReroute } from './reroute.ts';
import { createRolloutSource } from './rollouts-source.ts';
import { createRunActions } from './run-actions.ts';
import { createShareActions } from './share-actions.ts';
import { subscribeToLab } from './worker-events.ts';

/** What the store is given; a test gives its own. */
export interface LabPorts {
  client: LabClient;
  /** Opens the device, the model and the grader in the worker; called once. */
  init(device: DeviceChoice): Promise<ReadyReport>;
  /** The spec in the part of the page's address after `#`. */
  encode(spec: ExperimentSpec): Promise<string>;
  /** Throws a LabError that says what is wrong with the address. */
  decode(hash: string): Promise<ExperimentSpec>;
}

export interface StoreContext extends LabPorts {
  store: StoreApi<LabState>;
  notices: ReturnType<typeof createNotices>;
  /** Deletions that can still be taken back. */
  leaving: Leaving;
}

export function createLab(ports: LabPorts) {
  const draft = draftOfPreset('demo', 'auto');
  const store = createStore<LabState>(() => ({
    connection: { status: 'loading', what: 'the lab', fraction: null },
    device: null,
    storage: null,
    draft,
    check: checkDraft(draft),
    addressProblem: null,
    shared: null,
    busy: false,
    estimate: null,
    live: null,
    queue: [],
    progress: null,
    preparing: null,
    opening: null,
    opened: null,
    kept: [],
    probes: [],
    probing: false,
    probingId: null,
    bases: [],
    pairSets: [],
    pools: [],
    poolWork: null,
    basisDrop: null,
    rollouts: null,
    notices: [],
  }));
  const notices = createNotices(store);
  const context: StoreContext = { ...ports, store, notices, leaving: createLeaving(store, notices) };
  const form = createFormActions(context);
  const basis = createBasisActions(context, form);
  const pairs = createPairEditor(context, form);
  const kept = createKeptActions(context, basis.refresh);
  const run = createRunActions(context, kept);
  const share = createShareActions(context, form, run);
  subscribeToLab(context, kept);
  followForm(context);

  /** The study comes with it: a part of its own, which most pages never need. */
  let questions: Promise<Questions> | null = null;
  function openQuestions(base: string): Promise<Questions> {
    questions ??= import('./questions.ts').then(({ createQuestions }) =>
      createQuestions({ context, base, startSpec: run.startSpec, annotate: kept.actions.annotate }),
    );
    return questions;
  }

  /** Kept when the view is left: a probe that is at work goes on. */
  let probe: Promise<Probe> | null = null;
  function openProbe(): Promise<Probe> {
    probe ??= import('./probe.ts').then(({ createProbe }) =>
      createProbe(context, {
        probes: kept.refreshProbes,
        artifacts: async () => void (await Promise.all([kept.refresh(), basis.refresh()])),
      }),
    );
    return probe;
  }

  /** Kept when the view is left: a download goes on. */
  let models: Promise<Models> | null = null;
  function openModels(): Promise<Models> {
    models ??= import('./models.ts').then(({ createModels }) =>
      createModels(context, (id) => form.setField('model', id)),
    );
    return models;
  }

  /** Kept when the view is left: a check goes on. */
  let problemFiles: Promise<ProblemFiles> | null = null;
  function openProblemFiles(): Promise<ProblemFiles> {
    problemFiles ??= import('./problem-files.ts').then(({ createProblemFiles }) =>
      createProblemFiles(context, (environment) => form.setField('environment', environment)),
    );
    return problemFiles;
  }

  /** A device that an address asks for and this machine lacks must not keep the page shut: then it opens on another. */
  async function openLab(device: DeviceChoice): Promise<ReadyReport> {
    try {
      return await ports.init(device);
    } catch (error) {
      if (device === 'auto') throw error;
      const report = await ports.init('auto');
      context.notices.fail(error);
      await form.chooseDevice('auto');
      return report;
    }
  }

  /** Fills the form from the address, opens the worker, lists what is kept; then starts, if asked to. */
  async function boot(hash: string, autostart: boolean): Promise<void> {
    await share.fillFromAddress(hash);
    const wanted = store.getState().draft.device;
    try {
      const report = await openLab(wanted);
      store.setState({ device: report.device, storage: report.storage });
      // First the lists: whether an experiment can be run depends on what is kept.
      await Promise.all([kept.refresh(), basis.refresh(), pairs.refresh()]);
      store.setState({ connection: { status: 'ready', report } });
    } catch (error) {
      store.setState({ connection: { status: 'failed', problem: problemOf(error) } });
      return;
    }
    const { addressProblem, draft: filled } = store.getState();
    if (autostart && addressProblem === null && filled.device === wanted) await run.start();
  }

  return {
    store,
    boot,
    ...form,
    ...run,
    ...kept.actions,
    ...createArchiveActions(context, {
      kept,
      refreshBases: basis.refresh,
      dropBasis: basis.actions.dropBasis,
      pairs,
      open: run.open,
    }),
    ...basis.actions,
    ...createPoolActions(context, form, kept.refresh),
    ...share,
    pairs,
    basisBench: createBasisBench(context, basis),
    reroute: createReroute(context),
    openQuestions,
    openProbe,
    openModels,
    openProblemFiles,
    playground: createPlayground(context),
    diagnostics: createDiagnosticsActions(context),
    rolloutSource: createRolloutSource(context),
    tell: context.notices.tell,
    dismiss: context.notices.dismiss,
  };
}

export type Lab = ReturnType<typeof createLab>;
