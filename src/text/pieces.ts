// Cuts a text at the borders of its tokens, so that a value per token (a log-probability) can be drawn on the text.
import type { TextCodec } from './codec.ts';

export interface TokenPiece {
  text: string;
  /** Number of tokens of this piece; more than one if a character's bytes are spread over several tokens. */
  tokens: number;
}

/**
 * The pieces of the text as the codec encodes it. A model may have written the same text with other tokens, so compare the sum of `tokens`
 * with the number of values to draw. Null if the pieces do not join to the text.
 */
export function tokenPieces(codec: TextCodec, text: string): TokenPiece[] | null {
  const pieces: TokenPiece[] = [];
  let waiting: number[] = [];
  for (const id of codec.encode(text)) {
    waiting.push(id);
    const decoded = codec.decode(waiting);
    // U+FFFD stands for bytes of an incomplete character; a character in UTF-8 has at most four bytes.
    if (decoded.includes('\uFFFD') && waiting.length < 4) continue;
    pieces.push({ text: decoded, tokens: waiting.length });
    waiting = [];
  }
  if (waiting.length > 0) pieces.push({ text: codec.decode(waiting), tokens: waiting.length });
  return pieces.map((piece) => piece.text).join('') === text ? pieces : null;
}
