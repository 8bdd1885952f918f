// The receiver of the two sides of every Linear's gradient, as a backward pass makes them.
import type { DeviceBuffer } from '../../kernels/device.ts';

/** Receives what each Linear's gradient is made of: dy [rows, dOut], x [rows, dIn]; with `bias`, dy's column sums too. `of`: the rows
 *  that they are of, where dy is zero in all others of the batch. */
export interface GradientSink {
  linear(name: string, dy: DeviceBuffer, x: DeviceBuffer, dOut: number, dIn: number, of?: SomeRows): void;
  /** Gradient buffers of the small weights (norms, biases), or null where only adapter parameters are trained. */
  small(name: string): DeviceBuffer | null;
  /** True if the gradient of the layer's own input is of no use (adapter parameters only, first layer). */
  readonly stopsAtFirstLayer: boolean;
}

/** Some rows of a batch, in ascending order, laid end to end. */
export interface SomeRows {
  rows: number;
  /** Row range of each segment among them. */
  segments: readonly { from: number; to: number }[];
}
