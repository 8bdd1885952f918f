// The files of a data set on the Hugging Face Hub at one commit, each read in slices. Requests go only to the Hub, and the total number of
// fetched bytes is bounded.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { bytesText } from '../../lib/numbers.ts';
import { HubClient, type HubOptions } from '../models/http.ts';
import { checkNames, HubEntry, validatedAnswer } from '../models/hub.ts';
import { RangedFile } from '../models/ranged.ts';
import type { ByteSource } from '../safetensors.ts';
import { withinHub } from './redirects.ts';

/** Most files of a repository, and most bytes fetched from it in total. */
const MOST = { files: 10_000, fetched: 2 ** 30 };

const Info = z.object({ sha: z.string().check(z.regex(/^[0-9a-f]{40}$/)) });

export interface DatasetFile {
  readonly path: string;
  readonly bytes: number;
  /** Slices are fetched when they are read. Throws FormatError, HubError. */
  open(): ByteSource;
}

export interface DatasetFiles {
  readonly commit: string;
  readonly files: readonly DatasetFile[];
  /** Bytes of its files that were fetched so far. */
  readonly fetched: { bytes: number };
}

/** Words of a path in lower case: `main/train-00000-of-00001.parquet` has main and train. */
export const wordsOf = (path: string): string[] => path.toLowerCase().split(/[^a-z0-9]+/);

/** `remedy` ends the errors about the set's contents. Throws HubError, FormatError, SpecError, StoppedError. */
export async function listDataset(
  dataset: string,
  revision: string,
  options: HubOptions,
  remedy: string,
): Promise<DatasetFiles> {
  const { endpoint: hubUrl } = new HubClient(options);
  const client = new HubClient({ ...options, fetch: withinHub(hubUrl, options.fetch) });
  checkNames(dataset, revision);
  const { datasetInfo, listFiles } = await import('@huggingface/hub');
  const { fetch, accessToken } = client;
  const common = { fetch, hubUrl, accessToken };
  const { sha: commit } = await validatedAnswer(client, 'its metadata', Info, () =>
    datasetInfo({ ...common, name: dataset, revision, additionalFields: ['sha'] }),
  );
  const entries = await validatedAnswer(client, 'its list of files', z.array(HubEntry), async () => {
    const all: unknown[] = [];
    const repo = { type: 'dataset', name: dataset } as const;
    for await (const entry of listFiles({ ...common, repo, revision: commit, recursive: true })) {
      all.push(entry);
      if (all.length > MOST.files) throw new FormatError(`${dataset} has more than ${MOST.files} files.`, remedy);
    }
    return all;
  });
  const fetched = { bytes: 0 };
  const files = entries
    .filter(({ type }) => type === 'file')
    .map(({ path, size, lfs }): DatasetFile => {
      const bytes = lfs?.size ?? size;
      return {
        path,
        bytes,
        open() {
          const at = path.split('/').map(encodeURIComponent).join('/');
          const ranged = new RangedFile(client, `${hubUrl}/datasets/${dataset}/resolve/${commit}/${at}`, {
            path,
            bytes,
          });
          const refused = (what: string) => new FormatError(`${path} of the data set: ${what}.`, remedy);
          return {
            size: bytes,
            slice: (start, end) => ({
              async arrayBuffer() {
                fetched.bytes += Math.max(0, end - start);
                if (!(start >= 0 && end <= bytes)) throw refused('it names bytes that are outside of it');
                if (fetched.bytes > MOST.fetched) throw refused(`reading it took more than ${bytesText(MOST.fetched)}`);
                return ranged.slice(start, end).arrayBuffer();
              },
            }),
          };
        },
      };
    });
  return { commit, files, fetched };
}
