// Handles a file without apps that names the data set that has them: exports omit the state of a universe, since it takes megabytes and
// many scenarios share it. The caller may fetch the apps; this module fetches nothing.
import { ScenarioError } from '../errors.ts';
import { checkedTrace, type Trace } from './schema.ts';

/** Where to find a scenario's apps. */
export interface MissingApps {
  readonly scenarioId: string;
  /** `OWNER/NAME`. */
  readonly dataset: string;
  readonly split: string;
  /** Null for the latest revision. */
  readonly revision: string | null;
  /** The data set's configuration, if the file names it. */
  readonly config: string | null;
}

/** Null if the file has apps, or does not name a data set. */
export function missingApps({ apps, metadata: { definition } }: Trace): MissingApps | null {
  const source = definition.hf_metadata;
  if (apps.length > 0 || !source) return null;
  return {
    scenarioId: definition.scenario_id,
    dataset: source.dataset,
    split: source.split,
    revision: source.revision || null,
    config: definition.config || null,
  };
}

/** Thrown when such a file is made into a scenario. */
export class MissingAppsError extends ScenarioError {
  constructor(
    readonly trace: Trace,
    readonly missing: MissingApps,
  ) {
    super(
      'apps',
      `the file has none: they are those of ${missingWords(missing)}`,
      'Have them fetched: npm run lab -- are … --fetch-apps, or Fetch its apps on the page. Or copy the list `apps` of that scenario into the file.',
    );
  }
}

export function missingWords({ dataset, split, revision, scenarioId }: MissingApps): string {
  return `${scenarioId} in the data set ${dataset}, split ${split}${revision === null ? '' : `, revision ${revision}`}`;
}

/** @param found the `apps` of the scenario in the data set. Throws ScenarioError if they are invalid. */
export function withApps(trace: Trace, found: unknown): Trace {
  const apps = Array.isArray(found) ? found : [];
  if (apps.length === 0)
    throw new ScenarioError(
      'apps',
      `the scenario of that name in the data set has none either (${trace.metadata.definition.scenario_id})`,
      'Copy the list `apps` of another copy of the scenario into the file.',
    );
  return { ...trace, apps: checkedTrace({ ...trace, events: [], completed_events: [], world_logs: [], apps }).apps };
}
