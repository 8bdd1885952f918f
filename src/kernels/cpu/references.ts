// All reference kernels by contract name, collected from files that export them in camel case. A missing one is a type error.
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

/** The cast is needed because Object.fromEntries loses the relation between key and value types. */
export const REFERENCES = Object.fromEntries(
  KERNEL_NAMES.map((kernel) => [kernel, BY_NAME[camelCase(kernel)]]),
) as unknown as { readonly [K in KernelName]: Reference<K> };
