// Checks a tokenizer.json before anything is built from it, since the library that runs it sets no bounds. The growth of steps that each
// lengthen the text multiplies (24 byte-level steps make 16 million characters of one), and patterns run on an engine that backtracks.
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { checkLinear, PatternProblem } from './linear-pattern.ts';
import { isObject, type Json } from './tokenizer/json.ts';

const LIMITS = {
  /** Most steps of a normalizer, pre-tokenizer, post-processor or decoder, including the steps nested in its sequences. */
  steps: 32,
  depth: 8,
  /** Most characters that one character may become, over all steps of a part. */
  growth: 4096,
  /** Most characters of a pattern. */
  pattern: 4000,
};
/** A character becomes up to three bytes, and each byte becomes a character. */
const BYTE_LEVEL = 3;
const REMEDY = 'Use the tokenizer.json that belongs to the model, as Hugging Face writes it.';

/** Throws FormatError naming the part that exceeds a bound. Other malformed parts are left to the library. */
export function checkTokenizerBounds(tokenizerJson: object): void {
  for (const part of ['normalizer', 'pre_tokenizer', 'post_processor', 'decoder']) {
    const bounds = { part, steps: 0, growth: 1 };
    walk((tokenizerJson as Json)[part], bounds, 0);
  }
}

function walk(step: unknown, bounds: { part: string; steps: number; growth: number }, depth: number): void {
  if (!isObject(step)) return;
  const fail = (what: string): never => {
    throw new FormatError(`tokenizer.json: its ${bounds.part} ${what}.`, REMEDY);
  };
  if (++bounds.steps > LIMITS.steps || depth > LIMITS.depth) fail(`has more than ${LIMITS.steps} steps`);
  if (step.type === 'ByteLevel') bounds.growth *= BYTE_LEVEL;
  if (step.type === 'Replace' || step.type === 'Prepend') {
    const added = step.content ?? step.prepend;
    const replaced = isObject(step.pattern) && typeof step.pattern.String === 'string' ? step.pattern.String.length : 1;
    if (typeof added === 'string') bounds.growth *= Math.max(1, added.length / Math.max(1, replaced));
  }
  if (bounds.growth > LIMITS.growth) fail(`could make a text more than ${LIMITS.growth} times as long`);
  const pattern = isObject(step.pattern) ? step.pattern.Regex : null;
  if (typeof pattern === 'string') {
    if (pattern.length > LIMITS.pattern) fail(`has a pattern of ${pattern.length} characters`);
    try {
      checkLinear(pattern);
    } catch (error) {
      if (!(error instanceof PatternProblem)) throw error;
      fail(
        `has a pattern whose time may grow faster than the text, ${JSON.stringify(pattern.slice(0, 80))}: it ${error.message.slice(0, 160)}`,
      );
    }
  }
  for (const held of ['normalizers', 'pretokenizers', 'processors', 'decoders'])
    if (Array.isArray(step[held])) for (const inner of step[held]) walk(inner, bounds, depth + 1);
}
