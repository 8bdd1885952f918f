// Browsers and devices that the lab was tested on, as `npm run engines` writes them, for the Device page.
import * as z from 'zod/mini';

const row = z.object({
  engine: z.string(),
  /** Version of the tested browser; null where none was at hand. */
  version: z.nullable(z.string()),
  device: z.string(),
  status: z.enum(['passed', 'failed', 'not tested', 'not there']),
  /** Description of the test. */
  shows: z.string(),
  /** File of the test; null where there is nothing to test. */
  test: z.nullable(z.string()),
});
const testedSchema = z.object({ schema: z.literal(1), date: z.string(), machine: z.string(), rows: z.array(row) });
export type Tested = z.infer<typeof testedSchema>;

const TESTED_PATH = 'engines.json';

/** Null for anything but a valid file. */
export function readTested(value: unknown): Tested | null {
  const read = testedSchema.safeParse(value);
  return read.success ? read.data : null;
}

/** Null where the page has no such file. */
export async function fetchTested(fetching: typeof fetch = fetch): Promise<Tested | null> {
  const response = await fetching(TESTED_PATH);
  return response.ok ? readTested(await response.json()) : null;
}
