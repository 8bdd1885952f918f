// Extracts the basis of every form of pairs at the untrained model. A longer list of pairs begins with the shorter one, and the sets with and
// without asserts have the same hacks. Each text's gradient is therefore computed once: three texts per pair instead of eighteen.

import { LabError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { basisInUse, type HackBasis } from '../../../src/algorithms/basis.ts';
import { extractBasis, type PairGradients } from '../../../src/algorithms/extraction.ts';
import type { Policy } from '../../../src/engine/types.ts';
import type { ContrastivePair } from '../../../src/environments/code/pairs.ts';
import { pairsOf } from '../../../src/environments/pair-sets.ts';
import { recipeOf } from '../../../src/experiments/bases/recipe.ts';
import type { RunSpec } from '../../../src/experiments/config/run-spec.ts';
import { sampleGradients } from '../../../src/experiments/kinds/probe/samples.ts';
import type { LabEvent } from '../../../src/experiments/records/events.ts';
import { completionIds, givenIds, type PromptCodec } from '../../../src/text/codec.ts';
import { FORMS, type Form, formId, type SETS, SHOWN, type ShownMode } from './cells.ts';

export interface FormBasis {
  form: Form;
  pairs: readonly ContrastivePair[];
  basis: HackBasis;
}

/** Sets with the same hacks, tested and not. */
const FAMILIES = [
  ['prog_wide', 'prog_wide_untested'],
  ['prog_wider', 'prog_wider_untested'],
] as const satisfies readonly (readonly (typeof SETS)[number][])[];
/** Pairs per call of the device, so that a stop need not wait long. */
const AT_ONCE = 20;

/** Bases in the order of `forms`; `routed` has a control for each. Leaves the policy untrained. */
export async function* formBases(
  routed: RunSpec,
  { policy, codec, signal }: { policy: Policy; codec: PromptCodec; signal?: AbortSignal },
  forms: readonly Form[] = FORMS,
): AsyncGenerator<LabEvent, FormBasis[]> {
  policy.setAdapterParams(policy.initialAdapterParams);
  const all: { of: Pick<Form, 'set' | 'shows'>; pairs: readonly ContrastivePair[]; gradients: PairGradients }[] = [];
  const most = Math.max(...forms.map(({ pairs }) => pairs));
  const cells = SHOWN.flatMap((shows) => FAMILIES.map((sets) => ({ shows, sets }))).filter(({ shows, sets }) =>
    forms.some((form) => form.shows === shows && sets.some((set) => set === form.set)),
  );
  for (const [done, { shows, sets }] of cells.entries()) {
    yield { type: 'prepare', what: 'bases of all forms', done, total: cells.length };
    const [tested, untested] = await Promise.all(sets.map((pairSet) => pairsFor(routed, pairSet, shows, most)));
    const made = { hack: [] as Float32Array[], tested: [] as Float32Array[], untested: [] as Float32Array[] };
    for (let from = 0; from < most; from += AT_ONCE) {
      if (signal?.aborted) throw new StoppedError();
      const part = tested.slice(from, from + AT_ONCE).map((pair, i) => {
        const bare = untested[from + i];
        if (bare.hack !== pair.hack || bare.prompt !== pair.prompt)
          throw new LabError(`${sets.join(' and ')} differ in their hacks`, 'This is a fault in the lab.');
        return { prompt: pair.prompt, texts: [pair.hack, pair.clean, bare.clean] };
      });
      const samples = part.flatMap(({ prompt, texts }) =>
        texts.map((text) => ({ promptIds: givenIds(codec, prompt), completionIds: completionIds(codec, text) })),
      );
      const { gradients } = await sampleGradients(policy, samples, signal);
      for (let i = 0; i < gradients.length; i += 3) {
        made.hack.push(gradients[i]);
        made.tested.push(gradients[i + 1]);
        made.untested.push(gradients[i + 2]);
      }
    }
    const { hack } = made;
    all.push({ of: { set: sets[0], shows }, pairs: tested, gradients: { hack, clean: made.tested } });
    all.push({ of: { set: sets[1], shows }, pairs: untested, gradients: { hack, clean: made.untested } });
  }
  return forms.map((form) => {
    const { pairs, gradients } = all.find(({ of }) => of.set === form.set && of.shows === form.shows)!;
    const control = routed.shadows.find(({ id }) => id === formId(form))!;
    const recipe = recipeOf(routed, control);
    const first = { hack: gradients.hack.slice(0, form.pairs), clean: gradients.clean.slice(0, form.pairs) };
    const raw = extractBasis(first, policy.adapterLayout, recipe);
    return { form, pairs: pairs.slice(0, form.pairs), basis: basisInUse(raw, policy.adapterLayout, recipe) };
  });
}

const pairsFor = ({ modes, dataSeed, model }: RunSpec, pairSet: string, shows: ShownMode, count: number) =>
  pairsOf({ pairSet, count, modes, pairModes: [shows], dataSeed, model });
