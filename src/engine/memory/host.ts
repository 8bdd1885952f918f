// Memory that a process holds beside its device while a model is loaded and works, from sizes known beforehand
// (memory.ts counts the device). On the CPU device, whose memory is in the same process, the two together are the
// process's peak; scripts/tool/peak-memory.test.mjs holds the sum to the peak of processes of their own. The constants
// were measured there, under Node.

import { adapterLayout } from '../adapter-layout.ts';
import type { ModelConfig } from '../types.ts';
import { SLICE } from '../weights/filling.ts';
import type { PlannedWork } from './memory.ts';

/** Bytes, by what they are for. */
export interface HostNeed {
  /** Node itself with the lab's code and the device's threads, and the garbage that it lets lie. */
  runtime: number;
  /** tokenizer.json: its text, what it is parsed into, and the tables made of that, until the first is collected. */
  text: number;
  /** Scratch of loading weights: a slice, as read and as packed; of an svd adapter, one Linear. (The scratch of hashing
   *  them is gone by then.) */
  loading: number;
  /** The interpreters that grade, and parameter vectors where the device is not the host. */
  training: number;
  total: number;
}

const RUNTIME = 84e6;
/** A helper thread of the CPU device. */
const THREAD = 13e6;
/** Bytes held for each byte of tokenizer.json. */
const TEXT = 6.5;
/** Two sandbox threads, each with an interpreter (packages/python-sandbox). */
const GRADERS = 55e6;
/** Copies of one Linear's weights or factors that are there at once: as read, as hashed, as taken apart. */
const COPIES = 3;

/** `textBytes`: of tokenizer.json; `threads`: of the CPU device. */
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
    // Pretraining holds all weights once more, for folding.
    training: (isTrained ? GRADERS : 0) + vectors + (settings?.adapter === 'full' ? 4 * adapterParams : 0),
  };
  return { ...need, total: need.runtime + need.text + need.loading + need.training };
}
