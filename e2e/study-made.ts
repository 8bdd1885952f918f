// Published results for a test, packed as the command line packs them and served to the page under test alone.
import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import type { ResultsIndex } from '../research/series/study/results-index.ts';
import type { FinishedRun } from '../src/experiments/runs/finished.ts';
import { packRuns } from '../src/experiments/runs/pack.ts';

/** The page that is opened next finds these results, or none. */
export async function publish(page: Page, runs: Iterable<FinishedRun> | null): Promise<void> {
  const files = new Map<string, Buffer>();
  if (runs) {
    const own = [...runs];
    const bytes = Buffer.from(packRuns(own));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const file = { name: 'made.json.gz', question: 'Q2', runs: own.length, bytes: bytes.length, sha256 };
    const index: ResultsIndex = { schema: 1, runs: own.length, bytes: bytes.length, files: [file] };
    files.set('index.json', Buffer.from(JSON.stringify(index))).set(file.name, bytes);
  }
  await page.route('**/results/*', (route) => {
    const found = files.get(new URL(route.request().url()).pathname.split('/').at(-1) ?? '');
    return route.fulfill(found ? { body: found } : { status: 404, body: 'Not found.' });
  });
}
