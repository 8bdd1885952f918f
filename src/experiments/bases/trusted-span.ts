// The basis of the trusted-subspace quarantine: the span of the gradients of trusted problems, whose graders are known to be correct. A gradient
// is that of a problem's reference solution (mean NLL); no hack is labelled, and no pairs are contrasted. What lies in the span is kept, the rest
// goes to the quarantine (SpanProjector). There is one span per module, or (spanOf = all) one of whole gradients: a basis with a single part as
// long as the adapter, which projection, overlaps and controls treat like a module. Gradients are used unscaled, or (spanMetric = adam) scaled
// as by Adam.

import { completionsAtOnce } from '../../algorithms/at-once.ts';
import { basisInUse, type HackBasis } from '../../algorithms/basis.ts';
import { randomBasis } from '../../algorithms/controls.ts';
import { modulesAsOne, spanBasis } from '../../algorithms/extraction.ts';
import { divideBy, ownDivisor } from '../../algorithms/trusted/span-metric.ts';
import { type Document, sequenceOf, trainedTokens } from '../../engine/objectives/documents.ts';
import type { Policy } from '../../engine/types.ts';
import type { PromptCodec } from '../../text/codec.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { tokensOf } from '../objectives/document-batch.ts';
import type { LabEvent } from '../records/events.ts';
import type { EnvironmentDocument } from '../step/environment.ts';
import { recipeOf } from './recipe.ts';

interface Ports {
  policy: Policy;
  codec: PromptCodec;
  signal?: AbortSignal;
}

export class TrustedSpan {
  readonly #ports: Ports;
  readonly #spec: RunSpec;
  readonly #texts: readonly Document[];

  constructor(ports: Ports, documents: readonly EnvironmentDocument[], spec: RunSpec) {
    this.#ports = ports;
    this.#spec = spec;
    const { maxPositions } = ports.policy.config;
    this.#texts = documents.flatMap((document) => tokensOf(document, ports.codec, maxPositions));
  }

  /** Builds the basis on the untrained model. */
  async *first(): AsyncGenerator<LabEvent, HackBasis> {
    const total = this.#texts.length;
    const progress = (done: number): LabEvent => ({ type: 'prepare', what: 'trusted basis', done, total });
    yield progress(0);
    const basis = await this.at(this.#ports.policy.initialAdapterParams, 0);
    yield progress(total);
    return basis;
  }

  /**
   * Builds the basis on the model with these adapter parameters, after `step` steps. `divisor`: that of the run's AdamW, for its metric; if
   * absent, the gradients' own. The policy is left there.
   */
  async at(adapterParams: Float32Array, step: number, divisor?: Float32Array): Promise<HackBasis> {
    const { adapterLayout } = this.#ports.policy;
    const layout = this.#spec.spanOf === 'all' ? modulesAsOne(adapterLayout) : adapterLayout;
    const recipe = recipeOf(this.#spec, null);
    const gradients = await this.#gradients(adapterParams);
    if (this.#spec.spanMetric === 'adam') divideBy(gradients, divisor ?? ownDivisor(gradients, this.#spec.adamEps));
    const raw = spanBasis(gradients, layout, recipe);
    const basis = basisInUse(raw, layout, recipe);
    return recipe.control === 'random' ? randomBasis(basis, layout, recipe.seed, step) : basis;
  }

  /** Returns the gradients of the mean NLL, one per solution. */
  async #gradients(adapterParams: Float32Array): Promise<Float32Array[]> {
    const { policy, signal } = this.#ports;
    policy.setAdapterParams(adapterParams);
    const gradients: Float32Array[] = [];
    const atOnce = completionsAtOnce(policy.adapterLayout.total);
    for (let from = 0; from < this.#texts.length; from += atOnce) {
      const chunk = this.#texts.slice(from, from + atOnce);
      const batch = await policy.score(
        chunk.map((text, segment) => ({ ...sequenceOf(text), segment })),
        chunk.length,
        signal,
      );
      try {
        gradients.push(
          ...(await batch.backward(
            chunk.map((text) => {
              const tokens = trainedTokens(text);
              return new Float32Array(tokens).fill(-1 / tokens);
            }),
          )),
        );
      } finally {
        batch.free();
      }
    }
    return gradients;
  }
}
