// All families in a fixed order, and their look-up: the standard set of single expressions, and the composed set. A family that is added at the end
// of a table changes no other family's problems.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import type { FamilySet } from '../types.ts';
import { AB_FAMILIES } from './ab.ts';
import { type Composition, composedFamilies } from './composed.ts';
import { type Family, SIGNATURES, type Signature } from './family.ts';
import { NUMS_FAMILIES } from './nums.ts';
import { S_FAMILIES } from './s.ts';
import { X_FAMILIES } from './x.ts';

export { type Family, identityOf, type Params, SIGNATURES, type Signature } from './family.ts';

/** The standard set. */
export const FAMILIES: readonly Family[] = [...X_FAMILIES, ...AB_FAMILIES, ...NUMS_FAMILIES, ...S_FAMILIES];

export const familiesIn = (set: FamilySet): readonly Family[] => (set === 'composed' ? composedFamilies() : FAMILIES);

export const isComposed = (family: Family): family is Composition => 'parts' in family;

const byId = new Map<string, Family>(FAMILIES.map((family) => [family.id, family]));
const bySignature = new Map<Signature, readonly Family[]>(
  SIGNATURES.map((signature) => [signature, FAMILIES.filter((family) => family.signature === signature)]),
);
let compositions: ReadonlyMap<string, Composition> | null = null;

export function familyById(id: string): Family {
  if (id.includes('>'))
    compositions ??= new Map(composedFamilies().map((composition) => [composition.id, composition]));
  const family = byId.get(id) ?? compositions?.get(id);
  if (!family) throw new LabError(`no problem family is called "${id}"`, `Known are ${[...byId.keys()].join(', ')}.`);
  return family;
}

/** The single-expression families of a signature. */
export const familiesOf = (signature: Signature): readonly Family[] => bySignature.get(signature) ?? [];
