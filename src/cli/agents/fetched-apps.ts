// Scenarios whose file has no apps and names the Hub's data set that has them: the apps are fetched where a flag or the person agrees,
// once, and kept in a folder. No server is contacted otherwise.
import { join, resolve } from 'node:path';
import {
  type MissingApps,
  missingApps,
  missingWords,
  withApps,
} from '@projected-grpo-lab/are/scenario/missing-apps.ts';
import { parseTrace, type Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { sealJson, unsealJson } from '@projected-grpo-lab/base/files/sealed.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { bytesText } from '../../lib/numbers.ts';
import { fetchRow } from '../../storage/datasets/row.ts';
import { HUB } from '../../storage/models/http.ts';
import { toggle } from '../args.ts';
import type { CommandContext } from '../command.ts';

const FOLDER = '.cache/scenarios';

export const APPS_FLAGS = {
  'fetch-apps': toggle(
    `Where a file has no apps and names the data set that has them: fetches them from the Hugging Face Hub (HF_ENDPOINT; HF_TOKEN) into ${FOLDER}, once.`,
  ),
} as const;

type Context = Pick<CommandContext, 'root' | 'progress' | 'signal' | 'ask'>;

export class FetchedApps {
  /** The person's answer; null before the question. */
  private asked: Promise<boolean> | null = null;

  constructor(
    private readonly isWanted: boolean,
    private readonly context: Context,
  ) {}

  /** The trace with its apps; unchanged where it has some, or where the person declines. Throws HubError, FormatError, ScenarioError. */
  async of(trace: Trace): Promise<Trace> {
    const missing = missingApps(trace);
    if (missing === null) return trace;
    const { note } = this.context.progress;
    const file = await this.fileOf(missing);
    const kept = await readOrNull(file);
    if (kept !== null) {
      const { apps, commit } = await unsealJson(kept, [], file);
      note(`Apps of ${missingWords(missing)}: as they were fetched before (commit ${commit}; ${file}).`);
      return withApps(trace, apps);
    }
    if (!(await this.isAllowed(missing))) return trace;
    const { signal } = this.context;
    const found = await fetchRow(
      missing,
      {
        endpoint: this.endpoint,
        accessToken: process.env.HF_TOKEN || undefined,
        signal,
        onRetry: (why, waitMs) => note(`${why}; trying again in ${waitMs / 1000} s`),
      },
      (path) => note(`Looking through ${path}.`),
    );
    const { commit, path, bytes } = found;
    const whole = withApps(trace, parseTrace(found.data).apps);
    await writeWhole(file, await sealJson({ ...missing, commit, path, apps: whole.apps }));
    note(`${whole.apps.length} apps of ${missingWords(missing)}: ${bytesText(bytes)} fetched, commit ${commit}.`);
    return whole;
  }

  private get endpoint(): string {
    return process.env.HF_ENDPOINT || HUB;
  }

  private async isAllowed(missing: MissingApps): Promise<boolean> {
    if (this.isWanted) return true;
    const { ask } = this.context;
    if (!ask) return false;
    this.asked ??= ask(
      `The file has no apps; they are those of ${missingWords(missing)}. Fetch them from ${new URL(this.endpoint).host}? [y/N] `,
    );
    return this.asked;
  }

  private async fileOf(missing: MissingApps): Promise<string> {
    const { dataset, split, revision, config, scenarioId } = missing;
    const key = await contentKey([this.endpoint, dataset, split, revision, config, scenarioId]);
    const set = dataset.replace(/[^A-Za-z0-9._-]+/g, '--').slice(0, 100);
    return resolve(this.context.root, join(FOLDER, set, `${key.slice(0, 16)}.json`));
  }
}
