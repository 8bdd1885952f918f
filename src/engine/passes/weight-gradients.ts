// Collects ∂L/∂W of every weight from one backward pass: dW = dyᵀ x of every Linear, the gradients of norms and biases, and that of the
// embedding (with a tied head also from the logits). Pretraining (trainer.ts) and the adapter `full` use it.
import type { Device, DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import type { Arena } from '../arena.ts';
import type { ModelConfig } from '../types.ts';
import { EMBEDDING, HEAD, weightShapes } from '../weight-names.ts';
import type { HeadGradients } from './batch.ts';
import type { GradientSink } from './layer.ts';
import type { Packed } from './packing.ts';

interface Held {
  buffer: DeviceBuffer;
  length: number;
}

export class WeightGradients {
  private readonly held = new Map<string, Held>();

  constructor(
    private readonly device: Device,
    private readonly config: ModelConfig,
  ) {
    for (const [name, shape] of weightShapes(config)) {
      const length = shape.reduce((a, b) => a * b, 1);
      this.held.set(name, { buffer: device.alloc(length, 'f32', `${name} gradient`), length });
    }
  }

  /** Gradient of a weight, by its Hugging Face name. */
  of(name: string): DeviceBuffer {
    return this.held.get(name)!.buffer;
  }

  /** Collects the gradient of one packed batch, overwriting the previous one. `backward` returns dx [rows, d] of the embeddings. */
  collect(arena: Arena, packed: Packed, backward: (sink: GradientSink, head: HeadGradients) => DeviceBuffer): void {
    const { device, config } = this;
    for (const { buffer, length } of this.held.values()) ops.fill(device, { x: buffer, n: length, value: 0 });
    const embedding = this.of(EMBEDDING);
    const sink: GradientSink = {
      stopsAtFirstLayer: false,
      small: (name) => this.held.get(name)?.buffer ?? null,
      linear: (name, a, b, m, n, of) =>
        ops.matmul(device, { a, b, c: this.of(`${name}.weight`), m, n, k: of?.rows ?? packed.rows, ta: 1, beta: 1 }),
    };
    const dy = backward(sink, {
      lmHead: config.tied ? embedding : this.of(HEAD),
      finalNorm: this.of('model.norm.weight'),
    });
    const { starts, order } = rowsByToken(packed, config.vocab);
    ops.embedGrad(device, {
      dy,
      starts: arena.put('embed.starts', starts),
      order: arena.put('embed.order', order),
      dTable: embedding,
      vocab: config.vocab,
      dim: config.hiddenSize,
    });
  }

  free(): void {
    for (const { buffer } of this.held.values()) buffer.free();
  }
}

/** The rows of token v, ascending, are order[starts[v] … starts[v + 1]): starts [vocab + 1], order [rows]. */
function rowsByToken({ ids, rows }: Packed, vocab: number): { starts: Uint32Array; order: Uint32Array } {
  const starts = new Uint32Array(vocab + 1);
  for (const id of ids) starts[id + 1]++;
  for (let v = 0; v < vocab; v++) starts[v + 1] += starts[v];
  const next = starts.slice(0, vocab);
  const order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[next[ids[row]]++] = row;
  return { starts, order };
}
