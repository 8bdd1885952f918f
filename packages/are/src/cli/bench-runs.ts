// The runs of a bench: skips finished ones, plays the others in parallel, and stores the results.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandContext } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { RowFile } from '@projected-grpo-lab/base/files/rows.node.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { OracleError, ScenarioError } from '../errors.ts';
import type { Trace } from '../scenario/schema.ts';
import { outcomeOf } from '../verifier/explain.ts';
import { BENCH_ONLY_FLAGS, type BenchOptions, flagsOfModel, noiseName, noiseOptions } from './bench-flags.ts';
import { BENCH_ROWS, type BenchRow, oldKey, outputLines, runKey } from './bench-rows.ts';
import { type OpenedJudge, openJudge, runIdentity } from './flags.ts';
import type { Host } from './host.ts';
import { inParallel } from './in-parallel.ts';
import { keptRun } from './kept-answers.ts';
import { generationOf } from './model-flags.ts';
import { openAgent } from './open-model.ts';
import type { AgentName, OpenedAgent } from './opened.ts';
import { playAs, tracedRun } from './players.ts';
import type { SetEntry } from './scenario-set.node.ts';

/** Simulated seconds, as in the reference's benchmark. */
const DURATIONS = { usual: 1800, time: 420 };
/** Most characters of a rationale in a row. */
const MOST_WORDS = 2000;

export interface Job {
  readonly entry: SetEntry;
  /** Position within its split. */
  readonly index: number;
  readonly agent: AgentName;
  readonly run: number;
}

/** Models, judge and row file of a running bench. */
export class Bench {
  private readonly opened = new Map<AgentName, OpenedAgent | null>();
  private readonly known: ReadonlyMap<string, BenchRow>;
  private readonly old: ReadonlyMap<string, BenchRow>;
  private readonly counted = new Set<BenchRow>();

  private constructor(
    private readonly host: Host,
    private readonly flags: BenchOptions,
    private readonly isSet: boolean,
    private readonly judge: OpenedJudge,
    private readonly file: RowFile<BenchRow> | null,
    private readonly context: CommandContext,
    private readonly stop: AbortController,
  ) {
    const rows = file?.rows ?? [];
    this.known = new Map(rows.filter(({ made }) => made !== undefined).map((row) => [runKey(row), row]));
    this.old = new Map(rows.filter(({ made }) => made === undefined).map((row) => [oldKey(row), row]));
  }

  static async open(
    host: Host,
    flags: BenchOptions,
    agents: readonly AgentName[],
    isSet: boolean,
    context: CommandContext,
  ): Promise<Bench> {
    if (flags.traces && flags.out === null) throw new SpecError('--traces has no folder.', 'Give --out DIR.');
    const path = flags.rows ?? (flags.out === null ? null : join(flags.out, 'rows.jsonl'));
    const file = path === null ? null : await RowFile.open(path, BENCH_ROWS, context.progress.note);
    const output = outputOf(flags);
    if (output !== null && file?.rows.length === 0 && existsSync(output))
      throw new SpecError(`${output} is there already, without rows of it.`, 'Name another folder, or move it away.');
    const stop = new AbortController();
    const own = { ...context, signal: AbortSignal.any([context.signal, stop.signal]) };
    const bench = new Bench(host, flags, isSet, await openJudge(host, flags, own), file, own, stop);
    for (const agent of agents) bench.opened.set(agent, await openAgent(host, agent, flags, own));
    return bench;
  }

  /** Returns one row per job, in order. Throws the error of a failed run; finished rows stay in the file. */
  async all(jobs: readonly Job[]): Promise<BenchRow[]> {
    const { progress, signal } = this.context;
    const rows: (BenchRow | undefined)[] = jobs.map(() => undefined);
    const traces = new Traces(jobs);
    let [made, kept] = [0, 0];
    try {
      await inParallel(jobs, this.flags.concurrency, this.stop, async (job, place) => {
        signal.throwIfAborted();
        const { row, isKept } = await this.row(job, await traces.of(job.entry)).finally(() => traces.done(job.entry));
        rows[place] = row;
        if (isKept) kept++;
        else made++;
        // Finished runs take no time and would make the estimate too short.
        progress.update('runs', made, jobs.length - kept, kept === 0 ? '' : `${kept} from before`);
      });
      this.sayUncounted();
      return rows as BenchRow[];
    } catch (error) {
      if (this.file !== null) progress.note(`${made + kept} of ${jobs.length} runs are kept in ${this.file.path}.`);
      throw error;
    } finally {
      progress.end();
      for (const one of this.opened.values()) one?.free();
      this.judge.free();
      const output = outputOf(this.flags);
      if (output !== null) await writeWhole(output, outputLines(rows.filter((row) => row !== undefined)));
    }
  }

  private async row(job: Job, trace: Trace | ScenarioError): Promise<{ row: BenchRow; isKept: boolean }> {
    const { entry, agent, run } = job;
    const { flags, file } = this;
    const model = this.opened.get(agent) ?? null;
    const noise = noiseName(flags);
    const scenario = trace instanceof ScenarioError ? entry.id : trace.metadata.definition.scenario_id;
    const about = {
      agent,
      model: model?.name ?? null,
      ...(noise !== null && { noise }),
      split: entry.split,
      scenario,
      run,
    };
    if (trace instanceof ScenarioError)
      return { row: { ...about, ...UNPLAYED, exception: trace.message }, isKept: false };
    const ignored = model === null ? [...BENCH_ONLY_FLAGS, ...flagsOfModel(this.host)] : BENCH_ONLY_FLAGS;
    const made = await runIdentity(flags, ignored, { agent, model, trace });
    const known =
      this.known.get(runKey({ made, split: entry.split, run })) ??
      (flags['old-rows'] ? this.old.get(oldKey(about)) : undefined);
    if (known) {
      this.counted.add(known);
      return { row: known, isKept: true };
    }
    const row: BenchRow = { made, ...about, ...(await this.played(job, trace, made)) };
    await file?.append(row);
    return { row, isKept: false };
  }

  private async played(
    job: Job,
    trace: Trace,
    made: string,
  ): Promise<Omit<BenchRow, 'made' | 'agent' | 'model' | 'noise' | 'split' | 'scenario' | 'run'>> {
    const { entry, index, agent, run } = job;
    const { flags, judge } = this;
    const { progress, signal } = this.context;
    const model = this.opened.get(agent) ?? null;
    // Each scenario and run has its own seed, so their draws are independent.
    const own = 1000 * index + run;
    const options = {
      classes: IMPORTABLE_CLASSES,
      seed: run,
      signal,
      maxSteps: flags['max-steps'],
      engine: judge.engine,
      config: judge.config,
      generation: generationOf(flags),
      ...(this.isSet && flags.duration === 'benchmark' && { duration: durationOf(trace) }),
      ...noiseOptions(flags, own, model?.expert(own) ?? null),
    };
    // An expert's answers are not stored, so such a run could not be replayed exactly.
    const hasAnswers = agent === 'react' && flags.a2a === 0;
    const name = traceName(entry, agent, run, made);
    const kept =
      flags.traces && flags.out !== null
        ? await keptRun(join(flags.out, 'traces', name), `${made} ${run}`, hasAnswers, progress.note, true)
        : null;
    try {
      const seeded = model?.seeded(agent === 'language' ? own : run, kept?.through) ?? null;
      const played = await playAs(agent, trace, options, seeded);
      await kept?.finish(tracedRun(trace, agent, model?.name ?? null, played));
      const { verdict, run: acted, environment, spent } = played;
      return {
        success: verdict.success,
        steps: acted.steps.length,
        seconds: environment.clock.passed(),
        calls: spent?.calls ?? null,
        tokens: (spent && spent.inputTokens + spent.outputTokens) || null,
        ...(spent && { outputTokens: spent.outputTokens }),
        ...(!verdict.success && { rationale: verdict.rationale.slice(0, MOST_WORDS) }),
        ...(outcomeOf(verdict) === 'nothing to judge' && { unjudged: true as const }),
        ...(verdict.exception && {
          exception: `${verdict.exception.kind}: ${verdict.exception.text}`.slice(0, MOST_WORDS),
        }),
        ...(kept && { trace: `traces/${name}` }),
      };
    } catch (error) {
      // An unplayable scenario counts as not passed; the others continue.
      if (!(error instanceof ScenarioError) && !(error instanceof OracleError)) throw error;
      return { ...UNPLAYED, exception: error.message.slice(0, MOST_WORDS) };
    }
  }

  /** Notes the number of rows in the file that do not belong to the requested runs. */
  private sayUncounted(): void {
    const { progress } = this.context;
    const rest = (rows: Iterable<BenchRow>) => [...rows].filter((row) => !this.counted.has(row)).length;
    const [others, old] = [rest(this.known.values()), rest(this.old.values())];
    const path = this.file?.path;
    if (others > 0)
      progress.note(`${path}: ${others} rows are of other options, models or scenarios, and not counted.`);
    if (old > 0)
      progress.note(
        `${path}: ${old} rows of an earlier lab do not say with which options they were made, and are not counted (--old-rows counts those of the same agent, model and scenario).`,
      );
  }
}

const UNPLAYED = { success: false, steps: 0, seconds: 0 } as const;

const outputOf = ({ out }: BenchOptions): string | null => (out === null ? null : join(out, 'output.jsonl'));

const durationOf = (trace: Trace): number =>
  trace.metadata.definition.tags?.includes('Time') ? DURATIONS.time : DURATIONS.usual;

/** File name of one run's trace; a long scenario name is cut. `made`: hash of the scenario and of how it is played. */
export const traceName = ({ split, id }: { split: string; id: string }, agent: string, run: number, made: string) =>
  `${`${split}-${id}-${agent}`.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 120)}-${run}-${made.slice(0, 8)}.json`;

/** Loads scenarios, and keeps each until its last run is done. */
class Traces {
  private readonly left = new Map<SetEntry, number>();
  private readonly loaded = new Map<SetEntry, Promise<Trace | ScenarioError>>();

  constructor(jobs: readonly Job[]) {
    for (const { entry } of jobs) this.left.set(entry, (this.left.get(entry) ?? 0) + 1);
  }

  /** Each run of an invalid scenario gets its error. */
  of(entry: SetEntry): Promise<Trace | ScenarioError> {
    const known = this.loaded.get(entry);
    if (known) return known;
    const loading = entry.load().catch((error: unknown) => {
      if (error instanceof ScenarioError) return new ScenarioError(entry.where, error.message);
      throw error;
    });
    this.loaded.set(entry, loading);
    return loading;
  }

  done(entry: SetEntry): void {
    const left = (this.left.get(entry) ?? 1) - 1;
    this.left.set(entry, left);
    if (left === 0) this.loaded.delete(entry);
  }
}
