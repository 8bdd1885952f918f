// Tries another basis on a finished run's stored steps, fast enough to follow a slider. Gradients are computed once per pair, singular vectors
// once per choice of pairs, and all steps are projected in one pass on the device; the rest is the training step's own code (routeStep), so the
// run's own choice gives its own quarantine byte for byte. The steps stay those of the trained run; only their split changes. step-replay.ts
// makes rows for a chosen basis, for all seeds and with refreshes.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import type { HackBasis } from '../../../algorithms/basis.ts';
import { pairGradients, type RawBasis } from '../../../algorithms/extraction.ts';
import { matchRandom } from '../../../algorithms/matched-width.ts';
import { deployed, initialState, routeStep } from '../../../algorithms/optimizer.ts';
import { overlap, overlapNull } from '../../../algorithms/overlap.ts';
import { projectEach } from '../../../algorithms/projected-steps.ts';
import { norm } from '../../../algorithms/vectors.ts';
import type { GenerateRequest, Policy } from '../../../engine/types.ts';
import type { ContrastivePair } from '../../../environments/code/pairs.ts';
import type { Device } from '../../../kernels/device.ts';
import type { PromptCodec } from '../../../text/codec.ts';
import { pairIds } from '../../../text/codec.ts';
import { firstAxisOverlap } from '../../bases/bases.ts';
import { BasisBuilder, directionsOf, type PairSet, usedBasis, usedPairs } from '../../bases/build.ts';
import { type BasisRecipe, recipeOf } from '../../bases/recipe.ts';
import type { RunSpec } from '../../config/run-spec.ts';
import { rateOf, stageAt, stagesOf } from '../../config/stages.ts';
import type { Preparation } from '../../environments/preparation.ts';
import { beginFinal, evaluateModel, type Part } from '../../loop/evaluate.ts';
import type { ArtifactStore } from '../../records/artifacts.ts';
import type { LabEvent } from '../../records/events.ts';
import type { Rates } from '../../records/metrics.ts';
import { type KeptSteps, keepsSteps } from '../../records/steps.ts';
import type { TrainingEnvironment } from '../../step/environment.ts';
import { norms } from '../../step/step-records.ts';
import { ownChoice, type TrialChoice } from './own-choice.ts';

/** Split of one step's updates by the basis. Norms are summed over inner epochs; shares are the first epoch's, as in a StepRow. */
export interface TrialStep {
  step: number;
  /** Mean over the modules of ‖relu(V Δ)‖ / ‖Δ‖; null where every group was flat. */
  share: number | null;
  /** The same for the remaining part: StepRow.coutUpdate. */
  left: number | null;
  /** ‖Δ‖, and the norms of its removed and kept parts. */
  moved: number;
  removed: number;
  kept: number;
  /** ‖δS − initial‖ and ‖δS_hack‖ after the step: StepRow.normDeltaS and .normDeltaSHack. */
  deployed: number;
  quarantine: number;
}

export interface TrialReport {
  /** Number of axes in use, over all modules. */
  axes: number;
  /** Expected `share` of a random step; null without an axis. */
  chance: number | null;
  /** Mean over the modules of |⟨first axis, the run's own⟩|; null where either has none. */
  likeness: number | null;
  /** Number of pairs in use. */
  pairs: number;
  steps: TrialStep[];
}

/** A tried basis: its report, and the models that it would deploy. */
export interface Tried {
  report: TrialReport;
  /** δS_total after the last step, which does not depend on the basis. */
  trained: Float32Array;
  /** δS after the last step, and after at most MOST_POINTS of the steps at which the run was evaluated. */
  deployed: ReadonlyMap<number, Float32Array>;
}

/** Evaluation of the tried basis's deployed model after a step. `first`: on the first FIRST problems of the final set. */
export interface TrialPoint {
  step: number;
  kind: 'first' | 'during' | 'final';
  all: Rates;
}

/** Number of problems in the first, quick evaluation. */
const FIRST = 64;
const MOST_POINTS = 12;
/** Most choices of pairs whose singular vectors stay in memory. */
const MOST_RAW = 4;

interface TrialPorts {
  policy: Policy;
  device: Device;
  codec: PromptCodec;
  artifacts: ArtifactStore | null;
  modelSha256: string;
  preparation: Pick<Preparation, 'environment'>;
}

interface Stopping {
  signal?: AbortSignal;
  breathe?: GenerateRequest['breathe'];
  /** Reserves the model for each part; between two parts it may be used otherwise. */
  part?: Part;
}

export class BasisTrial {
  readonly #spec: RunSpec;
  readonly #steps: KeptSteps;
  readonly #ports: TrialPorts;
  readonly #builder: BasisBuilder;
  readonly #raw = new Map<string, RawBasis>();
  /** Pair sets with edited pairs, by the edits. */
  readonly #edited = new Map<string, PairSet>();
  /** The run's own basis, and the sum of its removals over the steps. */
  #own: { basis: HackBasis; removed: number } | null = null;

  /** `steps`: all steps of the run (StepStore.load). Throws SpecError for a run whose steps cannot be replayed. */
  constructor(run: { id: string; spec: RunSpec; steps: KeptSteps }, ports: TrialPorts) {
    const { id, spec, steps } = run;
    if (!keepsSteps(spec))
      throw new SpecError(
        `${id} trained under ${spec.projection} (${spec.projectTarget}): its basis shaped its steps`,
        'Try it on a vanilla or route (update) run.',
      );
    const total = ports.policy.adapterLayout.total;
    if (steps.length !== spec.steps || steps.flat().some(({ length }) => length !== total))
      throw new SpecError(
        `${steps.length} steps of ${steps.flat().at(0)?.length ?? 0} adapter parameters are kept of ${id}; it has ${spec.steps} of ${total}.`,
        'Let the run finish, or train it again.',
      );
    this.#spec = spec;
    this.#steps = steps;
    this.#ports = ports;
    this.#builder = new BasisBuilder(ports);
  }

  /** The pairs of a set, which a choice's indices refer to; held-out ones are left out. */
  async pairsOf(pairSet: string): Promise<ContrastivePair[]> {
    return this.#builder.usedPairs(this.#recipe({ ...ownChoice(this.#spec), pairSet }));
  }

  async *try(choice: TrialChoice): AsyncGenerator<LabEvent, Tried> {
    if (!this.#own) {
      const own = ownChoice(this.#spec);
      const basis = yield* this.#basis(own);
      const { steps } = await this.#split(basis, own);
      this.#own = { basis, removed: steps.reduce((sum, { removed }) => sum + removed, 0) };
    }
    const basis = choice.kind === 'random_matched' ? this.#matched(this.#own, choice) : yield* this.#basis(choice);
    const recipe = this.#recipe(choice);
    const pairs = (await this.#builder.usedPairs(recipe)).length - new Set(choice.off).size;
    const about = {
      axes: basis.axes,
      chance: overlapNull(basis),
      likeness: firstAxisOverlap(this.#own.basis, basis),
      pairs,
    };
    const { steps, trained, deployed } = await this.#split(basis, choice);
    return { report: { ...about, steps }, trained, deployed };
  }

  /** Environment in which the deployed models are evaluated. Its sets do not depend on the teacher, so it is made without one, and no pool is
   *  graded. */
  environment(): AsyncGenerator<LabEvent, TrainingEnvironment> {
    return this.#ports.preparation.environment({ ...this.#spec, mix: 0 });
  }

  /** Evaluates the deployed models: the last one on a part of the final set, the earlier ones, and the last one on the whole final set. */
  async *evaluate(
    { deployed }: Tried,
    environment: TrainingEnvironment,
    stopping: Stopping,
  ): AsyncGenerator<TrialPoint, void> {
    const spec = this.#spec;
    const { policy, codec } = this.#ports;
    const ports = { policy, codec, environment };
    const { during, final } = environment.evaluation;
    const settings = { ...spec, ...stopping };
    const last = deployed.get(spec.steps)!;
    if (final.length > FIRST) {
      const { all } = await evaluateModel(ports, last, final.slice(0, FIRST), { ...settings, isRepeated: true });
      yield { step: spec.steps, kind: 'first', all };
    }
    for (const [step, adapterParams] of deployed) {
      if (!isEvaluated(spec, step)) continue;
      const { all } = await evaluateModel(ports, adapterParams, during, settings);
      yield { step, kind: 'during', all };
    }
    const { all } = await (await beginFinal(ports, last, settings)).measured;
    yield { step: spec.steps, kind: 'final', all };
  }

  #recipe({ kind, pairSet, basisKind, basisLoss, k, gate, dropBottomFrac }: TrialChoice): BasisRecipe {
    const settings = { pairSet, basisKind, basisLoss, dropBottomFrac, refreshEvery: 0 };
    return recipeOf(this.#spec, { id: 'trial', kind, gate, k, mode: null, settings });
  }

  async *#basis(choice: TrialChoice): AsyncGenerator<LabEvent, HackBasis> {
    const recipe = this.#recipe(choice);
    const { adapterLayout } = this.#ports.policy;
    const { off, edited } = choice;
    const { k: _, dropBottomFrac: __, ...ofPairs } = recipe;
    const key = JSON.stringify([ofPairs, [...off].sort((a, b) => a - b), edited]);
    let raw = this.#raw.get(key);
    if (!raw) {
      const set = yield* this.#set(recipe, edited);
      const indices = usedPairs(set.pairs, recipe).filter((i) => !off.includes(i));
      // All axes are extracted; a smaller k uses the first of them.
      raw = directionsOf(set, indices, { ...recipe, k: indices.length }, adapterLayout);
    }
    // Re-inserted, so that the newest choices stay.
    this.#raw.delete(key);
    this.#raw.set(key, raw);
    dropOldest(this.#raw, MOST_RAW);
    return usedBasis(raw, recipe, adapterLayout);
  }

  /** Random directions, as many as remove as much as the run's own basis. */
  #matched({ basis: like, removed: target }: { basis: HackBasis; removed: number }, choice: TrialChoice): HackBasis {
    const { gate, overshoot } = choice;
    const { adapterLayout: layout } = this.#ports.policy;
    const { seed } = this.#spec;
    return matchRandom({ like, layout, steps: this.#steps.flat(), gate, overshoot, seed, target }).basis;
  }

  async *#set(recipe: BasisRecipe, edited: TrialChoice['edited']): AsyncGenerator<LabEvent, PairSet> {
    const set = yield* this.#builder.onUntrained(recipe);
    if (edited.length === 0) return set;
    const key = JSON.stringify([recipe.pairSet, edited]);
    const known = this.#edited.get(key);
    if (known) return known;
    const { policy, codec } = this.#ports;
    const [pairs, tokens] = [[...set.pairs], [...set.tokens]];
    const [hack, clean] = [[...set.gradients.hack], [...set.gradients.clean]];
    for (const { index, pair } of edited) {
      if (!pairs[index])
        throw new SpecError(`There is no pair ${index + 1}; the set has ${pairs.length}.`, 'Choose one of the list.');
      pairs[index] = pair;
      tokens[index] = pairIds(codec, pair);
      const { prompt, ...completions } = tokens[index];
      const longest = prompt.length + Math.max(completions.hack.length, completions.clean.length);
      if (longest > policy.config.maxPositions || completions.hack.length === 0 || completions.clean.length === 0)
        throw new SpecError(
          `Pair ${index + 1} has ${longest} tokens, ${completions.hack.length} and ${completions.clean.length} of them answers; the model reads 1 to ${policy.config.maxPositions}.`,
          'Write both answers, and shorten them or the prompt.',
        );
    }
    policy.setAdapterParams(policy.initialAdapterParams);
    const made = await pairGradients(
      policy,
      edited.map(({ index }) => tokens[index]),
    );
    for (const [i, { index }] of edited.entries()) [hack[index], clean[index]] = [made.hack[i], made.clean[i]];
    const changed: PairSet = { pairs, tokens, gradients: { hack, clean } };
    this.#edited.set(key, changed);
    dropOldest(this.#edited, MOST_RAW);
    return changed;
  }

  /** Splits all stored steps by the basis, in order. */
  async #split(basis: HackBasis, { gate, overshoot }: TrialChoice) {
    const { policy, device } = this.#ports;
    const { adapterLayout, initialAdapterParams: initial } = policy;
    const spec: RunSpec = { ...this.#spec, projection: 'route', projectTarget: 'update', gate, overshoot };
    const each = await projectEach(device, adapterLayout, basis, this.#steps.flat(), gate, overshoot);
    const rest = await projectEach(
      device,
      adapterLayout,
      basis,
      each.map(({ kept }) => kept),
      'no_gate',
      1,
    );
    const state = initialState(initial, spec, []);
    const stages = stagesOf(spec);
    const wanted = new Set(evaluatedSteps(spec));
    const models = new Map<number, Float32Array>();
    const steps: TrialStep[] = [];
    let at = 0;
    for (const [index, deltas] of this.#steps.entries()) {
      const sums = { moved: 0, removed: 0, kept: 0 };
      const shares: { share: number | null; left: number | null } = { share: null, left: null };
      for (const [epoch, delta] of deltas.entries()) {
        const own = each[at];
        const decay = 1 - rateOf(spec, stageAt(stages, index), index, epoch) * spec.weightDecay;
        const { kept, removed } = await routeStep(state, delta, decay, spec, { project: async () => own }, []);
        sums.moved += norm(delta);
        sums.removed += removed;
        sums.kept += norm(kept);
        if (epoch === 0) {
          shares.share = overlap(delta, own.coef, basis).mean;
          shares.left = overlap(kept, rest[at].coef, basis).mean;
        }
        at += 1;
      }
      const step = index + 1;
      const { normDeltaS, normDeltaSHack } = norms(state, initial);
      steps.push({ step, ...shares, ...sums, deployed: normDeltaS, quarantine: normDeltaSHack });
      if (wanted.has(step)) models.set(step, deployed(state));
    }
    return { steps, trained: state.total, deployed: models };
  }
}

const isEvaluated = ({ evalEvery }: RunSpec, step: number): boolean => evalEvery > 0 && step % evalEvery === 0;

/** The last step, and evenly spaced ones of those at which the run was evaluated. */
function evaluatedSteps(spec: RunSpec): number[] {
  const all = Array.from({ length: spec.steps }, (_, i) => i + 1).filter((step) => isEvaluated(spec, step));
  const every = Math.ceil(all.length / MOST_POINTS);
  return [...all.filter((_, i) => (all.length - 1 - i) % every === 0), spec.steps];
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
