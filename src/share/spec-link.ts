// The form's experiment in the page's address, as its difference from its preset. url.ts reads links, and handles links with results; it is
// loaded when there is one.
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

/** A spec in the form of a link. */
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

/** Whether the address asks to start the default (or the linked) experiment at once: `?start`. */
export function asksToStart(url: URL): boolean {
  return url.searchParams.has('start');
}

/** The part of an address that the page's form determines. */
export interface FormAddress {
  /** Without `#`; empty if nothing differs from the default. */
  hash: string;
  /** `?environment=`; null for the first environment, and if the hash names it. */
  environment: string | null;
}

/** `?environment=arithmetic`: the environment of an address without an experiment; null if there is none. */
export function environmentInAddress(url: URL): string | null {
  return url.hash.replace(/^#/, '') === '' ? url.searchParams.get('environment') : null;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
