// The interface through which a backward pass hands over the two factors (dy, x) of every Linear's weight gradient.
import type { DeviceBuffer } from '../../kernels/device.ts';

/** Receives the factors of each Linear's weight gradient dyᵀ x: dy [rows, dOut], x [rows, dIn]. `of`: the rows that are given, if dy is
 *  zero in all others of the batch. */
export interface GradientSink {
  linear(name: string, dy: DeviceBuffer, x: DeviceBuffer, dOut: number, dIn: number, of?: SomeRows): void;
  /** Gradient buffers of the small weights (norms, biases), or null where only adapter parameters are trained. */
  small(name: string): DeviceBuffer | null;
  /** True if the gradient of the first layer's input is not needed, as when only adapter parameters are trained. */
  readonly stopsAtFirstLayer: boolean;
}

/** Some rows of a batch, in ascending order and contiguous in memory. */
export interface SomeRows {
  rows: number;
  /** Range of each segment within these rows. */
  segments: readonly { from: number; to: number }[];
}
