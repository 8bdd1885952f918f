// A model on the Hugging Face Hub before it is stored: the commit of a revision, the files that the lab uses, and their headers. Listing and
// metadata use @huggingface/hub, which is loaded when it is first needed.

import { LabError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { kept } from '../../lib/kept.ts';
import { bytesText } from '../../lib/numbers.ts';
import { HubError } from '../errors.ts';
import { type ModelStore, missingBytes, type StoredFile, type StoredModel, usedBytes } from '../model-store.ts';
import type { FileLike, FileSource } from '../sources.ts';
import { wantedFiles } from './files.ts';
import { HubClient, type HubOptions } from './http.ts';
import { inspectSource, type ModelFacts } from './inspect.ts';
import { checkTextSize, RangedFile } from './ranged.ts';

export type { HubOptions } from './http.ts';

/** A repository at one commit. */
export interface HubModel {
  repo: string;
  /** Requested branch, tag or commit. */
  revision: string;
  /** Its current commit: 40 hex digits. All files are fetched at this commit, so that they belong together. */
  commit: string;
  /** Whether its conditions must be accepted before its files can be fetched. */
  gated: boolean;
  /** Files that the lab uses. */
  files: StoredFile[];
}

export interface HubInspection extends ModelFacts {
  /** Its id in the store, now or later. */
  id: string;
  repo: string;
  revision: string;
  commit: string;
  gated: boolean;
  files: StoredFile[];
  missingBytes: number;
  roomBytes: number | null;
  /** Its record in the store. */
  kept: StoredModel | null;
}

const Info = z.object({ sha: z.string().check(z.regex(/^[0-9a-f]{40}$/)), gated: z.unknown() });
const count = z.int().check(z.nonnegative());
export const HubEntry = z.object({
  type: z.string(),
  path: z.string(),
  size: count,
  oid: z.optional(z.string().check(z.regex(/^[0-9a-f]{40}$/))),
  lfs: z.optional(z.object({ oid: z.string().check(z.regex(/^[0-9a-f]{64}$/)), size: count })),
});

/** Shape, parameters and bytes, from a few hundred kilobytes; `id` is the id in the store. Throws HubError, SpecError, or FormatError for an
 *  unusable model. */
export async function inspectHub(
  repo: string,
  revision: string,
  options: HubOptions & { store?: ModelStore; id?: string } = {},
): Promise<HubInspection> {
  const client = new HubClient(options);
  const model = await openHub(client, repo, revision);
  const facts = await inspectSource(hubSource(client, model), model.files);
  const { store } = options;
  const id = options.id ?? (await hubId(model, store));
  const { commit, gated } = model;
  const files = withHoles(model.files, facts);
  const bytes = files.reduce((sum, file) => sum + usedBytes(file), 0);
  return {
    ...facts,
    bytes,
    id,
    repo,
    revision,
    commit,
    gated,
    files,
    missingBytes: store ? await missingBytes(store, { id, files }) : bytes,
    roomBytes: store ? await store.room() : null,
    kept: store ? await store.get(id) : null,
  };
}

/** The files with their holes, which are not fetched. */
export const withHoles = (files: readonly StoredFile[], { holes }: Pick<ModelFacts, 'holes'>): StoredFile[] =>
  files.map((file) => {
    const own = holes.get(file.path);
    return own ? { ...file, holes: own.map(([from, to]): [number, number] => [from, to]) } : file;
  });

/** Finds the commit and lists the files that the lab uses; `choose` selects them if the repository is not a model. */
export async function openHub(
  client: HubClient,
  repo: string,
  revision: string,
  choose: typeof wantedFiles = wantedFiles,
): Promise<HubModel> {
  checkNames(repo, revision);
  const { modelInfo, listFiles } = await import('@huggingface/hub');
  const { fetch, endpoint: hubUrl, accessToken } = client;
  const common = { fetch, hubUrl, accessToken };
  const info = await validatedAnswer(client, 'its metadata', Info, () =>
    modelInfo({ ...common, name: repo, revision, additionalFields: ['sha'] }),
  );
  const commit = info.sha;
  const entries = await validatedAnswer(client, 'its list of files', z.array(HubEntry), async () => {
    const all: unknown[] = [];
    for await (const entry of listFiles({ ...common, repo, revision: commit })) {
      if (all.length >= MOST_FILES) throw tooMuch(client, `${repo} has more than ${MOST_FILES} files`);
      all.push(entry);
    }
    return all;
  });
  const listed = new Map<string, StoredFile>();
  for (const { type, path, size, oid, lfs } of entries) {
    // An LFS file's own oid is the hash of its pointer, not of its content.
    const hash = lfs ? { sha256: lfs.oid } : { sha256: null, ...(oid ? { gitSha1: oid } : {}) };
    const bytes = lfs?.size ?? size;
    if (bytes > MOST_BYTES)
      throw tooMuch(client, `${JSON.stringify(path.slice(0, 80))} is said to have ${bytesText(bytes)}`);
    if (type === 'file') listed.set(path, { path, bytes, ...hash });
  }
  const model = { repo, revision, commit, gated: Boolean(info.gated) };
  const source = hubSource(client, { ...model, files: [...listed.values()] });
  const wanted = await choose([...listed.keys()], async (path) => (await source.read(path))!.text(), source.label);
  const files = wanted.map((path) => listed.get(path)!);
  for (const { path, bytes } of files) if (!path.endsWith('.safetensors')) checkTextSize(path, bytes);
  return { ...model, files };
}

/** Limits on the number of a repository's files and on a file's bytes, since a server may claim anything; the largest models have files of
 *  some gigabytes. */
const [MOST_FILES, MOST_BYTES] = [100_000, 2 ** 41];

const tooMuch = ({ endpoint }: HubClient, what: string): HubError =>
  new HubError(`${new URL(endpoint).host}: ${what}.`, 'Check the endpoint, or name another repository.', null);

/** The model's files on the server; slices are fetched when they are read. */
export function hubSource(client: HubClient, model: HubModel): FileSource {
  const open = new Map<string, FileLike>();
  return {
    label: model.revision === 'main' ? model.repo : `${model.repo} at ${model.revision}`,
    async read(path) {
      const file = model.files.find((candidate) => candidate.path === path);
      if (!file) return null;
      return kept(open, path, () => new RangedFile(client, fileUrl(client, model, path), file));
    },
  };
}

export function fileUrl({ endpoint }: HubClient, { repo, commit }: HubModel, path: string): string {
  return `${endpoint}/${repo}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** Name such as `Qwen--Qwen3-0.6B`, with `--REVISION` unless it is main. */
export function hubName({ repo, revision }: Pick<HubModel, 'repo' | 'revision'>): string {
  const at = revision === 'main' ? '' : `--${revision}`;
  return `${repo.replace('/', '--')}${at}`.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 190);
}

/** The repository's name, with a number if the store has another model with this name. */
export async function hubId(model: Pick<HubModel, 'repo' | 'revision'>, store?: ModelStore): Promise<string> {
  const base = hubName(model);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    const kept = await store?.get(id);
    if (!kept) return id;
    const { origin } = kept;
    if (origin.kind === 'hub' && origin.repo === model.repo && origin.revision === model.revision) return id;
  }
}

export function checkNames(repo: string, revision: string): void {
  const name = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
  const parts = repo.split('/');
  if (parts.length > 2 || !parts.every((part) => name.test(part)) || repo.includes('..')) {
    throw new SpecError(
      `${JSON.stringify(repo.slice(0, 80))} is not the name of a repository.`,
      'Name it as the Hub does: OWNER/NAME, for example Qwen/Qwen3-0.6B.',
    );
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(revision) || revision.includes('..')) {
    throw new SpecError(
      `${JSON.stringify(revision.slice(0, 80))} is not a revision.`,
      'Name a branch, a tag or a commit; `main` is the default.',
    );
  }
}

/** Validates the library's answer, since an endpoint may send anything. */
export async function validatedAnswer<T>(
  client: HubClient,
  what: string,
  schema: z.ZodMiniType<T>,
  ask: () => Promise<unknown>,
): Promise<T> {
  const strange = (why: string, cause?: unknown) =>
    new HubError(
      `${new URL(client.endpoint).host}: ${what} cannot be understood (${why}).`,
      'Check the endpoint; it does not answer as the Hub does.',
      null,
      { cause },
    );
  let answer: unknown;
  try {
    answer = await ask();
  } catch (error) {
    client.checkStopped();
    throw error instanceof LabError ? error : strange(error instanceof Error ? error.message : String(error), error);
  }
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw strange(`${issue.path.join('.') || 'its top'}: ${issue.message}`);
}
