// Every reference kernel by its contract name, collected from the families' files, which export each under its name in camel case.
// A missing one is a type error.
import { type CamelCase, camelCase, KERNEL_NAMES, type KernelName } from '../contract.ts';
import * as adapter from './adapter.ts';
import * as attention from './attention.ts';
import * as decoding from './decoding.ts';
import * as delta from './delta.ts';
import * as head from './head.ts';
import * as integers from './integers.ts';
import * as linear from './linear.ts';
import * as norm from './norm.ts';
import * as packed from './packed.ts';
import type { Reference } from './reference.ts';
import * as rows from './rows.ts';
import * as svd from './svd.ts';

const BY_NAME: { readonly [K in KernelName as CamelCase<K>]: Reference<K> } = {
  ...linear,
  ...rows,
  ...packed,
  ...norm,
  ...attention,
  ...delta,
  ...head,
  ...adapter,
  ...svd,
  ...decoding,
  ...integers,
};

/** Cast, since a map whose value's type follows from its key cannot be built from entries otherwise. */
export const REFERENCES = Object.fromEntries(
  KERNEL_NAMES.map((kernel) => [kernel, BY_NAME[camelCase(kernel)]]),
) as unknown as { readonly [K in KernelName]: Reference<K> };
