// A LoRA adapter on the Hugging Face Hub as a source of its two files, which are listed at one commit; the tensors are fetched by ranges and
// checked against the Hub's hash. An adapter is much smaller than its base, so it is held in memory and not stored.

import { bytesText } from '../../lib/numbers.ts';
import { HubError } from '../errors.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from '../peft/adapter.ts';
import { type FileLike, type FileSource, fileSha256 } from '../sources.ts';
import { HubClient, type HubOptions } from './http.ts';
import { hubSource, openHub } from './hub.ts';

/** Most bytes of an adapter from the Hub. */
const MOST_BYTES = 2 ** 31;
/** Bytes of one request. */
const PART_BYTES = 8 * 2 ** 20;

/** OWNER/NAME or OWNER/NAME@REVISION; null for any other text. */
export function hubAdapterName(given: string): { repo: string; revision: string } | null {
  const found = /^([A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*)(?:@([\w./-]+))?$/.exec(given);
  return found && { repo: found[1], revision: found[2] ?? 'main' };
}

/** `onBytes` is called with the number of bytes received and their total. Throws HubError, SpecError. */
export async function openHubAdapter(
  repo: string,
  revision: string,
  { onBytes = () => {}, ...options }: HubOptions & { onBytes?: (done: number, total: number) => void } = {},
): Promise<FileSource> {
  const client = new HubClient(options);
  const wanted = [ADAPTER_CONFIG, ADAPTER_WEIGHTS, 'adapter_model.bin'];
  const model = await openHub(client, repo, revision, async (all) => wanted.filter((path) => all.includes(path)));
  const source = hubSource(client, model);
  const held = new Map<string, Promise<FileLike | null>>();
  const fetched = async (): Promise<FileLike | null> => {
    const file = await source.read(ADAPTER_WEIGHTS);
    if (!file) return null;
    if (file.size > MOST_BYTES)
      throw new HubError(
        `${repo}: ${ADAPTER_WEIGHTS} has ${bytesText(file.size)}; at most ${bytesText(MOST_BYTES)} are fetched.`,
        'Download it by other means, and name its folder.',
        null,
      );
    const parts: ArrayBuffer[] = [];
    for (let at = 0; at < file.size; at += PART_BYTES) {
      parts.push(await file.slice(at, Math.min(file.size, at + PART_BYTES)).arrayBuffer());
      onBytes(Math.min(file.size, at + PART_BYTES), file.size);
    }
    const whole = new Blob(parts);
    const known = model.files.find(({ path }) => path === ADAPTER_WEIGHTS)?.sha256 ?? null;
    if (known !== null && (await fileSha256(whole)) !== known)
      throw new HubError(`${repo}: ${ADAPTER_WEIGHTS} has another sha-256 than the Hub says.`, 'Fetch it again.', null);
    return whole;
  };
  return {
    label: source.label,
    async read(path) {
      if (path !== ADAPTER_WEIGHTS) return source.read(path);
      const before = held.get(path);
      if (before) return before;
      const made = fetched();
      held.set(path, made);
      return made;
    },
  };
}
