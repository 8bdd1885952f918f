// A sweep's folder: the sweep itself, finished runs, claims of workers, failures. Several machines may share it; everything in it is
// written whole, and no file has two writers that disagree.
import { appendFile, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { diskError, makeFolder, namesIn, readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import type { Checkpoint, CheckpointStore } from '../../experiments/records/checkpoint.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import type { FinishedRun, PlannedRun } from '../../experiments/runs/finished.ts';
import type { RunStore } from '../../experiments/runs/runner.ts';
import { planSweep, runsToMake, type Scores, type SweepPlan, scoreOfRun } from '../../experiments/sweep/plan.ts';
import { readSweepText, SweepError, type SweepSpec } from '../../experiments/sweep/spec.ts';
import {
  cutRecord,
  heldRuns,
  interimValue,
  type Stopped,
  stoppedRuns,
  verdictsOf,
} from '../../experiments/sweep/stop.ts';
import type { Claims, OnLost } from '../../storage/claims/claims.ts';
import { folderClaims } from '../../storage/claims/folder.node.ts';
import { codeHash } from '../code-hash.ts';
import { openRunsFolder, type RunsFolder, runFileId } from '../run/runs-folder.ts';
import { admitCode, CODE_FILE, codesOf } from './code.ts';

/** Different workers that must fail at a run before it is set apart. */
export const MOST_FAILING = 3;

export const Failure = z.object({
  schema: z.literal(1),
  /** `lost`: its worker ended without reporting. */
  kind: z.enum(['error', 'lost']),
  worker: z.string().check(z.maxLength(300)),
  step: z.int().check(z.minimum(0)),
  message: z.string().check(z.maxLength(20_000)),
});
export type Failure = z.infer<typeof Failure>;

/** Weight of a run's failures: the workers that failed at it, each once, and the deaths of workers that got it no further than an earlier
 *  one. A worker that fails at everything sets nothing apart by itself. */
export function weightOf(failures: readonly Failure[]): number {
  const lost = failures.filter(({ kind }) => kind === 'lost');
  const failing = new Set(failures.filter(({ kind }) => kind === 'error').map(({ worker }) => worker));
  return failing.size + lost.length - new Set(lost.map(({ step }) => step)).size;
}

export interface OpenRun extends PlannedRun {
  id: string;
}

interface SweepState {
  /** All runs that may be made by now, in the plan's order. */
  open: OpenRun[];
  finished: Set<string>;
  /** Failures of runs that are not finished, by key. */
  failures: Map<string, Failure[]>;
  /** Failures of runs that are set apart, by key. */
  failed: Map<string, Failure[]>;
  /** Runs that the sweep's stop rule ended early, by key, with the reason. */
  stopped: Map<string, Stopped>;
  /** Interim values of a sweep with a stop rule, by key. */
  interim: Scores;
  /** Runs of `open` that are neither finished nor set apart nor stopped, and do not wait for the stop rule's verdict. */
  left: OpenRun[];
  /** Runs of `open` that wait for that verdict. */
  held: OpenRun[];
}

const INTERIM = 'interim';
const PARTS = ['runs', 'checkpoints', 'steps', 'pools', 'claims', 'failures', 'logs'];

export class SweepFolder {
  readonly path: string;
  readonly plan: SweepPlan;
  readonly claims: Claims;
  readonly #study: RunsFolder;
  /** Runs up to the stop rule's step. */
  readonly #interim: RunsFolder;
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #scores = new Map<string, number | null>();
  readonly #interimValues = new Map<string, number | null>();

  private constructor(path: string, plan: SweepPlan, lease: number | undefined) {
    this.path = path;
    this.plan = plan;
    this.#study = openRunsFolder(path);
    this.#interim = openRunsFolder(join(path, INTERIM));
    const onLost: OnLost = ({ id, worker, step, token }) =>
      this.fail(id, token, { kind: 'lost', worker, step, message: `Worker ${worker} ended at step ${step}.` });
    this.claims = folderClaims(join(path, 'claims'), { lease, onLost });
  }

  /** Writes the sweep into a new folder. Throws SweepError where another one is there, or other code began it. */
  static async create(
    folder: string,
    spec: SweepSpec,
    admitted: Omit<Parameters<typeof admitCode>[1], 'hasBegun'>,
  ): Promise<SweepFolder> {
    const path = resolve(folder);
    const plan = planSweep(spec);
    const found = await readOrNull(join(path, 'sweep.json'));
    const text = `${JSON.stringify(spec, null, 2)}\n`;
    if (found === null) {
      const others = (await namesIn(path)).filter((name) => !name.startsWith('.') && name !== CODE_FILE);
      if (others.length > 0)
        throw new SweepError(
          `${path} holds other things (${others.slice(0, 3).join(', ')}), and no sweep. Nothing was changed.`,
          'Name an empty folder, or one that is not there yet.',
        );
      await admitCode(path, { ...admitted, hasBegun: false });
      await writeWhole(join(path, 'sweep.json'), text);
    } else if (JSON.stringify(readSpec(found, path)) !== JSON.stringify(spec))
      throw new SweepError(
        `${path} has another sweep. Nothing was changed.`,
        'Name another folder with --out; or go on with that one: npm run lab -- sweep worker DIR',
      );
    const own = await new SweepFolder(path, plan, undefined).#prepared();
    await own.admit(admitted);
    return own;
  }

  /** Throws SweepError where there is no sweep. */
  static async open(folder: string, lease?: number): Promise<SweepFolder> {
    const path = resolve(folder);
    const found = await readOrNull(join(path, 'sweep.json'));
    if (found === null)
      throw new SweepError(
        `${path} has no sweep: there is no sweep.json.`,
        'Make one: npm run lab -- sweep run SPEC --out DIR',
      );
    return new SweepFolder(path, planSweep(readSpec(found, path)), lease).#prepared();
  }

  async #prepared(): Promise<this> {
    for (const part of PARTS) await makeFolder(join(this.path, part));
    const { configurations, rungSteps } = this.plan;
    for (const { label, rungs } of configurations)
      for (const { key, spec } of rungs.flat()) {
        if (this.#ids.has(key)) continue;
        this.#ids.set(key, await runFileId(key));
        const rung = rungSteps.length > 1 ? [`${spec.steps} steps`] : [];
        this.#names.set(key, [...(label ? [label] : []), ...rung, `seed ${spec.seed}`].join(', '));
      }
    return this;
  }

  /** Must be called before anything is trained. Throws SweepError where this program's code is not the sweep's (code.ts). */
  async admit(admitted: Omit<Parameters<typeof admitCode>[1], 'hasBegun'>): Promise<void> {
    const begun = await Promise.all(['runs', 'checkpoints'].map((part) => namesIn(join(this.path, part))));
    await admitCode(this.path, { ...admitted, hasBegun: begun.flat().length > 0 });
  }

  codes(): ReturnType<typeof codesOf> {
    return codesOf(this.path);
  }

  /** Whether it is a run of the plan. */
  has(key: string): boolean {
    return this.#ids.has(key);
  }

  /** Id of a run in the folder. */
  idOf(key: string): string {
    return this.#ids.get(key) as string;
  }

  /** The values that distinguish a run from the sweep's others: `lr 0.03, arm none, seed 41`. */
  nameOf(key: string): string {
    return this.#names.get(key) ?? key;
  }

  load(key: string): Promise<FinishedRun | null> {
    return this.#study.load(key);
  }

  /** Keeps a run that was finished elsewhere. */
  async keep(run: FinishedRun): Promise<void> {
    await this.#study.save(run);
  }

  /** Finished runs, by key. */
  async all(): Promise<Map<string, FinishedRun>> {
    const runs = new Map<string, FinishedRun>();
    const names = new Set(await namesIn(join(this.path, 'runs')));
    for (const [key, id] of this.#ids) {
      const run = names.has(`${id}.json`) ? await this.load(key) : null;
      if (run) runs.set(key, run);
    }
    return runs;
  }

  async state(): Promise<SweepState> {
    const names = new Set(await namesIn(join(this.path, 'runs')));
    const finished = new Set([...this.#ids].filter(([, id]) => names.has(`${id}.json`)).map(([key]) => key));
    const failures = new Map<string, Failure[]>();
    const failing = await this.failing();
    for (const [key, id] of this.#ids) {
      if (!failing.has(id) || finished.has(key)) continue;
      failures.set(key, await this.failures(id));
    }
    const failed = new Map([...failures].filter(([, all]) => weightOf(all) >= MOST_FAILING));
    if (this.plan.quota.length > 1)
      for (const key of finished)
        if (!this.#scores.has(key)) {
          const run = await this.load(key);
          if (run) this.#scores.set(key, scoreOfRun(run.record, this.plan.metric));
        }
    const apart = new Set(failed.keys());
    const runs = runsToMake(this.plan, this.#scores, apart);
    const open = runs.map((run) => ({ ...run, id: this.idOf(run.key) }));
    const interim = await this.#interimOf(finished);
    const verdicts = verdictsOf(this.plan, interim, apart);
    const stopped = stoppedRuns(this.plan, verdicts);
    const waits = heldRuns(this.plan, verdicts, interim);
    const rest = open.filter(({ key }) => !finished.has(key) && !failed.has(key) && !stopped.has(key));
    // Runs that verdicts wait for come first.
    const left = rest
      .filter(({ key }) => !waits.has(key))
      .sort((a, b) => Number(interim.has(a.key)) - Number(interim.has(b.key)));
    const held = rest.filter(({ key }) => waits.has(key));
    return { open, finished, failures, failed, stopped, interim, left, held };
  }

  async #interimOf(finished: ReadonlySet<string>): Promise<Scores> {
    if (!this.plan.spec.stop) return this.#interimValues;
    const names = new Set(await namesIn(join(this.path, INTERIM, 'runs')));
    for (const [key, id] of this.#ids) {
      if (this.#interimValues.has(key) || !(names.has(`${id}.json`) || finished.has(key))) continue;
      const run = await this.interim(key);
      if (run) this.#interimValues.set(key, interimValue(run.record, this.plan));
    }
    return this.#interimValues;
  }

  /** A run up to the stop rule's step; null where it has not got there. A finished one need not have stopped there. */
  async interim(key: string): Promise<FinishedRun | null> {
    const kept = await this.#interim.load(key);
    if (kept) return kept;
    const run = await this.load(key);
    return run && { ...run, record: cutRecord(run.record, this.plan) };
  }

  /** Keeps a run that has reached the stop rule's step. */
  async keepInterim(key: string, record: RunRecord): Promise<void> {
    const code = codeHash();
    const run = { key, record: cutRecord(record, this.plan), rerouted: [] };
    await this.#interim.save(code === null ? run : { ...run, code });
  }

  /** All runs that a result reports, by key: finished ones, and stopped ones up to their last step. */
  async told({ stopped }: Pick<SweepState, 'stopped'>): Promise<Map<string, FinishedRun>> {
    const runs = await this.all();
    for (const key of stopped.keys()) {
      const run = await this.interim(key);
      if (run) runs.set(key, run);
    }
    return runs;
  }

  /** Ids of runs that have failed, or lost a worker, since they were last set apart. */
  async failing(): Promise<Set<string>> {
    return new Set(await namesIn(join(this.path, 'failures')));
  }

  async failures(id: string): Promise<Failure[]> {
    const folder = join(this.path, 'failures', id);
    const found: Failure[] = [];
    for (const name of (await namesIn(folder)).filter((name) => /^[0-9a-f]{32}\.json$/.test(name))) {
      const text = (await readOrNull(join(folder, name)))?.toString() ?? '';
      try {
        found.push(Failure.parse(parseJsonText(text)));
      } catch {
        found.push({
          schema: 1,
          kind: 'error',
          worker: '?',
          step: 0,
          message: `${join(folder, name)} cannot be read.`,
        });
      }
    }
    return found;
  }

  async fail(id: string, token: string, failure: Omit<Failure, 'schema'>): Promise<void> {
    const message = failure.message.slice(0, 20_000);
    const text = `${JSON.stringify({ schema: 1, ...failure, message })}\n`;
    await writeWhole(join(this.path, 'failures', id, `${token}.json`), text);
  }

  /** Makes runs that were set apart available again; their failures stay, under another name. */
  async retry(): Promise<number> {
    const { failed } = await this.state();
    for (const key of failed.keys()) {
      const folder = join(this.path, 'failures', this.idOf(key));
      const before = (await namesIn(join(this.path, 'failures'))).filter((name) =>
        name.startsWith(`${this.idOf(key)}.`),
      );
      try {
        await rename(folder, `${folder}.${before.length + 1}`);
      } catch (error) {
        throw diskError(error, folder);
      }
    }
    return failed.size;
  }

  /** Storage of a worker's files; of a finished run only the record is kept. */
  store(): RunStore {
    const study = this.#study;
    const code = codeHash();
    return {
      ...study,
      checkpoints: ofThisCodeOnly(study.checkpoints),
      async save(run) {
        await study.save(code === null ? run : { ...run, code });
        await study.steps.truncate(run.record.id, 0);
      },
    };
  }

  /** Removes the files of a sweep that never began. */
  async remove(): Promise<void> {
    for (const part of [...PARTS, INTERIM, 'slurm', CODE_FILE, 'sweep.json'])
      await rm(join(this.path, part), { recursive: true, force: true });
    // A folder that holds nothing else is removed too.
    await rmdir(this.path).catch(() => {});
  }

  logFile(id: string): string {
    return join(this.path, 'logs', `${id}.log`);
  }

  async log(id: string, line: string): Promise<void> {
    try {
      await appendFile(this.logFile(id), `${line}\n`);
    } catch (error) {
      throw diskError(error, this.logFile(id));
    }
  }

  async isCancelled(): Promise<boolean> {
    return (await readOrNull(join(this.path, 'cancelled'))) !== null;
  }

  async cancel(): Promise<void> {
    await writeWhole(
      join(this.path, 'cancelled'),
      'Workers stop, and take nothing more. `sweep run` and `sweep submit` go on.\n',
    );
  }

  async goOn(): Promise<void> {
    await rm(join(this.path, 'cancelled'), { force: true });
  }
}

/** A run that other code has begun is begun anew, so that it is not half of each. */
function ofThisCodeOnly({ load, save, ...rest }: CheckpointStore): CheckpointStore {
  const code = codeHash();
  return {
    ...rest,
    async load(runId) {
      const found: (Checkpoint & { code?: string }) | null = await load(runId);
      return code !== null && (found?.code ?? code) !== code ? null : found;
    },
    save: (checkpoint) => save(code === null ? checkpoint : Object.assign({ code }, checkpoint)),
  };
}

const readSpec = (bytes: Buffer, path: string): SweepSpec =>
  readSweepText(bytes.toString('utf8'), join(path, 'sweep.json'), true);
