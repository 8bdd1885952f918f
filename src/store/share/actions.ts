// Links that the page makes, and the link in the address with which it was opened. The results of an opened link are drawn, marked as not
// run here, and compared with a run of the same experiment as soon as there is one.

import { type ExperimentSpec, sameExperiment } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { choiceFor } from '../../experiments/records/numerics.ts';
import type { LoadedExperiment } from '../../lab/protocol/experiments.ts';
import { APP_VERSION } from '../../lab/protocol/version.ts';
import type { Share } from '../../share/url.ts';
import { isOfAView } from '../../share/view-hash.ts';
import type { StoreContext } from '../context.ts';
import type { ExperimentView } from '../experiment-view.ts';
import type { FormActions } from '../form/actions.ts';
import type { followAddress } from '../form/address.ts';
import { readyReport, shownView } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { needsOf } from './needs.ts';

/** The code that reads and makes links is used in few visits. */
const links = () => import('../../share/url.ts');

/** The part of an address after `#`, and the number of steps of each run in it (null if it has no results). */
export interface ShareLink {
  hash: string;
  points: number | null;
  /** A link without results, which fills the form. */
  isPlan?: true;
  /** Files that it needs and cannot contain. */
  needs: readonly string[];
}

export function createShareActions(
  { store, client, notices }: StoreContext,
  form: FormActions,
  run: { start(): Promise<void> },
  address: Pick<ReturnType<typeof followAddress>, 'noteFilled' | 'forget'>,
) {
  /** The last comparison of a view with a link, cached so that a redraw does not repeat it. */
  let checked: { share: Share; view: string; revision: number } | null = null;

  store.subscribe((state) => {
    const view = shownView(state);
    const share = state.shared?.share;
    if (!share || !view || view.status !== 'done' || !sameExperiment(view.spec, share.spec)) return;
    if (checked?.share === share && checked.view === view.id && checked.revision === view.revision) return;
    checked = { share, view: view.id, revision: view.revision };
    void judge(share, view);
  });

  async function judge(share: Share, view: ExperimentView): Promise<void> {
    const { reproductionOf } = await import('../../share/reproduction.ts');
    const reproduction = await reproductionOf(share, view.runs);
    if (reproduction && store.getState().shared?.share === share) store.setState({ shared: { share, reproduction } });
  }

  async function plan(spec: ExperimentSpec): Promise<string> {
    const report = readyReport(store.getState());
    const { encodePlan } = await links();
    return encodePlan(spec, {
      appVersion: report?.appVersion ?? null,
      modelSha256: report?.model.sha256 ?? null,
      graderVersion: report?.graderVersion ?? null,
    });
  }

  /** Only complete results are shared, since a link with half of an experiment would be mistaken for a whole one. */
  async function linkOf(spec: ExperimentSpec, runs: readonly RunRecord[], done: boolean): Promise<ShareLink> {
    const link =
      done && runs.length > 0
        ? await (await links()).encodeRuns(spec, runs)
        : { hash: await plan(spec), points: null, isPlan: true as const };
    return { ...link, needs: needed(spec) };
  }

  const needed = (spec: ExperimentSpec): string[] => needsOf(spec, store.getState()).map(({ what }) => what);

  const load = (id: string): Promise<LoadedExperiment | null> =>
    attempt(notices, client.request('kept.load', { kind: 'run', id }));

  return {
    /** Fills the form from the address, and shows its results. */
    async fillFromAddress(fragment: string): Promise<void> {
      // The results of a probe and the run of an agent belong to their own views.
      const hash = isOfAView(fragment) ? '' : fragment;
      await form.fillFromAddress(hash);
      const isFilled = hash !== '' && store.getState().addressProblem === null;
      if (isFilled) address.noteFilled({ hash: hash.replace(/^#/, ''), environment: null });
      try {
        const share = hash.replace(/^#/, '') === '' ? null : await (await links()).decodeShare(hash);
        store.setState({ shared: share && share.runs.length > 0 ? { share, reproduction: null } : null });
        // For a link with results, this is stated beside them (SharedRun.tsx).
        const madeBy = share?.runs.length === 0 ? share.appVersion : null;
        if (madeBy !== null && madeBy !== APP_VERSION)
          notices.tell('info', `The link was made by version ${madeBy} of the lab; this is version ${APP_VERSION}.`);
      } catch {
        // The form's error describes the problem.
        store.setState({ shared: null });
      }
    },

    /** The name under which this browser stores the model of a link; null if no stored model has this hash. */
    nameModel: (sha256: string): Promise<string | null> => client.request('nameModel', { sha256 }).catch(() => null),

    /**
     * A link of the results on show, if they are complete and the form has not changed; otherwise of the contents of the opened link, or
     * else of the form. Null if the form has an error.
     */
    async shareNow(): Promise<ShareLink | null> {
      const state = store.getState();
      const { opened, shared, check } = state;
      const { spec } = check;
      const view = shownView(state);
      const isOfForm = (other: ExperimentSpec) => spec === null || sameExperiment(other, spec);
      if (view?.status === 'done' && (opened !== null || isOfForm(view.spec)))
        return linkOf(view.spec, view.runs, true);
      if (shared && isOfForm(shared.share.spec))
        return { ...(await (await links()).encodeShare(shared.share)), needs: needed(shared.share.spec) };
      return spec && { hash: await plan(spec), points: null, isPlan: true, needs: needed(spec) };
    },

    async shareKept(id: string): Promise<ShareLink | null> {
      const loaded = await load(id);
      return loaded && linkOf(loaded.record.spec, loaded.runs, loaded.record.status === 'done');
    },

    /** A stored experiment with its runs, for a comparison. If it is gone, null, and a notice is shown. */
    loadKept: load,

    /** Runs the address's experiment, on the kind of device that produced its results if that is known. */
    async runShared(): Promise<void> {
      const { shared, device } = store.getState();
      if (!shared) return;
      const { spec, device: madeOn } = shared.share;
      const wanted = madeOn === null ? spec.device : choiceFor(spec.device === 'webgpu' ? 'webgpu' : 'auto', madeOn);
      // Another kind of CPU would not give the same run, and is reported; without the GPU the device is `auto`.
      const isMissing = wanted.startsWith('webgpu') && device?.kind !== 'webgpu';
      form.fill({ ...spec, device: isMissing ? 'auto' : wanted });
      store.setState({ shared: { ...shared, reproduction: null } });
      await run.start();
    },

    async dismissShared(): Promise<void> {
      store.setState({ shared: null });
      await address.forget();
    },
  };
}
