// The probes that are published with the lab, read from the page's own folder. Needs no worker, no model and no GPU.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { PROBE_INDEX, type ProbeSeries, readProbeIndex, readSeries } from '../../../experiments/kinds/probe/series.ts';

type Fetch = (url: string) => Promise<Response>;

/** Empty where nothing is published. Throws FormatError for what is damaged or missing, and what fetch throws. */
export async function loadPublishedProbes(base: string, get: Fetch = (url) => fetch(url)): Promise<ProbeSeries[]> {
  const folder = new URL('results/probe/', base);
  const found = await get(new URL(PROBE_INDEX, folder).href);
  // A development server answers everything with the page itself.
  if (found.status === 404 || found.headers.get('content-type')?.includes('text/html')) return [];
  const names = readProbeIndex(await textOf(found, PROBE_INDEX), `results/probe/${PROBE_INDEX}`);
  return Promise.all(
    names.map(async (name) =>
      readSeries(await textOf(await get(new URL(name, folder).href), name), `results/probe/${name}`),
    ),
  );
}

async function textOf(response: Response, name: string): Promise<string> {
  if (!response.ok)
    throw new FormatError(`results/probe/${name} did not come (${response.status}).`, 'Load the page again.');
  return response.text();
}
