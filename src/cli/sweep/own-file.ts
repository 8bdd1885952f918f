// Small files of a sweep's folder that only the lab writes. A file that somebody has changed is reported, and never half read.

import { readOrNull } from '@projected-grpo-lab/base/files/disk.node.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type * as z from 'zod/mini';
import { SweepError } from '../../experiments/sweep/spec.ts';

/** Null if there is none. `without`: the consequence of deleting it. Throws SweepError for a file that cannot be read. */
export async function readOwn<T extends z.ZodMiniType>(
  path: string,
  schema: T,
  without: string,
): Promise<z.infer<T> | null> {
  const bytes = await readOrNull(path);
  if (bytes === null) return null;
  try {
    return schema.parse(parseJsonText(bytes.toString()));
  } catch (cause) {
    throw new SweepError(`${path} cannot be read.`, `Put the folder’s own file there again; or delete it: ${without}`, {
      cause,
    });
  }
}
