// Makes environments and bases for the runs of one experiment, each once for all runs that share it: environments by the part of the spec that
// decides them, bases and concepts by their pairs.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { Concept } from '../../algorithms/advantage-modification.ts';
import { layRows } from '../../algorithms/basis.ts';
import { quarantineMask } from '../../engine/adapter-layout.ts';
import type { Policy } from '../../engine/types.ts';
import { prefetch } from '../../lib/prefetch.ts';
import type { RunBases } from '../bases/bases.ts';
import { BasisBuilder } from '../bases/build.ts';
import { recipeOf } from '../bases/recipe.ts';
import { hasPairs } from '../config/environments.ts';
import { thoughtsIn } from '../config/options/prompts.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { stagesOf } from '../config/stages.ts';
import { METHODS, methodOf } from '../methods/index.ts';
import type { Prepared as PreparedMethod } from '../methods/method.ts';
import { pairSides } from '../methods/pair-sides.ts';
import { isTrustedBasis } from '../methods/trusted-basis.ts';
import { tokensOf } from '../objectives/document-batch.ts';
import { refuseMissing } from '../objectives/types.ts';
import type { SharedWork } from '../parallel/shared-cache.ts';
import type { LabEvent } from '../records/events.ts';
import { judgingAnswers } from '../step/answers.ts';
import type { TrainingEnvironment } from '../step/environment.ts';
import type { EnvironmentPorts } from './definition.ts';
import { environmentNamed } from './registry.ts';

export interface PreparePorts extends EnvironmentPorts {
  policy: Policy;
  modelSha256: string;
  /** All runs of the experiment. */
  planned?: readonly RunSpec[];
  /** Shared by parallel runs. */
  common?: SharedWork;
}

export interface Prepared {
  environment: TrainingEnvironment;
  /** Every environment that the run's stages name, by id. */
  environments: ReadonlyMap<string, TrainingEnvironment>;
  bases: RunBases;
  /** Made from the run's pairs; only with advantageMod ≠ none. */
  concept: Concept | null;
  /** The arena's method of the run; null if the spec has none. */
  method: PreparedMethod | null;
}

export class Preparation {
  readonly #ports: PreparePorts;
  readonly #environments = new Map<string, TrainingEnvironment>();
  readonly #builder: BasisBuilder;

  constructor(ports: PreparePorts) {
    this.#ports = ports;
    this.#builder = new BasisBuilder(ports);
  }

  async *prepare(spec: RunSpec): AsyncGenerator<LabEvent, Prepared> {
    // A basis of trusted problems needs the environment first.
    if (isTrustedBasis(spec)) yield* this.environment(spec);
    // Meanwhile gradients are computed, because the environment's teacher is graded in other threads.
    const making = prefetch(this.environment(spec));
    const all = this.bases(spec);
    let next: IteratorResult<LabEvent, RunBases> | null = null;
    try {
      for (next = await all.next(); !next.done; next = await all.next()) {
        yield* making.take();
        yield next.value;
      }
      yield* making.take();
    } finally {
      if (!next?.done) {
        making.leave();
        // Frees the device memory of an extraction that stops between two halves.
        await all.return(undefined as never);
      }
    }
    const bases = next.value;
    const environment = await making.end;
    yield* making.take();
    const environments = new Map([[spec.environment, environment]]);
    for (const stage of stagesOf(spec)) {
      const { environment } = stage;
      const own = environments.get(environment) ?? (yield* this.environment({ ...spec, environment }));
      environments.set(environment, own);
      refuseMissing(stage, own);
    }
    refuseMissingLogprobs(spec, environment);
    const concept = spec.advantageMod !== 'none' ? await this.#concept(spec) : null;
    return { environment, environments, bases, concept, method: await this.#method(spec, environment) };
  }

  /** The run's initial bases, and the function that re-extracts them; without pairs in the environment a basis without axes. */
  async *bases(spec: RunSpec): AsyncGenerator<LabEvent, RunBases> {
    const { adapterLayout } = this.#ports.policy;
    const isProjected = hasBasis(spec);
    if (isProjected && isTrustedBasis(spec)) return yield* this.#trustedBases(spec);
    if (isProjected) return yield* this.#builder.build(spec);
    const mask = spec.adapter === 'blocks' ? { quarantine: quarantineMask(adapterLayout) } : {};
    return {
      ...mask,
      own: layRows(
        adapterLayout,
        adapterLayout.modules.map(() => []),
      ),
      shadows: [],
    };
  }

  /** Computes the gradients for every basis of the run's pairs, which `common` shares; none for a run without such a basis. */
  async *gradients(spec: RunSpec): AsyncGenerator<LabEvent, void> {
    if (hasBasis(spec) && !isTrustedBasis(spec)) yield* this.#builder.together(spec);
  }

  /** Throws SpecError for an unknown environment. */
  async *environment(spec: RunSpec): AsyncGenerator<LabEvent, TrainingEnvironment> {
    const maker = await environmentNamed(spec.environment).load();
    const thinking = thoughtsIn(spec, this.#ports.knowsThinking ?? null);
    const key = JSON.stringify([spec.environment, maker.part(spec), thinking]);
    const known = this.#environments.get(key);
    if (known) return known;
    const environment = judgingAnswers(yield* maker.make(spec, this.#ports), thinking);
    this.#environments.set(key, environment);
    return environment;
  }

  /** A replayed run may have controls, which are extracted from pairs as usual. */
  async *#trustedBases(spec: RunSpec): AsyncGenerator<LabEvent, RunBases> {
    const { trusted } = yield* this.environment(spec);
    const { TrustedSpan } = await import('../bases/trusted-span.ts');
    const span = new TrustedSpan(this.#ports, trusted?.documents ?? [], spec);
    const own = yield* span.first();
    const ofPairs = spec.shadows.length > 0 ? yield* this.#builder.build({ ...spec, basisSource: 'pairs' }) : null;
    return {
      own,
      keepsSpan: true,
      shadows: ofPairs?.shadows ?? [],
      extract: (control, adapterParams, step, divisor) =>
        control && ofPairs?.extract
          ? ofPairs.extract(control, adapterParams, step)
          : span.at(adapterParams, step, divisor),
    };
  }

  async #method(run: RunSpec, { trusted, behaviours }: TrainingEnvironment): Promise<PreparedMethod | null> {
    const { policy, codec, signal } = this.#ports;
    const method = methodOf(METHODS, run);
    if (!method?.prepare) return null;
    return method.prepare({
      run,
      policy,
      codec,
      signal,
      seesBehaviours: behaviours !== undefined,
      pairs: () => this.#builder.usedPairs(recipeOf(run, null)),
      heldPairs: async () => {
        const pairs = run.pairs + HELD_PAIRS;
        const recipe = { ...recipeOf(run, null), pairSet: 'prog_wide', pairModes: [], pairs };
        return (await this.#builder.pairsOf(recipe)).slice(run.pairs);
      },
      concept: () => this.#concept(run),
      solutions: () =>
        (trusted?.documents ?? []).flatMap((document) => tokensOf(document, codec, policy.config.maxPositions)),
    });
  }

  async #concept(spec: RunSpec): Promise<Concept> {
    const { policy, codec, signal } = this.#ports;
    const pairs = await this.#builder.usedPairs(recipeOf(spec, null));
    const { layer, direction } = await pairSides(policy, codec, pairs, signal);
    return { layer, direction };
  }
}

/** Number of held-out pairs, enough for a monitor's rates to within about five points. */
const HELD_PAIRS = 96;

const hasBasis = (spec: RunSpec): boolean =>
  spec.adapter !== 'blocks' && hasPairs(environmentNamed(spec.environment), spec);

/** Refuses, before sampling, a true off-policy ratio where a row lacks the teacher's log-probabilities. */
function refuseMissingLogprobs({ teacherRatio }: RunSpec, { pool }: TrainingEnvironment): void {
  if (teacherRatio === 'stored' && pool && pool.withLogprobs < pool.rows)
    throw new SpecError(
      `teacherRatio = stored, and ${pool.rows - pool.withLogprobs} of the pool's ${pool.rows} rows have no log-probabilities of this tokenizer's tokens`,
      'Set teacherRatio to recomputed, or name a pool in teacherPool that a model of this tokenizer has written.',
    );
}
