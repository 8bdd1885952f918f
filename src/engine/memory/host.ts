// Estimates a process's host memory while a model is loaded and used, from sizes known beforehand (memory.ts estimates the
// device's). For the CPU device, whose memory is in the same process, the sum of both is the process's peak;
// scripts/tool/peak-memory.test.mjs compares it with measured peaks under Node, from which the constants are.

import { adapterLayout } from '../adapter-layout.ts';
import type { ModelConfig } from '../types.ts';
import { SLICE } from '../weights/filling.ts';
import type { PlannedWork } from './memory.ts';

/** Bytes by purpose. */
export interface HostNeed {
  /** Node with the lab's code, the device's threads, and uncollected garbage. */
  runtime: number;
  /** tokenizer.json: its text, the parsed object, and the tables built from it, until the text is collected. */
  text: number;
  /** Scratch of loading weights: a slice as read and as packed, and one Linear for an svd adapter. (Scratch of hashing is
   *  freed by then.) */
  loading: number;
  /** The interpreters that grade, and parameter vectors if the device is not the host. */
  training: number;
  total: number;
}

const RUNTIME = 84e6;
/** A helper thread of the CPU device. */
const THREAD = 13e6;
/** Peak bytes per byte of tokenizer.json. */
const TEXT = 6.5;
/** Two sandbox threads, each with an interpreter (packages/python-sandbox). */
const GRADERS = 55e6;
/** Copies of one Linear's weights or factors that exist at once: read, hashed, and factored. */
const COPIES = 3;

/** `textBytes`: size of tokenizer.json; `threads`: threads of the CPU device. */
export function hostNeed(config: ModelConfig, work: PlannedWork, textBytes: number, threads = 1): HostNeed {
  const { kind, adapter, optimizer } = work;
  const isTrained = work.scores.length > 0;
  const settings = adapter === 'none' ? undefined : adapter;
  const { modules, total: adapterParams } = adapterLayout(config, settings);
  const isFactored = adapter !== 'none' && (settings?.adapter ?? 'svd') === 'svd';
  const linear = isFactored ? Math.max(...modules.map(({ r, dOut, dIn }) => dOut * dIn + r * (dOut + dIn))) : 0;
  const vectors = kind === 'cpu' || !optimizer ? 0 : 4 * adapterParams * optimizer.vectors;
  const need = {
    runtime: RUNTIME + (threads - 1) * THREAD,
    text: Math.round(TEXT * textBytes),
    loading: 2 * 4 * SLICE + 4 * COPIES * linear,
    // The adapter `full` holds a second copy of all weights, for folding.
    training: (isTrained ? GRADERS : 0) + vectors + (settings?.adapter === 'full' ? 4 * adapterParams : 0),
  };
  return { ...need, total: need.runtime + need.text + need.loading + need.training };
}
