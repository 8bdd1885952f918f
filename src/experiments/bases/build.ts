// Bases of a run from its labelled pairs or an imported file, and their controls (METHOD "Hack basis", "Negative controls"): on the untrained
// model before the first step, and on later ones where the spec refreshes. Gradients of the untrained model are computed once per
// experiment, for all bases.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { basisInUse, type HackBasis } from '../../algorithms/basis.ts';
import { flipBasis, permuteLabels, randomBasis } from '../../algorithms/controls.ts';
import {
  byLength,
  extractBasis,
  type PairGradients,
  type PairTokens,
  pairGradientsInParts,
  type RawBasis,
  selectPairs,
} from '../../algorithms/extraction.ts';
import { heldOutAgreement } from '../../algorithms/held-out.ts';
import type { AdapterLayout, Policy } from '../../engine/types.ts';
import type { ContrastivePair } from '../../environments/code/pairs.ts';
import { pairsOf } from '../../environments/pair-sets.ts';
import { drained } from '../../lib/drained.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { pairIds } from '../../text/codec.ts';
import type { ControlSpec } from '../config/controls.ts';
import { OWN_PAIRS } from '../config/environments.ts';
import { promptSettingsOf } from '../config/options/prompts.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { ALONE, type SharedWork } from '../parallel/shared-cache.ts';
import { type ArtifactStore, contentKey } from '../records/artifacts.ts';
import type { LabEvent } from '../records/events.ts';
import type { RunBases } from './bases.ts';
import { type BasisRecipe, checkControls, recipeOf, setKey } from './recipe.ts';

interface BasisPorts {
  policy: Policy;
  codec: PromptCodec;
  artifacts: ArtifactStore | null;
  modelSha256: string;
  /** All runs of this experiment on this model, including finished ones. */
  planned?: readonly RunSpec[];
  /** Shared by parallel runs, so that one of them computes the gradients. */
  common?: SharedWork;
  signal?: AbortSignal;
}

/** Labelled pairs with the gradient of each completion; held-out pairs come last. */
export interface PairSet {
  pairs: readonly ContrastivePair[];
  tokens: readonly PairTokens[];
  /** Gradients of the mean NLL, on one model. */
  gradients: PairGradients;
}

/** Most elements (64 MiB) of gradients that stay in memory for the experiment's other runs. */
const SMALL = 2 ** 24;

export class BasisBuilder {
  readonly #ports: BasisPorts;
  readonly #pairs = new Map<string, readonly ContrastivePair[]>();
  /** Gradients of pair sets on the untrained model, by set. */
  readonly #untrained = new Map<string, PairSet>();
  readonly #saved = new Set<string>();

  constructor(ports: BasisPorts) {
    this.#ports = ports;
  }

  /** Builds the run's initial bases, and the function that re-extracts them. A `random_matched` control has none yet. */
  async *build(spec: RunSpec): AsyncGenerator<LabEvent, RunBases> {
    checkControls(spec, spec.shadows);
    const controls: { spec: ControlSpec; basis: HackBasis }[] = [];
    yield* this.together(spec);
    const own = yield* this.#first(spec, null);
    if (own.axes === 0 && spec.projection !== 'none') throw noAxis(recipeOf(spec, null));
    for (const control of spec.shadows) {
      if (control.kind === 'random_matched') continue;
      controls.push({ spec: control, basis: yield* this.#first(spec, control) });
    }
    await this.#save(spec);
    this.#forget(setKey(recipeOf(spec, null)));
    return {
      own,
      shadows: controls,
      extract: (control, adapterParams, step) => this.extract(spec, control, adapterParams, step),
    };
  }

  /** Extracts a control's basis (null: the run's own) on the model with these adapter parameters, after `step` steps. The policy is left there. */
  async extract(
    spec: RunSpec,
    control: ControlSpec | null,
    adapterParams: Float32Array,
    step: number,
  ): Promise<HackBasis> {
    const recipe = recipeOf(spec, control);
    return this.#inUse(recipe, await this.#raw(recipe, () => this.#gradientsAt(recipe, adapterParams), step), step);
  }

  /** The recipe's pairs, held-out ones last; throws SpecError for an unknown set. */
  async pairsOf(recipe: BasisRecipe): Promise<readonly ContrastivePair[]> {
    const { pairSet, pairModes, pairs: count, modes, dataSeed, model, families } = recipe;
    const key = setKey(recipe);
    const known = this.#pairs.get(key);
    if (known) return known;
    const pairs = pairSet.startsWith(OWN_PAIRS)
      ? await this.#ownPairs(recipe)
      : await pairsOf({ pairSet, pairModes, count, modes, dataSeed, model, families });
    this.#pairs.set(key, pairs);
    return pairs;
  }

  /** The pairs that a basis is made of: without held-out ones and those of a left-out mode. */
  async usedPairs(recipe: BasisRecipe): Promise<ContrastivePair[]> {
    const pairs = await this.pairsOf(recipe);
    return usedPairs(pairs, recipe).map((i) => pairs[i]);
  }

  async *#first(spec: RunSpec, control: ControlSpec | null): AsyncGenerator<LabEvent, HackBasis> {
    const recipe = recipeOf(spec, control);
    const set = recipe.from === 'pairs' ? yield* this.onUntrained(recipe) : null;
    // While a control's pairs are processed, only the run's own gradients stay in memory.
    if (set) this.#forget(setKey(recipeOf(spec, null)), setKey(recipe));
    return this.#inUse(recipe, await this.#raw(recipe, async () => set as PairSet, 0), 0);
  }

  /** Directions before the noise floor; for a random control, those whose number it matches. */
  async #raw(recipe: BasisRecipe, gradients: () => Promise<PairSet>, step: number): Promise<RawBasis> {
    if (recipe.from === 'file') {
      const imported = await this.#imported(recipe.basisFile);
      return recipe.control === 'flipped' ? flipBasis(imported) : imported;
    }
    const set = await gradients();
    return directionsOf(set, usedPairs(set.pairs, recipe), recipe, this.#ports.policy.adapterLayout, step);
  }

  #inUse(recipe: BasisRecipe, raw: RawBasis, step: number): HackBasis {
    return usedBasis(raw, recipe, this.#ports.policy.adapterLayout, step);
  }

  /** The recipe's pairs with their gradients on the untrained model, computed once. */
  async *onUntrained(recipe: BasisRecipe): AsyncGenerator<LabEvent, PairSet> {
    const key = setKey(recipe);
    return this.#untrained.get(key) ?? (yield* this.#make(recipe));
  }

  /** Computes the gradients of all pair sets of the run before any basis. Each parallel run begins with a set that no other worker is
   *  computing; the run's own pairs, which the other runs need too, come last. */
  async *together(spec: RunSpec): AsyncGenerator<LabEvent, void> {
    const { common, policy } = this.#ports;
    if (!common || common === ALONE) return;
    const recipes = [...spec.shadows.filter(({ kind }) => kind !== 'random_matched'), null]
      .map((control) => recipeOf(spec, control))
      .filter(({ from, pairs }) => from === 'pairs' && 2 * pairs * policy.adapterLayout.total <= SMALL);
    const left = new Map(recipes.map((recipe) => [setKey(recipe), recipe]));
    const own = setKey(recipeOf(spec, null));
    const last = left.get(own);
    left.delete(own);
    if (last) left.set(own, last);
    for (const key of this.#untrained.keys()) left.delete(key);
    while (left.size > 0) {
      const { key, made } = await common.next([...left.keys()].map(gradientsOf));
      const recipe = [...left.values()].find((one) => gradientsOf(setKey(one)) === key)!;
      left.delete(setKey(recipe));
      if (made) this.#untrained.set(setKey(recipe), await this.#setOf(recipe, made.value as PairGradients));
      else await common.keep(key, (yield* this.#make(recipe)).gradients);
    }
  }

  async *#make(recipe: BasisRecipe): AsyncGenerator<LabEvent, PairSet> {
    yield progress(0, recipe.pairs);
    const parts = this.#gradientsInParts(recipe, this.#ports.policy.initialAdapterParams);
    let next = await parts.next();
    try {
      for (; !next.done; next = await parts.next()) yield progress(next.value, recipe.pairs);
    } finally {
      // A generator that is abandoned between two halves frees the first one's device memory.
      if (!next.done) await parts.return(undefined as never);
    }
    this.#untrained.set(setKey(recipe), next.value);
    yield progress(recipe.pairs, recipe.pairs);
    return next.value;
  }

  /** Drops the gradients of all other pair sets if together they are large (real models, LoRA). */
  #forget(...kept: string[]): void {
    let elements = 0;
    for (const { gradients } of this.#untrained.values())
      elements += 2 * gradients.hack.length * this.#ports.policy.adapterLayout.total;
    if (elements <= SMALL) return;
    for (const key of [...this.#untrained.keys()]) if (!kept.includes(key)) this.#untrained.delete(key);
  }

  #gradientsAt(recipe: BasisRecipe, adapterParams: Float32Array): Promise<PairSet> {
    return drained(this.#gradientsInParts(recipe, adapterParams));
  }

  async *#gradientsInParts(recipe: BasisRecipe, adapterParams: Float32Array): AsyncGenerator<number, PairSet> {
    const { policy, signal } = this.#ports;
    const set = await this.#tokensOf(recipe);
    policy.setAdapterParams(adapterParams);
    return { ...set, gradients: yield* pairGradientsInParts(policy, set.tokens, signal) };
  }

  async #setOf(recipe: BasisRecipe, gradients: PairGradients): Promise<PairSet> {
    return { ...(await this.#tokensOf(recipe)), gradients };
  }

  async #tokensOf(recipe: BasisRecipe): Promise<Omit<PairSet, 'gradients'>> {
    const { codec } = this.#ports;
    const pairs = await this.pairsOf(recipe);
    const tokens = pairs.map((pair) => pairIds(codec, pair));
    return { pairs, tokens };
  }

  async #ownPairs({ pairSet, pairModes, pairs: count }: BasisRecipe): Promise<ContrastivePair[]> {
    const kept = await this.#ports.artifacts?.loadPairs(pairSet);
    if (!kept)
      throw new SpecError(
        `no pair set has the id ${JSON.stringify(pairSet)}`,
        'Import or write it again, or choose another.',
      );
    const chosen =
      pairModes.length > 0 ? kept.filter(({ mechanism }) => mechanism && pairModes.includes(mechanism)) : kept;
    return chosen.slice(0, count);
  }

  async #imported(id: string): Promise<RawBasis> {
    const basis = await this.#ports.artifacts?.loadBasis(id);
    if (basis) return basis;
    throw new SpecError(
      `no imported basis has the id ${JSON.stringify(id)}`,
      'Import the file again, or choose another.',
    );
  }

  /** Saves the directions of the run's own pairs, as many as any run with these pairs uses, so that the file does not depend on the run. */
  async #save(spec: RunSpec): Promise<void> {
    const { artifacts, policy, modelSha256, planned = [] } = this.#ports;
    const recipe = { ...recipeOf(spec, null), control: 'none' } as const;
    const set = this.#untrained.get(setKey(recipe));
    if (!artifacts || recipe.from === 'file' || !set) return;
    const { tauAxis, nHeldout, basisKind, basisLoss, solveOrth } = recipe;
    const settingsKey = settingsOf(recipe);
    if (this.#saved.has(settingsKey)) return;
    this.#saved.add(settingsKey);
    const alike = planned.filter((other) => settingsOf(recipeOf(other, null)) === settingsKey);
    const ks = [spec, ...alike].flatMap((own) => [own.k, ...own.shadows.map((control) => control.k)]);
    const k = basisKind === 'mean_diff' ? 1 : Math.max(...ks);
    const mine = usedPairs(set.pairs, recipe);
    const info = {
      k,
      nPairs: mine.length,
      tauAxis,
      nHeldout,
      modelSha256,
      pairsSha256: await contentKey(mine.map((i) => set.pairs[i])),
      // Defaults are left out, so that a default basis keeps its key.
      ...(basisKind === 'svd' ? {} : { basisKind }),
      ...(basisLoss === 'nll' ? {} : { basisLoss }),
      ...(solveOrth === 0 ? {} : { solveOrth }),
    };
    const prompts = promptSettingsOf(spec);
    const key = await contentKey(Object.keys(prompts).length === 0 ? info : { ...info, prompts });
    const raw = await this.#raw({ ...recipe, k }, async () => set, 0);
    // Without projection a run's basis may have no axis; such a file would be useless.
    if ([...raw.values()].every(({ V }) => V.every((x) => x === 0))) return;
    const of = (indices: number[]) =>
      heldOutAgreement(raw, selectPairs(weighted(set, recipe), indices), policy.adapterLayout).hackward;
    const [own, heldOut] = [of(mine), of(heldOutOf(set.pairs, recipe))];
    const votes = Object.fromEntries(
      Object.keys(own).map((name) => [name, { used: own[name], heldout: heldOut[name] }]),
    );
    await artifacts.saveBasis({ key, ...info, votes }, raw);
  }
}

/** The error for a basis without axes: the run would equal vanilla under the method's name. */
function noAxis({ from, k, tauAxis, nHeldout, pairs, dropBottomFrac }: BasisRecipe): SpecError {
  const [made, remedy] =
    from === 'file'
      ? ['the imported file', 'Raise k to reach an axis that is not zero, lower dropBottomFrac, or use another basis.']
      : [
          `${pairs - nHeldout} pairs with tauAxis = ${tauAxis}`,
          'Use pairs whose hack and clean completions differ, or lower tauAxis.',
        ];
  return new SpecError(
    `The basis has no axis: the first k = ${k} of each module, from ${made}, are zero or below the noise floor (dropBottomFrac = ${dropBottomFrac}).`,
    remedy,
  );
}

/** Key of the saved directions; recipes with equal settings share them. */
const settingsOf = (recipe: BasisRecipe): string => {
  const { nHeldout, tauAxis, basisKind, basisLoss, solveOrth } = recipe;
  return JSON.stringify([setKey(recipe), nHeldout, tauAxis, basisKind, basisLoss, solveOrth]);
};

const gradientsOf = (set: string): string => `gradients ${set}`;

/** Directions, before the noise floor, of the pairs at `indices`; a control's labels are permuted, or its directions flipped. */
export function directionsOf(
  set: PairSet,
  indices: readonly number[],
  recipe: BasisRecipe,
  layout: AdapterLayout,
  step = 0,
): RawBasis {
  const chosen = selectPairs(weighted(set, recipe), indices);
  const labelled = recipe.control === 'permuted' ? permuteLabels(chosen, recipe.seed, step) : chosen;
  const raw = extractBasis(labelled, layout, recipe);
  return recipe.control === 'flipped' ? flipBasis(raw) : raw;
}

/** The basis that projects: k axes per module after the noise floor; for a random control, as many random axes. */
export function usedBasis(raw: RawBasis, recipe: BasisRecipe, layout: AdapterLayout, step = 0): HackBasis {
  const basis = basisInUse(raw, layout, recipe);
  return recipe.control === 'random' ? randomBasis(basis, layout, recipe.seed, step) : basis;
}

/** Indices of the pairs that make the basis. */
export function usedPairs(pairs: readonly ContrastivePair[], { nHeldout, leaveOut }: BasisRecipe): number[] {
  const indices = Array.from({ length: Math.max(0, pairs.length - nHeldout) }, (_, i) => i);
  return leaveOut === null ? indices : indices.filter((i) => pairs[i].mechanism !== leaveOut);
}

function heldOutOf(pairs: readonly ContrastivePair[], { nHeldout }: BasisRecipe): number[] {
  return Array.from(pairs.keys()).slice(Math.max(0, pairs.length - nHeldout));
}

function weighted({ gradients, tokens }: PairSet, { basisLoss }: BasisRecipe): PairGradients {
  return basisLoss === 'grpo' ? byLength(gradients, tokens) : gradients;
}

function progress(done: number, total: number): LabEvent {
  return { type: 'prepare', what: 'hack basis', done, total };
}
