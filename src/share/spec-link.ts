// The form's experiment in the page's address: its difference from its preset. What reads links, and links with results, is in url.ts,
// which is loaded when there is one.
import { baseOf } from '../experiments/config/preset-in.ts';
import type { ExperimentSpec, Fork } from '../experiments/config/spec.ts';
import { packJson } from './pack.ts';

/** A fork's parent: run, step, and its difference from its preset. */
const parentOf = ({ run, step, arm, seed, ...parent }: Fork): Record<string, unknown> => ({
  r: run,
  n: step,
  ...differenceOf({ schema: 1, ...parent, arms: [arm], seeds: [seed], device: 'auto' }),
  a: arm,
  s: seed,
});

/** A spec as a link holds it. */
export const differenceOf = (spec: ExperimentSpec) => {
  const preset = baseOf(spec);
  return {
    p: spec.preset,
    ...(same(spec.arms, preset.arms) ? {} : { a: spec.arms }),
    ...(same(spec.seeds, preset.seeds) ? {} : { s: spec.seeds }),
    ...(Object.keys(spec.overrides).length === 0 ? {} : { o: spec.overrides }),
    ...(spec.device === 'auto' ? {} : { d: spec.device }),
    ...(spec.fork && { f: parentOf(spec.fork) }),
  };
};

/** A spec alone, as short as possible: the fragment without `#`. */
export async function encodeSpec(spec: ExperimentSpec): Promise<string> {
  return `1.${await packJson(differenceOf(spec))}`;
}

/** Whether the address asks for the default (or the linked) experiment to start by itself: `?start`. */
export function asksToStart(url: URL): boolean {
  return url.searchParams.has('start');
}

/** The part of an address that is of the page's form. */
export interface FormAddress {
  /** Without `#`; empty where nothing differs from the default. */
  hash: string;
  /** `?environment=`; null for the first environment, and where the hash names it. */
  environment: string | null;
}

/** `?environment=arithmetic`: the environment of an address without an experiment; null where it names none. */
export function environmentInAddress(url: URL): string | null {
  return url.hash.replace(/^#/, '') === '' ? url.searchParams.get('environment') : null;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
