// Tests the framing sets as data: size, length, balance between the sides, and no pair that paraphrases another.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { completionIds, loadCodec } from '../../../text/codec.ts';
import { pairsOf } from '../../pair-sets.ts';
import type { ContrastivePair } from '../pairs.ts';
import { FRAMING_SETS, loadFramingPairs } from './framing.ts';
import { PAIR_SETS, refusePairSet, UNREAD_SETS, unreadOf } from './table.ts';

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\d']+/gu) ?? [];
const said = ({ prompt }: ContrastivePair): string => prompt.replace(/^<\|im_start\|>user\n|<\|im_end\|>[\s\S]*$/g, '');

function trigrams(text: string): Set<string> {
  const all = words(text);
  return new Set(all.slice(2).map((word, i) => `${all[i]} ${all[i + 1]} ${word}`));
}
/** Share of the shorter text's word triples that also occur in the other. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((gram) => b.has(gram)).length;
  return shared / Math.max(1, Math.min(a.size, b.size));
}

describe('framing sets', () => {
  it('are those that the table marks for real models', () => {
    expect([...FRAMING_SETS]).toEqual(PAIR_SETS.filter(({ models }) => models === 'real').map(({ id }) => id));
  });

  it.each(FRAMING_SETS)(
    '%s: 24 pairs of one turn, at most 60 words a side, the sides about equally long',
    async (id) => {
      const pairs = await loadFramingPairs(id);
      expect(pairs.length).toBe(24);
      for (const { prompt, hack, clean, mechanism, problem_id } of pairs) {
        expect(prompt).toMatch(/^<\|im_start\|>user\n[^<]+<\|im_end\|>\n<\|im_start\|>assistant\n$/);
        expect(problem_id).toMatch(new RegExp(`^${id}/\\d+$`));
        expect(mechanism).toBeNull();
        const [a, b] = [words(hack).length, words(clean).length];
        for (const n of [a, b]) expect(n >= 15 && n <= 60).toBe(true);
        expect([hack, Math.max(a, b) / Math.min(a, b) < 1.6]).toEqual([hack, true]);
      }
      const mean = (side: 'hack' | 'clean') => pairs.reduce((sum, pair) => sum + pair[side].length, 0) / 24;
      expect(Math.abs(mean('hack') / mean('clean') - 1)).toBeLessThan(0.1);
    },
  );

  it('repeat no text within or across sets', async () => {
    const pairs = (await Promise.all(FRAMING_SETS.map(loadFramingPairs))).flat();
    for (const part of [said, (p: ContrastivePair) => p.hack, (p: ContrastivePair) => p.clean]) {
      const grams = pairs.map((pair) => trigrams(part(pair)));
      for (let i = 0; i < grams.length; i++)
        for (let j = 0; j < i; j++) {
          const share = overlap(grams[i], grams[j]);
          if (share > 0.3) throw new Error(`${share.toFixed(2)}: ${part(pairs[i])} | ${part(pairs[j])}`);
        }
    }
  });

  it('do not reveal the side by its first word', async () => {
    const pairs = (await Promise.all(FRAMING_SETS.map(loadFramingPairs))).flat();
    for (const side of ['hack', 'clean'] as const) {
      const counts = new Map<string, number>();
      for (const pair of pairs) {
        const first = words(pair[side])[0];
        counts.set(first, (counts.get(first) ?? 0) + 1);
      }
      expect(Math.max(...counts.values()) / pairs.length).toBeLessThan(0.2);
    }
  });
});

describe('the framing sets as unread text', () => {
  it('are the same pairs under other names, also for the embedded model, and not offered by the page', async () => {
    expect(UNREAD_SETS.map(({ id }) => unreadOf(id))).toEqual([...FRAMING_SETS]);
    for (const { id } of UNREAD_SETS) {
      const pairs = await pairsOf({ pairSet: id, model: 'tiny-coder' });
      expect(pairs).toEqual(await loadFramingPairs(unreadOf(id) as string));
      expect(PAIR_SETS.map((set) => set.id)).not.toContain(id);
      expect(() => refusePairSet(unreadOf(id) as string, 'tiny-coder')).toThrow(/not testable/);
      expect(() => refusePairSet(id, 'tiny-coder', 25)).toThrow(/which has 24/);
    }
  });

  it('are tokenized without loss, within the embedded model’s positions', async () => {
    const read = (name: string) =>
      JSON.parse(readFileSync(new URL(`../../../../public/models/tiny-coder/${name}`, import.meta.url), 'utf8'));
    const codec = await loadCodec(read('tokenizer.json'), read('tokenizer_config.json'));
    const { max_position_embeddings: most } = read('config.json');
    for (const { prompt, hack, clean } of (await Promise.all(FRAMING_SETS.map(loadFramingPairs))).flat())
      for (const text of [hack, clean]) {
        expect(codec.decode(codec.encode(text))).toBe(text);
        expect(codec.encode(prompt).length + completionIds(codec, text).length).toBeLessThanOrEqual(most);
      }
  });
});
