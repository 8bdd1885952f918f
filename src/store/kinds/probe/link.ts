// A probe in an address: `?view=probe&probe=<its request, packed>#<its results, packed>` (src/share/shared-probe.ts). Opening it fills the
// form and shows the results but starts nothing. Files that only this browser has (pool, basis, own pairs) are not in the link.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import type { ProbeAsk } from '../../../lab/protocol/probe.ts';
import { packJson, unpackJson } from '../../../share/pack.ts';
import { acceptsNumber, type NumberField } from '../../form/number-fields.ts';
import { ASK_FIELDS, CORRECT_FIELD } from './fields.ts';
import { checkProbe, DEFAULT_FORM, PROBE_FIELDS, type ProbeForm } from './form.ts';

const MAX_LENGTH = 4000;
const numberWithin = (field: NumberField<string>) => z.number().check(z.refine((value) => acceptsNumber(field, value)));
const [PROBLEMS, SAMPLES, SEED] = ASK_FIELDS;
const id = z.string().check(z.maxLength(200));
const value = z.optional(z.union([z.number(), z.string().check(z.maxLength(40))]));

const Ask = z.strictObject({
  teacher: z.union([
    z.strictObject({ kind: z.literal('onnx') }),
    z.strictObject({ kind: z.literal('templates'), correct: numberWithin(CORRECT_FIELD) }),
    z.strictObject({ kind: z.literal('pool'), sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) }),
  ]),
  problems: numberWithin(PROBLEMS),
  samples: numberWithin(SAMPLES),
  seed: numberWithin(SEED),
  settings: z.strictObject({
    k: value,
    pairs: value,
    tauAxis: value,
    basisKind: value,
    gate: value,
    adapter: value,
    lr: value,
    pairSet: z.optional(id),
    basisSource: z.optional(z.literal('file')),
    basisFile: z.optional(id),
  }),
});

/**
 * The page's address with the probe added. `hash` contains the results and replaces any previous hash. `ask` is null for a probe from a
 * file.
 */
export async function withProbe(href: string, ask: ProbeAsk | null, hash: string | null = null): Promise<string> {
  const url = new URL(href);
  url.searchParams.set('view', 'probe');
  // The address of the stored probe would not lead anywhere in another browser.
  url.searchParams.delete('run');
  if (ask) url.searchParams.set('probe', await packJson(ask));
  else url.searchParams.delete('probe');
  if (hash !== null) url.hash = hash;
  return url.href;
}

/** The form that the address requests; null if there is none. Throws FormatError for an invalid probe. */
export async function probeInAddress(search: string): Promise<ProbeForm | null> {
  const packed = new URLSearchParams(search).get('probe');
  if (packed === null) return null;
  const bad = (cause?: unknown) =>
    new FormatError('The address does not hold a probe.', 'Copy the link again; the form has the default probe.', {
      cause,
    });
  if (packed.length > MAX_LENGTH) throw bad();
  const parsed = Ask.safeParse(
    await unpackJson(packed).catch((cause) => {
      throw bad(cause);
    }),
  );
  if (!parsed.success) throw bad(parsed.error);
  const { teacher, settings, ...counts } = parsed.data;
  const fields: ProbeForm['fields'] = { ...DEFAULT_FORM.fields };
  for (const name of PROBE_FIELDS) {
    const own = settings[name];
    if (own !== undefined) fields[name] = String(own);
  }
  const set = settings.pairSet === undefined ? DEFAULT_FORM.basis : `set ${settings.pairSet}`;
  const form: ProbeForm = {
    ...counts,
    teacher: teacher.kind === 'pool' ? teacher.sha256 : teacher.kind,
    correct: teacher.kind === 'templates' ? teacher.correct : DEFAULT_FORM.correct,
    basis: settings.basisFile === undefined ? set : `file ${settings.basisFile}`,
    fields,
  };
  if (Object.keys(checkProbe(form)).length > 0) throw bad();
  return form;
}
