// Log-probabilities on text: those that the policy gave to each token it wrote, laid over the lines of the completion.
import type { TokenPiece } from '../../text/pieces.ts';

export interface TokenSpan {
  text: string;
  /** Null where unknown. */
  logprob: number | null;
  /** True within an exploit. */
  isMarked?: boolean;
}

export interface AlignedTokens {
  spans: TokenSpan[];
  /** Log-probability of the token that ended the turn; null when the completion was cut off. */
  end: number | null;
}

/**
 * Records keep no token ids, so the text is tokenised again (text/pieces.ts). Null when the number of tokens shows that the model cut it
 * differently: no shading is better than a shifted one.
 */
export function alignTokens(
  pieces: readonly TokenPiece[] | null,
  logprobs: readonly number[] | null,
): AlignedTokens | null {
  if (!pieces || !logprobs) return null;
  const tokens = pieces.reduce((sum, piece) => sum + piece.tokens, 0);
  if (logprobs.length !== tokens && logprobs.length !== tokens + 1) return null;
  let at = 0;
  const spans = pieces.map((piece) => {
    const own = logprobs.slice(at, at + piece.tokens);
    at += piece.tokens;
    return { text: piece.text, logprob: own.reduce((sum, x) => sum + x, 0) };
  });
  return { spans, end: logprobs[tokens] ?? null };
}

/** Cuts spans at the ends of the pattern's match, and marks those within it. */
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

/** Lines of spans, without the newlines and without empty lines at the end. */
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

/** What an answer's text can be shaded by: numbers that are stored with it. */
export const SHADINGS = ['nothing', 'probability', 'advantage'] as const;
export type Shading = (typeof SHADINGS)[number];

/** Least advantage of each shade. Every token of an answer has the answer's own. */
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

/** Least probability of each shade, from light to dark. */
export const SHADES = [
  { least: 0.9, label: '≥ 0.9' },
  { least: 0.5, label: '0.5 – 0.9' },
  { least: 0.2, label: '0.2 – 0.5' },
  { least: 0.05, label: '0.05 – 0.2' },
  { least: 0, label: '< 0.05' },
] as const;

/** Index into SHADES; null where the probability is unknown. */
export function shadeOf(logprob: number | null): number | null {
  if (logprob === null || Number.isNaN(logprob)) return null;
  const p = Math.exp(logprob);
  return SHADES.findIndex(({ least }) => p >= least);
}
