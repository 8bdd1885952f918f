// Parameters of a request to an OpenAI-compatible server besides the conversation, and which of them a server refuses: reasoning models
// take max_completion_tokens and neither stop nor temperature, and some servers have no seed.
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { reasonOf } from '@projected-grpo-lab/base/reason.ts';

/** Parameters by their older names. */
export const PARAMETERS = ['max_tokens', 'stop', 'temperature', 'seed'] as const;
export type Parameter = (typeof PARAMETERS)[number];

/** Names of the limit on an answer's tokens: the newer one is used if the older is refused. */
export const BOUNDS = ['max_tokens', 'max_completion_tokens'] as const;
export type Bound = (typeof BOUNDS)[number];
export type Sent = Parameter | Bound;

/** Messages by which a server refuses a parameter, rather than a value that is too large. */
const REFUSAL =
  /unsupported|not (?:currently )?(?:support|permit|allow|recogni|accept|implement|available|valid)|n['’]t support|no longer|unrecogni[sz]ed|unknown|unexpected|forbidden|extra (?:input|field|parameter|argument)|deprecated|removed|invalid (?:field|parameter|argument|request argument)/i;

/** The refused one of the parameters that were sent; null if the server refuses something else. */
export function refusedParameter(status: number, text: string, sent: readonly Sent[]): Sent | null {
  if (status !== 400 && status !== 422) return null;
  const reason = reasonOf(text);
  if (!REFUSAL.test(`${reason} ${codeOf(text)}`)) return null;
  const named = paramOf(text);
  if (named !== null) return sent.find((name) => name === named) ?? null;
  // The first name in the message is the refused one: the next may be its replacement.
  const [first] = sent
    .map((name) => ({ name, at: placeOf(name, reason) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return first?.name ?? null;
}

/** "stop" is a common word, so it counts only where it looks like a name. */
const placeOf = (name: Sent, reason: string): number =>
  reason.search(
    name === 'stop'
      ? /["'`]stop["'`]|\bbody\.stop\b|\bparameters?:? stop\b|^stop\b/
      : new RegExp(`(?<![\\w])${name}(?!\\w)`),
  );

interface ErrorBody {
  error?: { param?: unknown; code?: unknown; type?: unknown };
  param?: unknown;
  code?: unknown;
  type?: unknown;
}

function bodyOf(text: string): ErrorBody {
  try {
    const value = parseJsonText(text);
    return typeof value === 'object' && value !== null ? (value as ErrorBody) : {};
  } catch {
    return {};
  }
}

function paramOf(text: string): string | null {
  const { error, param } = bodyOf(text);
  const found = (typeof error === 'object' ? error?.param : undefined) ?? param;
  return typeof found === 'string' && found !== '' ? found : null;
}

function codeOf(text: string): string {
  const { error, code, type } = bodyOf(text);
  const own = typeof error === 'object' ? [error?.code, error?.type] : [];
  return [...own, code, type]
    .filter((one) => typeof one === 'string')
    .join(' ')
    .replaceAll('_', ' ');
}
