// Sources of third-party models: the store, dropped files, the Hub. A source is inspected (before anything is fetched), stored, or opened
// as the files that the lab loads.

import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import type { OpfsBlobStore } from '../../storage/blob-opfs.ts';
import { type ModelStore, missingBytes, type StoredModel } from '../../storage/model-store.ts';
import { wantedFiles } from '../../storage/models/files.ts';
import { type HubOptions, hubId, inspectHub } from '../../storage/models/hub.ts';
import { inspectSource, type ModelFacts } from '../../storage/models/inspect.ts';
import { folderSafe, keepFiles } from '../../storage/models/keep.ts';
import type { ModelProgress } from '../../storage/models/progress.ts';
import { SMALL_MODEL } from '../../storage/models/small-facts.ts';
import { type FileSource, memorySource } from '../../storage/sources.ts';
import type { Examination } from '../protocol/examination.ts';
import type { AdapterPlace, HubPlace, KeptModel, ModelPlace } from '../protocol/models.ts';
import { type ExaminedSettings, examineModel } from './examination.ts';

export interface ModelSources {
  store: ModelStore;
  /** Store of singular vectors, to be counted and cleared. */
  factors?: Pick<OpfsBlobStore, 'usage' | 'clear'>;
  /** Access to the Hub; tests pass fakes. */
  hub?: Pick<HubOptions, 'fetch' | 'sleep' | 'now'>;
}

/** Facts of a source that are known without its weights. */
interface PlaceFacts extends ModelFacts {
  id: string;
  missingBytes: number;
  roomBytes: number | null;
  kept: StoredModel | null;
}

type FilesPlace = Extract<ModelPlace, { kind: 'files' }>;

export class ModelPlaces {
  readonly #store: ModelStore | null;
  readonly #hub: ModelSources['hub'];
  readonly #own: { readonly id: string; readonly source: FileSource };
  readonly #embedded: ((id: string) => FileSource) | undefined;

  /**
   * `own` is the lab's model, `embedded` finds those of other environments: no other model may use their ids. Without sources only dropped
   * files and embedded models can be used.
   */
  constructor(
    sources: ModelSources | undefined,
    own: { readonly id: string; readonly source: FileSource },
    embedded?: (id: string) => FileSource,
  ) {
    this.#embedded = embedded;
    this.#store = sources?.store ?? null;
    this.#hub = sources?.hub;
    this.#own = own;
  }

  /** Empty without a store; storing a model reports that there is none. */
  async list(): Promise<KeptModel[]> {
    const store = this.#store;
    if (!store) return [];
    const models = await store.list();
    return Promise.all(models.map(async (model) => ({ ...model, missingBytes: await missingBytes(store, model) })));
  }

  /** Id of the embedded or stored model whose weights have this hash; null if there is none. */
  async named(sha256: string): Promise<string | null> {
    const { modelNamed } = await import('./named.ts');
    const own = this.#own;
    return modelNamed(
      sha256,
      (id) => (id === own.id ? own.source : this.#embedded?.(id)),
      (await this.#store?.list()) ?? [],
    );
  }

  async inspect(place: ModelPlace, signal?: AbortSignal): Promise<PlaceFacts> {
    if (place.kind === 'hub') {
      const { repo, revision } = place;
      return inspectHub(repo, revision, { ...this.#hubOptions(place, signal), store: this.#store ?? undefined });
    }
    const roomBytes = (await this.#store?.room().catch(() => null)) ?? null;
    if (place.kind === 'files') {
      const { name, files } = await folderOf(place);
      const sizes = files.map(({ path, file }) => ({ path, bytes: file.size }));
      const facts = await inspectSource(sourceOf({ name, files }), sizes);
      return { ...facts, id: this.#idOf(name), missingBytes: facts.bytes, roomBytes, kept: null };
    }
    if (place.kind === 'embedded')
      throw new SpecError('The lab’s own model is always here.', 'Use it, or name another one.');
    if (place.kind === 'small')
      throw new SpecError(`${SMALL_MODEL.title} can be inspected once it is downloaded.`, 'Download it.');
    const kept = await this.#kept(place.id);
    // Reading the source of an incomplete model names what is missing.
    const facts = await inspectSource(await this.#needStore().source(kept.id), kept.files);
    return { ...facts, id: kept.id, missingBytes: 0, roomBytes, kept };
  }

  /** Reports a folder's files and how the lab reads them; a model of the Hub must be stored first. */
  async examine(place: ModelPlace, settings: ExaminedSettings): Promise<Examination> {
    if (place.kind === 'files') {
      const { name, files } = place;
      const all = files.map(({ path, file }) => ({ path, bytes: file.size }));
      return examineModel(sourceOf({ name, files }), all, settings);
    }
    if (place.kind === 'embedded')
      throw new SpecError('The lab’s own model holds nothing to examine.', 'Name another one.');
    if (place.kind === 'hub')
      throw new SpecError(`${place.repo} is not kept here.`, 'Download it first: its tokenizer is part of the report.');
    const kept = await this.#kept(place.kind === 'small' ? SMALL_MODEL.id : place.id);
    return examineModel(await this.#needStore().source(kept.id), kept.files, settings);
  }

  /** Id under which the model would be stored; reads nothing. */
  async idOf(place: ModelPlace): Promise<string> {
    if (place.kind === 'hub') return hubId(place, this.#store ?? undefined);
    if (place.kind === 'files') return this.#idOf(place.name);
    if (place.kind === 'small') return SMALL_MODEL.id;
    return place.kind === 'kept' ? place.id : (place.id ?? this.#own.id);
  }

  /** Ends with a complete model in the store; existing files are not fetched again. */
  async keep(place: ModelPlace, signal: AbortSignal, onProgress: (at: ModelProgress) => void): Promise<StoredModel> {
    const store = this.#needStore();
    if (place.kind === 'hub') {
      const { repo, revision } = place;
      const { downloadModel } = await import('../../storage/models/download.ts');
      return downloadModel(store, repo, revision, { ...this.#hubOptions(place, signal), onProgress });
    }
    if (place.kind === 'small') {
      const { keepSmallModel } = await import('../../storage/models/small.ts');
      return keepSmallModel(store, { ...this.#hub, endpoint: place.endpoint, signal, onProgress });
    }
    if (place.kind === 'files') {
      const { name, files } = await folderOf(place);
      return keepFiles(store, { name: this.#idOf(name), files }, { signal, onProgress });
    }
    throw new SpecError(
      'Only dropped files and models from the Hub can be kept.',
      'Drop a folder, or name a repository.',
    );
  }

  /** Null: the lab's own. Throws FormatError for an incomplete model. */
  async open(place: ModelPlace): Promise<{ id: string; source: FileSource } | null> {
    if (place.kind === 'embedded') return this.#openEmbedded(place.id ?? this.#own.id);
    if (place.kind === 'files') {
      const folder = await folderOf(place);
      return { id: this.#idOf(folder.name), source: sourceOf(folder) };
    }
    if (place.kind === 'hub')
      throw new SpecError(`${place.repo} is not kept here.`, 'Download it first; it is used from the store.');
    const { id } = await this.#kept(place.kind === 'small' ? SMALL_MODEL.id : place.id);
    return { id, source: await this.#needStore().source(id) };
  }

  #openEmbedded(id: string): { id: string; source: FileSource } | null {
    if (id === this.#own.id) return null;
    if (!EMBEDDED_MODELS.includes(id) || !this.#embedded)
      throw new SpecError(
        `No model ${JSON.stringify(id.slice(0, 80))} is embedded.`,
        `There is ${EMBEDDED_MODELS.join(', ')}.`,
      );
    return { id, source: this.#embedded(id) };
  }

  async delete(id: string): Promise<void> {
    await this.#needStore().delete(id);
  }

  /** An adapter's two files. `onBytes` is called with the number of fetched bytes, and of all. Throws HubError, SpecError. */
  async adapter(
    place: AdapterPlace,
    signal: AbortSignal,
    onBytes: (done: number, total: number) => void,
  ): Promise<{ name: string; source: FileSource }> {
    if ('files' in place)
      return {
        name: place.name,
        source: memorySource(new Map(place.files.map(({ path, file }) => [path, file])), place.name),
      };
    const { repo, revision } = place;
    const { openHubAdapter } = await import('../../storage/models/hub-adapter.ts');
    const source = await openHubAdapter(repo, revision, { ...this.#hubOptions(place, signal), onBytes });
    return { name: repo.replace('/', '--'), source };
  }

  #hubOptions({ endpoint, accessToken }: HubPlace, signal?: AbortSignal): HubOptions {
    return { ...this.#hub, ...(endpoint ? { endpoint } : {}), ...(accessToken ? { accessToken } : {}), signal };
  }

  #idOf(name: string): string {
    const id = folderSafe(name);
    return id === this.#own.id || EMBEDDED_MODELS.includes(id) ? `${id}-2` : id;
  }

  async #kept(id: string): Promise<StoredModel> {
    const kept = await this.#needStore().get(id);
    if (kept) return kept;
    throw new FormatError(`No model ${JSON.stringify(id.slice(0, 80))} is kept here.`, 'Choose one of the list.');
  }

  #needStore(): ModelStore {
    if (this.#store) return this.#store;
    throw new SpecError('This browser has no storage for models.', 'Drop the folder to use it without storing it.');
  }
}

interface Folder {
  name: string;
  files: readonly { path: string; file: Blob }[];
}

/** The files of the folder that the lab reads. */
async function folderOf({ name, files }: FilesPlace): Promise<Folder> {
  const byPath = new Map(files.map(({ path, file }) => [path, file]));
  const wanted = await wantedFiles([...byPath.keys()], async (path) => byPath.get(path)!.text(), name);
  return { name, files: wanted.map((path) => ({ path, file: byPath.get(path)! })) };
}

const sourceOf = ({ name, files }: Folder): FileSource =>
  memorySource(new Map(files.map(({ path, file }) => [path, file])), name);
