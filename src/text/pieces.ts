// A text cut where its tokens meet, so that what is known per token (a log-probability) can be drawn on the text.
import type { TextCodec } from './codec.ts';

export interface TokenPiece {
  text: string;
  /** Number of its tokens: more than one where a character's bytes are spread over several. */
  tokens: number;
}

/**
 * The text as the codec itself would cut it. A model may have written the same text by other tokens: compare the sum of
 * `tokens` with what is to be drawn. Null when the pieces do not give the text back.
 */
export function tokenPieces(codec: TextCodec, text: string): TokenPiece[] | null {
  const pieces: TokenPiece[] = [];
  let waiting: number[] = [];
  for (const id of codec.encode(text)) {
    waiting.push(id);
    const decoded = codec.decode(waiting);
    // U+FFFD stands for bytes that are not yet a character; no character has more than four.
    if (decoded.includes('\uFFFD') && waiting.length < 4) continue;
    pieces.push({ text: decoded, tokens: waiting.length });
    waiting = [];
  }
  if (waiting.length > 0) pieces.push({ text: codec.decode(waiting), tokens: waiting.length });
  return pieces.map((piece) => piece.text).join('') === text ? pieces : null;
}
