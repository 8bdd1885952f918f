// Aligns the stored numbers of each sampled token (log-probability, entropy of the policy, KL to the untrained model) with the lines of the
// completion.
import { decimal } from '../../lib/numbers.ts';
import type { TokenPiece } from '../../text/pieces.ts';

export interface TokenSpan {
  text: string;
  /** Value in nats; null where unknown. */
  value: number | null;
  /** Index of the token among the completion's spans before they are split at lines; absent if nothing is known. */
  at?: number;
  /** True within an exploit. */
  isMarked?: boolean;
}

export interface AlignedTokens {
  spans: TokenSpan[];
  /** Value of the token that ended the turn; null when the completion was cut off. */
  end: number | null;
}

/**
 * Records contain no token ids, so the text is tokenised again (text/pieces.ts). Null if the number of tokens shows that the model
 * tokenised it differently, since no shading is better than a shifted one.
 */
export function alignTokens(
  pieces: readonly TokenPiece[] | null,
  values: readonly number[] | null,
): AlignedTokens | null {
  if (!pieces || !values) return null;
  const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
  if (values.length !== tokens && values.length !== tokens + 1) return null;
  let from = 0;
  const spans = pieces.map((piece, at) => {
    const own = values.slice(from, from + piece.tokens);
    from += piece.tokens;
    return { text: piece.text, value: own.reduce((sum, x) => sum + x, 0), at };
  });
  return { spans, end: values[tokens] ?? null };
}

/** Splits spans at the ends of the pattern's match, and marks those inside it. */
export function markSpans(spans: readonly TokenSpan[], pattern: RegExp | null): TokenSpan[] {
  const whole = spans.map(({ text }) => text).join('');
  const found = pattern?.exec(whole);
  if (!found || found[0] === '') return [...spans];
  const [from, to] = [found.index, found.index + found[0].length];
  let at = 0;
  return spans.flatMap((span) => {
    const { text } = span;
    const [a, b] = [from - at, to - at].map((cut) => Math.min(text.length, Math.max(0, cut)));
    at += text.length;
    const parts = [
      { ...span, text: text.slice(0, a) },
      { ...span, text: text.slice(a, b), isMarked: true },
      { ...span, text: text.slice(b) },
    ];
    return parts.filter((part) => part.text !== '');
  });
}

/** The spans by line, without newlines and without empty lines at the end. */
export function spanLines(spans: readonly TokenSpan[]): TokenSpan[][] {
  const lines: TokenSpan[][] = [[]];
  for (const span of spans) {
    span.text.split('\n').forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part !== '') lines[lines.length - 1].push({ ...span, text: part });
    });
  }
  while (lines.length > 1 && lines[lines.length - 1].length === 0) lines.pop();
  return lines;
}

/** A shade covers values up to its bound; the last one has no bound. */
interface Shade {
  upTo: number;
  label: string;
}

interface TokenShading {
  /** Text before the shades, with the unit. */
  legend: string;
  /** Shades from light to dark. */
  shades: readonly Shade[];
  /** The value that is compared with `upTo`, computed from the token's value. */
  strength: (value: number) => number;
  /** A token's value as text. */
  words: (value: number) => string;
}

/** One shade up to each of these bounds, and one beyond the last. */
const inNats = (bounds: readonly number[]): Shade[] => [
  ...bounds.map((upTo, i) => ({ upTo, label: i === 0 ? `≤ ${upTo}` : `${bounds[i - 1]} – ${upTo}` })),
  { upTo: Number.POSITIVE_INFINITY, label: `> ${bounds.at(-1)}` },
];
const same = (value: number) => value;

/** Shadings of a text token by token, from values that are stored with the answer or computed on request. */
export const TOKEN_SHADINGS = {
  probability: {
    legend: 'Probability of each token when it was sampled:',
    shades: [
      { upTo: 0.1, label: '≥ 0.9' },
      { upTo: 0.5, label: '0.5 – 0.9' },
      { upTo: 0.8, label: '0.2 – 0.5' },
      { upTo: 0.95, label: '0.05 – 0.2' },
      { upTo: Number.POSITIVE_INFINITY, label: '< 0.05' },
    ],
    strength: (logprob) => 1 - Math.exp(logprob),
    words: (logprob) => `p = ${Math.exp(logprob).toPrecision(2)}, log p = ${decimal(logprob, 2)}`,
  },
  entropy: {
    legend: 'Entropy of the model’s distribution at each token, in nats:',
    shades: inNats([0.1, 0.5, 1, 2]),
    strength: same,
    words: (entropy) => `entropy ${decimal(entropy, 3)} nats`,
  },
  KL: {
    legend: 'KL of the policy to the untrained model at each token, in nats:',
    shades: inNats([0.01, 0.1, 0.5, 2]),
    strength: same,
    words: (kl) => `KL ${decimal(kl, 3)} nats`,
  },
} as const satisfies Record<string, TokenShading>;

export type TokenShadingName = keyof typeof TOKEN_SHADINGS;

/** All shadings of an answer's text. */
export const SHADINGS = ['nothing', 'probability', 'entropy', 'advantage', 'KL'] as const;
export type Shading = (typeof SHADINGS)[number];

export const isTokenShading = (shading: Shading): shading is TokenShadingName => Object.hasOwn(TOKEN_SHADINGS, shading);

/** Index into the shading's shades; null where the value is unknown. */
export function shadeOf(shading: TokenShadingName, value: number | null): number | null {
  if (value === null || Number.isNaN(value)) return null;
  const { shades, strength } = TOKEN_SHADINGS[shading];
  return shades.findIndex(({ upTo }) => strength(value) <= upTo);
}

/** Lower bound of the advantage for each shade. Every token of an answer has the answer's advantage. */
export const ADVANTAGES = [
  { least: 0.5, label: '≥ 0.5' },
  { least: Number.MIN_VALUE, label: '0 – 0.5' },
  { least: 0, label: '0' },
  { least: -0.5, label: '−0.5 – 0' },
  { least: Number.NEGATIVE_INFINITY, label: '< −0.5' },
] as const;

/** Index into ADVANTAGES; null where nothing is stored. */
export const advantageShade = (advantage: number): number | null =>
  Number.isNaN(advantage) ? null : ADVANTAGES.findIndex(({ least }) => advantage >= least);
