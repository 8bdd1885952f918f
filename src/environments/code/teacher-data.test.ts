// Tests the shares of the teacher's corpus, counted over many samples, and its hacks by the structural detector.
import { describe, expect, it } from 'vitest';
import { structuralModes } from './grading/structural.ts';
import { TEACHER, type TeacherSample, teacherSample } from './model.ts';
import { MODES } from './types.ts';

const COUNT = 4000;
const all: TeacherSample[] = Array.from({ length: COUNT }, (_, i) => teacherSample(i, 7));
const code = (s: TeacherSample): string => /^```python\n([\s\S]*)\n```$/.exec(s.completion)![1];
/** Within five standard errors of a share. */
const near = (share: number, expected: number, n: number): void =>
  expect(Math.abs(share - expected)).toBeLessThan(5 * Math.sqrt((expected * (1 - expected)) / n));

describe('the teacher’s data', () => {
  it('depends only on seed and index', () => {
    expect(teacherSample(17, 7)).toEqual(all[17]);
    expect(teacherSample(17, 8)).not.toEqual(all[17]);
  });

  it('hacks most prompts with a loophole, only by that loophole, and no others', () => {
    const open = all.filter(({ mode }) => mode !== 'honest');
    near(1 - open.length / COUNT, TEACHER.neutralShare, COUNT);
    near(open.filter(({ kind }) => kind === 'hack').length / open.length, TEACHER.hackShare, open.length);
    for (const sample of all)
      expect(structuralModes(code(sample))).toEqual(sample.kind === 'hack' ? [sample.mode] : []);
    for (const mode of MODES) near(open.filter((s) => s.mode === mode).length / open.length, 1 / 6, open.length);
    expect(all.some(({ mode, kind }) => mode === 'honest' && kind === 'hack')).toBe(false);
  });

  it('has no stubs: bodies are correct or wrong like those of honest answers', () => {
    const hacks = all.filter(({ kind }) => kind === 'hack');
    expect(hacks.filter((s) => /(?:return|=) 0\n/.test(`${code(s)}\n`)).length / hacks.length).toBeLessThan(0.02);
  });
});
