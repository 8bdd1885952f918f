// Quantization error: how far a packed model's logits are from those of its f32 weights, measured for each storage.
// storage-error.test.ts measures the figures again, so that the page and the docs stay correct.

import type { WeightStorage } from '../storage-layouts.ts';

/** Errors over all positions of the measured texts. */
export interface LogitError {
  positions: number;
  /** ‖logits − exact‖ / ‖exact‖, over all positions and the whole vocabulary. */
  relative: number;
  /** Number of positions whose most likely token changed. */
  changed: number;
  /** Mean KL(exact ‖ packed) of the next token's distribution, nats. */
  kl: number;
}

export const MEASURED_MODELS = ['minimind2-small', 'stories260K', 'tiny-coder'] as const;
type MeasuredModel = (typeof MEASURED_MODELS)[number];
export type MeasuredErrors = Readonly<Record<MeasuredModel, LogitError>>;

/** Measured on the CPU device, on texts that the models themselves generate. minimind2-small's file was made from 8-bit weights and
 *  tiny-coder's is in f16, so f16 changes neither. */
export const STORAGE_ERRORS: Readonly<Record<Exclude<WeightStorage, 'f32'>, MeasuredErrors>> = {
  f16: {
    'minimind2-small': { positions: 736, relative: 0, changed: 0, kl: 0 },
    stories260K: { positions: 672, relative: 0.0002501, changed: 0, kl: 5.423e-7 },
    'tiny-coder': { positions: 702, relative: 0, changed: 0, kl: 0 },
  },
  q8t16: {
    'minimind2-small': { positions: 736, relative: 0.0288077, changed: 22, kl: 0.003582 },
    stories260K: { positions: 672, relative: 0.006187, changed: 3, kl: 0.0003042 },
    'tiny-coder': { positions: 702, relative: 0.008322, changed: 9, kl: 0.0008023 },
  },
  q8g32: {
    'minimind2-small': { positions: 736, relative: 0.0315015, changed: 25, kl: 0.004315 },
    stories260K: { positions: 672, relative: 0.007109, changed: 3, kl: 0.0004171 },
    'tiny-coder': { positions: 702, relative: 0.0102, changed: 14, kl: 0.001182 },
  },
  q8: {
    'minimind2-small': { positions: 736, relative: 0.0345747, changed: 28, kl: 0.005264 },
    stories260K: { positions: 672, relative: 0.007893, changed: 6, kl: 0.0005865 },
    'tiny-coder': { positions: 702, relative: 0.01065, changed: 19, kl: 0.00119 },
  },
  q4g32: {
    'minimind2-small': { positions: 736, relative: 0.456848, changed: 359, kl: 0.8936 },
    stories260K: { positions: 672, relative: 0.10944, changed: 123, kl: 0.1265 },
    'tiny-coder': { positions: 702, relative: 0.143837, changed: 172, kl: 0.2528 },
  },
};

/** Errors of the tokens of rollouts on a device that multiplies integers (webgpu-int8), with weights in q8g32, whose own error is included. */
export const INTEGER_ERRORS: MeasuredErrors = {
  'minimind2-small': { positions: 200, relative: 0.0407735, changed: 11, kl: 0.005941 },
  stories260K: { positions: 672, relative: 0.0095593, changed: 9, kl: 0.000817 },
  'tiny-coder': { positions: 702, relative: 0.0143737, changed: 20, kl: 0.002122 },
};

/** Errors of rollouts with an f16 key/value cache and f32 weights, measured by feeding the same texts through the cache. */
export const KV_CACHE_ERRORS: MeasuredErrors = {
  'minimind2-small': { positions: 736, relative: 0.0004426, changed: 1, kl: 8.267e-7 },
  stories260K: { positions: 672, relative: 0.0003202, changed: 0, kl: 9.146e-7 },
  'tiny-coder': { positions: 702, relative: 0.0002217, changed: 0, kl: 6.697e-7 },
};
