// The rules of the true reward against one reader, on 200 answers of MiniMind2-Small at temperature 1. The labels were written down before
// the rules saw an answer; docs/instructions.md has what differs.
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
  // The reader calls 21 of the rules' 26 true, and the rules 21 of the reader's 22.
  expect([count(true, true), count(false, true), count(true, false), count(false, false)]).toEqual([21, 5, 1, 173]);
});

it('are hardest on the topic: no other rule is in what differs', () => {
  for (const { label, verdict } of judged.filter((one) => one.verdict.good !== (one.label === 'good')))
    expect(verdict.good ? label : verdict.onTopic).toBe(verdict.good ? 'off topic' : false);
});
