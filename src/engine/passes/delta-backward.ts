// The backward pass of a linear layer's mixer. It recomputes the states that completions inherit from their prompts, since a batch has
// room for the states of only one layer at a time.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { deltaSizes } from '../layer-types.ts';
import { convolve, convParts, ruleShape } from './delta.ts';
import type { DeltaActivations } from './delta-widths.ts';
import type { GradientSink } from './gradient-sink.ts';
import type { LayerContext } from './linears.ts';
import type { RunMeta } from './runs.ts';
import { steps } from './steps.ts';

interface MixerGradients {
  rows: number;
  runs: RunMeta;
  /** [rows, values] Gradient of the mixer's output; overwritten. */
  dO: DeviceBuffer;
  /** [rows, d] Gradient of the residual stream after the mixer on entry, of the layer's input on return. */
  dx: DeviceBuffer;
}

export function deltaBackward(
  ctx: LayerContext,
  layer: number,
  acts: DeltaActivations,
  { rows, runs, dO, dx }: MixerGradients,
  sink: GradientSink,
): void {
  const { device, config, weights } = ctx;
  const { take, toSink, through, normBackward } = steps(ctx, layer, rows, sink);
  const sizes = deltaSizes(config);
  const { channels, keys, keyHeads, keyDim, values, valueDim, valueHeads: heads, convWidth: taps } = sizes;
  const prefix = `model.layers.${layer}.linear_attn`;
  const weight = (name: string) => weights.get(`${prefix}.${name}`);
  const { mixed: m, z, a, b, qk, gates, normed, rstdO, read, h1 } = acts;

  // Backward through w · norm(read) · silu(z): dO becomes the gradient of the delta rule's output.
  const dZ = take('z', values);
  const dNormed = take('normed', values);
  ops.swigluGrad(device, { gate: z, up: normed, dOut: dO, dGate: dZ, dUp: dNormed, n: rows * values });
  normBackward(
    'linear_attn.norm',
    { x: read, rstd: rstdO, dy: dNormed, dx: dO },
    { rows: rows * heads, dim: valueDim, beta: 0 },
  );

  // Recomputes the states after the prompts. The rule's output goes to dNormed, which is no longer needed.
  const dQk = take('qk', 2 * keys);
  const { states, past } = runs.statesOf(layer);
  const rule = { qk, v: acts.values, runs: runs.table, states, rows, ...ruleShape(sizes) };
  for (const call of runs.calls.slice(0, -1)) {
    convolve(ctx, layer, runs, call, { mixed: m, qkRaw: dQk, values: dNormed }, rows);
    ops.deltaRule(device, { ...rule, gates, o: dNormed, ...call });
  }

  const dGates = take('gates', 2 * heads);
  ops.copy(device, { src: gates, dst: dGates, n: rows * 2 * heads });
  const back = [...runs.calls].reverse();
  for (const call of back) ops.deltaRuleGrad(device, { ...rule, gates: dGates, dOV: dO, dQk, ...call });

  const [dA, dB] = [take('a', heads), take('b', heads)];
  const [aLog, dtBias] = [weight('A_log'), weight('dt_bias')];
  ops.deltaGatesGrad(device, { a, b, aLog, dtBias, dGates, dA, dB, rows, heads });

  gateGradients(ctx, prefix, { dA, dGates, gates, rows }, sink);

  const dQkRaw = take('qkRaw', 2 * keys);
  const unit = { x: acts.qkRaw, w: weights.unitKeys, rstd: acts.rstdQk, rows: rows * 2 * keyHeads, dim: keyDim };
  ops.rmsnormDx(device, { ...unit, dy: dQk, dx: dQkRaw });
  const dM = take('mixed', channels);
  const parts = convParts(sizes);
  const conv = { m, w: weight('conv1d.weight'), runs: runs.table, past, rows, width: channels, taps };
  const dW = sink.small(`${prefix}.conv1d.weight`);
  for (const call of back)
    for (const part of [
      { ...parts.qkRaw, dOut: dQkRaw },
      { ...parts.values, dOut: dO },
    ]) {
      if (dW) ops.convSiluDw(device, { ...conv, ...part, dW, ...call });
      ops.convSiluGrad(device, { ...conv, ...part, dM, ...call });
    }

  toSink('in_proj_qkv', dM, h1);
  toSink('in_proj_z', dZ, h1);
  toSink('in_proj_b', dB, h1);
  toSink('in_proj_a', dA, h1);
  if (layer === 0 && sink.stopsAtFirstLayer) return;
  const dh = take('h', config.hiddenSize);
  through('in_proj_qkv', dM, dh, rows);
  through('in_proj_z', dZ, dh, rows, 1);
  through('in_proj_b', dB, dh, rows, 1);
  through('in_proj_a', dA, dh, rows, 1);
  normBackward(
    'input_layernorm',
    { x: acts.x, rstd: acts.rstd1, dy: dh, dx },
    { rows, dim: config.hiddenSize, beta: 1 },
  );
}

/** When all weights are trained, collects the gradients Σ dg · g of A_log and Σ da of dt_bias. */
function gateGradients(
  { device, arena, config }: LayerContext,
  prefix: string,
  { dA, dGates, gates, rows }: { dA: DeviceBuffer; dGates: DeviceBuffer; gates: DeviceBuffer; rows: number },
  sink: GradientSink,
): void {
  const { valueHeads: heads } = deltaSizes(config);
  const [dLog, dBias] = [sink.small(`${prefix}.A_log`), sink.small(`${prefix}.dt_bias`)];
  if (!dLog || !dBias) return;
  ops.colSum(device, { x: dA, out: dBias, rows, cols: heads, beta: 1 });
  const both = arena.take('grad.logs', 2 * heads);
  ops.adapterGrad(device, { p: dGates, q: gates, out: both, rows, r: 2 * heads });
  ops.moveCols(device, { src: both, dst: dLog, rows: heads, cols: 1, srcStride: 2, dstStride: 1 });
}
