// Browsers and devices on which the lab was tested, as written by `npm run engines`, for the Device page.
import * as z from 'zod/mini';

const row = z.object({
  engine: z.string(),
  /** Version of the tested browser; null if the browser was not available. */
  version: z.nullable(z.string()),
  device: z.string(),
  status: z.enum(['passed', 'failed', 'not tested', 'not there']),
  /** Description of the test. */
  shows: z.string(),
  /** File of the test; null if there is nothing to test. */
  test: z.nullable(z.string()),
});
const testedSchema = z.object({ schema: z.literal(1), date: z.string(), machine: z.string(), rows: z.array(row) });
export type Tested = z.infer<typeof testedSchema>;

const TESTED_PATH = 'engines.json';

/** Null if this is not a valid file. */
export function readTested(value: unknown): Tested | null {
  const read = testedSchema.safeParse(value);
  return read.success ? read.data : null;
}

/** Null if the page has no such file. */
export async function fetchTested(fetching: typeof fetch = fetch): Promise<Tested | null> {
  const response = await fetching(TESTED_PATH);
  return response.ok ? readTested(await response.json()) : null;
}
