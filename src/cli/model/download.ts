// `download`: fetches a model of the Hub into a folder that the other commands take as --model. Stopped, it goes on where it was.

import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { duration, type Progress } from '@projected-grpo-lab/base/commands/progress.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { LOCK, whileHeld } from '@projected-grpo-lab/base/files/lock.node.ts';
import { bytesText } from '../../lib/numbers.ts';
import { originText, RECORD, type StoredModel } from '../../storage/model-store.ts';
import { downloadModel } from '../../storage/models/download.ts';
import { FolderModelStore } from '../../storage/models/folder.node.ts';
import { HUB, type HubOptions } from '../../storage/models/http.ts';
import { type HubInspection, hubName, inspectHub } from '../../storage/models/hub.ts';
import type { ModelProgress } from '../../storage/models/progress.ts';
import { text, toggle } from '../args.ts';
import { command, EXIT } from '../command.ts';

const FOLDER = '.cache/models';

const usage = {
  name: 'download',
  summary: 'Fetches a model of the Hugging Face Hub: the files that the lab uses, each checked against the Hub’s hash.',
  positional: ['REPO'],
  flags: {
    revision: text('R', 'Branch, tag or commit.', 'main'),
    out: text('DIR', `The model’s folder. ${FOLDER}/OWNER--NAME where absent.`, null),
    endpoint: text('URL', `Another server that speaks the Hub’s HTTP. HF_ENDPOINT where absent, else ${HUB}.`, null),
    json: toggle('Print the record as JSON.'),
  },
  notes: [
    'Stopped or broken off, the same command fetches only the rest. A model that is here already is not fetched again, unless',
    'the Hub has changed it. Private and gated models take an access token in the environment, as HF_TOKEN.',
  ].join('\n'),
} as const;

export const download = command(usage, async ({ flags, positional }, context) => {
  const { out, progress, signal, root } = context;
  const [repo] = positional;
  const { revision } = flags;
  const endpoint = flags.endpoint ?? (process.env.HF_ENDPOINT || HUB);
  const accessToken = process.env.HF_TOKEN || undefined;
  const { onRetry, onProgress } = progressHooks(progress);
  const hub: HubOptions = { endpoint, accessToken, signal, onRetry };
  const id = hubName({ repo, revision });
  const folder = flags.out === null ? join(resolve(root, FOLDER), id) : resolve(flags.out);
  const store = new FolderModelStore(dirname(folder), () => folder);
  const isSame = (origin: StoredModel['origin']) =>
    origin.kind === 'hub' && origin.repo === repo && origin.revision === revision;
  await checkFolder(folder, store, id, isSame);

  const seen = await inspectHub(repo, revision, { ...hub, store, id });
  for (const line of seenLines(seen)) progress.note(line);
  const model = await whileHeld(folder, progress.note, () =>
    downloadModel(store, repo, revision, { ...hub, id, onProgress }),
  );
  progress.end();
  print({ ...model, folder, parameters: seen.parameters }, seen.missingBytes, flags.json, out);
  return EXIT.ok;
});

/** Refuses a folder with other files, which are neither mixed with the model's nor taken for its beginning. */
export async function checkFolder(
  folder: string,
  store: FolderModelStore,
  id: string,
  isSame: (origin: StoredModel['origin']) => boolean,
): Promise<void> {
  const remedy = 'Name another --out.';
  const kept = await store.get(id);
  if (kept) {
    if (isSame(kept.origin)) return;
    throw new SpecError(`${folder} holds another model, ${originText(kept.origin)}.`, remedy);
  }
  const there = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw new SpecError(`${folder} is no folder that can be read (${error.code}).`, remedy);
  });
  const others = there.filter((name) => name !== `${RECORD}.new` && name !== LOCK);
  if (others.length === 0) return;
  throw new SpecError(`${folder} holds other files (${others.slice(0, 3).join(', ')}).`, remedy);
}

/** Reports of a download in progress. */
export const progressHooks = ({ note, line }: Progress) => ({
  onRetry: (why: string, waitMs: number) => note(`${why}; trying again in ${waitMs / 1000} s`),
  onProgress: (at: ModelProgress) => line(progressLine(at)),
});

function progressLine({ what, done, total, bytesPerSecond, etaSeconds }: ModelProgress): string {
  const speed = bytesPerSecond === null ? '' : `  ${bytesText(Math.round(bytesPerSecond))}/s`;
  const eta = etaSeconds === null || done >= total ? '' : `  ETA ${duration(etaSeconds)}`;
  return `${what}  ${bytesText(done)} of ${bytesText(total)}${speed}${eta}`;
}

function seenLines({ config, parameters, bytes, missingBytes, roomBytes, warnings, commit }: HubInspection): string[] {
  const room = roomBytes === null ? '' : `; ${bytesText(roomBytes)} are free`;
  const fetched = missingBytes === bytes ? '' : `, ${bytesText(missingBytes)} of them to fetch`;
  return [
    `${config.architecture}, ${config.layers} layers of width ${config.hiddenSize}, ${(parameters / 1e6).toFixed(1)} M parameters; commit ${commit}.`,
    `${bytesText(bytes)}${fetched}${room}.`,
    ...warnings,
  ];
}

function print(
  model: StoredModel & { folder: string; parameters: number },
  fetchedBytes: number,
  asJson: boolean,
  out: (text: string) => void,
): void {
  const { folder, parameters, files, origin } = model;
  if (asJson) {
    const { repo, revision, commit } = origin as Extract<StoredModel['origin'], { kind: 'hub' }>;
    const listed = files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
    out(JSON.stringify({ repo, revision, commit, folder, parameters, fetchedBytes, files: listed }, null, 2));
    return;
  }
  for (const { path, bytes, sha256 } of files) out(`${sha256}  ${path}  ${bytesText(bytes)}`);
  out(fetchedBytes === 0 ? `${folder} (was here already)` : folder);
}
