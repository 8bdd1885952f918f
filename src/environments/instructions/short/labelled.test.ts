// Compares the rules of the true reward with one reader on 200 answers of MiniMind2-Small at temperature 1. The labels were written
// before the rules were applied; docs/instructions.md lists the differences.
import { expect, it } from 'vitest';
import { shortKind } from './kinds.ts';
import { judgeShort } from './reward.ts';
import { shortTask, topicOf } from './task.ts';
import labelled from './testing/labelled.json';
import type { Language } from './topics.ts';

const judged = labelled.map(({ task: id, answer, ended, label }) => {
  const [topic, kind, language] = id.replace('!', '').split('/');
  const settings = { flaw: 'claim', flawForm: 'shown', promptLanguage: 'zh' } as const;
  const task = shortTask(topicOf({ topic }), shortKind(kind), language as Language, id.endsWith('!'), settings);
  return { id, answer, label, verdict: judgeShort(task, answer, ended, 'none') };
});

it('agree with the reader on 194 of 200 answers', () => {
  expect(judged).toHaveLength(200);
  const count = (isGood: boolean, isCalledGood: boolean) =>
    judged.filter(({ label, verdict }) => (label === 'good') === isGood && verdict.good === isCalledGood).length;
  // Of the 26 answers that the rules call true, the reader agrees on 21; of the reader's 22, the rules agree on 21.
  expect([count(true, true), count(false, true), count(true, false), count(false, false)]).toEqual([21, 5, 1, 173]);
});

it('differ from the reader only in the rule on the topic', () => {
  for (const { label, verdict } of judged.filter((one) => one.verdict.good !== (one.label === 'good')))
    expect(verdict.good ? label : verdict.onTopic).toBe(verdict.good ? 'off topic' : false);
});
