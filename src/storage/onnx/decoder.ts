// A decoder of the Qwen3 / Qwen2 / Llama family as an ONNX graph with a key/value cache. Inputs and outputs have the names of
// onnx-community's exports, which transformers.js and other runtimes expect; the operators are basic ones of opset 17, which every execution
// provider has. Initializers keep Hugging Face's names, shapes and order of elements.
//
//   input_ids, position_ids [B, S], attention_mask [B, T] (T = past + S), past_key_values.N.key/value [B, kvHeads, past, headDim]
//   → logits [B, S, vocab], present.N.key/value [B, kvHeads, T, headDim]

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { ropeTables } from '../../engine/rope.ts';
import type { ModelConfig, Weights } from '../../engine/types.ts';
import { type LinearRole, moduleName } from '../../engine/weight-names.ts';
import { GraphBuilder, type OnnxFile } from './graph.ts';

/** Added to the score of a masked key. It is finite, so that a row of only padding gives no NaN. */
const UNSEEN = -1e30;
const [BATCH, SEQUENCE, PAST, TOTAL] = [
  'batch_size',
  'sequence_length',
  'past_sequence_length',
  'past_sequence_length + sequence_length',
];

interface DecoderOptions {
  /** Name of the weight file beside the model; null stores weights inside it (up to 2 GiB). */
  externalFile?: string | null;
  /** Written into the file (metadata_props). */
  metadata?: Readonly<Record<string, string>>;
}

/** Throws FormatError if a weight is missing or the file would be too large. */
export function decoderOnnx(config: ModelConfig, weights: Weights, options: DecoderOptions = {}): OnnxFile {
  if (config.layerTypes)
    throw new FormatError(
      `${config.architecture} cannot be written as ONNX: its linear layers have no graph here.`,
      'Export it with --format hf or peft.',
    );
  const g = new GraphBuilder(config.architecture, options.externalFile ?? null);
  const decoder = new Decoder(g, config, weights);
  decoder.build();
  return g.finish('projected-grpo-lab', options.metadata ?? {});
}

class Decoder {
  private readonly heads: number;
  constructor(
    private readonly g: GraphBuilder,
    private readonly config: ModelConfig,
    private readonly weights: Weights,
  ) {
    this.heads = config.heads / config.kvHeads;
  }

  /** Rows are [B·S, width] except in attention, so that Gemm takes a Linear's weight as stored, [dOut, dIn]. */
  build(): void {
    const { g, config } = this;
    const { hiddenSize, layers, vocab, kvHeads, headDim, tied } = config;
    const ids = g.input('input_ids', 'i64', [BATCH, SEQUENCE]);
    const mask = g.input('attention_mask', 'i64', [BATCH, TOTAL]);
    const positions = g.input('position_ids', 'i64', [BATCH, SEQUENCE]);
    const cache = Array.from({ length: layers }, (_, layer) =>
      (['key', 'value'] as const).map((kind) =>
        g.input(`past_key_values.${layer}.${kind}`, 'f32', [BATCH, kvHeads, PAST, headDim]),
      ),
    );
    const shape = g.node('Shape', [ids]);
    const context = { shape, bias: this.maskOf(ids, mask), ...this.angles(positions), cache };

    let x = g.node('Gather', [this.weight('model.embed_tokens.weight'), ids]);
    x = g.node('Reshape', [x, g.constant([-1, hiddenSize])]);
    for (let layer = 0; layer < layers; layer++) x = this.layer(layer, x, context);
    x = this.norm(x, 'model.norm.weight');
    const head = this.weight(tied ? 'model.embed_tokens.weight' : 'lm_head.weight');
    const logits = g.node('Gemm', [x, head], { transB: 1 });
    g.node('Reshape', [logits, this.sizes(shape, [vocab])], {}, 'logits');
    g.output('logits', 'f32', [BATCH, SEQUENCE, vocab]);
    for (let layer = 0; layer < layers; layer++) {
      for (const kind of ['key', 'value'])
        g.output(`present.${layer}.${kind}`, 'f32', [BATCH, kvHeads, TOTAL, headDim]);
    }
  }

  private layer(layer: number, x: string, context: Context): string {
    const { g } = this;
    const prefix = `model.layers.${layer}`;
    const attended = this.attention(layer, this.norm(x, `${prefix}.input_layernorm.weight`), context);
    const middle = g.node('Add', [x, this.linear(layer, 'o_proj', attended)]);
    const h = this.norm(middle, `${prefix}.post_attention_layernorm.weight`);
    const gate = this.linear(layer, 'gate_proj', h);
    const silu = g.node('Mul', [gate, g.node('Sigmoid', [gate])]);
    const act = g.node('Mul', [silu, this.linear(layer, 'up_proj', h)]);
    return g.node('Add', [middle, this.linear(layer, 'down_proj', act)]);
  }

  /** [B·S, hiddenSize] → [B·S, heads·headDim]. Query heads are [kvHeads, heads of a group], so that keys are not repeated. */
  private attention(layer: number, h: string, { shape, bias, cos, sin, cache }: Context): string {
    const { g, config, heads } = this;
    const { kvHeads, headDim, qkNorm } = config;
    const own = `model.layers.${layer}.self_attn`;
    const split = (role: LinearRole, groups: readonly number[]) =>
      g.node('Reshape', [this.linear(layer, role, h), this.sizes(shape, [...groups, headDim])]);
    const normed = (value: string, which: 'q_norm' | 'k_norm') =>
      qkNorm ? this.norm(value, `${own}.${which}.weight`) : value;

    // q is [B, S, kvHeads, group, headDim]; keys and values have a group of one.
    const q = this.rotate(normed(split('q_proj', [kvHeads, heads]), 'q_norm'), cos, sin);
    const k = this.rotate(normed(split('k_proj', [kvHeads, 1]), 'k_norm'), cos, sin);
    const v = split('v_proj', [kvHeads, 1]);
    const present = ([k, v] as const).map((value, i) => {
      const kind = i === 0 ? 'key' : 'value';
      const flat = g.node('Reshape', [value, this.sizes(shape, [kvHeads, headDim])]);
      const row = g.node('Transpose', [flat], { perm: [0, 2, 1, 3] });
      const all = g.node('Concat', [cache[layer][i], row], { axis: 2 }, `present.${layer}.${kind}`);
      return g.node('Unsqueeze', [all, g.constant([2])]);
    });
    const queries = g.node('Mul', [
      g.node('Transpose', [q], { perm: [0, 2, 3, 1, 4] }),
      g.constant({ float: 1 / Math.sqrt(headDim) }),
    ]);
    const keys = g.node('Transpose', [present[0]], { perm: [0, 1, 2, 4, 3] });
    // The scores are [B, kvHeads, group, S, T].
    const scores = g.node('Add', [g.node('MatMul', [queries, keys]), bias]);
    const o = g.node('MatMul', [g.node('Softmax', [scores], { axis: -1 }), present[1]]);
    const rows = g.node('Transpose', [o], { perm: [0, 3, 1, 2, 4] });
    return g.node('Reshape', [rows, g.constant([-1, config.heads * headDim])]);
  }

  /** Mask added to scores, [B, 1, 1, S, T]: a row sees the unmasked positions up to its own. */
  private maskOf(ids: string, mask: string): string {
    const { g } = this;
    const scalar = (n: number) => g.constant({ int: n });
    const length = (value: string) => g.node('Gather', [g.node('Shape', [value]), scalar(1)], { axis: 0 });
    const total = length(mask);
    const slots = g.node('Range', [scalar(0), total, scalar(1)]);
    const first = g.node('Sub', [total, length(ids)]);
    const own = g.node('Unsqueeze', [g.node('Range', [first, total, scalar(1)]), g.constant([1])]);
    const before = g.node('LessOrEqual', [slots, own]);
    const there = g.node('Greater', [g.node('Unsqueeze', [mask, g.constant([1, 2, 3])]), scalar(0)]);
    const seen = g.node('And', [there, before]);
    return g.node('Where', [seen, g.constant({ float: 0 }), g.constant({ float: UNSEEN })]);
  }

  /** cos and sin of the rows' positions, [B, S, 1, 1, headDim/2], from the engine's own tables: they are made in double precision, and so are
   *  exact at far positions too, where f32 angles are not. */
  private angles(positions: string): { cos: string; sin: string } {
    const { g, config } = this;
    const tables = ropeTables(config);
    const at = (name: 'cos' | 'sin') => {
      const shape = [config.maxPositions, config.headDim / 2];
      const table = g.weight(`rope.${name}`, shape, Float32Array.from(tables[name]));
      return g.node('Unsqueeze', [g.node('Gather', [table, positions]), g.constant([2, 3])]);
    };
    return { cos: at('cos'), sin: at('sin') };
  }

  /** Rotates the two halves of a head's dimensions against each other (rotate_half). */
  private rotate(x: string, cos: string, sin: string): string {
    const { g } = this;
    const [a, b] = g.nodes('Split', [x], { axis: -1 }, 2);
    const times = (left: string, right: string) => g.node('Mul', [left, right]);
    const low = g.node('Sub', [times(a, cos), times(b, sin)]);
    const high = g.node('Add', [times(b, cos), times(a, sin)]);
    return g.node('Concat', [low, high], { axis: -1 });
  }

  /** RMSNorm over the last axis. */
  private norm(x: string, weight: string): string {
    const { g, config } = this;
    const mean = g.node('ReduceMean', [g.node('Mul', [x, x])], { axes: [-1], keepdims: 1 });
    const root = g.node('Sqrt', [g.node('Add', [mean, g.constant({ float: config.rmsEps })])]);
    return g.node('Mul', [g.node('Div', [x, root]), this.weight(weight)]);
  }

  private linear(layer: number, role: LinearRole, x: string): string {
    const name = moduleName(layer, role);
    const bias = this.weights.has(`${name}.bias`) ? [this.weight(`${name}.bias`)] : [];
    return this.g.node('Gemm', [x, this.weight(`${name}.weight`), ...bias], { transB: 1 });
  }

  /** Shape [B, S, …rest] as a tensor. */
  private sizes(shape: string, rest: readonly number[]): string {
    return this.g.node('Concat', [shape, this.g.constant(rest)], { axis: 0 });
  }

  private weight(name: string): string {
    const found = this.weights.get(name);
    if (!found) {
      throw new FormatError(
        `the weights have no tensor "${name}"`,
        'Check that weights and config.json belong together.',
      );
    }
    return this.g.weight(name, found.shape, found.data);
  }
}

interface Context {
  /** Shape [B, S] as a tensor of two numbers. */
  shape: string;
  bias: string;
  cos: string;
  sin: string;
  /** Names of the past keys and values, by layer. */
  cache: readonly (readonly string[])[];
}
