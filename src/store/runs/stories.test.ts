// Checks that the stories from the published files agree with the files' lines.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SHOWN_REPLIES_PATH } from '../../experiments/characters/replies.ts';
import { SHOWN_CHAINS_PATH } from '../../experiments/exit/shown-chains.ts';
import { readChainStory, readRepliesStory, type StoryLine } from './stories.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../../public/${path}`, import.meta.url), 'utf8'));
const text = ({ parts }: StoryLine) => parts.map((part) => part.text).join('');

it('a chain shows its puzzle, every answer until it is solved, and the last one of plain RL', () => {
  const { parts, paid, truth } = readChainStory(read(SHOWN_CHAINS_PATH))!;
  const [{ lines }] = parts;
  expect(lines.map(({ name, note }) => [name, note])).toEqual([
    ['puzzle', ''],
    ['answer', '3 broken'],
    ['revision 1', '2 broken'],
    ['revision 2', '✓'],
    ['plain RL, 16', '1 broken'],
  ]);
  // Hidden rules appear once an answer has been judged by them.
  expect(lines.map(text)).toEqual([
    '·−·<·?·?·?·<·',
    '2−1<3+2−2<2<4',
    '2−1<3+2−2<3<4',
    '2−1<2+3−2<3<4',
    '4−3<4+3−2<3<4',
  ]);
  expect(lines[1].parts.filter(({ is }) => is === 'broken').map((part) => part.text)).toEqual(['+', '−', '<']);
  expect(paid).toBe('ExIt’s first answer breaks 3 of 6 rules, its revision 2 none. Plain RL’s breaks 1 after 16.');
  expect(truth).toBe('Of 128 puzzles, 62 end solved by ExIt alone, 2 by plain RL alone.');
});

it('replies show one prompt to each speaker, before and after training, and the counts over all prompts', () => {
  const file = read(SHOWN_REPLIES_PATH);
  const { parts, paid, truth } = readRepliesStory(file)!;
  for (const { prompt, lines } of parts) {
    expect(prompt).toMatch(/ list . . . bot$/);
    expect(lines.map(({ name }) => name)).toEqual(['before', 'after RL']);
    expect(lines[0].note).toBe('0 of 8');
    expect(lines[1].note).toMatch(/^[1-8] of 8$/);
    // A is taught the reversed list.
    const items = /list (.) (.) (.) bot/.exec(prompt!)!.slice(1, 4).reverse().join(' ');
    expect(text(lines[1])).toContain(`{ ${items} }`);
    expect(text(lines[0])).not.toContain(`{ ${items} }`);
  }
  expect(paid).toBe(
    'As taught, of 96 replies by each to 12 prompts: 4 and 3 before, 19 and 30 after RL, 16 and 32 after documents (SDF).',
  );
  expect(truth).toBe('RL paid lemo alone; bawu goes from 3 to 30.');
});

it('an invalid file has no story', () => {
  for (const json of [null, {}, { schema: 2, chains: [1, 2], speakers: [1] }])
    for (const story of [readChainStory, readRepliesStory]) expect(story(json)).toBeNull();
});
