// One scenario of the disk.
import type { Trace } from '@projected-grpo-lab/are/scenario/schema.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { openSet } from './scenario-set.node.ts';

/** @param id which one, of a set. Throws FormatError where there is no such file, ScenarioError where it is no scenario, SpecError where it is several. */
export async function readTrace(path: string, id: string | null = null): Promise<Trace> {
  const entries = await openSet(path);
  const [entry, ...others] = id === null ? entries : entries.filter((one) => one.id === id);
  if (!entry) throw new SpecError(`${path} has no scenario ${id}.`, `It has ${someOf(entries.map((one) => one.id))}.`);
  if (others.length === 0) return entry.load();
  throw new SpecError(
    `${path} has ${others.length + 1} scenarios${id === null ? '' : ` ${id}`}.`,
    'Play them with `are bench`, or one with `are run … --scenario ID`.',
  );
}

const someOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
