// Known sha-256 of a model's files: from the manifest of a model that the lab made, or from the record of one that was fetched. Other
// folders have neither, and are not checked.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { type FileSource, sha256 } from './sources.ts';

/** Key of the hash of a file without the ranges that are not read (byte-holes.ts). */
export const sumWithoutHoles = (path: string): string => `${path} without holes`;

const Manifest = z.object({ files: mapOf(z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) })) });

export class ModelSums {
  private constructor(
    readonly label: string,
    private readonly known: ReadonlyMap<string, string>,
  ) {}

  static async of(source: FileSource, manifest: unknown): Promise<ModelSums> {
    const parsed = Manifest.safeParse(manifest);
    const made = parsed.success ? Object.entries(parsed.data.files) : [];
    const named = made.map(([path, file]) => [path, file.sha256] as const);
    return new ModelSums(source.label, new Map([...((await source.sums?.()) ?? []), ...named]));
  }

  /** Throws FormatError if another hash of the file is known. */
  check(path: string, hash: string): void {
    if ((this.known.get(path) ?? hash) !== hash) throw this.#changed(path);
  }

  /** Whether this hash of the file is known. */
  has(path: string, hash: string): boolean {
    return this.known.get(path) === hash;
  }

  async checkText(path: string, text: string): Promise<void> {
    const wanted = this.known.get(path);
    if (wanted === undefined) return;
    // A checkout on Windows may have changed the line ends of a text.
    for (const form of [text, text.replaceAll('\r\n', '\n')])
      if ((await sha256(new TextEncoder().encode(form))) === wanted) return;
    throw this.#changed(path);
  }

  #changed(path: string): FormatError {
    return new FormatError(
      `${this.label}: ${path} is damaged or was changed: its sha-256 is not that of the model’s manifest or record.`,
      'Get the model again from its source; where you changed the file yourself, delete manifest.json (or lab-model.json).',
    );
  }
}
