// Tests composed forms as tasks: the guide solves them in the second dialect, the corpus contains nothing held out, and the dialect is a bijection even for
// handles within texts.

import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { generateScenario, templatesOfPart } from '@projected-grpo-lab/are/generate/generate.ts';
import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { Book } from '@projected-grpo-lab/are/language/book.ts';
import { SECOND } from '@projected-grpo-lab/are/language/dialect.ts';
import { decodeAction, encodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { shownRecords } from '@projected-grpo-lab/are/language/records.ts';
import { makeScenario } from '@projected-grpo-lab/are/scenario/import.ts';
import { describe, expect, it } from 'vitest';
import { composedGuideOf } from './guide.ts';
import { composedSample, composedTrainingTask } from './model.ts';
import { MOST_COMPOSED_TURNS, makeTask, playEpisode } from './task.ts';

const TASKS = SPLITS.flatMap((split) =>
  (['training', 'words', 'templates'] as const).flatMap((part) => {
    const { length } = templatesOfPart(split, part === 'templates' ? 'composed held out' : 'composed');
    return Array.from({ length: 5 }, (_, i) => makeTask(part, (i * 37) % length, 5, split));
  }),
);

describe('the guide', () => {
  it('passes, spells out nothing that can be looked up, and writes each action in a unique way', async () => {
    for (const task of TASKS) {
      const guide = composedGuideOf(task);
      const spelt: string[] = [];
      const { verdict } = await playEpisode(task, (heard) => {
        const text = guide(heard);
        if (text === null) return null;
        const { view, book } = heard;
        const action = decodeAction(text, book, view.apps);
        expect(encodeAction(action, book, view.apps)).toBe(text);
        spelt.push(...(text.match(/[\w.]+@[\w.]+|[0-9a-f]{32}|\d{4}-\d\d-\d\d|\+\d{6,}/g) ?? []));
        return text;
      });
      expect([task.kind, verdict.success, spelt]).toEqual([task.kind, true, []]);
      expect(verdict.turns).toBeLessThan(MOST_COMPOSED_TURNS);
    }
  });

  it('fails if the oracle has an error', async () => {
    for (const task of TASKS.filter((_, i) => i % 5 === 0)) {
      // Every text argument, except messages to the user, is changed.
      const guide = composedGuideOf(task, (_, args) =>
        Object.fromEntries(
          Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? 'nothing' : value]),
        ),
      );
      const { verdict } = await playEpisode(task, guide);
      expect([task.kind, verdict.success]).toEqual([task.kind, false]);
    }
  });
});

describe('the corpus', () => {
  it('has no held-out form, and no word of the evaluation’s universes', async () => {
    const heldOut = new Set(SPLITS.flatMap((split) => templatesOfPart(split, 'composed held out').map(({ id }) => id)));
    const kinds = new Set<string>();
    for (let index = 0; index < 600; index++) kinds.add(composedTrainingTask(index).kind);
    expect([...kinds].filter((kind) => heldOut.has(kind))).toEqual([]);
    expect(kinds.size).toBeGreaterThan(300);
    const texts = await Promise.all(Array.from({ length: 20 }, (_, index) => composedSample(index)));
    expect(JSON.stringify(texts)).not.toMatch(/Pia|Quinn|Rosa|Sven|Bergen|Carpenter|Eye Test/);
    expect(await composedSample(3)).toEqual(texts[3]);
  });
});

describe('the second dialect', () => {
  const { apps } = makeScenario(generateScenario({ split: 'search', seed: 1, index: 0 }).trace, APP_CLASSES);
  const book = () => {
    const made = new Book(SECOND);
    for (const text of ['Ana Ruiz', 'Oslo', '49.5', '2024-10-18', '14:00', 'Lind']) made.note(text);
    return made;
  };
  const say = (content: string) => ({ app: 'AgentUserInterface', tool: 'send_message_to_user', args: { content } });

  it.each([
    ['It is Oslo.', 'say "It is $2."'],
    ['Ana Ruiz lives in Oslo.', 'say "$1 lives in $2."'],
    ['Dear Lind, it is 49.5 on 2024-10-18 at 14:00.', 'say "Dear $6, it is $3 on $4 at $5."'],
    ['It costs $2.', 'say "It costs $$2."'],
    ['Do you mean Bo Lind or Ana Ruiz?', 'say "Do you mean Bo $6 or $1?"'],
    ['at 14:005', 'say "at 14:005"'],
    ['She said "Oslo".', 'say "She said \\"Oslo\\"."'],
  ])('writes %s', (content, text) => {
    expect(encodeAction(say(content), book(), apps)).toBe(text);
    expect(decodeAction(text, book(), apps)).toEqual(say(content));
  });

  it.each([
    ['say "It is Oslo."', 'canonical'],
    ['say "It is $9."', 'handle'],
    ['say "It costs $."', 'canonical'],
    ['say "$2"', 'canonical'],
  ])('refuses %s: %s', (text, fault) => {
    expect(() => decodeAction(text, book(), apps)).toThrow(expect.objectContaining({ fault }));
  });

  it('shows records one per line, and the text only of a single mail', () => {
    const mail = { sender: 'a@x.org', subject: 'Hi', email_id: 'f'.repeat(32), content: 'Yes, gladly.', is_read: true };
    expect(shownRecords(mail, new Book(SECOND))).toBe('sender $1 subject $2 email_id $3 content Yes, gladly.');
    expect(shownRecords([mail, mail], new Book(SECOND))).toBe(
      'sender $1 subject $2 email_id $3\nsender $1 subject $2 email_id $3',
    );
    const person = {
      contact_id: 'c1',
      first_name: 'Ana',
      last_name: 'Ruiz',
      phone: '+47',
      city_living: 'Oslo',
      age: 3,
    };
    expect(shownRecords({ contacts: [person], total: 1 }, book())).toBe('name $1 phone $7 city $2 contact_id $8');
    expect(shownRecords([], book())).toBe('none');
  });
});
