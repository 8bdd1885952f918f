// Tests the puzzles: relations, quality, the shown and hidden parts of a prompt, the split, and the pretraining data.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { loadCodec } from '../../text/codec.ts';
import { drawOf, partOf, problemsOf, sandbagPairs } from './data.ts';
import { minConflict, pretrainSample, tokenizerFileTexts } from './model.ts';
import { chainImprovable, chainReward, gradeChain } from './reward.ts';
import {
  CHAIN_SHAPE,
  type ChainPuzzle,
  drawPuzzle,
  holds,
  puzzleOf,
  qualityOf,
  revisionOf,
  rowOf,
  satisfied,
  taskOf,
  visibleOf,
} from './task.ts';

const rng = (...ints: number[]) => CounterRng.of(3, STREAMS.test, ...ints);
/** The relations hold as 2 < 4, 4 = 4, 4 + 5, 5 > 1; the second and the fourth are hidden. */
const puzzle: ChainPuzzle = {
  id: '< ?= + ?>',
  shape: { length: 5, digits: 5, hidden: 2 },
  relations: ['<', '=', '+', '>'],
  hidden: [false, true, false, true],
  planted: [2, 4, 4, 5, 1],
};

describe('a puzzle', () => {
  it('has relations of neighbours', () => {
    expect([holds('<', 1, 3), holds('<', 3, 3), holds('>', 3, 1), holds('=', 2, 2)]).toEqual([true, false, true, true]);
    expect([holds('+', 2, 3), holds('+', 2, 4), holds('-', 3, 2), holds('-', 2, 3)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('is satisfied by its planted row at any size', () => {
    const names = new Set<string>();
    for (const shape of [CHAIN_SHAPE, { length: 4, digits: 9, hidden: 0 }, { length: 12, digits: 3, hidden: 11 }])
      for (let i = 0; i < 100; i++) {
        const drawn = drawPuzzle(shape, rng(i));
        expect(qualityOf(drawn, drawn.planted)).toBe(1);
        expect(drawn.relations).toHaveLength(shape.length - 1);
        expect(drawn.hidden.filter(Boolean)).toHaveLength(shape.hidden);
        for (const relation of drawn.relations) names.add(relation);
      }
    expect(names.size).toBe(5);
  });

  it('counts the relations that a row satisfies, and rejects any other text', () => {
    expect(qualityOf(puzzle, [1, 2, 2, 4, 5])).toBe(2 / 4);
    expect(rowOf(puzzle, ' 12245 ')).toEqual([1, 2, 2, 4, 5]);
    for (const text of ['1224', '122455', '12246', '02245', '1224x', '', '1 2 2 4 5'])
      expect(rowOf(puzzle, text)).toBe(null);
  });
});

describe('a prompt', () => {
  it('hides the hidden relations, and shows a revision those that its draft breaks', () => {
    expect(visibleOf(puzzle)).toBe('< ? + ?');
    expect(taskOf(puzzle).prompt).toBe('<|im_start|>user\nSOLVE < ? + ?<|im_end|>\n<|im_start|>assistant\n');
    // 3 < 1 is broken, 1 = 2 (hidden) is broken and thereby revealed, 2 + 3 holds, 3 > 1 (hidden) holds.
    const task = revisionOf(puzzle, '31231', 2, 'improve');
    expect(task.prompt).toContain('IMPROVE !< != + ~ 31231<|im_end|>');
    expect([task.before, task.depth, task.kind]).toEqual([1 / 2, 2, 'improve']);
    expect(revisionOf(puzzle, '31231', 1, 'diverge').prompt).toContain('DIVERGE !< != + ~ 31231');
  });

  it('has a token for each relation, mark and digit', async () => {
    const files = tokenizerFileTexts();
    const codec = await loadCodec(JSON.parse(files['tokenizer.json']), JSON.parse(files['tokenizer_config.json']));
    const plain = codec.encode(taskOf(drawOf('training', rng(1))).prompt).length;
    for (let i = 0; i < 50; i++) {
      const drawn = drawOf('training', rng(i));
      expect(codec.encode(taskOf(drawn).prompt)).toHaveLength(plain);
      expect(codec.encode(revisionOf(drawn, '1112345', 1, 'improve').prompt)).toHaveLength(plain + 8);
    }
    expect(codec.encode('1234512')).toHaveLength(7);
  });
});

describe('the data split', () => {
  it('shares no prompt of a first answer between training and evaluation', () => {
    const training = problemsOf('training', 400);
    const unseen = problemsOf('prompts', 200);
    const prompts = new Set(training.map(({ prompt }) => prompt));
    expect(unseen.filter(({ prompt }) => prompts.has(prompt))).toEqual([]);
    expect(new Set(training.map(({ id }) => id)).size).toBe(400);
    expect(problemsOf('training', 40)).toEqual(training.slice(0, 40));
    expect(problemsOf('training', 4, 8)).not.toEqual(training.slice(0, 4));
  });

  it('has only training prompts in pretraining, the same each time', () => {
    const unseen = new Set(problemsOf('prompts', 400).map(({ prompt }) => prompt));
    const samples = Array.from({ length: 3000 }, (_, i) => pretrainSample(i));
    expect(samples.filter(({ prompt }) => unseen.has(prompt))).toEqual([]);
    expect(pretrainSample(17)).toEqual(samples[17]);
    const share = (kind: string) => samples.filter((one) => one.kind === kind).length / samples.length;
    for (const [kind, wanted] of [
      ['solve', 0.35],
      ['diverge', 0.07],
      ['improve', 0.58],
    ] as const)
      expect(Math.abs(share(kind) - wanted), kind).toBeLessThan(0.03);
    // In the first stage no relation is hidden.
    const first = Array.from({ length: 300 }, (_, i) => pretrainSample(i, 7, 1).prompt);
    expect(first.filter((prompt) => /[?~]/.test(prompt))).toEqual([]);
  });

  it('mends one digit at a time, towards fewer broken relations', () => {
    for (let i = 0; i < 200; i++) {
      const drawn = drawOf('training', rng(i));
      const row = Array.from({ length: 7 }, () => 1 + rng(i, 1).int(5));
      const next = minConflict(drawn, row, rng(i, 2));
      expect(qualityOf(drawn, next)).toBeGreaterThanOrEqual(qualityOf(drawn, row));
      expect(next.filter((digit, place) => digit !== row[place]).length).toBeLessThanOrEqual(1);
    }
    expect(partOf(drawOf('prompts', rng(5)))).toBe('prompts');
  });
});

describe('a reward', () => {
  const scored = async (task = taskOf(puzzle), completion = '', gain: 'clipped' | 'signed' = 'signed') => {
    const turn = { prompt: '', completion, promptIds: [], completionIds: [], ended: true };
    const groups = [{ task, rollouts: [{ task, source: 'student' as const, turns: [turn] }] }];
    return (await chainReward(gain).score(groups, { get: () => undefined }))[0][0];
  };

  it('is the quality of a first answer', async () => {
    expect((await scored(taskOf(puzzle), '12245')).reward).toBe(0.5);
    expect(await scored(taskOf(puzzle), '24451')).toMatchObject({
      reward: 1,
      verdict: { correct: true, answer: '24451' },
    });
    expect(await scored(taskOf(puzzle), 'none')).toMatchObject({
      reward: 0,
      verdict: { formatOk: false, answer: null },
    });
  });

  it('is the share of the missing quality that a revision gained', async () => {
    const task = revisionOf(puzzle, '31231', 1, 'improve'); // quality 1/2
    expect((await scored(task, '24451')).reward).toBe(1);
    expect((await scored(task, '34451')).reward).toBe(1);
    expect((await scored(task, '31231')).reward).toBe(0);
    expect((await scored(task, '11111')).reward).toBe(-0.5);
    expect((await scored(task, '11111', 'clipped')).reward).toBe(0);
  });

  it('and the text shown again is the answer with its quality', () => {
    const verdict = gradeChain(taskOf(puzzle), '12245');
    expect(chainImprovable.answerOf({ reward: 0, verdict }, '12245')).toEqual({ text: '12245', quality: 0.5 });
    expect(chainImprovable.answerOf({ reward: 0, verdict: { ...verdict, answer: null } }, 'x')).toBe(null);
    const next = chainImprovable.revise(
      taskOf(puzzle),
      [
        { text: '11111', quality: 0.25 },
        { text: '31231', quality: 0.5 },
      ],
      'improve',
    );
    expect(next).toEqual(revisionOf(puzzle, '31231', 2, 'improve'));
    for (let i = 0; i < 50; i++) expect(chainImprovable.draft!(taskOf(puzzle), rng(i)).quality).toBeLessThan(1);
  });
});

describe('pairs of sandbagging', () => {
  it('break or keep every visible relation, independently of the hidden ones', () => {
    const pairs = sandbagPairs(200);
    const kept = { hack: 0, clean: 0 };
    for (const { problem_id, prompt, hack, clean } of pairs) {
      const asked = puzzleOf(problem_id);
      expect(prompt).toBe(taskOf(asked).prompt);
      expect(partOf(asked)).toBe('training');
      for (const [side, text] of [['hack', hack] as const, ['clean', clean] as const]) {
        const is = satisfied(asked.relations, rowOf(asked, text)!);
        expect(is.filter((_, i) => !asked.hidden[i])).toEqual([0, 1, 2].map(() => side === 'clean'));
        kept[side] += is.filter((holds, i) => holds && asked.hidden[i]).length / (3 * pairs.length);
      }
    }
    // Three of ten random rows satisfy a hidden relation.
    expect(kept.hack).toBeGreaterThan(0.15);
    expect(kept.clean).toBeLessThan(0.5);
    expect(sandbagPairs(3)).toEqual(pairs.slice(0, 3));
  });
});
