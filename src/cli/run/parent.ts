// `run --from RUN@STEP`: the parent of a fork, from what `run --out` keeps of it (a finished run's record, or the checkpoint of one that was
// stopped), or from a file of results (`run --json`, or the page's JSON).
import { dirname, resolve } from 'node:path';
import { FormatError, SpecError } from '@projected-grpo-lab/base/errors.ts';
import { readOrNull } from '@projected-grpo-lab/base/files/disk.node.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { forkAt } from '../../experiments/config/experiment-of.ts';
import type { DeviceChoice, Fork } from '../../experiments/config/spec.ts';
import type { KeptParents } from '../../experiments/kinds/run/fork.ts';
import type { Checkpoint } from '../../experiments/records/checkpoint.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { choiceFor, numericsOfContext } from '../../experiments/records/numerics.ts';
import { readRun } from '../../lab/records/schema.ts';
import { readCheckpoint } from '../files/checkpoint.node.ts';
import { openRecord } from './folder.ts';

export interface Parent extends KeptParents {
  fork: Fork;
  /** The device on which its steps come out again. */
  device: DeviceChoice;
  /** Null for a run that has not ended. */
  record: RunRecord | null;
}

const REMEDY =
  'Name a run of a folder of `run --out` (out/none-41@20), or one in a file of `run --json` (result.json#none-41@20).';

/** Throws SpecError for a text that names no kept run, and FormatError or DamagedError for a file that is not one. */
export async function readParent(text: string): Promise<Parent> {
  const at = /^(.+)@(\d{1,9})$/.exec(text);
  if (!at) throw new SpecError(`--from ${text} names no run and step.`, REMEDY);
  const [, name, digits] = at;
  const step = Number(digits);
  const [, path, wanted] = /^(.*?\.json)(?:#(.+))?$/.exec(name) ?? [null, name, undefined];
  const isFile = path.endsWith('.json');
  const record = isFile ? await recordIn(path, wanted ?? null) : await openRecord(`${path}.run.json`);
  const folder = record && isFile && !path.endsWith('.run.json') ? null : path.replace(/\.run\.json$/, '');
  const checkpoint = folder === null ? null : await readCheckpoint(resolve(`${folder}.checkpoint`));
  const found = record ?? checkpoint;
  if (!found) throw new SpecError(`--from ${text}: ${dirname(path)} keeps no such run.`, REMEDY);
  const steps = found.rows.length;
  if (!record && step > steps)
    throw new SpecError(
      `--from ${text}: the run was stopped after step ${steps}.`,
      `Choose a step from 1 to ${steps}, or let the run go on first.`,
    );
  const run = 'runId' in found ? found.runId : found.id;
  return {
    fork: forkAt({ run, step, spec: found.spec }),
    device: record ? choiceFor('auto', record.device) : deviceOf(checkpoint!.context),
    record,
    run: async () => record,
    // The newest is the only one that is kept.
    state: async (_, most): Promise<Checkpoint | null> => (checkpoint && checkpoint.step <= most ? checkpoint : null),
  };
}

function deviceOf(context: string): DeviceChoice {
  const numerics = numericsOfContext(context);
  return numerics === null || numerics === 'webgpu' ? 'auto' : numerics;
}

/** One run of a file of results; `wanted` (arm-seed) may be null where there is only one. */
async function recordIn(path: string, wanted: string | null): Promise<RunRecord> {
  const bytes = await readOrNull(resolve(path));
  if (bytes === null) throw new SpecError(`--from ${path}: there is no such file.`, REMEDY);
  let value: unknown;
  try {
    value = parseJsonText(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new FormatError(`${path} is not JSON.`, REMEDY, { cause });
  }
  const { runs = [value] } = (value ?? {}) as { runs?: unknown };
  const names = (Array.isArray(runs) ? runs : []).map((run) => {
    const { arm, seed } = ((run as Partial<RunRecord> | null)?.spec ?? {}) as Partial<RunRecord['spec']>;
    return { name: `${arm}-${seed}`, run };
  });
  const found = wanted === null ? names : names.filter(({ name }) => name === wanted);
  if (found.length !== 1)
    throw new SpecError(
      `--from ${path}: it holds ${found.length} runs${wanted === null ? '' : ` named ${wanted}`}.`,
      `Choose one with ${path}#NAME@STEP${names.length > 0 ? `: ${names.map(({ name }) => name).join(', ')}` : ''}.`,
    );
  return readRun(found[0].run, path);
}
