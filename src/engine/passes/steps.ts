// Steps of a layer's backward pass that attention and linear layers share.
import type { DeviceBuffer } from '../../kernels/device.ts';
import { ops } from '../../kernels/ops.ts';
import { type LinearRole, linearShape, moduleName } from '../weight-names.ts';
import type { GradientSink, SomeRows } from './layer.ts';
import type { LayerContext } from './linears.ts';

/** `room`: number of rows for which scratch is allocated, the same for all layers. */
export function steps(
  { device, config, weights, arena }: LayerContext,
  layer: number,
  room: number,
  sink: GradientSink,
) {
  const norm = (name: string) => `model.layers.${layer}.${name}.weight`;
  return {
    take: (name: string, width: number) => arena.take(`grad.${name}`, room * width),
    toSink(role: LinearRole, dy: DeviceBuffer, x: DeviceBuffer, of?: SomeRows) {
      const [dOut, dIn] = linearShape(config, role);
      const name = moduleName(layer, role);
      sink.linear(name, dy, x, dOut, dIn, of);
      const bias = sink.small(`${name}.bias`);
      if (bias) ops.colSum(device, { x: dy, out: bias, rows: of?.rows ?? room, cols: dOut, beta: 1 });
    },
    /** dIn (+)= dy W */
    through(role: LinearRole, dy: DeviceBuffer, c: DeviceBuffer, rows: number, beta = 0) {
      const [dOut, dIn] = linearShape(config, role);
      const product = { a: dy, c, m: rows, n: dIn, k: dOut, beta };
      weights.productBack(`${moduleName(layer, role)}.weight`, product, arena);
    },
    normBackward(
      name: string,
      { x, rstd, dy, dx }: Record<'x' | 'rstd' | 'dy' | 'dx', DeviceBuffer>,
      size: { rows: number; dim: number; beta: number },
    ) {
      const dw = sink.small(norm(name));
      if (dw) ops.rmsnormDw(device, { x, rstd, dy, dw, ...size, beta: 1 });
      ops.rmsnormDx(device, { x, w: weights.get(norm(name)), rstd, dy, dx, ...size });
    },
  };
}
