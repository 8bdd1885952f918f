// All families, in a fixed order, and their look-up. Adding one at the end of a table changes no other family's problems.
import { LabError } from '@projected-grpo-lab/base/errors.ts';
import { AB_FAMILIES } from './ab.ts';
import { type Family, SIGNATURES, type Signature } from './family.ts';
import { NUMS_FAMILIES } from './nums.ts';
import { S_FAMILIES } from './s.ts';
import { X_FAMILIES } from './x.ts';

export { type Family, identityOf, type Params, SIGNATURES, type Signature } from './family.ts';

export const FAMILIES: readonly Family[] = [...X_FAMILIES, ...AB_FAMILIES, ...NUMS_FAMILIES, ...S_FAMILIES];

const byId = new Map(FAMILIES.map((family) => [family.id, family]));
const bySignature = new Map<Signature, readonly Family[]>(
  SIGNATURES.map((signature) => [signature, FAMILIES.filter((family) => family.signature === signature)]),
);

export function familyById(id: string): Family {
  const family = byId.get(id);
  if (!family) throw new LabError(`no problem family is called "${id}"`, `Known are ${[...byId.keys()].join(', ')}.`);
  return family;
}

export const familiesOf = (signature: Signature): readonly Family[] => bySignature.get(signature) ?? [];
