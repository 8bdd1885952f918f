// Handles a file without apps that names the data set which has them: exports omit the state of a universe, since it is megabytes and the same for
// many scenarios. The caller may fetch the apps; this module fetches nothing.
import { ScenarioError } from '../errors.ts';
import { checkedTrace, type Trace } from './schema.ts';

/** Places to look for a scenario's apps. */
export interface MissingApps {
  readonly scenarioId: string;
  /** `OWNER/NAME`. */
  readonly dataset: string;
  readonly split: string;
  /** null: as it is now. */
  readonly revision: string | null;
  /** The data set's part, where the file says. */
  readonly config: string | null;
}

/** null: the file has apps, or does not say where they would be. */
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

/** Thrown where such a file is made a scenario. */
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

/** @param found the `apps` of the scenario there. Throws ScenarioError where they are none. */
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
