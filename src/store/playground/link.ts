// A question to the model in an address: `?view=playground&ask=<the form, packed>`. Opening it fills the form but asks nothing. A run that
// is stored only in another browser is ignored, and the base model answers.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { MODES } from '../../environments/code/types.ts';
import { MOST_ALPHA } from '../../lab/protocol/playground.ts';
import { packJson, unpackJson } from '../../share/pack.ts';
import { MAX_SEED } from '../form/number-fields.ts';
import { MOST_NEW, PLAY_KINDS, type PlayForm } from './playground.ts';

/** Maximum length, in characters, of a packed form that is read. */
const MAX_LENGTH = 8192;
/** Maximum length, in characters, of a text in a link, so that it fits into an address when packed. */
export const MAX_TEXT = 8000;

const text = z.string().check(z.maxLength(MAX_TEXT));
const Form = z.strictObject({
  kind: z.enum(PLAY_KINDS),
  mode: z.enum(['honest', ...MODES]),
  problemId: z.string().check(z.maxLength(200)),
  text,
  chatArgs: text,
  runId: z.nullable(z.string().check(z.maxLength(200))),
  // Links from before steering was added lack both fields.
  steer: z._default(z.string().check(z.maxLength(200)), ''),
  alpha: z._default(z.number().check(z.gte(-MOST_ALPHA), z.lte(MOST_ALPHA)), 1),
  seed: z.int().check(z.gte(0), z.lte(MAX_SEED)),
  temperature: z.number().check(z.gte(0), z.lte(2)),
  maxNew: z.int().check(z.gte(1), z.lte(MOST_NEW)),
});

/** Null if the form is too long for an address. */
export async function playgroundAddress(href: string, form: PlayForm): Promise<string | null> {
  if (!Form.safeParse(form).success) return null;
  const packed = await packJson(form);
  if (packed.length > MAX_LENGTH) return null;
  const url = new URL(href);
  url.searchParams.set('view', 'playground');
  url.searchParams.set('ask', packed);
  return url.href;
}

/** The form in the address; null if there is none. Throws FormatError for an invalid one. */
export async function playgroundInAddress(search: string): Promise<PlayForm | null> {
  const packed = new URLSearchParams(search).get('ask');
  if (packed === null) return null;
  const bad = (cause?: unknown) =>
    new FormatError('The address does not hold a question.', 'Copy the link again; the form has its defaults.', {
      cause,
    });
  if (packed.length > MAX_LENGTH) throw bad();
  const parsed = Form.safeParse(
    await unpackJson(packed).catch((cause) => {
      throw bad(cause);
    }),
  );
  if (!parsed.success) throw bad(parsed.error);
  return parsed.data;
}
